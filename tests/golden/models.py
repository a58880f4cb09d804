"""The models that are recorded, and the calls of them.

CONFIGS holds what the published config.json files say of their architecture;
nothing is fetched. Each function returns what sf-torch takes: a callable, its
arguments and its keyword arguments. They are to be called on the device where
the model shall live.
"""

import torch

import states

LLAMA = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"],
    "hidden_act": "silu", "attention_bias": False, "mlp_bias": False,
    "rms_norm_eps": 1e-05, "tie_word_embeddings": False,
}

CONFIGS = {
    "llama3-8b": {
        **LLAMA, "hidden_size": 4096, "intermediate_size": 14336,
        "num_hidden_layers": 32, "num_attention_heads": 32,
        "num_key_value_heads": 8, "vocab_size": 128256,
        "max_position_embeddings": 8192, "rope_theta": 500000.0,
    },
    "llama3-70b": {
        **LLAMA, "hidden_size": 8192, "intermediate_size": 28672,
        "num_hidden_layers": 80, "num_attention_heads": 64,
        "num_key_value_heads": 8, "vocab_size": 128256,
        "max_position_embeddings": 8192, "rope_theta": 500000.0,
    },
    "mistral-7b": {
        "model_type": "mistral", "architectures": ["MistralForCausalLM"],
        "hidden_act": "silu", "hidden_size": 4096, "intermediate_size": 14336,
        "num_hidden_layers": 32, "num_attention_heads": 32,
        "num_key_value_heads": 8, "vocab_size": 32000,
        "max_position_embeddings": 32768, "rope_theta": 10000.0,
        "rms_norm_eps": 1e-05, "sliding_window": 4096,
        "tie_word_embeddings": False,
    },
    "qwen2.5-0.5b": {
        "model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"],
        "hidden_act": "silu", "hidden_size": 896, "intermediate_size": 4864,
        "num_hidden_layers": 24, "num_attention_heads": 14,
        "num_key_value_heads": 2, "vocab_size": 151936,
        "max_position_embeddings": 32768, "rope_theta": 1000000.0,
        "rms_norm_eps": 1e-06, "sliding_window": 32768,
        "use_sliding_window": False, "max_window_layers": 24,
        "tie_word_embeddings": True,
    },
    "gpt2": {
        "model_type": "gpt2", "architectures": ["GPT2LMHeadModel"],
        "activation_function": "gelu_new", "n_embd": 768, "n_head": 12,
        "n_layer": 12, "n_positions": 1024, "n_ctx": 1024,
        "vocab_size": 50257, "layer_norm_epsilon": 1e-05,
    },
    # Section 9's small Llama, in FP32.
    "tiny-llama": {
        **LLAMA, "hidden_size": 256, "intermediate_size": 512,
        "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "vocab_size": 1000,
        "max_position_embeddings": 2048, "rope_theta": 10000.0,
    },
}

DTYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}


def auto_class(config):
    """The class of transformers that makes what the configuration names."""
    import transformers

    name = config.get("architectures", [""])[0]
    if name.endswith("ForMaskedLM"):
        return transformers.AutoModelForMaskedLM
    for kind in ("SequenceClassification", "TokenClassification"):
        if name.endswith(f"For{kind}"):
            return getattr(transformers, f"AutoModelFor{kind}")
    if name.endswith("Model") and not name.endswith("LMHeadModel"):
        return transformers.AutoModel
    return transformers.AutoModelForCausalLM


def model(config, dtype="bf16"):
    """(module in evaluation mode, configuration)"""
    import transformers
    from transformers import AutoConfig

    fields = {k: v for k, v in config.items() if k != "model_type"}
    made = AutoConfig.for_model(config["model_type"], **fields)
    auto = auto_class(config)
    if type(made) in auto._model_mapping:
        module = auto.from_config(made, dtype=DTYPES[dtype])
    else:  # a part of a model, which no automatic class makes
        whole = getattr(transformers, config["architectures"][0])
        module = whole._from_config(made, dtype=DTYPES[dtype])
    return module.eval(), made


def tokens(batch, count):
    return torch.zeros(batch, count, dtype=torch.long)


def prefill(config, count, batch=1, dtype="bf16", cache=True, last=False):
    """COUNT tokens a sequence from nothing; with CACHE, into a new cache; with
    LAST, the logits of the last token alone."""
    module, _ = model(config, dtype)
    given = {} if cache else {"use_cache": False}
    if last:
        given["logits_to_keep"] = 1
    return module, (tokens(batch, count),), given


def held(made, layer, batch, context):
    """The shape of the keys that a layer holds, which may be its own."""
    if getattr(made, "num_kv_shared_layers", None) is not None:
        made = made.per_layer_config[layer]
    head_dim = getattr(made, "head_dim", None) or \
        made.hidden_size // made.num_attention_heads
    kv_heads = getattr(made, "num_key_value_heads", None) or \
        made.num_attention_heads
    # Falcon's newer layers hold a copy for each head of queries.
    if made.model_type == "falcon" and made.multi_query and \
            not made.new_decoder_architecture:
        kv_heads = 1
    if made.model_type == "mimo_v2_flash" and \
            made.layer_types[layer] == "sliding_attention":
        kv_heads *= 2
    return batch, kv_heads, context, head_dim


def decode(config, context, batch=1, dtype="bf16", count=1):
    """COUNT tokens more behind CONTEXT tokens that the cache holds."""
    from transformers import DynamicCache

    module, made = model(config, dtype)
    cache = DynamicCache(config=made)
    layers = made.num_hidden_layers - getattr(made, "num_kv_shared_layers", 0)
    for layer in range(layers):
        if states.fill(cache, layer, made, batch, context, DTYPES[dtype]):
            continue
        shape = held(made, layer, batch, context)
        values = shape
        if made.model_type == "mimo_v2_flash":
            values = (*shape[:3], made.v_head_dim)
        cache.update(torch.zeros(shape, dtype=DTYPES[dtype]),
                     torch.zeros(values, dtype=DTYPES[dtype]), layer)
        if hasattr(cache.layers[layer], "update_index"):
            shape = batch, 1, context, made.index_head_dim
            cache.layers[layer].update_index(
                torch.zeros(shape, dtype=DTYPES[dtype]))
    name = "cache_params" if "mamba" in config["model_type"] else \
        "past_key_values"
    return module, (tokens(batch, count),), {name: cache}
