# sf-sim: times by hand, published figures, an oracle, and what is refused.

load helpers
load accel

# A block on which a byte and an operation take a second each.
plain=(--preset edge-npu --set clock_hz=1Hz --set vector_lanes=1
	--set array_rows=1 --set array_cols=1 --set dram_bw=2B/s
	--set dram_channels=2 --set noc_bw=1B/s --set dram_latency=0
	--set noc_latency=0 --set buffer_bytes=100B --set tile_fraction=1)

# times [OPTION...] - the tiles of standard input on the plain block.
times() {
	sf-lower "${plain[@]}" "$@" | sf-sim --tiles |
	    jq -c 'select(.kind=="tile").t'
}

# cnn BATCH - the counted export route of the small CNN.
cnn() {
	python3 "$ROOT/tests/golden/cnn-export.py" "$1" | sf-rules
}

# A percentage, and a number of the given decimals, as jq functions.
fixed='def fixed(n): . * pow(10;n) | round / pow(10;n);
	def percent: 100 * . | fixed(1);'

# ---- times ----

@test "an operator loads, computes and stores" {
	trace "$(relu 0 x y 10 4 3)" >in
	equal "$(times <in)" "[0,0,0,10,10,13,13,17]"
}

@test "the next load starts while the tile before is computed and stored" {
	trace "$(relu 0 x y 10 4 30)" "$(relu 1 x z 5 6 2)" >in
	equal "$(times <in)" "[0,0,0,10,10,40,40,44]
[10,10,10,15,40,42,44,50]"
}

# bats test_tags=SF-30
@test "the first load of an operator waits for what it reads to be stored" {
	trace "$(relu 0 x y 10 4 3)" "$(relu 1 y z 5 0 1)" >in
	equal "$(times <in)" "[0,0,0,10,10,13,13,17]
[10,17,17,22,22,23,23,23]"
}

# bats test_tags=SF-29
@test "a load waits while the buffer is too full" {
	# 70 bytes are held until 60, 10 of them until 70; 40 fit at 60.
	trace "$(relu 0 x y 60 10 0)" "$(relu 1 x z 30 10 0)" >in
	equal "$(times <in)" "[0,0,0,60,60,61,61,71]
[60,60,61,91,91,92,92,102]"
	# 50 + 45 bytes fit only when the result is stored, too.
	trace "$(relu 0 x y 40 10 0)" "$(relu 1 x z 90 5 0)" >in
	equal "$(times <in)" "[0,0,0,40,40,41,41,51]
[40,40,51,141,141,142,142,147]"
}

@test "slices that store nothing free all at the end of their compute" {
	# Slices of 98, 98 and 99 bytes in; one byte out, of the last.
	trace "$(relu 0 x y 295 1 3)" >in
	equal "$(times <in)" "[0,0,0,98,98,99,99,99]
[98,98,99,197,197,198,198,198]
[197,197,198,297,297,298,298,299]"
}

@test "the last tile of an operator is stored even when it is empty" {
	trace "$(relu 0 x y 10 30 0)" "$(relu 1 x z 0 0 0)" \
	    "$(relu 2 z u 1 0 0)" >in
	equal "$(times <in)" "[0,0,0,10,10,11,11,41]
[10,10,10,10,11,12,41,41]
[10,41,41,42,42,43,43,43]"
}

@test "a GEMM accumulates over k and stores with the last slice of it" {
	a='{"tid":"a","shape":[2,6],"dtype":"u8","itemsize":1}'
	b='{"tid":"b","shape":[6,2],"dtype":"u8","itemsize":1}'
	y='{"tid":"y","shape":[2,2],"dtype":"u8","itemsize":1}'
	trace '{"kind":"op","i":0,"name":"aten.mm","inputs":['"$a,$b"'],"outputs":['"$y"'],"category":"matmul","flops":48,"bytes_read":24,"bytes_written":4,"weight_bytes":0}' >in
	# k is halved: 2x3 and 3x2 are 12 bytes in, 2x2 are 4 bytes held;
	# 2 x 2 x 3 + 1 + 1 cycles.
	equal "$(times --set buffer_bytes=16B <in)" "[0,0,0,12,12,26,26,26]
[12,12,26,38,38,52,52,56]"
	# With room for two of them the second loads at once.
	equal "$(times --set buffer_bytes=32B --set tile_fraction=0.5 <in)" \
	    "[0,0,0,12,12,26,26,26]
[12,12,12,24,26,40,40,44]"
}

