# sf-report: what a trace comes to, for people and for programs. The traces are
# made by hand and so is the arithmetic, which stands in the comments.

load helpers
load report

# op I NAME CATEGORY FLOPS READ WRITTEN WEIGHT [MORE] - a counted operator.
op() {
	printf '{"kind":"op","i":%d,"name":"%s","inputs":[],"outputs":[],"category":"%s","flops":%s,"bytes_read":%s,"bytes_written":%s,"weight_bytes":%s%s}' \
	    "$1" "$2" "$3" "$4" "$5" "$6" "$7" "${8:+,$8}"
}

# timed I NAME START_S END_S [BOUND] - a counted and simulated operator.
timed() {
	op "$1" "$2" elementwise 1 50 50 0 "\"sim\":{\"start_s\":$3,\"end_s\":$4,\"bound\":\"${5:-memory}\",\"tiled_bytes\":100},\"lower\":{\"unit\":\"none\",\"deps\":[],\"tiles\":0}"
}

# bare I NAME - an operator that nobody has counted.
bare() {
	printf '{"kind":"op","i":%d,"name":"%s","inputs":[],"outputs":[]}' \
	    "$1" "$2"
}

# summary OPS MAKESPAN_S [MORE] - what sf-sim says of a run.
summary() {
	local more=${3:-}
	case $more in *'"cost":'*) ;; *) more="\"cost\":{}${more:+,$more}" ;; esac
	printf '{"kind":"summary","engine":"fast","tiles":7,"ops":%d,"macs":2000000,"makespan_s":%s,"stalls_s":{"compute":1e-05,"load_bandwidth":5e-05,"buffer_full":2e-05,"dependency":1.5e-05,"store_tail":5e-06},"busy":{"dram":0.468,"noc_read":0.598,"noc_write":0.338,"load_dma":0.598,"store_dma":0.338,"array":0.033,"vector":0.03,"transit":0.0123},"bandwidth_used":{"dram":0.452,"noc_read":0.116,"noc_write":0.064},"bytes":{"read":780000,"written":430000},"pe_efficiency":0.785,"buffer":{"mean":0.051,"peak":0.095},"hotspot":"off-chip memory","why":"because"%s}' \
	    "$1" "$2" ",$more"
}

# accel [MORE] - the parameters of edge-npu as sf-lower writes them.
accel() {
	printf '{"kind":"accel","preset":"edge-npu","clock_hz":1000000000,"array_rows":32,"array_cols":32,"vector_lanes":64,"buffer_bytes":2097152,"tile_fraction":0.5,"dram_bw":25600000000,"dram_channels":2,"dram_latency":1e-07,"noc_bw":64000000000,"noc_latency":2e-08,"transit_ops_per_byte":0,"transit_categories":["ntt"],"quantise":false%s}' \
	    "${1:+,$1}"
}

# ran RECORD... - a whole trace on edge-npu.
ran() { trace "$(accel)" "$@"; }

# Three matmuls and more: FLOPs 100 + 200 + 30 + 0 = 330; bytes (10 + 5) +
# (20 + 5) + (4 + 6) + (7 + 3) = 60; weights 8 + 9 = 17.
counted_trace() {
	trace "$(op 0 aten.mm matmul 100 10 5 8)" \
	    "$(op 1 aten.mm matmul 200 20 5 9)" \
	    "$(op 2 aten.relu elementwise 30 4 6 0)" \
	    "$(op 3 aten.t view 0 0 0 0)" \
	    "$(op 4 aten.clone copy 0 7 3 0)"
}

@test "FLOPs, bytes and weights are summed in all and by category" {
	counted_trace >in
	run -0 --separate-stderr sf-report --format json in
	equal "$stderr" ""
	equal "$(jq -c '[.ops,.op_types,.flops,.bytes,.weight_bytes]' <<<"$output")" \
	    '[5,4,330,60,17]'
	equal "$(jq -c .flops_by_category <<<"$output")" \
	    '{"matmul":300,"elementwise":30,"copy":0,"view":0}'
	equal "$(jq -c .bytes_by_category <<<"$output")" \
	    '{"matmul":40,"elementwise":10,"copy":10,"view":0}'
	equal "$(jq -c .weight_bytes_by_category <<<"$output")" \
	    '{"matmul":17,"elementwise":0,"copy":0,"view":0}'
	equal "$(jq -c .unknown <<<"$output")" '{}'
}

@test "the table by category has shares and a row for all" {
	counted_trace >in
	sf-report in >out
	# 300 / 330 = 90.909 %, 30 / 330 = 9.091 %; 40 / 60 = 66.667 %.
	equal "$(cells matmul <out)" '2|300|90.9 %|40|66.7 %|17'
	equal "$(cells elementwise <out)" '1|30|9.1 %|10|16.7 %|0'
	equal "$(cells all <out)" '5|330|100.0 %|60|100.0 %|17'
}

@test "operator types stand in the order of their FLOPs, then bytes, calls and name" {
	trace "$(op 0 b.small copy 0 1 0 0)" "$(op 1 a.view view 0 0 0 0)" \
	    "$(op 2 z.view view 0 0 0 0)" "$(op 3 z.view view 0 0 0 0)" \
	    "$(op 4 b.view view 0 0 0 0)" "$(op 5 c.big copy 0 9 0 0)" \
	    "$(op 6 d.mm matmul 5 0 0 0)" >in
	equal "$(sf-report --format json in | jq -c '[.types[].name]')" \
	    '["d.mm","c.big","b.small","z.view","a.view","b.view"]'
}

