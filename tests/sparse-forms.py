#!/usr/bin/env python3
"""Closed forms of decoders whose layers differ against the traces of sf-model.

usage: sparse-forms.py draw COUNT SEED    configurations and a list of runs
       sparse-forms.py check <COUNTED     the traces of that list, in its order

As model-forms.py, for families that have experts, windows, or both, and layers
that are not all alike: each layer is a row of sizes, of which the forms know
the parameters, those that a token is multiplied with, and the products. Biases
count where a product adds them.
"""

from dataclasses import dataclass

import forms as frame


@dataclass
class Layer:
    h: int       # heads
    kv: int      # of keys and values
    D: int       # size of one
    window: int = 0
    f: int = 0          # width of an MLP that all tokens go through
    E: int = 0          # experts, 0: none
    k: int = 0          # of a token
    ef: int = 0         # width of one
    shared: int = 0     # of those that all tokens go through
    bias: int = 0       # of products, that a token is given
    small: int = 0      # parameters that no product has: norms and others
    expert_bias: int = 0
    values: bool = True     # they have a product of their own
    own_kv: bool = True     # keys have one
    gates: int = 0          # products beside those: of d by so many
    input: int = 0          # width of the layer's part of the embeddings
    index: tuple = ()       # heads and size of an indexer

    def products(self, d, count):
        """Parameters of products, with COUNT of the experts."""
        n = 2 * d * self.h * self.D + d * self.gates
        if self.own_kv:
            n += (2 if self.values else 1) * d * self.kv * self.D
        if self.index:
            n += d * (self.index[0] + 1) * self.index[1]
        n += 3 * d * (self.f + self.shared) + 2 * d * self.input
        return n + 3 * d * self.ef * count + d * self.E

    def parameters(self, d):
        return self.products(d, self.E) + self.bias + self.small + \
            self.E * self.expert_bias

    def idle(self, d):
        return (self.E - self.k) * (3 * d * self.ef + self.expert_bias)


@dataclass
class Model:
    d: int
    V: int
    tied: bool
    layers: list
    ropes: list          # pairs of each rotary embedding
    eager: bool = False  # attention is written out on all devices
    per_position: int = 1
    other: int = 0       # parameters beside those of layers
    more: int = 0        # of products beside those

    def parameters(self):
        return sum(x.parameters(self.d) for x in self.layers) + self.d + \
            self.V * self.d * (1 if self.tied else 2) + self.other + self.more


# ---- families ----


def common(rnd, family, **more):
    heads = rnd.choice([2, 4, 8])
    return {
        "model_type": family, "hidden_size": 8 * rnd.randint(1, 12),
        "intermediate_size": 8 * rnd.randint(1, 30),
        "num_hidden_layers": rnd.randint(1, 5),
        "num_attention_heads": heads,
        "num_key_value_heads": heads // rnd.choice([1, 2]),
        "head_dim": 4 * rnd.randint(1, 12), "vocab_size": rnd.randint(9, 999),
        "tie_word_embeddings": rnd.random() < 0.5, **more}


def routed(rnd, **more):
    experts = rnd.randint(2, 20)
    return {"num_experts_per_tok": rnd.randint(1, min(experts, 4)),
            "num_local_experts": experts, **more}


def heads_of(c):
    return c["num_attention_heads"], c["num_key_value_heads"], c["head_dim"]


def draw_minimax_m2(rnd):
    return {**common(rnd, "minimax_m2"), **routed(rnd), "rotary_dim": 4}


def minimax_m2(c):
    h, kv, D = heads_of(c)
    d = c["hidden_size"]
    layer = Layer(h, kv, D, E=c["num_local_experts"],
                  k=c["num_experts_per_tok"], ef=c["intermediate_size"],
                  small=2 * d + (h + kv) * D)
    return Model(d, c["vocab_size"], c["tie_word_embeddings"],
                 [layer] * c["num_hidden_layers"], [2])


def draw_gpt_oss(rnd):
    return {**common(rnd, "gpt_oss"), **routed(rnd),
            "sliding_window": rnd.choice([4, 16, 128]),
            "attention_bias": rnd.random() < 0.5}


