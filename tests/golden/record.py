#!/usr/bin/env python3
"""Records the golden traces with the user's PyTorch and transformers.

Each job writes one normalised trace, gzip, below DIRECTORY, and a line of its
manifest with what count.py makes of it. A trace that is there already is not
made again. With PATTERN, only the jobs whose path has it. No test runs this.

usage: record.py DIRECTORY [PATTERN]
"""

import contextlib
import gc
import gzip
import json
import os
import sys

import torch

import configs
import count
import graphs
import models
import normalise
import parts
from scripts import script

COLUMNS = ("path", "model", "route", "device", "phase", "tokens", "batch",
           "dtype", "ops", "op_types", "flops", "bytes", "weight_bytes")

sf_torch = script("../../bin/sf-torch")
tiny_cnn = script("tiny-cnn.py")


class Program:
    """What sf-torch's functions want of a target."""

    def build(self, function):
        return function()

    @contextlib.contextmanager
    def errors(self):
        yield


class Job:
    """One capture: how the model is called, and where the trace goes."""

    def __init__(self, directory, model, config, route, device, phase, tokens,
                 batch=1, dtype="bf16"):
        where = f"{route}-{device}" if route == "dispatch" else route
        self.path = f"{directory}/{where}-{phase}-{tokens}.jsonl.gz"
        self.model, self.config = model, config
        self.route, self.device = route, device
        self.phase, self.tokens = phase, tokens
        self.batch, self.dtype = batch, dtype

    def function(self):
        """Prefill fills a cache on the meta device only; see README.md."""
        if self.config is None:
            return (*tiny_cnn.tiny_cnn(self.batch), {})
        if self.config["model_type"] in parts.PARTS:
            return parts.call(self.config, self.phase, self.tokens,
                              self.batch, self.dtype, self.route == "dispatch"
                              and self.device == "meta")
        if self.phase == "decode":
            return models.decode(self.config, self.tokens, self.batch,
                                 self.dtype)
        if self.phase == "chunk":
            context, count = map(int, self.tokens.split("+"))
            return models.decode(self.config, context, self.batch, self.dtype,
                                 count)
        cache = self.route == "dispatch" and self.device == "meta"
        return models.prefill(self.config, self.tokens, self.batch,
                              self.dtype, cache, self.phase == "last")

    def ops(self):
        program = Program()
        if self.route == "dispatch":
            device = {"cpu": "fake-cpu"}.get(self.device, self.device)
            return sf_torch.record(program, self.function, device, False).ops
        if self.route == "export":
            return graphs.export_ops(sf_torch.export_program(
                program, self.function, self.device, False))
        if self.route == "onnx":
            return graphs.onnx_ops(sf_torch.onnx_program(
                program, self.function, self.device, False, False))
        with torch.device("meta"):
            module, args, kwargs = self.function()
        with torch.no_grad():
            found = graphs.compile_ops(module, args, kwargs)
        assert len(found) == 1, "a graph break"
        return found[0]

    def params(self):
        with torch.device("meta"):
            module = self.function()[0]
        own = list(module.parameters())
        return {"count": sum(p.numel() for p in own),
                "bytes": sum(p.numel() * p.element_size() for p in own)}

    def records(self):
        ops = self.ops()
        return [{"kind": "trace", "format": "simfront-trace/1",
                 "model": self.model, "route": self.route,
                 "params": self.params()},
                *ops, {"kind": "end", "ops": len(ops)}]


