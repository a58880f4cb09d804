"""The makers of random nodes, one for each operator type that is not generic;
for onnx-random.py.
"""
import numpy as np
from onnx import TensorProto, helper

from onnx_nodes import Graph, window

MAKERS = {}


def maker(*ops):
    def keep(f):
        MAKERS.update(dict.fromkeys(ops, f))
        return f
    return keep


@maker('ReduceL1', 'ReduceL2', 'ReduceLogSum', 'ReduceLogSumExp', 'ReduceMax',
       'ReduceMean', 'ReduceMin', 'ReduceProd', 'ReduceSum', 'ReduceSumSquare')
def reduce(n):
    x = n.x(n.g.taken(n.type(), 0, 4))
    n.moved('axes', n.axes(len(x), 1), .7)
    n.flag('keepdims', 'noop_with_empty_axes')
    n.done()


@maker('ArgMax', 'ArgMin', 'Softmax', 'LogSoftmax', 'Hardmax', 'LpNormalization')
def along(n):
    n.axis(len(n.x(n.g.taken(n.type(), 1, 4))))
    n.flag('keepdims', 'select_last_index')
    n.done()


@maker('Flatten')
def flatten(n):
    x = n.x(n.g.taken(n.type(), 0, 4))
    n.set('axis', n.r.randint(-len(x) if n.v >= 11 else 0, len(x)), .8)
    n.done()


@maker('Transpose')
def transpose(n):
    x = n.x(n.g.taken(n.type(), 0, 5))
    n.set('perm', n.r.sample(range(len(x)), len(x)), .8)
    n.done()


@maker('Concat')
def concat(n):
    x = n.g.taken(n.type(), 1, 4)
    axis = n.axis(len(x), p=1)
    for i in range(n.r.randint(1, 4)):
        if i:
            x = list(x)
            x[axis] = n.r.randint(0, 4)
        n.x(x)
    n.done()


@maker('Split')
def split(n):
    k = n.r.randint(1, 4)
    sizes = [n.r.randint(1, 3) for _ in range(k)]
    x = n.g.shape(1, 4)
    axis = n.axis(len(x))
    way = n.r.randint(0, 1)
    uneven = n.v >= 18 and n.r.random() < .4
    x[axis or 0] = sum(sizes) if way else k * sizes[0] - (
        uneven and sizes[0] > 1)
    n.x(x)
    if way:
        n.moved('split', sizes)
    elif n.v >= 18:
        n.attrs['num_outputs'] = k
    n.done(k)


@maker('Slice')
def slice_(n):
    x = n.x(n.g.taken(n.type(), 1, 4))
    axes = n.axes(len(x), 1)
    if n.r.random() < .4:
        axes = list(range(len(axes)))
    starts = [n.r.randint(-7, 7) for _ in axes]
    ends = [n.r.choice([n.r.randint(-7, 7), 2**31 - 1, -2**31])
            for _ in axes]
    n.moved('starts', starts)
    n.moved('ends', ends)
    given = axes != list(range(len(axes))) or n.r.random() < .3
    n.moved('axes', axes, 1 if given else 0)
    if n.v >= 10 and n.r.random() < .5:
        n.ins.append(n.g.numbers([n.r.choice([1, 2, 3, -1, -2])
                                  for _ in axes]))
    n.done()


@maker('Gather')
def gather(n):
    x = n.x(n.g.taken(n.type(), 1, 4))
    axis = n.axis(len(x)) or 0
    size = max(x[axis], 1)
    i = n.g.shape(0, 3, 1, 3)
    n.ins.append(n.g.init(n.g.fill(i, n.type(1), least=0, most=size - 1)))
    n.done()


@maker('GatherElements', 'ScatterElements', 'Scatter')
def elements(n):
    x = n.x(n.g.taken(n.type(), 1, 4))
    axis = n.axis(len(x)) or 0
    i = [n.r.randint(1, max(s, 1)) for s in x]
    n.ins.append(n.g.init(n.g.fill(i, n.type(1), 0, max(x[axis], 1) - 1)))
    if n.op != 'GatherElements':
        n.x(i, 2)
        n.choose('reduction', ['none', 'add', 'mul', 'max', 'min'])
    n.done()


@maker('GatherND', 'ScatterND')
def nd(n):
    x = n.x(n.g.shape(1, 4))
    b = n.r.randint(0, len(x) - 1) if n.has('batch_dims') else 0
    k = n.r.randint(1, len(x) - b)
    outer = x[:b] + n.g.shape(0, 2, 1, 3)
    if not outer:
        outer = [n.r.randint(1, 3)]
    index = np.stack([n.g.fill(outer, np.int64, 0, max(s, 1) - 1)
                      for s in x[b:b + k]], -1)
    n.ins.append(n.g.init(index))
    if b:
        n.attrs['batch_dims'] = b
    if n.op == 'ScatterND':
        n.x(outer + x[k:], 2)
        n.choose('reduction', ['none', 'add', 'mul', 'max', 'min'])
    n.done()


