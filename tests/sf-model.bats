# sf-model: what it takes, what it says, and what it refuses.

load helpers
load models

# The same of GPT-2.
config_gpt2() {
	jq -n '{model_type: "gpt2", n_embd: 8, n_layer: 1, n_head: 2,
	    n_positions: 16, vocab_size: 10} + '"$1" >config.json
}

# ---- what it writes ----

@test "the header has the model, the route, the workload and the parameters" {
	equal "$(sf-model gpt2 -t 16 | head -n 1)" \
	    '{"kind":"trace","format":"simfront-trace/1","model":"gpt2","route":"dispatch","workload":{"batch":1,"tokens":16},"params":{"count":124439808,"bytes":248879616}}'
	equal "$(sf-model gpt2 -c 16 -b 3 -D f32 | head -n 1)" \
	    '{"kind":"trace","format":"simfront-trace/1","model":"gpt2","route":"dispatch","workload":{"batch":3,"tokens":1,"context":16},"params":{"count":124439808,"bytes":497759232}}'
}

@test "the tool record has what was taken by default" {
	run -0 sf-model gpt2
	equal "$(sed -n 2p <<<"$output" | jq -c '[.args,.device,.dtype]')" \
	    '[["gpt2"],"meta","bf16"]'
	equal "$(sed -n 2p <<<"$output" | jq -r '.inputs[0].name')" gpt2.json
	run -0 sf-model gpt2 --route export
	equal "$(sed -n 2p <<<"$output" | jq -c '[.device,.dtype]')" \
	    '[null,"bf16"]'
}

@test "the published configurations have their published parameters" {
	equal "$(params llama3-8b)" 8030261248
	equal "$(params llama3-70b)" 70553706496
	equal "$(params mistral-7b)" 7241732096
	equal "$(params qwen2.5-0.5b)" 494032768
	equal "$(params gpt2)" 124439808
}

@test "each published configuration names the page it is from" {
	for file in "$ROOT"/configs/models/*.json; do
		echo "$file"
		jq -e '.source | startswith("https://huggingface.co/")' "$file"
	done
}

# bats test_tags=SF-01
@test "parameters have the names of the modules, buffers are none" {
	config '{tie_word_embeddings: false}'
	sf-model config.json -t 4 >out
	# The look-up, three norms, and of eight linear layers t and mm.
	equal "$(grep -c '"param":true' out)" $((1 + 3 + 8 * 2))
	equal "$(jq -r 'select(.name == "aten.embedding").inputs[0].tid' out)" \
	    model.embed_tokens.weight
	equal "$(jq -c '[.inputs[]?, .outputs[]?] | .[] |
	    select(.tid == "model.rotary_emb.inv_freq").param' out | uniq)" null
}

@test "heads of qwen3 are 128 wide unless they are said to be another" {
	config '{model_type: "qwen3", tie_word_embeddings: true}'
	wide=$(params config.json)
	config '{model_type: "qwen3", tie_word_embeddings: true, head_dim: 128}'
	equal "$(params config.json)" "$wide"
	# q and o of four heads, k and v of two, two norms of a head's width.
	equal "$wide" $((12 * 128 * 8 + 2 * 128 + 3 * 8 * 12 + 3 * 8 + 80))
}

# config_experts MORE - a small Mixtral's configuration.
config_experts() {
	config '{model_type: "mixtral", num_local_experts: 8,
	    num_experts_per_tok: 2, intermediate_size: 16} + '"$1"
}

# read_of ARG... - what is read of the experts' first weights, null for all.
read_of() {
	sf-model config.json "$@" | jq -s 'map(select(
	    .name == "aten._grouped_mm"))[0].inputs[1].read'
}

@test "what is read of experts is what the tokens are expected to need" {
	config_experts '{}'
	# 8 experts of 2 x 16 by 8 in bf16: 8 (1 - (1 - 2/8)^n) of them.
	equal "$(read_of -t 1)" $((512 * 2))
	equal "$(read_of -t 2)" $((512 * 7 / 2))
	equal "$(read_of -t 3 -b 2)" "$(jq -n '512 * 8 * (1 - pow(0.75; 6)) |
	    round')"
	equal "$(read_of -c 9 -b 2)" $((512 * 7 / 2))
	equal "$(read_of -t 1000)" null
	# As many as there can be.
	equal "$(read_of -t 1 --routing worst)" $((512 * 2))
	equal "$(read_of -t 3 --routing worst)" $((512 * 6))
	equal "$(read_of -t 4 --routing worst)" null
	# As it was counted: two experts that half of the tokens need, and so on.
	echo '{"tokens": 8, "experts": [4, 4, 2, 2, 2, 2, 0, 0]}' >counted.json
	equal "$(read_of -t 1 --routing counted.json)" $((512 * 2))
	equal "$(read_of -t 2 --routing ./counted.json)" \
	    $((512 * 2 * 3 / 4 + 512 * 4 * 7 / 16))
	echo '{"tokens": 1, "experts": [[1, 1, 0, 0, 0, 0, 0, 0]]}' >counted.json
	equal "$(read_of -t 9 --routing counted.json)" $((512 * 2))
	equal "$(sf-model config.json -t 2 --routing counted.json | sed -n 2p |
	    jq -c '[.routing, [.inputs[].name]]')" \
	    '["counted",["config.json","counted.json"]]'
}

@test "stored, active and read parameters are told apart" {
	config_experts '{num_hidden_layers: 2}'
	expert=$((3 * 16 * 8))
	sf-model config.json -t 1 >out
	stored=$(head -n 1 out | jq .params.count)
	equal "$stored" $((2 * (8 * expert + 8 * 8 + 2 * 8 * 8 + 2 * 8 * 4 +
	    2 * 8) + 2 * 80 + 8))
	equal "$(sed -n 2p out | jq -c '[.routing, .active_params]')" \
	    "[\"balanced\",{\"count\":$((stored - 2 * 6 * expert)),\"bytes\":$((2 * (stored - 2 * 6 * expert)))}]"
	equal "$(sf-rules out | jq -s 'map(select(.name == "aten._grouped_mm").weight_bytes) |
	    add')" $((2 * 2 * expert * 2))
	config '{}'
	equal "$(sf-model config.json -t 1 | sed -n 2p |
	    jq '.active_params')" null
}

# stored CONFIG - the bytes that are stored of the weights of q, gate and down
# with that quantization_config: [256, 192], [320, 192] and [192, 320].
stored() {
	config '{hidden_size: 192, intermediate_size: 320, head_dim: 64,
	    tie_word_embeddings: true, quantization_config: '"$1"'}'
	sf-model config.json -t 1 | jq -s -c '[.[] |
	    select(.name == "aten.t").inputs[0]] |
	    [.[0], .[4], .[6]] | map(.stored)'
}

@test "quantised weights are stored with the scales of their blocks" {
	equal "$(stored null)" "[null,null,null]"
	equal "$(stored '{quant_method: "fp8", weight_block_size: [128, 128]}')" \
	    "[$((256 * 192 + 4 * 2 * 2)),$((320 * 192 + 4 * 3 * 2)),$((192 * 320 + 4 * 2 * 3))]"
	equal "$(stored '{quant_method: "fp8", weight_block_size: [128, 128], scale_fmt: "ue8m0"}')" \
	    "[$((256 * 192 + 2 * 2)),$((320 * 192 + 3 * 2)),$((192 * 320 + 2 * 3))]"
	equal "$(stored '{quant_method: "fp8", activation_scheme: "static"}')" \
	    "[$((256 * 192 + 8)),$((320 * 192 + 8)),$((192 * 320 + 8))]"
	# Four bits, scales of 16 and zero points of 4 for groups of 64.
	equal "$(stored '{quant_method: "awq", bits: 4, group_size: 64}')" \
	    "[$((256 * (96 + 3 * 5 / 2) + 128)),$((320 * 96 + 320 * 3 * 20 / 8)),$((192 * 160 + 192 * 5 * 20 / 8))]"
	equal "$(stored '{quant_method: "awq", bits: 4, group_size: 64, zero_point: false}')" \
	    "[$((256 * (96 + 3 * 2))),$((320 * (96 + 3 * 2))),$((192 * (160 + 5 * 2)))]"
	# 3 bits in words of 32, and the group of each input in one more.
	equal "$(stored '{quant_method: "gptq", bits: 3, group_size: -1}')" \
	    "[$((256 * 72 + 256 * 19 / 8 + 4 * 192)),$((320 * 72 + 320 * 19 / 8 + 4 * 192)),$((192 * 120 + 192 * 19 / 8 + 4 * 320))]"
	pack='quant_method: "compressed-tensors", format: "pack-quantized"'
	equal "$(stored '{'"$pack"', config_groups: {group_0: {weights:
	    {num_bits: 4, type: "int", strategy: "group", group_size: 32}}}}')" \
	    "[$((256 * (96 + 6 * 2) + 16)),$((320 * (96 + 6 * 2) + 16)),$((192 * (160 + 10 * 2) + 16))]"
	equal "$(stored '{quant_method: "compressed-tensors",
	    format: "float-quantized", config_groups: {group_0: {weights:
	    {num_bits: 8, type: "float", strategy: "channel"}}},
	    ignore: ["lm_head", "re:.*self_attn.q_proj", "re:.*gate$"]}')" \
	    "[null,$((320 * (192 + 2))),$((192 * (320 + 2)))]"
	equal "$(stored '{quant_method: "modelopt", quant_algo: "NVFP4",
	    ignore: ["model.layers.0.mlp*"]}')" \
	    "[$((256 * (96 + 12) + 8)),null,null]"
	equal "$(stored '{quant_algo: "FP8", exclude_modules: ["gate_proj"]}')" \
	    "[$((256 * 192 + 8)),null,$((192 * 320 + 8))]"
	# Only of experts.
	equal "$(stored '{quant_method: "mxfp4"}')" "[null,null,null]"
}

@test "the bytes of the header are those that are stored" {
	config_experts '{tie_word_embeddings: true, intermediate_size: 32,
	    quantization_config: {quant_method: "mxfp4"}}'
	sf-model config.json -t 1 >out
	# 8 experts of 3 x 32 x 8, of which the rows of 8 and 32 have a scale.
	equal "$(head -n 1 out | jq -c '[.params.count, .params.bytes]')" \
	    "[$((6144 + 360)),$((2 * 360 + 6144 / 2 + 8 * (64 + 8)))]"
	equal "$(jq -c 'select(.name == "aten._grouped_mm").inputs[1] |
	    [.stored, .read]' out | head -n 1)" \
	    "[$((8 * 64 * 5)),$((2 * 64 * 5))]"
	equal "$(sed -n 2p out | jq -r .weights)" mxfp4
	equal "$(jq -r 'select(.kind == "note").text' out)" \
	    "weights are stored as mxfp4, and the operators are those of the model that is not quantised"
	equal "$(sf-model config.json -t 1 --weights bf16 | head -n 1 |
	    jq .params.bytes)" $((2 * (6144 + 360)))
}

@test "a type of weights may be asked for" {
	while read -r type bytes; do
		equal "$type $(sf-model llama3-8b -t 1 -w "$type" |
		    jq -s '[.[] | select(.name == "aten.t").inputs[0]][0].stored')" \
		    "$type $bytes"
	done <<-EOF
		bf16 null
		f8 $((4096 * 4096 + 4 * 32 * 32))
		i8 $((4096 * 4096 + 4 * 4096))
		i4 $((4096 * (2048 + 32 * 20 / 8)))
		f4 $((4096 * (2048 + 256) + 8))
	EOF
	# A view of a weight is stored as it is, and read as it is stored.
	for route in dispatch export compile onnx; do
		sf-model llama3-8b -t 1 -r $route -w i8 | sf-rules |
		    jq 'select(.gemms != null and .weight_bytes > 0 and
		    .weight_bytes < 1000000000).weight_bytes'
	done | sort -n | uniq -c | sed 's/^ *//' >found
	equal "$(cat found)" "$((4 * 64)) $((1024 * 4096 + 4096))
$((4 * 64)) $((4096 * 4096 + 4 * 4096))
$((4 * 32)) $((14336 * 4096 + 4 * 4096))
$((4 * 64)) $((14336 * 4096 + 4 * 14336))"
}

