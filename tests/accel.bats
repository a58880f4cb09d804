# The accelerator with all of its keys: dataflows, convolutions, reuse, blocks
# by search, the accumulator and the memory, by hand and against an oracle.

load helpers
load accel

# A block on which a byte takes a nanosecond and an array cycle, too.
small=(--preset edge-npu --set clock_hz=1GHz --set array_rows=8
	--set array_cols=8 --set buffer_bytes=4000B --set tile_fraction=1
	--set dram_bw=1GB/s --set dram_channels=1 --set noc_bw=100GB/s
	--set dram_latency=10ns --set noc_latency=0s)

# gemm M K N IN OUT GEMMS [EXTRA] - a lowered product of one operator, as its
# nest is written; IN and OUT are the bytes of elements.
gemm() {
	printf '{"kind":"op","i":0,"name":"aten.mm","inputs":[],"outputs":[],"category":"matmul","flops":%d,"bytes_read":0,"bytes_written":0,"weight_bytes":0,"lower":{"unit":"array","deps":[],"tiles":%d,"e_in":%d,"e_out":%d,"gemms":[%s]}}' \
	    $((2 * $1 * $2 * $3)) "$7" "$4" "$5" "$6"
}

# nest BATCH M K N BM BK BN TILES [MORE] - one of its GEMMS, of one batch each.
nest() {
	printf '{"batch":%d,"m":%d,"k":%d,"n":%d,"bb":1,"bm":%d,"bk":%d,"bn":%d,"tiles":%d%s}' \
	    "$1" "$2" "$3" "$4" "$5" "$6" "$7" "$8" "${9:+,$9}"
}

# lowered OPTION... - the operator of standard input behind the accel record
# that sf-lower writes for the options.
lowered() {
	local accel op
	op=$(cat)
	accel=$(trace | sf-lower "$@" | grep '"kind":"accel"')
	trace "$accel" "$op"
}

# mm M K N [DTYPE SIZE] - a trace of one product of two inputs.
mm() {
	local type='"dtype":"'"${4:-f32}"'","itemsize":'"${5:-4}"
	trace "$(printf '{"kind":"op","i":0,"name":"aten.mm","inputs":[{"tid":"a","shape":[%d,%d],%s},{"tid":"b","shape":[%d,%d],%s,"param":true}],"outputs":[{"tid":"c","shape":[%d,%d],%s}]}' \
	    "$1" "$2" "$type" "$2" "$3" "$type" "$1" "$3" "$type")" | sf-rules
}

# conv N C H W K R S STRIDE PAD GROUPS [DILATION] - a trace of one convolution
# of bytes.
conv() {
	local d=${11:-1} type='"dtype":"i8","itemsize":1'
	trace "$(printf '{"kind":"op","i":0,"name":"aten.convolution","inputs":[{"tid":"x","shape":[%d,%d,%d,%d],%s},{"tid":"w","shape":[%d,%d,%d,%d],%s,"param":true}],"outputs":[{"tid":"y","shape":[%d,%d,%d,%d],%s}],"attrs":{"stride":[%d,%d],"padding":[%d,%d],"dilation":[%d,%d],"transposed":false,"groups":%d}}' \
	    "$1" "$2" "$3" "$4" "$type" "$5" $(($2 / ${10})) "$6" "$7" \
	    "$type" "$1" "$5" \
	    $((($3 + 2 * $9 - $d * ($6 - 1) - 1) / $8 + 1)) \
	    $((($4 + 2 * $9 - $d * ($7 - 1) - 1) / $8 + 1)) "$type" \
	    "$8" "$8" "$9" "$9" "$d" "$d" "${10}")" | sf-rules
}

vectors() {
	run -0 python3 "$ROOT/tests/oracle/vectors.py" \
	    "$SF_UNIT/accel-vectors" "$@"
	equal "$output" "$want"
}

# ---- against the oracle ----

# bats test_tags=SF-31
@test "nests that an oracle made have its blocks, bytes, cycles and times" {
	want="120 nests" vectors "$DATA/nests.jsonl"
}

@test "nests that others made have their blocks, bytes, cycles and times" {
	need_shared
	want="300 nests" vectors "$SF_SHARED/data/accel/nests.jsonl"
}

# bats test_tags=SF-54
@test "4,000 random nests are equal to all of their tiles" {
	want="4000 nests" vectors random 4000 "${SF_SEED:-1}"
}

