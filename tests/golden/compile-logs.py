#!/usr/bin/env python3
"""What torch.compile writes of small programs, in all its forms.

usage: compile-logs.py DIRECTORY [CASE...]

Each case is a function below; it runs in a process of its own under
TORCH_TRACE, and again under TORCH_LOGS. NAME.log and NAME.txt are what they
write, without what is another each time (times, the process, directories,
hashes) and without records that sf-compile steps over anyway but for one of
two kinds; NAME.jsonl holds the operators of the graphs that AOTAutograd handed
to its compilers, walked as PyTorch's own objects by graphs.py.
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve()
KEPT = ("describe_storage", "describe_tensor", "describe_source",
        "create_symbol", "dynamo_output_graph", "aot_joint_graph",
        "aot_forward_graph", "aot_backward_graph", "aot_inference_graph")
ARTIFACTS = ("torch_version", "dynamo_graph_break_reason",
             "before_post_grad_graph", "inductor_post_grad_graph",
             "aot_inference_graph_after_hop_passes")
MEMBERS = ("describer_id", "id", "ndim", "dtype", "device", "size", "stride",
           "storage", "is_leaf", "requires_grad", "is_parameter", "source",
           "symbol", "val", "vr", "name", "encoding", "sizes")
LOGS = "graph_code,aot_graphs,aot_joint_graph,post_grad_graphs,graph_breaks"


# ---- the cases ----


def net():
    import torch

    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU(),
        torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(128, 10))


def infer(compiled):
    import torch

    with torch.no_grad():
        compiled(net().eval())(torch.zeros(2, 3, 8, 8))


def train(compiled):
    import torch

    compiled(net())(torch.zeros(2, 3, 8, 8)).sum().backward()


def linear(compiled):
    """A layer of 3 by 3 whose input wants a gradient, too."""
    import torch

    layer = torch.nn.Linear(3, 3)
    x = torch.ones(3, 3, requires_grad=True)
    compiled(lambda x: torch.sin(layer(x)).sum())(x).backward()


def linear_weight(compiled):
    """The same where it wants none."""
    import torch

    layer = torch.nn.Linear(3, 3)
    compiled(lambda x: torch.sin(layer(x)).sum())(torch.ones(3, 3)).backward()


def checkpoint(compiled):
    """The first layer is computed again in the backward pass."""
    import torch
    from torch.utils.checkpoint import checkpoint as again

    a, b = torch.nn.Linear(4, 6, bias=False), torch.nn.Linear(6, 5, bias=False)

    def f(x):
        return b(again(lambda x: torch.relu(a(x)).sin(), x,
                       use_reentrant=False)).sum()
    compiled(f)(torch.ones(3, 4)).backward()


def dynamic(compiled):
    import torch

    layer = torch.nn.Linear(4, 6)
    x = torch.ones(5, 4)
    torch._dynamo.mark_dynamic(x, 0)
    with torch.no_grad():
        compiled(lambda x: torch.cat([layer(x), layer(x)]).relu())(x)


def breaks(compiled):
    """Two graphs with a print between, and both again for another size."""
    import torch

    def f(x):
        x = x.sin()
        print("between")
        return x.cos() @ torch.ones(4, 2)
    f = compiled(f)
    for rows in (3, 5):
        f(torch.ones(rows, 4))


def choice(compiled):
    import torch

    layer = torch.nn.Linear(4, 4)
    with torch.no_grad():
        compiled(lambda x: torch.cond(
            x.sum() > 0, lambda y: layer(y).relu(), lambda y: y - 1,
            (x,)))(torch.ones(2, 4))


def region(compiled):
    """One graph that another calls three times."""
    import torch

    part = torch.compiler.nested_compile_region(
        lambda x, w: torch.relu(x @ w))

    def f(x, w):
        for _ in range(3):
            x = part(x, w)
        return x
    compiled(f)(torch.ones(4, 4), torch.ones(4, 4))


def python(compiled):
    """What Dynamo's graphs call by other names and in other orders."""
    import torch

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = torch.nn.Embedding(10, 8)
            self.norm = torch.nn.BatchNorm1d(8)
            self.layer = torch.nn.LayerNorm(4)

        def forward(self, i, x):
            y = self.norm(self.table(i) * 2 + x)
            y = y.float().transpose(0, 1).contiguous().view(-1, 4)
            y += 1
            q, k = self.layer(-y).chunk(2, dim=0)
            z = torch.nn.functional.scaled_dot_product_attention(
                q[None, None], k[None, None], k[None, None])
            return torch.nn.functional.gelu(z[:, 0]) @ torch.eye(4), z.size(0)
    with torch.no_grad():
        compiled(Model().eval())(torch.zeros(6, dtype=torch.long),
                                 torch.ones(6, 8))


def decoder(compiled):
    """The fifth of the small configurations, as record.py compiles it."""
    import torch

    import models

    config = json.loads((HERE.parents[1] / "data/golden/small/04/config.json")
                        .read_text())
    with torch.device("meta"):
        module, args, kwargs = models.prefill(config, 2, 1, "f32", False)
    with torch.no_grad():
        compiled(module)(*args, **kwargs)


CASES = {f.__name__: f for f in (
    infer, train, linear, linear_weight, checkpoint, dynamic, breaks, choice,
    region, python, decoder)}
