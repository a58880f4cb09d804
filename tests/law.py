#!/usr/bin/env python3
"""law.py [--strict] [--apart] [FILE...] - checks streams against the law.

formats/simfront-trace-1.md, sections 1 to 3, written down a second time and
from the page alone, and each record against the schema. Prints the first line
of each file, or of standard input, that breaks it, and exits 1 if any does.
With --strict, what only writers must keep (no white space, shortest numbers)
is checked, too. With --apart, what records say of each other is not.
"""
import json
import os
import re
import sys

import jsonschema

FORMATS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       os.pardir, "formats")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
NUMBER = re.compile(r'-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?')


class Broken(Exception):
    pass


def validator():
    """3.0 is no integer here, whatever JSON Schema thinks of it."""
    base = jsonschema.Draft202012Validator
    checker = base.TYPE_CHECKER.redefine(
        "integer", lambda _, x: isinstance(x, int) and x is not True
        and x is not False)
    exact = jsonschema.validators.extend(base, type_checker=checker)
    with open(os.path.join(FORMATS, "simfront-trace-1.schema.json")) as file:
        schema = json.load(file)
    base.check_schema(schema)
    return exact(schema)


def members(pairs):
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise Broken("member %r twice" % key)
    return dict(pairs)


def no_constant(text):
    raise Broken("%s is no JSON" % text)


def significant(text):
    digits = re.sub(r"[eE].*|[-.]", "", text).lstrip("0")
    return len(digits.rstrip("0"))


def check_spelling(line):
    bare = STRING.sub('""', line)
    if re.search(r"\s", bare):
        raise Broken("white space between tokens")
    if not line.startswith('{"kind":"'):
        raise Broken("kind is not the first member")
    for number in NUMBER.findall(bare):
        if re.search("[.eE]", number):
            if significant(number) > significant(repr(float(number))):
                raise Broken("%s is not the shortest decimal" % number)


# Kinds that a trace has one of at most, and the ops' member that each is of.
ALONE = {"device": "cost", "accel": "lower", "summary": "sim",
         "partition": "ep"}
SUMS = ("flops", "macs", "bytes", "weight_bytes", "tiled_bytes", "crossings",
        "crossing_bytes")


