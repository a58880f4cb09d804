#!/usr/bin/env python3
"""Records several tokens behind a cache, of configurations that are there.

usage: chunks.py DIRECTORY FAMILIES...

Each of FAMILIES is a directory with a config.json; DIRECTORY gets a trace of
each on both devices, with contexts below, at and beyond what a window holds.
"""

import json
import os
import sys

import record

CHUNKS = "9+4", "3+2", "2+7"


def main(directory, *families):
    found = []
    for number, family in enumerate(families):
        path = os.path.join(family, "config.json")
        with open(path, encoding="utf-8") as file:
            config = json.load(file)
        calls = [("dispatch", device, "chunk", chunk)
                 for device in ("meta", "cpu") for chunk in CHUNKS]
        found.append((config, 1 + number % 3, "bf16", calls))
    record.record_models(directory, "chunk", found)


if __name__ == "__main__":
    main(*sys.argv[1:])
