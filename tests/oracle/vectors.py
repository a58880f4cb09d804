#!/usr/bin/env python3
"""Holds the C against nests, one JSON object a line, to the last bit.

    vectors.py PROGRAM CASES        cases with what they must come to
    vectors.py PROGRAM random N S   N random ones of seed S, by dataflow.py
    vectors.py make N S             N random ones, as they are kept

PROGRAM is build/unit/accel-vectors, which runs each product twice, the second
waiting for the first, on every engine. Prints how many were equal.
"""
import json
import random
import subprocess
import sys

import dataflow

TIMES = 8


def line_of(case):
    """A case as the program reads it."""
    gemm, accel = case["gemm"], dict(dataflow.EDGE, **case["accel"])
    conv = gemm.get("conv")
    conv = (list(conv) + [1])[:8] if conv else [0] * 8
    numbers = [gemm[k] for k in ("batch", "m", "k", "n", "e_in", "e_out")]
    settings = [f"{k}={'on' if v is True else 'off' if v is False else v!r}"
                .replace("'", "") for k, v in accel.items()]
    return " ".join(map(str, numbers + conv + settings))


def read(line):
    """What the program says of a case."""
    words = line.split()
    bb, bm, bn, bk = map(int, words[:4])
    tiles, nread, written, macs, cycles = map(int, words[5:10])
    reals = [float(w) for w in words[10:]]
    return dict(nest=dict(bb=bb, bm=bm, bn=bn, bk=bk, order=words[4]),
                tiles=tiles, read=nread, written=written, macs=macs,
                cycles=cycles, estimate=reals[0], first=reals[1:1 + TIMES],
                last=reals[1 + TIMES:1 + 2 * TIMES], makespan=reals[-1])


def differences(got, want):
    """Of what is wanted; six times are those from the grant on."""
    for key, value in want.items():
        if key in ("accel", "gemm"):
            continue
        have = got[key]
        if key in ("first", "last") and len(value) == TIMES - 2:
            have = have[2:]
        if have != value:
            yield f"{key} is {have}, not {value}"


def random_case(rng):
    """Small enough to write all tiles down, of the search's many blocks."""
    accel = {}

    def sometimes(key, *values):
        if rng.random() < 0.5:
            accel[key] = rng.choice(values)

    sometimes("clock_hz", 9.4e8, 1e6)
    searched = rng.random() < 0.3
    # Few enough sizes for a search that writes all tiles of each down.
    sometimes("array_rows", *([16, 24] if searched else [1, 4, 8, 16]))
    sometimes("array_cols", *([16, 20] if searched else [1, 4, 8, 16]))
    sometimes("arrays", 2, 3)
    sometimes("dataflow", "ws", "is")
    sometimes("array_fill", "fold", "load", "preload")
    sometimes("conv", "implicit", "taps")
    sometimes("reuse", True)
    sometimes("acc_bytes", 4096, 8192)
    sometimes("acc_itemsize", 4)
    sometimes("latency", "pipelined")
    sometimes("op_overhead", 1e-6)
    sometimes("quantise", True)
    sometimes("dram_interleave", True)
    sometimes("dram_channels", 1, 4)
    sometimes("dram_bw", 8e9, 450e9)
    sometimes("dram_latency", 0.0, 1e-8)
    sometimes("noc_bw", 1e12)
    sometimes("noc_latency", 0.0)
    sometimes("tile_fraction", 0.3, 1.0)
    accel["buffer_bytes"] = rng.choice([4096, 4096, 32768, 262144])
    if searched:
        accel["blocks"] = rng.choice(["time", "bytes"])
    gemm = dict(batch=rng.choice([1, 1, 2, 5]), e_in=rng.choice([1, 2, 4]),
                e_out=rng.choice([1, 2, 4]), n=rng.randint(1, 60), conv=None)
    if rng.random() < 0.5:
        images, p, q = rng.randint(1, 3), rng.randint(1, 9), rng.randint(1, 12)
        c, r, s = rng.randint(1, 24), rng.choice([1, 3]), rng.choice([1, 3, 5])
        gemm.update(m=images * p * q, k=c * r * s,
                    conv=[images, p, q, c, r, s, rng.choice([1, 2]),
                          rng.choice([1, 1, 2])])
    else:
        gemm.update(m=rng.randint(1, 90), k=rng.randint(1, 90))
    return dict(accel=accel, gemm=gemm)


def random_cases(n, seed):
    rng = random.Random(seed)
    while n > 0:
        case = random_case(rng)
        try:
            yield {**case, **dataflow.run(case, 300)}
        except dataflow.TooMany:
            continue
        n -= 1


def main():
    if sys.argv[1] == "make":
        for case in random_cases(int(sys.argv[2]), int(sys.argv[3])):
            print(json.dumps(case))
        return 0
    program, source = sys.argv[1:3]
    if source == "random":
        cases = list(random_cases(int(sys.argv[3]), int(sys.argv[4])))
    else:
        with open(source, encoding="utf-8") as file:
            cases = [json.loads(line) for line in file]
    run = subprocess.run([program], check=True, text=True,
                         input="".join(line_of(c) + "\n" for c in cases),
                         stdout=subprocess.PIPE)
    lines = run.stdout.splitlines()
    wrong = len(lines) != len(cases)
    for i, (case, line) in enumerate(zip(cases, lines)):
        for difference in differences(read(line), case):
            print(f"case {i}: {difference}: {line_of(case)}")
            wrong = True
    print(f"{len(cases)} nests")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
