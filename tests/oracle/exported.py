#!/usr/bin/env python3
"""Reads programs that torch.export saved, a second time: with zipfile, json and
formulas of its own. Prints a row for each file, with | in between: its name,
the schema, operators, types of operators, elements of the parameters,
multiply-accumulates of the products, and the operators that cannot be counted
by name; or the word "refused" where there is no program.

usage: exported.py FILE...
"""

import collections
import json
import math
import os
import re
import sys
import zipfile

WRAPS = {"wrap_with_autocast", "wrap_with_set_grad_enabled", "invoke_subgraph"}
STEPS = {"map_impl": 0, "scan": 1}  # the place of what is run over
# Counting is free whatever the sizes are.
FREE = {"aten._assert_scalar", "aten.sym_size"}


def set_member(union):
    """Of a union the one member that is not null."""
    for key, value in union.items():
        if value is not None:
            return key, value
    raise ValueError("a union without a value")


class Reader:
    def __init__(self, path):
        self.path = path
        with zipfile.ZipFile(path) as z:
            names = z.namelist()
            models = [n for n in names
                      if re.fullmatch(r"([^/]+/)?models/[^/]+\.json", n)]
            old = "serialized_exported_program.json"
            models += [old] if old in names else []
            if not models:
                raise LookupError("no program")
            self.program = json.loads(z.read(models[0]))
            self.stored = {}
            for n in names:
                if n.endswith("_weights_config.json"):
                    self.stored = {
                        k: (v["path_name"],
                            z.getinfo(os.path.dirname(n) + "/" +
                                      v["path_name"]).file_size)
                        for k, v in json.loads(z.read(n))["config"].items()}
        self.calls = collections.Counter()
        self.open = collections.Counter()
        self.macs = 0
        self.read = set()

    def schema(self):
        version = self.program["schema_version"]
        if isinstance(version, int):
            return str(version)
        return f"{version['major']}.{version['minor']}"

    # ---- sizes ----

    @staticmethod
    def size(size):
        kind, value = set_member(size)
        if kind == "as_int":
            return value
        hint = value.get("hint")
        return hint["as_int"] if isinstance(hint, dict) else hint

    def shape(self, graph, name):
        return [self.size(s) for s in graph["tensor_values"][name]["sizes"]]

    # ---- nodes ----

    def tensors(self, argument):
        """The names in an argument or a result."""
        kind, value = set_member(argument)
        if kind == "as_tensor":
            return [value["name"]]
        if kind == "as_tensors":
            return [v["name"] for v in value]
        if kind == "as_optional_tensors":
            return [n for v in value for n in self.tensors(v)]
        return []

    def walk(self, graph):
        for node in graph["nodes"]:
            target = node["target"]
            inputs = {i["name"] or k: i["arg"]
                      for k, i in enumerate(node["inputs"])}
            for argument in inputs.values():
                self.read.update(self.tensors(argument))
            if not target.startswith("torch.ops."):
                continue
            ns, op = target.split(".")[2:4]
            if ns != "higher_order":
                self.call(graph, f"{ns}.{op}", inputs, node["outputs"])
            elif op in WRAPS:
                self.walk(next(v["graph"] for k, v in
                               map(set_member, inputs.values())
                               if k == "as_graph"))
            elif op in STEPS:
                self.steps(graph, op, inputs, node["outputs"])
            else:
                self.higher(op, inputs)

    def steps(self, graph, op, inputs, outputs):
        """As often as the first size says: slices, the body; then stacks."""
        body, *lists = [v for _, v in map(set_member, inputs.values())]
        cut = [v["name"] for v in lists[STEPS[op]]]
        carried = len(lists[0]) if op == "scan" else 0
        for _ in range(self.shape(graph, cut[0])[0]):
            self.calls["aten.select"] += len(cut)
            self.walk(body["graph"])
        self.calls["aten.stack"] += len(outputs) - carried

    def higher(self, op, inputs):
        called = [v for k, v in map(set_member, inputs.values())
                  if k == "as_operator"]
        name = f"higher_order.{op}"
        if called:
            name = ".".join(called[0].split(".")[2:4])
        self.calls[name] += 1
        self.open[name] += 1

    def call(self, graph, name, inputs, outputs):
        self.calls[name] += 1
        names = [n for a in [*inputs.values(), *outputs]
                 for n in self.tensors(a)]
        shapes = {n: self.shape(graph, n) for n in names}
        if name not in FREE and (
                not name.startswith("aten.") or
                any(None in s for s in shapes.values())):
            self.open[name] += 1
            return
        made = [n for a in outputs for n in self.tensors(a)]
        self.macs += self.product(name.removeprefix("aten."), inputs, shapes,
                                  made)

    def product(self, op, inputs, shapes, made):
        def of(key):
            return shapes[self.tensors(inputs[key])[0]]

        if op in ("mm", "addmm", "bmm", "linear"):
            left = {"mm": "self", "bmm": "self", "addmm": "mat1",
                    "linear": "input"}[op]
            return math.prod(shapes[made[0]]) * of(left)[-1]
        if op in ("convolution", "conv2d"):
            # Each result is a sum over the kernel and a group's channels.
            return math.prod(shapes[made[0]]) * math.prod(of("weight")[1:])
        if op == "scaled_dot_product_attention":
            q, k, v = (of(x) for x in ("query", "key", "value"))
            return math.prod(q[:-1]) * k[-2] * (q[-1] + v[-1])
        return 0

    # ---- parameters ----

    def parameters(self):
        """Elements of distinct ones: by name, by stored bytes, and else a
        parameter that nothing reads is a second name of a later like it."""
        graph = self.program["graph_module"]["graph"]
        specs = [set_member(s) for s in
                 self.program["graph_module"]["signature"]["input_specs"]]
        found = [(s["parameter_name"], s["arg"]["name"]) for kind, s in specs
                 if kind == "parameter"]
        for output in graph["outputs"]:
            self.read.update(self.tensors(output))
        total, met = 0, set()
        for k, (name, place) in enumerate(found):
            path, size = self.stored.get(name, (None, 0))
            key = path if size else name
            twin = any(p in self.read and n != name and
                       self.shape(graph, p) == self.shape(graph, place)
                       for n, p in found[k + 1:])
            unread = place not in self.read and not size and twin
            if key in met or unread:
                continue
            met.add(key)
            total += math.prod(self.shape(graph, place))
        return total

    def row(self):
        self.walk(self.program["graph_module"]["graph"])
        uncounted = ", ".join(f"{n} {c}" for n, c in sorted(self.open.items()))
        return [self.schema(), sum(self.calls.values()), len(self.calls),
                self.parameters(), self.macs, uncounted or "-"]


def main(paths):
    for path in paths:
        try:
            row = Reader(path).row()
        except LookupError:
            row = ["refused", *["-"] * 5]
        print(" | ".join(map(str, [os.path.basename(path), *row])))


main(sys.argv[1:])
