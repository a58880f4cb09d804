# sf-ep against the published table, arithmetic by hand, and a second partition
# of random graphs.

load helpers

all=Conv,Gemm,Relu,MaxPool,BatchNormalization,ReduceMean

# cnn - the small network, counted.
cnn() { sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules; }

# row - of the report, the row that splits are compared by.
row() { sed -n '7s/[| ][| ]*/ /gp' | sed 's/^ //; s/ $//'; }

# op I NAME CATEGORY FLOPS READ WRITTEN INPUTS OUTPUT - a counted op; tensors
# have 1,000,000 bytes, and those called w... are parameters.
op() {
	jq -nc --argjson i "$1" --arg name "$2" --arg category "$3" \
		--argjson f "$4" --argjson r "$5" --argjson w "$6" --arg in "$7" \
		--arg out "$8" 'def t: {tid: ., shape: [1000000], dtype: "u8",
		itemsize: 1} + if startswith("w") then {param: true} else {} end;
		{kind: "op", i: $i, name: $name, inputs: [$in | split(" ")[] | t],
		outputs: [$out | t], category: $category, flops: $f,
		bytes_read: $r, bytes_written: $w, weight_bytes: 0}'
}

# ---- the published table ----

# bats test_tags=SF-38
@test "the small network's splits are the published ones" {
	cnn >in
	equal "$(sf-ep --claim Conv,Gemm in | row)" \
		"4/17 4 13 140.4 36.35 3.04 15.19 54.59"
	equal "$(sf-ep --claim Conv,Gemm,Relu,MaxPool in | row)" \
		"10/17 5 12 230.3 69.17 1.16 15.60 85.93"
	equal "$(sf-ep --claim $all in | row)" \
		"17/17 1 0 0.0 99.96 0.00 0.00 99.96"
}

@test "what is claimed whole takes what sf-sim says" {
	cnn >in
	equal "$(sf-ep -c $all -f json in | jq .device_s)" \
		"$(sf-lower -p edge-npu in | sf-sim | jq 'select(.kind=="summary").makespan_s')"
}

@test "the report says which types run where though nobody claimed them" {
	cnn >in
	sf-ep -c Conv,Gemm,Relu,MaxPool -f json in >out
	# By category, the mean runs with the pooling; its axes are nobody's.
	equal "$(jq -c .categories out)" '["matmul","elementwise","reduction"]'
	equal "$(jq -c '.types[] | select(.claimed != .device) |
		[.name, .nodes, .claimed, .device, .host, .free]' out)" \
		'["onnx.ReduceMean",1,0,1,0,0]'
	equal "$(jq -c .host_ops out)" '[1,5,9,12,13,14,15]'
	# By node, it is the host's: the last pooling's 4,096 bytes, the axes'
	# 16 and the mean's 256 cross, too.
	equal "$(sf-ep -n -c Conv,Gemm,Relu,MaxPool -f json in |
		jq -c '[.crossings, .crossing_bytes, .categories]')" \
		"[15,$((230272 + 4096 + 16 + 256)),null]"
}

# ---- by hand ----

@test "a tensor that both sides read in turn moves each time" {
	# x is on the device; host reads it (1), device reads it back (2), host
	# again (3), with y that the device made (4); once by two inputs.
	trace "$(op 0 onnx.H copy 0 1000000 0 x a)" \
		"$(op 1 onnx.D matmul 0 1000000 0 x y)" \
		"$(op 2 onnx.H copy 0 3000000 0 'x y y' z)" >in
	sf-ep -c D -f json in >out
	equal "$(jq -c '[.claimed, .subgraphs, .cut_edges, .crossings,
		.crossing_bytes]' out)" '[1,1,2,4,4000000]'
	# 4 us + 4e6 B / 64e9 B/s = 66.5 us; the host 4e6 B / 200e9 B/s = 20 us.
	equal "$(jq '[.link_s, .host_s] | map(. * 1e6 * 1e6 | round / 1e6)' -c out)" \
		'[66.5,20]'
	equal "$(jq '.total_s == .device_s + .host_s + .link_s' out)" true
}

@test "the host takes the slower of its arithmetic and its traffic" {
	# 4e9 FLOP / 2e12 = 2 ms against 1e6 B / 200e9 B/s = 5 us, then 10 us.
	trace "$(op 0 onnx.H copy 4000000000 1000000 0 x a)" \
		"$(op 1 onnx.H copy 0 1000000 1000000 a b)" >in
	equal "$(sf-ep -c D -f json in | jq '.host_s * 1e6 | round')" 2010
}

