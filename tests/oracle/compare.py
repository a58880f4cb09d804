#!/usr/bin/env python3
"""Runs random programs through sf-lower and sf-sim and through the oracle, and
through sf-check, so that what holds of one engine holds of all.

Each configuration gets one stream of many traces. All eight times of every
tile must be the same doubles; metrics must be equal where they are counts and
within 1e-12 (of the whole they are a share of) where they are sums in another
order. Prints the number of programs and tiles, exits 1 at the first
difference. Standard library only. Usage: compare.py CONFIGURATIONS TRACES SEED
"""
import json
import random
import subprocess
import sys

import accel

ITEMSIZES = {"f32": 4, "bf16": 2, "f64": 8, "u8": 1}
VECTOR = ["elementwise", "softmax", "norm", "reduction", "copy", "creation",
          "gather"]


def tensor(tid, shape, dtype="f32", param=False):
    record = {"tid": tid, "shape": shape, "dtype": dtype,
              "itemsize": ITEMSIZES[dtype]}
    if param:
        record["param"] = True
    return record


def nbytes(t):
    return accel.numel(t) * t["itemsize"]


class Program:
    """A random trace of counted operators."""

    def __init__(self, rng):
        self.rng = rng
        self.ops = []
        self.tids = ["x"]
        self.size = rng.choice([4, 20, 80])

    def dim(self):
        return self.rng.randint(1, self.size)

    def read(self):
        """A tensor that is there: often the latest, sometimes any."""
        if self.rng.random() < 0.6:
            return self.tids[-1]
        return self.rng.choice(self.tids)

    def made(self):
        """A new tensor, or now and then one that is written again."""
        if self.rng.random() < 0.05:
            return self.rng.choice(self.tids)
        return f"t{len(self.ops)}"

    def add(self, name, category, inputs, outputs, flops, **more):
        op = {"kind": "op", "i": len(self.ops), "name": name,
              "inputs": inputs, "outputs": outputs}
        op.update(more)
        free = category in ("view", "unknown")
        op.update(category=category, flops=0 if free else flops,
                  bytes_read=0 if free else sum(map(nbytes, inputs)),
                  bytes_written=0 if free else sum(map(nbytes, outputs)),
                  weight_bytes=0)
        if self.rng.random() < 0.03 and not free:
            op["bytes_read"] = 0
        if self.rng.random() < 0.03 and not free:
            op["bytes_written"] = 0
        self.ops.append(op)
        self.tids += [t["tid"] for t in outputs]

    def dtype(self):
        return self.rng.choice(list(ITEMSIZES))

    def mm(self):
        m, k, n = self.dim(), self.dim(), self.dim()
        e, f = self.dtype(), self.dtype()
        param = self.rng.random() < 0.5
        name = self.rng.choice(["aten.mm", "aten.addmm", "aten.mm_",
                                "aten.linear", "onnx.Gemm", "my.product"])
        a, b = [m, k], [k, n]
        inputs, attrs = [], {}
        if name == "aten.addmm":
            inputs = [tensor("bias", [n], e, True)]
        elif name == "aten.linear":
            a, b = [self.rng.randint(1, 3), m, k], [n, k]
            m *= a[0]
        elif name == "onnx.Gemm" and self.rng.random() < 0.5:
            a, attrs = [k, m], {"attrs": {"transA": 1}}
        inputs += [tensor(self.read(), a, e),
                   tensor("w" if param else self.read(), b, e, param)]
        self.add(name, "matmul", inputs, [tensor(self.made(), [m, n], f)],
                 2 * m * n * k, **attrs)

    def bmm(self):
        b, m, k, n = self.rng.randint(1, 30), self.dim(), self.dim(), self.dim()
        e = self.dtype()
        name = self.rng.choice(["aten.bmm", "aten.matmul", "onnx.MatMul"])
        self.add(name, "matmul", [tensor(self.read(), [b, m, k], e),
                                  tensor(self.read(), [b, k, n], e)],
                 [tensor(self.made(), [b, m, n], e)], 2 * b * m * n * k)

    def attention(self):
        b, h = self.rng.randint(1, 4), self.rng.randint(1, 4)
        q, k, d, v = self.dim(), self.dim(), self.dim(), self.dim()
        e = self.dtype()
        self.add("aten.scaled_dot_product_attention", "attention",
                 [tensor(self.read(), [b, h, q, d], e),
                  tensor(self.read(), [b, h, k, d], e),
                  tensor(self.read(), [b, h, k, v], e)],
                 [tensor(self.made(), [b, h, q, v], e)],
                 b * h * q * k * (2 * d + 2 * v + 5))

    def convolution(self):
        g, n = self.rng.randint(1, 3), self.rng.randint(1, 2)
        cin, cout = self.rng.randint(1, 9), g * self.rng.randint(1, 9)
        side, kernel = self.rng.randint(1, 20), self.rng.randint(1, 3)
        e = self.dtype()
        out = [n, cout, side, side]
        w = [cout, cin, kernel, kernel]
        self.add(self.rng.choice(["aten.convolution", "onnx.Conv"]), "matmul",
                 [tensor(self.read(), [n, g * cin, side, side], e),
                  tensor("w", w, e, True)], [tensor(self.made(), out, e)],
                 2 * accel.prod(out) * accel.prod(w[1:]))

    def vector(self):
        shape = [self.dim() for _ in range(self.rng.randint(0, 3))]
        if self.rng.random() < 0.1:
            shape = [0] + shape
        e = self.dtype()
        inputs = [tensor(self.read(), shape, e)
                  for _ in range(self.rng.randint(0, 3))]
        outputs = [tensor(self.made(), shape, e)
                   for _ in range(self.rng.randint(1, 2))]
        flops = self.rng.choice([0, 1, 5]) * accel.prod(shape)
        self.add("aten.relu", self.rng.choice(VECTOR), inputs, outputs, flops)

    def ntt(self):
        log_n = self.rng.randint(1, 12)
        n = 1 << log_n
        butterflies = n // 2 * log_n
        self.add("fhe.ntt", "ntt", [tensor(self.read(), [n], "f64")],
                 [tensor(self.made(), [n], "f64")], 3 * butterflies,
                 attrs={"butterflies": butterflies})

    def view(self):
        shape = [self.dim()]
        self.add("aten.view", self.rng.choice(["view", "view", "unknown"]),
                 [tensor(self.read(), shape)
                  for _ in range(self.rng.randint(0, 2))],
                 [tensor(self.made(), shape)], 0)

    def build(self):
        makers = [self.mm, self.mm, self.bmm, self.attention,
                  self.convolution, self.vector, self.vector, self.vector,
                  self.ntt, self.view]
        for _ in range(self.rng.choice([0, 1, 3, 10, 30])):
            self.rng.choice(makers)()
        return self.ops