# bats test_tags=SF-35
@test "in transit the load takes as long as the operations, if that is more" {
	trace "$(relu 0 x y 10 4 30)" >in
	equal "$(times --set transit_categories=elementwise \
	    --set transit_ops_per_byte=2 <in)" "[0,0,0,15,15,15,15,19]"
	equal "$(times --set transit_categories=elementwise \
	    --set transit_ops_per_byte=5 <in)" "[0,0,0,10,10,10,10,14]"
}

@test "a transfer pays both latencies and the narrower of channel and NoC" {
	trace "$(relu 0 x y 10 0 0)" >in
	equal "$(times --set dram_latency=0.5s --set noc_latency=0.25s <in)" \
	    "[0,0,0,10.75,10.75,11.75,11.75,11.75]"
	equal "$(times --set noc_bw=1.0B/s --set dram_bw=80B/s <in)" \
	    "[0,0,0,10,10,11,11,11]"
	equal "$(times --set noc_bw=80B/s --set dram_bw=8B/s --set dram_channels=4 \
	    <in)" "[0,0,0,5,5,6,6,6]"
}

@test "quantised, tiles are in whole cycles and operators in seconds" {
	trace "$(relu 0 x y 10 4 3)" >in
	run -0 bash -c "sf-lower ${plain[*]} --set clock_hz=4Hz --set dram_bw=6B/s \
	    --set noc_bw=30B/s --quantise in | sf-sim --tiles"
	# 10/3 s are 13.3 cycles, 3 operations 3, 4/3 s 5.3.
	equal "$(jq -c 'select(.kind=="tile").t' <<<"$output")" \
	    "[0,0,0,14,14,17,17,23]"
	equal "$(jq -c 'select(.kind=="op").sim' <<<"$output")" \
	    '{"start_s":0,"end_s":5.75,"bound":"memory","tiled_bytes":14,"stalls_s":{"compute":0.75,"load_bandwidth":3.5,"buffer_full":0,"dependency":0}}'
	equal "$(figure .makespan_s <<<"$output")" 5.75
}

# ---- operators' parts of the run ----

# parts_add_up FILE - the stalls of operators sum to the summary's, to the last
# bit, or of a quantised block cycle by cycle.
parts_add_up() {
	jq -e -n '[inputs] | (.[] | select(.kind == "accel")) as $a |
	    (.[] | select(.kind == "summary")) as $s |
	    (if $a.quantise then $a.clock_hz else 1 end) as $hz |
	    def unit: . * $hz | if $hz == 1 then . else round end;
	    map(select(.kind == "op" and .sim).sim) as $sims |
	    all(("compute", "load_bandwidth", "buffer_full", "dependency");
	        . as $k | reduce $sims[].stalls_s[$k] as $x (0; . + ($x | unit))
	        == ($s.stalls_s[$k] | unit)) and
	    ((([$sims[].stalls_s | add] | add) + $s.stalls_s.store_tail) /
	        $s.makespan_s - 1 | fabs) < 1e-9' "$1"
}

@test "stalls of operators sum to the run's on every engine" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >model
	for set in dram_channels=1 dram_channels=8 latency=pipelined reuse=on \
	    buffer_bytes=256KiB; do
		for quantise in '' --quantise; do
			# shellcheck disable=SC2086 # nothing, or an option
			sf-lower -p edge-npu --set $set $quantise model >lowered
			for engine in fast event ${quantise:+cycle}; do
				sf-sim --engine "$engine" lowered >told
				parts_add_up told
				jq -c 'select(.sim).sim' told >"$engine"
				cmp fast "$engine"
			done
		done
	done
}

@test "what an operator waited for is told by hand" {
	# Loads of 10, computes of 3 and stores of 4: the second reads what the
	# first stores at 17, and until then it waits for that.
	trace "$(relu 0 x y 10 4 3)" "$(relu 1 y z 10 4 3)" >in
	equal "$(sf-lower "${plain[@]}" in | sf-sim |
	    jq -c 'select(.sim).sim.stalls_s|[.[]]' | paste -sd ' ')" \
	    '[3,10,0,0] [3,10,0,4]'
}

# ---- the other engines ----

@test "one channel serves who asked first" {
	# Op 0's store asks at 13, while op 1 loads, and op 2's load at 15; then
	# op 1's store asks at 19.
	trace "$(relu 0 x y 10 4 3)" "$(relu 1 x z 5 6 2)" \
	    "$(relu 2 x u 7 0 1)" >in
	equal "$(sf-lower "${plain[@]}" --set dram_channels=1 --set dram_bw=1B/s in |
	    sf-sim --engine event --tiles | jq -c 'select(.kind=="tile").t')" \
	    "[0,0,0,10,10,13,15,19]
[10,10,10,15,15,17,26,32]
[15,15,15,26,26,27,32,32]"
}

