#!/usr/bin/env python3
"""Closed forms of a decoder with SwiGLU against the traces of sf-model.

usage: model-forms.py draw COUNT SEED    configurations and a list of runs
       model-forms.py check <COUNTED     the traces of that list, in its order

The frame is tests/forms.py. The forms know nothing of operators.
"""

import math
from fractions import Fraction

import forms as frame


def divisors(n):
    return [k for k in range(1, n + 1) if n % k == 0]


EXPERTS = ("mixtral", "qwen2_moe", "qwen3_moe")


def draw_experts(rnd, config):
    """Sizes that PyTorch's grouped product takes."""
    config["hidden_size"] = 8 * rnd.randint(1, 20)
    config["head_dim"] = 2 * rnd.randint(1, 20)
    config["intermediate_size"] = 8 * rnd.randint(1, 50)
    experts = rnd.randint(1, 40)
    config["num_experts_per_tok"] = rnd.randint(1, min(experts, 8))
    if config["model_type"] == "mixtral":
        config["num_local_experts"] = experts
        return
    config["num_experts"] = experts
    config["moe_intermediate_size"] = 8 * rnd.randint(1, 20)
    config["norm_topk_prob"] = rnd.random() < 0.5
    config["decoder_sparse_step"] = rnd.choice([1, 1, 2])
    config["mlp_only_layers"] = rnd.choice([[], [], [0], [1, 2]])
    if config["model_type"] == "qwen2_moe":
        config["shared_expert_intermediate_size"] = rnd.randint(1, 200)


def draw_config(rnd):
    heads = rnd.choice([1, 2, 3, 4, 5, 6, 7, 8, 12, 16])
    config = {
        "model_type": rnd.choice(["llama", "llama", "mistral", "qwen2",
                                  "mixtral", "qwen2_moe", "qwen3_moe"]),
        "hidden_size": heads * rnd.choice([2, 4, 6, 8, 16, 64]),
        "intermediate_size": rnd.randint(1, 400),
        "num_hidden_layers": rnd.randint(1, 3),
        "num_attention_heads": heads,
        "num_key_value_heads": rnd.choice(divisors(heads)),
        "vocab_size": rnd.randint(1, 3000),
        "tie_word_embeddings": rnd.random() < 0.5,
    }
    if rnd.random() < 0.3:
        config["head_dim"] = rnd.choice([2, 6, 10, 32, 130])
    if config["model_type"] == "llama":
        config["attention_bias"] = rnd.random() < 0.3
        config["mlp_bias"] = rnd.random() < 0.3
    if config["model_type"] in ("mistral", "mixtral"):
        config["sliding_window"] = rnd.choice([None, 4, 16, 4096])
    if config["model_type"].startswith("qwen"):
        config["use_sliding_window"] = rnd.random() < 0.5
        config["sliding_window"] = rnd.choice([4, 16, 4096])
        config["max_window_layers"] = rnd.randint(0, 3)
    if config["model_type"] in EXPERTS:
        draw_experts(rnd, config)
    return config


def draw_run(rnd, config):
    route = rnd.choice(["meta", "cpu", "export", "compile", "onnx"])
    run = {"route": route, "batch": rnd.choice([1, 1, 2, 5]),
           "dtype": rnd.choice(list(frame.ITEM)), "tokens": rnd.randint(1, 70),
           "context": 0, "routing": "balanced"}
    if config["model_type"] in EXPERTS:
        run["routing"] = rnd.choice(["balanced", "worst"])
        if route == "onnx":
            run["route"] = route = "compile"
        if route in ("meta", "cpu"):
            run["dtype"] = "bf16"
    if route in ("meta", "cpu") and rnd.random() < 0.4:
        run.update(tokens=1, context=rnd.randint(1, 70))
    return run


def options(config, run):
    words = frame.options(config, run)
    if run["routing"] != "balanced":
        words += f" --routing {run['routing']}"
    return words


def windows(c):
    """The window of each layer, None for all tokens."""
    layers, window = c["num_hidden_layers"], c.get("sliding_window")
    if c["model_type"] in ("mistral", "mixtral"):
        return [window] * layers
    if not c.get("use_sliding_window"):
        return [None] * layers
    last = c["max_window_layers"]
    return [window if {"qwen2": i >= last, "qwen3_moe": True,
                       "qwen2_moe": i < last and i % 2 == 0}[c["model_type"]]
            else None for i in range(layers)]


