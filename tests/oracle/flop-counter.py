#!/usr/bin/env python3
"""FLOPs of products, held against PyTorch's own counter.

usage: flop-counter.py SF-RULES [SEED [N]]

Calls every formula of torch.utils.flop_counter's registry on N random shapes
and compares it with twice the macs that sf-rules counts. Ends with the number
of comparisons and status 0, 1 when one differs, 2 without a PyTorch.

Left out, and why: flex_attention, whose formula wants a score function and a
mask of blocks, not shapes alone; _efficient_attention_* without ends of
sequences, whose formula takes the heads of [B, L, H, D] for the length, unlike
that of _flash_attention_*; and the gradient of a weight in groups, which the
counter takes for one of all groups at once.
"""
import json
import random
import subprocess
import sys

try:
    import torch
    from torch.utils.flop_counter import flop_registry
except ImportError:
    print("no PyTorch")
    sys.exit(2)

DTYPES = {torch.float32: "f32", torch.int32: "i32", torch.bfloat16: "bf16"}


def meta(*shape):
    return torch.empty(shape, device="meta")


def matrices(r):
    return [r.randint(1, 9) for _ in range(3)]


def mm(r):
    m, k, n = matrices(r)
    return [meta(m, k), meta(k, n)], [meta(m, n)], {}


def addmm(r):
    args, outs, _ = mm(r)
    return [meta(outs[0].shape[1])] + args, outs, {}


def scaled_mm(r):
    args, outs, _ = mm(r)
    return args + [meta(), meta()], outs, {}


def bmm(r):
    m, k, n = matrices(r)
    b = r.randint(1, 5)
    return [meta(b, m, k), meta(b, k, n)], [meta(b, m, n)], {}


def baddbmm(r):
    args, outs, _ = bmm(r)
    return [meta(*outs[0].shape)] + args, outs, {}


def conv_shapes(r, groups=None):
    b, cin, cout = (r.randint(1, 4) for _ in range(3))
    groups = groups or r.randint(1, 3)
    k, size = r.randint(1, 3), r.randint(4, 8)
    x = meta(b, cin * groups, size, size)
    w = meta(cout * groups, cin, k, k)
    out = meta(b, cout * groups, size - k + 1, size - k + 1)
    return x, w, out, groups


def conv(r):
    x, w, out, groups = conv_shapes(r)
    return ([x, w, None, [1, 1], [0, 0], [1, 1], False, [0, 0], groups],
            [out], {"transposed": False, "groups": groups})