@test "one channel serves the load when a store asks at the same instant" {
	# Both ask at 15.
	trace "$(relu 0 x y 10 4 5)" "$(relu 1 x z 5 0 1)" \
	    "$(relu 2 x u 7 0 1)" >in
	equal "$(sf-lower "${plain[@]}" --set dram_channels=1 --set dram_bw=1B/s in |
	    sf-sim --engine event --tiles | jq -c 'select(.kind=="tile").t')" \
	    "[0,0,0,10,10,15,22,26]
[10,10,10,15,15,16,26,26]
[15,15,15,22,22,23,26,26]"
}

# alike [OPTION...] - the trace `in`, lowered, gives the same from engines $engines
# but for their names and what they cost.
alike() {
	local engine
	sf-lower "$@" in >lowered
	for engine in $engines; do
		sf-sim --tiles --engine "$engine" lowered |
		    sed 's/"engine":"[a-z]*"//; s/"cost":{[^}]*}//; /"sf-sim"/d' \
		    >"$engine"
		cmp fast "$engine"
	done
	grep -q '"kind":"tile"' fast
}

# bats test_tags=SF-31,SF-33
@test "all engines write the same stream, tiles and all" {
	cnn 2 >in
	engines="fast event" alike -p edge-npu
	engines="fast event" alike -p edge-npu -s buffer_bytes=64KiB
	engines="fast event cycle" alike -p edge-npu -q -s buffer_bytes=64KiB
	sf-ntt --log-n 12 --limbs 3 | sf-rules >in
	engines="fast event cycle" alike -p dc-npu -q -s transit_ops_per_byte=1.6
}

# ---- metrics ----

@test "stalls say what the next load was waiting for, and sum to the makespan" {
	# Op 1 depends on op 0; op 2 does not fit beside op 1.
	trace "$(relu 0 x y 10 4 3)" "$(relu 1 y z 60 4 1)" \
	    "$(relu 2 x u 40 30 2)" >in
	equal "$(times <in)" "[0,0,0,10,10,13,13,17]
[10,17,17,77,77,78,78,82]
[77,77,78,118,118,120,120,150]"
	run -0 bash -c "sf-lower ${plain[*]} in | sf-sim"
	# Gaps: 0-10 load; 13-77 of it 13-17 dependency and the rest load;
	# 78-118 load, as room comes at 78; 120-150 tail.
	equal "$(figure .stalls_s <<<"$output")" \
	    '{"compute":6,"load_bandwidth":110,"buffer_full":0,"dependency":4,"store_tail":30}'
	# 10 + 60 + 40 s of loads, 4 + 4 + 30 s of stores.
	equal "$(figure "$fixed"'.busy|[.load_dma,.store_dma,.dram]|
	    map(.*150|fixed(9))' <<<"$output")" '[110,38,74]'
}

# bats test_tags=SF-29
@test "waiting for room is waiting for the buffer" {
	# Ten bytes a second. Op 0 loads until 1, computes until 41 and stores
	# until 46; 10 bytes are freed at 41 and 50 at 46.
	full() {
		trace "$(relu 0 x y 10 50 40)" "$(relu 1 x z "$1" 1 1)" |
		    sf-lower "${plain[@]}" --set dram_bw=20B/s --set noc_bw=10B/s |
		    sf-sim | figure "$fixed"'[.makespan_s,.hotspot,
		    (.stalls_s|.load_bandwidth,.buffer_full)]|
		    map(if type=="number" then fixed(9) else . end)'
	}
	# 49 + 1 bytes fit at 41, when the array falls idle.
	equal "$(full 49)" '[47,"vector unit",5.9,0]'
	# 60 + 1 bytes fit at 46.
	equal "$(full 60)" '[53.1,"vector unit",7,5]'
}

@test "the buffer's mean and peak are of what is granted and not yet freed" {
	# 14 bytes for 13 s, then 4 for 4 s, of 100.
	trace "$(relu 0 x y 10 4 3)" >in
	run -0 bash -c "sf-lower ${plain[*]} in | sf-sim"
	equal "$(figure '.buffer.peak,(.buffer.mean*1700)' <<<"$output")" \
	    "0.14
198"
	# What is freed at the instant of a grant does not count beside it.
	trace "$(relu 0 x y 60 0 0)" "$(relu 1 x z 50 0 0)" >in
	run -0 bash -c "sf-lower ${plain[*]} in | sf-sim"
	equal "$(figure .buffer.peak <<<"$output")" 0.6
}

@test "an operator is bound by compute when that lasts as long as its moves" {
	trace "$(relu 0 x y 10 4 14)" "$(relu 1 x y 10 4 13)" >in
	equal "$(sf-lower "${plain[@]}" in | sf-sim |
	    jq -c 'select(.kind=="op").sim.bound')" '"compute"
