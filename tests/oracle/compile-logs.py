#!/usr/bin/env python3
"""compile-logs.py TRACE FILE - check what sf-compile wrote of FILE.

A second reader of torch.compile's logs: Python reads the Python that they hold
(module ast), and what a graph calls is matched by its words, so nothing is
shared with the filter. TRACE is its output, through sf-rules. Every operator's
name, inputs and outputs must be the same, and the multiply-accumulates of its
products those that are worked out here. Prints "traces ops macs", or what
differs first.
"""

import ast
import gzip
import json
import math
import re
import sys

HEADER = re.compile(r"[VDIWEC]\d{4} [\d:.]+ \d+ .*?:\d+\] (\{.*)")
PREFIX = re.compile(r"(?:\[rank(\d+)\]:)?(?:[VDIWEC]\d{4} [\d:.]+ \d+ \S+:\d+\] )"
                    r"(?:\[([!\d/]+)(?:_(\d+))?\] )?(?:\[__(\w+)\] )?(.*)")
CLASS = re.compile(r"(.*?)class ([\w.<>]+)\([\w.]+\):$")
SIZES = {"f64": 8, "f32": 4, "bf16": 2, "f16": 2, "i64": 8, "i32": 4, "b8": 1,
         "u8": 1, "i8": 1, "f8e4m3fn": 1, "f8e5m2": 1}
# Python's names of operators of ATen, where they differ.
RENAMED = {"float": "to", "half": "to", "long": "to"}
SIGNS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div",
         ast.MatMult: "matmul", ast.Gt: "gt", ast.GtE: "ge", ast.Lt: "lt",
         ast.LtE: "le", ast.Eq: "eq", ast.NotEq: "ne", ast.Mod: "remainder",
         ast.FloorDiv: "floor_divide", ast.Pow: "pow"}
SWAPPED = {"torch.nn.functional.embedding": (1, 0),
           "torch.nn.functional.batch_norm": (0, 3, 4, 1, 2)}
RUN_ONCE = ("invoke_subgraph", "wrap", "wrap_with_autocast", "strict_mode",
            "wrap_with_set_grad_enabled", "tag_activation_checkpoint")
STAGES = {"dynamo_output_graph": "dynamo", "aot_forward_graph": "forward",
          "aot_backward_graph": "backward", "aot_joint_graph": "joint",
          "aot_inference_graph": "inference", "exported_program": "exported"}


# ---- the log ----


def read(path):
    data = open(path, "rb").read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return data.decode().split("\n")


def structured(lines):
    """(id, attempt, stage, text, sizes of symbols) of each graph."""
    found, hints, record = [], {}, None
    for line in lines + ["V0000 0 0 a:1] {}"]:
        match = HEADER.match(line)
        if not match:
            if record is not None:
                record[3].append(line[1:])
            continue
        said = json.loads(match[1])
        name = (None if said.get("frame_id") is None else
                "%d/%d" % (said["frame_id"], said.get("frame_compile_id", 0)))
        if "create_symbol" in said:
            symbol = said["create_symbol"]
            hints.setdefault(name, {})[symbol["symbol"]] = symbol["val"]
        stage = next((STAGES[k] for k in said if k in STAGES), None)
        record = None
        if stage:
            record = [name, said.get("attempt", 0), stage, []]
            found.append(record)
    return found, hints


def for_people(lines):
    found, record, before, title = [], None, None, ""
    for line in lines:
        match = PREFIX.match(line)
        rank, name, attempt, artifact, text = \
            match.groups() if match else (None, None, None, None, line)
        if record is not None and line[:len(line) - len(text)] != before:
            record = None
        if record is not None:
            record[3].append(text)
            continue
        if "=====" in text:
            title = text.strip(" =")
        match = CLASS.match(text)
        if not match:
            continue
        if artifact not in (None, "graph_code", "aot_graphs",
                            "aot_joint_graph"):
            continue
        before = line[:len(line) - len(text)]
        stage = {"Forward": "forward", "Backward": "backward",
                 "Joint": "joint"}.get(title.split(" ")[0])
        if stage is None:
            stage = "dynamo" if artifact == "graph_code" else "inference"
        record = [name, int(attempt or 0), stage,
                  ["class %s(M):" % match[2]]]
        found.append(record)
    return found, {}


def choose(found):
    """Of each compilation ATen's graphs of the last attempt, or Dynamo's."""
    last, has = {}, {}
    for name, attempt, _, _ in found:
        last[name] = max(last.get(name, 0), attempt)
    for name, attempt, stage, _ in found:
        if attempt == last[name]:
            has.setdefault(name, set()).add(stage)
    for name, attempt, stage, text in found:
        if attempt < last[name]:
            continue
        others = has[name]
        if stage == "dynamo" and len(others) > 1:
            continue
        if stage == "joint" and others & {"forward", "backward"}:
            continue
        yield name, text


# ---- a graph ----