@test "the types that --top leaves out are summed in one row" {
	counted_trace >in
	sf-report --top 1 in >out
	equal "$(cells aten.mm <out)" 'matmul|2|300|90.9 %|40|66.7 %|17'
	equal "$(cells aten.relu <out)" ''
	# relu, t and clone: 30 FLOPs, 10 + 10 bytes.
	equal "$(cells '(3 more)' <out)" '|3|30|9.1 %|20|33.3 %|0'
}

@test "the members of a JSON report have one order" {
	trace "$(accel)" "$(timed 0 a 0 1e-5)" \
	    "$(summary 1 1e-4)" >in
	run -0 sf-report --format json in
	equal "$(jq -c keys_unsorted <<<"$output")" \
	    '["model","route","workload","params","ops","op_types","folded","dead","flops","flops_by_category","macs","bytes","bytes_by_category","weight_bytes","weight_bytes_by_category","unknown","coverage","types","notes","tools","accel","sim","answer"]'
	equal "$(jq -c '.sim|keys_unsorted' <<<"$output")" \
	    '["engine","tiles","ops","macs","makespan_s","stalls_s","busy","bandwidth_used","bytes","pe_efficiency","buffer","hotspot","why","flops_per_s","tiled_bytes","traffic","compute_bound","memory_bound","top","histogram"]'
}

@test "model, route, workload and parameters come from the trace record" {
	echo '{"kind":"trace","format":"simfront-trace/1","model":"m","route":"onnx","workload":{"batch":2,"tokens":128},"params":{"count":1234567,"bytes":4938268}}
{"kind":"end","ops":0}' >in
	run -0 sf-report in
	equal "${lines[0]}" '# m'
	equal "$(cells Route <<<"$output")" 'onnx|'
	equal "$(cells Workload <<<"$output")" 'batch 2, tokens 128|'
	equal "$(cells Parameters <<<"$output")" '1,234,567|'
	equal "$(cells 'Parameter bytes' <<<"$output")" '4,938,268|4.94 MB'
	equal "$(sf-report --format json in | jq -c '[.model,.route,.workload,.params]')" \
	    '["m","onnx",{"batch":2,"tokens":128},{"count":1234567,"bytes":4938268}]'
}

@test "what the trace record does not say is null, not zero" {
	echo '{"kind":"trace","format":"simfront-trace/1","model":"","route":"x"}
{"kind":"end","ops":0}' >in
	equal "$(sf-report --format json in | jq -c '[.model,.route,.workload,.params]')" \
	    '["","x",{},null]'
	sf-report in >out
	equal "$(head -n 1 out)" '# (no name)'
	equal "$(cells Parameters <out)" ''
}

# ---- coverage ----

# bats test_tags=SF-22
@test "an operator without a rule is named with its calls and the reason" {
	trace "$(op 0 aten.mm matmul 1 1 1 0)" \
	    "$(op 1 my.op unknown 0 0 0 0)" "$(op 2 my.op unknown 0 0 0 0)" \
	    "$(op 3 onnx.Resize unknown 0 0 0 0 '"unresolved":"input 1 has no value"')" \
	    >in
	sf-report in >out
	equal "$(grep -A 5 '^### Not counted' out | cells my.op)" '2|no rule'
	equal "$(grep -A 5 '^### Not counted' out | cells onnx.Resize)" \
	    '1|unresolved: input 1 has no value'
	grep -q '^\*\*Not all is counted\*\*: 3 of the calls' out
	equal "$(cells 'Rule coverage, types' <out)" '1 of 3|33.3 %'
	equal "$(cells 'Rule coverage, calls' <out)" '1 of 4|25.0 %'
	equal "$(sf-report --format json in | jq -c .coverage)" \
	    '{"types":1,"calls":1}'
	equal "$(sf-report --format json in | jq -c .unknown)" \
	    '{"my.op":2,"onnx.Resize":1}'
}

@test "a type that is counted in some calls only is named with the others" {
	trace "$(op 0 onnx.Slice copy 0 4 4 0)" \
	    "$(op 1 onnx.Slice unknown 0 0 0 0 '"unresolved":"a"')" \
	    "$(op 2 onnx.Slice unknown 0 0 0 0 '"unresolved":"b"')" >in
	sf-report in >out
	equal "$(cells onnx.Slice <out)" \
	    $'copy, unknown|3|0|-|8|100.0 %|0\n2|unresolved: a (the first of several)'
	equal "$(cells 'Rule coverage, types' <out)" '0 of 1|0.0 %'
	equal "$(cells 'Rule coverage, calls' <out)" '1 of 3|33.3 %'
	equal "$(sf-report --format json in | jq -c .unknown)" \
	    '{"onnx.Slice":2}'
}

# bats test_tags=SF-22
@test "every unknown is named, whatever --top says" {
	trace "$(op 0 a unknown 0 0 0 0)" "$(op 1 b unknown 0 0 0 0)" \
	    "$(op 2 c unknown 0 0 0 0)" >in
	equal "$(sf-report --top 1 in | grep -c '| no rule |')" 3
}

@test "a trace without unknowns has no section for them" {
	counted_trace >in
	sf-report in >out
	equal "$(grep -ci 'not counted' out)" 0
	equal "$(grep -c 'is counted' out)" 0
	equal "$(cells 'Rule coverage, calls' <out)" '5 of 5|100.0 %'
}