"memory"'
}

@test "each kind of hot spot is named, with its share" {
	# hot OPS OPTION... - the hot spot and its sentence.
	hot() {
		trace "${ops[@]}" | sf-lower "${plain[@]}" "$@" | sf-sim |
		    figure '.hotspot+": "+.why'
	}
	ops=("$(relu 0 x y 10 0 80)")
	[[ $(hot) == "vector unit: "*" 88.9% of the makespan" ]]
	ops=("$(relu 0 x y 80 0 20)")
	[[ $(hot) == "off-chip memory: "*" 80.0% of the makespan" ]]
	[[ $(hot --set dram_bw=4B/s) == "NoC read: "*" 80.0% of the makespan" ]]
	[[ $(hot --set transit_categories=elementwise \
	    --set transit_ops_per_byte=1) == "in-transit stage: "*" 100.0% "* ]]
	ops=("$(relu 0 x y 1 90 1)" "$(relu 1 y z 1 0 1)")
	[[ $(hot) == "operator boundaries: "*" 95.7% of the makespan" ]]
	ops=("$(relu 0 x y 1 90 1)")
	[[ $(hot) == "store path: "*" 97.8% of the makespan" ]]
	ops=("$(relu 0 x y 1 90 1)" "$(relu 1 x z 1 80 1)")
	[[ $(hot) == "buffer: "*" 51.7% of the makespan" ]]
	ops=("$(relu 0 x y 1 1 98 | sed 's/elementwise/matmul/')")
	[[ $(hot) == "compute array: "*" 96.1% of the makespan" ]]
}

@test "a trace without tiles has a summary of zeros" {
	run -0 bash -c "sf-lower -p edge-npu | sf-sim" < <(trace)
	equal "$(figure '[.tiles,.ops,.macs,.makespan_s,.hotspot,.buffer.peak]' \
	    <<<"$output")" '[0,0,0,0,"none",0]'
}

@test "operators without tiles have no sim" {
	equal "$(cnn 1 | sf-lower -p edge-npu | sf-sim |
	    jq -c 'select(.kind=="op" and (.sim|not)).name')" '"aten.permute"'
}

# ---- published figures ----

@test "the small CNN takes 104.44 us, with every published figure" {
	cnn 1 | sf-lower -p edge-npu | sf-sim >out
	equal "$(figure "$fixed"'[.tiles,.ops,.macs,(.makespan_s*1e6|fixed(2)),
	    .hotspot,(.busy|.dram,.noc_read,.noc_write,.array,.vector|percent),
	    (.bandwidth_used[]|percent),(.pe_efficiency|percent),
	    (.buffer[]|percent)]' <out)" \
	    '[14,14,2802304,104.44,"off-chip memory",46.8,59.8,33.8,3.3,3,45.2,11.6,6.4,78.5,5.1,9.5]'
	equal "$(figure "$fixed"'.makespan_s as $all|
	    [.stalls_s[]/$all|percent]' <out)" '[6.4,59.8,0,33.7,0.1]'
	# 1.21, 0.78 and 0.43 MB.
	equal "$(figure "$fixed"'[(.bytes|.read+.written,.read,.written)/1e6|
	    fixed(2)]' <out)" '[1.21,0.78,0.43]'
}

@test "the small CNN's longest operators and their spans are the published" {
	cnn 1 | sf-lower -p edge-npu | sf-sim >out
	equal "$(jq -s -c "$fixed"'[.[]|select(.sim)|
	    [.i,(.sim|.end_s-.start_s)*1e6]]|sort_by(-.[1])|.[:6]|
	    map([.[0],(.[1]|fixed(2))])' out)" \
	    '[[4,16.98],[0,15.06],[8,14.26],[1,11.78],[2,10.74],[3,9.46]]'
	# Six bins of equal ratio from 0.59 to 16.98 us, the last one closed.
	equal "$(jq -s -c '[.[]|select(.sim).sim|(.end_s-.start_s)*1e6]|sort|
	    .[0] as $low|(.[-1]/$low|log/6) as $step|
	    map((./$low|log)/$step+1e-9|floor|if .>5 then 5 else . end) as $b|
	    [range(6)|. as $i|$b|map(select(.==$i))|length]' out)" \
	    '[2,0,2,3,2,5]'
}

# run_of GOLDEN PRESET [OPTION...] - a recorded trace, simulated.
run_of() {
	sf-rules "$DATA/golden/$1.jsonl.gz" | sf-lower -p "$2" "${@:3}" |
	    sf-sim -t
}

