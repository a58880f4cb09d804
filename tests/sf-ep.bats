# sf-ep against the published table, arithmetic by hand, and a second partition
# of random graphs.

load helpers

all=Conv,Gemm,Relu,MaxPool,BatchNormalization,ReduceMean

# cnn - the small network, counted.
cnn() { sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules; }

# row - of the report, the row that splits are compared by.
row() {
	sf-report | sed -n '/^| Claimed |/{n;n;s/[| ][| ]*/ /gp}' |
	    sed 's/^ //; s/ $//'
}

# ep ARG... - what the report's section says, as JSON.
ep() { sf-ep "$@" | sf-report -f json | jq -c .ep; }

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
	equal "$(ep -c $all in | jq .device_s)" \
		"$(sf-lower -p edge-npu in | sf-sim | jq 'select(.kind=="summary").makespan_s')"
}

@test "the report says which types run where though nobody claimed them" {
	cnn >in
	ep -c Conv,Gemm,Relu,MaxPool in >out
	# By category, the mean runs with the pooling; its axes are nobody's.
	equal "$(jq -c .categories out)" '["matmul","elementwise","reduction"]'
	equal "$(jq -c '.types[] | select(.claimed != .device) |
		[.name, .nodes, .claimed, .device, .host, .free]' out)" \
		'["onnx.ReduceMean",1,0,1,0,0]'
	equal "$(jq -c .host_ops out)" '[1,5,9,12,13,14,15]'
	# By node, it is the host's: the last pooling's 4,096 bytes, the axes'
	# 16 and the mean's 256 cross, too.
	equal "$(ep -n -c Conv,Gemm,Relu,MaxPool in |
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
	ep -c D in >out
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
	equal "$(ep -c D in | jq '.host_s * 1e6 | round')" 2010
}

@test "a parameter is on both sides and a view lives where its input does" {
	trace "$(op 0 onnx.H copy 0 1000000 0 'w1 x' a)" \
		"$(op 1 onnx.V view 0 0 0 a v)" \
		"$(op 2 onnx.H copy 0 1000000 0 v b)" \
		"$(op 3 onnx.D matmul 0 1000000 0 'w1 v' c)" >in
	# x goes to the host, v from there to the device.
	equal "$(ep -c D in | jq -c '[.crossings, .host_ops]')" \
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
	equal "$(ep -c D in | jq -c '[.subgraph_ops, .host_ops]')" \
		'[[[1,2,3,4]],[0,5,6]]'
	# Claimed by name, each is the device's.
	equal "$(ep -c D,V in | jq -c '[.subgraph_ops, .host_ops]')" \
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
	equal "$(ep -c D <<<"$chain" | jq '.device_s * 1e9 | round')" \
		$((2 * (78245 + 15625)))
	equal "$(ep -c D <<<"$apart" | jq '.device_s * 1e9 | round')" \
		$((2 * 78245 + 15625))
	equal "$(ep -c D <<<"$apart" | jq -c '[.tiles, .crossings]')" \
		'[2,2]'
}

@test "the device's program has the products that a rule of the user states" {
	tensor='{"tid":"%s","shape":[%s],"dtype":"f32","itemsize":4}'
	# shellcheck disable=SC2059
	printf '{"kind":"op","i":0,"name":"my.mul","inputs":['"$tensor,$tensor"'],"outputs":['"$tensor"']}' \
		a 64,512 b 512,96 c 64,96 >op
	cat >rules <<-EOF
		my.mul(a, b) matmul; gemm = 1, a[0], a[1], b[1] of a, b
	EOF
	trace "$(cat op)" | sf-rules --rules rules >in
	grep -q '"gemms":' in
	equal "$(ep -c my.mul in | jq .device_s)" \
		"$(sf-lower -p edge-npu in | sf-sim | jq 'select(.kind=="summary").makespan_s')"
}

