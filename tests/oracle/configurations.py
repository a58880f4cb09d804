#!/usr/bin/env python3
"""Configurations as transformers writes them, through sf-model.

usage: configurations.py BIN [CONFIG.json...]

Every model class of the installed transformers, by its task, is built from its
own defaults on the meta device: sf-model counts the parameters of its
configuration as PyTorch does, or refuses it. A CONFIG.json is read by
transformers and written again, with what differs from its defaults and with
everything: sf-model writes the same operators of all three. Prints what was
refused, then a line of totals; fails on the first kind of difference.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import torch
import transformers
from transformers.models.auto import modeling_auto

# Of these transformers reads no field where the published files have them, at
# the top, and writes its own defaults in their place.
FLAT = {"step3p7"}

# The tasks whose classes are tried.
MAPPINGS = ("", "FOR_CAUSAL_LM_", "FOR_MASKED_LM_", "FOR_SEQ_TO_SEQ_CAUSAL_LM_",
            "FOR_SEQUENCE_CLASSIFICATION_", "FOR_TOKEN_CLASSIFICATION_",
            "FOR_SPEECH_SEQ_2_SEQ_", "FOR_IMAGE_CLASSIFICATION_",
            "FOR_IMAGE_TEXT_TO_TEXT_", "FOR_QUESTION_ANSWERING_",
            "FOR_PRETRAINING_")


def trace(program, path):
    """The lines of the trace of three tokens, None when it is refused."""
    done = subprocess.run([program, path, "--tokens", "3"], text=True,
                          capture_output=True, check=False)
    if done.returncode not in (0, 3):
        raise ChildProcessError(done.stderr)
    return done.stdout.splitlines() if done.returncode == 0 else None


def operators(lines):
    return lines and [line for line in lines
                      if line.startswith('{"kind":"op"')]


def parameters(config, name):
    """Those of the class on the meta device, None when it cannot be made."""
    try:
        with torch.device("meta"):
            model = getattr(transformers, name)(config)
    except Exception:  # whatever a class says of its own defaults
        return None
    return sum(p.numel() for p in model.parameters())


def counts(header):
    """All numbers of parameters that a header states."""
    found = [header["params"]["count"]]
    whole = header.get("whole_params")
    return found + ([whole["count"]] if whole else [])


def classes():
    """Model types and names of classes of every task that has sizes."""
    for mapping in MAPPINGS:
        rows = getattr(modeling_auto, f"MODEL_{mapping}MAPPING_NAMES")
        for model_type, names in sorted(rows.items()):
            yield model_type, names if isinstance(names, str) else names[0]


def check_defaults(program, folder):
    equal, refused, different = 0, set(), []
    for model_type, name in classes():
        try:
            config = transformers.CONFIG_MAPPING[model_type]()
        except Exception:  # whatever a class says of its own defaults
            continue
        config.architectures = [name]
        path = folder / f"{model_type}.json"
        path.write_text(config.to_json_string(use_diff=False))
        lines = trace(program, path)
        if lines is None:
            refused.add(name)
            continue
        expected = parameters(config, name)
        if expected is None:
            continue
        if expected in counts(json.loads(lines[0])) or any(
                "several parts" in line for line in lines[:4]):
            equal += 1  # or the text model alone, and a note says so
        else:
            different.append((name, expected, lines[0]))
    print("refused:", *sorted(refused))
    return equal, len(refused), different


def check_again(program, folder, paths):
    equal, unknown, different = 0, 0, []
    for path in map(pathlib.Path, paths):
        raw = json.loads(path.read_text())
        if raw["model_type"] in FLAT and "text_config" not in raw:
            unknown += 1
            continue
        try:
            config = transformers.CONFIG_MAPPING[raw["model_type"]]
            config = config.from_dict(raw)
        except (KeyError, ValueError):
            unknown += 1
            continue
        expected = operators(trace(program, path))
        for diff in True, False:
            again = folder / path.name
            again.write_text(config.to_json_string(use_diff=diff))
            if operators(trace(program, again)) == expected:
                equal += 1
            else:
                different.append((path.name, diff))
    return equal, unknown, different


def main():
    program = pathlib.Path(sys.argv[1]) / "sf-model"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        equal, refused, different = check_defaults(program, folder)
        again, unknown, other = check_again(program, folder, sys.argv[2:])
    for row in different + other:
        print("different:", *row)
    print(f"{equal} equal by default, {refused} refused; {again} written "
          f"again equal, {unknown} of no class that reads them; "
          f"{len(different) + len(other)} different")
    sys.exit(1 if different or other else 0)


main()
