#!/usr/bin/env python3
"""simpy-run.py BUFFER <counted.sft - processor time that the block in SimPy
takes for a trace on edge-npu, in nanoseconds a tile, without cutting it into
tiles; and the makespan in nanoseconds, to be compared."""
import importlib
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "oracle"))
accel = importlib.import_module("accel")
model = importlib.import_module("simpy-accel")

block = accel.Block(**dict(accel.EDGE, buffer_bytes=int(sys.argv[1])))
for ops in accel.traces(sys.stdin):
    tiles, _ = accel.lower(block, ops)
    run = model.Accelerator(block, tiles)
    begin = time.process_time_ns()
    run.run()
    took = time.process_time_ns() - begin
    print(took // len(tiles), tiles[-1].store_end)
