#!/usr/bin/env python3
"""profiles.py DIR - what PyTorch's observer and profiler saw of one small run.

Writes DIR/train.et.json.gz and DIR/train.kineto.json.gz: the same step of
training, recorded by both at once, without stack traces; names of the machine
are taken out. And DIR/modules.kineto.json.gz, one of nested modules with their
times, of whose stack traces the calls of modules alone are kept.
"""
import gzip
import json
import os
import sys
import tempfile

import torch
from torch import nn
from torch.profiler import ExecutionTraceObserver, ProfilerActivity, profile


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1, stride=2)
        self.norm = nn.BatchNorm2d(8)
        self.table = nn.Embedding(50, 8)
        self.layer = nn.LayerNorm(8)
        self.lin = nn.Linear(8, 12)

    def forward(self, x, rows):
        a = torch.relu(self.norm(self.conv(x))).flatten(2).transpose(1, 2)
        b = self.layer(self.table(rows))
        c = torch.cat([a, b], 1).contiguous()
        q = self.lin(c)
        h = nn.functional.scaled_dot_product_attention(
            c[:, None], c[:, None], c[:, None])[:, 0]
        p = torch.softmax(torch.bmm(q, q.transpose(1, 2)), -1)
        return torch.matmul(p, h).mean() + torch.addmm(
            q[0, 0], c[0], self.lin.weight.t()).to(torch.bfloat16).sum()


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(4)
        self.seq = nn.Sequential(nn.Linear(4, 4), nn.ReLU())

    def forward(self, x):
        y = self.norm(x) * 2
        return nn.functional.gelu(self.seq(y)) + x


class Nested(nn.Module):
    """Its first block runs twice."""

    def __init__(self):
        super().__init__()
        one = Block()
        self.layers = nn.ModuleList([one, Block(), one])
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x).sum()


def step(net, optimizer, x, rows):
    optimizer.zero_grad()
    net(x, rows).backward()
    optimizer.step()


def plain(text):
    """Without what only that machine has."""
    data = json.loads(text)
    for key in ("host_name", "trace_id", "traceName", "time", "pid"):
        data.pop(key, None)
    return data


def write(path, data):
    with open(path, "wb") as f, gzip.GzipFile(
            "", "wb", 9, f, mtime=0) as packed:
        packed.write(json.dumps(data, indent=1).encode())


def profiled(path):
    """A profile of the nested modules, and what is added to their result."""
    net, x = Nested(), torch.randn(2, 4)
    net(x).backward()
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True,
                 with_stack=True) as p:
        (net(x) + 1).backward()
    p.export_chrome_trace(path)
    with open(path, encoding="utf-8") as f:
        data = plain(f.read())
    data["traceEvents"] = [
        e for e in data["traceEvents"] if e.get("cat") != "python_function"
        or e["name"].startswith("nn.Module: ")]
    for event in data["traceEvents"]:
        event.get("args", {}).pop("CallFrom", None)
    return data


def main(where):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = Net()
    optimizer = torch.optim.Adam(net.parameters(), foreach=True)
    x, rows = torch.randn(2, 3, 8, 8), torch.arange(6).reshape(2, 3)
    step(net, optimizer, x, rows)
    with tempfile.TemporaryDirectory() as work:
        et, kineto = (os.path.join(work, n) for n in ("et.json", "k.json"))
        observer = ExecutionTraceObserver().register_callback(et)
        with profile(activities=[ProfilerActivity.CPU], record_shapes=True,
                     execution_trace_observer=observer) as p:
            step(net, optimizer, x, rows)
        observer.unregister_callback()
        p.export_chrome_trace(kineto)
        for name, path in (("et", et), ("kineto", kineto)):
            with open(path, encoding="utf-8") as f:
                write(os.path.join(where, f"train.{name}.json.gz"),
                      plain(f.read()))
        write(os.path.join(where, "modules.kineto.json.gz"),
              profiled(os.path.join(work, "m.json")))


if __name__ == "__main__":
    main(sys.argv[1])
