#!/usr/bin/env python3
"""Counts a simfront trace by the published rules, to check what was recorded.

It shares nothing with sf-rules: the rules are written out here a second time,
from their text. Reads one raw trace (gzip or not) from each FILE.

usage: count.py FILE...
"""

import collections
import gzip
import json
import math
import sys

ATEN = {
    "view": """view _unsafe_view reshape _reshape_alias t transpose permute
        expand expand_as unsqueeze squeeze slice select alias as_strided detach
        unflatten split split_with_sizes unbind chunk narrow view_as diagonal
        numpy_T lift_fresh lift_fresh_copy _assert_tensor_metadata
        _assert_async sym_size sym_numel sym_stride dropout feature_dropout""",
    "copy": """clone _to_copy to copy copy_ cat stack contiguous repeat
        repeat_interleave constant_pad_nd pad flip roll slice_scatter
        select_scatter index_put index_put_ index_copy index_copy_ scatter
        scatter_ gather masked_scatter _unsafe_index _local_scalar_dense""",
    "creation": """ones zeros full empty arange scalar_tensor full_like
        zeros_like ones_like empty_like empty_strided new_ones new_zeros
        new_empty new_full fill fill_ zero_ rand randn randint randperm tril
        triu eye linspace""",
    "elementwise": """add sub rsub mul div neg rsqrt sqrt pow exp exp2 log
        log1p tanh sigmoid silu gelu relu hardtanh leaky_relu where eq ne lt le
        gt ge logical_not logical_and logical_or bitwise_and bitwise_or
        bitwise_not bitwise_xor cos sin reciprocal abs clamp clamp_min
        clamp_max minimum maximum masked_fill erf isnan isinf sign floor ceil
        round square floor_divide remainder fmod lerp addcmul addcdiv mish
        hardswish hardsigmoid elu sgn trunc""",
    "reduction": """sum mean amax amin max min prod var var_mean std any all
        argmax argmin cumsum cumprod norm logsumexp linalg_vector_norm
        max_pool2d max_pool2d_with_indices max_pool1d max_pool3d avg_pool1d
        avg_pool2d avg_pool3d adaptive_avg_pool2d _adaptive_avg_pool2d
        adaptive_max_pool2d""",
    "softmax": "_softmax softmax _safe_softmax _log_softmax log_softmax",
    "norm": """native_layer_norm layer_norm rms_norm _fused_rms_norm
        native_group_norm group_norm native_batch_norm batch_norm
        _native_batch_norm_legit_no_training _native_batch_norm_legit""",
    "matmul": """mm bmm addmm baddbmm matmul linear dot mv addmv _convolution
        convolution conv1d conv2d conv3d""",
    "attention": """scaled_dot_product_attention
        _scaled_dot_product_flash_attention
        _scaled_dot_product_flash_attention_for_cpu
        _scaled_dot_product_efficient_attention
        _scaled_dot_product_cudnn_attention
        _scaled_dot_product_fused_attention_overrideable""",
    "gather": "embedding index index_select",
}

ONNX = {
    "view": """Reshape Unsqueeze Squeeze Identity Flatten Shape Size Constant
        Dropout SequenceAt""",
    "copy": """Transpose Expand Slice Concat Cast CastLike Tile Pad ScatterND
        ScatterElements Split GatherND Trilu DepthToSpace SpaceToDepth
        SplitToSequence""",
    "creation": "ConstantOfShape Range EyeLike RandomNormal RandomUniform",
    "elementwise": """Add Sub Mul Div Neg Sqrt Reciprocal Pow Exp Log Tanh
        Sigmoid Relu Gelu Erf Where Equal Less LessOrEqual Greater
        GreaterOrEqual And Or Not Xor IsNaN IsInf Sin Cos Abs Max Min Clip Sign
        Floor Ceil Round Mod BitwiseAnd BitwiseOr BitwiseNot LeakyRelu
        HardSigmoid HardSwish Elu Mish""",
    "reduction": """ReduceMean ReduceSum ReduceMax ReduceMin ReduceProd
        ReduceL2 ArgMax ArgMin CumSum MaxPool AveragePool GlobalAveragePool
        GlobalMaxPool""",
    "softmax": "Softmax LogSoftmax",
    "norm": """LayerNormalization SimplifiedLayerNormalization
        RMSNormalization BatchNormalization GroupNormalization""",
    "attention": "Attention",
    "gather": "Gather",
    "matmul": "MatMul Gemm Conv",
}

READING_CREATION = {"tril", "triu", "full_like", "zeros_like", "ones_like"}