@test "folded and dead operators are counted" {
	trace "$(op 0 a view 0 0 0 0 '"folded":true')" \
	    "$(op 1 b view 0 0 0 0 '"folded":true')" \
	    "$(op 2 c view 0 0 0 0 '"dead":true')" >in
	equal "$(sf-report --format json in | jq -c '[.folded,.dead]')" '[2,1]'
	sf-report in >out
	equal "$(cells 'Folded operators' <out)" '2|'
	equal "$(cells 'Dead operators' <out)" '1|'
}

@test "a trace that is not counted says so and has no zeros" {
	trace "$(bare 0 aten.mm)" "$(bare 1 aten.mm)" "$(bare 2 aten.t)" >in
	run -0 sf-report in
	[[ $output == *'**Nothing is counted**'*sf-rules* ]]
	equal "$(cells FLOPs <<<"$output")" ''
	equal "$(cells aten.mm <<<"$output")" 2
	run -0 sf-report --format json in
	equal "$(jq -c '[.flops,.flops_by_category,.bytes,.bytes_by_category,.weight_bytes,.weight_bytes_by_category,.unknown,.coverage]' <<<"$output")" \
	    '[null,null,null,null,null,null,null,null]'
	equal "$(jq -c '[.ops,.op_types,.types[0]]' <<<"$output")" \
	    '[3,2,{"name":"aten.mm","calls":2}]'
	run -0 sf-report --format csv in
	equal "${lines[8]}" '1,test,export,,trace,flops,,FLOP'
}

@test "a trace that is counted in part is refused" {
	trace "$(op 0 a view 0 0 0 0)" "$(bare 1 b)" >in
	run -3 --separate-stderr sf-report in
	one_line_error
	equal "$stderr" "sf-report: in:3: op 1 'b': it is not counted, operators before it are"
	equal "$output" ""
	trace "$(bare 0 b)" "$(op 1 a view 0 0 0 0)" >in
	run -3 --separate-stderr sf-report in
	equal "$stderr" "sf-report: in:3: op 1 'a': it is counted, operators before it are not"
}

@test "a trace without operators comes to nothing" {
	trace >in
	run -0 sf-report --format json in
	equal "$(jq -c '[.ops,.flops,.bytes,.flops_by_category,.types]' <<<"$output")" \
	    '[0,0,0,{},[]]'
	run -0 sf-report in
	equal "$(cells Operators <<<"$output")" '0|'
	equal "$(cells 'Rule coverage, calls' <<<"$output")" '0 of 0|-'
}

# ---- numbers ----

@test "a sum of 2^63 - 1 keeps every digit" {
	trace "$(op 0 a matmul 9223372036854775800 0 0 0)" \
	    "$(op 1 b matmul 7 0 0 0)" >in
	run -0 sf-report --format json in
	[[ $output == *'"flops":9223372036854775807,'* ]]
	run -0 sf-report --format csv in
	[[ $output == *',trace,flops,9223372036854775807,FLOP'* ]]
	run -0 sf-report in
	equal "$(cells FLOPs <<<"$output")" \
	    '9,223,372,036,854,775,807|9,223,372.037 TFLOP'
}

# bats test_tags=SF-19
@test "a sum that passes 2^63 - 1 is an error at its operator" {
	trace "$(op 0 a matmul 9223372036854775807 0 0 0)" \
	    "$(op 1 b matmul 1 0 0 0)" >in
	run -3 --separate-stderr sf-report in
	one_line_error
	equal "$stderr" "sf-report: in:3: op 1 'b': the trace's sum of FLOPs passes 2^63 - 1"
	trace "$(op 0 a copy 0 9223372036854775807 1 0)" >in
	run -3 --separate-stderr sf-report in
	equal "$stderr" "sf-report: in:2: op 0 'a': the trace's sum of bytes read and written passes 2^63 - 1"
	trace "$(op 0 a copy 0 0 0 9223372036854775807)" \
	    "$(op 1 a copy 0 0 0 1)" >in
	run -3 --separate-stderr sf-report in
	equal "$stderr" "sf-report: in:3: op 1 'a': the trace's sum of weight bytes passes 2^63 - 1"
}

@test "shares of integers are rounded half to even" {
	# 1, 3 and 1996 of 2000: 0.05 %, 0.15 % and 99.8 %.
	trace "$(op 0 a matmul 1 0 0 0)" "$(op 1 b norm 3 0 0 0)" \
	    "$(op 2 c softmax 1996 0 0 0)" >in
	sf-report in >out
	equal "$(cells matmul <out)" '1|1|0.0 %|0|-|0'
	equal "$(cells norm <out)" '1|3|0.2 %|0|-|0'
	equal "$(cells softmax <out)" '1|1,996|99.8 %|0|-|0'
}

@test "times take the unit that fits the longest of their table" {
	local want
	for want in '5e-7|500.00 ns' '1.0444e-4|104.44 us' \
	    '0.0518373|51,837.30 us' '1.613057|1,613.057 ms' \
	    '250|250.000 s'; do
		ran "$(timed 0 a 0 "${want%%|*}")" \
		    "$(summary 1 "${want%%|*}")" >in
		sf-report in >out
		equal "$(cells Latency <out)" "${want#*|}"
		equal "$(cells 'a #0' <out)" "${want#*|}|100.0 %|memory|100"
	done
}

# ---- the accelerator ----

