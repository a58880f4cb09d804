#!/usr/bin/env python3
"""members.py [-e EVERY] [-s FIRST] [-d] [-v] - each member, hostile.

Streams of every stage are made, small ones, and of each member of their records
the value is replaced by numbers at the edges, by values of another type, by
text that is none, by deep nesting, or the member is there twice; or a whole
record is missing, there twice or behind the next one. Each program that takes
the stream as it was reads what came out. Every run ends with status 0, or with
3 and one line that begins with the program's name and a place; what it writes
has no number that is none; and all programs take it, or all refuse it, but for
what one cannot do that others need not (LIMITS).
With -e every EVERY-th trial is made, from the FIRST, and all of whole records;
with -d only numbers with a fraction are replaced, by the largest and the least,
and only what computes with them is run. A line for each thing that is wrong, then
how many were tried. Status 1 when there is any.

SF_BIN has the programs.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
BIN = pathlib.Path(os.environ.get("SF_BIN", ROOT / "build/bin")).resolve()
SECONDS = 60

TOKENS = [
    b"0", b"-0", b"-1", b"1", b"1.5", b"3.0", b"1e308", b"1e-308", b"5e-324",
    b"-1e308", b"1e999", b"9007199254740993", b"9223372036854775807",
    b"9223372036854775808", b"-9223372036854775808", b"1e15", b"null", b"true",
    b"false", b'""', b'"x"', b"[]", b"{}", b"[null]", b'{"a":1}', b"[1,2]",
    b'"\\ud800"', b'"a\\u0000b"', b'"\xff"', b'"\\u202e\\u001b[31m=1+1|`<"',
    b"[" * 1000 + b"]" * 1000, b"NaN", b"Infinity", b"01", b"0x1",
]

DOUBLES = [b"1e308", b"5e-324", b"1e100", b"1e-100"]
COMPUTE = ("sf-report", "sf-report --format json", "sf-compare - -",
           "sf-sim", "sf-chrome", "sf-front -F makespan_s",
           "sf-plot -o out.svg in", "sf-plot -k roofline -o out.svg in",
           "sf-plot -k front -c dram_bw,makespan_s -o out.svg in")

SAMPLES = {
    "raw": "cat raw",
    "rules": "sf-rules raw",
    "cost": "sf-rules raw | sf-cost -d h100",
    "offload": "sf-rules raw | sf-cost -o optical -l pcie5 -s matmul",
    "lower": "sf-rules raw | sf-lower -p edge-npu",
    "sim": "sf-rules raw | sf-lower -p edge-npu | sf-sim -t",
    "cores": "sf-rules raw | sf-lower -p edge-npu -s cores=2 | sf-sim -t",
    "whole": "sf-rules raw | sf-lower -q -p edge-npu | sf-sim -t",
    "energy": "sf-rules raw | sf-lower -p horowitz-45nm | sf-sim",
    "ep": "sf-rules raw | sf-ep --claim aten.mm",
    "sweep": "sf-rules raw | sf-sweep -p edge-npu -g dram_bw=20GB/s,30GB/s",
    "costs": "sf-rules raw | sf-sweep --cost -s device=h100 -g bw_eff=0.5,1",
    "ntt": "sf-ntt --log-n 4 | sf-rules | sf-lower -p edge-npu | sf-sim -t",
    "measured": "sf-dispatch kineto | sf-rules",
}

# A filter comes first; what ends in a file of its own needs no other.
PROGRAMS = """
pass
sf-rules
sf-cost -d h100
sf-lower -p edge-npu
sf-sim
sf-sim --engine event
sf-ep --claim aten.mm
sf-report
sf-report --format json
sf-report --format csv
sf-report --format html
sf-report --footprint
sf-report --by module
sf-report --by op
sf-report --windows 3
sf-check
sf-compare - -
sf-chrome
sf-sweep -p edge-npu -g dram_bw=20GB/s,30GB/s
sf-sweep --cost -s device=h100 -g bw_eff=0.5,1
sf-front -F makespan_s
sf-front -F total_s
sf-front --all
sf-calibrate -d h100
sf-diff in in
sf-plot -o out.svg in
sf-plot -k roofline -o out.svg in
sf-plot -k front -c dram_bw,makespan_s -o out.svg in
"""
FILTERS = ("pass", "sf-rules", "sf-cost", "sf-lower", "sf-sim", "sf-ep")

# What one program says of a sound stream that others have no reason to refuse.
LIMITS = re.compile(rb"'--max-tiles' is|of buffer, buffer_bytes is|"
                    rb"tile's bytes pass|it is split over|"
                    rb"the trace has no (accel|device) record|"
                    rb"a record behind a point|is behind a later one|"
                    rb"point \d+ is there twice|has no number '")

RAW = [
    {"kind": "trace", "format": "simfront-trace/1", "model": "m",
     "route": "export", "workload": {"batch": 1, "tokens": 4, "context": 3},
     "params": {"count": 24, "bytes": 96},
     "graph": {"compile_id": "0/0", "stage": "aot", "direction": "forward",
               "rank": 0, "attempt": 0}},
    {"kind": "tool", "tool": "t", "version": "1", "args": ["a"],
     "inputs": [{"name": "n", "crc32": "00000000"}],
     "assumed": [{"node": "n", "trips": 2}, {"node": "o", "branch": "then"}]},
    {"kind": "note", "tool": "t", "text": "text"},
    {"kind": "op", "i": 0, "name": "aten.mm", "node": "n", "module": "a.b",
     "phase": "forward", "measured_s": 1e-5,
     "inputs": [{"tid": "x", "shape": [4, 8], "dtype": "f32", "itemsize": 4},
                {"tid": "w", "shape": [8, 6], "dtype": "f32", "itemsize": 4,
                 "param": True}],
     "outputs": [{"tid": "y", "shape": [4, 6], "dtype": "f32",
                  "itemsize": 4}], "attrs": {"a": 1, "b": [1.5, "s"]}},
    {"kind": "op", "i": 1, "name": "aten.relu",
     "inputs": [{"tid": "y", "shape": [4, 6], "dtype": "f32", "itemsize": 4}],
     "outputs": [{"tid": "z", "shape": [4, 6], "dtype": "f32", "itemsize": 4}]},
    {"kind": "op", "i": 2, "name": "aten.sum", "folded": True,
     "inputs": [{"tid": "z", "shape": [4, 6], "dtype": "f32", "itemsize": 4}],
     "outputs": [{"tid": "s", "shape": [], "dtype": "f32", "itemsize": 4}]},
    {"kind": "acme", "a": {"b": [1]}},
    {"kind": "end", "ops": 3},
]


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def run(argv, work, stdin=b""):
    env = dict(os.environ, PATH=f"{BIN}:{BIN.parent}/unit:{os.environ['PATH']}",
               SIMFRONT_CONFIGS=str(ROOT / "configs"))
    return subprocess.run(argv, cwd=work, input=stdin, capture_output=True,
                          env=env, timeout=SECONDS, check=False)


def paths(value, at=()):
    """The places below VALUE, which is an object or a list."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield at + (key,)
        if isinstance(inner, (dict, list)):
            yield from paths(inner, at + (key,))


