# sf-model: decoders whose layers differ, and parts of models.

load helpers
load models

# blocks BLOCK... - a model whose layers are these.
blocks() {
	config "{model_type: \"nemotron-nas\", hidden_size: 96,
	    intermediate_size: null, num_key_value_heads: null,
	    num_hidden_layers: $#, tie_word_embeddings: true,
	    block_configs: [$(IFS=,; echo "$*")]}"
}

@test "a layer's block says which of its halves it has, and how wide" {
	all='{attention: {n_heads_in_group: 2}, ffn: {ffn_mult: 3}}'
	bare='{attention: {no_op: true}, ffn: {no_op: true}}'
	narrow='{attention: {no_op: true, n_heads_in_group: null}, ffn:
	    {ffn_mult: 0.5}}'
	# 2 x 3 x 96 / 3 is 192, of 256; 2 x 0.5 x 96 / 3 is 32.
	layer=$((96 * 96 * 2 + 96 * 48 * 2 + 3 * 96 * 256 + 2 * 96))
	blocks "$all" "$bare"
	equal "$(params config.json)" $((10 * 96 + 96 + layer))
	one=$(sf-model config.json -t 4 | tail -n 1)
	blocks "$all"
	equal "$(params config.json)" $((10 * 96 + 96 + layer))
	equal "$(sf-model config.json -t 4 | tail -n 1)" "$one"
	blocks "$all" "$narrow"
	equal "$(params config.json)" $((10 * 96 + 96 + layer + 96 +
	    3 * 96 * 256))
	equal "$(sf-model config.json -t 4 | grep -c _safe_softmax)" 1
	equal "$(notes config.json)" \
	    "transformers has no model of type 'nemotron-nas': its products are those of closed forms, and no capture was compared"
	while IFS='|' read -r block text; do
		blocks "$block"
		refused "$text"
	done <<-'EOF'
		{}|'attention': expected an object
		{attention: {n_heads_in_group: 3}, ffn: {no_op: true}}|'n_heads_in_group': expected what divides the 4
		{attention: {}, ffn: {no_op: true}}|'n_heads_in_group': expected
		{attention: {no_op: 1}, ffn: {no_op: true}}|'no_op': expected
		{attention: {no_op: true}, ffn: {}}|'ffn_mult' is missing
		{attention: {no_op: true}, ffn: {ffn_mult: -1}}|'ffn_mult': expected
		{attention: {no_op: true}, ffn: {ffn_mult: 1e30}}|'ffn_mult' makes
		{attention: {no_op: true, replace_with_linear: true}, ffn: {}}|'replace_with_linear' changes
		{attention: {no_op: true}, ffn: {sparsify: [1]}}|'sparsify' changes
		{attention: {no_op: true, window_length: 4}, ffn: {}}|'window_length' changes
	EOF
	blocks "$all" "$all"
	jq '.num_hidden_layers = 3' config.json >other.json
	mv other.json config.json
	refused "'block_configs': expected one for each of 3 layers"
}

@test "layers that predict further tokens are counted and not run" {
	config '{model_type: "mimo"}'
	without=$(params config.json)
	sf-model config.json -t 4 | tail -n 1 >one
	config '{model_type: "mimo", num_nextn_predict_layers: 2}'
	equal "$(params config.json)" $((without + 2 * (8 * 8 * 2 + 8 * 4 * 2 +
	    8 + 2 * 4 + 3 * 8 * 12 + 5 * 8 + 2 * 8 * 8)))
	sf-model config.json -t 4 | tail -n 1 | cmp - one
	equal "$(notes config.json | grep predict)" \
	    'the model has 2 layers that predict tokens further on, which are counted and not run'
}

@test "a part of a model is stored as the whole says, by either's names" {
	config '{hidden_size: 128, intermediate_size: 64,
	    tie_word_embeddings: true}'
	stored() {
		sf-model part.json -t 1 | jq -s -c '[.[] |
		    select(.name == "aten.t").inputs[0].stored] | .[4:7]'
	}
	part() { jq "{text_config: ., quantization_config: $1}" config.json \
	    >part.json; }
	part '{quant_algo: "NVFP4"}'
	f4=$((128 * 64 / 2 + 128 * 64 / 16 + 8))
	equal "$(stored)" "[$f4,$f4,$f4]"
	for name in model.layers.0.mlp.up_proj mlp.up_proj \
	    model.language_model.layers.0.mlp.up_proj \
	    'model.language_model.layers.*.up*' \
	    language_model.model.layers.0.mlp.up_proj; do
		part "{quant_algo: \"NVFP4\", ignore: [\"$name\"]}"
		equal "$(stored)" "[$f4,null,$f4]"
	done
	part '{quant_algo: "NVFP4", ignore: ["model.vision.layers.0.mlp*"]}'
	equal "$(stored)" "[$f4,$f4,$f4]"
	jq '{text_config: (. + {quantization_config: {quant_algo: "FP8"}})}' \
	    config.json >part.json
	equal "$(stored)" "[$((128 * 64 + 8)),$((128 * 64 + 8)),$((128 * 64 + 8))]"
}

