"""Small configurations of families whose layers keep a latent or a state, and
what a cache holds of them."""

import torch

from draws import decoder, experts, qwen_experts

BF16 = ("bf16", "bf16")


def latent(draw, family, architecture, **more):
    """Attention through a latent of keys and values, and experts."""
    config = experts(draw, decoder(draw, family, architecture), **more)
    heads = config["num_attention_heads"]
    return {
        **config, "num_key_value_heads": heads, "num_hidden_layers": 3,
        "first_k_dense_replace": 1, "n_routed_experts": 4,
        "n_shared_experts": draw.randint(1, 2),
        "moe_intermediate_size": 8 * draw.randint(1, 4),
        "n_group": 2, "topk_group": 1, "num_experts_per_tok": 2,
        "kv_lora_rank": 8 * draw.randint(1, 3),
        "q_lora_rank": 8 * draw.randint(1, 3),
        "qk_nope_head_dim": draw.randint(3, 12),
        "qk_rope_head_dim": 2 * draw.randint(1, 6),
        "v_head_dim": draw.randint(3, 12), **more,
    }


def deepseek_v2(draw, number):
    config = latent(draw, "deepseek_v2", "DeepseekV2ForCausalLM")
    if number == 0:
        return {**config, "q_lora_rank": None, "topk_method": "greedy",
                "rope_scaling": {
                    "type": "yarn", "factor": 40, "mscale": 0.707,
                    "mscale_all_dim": 0.707, "rope_theta": 10000,
                    "original_max_position_embeddings": 4096}}
    return {**config, "attention_bias": True, "mlp_bias": True,
            "topk_method": "group_limited_greedy"}


def deepseek_v3(draw, number):
    config = latent(draw, "deepseek_v3", "DeepseekV3ForCausalLM")
    if number == 0:
        return {**config, "rope_scaling": {
            "type": "yarn", "factor": 40, "mscale": 1.0,
            "mscale_all_dim": 1.0, "rope_theta": 10000,
            "original_max_position_embeddings": 4096}}
    return {**config, "q_lora_rank": None, "attention_bias": True,
            "rope_interleave": False, "norm_topk_prob": False}


def deepseek_v32(draw, number):
    config = latent(draw, "deepseek_v32", "DeepseekV32ForCausalLM",
                    qk_rope_head_dim=4, index_head_dim=draw.randint(5, 9),
                    index_n_heads=draw.randint(2, 4), index_topk=3)
    if number == 0:
        return config
    return {**config, "attention_bias": True, "index_topk": 300,
            "norm_topk_prob": False}


def glm_moe_dsa(draw, number):
    config = latent(draw, "glm_moe_dsa", "GlmMoeDsaForCausalLM",
                    qk_rope_head_dim=4, index_head_dim=draw.randint(5, 9),
                    index_n_heads=draw.randint(2, 4), index_topk=3)
    if number == 0:
        return config
    return {**config, "index_topk_freq": 2, "index_skip_topk_offset": 1,
            "num_hidden_layers": 4,
            "mlp_layer_types": ["dense", "sparse", "dense", "sparse"]}


def deepseek_v4(draw, number):
    """A window and compressed tokens before it, and several streams."""
    config = experts(draw, decoder(
        draw, "deepseek_v4", "DeepseekV4ForCausalLM"))
    heads = 2 * draw.randint(1, 2)
    config = {
        **config, "hidden_size": 16 * draw.randint(1, 3),
        "num_attention_heads": heads, "num_key_value_heads": 1,
        "head_dim": 8 * draw.randint(1, 2), "qk_rope_head_dim": 4,
        "q_lora_rank": draw.randint(5, 12), "o_groups": 2,
        "o_lora_rank": draw.randint(3, 8), "n_routed_experts": 6,
        "num_experts_per_tok": 2, "moe_intermediate_size": 16,
        "hc_mult": 2, "hc_sinkhorn_iters": 2 + number, "sliding_window": 4,
        "index_n_heads": 2, "index_head_dim": 6 + 2 * number,
        "index_topk": 1 + 2 * number, "num_hash_layers": 1,
        "swiglu_limit": 10.0, "num_hidden_layers": 3,
        "max_position_embeddings": 64}
    del config["intermediate_size"]
    if number == 0:
        return {**config, "compress_ratios": [0, 4, 128],
                "rope_scaling": {
                    "type": "yarn", "factor": 16, "beta_fast": 32,
                    "beta_slow": 1, "original_max_position_embeddings": 64}}
    return {**config, "layer_types": [
        "sliding_attention", "heavily_compressed_attention",
        "compressed_sparse_attention"], "num_hash_layers": 2,
        "compress_rates": {"compressed_sparse_attention": 2,
                           "heavily_compressed_attention": 3}}


