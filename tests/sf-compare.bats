# sf-compare: traces beside each other. Figures are held against sf-report of
# each trace, and causes against traces by hand.

load helpers

# op I NAME FLOPS READ WRITTEN TIME_S [UNIT] [BOUND] - a costed operator.
op() {
	printf '{"kind":"op","i":%d,"name":"%s","inputs":[],"outputs":[],"category":"copy","flops":%s,"bytes_read":%s,"bytes_written":%s,"weight_bytes":0,"cost":{"time_s":%s,"bound":"%s","unit":"%s","transfer_s":0}}' \
	    "$1" "$2" "$3" "$4" "$5" "$6" "${8:-memory}" "${7:-device}"
}

device='{"kind":"device","mode":"roofline","name":"d","peak_flops":1,"memory_bw":1,"flops_eff":1,"bw_eff":1,"devices":1,"flops_per_s":1,"bytes_per_s":1,"memory":"unfused","op_overhead_s":0}'

# moves FILE... - names and causes of what moved in the last trace.
moves() {
	sf-compare --format json "$@" |
	    jq -c '.traces[-1].moves | map([.name] + .why)'
}

@test "each cause is told, and all that hold" {
	trace "$device" "$(op 0 same 1 1 1 1)" "$(op 1 gone 1 1 1 1)" \
	    "$(op 2 more 8 8 8 1)" "$(op 3 calls 4 4 4 4)" \
	    "$(op 4 moved 1 1 1 1 device)" "$(op 5 slow 1 1 1 1)" >a
	trace "$device" "$(op 0 same 1 1 1 1)" "$(op 1 new 1 1 1 9)" \
	    "$(op 2 more 16 4 4 8)" "$(op 3 calls 2 2 2 3)" \
	    "$(op 4 calls 2 2 2 8)" "$(op 5 moved 1 1 1 6 host compute)" \
	    "$(op 6 slow 1 1 1 5)" >b
	# In the order of what they moved by: 8, 7 (twice, by name), 5, 4, 1.
	equal "$(moves a b)" \
	    '[["new","new"],["calls","calls"],["more","FLOPs","bytes"],["moved","unit","bound"],["slow","rate"],["gone","gone"]]'
	sf-compare a b >out
	grep -q 'FLOPs x 2.00, bytes x 0.50' out
	grep -q 'unit device to host, bound memory to compute' out
	grep -q 'calls x 2.00' out
	refute grep -q '| same' out
}

@test "a unit or bound in which operators differ is no cause" {
	trace "$device" "$(op 0 x 1 1 1 1 device)" "$(op 1 x 1 1 1 1 host)" >a
	trace "$device" "$(op 0 x 1 1 1 2 host)" "$(op 1 x 1 1 1 1 host)" >b
	equal "$(moves a b)" '[["x","rate"]]'
}

@test "of twins that differ in one thing the cause is that thing" {
	sf-model qwen2.5-0.5b --tokens 64 | sf-rules >in
	sf-cost --device h100 in >first
	why() { # TYPE - of the trace on standard input, beside the first
		cat first - | sf-compare --top 1000 --format json |
		    jq -r --arg type "$1" '.traces[1].moves[] |
		    select(.name==$type).why | join(" ")'
	}
	equal "$(sf-model qwen2.5-0.5b --tokens 64 --batch 2 | sf-rules |
	    sf-cost --device h100 | why aten.mul)" 'FLOPs bytes'
	equal "$(sf-model qwen2.5-0.5b --tokens 64 --dtype f32 | sf-rules |
	    sf-cost --device h100 | why aten.mm)" 'bytes type bound'
	equal "$(sf-cost --device a100 in | why aten.mul)" rate
	equal "$(sf-cost --device h100 --set memory_bw=1TB/s in | why aten.mm)" rate
	equal "$(sf-cost --device h100 --memory fused in | why aten.silu)" bound
	equal "$(sf-cost --offload h100 --link pcie5 --supports matmul in |
	    why aten.mul)" unit
	sf-cost --device h100 in | cat first - | sf-compare >same
	grep -qx 'Nothing moved from 1 to 2.' same
	refute grep -q '^## What moved' same
	# Simulated: less bandwidth is waiting for loads, and no more computing.
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >in
	sf-lower --preset edge-npu in | sf-sim >first
	sf-lower --preset edge-npu --set dram_bw=5GB/s in | sf-sim | tee slow |
	    why onnx.Conv >causes
	equal "$(cat causes)" stall
	sf-compare first slow | grep -q '| load bandwidth +[0-9.]* [mu]s |'
	sf-compare --by node --top 1000 --format json first slow >moves
	jq -e '.traces[1].moves | all(.[]; .is.waits_s.load_bandwidth >=
	    .was.waits_s.load_bandwidth)' moves
	sf-lower --preset edge-npu --set array_rows=4 in | sf-sim |
	    why onnx.Conv >causes
	grep -q '^\(rate\|bound\)' causes
}