# Five operators in 100 us; the spans are 20, 30, 10, 10 and 40 us.
simulated_trace() {
	trace "$(accel)" \
	    "$(timed 0 a 0 2e-05)" "$(timed 1 b 1e-05 4e-05 compute)" \
	    "$(timed 2 a 4e-05 5e-05)" "$(op 3 v view 0 0 0 0)" \
	    "$(timed 4 c 4e-05 5e-05)" "$(timed 5 b 6e-05 0.0001)" \
	    "$(summary 5 0.0001 '"cost":{"events":1234}')"
}

# bats test_tags=SF-34
@test "the accelerator's figures can be read off as they are published" {
	simulated_trace >in
	sf-report in >out
	equal "$(cells Engine <out)" fast
	equal "$(cells "Engine's events" <out)" 1,234
	equal "$(cells Latency <out)" '100.00 us'
	equal "$(cells 'Operators simulated' <out)" 5
	equal "$(cells Tiles <out)" 7
	equal "$(cells MACs <out)" 2,000,000
	# 2 x 2,000,000 FLOPs in 100 us.
	equal "$(cells Achieved <out)" '40.00 GFLOP/s'
	# Five operators move 100 bytes each, and their tiles as many.
	equal "$(cells 'Traffic over operator bytes' <out)" 1.00
	equal "$(cells 'PE efficiency' <out)" '78.5 %'
	equal "$(cells 'Buffer used, mean' <out)" '5.1 %'
	equal "$(cells 'Buffer used, peak' <out)" '9.5 %'
	equal "$(cells Hot-spot <out)" 'off-chip memory'
	equal "$(grep '^Why: ' out)" 'Why: because'
	equal "$(cells clock_hz <out)" '1 GHz'
}

# bats test_tags=SF-34
@test "each component has its busy share, its bytes and its bandwidth" {
	simulated_trace >in
	sf-report in >out
	# The memory carries both directions: 780,000 + 430,000 bytes.
	equal "$(cells 'off-chip memory' <out)" '46.8 %|1.21 MB|45.2 %'
	equal "$(cells 'NoC read' <out)" '59.8 %|0.78 MB|11.6 %'
	equal "$(cells 'NoC write' <out)" '33.8 %|0.43 MB|6.4 %'
	equal "$(cells 'load DMA' <out)" '59.8 %||'
	equal "$(cells 'store DMA' <out)" '33.8 %||'
	equal "$(cells 'compute array' <out)" '3.3 %||'
	equal "$(cells 'vector unit' <out)" '3.0 %||'
	equal "$(cells 'in-transit stage' <out)" '1.2 %||'
}

# bats test_tags=SF-34
@test "the five stalls and their sum stand against the latency" {
	simulated_trace >in
	sf-report in >out
	equal "$(cells computing <out)" '10.00 us|10.0 %'
	equal "$(cells 'waiting: load bandwidth' <out)" '50.00 us|50.0 %'
	equal "$(cells 'waiting: buffer full' <out)" '20.00 us|20.0 %'
	equal "$(cells 'waiting: dependency' <out)" '15.00 us|15.0 %'
	equal "$(cells 'store tail' <out)" '5.00 us|5.0 %'
	equal "$(grep -A 9 'Where the time' out | cells all)" \
	    '100.00 us|100.0 %'
}

# bats test_tags=SF-34
@test "the longest operators come first, the earlier of two that are as long" {
	simulated_trace >in
	sf-report --top 4 in | sed -n '/^### Longest/,/^### Op/p' >out
	equal "$(sed -n 's/^| \([a-z] #[0-9]\) .*/\1/p' out | paste -sd ' ')" \
	    'b #5 b #1 a #0 a #2'
	equal "$(cells 'b #1' <out)" '30.00 us|30.0 %|compute|100'
	equal "$(sf-report --format json --top 2 in | jq -c '[.sim.top[]|[.i,.name,.bound]]')" \
	    '[[5,"b","memory"],[1,"b","compute"]]'
}

@test "--top may be larger than the trace, or nothing" {
	simulated_trace >in
	equal "$(sf-report --format json --top 1000 in | jq -c '[.sim.top[].i]')" \
	    '[5,1,0,2,4]'
	equal "$(sf-report --format json --top 0 in | jq -c .sim.top)" '[]'
	sf-report --top 0 in >out
	equal "$(grep -c 'Longest operators' out)" 0
	equal "$(cells '(4 more)' <out)" '|6|5|100.0 %|500|100.0 %|0'
}

@test "the longest of very many operators are found, in any order" {
	# i -> 7919 i mod 10007 hits each span once: 7919 and 10007 are prime.
	awk -v accel="$(accel)" 'BEGIN {
		print "{\"kind\":\"trace\",\"format\":\"simfront-trace/1\",\"model\":\"m\",\"route\":\"x\"}"
		print accel
		for (i = 0; i < 10006; i++)
			printf "{\"kind\":\"op\",\"i\":%d,\"name\":\"a\",\"inputs\":[],\"outputs\":[],\"category\":\"copy\",\"flops\":0,\"bytes_read\":0,\"bytes_written\":0,\"weight_bytes\":0,\"lower\":{\"unit\":\"none\",\"deps\":[],\"tiles\":0},\"sim\":{\"start_s\":0,\"end_s\":%d,\"bound\":\"memory\",\"tiled_bytes\":0}}\n",
			    i, (i + 1) * 7919 % 10007
	}' >in
	summary 10006 1 >>in
	printf '\n{"kind":"end","ops":10006}\n' >>in
	equal "$(sf-report --format json --top 3 in | jq -c '[.sim.top[].span_s]')" \
	    '[10006,10005,10004]'
}

