#!/usr/bin/env python3
"""Products and operators of rules over the kind, without sf-rules.

products.py schema SCHEMA EXCEPTIONS RULES
                                every operator of SCHEMA that takes or returns
                                a tensor is in RULES or in EXCEPTIONS
products.py grow FACTOR <trace  the trace, all sizes above 1 times FACTOR
products.py property RULES <counted
                                every product is what the record and the rule
                                make of it, and every rule of matmul and
                                attention states one or is in WITHOUT
products.py pairs LIST OWN      one product costs the same under every name of
                                LIST (sf-rules --list) and of the rules in OWN
"""

import json
import math
import re
import subprocess
import sys

# Rules of matmul whose products are no field, by the beginning of their names.
SOLVES = ("aten.linalg_ aten._linalg_ aten._lu_with_info aten.det aten.slogdet "
          "aten.logdet aten.cholesky aten._cholesky aten.geqrf aten.orgqr "
          "aten.ormqr aten.svd aten.nuclear_norm aten.pinverse aten.inverse "
          "aten.triangular_solve aten.lu_solve com.microsoft.Inverse onnx.Det")
WITHOUT = tuple(SOLVES.split())  # steps that depend on each other
# Operators that are not one product of two matrices, and why.
UNLIKE = {
    "several products": "lstm gru rnn RNN LSTM GRU _cell backward MoE QMoE "
                        "_euclidean_dist bilinear _trilinear matrix_exp "
                        "NBitsMlp NBitsQkv QLoRA LowRankMix",
    "of vectors": "dot mv addmv vdot vecdot",
    "one matrix by itself": "cov corrcoef",
    "half of the depth is stored": "_sparse_semi_structured _cslt_sparse_mm",
    "a dimension more": "conv_tbc",
    "rows of all other dimensions": "_compute_linear_combination",
    "a matrix that is never stored": "onnx.DFT onnx.STFT Rfft Irfft "
                                     "WordConvEmbedding",
    "keys that are kept": "SparseAttentionIndexer gpu.index_scores",
    "the result in two parts": "RouterGateUpProj",
    "streams mixed in place": "HyperConnectionPostMix",
    "a layer, weights of several, and of experts": "gpu.linear gpu.mlp_up "
        "gpu.rotary_angles gpu.experts_up",
    "depthwise alone": "com.microsoft.CausalConvWithState VarlenCausalConv "
                       "gpu.conv1d",
    "chunks and a state": "gpu.delta_chunks gpu.state_chunks",
    "coefficients in one list": "LinearClassifier LinearRegressor "
                                "SVMClassifier SVMRegressor",
}
# Rules of attention that are not scores of a sequence and what they weigh.
UNLIKE_ATTENTION = {
    "a state for each step": "LinearAttention GatedDeltaNet Mamba2Verify",
    "keys of its own for each query": "DynamicSparseAttention "
                                      "SparsePagedAttention",
    "heads in two parts": "gpu.expanded_attention gpu.latent_attention",
}


def table(path):
    with open(path) as lines:
        return [line.rstrip("\n").split("\t") for line in lines
                if not line.startswith("#")]


def schema(operators, exceptions, rules):
    names = {row[0] for row in table(rules)}
    reasons = {row[0]: row[1] for row in table(exceptions)}
    rows = table(operators)
    assert len(rows) > 1500 and len(names) > 1000
    bad = []
    for name, takes, returns in rows:
        full = "aten." + name
        has = full in names or full.endswith("_") and full[:-1] in names
        if has and name in reasons:
            bad.append("%s: has a rule, and a reason for none" % name)
        if not has and (takes, returns) != ("-", "-") and name not in reasons:
            bad.append("%s: has no rule and no reason" % name)
    known = {row[0] for row in rows}
    bad += ["%s: is no operator" % name for name in reasons
            if name not in known]
    return bad


def elements(tensor):
    return math.prod(tensor["shape"]) if tensor else 0


def parts(tensor):
    return 2 if tensor and tensor["dtype"].startswith("c") else 1


def grow(factor):
    factor = int(factor)
    for line in sys.stdin:
        record = json.loads(line)
        for tensor in record.get("inputs", []) + record.get("outputs", []):
            if tensor:
                tensor["shape"] = [n * factor if n > 1 else n
                                   for n in tensor["shape"]]
        print(json.dumps(record, separators=(",", ":")))
    return []


