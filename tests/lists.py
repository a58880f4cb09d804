#!/usr/bin/env python3
"""What operators of lists of tensors come to, without sf-rules.

lists.py optimisers      a trace of every fused optimiser under every setting
lists.py foreach SCHEMA  a trace of every _foreach_ operator on a list, and of
                         the operator that it is named for on each element
lists.py check <COUNTED  such a trace, counted, has the FLOPs that are expected:
                         of an optimiser what its update takes when it is run
                         on a number that counts; of a list what its elements
                         take one by one, and their bytes

Ends with the number of comparisons, status 1 when one differs.
"""
import itertools
import json
import sys

COUNTS = ("flops", "bytes_read", "bytes_written", "weight_bytes")
SHAPES = ([3, 4], [5], [])
ITEM = {"f32": 4, "c64": 8}


def elements(shape):
    n = 1
    for size in shape:
        n *= size
    return n


class Number:
    """Counts what is done to numbers of its kind."""

    done = 0

    def did(self, _=None):
        Number.done += 1
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = did
    __truediv__ = __rtruediv__ = __neg__ = did
    root = larger = did


# ---- updates, an element each, as PyTorch's documentation states them ----

def prepared(p, g, o):
    """The gradient behind scaling, maximising and weight decay."""
    if o["scaled"]:
        g = g / 2
    if o["maximize"]:
        g = -g
    return g if not o["weight_decay"] else g + o["weight_decay"] * p


def adam(o, p, g, mean, square):
    adamw = o["name"].startswith("_fused_adamw")
    if adamw and o["weight_decay"]:
        p = p - .1 * p  # the rate and the decay are one scalar
    g = prepared(p, g, {**o, "weight_decay": not adamw and o["weight_decay"]})
    mean = .9 * mean + .1 * g
    square = .99 * square + .01 * g * g
    if o["amsgrad"]:
        square = square.larger(square)
    p = p - .1 * mean / (square.root() / .5 + 1e-8)


def sgd(o, p, g, velocity, _):
    g = prepared(p, g, o)
    if o["momentum"]:
        if o["is_first_step"]:
            velocity = g
        else:
            velocity = .9 * velocity + (.5 * g if o["dampening"] else g)
        g = g + .9 * velocity if o["nesterov"] else velocity
    p = p - .1 * g


def adagrad(o, p, g, total, _):
    g = prepared(p, g, o)
    total = total + g * g
    p = p - .1 * g / (total.root() + 1e-10)


def settings(**choices):
    for values in itertools.product(*choices.values()):
        yield dict(zip(choices, values))


COMMON = {"weight_decay": (0.0, 1e-2), "maximize": (False, True),
          "scaled": (False, True), "tensor_lr": (False, True)}
OPTIMISERS = (
    (adam, ("_fused_adam", "_fused_adamw"), 4,
     dict(COMMON, amsgrad=(False, True))),
    (sgd, ("_fused_sgd",), 3,
     dict(COMMON, momentum=(0.0, .9), dampening=(0.0, .5),
          nesterov=(False, True), is_first_step=(False, True))),
    (adagrad, ("_fused_adagrad",), 3, COMMON),
)


class Trace:
    def __init__(self):
        self.ops = []
        self.next = 0

    def tensor(self, shape, dtype="f32"):
        self.next += 1
        return {"tid": f"t{self.next}", "shape": shape, "dtype": dtype,
                "itemsize": ITEM[dtype]}

    def list(self, shapes=SHAPES, dtype="f32"):
        return [self.tensor(s, dtype) for s in shapes]

    def op(self, name, inputs, outputs, attrs, **expected):
        self.ops.append({"kind": "op", "i": len(self.ops), "name": name,
                         "inputs": inputs, "outputs": outputs,
                         "attrs": attrs, "test": expected})

    def put(self):
        lines = [{"kind": "trace", "format": "simfront-trace/1", "model": "m",
                  "route": "dispatch"}, *self.ops,
                 {"kind": "end", "ops": len(self.ops)}]
        sys.stdout.writelines(json.dumps(x, separators=(",", ":")) + "\n"
                              for x in lines)


def update_cost(update, o):
    Number.done = 0
    update(o, *(Number() for _ in range(4)))
    return Number.done