@test "a quantization_config that says what is not known is refused" {
	while IFS='|' read -r value text; do
		config "{quantization_config: $value}"
		refused "$text"
	done <<-'EOF'
		{quant_method: "gptq"}|'bits': expected 2, 3, 4 or 8
		{quant_method: "awq", bits: 5}|'bits': expected
		{quant_method: "awq", bits: 4, group_size: 0}|'group_size' is 0
		{quant_method: "awq", bits: 4, zero_point: 1}|'zero_point': expected
		{quant_method: "fp8", weight_block_size: [128]}|'weight_block_size': expected two
		{quant_method: "fp8", weight_block_size: [0, 1]}|'weight_block_size': expected two
		{quant_method: "fp8", modules_to_not_convert: "a"}|'modules_to_not_convert': expected
		{quant_method: "fp8", modules_to_not_convert: [1]}|expected a module's name
		{quant_method: "modelopt", quant_algo: "W4A8"}|'quant_algo': expected
		{quant_method: "compressed-tensors"}|'config_groups': expected one
		{quant_method: "compressed-tensors", config_groups: {a: {}}}|'weights' is missing
		{quant_method: "compressed-tensors", config_groups: {a: {weights: {num_bits: 4, strategy: "x"}}}}|'strategy' is 'x'
		{quant_method: "compressed-tensors", ignore: ["re:("], config_groups: {a: {weights: {num_bits: 4}}}}|'re:(': expected an expression
	EOF
}

# config_bert MORE - a small BERT's configuration.
config_bert() {
	jq -n '{model_type: "bert", hidden_size: 8, intermediate_size: 12,
	    num_hidden_layers: 1, num_attention_heads: 2, vocab_size: 10,
	    max_position_embeddings: 16} + '"$1" >config.json
}

@test "a base model has no head, and its parameters no prefix" {
	config '{architectures: ["LlamaModel"]}'
	base=$(params config.json)
	sf-model config.json -t 4 | grep -q '"tid":"layers.0.mlp.up_proj.weight"'
	config '{architectures: ["LlamaForCausalLM"], tie_word_embeddings: true}'
	equal "$(params config.json)" "$base"
	config_gpt2 '{architectures: ["GPT2Model"]}'
	sf-model config.json -t 4 | grep -q '"tid":"h.0.mlp.c_fc.weight"'
	config_bert '{}'
	base=$(params config.json)
	equal "$base" $((10 * 8 + 16 * 8 + 2 * 8 + 2 * 8 + 4 * 72 + 2 * 16 +
	    8 * 12 * 2 + 12 + 8 + 72))
	config_bert '{architectures: ["BertModel"]}'
	equal "$(params config.json)" "$base"
	# Instead of the pooler: a layer, a norm and a bias; or the table, too.
	config_bert '{architectures: ["BertForMaskedLM"]}'
	equal "$(params config.json)" $((base + 2 * 8 + 10))
	sf-model config.json -t 4 |
	    grep -q '"tid":"bert.encoder.layer.0.output.dense.weight"'
	config_bert '{architectures: ["BertForMaskedLM"],
	    tie_word_embeddings: false}'
	equal "$(params config.json)" $((base + 2 * 8 + 10 + 80 + 10))
}

@test "of a model with several parts the text model is traced" {
	config '{}'
	sf-model config.json -t 4 | tail -n +3 >one
	for key in text_config llm_config language_config; do
		config '{}'
		jq "{model_type: \"llava\", vision_config: {hidden_size: 32},
		    $key: .}" config.json >part.json
		sf-model part.json -t 4 >two
		equal "$(jq -r 'select(.kind == "note").text' two)" \
		    "the model has several parts, and the trace is that of its text model"
		# It stands one module further in.
		grep -v '"kind":"note"' two | tail -n +3 |
		    sed 's/"model\.language_model/"model/g' | cmp - one
	done
	jq '{text_config: ., tie_word_embeddings: true}' config.json >part.json
	config '{tie_word_embeddings: true}'
	equal "$(params part.json)" "$(params config.json)"
	jq '{text_config: ., quantization_config: {bits: 4}}' config.json >part.json
	mv part.json config.json
	refused "'quantization_config' is of method ''"
	echo '{"text_config": {"model_type": "llama"}}' >config.json
	refused "'hidden_size' is missing"
}

