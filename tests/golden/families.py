#!/usr/bin/env python3
"""Records two small models of each family that came behind the first ones.

usage: families.py DIRECTORY [PATTERN]

A configuration is drawn from a seed that is the family's name, so that a new
family changes no other's. What is there already is not made again. With
PATTERN, only the families whose name has it.
"""

import json
import os
import random
import sys

import torch

import normalise
import record

ROUTES = (("dispatch", "meta", "prefill"), ("dispatch", "meta", "decode"),
          ("dispatch", "cpu", "prefill"), ("dispatch", "cpu", "decode"),
          ("export", "meta", "prefill"), ("compile", "meta", "prefill"),
          ("onnx", "meta", "prefill"))
# PyTorch has no ONNX for the count of tokens of an expert.
NO_ONNX = ROUTES[:-1]


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


def mixtral(draw, number):
    return experts(
        draw, decoder(draw, "mixtral", "MixtralForCausalLM"),
        num_local_experts=draw.randint(3, 6),
        sliding_window=(None, 4)[number])


def qwen_experts(draw, config, **more):
    return experts(draw, config, num_experts=draw.randint(3, 9),
                   moe_intermediate_size=8 * draw.randint(1, 4), **more)


def qwen2_moe(draw, number):
    config = qwen_experts(
        draw, decoder(draw, "qwen2_moe", "Qwen2MoeForCausalLM"),
        shared_expert_intermediate_size=draw.randint(9, 40),
        norm_topk_prob=number == 0)
    if number == 0:
        return {**config, "use_sliding_window": True, "sliding_window": 4,
                "num_hidden_layers": 3, "decoder_sparse_step": 2}
    return {**config, "qkv_bias": False}


def qwen3_moe(draw, number):
    config = qwen_experts(
        draw, decoder(draw, "qwen3_moe", "Qwen3MoeForCausalLM"),
        norm_topk_prob=number == 0, head_dim=2 * draw.randint(2, 9))
    if number == 0:
        return {**config, "mlp_only_layers": [0]}
    return {**config, "use_sliding_window": True, "sliding_window": 4,
            "attention_bias": True}


# Each family: how one is drawn, the routes that PyTorch can capture, and the
# types of the two, where not any will do.
FAMILIES = {
    "mixtral": (mixtral, NO_ONNX, ("bf16", "bf16")),
    "qwen2_moe": (qwen2_moe, NO_ONNX, ("bf16", "bf16")),
    "qwen3_moe": (qwen3_moe, NO_ONNX, ("bf16", "bf16")),
}


def jobs_of(directory, family):
    make, routes, dtypes = FAMILIES[family]
    for number in range(2):
        draw = random.Random(f"{family} {number}")
        config = make(draw, number)
        batch, tokens = draw.choice((1, 2)), draw.choice((5, 6, 7))
        context = draw.randint(1, 9)
        dtype = draw.choice(("bf16", "f16", "f32"))
        place = f"{family}-{number}"
        os.makedirs(os.path.join(directory, place), exist_ok=True)
        with open(os.path.join(directory, place, "config.json"), "w") as f:
            json.dump(config, f, indent=1, sort_keys=True)
            f.write("\n")
        for route, device, phase in routes:
            yield record.Job(place, place, config, route, device, phase,
                             context if phase == "decode" else tokens, batch,
                             dtypes[number] if dtypes else dtype)


def main(directory, pattern=""):
    jobs = [job for family in sorted(FAMILIES)
            for job in jobs_of(directory, family)]
    for job in jobs:
        path = os.path.join(directory, job.path)
        if pattern not in job.path or os.path.exists(path):
            continue
        print(job.path, flush=True)
        record.write(path, "".join(normalise.lines(job.records())))
        torch._dynamo.reset()
    record.manifest(directory, jobs)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