@maker('Pad')
def pad(n):
    x = n.x(n.g.taken(n.type(), 1, 4))
    n.choose('mode', ['constant', 'reflect', 'edge', 'wrap'])
    small = n.attrs.get('mode') in ('reflect', 'wrap')
    axes = list(range(len(x)))
    chosen = n.v >= 18 and n.r.random() < .4
    if chosen:
        axes = n.axes(len(x), 1)
    lo = 0 if n.attrs.get('mode') else -1
    pads = [n.r.randint(lo, max(0, min(x[a] - 1, 3)) if small else 3)
            for a in axes * 2]
    n.moved('pads' if n.v >= 2 else 'paddings', pads)
    if n.v >= 11:
        n.ins.append(n.g.init(n.g.fill([], n.type())) if n.r.random() < .5
                     else '')
    if chosen:
        n.ins.append(n.g.numbers(axes))
    n.done()


@maker('Reshape')
def reshape(n):
    x = n.x(n.g.taken(n.type(), 0, 4))
    total, target = int(np.prod(x, dtype=int)), []
    n.flag('allowzero')
    while total > 1 and len(target) < 4:
        divisors = [d for d in range(1, total + 1) if total % d == 0]
        target.append(n.r.choice(divisors))
        total //= target[-1]
    if total != 1 or n.r.random() < .3:
        target.append(total)
    if target and not n.attrs.get('allowzero'):
        for i, s in enumerate(target[:len(x)]):
            if s == x[i] and n.r.random() < .4:
                target[i] = 0
    if target and n.r.random() < .5 and 0 not in x:
        target[n.r.randrange(len(target))] = -1
    n.moved('shape', target)
    n.done()


@maker('Expand')
def expand(n):
    x = n.x(n.g.taken(n.type(), 0, 4))
    to = [n.r.choice([1, s]) if s != 1 else n.r.randint(1, 4) for s in x]
    if n.r.random() < .3:
        to = to[n.r.randint(0, len(to)):]
    else:
        to = n.g.shape(0, 2, 1, 3) + to
    n.moved('shape', to)
    n.done()


@maker('Tile')
def tile(n):
    x = n.x(n.g.taken(n.type(), 1, 4))
    n.moved('repeats', [n.r.randint(0 if n.r.random() < .1 else 1, 3)
                        for _ in x])
    n.done()


@maker('ConstantOfShape')
def constant_of_shape(n):
    n.ins.append(n.g.numbers(n.g.shape(0, 4)))
    if n.r.random() < .6:
        t = n.r.choice([1, 6, 7, 9, 10, 11, 2])
        n.attrs['value'] = helper.make_tensor('v', t, [1], [1])
    n.done()


@maker('Range')
def range_(n):
    t = n.type(0, [np.float32, np.float64, np.int16, np.int32, np.int64])
    start, step = n.r.randint(-5, 5), n.r.choice([-3, -2, -1, 1, 2, 3])
    limit = start + step * n.r.randint(-1, 6) + n.r.randint(-1, 1)
    for value in start, limit, step:
        if t in (np.float32, np.float64) and n.r.random() < .4:
            value = value * .75
        n.ins.append(n.g.numbers(value, t))
    n.done()


@maker('EyeLike')
def eye_like(n):
    n.x([n.r.randint(1, 5), n.r.randint(1, 5)])
    n.choose('dtype', [1, 6, 7, 11])
    n.set('k', n.r.randint(-2, 2), .5)
    n.done()


@maker('OneHot')
def one_hot(n):
    x = n.x(n.g.shape(1, 3), most=3)
    n.ins.append(n.g.numbers(n.r.choice([4, [4]]), n.type(1)))
    n.x([2], 2)
    n.set('axis', n.r.randint(-len(x) - 1 if n.v >= 11 else -1, len(x)), .7)
    n.done()


@maker('TopK')
def top_k(n):
    x = n.x(n.g.shape(1, 4))
    axis = n.axis(len(x))
    k = n.r.randint(1, max(1, x[-1 if axis is None else axis]))
    if n.v >= 10:
        n.ins.append(n.g.numbers([k]))
    else:
        n.attrs['k'] = k
    n.flag('largest', 'sorted')
    n.done(2)


@maker('Trilu')
def trilu(n):
    n.x(n.g.shape(2, 4))
    n.flag('upper')
    if n.r.random() < .5:
        n.ins.append(n.g.numbers(n.r.randint(-2, 2)))
    n.done()


