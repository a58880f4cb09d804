#!/usr/bin/env python3
"""Writes what PyTorch makes of strides, for tests/unit/model-stride.c.

Each line has fields separated by tabs; sizes and strides are joined by commas.

view    SHAPE  STRIDES  NEW-SHAPE  STRIDES or "copy"
dense   SHAPE  STRIDES  0 or 1
add     SHAPE  STRIDES  SHAPE  STRIDES  OUTPUT-STRIDES

Strides of dimensions of size 1 mean nothing and are written as 0.

usage: strides.py >tests/data/strides.tsv
"""

import random

import torch

COUNT = 300


def joined(numbers):
    return ",".join(map(str, numbers))


def meaningful(tensor):
    return [0 if n == 1 else s
            for n, s in zip(tensor.shape, tensor.stride())]


def draw_tensor(rnd, shape):
    """A tensor of that shape: permuted, and some of its dimensions expanded."""
    order = list(range(len(shape)))
    if rnd.random() < 0.7:
        rnd.shuffle(order)
    base = [1 if rnd.random() < 0.15 else shape[i] for i in order]
    inverse = sorted(range(len(shape)), key=lambda i: order[i])
    return torch.empty(base).permute(inverse).expand(shape)


def factors(rnd, n):
    """N as a product of sizes."""
    sizes = []
    for p in (2, 2, 2, 3, 3):
        if n % p == 0 and rnd.random() < 0.7:
            sizes.append(p)
            n //= p
    sizes.append(n)
    rnd.shuffle(sizes)
    while len(sizes) > 4:
        sizes[0:2] = [sizes[0] * sizes[1]]
    if rnd.random() < 0.3:
        sizes.insert(rnd.randrange(len(sizes) + 1), 1)
    return sizes


def view(x, shape):
    try:
        return joined(meaningful(x.view(shape)))
    except RuntimeError:
        return "copy"


def main():
    rnd = random.Random(1)
    for _ in range(COUNT):
        shape = [rnd.choice((1, 2, 2, 3, 4)) for _ in range(rnd.randint(1, 4))]
        x = draw_tensor(rnd, shape)
        own = joined(shape), joined(x.stride())
        new = factors(rnd, x.numel())
        print("view", *own, joined(new), view(x, new), sep="\t")
        print("dense", *own, int(x.is_contiguous()), sep="\t")
        other = [1 if rnd.random() < 0.3 else n for n in shape]
        y = draw_tensor(rnd, other[rnd.choice((0, 0, 0, 1)):] or other)
        print("add", *own, joined(y.shape), joined(y.stride()),
              joined(meaningful(torch.add(x, y))), sep="\t")


if __name__ == "__main__":
    main()