@test "a parameter is on both sides and a view lives where its input does" {
	trace "$(op 0 onnx.H copy 0 1000000 0 'w1 x' a)" \
		"$(op 1 onnx.V view 0 0 0 a v)" \
		"$(op 2 onnx.H copy 0 1000000 0 v b)" \
		"$(op 3 onnx.D matmul 0 1000000 0 'w1 v' c)" >in
	# x goes to the host, v from there to the device.
	equal "$(sf-ep -c D -f json in | jq -c '[.crossings, .host_ops]')" \
		'[2,[0,1,2]]'
}

@test "a node that costs nothing goes with all that read it" {
	# The view v0 is read by D and H, v1 by D through v2, v4 by nobody but
	# made by D, v6 by nobody and made by nobody.
	trace "$(op 0 onnx.V view 0 0 0 x v0)" "$(op 1 onnx.V view 0 0 0 x v1)" \
		"$(op 2 onnx.V view 0 0 0 v1 v2)" \
		"$(op 3 onnx.D matmul 0 1 0 'v0 v2' d)" \
		"$(op 4 onnx.V view 0 0 0 d v4)" \
		"$(op 5 onnx.H copy 0 1 0 v0 h)" \
		"$(op 6 onnx.V view 0 0 0 y v6)" >in
	equal "$(sf-ep -c D -f json in | jq -c '[.subgraph_ops, .host_ops]')" \
		'[[[1,2,3,4]],[0,5,6]]'
	# Claimed by name, each is the device's.
	equal "$(sf-ep -c D,V -f json in | jq -c '[.subgraph_ops, .host_ops]')" \
		'[[[0,1,2,3,4],[6]],[5]]'
}

@test "the device's program waits for what it made, not for the host" {
	# Two operators of 1 MB each; the second needs the first, or not.
	chain=$(trace "$(op 0 onnx.D copy 0 1000000 0 x a)" \
		"$(op 1 onnx.D copy 0 1000000 0 a b)")
	apart=$(trace "$(op 0 onnx.D copy 0 1000000 0 x a)" \
		"$(op 1 onnx.H matmul 0 1000000 0 a h)" \
		"$(op 2 onnx.D copy 0 1000000 0 h b)")
	# Each loads for 120 ns + 1e6 B / 12.8e9 B/s = 78.245 us, one at a time,
	# and computes 1e6 elements, 64 a cycle, for 15.625 us.
	equal "$(sf-ep -c D -f json <<<"$chain" | jq '.device_s * 1e9 | round')" \
		$((2 * (78245 + 15625)))
	equal "$(sf-ep -c D -f json <<<"$apart" | jq '.device_s * 1e9 | round')" \
		$((2 * 78245 + 15625))
	equal "$(sf-ep -c D -f json <<<"$apart" | jq -c '[.tiles, .crossings]')" \
		'[2,2]'
}

@test "--categories says what the device runs, whatever is claimed" {
	cnn >in
	sf-ep -c Conv -C matmul,norm -f json in >out
	equal "$(jq -c '[.claimed, .categories]' out)" '[3,["matmul","norm"]]'
	equal "$(jq -c '[.types[] | select(.device > 0).name]' out)" \
		'["onnx.Conv","onnx.BatchNormalization","onnx.Gemm"]'
}

@test "the device, the host and the link are the user's to choose" {
	cnn >in
	jq '.bw.value = "1GB/s" | .latency.value = "1ms"' \
		"$ROOT/configs/links/ep.json" >slow.json
	jq '.memory_bw.value = "1GB/s"' "$ROOT/configs/devices/host.json" >old.json
	# 13 ms + 140,432 B / 1e9 B/s; 608,272 B / 1e9 B/s.
	equal "$(sf-ep -c Conv,Gemm -l ./slow.json -H ./old.json -f json in | jq -c \
		'[.link_s, .host_s] | map(. * 1e9 | round)')" '[13140432,608272]'
	equal "$(sf-ep -c $all -p dc-npu -s dram_bw=800GB/s -f json in | jq -c \
		'[.device_s, .settings]')" \
		"[$(sf-lower -p dc-npu -s dram_bw=800GB/s in | sf-sim | jq \
		'select(.kind=="summary").makespan_s'),[\"dram_bw=800GB/s\"]]"
	# One channel is the event engine's, which the report says.
	equal "$(sf-ep -c $all -s dram_channels=1 -f json in | jq -c \
		'[.device_s, .engine]')" \
		"[$(sf-lower -p edge-npu -s dram_channels=1 in | sf-sim -e event |
		jq 'select(.kind=="summary").makespan_s'),\"event\"]"
}