# config_vit MORE - a small vision transformer's configuration.
config_vit() {
	jq -n '{model_type: "vit", hidden_size: 8, intermediate_size: 12,
	    num_hidden_layers: 1, num_attention_heads: 2, image_size: 8,
	    patch_size: 4} + '"$1" >config.json
}

@test "a tower that sees images is traced with the image of its positions" {
	config_vit '{}'
	layer=$((4 * 72 + 2 * 16 + 2 * 96 + 12 + 8))
	base=$((3 * 16 * 8 + 8 + 8 + 5 * 8 + layer + 16))
	equal "$(params config.json)" $((base + 72))
	equal "$(sf-model config.json | head -n 1 | jq -c .workload)" \
	    '{"batch":1,"image_height":8,"image_width":8}'
	equal "$(sf-model config.json | jq -c 'select(.name == "aten.convolution") |
	    .attrs')" '{"stride":[4,4],"padding":[0,0]}'
	sf-model config.json -i 8x8 -b 3 | grep -q '"tid":"pixel_values","shape":\[3,3,8,8\]'
	equal "$(sf-model config.json -t 5 | jq -r 'select(.kind == "note").text')" \
	    "the model sees images, and has no tokens"
	run -2 --separate-stderr sf-model config.json --image 4x8
	one_line_error
	[[ $stderr == *"--image 4x8: the model's positions are those of 8x8"* ]]
	for image in 8 8x 0x8 x axb 8x8x8; do
		run -2 --separate-stderr sf-model config.json --image $image
		one_line_error
		[[ $stderr == *"expected HEIGHTxWIDTH"* ]]
	done
	run -2 --separate-stderr sf-model config.json --decode 4
	one_line_error
	# As many labels as are named; ImageNet's where none are, of its size.
	config_vit '{architectures: ["ViTForImageClassification"]}'
	equal "$(params config.json)" $((base + 2 * 9))
	config_vit '{architectures: ["ViTForImageClassification"], id2label:
	    {"0": "a", "1": "b", "2": "c"}}'
	equal "$(params config.json)" $((base + 3 * 9))
	config_vit '{architectures: ["ViTForImageClassification"],
	    image_size: 224, patch_size: 112, num_labels: 7}'
	equal "$(params config.json)" $((base - 3 * 16 * 8 + 3 * 12544 * 8 + 7 * 9))
	config_vit '{architectures: ["ViTForImageClassification"],
	    image_size: 224, patch_size: 112}'
	equal "$(params config.json)" $((base - 3 * 16 * 8 + 3 * 12544 * 8 + 9000))
	config_vit '{architectures: ["ViTForMaskedImageModeling"]}'
	refused "expected an image classifier"
	config_vit '{patch_size: [4, 2]}'
	refused "'patch_size' is 4 by 2, expected a square"
	config_vit '{patch_size: 16}'
	refused "'patch_size' is 16, more than the image"
	config_vit '{image_size: [8, 8, 8]}'
	refused "'image_size': expected one size or two"
	config_vit '{pooler_act: "relu"}'
	refused "'pooler_act' is 'relu', expected tanh"
	config_vit '{num_attention_heads: 3}'
	refused "'num_attention_heads' is 3, which does not divide"
}

# config_clip MORE - a small CLIP's configuration.
config_clip() {
	jq -n '{model_type: "clip", projection_dim: 4,
	    text_config: {hidden_size: 8, intermediate_size: 12,
	    num_hidden_layers: 1, num_attention_heads: 2, vocab_size: 10,
	    max_position_embeddings: 16}, vision_config: {hidden_size: 8,
	    intermediate_size: 12, num_hidden_layers: 1, num_attention_heads: 2,
	    image_size: 8, patch_size: 4}} + '"$1" >config.json
}

# whole FILE OPTION... - the parameters of all parts of a model.
whole() {
	sf-model "$@" | jq -s '.[1].whole_params.count'
}

@test "a model of two towers is traced by its text, its image, or both" {
	config_clip '{}'
	layer=$((4 * 72 + 2 * 16 + 2 * 96 + 12 + 8))
	text=$((26 * 8 + layer + 16 + 32))
	image=$((3 * 16 * 8 + 8 + 5 * 8 + layer + 32 + 32))
	equal "$(params config.json)" $text
	equal "$(sf-model config.json --image 8x8 | head -n 1 | jq .params.count)" \
	    $image
	equal "$(sf-model config.json --image 8x8 -t 4 | head -n 1 |
	    jq .params.count)" $((text + image + 1))
	for options in '' '--image 8x8' '--image 8x8 -t 4' '-r onnx'; do
		# shellcheck disable=SC2086 # options are words
		equal "$(whole config.json $options)" $((text + image + 1))
	done
	equal "$(sf-model config.json --image 8x8 -t 4 | head -n 1 |
	    jq -c .workload)" \
	    '{"batch":1,"tokens":4,"image_height":8,"image_width":8}'
	# By default as many tokens as it has positions.
	equal "$(sf-model config.json | head -n 1 | jq .workload.tokens)" 16
	for options in '--decode 4' '--logits last' '--image 8x8 --decode 4'; do
		# shellcheck disable=SC2086 # options are words
		run -2 --separate-stderr sf-model config.json $options
		one_line_error
	done
}

@test "a model that takes images into its text is traced one by one" {
	config '{}'
	jq '{model_type: "llava", text_config: ., vision_config: {hidden_size: 8,
	    intermediate_size: 12, num_hidden_layers: 1, num_attention_heads: 2,
	    image_size: 8, patch_size: 4}}' config.json >llava.json
	text=$(params config.json)
	tower=$((3 * 16 * 8 + 8 + 5 * 8 + 4 * 72 + 2 * 16 + 2 * 96 + 12 + 8 + 32 +
	    2 * 72))
	equal "$(params llava.json)" "$text"
	equal "$(whole llava.json)" $((text + tower))
	equal "$(whole llava.json -i 8x8)" $((text + tower))
	equal "$(sf-model llava.json -i 8x8 | jq -r 'select(.kind == "note").text')" \
	    "the model has several parts, and the trace is that of its tower"
	sf-model llava.json -i 8x8 -r compile | grep -q 'several graphs'
	run -2 --separate-stderr sf-model llava.json -i 8x8 -t 4
	one_line_error
	[[ $stderr == *"are traced one by one"* ]]
	# What its class has where the nested configuration says nothing.
	echo '{"model_type": "llava", "text_config": {}}' >class.json
	equal "$(params class.json)" 6738415616
	equal "$(whole class.json)" null
	# A tower that cannot be is none of the text model's matter.
	jq '.vision_config.num_attention_heads = 3' llava.json >config.json
	equal "$(params config.json)" "$text"
	equal "$(whole config.json)" null
	run -3 --separate-stderr sf-model config.json --image 8x8
	one_line_error
	while IFS='|' read -r more text; do
		jq ". + $more" llava.json >config.json
		refused "$text"
	done <<-'EOF'
		{"vision_feature_layer": 2}|'vision_feature_layer' is of none of the tower's 1 layers
		{"vision_feature_layer": [0, 1]}|'vision_feature_layer': expected the number of a layer
		{"vision_feature_select_strategy": "some"}|'vision_feature_select_strategy' is 'some'
		{"projector_hidden_act": "some"}|'projector_hidden_act' is 'some'
	EOF
	run -2 --separate-stderr sf-model gpt2 --image 8x8
	one_line_error
	[[ $stderr == *"--image needs a model with a tower that is known"* ]]
}

# macs FILE OPTION... - multiply-adds of all products.
macs() {
	sf-model "$@" | sf-rules --strict |
	    jq -s 'map(select(.kind == "op").macs // 0) | add'
}