# What the published table has of a run: operators, tiles, ms, TFLOP/s
# achieved, array busy, memory used, hot spot.
row() {
	jq -rsc "$fixed"'(map(select(.kind=="op"))|length) as $ops|
	    .[]|select(.kind=="summary")|[$ops,.tiles,
	    (.makespan_s*1e3|fixed(3)),(2*.macs/.makespan_s/1e12|fixed(2)),
	    (.busy.array|percent),(.bandwidth_used.dram|percent),.hotspot]'
}

@test "GPT-2 and Llama-3-8B take the published times" {
	equal "$(run_of gpt2/export-prefill-128 edge-npu | row)" \
	    '[815,1051,51.837,0.62,31,56.4,"off-chip memory"]'
	equal "$(run_of gpt2/export-prefill-128 dc-npu | row)" \
	    '[815,463,4.212,7.65,24.2,10.2,"off-chip memory"]'
	equal "$(run_of llama3-8b/dispatch-meta-prefill-2048 dc-npu | row)" \
	    '[3557,17991,1613.057,20.42,62.5,9.4,"compute array"]'
}

@test "GPT-2's report on the edge has every published figure" {
	run_of gpt2/export-prefill-128 edge-npu >out
	equal "$(figure "$fixed"'.makespan_s as $all|[.ops,
	    (.makespan_s*1e3|fixed(4)),(.busy|.dram,.noc_read,.noc_write,
	    .vector|percent),(.bytes|.read+.written,.read,.written|./1e6|
	    fixed(2)),(.pe_efficiency|percent),(.buffer[]|percent),
	    (.stalls_s|.compute,.load_bandwidth,.dependency|./$all|percent)]' \
	    <out)" \
	    '[456,51.8373,56.6,82.1,31.2,2.6,748.23,542.94,205.29,98.1,50.6,93.8,33.6,53.5,12.9]'
	equal "$(jq -s -c "$fixed"'[.[]|select(.sim)|
	    [.i,(.sim|.end_s-.start_s)*1e6]]|sort_by(-.[1])|.[:2]|
	    map([.[0],(.[1]|fixed(2))])' out)" '[[813,8053.18],[613,537.21]]'
}

# bats test_tags=SF-33
@test "quantised, traces take the published tiles and cycles" {
	cycles() {
		jq -sc 'map(select(.kind=="tile"))|[length,(map(.t[7])|max)]'
	}
	equal "$(cnn 1 | sf-lower -p edge-npu -q | sf-sim -t | cycles)" \
	    '[14,104439]'
	equal "$(run_of tiny-llama/export-prefill-32 edge-npu -q | cycles)" \
	    '[139,973135]'
	equal "$(run_of gpt2/export-prefill-128 edge-npu -q | cycles)" \
	    '[1051,51837348]'
}

# bats test_tags=SF-33
@test "the cycle engine takes the published cycles and evaluations" {
	# Beside them how many events the event engine takes, eight to ten a
	# tile.
	cost() {
		sf-lower -p edge-npu -q >lowered
		sf-sim --engine cycle lowered |
		    figure '.cost|[.cycles,.evaluations]'
		sf-sim --engine event lowered | figure .cost.events
	}
	equal "$(cnn 1 | cost)" "[104439,313449]
141"
	golden=$DATA/golden
	equal "$(sf-rules "$golden/tiny-llama/export-prefill-32.jsonl.gz" |
	    cost)" "[973135,2920647]
1356"
	equal "$(sf-rules "$golden/gpt2/export-prefill-128.jsonl.gz" | cost)" \
	    "[51837348,155520753]
8829"
}

@test "the sweep over batch 8 is the published one, all 18 rows" {
	cnn 8 >cnn8
	for kib in 128 512 2048; do
		for bw in 12.8 25.6 102.4; do
			for side in 32 64; do
				sf-lower -p edge-npu -s buffer_bytes=${kib}KiB \
				    -s dram_bw=${bw}GB/s -s array_rows=$side \
				    -s array_cols=$side cnn8
			done
		done
	done | sf-sim | figure "$fixed"'.makespan_s as $all|
	    [.tiles,(.makespan_s*1e6|fixed(2)),(.stalls_s|.compute,
	    .load_bandwidth,.buffer_full,.dependency|./$all|percent)]|
	    map(tostring)|join(" ")' >got
	equal "$(cat got)" "184 1083.33 5.2 90.1 0 4.6
184 1083.11 4.4 90.9 0 4.6
184 560.16 10.1 85.2 0 4.6
184 559.95 8.6 86.8 0 4.6
184 167.78 33.9 61.5 0 4.6
184 167.57 28.7 66.7 0 4.6
46 1097.59 4.7 79.3 0 16
46 1095.11 3.5 80.5 0 16
46 561.14 9.3 75 0 15.8
46 558.66 6.9 77.3 0 15.8
46 158.84 32.7 52.6 0 14.7
46 156.32 24.5 60.5 0 14.9
17 1345.73 3.8 63.7 0 32.5
17 1335.04 2.7 64.5 0 32.7
17 693.57 7.4 61 0 31.6
17 682.88 5.3 62.5 0 32.1
17 204.45 24.9 47.6 0 27.4
17 193.77 18.8 52.2 0 28.9"
}

