#!/usr/bin/env python3
"""Exported programs for sf-export, and what PyTorch's own objects say of them.

usage: exported.py record DIRECTORY   small programs of this PyTorch, in a
                                      file of its version: a line each with
                                      its name, its JSON and the walk of its
                                      graph
       exported.py tiny               prints the JSON of the small network of
                                      tiny-cnn.py in Core ATen
       exported.py vision NAME        prints that of a network of torchvision
                                      in bfloat16, one image of 224 x 224
       exported.py compare [PATTERN]  larger models: what sf-export writes of
                                      each against the walk of the same program

`record` keeps what other versions of PyTorch recorded; run it with each that
has a schema of its own. `compare` needs torchvision, transformers and
build/bin; its exports of the golden models must equal sf-model, too.
"""

import gzip
import io
import json
import os
import subprocess
import sys
import tempfile
import zipfile

import torch
from torch import nn
from torch.utils import _pytree as pytree

import graphs
import normalise
from scripts import script

HERE = os.path.dirname(os.path.abspath(__file__))
VERSION = ".".join(torch.__version__.split(".")[:2])
WRAPS = ("wrap_with_autocast", "wrap_with_set_grad_enabled",
         "invoke_subgraph", "strict_mode")
CALLS = ("auto_functionalized", "auto_functionalized_v2")


sf_torch = script("../../bin/sf-torch")


# ---- the walk ----


def dim(n):
    """A size as a number where it has one, else as PyTorch writes it."""
    if isinstance(n, torch.SymInt):
        return int(n.node.hint) if n.node.has_hint() else str(n)
    return int(n)


def dtype_name(dtype):
    return sf_torch.DTYPES[str(dtype).removeprefix("torch.")]


def number(value):
    """A symbolic number as the one that its hint says."""
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return value.node.hint if value.node.has_hint() else None
    return value


class Arguments(sf_torch.Trace):
    """sf-torch's own division of arguments into tensors and attributes."""

    def __init__(self):
        self.torch = torch

    def tensor(self, tensor):
        return tensor


