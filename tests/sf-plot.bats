# sf-plot: pictures show what the records say, are whole or not there, and are
# the same each time.

load helpers

file_list() { echo $(find . -name '*.png' -o -name '*.svg' -o -name '*.pdf' |
    sed 's,^\./,,' | sort); }

# All files but those of bats.
all_files() { echo $(find . -mindepth 1 ! -name 'separate-stderr*' |
    sed 's,^\./,,' | sort); }

png() { "$ROOT/tests/png.py" "$@"; }

# child_of PROCESS - the number of its child; fails while it has none.
child_of() {
	grep -lsE "^PPid:[[:space:]]$1\$" /proc/[0-9]*/status | cut -d / -f 3 |
	    grep .
}

accel='{"kind":"accel","preset":"hand","clock_hz":1e9,"array_rows":4,"array_cols":4,"vector_lanes":4,"buffer_bytes":4000,"tile_fraction":0.5,"dram_bw":1e9,"dram_channels":2,"dram_latency":0,"noc_bw":1e9,"noc_latency":0,"transit_ops_per_byte":0,"transit_categories":[],"quantise":false}'

# An operator of N equal slices that read RD and write WR bytes in all.
sliced() { # I N RD WR [UNIT [CATEGORY]]
	printf '{"kind":"op","i":%d,"name":"aten.relu","inputs":[],"outputs":[],"category":"%s","flops":%d,"bytes_read":%d,"bytes_written":%d,"weight_bytes":0,"lower":{"unit":"%s","deps":[],"tiles":%d,"slices":%d,"rd":%d,"wr":%d,"work":%d,"flops":%d},"sim":{"start_s":0,"end_s":1e-5,"bound":"memory","tiled_bytes":3000}}\n' \
	    "$1" "${6:-elementwise}" "$2" "$3" "$4" "${5:-vector}" "$2" "$2" \
	    "$3" "$4" "$2" "$2"
}

tile() { # I OP TIMES
	printf '{"kind":"tile","i":%d,"op":%d,"t":[%s]}\n' "$1" "$2" "$3"
}

summary='{"kind":"summary","engine":"fast","tiles":0,"ops":1,"macs":0,"makespan_s":0,"stalls_s":{"compute":0,"load_bandwidth":0,"buffer_full":0,"dependency":0,"store_tail":0},"busy":{"dram":0,"noc_read":0,"noc_write":0,"load_dma":0,"store_dma":0,"array":0,"vector":0,"transit":0},"bandwidth_used":{"dram":0,"noc_read":0,"noc_write":0},"bytes":{"read":0,"written":0},"pe_efficiency":0,"buffer":{"mean":0,"peak":0},"hotspot":"none","why":"nothing","cost":{}}'

# Two tiles of 1,000 bytes in and 500 out; the run takes 10 us. The second waits
# for its compute from 4 to 6 us.
two() {
	trace "$accel" "$(sliced 0 2 2000 1000)" \
	    "$(tile 0 0 0,0,0,2e-6,2e-6,3e-6,3e-6,4e-6)" \
	    "$(tile 1 0 2e-6,2e-6,2e-6,4e-6,6e-6,7e-6,7e-6,1e-5)" "$summary"
}

# 1,000 columns for the time, the first of them being 112.
plot() { sf-plot --width 1196 --height 640 "$@"; }

# N slices on the vector unit, one every 10 ns: loads take all of it, computes
# half, stores nothing but at the end.
many() {
	python3 - "$1" "$accel" "$summary" <<'EOP'
import sys
n = int(sys.argv[1])
print('{"kind":"trace","format":"simfront-trace/1","model":"many","route":"x"}')
print(sys.argv[2])
print('{"kind":"op","i":0,"name":"aten.relu","inputs":[],"outputs":[],'
      '"category":"elementwise","flops":1,"bytes_read":%d,"bytes_written":0,'
      '"weight_bytes":0,"lower":{"unit":"vector","deps":[],"tiles":%d,'
      '"slices":%d,"rd":%d,"wr":0,"work":%d,"flops":1},"sim":{"start_s":0,'
      '"end_s":1,"bound":"memory","tiled_bytes":0}}' %
      (100 * n, n, n, 100 * n, n))
for i in range(n):
    t = [10 * i, 10 * i, 10 * i, 10 * i + 10, 10 * i + 10, 10 * i + 15,
         10 * i + 15, 10 * i + 15]
    print('{"kind":"tile","i":%d,"op":0,"t":[%s]}' %
          (i, ",".join("%de-9" % x for x in t)))
print(sys.argv[3] + '\n{"kind":"end","ops":1}')
EOP
}

lowered() {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules | sf-lower --preset edge-npu
}

# ---- files ----

@test "the suffix says the format" {
	two >in
	for suffix in png svg pdf; do
		run -0 --separate-stderr sf-plot -o "a.$suffix" in
		equal "$output$stderr" ""
	done
	equal "$(head -c 4 a.png | tail -c 3)" PNG
	equal "$(head -c 5 a.pdf)" %PDF-
	python3 -c '
import xml.dom.minidom
print(xml.dom.minidom.parse("a.svg").documentElement.tagName)' >tag
	equal "$(cat tag)" svg
	equal "$(file_list)" "a.pdf a.png a.svg"
}


@test "another suffix, or no file, is a wrong command" {
	two >in
	for name in a.jpg a.PNG a png .png dir/.svg a.png.gz; do
		run -2 --separate-stderr sf-plot -o "$name" in
		one_line_error
		equal "$stderr" "sf-plot: option '--output': found '$name', expected a name that ends in .png, .svg or .pdf"
	done
	run -2 --separate-stderr sf-plot in
	equal "$stderr" "sf-plot: missing '--output', expected the picture's file, *.png, *.svg or *.pdf"
}

@test "a picture has the size that was asked for" {
	two | sf-plot -o a.png --width 500 --height 321
	equal "$(python3 -c '
import struct
print(*struct.unpack(">II", open("a.png", "rb").read()[16:24]))')" "500 321"
	two | sf-plot -o a.svg -W 500 -H 321
	grep -q 'width="500[pt]*" height="321[pt]*"' a.svg
	for wrong in '-W 479' '-H 319' '-W 16385' '-H x'; do
		run -2 sf-plot -o a.png $wrong in
	done
}

@test "a scale makes all of it larger, and leaves it where it is" {
	two >in
	plot -o one.png in
	plot --scale 1 -o same.png in
	cmp one.png same.png
	for factor in 0.5 2 3; do
		plot --scale $factor -o a.png in
		equal "$(python3 -c '
import struct, sys
print(*(n / float(sys.argv[1]) for n in
        struct.unpack(">II", open("a.png", "rb").read()[16:24])))' $factor)" \
		    "1196.0 640.0"
	done
	plot -s 2 -o two.png in
	# The first load, whose last pixel is the gap to the second.
	y=$(($(lanes one.png | head -n 1) + 20))
	equal "$(png one.png across $y 56b4e9)" "112-310 312-510"
	equal "$(png two.png across $((2 * y)) 56b4e9)" "224-621 624-1021"
	plot -o one.svg in
	plot -s 2 -o two.svg in
	diff <(sed 's/width="2392" height="1280"/width="1196" height="640"/' \
	    two.svg) one.svg
	for wrong in '-s 0' '-s 9' '-s x' '-W 16384 -s 1.1'; do
		run -2 --separate-stderr sf-plot -o b.png $wrong in
		one_line_error
	done
}