# bats test_tags=SF-35
@test "polynomial products take the published times, on chip and in transit" {
	sf-ntt --log-n 16 --limbs 24 | sf-rules >ntt
	for block in "edge-npu 64" "edge-npu 8" "dc-npu 512" "dc-npu 16"; do
		set -- $block
		for rate in off 0.5 1.6 3.0 6.0; do
			sf-lower -p "$1" -s "vector_lanes=$2" \
			    -s "transit_ops_per_byte=$rate" ntt | sf-sim
		done
	done >out
	equal "$(figure "$fixed"'.makespan_s*1e6|fixed(2)' <out | paste -d' ' \
	    - - - - -)" "6856.5 21208.89 9043.77 6463.29 6463.29
9719.49 21294.9 9129.78 6549.3 6549.3
489.1 1407.21 628.65 463.5 463.5
2789.18 1502.45 723.88 558.73 558.73"
	equal "$(figure .hotspot <out | sort | uniq -c | sed 's/^ *//')" \
	    "16 in-transit stage
2 off-chip memory
2 vector unit"
	equal "$(figure "$fixed"'select(.busy.transit==0)|.busy.vector|percent' \
	    <out | paste -sd' ')" "9 50.6 15.7 88.1"
}

# ---- the oracle ----

# bats test_tags=SF-31
@test "3,000 random programs agree with the oracle to the last bit" {
	run -0 python3 "$ROOT/tests/oracle/compare.py" 30 100 1
	[[ $output == "3000 programs, "*" tiles, equal; "* ]]
}

@test "the event engine is SimPy's to the last bit, with one channel, too" {
	# Debian's SimPy, whichever Python comes first in PATH.
	python=python3
	"$python" -c 'import simpy' 2>/dev/null || python=/usr/bin/python3
	run -0 "$python" "$ROOT/tests/oracle/simpy-accel.py" 60 25 4
	[[ $output =~ ^"1500 programs, "[0-9]+" tiles, equal; "([0-9]+)" transfers waited for a channel, "([0-9]+)" asked together" ]]
	[ "${BASH_REMATCH[1]}" -gt 1000 ]
	[ "${BASH_REMATCH[2]}" -gt 1000 ]
}

# bats test_tags=SF-28
@test "the tiles of a loop nest are its work, no more and no less" {
	run -0 "$SF_UNIT/accel-nest"
	equal "$output" ""
}

# ---- the stream ----

@test "tiles follow their operator, and change nothing else" {
	cnn 2 | sf-lower -p edge-npu -s buffer_bytes=64KiB >in
	sf-sim in >without
	sf-sim --tiles in >with
	equal "$(grep -v '"kind":"tile"' with | grep -v '"tool":"sf-sim"')" \
	    "$(grep -v '"tool":"sf-sim"' without)"
	equal "$(jq -s '[.[]|select(.kind=="tile").i]==[range(.[-2].tiles)]' \
	    with)" true
	# Each tile's op is the latest op record before it.
	jq -c 'select(.kind=="op" or .kind=="tile")|[.kind,.i,.op]' with |
	    awk -F'[],[]' '/op/ && !/tile/ { op = $3 }
	        /tile/ && $4 != op { exit 1 }'
}

@test "traces one after the other are simulated each on its own" {
	cnn 1 | sf-lower -p edge-npu >one
	cnn 8 | sf-lower -p dc-npu -q >two
	for t in one two; do
		sf-sim <$t
	done >apart
	cat one two | sf-sim | cmp - apart
}

# strange - the small CNN, lowered, with records that nobody knows wherever they
# may stand and members that nobody knows in operators.
strange() {
	cnn 2 | sf-lower -p edge-npu -q -s buffer_bytes=64KiB |
	    awk '/"kind":"op"/ { sub(/}$/, ",\"acme\" : [1e999] } ") }
	        { print }
	        !/"kind":"(trace|tool|end)"/ {
	                print "{\"kind\":\"acme\",\"n\":" NR "}" }'
}