@test "an oracle that counts one byte more is noticed" {
	jq -c '.read += 1' "$DATA/nests.jsonl" | head -1 >wrong
	run -1 python3 "$ROOT/tests/oracle/vectors.py" \
	    "$SF_UNIT/accel-vectors" wrong
	[[ $output == *"case 0: read is "* ]]
}

# ---- cycles of a tile ----

@test "a tile takes the cycles of its dataflow, its fill and its arrays" {
	mm 100 33 70 >in
	while read -r flow fill one two four; do
		for pair in "1 $one" "2 $two" "4 $four"; do
			equal "$flow $fill ${pair% *} $(sf-lower -p edge-npu -q \
			    -s array_rows=16 -s array_cols=16 \
			    -s dataflow="$flow" -s array_fill="$fill" \
			    -s arrays="${pair% *}" in | sf-sim -t |
			    jq 'select(.kind=="tile")|.t[5] - .t[4]')" \
			    "$flow $fill $pair"
		done
	done <<-'END'
		os tile 1187 626 329
		os fold 2205 1134 567
		os load 1187 626 329
		os preload 1187 626 329
		ws tile 1532 782 407
		ws fold 2190 1314 876
		ws load 1772 1022 647
		ws preload 1532 782 407
		is tile 1502 767 410
		is fold 2436 1392 696
		is load 1838 1064 548
		is preload 1502 767 410
	END
}

@test "a kernel's positions fill the rows together or one at a time" {
	# 45 rows, 20 columns, 24 channels, 3 x 3: ceil(216 / 16) or 9 ceil(24 / 16)
	# fills of two columns of fills, 45 + 16 cycles each, and 32.
	conv 1 24 11 7 20 3 3 1 0 1 >in
	for pair in "implicit 1740" "taps 2228"; do
		equal "${pair% *} $(sf-lower -p edge-npu -q -s array_rows=16 \
		    -s array_cols=16 -s dataflow=ws -s array_fill=load \
		    -s conv="${pair% *}" in | sf-sim -t |
		    jq 'select(.kind=="tile")|.t[5] - .t[4]')" "$pair"
	done
}

# ---- convolutions ----

@test "a convolution reads rows with their halo, block by block" {
	# 2 images of 8 x 8, blocks of 3 rows: 24 24 16, in each image. A block of
	# 3 rows reads 5 x 10 positions, one of 2 rows 4 x 10: twice 140 x 24
	# channels for each of two blocks of columns; weights 9 x 24 x 20 for
	# each of six of rows.
	gemm 128 216 20 1 1 "$(nest 1 128 24 20 24 16 16 24 \
	    '"conv":{"images":2,"depth":1,"out":[8,8],"kernel":[3,3],"stride":[1,1],"dilation":[1,1]}')" \
	    24 | lowered -p edge-npu -q -s array_rows=16 -s array_cols=16 \
	    -s dataflow=ws -s array_fill=load -s conv=implicit >in
	sf-sim -t in >out
	equal "$(figure '[.tiles, .bytes.read, .bytes.written, .macs]' <out)" \
	    "[24,$((2 * 140 * 24 * 2 + 6 * 9 * 24 * 20)),2560,552960]"
	equal "$(figure .bytes.read <out)" 39360
	equal "$(jq -s 'map(select(.kind=="tile")|.t[5] - .t[4])|add' out)" 7040
}

@test "a depthwise convolution moves its input, weights and output, once" {
	# 14 x 14 in 16 channels, 3 x 3, padding 1: all 16 x 16 positions are read,
	# those of the padding, too.
	conv 1 16 14 14 16 3 3 1 1 16 >in
	equal "$(sf-lower -p edge-npu -s conv=implicit in | sf-sim |
	    figure '[.tiles, .bytes.read, .bytes.written, .macs]')" \
	    "[1,$((16 * 16 * 16 + 16 * 9)),$((16 * 14 * 14)),$((16 * 196 * 9))]"
	# A matrix of patches has each position nine times.
	equal "$(sf-lower -p edge-npu in | sf-sim | figure .bytes.read)" \
	    $((16 * 196 * 9 + 16 * 9))
	# Without padding nothing is read that is not there.
	conv 1 16 14 14 16 3 3 1 0 16 >in
	equal "$(sf-lower -p edge-npu -s conv=taps in | sf-sim |
	    figure .bytes.read)" $((16 * 14 * 14 + 16 * 9))
}

