#!/usr/bin/env python3
"""Records the profile that ONNX Runtime writes of one run of a model on zeros,
with its optimiser off, so that every node of the model is in it. Process and
thread numbers become 1; all else is as it was written. Needs onnxruntime; no
test runs it. Times differ from run to run.

usage: ort-profile.py MODEL.onnx PROFILE.json
"""

import os
import re
import sys
import tempfile

import numpy
import onnxruntime


def record(model, directory):
    """Runs the model once; the path of what was written."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = \
        onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_profiling = True
    options.profile_file_prefix = os.path.join(directory, "profile")
    session = onnxruntime.InferenceSession(model, options,
                                           ["CPUExecutionProvider"])
    session.run(None, {i.name: numpy.zeros(i.shape, numpy.float32)
                       for i in session.get_inputs()})
    return session.end_profiling()


def without_places(text):
    """Takes out what is of this machine and this process."""
    text = re.sub(r'"(pid|tid)" :\d+', r'"\1" :1', text)
    if os.path.sep in text or os.uname().nodename in text:
        sys.exit("ort-profile.py: the profile still names a place")
    return text


def main(model, profile):
    with tempfile.TemporaryDirectory() as directory:
        with open(record(model, directory), encoding="utf-8") as f:
            text = without_places(f.read())
    with open(profile, "w", encoding="utf-8") as f:
        f.write(text)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
