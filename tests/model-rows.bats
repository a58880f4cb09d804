# sf-model: families whose rows of traits are all that they have.

load helpers
load models

# config MORE - a small configuration in config.json, with MORE.
config() {
	jq -n '{hidden_size: 16, intermediate_size: 12,
	    num_hidden_layers: 4, num_attention_heads: 4,
	    num_key_value_heads: 2, vocab_size: 10} + '"$1" >config.json
}

# What transformers' classes have when they are made of their own defaults.
@test "the defaults of classes have the parameters that PyTorch counts" {
	while IFS='|' read -r type count h m n a k v more; do
		jq -n "{model_type: \"$type\", hidden_size: $h,
		    intermediate_size: $m, num_hidden_layers: $n,
		    num_attention_heads: $a, num_key_value_heads: $k,
		    vocab_size: $v} + {$more}" >config.json
		echo "$type"
		equal "$(params)" "$count"
	done <<-'EOF'
		arcee|4022766080|2560|18432|32|32|32|32000
		cwm|32581097472|6144|21504|64|48|8|128256
		ernie4_5|360748032|1024|3072|18|16|2|103424
		helium|2172643840|2560|7040|24|20|20|48000
		hyperclovax|6738677760|4096|11008|32|32|32|32000
		nanochat|256573440|768|8192|12|6|6|50304
		vaultgemma|2614222080|2304|9216|26|8|4|256000
		ernie4_5_moe|21825437888|2560|12288|28|20|4|103424|moe_k: 6, moe_num_experts: 64, moe_intermediate_size: 1536
		exaone_moe|28550639616|4096|16384|32|32|32|102400|num_experts: 64, num_experts_per_tok: 8, moe_intermediate_size: 1024
		glm4_moe|103481200640|4096|10944|46|96|8|151552|n_routed_experts: 128, num_experts_per_tok: 8, moe_intermediate_size: 1408
		glm4_moe_lite|29943390976|2048|10240|47|20|20|154880|n_routed_experts: 64, num_experts_per_tok: 4, moe_intermediate_size: 1536
		granitemoe|37039116288|4096|11008|32|32|32|32000|num_local_experts: 8, num_experts_per_tok: 2
		granitemoeshared|37039116288|4096|11008|32|32|32|32000|num_local_experts: 8, num_experts_per_tok: 2
		olmoe|13361612800|2048|2048|16|16|16|50304|num_experts: 64, num_experts_per_tok: 8
		solar_open|102651793408|4096|null|48|64|8|196608|n_routed_experts: 128, num_experts_per_tok: 8, moe_intermediate_size: 1280
		flex_olmo|33270665216|4096|11008|32|32|32|100352|num_experts: 7, num_experts_per_tok: 5
		bamba|9992765440|4096|14336|32|32|8|128000
		granitemoehybrid|38601064448|4096|11008|32|32|32|32000|num_local_experts: 8, num_experts_per_tok: 2
		lfm2|2705497600|2560|12288|32|32|8|65536
	EOF
}

@test "a window is of all layers but the first of several" {
	seen() {
		sf-model config.json -c 9 | jq -c 'select(.name == "aten.cat" and
		    .inputs[1].shape[2] == 1 and .inputs[0].shape[2] > 1 and
		    (.inputs[0].shape | length) == 4).inputs[0].shape[2]' |
		    uniq -c | tr -s ' \n' ' '
	}
	config '{model_type: "cwm", head_dim: 4, sliding_window: 4,
	    num_hidden_layers: 6}'
	equal "$(seen)" " 2 9 6 3 2 9 2 3 "
	config '{model_type: "cwm", sliding_window: null}'
	refused "'sliding_window' is null"
}

@test "all biases, or none, by one field" {
	config '{model_type: "ernie4_5", head_dim: null}'
	layer=$((16 * (16 * 2 + 8 * 2) + 3 * 12 * 16 + 2 * 16))
	equal "$(params)" $((10 * 16 + 16 + 4 * layer))
	config '{model_type: "ernie4_5", head_dim: null, use_bias: true}'
	equal "$(params)" $((10 * 16 + 16 + 4 * (layer + 16 * 2 + 8 * 2 +
	    12 * 2 + 16)))
	config '{model_type: "ernie4_5"}'
	layer=$((16 * 128 * 12 + 3 * 12 * 16 + 2 * 16))
	equal "$(params)" $((10 * 16 + 16 + 4 * layer))
}

