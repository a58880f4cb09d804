#!/usr/bin/env python3
"""An oracle of the array, the nests and the pipeline with all of their keys.

Written from docs/accel-spec.md alone: it writes every tile down, says of each
which blocks it loads and which it frees by looking at the tiles before and
behind it, and steps through the pipeline transfer by transfer. Slow, plain, and
nothing like the C: no closed form, no table of sizes, no queue of frees.

As a program it reads cases, one JSON object a line with "accel" and "gemm", and
writes each with its nest, totals, times and makespan. Standard library only.
"""
import json
import sys
from math import ceil, floor

EDGE = dict(clock_hz=1.0e9, array_rows=32, array_cols=32, vector_lanes=64,
            buffer_bytes=2 * 2**20, tile_fraction=0.5, dram_bw=25.6e9,
            dram_channels=2, dram_latency=100e-9, noc_bw=64e9,
            noc_latency=20e-9, quantise=False, arrays=1, dataflow="os",
            array_fill="tile", conv="im2col", reuse=False, blocks="halve",
            acc_bytes=0, acc_itemsize=0, latency="held",
            dram_interleave=False, op_overhead=0.0)


def cdiv(a, b):
    return -(-a // b)


class Block:
    """Parameters and what follows from them."""

    def __init__(self, **keys):
        self.__dict__.update(EDGE)
        self.__dict__.update(keys)
        self.servers = 1 if self.dram_interleave else self.dram_channels
        self.path_bw = min(self.dram_bw / self.servers, self.noc_bw)
        self.wait = self.dram_latency + self.noc_latency
        self.memory_bw = self.path_bw * (1 if self.servers == 1 else 2)
        self.budget = floor(self.buffer_bytes * self.tile_fraction)
        self.acc_budget = floor(self.acc_bytes * self.tile_fraction)

    def duration(self, seconds):
        if self.quantise and seconds > 0:
            return float(ceil(seconds * self.clock_hz - 1e-9))
        return seconds

    def transfer(self, nbytes):
        """How long it holds its server, and how long until its data come."""
        if nbytes <= 0:
            return 0.0, 0.0
        whole = self.duration(self.wait + nbytes / self.path_bw)
        if self.latency == "held":
            return whole, whole
        if self.quantise:
            return self.duration(nbytes / self.path_bw), whole
        return whole - self.wait, whole

    def cycles(self, nb, mm, nn, kk, taps):
        """Of a tile; TAPS positions of a kernel of KK channels."""
        rows, cols, arrays = self.array_rows, self.array_cols, self.arrays
        if self.conv != "taps":
            kk, taps = kk * taps, 1

        def fold(length, over, load):
            return {"tile": length, "fold": length + over,
                    "load": length + load,
                    "preload": max(length, load)}[self.array_fill]

        once = 0 if self.array_fill == "fold" else rows + cols
        if self.dataflow == "os":
            folds = cdiv(nb * cdiv(mm, rows) * cdiv(nn, cols), arrays)
            return folds * fold(kk * taps, rows + cols - 2, 0) + once
        depth = nb * taps * cdiv(kk, rows)
        if self.dataflow == "ws":
            across, length = cdiv(nn, cols), mm
        else:
            across, length = cdiv(mm, cols), nn
        over = 2 * rows + cols - 2
        return min(depth * cdiv(across, arrays) * fold(length, over, rows),
                   depth * across
                   * fold(cdiv(length, arrays), over, rows)) + once


class Tile:
    """One tile: bytes, what it is granted and frees, durations, times."""


class Nest:
    """One GEMM: batch, m, k, n, element sizes and its convolution, if any."""

    def __init__(self, block, batch, m, k, n, e_in, e_out, conv=None):
        self.block, self.batch, self.m, self.n = block, batch, m, n
        self.e_in, self.e_out = e_in, e_out
        self.e_acc = block.acc_itemsize or e_out
        self.conv = conv if block.conv != "im2col" else None
        self.k, self.taps = k, 1
        if self.conv:
            (self.images, self.p, self.q, self.k, self.r, self.s, self.stride,
             self.dilation) = (list(conv) + [1])[:8]
            self.taps = self.r * self.s
            assert self.images * self.p * self.q == m
            assert self.k * self.taps == k

    # ---- blocks ----

    def positions(self, rows):
        """Input positions that a block of so many rows of A reads."""
        if not self.conv:
            return rows

        def reach(outs, kernel):
            return (outs - 1) * self.stride + (kernel - 1) * self.dilation + 1

        image = self.p * self.q
        if rows >= image:
            assert rows % image == 0
            return (rows // image * reach(self.p, self.r)
                    * reach(self.q, self.s))
        if rows >= self.q:
            assert rows % self.q == 0
            return reach(rows // self.q, self.r) * reach(self.q, self.s)
        return reach(1, self.r) * reach(rows, self.s)

    def row_blocks(self, bm):
        """The rows of each block, in order."""
        unit = self.m
        if self.conv and bm < self.p * self.q:
            unit = self.p * self.q if bm >= self.q else self.q
        out = []
        for _ in range(self.m // unit):
            out += [min(bm, unit - at) for at in range(0, unit, bm)]
        return out

    def a_bytes(self, nb, mm, kk):
        return nb * self.positions(mm) * kk * self.e_in

    def b_bytes(self, nb, kk, nn):
        return nb * self.taps * kk * nn * self.e_in

    def fits(self, nb, bm, bn, bk):
        operands = self.a_bytes(nb, bm, bk) + self.b_bytes(nb, bk, bn)
        result = nb * bm * bn * self.e_acc
        if self.block.acc_bytes:
            return (operands <= self.block.budget
                    and result <= self.block.acc_budget)
        return operands + result <= self.block.budget

    def batches(self, bm, bn, bk):
        if (bm, bn, bk) != (self.m, self.n, self.k):
            return 1
        bb = 1
        while bb < self.batch and self.fits(bb + 1, bm, bn, bk):
            bb += 1
        return bb

    def halve(self):
        rows, bn, bk = self.m, self.n, self.k
        while True:
            bm = rows
            if self.conv:
                for unit in (self.p * self.q, self.q):
                    if bm >= unit:
                        bm -= bm % unit
                        break
            if self.fits(1, bm, bn, bk):
                return self.batches(bm, bn, bk), bm, bn, bk, "mnk"
            if (bm, bn, bk) == (1, 1, 1):
                raise SystemExit("a 1x1x1 block does not fit")
            largest = max(rows, bn, bk)
            if rows == largest:
                rows = cdiv(rows, 2)
            elif bn == largest:
                bn = cdiv(bn, 2)
            else:
                bk = cdiv(bk, 2)

    def search(self):
        b = self.block

        def cuts(d, u):
            q = cdiv(d, u)
            return {min(d, u * cdiv(q, j)) for j in range(1, q + 1)}

        if self.conv:
            image = self.p * self.q
            rows = ({x * image for x in cuts(self.images, 1)}
                    | {x * self.q for x in cuts(self.p, 1)}
                    | cuts(self.q, b.array_rows))
        else:
            rows = cuts(self.m, b.array_rows)
        best = None
        for bm in rows:
            for bn in cuts(self.n, b.array_cols):
                for bk in cuts(self.k, b.array_rows):
                    if not self.fits(1, bm, bn, bk):
                        continue
                    for order in ["mnk"] + ["nmk"] * b.reuse:
                        nest = (self.batches(bm, bn, bk), bm, bn, bk, order)
                        est, read, written, tiles, _ = self.estimate(nest)
                        cost = (est, read + written, tiles)
                        if b.blocks == "bytes":
                            cost = (read + written, est, tiles)
                        key = cost + (-bm, -bn, -bk, order)
                        if best is None or key < best[0]:
                            best = key, nest
        return best and best[1]

    def choose(self):
        found = self.search() if self.block.blocks != "halve" else None
        return found or self.halve()

    # ---- tiles ----

    def sides(self, nest):
        """Of each tile its blocks, and whether it is the last along k."""
        bb, bm, bn, bk, order = nest
        ms = list(enumerate(self.row_blocks(bm)))

        def cut(d, size):
            return [(i, min(size, d - at))
                    for i, at in enumerate(range(0, d, size))]
        ns, ks = cut(self.n, bn), cut(self.k, bk)
        for b in cut(self.batch, bb):
            pairs = ([(m, n) for m in ms for n in ns] if order == "mnk"
                     else [(m, n) for n in ns for m in ms])
            for m, n in pairs:
                for k in ks:
                    yield b, m, n, k, k is ks[-1]

    def estimate(self, nest):
        """Seconds as the search has them, bytes, tiles and cycles, of all."""
        b = self.block
        read = written = cycles = tiles = results = 0
        for tile in self.expand(nest):
            tiles += 1
            read += tile.rd
            written += tile.wr
            results += tile.stores
            cycles += tile.cycles
        bb, bm, bn, bk, _ = nest
        move = (read + written) / b.memory_bw
        if b.latency == "held":
            move = move + b.wait * (tiles + results)
        operands = self.a_bytes(bb, bm, bk) + self.b_bytes(bb, bk, bn)
        est = (max(move, cycles / b.clock_hz)
               + (b.wait + operands / b.path_bw)
               + (b.wait + bb * bm * bn * self.e_out / b.path_bw))
        return est, read, written, tiles, cycles

    def expand(self, nest):
        """Every tile with what it loads, is granted and frees."""
        sides = list(self.sides(nest))
        reuse = self.block.reuse
        out = []
        for i, (b, m, n, k, last) in enumerate(sides):
            before = sides[i - 1] if i else None
            behind = sides[i + 1] if i + 1 < len(sides) else None

            def same(other, *parts):
                return reuse and other is not None and all(
                    other[p][0] == (b, m, n, k)[p][0] for p in parts)

            t = Tile()
            a = self.a_bytes(b[1], m[1], k[1])
            w = self.b_bytes(b[1], k[1], n[1])
            result = b[1] * m[1] * n[1]
            held = result * self.e_acc
            t.rd = ((0 if same(before, 0, 1, 3) else a)
                    + (0 if same(before, 0, 2, 3) else w))
            t.frees = ((0 if same(behind, 0, 1, 3) else a)
                       + (0 if same(behind, 0, 2, 3) else w))
            t.stores, t.wr = last, result * self.e_out if last else 0
            t.result = 0 if reuse and k[0] != 0 else held
            t.result_at_store = held if last else 0
            t.result_at_compute = 0 if last or reuse else held
            t.cycles = self.block.cycles(b[1], m[1], n[1], k[1], self.taps)
            t.macs = result * k[1] * self.taps
            t.load = self.block.transfer(t.rd)
            t.store = self.block.transfer(t.wr)
            t.compute = self.block.duration(t.cycles / self.block.clock_hz)
            out.append(t)
        return out


# ---- the pipeline ----

class Pipeline:
    """Transfer by transfer. With one server the next store is served before
    the next load when it asked before; with two or more each has its own."""

    def __init__(self, block):
        self.block, self.one = block, block.servers == 1
        self.server = self.load_free = self.store_free = 0.0
        self.comp_end = self.last_loaded = self.last_stored = 0.0
        self.size = [block.buffer_bytes, block.acc_bytes]
        self.held, self.changes = [0, 0], []
        self.waiting, self.stored = [], {}

    def split(self, operands, result):
        if self.block.acc_bytes:
            return [operands, result]
        return [operands + result, 0]

    def asks(self):
        return max(self.waiting[0].comp_end, self.store_free)

    def transfer(self, asked, hold, whole):
        """When it starts, frees its DMA, and has its data there."""
        start = asked
        if self.one and hold > 0:
            start = max(asked, self.server)
            self.server = start + hold
        return start, start + hold, start + whole

    def serve(self):
        t = self.waiting.pop(0)
        asked = max(t.comp_end, self.store_free)
        t.store_start, self.store_free, there = self.transfer(asked, *t.store)
        t.store_end = self.last_stored = max(there, self.last_stored)
        self.changes.append((t.store_end, self.split(0, t.result_at_store)))
        if t.last:
            self.stored[t.op] = t.store_end

    def first_in_line(self, now):
        """A store that asked before NOW, or then and needs no server."""
        if not self.waiting:
            return False
        return (not self.one or self.asks() < now
                or self.waiting[0].store[0] == 0 and self.asks() <= now)

    def room(self, now, need):
        used = list(self.held)
        for at, freed in self.changes:
            if at <= now:
                used = [u - f for u, f in zip(used, freed)]
        return all(u + n <= s for u, n, s in zip(used, need, self.size))

    def grant(self, now, need):
        while True:
            while self.first_in_line(now):
                self.serve()
            if self.room(now, need):
                break
            later = [at for at, _ in self.changes if at > now]
            if self.waiting and (not later or self.asks() < min(later)):
                self.serve()
            else:
                now = min(later)
        due = [c for c in self.changes if c[0] <= now]
        self.changes = [c for c in self.changes if c[0] > now]
        for i in (0, 1):
            self.held[i] += need[i] - sum(freed[i] for _, freed in due)
        return now

    def run(self, t, deps):
        t.issue = t.dep = self.load_free
        if t.first:
            while any(d not in self.stored for d in deps):
                self.serve()
            t.dep = (max([t.issue] + [self.stored[d] for d in deps])
                     + self.block.duration(self.block.op_overhead))
        t.alloc = self.grant(t.dep, self.split(t.rd, t.result))
        _, self.load_free, there = self.transfer(t.alloc, *t.load)
        t.load_end = self.last_loaded = max(there, self.last_loaded)
        t.comp_start = max(t.load_end, self.comp_end)
        t.comp_end = self.comp_end = t.comp_start + t.compute
        self.changes.append(
            (t.comp_end, self.split(t.frees, t.result_at_compute)))
        t.store_start = t.store_end = t.comp_end
        if t.stores or t.last:
            self.waiting.append(t)


def simulate(block, ops):
    """OPS: (tiles, numbers of the ops waited for); the makespan in seconds."""
    pipeline = Pipeline(block)
    for number, (tiles, deps) in enumerate(ops):
        for i, t in enumerate(tiles):
            t.op, t.first, t.last = number, i == 0, i == len(tiles) - 1
            pipeline.run(t, deps)
    while pipeline.waiting:
        pipeline.serve()
    end = max(max(t.store_end, t.comp_end) for ts, _ in ops for t in ts)
    return end * (1 / block.clock_hz) if block.quantise else end


def times(t):
    return [t.issue, t.dep, t.alloc, t.load_end, t.comp_start, t.comp_end,
            t.store_start, t.store_end]


class TooMany(Exception):
    """More tiles than are worth writing down."""


def run(case, most=None):
    """What a case comes to; its product twice, the second behind the first."""
    block = Block(**case["accel"])
    g = case["gemm"]
    nest = Nest(block, g["batch"], g["m"], g["k"], g["n"], g["e_in"],
                g["e_out"], g.get("conv"))
    chosen = nest.choose()
    if most is not None and sum(1 for _ in nest.sides(chosen)) > most:
        raise TooMany
    est, read, written, tiles, cycles = nest.estimate(chosen)
    ops = [(nest.expand(chosen), []), (nest.expand(chosen), [0])]
    makespan = simulate(block, ops)
    bb, bm, bn, bk, order = chosen
    return dict(nest=dict(bb=bb, bm=bm, bn=bn, bk=bk, order=order),
                tiles=tiles, read=read, written=written, cycles=cycles,
                estimate=est, macs=sum(t.macs for t in ops[0][0]),
                first=times(ops[0][0][0]), last=times(ops[1][0][-1]),
                makespan=makespan)


def main():
    for line in sys.stdin:
        case = json.loads(line)
        print(json.dumps({**case, **run(case)}))


if __name__ == "__main__":
    main()
