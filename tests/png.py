#!/usr/bin/env python3
"""png.py FILE across Y COLOUR | down X COLOUR | count COLOUR

Looks at a PNG of eight-bit RGB. `across` prints the runs of a colour (RRGGBB) in
a row, each as FIRST-LAST, `down` those in a column, `count` how many pixels have
it.
"""
import struct
import sys
import zlib


def unfilter(kind, row, above, size):
    for i in range(len(row)):
        left = row[i - size] if i >= size else 0
        corner = above[i - size] if i >= size else 0
        up = above[i]
        if kind == 1:
            row[i] = (row[i] + left) & 255
        elif kind == 2:
            row[i] = (row[i] + up) & 255
        elif kind == 3:
            row[i] = (row[i] + (left + up) // 2) & 255
        elif kind == 4:
            p = left + up - corner
            best = min((abs(p - left), 0, left), (abs(p - up), 1, up),
                       (abs(p - corner), 2, corner))
            row[i] = (row[i] + best[2]) & 255
    return row


def read(path):
    """Rows of RRGGBB numbers."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert zlib.crc32(kind + body) == \
            struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert (depth, colour) == (8, 2)
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    raw = zlib.decompress(packed)
    stride = 3 * width
    above, rows = bytearray(stride), []
    for y in range(height):
        start = y * (stride + 1)
        above = unfilter(raw[start],
                         bytearray(raw[start + 1:start + 1 + stride]), above, 3)
        rows.append([above[3 * x] << 16 | above[3 * x + 1] << 8 |
                     above[3 * x + 2] for x in range(width)])
    return rows


def runs(line, colour):
    first = None
    for place, pixel in enumerate(line + [-1]):
        if pixel == colour and first is None:
            first = place
        elif pixel != colour and first is not None:
            yield "%d-%d" % (first, place - 1)
            first = None


def main():
    rows, what = read(sys.argv[1]), sys.argv[2]
    colour = int(sys.argv[-1], 16)
    if what == "across":
        print(" ".join(runs(rows[int(sys.argv[3])], colour)))
    elif what == "down":
        x = int(sys.argv[3])
        print(" ".join(runs([row[x] for row in rows], colour)))
    else:
        print(sum(row.count(colour) for row in rows))


main()
