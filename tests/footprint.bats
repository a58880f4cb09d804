# The memory that a run needs: worked by hand, against an oracle that goes through
# every operator for every storage, and on published models.

load helpers

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

# attend MEMBERS - a step of attention, all in f32: 3 old keys and 1 new one of 4,
# the product with a query, and the output; MEMBERS are of the old and new keys.
attend() {
	python3 - "$1" <<-'END'
		import json, sys
		def tensor(tid, *shape, **more):
		    return dict({"tid": tid, "shape": shape, "dtype": "f32",
		                 "itemsize": 4}, **more)
		cache = json.loads(sys.argv[1])
		old, new = tensor("old", 3, 4, **cache), tensor("k", 1, 4)
		keys = tensor("keys", 4, 4, **dict(cache, kept=True))
		q, w = tensor("q", 8, 4), tensor("w", 4, 4, param=True)
		p, s, o = tensor("p", 8, 4), tensor("s", 8, 4), tensor("o", 8, 4)
		ops = [("aten.cat", [old, new], [keys]), ("aten.mm", [q, w], [p]),
		       ("aten.mm", [p, keys], [s]), ("aten.relu", [s], [o])]
		print(json.dumps({"kind": "trace", "format": "simfront-trace/1",
		                  "model": "step", "route": "dispatch",
		                  "params": {"count": 16, "bytes": 64}}))
		for i, (name, inputs, outputs) in enumerate(ops):
		    print(json.dumps({"kind": "op", "i": i, "name": name,
		                      "inputs": inputs, "outputs": outputs}))
		print('{"kind":"end","ops":4}')
	END
}

@test "worked by hand: what is cache and what is activation" {
	parts() {
		sf-rules | sf-report -F -f json "$@" | jq -c \
		    '.footprint | [.weights, .cache, .activations, .peak, .total, .peak_op.i]'
	}
	# Old keys 48 B, a new one 16, all 64, q 128, p, s and o 128 each. The caller
	# has new and q, and the old keys until all have taken their place. At the
	# second product: 16 + 128, keys 64, p and s.
	equal "$(attend '{"cache": true}' | parts)" '[64,64,400,464,528,2]'
	# Without the mark all of it is activations, and the caller's.
	equal "$(attend '{}' | parts)" '[64,0,512,512,576,2]'
	# Consumed, old and new are gone behind the first operator, which they and q
	# are live from; q behind the second: then q and p, or p and s, and the keys.
	equal "$(attend '{"cache": true}' | parts -i consumed)" '[64,64,256,320,384,1]'
	attend '{"cache": true}' | sf-rules >in
	equal "$(sf-report -F in | sed -n '/^## Memory/,$p' | sed -n '5,9p' | tr -s ' ')" \
	    '| Weights | 64 | 64 B |
| Live beside them, at most | 464 | 464 B |
| Of it KV cache | 64 | 64 B |
| Of it activations | 400 | 400 B |
| Of it kept to the end | 64 | 64 B |'
	sf-cost -d h100 in >costed
	equal "$(sf-report costed | grep '^| Memory' | tr -s ' ')" \
	    '| Memory | 528 B of 80.000 GB: it fits (weights 64 B, KV cache 64 B, activations 400 B) |'
	equal "$(sf-report -f json costed | jq -c '.answer | [.memory_bytes, .weight_bytes, .cache_bytes, .activation_bytes]')" \
	    '[528,64,64,400]'
}

@test "random traces against the sum over all storages at every operator" {
	"$ROOT/tests/footprint.py" . 150
	for trace in *.sft; do
		for inputs in kept consumed; do
			sf-report -F -f json -i $inputs "$trace"
		done
	done | jq -c '.footprint | {kept, peak, cache, activations, op: .peak_op.i}' >got
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
	# Of keys and values: latents and states are another matter.
	grep -L 'kv_lora_rank\|linear_num_value_heads' \
	    "$ROOT"/configs/models/*.json >models
	for how in '-d meta' '-d cpu' '-r gpu'; do
		for model in $(cat models); do
			# shellcheck disable=SC2086 # words are meant
			sf-model "$model" $how -c 5000 | sf-rules | sf-report -F -f json
		done
	done | jq -c '.footprint.kept' >got
	for how in meta cpu gpu; do
		xargs cat <models
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
	[ "$(wc -l <models)" -ge 10 ]
	equal "$(wc -l <got)" $((3 * $(wc -l <models)))
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

@test "the cache of every decoder is what it was given and what it hands on" {
	# Of the kinds that there are: keys and values, of windows, and of the gpu.
	for how in '-r dispatch' '-d cpu' '-r gpu'; do
		for model in llama3-8b gpt-oss-20b gpt2; do
			# shellcheck disable=SC2086 # words are meant
			sf-model $model $how -c 700 -k both >trace
			# What is marked is read and made by no operator, or kept; and of
			# what was given beside parameters and ids nothing is left out.
			python3 - <<-'END'
				import json
				made, given, marked = set(), set(), 0
				for op in map(json.loads, open("trace")):
				    if op["kind"] != "op":
				        continue
				    for t in op["inputs"]:
				        if t and not t.get("param") and t["tid"] not in made \
				                and len(t["shape"]) > 2:
				            given.add(t["tid"])
				            assert t.get("cache"), (op["i"], t)
				    for t in op["inputs"] + op["outputs"]:
				        if t and t.get("cache"):
				            marked += 1
				            assert t.get("kept") or t["tid"] in given, t
				    made |= {t["tid"] for t in op["outputs"] if t}
				assert given and marked > len(given)
			END
		done
	done
	sf-model llama3-8b -c 2048 | sf-rules | sf-report -F -f json -i consumed |
	    jq -e '.footprint | .cache == .kept'
	# What the first lines say is what a cache is by hand: two layers' keys and
	# values alone are copied, an encoder's stay, and a latent is one for all.
	for row in 'llama3-8b 2048 131072*2049' 'gpt2 512 36864*513' \
	    'deepseek-v3 1000 61*(512+64)*2*1001' 'qwen3-8b 700 36*8*128*2*2*701'; do
		read -r model tokens want <<<"$row"
		equal "$model $(sf-model "$model" -c "$tokens" | sf-rules |
		    sf-cost -d h200 | sf-report -f json 2>/dev/null |
		    jq .answer.cache_bytes)" "$model $((want))"
	done
	# A prefill that keeps its output alone has none.
	equal "$(sf-model llama3-8b -t 64 | grep -c '"cache":true')" 0
	sf-model llama3-8b -t 64 -k cache | sf-rules | sf-report -F -f json |
	    jq -e '.footprint.kept == 64 * 131072 and .footprint.cache <= .footprint.kept'
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