class Experts:
    """E experts of width f, k of them a token's, and one of width shared."""

    def __init__(self, E, k, f, shared):
        self.E, self.k, self.f, self.shared = E, k, f, shared

    def distinct(self, tokens, routing):
        if routing == "worst":
            return min(self.E, self.k * tokens)
        return self.E * (1 - (1 - Fraction(self.k, self.E)) ** tokens)


def experts(c, layer):
    k = c.get("num_experts_per_tok")
    if c["model_type"] == "mixtral":
        return Experts(c["num_local_experts"], k, c["intermediate_size"], 0)
    if k is None or (layer + 1) % c["decoder_sparse_step"] or \
            layer in c["mlp_only_layers"]:
        return None
    return Experts(c["num_experts"], k, c["moe_intermediate_size"],
                   c.get("shared_expert_intermediate_size", 0))


class Sizes:
    """The letters that the forms are written in."""

    def __init__(self, c):
        self.L, self.d = c["num_hidden_layers"], c["hidden_size"]
        self.h, self.kv = c["num_attention_heads"], c["num_key_value_heads"]
        self.f, self.V = c["intermediate_size"], c["vocab_size"]
        self.D = c.get("head_dim") or self.d // self.h
        self.tied = c["tie_word_embeddings"]
        self.windows = windows(c)
        self.norms = 2 * self.d
        if c["model_type"] == "qwen3_moe":
            self.norms += 2 * self.D
        self.moe = [experts(c, i) for i in range(self.L)]
        wide = self.h * self.D + 2 * self.kv * self.D
        # Biases of a layer, and those that a token is given.
        self.bias = wide if c["model_type"] in ("qwen2", "qwen2_moe") else 0
        if c.get("attention_bias"):
            self.bias += wide + self.d
        if c.get("mlp_bias"):
            self.bias += 2 * self.f + self.d

    def products(self):
        """P: parameters that every token is multiplied with."""
        attention = 2 * self.d * self.h * self.D + \
            2 * self.d * self.kv * self.D
        return self.L * attention + self.V * self.d + \
            sum(self.mlp(e, e.k if e else 0) for e in self.moe)

    def mlp(self, e, count):
        """Of a layer's MLP, with COUNT of its experts."""
        if not e:
            return 3 * self.d * self.f
        return 3 * self.d * (e.f * count + e.shared) + \
            self.d * (e.E + (e.shared != 0))

    def parameters(self):
        table = 0 if self.tied else self.V * self.d
        idle = sum(3 * self.d * e.f * (e.E - e.k) for e in self.moe if e)
        return self.products() + idle + table + self.other()

    def other(self):
        """Norms and biases."""
        return self.L * (self.norms + self.bias) + self.d

    def read(self, tokens, routing, item):
        """Bytes of the experts' weights that are read, beyond those of the
        experts that every token is multiplied with."""
        more = 0
        for e in filter(None, self.moe):
            for size in (2 * e.f * self.d * item, e.f * self.d * item):
                left = (e.E - e.distinct(tokens, routing)) * size
                unread = math.floor(left + Fraction(1, 2))
                more += (e.E - e.k) * size - unread
        return more


def forms(config, run):
    s = Sizes(config)
    B, T, e = run["batch"], run["tokens"], frame.ITEM[run["dtype"]]
    keys = [min(run["context"] + T, w or math.inf) if run["context"] else T
            for w in s.windows]
    scores = B * T * sum(keys) * s.h
    folded = run["route"] == "onnx"
    fused = run["route"] == "cpu"
    matmul = 2 * s.products() * B * T
    if not folded:
        matmul += 2 * (s.D // 2) * T + B * T * s.L * s.bias
    return {
        "params": s.parameters(),
        "param_bytes": e * s.parameters(),
        "matmul": matmul + (0 if fused else 4 * scores * s.D),
        "attention": scores * (4 * s.D + 5) if fused else 0,
        "weight_bytes": e * (s.products() + B * T * s.d +
                             s.other()) +
        s.read(B * T, run["routing"], e),
    }


def draw_one(rnd):
    config = draw_config(rnd)
    return config, draw_run(rnd, config)


if __name__ == "__main__":
    frame.main(draw_one, options, forms)
