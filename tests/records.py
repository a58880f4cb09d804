#!/usr/bin/env python3
"""records.py [--list] STREAM... - damage every member of every record, and hold
all programs that read the record to one verdict.

Each STREAM is a whole trace named after the programs that may read it (READERS
below). Every member that the JSON Schema knows is, one at a time, taken away,
written twice, and given a value of every other type and out of range. Where the
schema refuses the record so damaged, and where a member is there twice, every
program that reads it must refuse the stream with status 3 and one line that
names the record's line. Where the schema takes it, either all of them find the
member wrong or none does. Ends with the number of damages and of runs."""

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import jsonschema

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
SCHEMA = json.load(open(os.path.join(
    ROOT, "formats", "simfront-trace-1.schema.json"), encoding="utf-8"))
DEFS = SCHEMA["$defs"]

# The programs that take each stream, with the parts of records that they look
# into besides what all look into: trace, tool, note, op and end.
EVERYBODY = {"trace", "tool", "note", "op", "end"}
READERS = {
    "traced": [
        (["sf-rules"], set()),
        (["sf-report"], set()),
    ],
    "counted": [
        (["sf-cost", "--device", "h100"], {"op.gemms"}),
        (["sf-lower", "--preset", "edge-npu"], {"op.gemms"}),
        (["sf-ep", "--claim", "matmul,Conv,aten.mm"], set()),
        (["sf-report"], set()),
        (["sf-diff", "-", "counted"], set()),
    ],
    "costed": [
        (["sf-report"], {"device", "op.cost"}),
        (["sf-plot", "--kind", "roofline", "--output", "roofline.svg"],
         {"device", "op.cost"}),
    ],
    "lowered": [
        (["sf-sim"], {"accel", "op.lower"}),
        (["sf-sim", "--engine", "event"], {"accel", "op.lower"}),
        (["sf-check"], {"accel", "op.lower"}),
        (["sf-report"], {"accel"}),
    ],
    "tiled": [
        (["sf-report"], {"accel", "op.sim", "summary"}),
        (["sf-chrome"], {"accel", "op.lower", "op.sim", "tile", "summary"}),
        (["sf-plot", "--output", "timeline.svg"],
         {"accel", "op.lower", "op.sim", "tile", "summary"}),
    ],
    "swept": [
        (["sf-front", "--front", "tiles"], {"point"}),
        (["sf-front", "--sort", "i", "--format", "csv"], {"point"}),
    ],
    "extended": [
        (["sf-cost", "--device", "h100"], {"op.gemms"}),
        (["sf-report"], set()),
    ],
    "blocked": [
        (["sf-sim"], {"accel", "op.lower"}),
        (["sf-sim", "--engine", "event"], {"accel", "op.lower"}),
    ],
    "spent": [
        (["sf-report"], {"accel", "op.sim", "summary"}),
        (["sf-compare"], {"summary"}),
    ],
    "split": [
        (["sf-sim"], {"accel", "op.lower"}),
    ],
    "shared": [
        (["sf-report"], {"summary"}),
        (["sf-chrome"], {"tile"}),
    ],
    "partitioned": [
        (["sf-report"], {"partition", "op.ep"}),
    ],
}
# What stands in an op as a record of its own.
INNER = {"gemms", "window", "lower", "cost", "sim", "ep"}


class Raw(str):
    """A number as it is spelled."""


class Record(list):
    """An object as the pairs that it is made of."""


def parse(line):
    return json.loads(line, object_pairs_hook=Record, parse_int=Raw,
                      parse_float=Raw)


def text(value):
    if isinstance(value, Record):
        return "{%s}" % ",".join(
            json.dumps(k) + ":" + text(v) for k, v in value)
    if isinstance(value, list):
        return "[%s]" % ",".join(map(text, value))
    if isinstance(value, Raw):
        return str(value)
    return json.dumps(value)


def deref(schema):
    while "$ref" in schema:
        schema = DEFS[schema["$ref"].rsplit("/", 1)[1]]
    return schema


def of_type(schema, value):
    """The alternative of SCHEMA that VALUE is of."""
    schema = deref(schema)
    for other in schema.get("oneOf", []):
        other = deref(other)
        wanted = {Record: "object", list: "array", str: "string",
                  type(None): "null"}.get(type(value))
        if other.get("type") == wanted:
            return other
    return schema


def members(value, schema, path):
    """Each member and element below VALUE that the schema knows: how to reach
    it, as indices, and its names."""
    schema = of_type(schema, value)
    if isinstance(value, Record):
        for i, (key, inner) in enumerate(value):
            known = schema.get("properties", {}).get(
                key, schema.get("additionalProperties"))
            if known is None or (key == "kind" and not path):
                continue
            names = path + [key]
            yield (i,), names
            for steps, further in members(inner, known, names):
                yield (i,) + steps, further
    elif isinstance(value, list) and "items" in schema:
        for i, inner in enumerate(value[:2]):
            yield (i,), path + [i]
            for steps, further in members(inner, schema["items"],
                                          path + [i]):
                yield (i,) + steps, further


OTHERS = [None, True, False, Raw("-1"), Raw("1.5"), Raw("9223372036854775808"),
          Raw("1e400"), "", "no such word", [], Record()]

# What a reader may do without, though every writer writes it: what follows from
# other members, and parameters that have a default.
MAY_LACK = {"itemsize", "preset"}


def add_defaults():
    keys = subprocess.run(["sf-lower", "--keys"], capture_output=True,
                          check=True, text=True).stdout
    for line in keys.splitlines():
        name, _, _, default = line.split("\t")[:4]
        if default != "-":
            MAY_LACK.add(name)


