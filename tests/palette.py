#!/usr/bin/env python3
"""palette.py PALETTE.DEF - prints, for normal colour vision and for the three
that lack one kind of cone, how far apart the two closest colours are of those
with one hatching, in units of CIE 1976 Lab.

The lack is simulated as in G. Machado, M. Oliveira and L. Fernandes, IEEE TVCG
15(6), 2009, with its matrices for severity 1, on linear RGB.
"""
import itertools
import re
import sys

SIGHTS = {
    "normal": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
               [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779],
               [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def linear(byte):
    c = byte / 255
    return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4


def lab(rgb):
    r, g, b = (min(max(c, 0), 1) for c in rgb)

    def f(t):
        return t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116

    x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047)
    y = f(0.2126 * r + 0.7152 * g + 0.0722 * b)
    z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen(matrix, colour):
    rgb = [linear(colour >> shift & 255) for shift in (16, 8, 0)]
    return lab([sum(m * c for m, c in zip(row, rgb)) for row in matrix])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        looks = re.findall(r"SF_LOOK\((\w+), 0x(\w+), (\w+)\)", file.read())
    for sight, matrix in SIGHTS.items():
        worst = min(
            (sum((p - q) ** 2 for p, q in
                 zip(seen(matrix, int(a[1], 16)), seen(matrix, int(b[1], 16))))
             ** 0.5, a[0], b[0])
            for a, b in itertools.combinations(looks, 2) if a[2] == b[2])
        print("%s %d %s %s" % (sight, worst[0], worst[1], worst[2]))


main()
