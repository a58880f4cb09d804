#!/usr/bin/env python3
"""Roofline and offload, written a second time.

usage: cost.py make SEED N    N random counted traces
       cost.py check COUNTED COSTED CONFIGS WHAT...
                              every cost in COSTED, to the last bit, and the
                              device record's figures

WHAT is device=D or offload=D, and link=L, supports=CAT,CAT, host=H, devices=N,
memory=M, overhead_s=S, products=WHICH, tf32=, where they are not what sf-cost takes unless told. Names
are those of CONFIGS, and paths. Standard library only.
"""
import json
import random
import re
import sys
from fractions import Fraction

CATEGORIES = ["matmul", "attention", "softmax", "elementwise", "reduction",
              "norm", "gather", "copy", "creation", "ntt", "view", "unknown"]
FREE = ("view", "unknown")
SIZES = {"bf16": 2, "f32": 4, "u8": 1, "i64": 8, "f16": 2, "f64": 8,
         "f8e4m3fn": 1}
# Types of products from the narrowest, with what each is called in a device,
# and the types that stand in for it where the device has no peak of its own.
TYPES = {"i4": "i8 f16 bf16", "f4": "f8 f16 bf16", "i8": "f16 bf16",
         "f8": "f16 bf16", "f16": "bf16", "bf16": "", "tf32": "f32 f64",
         "f32": "f64", "f64": ""}
ORDER = list(TYPES)
MULTIPLIED = {"u8": "i8", "i64": "f64", "f8e4m3fn": "f8", "b8": "i8"}
UNITS = {"": "1", "k": "1e3", "M": "1e6", "G": "1e9", "T": "1e12", "P": "1e15",
         "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40,
         "m": "1e-3", "u": "1e-6", "n": "1e-9", "p": "1e-12"}


# ---- random traces ----

def tensor(r, tid, param=False):
    """Of zero to a million elements, with a rank from none to three."""
    dtype = r.choice(list(SIZES))
    shape = [r.choice([0, 1, 2, 3, 64, 100]) for _ in range(r.randint(0, 3))]
    t = {"tid": tid, "shape": shape, "dtype": dtype, "itemsize": SIZES[dtype]}
    return dict(t, param=True) if param else t


def random_ops(r):
    """Operators that read what was there, what they made, the same twice, and
    parameters; that leave inputs and outputs out, read nothing, write into what
    they read, make what nobody reads, and what was made before anew."""
    params = [tensor(r, "p%d" % i, True) for i in range(3)]
    values = [tensor(r, "in%d" % i) for i in range(3)]
    ops = []
    for i in range(r.randint(0, 40)):
        category = r.choice(CATEGORIES)
        reads = [r.choice(params if r.random() < 0.2 else values)
                 for _ in range(r.choice([0, 1, 1, 2, 3]))]
        if reads and r.random() < 0.2:
            reads.append(reads[0])
        makes = [tensor(r, "t%d.%d" % (i, k))
                 for k in range(r.choice([0, 1, 1, 1, 2]))]
        if reads and r.random() < 0.1 and "param" not in reads[0]:
            makes.append(reads[0])
        if r.random() < 0.05:
            makes.append(tensor(r, r.choice(values)["tid"]))
        values += makes
        for some in (reads, makes):
            if r.random() < 0.1:
                some.insert(r.randint(0, len(some)), None)
        free = category in FREE
        count = (lambda most: 0 if free else r.choice(
            [0, 1, r.randint(0, 10**6), r.randint(0, most)]))
        ops.append({"kind": "op", "i": i, "name": "aten." + category,
                    "inputs": reads, "outputs": makes, "category": category,
                    "flops": count(2**52), "bytes_read": count(2**40),
                    "bytes_written": count(2**40), "weight_bytes": 0})
        if r.random() < 0.5:
            ops[-1].update(macs=1, gemms=products(r, reads))
    return ops