svg() { "$ROOT/tests/svg.py" "$@"; }

@test "the text of an SVG is text, whatever a model is called" {
	lowered | sf-sim --tiles | sf-plot -o a.svg
	for word in 'tiny-cnn (onnx), batch 1, on edge-npu' 'Load DMA' Conv Relu matmul 'time, us'; do
		svg texts a.svg | grep -xF -- "$word"
	done
	grep -q 'font-family="[^"]*, sans-serif"' a.svg
	n=0
	while read -r name; do
		two | jq -c --argjson name "$name" 'if .kind == "trace" then
		    .model = $name elif .kind == "op" then .name = $name
		    else . end' >in
		sf-plot -o a.svg in
		shown=$(jq -nr --argjson name "$name" \
		    '$name | sub("\n"; "\\x0a") | sub("\u202e"; "\\u202e")')
		svg texts a.svg | grep -qF -- "$shown"
		python3 - a.svg <<'EOP'
import sys
import xml.dom.minidom
names = {node.tagName for node in
         xml.dom.minidom.parse(sys.argv[1]).getElementsByTagName("*")}
assert names == {"svg", "path", "text"}, names
EOP
		n=$((n + 1))
	done <<-'END'
		"<script>alert(1)</script>"
		"</text></svg><img src=x>"
		"a\"b'c&amp;d<!--e"
		"]]>&lt;"
		"two\nlines"
		"turned \u202e around"
		"\u00e9\u65e5\u672c"
	END
	equal $n 7
}

@test "the same input gives the same bytes, at any time and in any place" {
	lowered | sf-sim --tiles >in
	mkdir other
	for suffix in png svg pdf; do
		sf-plot -o "a.$suffix" in
	done
	# The clock of a PDF has seconds.
	sleep 1.1
	for suffix in png svg pdf; do
		(cd other && TZ=Asia/Tokyo HOME=/nowhere \
		    sf-plot -o "b.$suffix" <../in)
		cmp "a.$suffix" "other/b.$suffix"
	done
	refute grep -aq "$(date +%Y)" a.pdf
}

@test "an input that breaks off leaves the picture that was there" {
	two >in
	echo old >a.png
	head -n 4 in >cut
	run -3 sf-plot -o a.png cut
	# The picture is complete, the stream is not.
	{ cat in && echo '{"kind":"acme"}'; } >more
	run -3 sf-plot -o a.png more
	equal "$(cat a.png)" old
	equal "$(all_files)" "a.png cut in more"
	sf-plot -o a.png in
	equal "$(head -c 4 a.png | tail -c 3)" PNG
}

@test "a file that cannot be made exits 4 and leaves nothing" {
	two >in
	run -4 --separate-stderr sf-plot -o no/such/a.png in
	one_line_error
	[[ $stderr == "sf-plot: no/such/a.png: "* ]]
	mkdir a.png
	run -4 --separate-stderr sf-plot -o a.png in
	one_line_error
	equal "$(all_files)" "a.png in"
}

@test "a signal leaves the old picture, and nobody who draws" {
	printf old >a.png
	for signal in HUP INT TERM; do
		mkfifo in
		# Job control, as without it bash has what it starts ignore INT.
		set -m
		sf-plot -o a.png <in &
		plot=$!
		set +m
		exec 9>in
		until child=$(child_of $plot); do sleep 0.01; done
		kill -$signal $plot
		status=0
		wait $plot || status=$?
		equal "$(kill -l $status)" $signal
		exec 9>&-
		rm in
		equal "$(cat a.png)" old
		equal "$(all_files)" a.png
		refute kill -0 $child
	done
}

@test "a child that crashes is one line and status 4" {
	[ -z "${SF_SANITIZED:-}" ] || skip "the sanitizers catch the signal"
	mkfifo in
	sf-plot -o a.png <in 2>err &
	plot=$!
	exec 9>in
	until child=$(child_of $plot); do sleep 0.01; done
	kill -SEGV $child
	status=0
	wait $plot || status=$?
	exec 9>&-
	equal $status 4
	equal "$(wc -l <err)" 1
	grep -q '^sf-plot: crashed while drawing' err
}

@test "a disk that is full exits 4 and leaves nothing" {
	two >in
	run -4 --separate-stderr bash -c '
		trap "" XFSZ
		ulimit -f 1
		sf-plot -o big.svg in'
	[[ $stderr == *"big.svg: write failed: "* ]]
	equal "$(all_files)" in
}

@test "a new picture has the permissions that the user's mask leaves" {
	two >in
	(umask 027 && sf-plot -o a.png in)
	equal "$(stat -c %a a.png)" 640
}

@test "several traces need a number in the name" {
	{ two; lowered | sf-sim --tiles; two; } >in
	run -3 --separate-stderr sf-plot -o a.png in
	one_line_error
	[[ $stderr == *"a second trace, expected one, or '%d' in the name"* ]]
	equal "$(file_list)" ""
	sf-plot -o a-%d-%d.svg in
	equal "$(file_list)" "a-1-%d.svg a-2-%d.svg a-3-%d.svg"
	two | sf-plot -o one.svg
	cmp one.svg a-1-%d.svg
	cmp one.svg a-3-%d.svg
	refute cmp -s one.svg a-2-%d.svg
}

@test "of several traces those before a broken one have their pictures" {
	{ two; two | head -n 4; } >in
	run -3 sf-plot -o %d.png in
	equal "$(file_list)" 1.png
}

# ---- what a timeline needs ----

# refused MESSAGE - the trace on standard input is, with that message.
refused() {
	cat >in
	run -3 --separate-stderr sf-plot -o a.png in
	one_line_error
	[[ $stderr == *"$1"* ]] || { echo "$stderr"; return 1; }
	[ ! -e a.png ]
}

@test "a trace without tiles is refused, and the way to them is named" {
	way="expected a trace from 'sf-rules | sf-lower | sf-sim --tiles'"
	sf-onnx "$DATA/tiny-cnn.onnx" | refused \
	    "op 0 'onnx.Conv': is not lowered, $way"
	lowered | refused "op 0 'onnx.Conv' before it has no tile records, expected a trace from 'sf-sim --tiles'"
	lowered | sf-sim | refused "op 0 'onnx.Conv' before it has no tile records, expected a trace from 'sf-sim --tiles'"
	trace "$accel" | refused "the trace is not simulated, $way"
}

@test "a trace in which nothing runs has an empty timeline" {
	trace "$accel" "${summary/\"ops\":1/\"ops\":0}" >in
	sf-plot -o a.png in
	equal "$(png a.png count 56b4e9)" 0
}

@test "tiles that are not the operator's are refused" {
	two | grep -v '"i":1' | refused "op 0 'aten.relu' before it has 1 tile records, expected 2"
	trace "$accel" "$(sliced 0 1 2000 1000)" \
	    "$(tile 0 0 0,0,0,1,1,1,1,1)" "$(tile 1 0 1,1,1,1,1,1,1,1)" |
	    refused "op 0 'aten.relu' has more tile records than the 1 that it is cut into"
	two | sed 's/"i":1,"op":0/"i":2,"op":0/' | refused "tile: 'i' is 2, expected 1"
	two | sed 's/"i":1,"op":0/"i":1,"op":1/' | refused "tile: 'op' is 1, expected the tile behind that op"
	trace "$accel" "$(tile 0 0 0,0,0,1,1,1,1,1)" | refused "tile: 'op' is 0, expected the tile behind that op"
}

