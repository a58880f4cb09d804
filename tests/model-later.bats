# sf-model: families that came behind the others, their published sizes and what
# their configurations may say.

load helpers
load models

# config MORE - config.json.
config() { jq -n "$1" >config.json; }

# sized COUNT MORE - a configuration whose parameters are known.
sized() {
	config "$2"
	equal "$2: $(params)" "$2: $1"
}

# bats test_tags=SF-01
@test "published decoders have their parameters" {
	# falcon-7b, 40b and rw-1b.
	sized 6921720704 '{model_type: "falcon", hidden_size: 4544,
	    num_attention_heads: 71, num_hidden_layers: 32, vocab_size: 65024}'
	sized 41303293952 '{model_type: "falcon", hidden_size: 8192,
	    num_attention_heads: 128, num_kv_heads: 8, num_hidden_layers: 60,
	    vocab_size: 65024, new_decoder_architecture: true}'
	sized 1311625216 '{model_type: "falcon", hidden_size: 2048,
	    num_attention_heads: 32, num_hidden_layers: 24, vocab_size: 50304,
	    alibi: true, bias: true, multi_query: false, parallel_attn: false}'
	# bloom-560m and 7b1.
	sized 559214592 '{model_type: "bloom", hidden_size: 1024, n_layer: 24,
	    n_head: 16, vocab_size: 250880}'
	sized 7069016064 '{model_type: "bloom", hidden_size: 4096, n_layer: 30,
	    n_head: 32, vocab_size: 250880}'
	# gpt-j-6b, whose head has a bias.
	sized 6050882784 '{model_type: "gptj", n_embd: 4096, n_head: 16,
	    n_layer: 28, n_positions: 2048, vocab_size: 50400}'
	# Phi-3.5-MoE.
	sized 41873153344 '{model_type: "phimoe", hidden_size: 4096,
	    intermediate_size: 6400, num_attention_heads: 32,
	    num_key_value_heads: 8, num_hidden_layers: 32, vocab_size: 32064,
	    num_local_experts: 16, num_experts_per_tok: 2,
	    attention_bias: true, lm_head_bias: true,
	    max_position_embeddings: 131072, rope_scaling: {type: "longrope",
	    original_max_position_embeddings: 4096}}'
	# internlm2-7b and 20b.
	sized 7737708544 '{model_type: "internlm2", hidden_size: 4096,
	    intermediate_size: 14336, num_attention_heads: 32,
	    num_key_value_heads: 8, num_hidden_layers: 32, vocab_size: 92544,
	    bias: false, tie_word_embeddings: false,
	    rope_scaling: {type: "dynamic", factor: 2}}'
	notes | grep -qx "transformers has no model of type 'internlm2': its products are those of closed forms, and no capture was compared"
	sized 19861149696 '{model_type: "internlm2", hidden_size: 6144,
	    intermediate_size: 16384, num_attention_heads: 48,
	    num_key_value_heads: 8, num_hidden_layers: 48, vocab_size: 92544,
	    bias: false, tie_word_embeddings: false}'
}

# falcon MORE
falcon() {
	config '{model_type: "falcon", hidden_size: 24,
	    num_attention_heads: 3, num_hidden_layers: 1, vocab_size: 10} + '"$1"
}

