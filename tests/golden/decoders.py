"""Draws small configurations of decoders, for families.py.

FAMILIES has for each family the function that draws one, and the types of the
two: those of experts are BF16, the only ones PyTorch runs everywhere.
"""

from draws import decoder, experts, qwen_experts

BF16 = ("bf16", "bf16")


def cohere2(draw, number):
    config = {**decoder(draw, "cohere2", "Cohere2ForCausalLM"),
              "sliding_window": 4, "num_hidden_layers": 3, "pad_token_id": 0}
    if number == 0:
        del config["tie_word_embeddings"]
        return {**config, "sliding_window_pattern": 2}
    return {**config, "attention_bias": True, "logit_scale": 0.25,
            "layer_types": ["full_attention", "sliding_attention",
                            "full_attention"]}


def exaone4(draw, number):
    config = {**decoder(draw, "exaone4", "Exaone4ForCausalLM"),
              "sliding_window": 4, "num_hidden_layers": 4}
    if number == 0:
        return config
    return {**config, "head_dim": 2 * draw.randint(2, 9),
            "num_hidden_layers": 2, "sliding_window": None,
            "layer_types": ["full_attention"] * 2}


def minimax_m2(draw, number):
    config = experts(
        draw, decoder(draw, "minimax_m2", "MiniMaxM2ForCausalLM"),
        num_local_experts=draw.randint(3, 6), rotary_dim=4,
        head_dim=2 * draw.randint(2, 9))
    if number == 0:
        return config
    del config["rotary_dim"]
    return {**config, "num_hidden_layers": 3}


def glm(draw, number, family="glm", architecture="GlmForCausalLM"):
    config = {**decoder(draw, family, architecture), "pad_token_id": 0}
    config["hidden_size"] = config["num_attention_heads"] * 8
    if number == 0:
        return {**config, "head_dim": 4 * draw.randint(1, 6)}
    return {**config, "head_dim": 8, "attention_bias": True,
            "partial_rotary_factor": 0.75}


def glm4(draw, number):
    return glm(draw, number, "glm4", "Glm4ForCausalLM")


def glm4_moe(draw, number):
    config = experts(
        draw, decoder(draw, "glm4_moe", "Glm4MoeForCausalLM"),
        n_routed_experts=(6, 8)[number], head_dim=8,
        moe_intermediate_size=8 * draw.randint(1, 4), num_hidden_layers=3,
        n_shared_experts=1)
    if number == 0:
        return {**config, "first_k_dense_replace": 1, "n_group": 2,
                "topk_group": 1, "routed_scaling_factor": 2.5,
                "use_qk_norm": True}
    return {**config, "first_k_dense_replace": 2, "norm_topk_prob": False,
            "attention_bias": True, "n_shared_experts": 2,
            "partial_rotary_factor": 1.0}


def gpt_neo(draw, number):
    heads = draw.choice((1, 2, 3, 4, 6))
    config = {"model_type": "gpt_neo", "architectures": ["GPTNeoForCausalLM"],
              "hidden_size": heads * draw.randint(2, 8), "num_heads": heads,
              "vocab_size": draw.randint(30, 90), "num_layers": 2,
              "attention_types": [[["global", "local"], 1]],
              "window_size": 4, "max_position_embeddings": 32}
    if number == 0:
        return config
    return {**config, "intermediate_size": draw.randint(9, 60),
            "num_layers": 3, "activation_function": "gelu",
            "attention_types": [[["local"], 1], [["global"], 2]]}


def qwen3_vl_text(draw, number):
    config = {**decoder(draw, "qwen3_vl_text", "Qwen3VLTextModel"),
              "pad_token_id": 0}
    if number == 0:
        return {**config, "head_dim": 128, "attention_bias": True}
    return {**config, "head_dim": 16, "rope_parameters": {
        "rope_type": "default", "mrope_section": [2, 2, 2],
        "rope_theta": 10000.0}}


def qwen3_vl_moe_text(draw, number):
    config = qwen_experts(
        draw, {**decoder(draw, "qwen3_vl_moe_text", "Qwen3VLMoeTextModel"),
               "pad_token_id": 0},
        head_dim=(128, 16)[number])
    if number == 0:
        return {**config, "mlp_only_layers": [0]}
    return {**config, "rope_parameters": {
        "rope_type": "default", "mrope_section": [4, 2, 2],
        "rope_theta": 10000.0}}