class Tensor:
    def __init__(self, name, shape, dtype):
        self.name, self.shape, self.dtype = name, shape, dtype

    def __str__(self):
        return "%s %s%s" % (self.name, self.dtype, list(self.shape))


class Results(list):
    """What an operator gives, by place."""

    def __init__(self, name):
        super().__init__()
        self.name, self.used = name, {}


def evaluate(size, hints):
    names = {n: int(v) for n, v in hints.items()}
    names.update(Max=max, Min=min)
    try:
        return int(eval(size, {"__builtins__": {}}, names))
    except NameError:
        return size


def typed(name, annotation, hints):
    text = annotation.value if isinstance(annotation, ast.Constant) else ""
    match = re.match(r"(\w+)\[(.*?)\]", text)
    if not match or match[1] not in SIZES:
        return None
    dims = [d for d in match[2].split(", ") if d]
    return Tensor(name, [evaluate(d, hints) for d in dims], match[1])


class Graph:
    def __init__(self, lines, hints):
        start = next(i for i, t in enumerate(lines) if "class " in t)
        margin = len(lines[start]) - len(lines[start].lstrip())
        body = []
        for text in lines[start:]:
            if body and text.strip() and \
                    len(text) - len(text.lstrip()) <= margin:
                break
            body.append(text[margin:])
        source = "\n".join(body).replace("class <lambda>", "class lambda_")
        self.hints, self.ops = hints, []
        top = ast.parse(source).body[0]
        self.run(top, None, "")

    def run(self, module, args, prefix):
        parts = {c.name: c for c in module.body if isinstance(c, ast.ClassDef)}
        define = next(c for c in module.body
                      if isinstance(c, ast.FunctionDef))
        names = {}
        for i, a in enumerate(define.args.args[1:]):
            names[a.arg] = (args[i] if args else
                            typed(a.arg, a.annotation, self.hints))
        for line in define.body:
            if isinstance(line, ast.Return):
                return self.value(line.value, names)
            self.line(line, names, parts, prefix)
        return None

    def line(self, line, names, parts, prefix):
        if isinstance(line, ast.AnnAssign):
            name, kind, value = line.target.id, line.annotation, line.value
        elif isinstance(line, ast.Assign) and \
                isinstance(line.targets[0], ast.Name):
            name, kind, value = line.targets[0].id, None, line.value
        else:
            return  # names of inputs, an expression
        if value is None:
            names[name] = typed(name, kind, self.hints)
        elif not (isinstance(value, ast.Constant) and value.value is None):
            names[name] = self.call(prefix + name, kind, value, names, parts,
                                    prefix)

    def value(self, node, names):
        if isinstance(node, ast.Name):
            return names.get(node.id)
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self.value(e, names) for e in node.elts]
        if isinstance(node, ast.Dict):
            return [self.value(e, names) for e in node.values]
        if isinstance(node, ast.Call):
            if ast.unparse(node.func) == "pytree.tree_unflatten":
                return self.value(node.args[0], names)
            return [self.value(e, names) for e in node.args]
        if isinstance(node, ast.Constant):
            return ... if node.value is None else node.value
        return None

    def call(self, name, kind, value, names, parts, prefix):
        if isinstance(value, ast.Name):
            return names.get(value.id)
        if isinstance(value, ast.Attribute):
            if value.value.id == "self" and value.attr in parts:
                return parts[value.attr]
            return typed(name, kind, self.hints)
        if isinstance(value, ast.Subscript):
            return self.pick(name, kind, value, names)
        if isinstance(value, (ast.BinOp, ast.Compare)):
            sides = [value.left, value.right] if isinstance(value, ast.BinOp) \
                else [value.left, value.comparators[0]]
            sign = value.op if isinstance(value, ast.BinOp) else value.ops[0]
            if not any(isinstance(self.value(s, names), Tensor)
                       for s in sides):
                return None
            return self.add("aten." + SIGNS[type(sign)], name, kind, sides,
                            names)
        if isinstance(value, ast.UnaryOp):
            return self.add("aten.neg", name, kind, [value.operand], names)
        return self.function(name, kind, value, names, parts, prefix)

    def pick(self, name, kind, value, names):
        base = self.value(value.value, names)
        if not isinstance(base, Results):
            if isinstance(base, list):
                return base[value.slice.value]
            return self.add("prim.getitem", name, kind, [value.value], names)
        place = value.slice.value
        if place not in base.used:
            base.used[place] = typed(name, kind, self.hints)
            while len(base) <= place:
                base.append(None)
            base[place] = base.used[place]
        return base.used[place]

    def function(self, name, kind, value, names, parts, prefix):
        words = ast.unparse(value.func)
        args = value.args + [k.value for k in value.keywords]
        first = words.split(".")[0]
        if first in names:
            method = words.split(".")[-1]
            return self.add("aten." + RENAMED.get(method, method), name, kind,
                            [ast.Name(first)] + args, names)
        op = words.split(".")[-1]
        if words.startswith("torch.ops."):
            space, op = words.split(".")[2:4]
            if op in RUN_ONCE:
                given = [self.value(a, names) for a in value.args]
                at = next(i for i, g in enumerate(given)
                          if isinstance(g, ast.ClassDef))
                flat = []
                for g in given[at + 1:]:
                    if not isinstance(g, str):
                        flat += g if isinstance(g, list) else [g]
                return self.run(given[at], flat, name + "/")
            if op.startswith("auto_functionalized"):
                space, op = ast.unparse(args[0]).split(".")[2:4]
            return self.add("%s.%s" % (space, op), name, kind, args, names)
        if words.startswith(("torch.sym_", "math.")):
            return None
        args = [args[i] for i in SWAPPED.get(words, ())] + \
            args[len(SWAPPED.get(words, ())):]
        return self.add("aten." + RENAMED.get(op, op), name, kind, args, names)

    def add(self, op, name, kind, args, names):
        inputs, wait = [], []
        for a in args:
            value = self.value(a, names)
            if isinstance(value, list) and not isinstance(value, Results):
                value = list(flatten(value))
                if not any(isinstance(v, Tensor) for v in value):
                    continue
            else:
                value = [value]
            for v in value:
                if v is ...:
                    wait.append(None)
                elif isinstance(v, Tensor):
                    inputs += wait + [v]
                    wait = []
        result = Results(name)
        tensor = typed(name, kind, self.hints)
        if tensor:
            result.append(tensor)
        if "Sym(" in ast.dump(kind or ast.Constant(0)):
            tensor = 0
        self.ops.append((op, inputs, result, args))
        return result if tensor is None else tensor


