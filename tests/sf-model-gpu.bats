# The route gpu: the operators of a serving engine, with the products of the
# eager routes, and the times of closed forms.

load helpers
load forms

# gpu MODEL OPTION... - counted.
gpu() {
	sf-model "$@" --route gpu | sf-rules --strict
}

# total_s OPTION... - what a counted trace takes on a device.
total_s() {
	sf-cost "$@" | sf-report --format json | jq .cost.total_s
}

# within_percent GOT WANT P
within_percent() {
	echo "got $1, want $2"
	jq -en --argjson g "$1" --argjson w "$2" --argjson p "$3" \
	    '($g / $w - 1 | fabs) * 100 <= $p'
}

# The multiply-adds and the parameters that are read, of a counted trace.
sums() {
	jq -sc '[([.[] | .macs // 0] | add), ([.[] | .weight_bytes // 0] | add)]'
}

# Families that are not made of the parts that are fused.
REFUSED='^(deepseek_v4)-'

# Families of which a kernel does other arithmetic than the eager route, which
# tests/gpu-forms.py tells; and Falcon with ALiBi, of which PyTorch makes angles
# that nothing reads.
OTHER='^(falcon-more-0$|(llama4_text|deepseek_.*|glm4_moe_lite|glm_moe_dsa|bamba|granitemoehybrid|lfm2.*|qwen3_(5|next).*|.*mamba.*|nemotron_h)-)'

# bats test_tags=SF-48
@test "every family has the products and the parameters of PyTorch" {
	local n=0 path model route device phase tokens batch dtype
	while IFS=$'\t' read -r path model route device phase tokens batch dtype _
	do
		[ "$route $device" = 'dispatch meta' ] || continue
		# What has no such route is refused, see below.
		[[ ! $model =~ $REFUSED ]] || continue
		config=$DATA/families/$model/config.json
		options=(--batch "$batch" --dtype "$dtype")
		case $phase in
		prefill | last) options+=(--tokens "$tokens") ;;
		source) options+=(--tokens "${tokens%+*}" --source "${tokens#*+}") ;;
		both) options+=(--tokens "${tokens%+*}" --image "${tokens#*+}") ;;
		*) options+=("--$phase" "$tokens") ;;
		esac
		case $model in
		last-logits-*) options+=(--logits last) ;;
		esac
		gpu "$config" "${options[@]}" >fused
		# Multiply-adds are those that PyTorch was seen to run.
		zcat "$DATA/families/$path" | sf-rules >captured
		[[ $model =~ $OTHER ]] ||
			equal "$path $(sums <fused | jq '.[0]')" \
			    "$path $(sums <captured | jq '.[0]')"
		# What is read is what the eager route reads of each parameter,
		# of experts as many as are expected.
		sf-model "$config" "${options[@]}" | sf-rules >eager
		case $model in
		# It reads the rows of biases that tokens are sent to, again and
		# again, which are read with the experts here; or the sinks for
		# each token.
		gpt_oss-* | gemma4_text-0 | mimo_v2_flash-*) ;;
		# PyTorch runs all experts; and of a step of Mamba 2 it reads
		# what a head has one of for each element.
		llama4_text-* | mamba2-* | nemotron_h-* | bamba-* | \
		    granitemoehybrid-*) ;;
		# It reads a row of a table for each two tokens.
		t5-* | mpnet-* | later-sequences-1 | later-tokens-1) ;;
		*) equal "$path $(sums <fused | jq '.[1]')" \
			"$path $(sums <eager | jq '.[1]')" ;;
		esac
		equal "$(head -1 fused | jq -c .params)" \
		    "$(head -1 eager | jq -c .params)"
		# The results are of the same shape.
		equal "$path $(tail -2 fused | head -1 | jq -c '.outputs[0].shape')" \
		    "$path $(tail -2 eager | head -1 | jq -c '.outputs[0].shape')"
		n=$((n + 1))
	done <"$DATA/families/MANIFEST.tsv"
	[ "$n" -ge 80 ]
}