# bats test_tags=SF-34
@test "spans are binned by equal ratios, the last bin closed" {
	# From 1 to 64 s in six bins: edges 1 2 4 8 16 32 64.
	ran "$(timed 0 a 0 1)" "$(timed 1 a 0 1.5)" "$(timed 2 a 0 3)" \
	    "$(timed 3 a 0 6)" "$(timed 4 a 0 12)" "$(timed 5 a 0 24)" \
	    "$(timed 6 a 0 48)" "$(timed 7 a 0 64)" "$(timed 8 a 1 1)" \
	    "$(summary 9 64)" >in
	run -0 sf-report --format json in
	# The operator that took no time is in no bin.
	equal "$(jq -c '[.sim.histogram[].ops]' <<<"$output")" '[2,1,1,1,1,2]'
	equal "$(jq -c '[.sim.histogram[]|.from_s,.to_s|. * 1000 | round]' <<<"$output")" \
	    '[1000,2000,2000,4000,4000,8000,8000,16000,16000,32000,32000,64000]'
	equal "$(sf-report in | grep -c '^|.*ms |.*ms |')" 6
}

@test "spans that are all the same fill one bin, and no span none" {
	ran "$(timed 0 a 0 2)" "$(timed 1 a 1 3)" "$(summary 2 3)" >in
	equal "$(sf-report --format json in | jq -c .sim.histogram)" \
	    '[{"from_s":2,"to_s":2,"ops":2}]'
	ran "$(timed 0 a 1 1)" "$(summary 1 1)" >in
	equal "$(sf-report --format json in | jq -c .sim.histogram)" '[]'
	equal "$(sf-report in | grep -c 'Operators by span')" 0
}

@test "spans at both ends of what a record may hold are binned" {
	ran "$(timed 0 a 0 1e-100)" "$(timed 1 a 0 1e100)" \
	    "$(summary 2 1e100)" >in
	equal "$(sf-report --format json in | jq -c '[.sim.histogram[].ops]')" \
	    '[1,0,0,0,0,1]'
}

@test "a run of no time has no rates instead of infinite ones" {
	ran "$(timed 0 a 0 0)" "$(summary 1 0)" >in
	equal "$(sf-report --format json in | jq -c '[.sim.flops_per_s,.sim.top[0].share]')" \
	    '[null,null]'
	sf-report in >out
	equal "$(cells Achieved <out)" -
	equal "$(cells computing <out)" '10,000.00 ns|-'
}

@test "a trace that is lowered and not simulated says so" {
	trace "$(accel)" "$(op 0 a view 0 0 0 0)" >in
	sf-report in >out
	equal "$(grep -c '^\*\*Nothing is simulated\*\*' out)" 1
	equal "$(cells preset <out)" edge-npu
	equal "$(sf-report --format json in | jq -c '[.accel,.sim]')" \
	    "[$(accel | jq -c 'del(.kind)'),null]"
}

@test "times without a summary, or another number of them, are refused" {
	ran "$(timed 0 a 0 1)" >in
	run -3 --separate-stderr sf-report in
	one_line_error
	equal "$stderr" 'sf-report: in:4: 1 operators carry times, expected a summary record beside them'
	ran "$(timed 0 a 0 1)" "$(summary 2 1)" >in
	run -3 --separate-stderr sf-report in
	equal "$stderr" 'sf-report: in:5: the summary counts 2 operators, found times on 1'
}

@test "a summary that lacks a member is refused by the member's name" {
	ran "$(timed 0 a 0 1)" "$(summary 1 1 | sed 's/"noc_write":0.338,//')" >in
	run -3 --separate-stderr sf-report in
	one_line_error
	equal "$stderr" "sf-report: in:4: summary: busy: 'noc_write' is missing, expected a number >= 0"
}

@test "negative counts and bytes that overflow in sum are refused" {
	trace "$(summary 0 1 | sed 's/"tiles":7/"tiles":-7/')" >in
	run -3 --separate-stderr sf-report in
	one_line_error
	equal "$stderr" "sf-report: in:2: summary: 'tiles' is -7, expected an integer >= 0 and below 2^63"
	trace "$(summary 0 1 | sed 's/"read":780000/"read":9223372036854775807/')" >in
	run -3 --separate-stderr sf-report in
	equal "$stderr" 'sf-report: in:2: summary: bytes.read + bytes.written passes 2^63 - 1'
	echo '{"kind":"trace","format":"simfront-trace/1","model":"m","route":"x","params":{"count":-1,"bytes":0}}
{"kind":"end","ops":0}' >in
	run -3 --separate-stderr sf-report in
	equal "$stderr" 'sf-report: in:1: trace: params: '\''count'\'' is -1, expected an integer >= 0 and below 2^63'
}

@test "a member that is there twice is refused" {
	trace "$(summary 0 1 '"tiles":8')" >in
	run -3 --separate-stderr sf-report in
	one_line_error
	equal "$stderr" "sf-report: in:2: summary: 'tiles' is there twice, expected it once"
	ran "$(timed 0 a 0 1 | sed 's/"start_s"/"end_s":9,&/')" "$(summary 1 1)" >in
	run -3 --separate-stderr sf-report in
	equal "$stderr" "sf-report: in:3: op 0 'a': sim: 'end_s' is there twice, expected it once"
}

