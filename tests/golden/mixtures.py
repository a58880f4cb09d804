"""Draws small configurations of decoders with experts, for families.py."""

from draws import decoder, experts

BF16 = ("bf16", "bf16")


def olmoe(draw, number):
    config = experts(draw, decoder(draw, "olmoe", "OlmoeForCausalLM"),
                     num_experts=draw.randint(3, 9), pad_token_id=0)
    if number == 0:
        return config
    return {**config, "norm_topk_prob": True, "attention_bias": True}


def ernie4_5_moe(draw, number):
    config = experts(
        draw, decoder(draw, "ernie4_5_moe", "Ernie4_5_MoeForCausalLM"),
        moe_num_experts=draw.randint(3, 9),
        moe_intermediate_size=8 * draw.randint(1, 4), num_hidden_layers=3)
    config["moe_k"] = config.pop("num_experts_per_tok")
    del config["tie_word_embeddings"]
    if number == 0:
        return config
    return {**config, "use_bias": True, "moe_num_shared_experts": 0,
            "moe_layer_start_index": 0, "moe_layer_interval": 2,
            "moe_layer_end_index": 1, "tie_word_embeddings": False}


def solar_open(draw, number):
    config = experts(
        draw, decoder(draw, "solar_open", "SolarOpenForCausalLM"),
        n_routed_experts=(6, 8)[number], head_dim=2 * draw.randint(2, 9),
        moe_intermediate_size=8 * draw.randint(1, 4))
    del config["intermediate_size"]
    if number == 0:
        return {**config, "n_group": 2, "topk_group": 1,
                "routed_scaling_factor": 2.5}
    return {**config, "norm_topk_prob": False, "n_shared_experts": 2,
            "attention_bias": True}


def glm4_moe_rounds(draw, number):
    """Heads whose sizes do not divide."""
    config = experts(
        draw, decoder(draw, "glm4_moe", "Glm4MoeForCausalLM"),
        n_routed_experts=6, moe_intermediate_size=8,
        num_attention_heads=3, num_key_value_heads=3, n_shared_experts=1)
    # 10 of 32 over 3, of which 5 or 7 are 6 or 8.
    config["hidden_size"] = 32
    if number == 0:
        return config
    return {**config, "partial_rotary_factor": 0.75}


def glm4_moe_lite(draw, number):
    config = experts(
        draw, decoder(draw, "glm4_moe_lite", "Glm4MoeLiteForCausalLM"),
        n_routed_experts=(6, 8)[number], kv_lora_rank=draw.randint(4, 12),
        qk_rope_head_dim=2 * draw.randint(1, 4),
        qk_nope_head_dim=draw.randint(2, 9), v_head_dim=draw.randint(2, 9),
        q_lora_rank=(draw.randint(4, 12), None)[number],
        moe_intermediate_size=8 * draw.randint(1, 4), num_hidden_layers=3)
    config["num_key_value_heads"] = config["num_attention_heads"]
    if number == 0:
        return config
    return {**config, "rope_interleave": False, "norm_topk_prob": False,
            "mlp_layer_types": ["sparse", "dense", "sparse"],
            "attention_bias": True, "n_shared_experts": 2}


def exaone_moe(draw, number):
    config = experts(
        draw, decoder(draw, "exaone_moe", "ExaoneMoeForCausalLM"),
        num_experts=(6, 8)[number], sliding_window=4, num_hidden_layers=3,
        moe_intermediate_size=8 * draw.randint(1, 4))
    if number == 0:
        return {**config, "sliding_window_pattern": 2}
    return {**config, "head_dim": 2 * draw.randint(2, 9),
            "num_shared_experts": 2,
            "layer_types": ["full_attention"] * 3,
            "mlp_layer_types": ["sparse", "sparse", "dense"],
            "norm_topk_prob": False, "n_group": 2, "topk_group": 1}


def granitemoe(draw, number):
    config = experts(draw, decoder(draw, "granitemoe",
                                   "GraniteMoeForCausalLM"),
                     num_local_experts=draw.randint(3, 6))
    if number == 0:
        return {**config, "embedding_multiplier": 12.0,
                "logits_scaling": 8.0, "residual_multiplier": 0.22,
                "attention_multiplier": 0.0625}
    return {**config, "attention_bias": True}


def granitemoeshared(draw, number):
    config = {**granitemoe(draw, number), "model_type": "granitemoeshared",
              "architectures": ["GraniteMoeSharedForCausalLM"]}
    if number == 0:
        return {**config, "shared_intermediate_size": draw.randint(9, 40)}
    return config


def dots1(draw, number):
    config = experts(
        draw, decoder(draw, "dots1", "Dots1ForCausalLM"),
        n_routed_experts=(6, 8)[number], n_shared_experts=1,
        moe_intermediate_size=8 * draw.randint(1, 4), num_hidden_layers=3)
    if number == 0:
        return {**config, "sliding_window": None, "n_group": 2,
                "topk_group": 1, "routed_scaling_factor": 2.5,
                "first_k_dense_replace": 1, "norm_topk_prob": True}
    return {**config, "sliding_window": 4, "max_window_layers": 1,
            "n_shared_experts": 2, "attention_bias": True}


def flex_olmo(draw, number):
    config = experts(draw, decoder(draw, "flex_olmo", "FlexOlmoForCausalLM"),
                     num_experts=draw.randint(3, 9), pad_token_id=0)
    if number == 0:
        return config
    return {**config, "norm_topk_prob": True, "attention_bias": True,
            "head_dim": 2 * draw.randint(2, 9)}


# PyTorch has no ONNX for the count of tokens of an expert.
EXPERTS = ("onnx",)

FAMILIES = {
    "dots1": (dots1, EXPERTS, BF16),
    "ernie4_5_moe": (ernie4_5_moe, EXPERTS, BF16),
    "exaone_moe": (exaone_moe, EXPERTS, BF16),
    "flex_olmo": (flex_olmo, EXPERTS, BF16),
    "glm4_moe_lite": (glm4_moe_lite, EXPERTS, BF16),
    "glm4_moe_rounds": (glm4_moe_rounds, EXPERTS, BF16),
    "granitemoe": (granitemoe, EXPERTS, BF16),
    "granitemoeshared": (granitemoeshared, EXPERTS, BF16),
    "olmoe": (olmoe, EXPERTS, BF16),
    "solar_open": (solar_open, EXPERTS, BF16),
}