@test "Falcon's heads of keys are those of queries, groups of them, or one" {
	# What a layer's first product gives, and what the cache has.
	heads() {
		sf-model config.json --decode 5 --route "$1" | jq -s -c '
		    [(first(.[] | select(.inputs[]?.param == true and
		    (.name | test("permute|linear"))) | .inputs | map(select(
		    .param))[0].shape[0])), (first(.[] | select(.name ==
		    "aten.cat" and (.inputs[0].shape | length) == 4 and
		    .inputs[0].shape[2] == 5) | .inputs[0].shape[1]) // (first(
		    .[] | select(.name == "gpu.attention")) |
		    .inputs[3].shape[1]))]'
	}
	falcon '{}'
	equal "$(heads dispatch) $(heads gpu)" "[40,1] [40,1]"
	falcon '{multi_query: false}'
	equal "$(heads dispatch) $(heads gpu)" "[72,3] [72,3]"
	falcon '{num_attention_heads: 6, num_kv_heads: 2,
	    new_decoder_architecture: true}'
	equal "$(heads dispatch) $(heads gpu)" "[40,6] [40,2]"
	while IFS='|' read -r more text; do
		falcon "$more"
		refused "$text"
	done <<-'EOF'
		{num_attention_heads: 5}|'num_attention_heads' is 5, expected what divides the 24
		{num_attention_heads: 8}|'num_attention_heads' is 8, expected what divides the 24
		{num_kv_heads: 2, new_decoder_architecture: true}|'num_kv_heads' is 2, which does not divide the 3
		{parallel_attn: false, new_decoder_architecture: true}|'parallel_attn' is false
		{num_ln_in_parallel_attn: 2}|'num_ln_in_parallel_attn' is 2, expected 1 without
		{num_ln_in_parallel_attn: 3, new_decoder_architecture: true}|'num_ln_in_parallel_attn' is 3, expected 1 or 2
		{hidden_size: 4611686018427387904, num_attention_heads: 1}|'hidden_size' is 46116860184273
	EOF
}

@test "what BLOOM, GPT-J and PhiMoE cannot be is refused" {
	config '{model_type: "bloom", hidden_size: 8, n_layer: 1, n_head: 3,
	    vocab_size: 10}'
	refused "'n_head' is 3, which does not divide the 8"
	jq '.n_head = 2 | .pretraining_tp = 2 | .slow_but_exact = true' \
	    config.json >other.json
	mv other.json config.json
	refused "'slow_but_exact' takes products apart"
	jq '.pretraining_tp = 1' config.json >other.json
	mv other.json config.json
	sf-model config.json -t 2 >/dev/null
	config '{model_type: "gptj", n_embd: 8, n_head: 2, n_layer: 1,
	    n_positions: 8, vocab_size: 10}'
	refused "'rotary_dim' is 64, expected an even number of the 4"
	jq '.rotary_dim = 2' config.json >other.json
	mv other.json config.json
	sf-model config.json -t 8 >/dev/null
	run -2 --separate-stderr sf-model config.json -t 9
	one_line_error
	[[ $stderr == *"the model has 8 positions, and the workload needs 9"* ]]
	config '{model_type: "phimoe", hidden_size: 16, intermediate_size: 8,
	    num_attention_heads: 2, num_hidden_layers: 1, vocab_size: 10,
	    num_local_experts: 4, num_experts_per_tok: 3}'
	refused "'num_experts_per_tok' is 3, but the router of phimoe always chooses 2"
}

@test "rotary embeddings that ask for values have a note" {
	llama='{model_type: "llama", hidden_size: 8, intermediate_size: 12,
	    num_hidden_layers: 1, num_attention_heads: 2, vocab_size: 10}'
	config "$llama"
	sf-model config.json -t 4 | grep '"op"' >plain
	equal "$(notes)" ""
	for rope in '{type: "dynamic", factor: 2}' '{rope_type: "longrope",
	    original_max_position_embeddings: 64}'; do
		for key in rope_scaling rope_parameters; do
			config "$llama + {$key: $rope}"
			sf-model config.json -t 4 | grep '"op"' | cmp - plain
			notes | grep -q "PyTorch asks for the value of the last place"
		done
	done
	config "$llama + {rope_scaling: {type: \"longrope\"}}"
	refused "'rope_scaling' is of type 'longrope' and there is no 'original_max_position_embeddings'"
}

# ---- encoders ----

