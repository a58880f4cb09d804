#!/usr/bin/env python3
"""An oracle of several cores: the block as SimPy would have it, on plain Python.

Written from docs/accel-spec.md alone. It makes a random block of 1 to 8 cores and
a random trace for it, has sf-lower and sf-sim run that, cuts every operator into
the tiles of each core itself, and steps an event list: loads, computes and stores
of all cores, and one line before the memory. Its times must be those of the tile
records to the last bit. It shares with dataflow.py what a tile is made of, and
with the programs nothing.

usage: cores.py PROGRAMS SEED
"""
import heapq
import json
import random
import subprocess
import sys

import dataflow

def random_block(rng):
    keys = dict(
        clock_hz=1e9, array_rows=rng.choice([1, 2, 8, 17]),
        array_cols=rng.choice([1, 2, 8, 17]),
        vector_lanes=rng.choice([1, 7, 64]),
        buffer_bytes=rng.choice([300, 3000, 65536]),
        tile_fraction=rng.choice([0.3, 0.5, 1]),
        dram_channels=rng.choice([1, 2, 3, 8, 16]),
        dram_bw=rng.choice([1, 3, 64, 333]) * 1e9,
        noc_bw=rng.choice([1, 2, 64]) * 1e9,
        dram_latency=rng.choice([0, 0, 1e-9, 7.3e-9]),
        noc_latency=rng.choice([0, 1e-9]),
        quantise=rng.random() < 0.5, arrays=rng.choice([1, 1, 2]),
        dataflow=rng.choice(["os", "ws", "is"]),
        array_fill=rng.choice(["tile", "fold", "load", "preload"]),
        reuse=rng.random() < 0.5,
        blocks=rng.choice(["halve", "halve", "time", "bytes"]),
        acc_bytes=rng.choice([0, 0, 4000]),
        acc_itemsize=rng.choice([0, 4]),
        latency=rng.choice(["held", "pipelined"]),
        dram_interleave=rng.random() < 0.3,
        op_overhead=rng.choice([0, 0, 3.3e-9]))
    return keys, rng.randint(1, 8)


def random_ops(rng):
    """(kind, sizes, numbers of the ops whose results it reads)."""
    ops = []
    for i in range(rng.randint(1, 10)):
        deps = [d for d in range(i) if rng.random() < (0.5 if i - d < 3
                                                       else 0.1)][:2]
        if rng.random() < 0.5:
            most = rng.choice([3, 20, 60])
            ops.append(("mm", (rng.randint(1, 6), rng.randint(1, most),
                               rng.randint(1, most), rng.randint(1, most)),
                        deps))
        else:
            ops.append(("vector", (rng.randint(0, 3000), rng.randint(1, 2000),
                                   rng.randint(1, 4000)), deps))
    return ops


def tensor(tid, shape, dtype="u8"):
    return dict(tid=tid, shape=shape, dtype=dtype, itemsize=1)


def trace_of(ops):
    """The trace, counted: what each op multiplies, or moves and does."""
    lines = [dict(kind="trace", format="simfront-trace/1", model="cores",
                  route="export")]
    for i, (kind, sizes, deps) in enumerate(ops):
        reads = [tensor(f"t{d}", [1]) for d in deps]
        op = dict(kind="op", i=i, name="own.op")
        if kind == "mm":
            batch, m, k, n = sizes
            op.update(inputs=[tensor(f"a{i}", [batch, m, k]),
                              tensor(f"b{i}", [batch, k, n])] + reads,
                      outputs=[tensor(f"t{i}", [batch, m, n])],
                      category="matmul", flops=2 * batch * m * k * n,
                      bytes_read=batch * (m * k + k * n),
                      bytes_written=batch * m * n, weight_bytes=0,
                      macs=batch * m * k * n,
                      gemms=[dict(batch=batch, m=m, k=k, n=n, a=0, b=1)])
        else:
            rd, wr, work = sizes
            op.update(inputs=[tensor(f"a{i}", [1])] + reads,
                      outputs=[tensor(f"t{i}", [1])], category="elementwise",
                      flops=work, bytes_read=rd, bytes_written=wr,
                      weight_bytes=0)
        lines.append(op)
    lines.append(dict(kind="end", ops=len(ops)))
    return "".join(json.dumps(line) + "\n" for line in lines)


# ---- each core's tiles ----

def run_of(d, cores, core):
    return d * core // cores, d * (core + 1) // cores