# Cases whose graphs Inductor gets, and those that are written as text, too.
INDUCTOR = ("train",)
TEXT = ("train", "breaks")
# Cases whose graphs hold nothing but tensors and operators with a schema.
WALKED = ("infer", "train", "linear", "linear_weight", "checkpoint")


# ---- in a process of its own ----


def run(case):
    import torch

    backend = "inductor" if case in INDUCTOR else "aot_eager"
    CASES[case](lambda f: torch.compile(f, backend=backend))


def walk(case):
    """The operators of each graph, as JSON lines."""
    import torch
    from functorch.compile import make_boxed_func
    from torch._dynamo.backends.common import aot_autograd
    from torch._functorch.partitioners import (
        min_cut_rematerialization_partition as partition)

    import graphs

    kept, names = [], set()

    def compiler(module, inputs):
        places = [n for n in module.graph.nodes if n.op == "placeholder"]
        if any(n.name.startswith("tangents") for n in places):
            params = [n.name for n in places if n.name in names]
        else:
            params = [n.name for n, mark in zip(places, kept[0]) if mark]
        records = graphs.FxRecords(module.graph, params)
        names.update(records.params)
        for op in records.ops:
            print(json.dumps(op, separators=(",", ":")))
        print(json.dumps({"kind": "end", "ops": len(records.ops)}))
        return make_boxed_func(module.forward)

    def backend(module, inputs):
        kept[:] = [[isinstance(x, torch.nn.Parameter) for x in inputs]]
        return aot_autograd(fw_compiler=compiler, bw_compiler=compiler,
                            partition_fn=partition)(module, inputs)

    CASES[case](lambda f: torch.compile(f, backend=backend))


# ---- what is kept ----


def clean(text):
    """TEXT without directories, hashes and addresses."""
    text = re.sub(r"(?<![\w.])/[\w./-]*/site-packages/", "", text)
    text = re.sub(r"(?<![\w.])/[\w./-]*/(?=[\w-]+\.py)", "", text)
    text = text.replace(HERE.name, "model.py")
    text = re.sub(r"(__compiled_fn_\d+)_[0-9a-f_]{36}", r"\1", text)
    return re.sub(r"0x[0-9a-f]{6,}", "0x0", text)


def members(value):
    return {k: v for k, v in value.items() if k in MEMBERS}


def trace(text):
    """The records of a structured log that are kept."""
    out, keep, most, payload, seen = [], None, None, [], set()

    def flush():
        if keep is None:
            return
        said, place = keep
        del payload[most or len(payload):]
        if payload:
            said["has_payload"] = hashlib.md5(
                "\n".join(payload).encode()).hexdigest()
        out.append("V0101 00:00:00.000000 1 %s] %s" % (place,
                                                       json.dumps(said)))
        out.extend("\t" + line for line in payload)

    for line in clean(text).split("\n"):
        match = re.match(r"V\d{4} \S+ \d+ (\S+:\d+)\] (\{.*)", line)
        if not match:
            payload.append(line[1:])
            continue
        flush()
        said, payload, keep = json.loads(match[2]), [], None
        said.pop("has_payload", None)
        said.pop("stack", None)
        kind = next(iter(said))
        wanted = kind in KEPT or (
            kind == "artifact" and said[kind]["name"] in ARTIFACTS)
        if not wanted and kind not in seen and kind in (
                "str", "dynamo_cpp_guards_str"):
            seen.add(kind)
            keep, most = (said, match[1]), 3
        elif wanted:
            said[kind] = members(said[kind])
            keep, most = (said, match[1]), None
    flush()
    text = "\n".join(out) + "\n"
    return re.sub(r'(?m)^\t"(pytorch_version|commit)": .*',
                  r'\t"\1": "2.14.1",', text)


def log(text):
    """The lines of a log for people."""
    lines = []
    for line in clean(text).split("\n"):
        match = re.match(r"([VIWE])\d{4} \S+ \d+ (.*)", line)
        if match and "fw_metadata" not in line:
            lines.append("%s0101 00:00:00.000000 1 %s" % match.groups())
    return "\n".join(lines) + "\n"


def child(mode, case, **env):
    """Standard output, and standard error."""
    got = subprocess.run(
        [sys.executable, HERE, "--" + mode, case], capture_output=True,
        text=True, env={**os.environ, "OMP_NUM_THREADS": "1",
                        "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1", **env})
    if got.returncode != 0:
        sys.exit("%s: %s" % (case, got.stderr[-2000:]))
    return got.stdout, got.stderr


def record(directory, case):
    with tempfile.TemporaryDirectory() as work:
        child("run", case, TORCH_TRACE=work)
        found, = pathlib.Path(work).glob("*.log")
        (directory / (case + ".log")).write_text(trace(found.read_text()))
    if case in TEXT:
        _, said = child("run", case, TORCH_LOGS=LOGS)
        (directory / (case + ".txt")).write_text(log(said))
    if case in WALKED:
        ops, _ = child("walk", case)
        (directory / (case + ".jsonl")).write_text(ops)


def main(argv):
    if argv[0] in ("--run", "--walk"):
        (run if argv[0] == "--run" else walk)(argv[1])
        return
    directory = pathlib.Path(argv[0])
    directory.mkdir(parents=True, exist_ok=True)
    for case in argv[1:] or CASES:
        record(directory, case)


if __name__ == "__main__":
    main(sys.argv[1:])