@test "strides, dilation and groups are those of the window" {
	gemm=$(conv 2 8 21 17 6 3 3 2 0 2 2 |
	    sf-lower -p edge-npu -s conv=implicit |
	    jq -c 'select(.kind=="op").lower.gemms[0]|[.batch,.m,.k,.n,.conv]')
	equal "$gemm" '[2,126,4,3,{"images":2,"depth":1,"out":[9,7],"kernel":[3,3],"stride":[2,2],"dilation":[2,2]}]'
	# (9 - 1) 2 + 4 + 1 rows, (7 - 1) 2 + 4 + 1 columns, in 2 images, 8 channels.
	equal "$(conv 2 8 21 17 6 3 3 2 0 2 2 |
	    sf-lower -p edge-npu -s conv=implicit | sf-sim |
	    figure .bytes.read)" $((2 * 21 * 17 * 8 + 6 * 4 * 9))
}

# ---- reuse ----

# traffic REUSE ORDER BK TILES - bytes read and written of 100 x 33 x 70 in
# blocks of 40 x 32, in two bytes.
traffic() {
	gemm 100 33 70 2 2 "$(nest 1 100 33 70 40 "$3" 32 "$4" \
	    '"order":"'"$2"'"')" "$4" | lowered -p edge-npu -s reuse="$1" |
	    sf-sim | figure '[.tiles, .bytes.read, .bytes.written]'
}

@test "with reuse a block is loaded when its index changes" {
	equal "$(traffic off mnk 16 27)" '[27,33660,14000]'
	equal "$(traffic on mnk 16 27)" '[27,33660,14000]'
	equal "$(traffic on nmk 16 27)" '[27,33660,14000]'
	equal "$(traffic off mnk 33 9)" '[9,33660,14000]'
	# Three blocks of A, nine loads of B; then the other way around.
	equal "$(traffic on mnk 33 9)" \
	    "[9,$((2 * 33 * (100 + 3 * 70))),14000]"
	equal "$(traffic on nmk 33 9)" \
	    "[9,$((2 * 33 * (3 * 100 + 70))),14000]"
	equal "$(traffic on mnk 33 9)" '[9,20460,14000]'
	equal "$(traffic on nmk 33 9)" '[9,24420,14000]'
}

# ---- the search ----

# tpu M K N - what is chosen for one core of a part with two 128 x 128 arrays.
tpu() {
	mm "$1" "$2" "$3" | sf-lower -p edge-npu -s clock_hz=940MHz \
	    -s array_rows=128 -s array_cols=128 -s arrays=2 -s dataflow=ws \
	    -s array_fill=load -s conv=taps -s vector_lanes=1024 \
	    -s buffer_bytes=16MiB -s tile_fraction=0.5 -s reuse=on \
	    -s blocks=time -s dram_bw=450GB/s -s dram_channels=1 \
	    -s dram_latency=100ns -s noc_bw=1000GB/s -s noc_latency=20ns \
	    -s latency=pipelined | sf-sim -t >out
	jq -r 'select(.kind=="op").lower.gemms[0]|
	    "\(.bm) \(.bn) \(.bk) \(.order // "mnk")"' out
	figure '.bytes.read + .bytes.written, .tiles, .makespan_s' <out
}

@test "blocks by time are the best of all that fill the array" {
	equal "$(tpu 512 512 512 | paste -sd ' ')" \
	    "512 512 128 mnk 3145728 4 1.0271423546099291e-05"
	equal "$(tpu 1000 3000 700 | paste -sd ' ')" \
	    "1000 700 256 mnk 23200000 12 9.999875177304966e-05"
	equal "$(tpu 3000 100 5000 | paste -sd ' ')" \
	    "3000 128 100 mnk 63200000 40 0.00014177847754137118"
	equal "$(tpu 1 4096 4096 | paste -sd ' ')" \
	    "1 512 128 mnk 67256320 256 0.0001502452973995274"
}

@test "a slice of the vector unit is cut for time, too" {
	# 64,000 bytes in and out and 64,000 operations on one lane at a byte a
	# nanosecond: cut in two, four and so on, the first load and the last
	# store get shorter as long as their latency does not count more.
	local op='{"kind":"op","i":0,"name":"aten.relu","inputs":[{"tid":"x","shape":[1],"dtype":"f32","itemsize":4}],"outputs":[{"tid":"y","shape":[1],"dtype":"f32","itemsize":4}],"category":"elementwise","flops":64000,"bytes_read":64000,"bytes_written":64000,"weight_bytes":0}'
	local block=(-p edge-npu -s vector_lanes=1 -s dram_bw=2GB/s
		-s dram_channels=2 -s noc_bw=1GB/s -s dram_latency=1us
		-s noc_latency=0s)
	slices() { trace "$op" | sf-lower "${block[@]}" "$@" |
	    jq 'select(.kind=="op").lower.slices'; }
	equal "$(slices)" 1
	# Held: 64 us of moving and 2 n of waiting, 128/n and 2 of the ends: n = 8.
	equal "$(slices -s blocks=time)" 8
	# Pipelined nothing is waited for, and slices of a few bytes are best, of
	# which the lanes round nothing up: 64,000 = 2^9 x 125.
	equal "$(slices -s blocks=time -s latency=pipelined)" 512
	equal "$(slices -s blocks=bytes)" 1
}

