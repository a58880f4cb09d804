"""Draws small configurations of decoders and encoders, for families.py.

FAMILIES has for each family the function that draws one, the routes and the
phases that PyTorch cannot capture or that it has not, and the types of the
two.
"""

from draws import decoder, experts, tower

BF16 = ("bf16", "bf16")
NO_DECODE = ("decode",)
# Dynamo makes no masks of numbers on the meta device, nor does it take a list
# as an index; what is not written as ONNX is not recorded.
MASKS = ("compile", "onnx")


def falcon(draw, number):
    heads = draw.choice(((2, 3, 4, 6), (4, 6))[number])
    config = {"model_type": "falcon",
              "architectures": ["FalconForCausalLM"],
              "hidden_size": heads * 2 * draw.randint(2, 8),
              "num_hidden_layers": 2, "num_attention_heads": heads,
              "vocab_size": draw.randint(30, 90)}
    if number == 0:
        return config
    return {**config, "new_decoder_architecture": True, "bias": True,
            "num_kv_heads": 2,
            "ffn_hidden_size": draw.randint(9, 60),
            "activation": "gelu_pytorch_tanh", "tie_word_embeddings": False}


def falcon_alibi(draw, number):
    """Falcon's other positions, and its heads and layers of other times."""
    config = {**falcon(draw, 0), "alibi": True, "multi_query": False,
              "bias": True}
    if number == 0:
        return {**config, "parallel_attn": False}
    return {**config, "alibi": False, "bias": False,
            "architectures": ["FalconModel"]}


def bloom(draw, number):
    heads = (draw.choice((2, 4)), draw.choice((3, 6)))[number]
    config = {"model_type": "bloom", "architectures": ["BloomForCausalLM"],
              "hidden_size": heads * draw.randint(2, 8), "n_layer": 2,
              "n_head": heads, "vocab_size": draw.randint(30, 90)}
    if number == 0:
        return config
    return {**config, "apply_residual_connection_post_layernorm": True,
            "tie_word_embeddings": False}


def gptj(draw, number):
    heads = draw.choice((2, 3, 4, 6))
    config = {"model_type": "gptj", "architectures": ["GPTJForCausalLM"],
              "n_embd": heads * 8, "n_head": heads, "n_layer": 2,
              "n_positions": 64, "rotary_dim": 4,
              "vocab_size": draw.randint(30, 90)}
    if number == 0:
        return config
    return {**config, "n_inner": draw.randint(9, 60), "rotary_dim": 8,
            "activation_function": "gelu", "tie_word_embeddings": True}


def phimoe(draw, number):
    config = experts(
        draw, decoder(draw, "phimoe", "PhimoeForCausalLM"),
        num_local_experts=draw.randint(3, 6), pad_token_id=0)
    config["num_experts_per_tok"] = 2
    if number == 0:
        return config
    return {**config, "attention_bias": True, "lm_head_bias": True,
            "sliding_window": 4}


