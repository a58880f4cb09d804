#!/usr/bin/env python3
"""Random nodes of every operator type of ai.onnx, and random small graphs,
against what ONNX Runtime really makes of them.

Each is run by ONNX Runtime; the types and shapes of all values must be those
that sf-onnx infers from the model alone. Where sf-onnx leaves a size open the
runtime may have any; how many that are is printed by operator type, and so is
what the runtime refuses and sf-onnx does not. Exits 1 when a shape or a type
differs, or when sf-onnx refuses what the runtime runs, but for what stands in
EXPLAINED. Needs onnx, onnxruntime and numpy. Usage: onnx-random.py nodes|graphs COUNT SEED [OPERATOR...]
"""
import collections
import json
import os
import pickle
import random
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import onnxruntime
from onnx import defs, helper, numpy_helper

import onnx_makers
import onnx_nodes
from onnx_nodes import CONTROL, NEWEST, Graph, Node

warnings.filterwarnings('ignore')
onnxruntime.set_default_logger_severity(4)

DTYPES = {'float32': 'f32', 'float64': 'f64', 'float16': 'f16', 'bool': 'b8',
          'object': 'str', 'int8': 'i8', 'int16': 'i16', 'int32': 'i32',
          'int64': 'i64', 'uint8': 'u8', 'uint16': 'u16', 'uint32': 'u32',
          'uint64': 'u64'}


def slice_to_the_end(node, attrs, value):
    """The runtime takes 2^31 - 1 for no end, going backwards, too; by the
    definition it is a place behind the last, which nothing lies behind."""
    del attrs
    if len(node.input) < 5:
        return False
    return any(step < 0 and end in (2**31 - 1, 2**63 - 1) for end, step in
               zip(value(node.input[2]), value(node.input[4])))


def split_keepdims(node, attrs, value):
    """keepdims is ignored where the sizes are given, says the definition."""
    del value
    return len(node.input) > 1 and attrs.get('keepdims') == 0


def squeeze_none(node, attrs, value):
    """A list of no axes is one; the runtime takes it for none given."""
    del attrs
    return len(node.input) > 1 and len(value(node.input[1])) == 0


def transposed_same(node, attrs, value):
    """With auto_pad SAME the output is the input times the stride. The runtime
    makes less where the stride is larger than the kernel."""
    if b'SAME' not in attrs.get('auto_pad', b''):
        return False
    kernel = value(node.input[1]).shape[2:]
    return any(s > (k - 1) * d + 1 for s, k, d in zip(
        attrs.get('strides', [1] * len(kernel)), kernel,
        attrs.get('dilations', [1] * len(kernel))))


# Where the runtime is not what the operator's definition says.
EXPLAINED = {'Slice': slice_to_the_end, 'SplitToSequence': split_keepdims,
             'Squeeze': squeeze_none, 'ConvTranspose': transposed_same}


def explained(g, results):
    """The operator type of a node that makes up for a difference, or None."""
    values = {**g.inputs, **g.inits, **results}
    for node in g.nodes:
        attrs = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        check = EXPLAINED.get(node.op_type)
        if check and check(node, attrs, values.__getitem__):
            return node.op_type
    return None


def operators():
    """{type: the opsets that it is in}, of the newest that a runtime has."""
    found = collections.defaultdict(list)
    for opset in range(7, NEWEST + 1):
        for name in {s.name for s in defs.get_all_schemas_with_history()
                     if s.domain == ''} - CONTROL:
            try:
                schema = defs.get_schema(name, opset, '')
            except defs.SchemaError:
                continue
            if not schema.deprecated:
                found[name].append(opset)
    return dict(found)


def add(g, op):
    """Adds a random node of that type to the graph."""
    onnx_makers.MAKERS.get(op, onnx_nodes.generic)(Node(g, op))


def model_of(graphs):
    """One model of graphs whose names do not meet."""
    inputs, inits, nodes, outputs = [], [], [], []
    for g in graphs:
        for name, a in g.inputs.items():
            inputs.append(helper.make_tensor_value_info(
                name, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape))
        for name, a in g.inits.items():
            inits.append(numpy_helper.from_array(a, name))
        nodes += g.nodes
        outputs += [o for node in g.nodes for o in node.output if o]
    graph = helper.make_graph(nodes, 'g', inputs,
                              [helper.make_empty_tensor_value_info(o)
                               for o in outputs], inits)
    model = helper.make_model(graph, ir_version=10, opset_imports=[
        helper.make_opsetid('', graphs[0].opset)])
    return model.SerializeToString(), outputs


