#!/usr/bin/env python3
"""mutants.py SEED COUNT COMMAND FILE... - run COMMAND, a shell's, COUNT times on
damaged copies of the files ("$1" in it): bytes flipped, ends cut off, lines
swapped, doubled, spliced in from another file, members doubled, numbers made
large. Every run must end with status 0 and nothing on standard error, or with
3 (or 1 or 2 for those that may) and one line. Prints each run that did not and
keeps its file."""

import os
import random
import re
import subprocess
import sys
import tempfile

NUMBERS = [b"0", b"-1", b"1e308", b"9223372036854775807",
           b"9223372036854775808", b"4294967296", b"1.5", b"null", b'""',
           b"[]", b"{}", b"true", b"1e-400", b"-0", b"\xff", b"1e999"]


def flip(rng, data, _):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 8])):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def put_byte(rng, data, _):
    data = bytearray(data)
    data[rng.randrange(len(data))] = rng.choice(b'\0\n"\\{}[],:\x7f\x80\xff09')
    return bytes(data)


def cut(rng, data, _):
    return data[:rng.randrange(len(data))]


def remove(rng, data, _):
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.choice([1, 1, 2, 8, 64]):]


def double(rng, data, _):
    at, n = rng.randrange(len(data)), rng.choice([1, 4, 16, 64, 256])
    return data[:at] + data[at:at + n] + data[at:]


def lines(rng, data, other):
    mine, theirs = data.split(b"\n"), other.split(b"\n")
    i, how = rng.randrange(len(mine)), rng.randrange(4)
    if how == 0:
        mine[i:i] = [rng.choice(theirs)]
    elif how == 1:
        mine[i:i + 1] = [mine[i], mine[i]]
    elif how == 2:
        del mine[i]
    else:
        j = rng.randrange(len(mine))
        mine[i], mine[j] = mine[j], mine[i]
    return b"\n".join(mine)


def splice(rng, data, other):
    return data[:rng.randrange(len(data))] + other[rng.randrange(len(other)):]


def member(rng, data, _):
    found = list(re.finditer(rb'"\w+":(?:"[^"\n]*"|[-\d.e]+|\[[^]\[\n]*\])',
                             data))
    if not found:
        return flip(rng, data, _)
    a, b = rng.choice(found), rng.choice(found)
    how = rng.randrange(3)
    if how == 0:
        return data[:a.end()] + b"," + a.group() + data[a.end():]
    if how == 1:
        return data[:a.start()] + b.group() + data[a.end():]
    return data[:a.end()] + b"," + b.group() + data[a.end():]


def number(rng, data, _):
    found = list(re.finditer(rb'(?<=[\[,:])-?\d+(?:\.\d+)?(?=[\],}\n])', data))
    if not found:
        return flip(rng, data, _)
    a = rng.choice(found)
    return data[:a.start()] + rng.choice(NUMBERS) + data[a.end():]


BYTES = [flip, flip, put_byte, cut, remove, double, splice]
TEXT = BYTES + [lines, lines, member, member, number, number, number]


def fault(run, may):
    if run.returncode not in may:
        return "status %d" % run.returncode
    said = run.stderr.count(b"\n")
    if run.returncode > 1 and said != 1 or said > 1:
        return "%d lines on standard error" % said
    if not run.stderr.endswith(b"\n") and run.stderr:
        return "an open line on standard error"
    return None


def main():
    seed, count, command = sys.argv[1:4]
    files = []
    for name in sys.argv[4:]:
        with open(name, "rb") as f:
            files.append(f.read() or b"\n")
    may = {int(x) for x in os.environ.get("MAY", "0 3").split()}
    kept = os.environ.get("KEEP", ".")
    rng, bad = random.Random(int(seed)), 0
    with tempfile.NamedTemporaryFile() as f:
        for i in range(int(count)):
            data = rng.choice(files)
            kinds = TEXT if data[:1] in b"{[" else BYTES
            for _ in range(rng.choice([1, 1, 1, 2, 3])):
                data = rng.choice(kinds)(rng, data, rng.choice(files)) or b"{"
            f.seek(0)
            f.truncate()
            f.write(data)
            f.flush()
            try:
                run = subprocess.run(
                    ["bash", "-c", command, "-", f.name], timeout=60,
                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                what = fault(run, may)
            except subprocess.TimeoutExpired:
                run, what = None, "no end"
            if what is None:
                continue
            bad += 1
            path = os.path.join(kept, "mutant-%s-%d" % (seed, i))
            with open(path, "wb") as out:
                out.write(data)
            print("%s: %s: %s" % (path, what, command))
            if run is not None:
                sys.stdout.write(run.stderr.decode(errors="replace"))
    sys.exit(bad != 0)


main()