# By hand, of Llama-3-8B on an H100: 32 layers, hidden 4096, 32 heads of 128 and
# 8 of keys and values, MLP 14336, vocabulary 128256; 989e12 FLOP/s of which 0.55
# are reached, and 3.35e12 bytes/s of which 0.8 are.
LAYER=$((4096 * 4096 * 2 + 2 * 4096 * 1024 + 3 * 4096 * 14336))
PRODUCTS=$((32 * LAYER + 128256 * 4096))
NORMS=$((65 * 4096))

closed() { # FLOPS BYTES
	jq -n --argjson f "$1" --argjson b "$2" \
	    '[$f / (989e12 * 0.55), $b / (3.35e12 * 0.8)] | max'
}

# bats test_tags=SF-48
@test "a prefill of 2,048 tokens on an H100 is within 5 % of the closed form" {
	local n=2048
	gpu llama3-8b --tokens $n >in
	# Each token sees itself and those before: n (n + 1) / 2 pairs a head.
	flops=$((2 * PRODUCTS * n + 4 * 32 * 4096 * n * (n + 1) / 2))
	want=$(closed $flops $((2 * (PRODUCTS + NORMS + n * 4096))))
	# The published closed form.
	equal "$(jq -n "$want * 1e5 | round / 100")" 58.53
	within_percent "$(total_s -d h100 in)" "$want" 5
	# Pairs that the mask hides are counted, as of other attention, and
	# take no time: with them it would take another 2 ms.
	equal "$(jq -s '[.[].masked_flops // 0] | add' in)" \
	    $((32 * 32 * (n * n - n * (n + 1) / 2) * (4 * 128 + 5)))
	equal "$(jq -s 'map(select(.category=="attention").flops) | add' in)" \
	    2220498092032
	# Nothing but the products, attention and the last logits is large.
	equal "$(jq -s 'map(select(.category=="matmul").flops) | add' in)" \
	    $((2 * PRODUCTS * n + 2 * 64 * n))
}

# bats test_tags=SF-48
@test "a decode at batch 1 and 32 on an H100 is within 5 % of the closed form" {
	for batch in 1 32; do
		for context in 512 2048 8000; do
			gpu llama3-8b --decode $context --batch $batch >in
			# The weights, the rows of the embedding, and of each
			# sequence all keys and values, the new ones too.
			kv=$((batch * (context + 1) * 32 * 2 * 8 * 128 * 2))
			bytes=$((2 * (PRODUCTS + NORMS + batch * 4096) + kv))
			flops=$((batch * (2 * PRODUCTS + 4 * 32 * 4096 * (context + 1))))
			within_percent "$(total_s -d h100 in)" \
			    "$(closed $flops $bytes)" 5
			# What attention reads is exactly that, and the queries.
			equal "$(jq -s 'map(select(.name=="gpu.attention")
			    .bytes_read) | add' in)" \
			    $((kv + batch * 32 * 4096 * 2))
		done
	done
}

# bats test_tags=SF-48
@test "no key, value or score is copied" {
	gpu llama3-8b --decode 2048 --batch 2 >in
	# New keys and values are written once; nothing else is.
	equal "$(jq -rs 'map(select(.category=="copy")) |
	    [length, (map(.name) | unique[]), (map(.bytes_written) | add)] |
	    join(" ")' in)" "32 gpu.cache_write $((32 * 2 * 2 * 8 * 128 * 2))"
	equal "$(jq -r 'select(.category=="softmax").i' in)" ""
	sf-cost -d h100 in >out
	equal "$(grep -c '"kind":"note"' out)" 0
}

