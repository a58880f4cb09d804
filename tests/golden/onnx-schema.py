#!/usr/bin/env python3
"""Prints tests/data/onnx-schema.tsv: the operator schemas of ONNX, all their
versions, and those that ONNX Runtime adds, a line each: the name as a trace has
it, the version, the inputs that must be there from the first on, the most
inputs, and the fewest and most outputs; -1 is any number. Run with the onnx and
the onnxruntime that the table is of."""

import onnx
import onnx.defs
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as state

ANY = 2**31 - 1


def most(n):
    return -1 if n >= ANY else n


def leading(schema):
    """One that is left out in the middle is an empty name."""
    n = 0
    for value in schema.inputs:
        option = str(value.option).rpartition(".")[2]
        if option == "Variadic":
            return schema.min_input
        if option != "Single":
            break
        n += 1
    return min(n, schema.min_input)


def row(schema):
    return ("%s.%s" % (schema.domain or "onnx", schema.name),
            schema.since_version, leading(schema), most(schema.max_input),
            schema.min_output, most(schema.max_output))


def main():
    ours = [row(s) for s in onnx.defs.get_all_schemas_with_history()]
    names = {r[0] for r in ours}
    rows = ours + [row(s) for s in state.get_all_operator_schema()]
    print("# Schemas of ONNX %s and of ONNX Runtime %s; "
          "tests/golden/onnx-schema.py."
          % (onnx.__version__, onnxruntime.__version__))
    for r in sorted(set(r for r in rows if r in ours or r[0] not in names)):
        print(*r, sep="\t")


main()