@test "times that run backwards and unknown bounds are refused" {
	ran "$(timed 0 a 2 1)" "$(summary 1 1)" >in
	run -3 --separate-stderr sf-report in
	one_line_error
	equal "$stderr" "sf-report: in:3: op 0 'a': sim: 'end_s' is 1, expected no less than 'start_s', 2"
	ran "$(timed 0 a 0 1 luck)" "$(summary 1 1)" >in
	run -3 --separate-stderr sf-report in
	equal "$stderr" "sf-report: in:3: op 0 'a': sim: 'bound' is \"luck\", expected one of: compute, memory"
}

# The published report of a small CNN on edge-npu, exported by PyTorch: the
# stream goes through the other programs, and every figure comes out to its last
# digit.
@test "the published report of the small CNN is printed in full" {
	sf-rules "$DATA/cnn-export.sft" | sf-lower --preset edge-npu |
	    sf-sim --engine fast >in
	sf-report --top 6 in >out
	equal "$(cells Operators <out)" '15|'
	equal "$(cells 'Rule coverage, calls' <out)" '15 of 15|100.0 %'
	equal "$(cells 'Operators simulated' <out)" 14
	equal "$(cells Tiles <out)" 14
	equal "$(cells MACs <out)" 2,802,304
	equal "$(cells Latency <out)" '104.44 us'
	equal "$(cells 'PE efficiency' <out)" '78.5 %'
	equal "$(cells Hot-spot <out)" 'off-chip memory'
	equal "$(cells 'compute array' <out)" '3.3 %||'
	equal "$(cells 'off-chip memory' <out)" '46.8 %|1.21 MB|45.2 %'
	equal "$(cells 'NoC read' <out)" '59.8 %|0.78 MB|11.6 %'
	equal "$(cells 'NoC write' <out)" '33.8 %|0.43 MB|6.4 %'
	equal "$(cells 'vector unit' <out)" '3.0 %||'
	equal "$(cells 'Buffer used, mean' <out)" '5.1 %'
	equal "$(cells 'Buffer used, peak' <out)" '9.5 %'
	equal "$(sed -n '/^### Where/,/^### Longest/p' out |
	    awk -F ' *[|] *' '/ %/ { print $4 }' | paste -sd,)" \
	    '6.4 %,59.8 %,0.0 %,33.7 %,0.1 %,100.0 %'
	equal "$(sed -n '/^### Longest/,/^### Operators/p' out |
	    awk -F ' *[|] *' '/ us/ { print $2, $3 }')" "\
aten.convolution #4 16.98 us
aten.convolution #0 15.06 us
aten.convolution #8 14.26 us
aten._native_batch_norm_legit_no_training #1 11.78 us
aten.relu #2 10.74 us
aten.max_pool2d_with_indices #3 9.46 us"
	equal "$(sed -n '/^### Operators by span/,$p' out |
	    awk -F ' *[|] *' '/ us/ { print $2, $3, $4 }')" "\
0.59 us 1.03 us 2
1.03 us 1.81 us 0
1.81 us 3.17 us 2
3.17 us 5.54 us 3
5.54 us 9.70 us 2
9.70 us 16.98 us 5"
}

@test "the small CNN from ONNX is printed as published" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules | sf-lower --preset edge-npu |
	    sf-sim --engine fast | sf-report >out
	equal "$(cells Operators <out)" '17|'
	equal "$(cells 'Operators simulated' <out)" 14
	equal "$(cells Tiles <out)" 14
	equal "$(cells MACs <out)" 2,802,304
	equal "$(cells Latency <out)" '99.96 us'
	equal "$(cells 'compute array' <out)" '3.5 %||'
	equal "$(cells 'PE efficiency' <out)" '78.5 %'
	equal "$(cells 'off-chip memory' <out | cut -d'|' -f3)" '45.0 %'
	equal "$(cells Hot-spot <out)" 'off-chip memory'
}

# ---- the stream ----

@test "each of several traces has its own report, in order" {
	{ counted_trace; simulated_trace; trace; counted_trace; } >in
	run -0 sf-report --format json in
	equal "${#lines[@]}" 4
	equal "$(jq -c .flops <<<"$output" | paste -sd ' ')" '330 5 0 330'
	equal "${lines[0]}" "${lines[3]}"
	equal "$(jq -c 'has("sim")' <<<"$output" | paste -sd ' ')" \
	    'false true false false'
	equal "$(sf-report --format csv in | cut -d, -f1 | uniq | paste -sd ' ')" \
	    'trace 1 2 3 4'
	counted_trace >one
	{ sf-report one; echo; sf-report one; } >want
	sf-report one one >got
	cmp want got
}

@test "records of kinds that it does not know change nothing" {
	counted_trace >plain
	sed '2i {"kind":"later","x":[1,{"y":null}]}' plain >other
	for format in md json csv; do
		sf-report --format $format plain >want
		sf-report --format $format other >got
		cmp want got
	done
}

@test "a tile changes nothing" {
	simulated_trace >plain
	sed '3a {"kind":"tile","i":0,"op":0,"t":[0,0,0,1,1,2,2,3]}' plain >tiles
	sf-report plain >want
	sf-report tiles >got
	cmp want got
}

@test "a note is shown once with the number of times it was said" {
	trace '{"kind":"note","tool":"sf-onnx","text":"a *b*"}' \
	    '{"kind":"note","tool":"sf-onnx","text":"c"}' \
	    '{"kind":"note","tool":"sf-onnx","text":"a *b*"}' >in
	run -0 sf-report in
	[[ $output == *$'### Notes\n\n- sf-onnx: a \\*b\\* (2 times)\n- sf-onnx: c'* ]]
	equal "$(sf-report --format json in | jq -c .notes)" \
	    '[{"text":"sf-onnx: a *b*","times":2},{"text":"sf-onnx: c","times":1}]'
}

