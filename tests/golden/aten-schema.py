#!/usr/bin/env python3
"""Prints tests/data/aten-schema.tsv: the operators of PyTorch's dispatcher in
namespace aten, a line each: the name without its overload, what its first
overload takes and what it returns. T is a tensor, T[] a list of them, ? one
that may be left out, - nothing of the kind. Run with the PyTorch that the
table is of."""

import torch


def kinds(arguments):
    found = []
    for argument in arguments:
        text = str(argument.type)
        if "Tensor" not in text:
            continue
        kind = "T[]" if "List" in text else "T"
        found.append(kind + ("?" if "Optional" in text else ""))
    return ",".join(found) or "-"


def main():
    names = {}
    for full in torch._C._dispatch_get_all_op_names():
        if full.startswith("aten::"):
            base, _, overload = full.removeprefix("aten::").partition(".")
            names.setdefault(base, []).append(overload)
    print("# Names and kinds of PyTorch %s; tests/golden/aten-schema.py."
          % torch.__version__.partition("+")[0])
    for base in sorted(names):
        overload = "" if "" in names[base] else min(names[base])
        schema = torch._C._get_schema("aten::" + base, overload)
        print(base, kinds(a for a in schema.arguments if not a.is_out),
              kinds(schema.returns), sep="\t")


main()
