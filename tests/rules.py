#!/usr/bin/env python3
"""What sf-rules must say, without sf-rules.

rules.py trace EXAMPLES         a trace of the examples
rules.py check EXAMPLES <trace  that trace, counted, has the examples' counts
rules.py why <trace             every "why" comes to the operator's flops
rules.py names LIST CATEGORY    a trace of every name of the category in LIST,
                                whose rule is the category's default
rules.py short LIST             a trace of every rule in LIST, of operators that
                                have too few tensors, null ones, other ranks
rules.py unfit LIST <trace      that trace, counted: what must be there and is
                                not is named, and nothing of such an op counts
"""

import ast
import json
import operator
import sys
from fractions import Fraction

BITS = {"f32": 32, "bf16": 16, "f8e4m3fn": 8, "i64": 64, "i32": 32, "u64": 64,
        "u8": 8, "i8": 8, "i16": 16, "f64": 64, "c64": 64}
FIELDS = ("flops", "bytes_read", "bytes_written", "weight_bytes")
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub,
             ast.Mult: operator.mul, ast.Div: operator.truediv,
             ast.FloorDiv: operator.floordiv}


def arithmetic(text):
    """Exact + - * / // min max of whole numbers, and nothing else."""
    def value(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return Fraction(node.value)
        if isinstance(node, ast.BinOp):
            return Fraction(OPERATORS[type(node.op)](value(node.left),
                                                     value(node.right)))
        if isinstance(node, ast.Call) and node.func.id in ("min", "max"):
            pick = min if node.func.id == "min" else max
            return pick(value(a) for a in node.args)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        raise ValueError(text)
    return value(ast.parse(text, mode="eval").body)


def tensor(spec, tid):
    if spec == "-":
        return None
    param = spec.endswith("!")
    sizes, _, dtype = spec.rstrip("!").partition(":")
    dtype = dtype or "f32"
    shape = [] if sizes == "." else [int(s) for s in sizes.split("x")]
    result = {"tid": tid, "shape": shape, "dtype": dtype,
              "itemsize": BITS[dtype] // 8}
    if param:
        result["param"] = True
    return result


def tensors(specs, prefix):
    if specs == "none":
        return []
    return [tensor(s, prefix + str(k))
            for k, s in enumerate(specs.split(","))]


def put(record):
    print(json.dumps(record, separators=(",", ":")))


def put_trace(ops):
    put({"kind": "trace", "format": "simfront-trace/1", "model": "examples",
         "route": "export"})
    for i, (name, inputs, outputs, attrs) in enumerate(ops):
        op = {"kind": "op", "i": i, "name": name,
              "inputs": tensors(inputs, "in%d." % i),
              "outputs": tensors(outputs, "out%d." % i)}
        if attrs != "-":
            op["attrs"] = json.loads(attrs)
        put(op)
    put({"kind": "end", "ops": len(ops)})


def examples(path):
    with open(path) as lines:
        return [line.rstrip("\n").split("\t") for line in lines
                if not line.startswith("#")]


def counted():
    return [record for record in map(json.loads, sys.stdin)
            if record["kind"] == "op"]


def check(path):
    bad = 0
    rows, ops = examples(path), counted()
    assert len(rows) == len(ops) > 0, (len(rows), len(ops))
    for row, op in zip(rows, ops):
        want = [row[4]] + [int(arithmetic(text)) for text in row[5:]]
        got = [op["category"]] + [op[field] for field in FIELDS]
        if got != want:
            bad += 1
            print("%s %s: got %s, want %s" % (row[0], row[1], got, want))
    return bad


def why():
    bad, ops = 0, counted()
    assert ops
    for op in ops:
        formula, _, numbers = op["why"].partition(" = ")
        if not formula or arithmetic(numbers) != op["flops"]:
            bad += 1
            print(op["name"], op["why"], op["flops"])
    return bad


def names(path, category):
    with open(path) as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    plain = [row for row in rows if row[1] == category]
    default = next(row[2:] for row in plain)
    put_trace([(row[0].replace("*", "anything"), "2x3!,3", "4:bf16,5", "-")
               for row in plain if row[2:] == default])
    return 0


def short_tensors():
    """Lists of specs: none at all, more and more of each rank, a null in
    place of each of the first."""
    yield "none"
    for rank in (".", "2x2", "2x2x2", "2x2x2x2"):
        for n in (1, 2, 4, 9):
            yield ",".join([rank] * n)
    for gap in range(3):
        yield ",".join("-" if i == gap else "2x2x2" for i in range(4))
    yield "-,-,-"


def short(path):
    with open(path) as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    inputs = list(short_tensors())
    put_trace([(row[0].replace("*", "anything"), specs, outputs, "-")
               for row in rows for specs in inputs
               for outputs in ("none", "-,2x2", ".", "2x2x2,2x2,2")])
    return 0


def unfit(path):
    with open(path) as lines:
        roles = {row[0].replace("*", "anything"): row[2].split(", ")
                 for row in (line.split("\t") for line in lines)}
    bad, short_ones, ops = 0, 0, counted()
    for op in ops:
        there = op["inputs"] + [None] * 40
        lacks = any(t is None and role and role[-1] not in "?*"
                    for role, t in zip(roles[op["name"]], there))
        short_ones += lacks
        counts = [op["category"]] + [op[field] for field in FIELDS]
        reason = op.get("unresolved", "")
        if (lacks and "is missing, expected inputs: " not in reason or
                (reason != "") != (counts[0] == "unknown") or
                reason and counts[1:] != [0, 0, 0, 0]):
            bad += 1
            print(op["name"], op["inputs"], counts, reason)
    assert len({op["name"] for op in ops}) == len(roles)
    assert 0 < short_ones < len(ops), (short_ones, len(ops))
    return bad


def main():
    action, arguments = sys.argv[1], sys.argv[2:]
    if action == "trace":
        put_trace([row[:4] for row in examples(*arguments)])
        return 0
    return {"check": check, "why": why, "names": names, "short": short,
            "unfit": unfit}[action](*arguments)


sys.exit(1 if main() else 0)
