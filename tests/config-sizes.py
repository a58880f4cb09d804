#!/usr/bin/env python3
"""config-sizes.py [SIZE...] - every size of every family's configuration, huge.

Each whole number of the configurations in tests/data/families is replaced by
each SIZE, by 2^40 without one, and sf-model reads what came out, held to 200 MB:
it must write a trace or refuse the configuration in one line, and neither run
out of memory nor for long. A line for each that does; status 1 when there is
any.

SF_BIN has the programs.
"""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
BIN = pathlib.Path(os.environ.get("SF_BIN", ROOT / "build/bin")).resolve()
SECONDS = 60


def sizes(value, path=()):
    """The paths of all whole numbers in an object."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from sizes(member, path + (key,))
    elif isinstance(value, int) and not isinstance(value, bool):
        yield path


def replaced(config, path, size):
    config = json.loads(json.dumps(config))
    inner = config
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = size
    return json.dumps(config).encode()


def tried(trial):
    """What is wrong with one run, or None."""
    config, path, size = trial
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(replaced(config, path, size))
        file.flush()
        try:
            run = subprocess.run(
                [BIN / "sf-model", file.name, "--tokens", "2"],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                env={**os.environ, "SIMFRONT_MEMORY": "200MB"},
                timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return f"{config['model_type']} {path}: runs on"
    lines = run.stderr.splitlines()
    if run.returncode == 0 or (run.returncode == 3 and len(lines) == 1):
        return None
    return f"{config['model_type']} {path}: {run.returncode} {run.stderr[:200]}"


def main():
    trials, seen = [], set()
    for file in sorted(ROOT.glob("tests/data/families/*/config.json")):
        config = json.loads(file.read_text(encoding="utf-8"))
        for path in sizes(config):
            if (config["model_type"], path) in seen:
                continue
            seen.add((config["model_type"], path))
            trials += [(config, path, int(size, 0))
                       for size in sys.argv[1:] or [str(2**40)]]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = [line for line in pool.map(tried, trials) if line]
    print(*wrong, f"{len(trials)} runs, {len(wrong)} wrong", sep="\n")
    return int(bool(wrong) or len(trials) < 500)


sys.exit(main())