@test "towers whose images have any size cost what their products do" {
	config '{model_type: "qwen3_vl_text", head_dim: 8}'
	jq '{model_type: "qwen3_vl", text_config: ., vision_config: {depth: 3,
	    hidden_size: 16, intermediate_size: 12, num_heads: 2, patch_size: 4,
	    spatial_merge_size: 2, temporal_patch_size: 2, out_hidden_size: 8,
	    num_position_embeddings: 25, deepstack_visual_indexes: [1]}}' \
	    config.json >qwen.json
	# Filters, places; layers; the merger, and one beside it.
	merger=$((64 * 64 + 64 + 64 * 8 + 8))
	tower=$((2 * 3 * 16 * 16 + 16 + 25 * 16 + 3 * (4 * 256 + 64 + 64 +
	    2 * 192 + 28) + merger + 32 + merger + 128))
	equal "$(sf-model qwen.json -i 8x16 | head -n 1 | jq .params.count)" \
	    $tower
	equal "$(whole qwen.json -t 4)" $(($(params config.json) + tower))
	# Eight patches of each of three images, of which four are a token.
	n=24
	equal "$(macs qwen.json -i 8x16 -b 3)" $((n * 96 * 16 +
	    3 * n * (4 * 256 + 2 * 192 + 2 * 8 * 16) +
	    2 * (n / 4) * (64 * 64 + 64 * 8)))
	config '{model_type: "gemma4_text", layer_types: ["full_attention"],
	    head_dim: 8, global_head_dim: 8, sliding_window: 4,
	    num_global_key_value_heads: 1, hidden_size_per_layer_input: 0}'
	text=$(params config.json)
	jq '{model_type: "gemma4", text_config: ., vision_config: {
	    hidden_size: 16, intermediate_size: 12, num_hidden_layers: 2,
	    num_attention_heads: 2, num_key_value_heads: 2, head_dim: 8,
	    patch_size: 4, pooling_kernel_size: 3, position_embedding_size: 9,
	    standardize: true}}' config.json >gemma.json
	layer=$((4 * 256 + 3 * 192 + 16 + 64))
	tower=$((48 * 16 + 2 * 9 * 16 + 2 * layer + 16 * 8))
	equal "$(sf-model gemma.json -i 12x24 | head -n 1 | jq .params.count)" \
	    $tower
	equal "$(whole gemma.json -t 4)" $((text + tower))
	n=18
	equal "$(macs gemma.json -i 12x24)" $((n * 48 * 16 + n * 2 * 2 +
	    2 * n * (4 * 256 + 3 * 192 + 2 * n * 16) + 2 * n * 16 +
	    2 * 16 * 8))
	for model in qwen gemma; do
		sf-model $model.json -i 24x24 | grep -q "with an image's values"
		run -2 --separate-stderr sf-model $model.json -i 9x12
		one_line_error
		[[ $stderr == *"expected multiples of"* ]]
		run -2 --separate-stderr sf-model $model.json -i 24x24 -r export
		one_line_error
		[[ $stderr == *"makes no graph of the tower"* ]]
		sf-model $model.json -i 24x24 -d cpu -D f16 | sf-rules --strict |
		    grep -q '"kind":"end"'
	done
	while IFS='|' read -r model more text; do
		jq ".$more" $model.json >config.json
		run -3 --separate-stderr sf-model config.json -i 24x24
		one_line_error
		[[ $stderr == *"$text"* ]] || {
			echo "$stderr"
			false
		}
	done <<-'EOF'
		qwen|vision_config.num_heads = 3|'num_heads' is 3, of a hidden size of 16
		qwen|vision_config.out_hidden_size = 9|'out_hidden_size' is 9, expected the 8
		qwen|vision_config.deepstack_visual_indexes = [3]|expected the number of one of 3 layers
		gemma|vision_config.use_clipped_linears = true|'use_clipped_linears' clamps
		gemma|audio_config = {"a": 1}|'audio_config' is of a tower
		gemma|vision_config.head_dim = 6|'head_dim' is 6, expected a multiple of 4
		gemma|vision_config.num_key_value_heads = 3|does not divide the 2
	EOF
}

# config_t5 MORE - a small T5's configuration.
config_t5() {
	jq -n '{model_type: "t5", d_model: 8, d_ff: 12, d_kv: 3, num_layers: 1,
	    num_heads: 2, vocab_size: 10} + '"$1" >config.json
}

@test "an encoder reads as many tokens as its decoder, or the source" {
	config_t5 '{}'
	attention=$((4 * 8 * 6)) mlp=$((2 * 8 * 12))
	encoder=$((attention + 64 + mlp + 2 * 8 + 8))
	decoder=$((2 * attention + 64 + mlp + 3 * 8 + 8))
	for options in '-t 4' '-c 4' '-t 1 -s 9' '-r onnx'; do
		# shellcheck disable=SC2086 # options are words
		equal "$(sf-model config.json $options | head -n 1 |
		    jq .params.count)" $((80 + encoder + decoder))
	done
	equal "$(sf-model config.json -t 4 | head -n 1 | jq -c .workload)" \
	    '{"batch":1,"tokens":4,"source":4}'
	equal "$(sf-model config.json -c 4 -s 9 | head -n 1 | jq -c .workload)" \
	    '{"batch":1,"tokens":1,"context":4,"source":9}'
	equal "$(sf-model config.json -t 4 -b 2 | sha256sum)" \
	    "$(sf-model config.json -t 4 -b 2 | sha256sum)"
	config_t5 '{architectures: ["T5EncoderModel"]}'
	equal "$(params config.json)" $((80 + encoder))
	run -2 --separate-stderr sf-model config.json -c 4
	one_line_error
	config_t5 '{feed_forward_proj: "gated-gelu", num_decoder_layers: 2}'
	equal "$(params config.json)" $((80 + encoder + 96 + 2 * (decoder - 72 +
	    96) + 72))
	run -2 --separate-stderr sf-model gpt2 --source 4
	one_line_error
	for field in d_model d_ff d_kv num_layers num_heads vocab_size; do
		config_t5 "{} | del(.$field)"
		refused "'$field' is missing"
	done
	config_t5 '{feed_forward_proj: "gated-some"}'
	refused "'feed_forward_proj' is 'some', expected silu"
	config_t5 '{relative_attention_num_buckets: 2}'
	refused "'relative_attention_num_buckets' is 2"
	config_t5 '{architectures: ["T5ForQuestionAnswering"]}'
	refused "'architectures' has 'T5ForQuestionAnswering'"
	config_t5 '{}'
	run -3 --separate-stderr sf-model config.json -D f16
	one_line_error
	[[ $stderr == *"clamps by values in f16"* ]]
}

@test "audio is heard in windows, and the decoder reads each" {
	jq -n '{model_type: "whisper", d_model: 8, encoder_layers: 1,
	    decoder_layers: 1, encoder_attention_heads: 2,
	    decoder_attention_heads: 2, encoder_ffn_dim: 12, decoder_ffn_dim: 12,
	    num_mel_bins: 3, max_source_positions: 100,
	    max_target_positions: 20, vocab_size: 10}' >config.json
	attention=$((4 * 64 + 3 * 8)) mlp=$((2 * 96 + 12 + 8))
	encoder=$((3 * 3 * 8 + 8 + 3 * 64 + 8 + 800 + attention + mlp + 32 + 16))
	decoder=$((80 + 160 + 2 * attention + mlp + 48 + 16))
	for options in '-t 4' '-c 4' '-S 3 -t 4'; do
		# shellcheck disable=SC2086 # options are words
		equal "$(sf-model config.json $options | head -n 1 |
		    jq .params.count)" $((encoder + decoder))
	done
	equal "$(sf-model config.json -S 3 | head -n 1 | jq .params.count)" \
	    $encoder
	equal "$(whole config.json -S 3)" $((encoder + decoder))
	# Two seconds a window.
	for pair in '1 1' '2 1' '3 2' '4 2' '5 3'; do
		read -r seconds windows <<<"$pair"
		equal "$(sf-model config.json -S "$seconds" -b 2 | head -n 1 |
		    jq -c .workload)" "{\"batch\":$((2 * windows)),\"source\":100}"
	done
	# As many tokens as there are places.
	equal "$(sf-model config.json | head -n 1 | jq .workload.tokens)" 20
	sf-model config.json -t 40 |
	    grep -q 'the model has 20 positions, and the workload needs 40'
	run -2 --separate-stderr sf-model gpt2 --audio 4
	one_line_error
	run -2 --separate-stderr sf-model config.json --audio 0
	one_line_error
	run -2 --separate-stderr sf-model config.json --source 4
	one_line_error
	jq '.decoder_attention_heads = 3' config.json >two.json
	mv two.json config.json
	refused "'decoder_attention_heads' is 3, which does not divide"
}

