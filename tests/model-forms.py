#!/usr/bin/env python3
"""Closed forms of a decoder with SwiGLU against the traces of sf-model.

usage: model-forms.py draw COUNT SEED    configurations and a list of runs
       model-forms.py check <COUNTED     the traces of that list, in its order

"draw" writes config-NNNN.json into the current directory, each with the line
of runs.tsv that tells its options. "check" sums what sf-rules counted and
compares with the forms, which know nothing of operators.
"""

import json
import random
import sys

ITEM = {"bf16": 2, "f16": 2, "f32": 4}


def divisors(n):
    return [k for k in range(1, n + 1) if n % k == 0]


def draw_config(rnd):
    heads = rnd.choice([1, 2, 3, 4, 5, 6, 7, 8, 12, 16])
    config = {
        "model_type": rnd.choice(["llama", "llama", "mistral", "qwen2"]),
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
    if config["model_type"] == "mistral":
        config["sliding_window"] = rnd.choice([None, 4, 16, 4096])
    return config


def draw_run(rnd):
    route = rnd.choice(["meta", "cpu", "export", "compile", "onnx"])
    run = {"route": route, "batch": rnd.choice([1, 1, 2, 5]),
           "dtype": rnd.choice(list(ITEM)), "tokens": rnd.randint(1, 70),
           "context": 0}
    if route in ("meta", "cpu") and rnd.random() < 0.4:
        run.update(tokens=1, context=rnd.randint(1, 70))
    return run


def options(run):
    words = ["--batch", run["batch"], "--dtype", run["dtype"]]
    words += ["--decode", run["context"]] if run["context"] else \
        ["--tokens", run["tokens"]]
    words += ["--device", run["route"]] if run["route"] in ("meta", "cpu") \
        else ["--route", run["route"]]
    return " ".join(map(str, words))


def draw(count, seed):
    rnd = random.Random(seed)
    with open("runs.tsv", "w") as runs, open("drawn.json", "w") as drawn:
        for i in range(count):
            config, run = draw_config(rnd), draw_run(rnd)
            with open(f"config-{i:04}.json", "w") as f:
                json.dump(config, f)
            runs.write(f"config-{i:04}.json {options(run)}\n")
            drawn.write(json.dumps([config, run]) + "\n")


class Sizes:
    """The letters that the forms are written in."""

    def __init__(self, c):
        self.L, self.d = c["num_hidden_layers"], c["hidden_size"]
        self.h, self.kv = c["num_attention_heads"], c["num_key_value_heads"]
        self.f, self.V = c["intermediate_size"], c["vocab_size"]
        self.D = c.get("head_dim") or self.d // self.h
        self.tied = c["tie_word_embeddings"]
        self.window = c.get("sliding_window")
        wide = self.h * self.D + 2 * self.kv * self.D
        # Biases of a layer, and those that a token is given.
        self.bias = wide if c["model_type"] == "qwen2" else 0
        if c.get("attention_bias"):
            self.bias += wide + self.d
        if c.get("mlp_bias"):
            self.bias += 2 * self.f + self.d

    def products(self):
        """P: parameters that every token is multiplied with."""
        layer = 2 * self.d * self.h * self.D + 2 * self.d * self.kv * self.D \
            + 3 * self.d * self.f
        return self.L * layer + self.V * self.d

    def parameters(self):
        table = 0 if self.tied else self.V * self.d
        return self.products() + table + (2 * self.L + 1) * self.d + \
            self.L * self.bias


def forms(config, run):
    s = Sizes(config)
    B, T, e = run["batch"], run["tokens"], ITEM[run["dtype"]]
    keys = run["context"] + T
    if run["context"] and s.window:
        keys = min(keys, s.window)
    scores = s.L * B * T * keys * s.h
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
                             (2 * s.L + 1) * s.d + s.L * s.bias),
    }


def traces(lines):
    """What each trace of the stream sums up to."""
    for line in lines:
        r = json.loads(line)
        if r["kind"] == "trace":
            t = {"params": r["params"]["count"],
                 "param_bytes": r["params"]["bytes"],
                 "matmul": 0, "attention": 0, "weight_bytes": 0}
        elif r["kind"] == "op":
            t["weight_bytes"] += r["weight_bytes"]
            if r["category"] in ("matmul", "attention"):
                t[r["category"]] += r["flops"]
            elif r["category"] == "unknown":
                sys.exit(f"{r['name']} has no rule")
        elif r["kind"] == "end":
            yield t


def check():
    with open("drawn.json") as f:
        drawn = [json.loads(line) for line in f]
    found = list(traces(sys.stdin))
    if len(found) != len(drawn):
        sys.exit(f"{len(found)} traces, expected {len(drawn)}")
    for (config, run), got in zip(drawn, found):
        want = forms(config, run)
        if got != want:
            sys.exit(f"{config}\n{run}\ngot  {got}\nwant {want}")
    print(len(found))


if __name__ == "__main__":
    if sys.argv[1] == "draw":
        draw(int(sys.argv[2]), int(sys.argv[3]))
    else:
        check()