# config_m3 MORE - a small MiniMax M3.
config_m3() {
	config '{model_type: "minimax_m3", head_dim: 8, num_local_experts: 4,
	    num_experts_per_tok: 2, intermediate_size: 16,
	    dense_intermediate_size: 24, shared_intermediate_size: 20,
	    num_hidden_layers: 2, tie_word_embeddings: true,
	    partial_rotary_factor: 0.5} + '"$1"
}

@test "layers of MiniMax M3 have experts or an MLP, an indexer or none" {
	# Of heads of 8: q, k, v and o; two norms of heads and two of the layer.
	attention=$((8 * 32 * 2 + 8 * 16 * 2 + 2 * 8 + 2 * 8))
	experts=$((4 * 8 + 4 * 3 * 16 * 8 + 3 * 8 * 20))
	config_m3 '{}'
	equal "$(params config.json)" $((80 + 8 + 2 * (attention + experts)))
	config_m3 '{moe_layer_freq: [0, 1]}'
	equal "$(params config.json)" \
	    $((80 + 8 + 2 * attention + experts + 3 * 8 * 24))
	dense=$(params config.json)
	config_m3 '{mlp_layer_types: ["dense", "sparse"],
	    moe_layer_freq: [1, 1]}'
	equal "$(params config.json)" "$dense"
	config_m3 '{moe_layer_freq: [0, 1], sparse_attention_config:
	    {sparse_attention_freq: [0, 1], sparse_index_dim: 4,
	    sparse_num_index_heads: 2, sparse_block_size: 4,
	    sparse_topk_blocks: 2}}'
	# Two heads of queries and one of keys, of 4, and their norms.
	equal "$(params config.json)" $((dense + 3 * 4 * 8 + 2 * 4))
	# 9 keys are three blocks, of which a query has two.
	equal "$(sf-model config.json -t 9 | jq -c 'select(.name == "aten.topk" and
	    .inputs[0].shape[3] != null) | [.inputs[0].shape, .outputs[0].shape]')" \
	    "[[1,2,9,3],[1,2,9,2]]"
	equal "$(sf-model config.json -c 5 -b 2 | jq -c 'select(.name == "aten.topk" and
	    .inputs[0].shape[3] != null) | .inputs[0].shape')" "[2,2,1,2]"
	while IFS='|' read -r more text; do
		config_m3 "$more"
		refused "$text"
	done <<-'EOF'
		{moe_layer_freq: [1]}|'moe_layer_freq': expected a list with 0 or 1
		{moe_layer_freq: [1, "a"]}|'moe_layer_freq': expected 0 or 1
		{mlp_layer_types: ["sparse", "other"]}|'mlp_layer_types' has 'other', expected dense or sparse
		{layer_types: ["sliding_attention", "a"]}|'layer_types' has 'sliding_attention'
		{sparse_attention_config: []}|'sparse_attention_config': expected an object
		{sparse_attention_config: {sparse_block_size: 0}}|blocks of 0 keys
		{index_head_dim: 2}|the indexer has 4 heads of 2
		{index_n_heads: 3}|the indexer has 3 heads
		{index_topk_blocks: "a"}|'index_topk_blocks': expected a size
		{num_experts_per_tok: 5}|a token goes to 5 experts
	EOF
}

# config_step MORE - a small Step.
config_step() {
	config '{model_type: "step3p7", head_dim: 8, n_routed_experts: 4,
	    num_experts_per_tok: 2, intermediate_size: 12,
	    moe_intermediate_size: 16, share_expert_dim: 20,
	    num_hidden_layers: 4, sliding_window: 4,
	    tie_word_embeddings: true} + '"$1"
}