@test "what no search fits is halved" {
	mm 64 64 64 >in
	equal "$(sf-lower -p edge-npu -s buffer_bytes=64B -s tile_fraction=1 \
	    -s blocks=time in | jq -c 'select(.kind=="op").lower.gemms[0]|[.bm,.bk,.bn]')" \
	    "$(sf-lower -p edge-npu -s buffer_bytes=64B -s tile_fraction=1 in |
	    jq -c 'select(.kind=="op").lower.gemms[0]|[.bm,.bk,.bn]')"
}

# ---- memory ----

# bats test_tags=SF-32
@test "who is served first, and what waits for data, by hand" {
	gemm 40 32 32 1 1 "$(nest 1 40 32 32 20 32 16 4 '"order":"nmk"')" 4 >op
	while IFS='|' read -r what load comp store; do
		lowered "${small[@]}" -s dataflow=ws -s array_fill=load \
		    -s acc_itemsize=4B -s reuse=on $what <op >in
		for engine in event fast; do
			sf-sim -t -e $engine in | jq -c 'select(.kind=="tile").t|
			    map(. * 1e9 | round)' >times
			equal "$what$engine: $(jq -sc 'map(.[3])' times)" \
			    "$what$engine: [$load]"
			equal "$(jq -sc 'map(.[5])' times)" "[$comp]"
			equal "$(jq -sc 'map(.[7])' times)" "[$store]"
		done
	done <<-'END'
		|1162,2052,3544,4524|1402,2292,3784,4764|2382,3874,4854,5184
		-s latency=pipelined |1162,2052,3844,4734|1402,2292,4084,4974|2372,2692,5054,5374
		-s dram_channels=2 -s dram_bw=2GB/s |1162,2052,3454,4344|1402,2292,3694,4584|1732,2622,4024,4914
		-s dram_channels=2 -s dram_bw=2GB/s -s latency=pipelined |1162,2052,3454,4344|1402,2292,3694,4584|1732,2622,4024,4914
		-s dram_channels=8 -s dram_interleave=on |1162,2052,3544,4524|1402,2292,3784,4764|2382,3874,4854,5184
	END
}

@test "a load waits for room in the accumulator, too" {
	# Results of 20 x 16 x 4 = 1,280 bytes in 2,000 of accumulator: one at a
	# time, so each load waits until the store before has ended.
	gemm 40 32 32 1 1 "$(nest 1 40 32 32 20 32 16 4)" 4 |
	    lowered "${small[@]}" -s acc_bytes=2000B -s acc_itemsize=4B \
	    -s dram_channels=2 -s dram_bw=2GB/s >in
	for engine in event fast; do
		sf-sim -t -e $engine in >out
		jq -sc '[.[]|select(.kind=="tile").t] as $t|
		    [range(1; 4)|$t[.][2] == $t[. - 1][7]]' out >waits
		equal "$(cat waits)" '[true,true,true]'
		equal "$(figure '.buffer.acc_peak' <out)" 0.64
		equal "$(figure '.buffer.peak * 4000' <out)" 1152
	done
	# A result that does not fit it is cut until it does.
	mm 64 8 64 i8 1 >in
	equal "$(sf-lower -p edge-npu -s acc_bytes=1KiB -s acc_itemsize=4B in |
	    jq -c 'select(.kind=="op").lower.gemms[0]|[.bm,.bk,.bn]')" '[8,8,16]'
}

@test "an operator's first load waits for its overhead" {
	mm 8 8 8 >in
	equal "$(sf-lower -p edge-npu -s op_overhead=3us in | sf-sim -t |
	    jq -c 'select(.kind=="tile").t[:3]')" '[0,3e-06,3e-06]'
}