@test "norms behind a layer's halves are there or not" {
	config '{model_type: "hyperclovax"}'
	with=$(params)
	config '{model_type: "hyperclovax", use_post_norm: false}'
	equal $((with - $(params))) $((4 * 2 * 16))
	config '{model_type: "granite", use_post_norm: true}'
	refused "'use_post_norm' changes what PyTorch runs"
	# What granite divides logits by is what these are multiplied by.
	config '{model_type: "hyperclovax", logits_scaling: 0.5}'
	equal "$(sf-model config.json -t 4 | tail -n 2 | jq -r .name)" \
	    "aten.mul"$'\n'"null"
	config '{model_type: "helium", head_dim: 8}'
	refused "'head_dim' is 8, but helium has the 4"
}

@test "heads whose size does not divide are rounded, and their pairs up" {
	moe='num_experts_per_tok: 2, moe_intermediate_size: 8'
	config "{model_type: \"glm4_moe\", hidden_size: 32, $moe,
	    num_attention_heads: 3, num_key_value_heads: 3,
	    n_routed_experts: 4}"
	# 10 of 32 over 3, and half of it is 5.
	equal "$(sf-model config.json -t 4 | jq -c 'select(.name == "aten.cos")
	    .outputs[0].shape[2]')" 6
	jq '.partial_rotary_factor = 0.95 | .head_dim = 9' config.json >odd.json
	mv odd.json config.json
	equal "$(sf-model config.json -t 4 | jq -c 'select(.name == "aten.cos")
	    .outputs[0].shape[2]')" 8
	jq '.partial_rotary_factor = 1' config.json >odd.json
	mv odd.json config.json
	refused "leaves 10 of the 9 of a head"
	config '{model_type: "mistral", num_attention_heads: 3,
	    num_key_value_heads: 3}'
	refused "'num_attention_heads' is 3, which does not divide the 16"
}

@test "experts of ERNIE are in a span of layers, at intervals" {
	ernie() {
		config "{model_type: \"ernie4_5_moe\", moe_k: 2,
		    moe_num_experts: 4, moe_intermediate_size: 8} + {$1}"
	}
	mlp=$((3 * 12 * 16))
	# The router and its correction, experts, and the two that are shared.
	routed=$((4 * 16 + 4 + 3 * 8 * 16 * 4 + 3 * 16 * 16))
	ernie ''
	rest=$(($(params) - mlp - 3 * routed))
	equal "$rest" $((10 * 16 + 16 + 4 * (2 * 16 + 16 * 48)))
	while IFS='|' read -r more dense; do
		ernie "$more"
		equal "$(params)" $((rest + dense * mlp +
		    (4 - dense) * routed))
	done <<-'EOF'
		moe_layer_start_index: 0|0
		moe_layer_start_index: 3|3
		moe_layer_end_index: 2|2
		moe_layer_end_index: -1|1
		moe_layer_interval: 2|2
		moe_layer_interval: 4|3
	EOF
	ernie 'moe_num_shared_experts: 0'
	equal "$(params)" $((rest + mlp + 3 * (routed - 3 * 16 * 16)))
	# A bias of the head, too.
	ernie 'use_bias: true, moe_layer_start_index: 9'
	equal "$(params)" $((rest + 4 * mlp + 4 * (48 + 16 + 12 * 2 + 16) -
	    4 * 16 + 10))
	# Router and correction are in FP32.
	ernie ''
	equal "$(sf-model config.json | head -n 1 | jq '.params |
	    .bytes - 2 * .count')" $((3 * 2 * (4 * 16 + 4)))
	while IFS='|' read -r more text; do
		ernie "$more"
		refused "$text"
	done <<-'EOF'
		moe_layer_start_index: -1|expected a whole number >= 0
		moe_layer_end_index: -2|expected a whole number >= 0
		moe_layer_interval: 0|'moe_layer_interval'
		moe_k: 5|at most the 4 experts
	EOF
	config '{model_type: "llama", moe_num_experts: 4}'
	refused "'moe_num_experts' changes what PyTorch runs"
}

