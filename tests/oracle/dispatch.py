#!/usr/bin/env python3
"""Execution traces and profiler traces, read a second time.

usage: dispatch.py FILE...    a JSON object a file: operators by name, the
                              multiply-accumulates of their matrix products,
                              and seconds measured by name

Nothing is shared with sf-dispatch: all of a file is in memory, what ran inside
of what is found by comparing intervals with a stack of all events at once, and
which operators are made of others stands here as it was read off traces.
Standard library only.
"""
import bisect
import collections
import gzip
import json
import re
import sys

# Made of others, as the profiler shows them. What is not here does its own
# work whatever runs inside.
COMPOSITE = set("""
linear conv1d conv2d conv3d convolution _convolution batch_norm
_batch_norm_impl_index layer_norm group_norm matmul softmax log_softmax dropout
relu relu_ max_pool2d reshape contiguous to cross_entropy_loss nll_loss
nll_loss_nd embedding embedding_backward adaptive_avg_pool2d flatten narrow
split concat item pin_memory _pin_memory type_as flatten_dense_tensors
unflatten_dense_tensors scaled_dot_product_attention divide_ divide square
numpy_T expand_as outer chunk repeat_interleave l1_loss true_divide
instance_norm max min std var gru lstm pad ones_like_ kl_div tile clip
""".split())
# Hand on what they are given when nothing runs inside.
IDLE = {"contiguous", "to", "pin_memory", "type_as"}
# Of no weight inside of one that no table knows.
BOOKKEEPING = set("""
as_strided as_strided_ empty empty_like empty_strided is_pinned is_same_size
new_empty new_empty_strided record_stream resize_ resolve_conj resolve_neg
result_type set_ can_cast empty_permuted resize_as_
""".split())
LIGHT = BOOKKEEPING | set("""
view reshape flatten select slice narrow t transpose permute expand unsqueeze
squeeze alias detach detach_ split split_with_sizes unbind _reshape_alias
zeros zero_ fill_ ones full zeros_like ones_like arange _unsafe_view view_as
lift_fresh scalar_tensor new_zeros new_ones new_full expand_as
""".split())
NAME = re.compile(r"^[A-Za-z0-9_.]+::[A-Za-z0-9_.]+$")
PRODUCTS = {"mm": (0, 1), "bmm": (0, 1), "addmm": (1, 2), "baddbmm": (1, 2)}


class Call:
    def __init__(self, name, dispatched, data):
        self.name, self.dispatched, self.data = name, dispatched, data
        self.inside = []
        self.launched = []
        self.ns, _, self.op = name.partition("::")

    def works(self):
        """Does what sf-rules knows: ATen and collectives all do here."""
        return self.ns in ("aten", "c10d", "prim", "profiler")


def direct(call):
    """Dispatched calls inside, through what is no call."""
    for c in call.inside:
        if c.dispatched:
            yield c
        elif c.name != "record_param_comms":
            yield from direct(c)


def operators(call):
    if not call.dispatched and not call.name.startswith("triton_") and \
            call.name != "record_param_comms":
        for c in call.inside:
            yield from operators(c)
        return
    passed = False
    if call.dispatched and call.ns == "aten" and call.op in COMPOSITE:
        passed = any(c.op not in BOOKKEEPING for c in direct(call))
    elif call.dispatched and not call.works() and not call.launched:
        passed = any(c.op not in LIGHT for c in direct(call))
    if passed:
        for c in call.inside:
            yield from operators(c)
    elif not (call.ns == "aten" and call.op in IDLE and not call.inside):
        yield call


def everything(call):
    yield call
    for c in call.inside:
        yield from everything(c)


def product(op, dims):
    """Multiply-accumulates of a product of matrices with those sizes."""
    at = PRODUCTS.get(op)
    if not at:
        return 0
    a, b = (dims[i] for i in at)
    n = a[-2] * a[-1] * b[-1]
    return n * a[0] if len(a) == 3 else n


# ---- execution traces ----

def field(node, key, default=None):
    if key in node:
        return node[key]
    return next((a["value"] for a in node.get("attrs", ())
                 if a["name"] == key), default)


def et_dims(node):
    if isinstance(node["inputs"], dict):
        return node["inputs"]["shapes"]
    return node["input_shapes"]