def flatten(value):
    for v in value:
        if isinstance(v, list):
            yield from flatten(v)
        else:
            yield v


# ---- products ----


def macs(op, inputs, outputs, args):
    """Multiply-accumulates by the shapes; 0 for what is no product."""
    name = op.split(".")[-1]
    shapes = [t.shape if t else None for t in inputs]
    if name in ("mm", "bmm", "matmul", "_scaled_mm"):
        a, out = shapes[0], outputs[0].shape
        return math.prod(out) * a[-1]
    if name == "addmm":
        return math.prod(outputs[0].shape) * shapes[1][-1]
    if name == "linear":
        return math.prod(outputs[0].shape) * shapes[0][-1]
    if name in ("convolution", "conv2d"):
        return math.prod(outputs[0].shape) * math.prod(shapes[1][1:])
    if name == "convolution_backward":
        mask = [e.value for e in args[-1].elts]
        return (mask[0] + mask[1]) * math.prod(shapes[0]) * \
            math.prod(shapes[2][1:])
    if name == "flex_attention":
        q, k, v = shapes[:3]
        return math.prod(q[:-1]) * k[-2] * (q[-1] + v[-1])
    return 0


# ---- the comparison ----


def shown(tensor):
    if tensor is None:
        return None
    if isinstance(tensor, Tensor):
        return tensor.dtype, [d if isinstance(d, int) else None
                              for d in tensor.shape]
    return tensor["dtype"], [d if isinstance(d, int) else None
                             for d in tensor["shape"]]


def compare(i, graph, ops):
    if len(graph.ops) != len(ops):
        return "trace %d has %d operators, expected %d: %s" % (
            i, len(ops), len(graph.ops), [o[0] for o in graph.ops])
    for (name, inputs, outputs, args), op in zip(graph.ops, ops):
        mine = name, [shown(t) for t in inputs], [shown(t) for t in outputs]
        theirs = op["name"], [shown(t) for t in op["inputs"]], \
            [shown(t) for t in op["outputs"]]
        if mine != theirs:
            return "trace %d op %d is %s, expected %s" % (
                i, op["i"], theirs, mine)
        if "unresolved" in op:
            continue
        want = macs(name, inputs, outputs, args)
        if op.get("macs", 0) != want:
            return "trace %d op %d %s has %s macs, expected %s" % (
                i, op["i"], name, op.get("macs"), want)
    return None


def main(trace, path):
    lines = read(path)
    found, hints = (structured if HEADER.match(lines[0]) else
                    for_people)(lines)
    graphs = [Graph(text, hints.get(name, {})) for name, text in choose(found)]
    traces = []
    for record in map(json.loads, open(trace)):
        if record["kind"] == "trace":
            traces.append([])
        elif record["kind"] == "op":
            traces[-1].append(record)
    if len(traces) != len(graphs):
        sys.exit("%d traces, expected %d" % (len(traces), len(graphs)))
    for i, (graph, ops) in enumerate(zip(graphs, traces)):
        wrong = compare(i, graph, ops)
        if wrong:
            sys.exit(wrong)
    print(len(traces), sum(map(len, traces)),
          sum(op.get("macs", 0) for ops in traces for op in ops))


if __name__ == "__main__":
    main(*sys.argv[1:])