def products(r, reads):
    """Up to three, of inputs and of intermediate results."""
    made = []
    for _ in range(r.choice([1, 1, 2, 3])):
        p = {"batch": 1, "m": 1, "k": 1, "n": 1}
        for side in "ab":
            if reads and r.random() < 0.8:
                p[side] = r.randrange(len(reads))
        made.append(p)
    return made


def make(seed, n):
    r = random.Random(seed)
    for _ in range(n):
        ops = random_ops(r)
        write({"kind": "trace", "format": "simfront-trace/1", "model": "random",
               "route": "export"})
        for op in ops:
            write(op)
        write({"kind": "end", "ops": len(ops)})


def write(record):
    print(json.dumps(record, separators=(",", ":")))


# ---- what things cost ----

def quantity(x):
    """The double nearest to what the text says."""
    if not isinstance(x, str):
        return float(x)
    number, prefix = re.fullmatch(
        r"([0-9.eE+-]+) ?([kMGTPmunp]?i?)(?:FLOP/s|B/s|B|s)?", x).groups()
    return float(Fraction(number) * Fraction(UNITS[prefix]))


def configuration(root, sort, name):
    path = name if "/" in name else "%s/%s/%s.json" % (root, sort, name)
    with open(path, encoding="utf-8") as file:
        return {key: quantity(figure["value"])
                for key, figure in json.load(file).items() if key != "about"}


def nbytes(t):
    n = 1
    for size in t["shape"]:
        n *= size
    return n * t["itemsize"]


class Costs:
    def __init__(self, root, what):
        self.offload = "offload" in what
        self.memory = what.get("memory", "unfused")
        self.overhead = float(what.get("overhead_s", 0))
        self.supports = what.get("supports", "").split(",")
        self.count = int(what.get("devices", 1))
        name = what["offload" if self.offload else "device"]
        self.device = configuration(root, "devices", name)
        self.host = configuration(root, "devices", what.get("host", "host"))
        self.link = configuration(root, "links", what["link"]) \
            if self.offload else None
        self.operands = what.get("products") == "operands"
        self.tf32 = "tf32" in what
        self.where = {}
        self.data = {}

    @staticmethod
    def peaks(d):
        """{type: FLOP/s} of a device that has several, or None."""
        own = {key[5:]: x for key, x in d.items()
               if key.startswith("peak_") and key != "peak_flops"}
        return dict(own, bf16=d["peak_flops"]) if own else None

    def data_of(self, t):
        """The type of what a tensor was widened from."""
        own = t["dtype"]
        return self.data.get(t["tid"], own) if own in ("f32", "f64") else own

    def follow(self, op):
        """Widened data keep their type, constants have the narrowest."""
        floats = ["f16", "bf16", "f32", "f64"]
        inputs = [t for t in op["inputs"] if t]
        read = [self.data_of(t) for t in inputs]
        others = [x for x in read if x not in floats and x != "b8"]
        read = [x for x in read if x in floats]
        found = max(read, key=floats.index, default="f16")
        for t in filter(None, op["outputs"]):
            self.data.pop(t["tid"], None)
            if t["dtype"] in ("f32", "f64") and (read or not others) and \
                    floats.index(found) < floats.index(t["dtype"]):
                self.data[t["tid"]] = found

    def type_of(self, op):
        """What the products of an operator multiply; None: nothing."""
        def multiplied(t):
            x = t["dtype"] if self.operands else self.data_of(t)
            return MULTIPLIED.get(x, x)
        inputs = [t for t in op["inputs"]]
        sides = [inputs[p[side]] for p in op.get("gemms", []) for side in "ab"
                 if side in p]
        found = [multiplied(t) for t in sides if t]
        if not found and op.get("gemms"):
            found = [multiplied(t) for t in inputs if t][:1]
        if not found:
            return None
        widest = max(found, key=ORDER.index)
        return "tf32" if widest == "f32" and self.tf32 else widest

    def rates(self, side, category=None, flops=None):
        """A category's own, or those of all."""
        d, n = (self.host, 1) if side == "host" else (self.device, self.count)
        return ((flops or d["peak_flops"]) *
                d.get("%s_flops_eff" % category, d["flops_eff"]) * n,
                d["memory_bw"] * d.get("%s_bw_eff" % category,
                                       d["bw_eff"]) * n,
                d.get("%s_call" % category, 0.0))

    def side(self, op):
        if not self.offload:
            return "device"
        return "accel" if op["category"] in self.supports else "host"

    def sides_of(self, t):
        if t is None or t.get("param"):
            return {"accel", "host"} if t else {"accel"}
        return self.where.get(t["tid"], {"accel"})

    def transfers(self, op, side):
        """Seconds of the link, and where everything is from then on."""
        seconds = 0.0
        if op["category"] in FREE:
            at = self.sides_of(op["inputs"][0]) if op["inputs"] else {"accel"}
        else:
            at = {side}
            for t in filter(None, op["inputs"]):
                if side not in self.sides_of(t):
                    self.where[t["tid"]] = self.sides_of(t) | {side}
                    seconds += self.link["latency"] + \
                        nbytes(t) / self.link["bw"]
        for t in filter(None, op["outputs"]):
            self.where[t["tid"]] = set(at)
        return seconds

    def peak(self, op, side):
        """FLOP/s, and what is said of them."""
        peaks = self.peaks(self.host if side == "host" else self.device)
        found = self.type_of(op) if peaks else None
        if not found:
            return None, {}
        for used in [found] + TYPES[found].split():
            if used in peaks:
                break
        else:
            used = max(peaks, key=ORDER.index)
        said = {"type": found}
        return peaks[used], said if used == found else dict(said, peak=used)

    def of(self, op):
        side = self.side(op)
        transfer = self.transfers(op, side) if self.offload else 0.0
        flops, said = self.peak(op, side)
        self.follow(op)
        if op["category"] in FREE:
            return dict({"time_s": 0.0, "bound": "free", "unit": "none",
                         "transfer_s": transfer}, **said)
        flop_rate, byte_rate, call = self.rates(side, op["category"], flops)
        moved = op["bytes_read"] + op["bytes_written"]
        if self.memory == "fused" and \
                op["category"] not in ("matmul", "attention", "gather"):
            moved = 0
        compute, memory = op["flops"] / flop_rate, moved / byte_rate
        return dict({"time_s": max(compute, memory) + call + self.overhead,
                     "bound": "compute" if compute >= memory else "memory",
                     "unit": side, "transfer_s": transfer}, **said)