@test "logits of the last token cost what one token costs" {
	config '{}'
	flops() {
		sf-model config.json "$@" | sf-rules | sf-report --format json |
		    jq .flops_by_category.matmul
	}
	for route in dispatch export compile onnx; do
		# Of 9 tokens' logits, 10 of a width of 8, 8 are left out.
		equal $(($(flops -t 9 -b 2 -r $route) - 2 * 2 * 8 * 10 * 8)) \
		    "$(flops -t 9 -b 2 -r $route --logits last)"
	done
	config '{architectures: ["LlamaModel"]}'
	run -2 --separate-stderr sf-model config.json --logits last
	one_line_error
	config_bert '{architectures: ["BertForMaskedLM"]}'
	run -2 --separate-stderr sf-model config.json --logits last
	one_line_error
}

@test "fields of the families that scale, rotate in part or not at all" {
	config '{model_type: "phi3", head_dim: 8, partial_rotary_factor: 0.5}'
	sf-model config.json -t 4 | jq -r 'select(.name == "aten.cos").outputs[0].shape |
	    last' | grep -qx 4
	for factor in 0.4 0.01 1.5; do
		config "{model_type: \"phi3\", head_dim: 8,
		    partial_rotary_factor: $factor}"
		refused "'partial_rotary_factor' leaves"
	done
	small='model_type: "smollm3", num_hidden_layers: 4'
	config "{$small}"
	# Three of four layers rotate q and k.
	equal "$(sf-model config.json -t 4 | grep -c '"aten.neg"')" 6
	config "{$small, no_rope_layers: [0, 0, 1, 0]}"
	equal "$(sf-model config.json -t 4 | grep -c '"aten.neg"')" 2
	config "{$small, no_rope_layer_interval: 2}"
	equal "$(sf-model config.json -t 4 | grep -c '"aten.neg"')" 4
	for value in '[1]' '[1, 1, 1, "a"]' 1; do
		config "{$small, no_rope_layers: $value}"
		refused "'no_rope_layers': expected"
	done
	config "{$small, use_sliding_window: true, sliding_window: 2}"
	equal "$(sf-model config.json -c 9 | jq -c 'select(.name == "aten.cat" and
	    .inputs[1].shape[2] == 1 and (.inputs[0].shape | length) == 4 and
	    .inputs[0].shape != .inputs[1].shape).inputs[0].shape[2]' |
	    sort | uniq -c | tr -s ' ')" " 6 9"
	config '{model_type: "gemma2", final_logit_softcapping: -1}'
	refused "'final_logit_softcapping': expected"
	config '{model_type: "gemma2", final_logit_softcapping: null, head_dim: 8}'
	equal "$(sf-model config.json -t 4 | grep -c '"aten.tanh"')" 0
	config '{model_type: "gemma2", head_dim: 8}'
	equal "$(sf-model config.json -t 4 | grep -c '"aten.tanh"')" 1
	for field in embedding_multiplier residual_multiplier logits_scaling \
	    attention_multiplier; do
		config "{model_type: \"granite\", $field: \"a\"}"
		refused "'$field': expected a number"
	done
	config '{model_type: "phi", head_dim: 6, partial_rotary_factor: 0.4}'
	equal "$(sf-model config.json -t 4 | jq -c 'select(.name == "aten.neg")
	    .outputs[0].shape[3]' | uniq)" 1
	config '{model_type: "phi", head_dim: 8, rope_parameters:
	    {partial_rotary_factor: 0.25}, rope_scaling: {rope_type: "linear",
	    factor: 2, partial_rotary_factor: 0.75}}'
	equal "$(sf-model config.json -t 4 | jq -c 'select(.name == "aten.cos")
	    .outputs[0].shape[2]')" 6
	config '{model_type: "cohere"}'
	without=$(params config.json)
	config '{model_type: "cohere", use_qk_norm: true}'
	equal "$(params config.json)" $((without + 4 * 2 + 2 * 2))
	config '{model_type: "cohere", logit_scale: "a"}'
	refused "'logit_scale': expected a number"
	config '{model_type: "glm", head_dim: 8, attention_bias: false}'
	without=$(params config.json)
	config '{model_type: "glm", head_dim: 8}'
	equal "$(params config.json)" $((without + 8 * 8))
	equal "$(sf-model config.json -t 4 | jq -c 'select(.name == "aten.cos")
	    .outputs[0].shape[2]')" 4
	neox='model_type: "gpt_neox", hidden_size: 32, head_dim: 8'
	config "{$neox}"
	equal "$(params config.json)" $((10 * 32 * 2 + 32 * 96 + 96 + 32 * 33 +
	    32 * 12 * 2 + 12 + 32 + 6 * 32))
	equal "$(sf-model config.json -t 4 | jq -c 'select(.name == "aten.cos")
	    .outputs[0].shape[2]')" 2
	config "{$neox, attention_bias: false, rotary_pct: 0.5}"
	equal "$(params config.json)" $((10 * 32 * 2 + 32 * 96 + 32 * 32 +
	    32 * 12 * 2 + 12 + 32 + 6 * 32))
	equal "$(sf-model config.json -t 4 | jq -c 'select(.name == "aten.cos")
	    .outputs[0].shape[2]')" 4
	config_gpt2 '{model_type: "gpt_bigcode", multi_query: false}'
	without=$(params config.json)
	config_gpt2 '{model_type: "gpt_bigcode"}'
	equal "$(params config.json)" $((without - 2 * 4 * (8 + 1)))
	config '{model_type: "olmo", clip_qkv: 8}'
	refused "'clip_qkv' changes"
	config '{model_type: "olmo"}'
	equal "$(sf-model config.json -t 4 | jq -c 'select(.name ==
	    "aten.native_layer_norm") | .inputs | length' | uniq -c | tr -s ' ')" \
	    " 3 1"
	config '{model_type: "phi", qk_layernorm: true}'
	refused "'qk_layernorm' changes"
	config '{model_type: "stablelm", head_dim: 8}'
	refused "'head_dim' is 8, but stablelm has the 2 of 'hidden_size'"
	config '{model_type: "stablelm", partial_rotary_factor: 1,
	    use_parallel_residual: true}'
	without=$(params config.json)
	config '{model_type: "stablelm", partial_rotary_factor: 1}'
	equal "$(params config.json)" $((without + 2 * 8))
	config '{model_type: "starcoder2", use_bias: false}'
	without=$(params config.json)
	config '{model_type: "starcoder2"}'
	equal "$(params config.json)" $((without + 8 + 2 * 4 + 8 + 12 + 8))
}

# config_opt JQ - config.json is a small OPT with these fields.
config_opt() {
	jq -n '{model_type: "opt", hidden_size: 8, ffn_dim: 12,
	    num_hidden_layers: 1, num_attention_heads: 2, vocab_size: 10,
	    max_position_embeddings: 16} + '"$1" >config.json
}

@test "fields of OPT" {
	layer=$((4 * 8 * 9 + 8 * 12 * 2 + 12 + 8 + 4 * 8))
	config_opt '{}'
	equal "$(params config.json)" $((10 * 8 + 18 * 8 + layer + 2 * 8))
	config_opt '{tie_word_embeddings: false}'
	equal "$(params config.json)" $((20 * 8 + 18 * 8 + layer + 2 * 8))
	for field in 'do_layer_norm_before: false' \
	    '_remove_final_layer_norm: true'; do
		config_opt "{$field}"
		equal "$(params config.json)" $((10 * 8 + 18 * 8 + layer))
	done
	config_opt '{enable_bias: false}'
	equal "$(params config.json)" $((10 * 8 + 18 * 8 + layer + 2 * 8 -
	    4 * 8 - 12 - 8))
	config_opt '{word_embed_proj_dim: 6}'
	equal "$(params config.json)" $((10 * 6 + 2 * 6 * 8 + 18 * 8 + layer +
	    2 * 8))
	config_opt '{num_attention_heads: 3}'
	refused "'num_attention_heads' is 3, which does not divide"
	config_opt '{layer_norm_elementwise_affine: false}'
	refused "'layer_norm_elementwise_affine' is false"
	config_opt '{}'
	sed -i 's/\(embeddings": \)16/\19223372036854775807/' config.json
	refused "'max_position_embeddings' is 9223372036854775807"
	config_opt '{activation_function: "tanh"}'
	refused "'activation_function' is 'tanh'"
	for field in hidden_size ffn_dim num_hidden_layers num_attention_heads \
	    vocab_size max_position_embeddings; do
		config_opt "{} | del(.$field)"
		refused "'$field' is missing"
	done
}

