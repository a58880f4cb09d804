#!/usr/bin/env python3
"""Closed forms of towers, and of encoders with decoders, against sf-model.

usage: tower-forms.py draw COUNT SEED    configurations and a list of runs
       tower-forms.py check <COUNTED     the traces of that list, in its order

As model-forms.py does of decoders: parameters and multiply-adds of what sf-rules
counted are those of forms that know nothing of operators.
"""

import forms as frame

ROUTES = ["--device meta", "--device cpu", "--route export",
          "--route compile", "--route onnx"]


def draw_tower(rnd, kind):
    heads, patch = rnd.randint(1, 6), rnd.randint(1, 6)
    return {"model_type": kind, "hidden_size": heads * rnd.randint(1, 30),
            "intermediate_size": rnd.randint(1, 99),
            "num_hidden_layers": rnd.randint(1, 3),
            "num_attention_heads": heads, "patch_size": patch,
            "image_size": patch * rnd.randint(1, 5) + rnd.randrange(patch),
            "num_channels": rnd.randint(1, 4)}


def draw_text(rnd):
    config = draw_tower(rnd, "clip_text_model")
    return {**config, "vocab_size": rnd.randint(5, 99), "eos_token_id": 4,
            "max_position_embeddings": rnd.randint(40, 90)}


def draw_clip(rnd):
    return {"model_type": "clip", "projection_dim": rnd.randint(1, 40),
            "text_config": draw_text(rnd),
            "vision_config": draw_tower(rnd, "clip_vision_model")}


def draw_vit(rnd):
    config = draw_tower(rnd, "vit")
    if rnd.random() < 0.5:
        return {**config, "num_labels": rnd.randint(1, 50),
                "architectures": ["ViTForImageClassification"]}
    return {**config, "pooler_output_size": rnd.randint(1, 50),
            "qkv_bias": rnd.random() < 0.5}


def draw_t5(rnd):
    return {"model_type": "t5", "d_model": rnd.randint(1, 80),
            "d_ff": rnd.randint(1, 99), "d_kv": rnd.randint(1, 20),
            "num_layers": rnd.randint(1, 3), "num_heads": rnd.randint(1, 5),
            "num_decoder_layers": rnd.randint(1, 3),
            "vocab_size": rnd.randint(1, 300),
            "relative_attention_num_buckets": rnd.choice((4, 8, 32)),
            "feed_forward_proj": rnd.choice(("relu", "gated-gelu"))}


def draw_whisper(rnd):
    return {"model_type": "whisper", "d_model": 12 * rnd.randint(1, 6),
            "encoder_layers": rnd.randint(1, 3),
            "decoder_layers": rnd.randint(1, 3),
            "encoder_attention_heads": rnd.choice((1, 2, 3, 4, 6)),
            "decoder_attention_heads": rnd.choice((1, 2, 3, 4, 6)),
            "encoder_ffn_dim": rnd.randint(1, 99),
            "decoder_ffn_dim": rnd.randint(1, 99),
            "max_source_positions": rnd.randint(1, 60),
            "max_target_positions": rnd.randint(60, 90),
            "num_mel_bins": rnd.randint(1, 20),
            "vocab_size": rnd.randint(1, 300),
            "tie_word_embeddings": rnd.random() < 0.5}


DRAW = {"vit": draw_vit, "clip": draw_clip, "t5": draw_t5,
        "whisper": draw_whisper}


def draw_run(rnd, config):
    run = {"route": rnd.choice(ROUTES), "batch": rnd.choice((1, 1, 2, 5)),
           "dtype": rnd.choice(("bf16", "f32")), "tokens": 0, "context": 0,
           "source": 0, "image": False, "audio": 0}
    kind = config["model_type"]
    if kind == "clip":
        run["image"] = rnd.random() < 0.6
        run["tokens"] = rnd.randint(1, 30) if rnd.random() < 0.6 or \
            not run["image"] else 0
    if kind in ("t5", "whisper"):
        run["tokens"] = rnd.randint(1, 30)
        if run["route"].startswith("--device") and rnd.random() < 0.4:
            run.update(tokens=0, context=rnd.randint(1, 30))
        if kind == "t5" and rnd.random() < 0.5:
            run["source"] = rnd.randint(1, 30)
        elif kind == "whisper" and not run["context"] and \
                rnd.random() < 0.5:
            run.update(audio=rnd.randint(1, 3),
                       tokens=rnd.choice((0, run["tokens"])))
    return run


def options(config, run):
    words = [run["route"], "--batch", run["batch"], "--dtype", run["dtype"]]
    if run["image"]:
        size = config["vision_config"]["image_size"]
        words += ["--image", f"{size}x{size}"]
    for name, key in (("--tokens", "tokens"), ("--decode", "context"),
                      ("--source", "source"), ("--audio", "audio")):
        words += [name, run[key]] if run[key] else []
    return " ".join(map(str, words))


def draw_one(rnd):
    config = DRAW[rnd.choice(sorted(DRAW))](rnd)
    return config, draw_run(rnd, config)


class Form:
    """Parameters and multiply-adds so far."""

    def __init__(self):
        self.params = self.macs = 0

    def linear(self, rows, width, out, bias=True):
        self.params += width * out + (out if bias else 0)
        self.macs += rows * width * out

    def scores(self, batch, q, k, width):
        """Queries times keys, and that times values."""
        self.macs += 2 * batch * q * k * width