@test "--categories says what the device runs, whatever is claimed" {
	cnn >in
	ep -c Conv -C matmul,norm in >out
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
	equal "$(ep -c Conv,Gemm -l ./slow.json -H ./old.json in | jq -c \
		'[.link_s, .host_s] | map(. * 1e9 | round)')" '[13140432,608272]'
	equal "$(ep -c $all -p dc-npu -s dram_bw=800GB/s in | jq -c \
		'[.device_s, .settings]')" \
		"[$(sf-lower -p dc-npu -s dram_bw=800GB/s in | sf-sim | jq \
		'select(.kind=="summary").makespan_s'),[\"dram_bw=800GB/s\"]]"
	# One channel has the event engine's times.
	equal "$(ep -c $all -s dram_channels=1 in | jq -c \
		'[.device_s, .engine]')" \
		"[$(sf-lower -p edge-npu -s dram_channels=1 in | sf-sim -e event |
		jq 'select(.kind=="summary").makespan_s'),\"fast\"]"
}

@test "an operator that no rule counts is named, and takes no time" {
	trace "$(op 0 onnx.Foo unknown 0 0 0 x a)" \
		"$(op 1 onnx.D copy 0 1000000 0 a b)" >in
	run -0 --separate-stderr sf-report <(sf-ep -c D in)
	equal "$stderr" ""
	[[ $output == *"**Not all is costed**: 1 of the nodes"* ]]
	equal "$(ep -c Foo,D in | jq -c \
		'[.claimed, .crossings, (.types[] | select(.unknown > 0).name)]')" \
		'[2,0,"onnx.Foo"]'
}

# ---- any graph ----

# bats test_tags=SF-38
@test "random graphs are split as a second program splits them" {
	"$ROOT/tests/oracle/ep.py" make 11 1000 >in
	sf-ep -c A,B,C,aten.d in >split
	"$ROOT/tests/law.py" split
	sf-report -f json split | jq -c .ep >report
	"$ROOT/tests/oracle/ep.py" device in | sf-lower -p edge-npu | sf-sim >sim
	run -0 "$ROOT/tests/oracle/ep.py" check in report sim
	[[ $output == "1000 traces, "* ]]
}

@test "nothing crosses when everything is claimed, or nothing is" {
	"$ROOT/tests/oracle/ep.py" make 12 300 >in
	equal "$(ep -c A,B,C,aten.d,E,F,aten.A in | jq -s \
		'length, ([.[] | .crossings + .host_s + (.host_ops | length)] | add)')" '300
0'
	equal "$(ep -c Nobody in | jq -s \
		'[.[] | .claimed + .subgraphs + .device_s] | add')" 0
	# The host reads each input once, and what it made is there.
	equal "$(ep -c Nobody in | jq -s \
		'all(.crossings <= 3 + ([.types[].free, .types[].unknown] | add // 0))')" \
		true
}

@test "json and csv say the same" {
	cnn >in
	equal "$(sf-ep -c Conv in | sf-report -f csv | awk -F, '$5 == "ep" && \
		$6 ~ /^(claimed|crossings|link_s|total_s)$/ { print $7 }')" \
		"$(ep -c Conv in | jq '.claimed, .crossings, .link_s, .total_s')"
}

# ---- what cannot be meant ----