@maker('CumSum', 'CumProd')
def cumulative(n):
    x = n.x(n.g.taken(n.type(), 1, 4))
    n.ins.append(n.g.numbers(n.r.randint(-len(x), len(x) - 1), n.type(1)))
    n.flag('exclusive', 'reverse')
    n.done()


@maker('Unsqueeze')
def unsqueeze(n):
    x = n.x(n.g.taken(n.type(), 0, 3))
    rank = len(x) + n.r.randint(1, 3)
    axes = n.r.sample(range(rank), rank - len(x))
    n.moved('axes', [a - rank if n.v >= 11 and n.r.random() < .3 else a
                     for a in axes])
    n.done()


@maker('Squeeze')
def squeeze(n):
    x = [n.r.choice([1, s]) for s in n.g.shape(0, 5)]
    n.x(x)
    ones = [i for i, s in enumerate(x) if s == 1]
    ones = n.r.sample(ones, n.r.randint(0, len(ones)))
    n.moved('axes', [a - len(x) if n.v >= 11 and n.r.random() < .3 else a
                     for a in ones], .7 if ones else .1)
    n.done()


@maker('Compress')
def compress(n):
    x = n.x(n.g.shape(1, 4))
    axis = n.axis(len(x), p=.6)
    size = int(np.prod(x)) if axis is None else x[axis]
    flags = n.g.fill([n.r.randint(0, size)], np.bool_)
    n.ins.append(n.g.init(flags))
    n.done()


@maker('Unique')
def unique(n):
    x = n.x(n.g.shape(1, 3))
    n.axis(len(x), p=.5)
    n.flag('sorted')
    n.done()


@maker('Shape')
def shape(n):
    n.x(n.g.taken(n.type(), 0, 5))
    n.set('start', n.r.randint(-6, 6), .5)
    n.set('end', n.r.randint(-6, 6), .5)
    n.done()


@maker('Dropout')
def dropout(n):
    n.x(n.g.taken(n.type(), 0, 4))
    if n.v >= 12 and n.r.random() < .5:
        n.ins.append(n.g.init(np.asarray(.5, n.type(1))))
        if n.r.random() < .5:
            n.ins.append(n.g.init(np.asarray(n.g.maybe(), np.bool_)))
    n.set('seed', 3, .3)
    n.done()


@maker('Cast', 'BitCast')
def cast(n):
    n.type(0, [np.float32, np.float16, np.float64, np.int32, np.int64,
               np.uint8, np.bool_])
    n.x(n.g.taken(n.type(), 0, 4))
    n.attrs['to'] = n.r.choice([1, 2, 3, 5, 6, 7, 9, 10, 11, 12])
    n.done()


@maker('CastLike')
def cast_like(n):
    n.type(0, [np.float32, np.int64, np.uint8])
    n.type(1, [np.float16, np.int32, np.float64])
    n.x(n.g.taken(n.type(), 0, 4))
    n.x(n.g.shape(0, 2), 1)
    n.done()


@maker('Conv', 'ConvInteger', 'QLinearConv', 'ConvTranspose', 'DeformConv')
def conv(n):
    spatial = n.r.randint(1, 3) if n.op != 'DeformConv' else 2
    if n.op == 'QLinearConv':
        for i in (0, 3, 7):
            n.type(i, [np.uint8])
    group = n.r.choice([1, 1, 2, 3])
    c, m = n.r.randint(1, 3), n.r.randint(1, 3)
    kernel = [n.r.randint(1, 3) for _ in range(spatial)]
    x = [n.r.randint(1, 3), c * group] + [n.r.randint(5, 9) for _ in kernel]
    if n.op == 'ConvTranspose':
        w = [c * group, m] + kernel
    else:
        w = [m * group, c] + kernel
    n.set('group', group, 1 if group > 1 else .5)
    n.set('kernel_shape', kernel, .5)
    window(n, x, spatial, kernel)
    if n.op == 'ConvTranspose':
        return conv_transpose(n, x, w, spatial)
    n.x(x)
    if n.op == 'QLinearConv':
        scale = n.g.init(np.float32(.5))
        zero = n.g.init(np.uint8(1))
        n.ins += [scale, zero, n.g.data(w, np.uint8), scale, zero, scale, zero]
        return n.done()
    n.ins.append(n.g.data(w, n.type(1)))
    if n.op == 'DeformConv':
        n.attrs.pop('auto_pad', None)
        out = [(s + sum(n.attrs.get('pads', [0] * 4)[i::2]) -
                n.attrs.get('dilations', [1, 1])[i] * (k - 1) - 1) //
               n.attrs.get('strides', [1, 1])[i] + 1
               for i, (s, k) in enumerate(zip(x[2:], kernel))]
        n.x([x[0], 2 * kernel[0] * kernel[1]] + out, 2)
    elif n.r.random() < .5 and n.op == 'Conv':
        n.x([w[0]], 2)
    n.done()


