#!/usr/bin/env python3
"""Brings a trace to the form in which golden traces are kept and compared.

What is left of it: the trace's model, route and parameters; each operator's
name, its tensors' shapes, types and parameter marks, and whether it is folded;
and the end. Tensors are named 0, 1, ... as they first appear, inputs before
outputs, so that two traces that differ only in names come out the same.

usage: normalise.py <TRACE >NORMAL
"""

import json
import sys

TENSOR = ("shape", "dtype", "itemsize", "param")
TRACE = ("kind", "format", "model", "route", "params")


class Normaliser:
    def __init__(self):
        self.names = {}

    def tensor(self, tensor):
        if tensor is None:
            return None
        name = self.names.setdefault(tensor["tid"], str(len(self.names)))
        return {"tid": name, **{k: tensor[k] for k in TENSOR if k in tensor}}

    def op(self, op):
        made = {"kind": "op", "i": op["i"], "name": op["name"]}
        for side in ("inputs", "outputs"):
            made[side] = [self.tensor(t) for t in op[side]]
        if op.get("folded"):
            made["folded"] = True
        return made

    def record(self, record):
        """The normal form of RECORD, None where it has none."""
        kind = record["kind"]
        if kind == "op":
            return self.op(record)
        if kind == "trace":
            self.names.clear()
            return {k: record[k] for k in TRACE if k in record}
        return record if kind == "end" else None


def lines(records):
    normaliser = Normaliser()
    for record in records:
        normal = normaliser.record(record)
        if normal is not None:
            yield json.dumps(normal, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    sys.stdout.writelines(lines(map(json.loads, sys.stdin)))