# bats test_tags=SF-01
@test "published encoders have their parameters" {
	# albert-base-v2, and as its heads are: one layer's parameters.
	albert='{model_type: "albert", hidden_size: 768, embedding_size: 128,
	    intermediate_size: 3072, num_hidden_layers: 12,
	    num_attention_heads: 12, vocab_size: 30000,
	    max_position_embeddings: 512}'
	sized 11221680 "$albert + {architectures: [\"AlbertForMaskedLM\"]}"
	sized 11683584 "$albert"
	# all-mpnet-base-v2.
	sized 109486464 '{model_type: "mpnet", hidden_size: 768,
	    intermediate_size: 3072, num_hidden_layers: 12,
	    num_attention_heads: 12, vocab_size: 30527,
	    max_position_embeddings: 514}'
	# ModernBERT-base and large.
	sized 149655232 '{model_type: "modernbert", hidden_size: 768,
	    intermediate_size: 1152, num_hidden_layers: 22,
	    num_attention_heads: 12, vocab_size: 50368,
	    max_position_embeddings: 8192,
	    architectures: ["ModernBertForMaskedLM"]}'
	sized 395881664 '{model_type: "modernbert", hidden_size: 1024,
	    intermediate_size: 2624, num_hidden_layers: 28,
	    num_attention_heads: 16, vocab_size: 50368,
	    max_position_embeddings: 8192,
	    architectures: ["ModernBertForMaskedLM"]}'
	# nomic-embed-text-v1.5, by the names of its own file.
	sized 136731648 '{model_type: "nomic_bert", n_embd: 768, n_inner: 3072,
	    n_layer: 12, n_head: 12, vocab_size: 30528, n_positions: 8192,
	    activation_function: "swiglu", rotary_emb_fraction: 1}'
}

@test "layers of ALBERT read the parameters of their group" {
	config '{model_type: "albert", hidden_size: 8, embedding_size: 4,
	    intermediate_size: 12, num_hidden_layers: 6, num_attention_heads: 2,
	    vocab_size: 10, max_position_embeddings: 16, num_hidden_groups: 2,
	    inner_group_num: 3}'
	layer=$((4 * 72 + 2 * 16 + 2 * 96 + 12 + 8))
	equal "$(params)" $((4 * (10 + 16 + 2) + 8 + 4 * 8 + 8 + 6 * layer + 72))
	# Eighteen layers run, of which three by three have the same.
	sf-model config.json -t 2 | jq -r '.inputs[]?.tid |
	    select(test("ffn.weight"))' | uniq >names
	equal "$(wc -l <names) $(sort -u names | wc -l)" "18 6"
	equal "$(head -n 9 names | sort -u | wc -l)" 3
	jq '.num_hidden_groups = 7' config.json >other.json
	mv other.json config.json
	refused "'num_hidden_groups' is 7, expected at most the 6 layers"
	jq '.num_hidden_groups = 1 | .inner_group_num = 100000' config.json \
	    >other.json
	mv other.json config.json
	refused "'inner_group_num' is 100000, which makes too many layers"
}

# modern MORE
modern() {
	config '{model_type: "modernbert", hidden_size: 8, intermediate_size: 6,
	    num_hidden_layers: 7, num_attention_heads: 2, vocab_size: 10,
	    max_position_embeddings: 64, local_attention: 8} + '"$1"
}

@test "layers of ModernBERT see all tokens or those about theirs" {
	# Which have a mask, of more tokens than the window.
	masked() {
		sf-model config.json -t 9 --device cpu | jq -s -c '[.[] |
		    select(.name // "" | test("flash_attention")) | .inputs |
		    length - 3]'
	}
	modern '{}'
	equal "$(masked)" "[0,1,1,0,1,1,0]"
	modern '{global_attn_every_n_layers: 2}'
	equal "$(masked)" "[0,1,0,1,0,1,0]"
	modern '{num_hidden_layers: 2, layer_types: ["sliding_attention",
	    "full_attention"]}'
	equal "$(masked)" "[1,0]"
	# A window is half of local_attention; fewer tokens need no mask.
	equal "$(sf-model config.json -t 3 | grep -c 'aten.abs')" 0
	equal "$(sf-model config.json -t 4 | grep -c 'aten.abs')" 1
	while IFS='|' read -r more text; do
		modern "$more"
		refused "$text"
	done <<-'EOF'
		{local_attention: 1}|'local_attention' is 1, expected a window
		{num_attention_heads: 8}|the heads are of 1, expected an even number
		{classifier_pooling: "mean", architectures: ["ModernBertForSequenceClassification"]}|'classifier_pooling' is 'mean', expected cls
		{layer_types: ["sliding_attention"]}|'layer_types': expected a list with a name for each of 7
	EOF
	modern '{classifier_pooling: "mean"}'
	sf-model config.json -t 2 >/dev/null
}

