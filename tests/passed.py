#!/usr/bin/env python3
"""passed.py PROGRAM IN OUT - whether a filter passed the stream IN on as OUT.

Every line of IN must be in OUT, in order and byte for byte, or extended
directly before its closing brace; of each trace, one tool record of PROGRAM
must come directly behind the tools of IN; other new records must not be of a
kind that only sources write.
"""
import sys

WHITE = b" \t\r"


def kind(line):
    return line.split(b'"', 4)[3]


def extends(line, out):
    """OUT is LINE with members before its last brace."""
    at = line.rstrip(WHITE)
    assert at.endswith(b"}"), line
    head, tail = at[:-1], b"}" + line[len(at):]
    return (out.startswith(head + b',"') and out.endswith(tail)
            and len(out) > len(line))


def check(program, before, after):
    own = b'{"kind":"tool","tool":"%s","version":"' % program.encode()
    at, header, put = 0, False, False
    for line in before:
        while at < len(after) and after[at] != line and \
                not extends(line, after[at]):
            new = after[at]
            if new.startswith(own):
                if not header or put or kind(line) == b"tool":
                    return "the tool record %r is out of place" % new
                put = True
            elif kind(new) in (b"trace", b"tool", b"op", b"end"):
                return "not passed on: %r, found %r" % (line, new)
            at += 1
        if at == len(after):
            return "not passed on: %r" % line
        at += 1
        if kind(line) == b"trace":
            header, put = True, False
        elif header and kind(line) != b"tool":
            if not put:
                return "no tool record before %r" % line
            header = False
    if at != len(after):
        return "behind the end: %r" % after[at]
    return None


def lines(path):
    with open(path, "rb") as file:
        return file.read().rstrip(b"\n").split(b"\n")


wrong = check(sys.argv[1], lines(sys.argv[2]), lines(sys.argv[3]))
if wrong:
    sys.exit("passed: " + wrong)