def operand_faults(op):
    """A window shows an element to as many products as it has places."""
    inputs = op["inputs"]
    seen = 1
    if "conv" in op["name"].lower():
        seen = max(math.prod(t["shape"][1:-1] + t["shape"][-1:])
                   for t in inputs if t and len(t["shape"]) > 2)
    if op["name"] == "gpu.experts_up":  # a token to as many as it chose
        seen = inputs[1]["shape"][-1]
    for p in op["gemms"]:
        a = inputs[p["a"]] if "a" in p else None
        b = inputs[p["b"]] if "b" in p else None
        if a and p["m"] * p["k"] > elements(a) * parts(a) * seen:
            yield "%s: A %s" % (op["name"], p)
        if "b_elements" in p:
            if p["k"] * p["n"] > p["b_elements"]:
                yield "%s: B holds %s" % (op["name"], p)
        # What is kept of the past is the rest of its operand.
        elif b and op["category"] == "attention" and len(inputs) > 4:
            if p["k"] * p["n"] > sum(map(elements, inputs)):
                yield "%s: B %s" % (op["name"], p)
        elif b and p["k"] * p["n"] > elements(b) * parts(b) ** 2 * seen:
            yield "%s: B %s" % (op["name"], p)


def product_faults(op):
    sides = [p["batch"] * p["m"] * p["k"] * p["n"] for p in op["gemms"]]
    if sum(sides) != op["macs"]:
        yield "%s: macs %d, products %d" % (op["name"], op["macs"], sum(sides))
    more = op["flops"] - 2 * op["macs"]
    tensors = op["inputs"] + op["outputs"]
    results = sum(p["batch"] * p["m"] * p["n"] for p in op["gemms"])
    bound = 12 * sum(elements(t) * parts(t) for t in tensors) + 10 * results
    if "inputs" in op and not 0 <= more <= bound:
        yield "%s: %d flops beside the products" % (op["name"], more)
    yield from operand_faults(op)


def properties(rules):
    bad, with_products, met = [], set(), set()
    for row in table(rules):
        if row[1] not in ("matmul", "attention"):
            continue
        if row[7]:
            with_products.add((row[2], row[7]))
        elif not row[0].startswith(WITHOUT):
            bad.append("%s states no product" % row[0])
    by_name = {row[0]: (row[2], row[7]) for row in table(rules)}
    for record in map(json.loads, sys.stdin):
        # Without the sum, a list is that of a rule that states none.
        if record["kind"] == "op" and "macs" in record:
            met.add(by_name[record["name"]])
            bad += product_faults(record)
    bad += ["never met: %s" % (rule,) for rule in with_products - met]
    return bad


# ---- one product under every name ----

M, K, N = 6, 10, 14
HEADS, LENGTH, DEPTH = 3, 5, 4


def tensor(tid, shape):
    return {"tid": tid, "shape": list(shape), "dtype": "f32", "itemsize": 4}


def count(name, inputs, out, attrs, options):
    """The products of one operator, None when it refuses those shapes."""
    op = {"kind": "op", "i": 0, "name": name, "inputs": inputs,
          "outputs": [tensor("out", out)], "attrs": attrs}
    text = "\n".join(json.dumps(r) for r in (
        {"kind": "trace", "format": "simfront-trace/1", "model": "m",
         "route": "export"}, op, {"kind": "end", "ops": 1})) + "\n"
    run = subprocess.run(["sf-rules", *options], input=text, text=True,
                         capture_output=True)
    if run.returncode != 0:
        return None
    record = next(r for r in map(json.loads, run.stdout.splitlines())
                  if r["kind"] == "op")
    return [(p["batch"], p["m"], p["k"], p["n"])
            for p in record.get("gemms", [])]


def fill(roles, shapes):
    """Inputs by their roles: those of SHAPES, scalars where one must be."""
    names = [role.strip() for role in roles.split(",")]
    last = max(i for i, role in enumerate(names)
               if role.rstrip("*?") in shapes or role[-1] not in "?*")
    return [tensor("in%d" % i, shapes[role.rstrip("*?")])
            if role.rstrip("*?") in shapes
            else None if role.endswith("?") else tensor("in%d" % i, ())
            for i, role in enumerate(names[:last + 1])]


