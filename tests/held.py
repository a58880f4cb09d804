#!/usr/bin/env python3
"""held.py [SECONDS] - whether programs are held while they wait.

Takes command lines on standard input, one a line. Each is started with an input
that does not come and an output that is full, so that it waits somewhere behind
its command line, and must then have no new privileges and a filter of calls
within SECONDS, 30. A line a program that is not held; status 1 when there are
such.
"""

import os
import shlex
import subprocess
import sys
import time

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 30


def full_pipe():
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        while True:
            os.write(writer, bytes(4096))
    except BlockingIOError:
        pass
    os.set_blocking(writer, True)
    return reader, writer


def state(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        lines = dict(line.split(":\t", 1) for line in file if ":\t" in line)
    return lines["NoNewPrivs"].strip(), lines["Seccomp"].strip()


def is_held(argv):
    stdin, never = os.pipe()
    reader, stdout = full_pipe()
    child = subprocess.Popen(argv, stdin=stdin, stdout=stdout,
                             stderr=subprocess.DEVNULL)
    until = time.monotonic() + SECONDS
    held = False
    try:
        while not held and child.poll() is None and time.monotonic() < until:
            held = state(child.pid) == ("1", "2")
            time.sleep(0.005)
    finally:
        child.kill()
        child.wait()
        for fd in stdin, never, reader, stdout:
            os.close(fd)
    return held


def main():
    failed = 0
    for line in sys.stdin:
        if not is_held(shlex.split(line)):
            print(f"{line.strip()}: is not held")
            failed += 1
    return failed != 0


sys.exit(main())