@test "times that no block could have are refused" {
	while read -r times want; do
		trace "$accel" "$(sliced 0 1 2000 1000)" "$(tile 0 0 $times)" \
		    "$summary" | refused "tile: $want"
	done <<-'END'
		0,0,0,2,1,3,3,4 't' falls from 2 to 1, expected eight times that do not fall
		0,0,0,1,1,1,1 't' is [0,0,0,1,1,1,1], expected an array of 8
		0,0,0,1,1,1,1,1,1 't' is [0,0,0,1,1,1,1,1,1], expected an array of 8
		-1,0,0,1,1,1,1,1 t[0]: found -1, expected a number >= 0
	END
	two | sed 's/2e-6,2e-6,2e-6,4e-6,6e-6/1e-6,1e-6,1e-6,4e-6,6e-6/' |
	    refused "tile 1: its load begins before that of an earlier tile has ended"
	two | sed 's/2e-6,2e-6,2e-6,4e-6,6e-6/2e-6,2e-6,2e-6,2e-6,2e-6/' |
	    refused "tile 1: its compute begins before that of an earlier tile has ended"
	two | sed 's/7e-6,7e-6,1e-5/3.5e-6,3.5e-6,1e-5/; s/4e-6,6e-6/3e-6,3e-6/' |
	    refused "tile 1: its store begins before that of an earlier tile has ended"
}

@test "times of any size have a timeline, or are refused" {
	for end in 1e-99 1e-50 1e-9 3600 1e15 1e30; do
		trace "$accel" "$(sliced 0 2 8 8)" \
		    "$(tile 0 0 0,0,0,1e-100,1e-100,1e-100,1e-100,2e-100)" \
		    "$(tile 1 0 0,0,1e-100,$end,$end,$end,$end,$end)" \
		    "$summary" >in
		sf-plot -o a.png in
		sf-plot -o a.png --window 0,1e-9 in
		sf-chrome in | jq -e . >out
	done
	trace "$accel" "$(sliced 0 1 8 8)" \
	    "$(tile 0 0 0,0,0,1,1,1,1,1e31)" "$summary" >in
	for program in 'sf-plot -o b.png' sf-chrome; do
		run -3 --separate-stderr $program in
		one_line_error
		[[ $stderr == *"tile 0: ends at 1e+31 s, expected 1e+30 s at most" ]]
	done
}

# ---- what a timeline shows ----