def replaced(value, path, token, twice):
    """The text of VALUE with TOKEN at PATH, or the member behind itself."""
    if not path:
        return token
    parts = []
    for key, inner in (value.items() if isinstance(value, dict)
                       else enumerate(value)):
        text = (replaced(inner, path[1:], token, twice) if key == path[0]
                else compact(inner).encode())
        if isinstance(value, dict):
            text = compact(key).encode() + b":" + text
            if key == path[0] and len(path) == 1 and twice:
                text += b"," + compact(key).encode() + b":" + \
                    compact(inner).encode()
        parts.append(text)
    ends = b"{}" if isinstance(value, dict) else b"[]"
    return ends[:1] + b",".join(parts) + ends[1:]


def shape_of(path):
    """Elements of a list are one place, but for the first two."""
    return tuple(min(p, 1) if isinstance(p, int) else p for p in path)


def trials(stream, doubles):
    """(what, the stream, of a whole record) of each, a place of a kind once."""
    lines = stream.splitlines()
    seen = set()
    for n, line in enumerate(lines):
        record = json.loads(line)
        for path in paths(record):
            place = (record["kind"], shape_of(path))
            if place in seen:
                continue
            seen.add(place)
            inner = record
            for key in path:
                inner = inner[key]
            named = not isinstance(path[-1], int)
            tokens = TOKENS + ([compact(inner).encode()] if named else [])
            if doubles:
                tokens = DOUBLES if isinstance(inner, float) else []
            for token in tokens:
                twice = token is not TOKENS[0] and named and \
                    token == compact(inner).encode()
                yield (f"{record['kind']}.{'.'.join(map(str, path))}"
                       f"{' twice' if twice else ''} = {token[:30].decode('latin-1')}",
                       b"\n".join(lines[:n] +
                                  [replaced(record, path, token, twice)] +
                                  lines[n + 1:]) + b"\n", False)
        if not doubles and (record["kind"], ()) not in seen:
            seen.add((record["kind"], ()))
            for how, new in (("missing", []), ("twice", [line, line]),
                             ("behind the next", lines[n + 1:n + 2] + [line])):
                after = n + 1 + (how == "behind the next")
                yield (f"{record['kind']} {how}",
                       b"\n".join(lines[:n] + new + lines[after:]) + b"\n",
                       True)