def check_device(costs, record):
    flop_rate, byte_rate, _ = costs.rates("accel")
    assert record["flops_per_s"] == flop_rate, record
    assert record["bytes_per_s"] == byte_rate, record
    for key, value in costs.device.items():
        assert record.get(key, record.get(key + "_s", 0)) == value, \
            (key, record)
    if costs.offload:
        assert record["link"]["bw"] == costs.link["bw"], record
        assert record["link"].get("latency_s", 0) == costs.link["latency"]
        for key, value in costs.host.items():
            found = record["host"].get(key, record["host"].get(key + "_s", 0))
            assert found == value, (key, record)


def check(counted, costed, root, words):
    what = dict(word.split("=", 1) for word in words)
    with open(counted, encoding="utf-8") as file:
        want = [json.loads(line) for line in file]
    with open(costed, encoding="utf-8") as file:
        got = [json.loads(line) for line in file]
    ops = iter(r for r in got if r["kind"] == "op")
    devices = [r for r in got if r["kind"] == "device"]
    costs = Costs(root, what)
    assert len(devices) == sum(r["kind"] == "trace" for r in want)
    for record in devices:
        check_device(costs, record)
        assert record.get("ideal", False) == (costs.count > 1), record
    n = 0
    for record in want:
        if record["kind"] == "trace":
            costs.where, costs.data = {}, {}
        if record["kind"] != "op":
            continue
        found, expected = next(ops), costs.of(record)
        assert found["cost"] == expected, (found, expected)
        n += 1
    assert next(ops, None) is None
    print(n)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(int(sys.argv[2]), int(sys.argv[3]))
    else:
        check(*sys.argv[2:5], sys.argv[5:])