class Walk(graphs.FxRecords):
    """The operators of a program: graphs of wrappers are walked where they
    stand, other higher-order operators are one operator each."""

    def __init__(self, program):
        self.arguments = Arguments()
        self.params = set()
        self.ops = []
        self.values = {}  # (graph, node) to a tensor record
        self.next = 0
        signature = program.graph_signature
        shared = {}
        for node in program.graph.nodes:
            value = node.meta.get("val")
            if node.op != "placeholder" or not isinstance(value, torch.Tensor):
                continue
            name = signature.inputs_to_parameters.get(node.name)
            record = shared.get(name) or self.fresh(value, name is not None)
            if name is not None:
                shared[name] = record
            self.values[node] = record
        self.graph(program.graph_module)

    def fresh(self, value, param=False):
        self.next += 1
        record = {"tid": f"v{self.next}", "shape": [dim(n) for n in
                                                    value.shape],
                  "dtype": dtype_name(value.dtype),
                  "itemsize": value.dtype.itemsize}
        return {**record, "param": True} if param else record

    def graph(self, module):
        """Walks the nodes and gives what the graph returns."""
        for node in module.graph.nodes:
            if node.op == "output":
                return pytree.tree_leaves(
                    node.args, is_leaf=lambda v: v is None)
            if node.op == "call_function":
                self.node(module, node)
        return []

    def known(self, nodes):
        return [self.values[n] for n in nodes
                if isinstance(n, torch.fx.Node) and n in self.values]

    def results(self, node, make):
        """Binds what NODE gives: its value, or what getitem takes of it."""
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor):
            self.values[node] = made = make(0, value)
            return [made]
        if not isinstance(value, (list, tuple)):
            return []
        made = [make(k, v) if isinstance(v, torch.Tensor) else None
                for k, v in enumerate(value)]
        for user in node.users:
            if "getitem" in str(user.target) and made[user.args[1]]:
                self.values[user] = made[user.args[1]]
        return [m for m, v in zip(made, value)
                if v is None or isinstance(v, torch.Tensor)]

    def node(self, module, node):
        target = node.target
        if isinstance(target, torch._ops.OpOverload):
            self.overload(node)
        elif isinstance(target, torch._ops.HigherOrderOperator):
            self.higher(module, node)

    def overload(self, node):
        def concrete(value):
            if isinstance(value, torch.fx.Node):
                value = value.meta.get("val")
            return number(value)

        def is_node(value):
            return isinstance(value, torch.fx.Node)

        args, kwargs = (pytree.tree_map(concrete, v, is_leaf=is_node)
                        for v in (node.args, dict(node.kwargs)))
        tensors, attrs = self.arguments.arguments(node.target, args, kwargs)
        nodes = iter(n for n in pytree.tree_leaves(
            self.in_order(node), is_leaf=is_node)
            if is_node(n) and isinstance(n.meta.get("val"), torch.Tensor))
        inputs = [t if t is None else self.values[next(nodes)]
                  for t in tensors]
        view = graphs.makes_view(node.target) and inputs and \
            inputs[0] and inputs[0].get("param")
        outputs = self.results(node, lambda k, v: self.fresh(v, view))
        if node.target._overloadname not in ("default", ""):
            attrs = {"overload": node.target._overloadname, **attrs}
        self.add(str(node.target.overloadpacket), inputs, outputs, attrs)

    @staticmethod
    def in_order(node):
        given = {a.name: v for a, v in
                 zip(node.target._schema.arguments, node.args)}
        given.update(node.kwargs)
        return [given.get(a.name) for a in node.target._schema.arguments]

    def higher(self, module, node):
        name = node.target.name()
        leaves = pytree.tree_leaves((node.args, dict(node.kwargs)))
        graphs_at = [k for k, v in enumerate(leaves) if self.body(module, v)]
        if name in WRAPS:
            body = self.body(module, leaves[graphs_at[0]])
            operands = [v for v in leaves[graphs_at[0] + 1:]
                        if not isinstance(v, str)]
            places = [n for n in body.graph.nodes if n.op == "placeholder"]
            assert len(places) == len(operands), name
            for place, operand in zip(places, operands):
                if operand in self.values:
                    self.values[place] = self.values[operand]
            out = self.graph(body)
            self.results(node, lambda k, v: self.values[out[k]])
            return
        inputs = self.known(leaves)
        outputs = self.results(node, lambda k, v: self.fresh(v))
        if name in CALLS:
            name = str(leaves[0].overloadpacket)
            outputs = [o for o in outputs if o is not None]
            self.add(name, inputs, outputs, {})
        else:
            self.add(f"higher_order.{name}", inputs, outputs, {})

    @staticmethod
    def body(module, leaf):
        if isinstance(leaf, torch.fx.Node) and leaf.op == "get_attr":
            found = getattr(module, leaf.target, None)
            return found if isinstance(found, torch.fx.GraphModule) else None
        return None

    def add(self, name, inputs, outputs, attrs):
        record = {"kind": "op", "i": len(self.ops), "name": name,
                  "inputs": inputs, "outputs": outputs}
        self.ops.append({**record, "attrs": attrs} if attrs else record)


def normal_ops(records):
    """Tensors renamed as in normalise.py, and attributes kept."""
    normaliser = normalise.Normaliser()
    for r in records:
        if r["kind"] == "op":
            op = normaliser.op(r)
            yield {**op, "attrs": r["attrs"]} if r.get("attrs") else op


# ---- small programs ----


