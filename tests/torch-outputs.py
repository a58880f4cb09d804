#!/usr/bin/env python3
"""What sf-torch takes for an operator's outputs, for every operator there is.

usage: torch-outputs.py SF-TORCH

Of each schema of the user's PyTorch that deals in tensors, the outputs are
worked out a second time, from the schema's text: each result at its place,
null for one that is None, then what is marked as written and not returned.
Ends with how many schemas there were and how many of them write what they do
not return; status 1 when one differs.
"""
import os
import re
import sys

import torch

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "golden"))

from scripts import script  # noqa: E402

LIST = 2  # tensors in each list


def tensor():
    return torch.empty(2, device="meta")


def value(text):
    """Something of the type that begins TEXT, "Tensor(a!)[] out"."""
    if not text.startswith("Tensor"):
        return 3
    return [tensor() for _ in range(LIST)] if "[" in text.split()[0] \
        else tensor()


def split(text):
    """The parts of "Tensor a, int[] b=[1, 2]" between the outer commas."""
    parts, depth, part = [], 0, ""
    for c in text + ",":
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += c
    return [p for p in parts if p and p != "*"]


def results(text):
    return split(text[1:-1]) if text.startswith("(") else [text]


def flat(values):
    found = []
    for v in values:
        found += v if isinstance(v, list) else [v]
    return found


def marks(text):
    return set(re.findall(r"^Tensor\((\w)!", text))


def check(sf_torch, op, text):
    """The tids that are expected and found, with all results and without."""
    arguments, _, returns = text[text.index("(") + 1:].rpartition(") -> ")
    arguments, returns = split(arguments), results(returns)
    returned = set().union(*(marks(r) for r in returns), set())
    given = {a.split()[-1].partition("=")[0]: value(a) for a in arguments}
    own = [value(r) for r in returns]
    written = flat(given[a.split()[-1].partition("=")[0]] for a in arguments
                   if marks(a) and not marks(a) & returned)
    for left_out in (False, True):
        trace = sf_torch.Trace(None)
        got = [None if left_out and isinstance(v, torch.Tensor) else v
               for v in own]
        place = [v if isinstance(v, torch.Tensor) else None
                 for v in flat(got)]
        last = max((k for k, v in enumerate(flat(own))
                    if isinstance(v, torch.Tensor)), default=-1)
        expected = place[:last + 1] + written
        names = [None if t is None else trace.identity.name(t)
                 for t in expected]
        result = None if not got else got[0] if len(got) == 1 else tuple(got)
        found = trace.results(op, result) + trace.written(op, (), given)
        yield names, [t and t["tid"] for t in found]


def main():
    sf_torch = script(os.path.abspath(sys.argv[1]))
    number = writers = bad = 0
    for schema in torch._C._jit_get_all_schemas():
        text = str(schema)
        if "Tensor" not in text or "Dict" in text or "Tensor[](" in text:
            continue  # TorchScript's own, of containers
        try:
            packet = torch._C._jit_get_operation(schema.name)
            op = packet and getattr(
                getattr(getattr(torch.ops, schema.name.split("::")[0]),
                        schema.name.split("::")[1]),
                schema.overload_name or "default")
        except (AttributeError, RuntimeError):
            continue
        if op is None or op._schema.name != schema.name:
            continue
        number += 1
        for expected, found in check(sf_torch, op, text):
            if expected != found:
                bad += 1
                print(text, "expected", expected, "found", found)
        writers += "!" in text
    print("%d schemas, %d of them write" % (number, writers))
    return 1 if bad or number < 1000 else 0


sys.exit(main())