@test "engines that know of an operator late keep all other bytes, in order" {
	strange >in
	for engine in event cycle; do
		for tiles in "" --tiles; do
			sf-sim --engine $engine $tiles in >out
			"$ROOT/tests/passed.py" sf-sim in out
			cat in in | sf-sim --engine $engine $tiles |
			    cmp - <(cat out out | sed 's/"args":\[\([^]]*\),"in"\]/"args":[\1]/')
			head -c -1 in | sf-sim --engine $engine $tiles >short
			sed 's/"args":\[\([^]]*\),"in"\]/"args":[\1]/' out | cmp - short
		done
	done
}

@test "a stream that is cut is no whole stream, however late an engine is" {
	strange >in
	records=$(wc -l <in)
	for ((n = 1; n < records; n += 3)); do
		head -n $n in >cut
		run -3 --separate-stderr sf-sim --engine event --tiles cut
		one_line_error
		echo "$output" >out
		refute "$SF_UNIT/pass" out
	done
}

@test "memory does not grow with the number of tiles" {
	mm() {
		python3 - "$1" <<'EOP'
import json, sys
m = int(sys.argv[1])
def t(tid, shape):
    return {"tid": tid, "shape": shape, "dtype": "bf16", "itemsize": 2}
op = {"kind": "op", "i": 0, "name": "aten.mm",
      "inputs": [t("a", [m, 1000]), t("b", [1000, 1000])],
      "outputs": [t("y", [m, 1000])], "category": "matmul",
      "flops": 2 * m * 10**6, "bytes_read": 2 * (m + 1000) * 1000,
      "bytes_written": 2 * m * 1000, "weight_bytes": 0}
print('{"kind":"trace","format":"simfront-trace/1","model":"mm",'
      '"route":"export"}')
print(json.dumps(op, separators=(",", ":")))
print('{"kind":"end","ops":1}')
EOP
	}
	for m in 1000 100000; do
		mm $m | sf-lower -p edge-npu -s buffer_bytes=16KiB >in.$m
		peak[m]=$("$SF_UNIT/peak" sf-sim in.$m)
		late[m]=$("$SF_UNIT/peak" sf-sim --engine event in.$m)
	done
	tiles() { jq 'select(.kind=="op").lower.tiles' "$1"; }
	[ "$(tiles in.100000)" -ge $((50 * $(tiles in.1000))) ]
	echo "${peak[@]}"
	[ "${peak[100000]}" -le $((peak[1000] + 256)) ]
	[ "${late[100000]}" -le $((late[1000] + 256)) ]
}

# ---- what is refused ----

# sim_refuses TEXT - sf-sim refuses `in` with one line that has TEXT.
sim_refuses() {
	run -3 --separate-stderr sf-sim in
	one_line_error
	[[ $stderr == *"$1"* ]] || {
		echo "$stderr"
		return 1
	}
}

# bats test_tags=SF-32
@test "one channel is shared in the same order by every engine" {
	cnn 1 | sf-lower -p edge-npu -q -s dram_channels=1 >in
	for engine in event fast cycle; do
		sf-sim --tiles --engine $engine in |
		    jq -c 'select(.kind=="tile" or .kind=="op")|[.t,.sim]' >$engine
	done
	diff event fast
	diff event cycle
	# A transfer waited for the other DMA's: its load took longer than alone.
	cnn 1 | sf-lower -p edge-npu -q -s dram_bw=12.8GB/s >two
	[ "$(sf-sim in | jq 'select(.kind=="summary").makespan_s')" != \
	    "$(sf-sim two | jq 'select(.kind=="summary").makespan_s')" ]
}

@test "a trace that is not lowered is sent to sf-lower" {
	cnn 1 >in
	sim_refuses "op 0 'aten.convolution': is not lowered, expected a trace from sf-lower"
	trace >in
	sim_refuses "the trace has no accel record, expected a trace from sf-lower"
	cnn 1 | sf-lower -p edge-npu | grep -v '"kind":"accel"' >in
	sim_refuses "comes before any accel record"
}

@test "a trace is simulated once" {
	cnn 1 | sf-lower -p edge-npu | sf-sim >in
	sim_refuses "op 0 'aten.convolution': is simulated already"
}

@test "what is moved in time has the bits of what ran, and both checks count" {
	run -0 "$SF_UNIT/accel-replay"
	echo "$output"
	[[ $output == "1500 programs, "* ]]
}

@test "tiles that are not asked for change no number" {
	for set in buffer_bytes=16KiB buffer_bytes=40000 array_rows=3; do
		for quantise in '' -q; do
			sf-model gpt2 --tokens 128 | sf-rules |
			    sf-lower -p edge-npu -s $set $quantise >in
			sf-sim in | grep -v '"kind":"tool"' >without
			sf-sim --tiles in | grep -v '"kind":"t[oi]' >with
			cmp without with
		done
	done
}