@test "an encoder may have a classifier of sequences or of tokens" {
	config_bert '{}'
	base=$(params config.json)
	config_bert '{architectures: ["BertForSequenceClassification"]}'
	equal "$(params config.json)" $((base + 2 * 9))
	config_bert '{architectures: ["BertForTokenClassification"],
	    id2label: {"0": "a", "1": "b", "2": "c"}}'
	equal "$(params config.json)" $((base - 72 + 3 * 9))
	config_bert '{architectures: ["RobertaForSequenceClassification"],
	    model_type: "roberta", num_labels: 5}'
	equal "$(params config.json)" $((base + 5 * 9))
	equal "$(sf-model config.json -t 4 -b 3 | tail -n 2 | head -n 1 |
	    jq -c '.outputs[0].shape')" '[3,5]'
	for model_type in electra xlm-roberta camembert; do
		config_bert "{model_type: \"$model_type\", embedding_size: 8}"
		sf-model config.json -t 4 | grep -q '"kind":"end"'
	done
	# A projection where embeddings are narrower.
	config_bert '{model_type: "electra", embedding_size: 8}'
	base=$(params config.json)
	config_bert '{model_type: "electra", embedding_size: 3}'
	equal "$(params config.json)" $((base - 5 * (10 + 16 + 2 + 2) + 3 * 8 + 8))
	config_bert '{architectures: ["BertForTokenClassification"],
	    num_labels: 0}'
	refused "'num_labels' is 0"
}

@test "an encoder is no decoder" {
	config_bert '{}'
	run -2 --separate-stderr sf-model config.json --decode 4
	one_line_error
	[[ $stderr == *"'config' is an encoder"* ]]
	for class in BertForQuestionAnswering BertLMHeadModel; do
		config_bert "{architectures: [\"$class\"]}"
		refused "'architectures' has '$class', expected a masked"
	done
	config_bert '{is_decoder: true}'
	refused "'is_decoder' changes"
	config_bert '{num_attention_heads: 3}'
	refused "'num_attention_heads' is 3, which does not divide"
	config_bert '{model_type: "roberta", pad_token_id: "a"}'
	refused "'pad_token_id': expected"
	for field in hidden_size intermediate_size num_hidden_layers \
	    num_attention_heads vocab_size max_position_embeddings; do
		config_bert "{} | del(.$field)"
		refused "'$field' is missing"
	done
}

@test "counts that are none of the model's experts are refused" {
	config_experts '{}'
	while IFS='|' read -r file text; do
		echo "$file" >counted.json
		run -3 --separate-stderr sf-model config.json -R counted.json
		equal "$output" ""
		one_line_error
		[[ $stderr == "sf-model: counted.json:1: "*"$text"* ]] || {
			echo "$stderr"
			false
		}
	done <<-'EOF'
		{"experts": [1, 1, 0, 0, 0, 0, 0, 0]}|'tokens' is missing
		{"tokens": 1}|'experts': expected a list
		{"tokens": 1, "experts": []}|'experts': expected a list
		{"tokens": 1, "experts": [1, 1]}|expected a count for each of 8
		{"tokens": 1, "experts": [[1, 1], [1, 1]]}|'experts' has 2 layers
		{"tokens": 1, "experts": [2, 0, 0, 0, 0, 0, 0, 0]}|an expert has 2 of 1
		{"tokens": 1, "experts": [1, 0, 0, 0, 0, 0, 0, 0]}|the experts have 1 tokens, expected 2
		{"tokens": 1, "experts": [1, -1, 0, 0, 0, 0, 0, 0]}|expected a whole number
	EOF
	run -2 --separate-stderr sf-model gpt2 --routing worst
	one_line_error
	[[ $stderr == *"needs a model with experts"* ]]
	run -2 --separate-stderr sf-model config.json --routing best
	one_line_error
}

@test "experts are refused where PyTorch cannot run them" {
	config_experts '{}'
	run -3 --separate-stderr sf-model config.json -r onnx
	[[ $stderr == *"PyTorch has no ONNX"* ]]
	run -3 --separate-stderr sf-model config.json -D f32
	[[ $stderr == *"bf16 and f16 only"* ]]
	sf-model config.json -D f32 -r compile -t 4 |
	    grep -q '"transformers.grouped_mm_fallback"'
	sf-model config.json -D f16 -t 4 | grep -q '"aten._grouped_mm"'
	config_experts '{intermediate_size: 12}'
	refused "the experts are of 8 by 12, expected multiples of 8"
	config_experts '{num_experts_per_tok: 9}'
	refused "'num_experts_per_tok' is 9, expected at most the 8"
	config_experts '{moe_intermediate_size: 8}'
	refused "'moe_intermediate_size' changes what PyTorch runs"
	config_experts '{output_router_logits: true}'
	refused "'output_router_logits' changes what PyTorch runs"
	for value in '[-1]' '["a"]' 1 '[0.5]'; do
		config "{model_type: \"qwen3_moe\", num_experts: 8, num_experts_per_tok: 2,
		    moe_intermediate_size: 8, mlp_only_layers: $value}"
		refused "expected a"
	done
}

@test "a tied head is counted once and used twice" {
	config '{tie_word_embeddings: true}'
	tied=$(params config.json)
	sf-model config.json -t 4 | jq -c 'select(.name == "aten.t") |
	    .inputs[0].tid' | grep -c embed_tokens | grep -qx 1
	config '{tie_word_embeddings: false}'
	equal "$(params config.json)" $((tied + 10 * 8))
}

@test "gpt2 takes either name of a size" {
	config_gpt2 '{}'
	equal "$(params config.json)" \
	    $((10 * 8 + 16 * 8 + 2 * 8 + 12 * 8 * 8 + 13 * 8))
	sf-model config.json -t 4 >one
	jq '{model_type, vocab_size, hidden_size: .n_embd,
	    num_hidden_layers: .n_layer, num_attention_heads: .n_head,
	    max_position_embeddings: .n_positions}' config.json >two.json
	mv two.json config.json
	sf-model config.json -t 4 | tail -n +3 >two
	tail -n +3 one | cmp - two
}

@test "a note says that a model has too few positions" {
	config_gpt2 '{}'
	equal "$(sf-model config.json -t 16 | grep -c '"kind":"note"')" 0
	equal "$(sf-model config.json -t 17 | jq -r 'select(.kind == "note").text')" \
	    "the model has 16 positions, and the workload needs 17"
	equal "$(sf-model config.json -c 16 | grep -c '"kind":"note"')" 1
}

@test "the same command gives the same bytes" {
	for options in '-t 32' '-c 9' '-d cpu -t 7' '-r export' '-r compile' \
	    '-r onnx'; do
		# shellcheck disable=SC2086 # options are words
		sf-model qwen2.5-0.5b $options >one
		# shellcheck disable=SC2086
		sf-model qwen2.5-0.5b $options | cmp - one
	done
}

@test "every route keeps the law of the stream" {
	for options in '' '-d cpu' '-c 9' '-d cpu -c 9' '-r export' \
	    '-r compile' '-r onnx'; do
		# shellcheck disable=SC2086 # options are words
		sf-model gpt2 $options
		# shellcheck disable=SC2086
		sf-model qwen2.5-0.5b -b 2 $options
	done >traces
	"$ROOT/tests/law.py" --strict traces
}

@test "a null field is an absent one" {
	config '{head_dim: null, num_key_value_heads: null, rope_scaling: null,
	    quantization_config: null, sliding_window: null}'
	sf-model config.json -t 4 | tail -n +3 >one
	config '{num_key_value_heads: 4}'
	sf-model config.json -t 4 | tail -n +3 | cmp - one
}

