#!/usr/bin/env python3
"""torch-ended.py SF-TORCH - a signal at every line while an output is written.

Loads sf-torch as a module and has it write two files that belong together over
two old ones, once for each signal that ends a program and each line of Python
that runs meanwhile, in sf-torch or below, at which the signal comes. The
process ends by it; both files are the old ones or both the new ones, and there
is nothing beside them. With a signal that the caller ignores the files are
written. A line for each moment at which that is not so; then how many were
tried. Status 1 when there are such, or too few.
"""

import os
import signal
import sys
import tempfile

# Nothing is left beside the program.
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "golden"))

from scripts import script  # noqa: E402

ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


def write(sf_torch, at):
    with sf_torch.whole(os.path.join(at, "model")) as part:
        for path in part, part + ".data":
            with open(path, "wb") as file:
                file.write(b"new")


def child(sf_torch, at, number, moment, ignored):
    """The number of lines that ran; a signal comes at the MOMENT-th."""
    lines = 0

    def trace(frame, event, arg):
        nonlocal lines
        lines += event == "line"
        if lines == moment and event == "line":
            os.kill(os.getpid(), number)
        return trace

    for n in ENDING:
        signal.signal(n, signal.SIG_IGN if ignored else signal.SIG_DFL)
    sys.settrace(trace)
    write(sf_torch, at)
    sys.settrace(None)
    return lines


def ended(sf_torch, at, number, moment, ignored=False):
    """By which signal such a process ended, 0 without one."""
    pid = os.fork()
    if pid == 0:
        try:
            child(sf_torch, at, number, moment, ignored)
        except BaseException as e:
            print(f"raised {e!r}", flush=True)
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else -status


def fill(at):
    for name in os.listdir(at):
        if not os.path.isdir(os.path.join(at, name)):
            os.unlink(os.path.join(at, name))
    for name in "model", "model.data":
        with open(os.path.join(at, name), "wb") as file:
            file.write(b"old")


def found(at):
    """What is there: names, and what the files hold."""
    out = {}
    for name in sorted(os.listdir(at)):
        with open(os.path.join(at, name), "rb") as file:
            out[name] = file.read()
    return out


def main():
    sf_torch = script(os.path.abspath(sys.argv[1]))
    wrong = trials = 0
    whole = [dict.fromkeys(("model", "model.data"), text)
             for text in (b"old", b"new")]
    with tempfile.TemporaryDirectory() as at:
        # The first time more is run: modules set up what they need.
        child(sf_torch, at, 0, 0, False)
        most = child(sf_torch, at, 0, 0, False)
        for number in ENDING:
            step = 1 if number == signal.SIGTERM else 7
            for moment in range(1, most + 1, step):
                for ignored in (False, True)[:1 + (moment % 21 == 1)]:
                    fill(at)
                    got = ended(sf_torch, at, number, moment, ignored)
                    trials += 1
                    files = os.listdir(at)
                    if len(files) == 2 and found(at) in whole[ignored:] and \
                            got == (0 if ignored else number):
                        continue
                    wrong += 1
                    print(f"{number.name} at {moment}, ignored {ignored}:"
                          f" ended by {got}, there is {sorted(files)}")
                    for name in files:
                        if os.path.isdir(os.path.join(at, name)):
                            sf_torch.shutil.rmtree(os.path.join(at, name))
    print(f"{trials} signals, {wrong} wrong")
    return wrong != 0 or trials < 100


sys.exit(main())