@test "an operator that no rule counts is named, and takes no time" {
	trace "$(op 0 onnx.Foo unknown 0 0 0 x a)" \
		"$(op 1 onnx.D copy 0 1000000 0 a b)" >in
	run -0 --separate-stderr sf-ep -c D in
	equal "$stderr" ""
	[[ $output == *"**Not all is costed**: 1 of the nodes"* ]]
	equal "$(sf-ep -c Foo,D -f json in | jq -c \
		'[.claimed, .crossings, (.types[] | select(.unknown > 0).name)]')" \
		'[2,0,"onnx.Foo"]'
}

# ---- any graph ----

# bats test_tags=SF-38
@test "random graphs are split as a second program splits them" {
	"$ROOT/tests/oracle/ep.py" make 11 1000 >in
	run -0 --separate-stderr sf-ep -c A,B,C,aten.d -f json in
	equal "$stderr" ""
	printf '%s\n' "$output" >report
	"$ROOT/tests/oracle/ep.py" device in | sf-lower -p edge-npu | sf-sim >sim
	run -0 "$ROOT/tests/oracle/ep.py" check in report sim
	[[ $output == "1000 traces, "* ]]
}

@test "nothing crosses when everything is claimed, or nothing is" {
	"$ROOT/tests/oracle/ep.py" make 12 300 >in
	equal "$(sf-ep -c A,B,C,aten.d,E,F,aten.A -f json in | jq -s \
		'length, ([.[] | .crossings + .host_s + (.host_ops | length)] | add)')" '300
0'
	equal "$(sf-ep -c Nobody -f json in | jq -s \
		'[.[] | .claimed + .subgraphs + .device_s] | add')" 0
	# The host reads each input once, and what it made is there.
	equal "$(sf-ep -c Nobody -f json in | jq -s \
		'all(.crossings <= 3 + ([.types[].free, .types[].unknown] | add // 0))')" \
		true
}

@test "json and csv say the same" {
	cnn >in
	equal "$(sf-ep -c Conv -f csv in | awk -F, '$5 == "trace" && \
		$6 ~ /^(claimed|crossings|link_s|total_s)$/ { print $7 }')" \
		"$(sf-ep -c Conv -f json in | jq '.claimed, .crossings, .link_s, .total_s')"
	equal "$(sf-ep -c Conv -f csv in | head -n 1)" \
		"$(sf-report -f csv in | head -n 1)"
}

# ---- what cannot be meant ----

@test "a claimed type that no trace has is named, and a no when strict" {
	cnn >in
	run -0 --separate-stderr sf-ep -c Conv,Softmax,onnx.Gemm,Conv in
	equal "$stderr" ""
	[[ $output == *"| Claimed types           | Conv, Gemm "* ]]
	[[ $output == *"| Not in the trace        | Softmax "* ]]
	run -1 --separate-stderr sf-ep --strict -c Conv,Softmax in
	equal "$stderr" "sf-ep: note: no trace has an operator 'Softmax'"
	run -0 --separate-stderr sf-ep --strict -c Conv,Gemm in
	equal "$stderr" ""
	# One trace of several is enough.
	trace "$(op 0 onnx.Softmax softmax 0 1 0 x a)" >other
	run -0 --separate-stderr sf-ep --strict -c Conv,Softmax in other
}

@test "options that cannot be meant are refused in one line" {
	for args in '' '-c Conv,' '-c ,Conv' '-c onnx.' '-c Conv -C foo' \
		'-c Conv -C matmul,' '-c Conv -n -C matmul' '-c Conv -p nosuch' \
		'-c Conv -l nosuch' '-c Conv -H nosuch' '-c Conv -s clock=1' \
		'-c Conv -s dram_channels=0' '-c Conv -f xml'; do
		# shellcheck disable=SC2086 # several words are meant
		run -2 --separate-stderr sf-ep $args </dev/null
		one_line_error
		equal "$output" ""
	done
	run -2 --separate-stderr sf-ep </dev/null
	equal "$stderr" "sf-ep: missing option: expected '--claim'"
}

@test "what is not counted is refused" {
	run -3 --separate-stderr sf-ep -c Conv \
		<(sf-onnx "$DATA/tiny-cnn.onnx")
	one_line_error
	[[ $stderr == *"op 0 'onnx.Conv': is not counted"* ]]
}

@test "a size that is not known cannot cross the link" {
	trace "$(op 0 onnx.H copy 0 0 0 x a | sed '1s/1000000/null/')" >in
	run -3 --separate-stderr sf-ep -c D in
	one_line_error
	[[ $stderr == *"tensor 'x' crosses the link and its size is not known" ]]
}
