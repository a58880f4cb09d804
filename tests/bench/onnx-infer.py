#!/usr/bin/env python3
"""Times sf-onnx as a process and onnx.shape_inference.infer_shapes as a call.

usage: onnx-infer.py MODEL...

Of each the least processor time of nine runs, in turn, as the clock counts what
else the machine does: a process from its start to its end with its trace thrown
away; the call on a model that is loaded, with the propagation of data; and the
call with the loading, as sf-onnx reads its file, too. What one of the two refuses counts for neither.
"""
import os
import resource
import subprocess
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
    total, refused = [0, 0, 0], []
    null = os.open(os.devnull, os.O_WRONLY)
    for path in sys.argv[1:]:
        model = onnx.load(path, load_external_data=False)

        def process():
            subprocess.run(['sf-onnx', path], stdout=null, stderr=null,
                           check=True)

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
                    error, subprocess.CalledProcessError) else 'infer_shapes'))
            continue
        best = shortest([(timed(process), timed(infer), timed(both))
                         for _ in range(RUNS)])
        total = [a + b for a, b in zip(total, best)]
    n = len(sys.argv) - 1 - len(refused)
    print('onnx: %d models, onnx %s' % (n, onnx.__version__))
    print('  sf-onnx, a process each       %8.1f ms' % (total[0] * 1e3))
    print('  infer_shapes, a call each     %8.1f ms' % (total[1] * 1e3))
    print('  load and infer_shapes         %8.1f ms' % (total[2] * 1e3))
    print('  sf-onnx by infer_shapes       %8.2f' % (total[0] / total[1]))
    print('  sf-onnx by the two            %8.2f' % (total[0] / total[2]))
    if refused:
        print('  refused: ' + ', '.join(refused))


main()
