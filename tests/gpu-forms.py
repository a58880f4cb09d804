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

import importlib
import json
import math
import sys

sys.dont_write_bytecode = True  # beside the modules that are loaded

# Their names are of scripts: no statement imports them.
frame, forms, sparse, tower = map(importlib.import_module, (
    "forms", "model-state-forms", "sparse-forms", "tower-forms"))
FAMILIES = forms.LATENT + forms.DELTA + forms.SPACES + ("nemotron_h",)
STATE = 4  # bytes of a number of a state


def draw_llama4(rnd):
    c = {**sparse.common(rnd, "llama4_text"), **sparse.routed(rnd),
         "intermediate_size_mlp": rnd.randint(1, 60),
         "attention_chunk_size": rnd.randint(2, 20),
         "interleave_moe_layer_step": rnd.randint(1, 3),
         "no_rope_layer_interval": rnd.randint(2, 4)}
    return c


def draw_decoder(rnd):
    """A configuration and a run, of one of the modules' families or Llama 4."""
    kind = rnd.random()
    c, run = forms.draw_one(rnd)
    if kind < 0.15:
        return draw_llama4(rnd), dict(run, dtype="bf16")
    if kind < 0.4:
        make, _ = sparse.FAMILIES[rnd.choice(sorted(sparse.FAMILIES))]
        return make(rnd), dict(run, dtype="bf16")
    while c["model_type"] not in FAMILIES:
        c, run = forms.draw_one(rnd)
    return c, run


def draw_one(rnd):
    """The same, or a tower or an encoder with its decoder."""
    if rnd.random() < 0.2:
        c = tower.DRAW[rnd.choice(sorted(tower.DRAW))](rnd)
        return c, dict(tower.draw_run(rnd, c), route="")
    return draw_decoder(rnd)


def options(c, run):
    if c["model_type"] in tower.DRAW:
        return tower.options(c, run)
    return f"{frame.size_options(run)} --kept cache"


class Other:
    """What a run has on the route gpu: multiply-adds more than on the eager
    one, bytes of the cache behind it, and what its attention reads."""

    def __init__(self, dtype):
        self.macs = self.cache = self.read = self.weights = 0
        self.e = frame.ITEM[dtype]


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


def mamba_layer(o, c, run, _):
    """What states give is in the scan, which has no product."""
    inner, N = c["expand"] * c["hidden_size"], c["state_size"]
    convolution(o, run, inner, c["conv_kernel"])
    o.macs -= run["batch"] * run["tokens"] * inner * N
    state(o, run, inner * N * STATE)


def mamba2_mixer(o, c, run, heads, size, N):
    """B and C meet once a group, and states go on without a product."""
    convolution(o, run, heads * size + 2 * c["n_groups"] * N,
                c["conv_kernel"])
    state(o, run, heads * size * N * STATE)
    B, k, T = run["batch"], c["chunk_size"], run["tokens"]
    if run["context"]:
        o.macs -= B * heads * size * N
        # The eager route reads what a head has one of for each element.
        o.weights -= 2 * heads * (size - 1) * o.e
        return
    n = forms.chunks(T, k)
    o.macs += B * n * k * k * N * (c["n_groups"] - heads)
    o.macs -= B * heads * (n + 1) ** 2 * size * N


def space_layer(o, c, run, i):
    if c["model_type"] == "mamba2":
        mamba2_mixer(o, c, run, c["num_heads"], c["head_dim"],
                     c["state_size"])
    else:
        mamba_layer(o, c, run, i)


def nemotron_layer(o, c, run, i):
    kind = c["hybrid_override_pattern"][i]
    if kind == "M":
        mamba2_mixer(o, c, run, c["mamba_num_heads"], c["mamba_head_dim"],
                     c["ssm_state_size"])
    elif kind == "*":
        attention(o, run, *sparse.heads_of(c))


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


def llama4_layer(o, c, run, i):
    """Keys are those of the chunk; experts are those that tokens go to."""
    B, T, d = run["batch"], run["tokens"], c["hidden_size"]
    h, kv, D = sparse.heads_of(c)
    size, context = c["attention_chunk_size"], run["context"]
    eager = T + context
    if (i + 1) % c["no_rope_layer_interval"]:
        if context >= size:
            eager = size - 1 + T
        context %= size
    attention(o, dict(run, context=context), h, kv, D)
    o.macs += B * T * h * 2 * D * (T + context - eager)
    if (i + 1) % c["interleave_moe_layer_step"]:
        return
    E, k = c["num_local_experts"], c["num_experts_per_tok"]
    expert = 3 * d * c["intermediate_size"]
    o.macs -= B * T * expert * (E - k)
    o.weights -= expert * o.e * E * (1 - k / E) ** (B * T)


def other(c, run):
    """None of a family of which nothing differs."""
    o = Other(run["dtype"])
    if c["model_type"] in forms.LATENT:
        layer = latent_layer
    elif c["model_type"] in forms.DELTA:
        layer = delta_layer
    elif c["model_type"] in forms.SPACES:
        layer = space_layer
    elif c["model_type"] == "nemotron_h":
        layer = nemotron_layer
    elif c["model_type"] == "llama4_text":
        layer = llama4_layer
    else:
        return None
    for i in range(c.get("num_hidden_layers") or
                   len(c["hybrid_override_pattern"])):
        layer(o, c, run, i)
    return o


def reads_again(c):
    """Rows of a parameter for each token's experts, or for each two tokens,
    which PyTorch gathers."""
    return c["model_type"] in ("gpt_oss", "t5") or c.get("enable_moe_block")


def faults(c, run, gpu, eager):
    """What of the route gpu is not what it should be."""
    o = other(c, run)
    want = dict(eager)
    if o is None:
        del want["cache"], want["read"]
        if reads_again(c):
            del want["weights"]
        return [key for key in want if gpu[key] != want[key]]
    want.update(macs=eager["macs"] + o.macs, cache=o.cache, read=o.read)
    # What is read of the experts of a layer is to the nearest byte.
    less = eager["weights"] + o.weights - gpu["weights"]
    near = 2 * c["num_hidden_layers"] \
        if c["model_type"] == "llama4_text" else 0
    return [key for key in want if gpu[key] != want[key] and
            (key != "weights" or abs(less) > near)]


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
        bad = faults(c, run, gpu, eager)
        if bad:
            sys.exit(f"{c}\n{run}\n{bad} gpu {gpu}\neager {eager}")
    print(len(drawn))


if __name__ == "__main__":
    if sys.argv[1] == "draw":
        frame.draw(draw_one, options, int(sys.argv[2]), int(sys.argv[3]))
    else:
        check()
