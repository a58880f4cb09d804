# The answer that a report begins with, against other programs' figures and
# arithmetic by hand.

load helpers

# answer FILTER [FILE...] - of each trace.
answer() {
	local filter=$1
	shift
	sf-report --format json "$@" | jq -c ".answer | $filter"
}

# row LABEL - the cell behind it in the first table.
row() {
	sed '/^## /q' | awk -F ' *[|] *' -v label="$1" '$2 == label { print $3 }'
}

@test "a costed trace takes what its costs add up to, on its device" {
	sf-model gpt2 --tokens 128 --batch 2 | sf-rules >in
	sf-cost --device h100 --devices 2 in >costed
	sf-report --format json costed >out
	jq -e '.answer.latency_s == .cost.total_s and
	    .answer.on == "2 x h100" and .answer.unit == "tokens" and
	    (.answer.per_s * .cost.total_s / 256 - 1 | fabs) < 1e-12 and
	    .answer.hotspot == (.cost.types[0].name) and
	    (.answer.hotspot_share * .cost.total_s /
	     (.cost.types[0].time_s + .cost.types[0].transfer_s) - 1 | fabs) < 1e-9 and
	    .answer.device_bytes == 160e9' out
	sf-report costed >md
	row Takes <md | grep -q '^[0-9.,]* [mu]s on 2 x h100$'
	grep -q '^| Rate  *| [0-9,]* tokens/s' md
	equal "$(sed -n 3p md | tr -d ' ')" '|Answer||'
}

@test "a simulated trace takes its makespan, and its array's share is its peak's" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules |
	    sf-lower --preset edge-npu | sf-sim >in
	sf-report --format json in >out
	# 32 x 32 multiply-accumulates a cycle at 1 GHz.
	jq -e '.answer.latency_s == .sim.makespan_s and .answer.unit == "inputs" and
	    (.answer.peak_share * .sim.makespan_s * 1024e9 / .sim.macs - 1 | fabs) < 1e-12 and
	    .answer.hotspot == .sim.hotspot and .answer.hotspot_share == null' out
	sf-report in | row 'Most time in' | grep -q ': '
}

@test "the share of the peak is that of each operator's type" {
	local device='{"kind":"device","mode":"roofline","name":"d","peak_flops":100,"memory_bw":1,"flops_eff":1,"bw_eff":1,"devices":2,"flops_per_s":200,"bytes_per_s":2,"memory":"unfused","op_overhead_s":0}'
	local op='{"kind":"op","i":0,"name":"x","inputs":[],"outputs":[],"category":"matmul","flops":1000,"bytes_read":0,"bytes_written":0,"weight_bytes":0,"cost":{"time_s":20,"bound":"compute","unit":"device","transfer_s":0}}'
	trace "$device" "$op" >in
	# 1000 FLOPs at 2 x 100 a second are 5 s of 20.
	equal "$(answer '[.peak_share, .per_s, .unit]' in)" '[0.25,0.05,"runs"]'
}

@test "a trace that its device has no room for is a note, and a status" {
	sf-model llama3-70b --tokens 16 | sf-rules >in
	sf-cost --device h100 in >one
	run -0 --separate-stderr sf-report --format json one
	one_line_error
	equal "$stderr" 'sf-report: note: llama3-70b needs 141 GB and h100 has 80 GB: 2 such devices would have it'
	equal "$(jq -c '.answer|[.fits_device,.device_bytes]' <<<"$output")" '[false,80000000000]'
	run -1 sf-report --strict one
	[[ $output == *'**it does not fit**, 2 devices would have it'* ]]
	sf-cost --device h100 --devices 2 in >two
	run -0 --separate-stderr sf-report --strict two
	equal "$stderr" ''
	[[ $output == *'GB of 160.000 GB: it fits'* ]]
	equal "$(answer .memory_bytes one)" "$(sf-report --footprint --format json one 2>/dev/null | jq .footprint.total)" 2>/dev/null
}

@test "a trace without times has its work, one that is not counted a name" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules >in
	sf-report in | row Work | grep -q 'FLOP, .* moved$'
	equal "$(answer '[.on,.latency_s,.per_s,.peak_share,.hotspot]' in)" \
	    '[null,null,null,null,null]'
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-report | sed -n '1,3p' >out
	equal "$(cat out)" '# tiny-cnn

## Trace'
}

@test "a split takes what its parts take, and a measured trace what was measured" {
	sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules |
	    sf-ep --host xeon-8480 --claim onnx.Conv >in
	jq 'select(.kind=="partition") | .device_s + .host_s + .link_s' in >want
	jq -n --slurpfile want want --slurpfile got <(answer . in) '$got[0] |
	    .latency_s == $want[0] and .on == "edge-npu beside xeon-8480" and
	    .unit == "inputs" and (.per_s * .latency_s - 1 | fabs) < 1e-12 and
	    .hotspot == null' | grep -qx true
	sf-report in | row 'Bound by' |
	    grep -qx 'device [0-9.]* %, host [0-9.]* %, link [0-9.]* %'
	sf-dispatch "$DATA/profiles/train.kineto.json.gz" | sf-rules >in
	jq -s 'map(.measured_s // 0) | add' in >want
	jq -n --slurpfile want want --slurpfile got <(answer . in) '$got[0] |
	    (.latency_s / $want[0] - 1 | fabs) < 1e-12 and .on == null and
	    .unit == "runs" and .hotspot_share > 0' | grep -qx true
	sf-report in | row Takes | grep -q 'as measured, all operators together$'
	equal "$(answer .hotspot in)" "$(jq -s 'map(select(.measured_s)) |
	    group_by(.name) | max_by(map(.measured_s) | add)[0].name' in)"
	# What it costs on a device goes before what it took.
	sf-cost -d h100 in >costed
	equal "$(answer '[.on,.latency_s]' costed)" \
	    "$(sf-report --format json costed | jq -c '["h100",.cost.total_s]')"
}

@test "an answer that leaves operators out says how many" {
	printf '%s' '{"inputs":{"x":"f32[batch,4]","k":"f32[2,2]"},
	    "outputs":["y","z"],"nodes":["y = Relu(x)","z = Neg(k)"]}' |
	    "$ROOT/tests/onnx-model.py" >m.onnx
	sf-onnx m.onnx 2>err | sf-rules | sf-cost -d h100 >open
	equal "$(sf-report open | row 'Left out')" \
	    '**1 of 2 operators**, which are not counted'
	equal "$(answer .left_out open)" 1
	sf-onnx --dim batch=3 m.onnx | sf-rules | sf-cost -d h100 >whole
	equal "$(answer .left_out whole)" 0
	refute grep -q 'Left out' <(sf-report whole)
	sf-compare whole open >both
	grep -qx '2 leaves out \*\*1 of 2 operators\*\*, which are not counted.' both
	equal "$(sf-compare --format json whole open |
	    jq -c '[.traces[].left_out]')" '[0,1]'
}

@test "an offload is told with its host, and transfers bound it, too" {
	sf-model gpt2 --tokens 16 | sf-rules |
	    sf-cost --offload optical --link pcie5 --supports matmul >in
	equal "$(answer '[.on,.device_bytes,.peak_share]' in)" \
	    '["optical beside host",null,null]'
	sf-report in | row 'Bound by' | grep -q 'transfers [0-9.]* %$'
}
