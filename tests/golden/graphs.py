"""Exported graphs as op records: an FX graph's, and an ONNX model's.

This is the oracle for the filters that read such files; it walks PyTorch's and
onnx's own objects and shares nothing with them.
"""

import operator

import torch

DTYPES = {
    torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16",
    torch.float64: "f64", torch.bool: "b8", torch.uint8: "u8",
    torch.int8: "i8", torch.int16: "i16", torch.int32: "i32",
    torch.int64: "i64", torch.complex64: "c64",
}


def tensor(tid, value, param=False):
    record = {"tid": tid, "shape": [int(n) for n in value.shape],
              "dtype": DTYPES[value.dtype], "itemsize": value.dtype.itemsize}
    if param:
        record["param"] = True
    return record


# ---- FX ----


def makes_view(target):
    """Whether the operator's schema says that its result is its input."""
    return any(r.alias_info is not None and not r.alias_info.is_write
               for r in target._schema.returns)


class FxRecords:
    """The calls of an FX graph; PARAMS are the placeholders that are weights.
    """

    def __init__(self, graph, params):
        self.params = set(params)
        self.tids = {}
        self.ops = []
        for node in graph.nodes:
            if node.op != "call_function":
                continue
            if node.target is operator.getitem:
                self.tids[node] = f"{node.args[0].name}:{node.args[1]}"
                continue
            self.call(node)

    def tensor_of(self, node):
        return tensor(self.tids.get(node, node.name), node.meta["val"],
                      node.name in self.params)

    def inputs(self, node):
        schema = node.target._schema.arguments
        given = {a.name: v for a, v in zip(schema, node.args)}
        given.update(node.kwargs)
        found = []
        for a in schema:
            value = given.get(a.name)
            if isinstance(value, torch.fx.Node):
                found.append(self.tensor_of(value))
            elif isinstance(value, (list, tuple)) and \
                    any(isinstance(v, torch.fx.Node) for v in value):
                found += [self.tensor_of(v) if v is not None else None
                          for v in value]
            elif value is None and "Tensor" in str(a.type):
                found.append(None)
        while found and found[-1] is None:
            found.pop()
        return found

    def call(self, node):
        value = node.meta.get("val")  # an assertion has none
        inputs = self.inputs(node)
        if makes_view(node.target) and inputs and inputs[0].get("param"):
            self.params.add(node.name)
        if value is None:
            outputs = []
        elif isinstance(value, (list, tuple)):
            outputs = [tensor(f"{node.name}:{k}", v)
                       for k, v in enumerate(value) if v is not None]
        else:
            outputs = [tensor(node.name, value, node.name in self.params)]
        self.ops.append({"kind": "op", "i": len(self.ops),
                         "name": str(node.target.overloadpacket),
                         "inputs": inputs, "outputs": outputs})


def export_ops(program):
    """The op records of a torch.export ExportedProgram."""
    params = program.graph_signature.inputs_to_parameters
    return FxRecords(program.graph, params).ops


def compile_ops(module, args, kwargs):
    """The op records of each graph that torch.compile hands to a backend
    behind AOTAutograd, without decompositions: what aot_eager runs."""
    from torch._dynamo.backends.common import aot_autograd
    from functorch.compile import make_boxed_func

    weights = {id(p) for p in module.parameters()}
    graphs = []

    def backend(graph_module, example_inputs):
        marks = [id(x) in weights for x in example_inputs]

        def compiler(aot_module, _):
            places = [n for n in aot_module.graph.nodes
                      if n.op == "placeholder"]
            assert len(places) == len(marks)
            params = [n.name for n, mark in zip(places, marks) if mark]
            graphs.append(FxRecords(aot_module.graph, params).ops)
            return make_boxed_func(aot_module.forward)

        return aot_autograd(fw_compiler=compiler)(graph_module,
                                                  example_inputs)

    torch._dynamo.reset()
    torch.compile(module, backend=backend)(*args, **kwargs)
    return graphs


# ---- ONNX ----

ONNX_DTYPES = {1: ("f32", 4), 2: ("u8", 1), 3: ("i8", 1), 6: ("i32", 4),
               7: ("i64", 8), 9: ("b8", 1), 10: ("f16", 2), 11: ("f64", 8),
               16: ("bf16", 2)}