@test "experts of a family are as wide as it says, and where it says" {
	moe='num_experts: 4, num_experts_per_tok: 2'
	config "{model_type: \"olmoe\", $moe, intermediate_size: 24}"
	equal "$(params)" $((2 * 10 * 16 + 16 + 4 * (16 * 48 + 2 * 16 + 16 + 8 +
	    4 * 16 + 4 * 3 * 24 * 16)))
	config "{model_type: \"olmoe\", $moe, clip_qkv: 8}"
	refused "'clip_qkv' changes"
	config "{model_type: \"olmoe\", $moe, head_dim: 8}"
	refused "'head_dim' is 8, but olmoe has the 4"
	config '{model_type: "granitemoeshared", num_local_experts: 4, intermediate_size: 24,
	    num_experts_per_tok: 2, shared_intermediate_size: 5}'
	with=$(params)
	config '{model_type: "granitemoeshared", num_local_experts: 4, intermediate_size: 24,
	    num_experts_per_tok: 2}'
	equal $((with - $(params))) $((4 * 3 * 5 * 16))
	jq '.shared_intermediate_size = 5' config.json |
	    sed 's/size": 5/size": 9223372036854775807/' >large.json
	mv large.json config.json
	refused "'shared_intermediate_size' is 9223372036854775807"
	config '{model_type: "granitemoe", num_local_experts: 4, intermediate_size: 24,
	    num_experts_per_tok: 2, shared_intermediate_size: 5}'
	refused "'shared_intermediate_size' changes"
	config '{model_type: "exaone_moe", num_experts: 4,
	    num_experts_per_tok: 2, moe_intermediate_size: 8}'
	one=$(params)
	config '{model_type: "exaone_moe", num_experts: 4,
	    num_experts_per_tok: 2, moe_intermediate_size: 8,
	    num_shared_experts: 3, first_k_dense_replace: 1}'
	equal $(($(params) - one)) $((3 * 2 * 3 * 8 * 16))
	config '{model_type: "solar_open", n_routed_experts: 4,
	    num_experts_per_tok: 2, moe_intermediate_size: 8,
	    first_k_dense_replace: 1}'
	refused "'first_k_dense_replace' changes"
}

@test "windows from a layer on, whatever else says so" {
	moe='model_type: "dots1", n_routed_experts: 4, num_experts_per_tok: 2,
	    moe_intermediate_size: 8, n_shared_experts: 1'
	seen() {
		sf-model config.json -c 9 | jq -c 'select(.name == "aten.cat" and
		    .inputs[1].shape[2] == 1 and .inputs[0].shape[2] > 1 and
		    (.inputs[0].shape | length) == 4).inputs[0].shape[2]' |
		    uniq -c | tr -s ' \n' ' '
	}
	config "{$moe, sliding_window: 4, max_window_layers: 3}"
	equal "$(seen)" " 6 9 2 3 "
	config "{$moe, sliding_window: 4}"
	equal "$(seen)" " 8 9 "
	config "{$moe, sliding_window: null, max_window_layers: 0}"
	equal "$(seen)" " 8 9 "
	# All layers have experts by default.
	all=$(params)
	config "{$moe, first_k_dense_replace: 1}"
	equal $((all - $(params))) $((4 * 16 + 5 * 3 * 8 * 16 - 3 * 12 * 16))
}

@test "CodeGen's heads are in four shares" {
	codegen() {
		jq -n '{model_type: "codegen", n_embd: 32, n_head: 4,
		    n_layer: 2, n_positions: 16, rotary_dim: 4,
		    vocab_size: 10} + '"$1" >config.json
	}
	codegen '{}'
	equal "$(params)" $((2 * 10 * 32 + 10 + 64 + 2 * (64 + 4 * 32 * 32 +
	    8 * 32 * 32 + 5 * 32)))
	codegen '{n_head: 2}'
	refused "'n_head' is 2, expected a multiple of 4"
	codegen '{rotary_dim: 10}'
	refused "'rotary_dim' is 10, expected an even number of the 8"
}

# lfm2 MORE - a small LFM2.
lfm2() {
	config "{model_type: \"lfm2\", block_multiple_of: 4} + {$1}"
}

