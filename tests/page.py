#!/usr/bin/env python3
"""page.py shape PAGE | tables PAGE MARKDOWN | pictures PAGE PREFIX | tags PAGE

Looks at a page of sf-report. `shape` dies unless it is well-formed, as XML too,
has nothing but the elements and attributes that a report has, refers to nothing
outside, and has the answer before tables and these before pictures in each
section. `tables` dies unless tables and headings are those of the same report in
Markdown, cell by cell. `pictures` writes the SVG of each picture to PREFIX1.svg
and so on and prints how many there are. `tags` counts start tags by name, of any
page.
"""
import html.parser
import re
import sys
import xml.etree.ElementTree

VOID = {"meta"}
ALLOWED = {
    "html": {"lang"}, "head": set(), "title": set(), "style": set(),
    "meta": {"charset", "http-equiv", "content", "name"}, "body": set(),
    "nav": set(), "ul": set(), "li": set(), "a": {"href"},
    "section": {"id"}, "h1": set(), "h2": set(), "h3": set(), "p": set(),
    "strong": set(), "pre": set(), "div": {"class"}, "table": set(),
    "thead": set(), "tbody": set(), "tr": set(), "th": {"class"},
    "td": {"class"}, "figure": set(),
    "svg": {"xmlns", "width", "height", "viewbox", "font-family", "fill",
            "stroke-linejoin", "role", "aria-label", "x", "y"},
    "path": {"d", "fill", "stroke", "stroke-width", "stroke-dasharray"},
    "text": {"x", "y", "font-size", "fill", "font-weight", "text-anchor",
             "transform"},
}


def fail(text):
    sys.exit("page: " + text)


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.order, self.ids, self.links = [], [], set(), []
        self.tables, self.headings = [], []
        self.cell = None
        self.feed(text)
        self.close()
        if self.open:
            fail(f"not closed: {self.open}")

    def handle_starttag(self, tag, attrs):
        if tag not in ALLOWED:
            fail(f"an element {tag}")
        for name, value in attrs:
            if name not in ALLOWED[tag]:
                fail(f"an attribute {name} of {tag}")
            if name == "id":
                self.ids.add(value)
            if name == "href":
                self.links.append(value)
        if tag not in VOID:
            self.open.append(tag)
        if tag in ("section", "table", "figure"):
            self.order.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th", "h1", "h2", "h3"):
            self.cell = ""

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            fail(f"</{tag}> closes nothing")
        if tag in ("td", "th"):
            self.tables[-1][-1].append(self.cell)
        elif tag in ("h1", "h2", "h3"):
            self.headings.append((int(tag[1]), self.cell))
        if tag in ("td", "th", "h1", "h2", "h3"):
            self.cell = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data

    def handle_comment(self, data):
        fail(f"a comment: {data}")


def shape(text):
    xml.etree.ElementTree.fromstring(text.replace("<!DOCTYPE html>\n", ""))
    page = Page(text)
    for link in page.links:
        if link[:1] != "#" or link[1:] not in page.ids:
            fail(f"a link to {link}")
    if re.search(r"url\(|@import|javascript:|src=", text):
        fail("something outside")
    order = " ".join(page.order) + " "
    if not re.fullmatch(r"(section (table )*(figure )*)+", order):
        fail(f"the order is {order}")
    return page


def unescape(text):
    return re.sub(r"\\([!-/:-@[-`{-~])|\*\*", lambda m: m[1] or "", text)


def from_markdown(text):
    tables, headings, inside = [], [], False
    for line in text.split("\n"):
        if line.startswith("#"):
            level = len(line) - len(line.lstrip("#"))
            headings.append((level, unescape(line[level:].strip())))
        if not line.startswith("|"):
            inside = False
            continue
        if not inside:
            tables.append([])
        inside = True
        cells = re.findall(r"\|((?:\\.|[^|\\])*)(?=\|)", line)
        tables[-1].append([unescape(cell.strip(" ")) for cell in cells])
    for table in tables:
        del table[1]  # of dashes
    return tables, headings


class Tags(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.counts = {}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1


def main(what, path, *rest):
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    if what == "pictures":
        pictures = re.findall(r"<figure>\n(.*?</svg>\n)</figure>", text, re.S)
        for i, svg in enumerate(pictures):
            with open(f"{rest[0]}{i + 1}.svg", "w", encoding="utf-8") as out:
                out.write(svg)
        print(len(pictures))
        return
    if what == "tags":
        for tag, count in sorted(Tags(text).counts.items()):
            print(tag, count)
        return
    page = shape(text)
    if what == "tables":
        with open(rest[0], encoding="utf-8", newline="") as file:
            tables, headings = from_markdown(file.read())
        if page.tables != tables:
            for ours, theirs in zip(page.tables, tables):
                if ours != theirs:
                    fail(f"found {ours}, expected {theirs}")
            fail(f"{len(page.tables)} tables, expected {len(tables)}")
        own = [h for h in page.headings if h[1] not in (
            "Pictures", "All together")]
        if own != headings:
            fail(f"headings {own}, expected {headings}")


main(*sys.argv[1:])