def state_space(draw, family, architecture):
    return {"model_type": family, "architectures": [architecture],
            "hidden_size": 4 * draw.randint(2, 8), "num_hidden_layers": 2,
            "vocab_size": draw.randint(30, 90)}


def mamba(draw, number):
    config = {**state_space(draw, "mamba", "MambaForCausalLM"),
              "state_size": draw.randint(2, 6)}
    if number == 0:
        return config
    return {**config, "use_bias": True, "use_conv_bias": False,
            "conv_kernel": 3, "expand": 3, "time_step_rank": 2,
            "residual_in_fp32": False, "tie_word_embeddings": False}


def falcon_mamba(draw, number):
    config = {**mamba(draw, number), "model_type": "falcon_mamba",
              "architectures": ["FalconMambaForCausalLM"]}
    return config


def mamba2(draw, number):
    config = {**state_space(draw, "mamba2", "Mamba2ForCausalLM"),
              "state_size": draw.randint(2, 6)}
    heads = draw.choice((2, 4))
    config.update(num_heads=heads, n_groups=2, chunk_size=4,
                  head_dim=2 * config["hidden_size"] // heads)
    if number == 0:
        return config
    return {**config, "use_bias": True, "use_conv_bias": False,
            "conv_kernel": 3, "n_groups": 1, "chunk_size": 256,
            "residual_in_fp32": False, "tie_word_embeddings": True}


def nemotron_h(draw, number):
    config = decoder(draw, "nemotron_h", "NemotronHForCausalLM")
    config = {**config, "head_dim": 2 * draw.randint(2, 8),
              "hidden_size": 8 * draw.randint(2, 6),
              "tie_word_embeddings": False,
              "mlp_hidden_act": "relu2", "ssm_state_size": draw.randint(2, 6),
              "mamba_num_heads": 4, "mamba_head_dim": draw.randint(2, 6),
              "n_groups": 2, "chunk_size": 4}
    del config["num_hidden_layers"], config["hidden_act"]
    if number == 0:
        return {**config, "hybrid_override_pattern": "M-M*-"}
    return {**config, "layers_block_type":
            ["mamba", "moe", "attention", "mlp"], "chunk_size": 128,
            "n_routed_experts": 6, "num_experts_per_tok": 2,
            "moe_intermediate_size": 16, "moe_latent_size": 8,
            "moe_shared_expert_intermediate_size": draw.randint(9, 20),
            "n_group": 1, "topk_group": 1, "use_bias": True,
            "use_conv_bias": False, "mlp_bias": True}


def delta(draw, config, number):
    """Every third layer attends; the others have the gated delta rule."""
    heads = draw.choice((1, 2))
    return {**config, "num_hidden_layers": 2,
            "layer_types": ["linear_attention", "full_attention"],
            "head_dim": 8 * draw.randint(1, 3), "linear_conv_kernel_dim": 4,
            "linear_key_head_dim": draw.randint(3, 8),
            "linear_value_head_dim": draw.randint(3, 8),
            "linear_num_key_heads": heads,
            "linear_num_value_heads": heads * (1 + number)}


def qwen3_next(draw, number):
    config = delta(draw, qwen_experts(
        draw, decoder(draw, "qwen3_next", "Qwen3NextForCausalLM"),
        shared_expert_intermediate_size=draw.randint(9, 40)), number)
    if number == 0:
        return {**config, "partial_rotary_factor": 0.25}
    del config["layer_types"]
    return {**config, "full_attention_interval": 2, "norm_topk_prob": False,
            "mlp_only_layers": [0], "attention_bias": True}


def grid(config):
    return {**config, "rope_parameters": {
        "rope_type": "default", "rope_theta": 10000, "mrope_interleaved": True,
        "mrope_section": [2, 1, 1], "partial_rotary_factor": 1.0}}


def qwen3_5_text(draw, number):
    config = delta(draw, decoder(
        draw, "qwen3_5_text", "Qwen3_5ForCausalLM"), number)
    config["head_dim"] = 8
    if number == 0:
        return grid(config)
    return {**grid(config), "attention_bias": True, "linear_conv_kernel_dim": 8}


def qwen3_5_moe_text(draw, number):
    config = delta(draw, qwen_experts(
        draw, decoder(draw, "qwen3_5_moe_text", "Qwen3_5MoeForCausalLM"),
        shared_expert_intermediate_size=draw.randint(9, 40)), number)
    config["head_dim"] = 8
    return grid(config)


# ---- what a cache holds ----


def states(made):
    """Of a layer with states: the channels of its convolution, the kernel,
    and the shape of a sequence's state."""
    if made.model_type in ("mamba", "falcon_mamba"):
        return (made.intermediate_size, made.conv_kernel,
                (made.intermediate_size, made.state_size))
    if hasattr(made, "linear_num_key_heads"):
        keys = made.linear_num_key_heads * made.linear_key_head_dim
        heads, size = made.linear_num_value_heads, made.linear_value_head_dim
        return (2 * keys + heads * size, made.linear_conv_kernel_dim,
                (heads, made.linear_key_head_dim, size))
    if hasattr(made, "mamba_n_heads"):
        heads, size, state = made.mamba_n_heads, made.mamba_d_head, \
            made.mamba_d_state
        return (heads * size + 2 * made.mamba_n_groups * state,
                made.mamba_d_conv, (heads, size, state))
    if made.model_type == "mamba2":
        heads, size, state = made.num_heads, made.head_dim, made.state_size
    else:
        heads, size = made.mamba_num_heads, made.mamba_head_dim
        state = made.ssm_state_size
    return (heads * size + 2 * made.n_groups * state, made.conv_kernel,
            (heads, size, state))


def fill_states(cache, layer, made, batch, dtype):
    channels, kernel, state = states(made)
    cache.update_conv_state(
        torch.zeros((batch, channels, kernel), dtype=dtype), layer)
    # A prefill computes it, and leaves it, in FP32.
    cache.update_recurrent_state(torch.zeros((batch, *state)), layer)


def fill_latent(cache, layer, made, batch, context, dtype):
    def zeros(*shape):
        return torch.zeros((batch, *shape), dtype=dtype)

    cache.update(zeros(1, context, made.kv_lora_rank),
                 zeros(1, context, made.qk_rope_head_dim), layer)
    types = getattr(made, "indexer_types", None)
    if getattr(made, "index_head_dim", None) and \
            (types is None or types[layer] == "full"):
        cache.update_indexer(zeros(context, made.index_head_dim), layer)


def fill_compressed(cache, layer, made, batch, context, dtype):
    """A window of tokens, and entries that stand for several before them."""
    def zeros(*shape):
        return torch.zeros((batch, *shape), dtype=dtype)

    keys = zeros(1, context, made.head_dim)
    cache.update(keys, keys, layer)
    kind = made.layer_types[layer]
    if kind == "sliding_attention":
        return
    held, rate = cache.layers[layer], made.compress_rates[kind]
    sparse = kind == "compressed_sparse_attention"
    for name in held.buffer_kv:
        size = made.index_head_dim if name == "indexer" else made.head_dim
        held.entry_count[name] = context // rate
        held.compressed_kv[name] = zeros(context // rate, size)
        for kept in (held.buffer_kv, held.buffer_gate):
            kept[name] = zeros(context % rate, size * (1 + sparse))
        for kept in (held.overlap_kv, held.overlap_gate) if sparse else ():
            kept[name] = zeros(rate, size) if context >= rate else None


def fill(cache, layer, made, batch, context, dtype):
    """Fills a layer of CACHE; False where that is as in other families."""
    types = getattr(made, "layer_types", None)
    kind = types[layer] if types else ""
    if kind in ("moe", "mlp"):
        return True
    if made.model_type == "deepseek_v4":
        fill_compressed(cache, layer, made, batch, context, dtype)
        return True
    if kind == "conv":
        held = torch.zeros((batch, made.hidden_size, made.conv_L_cache),
                           dtype=dtype)
        cache.update_conv_state(held, layer)
        return True
    if kind == "linear_attention":
        fill_states(cache, layer, made, batch, dtype)
        return True
    if getattr(made, "kv_lora_rank", None):
        fill_latent(cache, layer, made, batch, context, dtype)
        return True
    return False


def lfm2(draw, number):
    config = {**decoder(draw, "lfm2", "Lfm2ForCausalLM"),
              "num_hidden_layers": 3, "conv_L_cache": draw.randint(2, 5),
              "block_multiple_of": 4}
    del config["tie_word_embeddings"], config["hidden_act"]
    if number == 0:
        return {**config, "full_attn_idxs": [1]}
    return {**config, "conv_bias": True, "tie_word_embeddings": False,
            "block_auto_adjust_ff_dim": False, "layer_types": [
                "full_attention", "conv", "conv"]}


def lfm2_moe(draw, number):
    config = qwen_experts(draw, decoder(
        draw, "lfm2_moe", "Lfm2MoeForCausalLM"), num_hidden_layers=4,
        layer_types=["conv", "conv", "full_attention", "conv"])
    del config["hidden_act"]
    if number == 0:
        return config
    return {**config, "num_dense_layers": 0, "use_expert_bias": False,
            "norm_topk_prob": False, "conv_bias": True}


def mixer(draw, config):
    """A mixer of Mamba 2, and layers of it behind one that attends."""
    heads, groups = draw.choice(((4, 1), (4, 2), (6, 3)))
    return {**config, "hidden_size": 24 * config["num_attention_heads"],
            "mamba_n_heads": heads, "mamba_n_groups": groups,
            "mamba_d_state": draw.randint(3, 9), "num_hidden_layers": 3,
            "mamba_chunk_size": 4}


def bamba(draw, number):
    config = mixer(draw, decoder(draw, "bamba", "BambaForCausalLM"))
    if number == 0:
        return {**config, "attn_layer_indices": [1]}
    return {**config, "attn_layer_indices": [0, 2], "attention_bias": True,
            "mlp_bias": True, "mamba_proj_bias": True, "mamba_expand": 1,
            "mamba_conv_bias": False, "mamba_d_conv": 3}


def granitemoehybrid(draw, number):
    config = mixer(draw, experts(draw, decoder(
        draw, "granitemoehybrid", "GraniteMoeHybridForCausalLM")))
    if number == 0:
        return {**config, "num_local_experts": 4, "num_experts_per_tok": 2,
                "shared_intermediate_size": draw.randint(9, 40),
                "layer_types": ["linear_attention", "full_attention",
                                "linear_attention"]}
    return {**config, "num_local_experts": 0, "num_experts_per_tok": 0,
            "shared_intermediate_size": 24, "position_embedding_type": "rope",
            "attention_bias": True, "embedding_multiplier": 12.0,
            "logits_scaling": 8.0, "residual_multiplier": 0.22,
            "layer_types": ["full_attention", "full_attention",
                            "linear_attention"]}


# None of them as ONNX.
FAMILIES = {
    "bamba": (bamba, ("onnx",), None),
    "deepseek_v2": (deepseek_v2, ("onnx",), BF16),
    "deepseek_v3": (deepseek_v3, ("onnx",), BF16),
    "deepseek_v32": (deepseek_v32, ("onnx",), BF16),
    "deepseek_v4": (deepseek_v4, ("onnx", "compile"), BF16),
    "falcon_mamba": (falcon_mamba, ("onnx",), None),
    "glm_moe_dsa": (glm_moe_dsa, ("onnx",), BF16),
    "granitemoehybrid": (granitemoehybrid, ("onnx",), BF16),
    "lfm2": (lfm2, ("onnx",), None),
    "lfm2_moe": (lfm2_moe, ("onnx",), BF16),
    "mamba": (mamba, ("onnx",), None),
    "mamba2": (mamba2, ("onnx",), None),
    "qwen3_5_moe_text": (qwen3_5_moe_text, ("onnx",), BF16),
    "qwen3_5_text": (qwen3_5_text, ("onnx",), None),
    "qwen3_next": (qwen3_next, ("onnx",), BF16),
    "nemotron_h": (nemotron_h, ("onnx",), (None, "bf16")),
}
