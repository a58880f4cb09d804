#!/usr/bin/env python3
"""Closed forms of latents, states and compressed caches, against sf-model.

usage: model-state-forms.py draw COUNT SEED    configurations and a list of runs
       model-state-forms.py check <COUNTED     the traces of it, in its order

As model-forms.py, for families whose layers are no more attention and an MLP.
The forms know nothing of operators: of each layer, the parameters that a token
is multiplied with, those that it is not, and the products that have none.
"""

import forms as frame

CHUNK = 64  # of the gated delta rule
LATENT = ("deepseek_v2", "deepseek_v3", "deepseek_v32", "glm_moe_dsa")
SPACES = ("mamba", "falcon_mamba", "mamba2")
DELTA = ("qwen3_next", "qwen3_5_text", "qwen3_5_moe_text")
FAMILIES = LATENT + SPACES + DELTA + ("nemotron_h", "deepseek_v4")


def chunks(n, size):
    return -(-n // size)


class Sum:
    """What layers come to: a token's products and the bias of these, other
    parameters, and FLOPs of products without parameters."""

    def __init__(self):
        self.products = self.bias = self.other = self.idle = self.flops = 0
        self.attention = self.cache = 0


# ---- drawing ----

def draw_latent(rnd, c):
    heads = rnd.randint(1, 6)
    c.update(num_attention_heads=heads, num_key_value_heads=heads,
             hidden_size=8 * rnd.randint(1, 12),
             intermediate_size=rnd.randint(1, 90),
             q_lora_rank=rnd.randint(2, 30), kv_lora_rank=rnd.randint(2, 30),
             qk_nope_head_dim=rnd.randint(1, 20),
             qk_rope_head_dim=2 * rnd.randint(1, 6),
             v_head_dim=rnd.randint(1, 20),
             attention_bias=rnd.random() < 0.3,
             first_k_dense_replace=rnd.randint(0, 2),
             n_group=1, topk_group=1)
    draw_experts(rnd, c, "n_routed_experts")
    c["n_shared_experts"] = rnd.randint(1, 3)
    if c["model_type"] in LATENT[:2] and rnd.random() < 0.3:
        c["q_lora_rank"] = None
    if c["model_type"] in LATENT[2:]:
        c.update(index_n_heads=rnd.randint(1, 5), index_topk=rnd.randint(1, 40),
                 index_head_dim=c["qk_rope_head_dim"] + rnd.randint(0, 9))
    if c["model_type"] == "glm_moe_dsa":
        c["indexer_types"] = ["full"] + [
            rnd.choice(["full", "shared"])
            for _ in range(c["num_hidden_layers"] - 1)]


def draw_experts(rnd, c, key):
    c[key] = rnd.randint(2, 20)
    c["num_experts_per_tok"] = rnd.randint(1, min(c[key], 6))
    c["moe_intermediate_size"] = 8 * rnd.randint(1, 9)


def draw_space(rnd, c):
    c.update(hidden_size=rnd.randint(2, 60), state_size=rnd.randint(1, 20),
             conv_kernel=rnd.randint(2, 5), use_bias=rnd.random() < 0.3,
             use_conv_bias=rnd.random() < 0.5, expand=rnd.choice([1, 2, 3]))
    if c["model_type"] != "mamba2":
        c["time_step_rank"] = rnd.randint(1, 9)
        return
    c["num_heads"], c["head_dim"] = rnd.choice([2, 4, 6]), rnd.randint(1, 9)
    c["n_groups"] = rnd.choice([1, 2])
    c["hidden_size"] = c["num_heads"] * c["head_dim"]
    c["expand"] = 1
    c["chunk_size"] = rnd.randint(2, 20)


def draw_delta(rnd, c):
    kv = rnd.randint(1, 3)
    c.update(hidden_size=8 * rnd.randint(1, 12), num_key_value_heads=kv,
             num_attention_heads=kv * rnd.randint(1, 3),
             head_dim=8 * rnd.randint(1, 4),
             intermediate_size=rnd.randint(1, 90),
             linear_num_key_heads=rnd.randint(1, 3),
             linear_key_head_dim=rnd.randint(1, 20),
             linear_value_head_dim=rnd.randint(1, 20),
             linear_conv_kernel_dim=rnd.randint(2, 5))
    c["linear_num_value_heads"] = c["linear_num_key_heads"] * rnd.randint(1, 3)
    c["layer_types"] = [rnd.choice(["linear_attention", "full_attention"])
                        for _ in range(c["num_hidden_layers"])]
    if c["model_type"] == "qwen3_5_text":
        return
    draw_experts(rnd, c, "num_experts")
    c["shared_expert_intermediate_size"] = rnd.randint(1, 60)


def draw_nemotron(rnd, c):
    kv = rnd.randint(1, 3)
    groups = rnd.choice([1, 2])
    c.update(hidden_size=8 * rnd.randint(1, 12), n_groups=groups,
             num_key_value_heads=kv, num_attention_heads=kv * rnd.randint(1, 3),
             head_dim=rnd.randint(1, 20), intermediate_size=rnd.randint(1, 90),
             mamba_num_heads=groups * rnd.randint(1, 4),
             mamba_head_dim=rnd.randint(1, 9),
             ssm_state_size=rnd.randint(1, 20),
             chunk_size=rnd.randint(2, 20), conv_kernel=rnd.randint(2, 5),
             moe_latent_size=rnd.choice([None, 8 * rnd.randint(1, 4)]),
             moe_shared_expert_intermediate_size=rnd.randint(1, 60),
             hybrid_override_pattern="".join(
                 rnd.choice("M*-E") for _ in range(c["num_hidden_layers"])))
    del c["num_hidden_layers"]
    draw_experts(rnd, c, "n_routed_experts")


def draw_compressed(rnd, c):
    groups = rnd.choice([1, 2])
    c.update(hidden_size=8 * rnd.randint(1, 12), head_dim=8 * rnd.randint(1, 4),
             num_attention_heads=groups * rnd.randint(1, 3), o_groups=groups,
             o_lora_rank=rnd.randint(1, 20), q_lora_rank=rnd.randint(1, 20),
             qk_rope_head_dim=2 * rnd.randint(1, 3), hc_mult=rnd.randint(2, 4),
             hc_sinkhorn_iters=2, num_hash_layers=0,
             index_n_heads=rnd.randint(1, 4),
             index_head_dim=6 + 2 * rnd.randint(0, 3),
             index_topk=rnd.randint(1, 9), sliding_window=rnd.randint(2, 20),
             compress_ratios=[rnd.choice([0, 4, 128])
                              for _ in range(c["num_hidden_layers"])])
    draw_experts(rnd, c, "n_routed_experts")


def draw_one(rnd):
    c = {"model_type": rnd.choice(FAMILIES), "vocab_size": rnd.randint(1, 500),
         "num_hidden_layers": rnd.randint(1, 3),
         "tie_word_embeddings": rnd.random() < 0.5}
    if c["model_type"] in LATENT:
        draw_latent(rnd, c)
    elif c["model_type"] in SPACES:
        draw_space(rnd, c)
    elif c["model_type"] in DELTA:
        draw_delta(rnd, c)
    elif c["model_type"] == "nemotron_h":
        draw_nemotron(rnd, c)
    else:
        draw_compressed(rnd, c)
    run = {"route": rnd.choice(["meta", "cpu"]),
           "batch": rnd.choice([1, 2, 3]),
           "tokens": rnd.randint(2, 30), "context": 0,
           "dtype": "bf16" if "num_experts_per_tok" in c
           else rnd.choice(list(frame.ITEM))}
    if rnd.random() < 0.4:
        run.update(tokens=1, context=rnd.randint(1, 40))
    return c, run


# ---- parts of layers ----

def experts(s, c, E, width, shared, matrices=3):
    """Those of a token, a router's, and one that is there for all."""
    k, m = c["num_experts_per_tok"], c["moe_intermediate_size"]
    d = c["hidden_size"]
    s.products += d * E + matrices * (k * width * m + d * shared)
    s.idle += matrices * (E - k) * width * m


def scores(s, run, rows, keys, heads, size, value):
    """Attention of heads, whose values may be of another size."""
    n = run["batch"] * rows * keys * heads
    if run["route"] == "cpu" and size == value:
        s.attention += n * (4 * size + 5)
    else:
        s.flops += 2 * n * (size + value)


def frequencies(s, size, tokens, rows=1):
    s.flops += 2 * (size // 2) * tokens * rows


def indexer(s, c, run, keys):
    d, qr = c["hidden_size"], c["q_lora_rank"]
    n, size = c["index_n_heads"], c["index_head_dim"]
    s.products += qr * n * size + d * size + d * n
    s.other += 2 * size
    s.flops += 2 * run["batch"] * run["tokens"] * n * (size + 1) * keys
    s.cache += size


def latent_layer(s, c, run, i):
    B, T = run["batch"], run["tokens"]
    S = T + run["context"]
    d, h, kvr = c["hidden_size"], c["num_attention_heads"], c["kv_lora_rank"]
    rope, nope, v = (c[k] for k in
                     ("qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim"))
    qr = c["q_lora_rank"]
    biased = c["attention_bias"]
    wide = h * (nope + rope)
    s.products += d * wide if qr is None else d * qr + qr * wide
    s.products += d * (kvr + rope) + h * v * d
    s.bias += biased * ((qr or 0) + kvr + rope + d)
    s.other += 2 * d + (qr or 0) + kvr
    # Keys and values are made of the latents of all tokens.
    s.other += kvr * h * (nope + v)
    s.flops += 2 * B * S * kvr * h * (nope + v)
    s.cache += kvr + rope
    if c["model_type"] == "deepseek_v32" or \
            c.get("indexer_types", ["shared"] * 9)[i] == "full":
        indexer(s, c, run, S)
    scores(s, run, T, S, h, nope + rope, v)
    if i < c["first_k_dense_replace"]:
        s.products += 3 * d * c["intermediate_size"]
    else:
        experts(s, c, c["n_routed_experts"], d,
                c["n_shared_experts"] * c["moe_intermediate_size"])


def convolution(s, run, channels, size, bias):
    """Of each channel by itself: padded, after what a cache is filled with if
    there is one, or of what it has and a token."""
    s.other += channels * (size + bias)
    tokens = run["tokens"]
    if run["route"] == "meta":
        tokens = max(tokens, size)
    n = 2 if run["context"] else tokens + size - 1
    s.flops += run["batch"] * channels * n * (2 * size + bias)


def mamba_layer(s, c, run):
    d, N, R = c["hidden_size"], c["state_size"], c["time_step_rank"]
    inner = c["expand"] * d
    s.products += d * 2 * inner + inner * (R + 2 * N) + R * inner + inner * d
    rows = run["batch"] * run["tokens"]
    s.bias += c["use_bias"] * 2 * inner
    s.other += inner * (N + 2) + d + c["use_bias"] * d
    # Where what is multiplied lies apart, the bias is added by itself.
    s.flops += c["use_bias"] * d * rows * (run["tokens"] == 1)
    convolution(s, run, inner, c["conv_kernel"], c["use_conv_bias"])
    s.flops += 2 * run["batch"] * run["tokens"] * inner * N


def mamba2_mixer(s, c, run, heads, size, N):
    d, groups, inner = c["hidden_size"], c["n_groups"], heads * size
    conv, biased = inner + 2 * groups * N, c.get("use_bias", False)
    s.products += d * (inner + conv + heads) + inner * d
    s.bias += biased * (inner + conv + heads + d)
    s.other += 3 * heads + inner + d
    convolution(s, run, conv, c["conv_kernel"], c.get("use_conv_bias", True))
    rows = run["batch"] * heads
    if run["context"]:
        s.flops += 2 * rows * size * N
        return
    k, n = c["chunk_size"], chunks(run["tokens"], c["chunk_size"])
    # Within chunks, of chunks, from chunk to chunk, and back.
    s.flops += 2 * rows * n * (k * k * N + k * k * size + 2 * k * size * N)
    s.flops += 2 * rows * (n + 1) ** 2 * size * N


def delta_layer(s, c, run, i):
    d, T = c["hidden_size"], run["tokens"]
    s.other += 2 * d
    if c["layer_types"][i] == "full_attention":
        h, kv, D = (c[k] for k in ("num_attention_heads",
                                   "num_key_value_heads", "head_dim"))
        s.products += d * (3 * h + 2 * kv) * D
        s.other += 2 * D
        scores(s, run, T, T + run["context"], h, D, D)
    else:
        heads = c["linear_num_value_heads"]
        Dk, Dv = c["linear_key_head_dim"], c["linear_value_head_dim"]
        K, V = c["linear_num_key_heads"] * Dk, heads * Dv
        s.products += d * (2 * K + 2 * V + 2 * heads) + V * d
        s.other += 2 * heads + Dv
        convolution(s, run, 2 * K + V, c["linear_conv_kernel_dim"], False)
        if not run["context"]:
            n = run["batch"] * heads * chunks(T, CHUNK)
            s.flops += n * CHUNK ** 2 * (4 * Dk + Dk + Dv + 2 * Dv)
            s.flops += n * 6 * CHUNK * Dk * Dv
    if "num_experts" in c:
        experts(s, c, c["num_experts"], d,
                c["shared_expert_intermediate_size"])
        s.products += d
    else:
        s.products += 3 * d * c["intermediate_size"]


def nemotron_layer(s, c, run, kind):
    d = c["hidden_size"]
    if kind == "M":
        mamba2_mixer(s, c, run, c["mamba_num_heads"], c["mamba_head_dim"],
                     c["ssm_state_size"])
        return
    s.other += d
    if kind == "*":
        h, D = c["num_attention_heads"], c["head_dim"]
        s.products += 2 * d * (h + c["num_key_value_heads"]) * D
        scores(s, run, run["tokens"], run["tokens"] + run["context"], h, D, D)
    elif kind == "-":
        s.products += 2 * d * c["intermediate_size"]
    else:
        w = c["moe_latent_size"]
        experts(s, c, c["n_routed_experts"], w or d,
                c["moe_shared_expert_intermediate_size"], matrices=2)
        s.products += 2 * d * (w or 0)


def compressor(s, c, run, rate, size):
    """One entry for so many tokens; how many there are comes back."""
    width = 2 * size if rate == 4 else size
    s.products += 2 * c["hidden_size"] * width
    s.other += rate * width + size
    S = run["tokens"] + run["context"]
    new = S // rate - run["context"] // rate
    frequencies(s, c["qk_rope_head_dim"], new, run["batch"])
    return S // rate


def compressed_layer(s, c, run, ratio):
    B, T, d = run["batch"], run["tokens"], c["hidden_size"]
    h, D, qr, streams = (c[k] for k in ("num_attention_heads", "head_dim",
                                        "q_lora_rank", "hc_mult"))
    s.products += d * qr + qr * h * D + d * D + \
        h * D * c["o_lora_rank"] + c["o_groups"] * c["o_lora_rank"] * d
    s.other += 2 * d + qr + D + h
    mixes = 2 * streams + streams ** 2
    s.products += 2 * streams * d * mixes
    s.other += 2 * (mixes + 3)
    s.flops += 2 * 2 * B * T * streams ** 2 * d
    keys = min(run["context"] + 1, c["sliding_window"]) if run["context"] else T
    if ratio:
        entries = compressor(s, c, run, ratio, D)
        keys += entries
    if ratio == 4:
        n, size = c["index_n_heads"], c["index_head_dim"]
        frequencies(s, c["qk_rope_head_dim"], T)
        compressor(s, c, run, ratio, size)
        s.products += qr * n * size + d * n
        s.flops += 2 * B * T * n * size * entries
    # With sinks, attention is written out.
    scores(s, dict(run, route="meta"), T, keys, h, D, D)
    experts(s, c, c["n_routed_experts"], d, c["moe_intermediate_size"])


def whole(c, run):
    s, T, d = Sum(), run["tokens"], c["hidden_size"]
    kind = c["model_type"]
    if kind in LATENT:
        frequencies(s, c["qk_rope_head_dim"], T)
    elif kind == "qwen3_next":
        frequencies(s, c["head_dim"] // 4, T)
    elif kind in DELTA:
        frequencies(s, c["head_dim"] // 4, T, 3 * run["batch"])
    elif kind == "deepseek_v4":
        frequencies(s, c["qk_rope_head_dim"], 2 * T)
        s.products += c["hc_mult"] ** 2 * d
        s.other += c["hc_mult"] + 1
    for i in range(c.get("num_hidden_layers") or
                   len(c["hybrid_override_pattern"])):
        if kind in LATENT:
            latent_layer(s, c, run, i)
        elif kind == "mamba2":
            mamba2_mixer(s, c, run, c["num_heads"], c["head_dim"],
                         c["state_size"])
        elif kind in SPACES:
            mamba_layer(s, c, run)
        elif kind in DELTA:
            delta_layer(s, c, run, i)
        elif kind == "nemotron_h":
            nemotron_layer(s, c, run, c["hybrid_override_pattern"][i])
        else:
            compressed_layer(s, c, run, c["compress_ratios"][i])
    return s


def forms(c, run):
    s, e = whole(c, run), frame.ITEM[run["dtype"]]
    rows = run["batch"] * run["tokens"]
    table = c["vocab_size"] * c["hidden_size"]
    params = s.products + s.bias + s.other + s.idle + c["hidden_size"] + \
        table * (1 if c["tie_word_embeddings"] else 2)
    want = {"params": params,
            "matmul": 2 * rows * (s.products + table) + rows * s.bias + s.flops,
            "attention": s.attention}
    if c["model_type"] in LATENT and run["context"]:
        want["cache"] = run["batch"] * (run["context"] + 1) * s.cache * e
    return want


if __name__ == "__main__":
    frame.main(draw_one, frame.options, forms)
