"""The frame of tests/*-forms.py, which all are called in one way:

    draw COUNT SEED    configurations and a list of runs
    check <COUNTED     the traces of that list, in its order

"draw" writes config-NNNN.json into the current directory, each with the line of
runs.tsv that tells its options, and drawn.json. "check" reads what sf-rules
counted of each run and compares it with what the forms want.
"""

import json
import math
import random
import sys

ITEM = {"bf16": 2, "f16": 2, "f32": 4}  # bytes


def size_options(run):
    """How much is run, and in which type."""
    words = ["--batch", run["batch"], "--dtype", run["dtype"]]
    words += ["--decode", run["context"]] if run["context"] else \
        ["--tokens", run["tokens"]]
    return " ".join(map(str, words))


def route_options(run):
    """How a program sees it: by name of a device, or of a route."""
    kind = "device" if run["route"] in ("meta", "cpu") else "route"
    return f"--{kind} {run['route']}"


def options(_, run):
    return f"{size_options(run)} {route_options(run)}"


def draw(draw_one, words, count, seed):
    rnd = random.Random(seed)
    with open("runs.tsv", "w") as runs, open("drawn.json", "w") as drawn:
        for i in range(count):
            config, run = draw_one(rnd)
            with open(f"config-{i:04}.json", "w") as f:
                json.dump(config, f)
            runs.write(f"config-{i:04}.json {words(config, run)}\n")
            drawn.write(json.dumps([config, run]) + "\n")


def traces(lines):
    """What each trace of LINES sums up to."""
    for line in lines:
        r = json.loads(line)
        if r["kind"] == "trace":
            t = {"params": r["params"]["count"],
                 "param_bytes": r["params"]["bytes"], "active": None,
                 "macs": 0, "matmul": 0, "attention": 0, "weight_bytes": 0}
            kept = {}
        elif r["kind"] == "tool" and r["tool"] == "sf-model":
            t["active"] = r.get("active_params", {}).get("count")
        elif r["kind"] == "op":
            if r["category"] == "unknown":
                sys.exit(f"{r['name']} has no rule")
            if r["category"] in ("matmul", "attention"):
                t[r["category"]] += r["flops"]
            t["macs"] += r.get("macs", 0)
            t["weight_bytes"] += r["weight_bytes"]
            kept.update({x["tid"]: x["itemsize"] * math.prod(x["shape"])
                         for x in r["outputs"]
                         if r["category"] != "view" and x.get("kept")})
        elif r["kind"] == "end":
            t["cache"] = sum(kept.values())
            yield t


def check(wanted):
    with open("drawn.json") as f:
        drawn = [json.loads(line) for line in f]
    found = list(traces(sys.stdin))
    if len(found) != len(drawn):
        sys.exit(f"{len(found)} traces, expected {len(drawn)}")
    for (config, run), got in zip(drawn, found):
        want = wanted(config, run)
        if want != {key: got[key] for key in want}:
            sys.exit(f"{config}\n{run}\ngot  {got}\nwant {want}")
    print(len(found))


def main(draw_one, words, wanted):
    """DRAW_ONE gives a configuration and a run, from a source of randomness;
    WORDS the options of both; WANTED what the forms know of that which traces
    sum up to."""
    if sys.argv[1] == "draw":
        draw(draw_one, words, int(sys.argv[2]), int(sys.argv[3]))
    else:
        check(wanted)