# Rows in the middle of the lanes, top to bottom, found by their grey ground,
# which is seen at 5 us, where nothing but the load of `two` has ended.
lanes() {
	local run
	for run in $(png "$1" down "${2:-622}" f6f6f6); do
		# A line that is not quite on a pixel may have that grey, too.
		[ ${run%-*} = ${run#*-} ] ||
		    echo $(((${run%-*} + ${run#*-}) / 2))
	done
}

@test "a bar is where its tile is" {
	two | plot -o a.png
	read -ra rows < <(echo $(lanes a.png))
	equal "${#rows[@]}" 4
	# Load 0-2 and 2-4 us, vector 2-3 and 6-7, store 3-4 and 7-10, 100
	# pixels a us; a bar's last pixel is the gap to the next.
	y=$((rows[0] + 20))
	equal "$(png a.png across $y 56b4e9)" "112-310 312-510"
	equal "$(png a.png across "${rows[1]}" 56b4e9)" ""
	equal "$(png a.png across $((rows[2] + 20)) 56b4e9)" "312-410 712-810"
	equal "$(png a.png across $((rows[3] + 20)) 56b4e9)" "412-510 812-1110"
}

@test "work in transit is on its own lane, where the block has one" {
	two | sed 's/"unit":"vector"/"unit":"transit"/
	    s/"transit_ops_per_byte":0/"transit_ops_per_byte":2/' | plot -o a.png
	read -ra rows < <(echo $(lanes a.png))
	equal "${#rows[@]}" 5
	equal "$(png a.png across $((rows[0] + 15)) 56b4e9)" "112-310 312-510"
	equal "$(png a.png across $((rows[1] + 15)) 56b4e9)" "112-310 312-510"
	equal "$(png a.png across $((rows[2] + 15)) 56b4e9)" ""
	equal "$(png a.png across $((rows[3] + 15)) 56b4e9)" ""
	equal "$(png a.png across $((rows[4] + 15)) 56b4e9)" "412-510 812-1110"
}

# Two operators: the first as `two`, the second's one tile waits for the store
# of the first until 10 us, for room until 11 and for its load until 12, computes
# until 14 and is stored at 15.
four_waits() {
	trace "$accel" "$(sliced 0 2 2000 1000)" \
	    "$(tile 0 0 0,0,0,2e-6,2e-6,3e-6,3e-6,4e-6)" \
	    "$(tile 1 0 2e-6,2e-6,2e-6,4e-6,6e-6,7e-6,7e-6,1e-5)" \
	    "$(sliced 1 1 1000 500 vector norm)" \
	    "$(tile 2 1 4e-6,1e-5,1.1e-5,1.2e-5,1.2e-5,1.4e-5,1.4e-5,1.5e-5)" \
	    "${summary/\"ops\":1/\"ops\":2}" | jq -c 'if .kind == "op" then
		.node = ["stem/first/act", "stem/second/norm"][.i] else . end'
}

@test "an operator's part ends with its last store, where the next begins" {
	# 1,500 columns: 100 a us.
	four_waits | sf-plot -W 1696 -o a.png
	four_waits | sf-plot -W 1696 -o a.svg
	# The first run of each colour in the lane of operators.
	y=$(png a.png down 1500 009e73 | cut -d - -f 1)
	equal "$(png a.png across $((y + 4)) 56b4e9)" 112-1110
	equal "$(png a.png across $((y + 4)) 009e73)" 1112-1610
	for word in stem/first/act stem/second/norm first second Modules; do
		svg texts a.svg | grep -qxF "$word"
	done
	# Less room, less of the name; a type where there is no name.
	four_waits | sf-plot -W 480 -o b.svg
	svg texts b.svg | grep -qxF second/norm
	four_waits | jq -c 'del(.node)' | sf-plot -o c.svg
	equal "$(svg texts c.svg | grep -cx 'Modules')" 0
	# Two in the lane itself, and three tiles in three other ones.
	equal "$(svg texts c.svg | grep -cx relu)" 11
}

@test "stalls are where nothing computes, by what is waited for" {
	four_waits | sf-plot -W 1696 -o a.png
	four_waits | sf-plot -W 1696 -o a.svg
	y=$(($(png a.png down 1150 ddcc77 | cut -d - -f 1) + 4))
	equal "$(png a.png across $y 882255)" "112-310 412-710 1212-1310"
	equal "$(png a.png across $y 44aa99)" "812-1110"
	equal "$(png a.png across $y ddcc77)" "1112-1210"
	equal "$(png a.png across $y 332288)" "1512-1610"
	for word in 'load bandwidth 40.0 %' 'buffer full 6.7 %' \
	    'dependency 20.0 %' 'store tail 6.7 %' '73.3 % waits'; do
		svg texts a.svg | grep -qxF "$word"
	done
	# Within a window, of its length.
	four_waits | sf-plot --window 10us,12us -o b.svg
	equal "$(svg texts b.svg | grep -E '^(load|buffer|dep|store)')" \
	    "load bandwidth 50.0 %
buffer full 50.0 %"
}

@test "stalls of a picture are those of the summary, on every kind of block" {
	for block in edge-npu dc-npu gemmini16 tpuv3-core 'edge-npu -s cores=3' \
	    'dc-npu -s cores=64' 'gemmini16 -s cores=5'; do
		sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules |
		    sf-lower --preset $block | sf-sim --tiles >in
		sf-plot -o a.svg in
		jq -r 'select(.kind == "summary") | .makespan_s as $all |
		    .stalls_s | del(.compute) | to_entries[] |
		    select(.value > 0) |
		    [(.key | sub("_"; " ")), .value / $all] | @tsv' in >want
		svg texts a.svg | sed -nE 's/^((load bandwidth|buffer full|dependency|store tail)) ([0-9.]+) %$/\1\t\3/p' >got
		[ -s want ]
		paste got want | awk -F '\t' '
		    $1 != $3 || ($2 / 100 - $4) ^ 2 > 0.00051 ^ 2 { bad = 1 }
		    END { exit bad }' || { paste got want; return 1; }
	done
}

# same_shares NAMED - the lines NAME<tab>SHARE of `got` are those of `want`, whose
# shares are numbers, to a tenth of a per cent.
same_shares() {
	[ -s want ]
	equal "$(wc -l <got)" "$(wc -l <want)"
	paste got want | awk -F '\t' '
	    $1 != $3 || (0 + $2 - 100 * $4) ^ 2 > 0.051 ^ 2 { bad = 1 }
	    END { exit bad }' || { paste got want; return 1; }
}

@test "of few cores each engine has a lane, and the memory of all has one" {
	for cores in 2 3 4; do
		sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules |
		    sf-lower -p edge-npu -s cores=$cores | sf-sim --tiles >in
		sf-plot -o a.svg in
		jq -r 'select(.kind == "summary") |
		    (.cores[].busy | ["Load DMA", .load_dma],
		        ["Compute array", .array], ["Vector unit", .vector],
		        ["Store DMA", .store_dma]),
		    ["Memory", .busy.dram],
		    ["Stalls", 1 - .stalls_s.compute / .makespan_s] |
		    @tsv' in >want
		svg lanes a.svg >got
		same_shares
		equal "$(svg texts a.svg | grep -cE '^core [0-9]$')" $cores
		svg texts a.svg | grep -qE "^[0-9,]+ tiles in [0-9.]+ us on $cores cores, [0-9.]+ (to [0-9.]+ )?% computing; hot-spot"
	done
}

@test "of many cores each has a lane of what it computes, or shares one" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules |
	    sf-lower -p edge-npu -s cores=13 | sf-sim --tiles >in
	shared='["Load DMAs", .busy.load_dma], ["Store DMAs", .busy.store_dma],
	    ["Memory", .busy.dram],
	    ["Stalls", 1 - .stalls_s.compute / .makespan_s]'
	# Those of one core, then of two, and of four.
	for size in 640,1 400,1 330,4; do
		sf-plot -W 1200 -H ${size%,*} -o a.svg in
		jq -r --argjson n ${size#*,} 'select(.kind == "summary") | .cores as $c |
		    ['"$shared"'][:1][], (range(0; 13; $n) as $i |
		        $c[$i:$i + $n] as $of |
		        [if ($of | length) == 1 then "core \($i)" else "cores \($i) to \($i + $n - 1)" end,
		         ([$of[].busy | .array + .vector] | add / ($of | length))]),
		    ['"$shared"'][1:][] | @tsv' in >all
		svg lanes a.svg >got
		# Names are left out where they have no room.
		cut -f 1 got >names
		awk -F '\t' 'NR == FNR { named[$1]; next } $1 in named' names all >want
		same_shares
		[ "$(grep -c ^core got)" -ge 2 ]
		equal "$(grep -vc ^core got)" 4
	done
	equal "$(cut -f 1 all | grep -c ^core)" 4
	# More than there are rows of pixels for.
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules |
	    sf-lower -p edge-npu -s cores=64 | sf-sim --tiles >in
	sf-plot -o a.svg in
	svg lanes a.svg >got
	grep -q '^core 0	' got
	[ "$(svg lanes a.svg | grep -c '^core ')" -gt 12 ]
}

@test "of several cores the buffer is their mean, and its peak the highest" {
	for cores in 3 16; do
		sf-model gpt2 --tokens 64 | sf-rules |
		    sf-lower -p edge-npu -s cores=$cores | sf-sim --tiles >in
		sf-plot -H 1000 -o a.svg in
		read -r mean peak < <(jq -r 'select(.kind == "summary") |
		    "\(.buffer.mean) \(.buffer.peak)"' in)
		got=$(svg texts a.svg | sed -n 's/^peak \([0-9.]*\) %$/\1/p')
		awk -v got=$got -v want=$peak 'BEGIN {
			exit !((got - 100 * want) ^ 2 < 0.051 ^ 2) }'
		# The first curve's mean height over that of the capacity.
		got=$(python3 - a.svg <<'EOP'
import re
import sys
lines, text = {}, open(sys.argv[1]).read()
for path in re.findall(r"<path [^>]*>", text):
    colour = re.search(r'stroke="#(\w+)"', path)
    places = re.findall(r"([\d.-]+) ([\d.-]+)",
                        re.search(r' d="([^"]*)"', path)[1])
    if colour:
        lines.setdefault(colour[1], []).append(
            [(float(x), float(y)) for x, y in places])
curve = max(lines["33475b"][:1], key=len)
# The number of the axis stands a little below its mark.
floor = float(re.search(r'<text x="106" y="([\d.]+)"[^>]*>0(?:[.]0+)?</text>', text)[1]) - 3.5
top = lines["d55e00"][0][0][1]
area = sum((b[0] - a[0]) * (2 * floor - a[1] - b[1]) / 2
           for a, b in zip(curve, curve[1:]))
print(area / (curve[-1][0] - curve[0][0]) / (floor - top))
EOP
		)
		echo "$cores cores: $got drawn, $mean in the summary"
		awk -v got=$got -v want=$mean 'BEGIN {
			exit !((got / want - 1) ^ 2 < 0.03 ^ 2) }'
	done
}

@test "a title says model, route, workload, block and window" {
	while IFS='|' read -r workload want; do
		two | jq -c --argjson w "$workload" \
		    'if .kind == "trace" then .workload = $w else . end' |
		    sf-plot -o a.svg
		equal "$(svg titles a.svg)" "test (export)$want, on hand"
	done <<-'END'
		{}|
		{"batch":1}|, batch 1
		{"batch":8,"tokens":2048}|, batch 8, prefill of 2,048 tokens
		{"batch":1,"tokens":1,"context":2048}|, batch 1, decode behind 2,048 tokens
		{"batch":1,"tokens":4,"context":1}|, batch 1, 4 tokens behind 1 token
		{"height":224,"context":3}|, height 224, context 3
	END
	two | sf-plot --window 1us,2.5us -o a.svg
	equal "$(svg titles a.svg)" "test (export), on hand, 1.00 to 2.50 us"
	two | sf-plot --window 1us,2.5us --title Mine -o a.svg
	equal "$(svg titles a.svg)" Mine
}

@test "a panel that would be empty is left out" {
	two | sf-plot -o a.svg
	equal "$(svg texts a.svg | grep -cxE 'Buffer|Ready')" 2
	# Nothing waits before 4 us.
	two | sf-plot --window 0us,4us -o a.svg
	equal "$(svg texts a.svg | grep -xE 'Buffer|Ready')" Buffer
	two | sf-plot -H 320 -o a.svg
	equal "$(svg texts a.svg | grep -cxE 'Buffer|Ready')" 0
}

@test "no text of a picture covers another, at any size" {
	lowered | sf-sim --tiles >cnn
	sf-model gpt2 --tokens 64 | sf-rules | sf-lower -p edge-npu |
	    sf-sim --tiles >gpt2
	for cores in 2 5 64; do
		sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules |
		    sf-lower -p dc-npu -s cores=$cores | sf-sim -t >cores$cores
	done
	for in in cnn gpt2 cores2 cores5 cores64; do
		for size in '480 320' '700 400' '1200 640' '4000 900'; do
			sf-plot -W ${size% *} -H ${size#* } -o a.svg $in
			equal "$(svg meetings a.svg)" ""
		done
	done
	for device in h100 rtx4090; do
		sf-cost -d $device cnn >cost
		for size in '480 320' '1200 640'; do
			sf-plot -k roofline -W ${size% *} -H ${size#* } \
			    -o a.svg cost
			equal "$(svg meetings a.svg)" ""
		done
	done
}

# levels FILE X... - how many pixels of the area below the curve there are in
# the upper and in the lower panel at each X.
levels() {
	local file=$1 x run out
	shift
	for x; do
		out=
		for run in $(png "$file" down "$x" c9d3da); do
			out+=" $((${run#*-} - ${run%-*} + 1))"
		done
		echo "$x:$out"
	done
}

@test "the curves are the bytes held and the tiles that wait" {
	two | sf-plot -W 1196 -H 760 -o a.png
	# Held: 1500, then both tiles' 3000; 2000 once the first operands are
	# gone, 1500 once its result is, and 500 at last. 500 bytes are about
	# 13 pixels; one tile waits from 4 to 6 us.
	held=()
	for x in 212 362 462 562 762 962; do
		set -- $(levels a.png $x)
		held+=("$2")
		[ $x = 562 ] && waits=$3
		[ $x != 562 ] && equal "$#" 2
	done
	echo "${held[*]}, one waits: $waits"
	unit=${held[5]}
	[ "$unit" -gt 8 ]
	for i in 0 1 2 3; do
		want=$(((unit + 1) * $(echo 3 6 4 3 | cut -d' ' -f$((i + 1)))))
		near "${held[$i]}" "$want" 4
	done
	near "${held[4]}" $((unit * 3)) 4
	[ "$waits" -gt 60 ]
}

near() { # GOT WANT WITHIN
	[ $(($1 - $2)) -le "$3" ] && [ $(($2 - $1)) -le "$3" ] ||
	    { echo "got $1, want $2 within $3"; return 1; }
}

@test "a slice of k that stores nothing holds its result until its compute ends" {
	# Two slices of k: 2 x 4 x 2 + 4 x 2 x 2 elements in, 2 x 2 out.
	gemm='{"kind":"op","i":0,"name":"aten.mm","inputs":[],"outputs":[],"category":"matmul","flops":1,"bytes_read":1,"bytes_written":1,"weight_bytes":0,"lower":{"unit":"array","deps":[],"tiles":2,"e_in":4,"e_out":4,"gemms":[{"batch":1,"m":20,"k":20,"n":20,"bb":1,"bm":20,"bk":10,"bn":20,"tiles":2}]},"sim":{"start_s":0,"end_s":1,"bound":"memory","tiled_bytes":1}}'
	trace "${accel/4000/16000}" "$gemm" \
	    "$(tile 0 0 0,0,0,2e-6,2e-6,4e-6,4e-6,4e-6)" \
	    "$(tile 1 0 4e-6,4e-6,4e-6,6e-6,6e-6,8e-6,8e-6,1e-5)" "$summary" |
	    plot -o a.png
	# 1,600 bytes of operands and 1,600 of result each time; from 8 to 10 us
	# the result alone.
	set -- $(levels a.png 212)
	both=$2
	set -- $(levels a.png 662)
	near "$2" "$both" 0
	set -- $(levels a.png 962)
	near $((2 * $2)) "$both" 3
}

@test "a window shows its part, on the whole width" {
	two | plot -o a.png --window 2us,4us
	# Load all the time, compute in the first half, store in the second.
	read -ra rows < <(echo $(png a.png down 622 56b4e9 | tr ' ' '\n' | sed 's/-.*//'))
	y=$((rows[0] + 50))
	equal "$(png a.png across $y 56b4e9)" "112-1110"
	two | plot -o b.png --window 0.000002,4e-6
	cmp a.png b.png
	two | plot -o c.png --window 3.5us,3.75us
	# Nothing begins or ends: bars go from edge to edge.
	equal "$(png c.png across $y 56b4e9)" "112-1110"
}

@test "a window that cannot be is a wrong command" {
	two >in
	for wrong in 1us 1us,1us 2us,1us -1us,1us x,y ',' '1us,' 1us,2us,3us 1kB,2kB; do
		run -2 --separate-stderr sf-plot -o a.png --window="$wrong" in
		one_line_error
		[[ $stderr == "sf-plot: option '--window': "* ]]
	done
	run -2 --separate-stderr sf-plot -o a.png --window 10us,11us in
	equal "$stderr" "sf-plot: option '--window': begins at 1e-05 s, the trace ends at 1e-05 s"
	run -2 sf-plot -o a.png -k roofline --window 1us,2us in
	equal "$(file_list)" ""
}

@test "whole cycles are drawn at their times" {
	two | sed 's/"quantise":false/"quantise":true/
	    /^{"kind":"tile"/ { s/e-6/000/g; s/1e-5/10000/ }' | plot -o a.png
	two | plot -o b.png
	cmp a.png b.png
}

@test "bars below a pixel are merged to the share of their time" {
	# 20,000 tiles in 200 us: 20 tiles a pixel.
	many 20000 | plot -o a.png
	# In each column the load is busy all the time, the vector unit half of
	# it: nothing of the ground is left in the one, half in the other.
	set -- $(png a.png down 622 f6f6f6 | tr ' -' '\n ' | awk '{ print $2 - $1 + 1 }')
	equal "$#" 3
	array=$1 vector=$2
	near $((2 * vector)) "$array" 3
}

@test "neither the picture nor the memory grows with the number of tiles" {
	many 20000 >few
	many 200000 >more
	for suffix in png svg pdf; do
		sf-plot -o few.$suffix few
		sf-plot -o more.$suffix more
		echo "$(wc -c <few.$suffix) $(wc -c <more.$suffix)"
		[ "$(wc -c <more.$suffix)" -lt $(($(wc -c <few.$suffix) * 5 / 4)) ]
	done
	[ "$(wc -c <more.svg)" -lt 400000 ]
	[ -z "${SF_SANITIZED:-}" ] || return 0
	one=$("$SF_UNIT/peak" sf-plot -o a.svg few)
	ten=$("$SF_UNIT/peak" sf-plot -o a.svg more)
	echo "$one KiB, $ten KiB"
	[ "$ten" -lt $((one + 1024)) ]
	[ "$ten" -lt 32768 ]
}

@test "a title is text of the user's, cut where it is too long" {
	two >in
	sf-plot -o a.png in
	sf-plot -o b.png --title 'test (export), on hand' in
	cmp a.png b.png
	long=$(printf 'w%.0s' {1..30000})
	sf-plot -o c.png -t "$long" in
	# The right margin is white.
	equal "$(png c.png down 1195 ffffff)" 0-639
	run -2 --separate-stderr sf-plot -o d.png -t $'\xff' in
	equal "$stderr" "sf-plot: option '--title': found bytes that are not UTF-8"
}

@test "colours are told apart whatever the cones of the eye" {
	run -0 "$ROOT/tests/palette.py" "$ROOT/lib/plot/palette.def"
	equal "${#lines[@]}" 4
	for line in "${lines[@]}"; do
		set -- $line
		# The eye tells apart what is 2 or 3 units from each other.
		[ "$2" -ge 15 ]
	done
	# And what is waited for, of which none is the colour of a category.
	sed -E 's/SF_WAIT\((.*), "[^"]*", (0x[0-9a-f]+)\)/SF_LOOK(\1, \2, NONE)/' \
	    "$ROOT/lib/plot/wait.def" >waits.def
	equal "$(grep -c '^SF_LOOK' waits.def)" 4
	run -0 "$ROOT/tests/palette.py" waits.def
	for line in "${lines[@]}"; do
		set -- $line
		[ "$2" -ge 15 ]
	done
	grep -oE '0x[0-9a-f]{6}' waits.def >colours
	refute grep -Ff colours "$ROOT/lib/plot/palette.def"
	# Every category has a look.
	equal "$(grep -c '^SF_LOOK' "$ROOT/lib/plot/palette.def")" \
	    "$(grep -c '^SF_CATEGORY' "$ROOT/lib/trace/category.def")"
}

@test "the timeline of a real network has its tiles" {
	lowered | sf-sim --tiles >in
	plot -o a.png in
	# 99.96 us: the first load of the first convolution takes 8.895.
	read -ra rows < <(echo $(png a.png down 1000 f6f6f6 | tr ' ' '\n'))
	y=$((${rows[0]%-*} + 10))
	set -- $(png a.png across $y 0072b2)
	equal "$1" 112-199
}

# ---- rooflines ----

device='{"kind":"device","mode":"roofline","name":"d","peak_flops":1e15,"memory_bw":1e13,"flops_eff":1,"bw_eff":1,"devices":1,"flops_per_s":1e12,"bytes_per_s":1e10,"memory":"unfused","op_overhead_s":0}'

costed() { # I NAME CATEGORY FLOPS BYTES SECONDS
	printf '{"kind":"op","i":%d,"name":"%s","inputs":[],"outputs":[],"category":"%s","flops":%s,"bytes_read":%s,"bytes_written":0,"weight_bytes":0,"cost":{"time_s":%s,"bound":"compute","unit":"device","transfer_s":0}}\n' \
	    "$@"
}

@test "a trace without cost has no roofline, and the way to it is named" {
	way="expected a trace from 'sf-rules | sf-cost --device NAME'"
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >in
	run -3 --separate-stderr sf-plot -k roofline -o a.png in
	one_line_error
	[[ $stderr == *"op 0 'onnx.Conv': has no cost, $way" ]]
	trace >in
	run -3 --separate-stderr sf-plot -k roofline -o a.png in
	[[ $stderr == *"the trace has no device record, $way" ]]
	trace "$device" "$device" >in
	run -3 sf-plot -k roofline -o a.png in
	trace "${device/1e10/0}" >in
	run -3 sf-plot -k roofline -o a.png in
	equal "$(file_list)" ""
}

@test "a point at the ridge lies below the corner of the roofs" {
	# 50 FLOP/byte, at 1e12 FLOP/s.
	trace "${device/1e10/2e10}" \
	    "$(costed 0 aten.mm matmul 500000 10000 5e-7)" >in
	sf-plot -k roofline -o a.png in
	# The row of the flat roof, which goes to the right end.
	flat=$(png a.png down 1100 33475b)
	row=${flat%-*}
	[ -n "$row" ]
	# The disk is as high above it as below it, and the ridge's line, which
	# leaves white between its dashes, is in its middle.
	run=$(png a.png across $((row + 20)) 0072b2)
	equal "$(png a.png across $((row - 20)) 0072b2)" "$run"
	middle=$(((${run%-*} + ${run#*-} + 1) / 2))
	[ "$(png a.png down $middle ffffff | wc -w)" -gt 30 ]
	[ "$(png a.png down $((middle + 20)) ffffff | wc -w)" -lt 20 ]
}

@test "costs of any size have a roofline, or are refused" {
	for rate in 1e-30 1 1e30; do
		for seconds in 1e-30 1 1e30; do
			trace "${device/1e12/$rate}" "$(costed 0 aten.mm matmul \
			    1 9223372036854775806 $seconds)" "$(costed 1 \
			    aten.mm norm 9223372036854775806 1 1e-30)" >in
			sf-plot -k roofline -o a.png in
		done
	done
	trace "$device" "$(costed 0 aten.mm matmul 1 1 1e-31)" >in
	run -3 --separate-stderr sf-plot -k roofline -o b.png in
	[[ $stderr == *"cost: 'time_s' is 1e-31, expected 0 or a number >= 1e-30" ]]
	trace "${device/1e12/1e31}" >in
	run -3 sf-plot -k roofline -o b.png in
}

# The pixels of a colour without the legend's patch, which has 144.
disk() { echo $(($(png a.png count "$1") - 144)); }

@test "the area of a point is its share of the time" {
	trace "$device" "$(costed 0 aten.mm matmul 1000000 1000 4e-6)" \
	    "$(costed 1 aten.add elementwise 1000 1000 5e-7)" \
	    "$(costed 2 aten.add elementwise 1000 1000 5e-7)" >in
	sf-plot -k roofline -o a.png in
	large=$(disk 0072b2) small=$(disk 56b4e9)
	echo "$large $small"
	# 80 and 20 %; the white rim takes a little of each.
	[ "$large" -gt $((small * 4 - small / 5)) ]
	[ "$large" -lt $((small * 5)) ]
}

@test "operators that take no time or have no FLOPs are no points" {
	trace "$device" "$(costed 0 aten.mm matmul 1000000 1000 1e-6)" >in
	sf-plot -k roofline -o a.png in
	one=$(png a.png count 0072b2)
	trace "$device" "$(costed 0 aten.mm matmul 1000000 1000 1e-6)" \
	    "$(costed 1 aten.view view 0 0 0)" \
	    "$(costed 2 aten.foo unknown 5 5 0)" >in
	sf-plot -k roofline -o a.png in
	equal "$(png a.png count 0072b2)" "$one"
	trace "$device" "$(costed 0 aten.mm matmul 1000000 1000 1e-6)" \
	    "$(costed 1 aten.copy copy 0 1000 1e-6)" >in
	sf-plot -k roofline -o a.png in
	[ "$(png a.png count 0072b2)" -lt "$one" ]
	# No disk, but half of the strip, which is 16 pixels wide.
	# Its rim is grey, and so is that of the legend's patch.
	near "$(png a.png count 555555)" $((14 * 480 / 2)) 300
}

# under_roofs FILE - each point of an SVG lies on or below the roofs, at most 1 %
# above them; prints how many there are. Axes are read from their numbers.
under_roofs() {
	python3 - "$1" <<'EOP'
import math
import re
import sys
import xml.etree.ElementTree as tree
SVG = "{http://www.w3.org/2000/svg}"
root = tree.parse(sys.argv[1]).getroot()
xs, ys, flats, slopes = [], [], [], []
prefix = dict(zip("fpnum kMGTPEZ", range(-15, 24, 3)))
for node in root.iter(SVG + "text"):
    text, x, y = node.text, float(node.get("x")), float(node.get("y"))
    if re.fullmatch(r"[\d,.]+(e-?\d+)?", text) and node.get("text-anchor") == "middle":
        xs.append((x, float(text.replace(",", ""))))
    if node.get("text-anchor") == "end" and y > 70:
        m = re.fullmatch(r"(\d+) ?([fpnumkMGTPEZ]?)", text)
        if m:
            ys.append((y - 3.5, float(m[1]) * 10.0 ** prefix[m[2] or " "]))


def axis(marks):
    (p, a), (q, b) = marks[0], marks[-1]
    slope = (math.log(b) - math.log(a)) / (q - p)
    return lambda at: math.exp(math.log(a) + (at - p) * slope)


x_of, y_of = axis(xs), axis(ys)
inner = root.find(SVG + "svg")
lines = []
for path in inner.iter(SVG + "path"):
    for m in re.finditer(r"M([\d.-]+) ([\d.-]+)L([\d.-]+) ([\d.-]+)", path.get("d")):
        lines.append([float(n) for n in m.groups()])
# Slope, flat and ridge of each roof.
roofs = [(y_of(lines[i + 1][1]), y_of(lines[i][3]) / x_of(lines[i][2]))
         for i in range(0, len(lines) - 2, 3)]
n = 0
for path in root.iter(SVG + "path"):
    if path.get("fill") in (None, "#ffffff"):
        continue
    for m in re.finditer(r"M([\d.]+) ([\d.]+)a([\d.]+) ", path.get("d")):
        px, py, r = map(float, m.groups())
        at, rate = x_of(px + r), y_of(py)
        roof = max(min(flat, slope * at) for flat, slope in roofs)
        assert rate < 1.03 * roof, (at, rate, roof)
        n += 1
print(n)
EOP
}

@test "no point lies above the roofs, whatever is fused or offloaded" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >cnn
	sf-model gpt2 --tokens 64 | sf-rules >gpt2
	for in in cnn gpt2; do
		for how in '-d h100' '-d h100 -m fused' '-d rtx4090 -t 1us' \
		    '-d tpu-v5e' '-o optical -l pcie5 -s matmul'; do
			sf-cost $how $in >cost
			sf-plot -k roofline -o a.svg cost
			[ "$(under_roofs a.svg)" -gt 0 ]
		done
	done
}

@test "time that is on no point is a strip, and all of it is said" {
	trace "$device" "$(costed 0 aten.mm matmul 1000000 1000 4e-6)" \
	    "$(costed 1 aten.copy copy 0 1000 2e-6)" \
	    "$(costed 2 aten.cat copy 0 1000 1e-6 |
		sed 's/"transfer_s":0/"transfer_s":3e-6/')" |
	    sed 's/"flops_per_s":1e12/"flops_per_s":1e15/' >in
	sf-plot -k roofline -o a.svg in
	for word in 'transfers 30.0 %' 'copy 20.0 %' 'cat 10.0 %' \
	    'on points 40.0 %' 'all time'; do
		svg texts a.svg | grep -qxF "$word"
	done
	# Points have the same shares.
	svg texts a.svg | grep -qE '^mm 40.0 %'
	# Fused ones move no bytes.
	trace "${device/unfused/fused}" \
	    "$(costed 0 aten.mm matmul 1000000 1000 3e-6)" \
	    "$(costed 1 aten.relu elementwise 1000 1000 1e-6)" >in
	sf-plot -k roofline -o a.svg in
	svg texts a.svg | grep -qxF 'relu, on chip 25.0 %'
	# Nothing hidden, no strip.
	trace "$device" "$(costed 0 aten.mm matmul 1000000 1000 4e-6)" |
	    sf-plot -k roofline -o a.svg
	refute grep -qE 'all time|on points' a.svg
	# Of real traces shares sum to the whole.
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules |
	    sf-cost -o optical -l pcie5 -s matmul | sf-plot -k roofline -o a.svg
	svg texts a.svg | sed -n '/^all time$/,$p' | grep ' %$' |
	    awk '{ sum += $(NF - 1) } END {
		exit !(NR > 1 && sum > 99.5 && sum < 100.5) }'
}

@test "a tick shows how far an operator stays below its own roof" {
	# 1e12 FLOP/s would take 1 us; at half of that it stands.
	trace "${device/1e10/1e12}" \
	    "$(costed 0 aten.mm matmul 1000000 1000 2e-6)" |
	    sed 's/"peak_flops":1e15/"peak_flops":1e12/; s/"memory_bw":1e13/"memory_bw":1e12/' >in
	sf-plot -k roofline -o a.svg in
	svg texts a.svg | grep -qxF 'mm 100.0 % (at 50.0 %)'
	sed 's/2e-6/1e-6/' in | sf-plot -k roofline -o a.svg
	svg texts a.svg | grep -qxF 'mm 100.0 %'
	# Peaks of element types have roofs of their own.
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules |
	    sf-cost -d rtx4090 | sf-plot -k roofline -o a.svg
	svg texts a.svg | grep -qE '^f32, [0-9.]+ TFLOP/s$'
}

@test "several traces share a roofline, each with its name in the legend" {
	sf-model gpt2 --tokens 64 | sf-rules >prefill
	sf-model gpt2 --decode 64 | sf-rules >decode
	for in in prefill decode; do
		sf-cost -d h100 $in >$in.cost
	done
	sf-plot -k roofline -o both.svg prefill.cost decode.cost
	equal "$(svg titles both.svg)" "gpt2 (dispatch), on h100"
	svg texts both.svg | grep -qE '^batch 1, prefill of 64 tokens, [0-9.]+ (us|ms)$'
	svg texts both.svg | grep -qE '^batch 1, decode behind 64 tokens, [0-9.]+ (us|ms)$'
	cat prefill.cost decode.cost | sf-plot -k roofline -o same.svg
	cmp both.svg same.svg
	# A number in the name: a picture each.
	sf-plot -k roofline -o one-%d.svg prefill.cost decode.cost
	sf-plot -k roofline -o first.svg prefill.cost
	cmp one-1.svg first.svg
	equal "$(svg titles one-2.svg)" \
	    "gpt2 (dispatch), batch 1, decode behind 64 tokens, on h100"
	# What differs is said.
	sf-cost -d a100 prefill | sf-plot -k roofline -o two.svg prefill.cost -
	equal "$(svg titles two.svg)" "gpt2 (dispatch)"
	svg texts two.svg | grep -qE 'prefill of 64 tokens, on a100, '
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules | sf-cost -d h100 |
	    sf-plot -k roofline -o two.svg prefill.cost -
	equal "$(svg titles two.svg)" "2 traces, on h100"
	for name in both two; do
		equal "$(svg meetings $name.svg)" ""
	done
	run -3 --separate-stderr sf-plot -k roofline -o no.svg \
	    prefill.cost prefill.cost prefill.cost prefill.cost prefill.cost
	one_line_error
	[[ $stderr == *"one trace more than the 4 that a picture can have"* ]]
	[ ! -e no.svg ]
}

@test "names of points go to the largest shares, of whichever trace" {
	# Twenty-four operators in one place, of two traces: there is room for few.
	for k in 1 2; do
		for ((i = 0; i < 12; i++)); do
			costed $i aten.op$k$i norm $((1000000 + i)) 10000 \
			    "$((i + 1))$((3 - k))e-7"
		done >ops
		mapfile -t ops <ops
		trace "$device" "${ops[@]}" >t$k
	done
	sf-plot -k roofline -W 2000 -H 330 -o a.svg t1 t2
	svg texts a.svg >texts
	sed -nE 's/^op([12])([0-9]+) ([0-9.]+) %.*$/\3/p' texts >named
	[ "$(wc -l <named)" -gt 3 ]
	rest=$(grep '^No room for names: of the first op1' texts)
	[[ $rest == *"; of the second op2"* ]] || { echo "$rest"; return 1; }
	# None below is larger than what was named first.
	most=$(grep -oE 'op[0-9]+ [0-9.]+' <<<"$rest" | cut -d ' ' -f 2 |
	    sort -rn | head -n 1)
	awk -v most="$most" 'NR == 1 && $1 < most { exit 1 }' <(sort -rn named)
	# What rounds to nothing has no name, and is counted.
	trace "$device" "$(costed 0 aten.mm matmul 1000000 1000 4e-6)" \
	    "$(costed 1 aten.mul elementwise 10 1000 1e-9)" \
	    "$(costed 2 aten.add elementwise 10 1000 1e-9)" |
	    sf-plot -k roofline -o a.svg
	svg texts a.svg >texts
	grep -qx '2 points of less than 0.05 % without a name' texts
	refute grep -qE '^(mul|add) ' texts
}

@test "times of a picture share a unit" {
	sf-model gpt2 --tokens 512 | sf-rules | sf-cost -d l4 >prefill
	sf-model gpt2 --decode 512 | sf-rules | sf-cost -d l4 >decode
	sf-plot -k roofline -o a.svg prefill decode
	equal "$(svg texts a.svg | grep -cE '^batch 1, .* [0-9,]+[.][0-9]{2} us$')" 2
	sf-model gpt2 --tokens 64 | sf-rules | sf-lower -p dc-npu | sf-sim -t |
	    sf-plot -o a.svg
	svg texts a.svg | grep -qE '^434 tiles in [0-9,]+[.][0-9]{2} us; '
}

@test "a roofline is the same each time, in all formats" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules | sf-cost --device h100 >in
	for suffix in png svg pdf; do
		sf-plot -k roofline -o "a.$suffix" in
		sf-plot -k roofline -o "b.$suffix" in
		cmp "a.$suffix" "b.$suffix"
	done
}

@test "an offload has two roofs, and both kinds of cost have pictures" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >counted
	sf-cost --offload optical --link pcie5 --supports matmul counted >in
	sf-plot -k roofline -o two.png in
	sf-cost --device optical counted >in
	sf-plot -k roofline -o one.png in
	# Solid lines of the device, dashed ones of the host besides.
	[ "$(png two.png count 33475b)" -gt 0 ]
	refute cmp -s one.png two.png
}

@test "two hundred types with names that are long have a picture" {
	{
		echo '{"kind":"trace","format":"simfront-trace/1","model":"m","route":"r"}'
		echo "$device"
		for ((i = 0; i < 200; i++)); do
			costed $i "aten.a_rather_long_name_of_an_operator_$i" \
			    norm $((i * i + 1)) 1000 1e-7
		done
		echo '{"kind":"end","ops":200}'
	} >in
	sf-plot -k roofline -o a.png in
	[ "$(disk 009e73)" -gt 200 ]
	equal "$(png a.png down 1199 ffffff)" 0-639
}

@test "the designs of a sweep, and the front as a stair" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules |
	    sf-sweep -p edge-npu -g dram_bw=10GB/s:60GB/s:+10GB/s \
		-g array_rows=8:64:x2 >sweep
	for columns in makespan_s,dram_bw -pe_efficiency,array_rows \
	    'makespan_s,array_rows*array_cols,dram_bw'; do
		sf-plot -k front --columns=$columns -o a.svg sweep
		sf-plot -k front --columns=$columns -o b.svg sweep
		cmp a.svg b.svg
		# A circle of two arcs for each design and each of the front.
		n=$(sf-front --front="$(cut -d, -f 1,2 <<<"$columns")" sweep |
		    grep -c '"kind":"point"')
		equal "$(grep -oE 'a(4 4|6 6) 0 0 1' a.svg | wc -l)" \
		    $((2 * (24 + n)))
	done
	# Numbers have units, and no text is on another.
	svg texts a.svg | grep -xF '60 GB/s'
	svg texts a.svg | grep -xE '[0-9]+ us'
	equal "$(svg meetings a.svg)" ""
	equal "$(svg titles a.svg)" "tiny-cnn (onnx), batch 1, on designs from edge-npu"
	# What the sweep names is drawn without being told.
	sf-front --front makespan_s,dram_bw sweep >front
	sf-plot -k front -o c.svg front
	sf-plot -k front -c makespan_s,dram_bw -o d.svg front
	cmp c.svg d.svg
	run -3 --separate-stderr sf-plot -k front -o e.svg sweep
	[[ $stderr == *"expected '--columns X,Y'"* ]]
	run -2 sf-plot -k front -c makespan_s -o e.svg sweep
	run -3 sf-plot -k front -c makespan_s,nosuch -o e.svg sweep
	run -2 sf-plot -c makespan_s,dram_bw -o e.svg sweep
	[ ! -e e.svg ]
}

@test "a front says how many designs are on it and how many were refused" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules |
	    sf-sweep -p edge-npu -g buffer_bytes=1KiB,64KiB,1MiB -g cores=1,2 \
	        -g tile_fraction=0.0001,0.5 >sweep
	refused=$(grep -c '"refused":' sweep)
	[ "$refused" -gt 1 ]
	sf-plot -k front -c makespan_s,buffer_bytes,cores -o a.svg sweep
	n=$(sf-front -F makespan_s,buffer_bytes sweep | grep -c '"kind":"point"')
	svg texts a.svg | grep -xF "$((12 - refused)) designs, $n on the line, which is the front of the two axes; $refused more were refused and are not shown"
	# Bytes in powers of two, and no half of a core.
	sf-plot -k front -c cores,buffer_bytes -o a.svg sweep
	[ "$(svg texts a.svg | grep -cxE '(1|2|4|8|16|32|64|128|256|512) KiB|1 MiB')" -gt 2 ]
	svg texts a.svg >texts
	refute grep -qE '[0-9]+ [kM]B$' texts
	equal "$(echo $(svg texts a.svg | grep -xE '[0-9.]+'))" "1 2"
	# A column that is a sum has no unit that anybody knows.
	sf-plot -k front -c 'makespan_s*buffer_bytes,cores' -o a.svg sweep
	svg texts a.svg >texts
	refute grep -qE '[0-9] ?[kMGmun]?(B|s)$' texts
}
