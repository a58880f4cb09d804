#!/usr/bin/env python3
"""An oracle of sf-lower and sf-sim, written from the model's description only.

It reads a counted stream (what sf-rules writes) and prints, one JSON object a
trace, the tiles' eight times and the metrics. It materialises every tile and
keeps pending frees in one sorted list: slow, plain, and nothing like the C.

Standard library only. Usage: accel.py PRESET [KEY=VALUE]... <counted.sft
"""
import bisect
import json
import sys
from math import ceil, floor, fsum, inf, prod

EDGE = dict(clock_hz=1.0e9, array_rows=32, array_cols=32, vector_lanes=64,
            buffer_bytes=2 * 2**20, tile_fraction=0.5, dram_bw=25.6e9,
            dram_channels=2, dram_latency=100e-9, noc_bw=64e9,
            noc_latency=20e-9, transit_ops_per_byte=None,
            transit_categories=["ntt"], quantise=False)
DC = dict(EDGE, array_rows=128, array_cols=128, vector_lanes=512,
          buffer_bytes=32 * 2**20, dram_bw=1600e9, dram_channels=8,
          noc_bw=512e9)
PRESETS = {"edge-npu": EDGE, "dc-npu": DC}

ARRAY, VECTOR, TRANSIT = "array", "vector", "transit"
ON_VECTOR = {"elementwise", "softmax", "norm", "reduction", "copy", "creation",
             "gather", "ntt"}
ATTENTION = {"scaled_dot_product_attention", "Attention"}


