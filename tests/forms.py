"""The frame of tests/*-forms.py, which all are called in one way:

    draw COUNT SEED    configurations and a list of runs
    check <COUNTED     the traces of that list, in its order

"draw" writes config-NNNN.json into the current directory, each with the line of
runs.tsv that tells its options, and drawn.json. "check" reads what sf-rules
counted of each run and compares it with what the forms want.
"""

import json
import random
import sys


def draw(draw_one, options, count, seed):
    rnd = random.Random(seed)
    with open("runs.tsv", "w") as runs, open("drawn.json", "w") as drawn:
        for i in range(count):
            config, run = draw_one(rnd)
            with open(f"config-{i:04}.json", "w") as f:
                json.dump(config, f)
            runs.write(f"config-{i:04}.json {options(config, run)}\n")
            drawn.write(json.dumps([config, run]) + "\n")


def check(traces, wanted):
    with open("drawn.json") as f:
        drawn = [json.loads(line) for line in f]
    found = list(traces(sys.stdin))
    if len(found) != len(drawn):
        sys.exit(f"{len(found)} traces, expected {len(drawn)}")
    for (config, run), got in zip(drawn, found):
        want = wanted(config, run)
        if want != {key: got[key] for key in want}:
            sys.exit(f"{config}\n{run}\ngot  {got}\nwant {want}")
    print(len(found))


def main(draw_one, options, traces, wanted):
    """DRAW_ONE gives a configuration and a run, from a source of randomness;
    OPTIONS the words of both; TRACES what each trace of lines sums up to;
    WANTED what of that the forms know."""
    if sys.argv[1] == "draw":
        draw(draw_one, options, int(sys.argv[2]), int(sys.argv[3]))
    else:
        check(traces, wanted)
