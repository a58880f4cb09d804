#!/usr/bin/env python3
"""The accelerator in SimPy, held against the event engine.

Three processes over a container, stores and resources, written from the
description of the block and the rule for one channel: it is granted at the end
of an instant, first to who asked at an earlier one, then to the load. Random
programs, cut into tiles by the oracle of sf-lower, must get the same eight
doubles a tile from `sf-sim --engine event`. Prints how many programs and tiles
there were, how often a transfer had to wait for a channel, and how often the
rule had to choose between two of one instant; exits 1 at the first difference.

Needs SimPy 3. Usage: simpy-accel.py CONFIGURATIONS TRACES SEED
"""
import random
import sys

import simpy

import accel
import compare

LOAD, STORE = 0, 1
END_OF_INSTANT = 2  # behind SimPy's URGENT and NORMAL


class Channels:
    """Memory channels, granted at the end of an instant."""

    def __init__(self, env, count):
        self.env, self.free, self.waiting = env, count, []
        self.waits = self.ties = 0

    def request(self, rank):
        event = self.env.event()
        self.waiting.append((self.env.now, rank, event))
        self.at_end_of_instant()
        return event

    def release(self):
        self.free += 1
        self.at_end_of_instant()

    def at_end_of_instant(self):
        end = simpy.Event(self.env)
        end._ok, end._value = True, None
        end.callbacks.append(self.grant)
        self.env.schedule(end, priority=END_OF_INSTANT)

    def grant(self, _):
        self.waiting.sort(key=lambda request: request[:2])
        if self.free == 1 and len(self.waiting) == 2:
            self.ties += self.waiting[0][0] == self.waiting[1][0]
        while self.free and self.waiting:
            asked, _, event = self.waiting.pop(0)
            self.free -= 1
            self.waits += asked < self.env.now
            event.succeed()


class Accelerator:
    """The block, as processes."""

    def __init__(self, block, tiles):
        self.env = env = simpy.Environment()
        self.block, self.tiles = block, tiles
        self.channels = Channels(env, block.dram_channels)
        self.read_net = simpy.Resource(env, 1)
        self.write_net = simpy.Resource(env, 1)
        self.buffer = simpy.Container(env, block.buffer_bytes,
                                      init=block.buffer_bytes)
        self.ready, self.computed = simpy.Store(env), simpy.Store(env)
        self.stored = {t.op: env.event() for t in tiles}
        env.process(self.load())
        env.process(self.compute())
        env.process(self.store())

    def put(self, nbytes):
        if nbytes:
            self.buffer.put(nbytes)

    def transfer(self, rank, net, duration):
        """Holds a channel and the network; returns when it began to."""
        yield self.channels.request(rank)
        with net.request() as mine:
            yield mine
            began = self.env.now
            yield self.env.timeout(duration)
        self.channels.release()
        return began

    def load(self):
        for t in self.tiles:
            t.issue = self.env.now
            for op in t.deps:
                yield self.stored[op]
            t.dep = self.env.now
            if t.rd + t.held:
                yield self.buffer.get(t.rd + t.held)
            t.alloc = self.env.now
            if t.load > 0:
                yield from self.transfer(LOAD, self.read_net, t.load)
            t.load_end = self.env.now
            yield self.ready.put(t)

    def compute(self):
        while True:
            t = yield self.ready.get()
            t.comp_start = self.env.now
            if t.compute > 0:
                yield self.env.timeout(t.compute)
            t.comp_end = self.env.now
            if t.wr > 0 or t.last:
                self.put(t.rd)
                yield self.computed.put(t)
            else:
                self.put(t.rd + t.held)
                t.store_start = t.store_end = self.env.now

    def store(self):
        while True:
            t = yield self.computed.get()
            t.store_start = self.env.now
            if t.store > 0:
                t.store_start = yield from self.transfer(
                    STORE, self.write_net, t.store)
            t.store_end = self.env.now
            self.put(t.held)
            if t.last:
                self.stored[t.op].succeed()

    def run(self):
        self.env.run()
        assert self.buffer.level == self.block.buffer_bytes
        assert all(event.triggered for event in self.stored.values())


def configuration(rng):
    """Often one channel; often slow and quantised, so that requests meet."""
    config = compare.configuration(rng)
    config["dram_channels"] = rng.choice([1, 1, 2, 3])
    if rng.random() < 0.5:
        config.update(quantise=True, clock_hz=1.0e7, dram_latency=0,
                      noc_latency=0, vector_lanes=64, array_rows=32,
                      array_cols=32, dram_bw=rng.choice([1.0e10, 3.0e10]))
    return config


def main():
    configurations, traces, seed = map(int, sys.argv[1:])
    rng = random.Random(seed)
    programs = count = waits = ties = 0
    for c in range(configurations):
        config = configuration(rng)
        block = accel.Block(**config)
        ops = [compare.program(rng, block) for _ in range(traces)]
        got = compare.simulate(config, compare.stream_of(ops), "event")
        for n, (records, trace) in enumerate(zip(got, ops, strict=True)):
            tiles, _ = accel.lower(block, trace)
            model = Accelerator(block, tiles)
            model.run()
            where = f"configuration {c} {config} trace {n}:"
            compare.check_times(
                where, [r for r in records if r["kind"] == "tile"],
                [(t.op, accel.times(t)) for t in tiles])
            compare.check_properties(where, records[-2])
            programs += 1
            count += len(tiles)
            waits += model.channels.waits
            ties += model.channels.ties
    print(f"{programs} programs, {count} tiles, equal; {waits} transfers "
          f"waited for a channel, {ties} asked together with another")


if __name__ == "__main__":
    main()
