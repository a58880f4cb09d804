"""Draws small configurations of decoders without experts, for families.py."""

from draws import decoder


def arcee(draw, number):
    config = decoder(draw, "arcee", "ArceeForCausalLM")
    del config["hidden_act"]
    if number == 0:
        return {**config, "head_dim": 2 * draw.randint(2, 9)}
    return {**config, "attention_bias": True, "mlp_bias": True,
            "hidden_act": "silu"}


def codegen(draw, number):
    config = {"model_type": "codegen",
              "architectures": ["CodeGenForCausalLM"], "n_head": 4,
              "n_embd": 4 * 4 * draw.randint(2, 5), "n_layer": 2,
              "rotary_dim": 4, "n_positions": 64, "n_ctx": 64,
              "vocab_size": draw.randint(30, 90)}
    if number == 0:
        return config
    return {**config, "n_inner": draw.randint(9, 60), "rotary_dim": 8,
            "activation_function": "gelu", "tie_word_embeddings": True}


def cwm(draw, number):
    config = {**decoder(draw, "cwm", "CwmForCausalLM"), "sliding_window": 4,
              "head_dim": 2 * draw.randint(2, 9), "num_hidden_layers": 5}
    if number == 0:
        return config
    return {**config, "mlp_bias": True, "num_hidden_layers": 2,
            "layer_types": ["full_attention"] * 2,
            "rope_parameters": {"rope_type": "linear", "factor": 8.0,
                                "rope_theta": 10000.0}}


def ernie4_5(draw, number):
    config = decoder(draw, "ernie4_5", "Ernie4_5ForCausalLM")
    del config["tie_word_embeddings"]
    if number == 0:
        return {**config, "head_dim": 2 * draw.randint(2, 9)}
    return {**config, "use_bias": True, "head_dim": None,
            "tie_word_embeddings": False}


def helium(draw, number):
    config = {**decoder(draw, "helium", "HeliumForCausalLM"),
              "pad_token_id": 0}
    heads = config["num_attention_heads"]
    config["head_dim"] = config["hidden_size"] // heads
    if number == 0:
        return config
    del config["head_dim"]
    return {**config, "hidden_size": heads * 128, "attention_bias": True,
            "mlp_bias": True}


def hunyuan_v1_dense(draw, number):
    config = {**decoder(draw, "hunyuan_v1_dense",
                        "HunYuanDenseV1ForCausalLM"),
              "pad_token_id": 0, "head_dim": 2 * draw.randint(2, 9)}
    return config if number == 0 else {**config, "attention_bias": True}


def hyperclovax(draw, number):
    config = decoder(draw, "hyperclovax", "HyperCLOVAXForCausalLM")
    if number == 0:
        return {**config, "embedding_multiplier": 12.0,
                "logits_scaling": 0.125, "residual_multiplier": 0.22,
                "attention_multiplier": 0.0625}
    return {**config, "use_post_norm": False, "attention_bias": True,
            "mlp_bias": True, "head_dim": 2 * draw.randint(2, 9)}


def nanochat(draw, number):
    config = decoder(draw, "nanochat", "NanoChatForCausalLM")
    del config["hidden_act"]
    if number == 0:
        return config
    return {**config, "attention_bias": True, "hidden_act": "gelu",
            "head_dim": 2 * draw.randint(2, 9),
            "final_logit_softcapping": None}


def gemma2(draw, number, family="gemma2", architecture="Gemma2ForCausalLM"):
    config = decoder(draw, family, architecture)
    del config["hidden_act"]
    config = {**config, "head_dim": 2 * draw.randint(2, 20),
              "sliding_window": 4, "num_hidden_layers": 3}
    if number == 0:
        return {**config, "query_pre_attn_scalar": 24,
                "hidden_activation": "gelu"}
    return {**config, "final_logit_softcapping": None,
            "layer_types": ["full_attention"] * 3}


def vaultgemma(draw, number):
    config = gemma2(draw, number, "vaultgemma", "VaultGemmaForCausalLM")
    return config if number == 0 else {**config, "attention_bias": True}


FAMILIES = {
    "arcee": (arcee, (), None),
    # Dynamo makes no masks of numbers on the meta device; none needs its ONNX.
    "codegen": (codegen, ("compile", "onnx"), None),
    "cwm": (cwm, (), None),
    "ernie4_5": (ernie4_5, (), None),
    "helium": (helium, (), None),
    "hunyuan_v1_dense": (hunyuan_v1_dense, (), None),
    "hyperclovax": (hyperclovax, (), None),
    "nanochat": (nanochat, (), None),
    "vaultgemma": (vaultgemma, (), None),
}