def configuration(rng):
    c = dict(accel.PRESETS[rng.choice(["edge-npu", "dc-npu"])])
    c["clock_hz"] = rng.choice([1.0e9, 7.77e8, 3.0e9])
    c["array_rows"], c["array_cols"] = rng.choice([8, 32]), rng.choice([4, 17])
    c["vector_lanes"] = rng.choice([1, 7, 64])
    c["buffer_bytes"] = rng.choice([3000, 20000, 65536, 1000003])
    c["tile_fraction"] = rng.choice([0.03, 0.3, 0.5, 0.77, 1])
    c["dram_bw"] = rng.choice([1.0e9, 25.6e9, 333e9])
    c["dram_channels"] = rng.choice([2, 3, 8])
    c["dram_latency"] = rng.choice([0, 1e-9, 100e-9])
    c["noc_bw"] = rng.choice([1.0e9, 64e9, 500e9])
    c["noc_latency"] = rng.choice([0, 1.7e-9, 20e-9])
    if rng.random() < 0.4:
        c["transit_ops_per_byte"] = rng.choice([0.5, 1.6, 30])
        c["transit_categories"] = rng.choice(
            [["ntt"], ["ntt", "elementwise"], ["norm"], ["matmul", "copy"]])
    c["quantise"] = rng.random() < 0.4
    return c


UNITS = {"clock_hz": "Hz", "buffer_bytes": "B", "dram_bw": "B/s",
         "dram_latency": "s", "noc_bw": "B/s", "noc_latency": "s"}


def setting(key, value):
    if value is None:
        return f"{key}=off"
    if isinstance(value, bool):
        return f"{key}={'on' if value else 'off'}"
    if isinstance(value, list):
        return f"{key}={','.join(value)}"
    return f"{key}={value!r}{UNITS.get(key, '')}"


def stream_of(programs):
    lines = []
    for ops in programs:
        lines.append({"kind": "trace", "format": "simfront-trace/1",
                      "model": "random", "route": "export"})
        lines += ops
        lines.append({"kind": "end", "ops": len(ops)})
    return "".join(json.dumps(x, separators=(",", ":")) + "\n" for x in lines)