NO_NUMBER = re.compile(rb"(?<![\w.\\\"-])-?(nan|inf|infinity)(?![\w\"])", re.I)


def wrong(line, done, work):
    """What is wrong with a run, or None."""
    name = line.split()[0]
    if done.returncode not in (0, 3) and not (
            line.startswith(("sf-diff", "sf-check")) and done.returncode == 1):
        return f"status {done.returncode}: {done.stderr[:200]!r}"
    if done.returncode == 3:
        said = [s for s in done.stderr.splitlines()
                if not s.startswith(b"%s: note: " % name.encode())]
        if len(said) != 1 or not re.match(
                rb"%s: (<stdin>|in|-)(:\d+|: )" % name.encode(), said[0]):
            return f"said {done.stderr[:300]!r}"
        if re.search(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae",
                     done.stderr):
            return f"said what is hidden: {done.stderr[:300]!r}"
    out = done.stdout
    picture = work / "out.svg"
    if picture.exists():
        out += picture.read_bytes()
        picture.unlink()
    found = NO_NUMBER.search(out)
    if found and done.returncode == 0:
        return f"writes {out[max(0, found.start() - 60):found.end() + 20]!r}"
    return None


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("-e", "--every", type=int, default=1)
    args.add_argument("-s", "--start", type=int, default=0)
    args.add_argument("-k", "--sample", choices=SAMPLES)
    args.add_argument("-d", "--doubles", action="store_true")
    args.add_argument("-v", "--verbose", action="store_true")
    args = args.parse_args()
    runs = bad = at = 0
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        (work / "raw").write_text("".join(compact(r) + "\n" for r in RAW))
        (work / "kineto").write_bytes((
            ROOT / "tests/data/profiles/train.kineto.json.gz").read_bytes())
        for sample, made in SAMPLES.items():
            if args.sample not in (None, sample):
                continue
            good = run(["bash", "-o", "pipefail", "-c", made], work)
            if good.returncode != 0:
                print(f"{sample}: {good.stderr!r}")
                bad += 1
                continue
            takes = []
            for line in PROGRAMS.strip().split("\n"):
                (work / "in").write_bytes(good.stdout)
                if args.doubles and line not in COMPUTE:
                    continue
                if run(line.split(), work, good.stdout).returncode == 0:
                    takes.append(line)
            if args.verbose:
                print(f"{sample}: {takes}", flush=True)
            for what, stream, whole in trials(good.stdout, args.doubles):
                at += 1
                if not whole and at % args.every != args.start % args.every:
                    continue
                (work / "in").write_bytes(stream)
                verdicts = {}
                for line in takes:
                    runs += 1
                    try:
                        done = run(line.split(), work, stream)
                        problem = wrong(line, done, work)
                        verdicts[line] = (done.returncode, done.stderr)
                    except subprocess.TimeoutExpired:
                        problem = f"not done in {SECONDS} s"
                    if problem:
                        bad += 1
                        print(f"{sample}: {what}: {line}: {problem}",
                              flush=True)
                bad += differ(sample, what, verdicts)
    print(f"{runs} runs, {bad} wrong")
    return bad != 0 or runs == 0


def differ(sample, what, verdicts):
    refuse = [(k, v[1]) for k, v in verdicts.items() if v[0] == 3]
    take = [k for k, v in verdicts.items() if v[0] != 3]
    # The smallest filter names no records.
    take = [k for k in take if k != "pass"]
    if not refuse or not take or LIMITS.search(refuse[0][1]):
        return 0
    print(f"{sample}: {what}: taken by {take}, refused by {refuse[0][0]} and "
          f"{len(refuse) - 1} more: {refuse[0][1][:200]!r}", flush=True)
    return 1


sys.exit(main())