@test "a split stands beside what it is compared with, and no operator moves" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >in
	sf-ep --host xeon-8480 --claim onnx.Conv in >split
	sf-cost --device xeon-8480 in | cat split - | sf-compare --format json >out
	equal "$(jq -r '.traces[0] | [.on, .moved // 0] | @tsv' out)" \
	    "edge-npu, host xeon-8480	0"
	equal "$(jq '.traces[0].latency_s' out)" \
	    "$(jq 'select(.kind=="partition") | .device_s + .host_s + .link_s' split)"
	equal "$(jq -c '.traces[1].moves' out)" '[]'
}

@test "a row's figures are those that sf-report gives of the trace" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >in
	{
		sf-cost --device h100 in
		sf-cost --device a100 --devices 2 in
		sf-cost --offload optical --link pcie5 --supports matmul in
		sf-lower --preset edge-npu in | sf-sim
		sf-lower --preset dc-npu in | sf-sim
		cat in
	} >all
	sf-compare --format json all | jq -c '.traces[]' >rows
	sf-report --format json --memory 80GB all >reports
	equal "$(wc -l <rows)" 6
	jq -e -s 'length == 12 and ([range(6) as $i |
	    .[$i] as $row | .[$i + 6] as $r |
	    $row.ops == $r.ops and $row.flops == $r.flops and
	    $row.bytes == $r.bytes and
	    $row.memory_bytes == $r.footprint.total and
	    $row.latency_s == ($r.sim.makespan_s // $r.cost.total_s)] | all)' \
	    rows reports
	equal "$(jq -r .on rows | paste -sd ';')" \
	    'h100;a100 x 2;optical, host host;edge-npu;dc-npu;'
	jq -e -s '.[3].factor == .[3].latency_s / .[0].latency_s' rows
	jq -e -s '(.[3].stalls_s | add) as $sum |
	    ($sum / .[3].latency_s - 1 | fabs) < 1e-9' rows
}

@test "what moved sums to how the latency moved" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >in
	for preset in edge-npu dc-npu; do
		sf-lower --preset $preset in | sf-sim
	done >two
	for by in node module type; do
		sf-compare --by $by --top 1000 --format json two |
		    jq -e '.traces as [$a, $b] | $b.moved == ($b.moves|length) and
		    ((($b.moves | map(.is.time_s - .was.time_s) | add) /
		    ($b.latency_s - $a.latency_s) - 1) | fabs) < 1e-9'
	done
}

@test "CSV has a row a trace with the values of JSON" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >in
	{ sf-cost --device h100 in; cat in; } >all
	sf-compare --format csv all >csv
	equal "$(head -n 1 csv)" \
	    'trace,model,route,workload,on,latency_s,factor,bound,bound_share,ops,flops,bytes,memory_bytes,device_bytes,fits'
	sf-compare --format json all | jq -r '.traces | to_entries[] |
	    [.key + 1] + (.value | [.model,.route,.workload,.on,.latency_s,
	    .factor,.bound,.bound_share,.ops,.flops,.bytes,.memory_bytes,
	    .device_bytes,.fits]) | map(if . == null then "" else tostring end)
	    | join(",")' >json
	number='s/[0-9]\{1,\}\.\{0,1\}[0-9]*e[-+][0-9]*\|[0-9]*\.[0-9]*/N/g'
	sed "$number" json >json.plain
	tail -n +2 csv | sed "$number" | cmp - json.plain
}

@test "a gate with nothing to hold against the first trace is an error" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules | sf-cost --device h100 >one
	run -3 --separate-stderr sf-compare --tolerance 2 one
	equal "$stderr" "sf-compare: one trace in all, expected others that '--tolerance' holds against it"
	equal "$output" ""
	run -0 sf-compare one
	run -0 sf-compare --tolerance 2 one one
}

@test "a gate: a latency above the first by more than the tolerance is a no" {
	trace "$device" "$(op 0 x 1 1 1 100)" >a
	trace "$device" "$(op 0 x 1 1 1 102)" >b
	run -0 --separate-stderr sf-compare --tolerance 2 a b
	equal "$stderr" ''
	run -1 sf-compare --tolerance 1.99 a b
	run -1 sf-compare --tolerance 1 a a b a
	run -0 sf-compare --tolerance 0 b a
	run -0 sf-compare a b
	trace >none
	run -3 --separate-stderr sf-compare --tolerance 2 a none
	one_line_error
}

@test "a device that has too little memory is said to have" {
	sf-model llama3-8b --tokens 16 | sf-rules | sf-cost --device h100 >in
	equal "$(sf-compare --format json in | jq .traces[0].fits)" true
	sed 's/"memory_bytes":[0-9]*/"memory_bytes":1000000000/' in >small
	equal "$(sf-compare --format json small | jq .traces[0].fits)" false
	sf-compare small | grep -q '| no  *|$'
}

@test "sf-diff says that it compares no times, and who does" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >counted
	sf-cost --device h100 counted >costed
	sf-lower --preset edge-npu counted | sf-sim >simulated
	run -0 --separate-stderr sf-diff counted counted
	equal "$stderr" ''
	for b in costed simulated; do
		run -0 --separate-stderr sf-diff counted $b
		equal "$stderr" \
		    'sf-diff: note: times are not compared; sf-compare does that'
		equal "$output" ''
	done
}
