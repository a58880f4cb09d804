# sf-export on programs that PyTorch exported, on archives that tests/pt2.py
# makes of them, and on what is none. The oracle is PyTorch itself, which
# recorded what it knows of each program.

load helpers

pt2() {
	python3 "$ROOT/tests/pt2.py" "$@"
}

# program NAME [VERSION] - the JSON of a recorded program.
program() {
	pt2 recorded "${2:-2.14}" "$1"
}

# control KIND N - the JSON of a program with control flow.
control() {
	python3 "$ROOT/tests/pt2-control.py" "$@"
}

flops() {
	sf-rules "$1" | sf-report --format json | jq .flops
}

ops() {
	jq -c 'select(.kind=="op")' "$@"
}

# refused WORDS - the last run ended with one line that has WORDS in it, and
# wrote nothing.
refused() {
	one_line_error
	equal "$output" ""
	[[ $stderr == *"$1"* ]] || {
		echo "$stderr"
		return 1
	}
}

# ---- what is in a program ----

# bats test_tags=SF-13
@test "every recorded program gives the operators that PyTorch walks" {
	n=0
	while read -r version name; do
		echo "$version $name"
		pt2 recorded "$version" "$name" >in.json
		sf-export in.json 2>notes >out
		pt2 normal <out | diff - <(pt2 ops "$version" "$name")
		sf-rules out >counted 2>>notes
		n=$((n + 1))
	done < <(pt2 names)
	[ "$n" -ge 45 ]
}

# bats test_tags=SF-13
@test "the small network is what sf-model's oracle recorded of it" {
	sf-export "$DATA/tiny-cnn.pt2" >out
	"$ROOT/tests/golden/normalise.py" <out |
	    diff - <(gzip -dc "$DATA/golden/tiny-cnn-1/export-batch-1.jsonl.gz")
	equal "$(jq -c 'select(.kind=="trace")' out)" \
		'{"kind":"trace","format":"simfront-trace/1","model":"tiny-cnn","route":"export","workload":{"batch":1},"params":{"count":24458,"bytes":97832}}'
	equal "$(jq -c 'select(.kind=="tool") | [.torch, .schema]' out)" \
		'["2.14.1+cu130","8.20"]'
	# And FLOPs are those of the same network's ONNX export.
	equal "$(sf-rules out | sf-report -f json | jq .flops)" \
		"$(sf-onnx "$DATA/tiny-cnn.onnx" | sf-rules | sf-report -f json | jq .flops)"
}

@test "parameters and buffers have the model's names, nodes their module's" {
	sf-export "$DATA/tiny-cnn.pt2" >out
	equal "$(ops out | head -2 | jq -c '[.node, [.inputs[] | [.tid, .param]]]')" \
		'["features.0/convolution",[["x",null],["features.0.weight",true],["features.0.bias",true]]]
["features.1/_native_batch_norm_legit_no_training",[["convolution",null],["features.1.weight",true],["features.1.bias",true],["features.1.running_mean",null],["features.1.running_var",null]]]'
	# A view of a parameter is one.
	equal "$(ops out | jq -c 'select(.name=="aten.permute").outputs[0].param')" true
}

@test "a parameter whose name another value has keeps its placeholder's" {
	program dynamic-raw | pt2 set \
	    'graph_module.signature.input_specs.0.parameter.parameter_name="x"' >in.json
	sf-export in.json >out
	equal "$(ops out | jq -c 'select(.name=="aten.linear").inputs[].tid' | sort)" \
		'"linear.bias"
"p_linear_weight"
"x"'
}

@test "a parameter with two names is counted once, by its bytes or by its use" {
	program net-raw >in.json
	# Nothing is stored: PyTorch uses the last name, and a note says so.
	sf-export in.json 2>notes | jq -c 'select(.kind=="trace").params' >got
	equal "$(cat got)" '{"count":672,"bytes":2688}'
	grep -qF "1 of 12 parameters" notes
	grep -qF "'emb.weight' for 'head.weight'" notes
	# The bytes are one place, and nothing need be guessed.
	pt2 pack one.pt2 weights=emb.weight=weight_0:512,head.weight=weight_0:512 <in.json
	equal "$(sf-export one.pt2 2>notes | jq -c 'select(.kind=="trace").params')" \
		'{"count":672,"bytes":2688}'
	equal "$(cat notes)" ""
	# They are two places: the first is a parameter that nothing uses.
	pt2 pack two.pt2 weights=emb.weight=weight_0:512,head.weight=weight_1:512 <in.json
	equal "$(sf-export two.pt2 2>notes | jq -c 'select(.kind=="trace").params')" \
		'{"count":800,"bytes":3200}'
	equal "$(cat notes)" ""
	# Bytes that are not there are no place: all such weights share one.
	pt2 pack none.pt2 weights=emb.weight=weight_0:0,head.weight=weight_0:0,norm.weight=weight_0:0 <in.json
	equal "$(sf-export none.pt2 2>/dev/null | jq -c 'select(.kind=="trace").params')" \
		'{"count":672,"bytes":2688}'
	# Before PyTorch 2.8 the two have one name and may both be used.
	for version in 2.5 2.7; do
		program net-raw $version >in.json
		equal "$(sf-export in.json | jq -c 'select(.kind=="trace").params')" \
			'{"count":672,"bytes":2688}'
	done
}

