#!/usr/bin/env python3
"""nests.py KIND TILES - a counted trace whose operators have TILES tiles in all
on edge-npu with a buffer of 64 KiB (32 KiB a tile): "deep" GEMMs cut along all
sides, "flat" ones not along k, "batch" of small ones, "slices" of bytes, all
alike, "uneven" ones, or "mixed", a part of each."""
import json
import sys

out = sys.stdout
count = 0


def op(name, category, inputs, output, flops):
    global count

    def tensor(tid, shape):
        return {"tid": tid, "shape": shape, "dtype": "bf16", "itemsize": 2}

    def nbytes(shapes):
        total = 0
        for shape in shapes:
            n = 2
            for d in shape:
                n *= d
            total += n
        return total

    record = {"kind": "op", "i": count, "name": name,
              "inputs": [tensor(f"in{j}", s) for j, s in enumerate(inputs)],
              "outputs": [tensor(f"out{count}", output)],
              "category": category, "flops": flops,
              "bytes_read": nbytes(inputs), "bytes_written": nbytes([output]),
              "weight_bytes": 0}
    out.write(json.dumps(record, separators=(",", ":")) + "\n")
    count += 1


def deep(tiles):
    # 64 x 64 blocks of all three sides, 24 KiB each.
    m = 64 * tiles // 1024
    op("aten.mm", "matmul", [[m, 2048], [2048, 2048]], [m, 2048], m * 2**23)


def flat(tiles):
    # k = 32 stays whole; blocks of 64 x 128 or 128 x 64.
    m = 64 * tiles // 64
    op("aten.mm", "matmul", [[m, 32], [32, 8192]], [m, 8192], m * 2**19)


def batch(tiles):
    # One GEMM of 64 x 64 x 64 a tile.
    op("aten.bmm", "matmul", [[tiles, 64, 64], [tiles, 64, 64]],
       [tiles, 64, 64], tiles * 2**19)


def slices(tiles):
    n = tiles * 2**13
    op("aten.relu", "elementwise", [[n]], [n], n)


def uneven(tiles):
    # Bytes that no number of slices divides.
    n = tiles * 2**13 - 777
    op("aten.relu", "elementwise", [[n]], [n], n)


KINDS = {"deep": deep, "flat": flat, "batch": batch, "slices": slices,
         "uneven": uneven}
out.write('{"kind":"trace","format":"simfront-trace/1","model":"nests",'
          '"route":"bench"}\n')
wanted = int(sys.argv[2])
for kind in KINDS if sys.argv[1] == "mixed" else [sys.argv[1]]:
    share = wanted // (len(KINDS) if sys.argv[1] == "mixed" else 1)
    for _ in range(10):
        KINDS[kind](share // 10)
out.write(json.dumps({"kind": "end", "ops": count}, separators=(",", ":"))
          + "\n")