def simulate(config, text, engine="fast"):
    """The records that sf-lower and sf-sim make of it, a list a trace."""
    args = ["sf-lower", "--preset", "edge-npu"]
    for key, value in config.items():
        args += ["--set", setting(key, value)]
    lowered = subprocess.run(args, input=text.encode(), check=True,
                             stdout=subprocess.PIPE).stdout
    subprocess.run(["sf-check"], input=lowered, check=True,
                   stdout=subprocess.DEVNULL)
    out = subprocess.run(["sf-sim", "--tiles", "--engine", engine],
                         input=lowered, check=True,
                         stdout=subprocess.PIPE).stdout
    traces, records = [], []
    for line in out.decode().splitlines():
        records.append(json.loads(line))
        if records[-1]["kind"] == "end":
            traces.append(records)
            records = []
    return traces


def fail(what, got, want):
    print(f"{what}: got {got}, want {want}")
    sys.exit(1)


def same(what, got, want, scale=None):
    """Equal counts and names; sums within 1e-12 of SCALE."""
    if isinstance(want, dict):
        for key in want:
            same(f"{what}.{key}", got[key], want[key], scale)
    elif isinstance(want, float) or isinstance(got, float):
        if abs(got - want) > 1e-12 * (scale or max(abs(want), 1.0)):
            fail(what, got, want)
    elif got != want:
        fail(what, got, want)


def check_times(where, got, want):
    if len(got) != len(want):
        fail(f"{where} tiles", len(got), len(want))
    for record, (op, times) in zip(got, want):
        hexes = [float(t).hex() for t in record["t"]]
        if record["op"] != op or hexes != [float(t).hex() for t in times]:
            fail(f"{where} tile {record['i']}",
                 (record["op"], record["t"]), (op, times))


def check_properties(where, summary):
    """What holds of every run, whatever its times."""
    makespan = summary["makespan_s"]
    total = sum(summary["stalls_s"].values())
    if abs(total - makespan) > 1e-9 * makespan:
        fail(f"{where} sum of stalls", total, makespan)
    buffer = summary["buffer"]
    if not 0 <= buffer["mean"] <= buffer["peak"] * (1 + 1e-12) <= 1 + 1e-12:
        fail(f"{where} buffer", summary["buffer"], "0 <= mean <= peak <= 1")


def check_trace(where, records, want):
    kinds = {k: [r for r in records if r["kind"] == k]
             for k in ("op", "tile", "summary")}
    check_times(where, kinds["tile"], want["tiles"])
    simulated = [r for r in kinds["op"] if "sim" in r]
    if len(simulated) != len(want["ops"]):
        fail(f"{where} operators", len(simulated), len(want["ops"]))
    for got, op in zip(simulated, want["ops"]):
        if got["i"] != op["i"] or got["lower"]["tiles"] != op["tiles"]:
            fail(f"{where} op", got, op)
        for key in ("start_s", "end_s", "tiled_bytes"):
            if got["sim"][key] != op[key]:
                fail(f"{where} op {op['i']} {key}", got["sim"], op)
        same(f"{where} op {op['i']}", got["sim"]["stalls_s"],
             op["stalls_s"], want["summary"]["makespan_s"] or 1.0)
        if got["sim"]["bound"] != op["bound"] and not op["tied"]:
            fail(f"{where} op {op['i']} bound", got["sim"], op)
    summary = kinds["summary"][0]
    if summary["makespan_s"] != want["summary"]["makespan_s"]:
        fail(f"{where} makespan", summary["makespan_s"],
             want["summary"]["makespan_s"])
    same(where, summary["stalls_s"], want["summary"].pop("stalls_s"),
         summary["makespan_s"] or 1.0)
    if want["summary"].pop("near"):
        del want["summary"]["hotspot"]
    same(where, summary, want["summary"])
    check_properties(where, summary)


def few_tiles(ops, budget):
    """A guess from bytes and multiply-adds, so that the oracle is quick."""
    work = sum(op["flops"] for op in ops if op["category"] == "matmul")
    moved = sum(op["bytes_read"] + op["bytes_written"] for op in ops)
    return work / (budget / 8) ** 1.5 + moved / budget < 300


def program(rng, block):
    while True:
        ops = Program(rng).build()
        if few_tiles(ops, block.budget):
            return ops


def main():
    configurations, traces, seed = map(int, sys.argv[1:])
    rng = random.Random(seed)
    programs = tiles = full = 0
    for c in range(configurations):
        config = configuration(rng)
        block = accel.Block(**config)
        ops = [program(rng, block) for _ in range(traces)]
        got = simulate(config, stream_of(ops))
        for t, (records, trace) in enumerate(zip(got, ops, strict=True)):
            want = accel.run(block, trace)
            check_trace(f"configuration {c} {config} trace {t}:", records,
                        want)
            programs += 1
            full += records[-2]["stalls_s"]["buffer_full"] > 0
            tiles += len(want["tiles"])
    print(f"{programs} programs, {tiles} tiles, equal; {full} of them waited "
          "for the buffer")


if __name__ == "__main__":
    main()