def edited(value, steps, change):
    """VALUE with CHANGE at the end of STEPS: a list of what stands there."""
    head, rest = steps[0], steps[1:]
    out = value.__class__(value)
    if isinstance(value, Record):
        key, inner = value[head]
        if rest:
            out[head] = (key, edited(inner, rest, change))
        else:
            out[head:head + 1] = [(key, v) for v in change(inner)]
    elif rest:
        out[head] = edited(value[head], rest, change)
    else:
        out[head:head + 1] = change(value[head])
    return out


def damages(value, steps):
    """Each damage of what STEPS lead to, as (what, record, certain)."""
    inside = value
    for step in steps[:-1]:
        inside = inside[step]
        if isinstance(inside, tuple):
            inside = inside[1]
    if isinstance(inside, Record):
        yield "missing", edited(value, steps, lambda v: []), False
        yield "twice", edited(value, steps, lambda v: [v, v]), True
    for other in OTHERS:
        yield (text(other), edited(value, steps, lambda v: [other]),
               other == "1e400")


def plain(value):
    if isinstance(value, Record):
        return {k: plain(v) for k, v in value}
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, Raw):
        return json.loads(value)
    return value


VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def part_of(kind, names, what=""):
    """Which part of a record a damage is in: the member itself is the op's as
    long as it is of the type that it must be."""
    if kind == "op" and names[0] in INNER and (len(names) > 1 or
                                               what in ("[]", "{}")):
        return "op." + names[0]
    return kind


WORDS = re.compile(r"'[^']*' (is there twice|is missing, expected |is .*, "
                   r"expected )|found .*, expected ")


def run(command, stream):
    """Its status, and what it says."""
    done = subprocess.run(command, input=stream, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stderr.decode(errors="replace")


def verdict(program, n, status, err):
    """Whether it refuses the record on line N, or None and what is wrong."""
    if status == 0 or status == 1 and program[0] == "sf-diff":
        return False, None
    if status != 3 or err.count("\n") != 1:
        return None, "status %d, %r" % (status, err)
    at_line = re.match(r"%s: <stdin>:%d: " % (program[0], n), err)
    return bool(at_line and WORDS.search(err)), None if at_line else err


def judge(name, lines, n, names, what, record, certain, programs):
    """What is wrong with the verdicts on one damage; the number of runs."""
    kind = dict(record)["kind"]
    line = text(record)
    stream = "\n".join(lines[:n] + [line] + lines[n + 1:] + [""]).encode()
    refused = certain or not VALIDATOR.is_valid(plain(record))
    if what == "missing" and names[-1] in MAY_LACK:
        refused = False
    found = {}
    where = "%s: %s %s, %s" % (name, kind, ".".join(map(str, names)), what)
    wrong = []
    for program in programs:
        refuses, complaint = verdict(program, n + 1, *run(program, stream))
        if refuses is None or (refused and not refuses):
            wrong.append("%s: %s: expected a refusal, found %s" % (
                where, " ".join(program),
                complaint or "that it takes the record"))
        found[" ".join(program)] = refuses
    # Whether products name inputs that are there is asked by who reads both.
    of_products = names == ["inputs"] and "gemms" in dict(record)
    if not refused and not of_products and len(set(found.values())) > 1:
        wrong.append("%s: no one verdict: %s" % (where, found))
    return wrong, len(programs)


def work(name, seen, judged):
    """The damages of a stream, with the programs that have not judged one like
    it: one of each is enough, whichever record and stream has it."""
    lines = open(name, encoding="utf-8").read().splitlines()
    for n, line in enumerate(lines):
        record = parse(line)
        kind = dict(record)["kind"]
        for steps, names in members(record, DEFS.get(kind, {}), []):
            path = tuple("#" if isinstance(x, int) else x for x in names)
            part = part_of(kind, names)
            programs = [
                program for program, parts in READERS[name]
                if part in EVERYBODY | parts
                and (kind, path, *program[:3]) not in judged]
            seen.add((kind, path))
            judged.update((kind, path, *program[:3]) for program in programs)
            if not programs:
                continue
            looking = {tuple(program): EVERYBODY | parts
                       for program, parts in READERS[name]}
            for what, damaged, certain in damages(record, steps):
                part = part_of(kind, names, what)
                yield name, lines, n, names, what, damaged, certain, [
                    p for p in programs if part in looking[tuple(p)]]


def known(schema, path):
    """Every member that the schema names, as `seen` has them."""
    schema = deref(schema)
    for other in schema.get("oneOf", []):
        yield from known(other, path)
    for key, inner in schema.get("properties", {}).items():
        yield path + (key,)
        yield from known(inner, path + (key,))
    if "items" in schema:
        yield from known(schema["items"], path + ("#",))


def main(names):
    add_defaults()
    seen, judged = set(), set()
    jobs = [job for name in names for job in work(name, seen, judged)]
    missing = [(kind, path) for kind in DEFS if "is_" + kind in DEFS
               for path in known(DEFS[kind], ()) if (kind, path) not in seen]
    for kind, path in missing:
        print("no stream has a %s with %s" % (kind, ".".join(path)))
    for name in names:
        stream = open(name, "rb").read()
        for program, _ in READERS[name]:
            status, err = run(program, stream)
            if status != 0 or not all(
                    ": note: " in line for line in err.splitlines()):
                print("%s: %s refuses it undamaged: %s" % (
                    name, " ".join(program), err))
                missing.append(name)
    runs, wrong = 0, []
    with ThreadPoolExecutor(2) as pool:
        for complaints, n in pool.map(lambda job: judge(*job), jobs):
            wrong += complaints
            runs += n
    print("\n".join(wrong[:40]))
    print("%d damages, %d runs, %d wrong" % (len(jobs), runs, len(wrong)))
    return 1 if wrong or missing or not jobs else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
