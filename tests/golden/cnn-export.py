#!/usr/bin/env python3
"""Writes the trace of the small CNN as torch.export with Core ATen gives it.

The network: three times 3x3 convolution (padding 1, bias), batch norm, ReLU,
2x2 max pool, with 3 -> 16 -> 32 -> 64 channels; mean over height and width;
linear 64 -> 10; input BATCHx3x32x32 in FP32. The shapes are worked out here by
hand, without PyTorch. Standard library only.

usage: cnn-export.py [BATCH]        the file tests/data/cnn-export.sft is BATCH 1
"""
import json
import sys
from math import prod


def tensor(tid, shape, param=False, dtype="f32", itemsize=4):
    record = {"tid": tid, "shape": shape, "dtype": dtype, "itemsize": itemsize}
    if param:
        record["param"] = True
    return record


class Trace:
    def __init__(self):
        self.ops = []

    def op(self, name, inputs, outputs, **attrs):
        record = {"kind": "op", "i": len(self.ops), "name": "aten." + name,
                  "inputs": inputs, "outputs": outputs}
        if attrs:
            record["attrs"] = attrs
        self.ops.append(record)
        return outputs[0]


def block(trace, i, x, channels):
    """Convolution, batch norm, ReLU and max pool."""
    n, c, h, w = x["shape"]
    weight = tensor(f"conv{i}.weight", [channels, c, 3, 3], True)
    bias = tensor(f"conv{i}.bias", [channels], True)
    full, half = [n, channels, h, w], [n, channels, h // 2, w // 2]
    x = trace.op("convolution", [x, weight, bias],
                 [tensor(f"convolution_{i}", full)], stride=[1, 1],
                 padding=[1, 1], dilation=[1, 1], transposed=False,
                 output_padding=[0, 0], groups=1)
    x = trace.op("_native_batch_norm_legit_no_training",
                 [x] + [tensor(f"bn{i}.{p}", [channels], p in ("weight", "bias"))
                        for p in ("weight", "bias", "running_mean",
                                  "running_var")],
                 [tensor(f"bn_{i}", full), tensor(f"bn_{i}.1", [0]),
                  tensor(f"bn_{i}.2", [0])])
    x = trace.op("relu", [x], [tensor(f"relu_{i}", full)])
    return trace.op("max_pool2d_with_indices", [x],
                    [tensor(f"pool_{i}", half),
                     tensor(f"pool_{i}.1", half, dtype="i64", itemsize=8)],
                    kernel_size=[2, 2], stride=[2, 2])


def network(batch):
    trace = Trace()
    x = tensor("x", [batch, 3, 32, 32])
    for i, channels in enumerate((16, 32, 64)):
        x = block(trace, i, x, channels)
    x = trace.op("mean", [x], [tensor("mean", [batch, 64])], dim=[-1, -2])
    weight = trace.op("permute", [tensor("fc.weight", [10, 64], True)],
                      [tensor("permute", [64, 10], True)], dims=[1, 0])
    trace.op("addmm", [tensor("fc.bias", [10], True), x, weight],
             [tensor("addmm", [batch, 10])])
    return trace.ops


def main():
    batch = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    ops = network(batch)
    params = {t["tid"]: prod(t["shape"]) for op in ops for t in op["inputs"]
              if t.get("param") and t["tid"] != "permute"}
    count = sum(params.values())
    records = [{"kind": "trace", "format": "simfront-trace/1",
                "model": "tiny-cnn", "route": "export",
                "workload": {"batch": batch},
                "params": {"count": count, "bytes": 4 * count}}]
    records += ops + [{"kind": "end", "ops": len(ops)}]
    for record in records:
        print(json.dumps(record, separators=(",", ":")))


if __name__ == "__main__":
    main()