def published_jobs():
    every = ("dispatch", "meta"), ("dispatch", "cpu"), ("export", "meta"), \
        ("compile", "meta"), ("onnx", "meta")
    more = {"llama3-8b": [("dispatch", "meta", 512)],
            "qwen2.5-0.5b": [("dispatch", "meta", 256)],
            "gpt2": [("dispatch", "meta", 256), ("export", "meta", 128),
                     ("compile", "meta", 128), ("onnx", "meta", 128)]}
    for name in ("llama3-8b", "llama3-70b", "mistral-7b", "qwen2.5-0.5b",
                 "gpt2"):
        config = models.CONFIGS[name]
        calls = [(r, d, 2048) for r, d in every] + more.get(name, [])
        for route, device, tokens in calls:
            yield Job(name, name, config, route, device, "prefill", tokens)
        for device in ("meta", "cpu"):
            for context in (512, 2048):
                yield Job(name, name, config, "dispatch", device, "decode",
                          context)
    for route, device in every:
        yield Job("tiny-llama", "tiny-llama", models.CONFIGS["tiny-llama"],
                  route, device, "prefill", 32, dtype="f32")
    for batch in (1, 8):
        for route in ("export", "onnx"):
            yield Job(f"tiny-cnn-{batch}", "tiny-cnn", None, route, "cpu",
                      "batch", batch, batch, "f32")


def random_jobs():
    for number, c in enumerate(configs.small()):
        place = f"small/{number:02}"
        rest = c["batch"], c["dtype"]
        for route, device, phase, tokens in (
                ("dispatch", "meta", "prefill", c["tokens"]),
                ("dispatch", "meta", "decode", c["context"]),
                ("dispatch", "cpu", "prefill", c["tokens"]),
                ("dispatch", "cpu", "decode", c["context"]),
                ("export", "meta", "prefill", c["tokens"]),
                ("compile", "meta", "prefill", c["tokens"]),
                ("onnx", "meta", "prefill", c["tokens"])):
            yield Job(place, f"small-{number:02}", c["config"], route, device,
                      phase, tokens, *rest)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "wb") as f:
        # Without a time, the same trace is the same file.
        with gzip.GzipFile("", "wb", 9, f, mtime=0) as z:
            z.write(text.encode())
    os.rename(path + ".new", path)


def manifest(directory, jobs):
    with open(os.path.join(directory, "MANIFEST.tsv"), "w") as f:
        f.write("\t".join(COLUMNS) + "\n")
        for job in jobs:
            path = os.path.join(directory, job.path)
            if not os.path.exists(path):
                continue
            t = count.totals(count.records(path))
            row = {**vars(job), **t}
            f.write("\t".join(str(row[c]) for c in COLUMNS) + "\n")


def record_models(directory, name, models):
    """Records MODELS, each a configuration, a batch, a type and its calls, as
    NAME-00 and so on: a suite of its own beside the golden one."""
    jobs = []
    for number, (config, batch, dtype, calls) in enumerate(models):
        place = f"{number:02}"
        os.makedirs(os.path.join(directory, place), exist_ok=True)
        with open(os.path.join(directory, place, "config.json"), "w") as f:
            json.dump(config, f, indent=2, sort_keys=True)
            f.write("\n")
        jobs += [Job(place, f"{name}-{place}", config, *call, batch, dtype)
                 for call in calls]
    for job in jobs:
        write(os.path.join(directory, job.path),
              "".join(normalise.lines(job.records())))
        torch._dynamo.reset()
    manifest(directory, jobs)


def hash_alike():
    """Starts the script again unless texts have the same hashes each time."""
    if os.environ.get("PYTHONHASHSEED") != "1":
        os.execve(sys.executable, [sys.executable, *sys.argv],
                  {**os.environ, "PYTHONHASHSEED": "1"})


def main(directory, pattern=""):
    jobs = [*published_jobs(), *random_jobs()]
    for number, c in enumerate(configs.small()):
        path = os.path.join(directory, f"small/{number:02}/config.json")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            json.dump(c["config"], f, indent=2, sort_keys=True)
            f.write("\n")
    for job in jobs:
        path = os.path.join(directory, job.path)
        if pattern not in job.path or os.path.exists(path):
            continue
        print(job.path, flush=True)
        try:
            write(path, "".join(normalise.lines(job.records())))
        except Exception as e:
            print(f"  {type(e).__name__}: {' '.join(str(e).split())[:300]}",
                  flush=True)
        torch._dynamo.reset()
        gc.collect()
    manifest(directory, jobs)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
