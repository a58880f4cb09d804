# The memory that a run needs: worked by hand, against an oracle that goes through
# every operator for every storage, and on published models.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# mlp RELU - x[4,4] mm w[4,8], RELU, mm v[8,2], in f32.
mlp() {
	python3 - "$1" <<-'END'
		import json, sys
		def tensor(tid, *shape, **more):
		    return dict({"tid": tid, "shape": shape, "dtype": "f32",
		                 "itemsize": 4}, **more)
		x, a, b, c = (tensor("x", 4, 4), tensor("a", 4, 8), tensor("b", 4, 8),
		              tensor("c", 4, 2))
		w, v = tensor("w", 4, 8, param=True), tensor("v", 8, 2, param=True)
		ops = [("aten.mm", [x, w], [a]), (sys.argv[1], [a], [b]),
		       ("aten.mm", [b, v], [c])]
		print(json.dumps({"kind": "trace", "format": "simfront-trace/1",
		                  "model": "mlp", "route": "export",
		                  "params": {"count": 48, "bytes": 192}}))
		for i, (name, inputs, outputs) in enumerate(ops):
		    print(json.dumps({"kind": "op", "i": i, "name": name,
		                      "inputs": inputs, "outputs": outputs}))
		print('{"kind":"end","ops":3}')
	END
}

footprint() {
	sf-rules | sf-report -F -f json "$@" |
	    jq -c '.footprint | [.weights, .kept, .peak, .peak_op.i, .total]'
}

@test "worked by hand: three operators, one of them in place, inputs consumed" {
	# x 4x4x4 = 64 B, a and b 4x8x4 = 128 B, c 4x2x4 = 32 B; weights 128 + 64.
	# relu: x, which the caller has, a and b: 64 + 128 + 128.
	equal "$(mlp aten.relu | footprint)" '[192,32,320,1,512]'
	# In place b is a: the second mm has x, a and c, 64 + 128 + 32.
	equal "$(mlp aten.relu_ | footprint)" '[192,32,224,2,416]'
	# x goes after the first mm: a and b, 128 + 128.
	equal "$(mlp aten.relu | footprint -i consumed)" '[192,32,256,1,448]'
}

@test "random traces against the sum over all storages at every operator" {
	"$ROOT/tests/footprint.py" . 150
	for trace in *.sft; do
		for inputs in kept consumed; do
			sf-report -F -f json -i $inputs "$trace"
		done
	done | jq -c '.footprint | {kept, peak, op: .peak_op.i}' >got
	equal "$(wc -l <got)" 300
	cmp got want
}

@test "published decoders: the logits are kept, the peak is in attention" {
	# Logits of 2,048 tokens: 2048 x 128,256 x 2 B.
	equal "$(sf-model llama3-8b -t 2048 | footprint)" \
	    '[16060522496,525336576,1141915904,93,17202438400]'
}

