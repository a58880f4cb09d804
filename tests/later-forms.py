#!/usr/bin/env python3
"""Closed forms of the families of tests/model-later.bats against sf-model.

usage: later-forms.py draw COUNT SEED    configurations and a list of runs
       later-forms.py check <COUNTED     the traces of that list, in its order

As model-forms.py: parameters and multiply-adds, of linear layers, of scores and
of angles, without a word of operators.
"""

import math

import forms as frame


class Form:
    """What a model comes to for ROWS tokens."""

    def __init__(self, rows):
        self.rows, self.params, self.macs = rows, 0, 0

    def linear(self, width, out, bias=False, rows=None, times=1):
        """TIMES as many products; a matrix is counted once."""
        self.params += width * out + (out if bias else 0)
        self.macs += times * (self.rows if rows is None else rows) \
            * width * out

    def norm(self, width, bias=True):
        self.params += width * (2 if bias else 1)

    def scores(self, batch, heads, size, queries, keys, values=None):
        self.macs += batch * heads * queries * keys * (size + (values or size))

    def head(self, width, vocabulary, tied, bias=False):
        """The table and what makes logits of states."""
        self.linear(width, vocabulary, bias)
        if not tied:
            self.params += width * vocabulary


# ---- decoders ----

def small(rnd, family, **more):
    heads = rnd.choice((2, 3, 4, 6))
    return heads, {"model_type": family, "vocab_size": rnd.randint(5, 99),
                   "tie_word_embeddings": rnd.random() < 0.5, **more}


def draw_falcon(rnd):
    heads, c = small(rnd, "falcon", num_hidden_layers=rnd.randint(1, 3))
    c.update(hidden_size=heads * 2 * rnd.randint(1, 16),
             num_attention_heads=heads, bias=rnd.random() < 0.5,
             ffn_hidden_size=rnd.randint(1, 99))
    kind = rnd.randrange(3)
    if kind == 0:
        return {**c, "new_decoder_architecture": True,
                "num_ln_in_parallel_attn": rnd.choice((1, 2)),
                "num_kv_heads": rnd.choice([k for k in range(1, heads + 1)
                                            if heads % k == 0])}
    return {**c, "multi_query": kind == 1, "alibi": rnd.random() < 0.5,
            "parallel_attn": rnd.random() < 0.5}


def form_falcon(c, run):
    B, T, keys = run["batch"], run["tokens"], run["context"] + run["tokens"]
    d, h, bias = c["hidden_size"], c["num_attention_heads"], c["bias"]
    D, f = d // h, c["ffn_hidden_size"]
    form = Form(B * T)
    new = c.get("new_decoder_architecture", False)
    kv = c["num_kv_heads"] if new else 1 if c["multi_query"] else h
    for _ in range(c["num_hidden_layers"]):
        form.linear(d, d + 2 * kv * D, bias)
        form.linear(d, d, bias)
        form.linear(d, f, bias)
        form.linear(f, d, bias)
        form.scores(B, h, D, T, keys)
        two = c["num_ln_in_parallel_attn"] == 2 if new \
            else not c["parallel_attn"]
        form.norm(d * (2 if two else 1))
    form.norm(d)
    # Angles are made whether heads are turned or not.
    form.macs += T * D // 2
    form.head(d, c["vocab_size"], c["tie_word_embeddings"])
    return form


def draw_bloom(rnd):
    heads, c = small(rnd, "bloom", n_layer=rnd.randint(1, 3))
    return {**c, "hidden_size": heads * rnd.randint(1, 32), "n_head": heads}