def cdiv(a, b):
    return -(-a // b)


class Unsaid(Exception):
    """The shapes do not say which GEMMs an operator is."""


class Block:
    """The accelerator: parameters and what follows from them."""

    def __init__(self, **parameters):
        self.__dict__.update(parameters)
        self.channel_bw = self.dram_bw / self.dram_channels
        self.path_bw = min(self.channel_bw, self.noc_bw)
        self.budget = floor(self.buffer_bytes * self.tile_fraction)
        self.peak_macs = self.array_rows * self.array_cols * self.clock_hz

    def quantised(self, d):
        if self.quantise and d > 0:
            return float(ceil(d * self.clock_hz - 1e-9))
        return d

    def transfer(self, nbytes, operations=0):
        if nbytes <= 0:
            return 0.0
        t = nbytes / self.path_bw
        if self.transit_ops_per_byte is not None and operations > 0:
            rate = self.transit_ops_per_byte * self.path_bw
            t = max(t, operations / rate)
        return self.quantised((self.dram_latency + self.noc_latency) + t)

    def array_gemm(self, batch, m, k, n):
        cycles = (batch * cdiv(m, self.array_rows) * cdiv(n, self.array_cols)
                  * k + self.array_rows + self.array_cols)
        return self.quantised(cycles / self.clock_hz)

    def array_macs(self, macs):
        cycles = cdiv(macs, self.array_rows * self.array_cols)
        return self.quantised(cycles / self.clock_hz)

    def vector(self, work):
        if work == 0:
            return 0.0
        return self.quantised(cdiv(work, self.vector_lanes) / self.clock_hz)


class Tile:
    """Bytes in, bytes out, bytes held for the result, and three durations."""

    def __init__(self, unit, rd, wr, held, load, compute, store, macs=0):
        self.unit, self.rd, self.wr, self.held = unit, rd, wr, held
        self.load, self.compute, self.store = load, compute, store
        self.macs = macs
        self.last = False
        self.deps = ()
        self.op = None


# ---- which GEMMs an operator is ----

def shape(tensor):
    if tensor is None or tensor.get("shape") is None:
        raise Unsaid
    dims = tensor["shape"]
    if any(not isinstance(d, int) for d in dims):
        raise Unsaid
    return dims


def need(condition):
    if not condition:
        raise Unsaid


def base_name(op):
    space, _, name = op["name"].partition(".")
    if space == "aten" and len(name) > 1 and name.endswith("_"):
        name = name[:-1]
    return space, name


def gemms_of(op):
    space, name = base_name(op)
    tensors = op["inputs"]
    out = shape(op["outputs"][0])

    def at(i):
        need(i < len(tensors))
        return shape(tensors[i])

    if op["category"] == "attention":
        q, k, v = at(0), at(1), at(2)
        need(min(len(q), len(k), len(v)) >= 2)
        heads = prod(q[:-2])
        return [(heads, q[-2], q[-1], k[-2]), (heads, q[-2], k[-2], v[-1])]
    if (space, name) in {("aten", "mm"), ("aten", "addmm")}:
        first = 1 if name == "addmm" else 0
        a, b = at(first), at(first + 1)
        need(len(a) == 2 and len(b) == 2)
        return [(1, a[0], a[1], b[1])]
    if (space, name) in {("aten", "bmm"), ("aten", "baddbmm")}:
        first = 1 if name == "baddbmm" else 0
        a, b = at(first), at(first + 1)
        need(len(a) == 3 and len(b) == 3)
        return [(a[0], a[1], a[2], b[2])]
    if (space, name) in {("aten", "matmul"), ("onnx", "MatMul")}:
        a, b = at(0), at(1)
        need(len(a) >= 2 and len(b) >= 2)
        m, k, n = a[-2], a[-1], b[-1]
        need(m * n > 0)
        return [(prod(out) // (m * n), m, k, n)]
    if (space, name) == ("aten", "linear"):
        x, w = at(0), at(1)
        need(len(x) >= 1 and len(w) == 2 and x[-1] > 0)
        return [(1, prod(x) // x[-1], x[-1], w[0])]
    if (space, name) == ("onnx", "Gemm"):
        a = at(0)
        need(len(a) == 2 and len(out) == 2)
        m, k = a
        if op.get("attrs", {}).get("transA", 0):
            m, k = k, m
        return [(1, m, k, out[-1])]
    if (space, name) in {("aten", "convolution"), ("aten", "_convolution"),
                         ("aten", "conv1d"), ("aten", "conv2d"),
                         ("aten", "conv3d"), ("onnx", "Conv")}:
        x, w = at(0), at(1)
        need(len(x) >= 3 and len(w) == len(x) and len(out) == len(x))
        need(w[1] > 0)
        g = x[1] // w[1]
        need(g > 0)
        return [(g, out[0] * prod(out[2:]), prod(w[1:]), w[0] // g)]
    raise Unsaid


def itemsize(tensor):
    size = tensor.get("itemsize")
    if not size:
        raise Unsaid
    return size


# ---- from operators to tiles ----

def blocks(total, size):
    return [min(size, total - at) for at in range(0, total, size)]


def gemm_tiles(block, batch, m, k, n, e_in, e_out):
    def size(bb, bm, bk, bn):
        return bb * (e_in * (bm * bk + bk * bn) + e_out * bm * bn)

    bm, bk, bn = m, k, n
    split = False
    while size(1, bm, bk, bn) > block.budget:
        if (bm, bk, bn) == (1, 1, 1):
            raise SystemExit("a 1x1x1 block does not fit")
        largest = max(bm, bk, bn)
        if bm == largest:
            bm = cdiv(bm, 2)
        elif bn == largest:
            bn = cdiv(bn, 2)
        else:
            bk = cdiv(bk, 2)
        split = True
    bb = 1
    if not split:
        bb = min(max(block.budget // size(1, bm, bk, bn), 1), batch)
    tiles = []
    for nb in blocks(batch, bb):
        for mm in blocks(m, bm):
            for nn in blocks(n, bn):
                ks = blocks(k, bk)
                for i, kk in enumerate(ks):
                    rd = nb * e_in * (mm * kk + kk * nn)
                    held = nb * e_out * mm * nn
                    wr = held if i == len(ks) - 1 else 0
                    tiles.append(Tile(
                        ARRAY, rd, wr, held, block.transfer(rd),
                        block.array_gemm(nb, mm, kk, nn), block.transfer(wr),
                        nb * mm * kk * nn))
    return tiles


def numel(tensor):
    return prod(tensor["shape"])


def sliced(block, op, unit):
    rd, wr, flops = op["bytes_read"], op["bytes_written"], op["flops"]
    n = max(1, cdiv(rd + wr, block.budget))
    while cdiv(rd, n) + cdiv(wr, n) > block.budget:
        n += 1
    if op["category"] == "ntt":
        work = op["attrs"]["butterflies"]
    else:
        work = max(flops, sum(numel(t) for t in op["outputs"] if t))

    def share(q, i):
        return q * (i + 1) // n - q * i // n

    tiles = []
    for i in range(n):
        r, w, f = share(rd, i), share(wr, i), share(flops, i)
        macs = 0
        if unit == ARRAY:
            macs = flops // 2 // n
            compute = block.array_macs(macs)
            load = block.transfer(r)
        elif unit == VECTOR:
            compute = block.vector(share(work, i))
            load = block.transfer(r)
        else:
            compute = 0.0
            load = block.transfer(r, f)
        tiles.append(Tile(unit, r, w, w, load, compute, block.transfer(w),
                          macs))
    return tiles


def tiles_of(block, op):
    category = op["category"]
    transit = block.transit_ops_per_byte is not None
    if transit and category in block.transit_categories:
        return sliced(block, op, TRANSIT)
    if category in ("matmul", "attention"):
        try:
            gemms = gemms_of(op)
            e_in = itemsize(op["inputs"][0])
            e_out = itemsize(op["outputs"][0])
            if any(min(g) <= 0 for g in gemms):
                raise Unsaid
        except Unsaid:
            return sliced(block, op, ARRAY)
        return [t for g in gemms for t in gemm_tiles(block, *g, e_in, e_out)]
    if category in ON_VECTOR:
        return sliced(block, op, VECTOR)
    raise SystemExit("category " + category)


def lower(block, ops):
    """All tiles in program order, and the operators that have some."""
    producer, tiles, simulated = {}, [], []
    for op in ops:
        present = [t for t in op["inputs"] if t]
        if (op["category"] in ("view", "unknown") or op.get("folded")
                or op.get("dead")):
            source = next((producer[t["tid"]] for t in present
                           if t["tid"] in producer), None)
            for t in op["outputs"]:
                producer.pop(t["tid"], None)
                if source is not None:
                    producer[t["tid"]] = source
            continue
        mine = tiles_of(block, op)
        mine[-1].last = True
        mine[0].deps = sorted({producer[t["tid"]] for t in present
                               if not t.get("param")
                               and t["tid"] in producer})
        for t in mine:
            t.op = op["i"]
        tiles += mine
        simulated.append((op, mine))
        for t in op["outputs"]:
            producer[t["tid"]] = op["i"]
    return tiles, simulated


# ---- time ----

def simulate(block, tiles):
    """Sets the eight times of every tile."""
    frees, used = [], 0
    stored = {}
    load_end = comp_end = store_end = 0.0
    for t in tiles:
        assert t.rd + t.held <= block.buffer_bytes
        t.issue = load_end
        t.dep = t.issue
        for d in t.deps:
            t.dep = max(t.dep, stored[d])
        t.alloc = t.dep
        while frees and frees[0][0] <= t.alloc:
            used -= frees.pop(0)[1]
        while used + t.rd + t.held > block.buffer_bytes:
            t.alloc = frees[0][0]
            while frees and frees[0][0] <= t.alloc:
                used -= frees.pop(0)[1]
        used += t.rd + t.held
        t.load_end = load_end = t.alloc + t.load
        t.comp_start = max(t.load_end, comp_end)
        t.comp_end = comp_end = t.comp_start + t.compute
        t.stores = t.wr > 0 or t.last
        if t.stores:
            t.store_start = max(t.comp_end, store_end)
            t.store_end = store_end = t.store_start + t.store
            bisect.insort(frees, (t.comp_end, t.rd))
            bisect.insort(frees, (t.store_end, t.held))
        else:
            t.store_start = t.store_end = t.comp_end
            bisect.insort(frees, (t.comp_end, t.rd + t.held))
        if t.last:
            stored[t.op] = t.store_end


def times(t):
    return [t.issue, t.dep, t.alloc, t.load_end, t.comp_start, t.comp_end,
            t.store_start, t.store_end]


# ---- metrics ----

def overlap(a, b, c, d):
    return max(0.0, min(b, d) - max(a, c))


def occupancy(tiles):
    """The integral of the level over time, and its highest value."""
    changes = []
    for t in tiles:
        changes.append((t.alloc, t.rd + t.held))
        changes.append((t.comp_end, -t.rd))
        changes.append((t.store_end, -t.held))
    changes.sort(key=lambda c: c[0])
    areas, level, peak, now = [], 0, 0, 0.0
    for at, change in changes:
        if at > now:
            areas.append(level * (at - now))
            peak = max(peak, level)
            now = at
        level += change
    assert level == 0
    return fsum(areas), peak


def stalls_of(tiles, makespan, at=0.0):
    """From AT on, when the compute before was done."""
    load, full, dependency, transit = [], [], [], []
    for t in tiles:
        begin, end = at, t.comp_start
        waited = (overlap(begin, end, t.alloc, t.load_end)
                  + overlap(begin, end, -inf, t.issue))
        load.append(waited)
        if t.unit == TRANSIT:
            transit.append(waited)
        full.append(overlap(begin, end, t.dep, t.alloc))
        dependency.append(overlap(begin, end, t.issue, t.dep))
        at = t.comp_end
    return dict(compute=fsum(t.compute for t in tiles),
                load_bandwidth=fsum(load), buffer_full=fsum(full),
                dependency=fsum(dependency),
                store_tail=makespan - at), fsum(transit)


def hotspot_of(block, stalls, transit, busy):
    waits = ["load_bandwidth", "buffer_full", "dependency", "store_tail"]
    worst = max(waits, key=lambda w: stalls[w])
    if stalls["compute"] >= stalls[worst]:
        return ("vector unit" if busy["vector"] > busy["array"]
                else "compute array")
    if worst == "load_bandwidth":
        if transit > stalls[worst] / 2:
            return "in-transit stage"
        return ("off-chip memory" if block.channel_bw <= block.noc_bw
                else "NoC read")
    return {"dependency": "operator boundaries", "buffer_full": "buffer",
            "store_tail": "store path"}[worst]


def operator(op, tiles, second, before):
    """BEFORE is the tile before its first, None at the beginning."""
    start = min(t.alloc for t in tiles)
    end = max(t.store_end for t in tiles)
    compute = fsum(t.compute for t in tiles)
    moving = fsum(t.load + t.store for t in tiles)
    stalls, _ = stalls_of(tiles, 0.0, before.comp_end if before else 0.0)
    del stalls["store_tail"]
    return dict(i=op["i"], tiles=len(tiles), start_s=start * second,
                end_s=end * second,
                bound="compute" if compute >= moving else "memory",
                tied=abs(compute - moving) <= 1e-12 * moving,
                tiled_bytes=sum(t.rd + t.wr for t in tiles),
                stalls_s={k: v * second for k, v in stalls.items()})


def operators(simulated, second):
    before, told = None, []
    for op, mine in simulated:
        told.append(operator(op, mine, second, before))
        before = mine[-1]
    return told


def metrics(block, tiles, simulated):
    second = 1 / block.clock_hz if block.quantise else 1.0
    makespan = max([0.0] + [max(t.store_end, t.comp_end) for t in tiles])
    whole = makespan or 1.0
    loads = fsum(t.load_end - t.alloc for t in tiles)
    stores = fsum(t.store for t in tiles)

    def computing(unit):
        return fsum(t.compute for t in tiles if t.unit == unit)

    busy = dict(
        dram=(loads + stores) / block.dram_channels / whole,
        noc_read=loads / whole, noc_write=stores / whole,
        load_dma=loads / whole, store_dma=stores / whole,
        array=computing(ARRAY) / whole, vector=computing(VECTOR) / whole,
        transit=fsum(t.load_end - t.alloc for t in tiles
                    if t.unit == TRANSIT) / whole)
    rd, wr = sum(t.rd for t in tiles), sum(t.wr for t in tiles)
    span_s = whole * second
    macs = sum(t.macs for t in tiles)
    array_s = computing(ARRAY) * second
    area, peak = occupancy(tiles)
    stalls, transit = stalls_of(tiles, makespan)
    ranked = sorted(v for k, v in stalls.items())
    near = (ranked[-1] - ranked[-2] <= 1e-9 * ranked[-1]
            or abs(transit - stalls["load_bandwidth"] / 2) <= 1e-9 * transit
            or abs(computing(ARRAY) - computing(VECTOR)) <= 1e-9 * makespan)
    return dict(
        tiles=len(tiles), ops=len(simulated), macs=macs,
        makespan_s=makespan * second,
        stalls_s={k: v * second for k, v in stalls.items()}, busy=busy,
        bandwidth_used=dict(dram=(rd + wr) / (block.dram_bw * span_s),
                            noc_read=rd / (block.noc_bw * span_s),
                            noc_write=wr / (block.noc_bw * span_s)),
        bytes=dict(read=rd, written=wr),
        pe_efficiency=macs / (block.peak_macs * array_s) if array_s else 0.0,
        buffer=dict(mean=area / whole / block.buffer_bytes,
                    peak=peak / block.buffer_bytes),
        near=near,
        hotspot=hotspot_of(block, stalls, transit, busy) if tiles else "none")


def traces(lines):
    ops = []
    for line in lines:
        record = json.loads(line)
        if record["kind"] == "op":
            ops.append(record)
        elif record["kind"] == "end":
            yield ops
            ops = []


def run(block, ops):
    tiles, simulated = lower(block, ops)
    simulate(block, tiles)
    second = 1 / block.clock_hz if block.quantise else 1.0
    return dict(tiles=[(t.op, times(t)) for t in tiles],
                ops=operators(simulated, second),
                summary=metrics(block, tiles, simulated))


def main():
    parameters = dict(PRESETS[sys.argv[1]])
    for setting in sys.argv[2:]:
        key, value = setting.split("=")
        parameters[key] = json.loads(value)
    for ops in traces(sys.stdin):
        print(json.dumps(run(Block(**parameters), ops)["summary"]))


if __name__ == "__main__":
    main()
