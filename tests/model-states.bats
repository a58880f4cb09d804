# sf-model: attention through a latent, states, and compressed caches: published
# sizes, closed forms, and what is refused.

load helpers
load forms
load models

# count JQ - the parameters of a configuration.
count() {
	jq -n "$1" >config.json
	sf-model config.json --tokens 1 | head -n 1 | jq .params.count
}

# refused_of JQ TEXT - a configuration is bad input, for a reason that has TEXT.
refused_of() {
	jq -n "$1" >config.json
	refused "$2"
}

latent='{model_type: "deepseek_v3", hidden_size: 16, intermediate_size: 8,
    moe_intermediate_size: 8, n_routed_experts: 16, num_experts_per_tok: 2,
    num_attention_heads: 2, num_key_value_heads: 2, num_hidden_layers: 4,
    vocab_size: 10}'
mamba='{model_type: "mamba", hidden_size: 8, num_hidden_layers: 1,
    vocab_size: 10}'
hybrid='{model_type: "nemotron_h", hidden_size: 16, vocab_size: 10,
    hybrid_override_pattern: "M*-E"}'
delta='{model_type: "qwen3_next", hidden_size: 16, intermediate_size: 8,
    num_attention_heads: 2, num_key_value_heads: 1, num_hidden_layers: 4,
    num_experts: 4, num_experts_per_tok: 2, moe_intermediate_size: 8,
    shared_expert_intermediate_size: 8, vocab_size: 10}'
compressed='{model_type: "deepseek_v4", num_hidden_layers: 4, hidden_size: 16,
    vocab_size: 10}'

# ---- sizes ----

# Each is what transformers 5.18 builds on the meta device.
@test "published models with a latent have their parameters" {
	v3='model_type: "deepseek_v32", hidden_size: 7168,
	    intermediate_size: 18432, moe_intermediate_size: 2048,
	    n_routed_experts: 256, num_attention_heads: 128,
	    num_experts_per_tok: 8, num_hidden_layers: 61, vocab_size: 129280'
	glm='model_type: "glm_moe_dsa", hidden_size: 6144,
	    intermediate_size: 12288, moe_intermediate_size: 2048,
	    n_routed_experts: 256, num_attention_heads: 64,
	    num_experts_per_tok: 8, num_hidden_layers: 78, vocab_size: 154880'
	equal "$(count '{first_k_dense_replace: 1, hidden_size: 2048,
	    intermediate_size: 10944, model_type: "deepseek_v2",
	    moe_intermediate_size: 1408, n_routed_experts: 64,
	    num_attention_heads: 16, num_experts_per_tok: 6,
	    num_hidden_layers: 27, q_lora_rank: null, vocab_size: 102400}')" \
	    15706484224
	equal "$(count "{$v3}")" 671877929216
	# Kimi K2.6 has the layers of DeepSeek V3, of other sizes.
	equal "$(count "{$v3} + {model_type: \"deepseek_v3\",
	    n_routed_experts: 384, num_attention_heads: 64,
	    first_k_dense_replace: 1, vocab_size: 163840, n_group: 1,
	    topk_group: 1}")" 1026408209408
	equal "$(count "{$glm}")" 743911199232
	equal "$(count "{$glm, indexer_types: ([range(78) |
	    if . < 3 or . % 4 == 2 then \"full\" else \"shared\" end])}")" \
	    743377000704
	equal "$(count "{$glm, index_topk_freq: 4, index_skip_topk_offset: 3}")" \
	    743377000704
}

@test "published state spaces have their parameters" {
	equal "$(count '{model_type: "mamba", hidden_size: 768,
	    num_hidden_layers: 24, vocab_size: 50280}')" 129135360
	equal "$(count '{model_type: "nemotron_h", hidden_size: 8192,
	    mamba_num_heads: 256, ssm_state_size: 256,
	    intermediate_size: 32768, num_attention_heads: 64,
	    vocab_size: 131072, hybrid_override_pattern:
	    ("M-M-M-M*-" + "M-M-M-M-M*-" * 9 + "M-M-M-M-M-")}')" 56324350464
	equal "$(count '{model_type: "nemotron_h", hidden_size: 8192,
	    mamba_num_heads: 256, moe_intermediate_size: 5120,
	    moe_latent_size: 2048, moe_shared_expert_intermediate_size: 10240,
	    n_routed_experts: 512, num_attention_heads: 64,
	    num_key_value_heads: 2, vocab_size: 131072,
	    hybrid_override_pattern: ("MEMEMEM*" + "EMEMEM*" +
	    ("EMEMEMEM*" * 2 + "EMEMEM*") * 3 + "EMEMEMEM*EMEMEMEME")}')" \
	    549308968960
}