REARRANGE = {"Transpose", "Reshape", "Cast", "CastLike", "Identity",
             "Unsqueeze", "Squeeze", "Flatten", "Expand"}
KIND = "pkg.torch.export.graph_signature.InputSpec.kind"


class OnnxRecords:
    """The nodes of a weightless export, whose weights are typed inputs.

    A node whose inputs are all constants, weights and buffers among them, is
    folded; a weight that a folded node only rearranges is still a weight. A
    sequence stands as the tensors in it, NAME:0, NAME:1, ...
    """

    def __init__(self, model):
        import onnx

        graph = onnx.shape_inference.infer_shapes(
            model, strict_mode=True, data_prop=True).graph
        values = [*graph.input, *graph.value_info, *graph.output]
        self.types = {v.name: v.type.tensor_type for v in values}
        kinds = {v.name: p.value for v in graph.input
                 for p in v.metadata_props if p.key == KIND}
        self.params = {n for n, k in kinds.items() if k == "PARAMETER"}
        self.constant = {n for n, k in kinds.items()
                         if k in ("PARAMETER", "BUFFER", "CONSTANT_TENSOR")}
        # The exporter's own zeros for a convolution that has no bias, whose
        # size onnx does not follow.
        self.sizes = {n.input[2]: n.input[1] for n in graph.node
                      if n.op_type == "Conv" and len(n.input) > 2}
        self.sequences = {}
        self.contents = {n.output[0]: onnx.numpy_helper.to_array(a.t)
                         for n in graph.node if n.op_type == "Constant"
                         for a in n.attribute if a.name == "value"}
        self.ops = []
        for node in graph.node:
            self.node(node)

    def split(self, node):
        """The tensors of a SplitToSequence's result."""
        whole = self.tensor(node.input[0])
        axis = next((a.i for a in node.attribute if a.name == "axis"), 0)
        sizes = self.contents[node.input[1]].tolist()
        if not isinstance(sizes, list):  # one for all, the last what is left
            n = whole["shape"][axis]
            sizes = [min(sizes, n - k) for k in range(0, n, sizes)]
        items = []
        for k, size in enumerate(sizes):
            shape = list(whole["shape"])
            shape[axis] = size
            items.append({**whole, "tid": f"{node.output[0]}:{k}",
                          "shape": shape})
        self.sequences[node.output[0]] = items

    def tensors(self, names):
        """Of the values NAMES, those that were left out among them."""
        return [t for n in names
                for t in self.sequences.get(n) or [self.tensor(n)]]

    def tensor(self, name):
        if not name:
            return None
        kind = self.types[name]
        dtype, itemsize = ONNX_DTYPES[kind.elem_type]
        shape = [d.dim_value for d in kind.shape.dim]
        if name in self.sizes:
            shape = self.tensor(self.sizes[name])["shape"][:1]
            return {"tid": name, "shape": shape, "dtype": dtype,
                    "itemsize": itemsize,
                    **({"param": True} if name in self.params else {})}
        assert all(d.HasField("dim_value") for d in kind.shape.dim), name
        record = {"tid": name, "shape": shape, "dtype": dtype,
                  "itemsize": itemsize}
        if name in self.params:
            record["param"] = True
        return record

    def node(self, node):
        if node.op_type == "SplitToSequence":
            self.split(node)
        folded = all(n in self.constant for n in node.input if n)
        if folded:
            self.constant.update(node.output)
        if node.op_type in REARRANGE and node.input[0] in self.params:
            self.params.update(node.output)
        record = {"kind": "op", "i": len(self.ops),
                  "name": f"onnx.{node.op_type}",
                  "inputs": self.tensors(node.input),
                  "outputs": self.tensors(n for n in node.output if n)}
        attrs = {a.name: a.i for a in node.attribute if a.type == 2}
        if attrs:
            record["attrs"] = attrs
        if folded:
            record["folded"] = True
        self.ops.append(record)


def onnx_ops(program):
    """The op records of what torch.onnx.export gave."""
    import os
    import tempfile

    import onnx

    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "model.onnx")
        program.save(path, include_initializers=False,
                     keep_initializers_as_inputs=True)
        return OnnxRecords(onnx.load(path)).ops