def conv_transpose(n, x, w, spatial):
    n.x(x)
    n.x(w, 1)
    if n.r.random() < .5:
        n.x([w[1] * n.attrs.get('group', 1)], 2)
    strides = n.attrs.get('strides', [1] * spatial)
    n.set('output_padding', [n.r.randint(0, s - 1) for s in strides], .4)
    if n.r.random() < .2:
        n.attrs.pop('pads', None)
        n.set('output_shape', [(s - 1) * t + 1 + n.r.randint(0, 1)
                               for s, t in zip(x[2:], strides)])
    n.done()


@maker('MaxPool', 'AveragePool', 'LpPool')
def pool(n):
    n.type(0, [np.float32, np.float64])
    spatial = n.r.randint(1, 3)
    kernel = [n.r.randint(1, 3) for _ in range(spatial)]
    n.attrs['kernel_shape'] = kernel
    x = n.x(n.g.shape(2, 2, 1, 3) + [n.r.randint(5, 9) for _ in kernel])
    window(n, x, spatial, kernel)
    n.flag('ceil_mode', 'count_include_pad', 'storage_order')
    n.done()


@maker('MaxUnpool')
def max_unpool(n):
    x = n.g.shape(2, 2, 1, 2) + [n.r.randint(2, 4) for _ in range(2)]
    n.attrs['kernel_shape'] = [2, 2]
    n.set('strides', [2, 2], .7)
    n.x(x)
    n.ins.append(n.g.init(n.g.fill(x, np.int64, 0, 3)))
    if n.r.random() < .3:
        n.ins.append(n.g.numbers([x[0], x[1], 2 * x[2] + 1, 2 * x[3]]))
    n.done()


@maker('GlobalAveragePool', 'GlobalMaxPool', 'GlobalLpPool',
       'MeanVarianceNormalization', 'LRN')
def over_channels(n):
    n.x(n.g.shape(3, 5) if n.op[0] == 'G' else n.g.shape(4, 4))
    n.set('size', n.r.choice([1, 3]))
    n.done()


@maker('InstanceNormalization', 'BatchNormalization', 'GroupNormalization')
def channel_norm(n):
    n.type(0, [np.float32])
    x = n.x(n.g.shape(2, 4, 1) if n.op[0] == 'B' else n.g.shape(3, 4, 1))
    c = x[1]
    if n.op[0] == 'G':
        n.set('num_groups', n.r.choice([g for g in range(1, max(c, 1) + 1)
                                        if c % g == 0] or [1]))
        c = c if n.v >= 21 else n.attrs['num_groups']
    for i in range(1, len(n.s.inputs)):
        n.x([c], i)
    n.set('epsilon', 1e-3, .5)
    if n.has('training_mode') and n.r.random() < .3:
        n.attrs['training_mode'] = 1
        return n.done(3)
    n.done(1)


@maker('LayerNormalization', 'RMSNormalization')
def layer_norm(n):
    n.type(0, [np.float32])
    if n.op[0] == 'R':
        n.type(1, [np.float32])
    x = n.x(n.g.taken(n.type(), 1, 4))
    axis = n.axis(len(x))
    scale = x[-1 if axis is None else axis:]
    n.x(scale, 1)
    if n.op[0] == 'L':
        n.optional(scale, 2)
        return n.done(n.r.choice([1, 1, 3]))
    n.done(1)


@maker('DepthToSpace', 'SpaceToDepth')
def depth(n):
    b = n.r.randint(1, 3)
    n.attrs['blocksize'] = b
    x = [n.r.randint(1, 3) for _ in range(4)]
    n.x([x[0], x[1] * b * b, x[2], x[3]] if n.op[0] == 'D' else
        [x[0], x[1], x[2] * b, x[3] * b])
    n.choose('mode', ['DCR', 'CRD'])
    n.done()


