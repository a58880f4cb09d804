#!/usr/bin/env python3
"""Exported programs with control flow, as torch.export.save writes their JSON.

usage: pt2-control.py scan|map|nested|cond|while|cond-scan [N]

scan: h [3,8] goes round N times, x [N,3,8] is cut, w [8,8] is the parameter of
a linear; map: the same without h; nested: a map over N slices in a scan over N;
cond: a linear or a mul by what x holds; while: a linear as long as x says;
cond-scan: that scan or a mul.
"""

import json
import sys

VALUES = {}  # of all graphs: a name has one shape


def ref(name):
    return {"as_tensor": {"name": name}}


def refs(names):
    return {"name": "", "arg": {"as_tensors": [{"name": n} for n in names]},
            "kind": 1}


def meta(shape, dtype):
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, {"as_int": step})
        step *= size
    return {"dtype": dtype, "sizes": [{"as_int": s} for s in shape],
            "requires_grad": False, "device": {"type": "cpu", "index": None},
            "strides": strides, "storage_offset": {"as_int": 0}, "layout": 7}


def op(name, out, shape, dtype=7, **arguments):
    """An operator; an argument is the name of a tensor or a number."""
    VALUES[out] = meta(shape, dtype)
    return {"target": f"torch.ops.aten.{name}", "name": out, "metadata": {},
            "outputs": [ref(out)],
            "inputs": [{"name": k, "kind": 1,
                        "arg": ref(v) if isinstance(v, str) else {"as_int": v}}
                       for k, v in arguments.items()]}


def higher(name, graphs, outs, operands, condition=None):
    """One that takes graphs; OUTS are names with shapes."""
    for out, shape in outs.items():
        VALUES[out] = meta(shape, 7)
    return {"target": f"torch.ops.higher_order.{name}", "name": name,
            "metadata": {}, "outputs": [ref(out) for out in outs],
            "inputs": [{"arg": ref(condition)}] * (condition is not None) + [
                {"arg": {"as_graph": {"name": f"{name}_graph", "graph": g}}}
                for g in graphs] + [refs(names) for names in operands]}


def graph(inputs, nodes, outputs):
    """INPUTS are names with shapes."""
    for name, shape in inputs.items():
        VALUES[name] = meta(shape, 7)
    return {"inputs": [ref(n) for n in inputs], "nodes": nodes,
            "outputs": [ref(n) for n in outputs], "tensor_values": VALUES,
            "sym_int_values": {}, "sym_bool_values": {},
            "is_single_tensor_return": False}


def linear(out, x):
    return op("linear.default", out, [3, 8], input=x, weight="w")


def scan(n):
    body = graph({"c": [3, 8], "v": [3, 8], "w": [8, 8]}, [
        linear("l", "c"),
        op("add.Tensor", "a", [3, 8], self="l", other="v"),
        op("mul.Tensor", "m", [3, 8], self="a", other=2)], ["a", "m"])
    return higher("scan", [body], {"last": [3, 8], "all": [n, 3, 8]},
                  [["h"], ["x"], ["w"]]), ["last", "all"]


def mapped(n):
    body = graph({"v": [3, 8], "w": [8, 8]}, [linear("l", "v")], ["l"])
    return higher("map_impl", [body], {"all": [n, 3, 8]},
                  [["x"], ["w"]]), ["all"]


def nested(n):
    inner, _ = mapped(n)
    body = graph({"c": [3, 8], "v": [3, 8], "x": [n, 3, 8], "w": [8, 8]}, [
        inner, op("add.Tensor", "a", [3, 8], self="c", other="v"),
        op("mul.Tensor", "m", [n, 3, 8], self="all", other=2)], ["a", "m"])
    return higher("scan", [body], {"last": [3, 8], "every": [n, n, 3, 8]},
                  [["h"], ["x"], ["x", "w"]]), ["last", "every"]


def cond(n, scans=False):
    then = scan(n)[0] if scans else linear("last", "h")
    inputs = {"h": [3, 8], "x": [n, 3, 8], "w": [8, 8]}
    other = op("mul.Tensor", "twice", [3, 8], self="h", other=2)
    return higher(
        "cond", [graph(inputs, [then], ["last"]),
                 graph(inputs, [other], ["twice"])],
        {"either": [3, 8]}, [["h", "x", "w"]], condition="p"), ["either"]


def loop(n):
    inputs = {"c": [3, 8], "w": [8, 8]}
    test = graph(inputs, [
        op("sum.default", "s", [], self="c"),
        op("gt.Scalar", "b", [], 12, self="s", other=0)], ["b"])
    body = graph(inputs, [linear("l", "c"), op(
        "mul.Tensor", "m", [3, 8], self="l", other=2)], ["m"])
    return higher("while_loop", [test, body], {"last": [3, 8]},
                  [["h"], ["w"]]), ["last"]


def program(kind, n="4"):
    n = int(n)
    kinds = {"scan": scan, "map": mapped, "nested": nested, "cond": cond,
             "while": loop, "cond-scan": lambda n: cond(n, True)}
    node, outputs = kinds[kind](n)
    nodes = [op("sum.default", "s", [], self="x"),
             op("gt.Scalar", "p", [], 12, self="s", other=0), node,
             op("relu.default", "r",
                [s["as_int"] for s in VALUES[outputs[0]]["sizes"]],
                self=outputs[0])]
    if "cond" not in kind:
        del nodes[:2]
    made = graph({"w": [8, 8], "x": [n, 3, 8], "h": [3, 8]}, nodes,
                 ["r", *outputs[1:]])
    return {"graph_module": {"graph": made, "signature": {
        "input_specs": [{"parameter": {"arg": {"name": "w"},
                                       "parameter_name": "w"}}] + [
            {"user_input": {"arg": ref(name)}} for name in ("x", "h")],
        "output_specs": [{"user_output": {"arg": ref(o)}}
                         for o in ("r", *outputs[1:])]},
        "module_call_graph": []},
        "opset_version": {"aten": 10}, "range_constraints": {},
        "schema_version": {"major": 8, "minor": 20},
        "torch_version": "2.14.1"}


print(json.dumps(program(*sys.argv[1:])))
