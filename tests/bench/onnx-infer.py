#!/usr/bin/env python3
"""Times sf-onnx as a process and onnx.shape_inference.infer_shapes as a call.

usage: onnx-infer.py MODEL...

Of each the least processor time of nine runs, in turn, as the clock counts what
else the machine does: a process from its start to its end with its trace thrown
away, started by posix_spawn as a shell does and not by the machinery of
Python's subprocess, which takes 0.2 ms itself; the call on a model that is
loaded, with the propagation of data; and the call with the loading, as sf-onnx
reads its file, too. What one of the two refuses counts for neither. As many
processes that only print their version tell how much of the first is the
system's, and the C library's before main.
"""
import os
import resource
import shutil
import sys

import onnx
import onnx.shape_inference

RUNS = 9


def shortest(pairs):
    """The shortest of each column."""
    return [min(column) for column in zip(*pairs)]


def timed(call):
    start = spent()
    call()
    return spent() - start


def spent():
    """Seconds of this process and of its children that have ended."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (
        resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def main():
    total, refused = [0, 0, 0, 0], []
    null = os.open(os.devnull, os.O_WRONLY)
    program = shutil.which('sf-onnx')
    quiet = [(os.POSIX_SPAWN_DUP2, null, fd) for fd in (1, 2)]
    for path in sys.argv[1:]:
        model = onnx.load(path, load_external_data=False)

        def process(argument=path):
            child = os.posix_spawn(program, ['sf-onnx', argument], os.environ,
                                   file_actions=quiet)
            if os.waitpid(child, 0)[1] != 0:
                raise ChildProcessError(argument)

        def empty():
            process('--version')

        def infer():
            onnx.shape_inference.infer_shapes(model, data_prop=True)

        def both():
            onnx.shape_inference.infer_shapes(
                onnx.load(path, load_external_data=False), data_prop=True)

        try:
            infer()
            process()
        except Exception as error:  # pylint: disable=broad-except
            refused.append('%s by %s' % (
                os.path.basename(path), 'sf-onnx' if isinstance(
                    error, ChildProcessError) else 'infer_shapes'))
            continue
        best = shortest([(timed(process), timed(infer), timed(both),
                          timed(empty))
                         for _ in range(RUNS)])
        total = [a + b for a, b in zip(total, best)]
    n = len(sys.argv) - 1 - len(refused)
    print('onnx: %d models, onnx %s' % (n, onnx.__version__))
    print('  sf-onnx, a process each       %8.1f ms' % (total[0] * 1e3))
    print('  of that for a process         %8.1f ms' % (total[3] * 1e3))
    print('  infer_shapes, a call each     %8.1f ms' % (total[1] * 1e3))
    print('  load and infer_shapes         %8.1f ms' % (total[2] * 1e3))
    print('  sf-onnx by infer_shapes       %8.2f' % (total[0] / total[1]))
    print('  sf-onnx by the two            %8.2f' % (total[0] / total[2]))
    if refused:
        print('  refused: ' + ', '.join(refused))


main()