@maker('Resize', 'Upsample')
def resize(n):
    n.type(0, [np.float32])
    x = n.x(n.g.shape(2, 4, 1, 5))
    linear = 'linear' if len(x) in (2, 4) else 'nearest'
    n.choose('mode', ['nearest', linear])
    if n.op == 'Upsample' or n.v == 10:
        scales = [n.r.choice([1, 1.5, 2, 3]) for _ in x]
        if n.has('scales'):
            n.attrs['scales'] = scales
        else:
            n.ins.append(n.g.init(np.array(scales, np.float32)))
        return n.done()
    axes = list(range(len(x)))
    if n.v >= 18 and n.r.random() < .3:
        axes = n.attrs['axes'] = sorted(n.r.sample(axes, n.r.randint(
            1, len(axes))))
    n.ins.append(n.g.init(np.zeros(0, np.float32)) if n.v == 11 else '')
    if n.r.random() < .5:
        n.ins.append(n.g.init(np.array([n.r.choice([.5, .6, 1, 1.5, 2, 2.3])
                                        for _ in axes], np.float32)))
    else:
        n.ins.append(n.g.init(np.zeros(0, np.float32)) if n.v == 11 else '')
        n.ins.append(n.g.numbers([n.r.randint(1, 7) for _ in axes]))
        n.choose('keep_aspect_ratio_policy',
                 ['stretch', 'not_larger', 'not_smaller'])
    n.choose('coordinate_transformation_mode',
             ['half_pixel', 'asymmetric', 'align_corners'])
    n.choose('nearest_mode', ['floor', 'ceil', 'round_prefer_floor'])
    n.done()


@maker('MatMul', 'MatMulInteger', 'QLinearMatMul')
def matmul(n):
    outer, k = n.g.shape(0, 2, 1, 3), n.r.randint(1, 4)

    def side():
        return [s if n.r.random() < .7 else 1
                for s in outer[n.r.randint(0, len(outer)):]]
    a, b = side() + [n.r.randint(1, 4), k], side() + [k, n.r.randint(1, 4)]
    if n.op == 'MatMul' and n.r.random() < .25:
        a = [k] if n.r.random() < .5 else a
        b = [k] if n.r.random() < .5 else b
    if n.op == 'QLinearMatMul':
        scale = n.g.init(np.float32(.5))
        zero = n.g.init(np.uint8(1))
        n.ins = [n.g.data(a, np.uint8), scale, zero, n.g.data(b, np.uint8),
                 scale, zero, scale, zero]
        return n.done()
    n.x(a)
    n.x(b, 1)
    n.done()


@maker('Gemm')
def gemm(n):
    m, k, c = (n.r.randint(1, 5) for _ in range(3))
    n.flag('transA', 'transB')
    n.x([k, m] if n.attrs.get('transA') else [m, k])
    n.x([c, k] if n.attrs.get('transB') else [k, c], 1)
    if n.v < 11 or n.r.random() < .6:
        n.x(n.r.choice([[m, c], [1, c], [c], [m, 1], [], [1]]), 2)
    n.done()


@maker('Einsum')
def einsum(n):
    n.type(0, [np.float32])
    sizes = {c: n.r.randint(1, 4) for c in 'abcde'}
    terms = [''.join(n.r.choices('abcde', k=n.r.randint(0, 3)))
             for _ in range(n.r.randint(1, 3))]
    for term in terms:
        n.x([sizes[c] for c in term])
    used = sorted(set(''.join(terms)))
    out = ''.join(n.r.sample(used, n.r.randint(0, len(used))))
    n.attrs['equation'] = ','.join(terms) + (
        '->' + out if n.r.random() < .8 else '')
    n.done()


@maker('RNN', 'LSTM', 'GRU')
def recurrent(n):
    n.type(0, [np.float32])
    gates = {'RNN': 1, 'LSTM': 4, 'GRU': 3}[n.op]
    s, b, i, h = (n.r.randint(1, 4) for _ in range(4))
    n.attrs['hidden_size'] = h
    n.choose('direction', ['forward', 'reverse', 'bidirectional'])
    n.flag('linear_before_reset')
    d = 2 if n.attrs.get('direction') == 'bidirectional' else 1
    n.x([s, b, i])
    n.x([d, gates * h, i], 1)
    n.x([d, gates * h, h], 2)
    n.optional([d, 2 * gates * h], 3)
    n.done(n.r.randint(1, n.s.max_output))


@maker('RandomNormal', 'RandomUniform')
def random(n):
    n.attrs['shape'] = n.g.shape(1, 4)
    n.choose('dtype', [1, 10, 11])
    n.done()


@maker('RandomNormalLike', 'RandomUniformLike')
def random_like(n):
    n.type(0, [np.float32, np.int64, np.float64])
    n.x(n.g.shape(0, 4))
    n.set('dtype', n.r.choice([1, 11]), 1 if n.type() == np.int64 else .5)
    n.done()


@maker('Multinomial')
def multinomial(n):
    n.x([n.r.randint(1, 4), n.r.randint(1, 5)])
    n.choose('dtype', [6, 7])
    n.set('sample_size', n.r.randint(1, 5), .7)
    n.done()