@test "the pipeline that made the trace can be typed again" {
	trace '{"kind":"tool","tool":"sf-onnx","version":"0.1.0","args":["--dim","n=2","my net.onnx","it'\''s"],"inputs":[{"name":"my net.onnx","crc32":"5b1f09aa"}]}' \
	    '{"kind":"tool","tool":"sf-rules","version":"0.2.0","args":[],"bytes":"unfused"}' \
	    '{"kind":"tool","tool":"x","version":"1","args":[],"o":{"a":1,"b":["c d",null,{"e":true}]},"none":[]}' >in
	sf-report in >out
	grep -Fx "    sf-onnx --dim n=2 'my net.onnx' 'it'\\''s' | sf-rules | x" out
	grep -Fx -e '- sf-onnx 0.1.0; my net.onnx crc32 5b1f09aa' out
	grep -Fx -e '- sf-rules 0.2.0; bytes unfused' out
	grep -Fx -e '- x 1; o a 1, b (c d, -, (e true)); none -' out
	equal "$(sf-report --format json in | jq -c '.tools[1]')" \
	    '{"tool":"sf-rules","version":"0.2.0","args":[],"bytes":"unfused"}'
}

# made_by REPORT - the pipeline that it prints.
made_by() { sed -n '/^### Made by$/,/^- /s/^    //p' "$1"; }

@test "the pipeline that a report prints makes the report again" {
	mkdir -p elsewhere here
	cp "$DATA/tiny-cnn.onnx" "elsewhere/it's \$a model.onnx"
	cp "$DATA/tiny-cnn.onnx" elsewhere/-m.onnx
	cp "$DATA/tiny-cnn.onnx" elsewhere/$'new\nline\e\u200e.onnx'
	cp "$ROOT/configs/accel/edge-npu.json" elsewhere/npu
	cp "$ROOT/configs/models/gpt2.json" elsewhere/model
	cp "$ROOT/configs/models/gpt2.json" "elsewhere/my model.json"
	echo 'onnx.Relu elementwise; flops = 2*numel(outputs)' >'elsewhere/my rules'
	# again COMMAND - what it reports is made again where the files are.
	again() {
		(cd here && eval "$1" | sf-report) >first
		(cd elsewhere && eval "$(made_by ../first)" | sf-report) >second
		[ -n "$(made_by first)" ]
		cmp first second || { made_by first; false; }
	}
	# Files of the stream in between are not there.
	again "sf-onnx \"../elsewhere/it's \\\$a model.onnx\" >raw
	    sf-rules --rules '../elsewhere/my rules' raw raw | tail -n +1 >two
	    sf-rules --rules '../elsewhere/my rules' raw >counted
	    sf-lower counted -p ../elsewhere/npu >lowered; sf-sim lowered"
	again 'sf-onnx ../elsewhere/-m.onnx | sf-rules'
	again $'sf-onnx \'../elsewhere/new\nline\e\u200e.onnx\' | sf-rules'
	again 'sf-model ../elsewhere/model --tokens 3 -D f32 | sf-rules |
	    sf-cost -o optical -l pcie5 -s matmul'
	again 'sf-model "../elsewhere/my model.json" --decode 3 | sf-rules >t
	    sf-cost t --device h100 --memory fused'
	again 'sf-ntt --log-n 6 --limbs 2 | sf-rules | sf-lower -p dc-npu \
	    --set dram_channels=2 -q | sf-sim --engine cycle'
}

@test "a program's name is a word of the pipeline, whatever it is" {
	mkdir bin
	for name in "it's mine" while A=b '$(touch no)' $'a\nb' 'a\b' '~' plain; do
		printf '#!/bin/sh\necho ran "$@"\n' >"bin/$name"
		chmod +x "bin/$name"
		jq -cn --arg tool "$name" \
		    '{kind: "tool", tool: $tool, version: "1", args: ["a b"]}' >record
		trace "$(cat record)" >in
		sf-report in >out
		equal "$(PATH=$PWD/bin:$PATH bash -c "$(made_by out)")" "ran a b"
	done
	[ ! -e no ]
	equal "$(made_by out)" "plain 'a b'"
}

# ---- text ----

@test "names cannot break a table or turn into markup" {
	trace "$(op 0 'a|b\n\u001b[31m\u202e*c*' view 0 0 0 0)" \
	    "$(op 1 '<b>x_y_ `z` aten._q_' view 0 0 0 0)" >in
	sf-report in >out
	equal "$(grep -cF '| a\|b\x0a\x1b[31m\u202e\*c\* ' out)" 1
	equal "$(grep -cF '| \<b>x_y_ \`z\` aten._q\_ ' out)" 1
	equal "$(grep -c "$(printf '\033')" out)" 0
}

@test "every row of a table is as wide as its heading, in any script" {
	trace "$(op 0 'naïve.加法' view 0 0 0 0)" "$(op 1 plain.add view 0 0 0 0)" >in
	sf-report in >out
	equal "$(python3 -c '
import itertools, sys
lines = open("out", encoding="utf-8").read().split("\n")
for table, rows in itertools.groupby(lines, lambda l: l.startswith("|")):
    if table and len({len(r) for r in rows}) != 1:
        print("ragged")
')" ''
}

