"""Compares inferred shapes with recorded ones.

    shapes-truth.py PROGRAM nodes TRUTH.tsv DIRECTORY
    shapes-truth.py PROGRAM models TRUTH-DIRECTORY MODELS-DIRECTORY
    shapes-truth.py PROGRAM cases DIRECTORY

PROGRAM is build/unit/shapes. Prints how many outputs (nodes: tests, others:
values) are right, unknown in part, and wrong; then every one that is not right.
"""

import glob
import json
import os
import re
import subprocess
import sys

NAMES = {
    "f32": "float32", "f16": "float16", "bf16": "bfloat16", "f64": "float64",
    "b8": "bool", "u8": "uint8", "i8": "int8", "u16": "uint16", "i16": "int16",
    "u32": "uint32", "i32": "int32", "u64": "uint64", "i64": "int64",
    "str": "string", "c64": "complex64", "c128": "complex128",
    "f8e4m3fn": "float8e4m3fn", "f8e4m3fnuz": "float8e4m3fnuz",
    "f8e5m2": "float8e5m2", "f8e5m2fnuz": "float8e5m2fnuz",
    "f8e8m0fnu": "float8e8m0", "f4e2m1fn": "float4e2m1",
    "u4": "uint4", "i4": "int4", "u2": "uint2", "i2": "int2",
}


def judge_tensor(found, true):
    """1 right, 0 unknown in part, -1 wrong."""
    dtype, rest = re.match(r"([^\[?]*|\?)(\[.*\]|\?|)$", found).groups()
    true_dtype, true_rest = re.match(r"([^\[]*)(\[.*\])$", true).groups()
    verdict = 1
    if true_dtype == "?":  # not recorded
        pass
    elif dtype in ("", "?"):
        verdict = 0
    elif NAMES.get(dtype, dtype).replace("_", "") != true_dtype.replace("_", ""):
        return -1
    if not rest.startswith("["):
        return 0
    dims, true_dims = ([d for d in text[1:-1].split(",") if d]
                       for text in (rest, true_rest))
    if len(dims) != len(true_dims):
        return -1
    for dim, true_dim in zip(dims, true_dims):
        if dim == true_dim:
            continue
        if dim.isdigit():
            return -1
        verdict = 0
    return verdict


def items_of(text):
    """The text between the braces, taken apart at the outermost ';'."""
    items, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "{") - (c == "}")
        if c == ";" and depth == 0:
            items.append(text[start:i])
            start = i + 1
    return items + [text[start:]] if text else []


def judge(found, true):
    kind, true_kind = found[:3], true[:3]
    if true_kind not in ("seq", "opt") or "{" not in true:
        return -1 if "{" in found else judge_tensor(found, true)
    if "{" not in found:
        return 0 if found.endswith("?") else -1
    if kind != true_kind:
        return -1
    if found[4:-1] == "?":
        return 0
    items, true_items = items_of(found[4:-1]), items_of(true[4:-1])
    if len(items) != len(true_items):
        return -1
    return min((1 if a == b else judge(a, b)
                for a, b in zip(items, true_items)), default=1)


def run(program, *args):
    done = subprocess.run([program, *args], capture_output=True, text=True,
                          timeout=60)
    values = {}
    for line in done.stdout.splitlines():
        name, value, why = line.split("\t", 2)
        values[name] = value, why
    return done.returncode, values, done.stderr.strip()


class Count:
    def __init__(self):
        self.n = {1: 0, 0: 0, -1: 0}
        self.lines = []

    def add(self, verdict, what):
        self.n[verdict] += 1
        if verdict != 1:
            self.lines.append(("wrong" if verdict < 0 else "unknown") +
                              "\t" + what)

    def print(self):
        print(f"{self.n[1]} right, {self.n[0]} unknown, {self.n[-1]} wrong")
        print("\n".join(self.lines))


def nodes(program, truth, directory):
    count = Count()
    with open(truth, encoding="utf-8") as f:
        columns = f.readline().rstrip("\n").split("\t")
        for line in f:
            row = dict(zip(columns, line.rstrip("\n").split("\t")))
            model = os.path.join(directory, row["model"])
            if not os.path.exists(model):  # without the suite's name
                model = os.path.join(directory, row["test"], "model.onnx")
            data = os.path.join(os.path.dirname(model), "test_data_set_0")
            inputs = glob.glob(os.path.join(data, "input_*.pb"))
            inputs.sort(key=lambda p: int(re.search(r"(\d+)\.pb", p)[1]))
            status, values, message = run(program, model, *inputs)
            verdict, text = (1, "") if status == 0 else (-1, message)
            outputs = row["true_outputs"]
            if row["defect"] == "stored bfloat16 as uint16":
                outputs = outputs.replace("uint16", "bfloat16")
            for output in outputs.split(" "):
                if status != 0 or "=" not in output:
                    continue
                name, true = output.rsplit("=", 1)
                found, why = values.get(name, ("?", ""))
                one = judge(found, true)
                verdict = min(verdict, one)
                if one != 1:
                    text += f" {name}: {found} for {true}, {why};"
            count.add(verdict, f"{row['test']}\t{row['ops'][:60]}\t{text}")
    count.print()


def models(program, truths, directory):
    count = Count()
    for truth in sorted(glob.glob(os.path.join(truths, "*.tsv"))):
        name = os.path.basename(truth)[:-4]
        shapes, rows = [], []
        with open(truth, encoding="utf-8") as f:
            for line in f:
                fields = line.rstrip("\n").split("\t")
                if line.startswith("# input\t"):
                    dims = re.search(r"\[(.*)\]", fields[2])[1]
                    shapes += ["-s", fields[1] + "=" + dims.replace(",", "x")]
                elif not line.startswith("#"):
                    rows.append(fields)
        status, values, message = run(
            program, "-a", *shapes,
            os.path.join(directory, name + ".onnx"))
        for row in rows:
            found, why = values.get(row[0], ("?", message))
            verdict = judge(found, row[1] + row[2])
            if status != 0:
                verdict = -1
            count.add(verdict, f"{name}\t{row[0]}\t{found} for "
                      f"{row[1] + row[2]}\t{' '.join(row[3:])}\t{why}")
    count.print()


def cases(program, directory):
    count = Count()
    for path in sorted(glob.glob(os.path.join(directory, "*.expect.json"))):
        with open(path, encoding="utf-8") as f:
            case = json.load(f)
        for name in case.get("files", []):
            if not name.endswith(".onnx"):
                continue
            status, values, message = run(
                program, "-a", os.path.join(directory, name))
            for output, dims in case.get("expect", {}).get("outputs", {}).items():
                true = "?[" + ",".join(map(str, dims)) + "]"
                found, why = values.get(output, ("?", message))
                verdict = judge(found, true) if status == 0 else -1
                count.add(verdict,
                          f"{name}\t{output}\t{found} for {true}\t{why}")
    count.print()


if __name__ == "__main__":
    {"nodes": nodes, "models": models, "cases": cases}[sys.argv[2]](sys.argv[1], *sys.argv[3:])