@maker('QuantizeLinear', 'DequantizeLinear')
def quantize(n):
    n.type(0, [np.float32] if n.op[0] == 'Q' else [np.uint8, np.int8])
    x = n.g.shape(1, 4)
    axis = None
    if n.v >= 13 and n.r.random() < .5:
        axis = n.axis(len(x), p=1)
    n.x(x)
    scale = [x[axis]] if axis is not None else []
    n.ins.append(n.g.init(np.full(scale, .5, np.float32)))
    if n.op[0] == 'Q':
        zero = n.r.choice([np.uint8, np.int8])
    else:
        zero = n.type()
    if n.r.random() < .7:
        n.ins.append(n.g.init(np.zeros(scale, zero)))
    elif n.op[0] == 'Q' and n.has('output_dtype') and n.r.random() < .5:
        n.attrs['output_dtype'] = n.r.choice([2, 3])
    n.done()


@maker('NegativeLogLikelihoodLoss', 'SoftmaxCrossEntropyLoss')
def loss(n):
    n.type(0, [np.float32])
    x = n.x(n.g.shape(2, 4))
    target = x[:1] + x[2:]
    n.ins.append(n.g.init(n.g.fill(target, n.type(1), 0, max(x[1], 1) - 1)))
    if n.r.random() < .4:
        n.x([x[1]], 2)
    n.choose('reduction', ['none', 'mean', 'sum'])
    n.done()


@maker('DFT')
def dft(n):
    n.type(0, [np.float32])
    x = n.g.shape(1, 3, 2) + [n.r.choice([1, 2])]
    n.flag('onesided', 'inverse')
    if n.attrs.get('inverse') and n.attrs.get('onesided'):
        del n.attrs['inverse']
    if n.attrs.get('onesided'):
        x[-1] = 1
    n.x(x)
    rank = len(x)
    n.ins.append(n.g.numbers(n.r.randint(2, 6)) if n.r.random() < .4 else '')
    axis = n.r.randint(0, rank - 2) if n.r.random() < .6 else None
    if axis is not None and n.r.random() < .3:
        axis -= rank
    if n.has('axis') and axis is not None:
        n.attrs['axis'] = axis
    elif axis is not None:
        n.ins.append(n.g.numbers(axis))
    elif n.has('axis') and rank < 3:
        n.attrs['axis'] = 0
    n.done()


@maker('STFT')
def stft(n):
    n.type(0, [np.float32])
    frame = n.r.randint(2, 5)
    n.x([n.r.randint(1, 3), n.r.randint(frame, 12), 1])
    n.ins.append(n.g.numbers(n.r.randint(1, 3)))
    way = n.r.randint(0, 2)
    if way:
        n.x([frame], 2)
    else:
        n.ins.append('')
    if way != 1:
        n.ins.append(n.g.numbers(frame))
    n.flag('onesided')
    n.done()


@maker('MelWeightMatrix')
def mel(n):
    n.ins = [n.g.numbers(v) for v in (n.r.randint(1, 8), n.r.choice([8, 16]),
                                      8000)]
    n.ins += [n.g.init(np.float32(v)) for v in (0, 4000)]
    n.choose('output_datatype', [1, 11])
    n.done()


@maker('HannWindow', 'HammingWindow', 'BlackmanWindow')
def window_of(n):
    n.ins.append(n.g.numbers(n.r.randint(1, 12), n.type()))
    n.choose('output_datatype', [1, 11])
    n.flag('periodic')
    n.done()


@maker('ReverseSequence')
def reverse_sequence(n):
    x = n.x(n.g.shape(2, 4, 1))
    t = n.r.randint(0, 1)
    n.attrs.update(time_axis=t, batch_axis=1 - t)
    n.ins.append(n.g.init(np.full([x[1 - t]], min(1, x[t]), np.int64)))
    n.done()


@maker('NonMaxSuppression')
def nms(n):
    b, s, c = (n.r.randint(1, 4) for _ in range(3))
    n.x([b, s, 4])
    n.x([b, c, s], 1)
    if n.r.random() < .8:
        n.ins.append(n.g.numbers(n.r.randint(0, 3)))
    n.done()


@maker('RoiAlign', 'MaxRoiPool')
def roi(n):
    n.type(0, [np.float32])
    n.type(1, [np.float32])
    x = n.x([n.r.randint(1, 2), n.r.randint(1, 3), 6, 6])
    k = n.r.randint(1, 4)
    if n.op[0] == 'R':
        n.x([k, 4], 1)
    else:
        n.ins.append(n.g.init(np.array([[0, 1, 1, 4, 4]] * k, np.float32)))
    if n.op[0] == 'R':
        n.ins.append(n.g.init(n.g.fill([k], np.int64, 0, x[0] - 1)))
        n.set('output_height', n.r.randint(1, 4), .7)
        n.set('output_width', n.r.randint(1, 4), .7)
        n.choose('mode', ['avg', 'max'])
    else:
        n.attrs['pooled_shape'] = [n.r.randint(1, 3), n.r.randint(1, 3)]
    n.done()


