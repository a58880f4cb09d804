# The route gpu: the operators of a serving engine, with the products of the
# eager routes, and the times of closed forms.

load helpers

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
REFUSED='^(gpt_neo|gemma4_.*|clip.*|vit|t5|model|llava)-'

# bats test_tags=SF-44
@test "every family has the products and the parameters of PyTorch" {
	local n=0 path model route device phase tokens batch dtype
	while IFS=$'\t' read -r path model route device phase tokens batch dtype _
	do
		[ "$route $device" = 'dispatch meta' ] || continue
		# What has no such route is refused, see below.
		[[ ! $model =~ $REFUSED ]] || continue
		config=$DATA/families/$model/config.json
		options=(--batch "$batch" --dtype "$dtype" --tokens "$tokens")
		[ "$phase" != decode ] ||
			options=(--batch "$batch" --dtype "$dtype" --decode "$tokens")
		case $model in
		last-logits-*) options+=(--logits last) ;;
		esac
		gpu "$config" "${options[@]}" >fused
		# Multiply-adds are those that PyTorch was seen to run.
		zcat "$DATA/families/$path" | sf-rules >captured
		equal "$path $(sums <fused | jq '.[0]')" \
		    "$path $(sums <captured | jq '.[0]')"
		# What is read is what the eager route reads of each parameter,
		# of experts as many as are expected.
		sf-model "$config" "${options[@]}" | sf-rules >eager
		case $model in
		# It reads the rows of biases that tokens are sent to, again and
		# again, which are read with the experts here.
		gpt_oss-*) ;;
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

# bats test_tags=SF-44
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

# bats test_tags=SF-44
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

# bats test_tags=SF-44
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

# bats test_tags=SF-44
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
	local n=0 type
	for config in "$DATA"/families/*/config.json; do
		model=$(basename "$(dirname "$config")")
		[[ $model =~ $REFUSED ]] || continue
		type=$(jq -r .model_type "$config")
		run --separate-stderr sf-model "$config" --route gpu
		# Of a model of several parts the text model may have it.
		[ "$status" != 0 ] || continue
		equal "$output" ""
		one_line_error
		[[ $stderr == *"'model_type' is '$type', for which the route gpu is not defined" ||
		    $stderr == *"--route gpu is defined for text alone, expected another route for the images of '"* ]]
		n=$((n + 1))
	done
	[ "$n" -ge 8 ]
}
