# sf-report --windows: windows by hand, by the summary that they are cut from, and
# by an oracle that cuts the tiles' times itself.

load helpers
load accel

# shares FILTER - of each window, to a millionth.
shares() {
	jq -c '.windows[] | '"$1"' | map(. * 1e6 | round / 1e6)'
}

# plain COUNTS... - operators of one tile on a block on which a byte and an
# operation take a second: I READ WRITTEN FLOPS IN.
plain() {
	trace "$@" | sf-lower --preset edge-npu --set clock_hz=1Hz \
	    --set vector_lanes=1 --set array_rows=1 --set array_cols=1 \
	    --set dram_bw=2B/s --set dram_channels=2 --set noc_bw=1B/s \
	    --set dram_latency=0 --set noc_latency=0 --set buffer_bytes=100B \
	    --set tile_fraction=1 | sf-sim --tiles
}

@test "windows by hand" {
	# The first loads until 10, computes until 13 and stores until 17; the
	# second, which reads that, loads from 17 to 27, computes until 36 and
	# stores until 40.
	plain "$(relu 0 x y 10 4 3)" "$(relu 1 y z 10 4 9)" >in
	run -0 --separate-stderr sf-report --windows 4 --format json in
	equal "$(jq -c '[.windows[]|[.from_s,.until_s]]' <<<"$output")" \
	    '[[0,10],[10,20],[20,30],[30,40]]'
	equal "$(shares '[.compute,.load_bandwidth,.buffer_full,.dependency,.store_tail]' <<<"$output" | paste -sd ' ')" \
	    '[0,1,0,0,0] [0.3,0.3,0,0.4,0] [0.3,0.7,0,0,0] [0.6,0,0,0,0.4]'
	# Two channels, each of which one DMA has.
	equal "$(shares '[.load_dma,.load_dma_waits,.store_dma,.dram,.vector,.array]' <<<"$output" | paste -sd ' ')" \
	    '[1,0,0,0.5,0,0] [0.3,0.7,0.4,0.35,0.3,0] [0.7,0,0,0.35,0.3,0] [0,0,0.4,0.2,0.6,0]'
	equal "$(jq -c '[.windows[]|[.first_op,.last_op]]' <<<"$output")" \
	    '[[0,0],[0,1],[1,1],[1,1]]'
}

@test "windows are means of the summary on every block and engine" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >cnn
	for set in dram_channels=1 dram_channels=2 latency=pipelined reuse=on \
	    buffer_bytes=256KiB dram_interleave=on transit_ops_per_byte=1 cores=3; do
		for more in '' --quantise; do
			# shellcheck disable=SC2086 # nothing, or an option
			sf-lower -p edge-npu --set $set \
			    --set transit_categories=elementwise $more cnn |
			    sf-sim --tiles >in
			for n in 1 7 100; do
				sf-report --windows $n --format json in >windows
				jq -e --argjson n $n -s '(.[0].windows) as $w |
				    (.[1:][] | select(.kind == "summary")) as $s |
				    def mean(k): ($w | map(.[k]) | add) / $n;
				    def near(a; b): (a - b) | fabs < 1e-9;
				    ($w | length) == $n and
				    ($w[0].from_s == 0) and
				    ($w[-1].until_s == $s.makespan_s) and
				    ([range(1; $n) | $w[.].from_s == $w[. - 1].until_s] | all) and
				    all($s.stalls_s | to_entries[]; .key as $k | .value as $v |
				        near(mean($k); $v / $s.makespan_s)) and
				    all("dram", "load_dma", "store_dma", "array", "vector", "transit";
				        . as $k | near(mean($k); $s.busy[$k])) and
				    all($w[]; near(.compute + .load_bandwidth + .buffer_full +
				        .dependency + .store_tail; 1))' windows in
			done
		done
	done
}

@test "windows of several cores are said to be means, in Markdown" {
	for cores in 1 3; do
		sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules |
		    sf-lower -p edge-npu -s cores=$cores | sf-sim --tiles |
		    sf-report --windows 2 >out
		equal "$cores $(grep -c ' All are means of 3 cores[.]$' out)" \
		    "$cores $((cores / 3))"
	done
}

@test "windows are what an oracle cuts from the times of the tiles" {
	sf-model gpt2 --tokens 32 | sf-rules | sf-lower -p edge-npu |
	    sf-sim --tiles >in
	sf-report --windows 37 --format json in >windows
	run -0 python3 "$ROOT/tests/oracle/windows.py" in windows
	[[ $output == "37 windows, "*" tiles, equal" ]]
}

@test "a window more fine than any tile says what is going on" {
	plain "$(relu 0 x y 10 4 3)" >in
	sf-report --windows 17000 --format json in |
	    jq -e '.windows | all(.[]; .compute + .load_bandwidth + .store_tail | . > 0.999999 and . < 1.000001) and
	        ([.[] | select(.compute > 0.5)] | length == 3000)'
}

@test "as Markdown and CSV; several traces have one head" {
	plain "$(relu 0 x y 10 4 3)" >one
	cat one one >in
	run -0 sf-report --windows 2 in
	equal "$(grep -c '^# test in 2 windows' <<<"$output")" 2
	equal "$(grep -m 1 Until <<<"$output" | tr -s ' ')" \
	    '| Until | Ops | Computes | Loads | Buffer full | Depends | Tail | Memory | Load DMA | It waits | Store DMA | Array | Vector |'
	run -0 sf-report --windows 2 --format csv in
	equal "${#lines[@]}" 5
	equal "$(cut -d, -f 1,5-9 <<<"$output" | paste -sd ' ')" \
	    'trace,window,from_s,until_s,first_op,last_op 1,0,0,8.5,0,0 1,1,8.5,17,0,0 2,0,0,8.5,0,0 2,1,8.5,17,0,0'
}

@test "a trace without operators has no windows" {
	plain >in
	equal "$(sf-report --windows 3 --format json in | jq -c .windows)" '[]'
	sf-report --windows 3 in
}

@test "many tiles go to a temporary file" {
	[ -z "${SF_SANITIZED:-}" ] || skip "the sanitizers keep memory of their own"
	sf-model gpt2 --tokens 64 | sf-rules |
	    sf-lower -p edge-npu --set buffer_bytes=12KiB | sf-sim --tiles >in
	[ "$(grep -c '"kind":"tile"' in)" -gt 300000 ]
	SIMFRONT_MEMORY=80MiB sf-report --windows 5 --format json in >windows
	run -0 python3 "$ROOT/tests/oracle/windows.py" in windows
}

@test "windows want tiles, and go with no other part" {
	plain "$(relu 0 x y 10 4 3)" | grep -v '"kind":"tile"' >in
	run -3 --separate-stderr sf-report --windows 2 in
	one_line_error
	[[ $stderr == *"expected a trace from 'sf-sim --tiles'" ]]
	for more in --by=op --footprint --memory=1GB --strict --format=scalesim; do
		run -2 --separate-stderr sf-report --windows 2 "$more" in
		one_line_error
	done
}
