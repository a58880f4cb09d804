"""Random nodes of ai.onnx, of which most can be run: each operator type has a
maker that picks opset, types, shapes, attributes and which optional inputs and
outputs there are, by the operator's schema. What schemas do not say (which
sizes go together, what an index may be) stands here. For onnx-random.py.
"""
import numpy as np
from onnx import TensorProto, defs, helper

NATIVE = {
    'tensor(float)': np.float32, 'tensor(double)': np.float64,
    'tensor(float16)': np.float16, 'tensor(int8)': np.int8,
    'tensor(int16)': np.int16, 'tensor(int32)': np.int32,
    'tensor(int64)': np.int64, 'tensor(uint8)': np.uint8,
    'tensor(uint16)': np.uint16, 'tensor(uint32)': np.uint32,
    'tensor(uint64)': np.uint64, 'tensor(bool)': np.bool_,
    'tensor(string)': np.object_,
}
LIKELY = ('tensor(float)',) * 6 + ('tensor(int64)', 'tensor(int32)',
                                   'tensor(uint8)')
# Graphs inside, and what the runtime has no kernel for at all.
CONTROL = {'If', 'Loop', 'Scan', 'SequenceMap'}
NEWEST = 25

MODES = {
    'auto_pad': ['NOTSET', 'SAME_UPPER', 'SAME_LOWER', 'VALID'],
    'reduction': ['none', 'mean', 'sum'], 'approximate': ['none', 'tanh'],
    'direction': ['forward', 'reverse', 'bidirectional'],
    'equation': [], 'mode': [],
}


class Graph:
    """Nodes with the arrays that go in. VALUES are results that later nodes
    may take, with their arrays."""

    def __init__(self, rng, opset, prefix=''):
        self.r, self.opset, self.prefix = rng, opset, prefix
        self.inputs, self.inits, self.nodes = {}, {}, []
        self.values = {}
        self.deep = False  # numbers are computed, data is taken from VALUES
        self.count = 0

    def name(self):
        self.count += 1
        return '%sv%d' % (self.prefix, self.count)

    def maybe(self, p=.5):
        return self.r.random() < p

    def node(self, op, inputs, n=1, **attrs):
        """Adds a node; the names of its outputs, of which one may be empty."""
        outs = [self.name() for _ in range(n)]
        self.nodes.append(helper.make_node(op, inputs, outs, **attrs))
        return outs

    def init(self, array):
        name = self.name()
        self.inits[name] = np.asarray(array)
        return name

    def fill(self, shape, dtype, least=0, most=4):
        r = np.random.default_rng(self.r.getrandbits(32))
        if dtype == np.object_:
            words = r.choice(['a', 'bc', 'd e', ''], size=shape)
            return np.asarray(words).astype(object)
        if dtype == np.bool_:
            return np.asarray(r.random(shape) < .5)
        if np.issubdtype(dtype, np.integer):
            return np.asarray(r.integers(least, most + 1, size=shape)).astype(
                dtype)
        return np.asarray(r.uniform(.1, 2, size=shape)).astype(dtype)

    def data(self, shape, dtype, **kw):
        """An input whose contents decide nothing."""
        if self.deep:
            same = [n for n, a in self.values.items()
                    if isinstance(a, np.ndarray) and a.dtype == dtype and
                    list(a.shape) == list(shape)]
            if same and self.maybe(.7):
                return self.r.choice(same)
        array = self.fill(shape, dtype, **kw)
        if self.maybe(.15):
            return self.init(array)
        name = self.name()
        self.inputs[name] = array
        return name

    def numbers(self, values, dtype=np.int64):
        """An input whose contents decide: an initializer, or computed."""
        array = np.asarray(values, dtype=dtype)
        way = self.r.randint(0, 9) if self.deep else 0
        if dtype != np.int64 or array.ndim > 1 or way < 3:
            return self.init(array)
        if way == 3:
            return self.node('Constant', [], value=helper.make_tensor(
                'c', TensorProto.INT64, array.shape, array.flatten()))[0]
        if way == 4:
            return self.node('Cast', [self.init(array.astype(np.int32))],
                             to=TensorProto.INT64)[0]
        if way == 5:
            k = self.r.randint(-3, 3)
            return self.node('Add', [self.init(array - k),
                                     self.init(np.int64(k))])[0]
        if array.ndim == 0:
            return self.init(array)
        parts = [self.part(int(x)) for x in array]
        if not parts:
            return self.init(array)
        return self.node('Concat', parts, axis=0)[0]

    def part(self, x):
        """A vector of the one number X, from a shape where one has it."""
        have = [(n, i) for n, a in self.values.items()
                if isinstance(a, np.ndarray) for i, s in enumerate(a.shape)
                if s == x]
        if not have or self.maybe(.3):
            return self.init(np.array([x], np.int64))
        name, axis = self.r.choice(have)
        shape = self.node('Shape', [name])[0]
        if self.maybe():
            return self.node('Gather', [shape, self.init(
                np.array([axis], np.int64))], axis=0)[0]
        one = self.node('Gather', [shape, self.init(np.int64(axis))])[0]
        if self.opset < 13:
            return self.node('Unsqueeze', [one], axes=[0])[0]
        return self.node('Unsqueeze', [one, self.init(
            np.array([0], np.int64))])[0]

    def shape(self, lo=0, hi=4, least=1, most=5):
        shape = [self.r.randint(least, most)
                 for _ in range(self.r.randint(lo, hi))]
        if shape and self.maybe(.02):
            shape[self.r.randrange(len(shape))] = 0
        return shape

    def taken(self, dtype, lo, hi):
        """The shape of a value that is there, or a random one."""
        have = [list(a.shape) for a in self.values.values()
                if isinstance(a, np.ndarray) and a.dtype == dtype and
                lo <= a.ndim <= hi and a.size < 20000]
        if self.deep and have and self.maybe(.8):
            return self.r.choice(have[-6:])
        return self.shape(lo, hi)