@test "published models with the gated delta rule have their parameters" {
	equal "$(count '{model_type: "qwen3_5_text", hidden_size: 5120,
	    intermediate_size: 17408, linear_num_value_heads: 48,
	    num_attention_heads: 24, num_hidden_layers: 64,
	    num_key_value_heads: 4, vocab_size: 248320}')" 26895998464
	equal "$(count '{model_type: "qwen3_5_moe_text", hidden_size: 4096,
	    linear_num_value_heads: 64, moe_intermediate_size: 1024,
	    num_attention_heads: 32, num_experts: 512, num_experts_per_tok: 10,
	    num_hidden_layers: 60, num_key_value_heads: 2,
	    shared_expert_intermediate_size: 1024, vocab_size: 248320}')" \
	    396346350336
}

@test "DeepSeek V4 has its parameters, however long the text is" {
	flash='{model_type: "deepseek_v4", num_hidden_layers: 43,
	    compress_ratios: ([0, 0] + [range(41) |
	    if . % 2 == 0 then 4 else 128 end])}'
	equal "$(count "$flash")" 284332230231
	for options in "--tokens 300" "--decode 1" "--decode 127"; do
		# shellcheck disable=SC2086 # options are words
		equal "$(sf-model config.json $options | head -n 1 |
		    jq .params.count)" 284332230231
	done
	pro='{num_hidden_layers: 61, compress_ratios: ([128, 128] + [range(59) |
	    if . % 2 == 0 then 4 else 128 end]), hidden_size: 7168,
	    moe_intermediate_size: 3072, n_routed_experts: 384,
	    num_attention_heads: 128, o_groups: 16, q_lora_rank: 1536}'
	equal "$(count "$pro + {model_type: \"deepseek_v4\"}")" 1572997179491
	equal "$(count "$pro + {model_type: \"deepseek_ref\"}")" 1572997179491
}

# ---- forms ----

@test "a thousand random configurations cost what closed forms of layers say" {
	forms_hold model-state 1000
}

@test "a latent's cache is smaller than the keys and values of its heads" {
	jq -n "$latent" >config.json
	sf-model config.json --decode 99 |
	    jq -s '[.[] | select(.kind == "op" and .name == "aten.cat") |
	    .outputs[] | select(.kept) | .itemsize *
	    (.shape | reduce .[] as $n (1; . * $n))] | add' >bytes
	equal "$(cat bytes)" $((4 * 100 * (512 + 64) * 2))
}

@test "a state is as large behind a long context as behind a short one" {
	jq -n "$mamba" >config.json
	for context in 1 100000; do
		sf-model config.json --decode $context | tail -n +3
	done | sort | uniq -c | awk '$1 != 2' >others
	equal "$(cat others)" ""
}

@test "experts may be stored as NVFP4 beside weights that are FP8" {
	blocks='quant_method: "fp8", weight_block_size: [128, 128],
	    scale_fmt: "ue8m0"'
	mixed='quant_algo: "MIXED_PRECISION"'
	# 256 experts of each of 4 layers: [4096, 16] and [16, 2048].
	wide=$((4096 * 16 + 32 + 16 * 2048 + 16))
	narrow=$((4096 * (8 + 1) + 8 + 16 * (1024 + 128) + 8))
	for more in "" ", moe_quant_algo: \"NVFP4\", $mixed"; do
		jq -n "$compressed + {quantization_config: {$blocks$more}}" \
		    >config.json
		sf-model config.json --tokens 1 >trace
		head -n 1 trace | jq .params.bytes
	done >bytes
	equal "$(awk 'NR == 1 { n = $1 } END { print n - $1 }' bytes)" \
	    $((4 * 256 * (wide - narrow)))
	equal "$(sed -n 2p trace | jq -r .weights)" fp8-nvfp4
	refused_of "$compressed + {quantization_config: {$blocks, $mixed}}" \
	    "'quant_algo' is MIXED_PRECISION"
}

# ---- what it says ----

@test "layers that predict further on are said to be left out" {
	jq -n "$latent + {num_nextn_predict_layers: 1}" >config.json
	sf-model config.json --tokens 4 >trace
	grep -q '"text":".*1 layers\{0,1\} that predict.* neither run nor' trace
	jq -n "$latent + {num_nextn_predict_layers: 0}" >config.json
	sf-model config.json --tokens 4 >trace
	run ! grep -q predict trace
}

