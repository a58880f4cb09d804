#!/usr/bin/env python3
"""Compares traces of sf-model with golden ones, up to the names of tensors.

usage: model-same.py ONE TWO
       model-same.py MANIFEST CONFIGS ROUTE DEVICE

Same operators in the same order; inputs and outputs of the same shape, type
and parameter mark; both folded or neither; and the tensors of one are those of
the other renamed. The first difference is printed, with status 1.

The second form runs sf-model for each row of a manifest with that route and
device. The configuration is config.json beside the golden trace, else the
model's in CONFIGS. It ends with the number of traces that were compared.
"""

import csv
import gzip
import json
import os
import subprocess
import sys


def ops(lines):
    for line in lines:
        record = json.loads(line)
        if record["kind"] == "op":
            yield record


def read(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as f:
        return f.readlines()


def show(tensor):
    if tensor is None:
        return "none"
    mark = "*" if tensor.get("param") else ""
    return f"{tensor['tid']}{mark} {tensor['dtype']}{tensor['shape']}"


def show_op(op):
    if op is None:
        return "the end"
    sides = [", ".join(map(show, op[k])) for k in ("inputs", "outputs")]
    return f"{op['name']}({sides[0]}) -> {sides[1]}" + \
        (" folded" if op.get("folded") else "")


class Renaming:
    """Two names that stand for each other, found as the traces go by."""

    def __init__(self):
        self.forth, self.back = {}, {}

    def fits(self, a, b):
        return self.forth.setdefault(a, b) == b and \
            self.back.setdefault(b, a) == a


def same_tensor(a, b, names):
    if a is None or b is None:
        return a is b
    return all(a.get(k) == b.get(k)
               for k in ("shape", "dtype", "itemsize", "param")) \
        and names.fits(a["tid"], b["tid"])


def same_op(a, b, names):
    if a is None or b is None or a["name"] != b["name"] or \
            a.get("folded") != b.get("folded"):
        return False
    for side in ("inputs", "outputs"):
        if len(a[side]) != len(b[side]):
            return False
        for x, y in zip(a[side], b[side]):
            if not same_tensor(x, y, names):
                return False
    return True


def difference(one, two):
    """Where two traces, as lines, first differ; None when they do not."""
    names = Renaming()
    a, b = ops(one), ops(two)
    i = 0
    while True:
        x, y = next(a, None), next(b, None)
        if x is None and y is None:
            return None
        if not same_op(x, y, names):
            return f"op {i}:\n{show_op(x)}\n{show_op(y)}"
        i += 1


def same_params(one, two):
    heads = [json.loads(lines[0])["params"] for lines in (one, two)]
    return None if heads[0] == heads[1] else f"params: {heads}"


def asked(phase, size):
    """The options for a call; what it is made for: tokens, an image, both."""
    if phase == "both":
        count, image = size.split("+")
        return ["--tokens", count, "--image", image]
    if phase == "chunk":
        context, count = size.split("+")
        return ["--cache", context, "--tokens", count]
    if phase == "source":
        count, source = size.split("+")
        return ["--tokens", count, "--source", source]
    return [{"decode": "--decode", "image": "--image",
             "audio": "--audio"}.get(phase, "--tokens"), size]


def command(row, directory, configs):
    own = os.path.join(directory, os.path.dirname(row["path"]), "config.json")
    config = own if os.path.exists(own) else \
        os.path.join(configs, row["model"] + ".json")
    words = ["sf-model", config, "--route", row["route"],
             "--batch", row["batch"], "--dtype", row["dtype"],
             *asked(row["phase"], row["tokens"])]
    if row["phase"] == "last":
        words += ["--logits", "last"]
    if row["route"] == "dispatch":
        words += ["--device", row["device"]]
    return words


def compare(manifest, configs, route, device):
    directory = os.path.dirname(manifest)
    count = 0
    for row in csv.DictReader(read(manifest), delimiter="\t"):
        if row["route"] != route or row["device"] != device or \
                row["phase"] == "batch":
            continue
        words = command(row, directory, configs)
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True,
                              check=True)
        one = done.stdout.splitlines()
        two = read(os.path.join(directory, row["path"]))
        wrong = same_params(one, two) or difference(one, two)
        if wrong:
            print(f"{' '.join(words)}\n{row['path']}\n{wrong}")
            return 1
        count += 1
    print(count)
    return 0


def main(argv):
    if len(argv) == 4:
        return compare(*argv)
    wrong = difference(read(argv[0]), read(argv[1]))
    if wrong:
        print(wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