class Node:
    """One node in the making, with its schema."""

    def __init__(self, g, op):
        self.g, self.r, self.op = g, g.r, op
        self.s = defs.get_schema(op, g.opset, '')
        self.bound, self.attrs, self.ins = {}, {}, []
        self.v = self.s.since_version

    def type(self, i=0, among=None):
        """The type of formal input I, the same for all of its constraint."""
        i = min(i, len(self.s.inputs) - 1)
        text = self.s.inputs[i].type_str
        if text not in self.bound:
            allowed = [text]
            for c in self.s.type_constraints:
                if c.type_param_str == text:
                    allowed = list(c.allowed_type_strs)
            allowed = [t for t in allowed if t in NATIVE and
                       (among is None or NATIVE[t] in among)]
            likely = [t for t in LIKELY if t in allowed]
            if not allowed:
                raise LookupError(self.op)
            self.bound[text] = NATIVE[self.r.choice(
                likely if likely and self.r.random() < .8 else allowed)]
        return self.bound[text]

    def has(self, name):
        return name in self.s.attributes

    def set(self, name, value, p=1.0):
        if self.has(name) and value != [] and (
                self.r.random() < p or self.s.attributes[name].required):
            self.attrs[name] = value

    def flag(self, *names):
        for name in names:
            self.set(name, self.r.randint(0, 1), .5)

    def choose(self, name, among, p=.5):
        self.set(name, self.r.choice(among), p)

    def x(self, shape, i=0, **kw):
        self.ins.append(self.g.data(shape, self.type(i), **kw))
        return shape

    def optional(self, shape, i, p=.5, **kw):
        if self.r.random() < p:
            self.x(shape, i, **kw)
        else:
            self.ins.append('')

    def moved(self, name, values, p=1.0):
        """An attribute that became an input."""
        if self.has(name):
            self.set(name, list(values), p)
        elif self.r.random() < p:
            self.ins.append(self.g.numbers(values))
        else:
            self.ins.append('')

    def axis(self, rank, name='axis', p=.8):
        if rank:
            self.set(name, self.r.randint(-rank if self.v >= 11 else 0,
                                          rank - 1), p)
        return self.attrs.get(name)

    def axes(self, rank, least=0):
        axes = self.r.sample(range(rank), self.r.randint(min(least, rank),
                                                         rank))
        return [a - rank if self.v >= 11 and self.r.random() < .3 else a
                for a in axes]

    def done(self, n=None):
        while self.ins and self.ins[-1] == '':
            self.ins.pop()
        if n is None:
            lo, hi = self.s.min_output, min(self.s.max_output, 4)
            n = self.r.randint(max(lo, 1), max(hi, 1))
        return self.g.node(self.op, self.ins, n, **self.attrs)


def window(n, x, spatial, kernel):
    """Strides, dilations, pads of a window over SPATIAL dimensions."""
    n.set('strides', [n.r.randint(1, 3) for _ in range(spatial)], .6)
    n.set('dilations', [n.r.randint(1, 2) for _ in range(spatial)], .3)
    if n.r.random() < .25 and n.has('auto_pad'):
        n.attrs['auto_pad'] = n.r.choice(MODES['auto_pad'][1:])
        n.attrs.pop('dilations', None)
    else:
        n.set('pads', [n.r.randint(0, max(0, min(k - 1, 2)))
                       for k in kernel * 2], .6)


def generic(n):
    """One shape for all, or shapes that broadcast."""
    g, one = n.g, n.s.inputs[:1]
    if not one:
        return n.done()
    t = n.type(0)
    whole = g.taken(t, 0, 4)
    count = len(n.s.inputs)
    if n.s.inputs[-1].option == defs.OpSchema.FormalParameterOption.Variadic:
        count += n.r.randint(0, 3)
    for i in range(count):
        shape = whole
        if count > 1 and i and n.v >= 7 and n.r.random() < .6:
            shape = [s if n.r.random() < .6 else 1
                     for s in whole[n.r.randint(0, len(whole)):]]
        n.x(shape, i)
    for name, a in n.s.attributes.items():
        if name == 'axis':
            n.axis(len(whole))
        elif name in MODES:
            if MODES[name]:
                n.choose(name, MODES[name])
        elif name == 'dtype':
            n.choose('dtype', [1, 6, 7, 11])
        elif a.type == defs.OpSchema.AttrType.FLOAT:
            n.set(name, round(n.r.uniform(.1, 1), 3), .4)
        elif a.type == defs.OpSchema.AttrType.INT:
            n.flag(name)
    n.done()