@test "a decode keeps its caches, which are 2 layers kv_heads head_dim bytes a token" {
	# 2 x 32 x 8 x 128 x 2 B = 131,072 B a token, for 2,049 and 4 x 8,193 tokens.
	equal "$(sf-model llama3-8b -c 2048 | footprint -i consumed)" \
	    '[16060522496,268566528,369303552,3274,16429826048]'
	equal "$(sf-model llama3-8b -c 8192 -b 4 | footprint -i consumed)" \
	    '[16060522496,4295491584,5906399232,3274,21966921728]'
	for how in '-d meta' '-d cpu' '-r gpu'; do
		for model in "$ROOT"/configs/models/*.json; do
			# shellcheck disable=SC2086 # words are meant
			sf-model "$model" $how -c 5000 | sf-rules | sf-report -F -f json
		done
	done | jq -c '.footprint.kept' >got
	for how in meta cpu gpu; do
		cat "$ROOT"/configs/models/*.json
	done | jq -c '(.num_hidden_layers // .n_layer) as $layers |
	    (.num_attention_heads // .n_head) as $heads |
	    (.num_key_value_heads // $heads) as $kv |
	    (.head_dim // ((.hidden_size // .n_embd) / $heads)) as $size |
	    .sliding_window as $window |
	    (.layer_types // [range($layers) | if $window then
		"sliding_attention" else "full_attention" end] |
	    map(if . == "sliding_attention" then [5001, $window] | min
		else 5001 end) | add) as $tokens |
	    2 * $kv * $size * 2 * $tokens' >want
	equal "$(wc -l <got)" $((3 * $(find "$ROOT/configs/models" -name '*.json' | wc -l)))
	cmp got want
}

@test "what outlives a call of a model: its output, its caches, or both" {
	for kept in auto output cache both; do
		sf-model gpt2 -t 8 -k $kept | footprint | jq '.[1]'
		sf-model gpt2 -c 7 -k $kept | footprint | jq '.[1]'
	done | xargs >got
	# Logits of a token 50,257 x 2 B = 100,514; its cache 2 x 12 x 768 x 2 B.
	equal "$(cat got)" "$((8 * 100514)) $((8 * 36864)) $((8 * 100514)) 100514 \
$((8 * 36864)) $((8 * 36864)) $((8 * 137378)) $((100514 + 8 * 36864))"
	for wrong in "-r export" "-d cpu" "-r onnx"; do
		run --separate-stderr sf-model gpt2 -k cache $wrong
		equal "$status" 2
		[[ $stderr == *"--kept needs a cache"* ]]
	done
}

@test "what an exported program returns is kept" {
	equal "$(sf-export "$ROOT/tests/data/tiny-cnn.pt2" | jq -rc 'select(.kind=="op") |
	    .inputs[], .outputs[] | select(. != null and .kept) | .tid')" addmm
	equal "$(sf-export "$ROOT/tests/data/tiny-cnn.pt2" | footprint | jq '.[1]')" 40
}

@test "a residual network of other people's: the first activation is the most" {
	need_shared
	equal "$(sf-onnx "$SF_SHARED/data/onnx/models/stream_resnet18.onnx" | footprint)" \
	    '[46738848,4000,7024640,1,53763488]'
}

@test "a device has the memory or not, and so many would do" {
	mlp aten.relu | sf-rules >mlp.sft
	run -0 --separate-stderr sf-report -m 512 mlp.sft
	[[ $output == *"It fits, 100.0 % of the memory."* ]]
	run -1 --separate-stderr sf-report -m 511B mlp.sft
	[[ $output == *"**It does not fit**: it needs the memory of 2 such devices at least."* ]]
	equal "$(sf-report -m 100 -f json mlp.sft |
	    jq -c '.footprint | [.memory, .fits, .devices]')" '[100,false,6]'
	equal "$(sf-report -m 1KiB -f csv mlp.sft | grep ',fits,')" \
	    '1,mlp,export,,footprint,fits,true,'
	# Without either option there is no such section, whatever is in the trace.
	refute grep -q footprint <(sf-report -f json mlp.sft)
	refute grep -q '^## Memory' <(sf-report mlp.sft)
}

@test "what is not known is said, and does not fit" {
	mlp aten.relu | sed 's/"shape": \[4, 8\], "dtype": "f32", "itemsize": 4}\]}$/"shape": [4, "n"], "dtype": "f32", "itemsize": 4}]}/' |
	    sf-rules >open.sft
	run -1 --separate-stderr sf-report -m 1GB open.sft
	[[ $output == *"2 values have no size that is known."* ]]
	equal "$(sf-report -F -f json open.sft | jq -c '.footprint | [.peak, .total, .unknown]')" \
	    '[null,null,2]'
	mlp aten.relu >raw.sft
	run --separate-stderr sf-report -F raw.sft
	one_line_error
	equal "$status" 3
	[[ $stderr == "sf-report: raw.sft:5: the trace is not counted"* ]]
}

@test "kept tensors live to the end, and are refused in another form" {
	mlp aten.relu | sed '2s/"tid": "a", /&"kept": true, /' >kept.sft
	# a is kept, c no more: at relu and after it x, a and b or c.
	equal "$(footprint <kept.sft)" '[192,128,352,2,544]'
	sed 's/"kept": true/"kept": false/' kept.sft >false.sft
	run --separate-stderr sf-rules false.sft
	equal "$status" 3
	[[ $stderr == *"'kept' is false, expected true"* ]]
}

@test "the outputs of an ONNX model are kept, wherever they are made" {
	printf '%s' '{"inputs":{"x":"f32[8,4]"},"outputs":["a","c"],
	    "nodes":["a = Relu(x)","b = Neg(a)","c = Abs(b)"]}' |
	    "$ROOT/tests/onnx-model.py" >m.onnx
	equal "$(sf-onnx m.onnx | jq -rc 'select(.kind=="op") | .inputs[], .outputs[] |
	    select(.kept) | .tid' | sort | uniq -c | xargs)" "2 a 1 c"
	# x is the caller's, a and c are kept: x, a, b and c at the last, 128 B each.
	equal "$(sf-onnx m.onnx | footprint)" '[0,256,512,2,512]'
}
