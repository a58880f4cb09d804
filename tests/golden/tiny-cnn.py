#!/usr/bin/env python3
"""Writes tiny-cnn.onnx, as PyTorch exports it, and tiny-cnn.shapes.tsv, what
ONNX Runtime made of it. Needs torch, onnx and onnxruntime; no test runs it.

usage: tiny-cnn.py DIRECTORY
"""

import os
import sys

import torch
from torch import nn

CHANNELS = (3, 16, 32, 64)
CLASSES = 10


class TinyCNN(nn.Module):
    """Three blocks of convolution, norm, ReLU and pooling; mean; linear."""

    def __init__(self):
        super().__init__()
        blocks = []
        for c_in, c_out in zip(CHANNELS, CHANNELS[1:]):
            blocks += [
                nn.Conv2d(c_in, c_out, kernel_size=3, padding=1),
                nn.BatchNorm2d(c_out),
                nn.ReLU(),
                nn.MaxPool2d(2),
            ]
        self.features = nn.Sequential(*blocks)
        self.classifier = nn.Linear(CHANNELS[-1], CLASSES)

    def forward(self, x):
        return self.classifier(self.features(x).mean(dim=(2, 3)))


def tiny_cnn(batch=1):
    """The module and its arguments, as sf-torch takes them."""
    torch.manual_seed(0)
    return TinyCNN().eval(), (torch.zeros(batch, 3, 32, 32),)


def without_places(model):
    """Takes out the stack traces: they name files of the machine."""
    for node in model.graph.node:
        kept = [p for p in node.metadata_props
                if p.key != "pkg.torch.onnx.stack_trace"]
        del node.metadata_props[:]
        node.metadata_props.extend(kept)
    return model


def export():
    module, args = tiny_cnn()
    program = torch.onnx.export(module, args, dynamo=True, optimize=False,
                                external_data=False, verbose=False)
    return without_places(program.model_proto)


def execution_shapes(model):
    """(name, numpy array) of every value, with all of them made outputs."""
    import numpy
    import onnx
    import onnxruntime

    names = [name for node in model.graph.node for name in node.output if name]
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    del probe.graph.output[:]
    probe.graph.output.extend(onnx.ValueInfoProto(name=n) for n in names)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = \
        onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        probe.SerializeToString(), options, ["CPUExecutionProvider"])
    feed = {i.name: numpy.zeros(i.shape, numpy.float32)
            for i in session.get_inputs()}
    return list(feed.items()) + list(zip(names, session.run(names, feed)))


def main(directory):
    import onnx

    model = export()
    onnx.checker.check_model(model, full_check=True)
    dtypes = {"float32": "f32", "int64": "i64"}
    with open(os.path.join(directory, "tiny-cnn.onnx"), "wb") as f:
        f.write(model.SerializeToString(deterministic=True))
    with open(os.path.join(directory, "tiny-cnn.shapes.tsv"), "w") as f:
        for name, value in execution_shapes(model):
            shape = ",".join(str(n) for n in value.shape)
            f.write(f"{name}\t{dtypes[value.dtype.name]}\t[{shape}]\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
