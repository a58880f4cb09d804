"""What the small configurations of families have in common."""


def divisors(n):
    return [d for d in range(1, n + 1) if n % d == 0]


def decoder(draw, family, architecture):
    heads = draw.choice((1, 2, 3, 4, 6))
    return {
        "model_type": family, "architectures": [architecture],
        "hidden_act": "silu", "hidden_size": heads * 2 * draw.randint(2, 8),
        "intermediate_size": draw.randint(9, 60), "num_hidden_layers": 2,
        "num_attention_heads": heads,
        "num_key_value_heads": draw.choice(divisors(heads)),
        "vocab_size": draw.randint(30, 90), "max_position_embeddings": 512,
        "tie_word_embeddings": draw.random() < 0.5,
    }


def experts(draw, config, **more):
    """Sizes that PyTorch's grouped product takes."""
    heads = config["num_attention_heads"]
    return {**config, "hidden_size": heads * 8 * draw.randint(1, 2),
            "intermediate_size": 8 * draw.randint(1, 5),
            "num_experts_per_tok": draw.randint(1, 3), **more}


def qwen_experts(draw, config, **more):
    return experts(draw, config, num_experts=draw.randint(3, 9),
                   moe_intermediate_size=8 * draw.randint(1, 4), **more)


def tower(draw, family, architecture):
    heads, patch = draw.choice((1, 2, 3, 4)), draw.choice((2, 3, 4))
    return {
        "model_type": family, "architectures": [architecture],
        "hidden_size": heads * draw.randint(2, 8),
        "intermediate_size": draw.randint(9, 60), "num_hidden_layers": 2,
        "num_attention_heads": heads, "patch_size": patch,
        "image_size": patch * draw.randint(2, 3) + draw.randint(0, 1),
    }


def both_stacks(draw, family, architecture, **ranges):
    """An encoder and its decoder; RANGES: sizes that are drawn besides."""
    heads = draw.randint(1, 4)
    return {"model_type": family, "architectures": [architecture],
            "d_model": heads * 2 * draw.randint(2, 6),
            "encoder_layers": 2, "decoder_layers": 2,
            "encoder_attention_heads": heads,
            "decoder_attention_heads": heads,
            "encoder_ffn_dim": draw.randint(9, 60),
            "decoder_ffn_dim": draw.randint(9, 60),
            **{key: draw.randint(*ends) for key, ends in ranges.items()},
            "vocab_size": draw.randint(30, 90), "pad_token_id": 0,
            "bos_token_id": 0, "eos_token_id": 0,
            "decoder_start_token_id": 0}