# bats test_tags=SF-48
@test "a window is what is kept of a cache and what is read of it" {
	# Four layers, two of which see 64 tokens.
	jq -n '{model_type: "qwen2", hidden_size: 64, intermediate_size: 96,
	    num_hidden_layers: 4, num_attention_heads: 4,
	    num_key_value_heads: 2, vocab_size: 100, sliding_window: 64,
	    use_sliding_window: true, max_window_layers: 2}' >c.json
	gpu ./c.json --decode 1000 >in
	equal "$(jq -c 'select(.name=="gpu.attention") |
	    [.inputs[3].shape[2], .attrs.window // 0]' in | tr '\n' ' ')" \
	    "[1000,0] [1000,0] [63,64] [63,64] "
	# A prefill: what is in the triangle and in the window, counted.
	for n in 1 63 64 65 200; do
		gpu ./c.json --tokens $n >in
		seen=0
		for ((i = 1; i <= n; i++)); do
			seen=$((seen + (i < 64 ? i : 64)))
		done
		equal "$n $(jq -s 'map(select(.attrs.window)) | map((.flops -
		    (.masked_flops // 0)) / (4 * (4*16 + 5))) | unique[]' in)" \
		    "$n $seen"
	done
}

@test "the route is refused by name where it is not defined" {
	local n=0
	for config in "$DATA"/families/*/config.json; do
		model=$(basename "$(dirname "$config")")
		[[ $model =~ $REFUSED ]] || continue
		run --separate-stderr sf-model "$config" --route gpu
		equal "$status" 3
		equal "$output" ""
		one_line_error
		[[ $stderr == *"'model_type' is '"*"', for which the route gpu is not defined" ]]
		n=$((n + 1))
	done
	equal "$n" 2
}

# bats test_tags=SF-48
@test "five hundred random models have the eager route's sums, or what forms say" {
	forms_hold gpu 500 "--route gpu" ""
}

# DeepSeek-V3, as it is published: 61 layers of 128 heads of 128 + 64 and 128,
# latents of 1536 and 512.
# bats test_tags=SF-48
@test "a decode of DeepSeek-V3 reads the latents, by hand" {
	for batch in 1 32; do
		gpu deepseek-v3 --weights bf16 --decode 4096 --batch $batch >in
		# 512 + 64 numbers a token and layer, of all heads: 70,272 bytes
		# in all, where the heads' own would be 4,997,120.
		equal "$(jq -s 'map(select(.name=="gpu.cache_write")
		    .bytes_written) | add' in)" $((batch * 70272))
		equal "$(jq -s 'map(select(.name=="gpu.latent_attention")
		    .bytes_read) | add' in)" \
		    $((batch * (4097 * 70272 + 61 * 128 * 576 * 2)))
		# Both products of a token and a key, in the latent.
		equal "$(jq -s 'map(select(.name=="gpu.latent_attention").macs) |
		    add' in)" $((batch * 61 * 128 * 4097 * (2 * 512 + 64)))
		# Each head's matrices are read once, by the two products.
		equal "$(jq -s 'map(select(.name=="gpu.head_linear")
		    .weight_bytes) | add' in)" $((61 * 128 * 256 * 512 * 2))
	done
	# A prefill has the products of the eager route: nothing is absorbed.
	equal "$(gpu deepseek-v3 --weights bf16 --tokens 64 | sums)" \
	    "$(sf-model deepseek-v3 --weights bf16 --tokens 64 | sf-rules | sums)"
	# A chunk behind a cache expands the latents of the context, too, for
	# which it reads the matrices again.
	gpu deepseek-v3 --weights bf16 --cache 100 --tokens 8 >in
	sf-model deepseek-v3 --weights bf16 --cache 100 --tokens 8 |
	    sf-rules >eager
	equal "$(sums <in)" "$(sums <eager |
	    jq -c ".[1] += 61 * 128 * 256 * 512 * 2")"
}

# bats test_tags=SF-48
@test "a decode of DeepSeek-V3 on eight H200 is within 5 % of the closed form" {
	# In FP8 all weights but those of the head, the routers and the norms,
	# with a scale of four bytes for 128 by 128.
	attention=$((7168 * 1536 + 1536 * 128 * 192 + 7168 * 576 +
	    512 * 128 * 256 + 128 * 128 * 7168))
	expert=$((3 * 7168 * 2048)) dense=$((3 * 7168 * 18432))
	for batch in 1 32; do
		gpu deepseek-v3 --weights f8 --activations f8 --decode 4096 \
		    --batch $batch >in
		want=$(jq -n --argjson b $batch --argjson a $attention \
		    --argjson e $expert --argjson d $dense '
		    (256 * (1 - pow(1 - 8 / 256; $b))) as $distinct |
		    ((61 * $a + 3 * $d + 58 * (1 + $distinct) * $e) *
			(1 + 4 / 16384)) as $narrow |
		    (2 * (129280 * 7168 + 58 * 256 * 7168)) as $wide |
		    ($narrow + $wide + $b * 4097 * 70272) /
			(8 * 4.8e12 * 0.8)')
		within_percent "$(total_s -d h200 -n 8 in)" "$want" 5
	done
}

# bats test_tags=SF-48
@test "a chunk is what a token sees of those before it" {
	jq -n '{model_type: "llama4_text", hidden_size: 64, head_dim: 16,
	    intermediate_size: 32, intermediate_size_mlp: 96,
	    num_hidden_layers: 4, num_attention_heads: 4,
	    num_key_value_heads: 2, vocab_size: 100, num_local_experts: 8,
	    attention_chunk_size: 64, interleave_moe_layer_step: 2}' >c.json
	# The context and the tokens: 130 is two chunks and two tokens.
	while read -r context n past; do
		gpu ./c.json --cache "$context" --tokens "$n" >in
		seen=0
		for ((i = context; i < context + n; i++)); do
			seen=$((seen + i % 64 + 1))
		done
		equal "$context $n $(jq -sc 'map(select(.attrs.chunk)) |
		    map([.inputs[3].shape[2], (.flops - (.masked_flops // 0)) /
		    (4 * (4*16 + 5))]) | unique[]' in)" \
		    "$context $n [$past,$seen]"
	done <<-'END'
		1 1 1
		130 1 2
		130 100 2
		128 70 null
		63 2 63
		20 300 20
	END
	# A token goes to one of eight experts, of which as many are read as are
	# expected; PyTorch runs and reads all of them.
	gpu ./c.json --decode 5 >in
	equal "$(jq -s 'map(select((.name // "") | startswith("gpu.experts"))) |
	    map(.weight_bytes) | add' in)" $((2 * 3 * 64 * 32 * 2))
	equal "$(sf-report --format json in | jq .active_params.count)" \
	    $(($(head -1 in | jq .params.count) - 2 * 7 * 3 * 64 * 32))
}

# bats test_tags=SF-48
@test "a state is read and written once a call, however long the text is" {
	# Qwen3-Next: of 48 layers 36 have states, of 32 heads of 128 by 128,
	# beside the last three of 8,192 channels.
	state=$((32 * 128 * 128 * 4)) last=$((3 * 8192 * 2))
	for context in 1 100000; do
		gpu qwen3-next-80b-a3b --decode $context --batch 3 >in
		equal "$context $(jq -sc '[.[] | select(.name=="gpu.delta_step" or
		    .name=="gpu.conv1d") | .inputs[-1] |
		    (.shape | reduce .[] as $n (1; . * $n)) * .itemsize] |
		    add' in)" "$context $((36 * 3 * (state + last)))"
		equal "$(jq -sc 'map(select(.name=="gpu.delta_step")) |
		    map(.flops) | unique' in)" "[$((3 * 7 * state / 4))]"
	done
	# A chunk behind a cache begins with the state.
	gpu qwen3-next-80b-a3b --cache 100 --tokens 64 >in
	equal "$(jq -sc 'map(select(.name=="gpu.delta_chunks") |
	    .inputs[-1].shape) | unique' in)" "[[1,32,128,128]]"
	run -2 --separate-stderr sf-model qwen3-next-80b-a3b --cache 100 --tokens 64
	[[ $stderr == *"which keeps states, needs --route gpu" ]]
}

# ---- element types ----

# The bytes of one tensor of an operator, by hand.
# bats test_tags=SF-49
@test "the cache is as large as its type says, with its scales" {
	local n=100 each
	# Two layers would do; these are 24 of 2 heads of 64.
	while read -r type each; do
		gpu qwen2.5-0.5b --decode $n --batch 3 --kv "$type" >in
		equal "$type $(jq -s 'map(select(.name=="gpu.attention") |
		    .bytes_read - 3*14*64*2) | add' in)" \
		    "$type $((24 * 3 * 2 * 2 * (n + 1) * each))"
		equal "$type $(jq -s 'map(select(.name=="gpu.cache_write")
		    .bytes_written) | add' in)" "$type $((24 * 3 * 2 * 2 * each))"
		# The products are of queries, which are wider.
		equal "$(sf-cost -d b200 in | jq -r \
		    'select(.name=="gpu.attention").cost.type' | sort -u)" bf16
	done <<-END
		dtype 128
		bf16 128
		f16 128
		f8 64
		i8 $((64 + 2))
		i4 $((32 + 2))
		f4 $((32 + 4))
	END
}

# bats test_tags=SF-49
@test "products of quantised weights and activations run at their type's peak" {
	while read -r weights activations want; do
		gpu qwen2.5-0.5b --tokens 64 --weights "$weights" \
		    --activations "$activations" >in
		equal "$weights $activations $(sf-cost -d b200 in 2>err |
		    jq -r 'select(.name=="gpu.mlp_up").cost.type' | sort -u)" \
		    "$weights $activations $want"
		# No product is lost, none is new.
		equal "$(sums <in | jq '.[0]')" \
		    "$(gpu qwen2.5-0.5b --tokens 64 | sums | jq '.[0]')"
		# What is stored is what it is without activations.
		equal "$(head -1 in | jq .params.bytes)" \
		    "$(gpu qwen2.5-0.5b --tokens 64 --weights "$weights" |
			head -1 | jq .params.bytes)"
	done <<-END
		f8 f8 f8
		i8 i8 i8
		i4 i8 i8
		i4 f8 f8
		f4 f4 f4
		f4 f8 f8
		f8 bf16 bf16
		i4 i4 i4
	END
	# Weights alone are widened as they are read: of 24 layers four linear
	# ones, two of the MLP and attention, and the head.
	gpu qwen2.5-0.5b --tokens 64 --weights i4 | sf-cost -d b200 |
		jq -r 'select(.cost.type).cost.type' | sort | uniq -c |
		tr -s ' ' >types
	equal "$(cat types)" " 169 bf16
 1 f32"
}

# bats test_tags=SF-49
@test "activations have their scales beside them, by hand" {
	gpu qwen2.5-0.5b --tokens 10 --weights f8 --activations f8 >in
	# 896 wide: seven blocks of 128; the MLP 4864: 38.
	equal "$(jq -c 'select(.name=="gpu.mlp_up") |
	    [.inputs[0].dtype, .inputs[-1].shape, .inputs[-1].dtype,
	    .outputs[0].dtype, .outputs[1].shape]' in | sort -u)" \
	    '["f8e4m3fn",[1,10,7],"f32","f8e4m3fn",[1,10,38]]'
	# The norm before writes them: its sum stays as wide as it was.
	equal "$(jq -c 'select(.name=="gpu.add_norm") |
	    [.outputs[].dtype]' in | sort | uniq -c | tr -s ' ')" \
	    ' 1 ["bf16"]
 47 ["f8e4m3fn","bf16","f32"]'
	# Where no such operator is before, one of its own is.
	config=$DATA/families/olmo2-0/config.json
	gpu "$config" --tokens 10 --weights i8 --activations i8 >in
	[ "$(jq -r 'select(.name=="gpu.quantize").i' in | wc -l)" -gt 0 ]
	equal "$(jq -c 'select(.name=="gpu.quantize") | .outputs[1] |
	    [.shape, .dtype]' in | sort -u)" '[[1,10,1],"f32"]'
	equal "$(sums <in | jq '.[0]')" \
	    "$(gpu "$config" --tokens 10 | sums | jq '.[0]')"
}

@test "every family has the same products in any element types" {
	local n=0 a b
	for config in "$DATA"/families/*-1/config.json; do
		model=$(basename "$(dirname "$config")")
		[[ ! $model =~ $REFUSED ]] || continue
		a=$(gpu "$config" --tokens 6 --batch 2 | sums | jq '.[0]')
		b=$(gpu "$config" --tokens 6 --batch 2 -w f4 -A f4 -K i4 |
			sums | jq '.[0]')
		equal "$model $b" "$model $a"
		n=$((n + 1))
	done
	[ "$n" -ge 20 ]
}

@test "element types that cannot be meant are refused" {
	no() {
		run -2 --separate-stderr sf-model "${@:2}"
		equal "$output" ""
		one_line_error
		[[ $stderr == *"$1"* ]]
	}
	no '--kv needs --route gpu' gpt2 --kv f8
	no '--activations needs --route gpu' gpt2 --activations f8
	no '--activations f8 needs weights in fewer bits' gpt2 --route gpu -A f8
	no "expected one of: dtype, bf16, f16, f8, i8, i4, f4" gpt2 -r gpu --kv f3
}

# ---- calls ----

@test "attention is in parts or one operator, by either word" {
	diff <(sf-model gpt2 -t 9 --attention fused | sed 2d) \
	    <(sf-model gpt2 -t 9 --device cpu | sed 2d)
	diff <(sf-model gpt2 -t 9 --attention math | sed 2d) \
	    <(sf-model gpt2 -t 9 | sed 2d)
	diff <(sf-model gpt2 -t 9 --attention fused -r gpu | sed 2d) \
	    <(sf-model gpt2 -t 9 -r gpu | sed 2d)
	for args in '-a math -r gpu' '-a math -d cpu' '-a fused -r export'; do
		# shellcheck disable=SC2086 # words are meant
		run -2 --separate-stderr sf-model gpt2 $args
		one_line_error
		[[ $stderr == *--attention* ]]
	done
}

# bats test_tags=SF-49
@test "a chunk behind a cache is what a prefill of all does for its end" {
	for model in llama3-8b mistral-7b gpt2; do
		# One token is a decode.
		diff <(sf-model $model -C 50 -t 1 | sed 2d) \
		    <(sf-model $model -c 50 | sed 2d)
		diff <(sf-model $model -r gpu -C 50 -t 1 | sed 2d) \
		    <(sf-model $model -r gpu -c 50 | sed 2d)
		# Two halves see, between them, the pairs that the whole sees.
		seen='map(select(.name=="gpu.attention") |
		    .flops - (.masked_flops // 0)) | add'
		equal "$model $(($(gpu $model -t 30 | jq -s "$seen") +
		    $(gpu $model -C 30 -t 34 | jq -s "$seen")))" \
		    "$model $(gpu $model -t 64 | jq -s "$seen")"
	done
	for args in '-C 5' '-C 5 -c 5' '-C 5 -c 5 -t 3'; do
		# shellcheck disable=SC2086 # words are meant
		run -2 --separate-stderr sf-model gpt2 $args
		one_line_error
		[[ $stderr == *"--cache goes with --tokens, and not with --decode" ]]
	done
	run -2 --separate-stderr sf-model gpt2 -C 5 -t 3 -r onnx
	[[ $stderr == *"--cache needs --route dispatch or gpu"* ]]
}

# bats test_tags=SF-48
@test "stored, active and read parameters of experts are told apart" {
	# Qwen3-30B-A3B: 48 layers of 128 experts of 3 x 2048 x 768, 8 a token.
	expert=$((3 * 2048 * 768)) stored=30532122624
	rest=$((stored - 48 * 128 * expert))
	for batch in 1 2 5 64; do
		gpu qwen3-30b-a3b --decode 100 --batch $batch >in
		sf-report --format json in >report
		equal "$(jq -c '[.params.count, .active_params.count]' report)" \
		    "[$stored,$((rest + 48 * 8 * expert))]"
		# Expected distinct experts, 128 (1 - (1 - 8/128)^batch), of all
		# but the table of tokens, of which a row is read each.
		jq -en --argjson b $batch --argjson e $expert --argjson r $rest \
		    --argjson got "$(jq .weight_bytes report)" '
		    ((1 - pow(1 - 8 / 128; $b)) * 128) as $distinct |
		    2 * ($r - (151936 - $b) * 2048 + 48 * $distinct * $e) |
		    (. / $got - 1 | fabs) < 1e-9'
	done
	sf-report in | grep -q '^| Active parameters  *|  *3,353,032,704 |'
	# Choosing 8 of 128 at random: what a simulation finds.
	equal "$(python3 - <<-'END'
	import random
	r = random.Random(1)
	for batch in 1, 2, 5, 64:
	    n = sum(len({e for _ in range(batch)
	                 for e in r.sample(range(128), 8)}) for _ in range(2000))
	    want = 128 * (1 - (1 - 8 / 128) ** batch)
	    print(abs(n / 2000 / want - 1) < 0.01)
	END
	)" "$(printf 'True\n%.0s' 1 2 3 4)"
}
