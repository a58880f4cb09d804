#!/usr/bin/env python3
"""Records in which module each operator of each family runs.

usage: family-modules.py FILE.jsonl.gz [PATTERN]

One line a trace of tests/data/families that the dispatcher gave: its path
there, and the module of each of its operators by numbers in the order of their
first, whose names follow. Which module runs is what PyTorch's own hooks say
before and behind each call. With PATTERN, the families whose name has it are
recorded, and what FILE has of the others is kept.
"""

import gzip
import json
import os
import sys

import torch
from torch.nn.modules import module as hooks
from torch.utils._python_dispatch import TorchDispatchMode

import families
import record
from parts import Part

DIRECTORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..",
                         "data", "families")

# Where what is called is, when it is no whole model.
WHERE = {"audio": "model.encoder"}


class Calls(TorchDispatchMode):
    """The innermost module that runs at each dispatched call."""

    def __init__(self, root, where):
        super().__init__()
        self.names = {id(m): name
                      for name, m in root.named_modules(prefix=where)}
        self.inside = [where]
        self.found = []
        self.alive = []  # as in sf-torch: PyTorch detaches what is held

    def enter(self, module, _):
        self.inside.append(self.names.get(id(module), self.inside[-1]))

    def leave(self, *_):
        self.inside.pop()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.found.append(self.inside[-1])
        self.alive.append(func(*args, **(kwargs or {})))
        return self.alive[-1]


def modules_of(job):
    """The module of each operator of a job, in order."""
    program = record.Program()
    device = {"cpu": "fake-cpu"}.get(job.device, job.device)
    with record.sf_torch.on_device(device):
        parts = record.sf_torch.build_on(device, program, job.function)
        model = parts["model"]
        # What only calls a method of the model is around it.
        calls = Calls(model.model if isinstance(model, Part) else model,
                      WHERE.get(job.phase, ""))
        before = hooks.register_module_forward_pre_hook(calls.enter)
        behind = hooks.register_module_forward_hook(
            calls.leave, always_call=True)
        try:
            with calls, torch.no_grad():
                record.sf_torch.run_parts(parts)
        finally:
            before.remove()
            behind.remove()
    return calls.found


def line(job):
    modules = modules_of(job)
    names = list(dict.fromkeys(modules))
    places = {name: place for place, name in enumerate(names)}
    return json.dumps({"path": job.path, "of": [places[m] for m in modules],
                       "modules": names}, separators=(",", ":")) + "\n"


def kept(path):
    """The lines of the file that is there, by the paths of their traces."""
    if not os.path.exists(path):
        return {}
    with gzip.open(path, "rt", encoding="utf-8") as f:
        return {json.loads(text)["path"]: text for text in f}


def main(path, pattern=""):
    old, lines = kept(path), []
    for family in sorted(families.FAMILIES):
        for job in families.jobs_of(DIRECTORY, family):
            if job.route == "dispatch" and pattern in family:
                lines.append(line(job))
            elif job.route == "dispatch":
                lines.append(old.get(job.path, ""))
    record.write(path, "".join(lines))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    record.hash_alike()  # as families.py, whose calls these are
    main(*sys.argv[1:])