def split_product(block, sizes, cores):
    """The tiles of each core."""
    batch, m, k, n = sizes
    by_batch = (dataflow.cdiv(batch, cores) * n
                <= dataflow.cdiv(n, cores) * batch)
    whole = batch if by_batch else n
    largest = dataflow.cdiv(whole, cores)

    def nest(size):
        return dataflow.Nest(block, size if by_batch else batch, m, k,
                             n if by_batch else size, 1, 1)
    bb, bm, bn, bk, order = nest(largest).choose()
    out = []
    for core in range(cores):
        begin, end = run_of(whole, cores, core)
        if end == begin:
            out.append([])
            continue
        part = nest(end - begin)
        out.append(part.expand((min(bb, part.batch), bm, min(bn, part.n), bk,
                                order)))
    return out


def slices_of_one(block, rd, wr, work):
    n = 1
    while dataflow.cdiv(rd, n) + dataflow.cdiv(wr, n) > block.budget:
        n += 1
    if block.blocks != "time":
        return n

    def estimate(n):
        move = (rd + wr) / block.memory_bw
        if block.latency == "held":
            move = move + block.wait * (((rd > 0) + (wr > 0)) * n)
        lanes = dataflow.cdiv(dataflow.cdiv(work, n), block.vector_lanes)
        est = max(move, n * lanes / block.clock_hz)
        for q in (rd, wr):
            if q:
                est = est + (block.wait + dataflow.cdiv(q, n) / block.path_bw)
        return est
    best, most = n, n
    while most <= (rd + wr) // 2:
        most *= 2
        if estimate(most) < estimate(best):
            best = most
    return best


def split_slices(block, sizes, cores):
    rd, wr, work = sizes
    n = cores * slices_of_one(block, *(dataflow.cdiv(q, cores)
                                       for q in sizes))
    out = []
    for core in range(cores):
        tiles = []
        begin, end = run_of(n, cores, core)
        for i in range(begin, end):
            t = dataflow.Tile()
            t.rd, t.wr, items = (q * (i + 1) // n - q * i // n
                                 for q in (rd, wr, work))
            t.frees, t.result = t.rd, t.wr
            t.result_at_store, t.result_at_compute = t.wr, 0
            t.stores = t.wr > 0 or i == end - 1
            t.slice = True
            cycles = dataflow.cdiv(items, block.vector_lanes)
            t.load, t.store = block.transfer(t.rd), block.transfer(t.wr)
            t.compute = block.duration(cycles / block.clock_hz)
            tiles.append(t)
        out.append(tiles)
    return out


# ---- the device ----

class Core:
    """What one core is at."""

    def __init__(self, number, block):
        self.number, self.tiles = number, []
        self.room = [block.buffer_bytes, block.acc_bytes]
        self.next = 0
        self.loading = self.moving = self.storing = self.computing = None
        self.ready, self.computed = [], []
        self.last_loaded = self.last_stored = 0.0