@test "an optional tensor keeps its place where a later one is there" {
	program net-core >in.json
	index=$(jq '[.graph_module.graph.nodes[].target] |
	    index("torch.ops.aten.native_layer_norm.default")' in.json)
	node=graph_module.graph.nodes.$index
	# The decomposed one says None; layer_norm leaves its defaults out.
	pt2 set "$node.inputs.2.arg={\"as_none\":true}" <in.json >none.json
	equal "$(sf-export none.json 2>/dev/null | ops | jq -c \
	    'select(.name=="aten.native_layer_norm").inputs | map(.tid)' | tail -1)" \
		"$(jq -c "[.graph_module.graph.nodes[$index].inputs[0].arg.as_tensor.name, null, \"norm.bias\"]" in.json)"
	program net-raw >in.json
	index=$(jq '[.graph_module.graph.nodes[].target] |
	    index("torch.ops.aten.layer_norm.default")' in.json)
	pt2 set "graph_module.graph.nodes.$index.inputs.2=" <in.json >none.json
	equal "$(sf-export none.json 2>/dev/null | ops | jq -c \
	    'select(.name=="aten.layer_norm").inputs | map(.tid) | .[1:]')" \
		'[null,"norm.bias"]'
}

@test "what the stream has no word for is left out, infinities are words" {
	program net-raw >in.json
	sf-export in.json 2>/dev/null >out
	equal "$(ops out | jq -c 'select(.name=="aten.where").attrs')" \
		'{"overload":"ScalarOther","other":"-inf"}'
	equal "$(ops out | jq -c 'select(.name=="aten.to").attrs')" \
		'{"overload":"dtype","dtype":"bf16"}'
	# PyTorch 2.5 writes them bare, which is no JSON.
	program net-raw 2.5 >in.json
	grep -q '"as_float": -Infinity' in.json
	equal "$(sf-export in.json | ops | jq -c 'select(.name=="aten.where").attrs.other')" \
		'"-inf"'
	sed 's/-Infinity/NaN/' in.json >nan.json
	equal "$(sf-export nan.json | ops | jq -c 'select(.name=="aten.where").attrs.other')" \
		'"nan"'
}

@test "a custom operator keeps its name and its arguments" {
	for name in custom-raw custom-core; do
		program $name >in.json
		equal "$(sf-export in.json | ops | jq -c '[.name, .attrs]')" \
			'["sf_golden.foo",{"k":3,"s":"b"}]
["sf_golden.fill",null]'
	done
	# A rule of the user's counts it, called or wrapped.
	echo 'sf_golden.foo(x) elementwise; flops = 3*numel(x)' >rules
	sf-export in.json | sf-rules --rules rules 2>/dev/null >out
	equal "$(ops out | jq -c 'select(.name=="sf_golden.foo").flops')" 9
}

@test "attention counts FLOPs by the heads of the queries" {
	# Case 034: Hq, Hkv, Sq, Skv and D of q[B,Hq,Sq,D], k and v[B,Hkv,Skv,D].
	while read -r b hq hkv sq skv d want; do
		jq -cn --argjson q "[$b,$hq,$sq,$d]" --argjson k "[$b,$hkv,$skv,$d]" '
		    def meta: {dtype: 7, sizes: map({as_int: .})};
		    def tensor: {as_tensor: {name: .}};
		    {graph_module: {signature: {input_specs: []}, graph: {
		    outputs: [],
		    tensor_values: {q: ($q | meta), k: ($k | meta), v: ($k | meta), y: ($q | meta)},
		    nodes: [{target: "torch.ops.aten.scaled_dot_product_attention.default",
		    inputs: [{name: "query", arg: ("q" | tensor)}, {name: "key", arg: ("k" | tensor)},
		    {name: "value", arg: ("v" | tensor)}, {name: "enable_gqa", arg: {as_bool: true}}],
		    outputs: ["y" | tensor], metadata: {}}]}},
		    schema_version: {major: 8, minor: 20}} |
		    .graph_module.graph.inputs = ["q", "k", "v" | tensor]' |
		    tail -n 1 >in.json
		sf-export in.json | sf-rules >out
		equal "$(ops out | jq -c '[.attrs.enable_gqa, 2 * .macs]')" "[true,$want]"
	done <<-'END'
		1 8 2 256 256 64 134217728
		1 12 12 64 64 64 12582912
		2 5 5 9 9 4 12960
		1 32 8 8192 8192 128 1099511627776
	END
}

# ---- sizes ----

@test "sizes are the hints, and --dim makes them others, to the last expression" {
	program dynamic-core >in.json
	symbol=$(jq -r '.range_constraints | keys[0]' in.json)
	# x.shape[0] is n: [n,6] as [2n,3], and [n//2 + 1, 3].
	for n in 6 2 7 64; do
		sf-export --dim "$symbol=$n" in.json >out
		equal "$(ops out | jq -c '[.name, .outputs[0].shape]' | tail -2)" \
			"[\"aten.view\",[$((2 * n)),3]]
[\"aten.full\",[$((n / 2 + 1)),3]]"
		equal "$(ops out | jq -c 'select(.name=="aten.full").attrs.size')" \
			"[$((n / 2 + 1)),3]"
		equal "$(jq -c 'select(.kind=="trace").workload' out)" \
			"{\"batch\":$n,\"$symbol\":$n}"
	done
	sf-export in.json >hints
	sf-export -d "$symbol=6" in.json >given
	diff <(ops hints) <(ops given)
}

@test "a range that the program states is kept" {
	program dynamic-core >in.json
	symbol=$(jq -r '.range_constraints | keys[0]' in.json)
	for n in 0 1 65; do
		run -2 --separate-stderr sf-export --dim "$symbol=$n" in.json
		refused "$symbol is $n, and the program is for 2 to 64"
	done
	run -2 --separate-stderr sf-export --dim "$symbol=8" -d "$symbol=9" in.json
	refused "'$symbol' is given two sizes, 8 and 9"
	run -2 --separate-stderr sf-export --dim batch=8 in.json
	refused "no size is named 'batch'; expected $symbol"
	run -2 --separate-stderr sf-export --dim batch=8 "$DATA/tiny-cnn.pt2"
	refused "no size is named 'batch'; all are fixed"
	for wrong in "$symbol" "$symbol=" "=4" "$symbol=-1" "$symbol=4.5" "$symbol=x"; do
		run -2 --separate-stderr sf-export --dim "$wrong" in.json
		refused "found '$wrong', expected NAME=N with N >= 0"
	done
	# A hint outside of it is the file's fault.
	pt2 set "range_constraints.$symbol.min_val=7" <in.json >low.json
	run -3 --separate-stderr sf-export low.json
	refused "$symbol is 6, and the program is for 7 to 64"
	# No bound is none.
	pt2 set "range_constraints.$symbol.max_val=null" <in.json >open.json
	sf-export --dim "$symbol=1000000" open.json >out
	run -2 --separate-stderr sf-export --dim "$symbol=1" open.json
	refused "$symbol is 1, and the program is for at least 2"
}

@test "a size that nothing gives has its expression, and its operator says so" {
	program unbacked-raw >in.json
	sf-export in.json 2>notes >out
	equal "$(ops out | jq -c 'select(.name | test("nonzero|new_ones|mul")) | [.name, .outputs[0].shape]')" \
		'["aten.nonzero",["u0",1]]
["aten.mul",["u0",1]]
["aten.new_ones",["u0 + 1"]]'
	equal "$(ops out | jq -r 'select(.name=="aten.mul").unresolved')" \
		"size 0 of 'nonzero', u0, is not known; --dim gives symbols their sizes"
	# What only asks for the size is free, whatever it is.
	equal "$(ops out | jq -c 'select(.name=="aten.sym_size").unresolved')" null
	equal "$(grep -c 'operators are not resolved' notes)" 1
	sf-export --dim u0=2 in.json >out
	equal "$(ops out | jq -c 'select(.name=="aten.new_ones").outputs[0].shape')" '[3]'
	equal "$(ops out | jq -c 'select(.unresolved)')" ""
	equal "$(sf-rules out | jq -c 'select(.name=="aten.mul") | [.flops, .bytes_written]')" \
		'[2,16]'
}

@test "a size may be 0 or 1 where the program says so" {
	# Case 039: u0 of item(), and y = empty([u0]) in FP32.
	cat >in.json <<-'END'
		{"graph_module": {"graph": {"inputs": [{"as_tensor": {"name": "x"}}], "outputs": [{"as_tensor": {"name": "y"}}],
		"nodes": [{"target": "torch.ops.aten.item.default", "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1}],
		"outputs": [{"as_sym_int": {"as_name": "item"}}], "metadata": {}},
		{"target": "torch.ops.aten.empty.memory_format", "inputs": [{"name": "size", "arg": {"as_sym_ints": [{"as_name": "item"}]}, "kind": 1}],
		"outputs": [{"as_tensor": {"name": "y"}}], "metadata": {}}],
		"tensor_values": {"x": {"dtype": 5, "sizes": []}, "y": {"dtype": 7, "sizes": [{"as_expr": {"expr_str": "Symbol('u0', integer=True)", "hint": null}}]}},
		"sym_int_values": {"item": {"as_expr": {"expr_str": "Symbol('u0', integer=True)", "hint": null}}}},
		"signature": {"input_specs": [{"user_input": {"arg": {"as_tensor": {"name": "x"}}}}]}},
		"range_constraints": {"u0": {"min_val": 0, "max_val": null}}, "schema_version": {"major": 8, "minor": 20}}
	END
	equal "$(sf-export in.json 2>/dev/null | ops | jq -c '.outputs[0].shape')" \
		'null
["u0"]'
	for n in 0 1 5; do
		sf-export --dim u0=$n in.json | sf-rules >out
		equal "$(ops out | jq -c 'select(.name=="aten.empty") | [.outputs[0].shape, .attrs.size, .bytes_written, .flops]')" \
			"[[$n],[$n],$((4 * n)),0]"
	done
}

@test "an assertion on sizes that does not hold is refused" {
	program unbacked-raw >in.json
	# u0 >= 3 in place of u0 >= 0.
	sed 's/GreaterThan(Symbol(.u0., integer=True), Integer(0))/GreaterThan(Symbol('"'u0'"', integer=True), Integer(3))/g' in.json >three.json
	refute cmp -s in.json three.json
	sf-export --dim u0=3 three.json >/dev/null
	run -2 --separate-stderr sf-export --dim u0=2 three.json
	refused "u0 >= 3 does not hold, which the program asserts"
}

@test "a hint that contradicts its expression is refused" {
	program dynamic-core >in.json
	sed 's/"hint": {"as_int": 12}/"hint": {"as_int": 13}/' in.json >odd.json
	refute cmp -s in.json odd.json
	run -3 --separate-stderr sf-export odd.json
	refused "comes to 12, and the file has the hint 13"
}

# ---- graphs in graphs ----

@test "what a wrapper runs stands in its place, bound by position" {
	program wrapped-raw >in.json
	sf-export in.json >out
	equal "$(ops out | jq -c '[.name, [.inputs[].tid], .outputs[0].tid, .outputs[0].dtype]')" \
		'["aten.linear",["x","linear.weight","linear.bias"],"linear","f32"]
["aten.relu",["linear"],"relu","f32"]
["aten.linear",["relu","linear.weight","linear.bias"],"linear_1/linear_1","bf16"]
["aten.add",["relu","x"],"add","f32"]'
}

@test "a branch is taken when its condition is known, and else it is one operator" {
	program branches-raw >in.json
	sf-export in.json 2>notes >out
	equal "$(ops out | jq -r 'select(.name=="higher_order.cond").unresolved')" \
		"the condition of cond is not known, so neither branch is expanded: then is 1 operator and 72 FLOPs; else 1 operator and 8 FLOPs; --branch cond=then or --branch cond=else decides"
	grep -qF '1 of 3 operators are not resolved' notes
	index=$(jq '[.graph_module.graph.nodes[].target] | index("torch.ops.higher_order.cond")' in.json)
	for branch in true false; do
		pt2 set "graph_module.graph.nodes.$index.inputs.0.arg={\"as_bool\":$branch}" \
		    <in.json >$branch.json
		sf-export $branch.json >out
		equal "$(ops out | jq -r .name | tail -1)" \
			"aten.$([ $branch = true ] && echo linear || echo sub)"
	done
}

@test "a wrapper that is given the wrong number of values is refused" {
	program wrapped-raw >in.json
	index=$(jq '[.graph_module.graph.nodes[].target] |
	    index("torch.ops.higher_order.wrap_with_autocast")' in.json)
	pt2 set "graph_module.graph.nodes.$index.inputs.5=" <in.json >few.json
	run -3 --separate-stderr sf-export few.json
	refused "its graph takes 3 values and is given 2"
}

@test "a loop whose length is a shape runs step by step" {
	for n in 1 2 7; do
		for kind in scan map nested; do
			control $kind $n >in.json
			sf-export in.json 2>notes >out
			equal "$(cat notes)" ""
			# What is read was made before, or goes in; no result twice.
			equal "$(ops out | jq -rs 'reduce .[] as $op (["x", "h", "w"];
			    if $op.inputs | map(.tid) - $in == [] then . else error("\($op)") end
			    | . + [$op.outputs[].tid]) | length - (unique | length)' \
			    --argjson in "$(ops out | jq -cs '["x", "h", "w"] + map(.outputs[].tid)')")" 0
		done
		# A linear, an addition and a product a step, and one relu.
		control scan $n | sf-export - >out
		equal "$(ops out | jq -r .name | sort | uniq -c | xargs)" \
			"$n aten.add $n aten.linear $n aten.mul 1 aten.relu $n aten.select 1 aten.stack"
		equal "$(flops out)" $((n * (2 * 3 * 8 * 8 + 24 + 24) + 24))
		control map $n | sf-export - >out
		equal "$(flops out)" $((n * 2 * 3 * 8 * 8 + n * 24))
		control nested $n | sf-export - >out
		equal "$(flops out)" $((n * (n * 2 * 3 * 8 * 8 + 24 + n * 24) + 24))
	done
}

@test "what goes round is handed on, slices are views and results are stacked" {
	control scan 2 | sf-export - >out
	equal "$(ops out | jq -c '[.name, .node, [.inputs[].tid], .outputs[0].tid, .attrs.index]')" \
		'["aten.select","scan/0/v",["x"],"scan/0/v",0]
["aten.linear","scan/0/l",["h","w"],"scan/0/l",null]
["aten.add","scan/0/a",["scan/0/l","scan/0/v"],"scan/0/a",null]
["aten.mul","scan/0/m",["scan/0/a"],"scan/0/m",null]
["aten.select","scan/1/v",["x"],"scan/1/v",1]
["aten.linear","scan/1/l",["scan/0/a","w"],"scan/1/l",null]
["aten.add","scan/1/a",["scan/1/l","scan/1/v"],"scan/1/a",null]
["aten.mul","scan/1/m",["scan/1/a"],"scan/1/m",null]
["aten.stack","scan",["scan/0/m","scan/1/m"],"all",null]
["aten.relu","r",["scan/1/a"],"r",null]'
	sf-rules out >rules
	equal "$(ops rules | jq -c 'select(.name=="aten.select") | [.bytes_read, .bytes_written]' | sort -u)" "[0,0]"
	equal "$(ops rules | jq -c 'select(.name=="aten.stack") | [.bytes_read, .bytes_written]')" "[192,192]"
	control nested 2 | sf-export - >out
	equal "$(ops out | jq -r 'select(.name=="aten.stack").outputs[0].tid' | xargs)" \
		"scan/0/all scan/1/all every"
}

@test "a loop over nothing, over too much or over what is not known stays one operator" {
	control scan 0 | sf-export - 2>/dev/null >out
	equal "$(ops out | jq -r 'select(.name=="higher_order.scan").unresolved')" \
		"the body of scan is not expanded: it runs over nothing"
	control scan 40000 | sf-export - >out
	equal "$(ops out | jq -r .name | sort | uniq -c | sort -n | tail -1 | xargs)" "40000 aten.select"
	control scan 40001 | sf-export - 2>/dev/null >out
	equal "$(ops out | jq -r 'select(.name=="higher_order.scan").unresolved')" \
		"the body of scan is not expanded: 40001 steps of 5 nodes would be more than the 200000 that all may take"
	# Each of the inner ones would fit, all of them do not.
	control nested 400 | sf-export - 2>/dev/null >out
	equal "$(ops out | wc -l)" 2
	control scan 4 >in.json
	pt2 set 'graph_module.graph.tensor_values.x.sizes.0={"as_expr":{"expr_str":"u0","hint":null}}' \
	    <in.json >open.json
	sf-export open.json 2>/dev/null >out
	equal "$(ops out | jq -r 'select(.name=="higher_order.scan").unresolved')" \
		"size 0 of 'x', u0, is not known; --dim gives symbols their sizes"
}

@test "a loop that does not fit its graph is refused" {
	control scan 4 >in.json
	graph=graph_module.graph.nodes.0.inputs.0.arg.as_graph.graph
	pt2 set "$graph.tensor_values.v.sizes.0={\"as_int\":5}" <in.json >odd.json
	run -3 --separate-stderr sf-export odd.json
	refused "its graph takes 'scan/0/v', which is no slice of 'x'"
	pt2 set "$graph.tensor_values.m.sizes.0={\"as_int\":5}" <in.json >odd.json
	run -3 --separate-stderr sf-export odd.json
	refused "its graph makes 'scan/0/m', which is no slice of 'all'"
	pt2 set "$graph.outputs.1=" <in.json >odd.json
	run -3 --separate-stderr sf-export odd.json
	refused "its graph makes 1 values, and it has 2 results"
	pt2 set 'graph_module.graph.nodes.0.inputs.2.arg.as_tensors.0.name="w"' <in.json >odd.json
	run -3 --separate-stderr sf-export odd.json
	refused "its graph takes 'scan/0/v', which is no slice of 'w'"
	pt2 set 'graph_module.graph.nodes.0.inputs.2.arg.as_tensors=[{"name":"x"},{"name":"h"}]' \
	    <in.json >odd.json
	run -3 --separate-stderr sf-export odd.json
	refused "it runs over 4 slices of one tensor and 3 of another"
	pt2 set 'graph_module.graph.nodes.0.inputs.3=' <in.json >odd.json
	run -3 --separate-stderr sf-export odd.json
	refused "its graph takes 3 values and is given 2"
}

# chosen [OPTION]... - what control.json comes to: what was assumed, the names of
# operators and their FLOPs.
chosen() {
	sf-export "$@" control.json 2>/dev/null >out
	jq -c 'select(.kind=="tool").assumed' out
	ops out | jq -r .name | xargs
	flops out
}

@test "a branch is the user's to choose, and both are priced if he does not" {
	control cond-scan 5 >control.json
	why=$(sf-export control.json 2>/dev/null | ops | jq -r '.unresolved // empty')
	equal "$why" "the condition of cond is not known, so neither branch is expanded: then is 21 operators and 2160 FLOPs; else 1 operator and 24 FLOPs; --branch cond=then or --branch cond=else decides"
	# What the reason says is what either option comes to.
	around=$((5 * 3 * 8 + 1 + 24))
	for branch in "then" else; do
		sf-export --branch $branch control.json 2>/dev/null >out
		[[ $why == *"$branch "*"$(($(ops out | wc -l) - 3)) operator"*" and $(($(flops out) - around)) FLOPs"* ]]
		equal "$(jq -c 'select(.kind=="tool").assumed' out)" "[{\"node\":\"cond\",\"branch\":\"$branch\"}]"
		sf-export --branch cond=$branch control.json 2>said | ops | cmp - <(ops out)
		grep -qF "1 choice of control flow is the user's: 'cond' takes its $branch branch" said
	done
	run -2 --separate-stderr sf-export --branch other=then control.json
	refused "the model comes to no cond named 'other'; it has 'cond'"
	run -2 --separate-stderr sf-export --branch maybe control.json
	refused "expected then, else, NODE=then or NODE=else"
	run -2 --separate-stderr sf-export "--branch=then" --trips scan=4 control.json
	refused "found 4 for 'scan', which is known to run 5 times"
	pt2 set 'graph_module.graph.nodes.2.inputs.0.arg={"as_bool":true}' \
	    <control.json >true.json
	run -2 --separate-stderr sf-export --branch cond=else true.json
	refused "found else for 'cond', whose condition is known to be true"
	# One for all does not speak of what is known.
	sf-export --branch else true.json >out
	equal "$(ops out | jq -r .name | tail -2 | xargs)" "aten.stack aten.relu"
	equal "$(jq -c 'select(.kind=="tool").assumed' out)" null
}

@test "what cannot be run is said, and does not stop the rest" {
	control cond 5 >in.json
	pt2 set 'graph_module.graph.nodes.2.inputs.1.arg.as_graph.graph.nodes.0.inputs.0.arg.as_tensor.name="nobody"' \
	    <in.json >control.json
	equal "$(sf-export control.json 2>/dev/null | ops | jq -r '.unresolved // empty')" \
		"the condition of cond is not known, so neither branch is expanded: then is what cannot be run: node 0 'torch.ops.aten.linear.default': argument 'input': it reads 'nobody', which no node before it makes; else 1 operator and 24 FLOPs; --branch cond=then or --branch cond=else decides"
	sf-export --branch else control.json 2>/dev/null >out
	equal "$(ops out | jq -r .name | xargs)" "aten.sum aten.gt aten.mul aten.relu"
	run -3 --separate-stderr sf-export "--branch=then" control.json
	refused "it reads 'nobody'"
}

@test "how often a loop runs is the user's to say, and a step is priced if he does not" {
	control while >control.json
	equal "$(sf-export control.json 2>/dev/null | ops | jq -r '.unresolved // empty')" \
		"it is not known how often while_loop runs, so its body is not expanded: a step is 4 operators and 433 FLOPs; --trips while_loop=N decides"
	# The condition is 25 FLOPs and runs once more than the body.
	for n in 1 2 9; do
		names=
		for ((i = 0; i < n; i++)); do
			names+="aten.sum aten.gt aten.linear aten.mul "
		done
		equal "$(chosen --trips $n)" \
			"[{\"node\":\"while_loop\",\"trips\":$n}]
${names}aten.sum aten.gt aten.relu
$((n * 433 + 25 + 24))"
	done
	equal "$(chosen --trips while_loop=0)" '[{"node":"while_loop","trips":0}]
aten.sum aten.gt aten.clone aten.relu
49'
	sf-export --trips 2 control.json 2>/dev/null >out
	equal "$(ops out | jq -c '[.node, [.inputs[].tid]]' | xargs)" \
		"$(xargs <<-'END'
			["while_loop/test/0/s",["h"]] ["while_loop/test/0/b",["while_loop/test/0/s"]]
			["while_loop/0/l",["h","w"]] ["while_loop/0/m",["while_loop/0/l"]]
			["while_loop/test/1/s",["while_loop/0/m"]] ["while_loop/test/1/b",["while_loop/test/1/s"]]
			["while_loop/1/l",["while_loop/0/m","w"]] ["while_loop/1/m",["while_loop/1/l"]]
			["while_loop/test/2/s",["while_loop/1/m"]] ["while_loop/test/2/b",["while_loop/test/2/s"]]
			["r",["while_loop/1/m"]]
		END
		)"
	sf-export --trips 9223372036854775807 control.json 2>/dev/null >out
	equal "$(ops out | jq -r '.unresolved // empty' | cut -d : -f 1)" "the body of while_loop is not expanded"
	equal "$(jq -c 'select(.kind=="tool").assumed' out)" null
	run -2 --separate-stderr sf-export --trips other=1 control.json
	refused "the model comes to no loop named 'other'; it has 'while_loop'"
	run -2 --separate-stderr sf-export --trips -1 control.json
	refused "expected N or NODE=N"
}

@test "what else takes graphs is one operator each, and says why it is not counted" {
	program branches-raw >in.json
	for op in associative_scan triton_kernel_wrapper_functional; do
		sed "s/higher_order\.cond/higher_order.$op/" in.json >loop.json
		sf-export loop.json 2>/dev/null >out
		equal "$(ops out | jq -r "select(.name==\"higher_order.$op\").unresolved")" \
			"the body of $op is not expanded"
		# It has no rule, and no result is made up for it.
		equal "$(sf-rules out 2>/dev/null | jq -r "select(.name==\"higher_order.$op\").category")" unknown
	done
	# Operands in another order than those that are known.
	for op in scan map_impl while_loop; do
		sed "s/higher_order\.cond/higher_order.$op/" in.json >loop.json
		sf-export loop.json 2>/dev/null >out
		equal "$(ops out | jq -r "select(.name==\"higher_order.$op\").unresolved")" \
			"the body of $op is not expanded"
	done
	# flex_attention has a rule for what it does with its graphs.
	sed "s/higher_order\.cond/higher_order.flex_attention/" in.json >flex.json
	equal "$(sf-export flex.json 2>/dev/null | ops | jq -c 'select(.name=="higher_order.flex_attention").unresolved')" null
}

# ---- layouts and versions ----

@test "every layout of the archive gives the same trace" {
	program net-core >in.json
	sf-export in.json 2>/dev/null | ops >want
	pt2 pack archive.pt2 <in.json
	pt2 pack deflated.pt2 deflate=1 <in.json
	pt2 pack unchecked.pt2 crc=0 <in.json
	pt2 pack root.pt2 prefix= <in.json
	pt2 pack renamed.pt2 prefix=other/ <in.json
	pt2 pack old.pt2 layout=old <in.json
	(cd "$BATS_TEST_TMPDIR" && python3 - <<-'END'
		import zipfile
		text = open("in.json").read()
		with zipfile.ZipFile("plain.pt2", "w") as z:
		    z.writestr("serialized_exported_program.json", text)
		    z.writestr("version", "2")
		with zipfile.ZipFile("packed.pt2", "w", zipfile.ZIP_DEFLATED) as z:
		    z.writestr("a/models/model.json", text)
		    z.writestr("a/archive_format", "pt2")
	END
	)
	for file in *.pt2; do
		echo "$file"
		sf-export "$file" 2>/dev/null >out
		ops out | diff -q - want
		equal "$(jq -r 'select(.kind=="trace").model' out)" "${file%.pt2}"
		sf-export - <"$file" 2>/dev/null | ops | diff -q - want
	done
	# Indented JSON is JSON, too.
	jq . in.json >indented.json
	sf-export indented.json 2>/dev/null | ops | diff -q - want
}

@test "unions are read as every schema writes them" {
	for name in net-raw dynamic-raw; do
		program $name >in.json
		sf-export in.json 2>/dev/null | ops | jq -c 'del(.node)' >want
		for schema in 1 2 3 4 5 6; do
			echo "$name $schema"
			pt2 older $schema <in.json >old.json
			sf-export old.json 2>/dev/null >out
			ops out | jq -c 'del(.node)' | diff -q - want
			equal "$(jq -c 'select(.kind=="trace") | [.workload.batch, .params.count]' out)" \
				"$(sf-export in.json 2>/dev/null | jq -c 'select(.kind=="trace") | [.workload.batch, .params.count]')"
		done
	done
	# One that is newer than any known is read, and a note says so.
	pt2 set 'schema_version={"major": 9, "minor": 1}' 'schema_news=[1]' <in.json >new.json
	sf-export new.json 2>notes | ops | jq -c 'del(.node)' | diff -q - want
	grep -qF "schema 9, and 8 is the newest" notes
}

@test "each program of an archive is a trace, in order" {
	program dynamic-raw >in.json
	pt2 pack pair.pt2 layout=many <in.json
	sf-export pair.pt2 >out
	equal "$(jq -r 'select(.kind=="trace").model' out)" "pair/one
pair/two"
	equal "$(jq -c 'select(.kind=="end").ops' out)" "4
4"
	sf-rules out | sf-report -f json >/dev/null
}

@test "an archive without a graph is said to have none, and what it has" {
	mkdir -p m/data/aotinductor/model m/code e/data/executorch
	touch m/data/aotinductor/model/x.so e/data/executorch/x.pte
	for row in "data/aotinductor/model/m.cpp|compiled code of AOTInductor and no graph" \
	    "data/executorch/m.pte|a program of ExecuTorch and no graph" \
	    "code/m.py|a TorchScript module" \
	    "data.pkl|what torch.save wrote" \
	    "else|none of the 1 members of the zip archive is models/NAME.json"; do
		python3 - "${row%%|*}" <<-'END'
			import sys, zipfile
			with zipfile.ZipFile("none.pt2", "w") as z:
			    z.writestr("net/" + sys.argv[1], "x")
		END
		run -3 --separate-stderr sf-export none.pt2
		refused "${row#*|}"
	done
}

# ---- files that are not what they should be ----

@test "what is no program is refused in one line that says what it is" {
	: >empty
	run -3 --separate-stderr sf-export empty
	refused "the file is empty, expected a .pt2 archive or the JSON in one"
	gzip -c "$DATA/tiny-cnn.pt2" >gz
	run -3 --separate-stderr sf-export gz
	refused "the file is gzip-compressed"
	run -3 --separate-stderr sf-export "$DATA/tiny-cnn.onnx"
	refused "neither a zip archive nor JSON"
	echo '{}' >none.json
	run -3 --separate-stderr sf-export none.json
	refused "there is no schema_version"
	echo '{"schema_version":{"major":8}}' >none.json
	run -3 --separate-stderr sf-export none.json
	refused "graph_module has no graph"
	echo '{"schema_version":' >none.json
	run -3 --separate-stderr sf-export none.json
	refused "at byte"
	run -3 --separate-stderr sf-export .
	refused "it is a directory, expected a file"
	run -4 --separate-stderr sf-export nowhere.pt2
	refused "nowhere.pt2: No such file"
	run -2 --separate-stderr sf-export
	one_line_error
}

@test "an error in a graph names the member, the node and the operator" {
	program dynamic-raw >in.json
	equal "$(jq -r '.graph_module.graph.nodes[1].target' in.json)" \
		torch.ops.aten.linear.default
	pt2 set 'graph_module.graph.nodes.1.inputs.0.arg={"as_tensor":{"name":"nobody"}}' \
	    <in.json | pt2 pack bad.pt2
	run -3 --separate-stderr sf-export bad.pt2
	refused "bad.pt2: models/model.json: node 1 'torch.ops.aten.linear.default': argument 'input': it reads 'nobody', which no node before it makes"
	pt2 set 'graph_module.graph.tensor_values.linear=' <in.json >bad.json
	run -3 --separate-stderr sf-export bad.json
	refused "node 1 'torch.ops.aten.linear.default': tensor_values says nothing of 'linear'"
	pt2 set 'graph_module.graph.nodes.1.target="linear"' <in.json >bad.json
	run -3 --separate-stderr sf-export bad.json
	refused "node 1: its target is 'linear', expected an operator"
	sizes=$(python3 -c 'print("[" + ",".join(["{\"as_int\":1}"] * 65) + "]")')
	pt2 set "graph_module.graph.tensor_values.linear.sizes=$sizes" <in.json >bad.json
	run -3 --separate-stderr sf-export bad.json
	refused "it has 65 dimensions, expected at most 64"
	pt2 set 'graph_module.graph.tensor_values.linear.sizes=[{"as_int":4611686018427387904},{"as_int":4}]' \
	    <in.json >bad.json
	run -3 --separate-stderr sf-export bad.json
	refused "its bytes pass 2^63 - 1"
	pt2 set 'graph_module.graph.tensor_values.linear.sizes=[{"as_int":-1}]' <in.json >bad.json
	run -3 --separate-stderr sf-export bad.json
	refused "-1} is no count"
	pt2 set 'graph_module.graph.tensor_values.linear.sizes=[{"as_expr":{"expr_str":"2*(","hint":null}}]' \
	    <in.json >bad.json
	run -3 --separate-stderr sf-export bad.json
	refused "a size cannot be read: at byte 4 of '2*('"
}

@test "a bomb is refused before it fills memory" {
	[ -z "${SF_SANITIZED:-}" ] || skip "the sanitizers need memory and calls of their own"
	python3 - <<-'END'
		import zipfile
		def bomb(name, piece, n):
		    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as z:
		        with z.open("m/models/model.json", "w") as f:
		            for _ in range(n):
		                f.write(piece)
		bomb("blanks.pt2", b" " * 1000000, 300)
		bomb("deep.pt2", b"[" * 1000000, 40)
		bomb("wide.pt2", b'{"a":[' + b"1," * 500000, 40)
	END
	for row in "blanks|packed into" "deep|nested too deeply" "wide|at byte"; do
		run -3 --separate-stderr bash -c \
		    'ulimit -v 262144; ulimit -t 2; sf-export "$1"' - "${row%%|*}.pt2"
		refused "${row#*|}"
	done
}

@test "a file with 10 GB of weights opens without a look at them" {
	program net-core | pt2 pack big.pt2 weights=head.weight=weight_0:10000000000
	[ "$(stat -c %s big.pt2)" -gt 10000000000 ]
	# Under a sanitizer addresses are not to be had.
	limit=$([ -n "${SF_SANITIZED-}" ] && echo : || echo "ulimit -d 65536")
	bash -c "$limit"'; TIMEFORMAT="%U %S"; time sf-export big.pt2 2>/dev/null' \
	    >out 2>times
	equal "$(ops out | wc -l)" 120
	[ -n "${SF_SANITIZED-}" ] || {
		cat times
		awk '{ exit !($1 + $2 <= 0.05) }' times
	}
}

@test "no file is opened but the one that is named" {
	[ -z "${SF_SANITIZED:-}" ] || skip "the sanitizers need memory and calls of their own"
	command -v strace >/dev/null || skip "no strace"
	program net-core | pt2 pack one.pt2 weights=head.weight=../../etc/passwd:64
	strace -f -e trace=open,openat,creat -o calls sf-export one.pt2 >out 2>/dev/null
	# What is opened as a place alone can be neither read nor written.
	grep -vE 'ENOENT|O_PATH' calls | grep -oE '"[^"]+"' |
	    grep -vE '^"(/lib|/usr|/etc/ld|/proc|/sys/fs)' >opened
	equal "$(cat opened)" '"one.pt2"'
}

# ---- files of others ----

# bats test_tags=SF-13
@test "each published and made file is counted as a second reader counts it" {
	need_shared
	files=("$SF_SHARED"/data/pytorch/pt2/*.p*t* "$SF_SHARED"/data/pytorch/made-2.14/pt2/*.pt2)
	[ "${#files[@]}" -ge 20 ]
	"$ROOT/tests/oracle/exported.py" "${files[@]}" >want
	for file in "${files[@]}"; do
		name=$(basename "$file")
		if ! sf-export "$file" >out 2>said; then
			equal "$(wc -l <said)" 1
			echo "$name | refused | - | - | - | - | -"
			continue
		fi
		sf-rules out 2>/dev/null | jq -rs --arg name "$name" '[$name,
		    .[1].schema, ([.[] | select(.kind=="op")] | length),
		    ([.[] | select(.kind=="op").name] | unique | length),
		    .[0].params.count, ([.[].macs // 0] | add),
		    ([.[] | select(.category=="unknown").name] | group_by(.) |
		    map("\(.[0]) \(length)") | join(", ") | if . == "" then "-" else . end)] |
		    map(tostring) | join(" | ")'
	done >got
	diff got want
	# The test plan has them as a table.
	sed 's/^/| /; s/$/ |/' got | sort >rows
	grep -E '^\| [a-z0-9_]+\.(pt2|pth|pt) \| ' "$ROOT/docs/test-plan.md" | sort |
	    diff - rows
}
