#!/usr/bin/env python3
"""Calibrations, made and fitted a second time.

usage: calibrate.py make SEED N A B C NOISE   a counted trace of N measured calls
                                 of matmul; time = max(flops A, bytes B) + C,
                                 times a factor around 1, and every seventh call
                                 three to thirty times as long
       calibrate.py fit TRACE    [A, B, C, deviation] by another method

The least sum of absolute deviations goes exactly through as many calls as it
has unknowns, so all triples of calls, each bound by arithmetic or by memory,
are tried. Standard library only.
"""
import itertools
import json
import random
import sys


def make(seed, n, a, b, c, noise):
    rng = random.Random(seed)
    print('{"kind":"trace","format":"simfront-trace/1","model":"m",'
          '"route":"dispatch"}')
    for i in range(n):
        moved = int(10 ** rng.uniform(3, 9))
        flops = int(moved * b / max(a, 1e-300) * 10 ** rng.uniform(-1, 1))
        time = max(flops * a, moved * b) + c
        time *= 1 + noise * rng.uniform(-1, 1)
        if noise and i % 7 == 6:
            time *= rng.uniform(3, 30)
        print(json.dumps({
            "kind": "op", "i": i, "name": "aten.mm", "inputs": [],
            "outputs": [], "measured_s": time, "category": "matmul",
            "flops": flops, "bytes_read": moved, "bytes_written": 0,
            "weight_bytes": 0}, separators=(",", ":")))
    print('{"kind":"end","ops":%d}' % n)


def solve(rows):
    """Cramer's rule for three rows (x, y, 1, right side)."""
    (a, b, c, p), (d, e, f, q), (g, h, i, r) = rows
    det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    if not det:
        return None
    return [(p * (e * i - f * h) - b * (q * i - f * r) + c * (q * h - e * r))
            / det,
            (a * (q * i - f * r) - p * (d * i - f * g) + c * (d * r - q * g))
            / det,
            (a * (e * r - q * h) - b * (d * r - q * g) + p * (d * h - e * g))
            / det]


def deviation(x, calls):
    return sum(abs(max(f * x[0], m * x[1]) + x[2] - t) / t
               for f, m, t in calls) / len(calls)


def fit(path):
    with open(path, encoding="utf-8") as file:
        ops = [json.loads(line) for line in file]
    calls = [(o["flops"], o["bytes_read"], o["measured_s"])
             for o in ops if o["kind"] == "op"]
    best = None
    for triple in itertools.combinations(calls, 3):
        for bound in itertools.product((0, 1), repeat=3):
            if len(set(bound)) == 1:
                continue
            x = solve([(f if k else 0, 0 if k else m, 1, t)
                       for (f, m, t), k in zip(triple, bound)])
            if not x or min(x) < 0:
                continue
            off = deviation(x, calls)
            if best is None or off < best[3]:
                best = x + [off]
    print(json.dumps(best))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(int(sys.argv[2]), int(sys.argv[3]), *map(float, sys.argv[4:]))
    else:
        fit(sys.argv[2])
