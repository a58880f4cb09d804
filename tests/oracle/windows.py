#!/usr/bin/env python3
"""Windows of a run, cut from the times of its tiles.

windows.py TRACE WINDOWS  the second is what sf-report --windows N --format json
                          says of the first

Every interval is intersected with every window that it may touch, by sorting
edges; what a tile waited for is told by looking at what is left of the time
before its compute when the load's parts are taken away.
"""

import bisect
import json
import sys


def intervals(tile, op, before):
    """(what, from, until) of a tile; BEFORE is the end of the compute before."""
    issue, dep, alloc, load_end, comp_start, comp_end, store, stored = tile["t"]
    if comp_start > before:
        parts = [("dependency", issue, dep), ("buffer_full", dep, alloc),
                 ("load_bandwidth", alloc, load_end)]
        for what, start, end in parts:
            yield what, max(start, before), min(end, comp_start)
    yield "compute", comp_start, comp_end
    yield op["lower"]["unit"], comp_start, comp_end
    yield "load_dma", alloc, load_end
    yield "load_dma_waits", issue, alloc
    yield "store_dma", store, stored


def cut(trace):
    ops, before, makespan, told = {}, 0.0, 0.0, []
    for line in open(trace):
        record = json.loads(line)
        if record["kind"] == "op":
            ops[record["i"]] = record
        elif record["kind"] == "summary":
            makespan = record["makespan_s"]
        elif record["kind"] == "tile":
            told += intervals(record, ops[record["op"]], before)
            before = record["t"][5]
    told.append(("store_tail", before, makespan))
    return told, makespan


def main(trace, windows):
    got = json.load(open(windows))["windows"]
    told, makespan = cut(trace)
    edges = [w["from_s"] for w in got] + [got[-1]["until_s"]]
    for i, at in enumerate(edges):
        assert abs(at - makespan * i / len(got)) <= 1e-15 * makespan, (i, at)
    want = [{} for _ in got]
    for what, start, end in told:
        if end <= start:
            continue
        first = max(bisect.bisect_right(edges, start) - 1, 0)
        for i in range(first, len(got)):
            if edges[i] >= end:
                break
            part = min(end, edges[i + 1]) - max(start, edges[i])
            want[i][what] = want[i].get(what, 0.0) + part
    for i, window in enumerate(got):
        length = edges[i + 1] - edges[i]
        for what in ("dependency", "buffer_full", "load_bandwidth", "compute",
                     "array", "vector", "load_dma", "load_dma_waits",
                     "store_dma", "store_tail"):
            share = want[i].get(what, 0.0) / length
            if abs(share - window[what]) > 1e-9:
                sys.exit(f"window {i} {what}: {window[what]}, want {share}")
    tiles = sum(what == "compute" for what, _, _ in told)
    print(f"{len(got)} windows, {tiles} tiles, equal")


if __name__ == "__main__":
    main(*sys.argv[1:])
