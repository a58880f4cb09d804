#!/usr/bin/env python3
"""config-sizes.py NUMBER... [-- OPTION...] - every number of a configuration.

Each number of the configurations in tests/data/families, of every family that
sf-model writes with these options, is replaced by each NUMBER, and sf-model
reads what came out, held to 200 MB: it must write a trace or refuse the
configuration in one line, and neither run out of memory nor for long. A line
for each that does; status 1 when there is any.

SF_BIN has the programs.
"""

import concurrent.futures
import functools
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
BIN = pathlib.Path(os.environ.get("SF_BIN", ROOT / "build/bin")).resolve()
SECONDS = 60

# AddressSanitizer needs all addresses, and has a limit of its own.
LIMIT = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") +
         ":hard_rss_limit_mb=600"} if os.environ.get("SF_SANITIZED") else {
             "SIMFRONT_MEMORY": "200MB"}


def paths(value, path=()):
    """The paths of all numbers in a value of JSON."""
    if isinstance(value, (dict, list)):
        members = value.items() if isinstance(value, dict) else enumerate(value)
        for key, member in members:
            yield from paths(member, path + (key,))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path


def replaced(config, path, number):
    config = json.loads(json.dumps(config))
    inner = config
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = number
    return json.dumps(config).encode()


def sf_model(file, options):
    return subprocess.run(
        [BIN / "sf-model", file, *options], stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, env={**os.environ, **LIMIT}, timeout=SECONDS,
        check=False)


def tried(trial, options):
    """What is wrong with one run, or None."""
    config, path, number = trial
    what = f"{config['model_type']} {path} {number}"
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(replaced(config, path, number))
        file.flush()
        try:
            run = sf_model(file.name, options)
        except subprocess.TimeoutExpired:
            return f"{what}: runs on"
    lines = run.stderr.splitlines()
    if run.returncode == 0 or (run.returncode == 3 and len(lines) == 1):
        return None
    return f"{what}: {run.returncode} {run.stderr[:200]}"


def drawn(numbers, pool, options):
    """A configuration, the path of a number in it and its value, of all."""
    files = sorted(ROOT.glob("tests/data/families/*/config.json"))
    taken = pool.map(lambda file: sf_model(file, options).returncode == 0, files)
    seen = set()
    for file in itertools.compress(files, taken):
        config = json.loads(file.read_text(encoding="utf-8"))
        for path in paths(config):
            if (config["model_type"], path) not in seen:
                seen.add((config["model_type"], path))
                yield from ((config, path, number) for number in numbers)


def main():
    arguments = sys.argv[1:]
    at = arguments.index("--") if "--" in arguments else len(arguments)
    numbers = [json.loads(number) for number in arguments[:at]]
    options = arguments[at + 1:] or ["--tokens", "2"]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        trials = list(drawn(numbers, pool, options))
        wrong = [line for line in pool.map(
            functools.partial(tried, options=options), trials) if line]
    print(*wrong, f"{len(trials)} runs, {len(wrong)} wrong", sep="\n")
    return int(bool(wrong) or len(trials) < 400)


sys.exit(main())