def run(g):
    """{name: result} by the runtime; None when it refuses."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = \
        onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        model, names = model_of([g])
        session = onnxruntime.InferenceSession(
            model, options, providers=['CPUExecutionProvider'])
        return dict(zip(names, session.run(None, g.inputs)))
    except Exception as error:  # pylint: disable=broad-except
        g.refusal = str(error)
        return None


def infer(graphs):
    """{name: [dtype, shape]} by sf-onnx, or the text of its refusal."""
    with tempfile.NamedTemporaryFile(suffix='.onnx') as file:
        file.write(model_of(graphs)[0])
        file.flush()
        done = subprocess.run(['sf-onnx', file.name], capture_output=True,
                              text=True, check=False)
    if done.returncode:
        return done.stderr.strip()
    found = {}
    for line in done.stdout.splitlines():
        record = json.loads(line)
        if record['kind'] == 'op':
            for t in record['outputs']:
                if t:
                    found[t['tid']] = [t['dtype'], t['shape']]
    return found


def is_open(found):
    """A type or a size is not known."""
    return found is None or found[0] is None or found[1] is None or not all(
        isinstance(s, int) for s in found[1])


class Tally:
    def __init__(self):
        self.ran, self.refused = collections.Counter(), collections.Counter()
        self.open, self.lenient = collections.Counter(), collections.Counter()
        self.differ, self.lenient_text = collections.Counter(), {}
        self.kernels = collections.Counter()
        self.explained = collections.Counter()
        self.refusals = {}

    def add(self, other):
        for name, more in vars(other).items():
            mine = getattr(self, name)
            if isinstance(mine, collections.Counter):
                mine.update(more)
            else:
                mine.update({k: v for k, v in more.items() if k not in mine})

    def difference(self, g, text, results):
        op = g.nodes[-1].op_type
        why = explained(g, results)
        if why:
            self.explained[why] += 1
            return
        self.differ[op] += 1
        if self.differ[op] <= 3:
            print('differs: opset %d' % g.opset, text)
            for node in g.nodes:
                print('   ', str(helper.printable_node(node))[:300])
            for name, a in {**g.inputs, **g.inits}.items():
                print('    %s %s %s%s' % (
                    name, a.dtype, list(a.shape),
                    ' = %s' % a.tolist() if name in g.inits and a.size < 9
                    else ''))

    def leave_open(self, g, name, found):
        """Counts for the node that makes it, unless its inputs are open."""
        node = next((n for n in g.nodes if name.split('[')[0] in n.output),
                    g.nodes[-1])
        if not any(is_open(found.get(i, ['', []])) for i in node.input):
            self.open[node.op_type] += 1

    def value(self, g, name, want, found, results):
        """One result of the runtime beside what was inferred."""
        if want is None:
            return
        if isinstance(want, list):
            if name + '[0]' in found or not want:
                for i, item in enumerate(want):
                    self.value(g, '%s[%d]' % (name, i), item, found, results)
            else:
                self.leave_open(g, name, found)
            return
        if isinstance(want, dict):
            return
        want = np.asarray(want)
        dtype, shape = found.get(name, ['nothing', []])
        sizes = [s if isinstance(s, int) else None for s in shape or []]
        if is_open(found.get(name)):
            self.leave_open(g, name, found)
        if (dtype not in (None, DTYPES[str(want.dtype)]) or
                shape is not None and (len(sizes) != want.ndim or any(
                    s not in (None, w) for s, w in zip(sizes, want.shape)))):
            self.difference(g, '%s: found %s%s, the runtime has %s%s' % (
                name, dtype, shape, want.dtype, list(want.shape)), results)

    def compare(self, good):
        """Graphs that the runtime ran, of one opset."""
        found = infer([g for g, _ in good])
        if isinstance(found, str) and len(good) > 1:
            half = len(good) // 2
            self.compare(good[:half])
            self.compare(good[half:])
        elif isinstance(found, str):
            self.difference(good[0][0], 'refused: ' + found, good[0][1])
        else:
            for g, results in good:
                for name, want in results.items():
                    self.value(g, name, want, found, results)

    def report(self):
        print('%d ran, of %d operator types; %d refused by the runtime' % (
            sum(self.ran.values()), len(self.ran), sum(self.refused.values())))
        for title, counter in (
                ('never ran', {op: n for op, n in self.refused.items()
                               if not self.ran[op]}),
                ('sizes left open', self.open),
                ('without a kernel', self.kernels),
                ('refused by the runtime alone', self.lenient),
                ('explained', self.explained),
                ('DIFFERENT', self.differ)):
            print('%s: %s' % (title, ', '.join(
                '%s %d' % item for item in sorted(counter.items())) or 'none'))


def node(tally, types, waiting, seed, i):
    """The node of that number; good ones wait to be checked by the hundred."""
    op = sorted(types)[i % len(types)]
    rng = random.Random('%d %d' % (seed, i))
    g = Graph(rng, rng.choice(types[op]), 'n%d_' % i)
    try:
        add(g, op)
    except (LookupError, ValueError, TypeError) as error:
        tally.refused[op] += 1
        tally.refusals[op] = 'maker: %r' % error
        return
    results = run(g)
    if results is not None:
        tally.ran[op] += 1
        waiting[g.opset].append((g, results))
        if len(waiting[g.opset]) == 100:
            tally.compare(waiting.pop(g.opset))
        return
    tally.refused[op] += 1
    tally.refusals.setdefault(op, g.refusal)
    if 'NOT_IMPLEMENTED' in g.refusal:
        tally.kernels[op] += 1
    elif not isinstance(infer([g]), str):
        tally.lenient[op] += 1
        tally.lenient_text.setdefault(op, g.refusal)


def nodes(numbers, seed, only):
    """Single nodes; the number of each is said before it is run."""
    tally, waiting = Tally(), collections.defaultdict(list)
    types = {op: o for op, o in operators().items() if not only or op in only}
    for i in numbers:
        yield i
        node(tally, types, waiting, seed, i)
    for good in waiting.values():
        tally.compare(good)
    yield tally


def graph(tally, types, seed, i):
    """A graph of a few nodes, each on what the ones before it made."""
    rng = random.Random('%d graph %d' % (seed, i))
    opset = rng.randint(9, NEWEST)
    g = Graph(rng, opset)
    g.deep = True
    results = {}
    for _ in range(rng.randint(3, 12)):
        kept = len(g.nodes), dict(g.inputs), dict(g.inits), g.count
        op = rng.choice(sorted(types))
        try:
            if opset in types[op]:
                add(g, op)
        except (LookupError, ValueError, TypeError):
            pass
        got = run(g) if len(g.nodes) > kept[0] else None
        if got is None:
            del g.nodes[kept[0]:]
            g.inputs, g.inits, g.count = kept[1:]
            continue
        results = got
        g.values = {**g.inputs, **{
            k: v for k, v in got.items() if isinstance(v, np.ndarray)}}
    if g.nodes:
        tally.ran[g.nodes[-1].op_type] += 1
        tally.compare([(g, results)])


def graphs(numbers, seed, only):
    tally = Tally()
    types = {op: o for op, o in operators().items() if not only or op in only}
    for i in numbers:
        yield i
        graph(tally, types, seed, i)
    yield tally


def in_a_child(steps):
    """What the last of STEPS is, and None; or None, and the last number that
    was said, as the runtime may end its process."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with os.fdopen(writer, 'wb') as out:
            for step in steps:
                pickle.dump(step, out)
                out.flush()
        sys.stdout.flush()
        os._exit(0)
    os.close(writer)
    last = None
    with os.fdopen(reader, 'rb') as said:
        while True:
            try:
                last = pickle.load(said)
            except EOFError:
                break
    os.waitpid(child, 0)
    return (last, None) if isinstance(last, Tally) else (None, last)


def in_chunks(mode, count, seed, only):
    """The sum of all, and how often the runtime ended its process."""
    total, crashes, at_a_time = Tally(), 0, 500 if mode == nodes else 50
    for begin in range(0, count, at_a_time):
        numbers = list(range(begin, min(begin + at_a_time, count)))
        tally = None
        while tally is None:
            sys.stdout.flush()
            tally, culprit = in_a_child(mode(numbers, seed, only))
            if tally is None:
                numbers.remove(culprit)
                crashes += 1
        total.add(tally)
    return total, crashes


def main():
    mode = {'nodes': nodes, 'graphs': graphs}[sys.argv[1]]
    tally, crashes = in_chunks(mode, int(sys.argv[2]), int(sys.argv[3]),
                               sys.argv[4:])
    tally.report()
    print('the runtime ended its process %d times' % crashes)
    if os.environ.get('VERBOSE'):
        for title, texts in (('refusal', tally.refusals),
                             ('alone', tally.lenient_text)):
            for op, text in sorted(texts.items()):
                print('%s %s: %s' % (title, op, text[:220]))
    sys.exit(bool(tally.differ))


main()
