#!/usr/bin/env python3
"""Compares the modules that sf-model says with those that PyTorch was in.

usage: model-modules.py MODULES.jsonl.gz MANIFEST [PATTERN]

MODULES is what tests/golden/family-modules.py recorded of the traces of a
manifest. Prints, of each trace that differs, its first operator that does and
how many do; then how many traces were compared. Status 1 when one differs.
With PATTERN, only the traces whose path has it.
"""

import csv
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys


def load(name):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    loader = importlib.machinery.SourceFileLoader("model_same", path)
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("model_same", loader))
    loader.exec_module(module)
    return module


model_same = load("model-same.py")


def differences(words, wanted):
    """Each operator that is in another module: place, name, said, wanted."""
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    said = [(op["name"], op.get("module", ""))
            for op in model_same.ops(done.stdout.splitlines())]
    if len(said) != len(wanted):
        return [(0, "operators", len(said), len(wanted))]
    return [(i, name, got, want)
            for i, ((name, got), want) in enumerate(zip(said, wanted))
            if got != want]


def main(modules, manifest, pattern=""):
    directory = os.path.dirname(manifest)
    rows = {row["path"]: row for row in csv.DictReader(
        model_same.read(manifest), delimiter="\t")}
    compared = wrong = 0
    for line in map(json.loads, model_same.read(modules)):
        if pattern not in line["path"]:
            continue
        words = model_same.command(rows[line["path"]], directory, ".")
        found = differences(words, [line["modules"][k] for k in line["of"]])
        compared += 1
        wrong += bool(found)
        for i, name, got, want in found[:1]:
            print(f"{line['path']}: op {i} {name} is in '{got}', expected"
                  f" '{want}'; {len(found)} of {len(line['of'])} differ")
    print(compared)
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
