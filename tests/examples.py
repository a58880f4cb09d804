#!/usr/bin/env python3
"""examples.py ROOT DOCUMENT... - runs the commands of documents.

A command stands in a block ```sh of a Markdown file, or in a display in the
EXAMPLES of a man page, behind "$ "; lines behind "> " belong to it. What follows
it up to the next command or the end of the block is what it must print, if
anything follows; a line "..." there stands for any lines. Each document has a
directory of its own, which holds links to the files of tests/data and to the
tree, and an empty build; its commands are run there in order and must succeed.
A command that would build, test or install is not run; its make targets must
exist. Prints what is not true and exits 1. With --count, the number of commands
is printed; with --script, the commands, and none is run.
"""
import html
import os
import re
import subprocess
import sys
import tempfile

NOT_RUN = re.compile(r"(sudo |.*\b(make|apt-get|git|pip3?)\b)")
SIGPIPE = 128 + 13


def markdown_blocks(path):
    block = None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if block is None and re.match(r"```(sh|console)$", line):
                block = []
            elif block is not None and line.startswith("```"):
                yield block
                block = None
            elif block is not None:
                block.append((number, line))


def page_blocks(path):
    """The displays of EXAMPLES. They are taken from HTML, which alone tells
    what is literal from the text around it."""
    page = subprocess.run(["mandoc", "-T", "html", path], check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    examples = re.search(r'id="EXAMPLES".*?</section>', page, re.S)
    for block, line in re.findall(
            r'<pre>(.*?)</pre>|<code class="Li">(.*?)</code></div>',
            examples.group(0) if examples else "", re.S):
        text = block or " ".join(line.split())
        text = html.unescape(re.sub(r"<[^>]*>", "", text))
        yield [(0, line) for line in text.split("\n")]


def commands(block):
    """(line, command, expected lines) of one block."""
    found = []
    for number, line in block:
        if line.startswith("$ "):
            found.append((number, [line[2:]], []))
        elif line.startswith("> ") and found and not found[-1][2]:
            found[-1][1].append(line[2:])
        elif found:
            found[-1][2].append(line.rstrip())
    return [(number, "\n".join(command), expected)
            for number, command, expected in found]


def matches(lines, expected):
    """Whether LINES are EXPECTED, of which "..." is any lines."""
    if not expected:
        return not lines
    if expected[0].strip() == "...":
        return any(matches(lines[at:], expected[1:])
                   for at in range(len(lines) + 1))
    return bool(lines) and lines[0] == expected[0] and \
        matches(lines[1:], expected[1:])


def directory(root):
    place = tempfile.mkdtemp(dir=os.environ.get("BATS_TEST_TMPDIR"))
    os.mkdir(os.path.join(place, "build"))
    root = os.path.abspath(root)
    for where in (root, os.path.join(root, "tests", "data")):
        for name in os.listdir(where):
            link = os.path.join(place, name)
            if not name.startswith(".") and not os.path.lexists(link):
                os.symlink(os.path.join(where, name), link)
    return place


def run(root, place, command, expected):
    """What is not true of it, or None."""
    if NOT_RUN.match(command):
        for target in re.findall(r"\bmake ([a-z][a-z-]*)", command):
            if subprocess.call(["make", "-n", target], cwd=root,
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL) and target != "make":
                return "make has no target %s" % target
        return None
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=place,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    output = done.stdout.decode("utf-8", "replace")
    if done.returncode not in (0, SIGPIPE):
        return "status %d:\n%s" % (done.returncode, output)
    lines = [line.rstrip() for line in output.rstrip("\n").split("\n")]
    while expected and expected[-1] == "":
        expected = expected[:-1]
    if expected and not matches(lines, expected):
        return "it prints\n%s\nand not\n%s" % (output, "\n".join(expected))
    return None


def examples(document):
    blocks = markdown_blocks if document.endswith(".md") else page_blocks
    for block in blocks(document):
        yield from commands(block)


def main(arguments):
    how = arguments.pop(0) if arguments[0].startswith("--") else None
    root, documents = arguments[0], arguments[1:]
    total, wrong = 0, 0
    for document in documents:
        if how == "--script":
            for _, command, _ in examples(document):
                print(command)
            continue
        place = directory(root)
        for number, command, expected in examples(document):
            total += 1
            why = run(root, place, command, expected)
            if why:
                wrong += 1
                print("%s:%s: $ %s\n%s" % (document, number or "", command,
                                           why), file=sys.stderr)
    if how == "--count":
        print(total)
    return wrong != 0


sys.exit(main(sys.argv[1:]))
