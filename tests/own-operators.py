#!/usr/bin/env python3
"""Twins of operators: a rule of a file beside the built-in one.

usage: own-operators.py model SEED N >DESCRIPTION   (for onnx-model.py)
       own-operators.py rules >FILE
       own-operators.py check <TRACE

Every operator of KINDS stands N times in the model, on random shapes, as
itself and under the name twin.NAME; the rules say what the twin makes. Some
sizes have a name and no number.
"""
import json
import random
import sys

AXIS = 'A = attr(axis) < 0 ? attr(axis) + rank(in0) : attr(axis)'
SLIDE = ('(x[{d}] + attr(pads[{a}], 0) + attr(pads[{b}], 0) - '
         'attr(dilations[{a}], 1)*({k} - 1) - 1)//attr(strides[{a}], 1) + 1')


def slide(kernel):
    return ', '.join(
        SLIDE.format(d=a + 2, a=a, b=a + 2, k=kernel.format(a=a, d=a + 2))
        for a in (0, 1))


RULES = {
    'Add': '(a, b) elementwise; out = broadcast(a, b)',
    'Less': '(a, b) elementwise; out = broadcast(inputs) as b8',
    'Where': '(c, x, y) elementwise; out = broadcast(c, x, y) as x',
    'Sum': '(xs*) elementwise; out = broadcast(xs)',
    'Relu': '(x) elementwise; out = shape(x)',
    'MatMul': '(a, b) copy; out = broadcast(a[:-2], b[:-2]), a[-2], b[-1]',
    'Gemm': '(a, b, c?) copy; out = attr(transA, 0) ? a[1] : a[0], '
            'attr(transB, 0) ? b[0] : b[1]',
    'Concat': '(xs*) copy; out = in0[:A], '
              'numel(xs)/(numel(in0)/along(in0, axis)), in0[A + 1:] '
              'where ' + AXIS,
    'Split': '(x) copy; outputs = x[:A], along(x, axis)/count(outputs), '
             'x[A + 1:] where ' + AXIS,
    'Gather': '(x, i) gather; out = x[:A], shape(i), x[A + 1:] where ' + AXIS,
    'Flatten': '(x) view; out = prod(x[:1]), prod(x[1:])',
    'Cast': '(x) copy; out = shape(x) as attr(to)',
    'Shape': '(x) view; out = rank(x) as i64',
    'Size': '(x) view; out = scalar as i64',
    'Conv': '(x, w, b?) copy; out = x[0], w[0], ' + slide('w[{d}]'),
    'MaxPool': '(x) reduction; out = x[:2], ' + slide('attr(kernel_shape[{a}])')
               + '; out1 = x[:2], ' + slide('attr(kernel_shape[{a}])')
               + ' as i64',
}


