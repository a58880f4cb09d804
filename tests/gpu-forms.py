#!/usr/bin/env python3
"""The route gpu against the eager one, and closed forms of what differs.

usage: gpu-forms.py draw COUNT SEED    configurations and a list of runs
       gpu-forms.py check <COUNTED     of each run the trace of the route gpu,
                                       then that of the route dispatch

Where a kernel does the arithmetic of the eager route its multiply-adds are the
same; what it does otherwise is a form here. Parameters, the bytes that are read
of them and the shape of the result are the same always. What the cache holds
behind the call, and what attention reads, are forms of their own.
"""

import importlib.util
import json
import math
import os
import random
import sys

here = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location(
    "forms", os.path.join(here, "model-state-forms.py"))
forms = importlib.util.module_from_spec(spec)
spec.loader.exec_module(forms)

ITEM = forms.ITEM
FAMILIES = forms.LATENT + forms.DELTA
STATE = 4  # bytes of a number of a state


def draw(count, seed):
    rnd = random.Random(seed)
    n = 0
    with open("runs.tsv", "w") as runs, open("drawn.json", "w") as drawn:
        while n < count:
            c, run = forms.draw_one(rnd)
            if c["model_type"] not in FAMILIES:
                continue
            with open(f"config-{n:04}.json", "w") as f:
                json.dump(c, f)
            size = f"--decode {run['context']}" if run["context"] else \
                f"--tokens {run['tokens']}"
            runs.write(f"config-{n:04}.json --batch {run['batch']} "
                       f"--dtype {run['dtype']} --kept cache {size}\n")
            drawn.write(json.dumps([c, run]) + "\n")
            n += 1


class Other:
    """What a run has on the route gpu: multiply-adds more than on the eager
    one, bytes of the cache behind it, and what its attention reads."""

    def __init__(self, dtype):
        self.macs = self.cache = self.read = 0
        self.e = ITEM[dtype]


def attention(o, run, h, kv, D):
    """Of heads over those of keys, which lie in the cache."""
    B, T, S = run["batch"], run["tokens"], run["tokens"] + run["context"]
    o.cache += 2 * B * S * kv * D * o.e
    o.read += B * (T * h + 2 * S * kv) * D * o.e


def state(o, run, bytes_):
    """What is held, which a call behind others reads and leaves anew."""
    o.cache += run["batch"] * bytes_ * (2 if run["context"] else 1)


def convolution(o, run, channels, size):
    """PyTorch's own convolves what it pads with, too, and of a decode what
    is kept before the token as well."""
    eager = run["tokens"] + size - 1
    if run["context"]:
        eager = 2
    elif run["tokens"] < size:
        eager = 2 * size - 1
    o.macs += run["batch"] * channels * size * (run["tokens"] - eager)
    state(o, run, channels * (size - 1) * o.e)


def delta_layer(o, c, run, i):
    if c["layer_types"][i] == "full_attention":
        attention(o, run, c["num_attention_heads"], c["num_key_value_heads"],
                  c["head_dim"])
        return
    heads, Dk, Dv = (c[f"linear_{k}"] for k in
                     ("num_value_heads", "key_head_dim", "value_head_dim"))
    channels = 2 * c["linear_num_key_heads"] * Dk + heads * Dv
    convolution(o, run, channels, c["linear_conv_kernel_dim"])
    state(o, run, heads * Dk * Dv * STATE)


def latent_layer(o, c, run, i):
    B, T, S = run["batch"], run["tokens"], run["tokens"] + run["context"]
    h, rank = c["num_attention_heads"], c["kv_lora_rank"]
    rope, nope, v = (c[k] for k in
                     ("qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim"))
    sparse = c["model_type"] in forms.LATENT[2:]
    o.cache += B * S * (rank + rope) * o.e
    if c["model_type"] == "deepseek_v32" or \
            c.get("indexer_types", ["shared"] * 9)[i] == "full":
        o.cache += B * S * c["index_head_dim"] * o.e
    if not sparse and not run["context"]:
        # Flash attention over the keys of each head, whose rotated part all
        # of them share.
        o.read += B * T * (2 * h * nope + (h + 1) * rope + h * v) * o.e
        return
    keys = min(c["index_topk"], S) if sparse else S
    o.macs += B * T * h * (rank * (nope + v) + keys * (2 * rank + rope))
    o.macs -= B * h * (S * rank * (nope + v) + T * S * (nope + rope + v))
    o.read += B * (T * h + min(T * keys, S)) * (rank + rope) * o.e


def other(c, run):
    o = Other(run["dtype"])
    for i in range(c["num_hidden_layers"]):
        if c["model_type"] in forms.LATENT:
            latent_layer(o, c, run, i)
        else:
            delta_layer(o, c, run, i)
    return o


def traces(lines):
    """What each trace of the stream sums up to."""
    for line in lines:
        r = json.loads(line)
        if r["kind"] == "trace":
            t = {"params": r["params"], "macs": 0, "weights": 0, "read": 0}
            kept = {}
        elif r["kind"] == "op":
            if r["category"] == "unknown" or "unresolved" in r:
                sys.exit(f"{r['name']} is not counted")
            for x in r["inputs"] + r["outputs"]:
                if x is not None and x.get("kept"):
                    kept[x["tid"]] = x["itemsize"] * math.prod(x["shape"])
            t["macs"] += r.get("macs", 0)
            t["weights"] += r.get("weight_bytes", 0)
            if r["category"] == "attention":
                # Indices are read, too, and are no part of the cache.
                t["read"] += r["bytes_read"] - sum(
                    x["itemsize"] * math.prod(x["shape"])
                    for x in r["inputs"] if x and x["dtype"] == "i32")
            t["shape"] = r["outputs"][0]["shape"] if r["outputs"] else None
        elif r["kind"] == "end":
            t["cache"] = sum(kept.values())
            yield t


def check():
    with open("drawn.json") as f:
        drawn = [json.loads(line) for line in f]
    found = list(traces(sys.stdin))
    if len(found) != 2 * len(drawn):
        sys.exit(f"{len(found)} traces, expected {2 * len(drawn)}")
    for (c, run), gpu, eager in zip(drawn, found[::2], found[1::2]):
        o = other(c, run)
        want = dict(eager, macs=eager["macs"] + o.macs, cache=o.cache,
                    read=o.read)
        if any(gpu[key] != want[key] for key in want):
            sys.exit(f"{c}\n{run}\ngot  {gpu}\nwant {want}")
    print(len(drawn))


if __name__ == "__main__":
    if sys.argv[1] == "draw":
        draw(int(sys.argv[2]), int(sys.argv[3]))
    else:
        check()