def layers_of(form, config, batch, n, bias=True):
    """Attention and MLP, each behind a norm, of N rows a sequence."""
    d, f = config["hidden_size"], config["intermediate_size"]
    for _ in range(config["num_hidden_layers"]):
        for has in (bias, bias, bias, True):
            form.linear(batch * n, d, d, has)
        form.scores(batch, n, n, d)
        form.linear(batch * n, d, f)
        form.linear(batch * n, f, d)
        form.params += 4 * d


def see(form, config, batch):
    """What CLIP and ViT do with patches; the rows there are."""
    d, p = config["hidden_size"], config["patch_size"]
    n = (config["image_size"] // p) ** 2
    vit = config["model_type"] == "vit"
    form.linear(batch * n, config["num_channels"] * p * p, d, vit)
    form.params += d + (n + 1) * d + (2 if vit else 4) * d
    layers_of(form, config, batch, n + 1, config.get("qkv_bias", True))


def form_vit(config, run):
    form = Form()
    see(form, config, run["batch"])
    out = config.get("num_labels") or config["pooler_output_size"]
    form.linear(run["batch"], config["hidden_size"], out)
    return form


def form_clip(config, run):
    form, batch, p = Form(), run["batch"], config["projection_dim"]
    text, vision = config["text_config"], config["vision_config"]
    if run["image"]:
        see(form, vision, batch)
        form.linear(batch, vision["hidden_size"], p, False)
    if run["tokens"]:
        d = text["hidden_size"]
        form.params += (text["vocab_size"] +
                        text["max_position_embeddings"] + 2) * d
        layers_of(form, text, batch, run["tokens"])
        form.linear(batch, d, p, False)
    if run["image"] and run["tokens"]:
        form.params += 1
        form.macs += batch * batch * p
    return form


def read(form, batch, n, d, q, f, parts, first_bias):
    """A layer of T5's encoder, or the part of its decoder that is alike."""
    for _ in range(3):
        form.linear(batch * n, d, q, False)
    form.linear(batch * n, q, d, False)
    for _ in range(parts):
        form.linear(batch * n, d, f, False)
    form.linear(batch * n, f, d, False)
    form.params += 2 * d + first_bias


def form_t5(config, run):
    form, c, batch = Form(), config, run["batch"]
    d, f, q = c["d_model"], c["d_ff"], c["num_heads"] * c["d_kv"]
    parts = 2 if c["feed_forward_proj"].startswith("gated") else 1
    bias = c["relative_attention_num_buckets"] * c["num_heads"]
    past = run["context"]
    tokens = 1 if past else run["tokens"]
    source = run["source"] or past or tokens
    encoded = 0 if past else source
    for i in range(c["num_layers"]):
        read(form, batch, encoded, d, q, f, parts, 0 if i else bias)
        form.scores(batch, encoded, encoded, q)
    for i in range(c["num_decoder_layers"]):
        read(form, batch, tokens, d, q, f, parts, 0 if i else bias)
        form.scores(batch, tokens, past + tokens, q)
        form.linear(batch * tokens, d, q, False)
        form.linear(batch * tokens, q, d, False)
        for _ in range(2):
            form.linear(batch * encoded, d, q, False)
        form.scores(batch, tokens, source, q)
        form.params += d
    form.params += 2 * d
    form.linear(batch * tokens, d, c["vocab_size"], False)
    return form


def attend(form, batch, n, keys, d):
    """Whisper's projections: q, k and v, and of what they give."""
    for rows, bias in ((n, True), (keys, False), (keys, True), (n, True)):
        form.linear(batch * rows, d, d, bias)
    form.params += 2 * d


def feed(form, batch, n, d, f):
    form.linear(batch * n, d, f)
    form.linear(batch * n, f, d)
    form.params += 2 * d


def form_whisper(config, run):
    form, c = Form(), config
    d, source = c["d_model"], c["max_source_positions"]
    batch = run["batch"] * (-(-50 * run["audio"] // source) or 1)
    past = run["context"]
    heard = 0 if past else source
    form.linear(batch * 2 * heard, 3 * c["num_mel_bins"], d)
    form.linear(batch * heard, 3 * d, d)
    form.params += source * d + 2 * d
    for _ in range(c["encoder_layers"]):
        attend(form, batch, heard, heard, d)
        form.scores(batch, heard, heard, d)
        feed(form, batch, heard, d, c["encoder_ffn_dim"])
    if run["audio"] and not run["tokens"]:
        return form
    tokens = 1 if past else run["tokens"]
    form.params += c["max_target_positions"] * d + 2 * d
    for _ in range(c["decoder_layers"]):
        attend(form, batch, tokens, tokens, d)
        form.scores(batch, tokens, past + tokens, d)
        attend(form, batch, tokens, heard, d)
        form.scores(batch, tokens, source, d)
        feed(form, batch, tokens, d, c["decoder_ffn_dim"])
    form.linear(batch * tokens, d, c["vocab_size"], False)
    if not c["tie_word_embeddings"]:
        form.params += c["vocab_size"] * d
    return form


FORMS = {"vit": form_vit, "clip": form_clip, "t5": form_t5,
         "whisper": form_whisper}


def wanted(config, run):
    form = FORMS[config["model_type"]](config, run)
    return {"params": form.params, "macs": form.macs}


if __name__ == "__main__":
    frame.main(draw_one, options, wanted)
