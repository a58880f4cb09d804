#!/usr/bin/env python3
"""keys.py ROOT - holds what is written of parameters to the programs' tables.

The tables are what `sf-lower --keys` and `sf-cost --keys` print. The format
page and the schema of ROOT must have exactly what follows from them; the man
pages must name each parameter with its unit and its default, and no other.
Prints what is not true, a line each, and exits 1. With --print, the rows of the
format page and the definitions of the schema as they must be.
"""
import json
import re
import subprocess
import sys
from fractions import Fraction

# What units that a default may have come to.
UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
         "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "Hz": 1, "kHz": 10**3,
         "MHz": 10**6, "GHz": 10**9, "s": 1, "ms": Fraction(1, 10**3),
         "us": Fraction(1, 10**6), "ns": Fraction(1, 10**9)}

# In a record a time of a device or link says so.
SUFFIX = {"accel": "", "device": "_s", "link": "_s"}


class Row:
    def __init__(self, line, suffix):
        (self.name, self.unit, self.range, self.default,
         self.meaning) = line.split("\t")
        self.member = self.name + (suffix if self.unit == "s" else "")

    def words(self):
        return re.sub("^(one|some) of ", "", self.range).split(",")

    def kind(self):
        """In a record: array, string, boolean, integer or number."""
        for start, kind in (("some of ", "array"), ("one of ", "string"),
                            ("a text", "string"), ("on or off", "boolean"),
                            ("whole ", "integer")):
            if self.range.startswith(start):
                return kind
        return "number"

    def least(self):
        return json.loads(re.search(r"(\S+)\.\.", self.range)[1])

    def most(self):
        return json.loads(re.search(r"\.\.(\S+)", self.range)[1])

    def value(self):
        """The default as a record would have it; None: no member."""
        kind = self.kind()
        if kind == "array":
            return [word for word in self.default.split(",") if word]
        if kind == "boolean":
            return self.default == "on"
        if kind == "string":
            return self.default
        if self.default == "off":
            return 0
        if self.default == "unknown":
            return None
        number, unit = re.fullmatch(r"([-+.e0-9]+)(.*)", self.default).groups()
        x = Fraction(number) * UNITS[unit.removesuffix("/s")]
        return int(x) if x.denominator == 1 else float(x)

    def schema(self):
        kind = self.kind()
        out = {"description": self.meaning if self.unit == "-"
               else f"{self.unit}: {self.meaning}"}
        out["type"] = kind
        if kind == "array":
            out["items"] = {"enum": self.words()}
        elif self.range.startswith("one of "):
            out["enum"] = self.words()
        elif kind == "string":
            out["minLength"] = 1
        elif kind in ("integer", "number"):
            off = self.range.startswith("off or ")
            out["minimum"] = 0 if off else self.least()
            out["maximum"] = self.most()
        if self.default != "-" and self.value() is not None:
            out["default"] = self.value()
        return out

    def markdown(self):
        kind = {"array": "array of strings", "integer": "count"}.get(
            self.kind(), self.kind())
        when = "always"
        if self.default != "-" and self.value() is None:
            when = f"default {self.default}"
        elif self.default != "-":
            when = f"default `{json.dumps(self.value())}`"
        unit = "" if self.unit == "-" else f", {self.unit}"
        return f"| `{self.member}` | {kind}{unit} | {when} | {self.meaning} |"


def tables():
    """{"accel": rows, "device": rows, "link": rows}"""
    found = {"accel": [], "device": [], "link": []}
    for program, prefixes in (("sf-lower", {"": "accel"}),
                              ("sf-cost", {"": "device", "link.": "link"})):
        text = subprocess.run([program, "--keys"], check=True,
                              stdout=subprocess.PIPE).stdout.decode()
        for line in text.splitlines():
            prefix, name = re.match(r"([a-z]+\.)?(.*)", line).groups("")
            if prefix in prefixes:
                table = prefixes[prefix]
                found[table].append(Row(name, SUFFIX[table]))
    return found


def schema_of(rows):
    return {"required": [r.member for r in rows if r.default == "-"],
            "properties": {r.member: r.schema() for r in rows}}


def check_schema(root, table, rows):
    path = root + "/formats/simfront-trace-1.schema.json"
    with open(path, encoding="utf-8") as file:
        have = json.load(file)["$defs"].get(table + "_keys")
    if have != schema_of(rows):
        yield f"{path}: {table}_keys is not what the table says"


def check_format(root, table, rows):
    path = root + "/formats/simfront-trace-1.md"
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found = re.search(rf"^\| {table} \|.*\n\|[-|]*\|\n((?:\|.*\n)*)", text,
                      re.M)
    have = found[1].splitlines() if found else []
    for line in [r.markdown() for r in rows]:
        if line not in have:
            yield f"{path}: no '{line}'"
    for line in have:
        if line not in [r.markdown() for r in rows]:
            yield f"{path}: '{line}' is not in the table"


def items(path, section):
    """{tag: text} of the .It lines of a subsection of a page."""
    with open(path, encoding="utf-8") as file:
        text = re.search(rf"^\.Ss {section}\n(.*?)^\.S[sh] ", file.read(),
                         re.M | re.S)
    found = {}
    for item in re.findall(r"^\.It (.*?)(?=^\.It |^\.El)",
                           text[1] if text else "", re.M | re.S):
        tag, _, body = item.partition("\n")
        if tag in found:
            yield tag, None
        found[tag] = body
    yield from found.items()


def check_page(path, section, rows):
    want = {f"Va {r.name}" + ("" if r.unit == "-" else f" Pq {r.unit}"): r
            for r in rows}
    seen = set()
    for tag, body in items(path, section):
        if tag not in want or body is None:
            yield f"{path}: '.It {tag}' is not in the table, or twice"
            continue
        seen.add(tag)
        said = re.findall(r"default(?: is)?[ \n]+(?:\.Cm )?(\S+)", body)
        default = want[tag].default
        if said != ([] if default == "-" else [default]):
            yield f"{path}: '.It {tag}' has default {said}, not {default}"
    for tag in want:
        if tag not in seen:
            yield f"{path}: no '.It {tag}'"


def main():
    found = tables()
    if sys.argv[1] == "--print":
        for table, rows in found.items():
            print("\n".join([f"| {table} | type | | |", "|---|---|---|---|"]
                            + [r.markdown() for r in rows]))
            print(json.dumps({table + "_keys": schema_of(rows)}, indent=2))
        return
    root = sys.argv[1]
    wrong = []
    for table, page, section in (
            ("accel", "sf-lower", "Parameters"),
            ("device", "sf-cost", "Parameters of a device"),
            ("link", "sf-cost", "Parameters of a link")):
        rows = found[table]
        wrong += check_schema(root, table, rows)
        wrong += check_format(root, table, rows)
        wrong += check_page(f"{root}/docs/man/{page}.1", section, rows)
    print("\n".join(wrong), end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