@test "fields that change no shape are taken" {
	config '{}'
	sf-model config.json -t 4 | tail -n +3 >one
	config '{rope_scaling: {rope_type: "llama3", factor: 8},
	    rope_theta: 1e6, torch_dtype: "float16", attention_dropout: 0.1,
	    rms_norm_eps: 1e-5, bos_token_id: 1, use_cache: false,
	    num_experts: 0, pretraining_tp: 1, is_causal: true,
	    attn_implementation: "sdpa", unheard_of: [1]}'
	sf-model config.json -t 4 | tail -n +3 | cmp - one
}

# ---- what it refuses ----

@test "an unknown name is refused with the names there are" {
	run -2 --separate-stderr sf-model llama9
	one_line_error
	for name in gpt2 llama3-70b llama3-8b mistral-7b qwen2.5-0.5b; do
		[[ $stderr == *"$name"* ]]
	done
}

@test "options that exclude each other are refused" {
	for options in '-t 4 -c 4' '-r export -c 4' '-r onnx -d cpu' '-t 0' \
	    '-c -1' '-b 0' '-D f64' '-r jit' '-d cuda' ''; do
		# shellcheck disable=SC2086 # options are words
		run -2 --separate-stderr sf-model ${options:+gpt2} $options
		equal "$output" ""
		one_line_error
	done
}

@test "an unknown type of model is refused with the types there are" {
	config '{model_type: "phi9"}'
	types=$(sed -nE 's/^SF_FAMILY\("([^"]*)".*/\1/p' "$ROOT/lib/model/family.def" |
	    paste -sd, | sed 's/,/, /g')
	[[ $types == *", llama, "* ]]
	refused :2 "'model_type' is 'phi9', expected one of $types"
}

@test "the page names every type of model" {
	config '{model_type: "phi9"}'
	run -3 --separate-stderr sf-model config.json
	for type in $(sed 's/.*one of //; s/;.*//; s/,//g' <<<"$stderr"); do
		grep -qE "^\.Cm .*\<$type\>" "$ROOT/docs/man/sf-model.1" || {
			echo "no $type"
			false
		}
	done
}

@test "a missing field is named" {
	for field in model_type hidden_size intermediate_size \
	    num_hidden_layers num_attention_heads vocab_size; do
		config "{} | del(.$field)"
		refused "'$field' is missing"
	done
	for type in mistral qwen2 qwen3; do
		config "{model_type: \"$type\"} | del(.num_key_value_heads)"
		refused "'num_key_value_heads' is missing"
	done
	for field in n_embd n_head n_layer n_positions vocab_size; do
		config_gpt2 "{} | del(.$field)"
		refused "'$field' is missing"
	done
}

@test "a size that is none is refused" {
	for size in 0 -1 1.5 '"8"' true '[8]' '{}' 1e30; do
		config "{} | .hidden_size = $size"
		refused :3 "'hidden_size'"
	done
	config '{}'
	sed -i 's/"hidden_size": 8/"hidden_size": 9223372036854775808/' config.json
	refused :3 ""
	config '{tie_word_embeddings: 1}'
	refused "'tie_word_embeddings' is no boolean"
	config '{hidden_act: "tanhshrink"}'
	refused "'hidden_act' is 'tanhshrink'"
	config '{rms_norm_eps: -1}'
	refused "'rms_norm_eps'"
	config '{model_type: 3}'
	refused "'model_type'"
}

@test "heads that do not divide are refused" {
	config '{num_attention_heads: 3, num_key_value_heads: 3}'
	refused :6 "'num_attention_heads' is 3, which does not divide"
	config '{num_key_value_heads: 3}'
	refused :7 "'num_key_value_heads' is 3, which does not divide"
	config '{num_key_value_heads: 8}'
	refused :7 "'num_key_value_heads' is 8, which does not divide"
	config '{hidden_size: 12}'
	refused "'head_dim' is 3, expected an even number"
	config '{head_dim: 5}'
	refused :9 "'head_dim' is 5, expected an even number"
	config_gpt2 '{n_head: 3}'
	refused "'n_head' is 3, which does not divide"
}

@test "two names of one size that differ are refused" {
	config_gpt2 '{hidden_size: 16}'
	refused "'hidden_size' is 16, but 'n_embd' says 8"
}

@test "sizes whose products overflow are refused" {
	config '{vocab_size: 4611686018427387904}'
	refused "" "more than 2^63-1 bytes"
	config '{intermediate_size: 4611686018427387904}'
	refused "" "more than 2^63-1 bytes"
	config '{head_dim: 4611686018427387904}'
	refused :6 "'num_attention_heads' times 'head_dim'"
	config_gpt2 '{n_embd: 4611686018427387904, n_head: 1}'
	refused "which is too large"
	# No tensor is too large, but all parameters together are.
	config '{num_hidden_layers: 3}'
	sed -i 's/: 12,/: 200000000000000000,/' config.json
	refused "the parameters have more than 2^63-1 bytes"
	config '{}'
	for options in '-b 1000000000000000000' '-t 9223372036854775807' \
	    '-c 9223372036854775806' '-t 3000000000'; do
		# shellcheck disable=SC2086 # options are words
		run -3 --separate-stderr sf-model config.json $options
		equal "$output" ""
		one_line_error
		[[ $stderr == *"more than 2^63-1"* ]]
	done
}

@test "a number of layers that no model has is refused" {
	for layers in 10001 1000000000; do
		config "{num_hidden_layers: $layers}"
		refused "'num_hidden_layers' is $layers, expected at most 10000"
	done
}

@test "fields that change the arithmetic are refused by name" {
	while read -r field value; do
		config "{} | .$field = $value"
		refused "'$field'"
	done <<-'EOF'
		quantization_config {"quant_method":"bitsandbytes"}
		quantization_config {"quant_method":"fp9"}
		quantization_config {"bits":4}
		quantization_config [1]
		num_experts 8
		num_local_experts 8
		n_routed_experts 64
		kv_lora_rank 512
		is_encoder_decoder true
		add_cross_attention true
		final_logit_softcapping 30.0
		query_pre_attn_scalar 24
		residual_multiplier 0.5
		no_rope_layers [1]
		use_bidirectional_attention true
		attention_chunk_size 8192
		use_qk_norm true
		partial_rotary_factor 0.5
		sliding_window 4096
		layer_types ["sliding_attention"]
		is_causal false
		attn_implementation "eager"
		architectures ["LlamaForSequenceClassification"]
		text_config {"a":1}
		llm_config [1]
		rope_scaling {"rope_type":"ntk","factor":2}
		rope_parameters {"full_attention":{"rope_type":"default"}}
		per_layer_config {"0":{"intermediate_size":7}}
		output_attentions true
		output_hidden_states true
	EOF
}

# transformers 5 writes the sizes of Gemma 4's layers of full attention by layer.
@test "sizes by layer of Gemma 4 are read as its global sizes are" {
	local gemma='model_type: "gemma4_text", sliding_window: 4, head_dim: 8,
	    num_hidden_layers: 3, attention_k_eq_v: true,
	    layer_types: ["full_attention", "sliding_attention",
	    "full_attention"]'
	config "{$gemma, global_head_dim: 6, num_global_key_value_heads: 1}"
	sf-model config.json -t 4 | grep '"kind":"op"' >global
	[ "$(wc -l <global)" -gt 100 ]
	config "{$gemma, per_layer_config: {
	    \"02\": {head_dim: 6, num_key_value_heads: 1},
	    \"0\": {num_key_value_heads: 1, head_dim: 6}}}"
	sf-model config.json -t 4 | grep '"kind":"op"' | cmp - global
	# What is not said of a layer is as in the others.
	config "{$gemma, global_head_dim: 8, num_global_key_value_heads: 2}"
	sf-model config.json -t 4 | grep '"kind":"op"' >global
	config "{$gemma, per_layer_config: {\"0\": {}, \"2\": {}}}"
	sf-model config.json -t 4 | grep '"kind":"op"' | cmp - global
	while read -r own text; do
		config "{$gemma, per_layer_config: $own}"
		refused "$text"
	done <<-'EOF'
		[] expected an object with a member for each of the 2
		{"0":{}} expected an object with a member for each of the 2
		{"0":{},"1":{}} has '1', expected the number of a layer of full
		{"0":{},"3":{}} has '3', expected the number of a layer of full
		{"0":{},"x":{}} has 'x', expected the number of a layer of full
		{"0":{},"":{}} has '', expected the number of a layer of full
		{"0":{},"99999999999999999999":{}} expected the number of a layer
		{"0":{},"00":{}} has layer 0 twice
		{"0":{},"2":[]} has '2', expected an object
		{"0":{},"2":{"mlp":1}} has 'mlp', expected head_dim or
		{"0":{"head_dim":6},"2":{}} 'head_dim' is 8 and was 6
		{"0":{"head_dim":7},"2":{"head_dim":7}} is 7, expected an even number
		{"0":{"head_dim":"6"},"2":{}} 'head_dim'
	EOF
}