def gemma3_text(draw, number):
    config = decoder(draw, "gemma3_text", "Gemma3ForCausalLM")
    del config["hidden_act"]
    config = {**config, "head_dim": 2 * draw.randint(2, 20),
              "sliding_window": 4, "num_hidden_layers": 3}
    if number == 0:
        return {**config, "query_pre_attn_scalar": 24,
                "sliding_window_pattern": 2,
                "rope_scaling": {"rope_type": "linear", "factor": 8.0}}
    return {**config, "final_logit_softcapping": 30.0, "attention_bias": True,
            "hidden_activation": "gelu",
            "layer_types": ["full_attention"] * 3}


def gemma4_text(draw, number):
    config = decoder(draw, "gemma4_text", "Gemma4ForCausalLM")
    del config["hidden_act"]
    config = {**config, "head_dim": 2 * draw.randint(2, 20),
              "global_head_dim": 8 * draw.randint(1, 3),
              "sliding_window": 4, "num_hidden_layers": 4,
              "num_attention_heads": 4, "num_key_value_heads": 2,
              "num_global_key_value_heads": 1,
              "layer_types": ["sliding_attention", "full_attention",
                              "sliding_attention", "full_attention"]}
    if number == 0:
        return experts(
            draw, {**config, "attention_k_eq_v": True}, num_experts=5,
            enable_moe_block=True, top_k_experts=2, final_logit_softcapping=30.0,
            moe_intermediate_size=8 * draw.randint(1, 4),
            hidden_size_per_layer_input=0)
    return {**config, "hidden_size_per_layer_input": 6,
            "vocab_size_per_layer_input": config["vocab_size"],
            "num_kv_shared_layers": 2, "use_double_wide_mlp": True}


def gemma4_dense(draw, number):
    """Without experts, of which there is ONNX."""
    config = gemma4_text(draw, 1)
    if number == 0:
        return config
    del config["layer_types"]
    return {**config, "hidden_size_per_layer_input": 0,
            "num_kv_shared_layers": 0, "num_hidden_layers": 7,
            "attention_k_eq_v": True, "attention_bias": True,
            "final_logit_softcapping": 12.0}


def gpt_oss(draw, number):
    config = experts(
        draw, decoder(draw, "gpt_oss", "GptOssForCausalLM"),
        num_local_experts=draw.randint(3, 6), head_dim=2 * draw.randint(2, 9),
        sliding_window=4, num_hidden_layers=3)
    if number == 0:
        return config
    return {**config, "attention_bias": False, "layer_types": [
        "full_attention", "full_attention", "sliding_attention"]}


def step3p5(draw, number):
    """Without experts, which its authors wrote in Python that looks at data."""
    config = decoder(draw, "step3p5", "Step3p7TextModel")
    del config["num_attention_heads"]
    config = experts(
        draw, {**config, "num_attention_heads": 2, "num_key_value_heads": 2},
        n_routed_experts=draw.randint(3, 6), head_dim=8,
        moe_intermediate_size=8 * draw.randint(1, 4),
        share_expert_dim=draw.randint(9, 40), num_hidden_layers=4,
        sliding_window=4)
    if number == 0:
        return {**config, "moe_layers_enum": "",
                "attention_other_setting": {"num_attention_heads": 4},
                "layer_types": ["full_attention", "sliding_attention"] * 2,
                "partial_rotary_factors": [0.5, 1.0] * 2,
                "rope_theta": [5000000.0, 10000.0] * 2,
                "num_nextn_predict_layers": 0,
                "swiglu_limits_shared": [0, 0, 0, 16],
                "moe_router_scaling_factor": 3.0}
    return {**config, "attention_bias": True, "mlp_bias": True,
            "mlp_layer_types": ["dense"] * 4}


def minimax_m3_vl_text(draw, number):
    config = decoder(draw, "minimax_m3_vl_text", "MiniMaxM3VLForCausalLM")
    config = experts(
        draw, {**config, "num_attention_heads": 4, "num_key_value_heads": 2},
        num_local_experts=draw.randint(3, 6), head_dim=8,
        dense_intermediate_size=draw.randint(9, 40),
        shared_intermediate_size=draw.randint(9, 40), num_hidden_layers=3)
    sparse = {"sparse_num_index_heads": 2, "sparse_index_dim": 8,
              "sparse_block_size": 4, "sparse_topk_blocks": 2}
    if number == 0:
        return {**config, "moe_layer_freq": [0, 1, 1],
                "partial_rotary_factor": 0.5, "routed_scaling_factor": 2.0,
                "sparse_attention_config": {
                    **sparse, "sparse_local_block": 1,
                    "sparse_attention_freq": [0, 1, 1]}}
    return {**config, "layer_types": ["minimax_m3_sparse", "full_attention",
                                      "full_attention"],
            "index_n_heads": 1, "index_head_dim": 8, "index_block_size": 2,
            "index_topk_blocks": 3, "index_local_blocks": 2}