class Device:
    """An event list, and a line of transfers before the memory servers."""

    def __init__(self, block, cores, ops):
        self.block = block
        self.cores = [Core(i, block) for i in range(cores)]
        self.shared = block.servers < 2 * cores
        self.free = block.servers
        self.line, self.events, self.order = [], [], 0
        self.left = {}
        for number, (deps, parts) in enumerate(ops):
            self.left[number] = sum(1 for part in parts if part)
            for core, part in zip(self.cores, parts):
                for i, t in enumerate(part):
                    t.op, t.deps = number, deps
                    t.first, t.last = i == 0, i == len(part) - 1
                    core.tiles.append(t)

    def at(self, time, what, *args):
        self.order += 1
        heapq.heappush(self.events, (time, self.order, what, args))

    def need(self, t, operands, result):
        if self.block.acc_bytes and not hasattr(t, "slice"):
            return [operands, result]
        return [operands + result, 0]

    def give(self, core, t, operands, result):
        for i, n in enumerate(self.need(t, operands, result)):
            core.room[i] += n

    # Each of these looks whether something can begin now, and says so.

    def look_load(self, core, now):
        if core.loading is None:
            if core.next == len(core.tiles):
                return False
            t = core.loading = core.tiles[core.next]
            core.next += 1
            t.issue, t.dep, t.alloc = now, None, None
        t = core.loading
        if t.dep is None:
            if t.first and any(self.left[d] for d in t.deps):
                return False
            extra = (self.block.duration(self.block.op_overhead)
                     if t.first else 0.0)
            t.dep = now + extra
            if extra > 0:
                self.at(t.dep, self.nothing)
        if t.alloc is not None or t.dep > now:
            return False
        need = self.need(t, t.rd, t.result)
        if any(n > r for n, r in zip(need, core.room)):
            return False
        core.room = [r - n for n, r in zip(need, core.room)]
        t.alloc = now
        if self.shared and t.load[0] > 0:
            self.line.append((now, 0, core.number, self.begin_load, core, t))
        else:
            self.begin_load(core, t, now, False)
        return True

    def begin_load(self, core, t, now, holds):
        hold, whole = t.load
        there = core.last_loaded = max(now + whole, core.last_loaded)
        self.at(now + hold, self.load_free, core, holds)
        self.at(there, self.loaded, core, t)

    def load_free(self, now, core, holds):
        core.loading = None
        self.free += holds

    def loaded(self, now, core, t):
        t.load_end = now
        core.ready.append(t)

    def look_compute(self, core, now):
        if core.computing is not None or not core.ready:
            return False
        t = core.computing = core.ready.pop(0)
        t.comp_start = now
        self.at(now + t.compute, self.computed, core, t)
        return True

    def computed(self, now, core, t):
        core.computing = None
        t.comp_end = t.store_start = t.store_end = now
        self.give(core, t, t.frees, t.result_at_compute)
        if t.stores or t.last:
            core.computed.append(t)

    def look_store(self, core, now):
        if core.storing is not None or not core.computed:
            return False
        t = core.storing = core.computed.pop(0)
        if self.shared and t.store[0] > 0:
            self.line.append((now, 1, core.number, self.begin_store, core, t))
        else:
            self.begin_store(core, t, now, False)
        return True

    def begin_store(self, core, t, now, holds):
        t.store_start = now
        hold, whole = t.store
        there = core.last_stored = max(now + whole, core.last_stored)
        self.at(now + hold, self.store_free, core, holds)
        self.at(there, self.stored, core, t)

    def store_free(self, now, core, holds):
        core.storing = None
        self.free += holds

    def stored(self, now, core, t):
        t.store_end = now
        self.give(core, t, 0, t.result_at_store)
        if t.last:
            self.left[t.op] -= 1

    def nothing(self, now):
        pass

    def happen(self, now):
        """All that happens at an instant, but for grants."""
        while True:
            if self.events and self.events[0][0] == now:
                _, _, what, args = heapq.heappop(self.events)
                what(now, *args)
                continue
            if not any(look(core, now) for core in self.cores
                       for look in (self.look_load, self.look_compute,
                                    self.look_store)):
                return

    def run(self):
        now = 0.0
        while True:
            self.happen(now)
            if self.line and self.free:
                first = min(self.line, key=lambda r: r[:3])
                self.line.remove(first)
                self.free -= 1
                _, _, _, begin, core, t = first
                begin(core, t, now, True)
                continue
            if not self.events:
                return
            now = self.events[0][0]


# ---- against the programs ----

def setting(name, value):
    if isinstance(value, bool):
        value = "on" if value else "off"
    return ["-s", f"{name}={value}"]


def program(rng):
    """True when it was compared; None when the block cannot run it."""
    keys, cores = random_block(rng)
    ops = random_ops(rng)
    args = ["-p", "edge-npu"] + setting("cores", cores)
    for name, value in keys.items():
        args += setting(name, value)
    lowered = subprocess.run(["sf-lower"] + args, input=trace_of(ops),
                             capture_output=True, text=True, check=False)
    if lowered.returncode == 3 and "does not fit" in lowered.stderr:
        return None
    if lowered.returncode == 3 and "a tile may take" in lowered.stderr:
        return None
    if lowered.returncode != 0:
        sys.exit(lowered.stderr)
    engine = rng.choice(["fast", "event"] + ["cycle"] * keys["quantise"])
    ran = subprocess.run(["sf-sim", "--tiles", "--engine", engine],
                         input=lowered.stdout, capture_output=True, text=True,
                         check=False)
    if ran.returncode != 0:
        sys.exit(ran.stderr)
    block = dataflow.Block(**keys)
    parts = [split_product(block, sizes, cores) if kind == "mm"
             else split_slices(block, sizes, cores) for kind, sizes, _ in ops]
    Device(block, cores, [(op[2], part) for op, part in zip(ops, parts)]).run()
    want = [(number, core, dataflow.times(t))
            for number, by_core in enumerate(parts)
            for core, tiles in enumerate(by_core) for t in tiles]
    got = [(r["op"], r.get("core", 0), [float(x) for x in r["t"]])
           for r in map(json.loads, ran.stdout.splitlines())
           if r["kind"] == "tile"]
    if got != want:
        for g, w in zip(got, want):
            if g != w:
                sys.exit(f"{keys} cores={cores} {ops}\n{engine}: {g}\n"
                         f"oracle: {w}")
        sys.exit(f"{len(got)} tiles, expected {len(want)}")
    return cores, len(want)


def main():
    programs, seed = int(sys.argv[1]), int(sys.argv[2])
    rng = random.Random(seed)
    done = tiles = several = 0
    while done < programs:
        came = program(rng)
        if came is None:
            continue
        done += 1
        several += came[0] > 1
        tiles += came[1]
    print(f"{done} programs, {several} on several cores, {tiles} tiles")


if __name__ == "__main__":
    main()
