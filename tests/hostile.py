#!/usr/bin/env python3
"""Names that are markup somewhere, in every place of a trace that takes one.

hostile.py trace          a trace for each name
hostile.py KIND <OUTPUT   holds what a program wrote for people or machines
                          against what may stand there; KIND is markdown, html, csv,
                          lines (JSON, a value a line, with all names in it),
                          json, svg or message (each several, NUL behind them)
"""

import csv
import html.parser
import io
import json
import re
import sys
import xml.etree.ElementTree

NAMES = [
    "a|b", "`a`", "*a* _b_ __c__", "<b>x</b><script>", "[x](http://y)", "&lt;",
    "~~x~~", "\\|", "a\nb", "a\r\nb", "\ttab", "\x1b[31mred", "\x1b]0;title\x07",
    "\x7f", "\x85next", "\x9b31m", "\u2028line", "\u202eright", "\u2066x\u2069",
    "=1+1", "+1", "-1+cmd|' /C calc'!A0", "@SUM(A1)", "=cmd|'/C calc'!A0",
    "\"quoted\"", "a,b", "'", "../../etc/passwd", "/etc/passwd", "-rf", "--help",
    "$(id)", "; id", "%s%n", "\u00e9\u52a0\U0001f34a", "]]>", "<!--",
]
HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f"
                    "\u2028-\u202e\u2066-\u2069]")


def trace():
    out = []
    for name in NAMES:
        tensor = {"tid": name, "shape": [2, 2], "dtype": "f32", "itemsize": 4}
        out += [
            {"kind": "trace", "format": "simfront-trace/1", "model": name,
             "route": name, "workload": {name: 1}},
            {"kind": "tool", "tool": name, "version": name, "args": [name],
             "inputs": [{"name": name, "crc32": "00000000"}]},
            {"kind": "note", "tool": name, "text": name},
            {"kind": "op", "i": 0, "name": name, "node": name,
             "inputs": [tensor], "outputs": [dict(tensor, tid=name + "'")],
             "attrs": {name: name}},
            {"kind": "op", "i": 1, "name": "aten.mm", "node": name,
             "inputs": [dict(tensor, tid=name + "'"), tensor],
             "outputs": [dict(tensor, tid=name + "''")]},
            {"kind": "end", "ops": 2}]
    for record in out:
        print(json.dumps(record, separators=(",", ":"), ensure_ascii=False))


def fail(text):
    sys.exit("hostile: " + text)


def visible(text):
    for line in text.split("\n"):
        if HIDDEN.search(line):
            fail(f"hidden characters in {line!r}")


def markdown(text):
    visible(text)
    cells = None
    for line in text.split("\n"):
        if not line.startswith("|"):
            cells = None
            continue
        n = len(re.findall(r"(?<!\\)(?:\\\\)*\|", line))
        if cells not in (None, n):
            fail(f"{n} bars where the heading has {cells}: {line}")
        cells = n
        if re.search(r"(?<!\\)(?:\\\\)*[<`]", line):
            fail(f"markup in {line}")


def is_formula(cell):
    plain = re.fullmatch(r"-[-.\w]*|[-+]?\d+(\.\d+)?(e[-+]?\d+)?", cell, re.A)
    return cell[:1] in tuple("=+-@\t\r") and cell != "" and not plain


def comma_separated(text):
    visible(text)
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    for row in rows:
        if len(row) != len(rows[0]):
            fail(f"{len(row)} cells, expected {len(rows[0])}: {row}")
        for cell in row:
            if is_formula(cell):
                fail(f"a formula: {cell!r}")


def lines_of_json(text):
    seen = set()

    def walk(value):
        if isinstance(value, str):
            seen.add(value)
        elif isinstance(value, dict):
            for k, v in value.items():
                seen.add(k)
                walk(v)
        elif isinstance(value, list):
            for v in value:
                walk(v)

    for line in text.split("\n"):
        if line:
            walk(json.loads(line))
    for name in NAMES:
        if name not in seen:
            fail(f"{name!r} is not there as it was")


def svg(text):
    visible(text)
    for e in xml.etree.ElementTree.fromstring(text).iter():
        if e.tag.endswith("script") or e.tag.endswith("}b"):
            fail(f"an element {e.tag}")


class Words(html.parser.HTMLParser):
    """All text of a page."""

    def __init__(self, text):
        super().__init__()
        self.text = ""
        self.feed(text)

    def handle_data(self, data):
        self.text += data


def page(text):
    visible(text)
    words = Words(text).text
    for name in NAMES:
        if not HIDDEN.search(name) and name not in words:
            fail(f"{name!r} is not there as it was")


def message(text):
    visible(text)
    if text.count("\n") != 1 or not text.endswith("\n"):
        fail(f"a message that is not one line: {text!r}")


def each_of(check):
    def checks(text):
        texts = text.split("\0")
        if len(texts) < len(NAMES) or texts[-1] != "":
            fail(f"{len(texts) - 1} texts, expected one a name at least")
        for one in texts[:-1]:
            check(one)
    return checks


def main(argv):
    if argv == ["trace"]:
        trace()
        return
    kinds = {"markdown": markdown, "csv": comma_separated,
             "html": page,
             "lines": lines_of_json, "json": each_of(json.loads),
             "svg": each_of(svg), "message": each_of(message)}
    kinds[argv[0]](open(0, encoding="utf-8", newline="").read())


main(sys.argv[1:])