# bats test_tags=SF-32
@test "eight channels reach the bandwidth that they are said to have" {
	sf-model --decode 512 llama3-8b >model
	sf-rules model >in
	used() { # FIGURE OPTION...
		sf-lower -p dc-npu -s dataflow=ws "${@:2}" in | sf-sim |
		    figure ".bandwidth_used.$1"
	}
	# Two DMAs, one channel of eight each: a quarter of it at most.
	jq -en "$(used dram -s noc_bw=2TB/s) < 0.25" >/dev/null
	jq -en "$(used dram -s noc_bw=2TB/s -s dram_interleave=on) > 0.94" \
	    >/dev/null
	jq -en "$(used dram -s noc_bw=2TB/s -s dram_interleave=on \
	    -s latency=pipelined) > 0.96" >/dev/null
	# Of the network that it has as it is.
	jq -en "$(used noc_read -s dram_interleave=on \
	    -s latency=pipelined) > 0.93" >/dev/null
	equal "$(sf-lower -p dc-npu -s dram_interleave=on in |
	    jq 'select(.kind=="accel").dram_channels')" 8
}

# ---- fusing ----

# chain NAME=TIDS... - operators of 64 elements; NAME reads and makes what
# TIDS says, "a,b>c".
chain() {
	local i=0 ops=() name tids in out list t
	for arg; do
		name=${arg%%=*} tids=${arg#*=}
		in=${tids%>*} out=${tids#*>} list=
		for t in ${in//,/ }; do
			list+=${list:+,}'{"tid":"'${t%!}'","shape":[64],"dtype":"f32","itemsize":4'
			[[ $t == *! ]] && list+=',"param":true'
			list+='}'
		done
		ops+=("{\"kind\":\"op\",\"i\":$i,\"name\":\"aten.$name\",\"inputs\":[$list],\"outputs\":[{\"tid\":\"$out\",\"shape\":[64],\"dtype\":\"f32\",\"itemsize\":4}]}")
		i=$((i + 1))
	done
	trace "${ops[@]}" | sf-rules
}

# fused ARGUMENT... - the chain, with unit and dependencies of each operator.
fused() {
	chain "$@" | sf-lower -p edge-npu -s fuse=unary |
	    jq -c 'select(.kind=="op").lower|[.unit,.deps]' | paste -sd ' '
}

@test "an elementwise operator of one input that it alone reads has no tiles" {
	# What reads it waits for what made its input.
	equal "$(fused 'cumsum=x>a' 'relu=a>b' 'mul=b,w!>c' 'cumsum=c>d')" \
	    '["vector",[]] ["none",[]] ["none",[]] ["vector",[0]]'
	# Two readers, of the value or of a view of it.
	equal "$(fused 'cumsum=x>a' 'relu=a>b' 'cumsum=a>c')" \
	    '["vector",[]] ["vector",[0]] ["vector",[0]]'
	equal "$(fused 'cumsum=x>a' 'view=a>v' 'relu=a>b' 'cumsum=v>c')" \
	    '["vector",[]] ["none",[]] ["vector",[0]] ["vector",[0]]'
	equal "$(fused 'cumsum=x>a' 'view=a>v' 'relu=v>b' 'cumsum=b>c')" \
	    '["vector",[]] ["none",[]] ["none",[]] ["vector",[0]]'
	# Two inputs, none that an operator made, none that is elementwise.
	equal "$(fused 'cumsum=x>a' 'cumsum=x>b' 'add=a,b>c')" \
	    '["vector",[]] ["vector",[]] ["vector",[0,1]]'
	equal "$(fused 'relu=x>a' 'relu=a>b')" '["vector",[]] ["none",[]]'
	# What the caller keeps is read by the caller.
	chain 'cumsum=x>a' 'relu=a>b' |
	    sed 's/"tid":"a","shape":\[64\],"dtype":"f32","itemsize":4}\]/"tid":"a","shape":[64],"dtype":"f32","itemsize":4,"kept":true}]/' >in
	grep -q kept in
	equal "$(sf-lower -p edge-npu -s fuse=unary in |
	    jq -c 'select(.kind=="op").lower.unit' | paste -sd ' ')" \
	    '"vector" "vector"'
	equal "$(sf-lower -p edge-npu -s fuse=off in | sf-sim |
	    figure .ops)" 2
}

# bats test_tags=SF-54
@test "a fused trace is a lawful one, and shorter than it was" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >in
	sf-lower -p edge-npu -s fuse=unary in | sf-sim >out
	equal "$(figure .ops <out)" 11
	jq -en "$(figure .makespan_s <out) < $(sf-lower -p edge-npu in |
	    sf-sim | figure .makespan_s)" >/dev/null
	run -0 sf-check < <(sf-lower -p edge-npu -q -s fuse=unary in)
	# Where nobody sees who reads a value it is refused.
	run -2 --separate-stderr sf-ep -c Conv -s fuse=unary in
	one_line_error
	[[ $stderr == *"fuse is 'unary', expected 'off'"* ]]
}