@test "what Nomic's own files say beyond the class of transformers is refused" {
	while IFS='|' read -r more text; do
		config '{model_type: "nomic_bert", n_embd: 8, n_inner: 12,
		    n_layer: 1, n_head: 2, vocab_size: 10, n_positions: 16} + '"$more"
		refused "$text"
	done <<-'EOF'
		{qkv_proj_bias: true}|'qkv_proj_bias' is set, which the class of transformers has not
		{prenorm: true}|'prenorm' is set
		{activation_function: "gelu"}|'activation_function' is 'gelu', expected swiglu
		{rotary_emb_fraction: 0.5}|'rotary_emb_fraction' other than 1
		{head_dim: 8}|'head_dim' is not the 4
		{n_head: 8}|the heads are of 1, expected an even number
		{n_embd: 9}|'num_attention_heads' is 2, which does not divide
	EOF
}

@test "a classifier whose configuration names no labels has a note" {
	bert='{model_type: "bert", hidden_size: 8, intermediate_size: 12,
	    num_hidden_layers: 1, num_attention_heads: 2, vocab_size: 10,
	    max_position_embeddings: 16}'
	config "$bert"
	equal "$(notes)" ""
	config "$bert + {architectures: [\"BertForSequenceClassification\"]}"
	equal "$(notes)" "the configuration names no labels: the classifier has 2, the default of transformers"
	for named in 'num_labels: 2' 'id2label: {"0": "a"}'; do
		config "$bert + {architectures: [\"BertForTokenClassification\"],
		    $named}"
		equal "$(notes)" ""
	done
	vit='{model_type: "vit", image_size: 224,
	    architectures: ["ViTForImageClassification"]}'
	config "$vit"
	sf-model config.json | grep -q 'has 1000, those of ImageNet, and the default of transformers is 2'
	config "$vit + {image_size: 64}"
	sf-model config.json | grep -q 'has 2, the default of transformers'
}

# ---- towers ----

# bats test_tags=SF-01
@test "published towers have their parameters" {
	# deit-base-distilled, dinov2-base and giant, siglip-base.
	sized 86390784 '{model_type: "deit"}'
	sized 86580480 '{model_type: "dinov2", image_size: 518}'
	sized 1136480768 '{model_type: "dinov2", image_size: 518,
	    hidden_size: 1536, num_hidden_layers: 40, num_attention_heads: 24,
	    use_swiglu_ffn: true}'
	sized 92884224 '{model_type: "siglip_vision_model"}'
	sized 110271744 '{model_type: "siglip_text_model"}'
}