def gpt_oss(c):
    h, kv, D = heads_of(c)
    d, f = c["hidden_size"], c["intermediate_size"]
    bias = (h + 2 * kv) * D + d if c["attention_bias"] else 0
    layers = [Layer(h, kv, D, E=c["num_local_experts"],
                    k=c["num_experts_per_tok"], ef=f,
                    window=0 if i % 2 else c["sliding_window"],
                    bias=bias + c["num_local_experts"], small=2 * d + h,
                    expert_bias=2 * f + d)
              for i in range(c["num_hidden_layers"])]
    return Model(d, c["vocab_size"], c["tie_word_embeddings"], layers,
                 [D // 2], eager=True)


def draw_gemma3_text(rnd):
    return {**common(rnd, "gemma3_text"),
            "sliding_window": rnd.choice([4, 16, 128]),
            "sliding_window_pattern": rnd.randint(2, 4)}


def gemma3_text(c):
    h, kv, D = heads_of(c)
    d, every = c["hidden_size"], c["sliding_window_pattern"]
    layers = [Layer(h, kv, D, f=c["intermediate_size"],
                    window=c["sliding_window"] if (i + 1) % every else 0,
                    small=4 * d + 2 * D)
              for i in range(c["num_hidden_layers"])]
    types = len({bool(x.window) for x in layers})
    return Model(d, c["vocab_size"], c["tie_word_embeddings"], layers,
                 [D // 2] * types)


def draw_gemma4_text(rnd):
    c = {**common(rnd, "gemma4_text"), "num_hidden_layers": rnd.randint(4, 8),
         "sliding_window": rnd.choice([4, 16, 128]),
         "global_head_dim": 8 * rnd.randint(1, 8),
         "attention_k_eq_v": rnd.random() < 0.5,
         "num_global_key_value_heads": 1,
         "hidden_size_per_layer_input": rnd.choice([0, 3, 8]),
         "vocab_size_per_layer_input": rnd.randint(9, 99)}
    c["layer_types"] = [
        f"{rnd.choice(['sliding', 'full'])}_attention"
        for _ in range(c["num_hidden_layers"] - 1)] + ["full_attention"]
    c["layer_types"][:2] = ["sliding_attention", "full_attention"]
    if rnd.random() < 0.5:
        c.update(num_kv_shared_layers=rnd.randint(1, 2),
                 use_double_wide_mlp=rnd.random() < 0.5)
    if rnd.random() < 0.5:
        c.update(enable_moe_block=True, num_experts=5,
                 top_k_experts=rnd.randint(1, 5), moe_intermediate_size=16)
    return c


def gemma4_text(c):
    d, n = c["hidden_size"], c["num_hidden_layers"]
    first = n - c.get("num_kv_shared_layers", 0)
    width = c["hidden_size_per_layer_input"]
    layers = []
    for i, kind in enumerate(c["layer_types"]):
        h, kv, D = heads_of(c)
        full, own = kind == "full_attention", i < first
        equal = full and c["attention_k_eq_v"]
        if full:
            D = c["global_head_dim"]
        if equal:
            kv = c["num_global_key_value_heads"]
        x = Layer(h, kv, D, f=c["intermediate_size"], values=not equal,
                  window=0 if full else c["sliding_window"], own_kv=own,
                  input=width, small=4 * d + D + (D if own else 0) +
                  (d if width else 0))
        if not own and c.get("use_double_wide_mlp"):
            x.f *= 2
        if c.get("enable_moe_block"):
            x.E, x.k, x.ef = c["num_experts"], c["top_k_experts"], 16
            x.small += 4 * d + x.E
        layers.append(x)
    kinds = {x.window != 0: x.D // 2 for x in layers}
    return Model(d, c["vocab_size"], c["tie_word_embeddings"], layers,
                 list(kinds.values()), more=n * width * d,
                 other=n * width * c["vocab_size_per_layer_input"] + width)


def draw_glm4_moe(rnd):
    c = common(rnd, "glm4_moe", attention_bias=rnd.random() < 0.5,
               use_qk_norm=rnd.random() < 0.5)
    return {**c, "n_routed_experts": 12, "num_experts_per_tok": 3,
            "moe_intermediate_size": 8 * rnd.randint(1, 9),
            "n_shared_experts": rnd.randint(1, 2), "n_group": 2,
            "topk_group": 1, "first_k_dense_replace": rnd.randint(0, 2)}


def glm4_moe(c):
    h, kv, D = heads_of(c)
    d, f = c["hidden_size"], c["moe_intermediate_size"]
    layers = []
    for i in range(c["num_hidden_layers"]):
        x = Layer(h, kv, D, small=2 * d + (2 * D if c["use_qk_norm"] else 0),
                  bias=(h + 2 * kv) * D if c["attention_bias"] else 0)
        if i < c["first_k_dense_replace"]:
            x.f = c["intermediate_size"]
        else:
            x.E, x.k, x.ef = 12, 3, f
            x.shared = f * c["n_shared_experts"]
        layers.append(x)
    return Model(d, c["vocab_size"], c["tie_word_embeddings"], layers,
                 [int(D * 0.5) // 2])


def draw_step3p5(rnd):
    c = common(rnd, "step3p5", sliding_window=rnd.choice([4, 16]),
               attention_bias=rnd.random() < 0.5)
    heads, n = c["num_attention_heads"], c["num_hidden_layers"]
    return {**c, **routed(rnd), "n_routed_experts": 9,
            "num_experts_per_tok": rnd.randint(1, 9),
            "moe_intermediate_size": 8 * rnd.randint(1, 9),
            "share_expert_dim": rnd.randint(1, 90),
            "num_sliding_attention_heads": heads * rnd.randint(1, 2),
            "layer_types": [f"{rnd.choice(['sliding', 'full'])}_attention"
                            for _ in range(n)],
            "mlp_layer_types": [rnd.choice(["dense", "sparse"])
                                for _ in range(n)]}


def step3p5(c):
    layers = []
    d = c["hidden_size"]
    for kind, mlp in zip(c["layer_types"], c["mlp_layer_types"]):
        h, kv, D = heads_of(c)
        sliding = kind == "sliding_attention"
        if sliding:
            h = c["num_sliding_attention_heads"]
        x = Layer(h, kv, D, window=c["sliding_window"] if sliding else 0,
                  bias=(h + 2 * kv) * D + d if c["attention_bias"] else 0,
                  small=2 * d + 2 * D, gates=h)
        if mlp == "dense":
            x.f = c["intermediate_size"]
        else:
            x.E, x.k, x.ef = 9, c["num_experts_per_tok"], \
                c["moe_intermediate_size"]
            x.shared = c["share_expert_dim"]
        layers.append(x)
    types = len(set(c["layer_types"]))
    return Model(d, c["vocab_size"], c["tie_word_embeddings"], layers,
                 [c["head_dim"] // 2] * types)


def draw_minimax_m3(rnd):
    c = common(rnd, "minimax_m3", partial_rotary_factor=0.5)
    n = c["num_hidden_layers"]
    return {**c, **routed(rnd), "head_dim": 8,
            "dense_intermediate_size": rnd.randint(1, 90),
            "shared_intermediate_size": rnd.randint(1, 90),
            "moe_layer_freq": [rnd.randint(0, 1) for _ in range(n)],
            "sparse_attention_config": {
                "sparse_attention_freq": [rnd.randint(0, 1) for _ in range(n)],
                "sparse_num_index_heads": rnd.randint(1, 2),
                "sparse_index_dim": rnd.choice([4, 8]),
                "sparse_block_size": rnd.randint(1, 9),
                "sparse_topk_blocks": rnd.randint(1, 9)}}


def minimax_m3(c):
    h, kv, D = heads_of(c)
    d, own = c["hidden_size"], c["sparse_attention_config"]
    size = own["sparse_index_dim"]
    layers = []
    for moe, sparse in zip(c["moe_layer_freq"], own["sparse_attention_freq"]):
        x = Layer(h, kv, D, small=2 * d + 2 * D)
        if sparse:
            x.index = own["sparse_num_index_heads"], size
            x.small += 2 * size
        if moe:
            x.E, x.k = c["num_local_experts"], c["num_experts_per_tok"]
            x.ef, x.shared = c["intermediate_size"], \
                c["shared_intermediate_size"]
        else:
            x.f = c["dense_intermediate_size"]
        layers.append(x)
    return Model(d, c["vocab_size"], c["tie_word_embeddings"], layers, [2])


def draw_qwen3_vl_moe_text(rnd):
    c = common(rnd, "qwen3_vl_moe_text", attention_bias=rnd.random() < 0.5)
    return {**c, "num_experts": 8, "num_experts_per_tok": rnd.randint(1, 8),
            "moe_intermediate_size": 8 * rnd.randint(1, 9),
            "decoder_sparse_step": rnd.randint(1, 2)}


def qwen3_vl_moe_text(c):
    h, kv, D = heads_of(c)
    d = c["hidden_size"]
    layers = []
    for i in range(c["num_hidden_layers"]):
        x = Layer(h, kv, D, small=2 * d + 2 * D,
                  bias=(h + 2 * kv) * D + d if c["attention_bias"] else 0)
        if (i + 1) % c["decoder_sparse_step"]:
            x.f = c["intermediate_size"]
        else:
            x.E, x.k = 8, c["num_experts_per_tok"]
            x.ef = c["moe_intermediate_size"]
        layers.append(x)
    return Model(d, c["vocab_size"], c["tie_word_embeddings"], layers,
                 [D // 2], per_position=3)


FAMILIES = {
    "gemma3_text": (draw_gemma3_text, gemma3_text),
    "gemma4_text": (draw_gemma4_text, gemma4_text),
    "glm4_moe": (draw_glm4_moe, glm4_moe),
    "gpt_oss": (draw_gpt_oss, gpt_oss),
    "minimax_m2": (draw_minimax_m2, minimax_m2),
    "minimax_m3": (draw_minimax_m3, minimax_m3),
    "qwen3_vl_moe_text": (draw_qwen3_vl_moe_text, qwen3_vl_moe_text),
    "step3p5": (draw_step3p5, step3p5),
}


# ---- runs ----


def draw_run(rnd):
    route = rnd.choice(["meta", "cpu", "export", "compile"])
    run = {"route": route, "batch": rnd.choice([1, 1, 2, 5]), "context": 0,
           "dtype": "bf16", "tokens": rnd.randint(1, 60)}
    if route in ("meta", "cpu") and rnd.random() < 0.4:
        run.update(tokens=1, context=rnd.randint(1, 60))
    return run


def draw_one(rnd):
    make, _ = FAMILIES[rnd.choice(sorted(FAMILIES))]
    return make(rnd), draw_run(rnd)


def forms(config, run):
    m = FAMILIES[config["model_type"]][1](config)
    B, T, C = run["batch"], run["tokens"], run["context"]
    fused = run["route"] == "cpu" and not m.eager
    matmul = 2 * B * T * (m.V * m.d + m.more) + sum(
        2 * pairs * T * (B * 3 if m.per_position == 3 else 1)
        for pairs in m.ropes)
    attention = 0
    for x in m.layers:
        keys = C + T
        # What a sliding cache shows is no more than the window.
        if C and x.window:
            keys = min(keys, x.window)
        matmul += B * T * (2 * x.products(m.d, x.k) + x.bias)
        scores = B * T * keys * x.h
        if fused:
            attention += scores * (4 * x.D + 5)
        else:
            matmul += 4 * scores * x.D
        if x.index:
            matmul += 2 * B * T * (C + T) * x.index[0] * x.index[1]
    count, idle = m.parameters(), sum(x.idle(m.d) for x in m.layers)
    return {"params": count, "param_bytes": count * frame.ITEM[run["dtype"]],
            "active": count - idle if any(x.E for x in m.layers) else None,
            "matmul": matmul, "attention": attention}


if __name__ == "__main__":
    frame.main(draw_one, frame.options, forms)