class Net(nn.Module):
    """Tied weights, buffers, constants, several results, lists, views."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.bn = nn.BatchNorm2d(8)
        self.emb = nn.Embedding(16, 8)
        self.head = nn.Linear(8, 16, bias=False)
        self.head.weight = self.emb.weight
        self.norm = nn.LayerNorm(8)
        self.att = nn.MultiheadAttention(8, 2, batch_first=True)
        self.register_buffer("scale", torch.ones(8))

    def forward(self, x, ids):
        y = torch.relu(self.bn(self.conv(x))).mean((2, 3)) * self.scale
        e = self.emb(ids)
        a, _ = self.att(e, e, e, need_weights=False)
        e = self.norm(a + e) + torch.tensor([1.0])
        p, q = e.split([4, 4], dim=-1)
        e = torch.where(e > 0, e, float("-inf"))
        return (self.head(e), y.t(), p.max(dim=1).values, q.to(torch.bfloat16),
                nn.functional.scaled_dot_product_attention(e, e, e,
                                                           is_causal=True))


class Dynamic(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 6)

    def forward(self, x):
        y, n = self.linear(x), x.shape[0]
        return y.reshape(n * 2, 3), y.new_zeros(n // 2 + 1, 3)


class Unbacked(nn.Module):
    def forward(self, x):
        found = x.nonzero()
        torch._check(found.shape[0] >= 0)
        return found * 2, found.new_ones(found.shape[0] + 1)


class Wrapped(nn.Module):
    """Graphs in the program that run once, where they stand."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        with torch.no_grad():
            y = self.linear(x).relu()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            z = self.linear(y)
        return y + x, z


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda a: self.linear(a),
                          lambda a: a - 1, (x,))


class Custom(nn.Module):
    def forward(self, x):
        y = torch.ops.sf_golden.foo(x, 3, "b")
        torch.ops.sf_golden.fill(y)
        return y


def define_custom():
    library = torch.library.Library("sf_golden", "DEF")
    library.define("foo(Tensor x, int k, str s) -> Tensor")
    library.define("fill(Tensor(a!) x) -> ()")
    library.impl("foo", lambda x, k, s: x * k, "CompositeExplicitAutograd")
    library.impl("fill", lambda x: None, "CompositeExplicitAutograd")
    return library


def small_programs():
    rows = torch.export.Dim("rows", min=2, max=64)
    ids = torch.zeros(2, 5, dtype=torch.long)
    for name, make, args, shapes in (
            ("net", Net, (torch.zeros(2, 3, 8, 8), ids), None),
            ("dynamic", Dynamic, (torch.zeros(6, 4),), ({0: rows},)),
            ("unbacked", Unbacked, (torch.tensor([1.0, 0, 2]),), None),
            ("wrapped", Wrapped, (torch.zeros(2, 4),), None),
            ("branches", Branches, (torch.zeros(2, 4),), None),
            ("custom", Custom, (torch.zeros(3),), None)):
        yield name, make, args, shapes


def graph_json(archive):
    """The JSON of the graph in an archive of either layout."""
    with zipfile.ZipFile(archive) as z:
        names = [n for n in z.namelist() if n.endswith("models/model.json") or
                 n == "serialized_exported_program.json"]
        return json.loads(z.read(names[0]))


def strip(value):
    """Without what names files of the machine, or differs from run to run."""
    if isinstance(value, list):
        return [strip(v) for v in value]
    if isinstance(value, dict):
        return {k: strip(v) for k, v in value.items()
                if k not in ("stack_trace", "from_node", "source_fn_stack",
                             "module_call_graph", "torch_fn")}
    return value


def record(directory):
    library = define_custom()
    lines = []
    for name, make, args, shapes in small_programs():
        for form in ("raw", "core"):
            try:
                torch.manual_seed(0)
                with torch.no_grad():
                    program = torch.export.export(
                        make().eval(), args, dynamic_shapes=shapes)
                    if form == "core":
                        program = program.run_decompositions()
                archive = io.BytesIO()
                torch.export.save(program, archive)
                ops = list(normal_ops(Walk(program).ops))
            except Exception as e:
                print(f"{name} {form}: {type(e).__name__}: "
                      f"{' '.join(str(e).split())[:120]}")
                continue
            lines.append(json.dumps({
                "name": f"{name}-{form}", "json": strip(graph_json(archive)),
                "ops": ops}) + "\n")
    del library
    path = os.path.join(directory, f"{VERSION}.jsonl.gz")
    with open(path, "wb") as f, gzip.GzipFile("", "wb", 9, f, mtime=0) as z:
        z.write("".join(lines).encode())


