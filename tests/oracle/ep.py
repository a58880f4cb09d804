#!/usr/bin/env python3
"""Partition and cost of execution providers, written a second time.

usage: ep.py make SEED N        N random counted traces
       ep.py device TRACES      what the device runs of each, as traces
       ep.py check TRACES REPORT SIMULATED
                                compares sf-ep's JSON with what is found here;
                                SIMULATED are the device's traces, simulated

The device claims CLAIM. Standard library only.
"""
import json
import random
import sys

CLAIM = ["A", "B", "C", "aten.d"]
NAMES = ["onnx.A", "onnx.B", "onnx.C", "aten.d", "onnx.E", "onnx.F", "aten.A"]
CATEGORIES = ["matmul", "softmax", "elementwise", "norm", "reduction", "copy",
              "view", "view", "unknown"]
FREE = ("view", "unknown")


# ---- random traces ----

def tensor(tid, size, param=False):
    t = {"tid": tid, "shape": [size], "dtype": "u8", "itemsize": 1}
    return dict(t, param=True) if param else t


def random_ops(r):
    values = [tensor(f"in{i}", r.randint(0, 10**6)) for i in range(3)]
    params = [tensor(f"p{i}", r.randint(0, 10**6), True) for i in range(3)]
    category = {name: r.choice(CATEGORIES) for name in NAMES}
    reach = r.choice([3, 8, 100])
    ops = []
    for i in range(r.randint(0, 40)):
        inputs = [r.choice(values[-reach:] if r.random() < 0.8 else params)
                  for _ in range(r.randint(0, 3))]
        if r.random() < 0.1:
            inputs.append(None)
        outputs = [tensor(f"t{i}.{j}", r.randint(0, 10**6))
                   for j in range(r.choice([1, 1, 1, 2]))]
        values += outputs
        name = r.choice(NAMES)
        free = category[name] in FREE
        read = sum(t["shape"][0] for t in inputs if t)
        ops.append({"kind": "op", "i": i, "name": name, "inputs": inputs,
                    "outputs": outputs, "category": category[name],
                    "flops": 0 if free else r.randint(0, 10**8),
                    "bytes_read": 0 if free else read,
                    "bytes_written": 0 if free else sum(
                        t["shape"][0] for t in outputs),
                    "weight_bytes": 0})
    return ops


def put_trace(ops):
    head = {"kind": "trace", "format": "simfront-trace/1", "model": "r",
            "route": "onnx"}
    for record in [head] + ops + [{"kind": "end", "ops": len(ops)}]:
        print(json.dumps(record))