def comms_name(node):
    """The collective that an old record or a new one names."""
    if field(node, "collective_name"):
        return field(node, "collective_name")
    inputs = node["inputs"]
    values = inputs["values"] if isinstance(inputs, dict) else inputs
    types = inputs["types"] if isinstance(inputs, dict) else \
        node["input_types"]
    return next((v for v, t in zip(values, types) if t == "String"), "")


def read_et(data):
    calls = {}
    for node in data["nodes"]:
        calls[node["id"]] = Call(node["name"], bool(field(node, "op_schema")),
                                 node)
    tops = []
    for key in sorted(calls):
        node = calls[key].data
        up = node["ctrl_deps"] if "ctrl_deps" in node else node["parent"]
        if up != key and up in calls:
            calls[up].inside.append(calls[key])
        else:
            tops.append(calls[key])
    return tops


# ---- profiler traces ----

def read_kineto(data):
    events = data if isinstance(data, list) else data["traceEvents"]
    threads = collections.defaultdict(list)
    device, runtime = collections.defaultdict(list), {}
    for at, e in enumerate(events):
        cat = e.get("cat", "")
        if e.get("ph") != "X":
            continue
        if cat == "cpu_op":
            threads[e["pid"], e["tid"]].append((e["ts"], at, e))
        elif cat in ("kernel", "gpu_memcpy", "gpu_memset"):
            device[e["args"]["correlation"]].append(e["dur"])
        elif cat.endswith(("_runtime", "_driver")):
            runtime[e["args"].get("correlation")] = e
    tops, everyone = [], {}
    for key, rows in threads.items():
        rows.sort(key=lambda r: r[:2])
        stack, all_calls = [], []
        for ts, _, e in rows:
            call = Call(e["name"], bool(NAME.match(e["name"])), e)
            while stack and not inside(stack[-1].data, e):
                stack.pop()
            (stack[-1].inside if stack else tops).append(call)
            call.up = stack[-1] if stack else None
            stack.append(call)
            all_calls.append(call)
        everyone[key] = ([c.data["ts"] for c in all_calls], all_calls)
    for correlation, times in device.items():
        e = runtime.get(correlation)
        if e and (e["pid"], e["tid"]) in everyone:
            launch(*everyone[e["pid"], e["tid"]], e, times)
    return tops, bool(device)


def inside(outer, e):
    end = outer["ts"] + outer["dur"]
    if isinstance(e["ts"], int):
        return e["ts"] < end or (e["ts"] == end and e["dur"] == 0)
    return e["ts"] < end - 0.0005


def launch(starts, calls, e, times):
    """To the innermost call that was open, all of the launch if it can be."""
    at = bisect.bisect_right(starts, e["ts"]) - 1
    call, first = (calls[at] if at >= 0 else None), None
    while call:
        end = call.data["ts"] + call.data["dur"]
        if end >= e["ts"]:
            if end >= e["ts"] + e["dur"] - 0.0005:
                break
            first = first or call
        call = call.up
    call = call or first
    if call:
        call.launched += times


# ---- what comes of it ----

def summary(path):
    with open(path, "rb") as f:
        text = f.read()
    if text[:2] == b"\x1f\x8b":
        text = gzip.decompress(text)
    data = json.loads(text, strict=False)
    names, macs = collections.Counter(), 0
    measured = collections.defaultdict(float)
    is_et = isinstance(data, dict) and "nodes" in data
    tops, device = (read_et(data), False) if is_et else read_kineto(data)
    for top in tops:
        for call in operators(top):
            name = call.name.replace("::", ".")
            if call.name == "record_param_comms":
                which = comms_name(call.data) if is_et else \
                    call.data["args"].get("Collective name", "")
                if which in ("", "wait", "init"):
                    continue
                name = "c10d." + which
            elif not call.dispatched:
                name = "triton." + name
            names[name] += 1
            if is_et:
                macs += product(call.op, et_dims(call.data))
                continue
            args = call.data["args"]
            macs += product(call.op, args.get("Input Dims")) \
                if "Input Dims" in args else 0
            times = [t for c in everything(call) for t in c.launched]
            if device and times:
                measured[name] += sum(times) * 1e-6
            elif not device:
                measured[name] += call.data["dur"] * 1e-6
    return {"ops": sum(names.values()), "names": dict(sorted(names.items())),
            "macs": macs, "measured_s": dict(sorted(measured.items()))}


def main(paths):
    sys.setrecursionlimit(100000)
    for path in paths:
        print(json.dumps(summary(path), sort_keys=True))


if __name__ == "__main__":
    main(sys.argv[1:])