# ---- what it refuses ----

# shellcheck disable=SC2154 # stderr is set by run
@test "what nobody writes as ONNX is refused by name" {
	for config in "$latent" "$mamba" "$hybrid" "$delta" "$compressed"; do
		jq -n "$config" >config.json
		run -3 --separate-stderr sf-model config.json --route onnx
		equal "$output" ""
		one_line_error
		[[ $stderr == *ONNX* ]]
	done
	jq -n "$mamba" >config.json
	run -3 --separate-stderr sf-model config.json --route onnx
	[[ $stderr == *"'mamba', which sf-model does not write as ONNX" ]]
}

@test "a latent's contradictions are named" {
	refused_of "$latent + {num_key_value_heads: 1}" "'num_key_value_heads' is 1"
	refused_of "$latent + {qk_rope_head_dim: 3}" "expected an even number"
	refused_of "$latent + {moe_layer_freq: 2}" "'moe_layer_freq' other than 1"
	refused_of "$latent + {topk_method: \"greedy\"}" "'topk_method' is 'greedy'"
	refused_of "$latent + {scoring_func: \"softmax\"}" "'scoring_func' is"
	refused_of "$latent + {n_group: 3}" "'n_group' is 3 of 16"
	refused_of "$latent + {mlp_bias: true}" "'mlp_bias' is true"
	refused_of "$latent + {model_type: \"glm_moe_dsa\", indexer_types: [\"full\"]}" \
	    "expected full or shared for each of 4 layers"
	refused_of "$latent + {model_type: \"deepseek_v32\", index_head_dim: 8}" \
	    "'index_head_dim' is 8, expected at least the 64"
}

@test "a state space's contradictions are named" {
	refused_of "$mamba + {use_mambapy: true}" "'use_mambapy'"
	refused_of "$mamba + {model_type: \"mamba2\", num_heads: 3}" \
	    "'num_heads' is 3"
	refused_of "$hybrid + {hybrid_override_pattern: \"MX\"}" "or M, *, - or E"
	refused_of "$hybrid | del(.hybrid_override_pattern)" \
	    "'layers_block_type' is missing"
	refused_of "$hybrid + {num_key_value_heads: 5}" "does not divide the 32"
	refused_of "$delta + {attn_output_gate: false}" "'attn_output_gate' is false"
	refused_of "$delta + {layer_types: [\"full_attention\"]}" \
	    "a name for each of 4 layers"
	refused_of "$delta + {linear_num_value_heads: 3, linear_num_key_heads: 2}" \
	    "expected a multiple of the 2"
	refused_of "$compressed + {compress_ratios: [0, 4, 5, 4]}" "or 0, 4 or 128"
	refused_of "$compressed + {num_key_value_heads: 2}" "other than 1"
	refused_of "$compressed + {sliding_window: 1}" "expected at least 2"
	refused_of "$compressed + {attention_bias: true}" "'attention_bias' is true"
}

# ---- memory ----

# held JQ TOKENS - the KiB that sf-model holds for a prefill.
held() {
	jq -n "$1" >config.json
	"$SF_UNIT/peak" sf-model config.json --tokens "$2"
}

@test "what scans its tokens is written layer by layer, and token by token" {
	[ -z "${SF_SANITIZED:-}" ] || skip "the sanitizers keep memory of their own"
	for model in "$mamba + {num_hidden_layers: N}" \
	    "$mamba + {model_type: \"mamba2\", num_heads: 2, num_hidden_layers: N,
		expand: 2, head_dim: 8, n_groups: 2}" \
	    "$hybrid + {hybrid_override_pattern: (\"M*-E\" * (N / 4))}" \
	    "$delta + {num_hidden_layers: N}" \
	    "$compressed + {num_hidden_layers: N}"; do
		few=$(held "${model//N/4}" 512)
		many=$(held "${model//N/64}" 512)
		echo "$model: $few KiB for 4 layers, $many KiB for 64"
		[ "$many" -lt $((few + 512)) ]
	done
	# A token is an operand of the operator that puts them together.
	few=$(held "$mamba" 512)
	many=$(held "$mamba" 8192)
	echo "$few KiB for 512 tokens, $many KiB for 8,192"
	[ "$many" -lt $((few + 8192)) ]
}