def traces(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            if record["kind"] == "trace":
                ops = []
            elif record["kind"] == "op":
                ops.append(record)
            elif record["kind"] == "end":
                yield ops


# ---- the partition ----

def edges(ops):
    maker, found = {}, []
    for op in ops:
        found += [(maker[t["tid"]], op["i"]) for t in op["inputs"]
                  if t and t["tid"] in maker]
        maker.update((t["tid"], op["i"]) for t in op["outputs"] if t)
    return found


def named(op):
    name = op["name"]
    return (name[5:] if name.startswith("onnx.") else name) in CLAIM


def claims(ops, joined):
    """By recursion from each node, where the program goes over the list."""
    readers = {op["i"]: [b for a, b in joined if a == op["i"]] for op in ops}
    first = {}
    for a, b in joined:
        first.setdefault(b, a)

    def wish(i):
        """True, False, or None for a node that its readers leave open."""
        if named(ops[i]) or ops[i]["category"] != "view":
            return named(ops[i])
        wishes = [wish(j) for j in readers[i]]
        wishes = [w for w in wishes if w is not None]
        return all(wishes) if wishes else None

    def side(i):
        w = wish(i)
        if w is None:
            return i in first and side(first[i])
        return w

    return [side(op["i"]) for op in ops]


def components(ops, joined, claimed):
    near = {i: set() for i in range(len(ops))}
    for a, b in joined:
        near[a].add(b)
        near[b].add(a)
    seen, groups = set(), []
    for i in range(len(ops)):
        if not claimed[i] or i in seen:
            continue
        group, todo = set(), [i]
        while todo:
            j = todo.pop()
            if claimed[j] and j not in group:
                group.add(j)
                todo += near[j]
        seen |= group
        groups.append(sorted(group))
    return groups


# ---- the cost ----

def device_categories(ops, claimed):
    return {op["category"] for op in ops
            if claimed[op["i"]] and op["category"] not in FREE}


def cost(ops, categories):
    there, moved, host_s = set(), [], 0.0  # THERE: on the host
    parts = set()  # of parameters, which are on both sides
    for op in ops:
        inputs = [t for t in op["inputs"] if t]
        on_host = op["category"] not in categories
        if op["category"] in FREE:
            first = op["inputs"][0] if op["inputs"] else None
            on_host = first is not None and first["tid"] in there
            if first and (first.get("param") or first["tid"] in parts):
                parts |= {t["tid"] for t in op["outputs"]}
        else:
            for t in inputs:
                if t.get("param") or t["tid"] in parts:
                    continue
                if (t["tid"] in there) != on_host:
                    there ^= {t["tid"]}
                    moved.append(t["shape"][0])
            if on_host:
                host_s += max(op["flops"] / 2e12, (
                    op["bytes_read"] + op["bytes_written"]) / 200e9)
        if on_host:
            there |= {t["tid"] for t in op["outputs"]}
    return moved, host_s


def found(ops):
    joined = edges(ops)
    claimed = claims(ops, joined)
    categories = device_categories(ops, claimed)
    return joined, claimed, categories


def put_device(ops):
    _, _, categories = found(ops)
    kept = [op for op in ops if op["category"] in categories
            or op["category"] in FREE]
    put_trace([dict(op, i=i) for i, op in enumerate(kept)])


def check(ops, report, makespan_s):
    joined, claimed, categories = found(ops)
    groups = components(ops, joined, claimed)
    moved, host_s = cost(ops, categories)
    link_s = sum(1e-6 + n / 64e9 for n in moved)
    want = {
        "ops": len(ops), "claimed": sum(claimed), "subgraphs": len(groups),
        "subgraph_ops": groups,
        "host_ops": [i for i in range(len(ops)) if not claimed[i]],
        "cut_edges": sum(claimed[a] != claimed[b] for a, b in joined),
        "crossings": len(moved), "crossing_bytes": sum(moved),
        "device_s": makespan_s,
    }
    for key, value in want.items():
        assert report[key] == value, (key, report[key], value, ops)
    assert set(report["categories"]) == categories
    for key, value in (("host_s", host_s), ("link_s", link_s)):
        assert abs(report[key] - value) <= 1e-12 * value, (key, ops)
    # Every node is on exactly one side, and in one subgraph at most.
    where = sum(report["subgraph_ops"], []) + report["host_ops"]
    assert sorted(where) == list(range(len(ops)))
    return len(groups), len(moved)


def main(how, *args):
    if how == "make":
        r = random.Random(int(args[0]))
        for _ in range(int(args[1])):
            put_trace(random_ops(r))
    elif how == "device":
        for ops in traces(args[0]):
            put_device(ops)
    elif how == "check":
        with open(args[1], encoding="utf-8") as file:
            reports = [json.loads(line) for line in file]
        with open(args[2], encoding="utf-8") as file:
            times = [record["makespan_s"] for record in map(json.loads, file)
                     if record["kind"] == "summary"]
        all_ops = list(traces(args[0]))
        assert len(all_ops) == len(reports) == len(times)
        results = [check(*of) for of in zip(all_ops, reports, times)]
        print(len(results), "traces,", sum(r[0] for r in results),
              "subgraphs,", sum(r[1] for r in results), "crossings")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
