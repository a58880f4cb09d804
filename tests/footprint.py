#!/usr/bin/env python3
"""Random traces and what they need, by going through all operators for each.

footprint.py DIRECTORY N [SEED]
                          writes N counted traces and what is live at most, by
                          the definition: for each operator, the sum over all
                          storages that must be there while it runs
"""

import json
import random
import sys

F32 = {"dtype": "f32", "itemsize": 4}


def tensor(tid, n, **more):
    return dict({"tid": tid, "shape": [n]}, **F32, **more)


def random_trace(rng):
    """Operators as (name, category, inputs, outputs), values as (tid, n)."""
    n = rng.randint(1, 30)
    values = [(f"in{i}", rng.randint(0, 50), i % 3 == 2) for i in range(4)]
    ops = []
    for i in range(n):
        kind = rng.choice(["make", "make", "view", "inplace", "two"])
        read = [rng.choice(values) for _ in range(rng.randint(1, 3))]
        made = [(f"v{i}", rng.randint(0, 50), False)]
        if kind == "two":
            made.append((f"w{i}", rng.randint(0, 50), False))
        name = {"view": "aten.view", "inplace": "aten.relu_"}.get(kind, "x.y")
        ops.append((name, "view" if kind == "view" else "elementwise",
                    read, made))
        values += [(t, k, kind in ("view", "inplace") and read[0][2])
                   for t, k, _ in made]
    kept = set()
    if rng.random() < 0.5:
        kept = {v[0] for v in rng.sample(values, rng.randint(1, 3))}
    caches = {v[0] for v in rng.sample(values, rng.randint(0, 3))}
    return ops, kept, caches


def root(tid, ops):
    """The value in whose storage TID lies."""
    for name, category, read, made in ops:
        if tid in [t for t, _, _ in made]:
            if category == "view" or name.endswith("_"):
                return root(read[0][0], ops)
            return tid
    return tid


def needs(ops, kept, caches, consumed):
    size, uses, made_at = {}, {}, {}
    inputs, params = set(), set()
    for i, (name, category, read, made) in enumerate(ops):
        for t, k, param in read + made:
            r = root(t, ops)
            uses.setdefault(r, []).append(i)
            if t == r:
                size[r] = 4 * k
                if param:
                    params.add(r)
        for t, _, _ in made:
            made_at.setdefault(root(t, ops), i)
    for r in uses:
        if r.startswith("in"):
            inputs.add(r)
    # A kept value is known where it stands in an operator.
    marked = set(kept)
    there = {t for _, _, read, made in ops for t, _, _ in read + made}
    kept = {root(t, ops) for t in kept & there} or (
        None if kept & there else {root(t, ops) for t, _, _ in ops[-1][3]})
    # Who makes a cache that is kept replaces those of the inputs it reads.
    replaced = {root(t, ops) for _, _, read, made in ops
                if any(v in caches and v in marked for v, _, _ in made)
                for t, _, _ in read} if marked else set()
    caches = {root(t, ops) for t in caches & there}
    best, at, part = -1, -1, 0
    for i in range(len(ops)):
        live = cached = 0
        for r in uses:
            if r in params:
                continue
            first = 0 if r in inputs else made_at[r]
            stays = r in kept or (r in inputs and not consumed and not (
                r in replaced and r in caches))
            if first <= i and (stays or i <= max(uses[r])):
                live += size[r]
                cached += size[r] if r in caches else 0
        if live > best:
            best, at, part = live, i, cached
    held = sum(size[r] for r in kept if r in size and r not in params)
    return {"kept": held, "peak": best, "cache": part,
            "activations": best - part, "op": at}


def write(path, ops, kept, caches):
    with open(path, "w") as f:
        def put(record):
            print(json.dumps(record, separators=(",", ":")), file=f)
        put({"kind": "trace", "format": "simfront-trace/1", "model": "m",
             "route": "export", "params": {"count": 1, "bytes": 1000}})
        for i, (name, category, read, made) in enumerate(ops):
            def of(t, k, param):
                more = {"param": True} if param else {}
                if t in kept:
                    more["kept"] = True
                if t in caches:
                    more["cache"] = True
                return tensor(t, k, **more)
            put({"kind": "op", "i": i, "name": name,
                 "inputs": [of(*v) for v in read],
                 "outputs": [of(*v) for v in made],
                 "category": category, "flops": 0, "bytes_read": 0,
                 "bytes_written": 0, "weight_bytes": 0})
        put({"kind": "end", "ops": len(ops)})


def main(directory, n, seed=1):
    rng = random.Random(int(seed))
    with open(f"{directory}/want", "w") as want:
        for i in range(int(n)):
            ops, kept, caches = random_trace(rng)
            write(f"{directory}/{i:04d}.sft", ops, kept, caches)
            for consumed in (False, True):
                print(json.dumps(needs(ops, kept, caches, consumed),
                                 separators=(",", ":")), file=want)


main(*sys.argv[1:])