@test "layers of Step have heads and a rotary embedding by their type" {
	# Two norms of heads, two of the layer, gates of four heads.
	attention=$((8 * 32 * 2 + 8 * 16 * 2 + 2 * 8 + 2 * 8 + 4 * 8))
	experts=$((4 * 8 + 4 * 3 * 16 * 8 + 3 * 8 * 20))
	mlp=$((3 * 8 * 12))
	config_step '{}'
	equal "$(params config.json)" \
	    $((80 + 8 + 4 * attention + 3 * mlp + experts))
	config_step '{moe_layers_enum: "1,3"}'
	equal "$(params config.json)" \
	    $((80 + 8 + 4 * attention + 2 * mlp + 2 * experts))
	config_step '{first_k_dense_replace: 1}'
	equal "$(params config.json)" \
	    $((80 + 8 + 4 * attention + mlp + 3 * experts))
	types='layer_types: ["full_attention", "sliding_attention",
	    "sliding_attention", "sliding_attention"]'
	config_step "{$types, attention_other_setting:
	    {num_attention_heads: 6}, mlp_layer_types: [range(4) | \"dense\"],
	    partial_rotary_factors: [0.5, 1, 1, 1]}"
	equal "$(params config.json)" $((80 + 8 + 4 * attention + 4 * mlp +
	    3 * 2 * (8 * 8 * 2 + 8)))
	equal "$(sf-model config.json -t 4 | jq -c 'select(.name == "aten.cos")
	    .outputs[0].shape[2]' | sort | tr '\n' ' ')" "4 8 "
	while IFS='|' read -r more text; do
		config_step "$more"
		refused "$text"
	done <<-'EOF'
		{num_sliding_attention_heads: 3}|'num_sliding_attention_heads': expected a multiple of the 2
		{partial_rotary_factors: [1]}|'partial_rotary_factors': expected a list
		{partial_rotary_factors: [0.1, 0.1, 0.1, 0.1]}|leaves 0 of the 8
		{gating: "all"}|'gating': expected true or per-head
		{moe_layers_enum: "1,a"}|'moe_layers_enum': expected numbers
		{moe_layers_enum: [1]}|'moe_layers_enum': expected numbers
		{num_experts_per_tok: 9}|a token goes to 9 experts, expected at most the 4
	EOF
	config_step '{}'
	run -3 --separate-stderr sf-model config.json -r onnx
	[[ $stderr == *ONNX* ]]
}

# config_llama4 MORE - a small Llama 4.
config_llama4() {
	config '{model_type: "llama4_text", head_dim: 8, num_local_experts: 3,
	    intermediate_size_mlp: 20, num_hidden_layers: 4,
	    attention_chunk_size: 4, tie_word_embeddings: true} + '"$1"
}

@test "layers of Llama 4 run all experts, or an MLP, and see chunks or all" {
	attention=$((8 * 32 * 2 + 8 * 16 * 2 + 2 * 8))
	experts=$((3 * 8 + 3 * 3 * 12 * 8 + 3 * 12 * 8))
	mlp=$((3 * 8 * 20))
	config_llama4 '{}'
	equal "$(params config.json)" $((80 + 8 + 4 * (attention + experts)))
	config_llama4 '{interleave_moe_layer_step: 2}'
	equal "$(params config.json)" \
	    $((80 + 8 + 4 * attention + 2 * (mlp + experts)))
	config_llama4 '{moe_layers: [3, 9]}'
	equal "$(params config.json)" \
	    $((80 + 8 + 4 * attention + 3 * mlp + experts))
	# All experts are multiplied with all of 5 tokens.
	equal "$(sf-model config.json -t 5 | jq -c 'select(.name == "aten.bmm" and
	    .inputs[1].param) | .inputs[0].shape')" \
	    "[3,5,8]"$'\n'"[3,5,12]"
	equal "$(sf-model config.json -t 5 | sed -n 2p | jq .active_params)" \
	    null
	# Three of four layers rotate and keep a chunk less one of the context.
	kept() {
		sf-model config.json -c 9 | jq -c 'select(.name == "aten.cat" and
		    .inputs[1].shape[2] == 1 and
		    (.inputs[0].shape | length) == 4).inputs[0].shape[2]' |
		    sort | uniq -c | tr -s ' ' | tr '\n' ';'
	}
	equal "$(kept)" " 6 3; 2 9;"
	config_llama4 '{no_rope_layers: [1, 0, 0, 0]}'
	equal "$(kept)" " 2 3; 6 9;"
	config_llama4 '{layer_types: [range(4) | "full_attention"]}'
	equal "$(kept)" " 8 9;"
	while IFS='|' read -r more text; do
		config_llama4 "$more"
		refused "$text"
	done <<-'EOF'
		{moe_layers: 1}|'moe_layers': expected a list
		{moe_layers: [-1]}|expected a whole number
		{num_experts_per_tok: 4}|'num_experts_per_tok' is 4, expected at most the 3
		{attention_chunk_size: 1}|'attention_chunk_size' is 1
		{layer_types: ["full_attention"]}|'layer_types': expected a list with a name for each of 4
		{layer_types: ("sliding_attention " * 4 / " ")[:4]}|'layer_types' has 'sliding_attention', expected full_attention or chunked_attention
	EOF
}