@test "names come back from JSON as they were, from CSV made visible" {
	local name='a,\"b\"\n|\u0007é'
	trace "$(op 0 "$name" unknown 0 0 0 0)" >in
	sf-report --format json in >json
	sf-report --format csv in >csv
	equal "$(jq -r '.unknown|keys[0]' json)" \
	    "$(printf 'a,"b"\n|\aé')"
	equal "$(python3 -c '
import csv
rows = csv.reader(open("csv", newline="", encoding="utf-8"), strict=True)
print([r[5] for r in rows if r[4] == "unknown"])
')" "$(python3 -c 'print(["a,\"b\"\\x0a|\\x07é"])')"
}

@test "CSV is the JSON report, one row a value" {
	{ simulated_trace; counted_trace; trace "$(bare 0 x)"
	  trace "$(accel '"off":null,"on":true,"list":["a",{"b":[1,"x,y"]}],"none":[]')"
	  trace '{"kind":"tool","tool":"t","version":"1","args":["-a","b \"c\""]}'
	  trace "$(op 0 a unknown 0 0 0 0)" '{"kind":"note","tool":"t","text":"n"}'; } >in
	sf-report --format json in >json
	sf-report --format csv in >csv
	python3 - <<'PY'
import csv, json

def flat(path, name, value):
    if isinstance(value, dict) and value:
        for k, v in value.items():
            yield from flat(path + [name] if name else path, k, v)
    elif isinstance(value, list) and value:
        for k, v in enumerate(value):
            yield from flat(path + [name], str(k), v)
    elif value not in ({}, []):
        yield ".".join(path) or "trace", name, value

def text(value):
    return {None: "", True: "true", False: "false"}.get(value, value)

want = []
for n, line in enumerate(open("json"), 1):
    want += [(str(n), *row) for row in flat([], "", json.loads(line))]
rows = list(csv.reader(open("csv", newline=""), strict=True))
assert rows[0] == "trace,model,route,workload,section,name,value,unit".split(",")
assert len(rows) - 1 == len(want) > 200
for row, (n, section, name, value) in zip(rows[1:], want):
    assert [row[0], row[4], row[5]] == [n, section, name], (row, section, name)
    if type(value) in (int, float):
        assert float(row[6]) == value, (row, value)
    else:
        assert row[6] == text(value), (row, value)
PY
}

@test "Markdown says what JSON says" {
	simulated_trace >in
	sf-report in >out
	sf-report --format json in >json
	equal "$(cells FLOPs <out | cut -d'|' -f1)" "$(jq .flops json)"
	equal "$(cells 'Bytes moved' <out | cut -d'|' -f1)" "$(jq .bytes json)"
	equal "$(cells Latency <out)" \
	    "$(jq -r '.sim.makespan_s * 1e6 * 100 | round / 100 | tostring + ".00 us"' json)"
	equal "$(grep -A 9 '^### Operators by span' out | tail -n +5 | head -n 6 | awk '{ print $8 }' | paste -sd,)" \
	    "$(jq -r '[.sim.histogram[].ops]|map(tostring)|join(",")' json)"
}

# ---- the program ----

@test "an unknown format, a negative --top and a stray option are usage errors" {
	run -2 --separate-stderr sf-report --format xml
	one_line_error
	[[ $stderr == *md*json*csv* ]]
	run -2 --separate-stderr sf-report --top -1
	one_line_error
	run -2 --separate-stderr sf-report --pretty
	one_line_error
}

@test "a trace that is cut short has no report" {
	counted_trace | sed '$d' >in
	run -3 --separate-stderr sf-report in
	one_line_error
	equal "$output" ""
}

@test "memory does not grow with the operators of a trace" {
	[ -z "$SF_SANITIZED" ] || skip "sanitizers reserve address space"
	awk 'BEGIN {
		print "{\"kind\":\"trace\",\"format\":\"simfront-trace/1\",\"model\":\"m\",\"route\":\"x\"}"
		for (i = 0; i < 200000; i++)
			printf "{\"kind\":\"op\",\"i\":%d,\"name\":\"aten.mm\",\"inputs\":[],\"outputs\":[],\"category\":\"matmul\",\"flops\":2,\"bytes_read\":1,\"bytes_written\":1,\"weight_bytes\":0}\n", i
		print "{\"kind\":\"end\",\"ops\":200000}"
	}' >in
	ulimit -v 20000
	run -0 sf-report --format json in
	equal "$(jq .flops <<<"$output")" 400000
}

@test "an operator that is cut ideally is marked, and its products are summed" {
	echo 'my.op(a, b) matmul; flops = 2*numel(out)*a[-1]' >my.rules
	a='{"tid":"a","shape":[64,64],"dtype":"f32","itemsize":4}'
	sf-rules --rules my.rules >counted <<-END
	{"kind":"trace","format":"simfront-trace/1","model":"m","route":"export"}
	{"kind":"op","i":0,"name":"my.op","inputs":[$a,$a],"outputs":[${a/\"a\"/\"b\"}]}
	{"kind":"op","i":1,"name":"aten.mm","inputs":[$a,$a],"outputs":[${a/\"a\"/\"c\"}]}
	{"kind":"end","ops":2}
	END
	sf-lower -p edge-npu counted | sf-sim >simulated
	equal "$(sf-report --format json simulated |
	    jq -c '[.macs,(.types|map(.macs)),(.sim.top|map(.cut))]')" \
	    "[262144,[262144,0],[null,\"ideal\"]]"
	equal "$(sf-report simulated | grep -c '^| my.op #0 (ideal) ')" 1
	equal "$(sf-report simulated | grep -c 'states no product are cut ideally')" 1
}