# ---- what is refused ----

@test "a nest whose order or convolution is not one is refused" {
	while IFS='|' read -r more text; do
		gemm 64 2 2 1 1 "$(nest 1 64 2 2 64 2 2 1 "$more")" 1 |
		    lowered -p edge-npu -s conv=implicit >bad
		run -3 --separate-stderr sf-sim bad
		one_line_error
		[[ $stderr == *"bad:3: op 0 'aten.mm': lower: gemms[0]: $text"* ]] || {
			echo "$stderr"
			return 1
		}
	done <<-'END'
		"order":"kmn"|'order' is "kmn", expected one of: mnk, nmk
		"conv":[]|'conv' is [], expected an object
		"conv":{"images":1}|'depth' is missing
		"conv":{"images":1,"depth":1,"out":[8,8],"kernel":[3,3],"stride":[1],"dilation":[1,1]}|'stride' is [1], expected an array of 2
		"conv":{"images":3,"depth":1,"out":[8,8],"kernel":[3,3],"stride":[1,1],"dilation":[1,1]}|its sizes, blocks and tiles do not fit together
		"conv":{"images":1,"depth":1,"out":[8,8],"kernel":[4294967296,4294967296],"stride":[1,1],"dilation":[1,1]}|its sizes, blocks and tiles do not fit together
	END
	# 20 rows of 64 are no whole rows of 8.
	gemm 64 2 2 1 1 "$(nest 1 64 2 2 20 2 2 4 '"conv":{"images":1,"depth":1,"out":[8,8],"kernel":[3,3],"stride":[1,1],"dilation":[1,1]}')" 4 |
	    lowered -p edge-npu -s conv=implicit >bad
	run -3 --separate-stderr sf-sim bad
	[[ $stderr == *"do not fit together" ]]
}

@test "keys that leave no tile anything are refused" {
	run -2 --separate-stderr sf-lower -p edge-npu -s acc_bytes=1B </dev/null
	one_line_error
	[[ $stderr == *"leaves no byte of an accumulator of 1 bytes to a tile" ]]
	mm 4 4 4 >in
	run -3 --separate-stderr sf-lower -p edge-npu -s acc_bytes=6B in
	one_line_error
	[[ $stderr == *"a block of 1x1x1 takes 4 bytes of result, a tile may take 3 (acc_bytes x tile_fraction)" ]]
}

# ---- all keys ----

@test "each key makes a difference" {
	sf-onnx "$DATA/tiny-cnn.onnx" --batch 4 2>/dev/null | sf-rules >in ||
	    sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >in
	base=(-p edge-npu -s buffer_bytes=48KiB -s dataflow=ws -s array_fill=load)
	sf-lower "${base[@]}" in | sf-sim | figure '[.makespan_s,.bytes]' >want
	while read -r setting; do
		echo "$setting"
		sf-lower "${base[@]}" -s "$setting" in | sf-sim |
		    figure '[.makespan_s,.bytes]' >got
		refute cmp -s want got
	done <<-'END'
		arrays=2
		dataflow=is
		array_fill=fold
		conv=implicit
		conv=taps
		reuse=on
		blocks=time
		blocks=bytes
		acc_bytes=4KiB
		acc_itemsize=8B
		latency=pipelined
		dram_interleave=on
		op_overhead=1us
		cores=3
		fuse=unary
	END
	# And none but these is new without a row above.
	equal "$(sf-lower --keys | sed -n '/^quantise/,$p' | cut -f 1 |
	    grep -cE '^(arrays|dataflow|array_fill|conv|reuse|blocks|acc_bytes|acc_itemsize|latency|dram_interleave|op_overhead|fuse|cores)$')" 13
}

# bats test_tags=SF-54
@test "a measured accelerator's development half comes out to the last bit" {
	need_shared
	run -0 python3 "$ROOT/tests/oracle/gemmini.py" \
	    "$SF_SHARED/data/accel/gemmini16.json" \
	    "$SF_SHARED/data/accel/gemmini16_expected.tsv"
	equal "$output" "40 of 40 problems, mean absolute error 10.7 %"
}