def tiny():
    import record as golden

    program = sf_torch.export_program(
        Program(), lambda: (*golden.tiny_cnn.tiny_cnn(1), {}), "cpu", False)
    archive = io.BytesIO()
    torch.export.save(program, archive)
    print(json.dumps(strip(graph_json(archive))))


def print_vision(name):
    import torchvision

    model = getattr(torchvision.models, name)(weights=None)
    program = torch.export.export(
        model.eval().bfloat16(),
        (torch.zeros(1, 3, 224, 224, dtype=torch.bfloat16),))
    archive = io.BytesIO()
    torch.export.save(program, archive)
    print(json.dumps(strip(graph_json(archive))))


# ---- larger models ----


def vision(name):
    import torchvision

    make = getattr(torchvision.models, name)
    return lambda: (make(weights=None).eval(), (torch.zeros(1, 3, 224, 224),),
                    {})


def language(kind, config, tokens=32, **kwargs):
    import transformers

    def function():
        model = getattr(transformers, kind)(
            getattr(transformers, config)(num_hidden_layers=2)).eval()
        return model, (torch.zeros(1, tokens, dtype=torch.long),), kwargs
    return function


def models():
    """Ten of torchvision and transformers, and the golden ones."""
    for name in ("resnet50", "mobilenet_v3_small", "vit_b_16", "swin_t",
                 "convnext_tiny", "efficientnet_b0"):
        yield name, vision(name), None
    yield "gpt2", language("GPT2LMHeadModel", "GPT2Config",
                           use_cache=False), None
    yield "bert", language("BertModel", "BertConfig"), None
    yield "qwen2", language("Qwen2ForCausalLM", "Qwen2Config",
                            use_cache=False), None
    yield "mixtral", language("MixtralForCausalLM", "MixtralConfig",
                              use_cache=False), None
    import record as golden

    for job in [*golden.published_jobs(), *golden.random_jobs()]:
        if job.route == "export":
            yield job.path, job.function, job


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def compare_one(name, function, job, form, directory):
    device = "cpu" if job and job.device == "cpu" else "meta"
    program = sf_torch.export_program(Program(), function, device,
                                      form == "raw")
    path = os.path.join(directory, "model.pt2")
    torch.export.save(program, path)
    got = run(os.path.join(HERE, "../../build/bin/sf-export"), path)
    if got.returncode:
        return got.stderr.strip()
    records = [json.loads(line) for line in got.stdout.splitlines()]
    ops = list(normal_ops(records))
    want = list(normal_ops(Walk(program).ops))
    if job and form == "core":
        golden = gzip.open(os.path.join(HERE, "../data/golden", job.path))
        plain = list(normalise.lines(records))
        want_plain = [line.decode() for line in golden]
        if plain[1:] != want_plain[1:] or \
                records[0]["params"] != json.loads(want_plain[0])["params"]:
            return "differs from the golden trace"
    bad = [k for k, (a, b) in enumerate(zip(ops, want)) if a != b]
    if len(ops) != len(want) or bad:
        return f"{len(ops)} operators of {len(want)}, the first that " \
               f"differs: {bad[:1]}"
    return f"{len(ops)} operators are the same"


class Program:
    """What sf-torch's functions want of a target."""

    def build(self, function):
        return function()

    def errors(self):
        import contextlib

        return contextlib.nullcontext()


def compare(pattern=""):
    with tempfile.TemporaryDirectory() as directory:
        for name, function, job in models():
            for form in ("raw", "core"):
                if pattern not in name:
                    continue
                try:
                    said = compare_one(name, function, job, form, directory)
                except Exception as e:
                    said = f"{type(e).__name__}: " \
                           f"{' '.join(str(e).split())[:200]}"
                print(f"{name} {form}: {said}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "record":
        record(sys.argv[2])
    elif sys.argv[1:] == ["tiny"]:
        tiny()
    elif len(sys.argv) == 3 and sys.argv[1] == "vision":
        print_vision(sys.argv[2])
    elif len(sys.argv) in (2, 3) and sys.argv[1] == "compare":
        compare(*sys.argv[2:])
    else:
        sys.exit(__doc__)