@test "a claimed type that no trace has is named, and a no when strict" {
	cnn >in
	run -0 --separate-stderr sf-report \
		<(sf-ep -c Conv,Softmax,onnx.Gemm,Conv in)
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

# ---- the stream ----

@test "operators wait for the end of their trace, and all else stays in place" {
	cnn | sf-lower -p edge-npu | sf-sim --tiles >in
	sf-ep -c Conv,Gemm in >out
	"$ROOT/tests/passed.py" sf-ep in out
	"$ROOT/tests/law.py" --strict out
	[ "$(grep -c '"ep":' out)" = 17 ]
	# Notes of another stage before, between and behind the operators.
	note='{"kind":"note","tool":"t","text":"x"}'
	cnn | sed "/\"kind\":\"op\"/{s/^/$note\n/;s/\$/\n$note/}" >in
	sf-ep -c Conv in >out
	"$ROOT/tests/passed.py" sf-ep in out
}

@test "what is on the operators adds up to the record of the trace" {
	"$ROOT/tests/oracle/ep.py" make 13 300 | sf-ep -c A,B,aten.d >out
	equal "$(jq -c 'select(.kind == "partition") |
		[.claimed, .subgraphs, .crossings, .crossing_bytes]' out)" \
		"$(jq -nc 'def sums: map(.ep) | [
			(map(select(.subgraph != null)) | length),
			(map(.subgraph // empty) | unique | length),
			(map(.crossings) | add // 0),
			(map(.crossing_bytes) | add // 0)];
		foreach inputs as $r ({ops: []};
			if $r.kind == "trace" then .ops = []
			elif $r.kind == "op" then .ops += [$r] else . end;
			select($r.kind == "end") | .ops | sums)' out)"
	# Who costs nothing has no side, and the host's are not claimed.
	equal "$(jq -c 'select(.kind == "op") |
		[.ep.side == "none", (.category == "view" or
		.category == "unknown")] | unique | length' out | sort -u)" 1
}

@test "a trace is split once" {
	cnn | sf-ep -c Conv >split
	run -3 --separate-stderr sf-ep -c Conv split
	equal "$output" ""
	equal "$stderr" "sf-ep: split:5: op 0 'onnx.Conv': has its side already, expected a trace that has not been through sf-ep"
	# Other stages take it, and their results are those of the trace.
	cmp <(cnn | sf-cost -d h100 | jq -c 'select(.kind == "op").cost') \
		<(sf-cost -d h100 split | jq -c 'select(.kind == "op").cost')
}

# damaged PLACE SED... - sf-report refuses the trace after each edit of its
# lines that match PLACE.
damaged() {
	local place=$1 edit
	shift
	for edit; do
		sed "/$place/$edit" split >bad
		refute cmp -s split bad
		run -3 --separate-stderr sf-report bad
		one_line_error || {
			echo "$edit"
			return 1
		}
	done
}

@test "a partition that is not what it should be is refused" {
	cnn | sf-ep -c Conv,Gemm,Softmax -s tile_fraction=0.5 >split
	sf-report split >out
	# Each member gone, there twice, and of another type.
	record=$(grep '"kind":"partition"' split)
	for member in $(jq -r 'del(.kind, .host, .link) | keys[]' <<<"$record"); do
		value=$(jq -c ".$member" <<<"$record" | sed 's/[].[*]/\\&/g')
		case $member in
		device_s | host_s | link_s) value='[-0-9.e]*' ;;
		esac
		[ "$member" = categories ] ||
		    damaged '"kind":"partition"' "s/,\"$member\":$value//"
		damaged '"kind":"partition"' "s/,\"$member\":$value/&&/" \
			"s/\(,\"$member\":\)$value/\1{}/"
	done
	for part in host link; do
		damaged '"kind":"partition"' "s/\"$part\":{[^}]*}/\"$part\":7/" \
			"s/,\"$part\":{[^}]*}//" "s/,\"$part\":{[^}]*}/&&/" \
			"s/\"$part\":{\"name\":\"[a-z]*\",/\"$part\":{/" \
			"s/\(\"$part\":{.*\"bytes_per_s\":\)[0-9]*/\10/"
	done
	damaged '"kind":"op","i":0,' 's/"side":"device",//' 's/"side":"device",/&&/' \
		's/"side":"device"/"side":"gpu"/' 's/"crossings":[0-9]*,//' \
		's/"crossings":0/"crossings":-1/' 's/"crossings":0/"crossings":1/' \
		's/"crossing_bytes":0/"crossing_bytes":1.5/' \
		's/"subgraph":0/"subgraph":1/' 's/"subgraph":0,//' \
		's/"ep":{[^}]*}/"ep":7/' 's/,"ep":{[^}]*}//' \
		's/"category".*"ep"/"ep"/'
	damaged '"kind":"partition"' 's/"claimed":4/"claimed":5/' \
		's/"subgraphs":4/"subgraphs":3/' 's/"crossings":13/"crossings":12/' \
		's/"crossing_bytes":[0-9]*/"crossing_bytes":0/' 's/.*/&\n&/' \
		's/"latency_s":1e-06/"latency_s":-1/' 'd' \
		's/"matmul"/"gemm"/' 's/"engine":"fast"/"engine":"slow"/'
}