@test "an accel record that is not whole is refused" {
	cnn 1 | sf-lower -p edge-npu | sed 's/"noc_bw":[0-9]*,//' >in
	sim_refuses "accel: 'noc_bw' is missing, expected a number >= 1 and <= 1e+18"
	cnn 1 | sf-lower -p edge-npu | sed 's/"noc_bw":[0-9]*/"noc_bw":0/' >in
	sim_refuses "accel: 'noc_bw' is 0, expected a number >= 1 and <= 1e+18"
	cnn 1 | sf-lower -p edge-npu | sed '/"kind":"accel"/p' >in
	sim_refuses "a second accel record"
}

# broken FROM TO - one operator's lower member with FROM replaced by TO.
broken() {
	trace "$(relu 0 x y 10 4 3)" "$(relu 1 y z 10 4 3)" |
	    sf-lower -p edge-npu | sed "/\"i\":1,/s/$1/$2/" >in
}

@test "a nest that does not fit together is refused" {
	broken '"slices":1' '"slices":2'
	sim_refuses "op 1 'aten.relu': lower: the nest has 2 tiles, 'tiles' is 1"
	broken '"slices":1' '"slices":0'
	sim_refuses "lower: 'slices' is 0, expected an integer >= 1"
	broken '"unit":"vector"' '"unit":"vectors"'
	sim_refuses "lower: 'unit' is \"vectors\", expected one of: none, array, vector"
	broken '"rd":10' '"rd":3000000'
	sim_refuses "a tile needs 3000004 bytes of buffer, buffer_bytes is 2097152"
	broken '"deps":\[0\]' '"deps":[1]'
	sim_refuses "lower: deps[0] is 1, expected earlier ops in rising order"
	broken '"deps":\[0\]' '"deps":[-1]'
	sim_refuses "lower: deps[0]: found -1, expected an integer >= 0"
	cnn 1 | sf-lower -p edge-npu | sed 's/"bm":1024/"bm":512/' >in
	sim_refuses "lower: gemms[0]: its sizes, blocks and tiles do not fit"
	cnn 1 | sf-lower -p edge-npu | sed 's/"e_in":4,//' >in
	sim_refuses "lower: 'e_in' is missing, expected an integer >= 1"
	cnn 1 | sf-lower -p edge-npu | sed 's/"deps":\[12\]/"deps":[13]/' >in
	sim_refuses "depends on op 13, which has no tiles"
}

@test "other engines are refused with those there are" {
	run -2 --separate-stderr sf-sim --engine cycles </dev/null
	one_line_error
	[[ $stderr == *"found 'cycles', expected one of: event, fast, cycle"* ]]
}

@test "the cycle engine refuses what it cannot step" {
	cnn 1 | sf-lower -p edge-npu >in
	run -3 --separate-stderr sf-sim --engine cycle in
	one_line_error
	[[ $stderr == *"the cycle engine needs times in whole cycles, expected a trace from sf-lower --quantise" ]]
	# 10 bytes at one a second.
	trace "$(relu 0 x y 10 4 3)" |
	    sf-lower "${plain[@]}" -q -s clock_hz=1e15Hz >in
	run -3 --separate-stderr sf-sim --engine cycle in
	one_line_error
	[[ $stderr == *"a tile takes more than 2^53 cycles, which are too many to step through" ]]
}

@test "a small trace that asks for any number of tiles is refused by name" {
	t() {
		printf '{"tid":"%s","shape":%s,"dtype":"f32","itemsize":4}' "$@"
	}
	trace "{\"kind\":\"op\",\"i\":0,\"name\":\"aten.mm\",\"inputs\":[$(t a \
	    '[1000000000,3]'),$(t b '[3,1000000]')],\"outputs\":[$(t c \
	    '[1000000000,1000000]')]}" >in
	sf-rules in | sf-lower -p edge-npu -s buffer_bytes=64B -s array_rows=1 \
	    >lowered
	[ "$(stat -c %s lowered)" -lt 4000 ]
	for program in sf-sim sf-check; do
		run -3 --separate-stderr timeout 20 $program lowered
		[[ $stderr == "$program: lowered:"*": op 0 'aten.mm': "*" tiles, '--max-tiles' is 1000000000" ]]
	done
	sf-rules in >counted
	run -3 --separate-stderr timeout 20 sf-ep --claim aten.mm \
	    -s buffer_bytes=64B -s array_rows=1 counted
	[[ $stderr == "sf-ep: counted:"*": op 0 'aten.mm': "*" tiles, '--max-tiles' is 1000000000" ]]
}