@maker('GridSample')
def grid_sample(n):
    n.type(0, [np.float32])
    n.type(1, [np.float32])
    k = 2 if n.v < 20 else n.r.randint(2, 3)
    x = n.x([n.r.randint(1, 2)] + [n.r.randint(1, 4) for _ in range(k + 1)])
    n.x([x[0]] + [n.r.randint(1, 4) for _ in range(k)] + [k], 1)
    n.flag('align_corners')
    n.done()


@maker('AffineGrid')
def affine_grid(n):
    n.type(0, [np.float32])
    k = n.r.randint(2, 3)
    b = n.r.randint(1, 3)
    n.x([b, k, k + 1])
    n.ins.append(n.g.numbers([b, 2] + [n.r.randint(1, 4) for _ in range(k)]))
    n.flag('align_corners')
    n.done()


@maker('Col2Im')
def col2im(n):
    n.type(0, [np.float32])
    image, block = ([n.r.randint(4, 6) for _ in range(2)],
                    [n.r.randint(1, 3) for _ in range(2)])
    cols = (image[0] - block[0] + 1) * (image[1] - block[1] + 1)
    n.x([n.r.randint(1, 2), n.r.randint(1, 3) * block[0] * block[1], cols])
    n.ins += [n.g.numbers(image), n.g.numbers(block)]
    n.done()


@maker('CenterCropPad')
def center_crop(n):
    x = n.x(n.g.taken(n.type(), 1, 4))
    axes = list(range(len(x)))
    if n.r.random() < .5:
        axes = n.attrs['axes'] = n.axes(len(x), 1)
    n.ins.append(n.g.numbers([n.r.randint(1, 7) for _ in axes]))
    n.done()


@maker('Clip')
def clip(n):
    n.x(n.g.taken(n.type(), 0, 4))
    if n.v >= 11:
        n.optional([], 1)
        n.optional([], 2)
    else:
        n.set('min', .5, .5)
    n.done()


@maker('PRelu')
def prelu(n):
    x = n.x(n.g.taken(n.type(), 1, 4))
    n.x([n.r.choice([1, s]) for s in x[n.r.randint(0, len(x) - 1):]], 1)
    n.done()


@maker('Det')
def det(n):
    s = n.r.randint(1, 4)
    n.x(n.g.shape(0, 2) + [s, s])
    n.done()


@maker('BitShift')
def bit_shift(n):
    n.type(0, [np.uint8, np.uint32, np.uint64])
    n.attrs['direction'] = n.r.choice(['LEFT', 'RIGHT'])
    n.x(n.g.shape(0, 3))
    n.x([], 1)
    n.done()


@maker('Mod')
def mod(n):
    x = n.x(n.g.shape(0, 3))
    n.x(x[n.r.randint(0, len(x)):], 1, least=1)
    if np.issubdtype(n.type(), np.floating) or n.r.random() < .3:
        n.attrs['fmod'] = 1
    n.done()


@maker('Constant')
def constant(n):
    way = n.r.choice(['value', 'value_int', 'value_ints', 'value_float',
                      'value_floats', 'value_string', 'value_strings'])
    if not n.has(way):
        way = 'value'
    shape = n.g.shape(0, 3, 1, 3)
    n.attrs[way] = {
        'value': helper.make_tensor('c', TensorProto.FLOAT, shape,
                                    [1] * int(np.prod(shape, dtype=int))),
        'value_int': 3, 'value_ints': [1, 2, 3], 'value_float': .5,
        'value_floats': [.5, 1.5], 'value_string': 'a',
        'value_strings': ['a', 'b']}[way]
    n.done()


@maker('TfIdfVectorizer')
def tf_idf(n):
    n.type(0, [np.int64, np.int32])
    k = n.r.randint(1, 3)
    n.x(n.g.shape(1, 2, 2))
    n.attrs.update(mode=n.r.choice(['TF', 'IDF', 'TFIDF']), min_gram_length=1,
                   max_gram_length=1, max_skip_count=0,
                   ngram_counts=[0], ngram_indexes=n.r.sample(range(6), k),
                   pool_int64s=list(range(k)))
    n.done()


@maker('StringNormalizer')
def string_normalizer(n):
    n.x(n.r.choice([[n.r.randint(1, 4)], [1, n.r.randint(1, 4)]]))
    n.choose('case_change_action', ['LOWER', 'UPPER', 'NONE'])
    n.flag('is_case_sensitive')
    n.done()


@maker('StringSplit', 'RegexFullMatch')
def strings(n):
    n.x(n.g.shape(0, 3))
    n.set('pattern', 'a.*')
    n.set('delimiter', ' ', .5)
    n.done(2 if n.op == 'StringSplit' else 1)


