#!/usr/bin/env python3
"""same-graphs.py TRACE WALKED - whether sf-compile found the graphs that
PyTorch had: every operator's name and its tensors, with shapes, types and
parameter marks, and who made each. WALKED is one of tests/data/compile/*.jsonl.
A result that nothing reads is not in a log's text, and so may be missing; one
that an operator does not give is null in the log's trace and not in the other.
"""

import json
import sys


def graphs(path):
    found = [[]]
    for record in map(json.loads, open(path)):
        if record["kind"] == "op":
            found[-1].append(record)
        elif record["kind"] == "end":
            found.append([])
    return found[:-1]


class Names:
    def __init__(self):
        self.names = {}

    def tensors(self, tensors):
        return [t and (self.names.setdefault(t["tid"], len(self.names)),
                       t["shape"], t["dtype"], t.get("param", False))
                for t in tensors]


def main(trace, walked):
    mine, theirs = graphs(trace), graphs(walked)
    if len(mine) != len(theirs):
        sys.exit("%d graphs, expected %d" % (len(mine), len(theirs)))
    total = 0
    for ours, want in zip(mine, theirs):
        a, b = Names(), Names()
        if len(ours) != len(want):
            sys.exit("%d operators, expected %d" % (len(ours), len(want)))
        for x, y in zip(ours, want):
            results = [t for t in x["outputs"] if t]
            read = {t["tid"] for op in want for t in op["inputs"] if t}
            wanted = [t for t in y["outputs"]
                      if len(y["outputs"]) == len(results)
                      or t["tid"] in read or t is y["outputs"][0]]
            got = x["name"], a.tensors(x["inputs"]), a.tensors(results)
            right = y["name"], b.tensors(y["inputs"]), b.tensors(wanted)
            if got != right:
                sys.exit("op %d: %s, expected %s" % (x["i"], got, right))
            total += 1
    print(len(mine), total)


if __name__ == "__main__":
    main(*sys.argv[1:])