@test "layers of LFM2 attend or convolve, and its MLP's width is rounded" {
	attention=$((16 * 48 + 2 * 4))
	convolution=$((16 * 64 + 3 * 16))
	rest=$((10 * 16 + 16 + 4 * (2 * 16 + 3 * 8 * 16)))
	lfm2 ''
	equal "$(params)" $((rest + 4 * attention))
	lfm2 'full_attn_idxs: [1, 9]'
	equal "$(params)" $((rest + attention + 3 * convolution))
	lfm2 'layer_types: ["conv", "conv", "full_attention", "conv"]'
	equal "$(params)" $((rest + attention + 3 * convolution))
	lfm2 'full_attn_idxs: [], conv_bias: true, conv_L_cache: 5'
	equal "$(params)" $((rest + 4 * (convolution + 2 * 16 + 5 * 16)))
	while IFS='|' read -r more width; do
		lfm2 "$more"
		equal "$(params)" $((rest + 4 * attention +
		    4 * 3 * 16 * (width - 8)))
	done <<-'EOF'
		block_auto_adjust_ff_dim: false|12
		block_ff_dim: 20|16
		block_ff_dim: 20, block_ffn_dim_multiplier: null|13
		block_ffn_dim_multiplier: 1.3|12
		block_multiple_of: 5|10
	EOF
	while IFS='|' read -r more text; do
		lfm2 "$more"
		refused "$text"
	done <<-'EOF'
		layer_types: ["conv"]|'layer_types': expected a list with a name for each of 4
		layer_types: ["conv", "a", "conv", "conv"]|'layer_types' has 'a'
		full_attn_idxs: 1|'full_attn_idxs': expected a list
		full_attn_idxs: [-1]|'full_attn_idxs': expected whole numbers
		block_ffn_dim_multiplier: 1e30|no width of an MLP
		block_ff_dim: 1, block_ffn_dim_multiplier: null|leaves no width
	EOF
	run -3 --separate-stderr sf-model config.json -r onnx
	lfm2 ''
	equal "$(sf-model config.json -r gpu | grep -c gpu.conv1d || true)" 0
	lfm2 'full_attn_idxs: [1]'
	equal "$(sf-model config.json -r gpu | grep -c gpu.conv1d)" 3
	lfm2 ''
	jq '. + {model_type: "lfm2_moe", num_experts: 4,
	    num_experts_per_tok: 2, moe_intermediate_size: 8,
	    num_dense_layers: 3}' config.json >moe.json
	mv moe.json config.json
	equal "$(params)" $((rest + 4 * attention +
	    3 * 3 * 16 * 4 - 3 * 8 * 16 + 4 * 16 + 4 * 3 * 8 * 16))
}

@test "layers of hybrids are Mamba 2's or attend" {
	mamba='mamba_n_heads: 4, mamba_d_state: 3'
	# In, convolution, A, D, the bias of the step, the norm and out.
	mixer=$((16 * (64 + 6 + 4) + 38 * 5 + 3 * 4 + 32 + 32 * 16))
	rest=$((2 * 10 * 16 + 16 + 4 * (2 * 16 + 3 * 12 * 16)))
	config "{model_type: \"bamba\", $mamba}"
	equal "$(params)" $((rest + 4 * mixer))
	config "{model_type: \"bamba\", $mamba, attn_layer_indices: [2]}"
	equal "$(params)" $((rest + 3 * mixer + 16 * 48))
	granite='model_type: "granitemoehybrid", num_local_experts: 0,
	    num_experts_per_tok: 0, shared_intermediate_size: 12'
	config "{$granite, $mamba}"
	equal "$(params)" $((rest + 4 * mixer))
	config "{$granite, $mamba, layer_types:
	    [\"mamba\", \"attention\", \"linear_attention\", \"full_attention\"]}"
	equal "$(params)" $((rest + 2 * mixer + 2 * 16 * 48))
	equal "$(sf-model config.json | grep -c '"aten.cos"' || true)" 0
	config "{$granite, $mamba, layer_types: [range(4) |
	    \"full_attention\"], position_embedding_type: \"rope\"}"
	equal "$(sf-model config.json | grep -c '"aten.cos"')" 1
	while IFS='|' read -r more text; do
		config "{model_type: \"bamba\"} + {$more}"
		refused "$text"
	done <<-'EOF'
		mamba_n_heads: 3|'mamba_n_heads' is 3 of 10, expected 32 in all
		mamba_n_heads: 4, mamba_d_head: 9|'mamba_n_heads' is 4 of 9
		mamba_n_heads: 4, mamba_n_groups: 3|multiple of the 3
		mamba_n_heads: 4, mamba_expand: 1e30|'mamba_expand'
		mamba_n_heads: 4, mamba_d_state: 4611686018427387904|'mamba_d_state' is too large
	EOF
}

# pair MORE - a small encoder and its decoder.
pair() {
	jq -n '{d_model: 16, encoder_layers: 2, decoder_layers: 1,
	    encoder_attention_heads: 4, decoder_attention_heads: 2,
	    encoder_ffn_dim: 12, decoder_ffn_dim: 20, vocab_size: 10,
	    max_position_embeddings: 30} + '"$1" >config.json
}