class Reader:
    def __init__(self, strict, apart, schema):
        self.strict = strict
        self.apart = apart
        self.schema = schema
        self.inside = False
        self.traces = 0

    def line(self, raw):
        text = raw.decode("utf-8")
        if self.strict:
            check_spelling(text)
        record = json.loads(text, object_pairs_hook=members,
                            parse_constant=no_constant)
        if not isinstance(record, dict) or not record:
            raise Broken("no object with members")
        if next(iter(record)) != "kind":
            raise Broken("kind is not the first member")
        for error in self.schema.iter_errors(record):
            raise Broken("%s at %s" % (error.message[:200],
                                       list(error.absolute_path)))
        self.order(record)

    def order(self, record):
        kind = record["kind"]
        if kind == "trace":
            if self.inside:
                raise Broken("a trace inside a trace")
            self.inside, self.header = True, True
            self.traces += 1
            self.ops = self.tiles = self.last_tile_op = 0
            self.alone, self.carry = {}, dict.fromkeys(ALONE.values(), 0)
            self.sums, self.counted = dict.fromkeys(SUMS, 0), 0
            self.subgraphs = self.claimed = 0
            return
        if not self.inside:
            raise Broken("a record outside a trace")
        if kind == "tool" and not self.header:
            raise Broken("a tool behind another record")
        self.header = self.header and kind == "tool"
        if kind == "op":
            self.op(record)
        elif kind == "tile":
            self.tile(record)
        elif kind in ALONE:
            if kind in self.alone:
                raise Broken("a second " + kind)
            self.alone[kind] = record
        elif kind == "end":
            if not self.apart:
                self.agree()
            if record["ops"] != self.ops:
                raise Broken("%d ops, %d counted" % (self.ops, record["ops"]))
            self.inside = False

    def op(self, record):
        if record["i"] != self.ops:
            raise Broken("i is %d, not %d" % (record["i"], self.ops))
        self.ops += 1
        for tensor in record["inputs"] + record["outputs"]:
            self.tensor(tensor)
        deps = record.get("lower", {}).get("deps", [])
        if deps != sorted(deps) or any(d >= record["i"] for d in deps):
            raise Broken("deps are not ascending, or lie ahead")
        self.needs_reason(record)
        if not self.apart:
            self.add(record)

    def add(self, record):
        """To what the ops of the trace come to."""
        if "lower" in record and "accel" not in self.alone:
            raise Broken("lowered before any accel")
        for member in self.carry:
            self.carry[member] += member in record
        self.counted += "category" in record
        if self.counted not in (0, self.ops):
            raise Broken("some ops are counted, some are not")
        sim, side = record.get("sim", {}), record.get("ep", {})
        for name in ("flops", "macs", "weight_bytes"):
            self.sums[name] += record.get(name, 0)
        self.sums["bytes"] += (record.get("bytes_read", 0) +
                               record.get("bytes_written", 0))
        self.sums["tiled_bytes"] += sim.get("tiled_bytes", 0)
        for name in ("crossings", "crossing_bytes"):
            self.sums[name] += side.get(name, 0)
        if max(self.sums.values()) >= 2 ** 63:
            raise Broken("a sum passes 2^63-1")
        subgraph = side.get("subgraph", -1)
        if subgraph > self.subgraphs:
            raise Broken("subgraphs are not numbered as they begin")
        self.subgraphs += subgraph == self.subgraphs
        self.claimed += subgraph >= 0

    def agree(self):
        """What one record says of others is what they are."""
        for kind, member in ALONE.items():
            n = self.carry[member]
            if n and kind not in self.alone:
                raise Broken("%s of ops without a %s" % (member, kind))
            if kind in ("device", "partition") and kind in self.alone and \
                    n != self.ops:
                raise Broken("%s of %d of %d ops" % (member, n, self.ops))
        said = self.alone.get("summary")
        if said and said["ops"] != self.carry["sim"]:
            raise Broken("a summary of another number of ops")
        said = self.alone.get("partition")
        if said and (said["claimed"], said["subgraphs"], said["crossings"],
                     said["crossing_bytes"]) != (
                         self.claimed, self.subgraphs, self.sums["crossings"],
                         self.sums["crossing_bytes"]):
            raise Broken("a partition that its ops do not add up to")

    def needs_reason(self, record):
        if record.get("category") == "unknown" or "unresolved" in record:
            return
        if "category" in record and record["flops"] > 0:
            for tensor in record["inputs"] + record["outputs"]:
                if tensor and (tensor["shape"] is None or any(
                        not isinstance(d, int) for d in tensor["shape"])):
                    raise Broken("flops counted from unknown shapes")

    @staticmethod
    def tensor(tensor):
        if tensor is None or tensor["shape"] is None:
            return
        sizes = tensor["shape"]
        if all(isinstance(size, int) for size in sizes):
            elements = 1
            for size in sizes:
                elements *= size
            if max(elements, elements * tensor.get("itemsize", 0)) >= 2 ** 63:
                raise Broken("the tensor passes 2^63-1")

    def tile(self, record):
        if record["i"] != self.tiles:
            raise Broken("tile i is %d, not %d" % (record["i"], self.tiles))
        self.tiles += 1
        if record["op"] != self.ops - 1:
            raise Broken("a tile that is not behind its op")
        if record["t"] != sorted(record["t"]):
            raise Broken("a tile's times run backwards")

    def end(self):
        if self.inside:
            raise Broken("the input ends inside a trace")
        if self.traces == 0:
            raise Broken("no trace")


def check(lines, strict, apart, schema):
    """What breaks the law, with its line; None when nothing does."""
    reader = Reader(strict, apart, schema)
    number = 0
    try:
        for number, raw in enumerate(lines, 1):
            if strict and not raw.endswith(b"\n"):
                raise Broken("the last line has no LF")
            reader.line(raw.rstrip(b"\n"))
        number += 1
        reader.end()
    except (Broken, UnicodeDecodeError, json.JSONDecodeError) as error:
        return "line %d: %s" % (number, error)
    return None


def main(arguments):
    strict, apart = "--strict" in arguments, "--apart" in arguments
    names = [name for name in arguments if not name.startswith("--")]
    broken = 0
    schema = validator()
    for name in names or ["-"]:
        with open(0 if name == "-" else name, "rb") as lines:
            why = check(lines, strict, apart, schema)
        if why:
            broken += 1
            print("law: %s: %s" % (name, why), file=sys.stderr)
    return broken != 0


sys.exit(main(sys.argv[1:]))