def ministral3(draw, number):
    config = {**decoder(draw, "ministral3", "Ministral3ForCausalLM"),
              "head_dim": 2 * draw.randint(2, 9), "pad_token_id": 0}
    rope = {"rope_theta": 1000000.0, "llama_4_scaling_beta": 0.1,
            "original_max_position_embeddings": 4}
    if number == 0:
        return {**config, "rope_parameters": {
            **rope, "rope_type": "yarn", "factor": 16.0, "beta_fast": 32.0,
            "beta_slow": 1.0, "mscale": 1.0, "mscale_all_dim": 1.0}}
    return {**config, "sliding_window": 4, "rope_parameters": {
        **rope, "rope_type": "default"}}


def nemotron(draw, number):
    config = decoder(draw, "nemotron", "NemotronForCausalLM")
    config["hidden_size"] = config["num_attention_heads"] * 8
    del config["hidden_act"]
    if number == 0:
        return config
    return {**config, "attention_bias": True, "mlp_bias": True, "head_dim": 16,
            "hidden_act": "silu", "partial_rotary_factor": 0.75}


def olmo3(draw, number):
    config = {**decoder(draw, "olmo3", "Olmo3ForCausalLM"),
              "sliding_window": 4, "num_hidden_layers": 4, "pad_token_id": 0}
    if number == 0:
        return config
    return {**config, "attention_bias": True, "num_hidden_layers": 3,
            "layer_types": ["full_attention", "sliding_attention",
                            "full_attention"],
            "rope_scaling": {"rope_type": "linear", "factor": 8.0}}


def seed_oss(draw, number):
    config = {**decoder(draw, "seed_oss", "SeedOssForCausalLM"),
              "pad_token_id": 0}
    if number == 0:
        return config
    return {**config, "attention_bias": False, "attention_out_bias": True,
            "mlp_bias": True, "head_dim": 2 * draw.randint(2, 9)}


def llama4_text(draw, number):
    config = experts(
        draw, decoder(draw, "llama4_text", "Llama4ForCausalLM"),
        intermediate_size_mlp=draw.randint(9, 60), head_dim=8,
        num_local_experts=draw.randint(2, 4), num_hidden_layers=4,
        attention_chunk_size=4)
    if number == 0:
        return {**config, "interleave_moe_layer_step": 2}
    return {**config, "use_qk_norm": False, "no_rope_layers": [1, 0, 1, 1],
            "attn_temperature_tuning": False, "attention_bias": True,
            "moe_layers": [1], "num_experts_per_tok": 2}


# What PyTorch has no graph of: experts as ONNX, whose tokens it cannot count;
# masks of numbers on the meta device, which Dynamo cannot make; and as ONNX
# what is written to a part of a tensor, whose shape it does not say.
EXPERTS = ("onnx",)
MASKS = ("compile",)
PARTS = ("onnx",)

FAMILIES = {
    "cohere2": (cohere2, (), None),
    "exaone4": (exaone4, (), None),
    "gemma3_text": (gemma3_text, (), None),
    "gemma4_dense": (gemma4_dense, (), None),
    "gemma4_text": (gemma4_text, EXPERTS, BF16),
    "glm4": (glm4, (), None),
    "glm4_moe": (glm4_moe, EXPERTS, BF16),
    "gpt_neo": (gpt_neo, MASKS, None),
    "gpt_oss": (gpt_oss, EXPERTS + MASKS, BF16),
    "llama4_text": (llama4_text, EXPERTS, BF16),
    "minimax_m2": (minimax_m2, EXPERTS, BF16),
    "minimax_m3_vl_text": (minimax_m3_vl_text, EXPERTS, BF16),
    "ministral3": (ministral3, (), None),
    "nemotron": (nemotron, (), None),
    "olmo3": (olmo3, (), None),
    "qwen3_vl_moe_text": (qwen3_vl_moe_text, EXPERTS, BF16),
    "qwen3_vl_text": (qwen3_vl_text, PARTS, None),
    "seed_oss": (seed_oss, (), None),
    "step3p5": (step3p5, PARTS, None),
}