def mimo_v2_flash(draw, number):
    heads = draw.choice((2, 4, 6))
    config = experts(
        draw, decoder(draw, "mimo_v2_flash", "MiMoV2FlashForCausalLM"),
        num_attention_heads=heads,
        num_key_value_heads=draw.choice((1, heads // 2)),
        n_routed_experts=draw.randint(3, 6), sliding_window=4,
        moe_intermediate_size=8 * draw.randint(1, 4), head_dim=12,
        v_head_dim=8, num_hidden_layers=3)
    if number == 0:
        return config
    return {**config, "attention_bias": True, "attention_value_scale": None,
            "layer_types": ["full_attention", "sliding_attention",
                            "full_attention"],
            "mlp_layer_types": ["sparse", "dense", "sparse"]}


def encoder(draw, number, family, classes):
    heads = draw.choice((1, 2, 3, 4, 6))
    return {
        "model_type": family, "architectures": [classes[number]],
        "hidden_act": ("gelu", "relu")[number],
        "hidden_size": heads * 2 * draw.randint(2, 8),
        "intermediate_size": draw.randint(9, 60), "num_hidden_layers": 3,
        "num_attention_heads": heads, "vocab_size": draw.randint(30, 90),
        "max_position_embeddings": 64, "tie_word_embeddings": number == 0,
    }


def albert(draw, number):
    config = encoder(draw, number, "albert",
                     ("AlbertForMaskedLM", "AlbertModel"))
    del config["hidden_act"]
    config = {**config, "embedding_size": draw.randint(4, 30)}
    if number == 0:
        return config
    return {**config, "num_hidden_groups": 3, "inner_group_num": 2,
            "hidden_act": "gelu", "type_vocab_size": 1}


def mpnet(draw, number):
    config = encoder(draw, number, "mpnet",
                     ("MPNetModel", "MPNetForMaskedLM"))
    if number == 0:
        return config
    return {**config, "relative_attention_num_buckets": 16}


def modernbert(draw, number):
    config = encoder(draw, number, "modernbert",
                     ("ModernBertForMaskedLM", "ModernBertModel"))
    config["hidden_activation"] = config.pop("hidden_act")
    config = {**config, "pad_token_id": 0, "local_attention": 4,
              "eos_token_id": 1, "bos_token_id": 2, "cls_token_id": 2,
              "sep_token_id": 1}
    if number == 0:
        return {**config, "num_hidden_layers": 4}
    return {**config, "attention_bias": True, "mlp_bias": True,
            "norm_bias": True,
            "layer_types": ["sliding_attention", "full_attention",
                            "sliding_attention"]}


def nomic_bert(draw, number):
    config = encoder(draw, number, "nomic_bert",
                     ("NomicBertModel", "NomicBertForMaskedLM"))
    if number == 0:
        del config["hidden_act"]
        return config
    return {**config, "type_vocab_size": 1}


def sequences(draw, number):
    """Classifiers, of families that are recorded without."""
    if number == 0:
        return {**albert(draw, 0),
                "architectures": ["AlbertForSequenceClassification"]}
    return {**mpnet(draw, 0), "num_labels": 5,
            "architectures": ["MPNetForSequenceClassification"]}


def more_sequences(draw, number):
    if number == 0:
        return {**modernbert(draw, 0), "classifier_bias": True,
                "classifier_activation": "relu",
                "architectures": ["ModernBertForSequenceClassification"]}
    return {**nomic_bert(draw, 0), "num_labels": 3,
            "architectures": ["NomicBertForSequenceClassification"]}


def labelled_tokens(draw, number):
    if number == 0:
        return {**modernbert(draw, 0), "num_labels": 3,
                "architectures": ["ModernBertForTokenClassification"]}
    return {**mpnet(draw, 0),
            "architectures": ["MPNetForTokenClassification"]}


def deit(draw, number):
    config = tower(draw, "deit", "DeiTForImageClassification")
    if number == 0:
        return config
    return {**config, "architectures": ["DeiTModel"], "num_channels": 1,
            "hidden_act": "gelu_pytorch_tanh", "qkv_bias": False,
            "pooler_output_size": draw.randint(4, 20)}


def dinov2(draw, number):
    config = tower(draw, "dinov2", "Dinov2Model")
    del config["intermediate_size"]
    config["image_size"] = 3 * config["patch_size"]
    if number == 0:
        return config
    return {**config, "architectures": ["Dinov2ForImageClassification"],
            "use_swiglu_ffn": True, "mlp_ratio": 3, "num_channels": 1,
            "qkv_bias": False, "id2label": {"0": "a", "1": "b", "2": "c"}}


def siglip_vision_model(draw, number):
    config = tower(draw, "siglip_vision_model", "SiglipVisionModel")
    if number == 0:
        return config
    return {**config, "hidden_act": "gelu", "num_channels": 2}


def siglip_text_model(draw, number):
    config = tower(draw, "siglip_text_model", "SiglipTextModel")
    del config["patch_size"], config["image_size"]
    config = {**config, "vocab_size": draw.randint(30, 90),
              "max_position_embeddings": draw.randint(16, 40),
              "bos_token_id": 1, "eos_token_id": 2}
    if number == 0:
        return config
    return {**config, "hidden_act": "gelu",
            "projection_size": draw.randint(4, 20)}


def nested(config):
    return {k: v for k, v in config.items() if k != "architectures"}


def siglip(draw, number):
    text = nested(siglip_text_model(draw, number))
    vision = nested(siglip_vision_model(draw, number))
    # The two are compared.
    text["projection_size"] = vision["hidden_size"]
    return {"model_type": "siglip", "architectures": ["SiglipModel"],
            "text_config": text, "vision_config": vision}


FAMILIES = {
    "bloom": (bloom, MASKS, None),
    "falcon": (falcon, MASKS, None),
    "falcon-more": (falcon_alibi, ("onnx",), None),
    "gptj": (gptj, MASKS, None),
    "phimoe": (phimoe, ("onnx",), BF16),
    "mimo_v2_flash": (mimo_v2_flash, MASKS, BF16),
    "albert": (albert, NO_DECODE, None),
    "mpnet": (mpnet, NO_DECODE, None),
    "modernbert": (modernbert, NO_DECODE, None),
    "nomic_bert": (nomic_bert, NO_DECODE, None),
    "later-sequences": (sequences, NO_DECODE, None),
    "later-sequences-more": (more_sequences, NO_DECODE, None),
    "later-tokens": (labelled_tokens, NO_DECODE, None),
    "siglip_text_model": (siglip_text_model, NO_DECODE, None),
}
TOWERS = {
    "deit": (deit, ()),
    "dinov2": (dinov2, ()),
    "siglip_vision_model": (siglip_vision_model, ()),
}
