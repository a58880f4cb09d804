#!/usr/bin/env python3
"""gemmini.py CONFIGURATION TABLE - convolutions with what they must come to.

TABLE has a row a problem: its sizes, the block, the tiles, the bytes and the
makespan that the accelerator of CONFIGURATION gives, and the cycles that were
measured at 1 GHz. Prints how many are equal to the last bit, and the mean
absolute error against the measured ones; names each that differs.
"""
import json
import subprocess
import sys

SIZES = "C K P Q R S N stride".split()


def trace(row):
    c, k, p, q, r, s, n, stride = (int(row[x]) for x in SIZES)

    def tensor(tid, shape, **more):
        return dict(tid=tid, shape=shape, dtype="i8", itemsize=1, **more)

    op = dict(kind="op", i=0, name="aten.convolution", inputs=[
        tensor("x", [n, c, (p - 1) * stride + r, (q - 1) * stride + s]),
        tensor("w", [k, c, r, s], param=True)],
        outputs=[tensor("y", [n, k, p, q])],
        attrs=dict(stride=[stride] * 2, padding=[0, 0], dilation=[1, 1],
                   transposed=False, groups=1))
    head = dict(kind="trace", format="simfront-trace/1", model="conv",
                route="export")
    return "".join(json.dumps(x) + "\n"
                   for x in (head, op, dict(kind="end", ops=1)))


def run(row, configuration):
    text = trace(row)
    for command in (["sf-rules"], ["sf-lower", "-p", configuration],
                    ["sf-sim"]):
        text = subprocess.run(command, input=text, stdout=subprocess.PIPE,
                              check=True, text=True).stdout
    records = [json.loads(line) for line in text.splitlines()]
    gemm = next(r for r in records if r["kind"] == "op")["lower"]["gemms"][0]
    summary = next(r for r in records if r["kind"] == "summary")
    return dict({k: gemm[k] for k in ("bb", "bm", "bn", "bk", "tiles")},
                order=gemm.get("order", "mnk"), read=summary["bytes"]["read"],
                written=summary["bytes"]["written"],
                makespan_s=summary["makespan_s"])


def main():
    configuration, table = sys.argv[1:]
    with open(table, encoding="utf-8") as file:
        lines = [x.rstrip("\n").split("\t") for x in file
                 if not x.startswith("#")]
    rows = [dict(zip(lines[0], line)) for line in lines[1:]]
    equal, error = 0, 0.0
    for row in rows:
        got = run(row, configuration)
        different = [k for k, v in got.items()
                     if v != type(v)(row[k])]
        for k in different:
            print(f"{row}: {k} is {got[k]}, not {row[k]}")
        equal += not different
        measured = float(row["rtl_best_cycles"])
        error += abs(got["makespan_s"] * 1e9 - measured) / measured
    print(f"{equal} of {len(rows)} problems, mean absolute error "
          f"{100 * error / len(rows):.1f} %")
    return equal != len(rows)


if __name__ == "__main__":
    sys.exit(main())