def by_name(table, prefix):
    return {prefix + name: category for category, names in table.items()
            for name in names.split()}


CATEGORY = {**by_name(ATEN, "aten."), **by_name(ONNX, "onnx.")}


def category_of(name):
    if name.startswith("prim."):
        return "view"
    if name in CATEGORY:
        return CATEGORY[name]
    return CATEGORY.get(name.removesuffix("_"), "unknown")


def numel(tensor):
    return math.prod(tensor["shape"])


def size(tensors):
    return sum(numel(t) * t["itemsize"] for t in tensors)


def matmul_flops(name, inputs, out, attrs):
    base = name.split(".", 1)[1]
    n = numel(out)
    shapes = [t["shape"] if t else None for t in inputs]
    biased = len(inputs) > 2 and inputs[2] is not None
    if base in ("addmm", "baddbmm", "addmv"):
        return 2 * n * shapes[1][-1] + n
    if base in ("_convolution", "convolution", "conv1d", "conv2d", "conv3d",
                "Conv"):
        return 2 * n * math.prod(shapes[1][1:]) + n * biased
    if base == "linear":
        return 2 * n * shapes[0][-1] + n * biased
    if base == "Gemm":
        k = shapes[0][0] if attrs.get("transA") else shapes[0][-1]
        return 2 * n * k + n * biased
    return 2 * n * shapes[0][-1]


def attention_flops(q, k, v):
    batch_heads = math.prod(q["shape"][:-2])
    l_q, d_q = q["shape"][-2:]
    l_k, d_v = k["shape"][-2], v["shape"][-1]
    return batch_heads * l_q * l_k * (2 * d_q + 2 * d_v + 5)


def gather_counts(name, inputs, out):
    table, index = inputs[0], [t for t in inputs[1:] if t]
    rows = size([out])
    read = rows + size(index)
    return 0, read, rows, rows if table.get("param") else 0


def count(op):
    """(category, flops, bytes read, bytes written, weight bytes)"""
    name, outs = op["name"], op["outputs"]
    category = category_of(name)
    given = [t for t in op["inputs"] if t]
    read, written = size(given), size(outs)
    if op.get("folded") or op.get("dead") or category in ("view", "unknown"):
        return category, 0, 0, 0, 0
    if category == "gather":
        return (category, *gather_counts(name, op["inputs"], outs[0]))
    if category == "creation":
        reads = name.split(".", 1)[1].removesuffix("_") in READING_CREATION
        return (category, 0, read if reads else 0, written,
                size(t for t in given if t.get("param")) if reads else 0)
    if category == "attention":
        given, outs = given[:3], outs[:1]
        flops = attention_flops(*given)
        return (category, flops, size(given), size(outs),
                size(t for t in given if t.get("param")))
    largest = max([numel(t) for t in given], default=0)
    flops = {
        "elementwise": lambda: sum(numel(t) for t in outs),
        "reduction": lambda: largest,
        "softmax": lambda: 5 * largest,
        "norm": lambda: 5 * largest,
        "copy": lambda: 0,
        "matmul": lambda: matmul_flops(name, op["inputs"], outs[0],
                                       op.get("attrs", {})),
    }[category]()
    return (category, flops, read, written,
            size(t for t in given if t.get("param")))


def totals(records):
    """One dict for the trace in RECORDS; None where it is not whole."""
    total = {"ops": 0, "flops": 0, "bytes": 0, "weight_bytes": 0}
    flops, moved, calls = (collections.Counter() for _ in range(3))
    ended = False
    for r in records:
        if r["kind"] == "trace":
            total = {"model": r["model"], "route": r["route"],
                     "params": r.get("params"), **total}
        if r["kind"] == "end":
            ended = r["ops"] == total["ops"]
        if r["kind"] != "op":
            continue
        category, f, b_read, b_written, weight = count(r)
        total["ops"] += 1
        total["flops"] += f
        total["bytes"] += b_read + b_written
        total["weight_bytes"] += weight
        flops[category] += f
        moved[category] += b_read + b_written
        calls[r["name"]] += 1
    if not ended:
        return None
    unknown = {n: c for n, c in calls.items() if category_of(n) == "unknown"}
    return {**total, "op_types": len(calls), "flops_by_category": dict(flops),
            "bytes_by_category": dict(moved), "unknown": unknown,
            "calls": dict(calls.most_common())}


def records(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as f:
        for line in f:
            yield json.loads(line)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for path in sys.argv[1:]:
        print(json.dumps(totals(records(path))))