# What two matrices look like, the sides and the result, and attributes.
MATRICES = [
    ((M, K), (K, N), (M, N), {}),
    ((1, M, K), (1, K, N), (1, M, N), {}),
    ((M, K), (N, K), (M, N), {}),
    ((M, K), (N, K), (M, N), {"transB": 1}),
    ((1, K, 1, M), (N, K, 1, 1), (1, N, 1, M), {"kernel_shape": [1, 1]}),
    ((1, 1, M, K), (N, K, 1, 1), (1, 1, M, N), {"kernel_shape": [1, 1]}),
    ((1, K, 1, M), (K, N, 1, 1), (1, N, 1, M), {"kernel_shape": [1, 1]}),
    ((M, K), (K, N), (M, N), {"equation": "ij,jk->ik"}),
    ((M, K), (K, N), (M, N), {"dims_self": [1], "dims_other": [0]}),
]
DEPTHWISE = ((1, K, 1, M), (K, 1, 1, 3), (1, K, 1, M),
             {"group": K, "groups": K, "kernel_shape": [1, 3],
              "padding": [0, 1], "pads": [0, 1, 0, 1]})
CHANNELS_LAST = ((1, 1, M, K), (K, 1, 1, 3), (1, 1, M, K), DEPTHWISE[3])


def sides(row):
    """Which roles the first product of a rule multiplies."""
    if row[7].startswith("einsum"):
        return "first", "others"
    of = re.search(r" of (\w+|-), ?([\w-]+)", row[7])
    return of.groups() if of else (None, None)


def one_matrix_product(row, options):
    a, b = sides(row)
    if a is None or a == b:
        return ["%s: of what?" % row[0]]
    want = {((1, M, K, N),), ((1, N, K, M),)}
    good = 0
    for left, right, out, attrs in MATRICES:
        shapes = {a: left, b: right}
        got = count(row[0], fill(row[2], shapes), out, attrs, options)
        good += got is not None and tuple(got) in want
    bad = [] if good else ["%s: no form of the product" % row[0]]
    if row[8] and good:
        forms = [count(row[0], fill(row[2], {a: left, b: right}), out, attrs,
                       options)
                 for left, right, out, attrs in (DEPTHWISE, CHANNELS_LAST)]
        if [(K, M, 3, 1)] not in forms:
            bad.append("%s: depthwise %s" % (row[0], forms))
    return bad


def attention(row, options):
    """The scores and what they weigh, in some layout of heads."""
    width = HEADS * DEPTH
    layouts = [(2, HEADS, LENGTH, DEPTH), (2, LENGTH, HEADS, DEPTH),
               (2, LENGTH, width), (LENGTH, 2, width), (2 * LENGTH, width)]
    heads = {"num_heads": HEADS, "num_head": HEADS, "q_num_heads": HEADS,
             "kv_num_heads": HEADS, "window": LENGTH,
             "sparse_block_size": LENGTH}
    want = {(2 * HEADS, LENGTH, DEPTH, LENGTH),
            (2 * HEADS, LENGTH, LENGTH, DEPTH)}
    names = [role.strip(" ?*") for role in row[2].split(",")]
    for shape in layouts:
        shapes = {r: shape for r in ("q", "k", "v", "x", "y", "grad")
                  if r in names}
        shapes["cu_q"] = shapes["cu_k"] = (3,)
        shapes["ends"] = (3,)
        shapes["w"] = shapes["w2"] = (width, 3 * width)
        for name in ("proj", "w1", "qw", "kw", "vw"):
            shapes[name] = (width, width)
        shapes["kvw"] = (width, 2 * width)
        # As many as there are: of a mask, of blocks, of a table of them.
        shapes["mask"] = (2, LENGTH)
        if "past_k" in row[2].replace(" ", "").split(","):
            shapes["past_k"] = (2, HEADS, LENGTH, DEPTH)
        shapes["rows"], shapes["columns"] = (1, 2), (1, 1)
        shapes["keys"], shapes["table"] = (9, 1, HEADS, DEPTH), (2, LENGTH)
        shapes = {r: s for r, s in shapes.items() if r in names}
        got = count(row[0], fill(row[2], shapes), shape, heads, options)
        if got and want <= set(got):
            return []
    return ["%s: no layout gives its products" % row[0]]


def pairs(rules, own):
    bad, seen = [], 0
    unlike = {category: [word for words in table.values()
                         for word in words.split()]
              for category, table in (("matmul", UNLIKE),
                                      ("attention", UNLIKE_ATTENTION))}
    for row in table(rules):
        if row[1] not in ("matmul", "attention") or not row[7]:
            continue
        if any(word in row[0] for word in unlike[row[1]]):
            continue
        form = attention if row[1] == "attention" else one_matrix_product
        bad += form(row, ["--rules", own])
        seen += 1
    assert seen > 100, seen
    return bad


def main():
    action, arguments = sys.argv[1], sys.argv[2:]
    bad = {"schema": schema, "grow": grow, "property": properties,
           "pairs": pairs}[action](*arguments)
    print("\n".join(bad), end="\n" if bad else "")
    return 1 if bad else 0


sys.exit(main())