@test "a tower's tokens are its patches and those of its own" {
	tokens() { # TYPE MORE
		config "{model_type: \"$1\", hidden_size: 8, image_size: 16,
		    patch_size: 4, num_attention_heads: 2,
		    num_hidden_layers: 1} + ${2:-{\}}"
		sf-model config.json --device cpu | jq -r 'select(.name // "" |
		    test("flash_attention")) | .inputs[0].shape[2]'
	}
	equal "$(tokens vit) $(tokens deit) $(tokens dinov2)" "17 18 17"
	equal "$(tokens siglip_vision_model)" 16
	# The head of SigLIP's is what a token asks of the patches.
	config '{model_type: "siglip_vision_model", hidden_size: 8,
	    image_size: 16, patch_size: 4, num_attention_heads: 2,
	    intermediate_size: 12, num_hidden_layers: 1}'
	with=$(params)
	jq '.vision_use_head = false' config.json >other.json
	mv other.json config.json
	# The token, four products of attention, a norm and an MLP.
	equal $((with - $(params))) $((8 + 4 * 72 + 16 + 2 * 96 + 12 + 8))
	# What training hides patches with is counted, and nothing reads it.
	config '{model_type: "dinov2", hidden_size: 8, image_size: 28,
	    num_attention_heads: 2, num_hidden_layers: 1}'
	with=$(params)
	sf-model config.json | grep '"op"' >one
	jq '.use_mask_token = false' config.json >other.json
	mv other.json config.json
	equal $((with - $(params))) 8
	sf-model config.json | grep '"op"' | cmp - one
	while IFS='|' read -r more text; do
		config '{model_type: "dinov2"} + '"$more"
		refused "$text"
	done <<-'EOF'
		{image_size: [28, 42]}|'image_size': expected a square
		{mlp_ratio: 9000000000000000}|'mlp_ratio' is 9000000000000000, which makes
		{patch_size: 300}|'patch_size' is 300, more than the image
	EOF
}

@test "SigLIP is its two towers, and what compares them" {
	whole='{model_type: "siglip", text_config: {}, vision_config: {}}'
	config "$whole"
	# siglip-base-patch16-224.
	equal "$(sf-model config.json -i 224x224 | head -n 2 | jq -s \
	    '.[1].whole_params.count')" 203155970
	config "$whole + {text_config: {projection_size: 8}}"
	run -3 --separate-stderr sf-model config.json -i 224x224
	one_line_error
	[[ $stderr == *"texts are of 8 numbers and images of 768"* ]]
	config "$whole + {vision_config: {vision_use_head: false}}"
	run -3 --separate-stderr sf-model config.json -i 224x224
	one_line_error
	[[ $stderr == *"'vision_use_head' is false"* ]]
}

# bats test_tags=SF-01
@test "MiMo-V2-Flash has its parameters, its windows and its experts" {
	flash='{model_type: "mimo_v2_flash", vocab_size: 152576,
	    hidden_size: 4096, intermediate_size: 16384, num_hidden_layers: 48,
	    num_attention_heads: 64, num_key_value_heads: 4,
	    moe_intermediate_size: 2048, num_experts_per_tok: 8,
	    n_routed_experts: 256}'
	sized 308778768832 "$flash"
	small='{model_type: "mimo_v2_flash", vocab_size: 10, hidden_size: 8,
	    intermediate_size: 8, num_hidden_layers: 8, num_attention_heads: 4,
	    num_key_value_heads: 1, moe_intermediate_size: 8, head_dim: 12,
	    v_head_dim: 4, num_experts_per_tok: 2, n_routed_experts: 4}'
	config "$small"
	# What the cache has of a layer: heads of keys, and how wide either is.
	equal "$(sf-model config.json --decode 3 | jq -s -c '[.[] | select(.name
	    == "aten.cat" and (.inputs[0].shape | length) == 4 and
	    .inputs[0].shape[2] == 3) | .inputs[0].shape[1, 3]] | .[0:8]')" \
	    "[1,12,1,4,2,12,2,4]"
	# Of eight layers six have sinks, and all but the first experts.
	equal "$(sf-model config.json -t 4 | grep -c 'self_attn.sinks')" 6
	equal "$(sf-model config.json -t 4 | grep -c 'mlp.gate.weight.*aten.*_to_copy\|_to_copy.*mlp.gate.weight')" 7
	while IFS='|' read -r more text; do
		config "$small + $more"
		refused "$text"
	done <<-'EOF'
		{num_key_value_heads: 4}|'num_key_value_heads' is 4, of which layers with a window have twice as many
		{head_dim: 10}|'partial_rotary_factor' leaves 3 of the 10
		{rope_parameters: {full_attention: {partial_rotary_factor: 2}, sliding_attention: {}}}|'partial_rotary_factor' leaves 24 of the 12
	EOF
}
