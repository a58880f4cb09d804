#!/usr/bin/env python3
"""scalesim-rows.py make N | check FILE - SCALE-Sim's closed forms against sf-sim.

make prints N rows of random products on arrays of many shapes: dataflow, rows
and columns of the array, M, N, K, and the cycles by SCALE-Sim's closed forms,
of which it prints the number of the last one, counted from 0. check runs the
products of such a table (plain or gzip, a line of headings first) through
sf-scalesim, sf-lower and sf-sim, prints each row that comes out otherwise and
how many were compared, and exits 1 when one differs.
"""
import collections
import gzip
import json
import random
import subprocess
import sys
import tempfile

HEAD = "dataflow\tR\tC\tM\tN\tK\tcycles"


def ceil_div(a, b):
    return -(-a // b)


def closed_form(dataflow, rows, cols, m, n, k):
    """Fills of the array times what streams by, filling and draining with it."""
    if dataflow == "os":
        fold, on_rows, on_cols = k + rows + cols - 2, m, n
    elif dataflow == "ws":
        fold, on_rows, on_cols = m + 2 * rows + cols - 2, k, n
    else:
        fold, on_rows, on_cols = n + 2 * rows + cols - 2, k, m
    return ceil_div(on_rows, rows) * ceil_div(on_cols, cols) * fold - 1


def make(count):
    rng = random.Random(12)
    print(HEAD)
    arrays = [(rng.choice([1, 2, 4, 7, 8, 16, 32, 128, 256]),
               rng.choice([1, 3, 8, 16, 64, 128])) for _ in range(16)]
    while count:
        rows, cols = rng.choice(arrays)
        sizes = [max(1, int(2 ** rng.uniform(0, 12.5))) for _ in range(3)]
        flow = rng.choice(["os", "ws", "is"])
        cycles = closed_form(flow, rows, cols, *sizes)
        # Cycles go through seconds, which hold so many of them exactly.
        if cycles < 4000000:
            print(flow, rows, cols, *sizes, cycles, sep="\t")
            count -= 1


def read(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt") as file:
        lines = file.read().splitlines()
    assert lines[0].split("\t")[:7] == HEAD.split("\t"), lines[0]
    machines = collections.defaultdict(list)
    for line in lines[1:]:
        flow, *numbers = line.split("\t")[:7]
        rows, cols, m, n, k, cycles = map(int, numbers)
        machines[flow, rows, cols].append((m, n, k, cycles))
    return machines


def cycles_of(machine, products):
    """What the report in SCALE-Sim's columns says of each product."""
    flow, rows, cols = machine
    config = {"base": "edge-npu", "array_rows": rows, "array_cols": cols,
              "dataflow": flow, "array_fill": "fold", "buffer_bytes": 2**50,
              "tile_fraction": 1, "quantise": True}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(config, file)
        file.flush()
        layers = "name,M,N,K,\n" + "".join(
            f"p{i},{m},{n},{k},\n" for i, (m, n, k, _) in enumerate(products))
        report = subprocess.run(
            "sf-scalesim | sf-rules | sf-lower -p " + file.name +
            " | sf-sim --tiles | sf-report --format scalesim", shell=True,
            input=layers, stdout=subprocess.PIPE, text=True, check=True)
    return [float(line.split(",")[2])
            for line in report.stdout.splitlines()[1:]]


def check(path):
    compared = wrong = 0
    for machine, products in read(path).items():
        got = cycles_of(machine, products)
        assert len(got) == len(products), (machine, len(got), len(products))
        for product, cycles in zip(products, got):
            compared += 1
            if cycles != product[3]:
                wrong += 1
                print(*machine, *product, "got", cycles)
    print(f"{compared} compared, {wrong} wrong")
    return wrong != 0 or compared == 0


def main():
    if sys.argv[1] == "make":
        make(int(sys.argv[2]))
        return 0
    return check(sys.argv[2])


if __name__ == "__main__":
    sys.exit(main())
