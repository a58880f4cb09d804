#!/usr/bin/env python3
"""svg.py texts FILE... | titles FILE... | lanes FILE... | meetings FILE...

Looks at an SVG of sf-plot. `texts` prints its texts, one a line, `titles` what it
is called, `lanes` what is written at the left and at the right of each lane that
has a share of the time, top to bottom. `meetings` prints each pair of texts that cover each other, and each
text that leaves the picture; widths are those that lib/plot/advance.c has.
"""
import math
import pathlib
import re
import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
SOURCE = pathlib.Path(__file__).parent.parent / "lib/plot/advance.c"
TABLES = [[int(n) for n in re.findall(r"\d+", rows)] for rows in
          re.findall(r"\n\t+\{((?:\s*\d+,)+(?:\s*\d+)?)\s*\}",
                     SOURCE.read_text())]


def width(text, bold):
    table = TABLES[bold]
    return sum(table[ord(c) - 32] if " " <= c <= "~" else
               2048 if c == "\u2026" or ord(c) > 0x7ff else 1638
               for c in text) / 2048


class Text:
    def __init__(self, node):
        self.text = "".join(node.itertext())
        size = float(node.get("font-size"))
        x, y = float(node.get("x")), float(node.get("y"))
        w = size * width(self.text, node.get("font-weight") == "bold")
        x -= {None: 0, "middle": w / 2, "end": w}[node.get("text-anchor")]
        # Capitals and figures, which is what is seen of most.
        corners = [(x, y), (x + w, y), (x, y - 0.73 * size),
                   (x + w, y - 0.73 * size)]
        turn = node.get("transform")
        if turn:
            angle, ax, ay = map(float, re.findall(r"-?[\d.]+", turn))
            c, s = math.cos(math.radians(angle)), math.sin(
                math.radians(angle))
            corners = [(ax + c * (px - ax) - s * (py - ay),
                        ay + s * (px - ax) + c * (py - ay))
                       for px, py in corners]
        self.x0, self.x1 = (f(p[0] for p in corners) for f in (min, max))
        self.y0, self.y1 = (f(p[1] for p in corners) for f in (min, max))
        self.level = not turn or angle % 90 == 0

    def meets(self, other):
        return self.level and other.level and \
            self.x0 < other.x1 and other.x0 < self.x1 and \
            self.y0 < other.y1 and other.y0 < self.y1


def meetings(root):
    _, _, w, h = map(float, root.get("viewBox").split())
    texts = [Text(node) for node in root.iter(SVG + "text")]
    for i, a in enumerate(texts):
        if a.x0 < 0 or a.y0 < 0 or a.x1 > w or a.y1 > h:
            print("outside: %s" % a.text)
        for b in texts[:i]:
            if a.meets(b):
                print("meet: %s | %s" % (b.text, a.text))


def lanes(root):
    texts = [("".join(node.itertext()), node.get("text-anchor"),
              float(node.get("y"))) for node in root.iter(SVG + "text")]
    for share, _, y in texts:
        if re.fullmatch(r"[\d.]+ % (busy|waits)", share):
            names = [text for text, anchor, at in texts
                     if anchor == "end" and abs(at - y) < 1]
            assert len(names) == 1, (share, names)
            print("%s\t%s" % (names[0], share))


assert [len(table) for table in TABLES] == [95, 95]
for path in sys.argv[2:]:
    svg = tree.parse(path).getroot()
    if sys.argv[1] == "texts":
        sys.stdout.write("".join("".join(text.itertext()) + "\n"
                                 for text in svg.iter(SVG + "text")))
    elif sys.argv[1] == "titles":
        print(svg.get("aria-label"))
    elif sys.argv[1] == "lanes":
        lanes(svg)
    else:
        meetings(svg)
