#!/usr/bin/env bats
# Several cores before one memory: what each does, and when.

load helpers

# mm BATCH M K N - a trace of one product of bytes.
mm() {
	local type='"dtype":"i8","itemsize":1'
	trace "$(printf '{"kind":"op","i":0,"name":"aten.bmm","inputs":[{"tid":"a","shape":[%d,%d,%d],%s},{"tid":"b","shape":[%d,%d,%d],%s,"param":true}],"outputs":[{"tid":"c","shape":[%d,%d,%d],%s}]}' \
	    "$1" "$2" "$3" "$type" "$1" "$3" "$4" "$type" \
	    "$1" "$2" "$4" "$type")" | sf-rules
}

# A byte a nanosecond, no waits, an array of 4 x 4 at 1 GHz.
plain=(-p edge-npu -s dram_bw=1GB/s -s dram_interleave=on -s dram_latency=0ns
	-s noc_latency=0ns -s array_rows=4 -s array_cols=4)

# bats test_tags=SF-50
@test "two cores take turns at the memory, and wait for nothing else" {
	# Columns are split: each core loads A, 16 bytes, and half of B, and
	# computes for 4 + 8 cycles. The second loads behind the first, and
	# the first stores behind that.
	mm 1 4 4 8 | sf-lower "${plain[@]}" -s cores=2 >in
	equal "$(jq -c 'select(.kind=="op").lower|[.cores,.tiles,.gemms[0].split,
	    .gemms[0].bn]' in)" '[2,2,"n",4]'
	for engine in event fast; do
		equal "$(sf-sim --engine $engine -t in | jq -c \
		    'select(.kind=="tile")|[.core,(.t|map(.*1e9|round))]')" \
'[null,[0,0,0,32,32,44,64,80]]
[1,[0,0,0,64,64,76,80,96]]'
	done
	# With a channel for each of four DMAs none waits.
	mm 1 4 4 8 | sf-lower "${plain[@]}" -s cores=2 -s dram_interleave=off \
	    -s dram_channels=4 -s dram_bw=4GB/s | sf-sim -t >out
	equal "$(jq -c 'select(.kind=="tile").t|map(.*1e9|round)' out)" \
'[0,0,0,32,32,44,44,60]
[0,0,0,32,32,44,44,60]'
}

# bats test_tags=SF-50
@test "cores split what leaves the busiest the least, and read what each needs" {
	split() { # BATCH M K N CORES
		mm "$1" "$2" "$3" "$4" | sf-lower "${plain[@]}" -s cores="$5" |
		    sf-sim | jq -sc '(.[]|select(.kind=="op").lower.gemms[0]
			.split) as $s|.[]|select(.kind=="summary")|
			[$s,.bytes.read,[.cores[].macs]]'
	}
	# Batches even: nothing is read twice.
	equal "$(split 4 2 2 2 2)" '["batch",32,[16,16]]'
	# 3 of 5 batches are more than half of the columns.
	equal "$(split 5 2 2 2 2)" '["n",60,[20,20]]'
	# 5 batches on 4 cores: 2 at most; columns 1 of 2: batches.
	equal "$(split 5 2 2 2 4)" '["batch",40,[8,8,8,16]]'
	# Three columns, eight cores: five do nothing.
	equal "$(split 1 2 2 3 8)" '["n",18,[0,0,4,0,0,4,0,4]]'
	# Slices: nothing is read twice.
	trace '{"kind":"op","i":0,"name":"aten.relu","inputs":[{"tid":"a","shape":[10],"dtype":"i8","itemsize":1}],"outputs":[{"tid":"b","shape":[10],"dtype":"i8","itemsize":1}]}' |
	    sf-rules | sf-lower "${plain[@]}" -s cores=3 | sf-sim >out
	equal "$(jq -c 'select(.kind=="summary")|[.bytes,.cores[].bytes.read]' \
	    out)" '[{"read":10,"written":10},3,3,4]'
}

# bats test_tags=SF-50
@test "programs on one to eight cores are those of an oracle, and engines agree" {
	run -0 python3 "$ROOT/tests/oracle/cores.py" 40 "${SF_SEED:-1}"
	[[ $output == *"40 programs, "*" on several cores, "* ]]
	# An engine that is wrong about one core is found.
	cat >sf-sim <<-END
		#!/bin/sh
		"$SF_BIN/sf-sim" "\$@" | sed '/"core":1/s/"t":\[/"t":[1/'
	END
	chmod +x sf-sim
	PATH=$PWD:$PATH run -1 python3 "$ROOT/tests/oracle/cores.py" 10 1
	[[ $output == *oracle:* ]]
}

# bats test_tags=SF-50
@test "one core is what there was, and a number of cores is checked" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >in
	sf-lower -p edge-npu in | grep -v '"kind":"tool"' >a
	sf-lower -p edge-npu -s cores=1 in | grep -v '"kind":"tool"' >b
	cmp a b
	refute grep -q '"split"\|"cores":[^1]' a
	sf-sim -t a >out
	refute grep -q '"core"\|"cores":\[' out
	for cores in 0 65 1.5; do
		run -2 --separate-stderr sf-lower -p edge-npu -s cores=$cores in
		one_line_error
	done
	# A split that is of no such accelerator is refused.
	sf-lower -p edge-npu -s cores=4 in | sed '/"accel"/s/"cores":4/"cores":2/' >bad
	run -3 --separate-stderr sf-sim bad
	one_line_error
	[[ $stderr == *"it is split over 4 cores, the accelerator has 2" ]]
	sf-lower -p edge-npu -s cores=4 in | sed 's/"tiles":[0-9]*,"cores"/"tiles":7,"cores"/' >bad
	run -3 --separate-stderr sf-sim bad
	one_line_error
}

# bats test_tags=SF-50
@test "a report and a viewer show each unit by core" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules |
	    sf-lower -p edge-npu -s cores=3 | sf-sim -t >in
	sf-report in >out
	equal "$(sed -n '/^### Cores/,/^Busy/p' out | grep -c '^| *[0-2] |')" 3
	sf-report --format json in >out
	equal "$(jq -c '.sim|[(.cores|length),([.cores[].tiles]|add)==.tiles,
	    ([.cores[].macs]|add)==.macs,([.cores[].bytes.read]|add)
	    ==.bytes.read,([.cores[].buffer.peak]|max)==.buffer.peak]' out)" \
	    '[3,true,true,true,true]'
	# Every core's time is all told for.
	equal "$(jq '.sim|.makespan_s as $all|[.cores[].stalls_s|add/$all|
	    .*1e9|round]|unique==[1000000000]' out)" true
	sf-report --format csv in | grep -q ',sim.cores.2.busy,array,'
	equal "$(sf-chrome in | jq -c '[.traceEvents[]|select(.ph=="M" and
	    .name=="process_name").args.name[-6:]]')" \
	    '["core 0","core 1","core 2"]'
	sf-plot -o out.svg in
	grep -q 'on 3 cores, ' out.svg
	# Two that agree by bytes: a sweep's point and the pipeline.
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >counted
	sf-sweep -p edge-npu -g cores=1,2,5 counted >points
	for cores in 1 2 5; do
		sf-lower -p edge-npu -s cores=$cores counted | sf-sim |
		    jq -c 'select(.kind=="summary")|[.makespan_s,.stalls_s,
			.busy,.bytes,.buffer]' >want
		jq -c "select(.kind==\"point\" and .set.cores==$cores)|
		    [.makespan_s,.stalls_s,.busy,.bytes,.buffer]" points >got
		cmp want got
	done
}