def optimiser(trace, update, name, lists, o):
    """In place; its steps, rate and scale behind the lists."""
    lists += o.get("amsgrad", False)
    if update is sgd and not o["momentum"]:
        lists -= 1
    moved = [trace.list() for _ in range(lists)]
    steps = [] if update is sgd else trace.list([[]] * len(SHAPES))
    rest = [trace.tensor([])] if o["tensor_lr"] else []
    if o["scaled"]:
        rest += trace.list([[], []])
    written = sum(moved, [])
    if update is adagrad and not o["tensor_lr"]:
        written = written + steps
    attrs = {k: v for k, v in o.items()
             if k not in ("scaled", "tensor_lr", "name")}
    if not o["tensor_lr"]:
        attrs["lr"] = 0.0
    trace.op(f"aten.{name}", sum(moved, []) + steps + rest, written, attrs,
             flops=update_cost(update, o) * sum(map(elements, SHAPES)))


def optimisers():
    trace = Trace()
    for update, names, lists, choices in OPTIMISERS:
        for name in names:
            for o in settings(**choices):
                if o.get("nesterov") and not o["momentum"]:
                    continue
                for suffix in ("", "_"):
                    optimiser(trace, update, name + suffix, lists,
                              {**o, "name": name})
    trace.put()


# ---- lists ----

# What a list is named for where it is not "_foreach_" and that.
NAMED = {"powsum": "linalg__powsum", "norm": "linalg_vector_norm"}
# One of a list that gives a scalar each.
REDUCES = ("norm", "max", "powsum")


def foreach(path):
    trace = Trace()
    with open(path, encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t") for line in f]
    known = {row[0] for row in rows}
    for name, takes, _ in (row for row in rows if len(row) == 3):
        if not name.startswith("_foreach_") or name == "_foreach_mm":
            continue
        base = name.removeprefix("_foreach_").rstrip("_")
        one = NAMED.get(base, base)
        one = one if one in known or one + "_" not in known else one + "_"
        lists = takes.split(",").count("T[]")
        for dtype, many in itertools.product(
                ("f32", "c64"), {lists, 1} if lists == 2 else {lists}):
            if dtype == "c64" and one not in COMPLEX:
                continue
            add_list(trace, name, one, many, dtype)
    trace.put()


COMPLEX = ("add", "sub", "mul", "div", "addcmul", "addcdiv", "neg", "sqrt",
           "exp", "log", "abs", "reciprocal", "linalg_vector_norm", "copy",
           "clone", "lerp", "sigmoid", "tanh", "sin", "cos", "tan", "pow")


def add_list(trace, name, one, lists, dtype):
    """NAME on LISTS lists, and ONE on each element of them."""
    reduces = one in NAMED.values() or one in REDUCES
    inputs = [trace.list(dtype=dtype) for _ in range(lists)]
    outputs = trace.list([[]] * len(SHAPES)) if reduces else inputs[0]
    first = len(trace.ops) + 1
    trace.op(f"aten.{name}", sum(inputs, []), outputs, {},
             sum_of=[first, first + len(SHAPES)])
    for k in range(len(SHAPES)):
        trace.op(f"aten.{one}", [v[k] for v in inputs], [outputs[k]], {})


def check():
    ops = [r for r in map(json.loads, sys.stdin) if r["kind"] == "op"]
    number = bad = 0
    for op in ops:
        wanted = dict(op["test"])
        if "sum_of" in wanted:
            of = ops[slice(*wanted.pop("sum_of"))]
            wanted = {c: sum(x[c] for x in of) for c in COUNTS}
            wanted["category"] = of[0]["category"]
        for member, value in wanted.items():
            number += 1
            if op[member] != value or op["category"] == "unknown":
                bad += 1
                print(op["name"], op["attrs"], len(op["inputs"]), member,
                      "expected", value, "found", op[member])
    print(f"{number} comparisons, {bad} differ")
    return 1 if bad or not number else 0


if __name__ == "__main__":
    commands = {"optimisers": optimisers, "foreach": foreach, "check": check}
    sys.exit(commands[sys.argv[1]](*sys.argv[2:]))