def conv_either(r):
    if r.random() < .5:
        return conv(r)
    x, w, _, groups = conv_shapes(r)
    side = x.shape[-1] + w.shape[-1] - 1
    w = meta(x.shape[1], w.shape[0] // groups, *w.shape[2:])
    out = meta(x.shape[0], w.shape[1] * groups, side, side)
    return ([x, w, None, [1, 1], [0, 0], [1, 1], True, [0, 0], groups],
            [out], {"transposed": True, "groups": groups})


def conv_backward(r):
    x, w, out, groups = conv_shapes(r, groups=1)
    mask = [True, r.random() < .5, True]
    outs = [meta(*x.shape), meta(*w.shape) if mask[1] else None, None]
    return ([out, x, w, None, [1, 1], [0, 0], [1, 1], False, [0, 0], groups,
             mask], outs,
            {"transposed": False, "groups": groups, "output_mask": mask})


def heads(r):
    b, hk, share = (r.randint(1, 3) for _ in range(3))
    lq, lk, d, dv = (r.randint(1, 9) for _ in range(4))
    return b, hk * share, hk, lq, lk, d, dv


def sdpa(r):
    b, hq, hk, lq, lk, d, dv = heads(r)
    return ([meta(b, hq, lq, d), meta(b, hk, lk, d), meta(b, hk, lk, dv)],
            [meta(b, hq, lq, dv)], {})


def sdpa_backward(r):
    args, outs, _ = sdpa(r)
    return outs + args, [meta(*t.shape) for t in args], {}


def inside(r):
    """Heads behind the length."""
    b, hq, hk, lq, lk, d, _ = heads(r)
    return ([meta(b, lq, hq, d), meta(b, lk, hk, d), meta(b, lk, hk, d)],
            [meta(b, lq, hq, d)])


def flash(r):
    args, outs = inside(r)
    return args + [None, None, 0, 0, 0.0, False, False], outs, {}


def packed(r):
    """Sequences of one length behind each other, and where they end."""
    b, hq, hk, lq, lk, d, _ = heads(r)
    ends = [torch.arange(0, b + 1, dtype=torch.int32) * n for n in (lq, lk)]
    return ([meta(1, b * lq, hq, d), meta(1, b * lk, hk, d),
             meta(1, b * lk, hk, d)], [meta(1, b * lq, hq, d)], ends)


def efficient(r):
    args, outs, ends = packed(r)
    return args + [None, *ends, 0, 0, 0.0, 0], outs, {}


def flash_backward(r):
    args, outs = inside(r)
    return (outs + args + [meta(*outs[0].shape), meta(1), None, None, 0, 0],
            args, {})


def efficient_backward(r):
    args, outs, ends = packed(r)
    return (outs + args + [None, meta(*outs[0].shape), *ends, 0, 0, meta(1)],
            args, {})


MAKE = {
    "mm": mm, "addmm": addmm, "bmm": bmm, "baddbmm": baddbmm,
    "_scaled_mm": scaled_mm, "convolution": conv_either, "_convolution": conv,
    "cudnn_convolution": conv, "convolution_overrideable": conv,
    "_slow_conv2d_forward": conv, "convolution_backward": conv_backward,
    "_scaled_dot_product_efficient_attention": sdpa,
    "_scaled_dot_product_flash_attention": sdpa,
    "_scaled_dot_product_cudnn_attention": sdpa,
    "_scaled_dot_product_efficient_attention_backward": sdpa_backward,
    "_scaled_dot_product_flash_attention_backward": sdpa_backward,
    "_scaled_dot_product_cudnn_attention_backward": sdpa_backward,
    "_flash_attention_forward": flash,
    "_efficient_attention_forward": efficient,
    "_flash_attention_backward": flash_backward,
    "_efficient_attention_backward": efficient_backward,
    "flex_attention": None, "flex_attention_backward": None,
}


def tensor(tid, t):
    return {"tid": tid, "shape": list(t.shape), "dtype": DTYPES[t.dtype],
            "itemsize": t.element_size()}


def tensors(values, prefix):
    return [None if v is None else tensor(prefix + str(i), v)
            for i, v in enumerate(values)
            if v is None or isinstance(v, torch.Tensor)]


def cases(r, n):
    """Operators with what PyTorch's formula says of them."""
    for op, formula in flop_registry.items():
        name = str(op).removeprefix("aten.")
        if name not in MAKE:
            print("no shapes for %s: the registry has more than it had" % name)
            sys.exit(1)
        if MAKE[name] is None:
            continue
        for _ in range(n):
            args, outs, attrs = MAKE[name](r)
            out = outs[0] if len(outs) == 1 else tuple(outs)
            wanted = formula(*args, out_val=out)
            yield ("aten." + name, tensors(args, "in"),
                   [t for t in tensors(outs, "out")], attrs, wanted)


def main():
    given = [int(word) for word in sys.argv[2:]]
    seed, n = given + [1, 20][len(given):]
    rows = list(cases(random.Random(seed), n))
    lines = [{"kind": "trace", "format": "simfront-trace/1", "model": "m",
              "route": "dispatch"}]
    lines += [{"kind": "op", "i": i, "name": name, "inputs": inputs,
               "outputs": outputs, "attrs": attrs}
              for i, (name, inputs, outputs, attrs, _) in enumerate(rows)]
    lines.append({"kind": "end", "ops": len(rows)})
    counted = subprocess.run(
        [sys.argv[1]], input="".join(json.dumps(x) + "\n" for x in lines),
        text=True, stdout=subprocess.PIPE, check=True).stdout
    ops = [x for x in map(json.loads, counted.splitlines())
           if x["kind"] == "op"]
    bad = 0
    for (name, inputs, _, attrs, wanted), op in zip(rows, ops):
        if 2 * op["macs"] != wanted:
            bad += 1
            print(name, [t and t["shape"] for t in inputs], attrs,
                  "here", 2 * op["macs"], "there", wanted)
    print("%d comparisons, %d differ" % (len(rows), bad))
    return 1 if bad or not rows else 0


sys.exit(main())