class Model:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.inputs, self.nodes, self.outputs = {}, [], []

    def size(self, least=1):
        return self.random.randint(least, 6)

    def shape(self, rank, names=True):
        """Sizes, of which one in six is a name."""
        return [self.random.choice('MN') if names and
                self.random.random() < .17 else self.size()
                for _ in range(rank)]

    def input(self, shape, dtype='f32'):
        name = 'x%d' % len(self.inputs)
        self.inputs[name] = '%s[%s]' % (dtype, ','.join(map(str, shape)))
        return name

    def node(self, kind, inputs, attrs=None, outputs=1):
        for domain in '', 'twin.':
            outs = ['%s%d_%d' % ('t' if domain else 'o', len(self.nodes) // 2, i)
                    for i in range(outputs)]
            self.nodes.append(['%s = %s%s(%s)' % (
                ', '.join(outs), domain, kind, ', '.join(inputs)), attrs or {}])
            self.outputs += outs

    def together(self, n):
        """Shapes that broadcast."""
        whole = self.shape(self.random.randint(0, 4))
        return [[s if self.random.random() < .7 else 1
                 for s in whole[self.random.randint(0, len(whole)):]]
                for _ in range(n)]


def window(model):
    """Attributes of a window over two dimensions."""
    r = model.random
    attrs = {}
    if r.random() < .7:
        attrs['strides'] = [r.randint(1, 3) for _ in range(2)]
    if r.random() < .5:
        attrs['dilations'] = [r.randint(1, 2) for _ in range(2)]
    if r.random() < .7:
        attrs['pads'] = [r.randint(0, 1) for _ in range(4)]
    return attrs


def elementwise(kind, n, types=None):
    def make(m):
        shapes = m.together(n or m.random.randint(1, 5))
        m.node(kind, [m.input(s, types[i] if types else 'f32')
                      for i, s in enumerate(shapes)])
    return make


def matmul(m):
    a, b = m.together(2)
    k = m.size()
    m.node('MatMul', [m.input(a + [m.size(), k]), m.input(b + [k, m.size()])])


def gemm(m):
    attrs = {'transA': m.random.randint(0, 1), 'transB': m.random.randint(0, 1)}
    k = m.size()
    a, b = m.shape(1) + [k], [k] + m.shape(1)
    m.node('Gemm', [m.input(a[::-1] if attrs['transA'] else a),
                    m.input(b[::-1] if attrs['transB'] else b)], attrs)


def axis_of(m, shape):
    return m.random.randint(-len(shape), len(shape) - 1)


def concat(m):
    shape = m.shape(m.random.randint(1, 4), False)
    axis = axis_of(m, shape)
    inputs = []
    for _ in range(m.random.randint(1, 5)):
        shape[axis] = m.size()
        inputs.append(m.input(shape))
    m.node('Concat', inputs, {'axis': axis})


def split(m):
    shape = m.shape(m.random.randint(1, 4))
    axis, n = axis_of(m, shape), m.random.randint(1, 5)
    shape[axis] = n * m.size()
    m.node('Split', [m.input(shape)], {'axis': axis}, n)


def gather(m):
    shape = m.shape(m.random.randint(1, 4))
    indices = m.input(m.shape(m.random.randint(0, 3)), 'i64')
    m.node('Gather', [m.input(shape), indices], {'axis': axis_of(m, shape)})


def flatten(m):
    m.node('Flatten', [m.input(m.shape(m.random.randint(1, 4)))])


def cast(m):
    m.node('Cast', [m.input(m.shape(m.random.randint(0, 4)))],
           {'to': m.random.choice([1, 6, 7, 9, 10, 11, 16])})


def one(kind):
    return lambda m: m.node(kind, [m.input(m.shape(m.random.randint(0, 5)))])


def conv(m):
    w = m.shape(2, False) + [m.random.randint(1, 3) for _ in range(2)]
    x = [m.shape(1)[0], w[1]] + [m.size(5) for _ in range(2)]
    inputs = [m.input(x), m.input(w)]
    if m.random.random() < .5:
        inputs.append(m.input([w[0]]))
    m.node('Conv', inputs, window(m))


def maxpool(m):
    attrs = window(m)
    attrs['kernel_shape'] = [m.random.randint(2, 3) for _ in range(2)]
    x = m.shape(2) + [m.size(5) for _ in range(2)]
    m.node('MaxPool', [m.input(x)], attrs, m.random.randint(1, 2))


KINDS = {
    'Add': elementwise('Add', 2), 'Less': elementwise('Less', 2),
    'Where': elementwise('Where', 3, ['b8', 'f16', 'f16']),
    'Sum': elementwise('Sum', 0), 'Relu': one('Relu'), 'MatMul': matmul,
    'Gemm': gemm, 'Concat': concat, 'Split': split, 'Gather': gather,
    'Flatten': flatten, 'Cast': cast, 'Shape': one('Shape'),
    'Size': one('Size'), 'Conv': conv, 'MaxPool': maxpool,
}
assert set(KINDS) == set(RULES)


def check(lines):
    """Both of each pair, types and names too; prints how many there were."""
    ops = [op for op in map(json.loads, lines) if op['kind'] == 'op']
    seen, known = {}, 0
    for own, twin in zip(ops[::2], ops[1::2]):
        kind = own['name'].split('.')[1]
        assert twin['name'] == 'twin.' + kind, (own['name'], twin['name'])
        got, want = ([{**t, 'tid': ''} for t in op['outputs']]
                     for op in (twin, own))
        if got != want:
            print('%s: %s with %s: %s, expected %s' % (
                kind, own['inputs'], own.get('attrs'), got, want))
        seen[kind] = seen.get(kind, 0) + 1
        known += 'unresolved' not in own
    print(len(seen), 'kinds,', sum(seen.values()), 'pairs')
    assert set(seen) == set(KINDS) and 2 * sum(seen.values()) == len(ops)
    assert .3 < known / sum(seen.values()) < .95, known


def main():
    if sys.argv[1] == 'rules':
        for name, rule in RULES.items():
            print('twin.%s%s' % (name, rule))
    elif sys.argv[1] == 'check':
        check(sys.stdin)
    else:
        m = Model(int(sys.argv[2]))
        for _ in range(int(sys.argv[3])):
            for make in KINDS.values():
                make(m)
        json.dump({'opsets': {'': 13, 'twin': 1}, 'inputs': m.inputs,
                   'nodes': m.nodes, 'outputs': m.outputs}, sys.stdout)


main()