@test "BART and its kin have their tables, their norms and their head" {
	while read -r type count; do
		echo "{\"model_type\": \"$type\"}" >config.json
		equal "$(params)" "$count"
	done <<-'EOF'
		bart 406291456
		mbart 406295552
		pegasus 406287360
	EOF
	echo '{"model_type": "marian", "vocab_size": 58101}' >config.json
	equal "$(params)" 414307328
	attention=$((4 * 16 * 17)) norm=$((2 * 16))
	layers=$((2 * (attention + 2 * norm + 12 * 33 + 16) +
	    2 * attention + 3 * norm + 20 * 33 + 16))
	pair '{model_type: "bart"}'
	equal "$(params)" $((layers + 10 * 16 + 2 * 32 * 16 + 2 * norm))
	pair '{model_type: "bart", tie_word_embeddings: false}'
	equal "$(params)" $((layers + 4 * 10 * 16 + 2 * 32 * 16 + 2 * norm))
	pair '{model_type: "mbart"}'
	equal "$(params)" $((layers + 10 * 16 + 2 * 32 * 16 + 4 * norm))
	pair '{model_type: "pegasus"}'
	equal "$(params)" $((layers + 10 * 16 + 2 * 30 * 16 + 2 * norm))
	pair '{model_type: "marian", decoder_vocab_size: 7}'
	equal "$(params)" $((layers + 10 * 16 + 2 * 30 * 16))
	pair '{model_type: "marian", decoder_vocab_size: 7,
	    share_encoder_decoder_embeddings: false}'
	equal "$(params)" $((layers + 17 * 16 + 2 * 30 * 16))
	equal "$(sf-model config.json -t 3 -s 5 | tail -n 2 | head -n 1 |
	    jq -c .outputs[0].shape)" "[1,3,7]"
	# Without a head.
	pair '{model_type: "marian", architectures: ["MarianModel"]}'
	equal "$(sf-model config.json -t 3 -s 5 | tail -n 2 | head -n 1 |
	    jq -c .outputs[0].shape)" "[1,3,16]"
	pair '{model_type: "marian", architectures: ["MarianMTModel"]}'
	equal "$(sf-model config.json -t 3 -s 5 | tail -n 2 | head -n 1 |
	    jq -c .outputs[0].shape)" "[1,3,10]"
	# The cache holds what the encoder gave.
	equal "$(sf-model config.json -c 4 -s 5 | jq -c 'select(.name ==
	    "aten.bmm").inputs[1].shape' | head -n 3 | tail -n 1)" "[2,8,5]"
	while IFS='|' read -r more text; do
		pair "{model_type: \"bart\"} + {$more}"
		refused "$text"
	done <<-'EOF'
		encoder_attention_heads: 3|'encoder_attention_heads' is 3, which does not divide
		decoder_attention_heads: 3|'decoder_attention_heads' is 3, which does not divide
		architectures: ["BartForQuestionAnswering"]|expected one with a language model's head
	EOF
	pair '{model_type: "bart"}'
	sed -i 's/embeddings": 30/embeddings": 9223372036854775807/' config.json
	refused "more than there are numbers for"
	pair '{model_type: "bart"}'
	run -3 --separate-stderr sf-model config.json -D f16
	one_line_error
}