def form_bloom(c, run):
    B, T, keys = run["batch"], run["tokens"], run["context"] + run["tokens"]
    d, h = c["hidden_size"], c["n_head"]
    form = Form(B * T)
    for _ in range(c["n_layer"]):
        form.linear(d, 3 * d, True)
        form.linear(d, d, True)
        form.linear(d, 4 * d, True)
        form.linear(4 * d, d, True)
        form.scores(B, h, d // h, T, keys)
        form.norm(2 * d)
    form.norm(2 * d)
    form.head(d, c["vocab_size"], c["tie_word_embeddings"])
    return form


def draw_gptj(rnd):
    heads, c = small(rnd, "gptj", n_layer=rnd.randint(1, 3))
    size = 2 * rnd.randint(1, 16)
    return {**c, "n_embd": heads * size, "n_head": heads, "n_positions": 64,
            "rotary_dim": 2 * rnd.randint(1, size // 2),
            "n_inner": rnd.randint(1, 99)}


def form_gptj(c, run):
    B, T, keys = run["batch"], run["tokens"], run["context"] + run["tokens"]
    d, h, f = c["n_embd"], c["n_head"], c["n_inner"]
    form = Form(B * T)
    for _ in range(c["n_layer"]):
        for _ in range(4):
            form.linear(d, d)
        form.linear(d, f, True)
        form.linear(f, d, True)
        form.scores(B, h, d // h, T, keys)
        form.norm(d)
    form.norm(d)
    form.head(d, c["vocab_size"], c["tie_word_embeddings"], True)
    return form


def draw_phimoe(rnd):
    heads, c = small(rnd, "phimoe", num_hidden_layers=rnd.randint(1, 3))
    kv = rnd.choice([k for k in range(1, heads + 1) if heads % k == 0])
    c.update(hidden_size=heads * 8 * rnd.randint(1, 3),
             intermediate_size=8 * rnd.randint(1, 6),
             num_attention_heads=heads, num_key_value_heads=kv,
             num_local_experts=rnd.randint(2, 9), num_experts_per_tok=2,
             attention_bias=rnd.random() < 0.5,
             lm_head_bias=rnd.random() < 0.5)
    if rnd.random() < 0.5:
        c["sliding_window"] = rnd.randint(2, 20)
    return c


def visible(run, window):
    """Keys that a call sees: a cache with a window shows no more than that
    and the call's own."""
    if run["context"] and window:
        return min(run["context"], window - 1) + run["tokens"]
    return run["context"] + run["tokens"]


def form_phimoe(c, run):
    B, T = run["batch"], run["tokens"]
    d, h, kv = (c["hidden_size"], c["num_attention_heads"],
                c["num_key_value_heads"])
    D, bias, f = d // h, c["attention_bias"], c["intermediate_size"]
    form = Form(B * T)
    for _ in range(c["num_hidden_layers"]):
        for width in (h, kv, kv):
            form.linear(d, width * D, bias)
        form.linear(h * D, d, bias)
        E = c["num_local_experts"]
        form.linear(d, E)
        form.params += 3 * (E - 1) * d * f
        form.linear(d, 3 * f, times=2)
        form.scores(B, h, D, T, visible(run, c.get("sliding_window")))
        form.norm(2 * d)
    form.norm(d)
    form.macs += T * D // 2
    form.head(d, c["vocab_size"], c["tie_word_embeddings"], c["lm_head_bias"])
    return form


def draw_mimo(rnd):
    heads, c = small(rnd, "mimo_v2_flash", num_hidden_layers=rnd.randint(1, 8))
    heads = rnd.choice((2, 4, 6))
    size = rnd.choice((6, 12, 13, 18, 24))
    return {**c, "hidden_size": 8 * rnd.randint(1, 6),
            "num_attention_heads": heads, "intermediate_size":
                rnd.randint(1, 60),
            "num_key_value_heads": rnd.choice((1, heads // 2)),
            "head_dim": size, "v_head_dim": rnd.randint(1, 16),
            "n_routed_experts": rnd.randint(3, 6), "num_experts_per_tok": 2,
            "moe_intermediate_size": 8 * rnd.randint(1, 4),
            "attention_bias": rnd.random() < 0.5,
            "sliding_window": rnd.randint(2, 20)}


def form_mimo(c, run):
    B, T = run["batch"], run["tokens"]
    d, h, D, V = (c["hidden_size"], c["num_attention_heads"], c["head_dim"],
                  c["v_head_dim"])
    bias, E, f = (c["attention_bias"], c["n_routed_experts"],
                  c["moe_intermediate_size"])
    form = Form(B * T)
    near = [i != 0 and (i + 1) % 6 != 0 for i in range(c["num_hidden_layers"])]
    for i, slides in enumerate(near):
        kv = c["num_key_value_heads"] * (2 if slides else 1)
        form.linear(d, h * D, bias)
        form.linear(d, kv * D, bias)
        form.linear(d, kv * V, bias)
        form.linear(h * V, d)
        form.scores(B, h, D, T,
                    visible(run, c["sliding_window"] if slides else 0), V)
        if slides:
            form.params += h
        if i == 0:
            form.linear(d, 3 * c["intermediate_size"])
        else:
            form.linear(d, E)
            form.params += 3 * (E - 1) * d * f
            form.linear(d, 3 * f, times=2)
        form.norm(2 * d, False)
    form.norm(d, False)
    form.macs += len(set(near)) * T * (int(D * 0.334) // 2)
    form.head(d, c["vocab_size"], c["tie_word_embeddings"])
    return form


def draw_internlm2(rnd):
    heads, c = small(rnd, "internlm2", num_hidden_layers=rnd.randint(1, 3))
    return {**c, "hidden_size": heads * 2 * rnd.randint(1, 16),
            "intermediate_size": rnd.randint(1, 99),
            "num_attention_heads": heads, "bias": rnd.random() < 0.5,
            "num_key_value_heads": rnd.choice(
                [k for k in range(1, heads + 1) if heads % k == 0])}


def form_internlm2(c, run):
    B, T, keys = run["batch"], run["tokens"], run["context"] + run["tokens"]
    d, h, kv = (c["hidden_size"], c["num_attention_heads"],
                c["num_key_value_heads"])
    D = d // h
    form = Form(B * T)
    for _ in range(c["num_hidden_layers"]):
        form.linear(d, d + 2 * kv * D, c["bias"])
        form.linear(d, d, c["bias"])
        form.linear(d, 3 * c["intermediate_size"])
        form.scores(B, h, D, T, keys)
        form.norm(2 * d, False)
    form.norm(d, False)
    form.macs += T * D // 2
    form.head(d, c["vocab_size"], c["tie_word_embeddings"])
    return form


# ---- encoders ----

def draw_encoder(rnd, family, base, kinds):
    heads = rnd.choice((1, 2, 3, 4))
    kind = rnd.choice(kinds)
    return {"model_type": family, "hidden_size": heads * 2 * rnd.randint(1, 9),
            "num_attention_heads": heads, "vocab_size": rnd.randint(5, 99),
            "intermediate_size": rnd.randint(1, 60),
            "num_hidden_layers": rnd.randint(1, 6),
            "max_position_embeddings": 64, "num_labels": rnd.randint(1, 5),
            "tie_word_embeddings": rnd.random() < 0.5,
            "architectures": [base + kind]}


MLM, SEQUENCE, TOKENS = ("ForMaskedLM", "ForSequenceClassification",
                         "ForTokenClassification")


def ends(form, c, B, width, pools, dense, spare=True):
    """A head, or what the base model has: a pooler when it POOLS."""
    kind, d = c["architectures"][0], c["hidden_size"]
    table = c["vocab_size"] * width
    if kind.endswith(MLM):
        form.linear(d, width, True)
        form.norm(width)
        form.head(width, c["vocab_size"], c["tie_word_embeddings"], True)
        if spare and not c["tie_word_embeddings"]:
            form.params += c["vocab_size"]
        return form
    form.params += table
    if kind.endswith(SEQUENCE):
        form.linear(d, d, True, rows=B)
        form.linear(d, c["num_labels"], True, rows=B)
    elif kind.endswith(TOKENS):
        form.linear(d, c["num_labels"], True)
    elif pools:
        form.linear(d, d, True, rows=B)
    return form


def bert_layer(form, c, run):
    d, f = c["hidden_size"], c["intermediate_size"]
    for _ in range(4):
        form.linear(d, d, True)
    form.linear(d, f, True)
    form.linear(f, d, True)
    form.scores(run["batch"], c["num_attention_heads"],
                d // c["num_attention_heads"], run["tokens"], run["tokens"])
    form.norm(2 * d)


def draw_albert(rnd):
    c = draw_encoder(rnd, "albert", "Albert", ("Model", MLM, SEQUENCE, TOKENS))
    return {**c, "embedding_size": rnd.randint(1, 30),
            "num_hidden_groups": rnd.randint(1, c["num_hidden_layers"]),
            "inner_group_num": rnd.randint(1, 2)}


def form_albert(c, run):
    form, e = Form(run["batch"] * run["tokens"]), c["embedding_size"]
    groups, inner = c["num_hidden_groups"], c["inner_group_num"]
    bert_layer(form, c, run)
    form.macs *= c["num_hidden_layers"] * inner
    form.params *= groups * inner
    form.params += (c["max_position_embeddings"] + 2) * e
    form.norm(e)
    form.linear(e, c["hidden_size"], True)
    return ends(form, c, run["batch"], e, True, True)


def form_mpnet(c, run):
    form, d = Form(run["batch"] * run["tokens"]), c["hidden_size"]
    for _ in range(c["num_hidden_layers"]):
        bert_layer(form, c, run)
    form.params += c["max_position_embeddings"] * d + \
        32 * c["num_attention_heads"]
    form.norm(d)
    return ends(form, c, run["batch"], d, True, True)


def form_nomic(c, run):
    B, T = run["batch"], run["tokens"]
    d, h = c["hidden_size"], c["num_attention_heads"]
    form = Form(B * T)
    for _ in range(c["num_hidden_layers"]):
        for _ in range(4):
            form.linear(d, d)
        form.linear(d, 3 * c["intermediate_size"])
        form.scores(B, h, d // h, T, T)
        form.norm(2 * d)
    form.params += 2 * d
    form.norm(d)
    form.macs += T * (d // h // 2)
    return ends(form, c, B, d, False, True)


def draw_modern(rnd):
    c = draw_encoder(rnd, "modernbert", "ModernBert",
                     ("Model", MLM, SEQUENCE, TOKENS))
    return {**c, "local_attention": 2 * rnd.randint(1, 12),
            "global_attn_every_n_layers": rnd.randint(1, 4),
            **{key: rnd.random() < 0.5
               for key in ("attention_bias", "mlp_bias", "norm_bias",
                           "classifier_bias", "decoder_bias")}}


def form_modern(c, run):
    B, T = run["batch"], run["tokens"]
    d, h, f = (c["hidden_size"], c["num_attention_heads"],
               c["intermediate_size"])
    form, bias = Form(B * T), c["norm_bias"]
    for i in range(c["num_hidden_layers"]):
        form.linear(d, 3 * d, c["attention_bias"])
        form.linear(d, d, c["attention_bias"])
        form.linear(d, 2 * f, c["mlp_bias"])
        form.linear(f, d, c["mlp_bias"])
        form.scores(B, h, d // h, T, T)
        form.norm(d * (1 if i == 0 else 2), bias)
    form.norm(2 * d, bias)
    kinds = {i % c["global_attn_every_n_layers"] != 0
             for i in range(c["num_hidden_layers"])}
    form.macs += len(kinds) * T * (d // h // 2)
    kind = c["architectures"][0]
    if kind.endswith("Model"):
        form.params += c["vocab_size"] * d
        return form
    one = B if kind.endswith(SEQUENCE) else B * T
    form.linear(d, d, c["classifier_bias"], rows=one)
    form.norm(d, bias)
    if kind.endswith(MLM):
        form.head(d, c["vocab_size"], c["tie_word_embeddings"],
                  c["decoder_bias"])
        return form
    form.params += c["vocab_size"] * d
    form.linear(d, c["num_labels"], True, rows=one)
    return form


# ---- towers ----

def draw_tower(rnd, family):
    heads, patch = rnd.randint(1, 4), rnd.randint(1, 5)
    return {"model_type": family, "hidden_size": heads * rnd.randint(1, 16),
            "num_attention_heads": heads, "patch_size": patch,
            "image_size": patch * rnd.randint(1, 5), "num_labels": 3,
            "intermediate_size": rnd.randint(1, 60),
            "num_hidden_layers": rnd.randint(1, 3),
            "num_channels": rnd.randint(1, 3)}


def tower(c, run, own, tokens, bias=True):
    """The embedding of the patches, OWN tokens beside them, and layers."""
    d, h, f = (c["hidden_size"], c["num_attention_heads"],
               c["intermediate_size"])
    patches = (c["image_size"] // c["patch_size"]) ** 2
    B, T = run["batch"], patches + own
    form = Form(B * T)
    form.linear(c["num_channels"] * c["patch_size"] ** 2, d, True,
                rows=B * patches)
    form.params += T * d + own * d
    for _ in range(c["num_hidden_layers"]):
        for _ in range(3):
            form.linear(d, d, bias)
        form.linear(d, d, True)
        if c.get("use_swiglu_ffn"):
            form.linear(d, f, True)
        form.linear(d, f, True)
        form.linear(f, d, True)
        form.scores(B, h, d // h, T, T)
        form.norm(2 * d)
    form.norm(d)
    return form


def draw_deit(rnd):
    return {**draw_tower(rnd, "deit"), "qkv_bias": rnd.random() < 0.5,
            "architectures": ["DeiT" + rnd.choice(
                ("Model", "ForImageClassification"))]}


def form_deit(c, run):
    form, d = tower(c, run, 2, 0, c["qkv_bias"]), c["hidden_size"]
    model = c["architectures"][0] == "DeiTModel"
    form.linear(d, d if model else 3, True, rows=run["batch"])
    return form


def draw_dinov2(rnd):
    c = {**draw_tower(rnd, "dinov2"), "qkv_bias": rnd.random() < 0.5,
         "use_swiglu_ffn": rnd.random() < 0.5,
         "use_mask_token": rnd.random() < 0.5, "mlp_ratio": rnd.randint(1, 4),
         "architectures": ["Dinov2" + rnd.choice(
             ("Model", "ForImageClassification"))]}
    del c["intermediate_size"]
    return c


def form_dinov2(c, run):
    d = c["hidden_size"]
    wide = d * c["mlp_ratio"]
    if c["use_swiglu_ffn"]:
        wide = math.ceil(int(wide * 2 / 3) / 8) * 8
    form = tower({**c, "intermediate_size": wide}, run, 1, 0, c["qkv_bias"])
    form.params += 2 * d * c["num_hidden_layers"]
    form.params += d if c["use_mask_token"] else 0
    if c["architectures"][0] != "Dinov2Model":
        form.linear(2 * d, 3, True, rows=run["batch"])
    return form


def form_siglip(c, run):
    d, h, B = c["hidden_size"], c["num_attention_heads"], run["batch"]
    patches = (c["image_size"] // c["patch_size"]) ** 2
    form = tower(c, run, 0, 0)
    if not c["vision_use_head"]:
        return form
    # A token that asks of all patches, the same of all images.
    form.params += d
    form.linear(d, d, True, rows=B)
    form.linear(d, 2 * d, True, rows=B * patches)
    form.linear(d, d, True, rows=B)
    form.scores(B, h, d // h, 1, patches)
    form.norm(d)
    form.linear(d, c["intermediate_size"], True, rows=B)
    form.linear(c["intermediate_size"], d, True, rows=B)
    return form


FAMILIES = {
    "falcon": (draw_falcon, form_falcon),
    "bloom": (draw_bloom, form_bloom),
    "gptj": (draw_gptj, form_gptj),
    "phimoe": (draw_phimoe, form_phimoe),
    "mimo_v2_flash": (draw_mimo, form_mimo),
    "internlm2": (draw_internlm2, form_internlm2),
    "albert": (draw_albert, form_albert),
    "mpnet": (lambda rnd: draw_encoder(
        rnd, "mpnet", "MPNet", ("Model", MLM, SEQUENCE, TOKENS)), form_mpnet),
    "nomic_bert": (lambda rnd: draw_encoder(
        rnd, "nomic_bert", "NomicBert", ("Model", MLM, SEQUENCE, TOKENS)),
        form_nomic),
    "modernbert": (draw_modern, form_modern),
    "deit": (draw_deit, form_deit),
    "dinov2": (draw_dinov2, form_dinov2),
    "siglip_vision_model": (lambda rnd: {
        **draw_tower(rnd, "siglip_vision_model"),
        "vision_use_head": rnd.random() < 0.7}, form_siglip),
}
DECODERS = ("falcon", "bloom", "gptj", "phimoe", "mimo_v2_flash", "internlm2")
TOWERS = ("deit", "dinov2", "siglip_vision_model")


def draw_one(rnd):
    family = rnd.choice(sorted(FAMILIES))
    c = FAMILIES[family][0](rnd)
    run = {"batch": rnd.randint(1, 3), "tokens": rnd.randint(1, 30),
           "context": 0, "route": rnd.choice(("meta", "cpu", "export")),
           "dtype": rnd.choice(list(frame.ITEM))}
    if "experts" in str(c):
        run["dtype"] = "bf16"
    if family in DECODERS and run["route"] != "export" and rnd.random() < 0.5:
        run.update(tokens=1, context=rnd.randint(1, 30))
    return c, run


def options(c, run):
    if c["model_type"] in TOWERS:
        return f"--batch {run['batch']} --dtype {run['dtype']} " + \
            frame.route_options(run)
    return frame.options(c, run)


def wanted(c, run):
    form = FAMILIES[c["model_type"]][1](c, run)
    return {"params": form.params, "macs": form.macs}


if __name__ == "__main__":
    frame.main(draw_one, options, wanted)
