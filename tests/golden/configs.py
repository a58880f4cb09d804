"""Thirty small configurations, drawn once and for all from a fixed seed.

They cover what the five published models do not: head counts that are odd,
any number of KV heads from one to all, head_dim that is not hidden size over
heads, biases, tied and untied heads, other activations, batches, types, and
windows shorter than the sequence. Each is a whole config.json.
"""

import random

COUNT = 30
FAMILIES = ("llama", "qwen2", "mistral", "llama", "gpt2")
WINDOWS = (None, 4096, 16, 8)


def divisors(n):
    return [d for d in range(1, n + 1) if n % d == 0]


def decoder(draw, family):
    """What Llama, Mistral and Qwen2 have in common."""
    heads = draw.choice((1, 2, 3, 4, 5, 6, 7, 8, 9, 12))
    head_dim = 2 * draw.randint(2, 20)
    config = {
        "model_type": family,
        "hidden_act": "silu",
        "hidden_size": heads * head_dim,
        "intermediate_size": draw.randint(17, 400),
        "num_hidden_layers": draw.randint(1, 3),
        "num_attention_heads": heads,
        "num_key_value_heads": draw.choice(divisors(heads)),
        "vocab_size": draw.randint(50, 1000),
        "max_position_embeddings": 512,
        "rope_theta": 10000.0,
        "rms_norm_eps": 1e-06,
        "tie_word_embeddings": draw.random() < 0.5,
    }
    if family != "qwen2" and draw.random() < 0.5:
        config["head_dim"] = 2 * draw.randint(2, 40)
    return config


def llama(draw, number):
    return {**decoder(draw, "llama"),
            "architectures": ["LlamaForCausalLM"],
            "hidden_act": draw.choice(("silu", "silu", "silu", "gelu",
                                       "gelu_pytorch_tanh", "relu")),
            "attention_bias": draw.random() < 0.5,
            "mlp_bias": draw.random() < 0.5}


def mistral(draw, number):
    return {**decoder(draw, "mistral"),
            "architectures": ["MistralForCausalLM"],
            "sliding_window": WINDOWS[number % len(WINDOWS)]}


def qwen2(draw, number):
    return {**decoder(draw, "qwen2"),
            "architectures": ["Qwen2ForCausalLM"],
            "sliding_window": 4096, "use_sliding_window": False,
            "max_window_layers": 28}


def gpt2(draw, number):
    heads = draw.randint(1, 9)
    return {
        "model_type": "gpt2",
        "architectures": ["GPT2LMHeadModel"],
        "activation_function": draw.choice(("gelu_new", "gelu_new", "gelu",
                                            "relu", "silu")),
        "n_embd": heads * draw.randint(3, 40),
        "n_head": heads,
        "n_layer": draw.randint(1, 3),
        "n_inner": draw.choice((None, draw.randint(17, 400))),
        "n_positions": 256,
        "vocab_size": draw.randint(50, 1000),
        "layer_norm_epsilon": 1e-05,
        "tie_word_embeddings": draw.random() < 0.7,
    }


def small():
    draw = random.Random(2026)
    make = {"llama": llama, "mistral": mistral, "qwen2": qwen2, "gpt2": gpt2}
    found = []
    for number in range(COUNT):
        config = make[FAMILIES[number % len(FAMILIES)]](draw, number)
        found.append({"config": config,
                      "batch": draw.choice((1, 1, 2, 3)),
                      "dtype": draw.choice(("bf16", "f16", "f32")),
                      "tokens": draw.choice((1, 2, 17, 32, 33, 64)),
                      "context": draw.randint(1, 70)})
    return found