@test "what Python's json writes besides is read where nothing asks for it" {
	config '{}'
	sf-model config.json -t 4 | tail -n +3 >one
	sed -i '1a "limits": [0.0, Infinity, -Infinity, NaN], "a\\"": "NaN",' \
	    config.json
	sf-model config.json -t 4 | tail -n +3 | cmp - one
	for number in Infinity -Infinity NaN; do
		config '{}'
		sed -i "s/\(hidden_size\": \)8/\1$number/" config.json
		refused "'hidden_size' is $number, expected a whole number"
	done
	config '{}'
	sed -i 's/8/Infinit/' config.json
	refused "Infinit"
	# Files of other kinds are JSON.
	mkdir -p configs
	echo '{"a": NaN}' >configs/a.json
	echo '{"tokens": NaN}' >routing.json
	config '{model_type: "mixtral", num_local_experts: 8,
	    num_experts_per_tok: 2, intermediate_size: 16}'
	run -3 --separate-stderr sf-model config.json --routing ./routing.json
	one_line_error
	[[ $stderr == *"routing.json:1:"* ]]
}

# The text models of files that have several parts, as transformers builds them,
# and models that it has not, as their authors count them.
@test "published configurations have the parameters of their text models" {
	need_shared
	while read -r name count; do
		echo "$name"
		equal "$(params "$SF_SHARED/data/configs/$name.json")" "$count"
	done <<-'EOF'
		Qwen--Qwen3-VL-235B-A22B-Instruct 235093634560
		Qwen--Qwen3-VL-30B-A3B-Instruct 30532122624
		Qwen--Qwen3-VL-32B-Instruct 32762123264
		Qwen--Qwen3-VL-4B-Instruct 4022468096
		Qwen--Qwen3-VL-8B-Instruct 8190735360
		MiniMaxAI--MiniMax-M3 426174565632
		XiaomiMiMo--MiMo-7B-Base 7833409536
		google--gemma-4-26B-A4B 25233141760
		nvidia--Gemma-4-26B-A4B-NVFP4 25233141760
		nvidia--Llama-3_3-Nemotron-Super-49B-v1 49867145216
		stepfun-ai--Step-3.7-Flash-FP8 195844496640
	EOF
}

# sizes TYPE HIDDEN MLP LAYERS HEADS VOCABULARY MORE - a decoder of 8 KV heads.
sizes() {
	config "{model_type: \"$1\", hidden_size: $2, intermediate_size: $3,
	    num_hidden_layers: $4, num_attention_heads: $5, vocab_size: $6,
	    num_key_value_heads: 8} + {$7}"
}

@test "where some layers have a window, those without it rotate nothing" {
	# Command R7B and EXAONE 4.0 32B.
	sizes cohere2 4096 14336 32 32 256000
	equal "$(params config.json)" 8028033024
	sizes exaone4 5120 27392 64 40 102400 'head_dim: 128'
	equal "$(params config.json)" 32003216384
	rotations() { sf-model config.json -t 4 | grep -c '"aten.neg"'; }
	# The queries and the keys of three layers of four, or of all.
	sizes exaone4 16 8 8 8 10
	equal "$(rotations)" 12
	sizes exaone4 16 8 2 8 10 'sliding_window: null, sliding_window_pattern:
	    "LLLG", layer_types: ["full_attention", "full_attention"]'
	equal "$(rotations)" 4
	sizes exaone4 16 8 2 8 10 'sliding_window: null'
	refused "'sliding_window' is null, expected a size without layer_types"
}

@test "queries that grow with the tokens before theirs need to know of how many" {
	# The text model of Ministral 3 3B: its head is tied.
	sizes ministral3 3072 9216 26 32 131072 'tie_word_embeddings: true'
	equal "$(params config.json)" $((131072 * 3072 + 3072 + 26 * (2 * 3072 +
	    2 * 3072 * 128 * (32 + 8) + 3 * 3072 * 9216)))
	equal "$(sf-model config.json -t 4 | grep -c '"aten.floor"')" 26
	rope='rope_theta: 1.0e6, llama_4_scaling_beta: 0.1'
	sizes ministral3 16 8 1 8 10 "rope_parameters: {$rope}"
	refused "'rope_parameters' has no 'original_max_position_embeddings', expected a number > 0"
}