@test "a rotary embedding without what its multiplier needs is refused" {
	while read -r value text; do
		config "{rope_scaling: $value}"
		refused "$text"
		config "{rope_parameters: $value}"
		refused "$text"
	done <<-'EOF'
		{"rope_type":"yarn"} no 'factor'
		{"rope_type":"yarn","factor":0} no 'factor'
		{"type":"yarn","factor":null} no 'factor'
		{"type":"yarn","factor":-1} 'factor': expected a number
		{"type":"yarn","factor":"4"} 'factor': expected a number
		{"rope_type":"yarn","factor":4,"mscale":[]} 'mscale': expected a number
		{"type":"yarn","factor":4,"mscale_all_dim":true} 'mscale_all_dim': expected
		{"type":"yarn","factor":4,"attention_factor":1} 'attention_factor' is 1, an integer
		{"type":"yarn","factor":4,"attention_factor":-0.5} 'attention_factor': expected a number
	EOF
	# The older name goes before the newer one.
	config '{rope_scaling: {type: "linear", factor: 2},
	    rope_parameters: {rope_type: "yarn"}}'
	sf-model config.json -t 4 >/dev/null
}

@test "what multiplies attention and its angles is a constant of the ONNX graph" {
	# Constants that are shared: one for each number.
	constants() {
		sf-model config.json -r onnx -t 4 |
		    grep -c '"name":"onnx.Constant"'
	}
	config '{}'
	plain=$(constants)
	config '{rope_scaling: {type: "yarn", factor: 1}}'
	equal "$(constants)" "$plain"
	config '{rope_scaling: {type: "yarn", factor: 4}}'
	equal "$(constants)" $((plain + 1))
	config_gpt2 '{n_embd: 12, n_layer: 3}'
	plain=$(constants)
	config_gpt2 '{n_embd: 12, n_layer: 3, scale_attn_by_inverse_layer_idx: true}'
	equal "$(constants)" $((plain + 2))
	# 1 is there already, in the activation.
	config_gpt2 '{n_embd: 12, n_layer: 3, scale_attn_weights: false}'
	equal "$(constants)" $((plain - 1))
	for field in scale_attn_weights scale_attn_by_inverse_layer_idx; do
		config_gpt2 "{$field: 1}"
		refused "'$field' is no boolean"
	done
}

@test "fields that contradict the model type are refused" {
	config '{model_type: "mistral", attention_bias: true}'
	refused "'attention_bias' is true, but mistral always has none"
	config '{model_type: "qwen2", attention_bias: false}'
	refused "'attention_bias' is false, but qwen2 always has"
	config '{model_type: "mistral", mlp_bias: true}'
	refused "'mlp_bias'"
	config '{model_type: "mistral", sliding_window: 1}'
	refused "'sliding_window' is 1"
	config '{model_type: "qwen2", layer_types: ["sliding_attention"]}'
	refused "'layer_types' has sliding_attention"
	config '{model_type: "qwen2", use_sliding_window: true,
	    layer_types: ["full_attention", "full_attention"]}'
	refused "'layer_types': expected a list with a name for each of 1"
	config '{model_type: "qwen2", use_sliding_window: true,
	    max_window_layers: -1}'
	refused "'max_window_layers'"
}

@test "a file that is no configuration is refused with its place" {
	printf '{"model_type": "llama",\n "hidden_size": 8' >config.json
	refused :2 ""
	echo '[]' >config.json
	refused ""
	echo 'no JSON' >config.json
	refused :1 ""
	: >config.json
	refused ""
	echo '{"a": 1, "a": 2}' >config.json
	refused ""
	run -4 --separate-stderr sf-model ./none.json
	one_line_error
}

# bats test_tags=SF-02
@test "a model of 141 GB is written in a few megabytes" {
	equal "$(sf-model llama3-70b --tokens 2048 | head -n 1 |
		jq .params.bytes)" 141107412992
	for args in '' '--decode 2048 --device cpu' '--route onnx' \
	    '--route export'; do
		# shellcheck disable=SC2086 # several words
		run -0 "$SF_UNIT/peak" sf-model llama3-70b $args
		echo "$args: $output KiB"
		[ "$output" -lt "$([ -z "${SF_SANITIZED:-}" ] &&
		    echo 65536 || echo 1000000)" ]
	done
}

@test "types of layers may be said to take turns" {
	config '{model_type: "gemma2", num_hidden_layers: 5, sliding_window: 2}'
	jq '.layer_types = ["full_attention", "sliding_attention",
	    "full_attention", "sliding_attention", "full_attention"]' \
	    config.json >list.json
	jq '.layer_types = "alternating: full_attention, sliding_attention (3, 2)"' \
	    config.json >words.json
	equal "$(sf-model words.json -t 6 | tail -n +3 | sha256sum)" \
	    "$(sf-model list.json -t 6 | tail -n +3 | sha256sum)"
	for text in 'alternating: ' 'alternating: some' 'in turns: full_attention'; do
		jq --arg text "$text" '.layer_types = $text' list.json >config.json
		refused "'layer_types'"
	done
}

# ---- cases from public reports ----

@test "real configurations have the parameters that their authors published" {
	need_shared
	equal "$(params "$SF_SHARED/data/cases/054-qwen3-235b-flops.config.json")" \
	    235093634560
	equal "$(params "$SF_SHARED/data/cases/089-text-config.config.json")" 86848
	equal "$(sf-model "$SF_SHARED/data/cases/087-last-logits.config.json" -t 32 \
	    --logits last | sf-rules | sf-report --format json |
	    jq .flops_by_category.matmul)" 5379584
	for case in 049-deepseek-v2-lite 052-gptoss-kv 050-olmo2-1b-mlp 041-llama3-8b 042-llama32-1b-tied 044-qwen25-05b-bias \
	    045-qwen3-4b-headdim; do
		equal "$(params "$SF_SHARED/data/cases/$case.config.json")" \
		    "$(jq .expect.params \
			"$SF_SHARED/data/cases/$case.expect.json")"
	done
	jq -c '.[] | select(.config.model_type == ("llama", "mistral", "qwen2", "qwen3"))' \
	    "$SF_SHARED/data/cases/param-truth-dev.json" >truth
	[ "$(wc -l <truth)" -ge 6 ]
	while read -r line; do
		jq .config <<<"$line" >config.json
		equal "$(params config.json)" "$(jq .params <<<"$line")"
	done <truth
}

# What is taken today; it may only grow.
@test "published configurations have their parameters, or are refused by name" {
	need_shared
	taken=0
	while IFS=$'\t' read -r name _ count; do
		[[ $name == \#* ]] && continue
		run --separate-stderr sf-model \
		    "$SF_SHARED/data/configs/$name.json" --tokens 1
		case $status in
		0)
			taken=$((taken + 1))
			# Of several parts all, where they are known.
			found=$(head -n 2 <<<"$output" | jq -s \
			    '.[1].whole_params.count // .[0].params.count')
			! grep -q 'several parts' <<<"$output" ||
			    grep -q whole_params <<<"$output" || continue
			# Of a type that transformers lacks there is no count.
			[ -n "$count" ] || continue
			equal "$name $found" "$name $count"
			;;
		3)
			equal "$output" ""
			one_line_error
			;;
		*) false ;;
		esac
	done <"$SF_SHARED/data/configs/params.tsv"
	echo "$taken"
	[ "$taken" -ge 74 ]
}