@maker('Attention')
def attention(n):
    n.type(0, [np.float32])
    n.type(1, [np.float32])
    n.type(2, [np.float32])
    b, lq, lk, d, dv = (n.r.randint(1, 4) for _ in range(5))
    hk = n.r.randint(1, 2)
    hq = hk * n.r.randint(1, 2)
    if n.r.random() < .5:
        n.x([b, hq, lq, d])
        n.x([b, hk, lk, d], 1)
        n.x([b, hk, lk, dv], 2)
    else:
        n.attrs.update(q_num_heads=hq, kv_num_heads=hk)
        n.x([b, lq, hq * d])
        n.x([b, lk, hk * d], 1)
        n.x([b, lk, hk * dv], 2)
    past = n.r.randint(1, 3) if n.r.random() < .3 else 0
    if n.r.random() < .4:
        n.ins.append(n.g.data([lq, lk + past], np.float32))
    elif past:
        n.ins.append('')
    if past:
        n.x([b, hk, past, d], 1)
        n.x([b, hk, past, dv], 2)
    n.flag('is_causal')
    n.done(3 if past else n.r.choice([1, 1, 4]))


@maker('RotaryEmbedding')
def rotary(n):
    n.type(0, [np.float32])
    b, s, h, d = (n.r.randint(1, 4) for _ in range(4))
    if n.r.random() < .5:
        n.x([b, h, s, 2 * d])
    else:
        n.attrs['num_heads'] = h
        n.x([b, s, h * 2 * d])
    if n.r.random() < .5:
        n.x([b, s, d], 1)
        n.x([b, s, d], 2)
    else:
        n.x([9, d], 1)
        n.x([9, d], 2)
        n.ins.append(n.g.init(n.g.fill([b, s], np.int64, 0, 8)))
    n.flag('interleaved')
    n.done()


@maker('TensorScatter')
def tensor_scatter(n):
    n.type(0, [np.float32])
    b, s, d = n.r.randint(1, 3), n.r.randint(3, 6), n.r.randint(1, 4)
    n.x([b, s, d])
    n.x([b, n.r.randint(1, s), d], 1)
    n.ins.append(n.g.init(np.zeros([b], np.int64)))
    n.choose('mode', ['linear', 'circular'])
    n.done()


# ---- sequences and optionals: two nodes ----

def sequence(n, t, k=None):
    k = k or n.r.randint(1, 3)
    shapes = [n.g.shape(1, 3) for _ in range(k)]
    xs = [n.g.data(s, t) for s in shapes]
    return n.g.node('SequenceConstruct', xs)[0], shapes


@maker('SequenceConstruct')
def sequence_construct(n):
    sequence(n, np.float32)


@maker('SequenceEmpty')
def sequence_empty(n):
    n.choose('dtype', [1, 7])
    n.done()


@maker('SequenceAt', 'SequenceErase', 'SequenceInsert', 'SequenceLength')
def sequence_op(n):
    s, shapes = sequence(n, np.float32)
    n.ins.append(s)
    k = len(shapes)
    if n.op == 'SequenceInsert':
        n.ins.append(n.g.data(n.g.shape(1, 3), np.float32))
    if n.op in ('SequenceAt', 'SequenceErase'):
        if n.op == 'SequenceAt' or n.r.random() < .7:
            n.ins.append(n.g.numbers(n.r.randint(-k, k - 1)))
    elif n.op == 'SequenceInsert' and n.r.random() < .6:
        n.ins.append(n.g.numbers(n.r.randint(-k, k)))
    n.done()


@maker('SplitToSequence')
def split_to_sequence(n):
    x = n.g.shape(1, 3)
    axis = n.axis(len(x)) or 0
    n.type(0, [np.float32, np.int64])
    n.x(x)
    way = n.r.randint(0, 2)
    if way == 1:
        n.ins.append(n.g.numbers(n.r.randint(1, 3)))
    elif way == 2 and x[axis] > 1:
        n.ins.append(n.g.numbers([1, x[axis] - 1]))
    n.flag('keepdims')
    n.done()


@maker('ConcatFromSequence')
def concat_from_sequence(n):
    shape = n.g.shape(1, 3)
    n.ins.append(n.g.node('SequenceConstruct', [
        n.g.data(shape, np.float32) for _ in range(n.r.randint(1, 3))])[0])
    n.flag('new_axis')
    rank = len(shape) + n.attrs.get('new_axis', 0)
    n.attrs['axis'] = n.r.randint(-rank, rank - 1)
    n.done()


@maker('Optional', 'OptionalHasElement', 'OptionalGetElement')
def optional(n):
    x = n.g.data(n.g.shape(0, 3), np.float32)
    o = n.g.node('Optional', [x])[0]
    if n.op != 'Optional':
        n.ins.append(o)
        n.done()


assert Graph
