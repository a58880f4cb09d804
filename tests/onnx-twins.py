#!/usr/bin/env python3
"""Models that are one model written differently, held to one count.

usage: onnx-twins.py weights|numbers|packed|learned|alike

weights  what an operator computes from weights before the run is a parameter,
         in as many stored bytes as are worked out here, and the same weights
         count the same wherever they stand in the file
numbers  integers that say a size, a place or an index are no parameters,
         wherever they stand and whatever they are computed from; those that
         are data are
packed   several elements in a byte count, in every type and operator
learned  weights in attributes count, and are read by their operator
alike    an operator costs what that costs which it stands for

Prints what does not hold; the status is 1 then. The programs are in PATH.
"""
import copy
import importlib.util
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SPEC = importlib.util.spec_from_file_location(
    'onnx_model', os.path.join(HERE, 'onnx-model.py'))
onnx_model = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(onnx_model)

BAD = []


def counted(model):
    """The header's params and the ops of a model that sf-rules counted."""
    with open('twin.onnx', 'wb') as file:
        file.write(onnx_model.model(model))
    trace = subprocess.run(['sf-onnx', 'twin.onnx'], capture_output=True)
    assert trace.returncode == 0 and not trace.stderr, (model, trace.stderr)
    rules = subprocess.run(['sf-rules'], input=trace.stdout, check=True,
                           capture_output=True)
    records = [json.loads(line) for line in rules.stdout.splitlines()]
    ops = [r for r in records if r['kind'] == 'op']
    params = next(r for r in records if r['kind'] == 'trace')['params']
    return (params['count'], params['bytes']), ops


def expect(what, got, want):
    if got != want:
        BAD.append('%s: got %s, want %s' % (what, got, want))


def constant(name, value):
    if isinstance(value, str):
        return ['%s = Constant()' % name, {'value': {'tensor': value}}]
    value = dict(value)
    return ['%s = Constant()' % name,
            {'value': {'tensor': value.pop('type'), **value}}]


def homes(model):
    """The model with its initializers elsewhere, by the place's name."""
    inits = model['inits']
    yield 'initializer', model
    moved = copy.deepcopy(model)
    moved['inits'] = {}
    constants = [constant(k, v) for k, v in inits.items()]
    moved['nodes'] = constants + model['nodes']
    yield 'Constant', moved
    branch = copy.deepcopy(model)
    branch['inits'] = {'yes': {'type': 'b8[]', 'data': [True]}}
    inner = {'nodes': model['nodes'], 'inits': inits, 'outputs': ['y']}
    other = {'nodes': [['z = Constant()', {'value_float': 0.0}]],
             'outputs': ['z']}
    branch['nodes'] = [['y = If(yes)', {'then_branch': {'graph': inner},
                                        'else_branch': {'graph': other}}]]
    yield 'branch', branch
    called = copy.deepcopy(moved)
    opsets = model.get('opsets', {'': 17})
    called['opsets'] = {**opsets, 'l': 1}
    called['functions'] = [{
        'name': 'l.f', 'inputs': list(model['inputs']), 'outputs': ['y'],
        'opsets': opsets, 'nodes': moved['nodes']}]
    # Called twice, and there once.
    ins = ', '.join(model['inputs'])
    called['nodes'] = ['p = l.f(%s)' % ins, 'q = l.f(%s)' % ins,
                       'y = Sum(p, q)']
    called['outputs'] = ['y']
    yield 'function', called


def ints(values):
    return {'type': 'i64[%d]' % len(values), 'data': values}


def one(value):
    return {'type': 'i64[]', 'data': [value]}


# Name, initializers, nodes that make v, its type, stored bytes of v, elements
# and bytes of the parameters. w is f32[64,32], 8192 bytes, unless said.
W = {'w': 'f32[64,32]'}
WEIGHTS = [
    ('itself', {'v': 'f32[64,32]'}, [], 'f32[64,32]', 8192, 2048, 8192),
    ('DequantizeLinear', {'q': 'i8[64,32]', 's': 'f32[32]', 'z': 'i8[32]'},
     [['v = DequantizeLinear(q, s, z)', {'axis': 1}]], 'f32[64,32]',
     2048 + 128 + 32, 2048 + 64, 2048 + 128 + 32),
    ('DequantizeLinear of 4 bits', {'q': 'i4[64,32]', 's': 'f32[32]'},
     [['v = DequantizeLinear(q, s)', {'axis': 1}]], 'f32[64,32]',
     1024 + 128, 2048 + 32, 1024 + 128),
    ('QuantizeLinear and back', {**W, 's': 'f32[]', 'z': 'i8[]'},
     ['q = QuantizeLinear(w, s, z)', 'v = DequantizeLinear(q, s, z)'],
     'f32[64,32]', 2048 + 5, 2048 + 2, 8192 + 5),
    ('Mul', {**W, 's': 'f32[32]'}, ['v = Mul(w, s)'], 'f32[64,32]', 8192,
     2080, 8320),
    ('Mul of narrow', {'h': 'i8[64,32]', 's': 'f32[32]'},
     [['c = Cast(h)', {'to': 1}], 'v = Mul(c, s)'], 'f32[64,32]', 2048 + 128,
     2080, 2048 + 128),
    ('Div', {**W, 's': 'f32[]'}, ['v = Div(w, s)'], 'f32[64,32]', 8192, 2049,
     8196),
    ('Add', {**W, 's': 'f32[64,1]'}, ['v = Add(w, s)'], 'f32[64,32]', 8192,
     2112, 8448),
    ('Sub', {'a': 'f32[64,1]', 'b': 'f32[32]'}, ['v = Sub(a, b)'],
     'f32[64,32]', 256 + 128, 96, 384),
    ('Exp', W, ['v = Exp(w)'], 'f32[64,32]', 8192, 2048, 8192),
    ('Concat', {'a': 'f32[40,32]', 'b': 'f32[24,32]'},
     [['v = Concat(a, b)', {'axis': 0}]], 'f32[64,32]', 8192, 2048, 8192),
    ('Slice', {'w': 'f32[64,100]', 'from': ints([10]), 'to': ints([42]),
               'at': ints([1])},
     ['v = Slice(w, from, to, at)'], 'f32[64,32]', 8192, 6400, 25600),
    ('Split', {'w': 'f32[64,96]', 'sizes': ints([64, 32])},
     [['u, v = Split(w, sizes)', {'axis': 1}]], 'f32[64,32]', 8192, 6144,
     24576),
    ('Gather', {'w': 'f32[100,32]', 'rows': ints(list(range(64)))},
     ['v = Gather(w, rows)'], 'f32[64,32]', 8192, 3200, 12800),
    ('Gather of 8 bits', {'q': 'i8[100,32]', 's': 'f32[]',
                          'rows': ints(list(range(64)))},
     # 64 of 100 rows of 3204 stored bytes: 2050.56.
     ['d = DequantizeLinear(q, s)', 'v = Gather(d, rows)'], 'f32[64,32]',
     2051, 3201, 3204),
    ('Pad', {'w': 'f32[60,32]', 'pads': ints([4, 0, 0, 0])},
     ['v = Pad(w, pads)'], 'f32[64,32]', 7680, 1920, 7680),
    ('Transpose', {'w': 'f32[32,64]'},
     [['v = Transpose(w)', {'perm': [1, 0]}]], 'f32[64,32]', 8192, 2048, 8192),
    ('Cast to less', {'w': 'f64[64,32]'}, [['v = Cast(w)', {'to': 1}]],
     'f32[64,32]', 8192, 2048, 16384),
    ('Cast to more', {'w': 'f16[64,32]'}, [['v = Cast(w)', {'to': 1}]],
     'f32[64,32]', 4096, 2048, 4096),
    ('Reshape', {'w': 'f32[2048]', 'shape': ints([64, 32])},
     ['v = Reshape(w, shape)'], 'f32[64,32]', 8192, 2048, 8192),
    ('Expand', {'w': 'f32[1,32]', 'shape': ints([64, 32])},
     ['v = Expand(w, shape)'], 'f32[64,32]', 128, 32, 128),
    ('Squeeze', {'w': 'f32[1,64,32]', 'at': ints([0])}, ['v = Squeeze(w, at)'],
     'f32[64,32]', 8192, 2048, 8192),
    ('Unsqueeze', {'w': 'f32[64,32]', 'at': ints([0])},
     ['v = Unsqueeze(w, at)'], 'f32[1,64,32]', 8192, 2048, 8192),
    ('Flatten', {'w': 'f32[64,8,4]'}, [['v = Flatten(w)', {'axis': 1}]],
     'f32[64,32]', 8192, 2048, 8192),
    ('Identity', W, ['v = Identity(w)'], 'f32[64,32]', 8192, 2048, 8192),
    ('Tile', {'w': 'f32[16,32]', 'times': ints([4, 1])}, ['v = Tile(w, times)'],
     'f32[64,32]', 2048, 512, 2048),
    ('Where', {'c': 'b8[64,32]', 'a': 'f32[64,32]', 'b': 'f32[32]'},
     ['v = Where(c, a, b)'], 'f32[64,32]', 8192, 2080, 8320),
    ('ScatterND', {**W, 'at': {'type': 'i64[1,1]', 'data': [3]},
                   'row': 'f32[1,32]'},
     ['v = ScatterND(w, at, row)'], 'f32[64,32]', 8192, 2080, 8320),
    ('ReduceSum', {'w': 'f32[5,64,32]', 'at': ints([0])},
     [['v = ReduceSum(w, at)', {'keepdims': 0}]], 'f32[64,32]', 8192, 10240,
     40960),
    ('MatMul', {'a': 'f32[64,2]', 'b': 'f32[2,32]'}, ['v = MatMul(a, b)'],
     'f32[64,32]', 512 + 256, 192, 768),
    ('SplitToSequence', {'w': 'f32[64,64]', 'n': one(32), 'i': one(1)},
     [['parts = SplitToSequence(w, n)', {'axis': 1}],
      'v = SequenceAt(parts, i)'], 'f32[64,32]', 8192, 4096, 16384),
    ('a chain', {'q': 'u8[32,64]', 's': 'f32[]', 'shape': ints([2, 32, 32]),
                 'i': one(1)},
     ['d = DequantizeLinear(q, s)', 't = Transpose(d)',
      'r = Reshape(t, shape)', 'v = Gather(r, i)'], 'f32[32,32]', 1026, 2049,
     2052),
    ('sizes of it', {'w': 'f32[64,32]'},
     ['shape = Shape(w)', 'v = ConstantOfShape(shape)'], 'f32[64,32]', None,
     2048, 8192),
]


def weights():
    for name, inits, nodes, made, stored, elements, size in WEIGHTS:
        k = made.split('[')[1].split(',')[-2]
        model = {'opsets': {'': 21}, 'inputs': {'x': 'f32[3,%s]' % k},
                 'outputs': ['y'], 'inits': inits,
                 'nodes': nodes + ['y = MatMul(x, v)']}
        for place, twin in homes(model):
            params, ops = counted(twin)
            what = '%s in %s' % (name, place)
            expect(what + ': params', params, (elements, size))
            for op in ops:
                if op['name'] != 'onnx.MatMul' or op.get('folded'):
                    continue
                tensor = op['inputs'][1]
                expect(what + ': param', tensor.get('param', False),
                       stored is not None)
                expect(what + ': weight bytes', op['weight_bytes'],
                       stored or 0)
        if stored is None:
            continue
        # The same with v in the file: what is computed changes nothing else.
        params, ops = counted({**model, 'inits': {'v': made},
                               'nodes': ['y = MatMul(x, v)']})
        numel = ops[-1]['weight_bytes']
        expect(name + ' folded: stored is no more', stored <= numel, True)
        if stored == numel:
            expect(name + ' folded: no sign of it',
                   'stored' in json.dumps(ops), False)


# Name, inputs, other initializers, the numbers, what reads them as n, the
# elements of the parameters.
X = {'x': 'f32[4,6]'}
NUMBERS = [
    ('Reshape', X, {}, [6, 4], 'y = Reshape(x, n)', 0),
    ('Expand', X, {}, [2, 4, 6], 'y = Expand(x, n)', 0),
    ('Tile', X, {}, [2, 1], 'y = Tile(x, n)', 0),
    ('Pad', X, {}, [0, 1, 0, 1], 'y = Pad(x, n)', 0),
    ('Pad with a value', X, {'v': 'f32[]'}, [0, 1, 0, 1], 'y = Pad(x, n, v)',
     1),
    ('Slice', X, {}, [1], 'y = Slice(x, n, n2)', 0),
    ('Gather', X, {}, [1, 2], 'y = Gather(x, n)', 0),
    ('Gather of a table', {'x': 'f32[2,5]'}, {'w': 'f32[9,5]'}, [1, 2],
     ['r = Gather(w, n)', 'y = Add(x, r)'], 45),
    ('ReduceSum', X, {}, [1], 'y = ReduceSum(x, n)', 0),
    ('ReduceMean', X, {}, [1], 'y = ReduceMean(x, n)', 0),
    ('Squeeze', {'x': 'f32[1,4]'}, {}, [0], 'y = Squeeze(x, n)', 0),
    ('Unsqueeze', X, {}, [0], 'y = Unsqueeze(x, n)', 0),
    ('Split', X, {}, [1, 3], 'y, z = Split(x, n)', 0),
    ('TopK', X, {}, [2], 'y, i = TopK(x, n)', 0),
    ('Trilu', X, {}, [1], ['k = Squeeze(n)', 'y = Trilu(x, k)'], 0),
    ('CumSum', X, {}, [1], ['k = Squeeze(n)', 'y = CumSum(x, k)'], 0),
    ('ConstantOfShape', X, {}, [4, 6],
     ['c = ConstantOfShape(n)', 'y = Add(x, c)'], 0),
    ('Range', {'x': 'i64[3]'}, {}, [0],
     ['k = Squeeze(n)', 'f = Add(k, k)', 'l = Size(x)', 's = Squeeze(n2)',
      'r = Range(f, l, s)', 'y = Gather(x, r)'], 0),
    ('Resize', {'x': 'f32[1,1,4,6]'}, {}, [1, 1, 8, 12],
     'y = Resize(x, , , n)', 0),
    ('ScatterND', X, {'u': 'f32[6]'}, [1], 'y = ScatterND(x, n, u)', 6),
    ('GatherND', X, {}, [1], 'y = GatherND(x, n)', 0),
    ('OneHot', {'x': 'i64[4]'}, {'v': 'f32[2]'}, [5], 'y = OneHot(x, n, v)',
     2),
    ('CenterCropPad', X, {}, [2, 2], 'y = CenterCropPad(x, n)', 0),
    ('sizes of the input', X, {}, [1],
     ['s = Shape(x)', 'd = Gather(s, n)', 'e = Mul(d, n2)', 'f = Neg(n2)',
      ['g = Concat(e, f)', {'axis': 0}], 'y = Reshape(x, g)'], 0),
    ('data: a table', {'x': 'i64[3]'}, {}, [5, 6, 7], 'y = Gather(n, x)', 3),
    ('data: a factor', {'x': 'i64[3]'}, {}, [5, 6, 7], 'y = Mul(n, x)', 3),
    ('data: cast', {'x': 'f32[3]'}, {}, [5, 6, 7],
     [['c = Cast(n)', {'to': 1}], 'y = Mul(x, c)'], 3),
    ('data and a size', {'x': 'f32[2]'}, {}, [2],
     [['c = Cast(n)', {'to': 1}], 'r = Reshape(x, n)', 'y = Mul(r, c)'], 1),
]


def numbers():
    for name, inputs, inits, values, nodes, elements in NUMBERS:
        nodes = nodes if isinstance(nodes, list) else [nodes]
        extra = {'n2': ints([4])} if 'n2' in json.dumps(nodes) else {}
        if name == 'Range' or name.startswith('sizes'):
            extra = {'n2': ints([1])}
        base = {'opsets': {'': 18}, 'inputs': inputs, 'outputs': ['y']}
        sums = {**inits, **extra, 'a': ints(values), 'b': ints([0])}
        forms = {
            'as they are': {'inits': {**inits, **extra, 'n': ints(values)},
                            'nodes': nodes},
            'as a sum': {'inits': sums, 'nodes': ['n = Add(a, b)'] + nodes},
            'in pieces': {
                'inits': {**inits, **extra, **{'n_%d' % i: ints([v])
                                               for i, v in enumerate(values)}},
                'nodes': [['n = Concat(%s)' % ', '.join(
                    'n_%d' % i for i in range(len(values))), {'axis': 0}]] +
                nodes},
            'in value_ints': {
                'inits': {**inits, **extra},
                'nodes': [['n = Constant()', {'value_ints': values}]] + nodes},
        }
        for form, part in forms.items():
            want = elements
            if form == 'as a sum' and name.startswith('data'):
                want += 1
            for place, twin in homes({**base, **part}):
                params, _ = counted(twin)
                expect('%s, %s in %s' % (name, form, place), params[0], want)


MS = {'': 21, 'com.microsoft': 1}
# Name, opsets, inputs, initializers, node, elements and bytes.
PACKED = [
    ('MatMulNBits', MS, {'x': 'f32[1,256]'},
     {'b': 'u8[64,8,16]', 's': 'f32[512]', 'z': 'u8[256]'},
     ['y = com.microsoft.MatMulNBits(x, b, s, z)',
      {'K': 256, 'N': 64, 'bits': 4, 'block_size': 32}],
     16384 + 512 + 512, 8192 + 2048 + 256),
    ('MatMulNBits, groups', MS, {'x': 'f32[1,256]'},
     {'b': 'u8[64,8,16]', 's': 'f32[512]', 'g': 'i32[256]'},
     ['y = com.microsoft.MatMulNBits(x, b, s, , g)',
      {'K': 256, 'N': 64, 'bits': 4, 'block_size': 32}],
     16384 + 512, 8192 + 2048),
    ('MatMulNBits of 2 bits', MS, {'x': 'f32[1,256]'},
     {'b': 'u8[64,8,8]', 's': 'f32[512]'},
     ['y = com.microsoft.MatMulNBits(x, b, s)',
      {'K': 256, 'N': 64, 'bits': 2, 'block_size': 32}],
     16384 + 512, 4096 + 2048),
    ('MatMulNBits, a row that is no whole block', MS, {'x': 'f32[1,40]'},
     {'b': 'u8[3,2,16]', 's': 'f32[6]'},
     ['y = com.microsoft.MatMulNBits(x, b, s)',
      {'K': 40, 'N': 3, 'bits': 4, 'block_size': 32}], 120 + 6, 96 + 24),
    ('MatMulBnb4', MS, {'x': 'f32[1,256]'},
     {'b': 'u8[8192]', 's': 'f32[256]'},
     ['y = com.microsoft.MatMulBnb4(x, b, s)',
      {'K': 256, 'N': 64, 'block_size': 64, 'quant_type': 1}],
     16384 + 256, 8192 + 1024),
    ('GatherBlockQuantized', MS, {'x': 'i64[3]'},
     {'d': 'u8[100,16]', 's': 'f32[100,1]', 'z': 'u8[100,1]'},
     ['y = com.microsoft.GatherBlockQuantized(d, x, s, z)',
      {'block_size': 32, 'bits': 4, 'quantize_axis': 1}],
     3200 + 100 + 100, 1600 + 400 + 100),
    ('GatherBlockQuantized of i4', MS, {'x': 'i64[3]'},
     {'d': 'i4[100,32]', 's': 'f32[100,1]'},
     ['y = com.microsoft.GatherBlockQuantized(d, x, s)',
      {'block_size': 32, 'quantize_axis': 1}], 3200 + 100, 1600 + 400),
    ('QMoE', MS, {'x': 'f32[2,32]', 'r': 'f32[2,4]'},
     {'f': 'u8[4,64,16]', 'fs': 'f32[4,64]', 'g': 'u8[4,32,32]',
      'gs': 'f32[4,32]'},
     ['y = com.microsoft.QMoE(x, r, f, fs, , g, gs)',
      {'k': 2, 'expert_weight_bits': 4}],
     8192 + 256 + 8192 + 128, 4096 + 1024 + 4096 + 512),
    ('MatMulPacked', MS, {'x': 'f32[2,64]'}, {'b': 'u8[24,36]'},
     ['y = com.microsoft.MatMulPacked(x, b)',
      {'K': 64, 'N': 24, 'packed_type': 2}], 1536, 864),
    ('MatMulFpQ4', MS, {'x': 'f32[2,64]'},
     {'b': 'u8[960]', 'n': {'type': 'i64[2]', 'data': [64, 24]}},
     ['y = com.microsoft.MatMulFpQ4(x, b, n)', {'blk_quant_type': 1}], 1536,
     960),
    ('MatMulBlockQuantizedFp4Weight', MS, {'x': 'f16[2,64]'},
     {'b': 'u8[24,32]', 's': 'u8[24,4]', 'g': 'f32[]'},
     ['y = com.microsoft.MatMulBlockQuantizedFp4Weight(x, b, s, g)', {}],
     1536 + 96 + 1, 768 + 96 + 4),
    ('MatMulNBitsMlp', MS, {'x': 'f16[2,64]'},
     {'b': 'u8[24,2,16]', 's': 'f16[24,2]', 'c': 'u8[24,2,16]',
      'u': 'f16[24,2]'},
     ['y = com.microsoft.MatMulNBitsMlp(x, , , b, s, , c, u)',
      {'K': 64, 'N': 24, 'block_size': 32, 'activation': 'silu'}],
     2 * (1536 + 48), 2 * (768 + 96)),
    ('MatMulNBitsQkv', MS, {'x': 'f16[2,64]'},
     {'n': 'f16[64]', 'b': 'u8[24,2,16]', 's': 'f16[24,2]',
      'c': 'u8[8,2,16]', 'u': 'f16[8,2]', 'd': 'u8[8,2,16]',
      'v': 'f16[8,2]'},
     ['y, k, l = com.microsoft.MatMulNBitsQkv(x, , n, b, s, , c, u, , d, v)',
      {'K': 64, 'Nq': 24, 'Nkv': 8, 'block_size': 32}],
     64 + 1536 + 48 + 2 * (512 + 16), 128 + 768 + 96 + 2 * (256 + 32)),
    ('MatMulNBitsQLoRA', MS, {'x': 'f16[2,64]'},
     {'b': 'u8[24,2,16]', 's': 'f16[24,2]', 'c': 'u8[4,2,16]',
      'u': 'f16[4,2]', 'd': 'u8[24,1,16]', 'v': 'f16[24,1]'},
     ['y = com.microsoft.MatMulNBitsQLoRA(x, b, s, c, u, d, v)',
      {'K': 64, 'N': 24}],
     1536 + 48 + 256 + 8 + 96 + 24, 768 + 96 + 128 + 16 + 384 + 48),
    ('GatherPacked', MS, {'x': 'i64[3]'}, {'t': 'u8[100,18]'},
     ['y = com.microsoft.GatherPacked(t, x)',
      {'K': 32, 'packed_type': 2, 'output_dtype': 1}], 3200, 1800),
    ('MoEPacked', MS, {'x': 'f32[2,32]', 'r': 'f32[2,4]'},
     {'g': 'u8[4,64,18]', 'u': 'u8[4,64,18]', 'd': 'u8[4,32,36]'},
     ['y = com.microsoft.MoEPacked(x, r, g, u, d)',
      {'k': 2, 'gate_type': 2, 'up_type': 2, 'down_type': 2}], 3 * 8192,
     3 * 4608),
    ('i4', {'': 21}, {'x': 'f32[3]'}, {'w': 'i4[3]', 's': 'f32[]'},
     ['y = DequantizeLinear(w, s)', {}], 4, 2 + 4),
    ('u4', {'': 21}, {'x': 'f32[3]'}, {'w': 'u4[3]', 's': 'f32[]'},
     ['y = DequantizeLinear(w, s)', {}], 4, 2 + 4),
    ('f4', {'': 23}, {'x': 'f32[3]'}, {'w': '23[3]', 's': 'f32[]'},
     ['y = DequantizeLinear(w, s)', {}], 4, 2 + 4),
    ('u2', {'': 25}, {'x': 'f32[3]'}, {'w': '25[3]', 's': 'f32[]'},
     ['y = DequantizeLinear(w, s)', {}], 4, 1 + 4),
    ('i2', {'': 25}, {'x': 'f32[5]'}, {'w': '26[5]', 's': 'f32[]'},
     ['y = DequantizeLinear(w, s)', {}], 6, 2 + 4),
]


def packed():
    for name, opsets, inputs, inits, node, elements, size in PACKED:
        params, ops = counted({
            'opsets': opsets, 'inputs': inputs, 'outputs': ['y'],
            'inits': inits, 'nodes': [node]})
        expect(name, params, (elements, size))
        if 'Gather' not in name and not ops[-1].get('folded'):
            expect(name + ': weight bytes', ops[-1]['weight_bytes'], size)


ML = {'': 17, 'ai.onnx.ml': 3}
# Name, the attributes, how many learned elements and bytes.
LEARNED = [
    ('LinearRegressor', {'coefficients': [1.0] * 5, 'intercepts': [2.0]}, 6,
     24),
    ('LinearClassifier', {'coefficients': [1.0] * 10, 'intercepts': [2.0] * 2,
                          'classlabels_ints': [0, 1]}, 12, 48),
    ('SVMRegressor', {'support_vectors': [1.0] * 100, 'coefficients':
                      [1.0] * 20, 'rho': [0.5], 'n_supports': 20}, 121, 484),
    ('SVMClassifier', {'support_vectors': [1.0] * 100, 'coefficients':
                       [1.0] * 20, 'rho': [0.5], 'vectors_per_class': [10, 10],
                       'classlabels_ints': [0, 1], 'prob_a': [1.0],
                       'prob_b': [2.0]}, 123, 492),
    ('TreeEnsembleRegressor', {
        'nodes_treeids': [0] * 3, 'nodes_nodeids': [0, 1, 2],
        'nodes_featureids': [0] * 3, 'nodes_values': [0.5, 0.0, 0.0],
        'nodes_modes': ['BRANCH_LEQ', 'LEAF', 'LEAF'],
        'nodes_truenodeids': [1, 0, 0], 'nodes_falsenodeids': [2, 0, 0],
        'target_treeids': [0, 0], 'target_nodeids': [1, 2],
        'target_ids': [0, 0], 'target_weights': [1.0, 2.0], 'n_targets': 1},
     5, 20),
    ('Scaler', {'scale': [1.0] * 5, 'offset': [0.5] * 5}, 10, 40),
    ('Imputer', {'imputed_value_floats': [1.0] * 5}, 5, 20),
    ('Normalizer', {'norm': 'L2'}, 0, 0),
    ('Binarizer', {'threshold': 0.5}, 0, 0),
]


def learned():
    for name, attrs, elements, size in LEARNED:
        outputs = 'y, z' if name.endswith('Classifier') else 'y'
        params, ops = counted({
            'opsets': ML, 'inputs': {'x': 'f32[3,5]'}, 'outputs': ['y'],
            'nodes': [['%s = ai.onnx.ml.%s(x)' % (outputs, name), attrs]]})
        expect(name, params, (elements, size))
        expect(name + ': weight bytes', ops[-1]['weight_bytes'], size)
        expect(name + ': bytes read', ops[-1]['bytes_read'], 60 + size)


# An operator, and what it stands for: two nodes with their inputs, the sizes of
# which are those of the words; macs alone are held against each other where the
# one does more beside them.
SCALE = {'e': 'f32[]', 'f': 'f32[]', 'z': 'u8[]'}
QKV = {'x': 'f32[2,3,8]', 'w': 'f32[8,24]', 'b': 'f32[24]'}
ONE = {'x': 'f32[1,6,8]', 'w': 'f32[8,24]', 'b': 'f32[24]'}
HEADS = {'q': 'f32[2,1,8]', 'p': 'f32[2,2,6,4]'}
IMAGE, LAST = {'x': 'f32[1,16,9,9]'}, {'x': 'f32[1,9,9,16]'}
CONV = {'w': 'f32[32,16,3,3]', 'b': 'f32[32]'}
CONVS = [{**IMAGE, **CONV}, 'Conv(x, w, b)', {}]
PLAIN = [{'x': 'f32[4,64]', 'w': 'f32[64,24]'}, 'MatMul(x, w)', {}]
LINEAR = {'q': 'f32[1,5,12]', 'k': 'f32[1,5,6]', 'v': 'f32[1,5,8]',
          'd': 'f32[1,5,2]', 'h': 'f32[1,5,2]'}
LINEARS = {'q_num_heads': 4, 'kv_num_heads': 2}
ALIKE = [
    ('QAttention', 'flops',
     [QKV, 'com.microsoft.Attention(x, w, b)', {'num_heads': 2}],
     [{'x': 'u8[2,3,8]', 'w': 'i8[8,24]', 'b': 'f32[24]', **SCALE},
      'com.microsoft.QAttention(x, w, b, e, f)', {'num_heads': 2}]),
    ('QOrderedAttention', 'flops',
     [QKV, 'com.microsoft.Attention(x, w, b)', {'num_heads': 2}],
     [{'x': 'i8[2,3,8]', 'w': 'i8[8,8]', 'b': 'f32[8]', **SCALE},
      'com.microsoft.QOrderedAttention(x, e, e, e, e, w, w, w, e, e, e, b, b, '
      'b, e, e, e)', {'num_heads': 2}]),
    ('PackedAttention', 'flops',
     [ONE, 'com.microsoft.Attention(x, w, b)', {'num_heads': 2}],
     [{**ONE, 'x': 'f32[6,8]', 'o': 'i32[1,6]', 'c': 'i32[2]'},
      'com.microsoft.PackedAttention(x, w, b, o, c)', {'num_heads': 2}]),
    ('PackedMultiHeadAttention', 'flops',
     [{'x': 'f32[1,6,8]'}, 'com.microsoft.MultiHeadAttention(x, x, x)',
      {'num_heads': 2}],
     [{'x': 'f32[6,8]', 'o': 'i32[1,6]', 'c': 'i32[2]'},
      'com.microsoft.PackedMultiHeadAttention(x, x, x, , o, c)',
      {'num_heads': 2}]),
    ('DecoderMaskedSelfAttention', 'flops',
     [{**QKV, 'x': 'f32[2,1,8]', 'p': 'f32[2,2,2,6,4]'},
      'com.microsoft.Attention(x, w, b, , p)', {'num_heads': 2}],
     [{**QKV, 'x': 'f32[2,1,8]', 'p': 'f32[2,2,2,6,4]', 'n': 'i32[1]'},
      'com.microsoft.DecoderMaskedSelfAttention(x, w, b, , p, , n)',
      {'num_heads': 2}, 'y, k']),
    ('DecoderMaskedMultiHeadAttention', 'flops',
     [HEADS, 'com.microsoft.MultiHeadAttention(q, q, q, , , , p, p)',
      {'num_heads': 2}, 'y, k, v'],
     [HEADS, 'com.microsoft.DecoderMaskedMultiHeadAttention(q, q, q, , , p, p)',
      {'num_heads': 2}, 'y, k, v']),
    ('packed MultiHeadAttention', 'flops',
     [{'q': 'f32[2,5,8]'}, 'com.microsoft.MultiHeadAttention(q, q, q)',
      {'num_heads': 2}],
     [{'q': 'f32[2,5,2,3,4]'}, 'com.microsoft.MultiHeadAttention(q)',
      {'num_heads': 2}]),
    ('MultiHeadAttention with keys and values in one', 'flops',
     [{'q': 'f32[2,5,8]', 'k': 'f32[2,7,8]'},
      'com.microsoft.MultiHeadAttention(q, k, k)', {'num_heads': 2}],
     [{'q': 'f32[2,5,8]', 'k': 'f32[2,7,2,2,4]'},
      'com.microsoft.MultiHeadAttention(q, k)', {'num_heads': 2}]),
    ('FusedConv', 'flops', CONVS,
     [{**IMAGE, **CONV}, 'com.microsoft.FusedConv(x, w, b)',
      {'activation': 'Relu'}]),
    ('NhwcConv', 'flops', CONVS,
     [{**LAST, **CONV}, 'com.microsoft.NhwcConv(x, w, b)',
      {'kernel_shape': [3, 3]}]),
    ('NhwcFusedConv', 'flops', CONVS,
     [{**LAST, **CONV}, 'com.microsoft.NhwcFusedConv(x, w, b)',
      {'kernel_shape': [3, 3]}]),
    ('nhwc.Conv', 'flops', CONVS,
     [{**LAST, **CONV}, 'com.ms.internal.nhwc.Conv(x, w, b)', {}]),
    ('nchwc.Conv', 'flops', CONVS,
     [{**IMAGE, **CONV}, 'com.microsoft.nchwc.Conv(x, w, b)',
      {'kernel_shape': [3, 3]}]),
    ('QLinearConv', 'macs', CONVS,
     [{'x': 'u8[1,16,9,9]', 'w': 'u8[32,16,3,3]', **SCALE},
      'QLinearConv(x, e, z, w, e, z, e, z)', {}]),
    ('QLinearConv with channels last', 'macs', CONVS,
     [{'x': 'u8[1,9,9,16]', 'w': 'u8[32,16,3,3]', **SCALE},
      'com.microsoft.QLinearConv(x, e, z, w, e, z, e, z)',
      {'channels_last': 1, 'kernel_shape': [3, 3]}]),
    ('nhwc.ConvTranspose', 'flops',
     [{'x': 'f32[1,16,9,9]', 'w': 'f32[16,32,3,3]'}, 'ConvTranspose(x, w)',
      {}],
     [{'x': 'f32[1,9,9,16]', 'w': 'f32[16,32,3,3]'},
      'com.ms.internal.nhwc.ConvTranspose(x, w)', {}]),
    ('nhwc.MaxPool', 'flops', [IMAGE, 'MaxPool(x)', {'kernel_shape': [2, 3]}],
     [LAST, 'com.ms.internal.nhwc.MaxPool(x)', {'kernel_shape': [2, 3]}]),
    ('nchwc.AveragePool', 'flops',
     [IMAGE, 'AveragePool(x)', {'kernel_shape': [2, 3], 'strides': [2, 1]}],
     [IMAGE, 'com.microsoft.nchwc.AveragePool(x)',
      {'kernel_shape': [2, 3], 'strides': [2, 1]}]),
    ('MatMulPacked', 'flops', PLAIN,
     [{'x': 'f32[4,64]', 'w': 'u8[24,36]'}, 'com.microsoft.MatMulPacked(x, w)',
      {'K': 64, 'N': 24, 'packed_type': 2}]),
    ('MatMulNBits', 'flops', PLAIN,
     [{'x': 'f32[4,64]', 'w': 'u8[24,2,16]', 's': 'f32[24,2]'},
      'com.microsoft.MatMulNBits(x, w, s)', {'K': 64, 'N': 24}]),
    ('MatMulBnb4', 'flops', PLAIN,
     [{'x': 'f32[4,64]', 'w': 'u8[768]', 's': 'f32[24]'},
      'com.microsoft.MatMulBnb4(x, w, s)', {'K': 64, 'N': 24}]),
    ('MatMulBlockQuantizedFp4Weight', 'flops', PLAIN,
     [{'x': 'f16[4,64]', 'w': 'u8[24,32]', 's': 'u8[24,4]', 'e': 'f32[]'},
      'com.microsoft.MatMulBlockQuantizedFp4Weight(x, w, s, e)', {}]),
    ('QOrderedMatMul', 'flops', PLAIN,
     [{'x': 'i8[4,64]', 'w': 'i8[64,24]', **SCALE},
      'com.microsoft.QOrderedMatMul(x, e, w, e, e)', {}]),
    ('FusedMatMulActivation', 'flops', PLAIN,
     [{'x': 'f32[64,4]', 'w': 'f32[24,64]'},
      'com.microsoft.FusedMatMulActivation(x, w)',
      {'transA': 1, 'transB': 1, 'activation': 'Relu'}]),
    ('GemmFloat8', 'flops',
     [{'x': 'f32[4,64]', 'w': 'f32[24,64]', 'b': 'f32[24]'}, 'Gemm(x, w, b)',
      {'transB': 1}],
     [{'x': 'f32[4,64]', 'w': 'f32[24,64]', 'b': 'f32[24]'},
      'com.microsoft.GemmFloat8(x, w, b)', {'transB': 1}]),
    ('QGemm', 'flops',
     [{'x': 'f32[4,64]', 'w': 'f32[64,24]', 'b': 'f32[24]'}, 'Gemm(x, w, b)',
      {}],
     [{'x': 'u8[4,64]', 'w': 'u8[64,24]', 'b': 'i32[24]', **SCALE},
      'com.microsoft.QGemm(x, e, z, w, e, z, b)', {}]),
    ('DynamicQuantizeLSTM', 'flops',
     [{'x': 'f32[3,2,4]', 'w': 'f32[1,20,4]', 'r': 'f32[1,20,5]',
       'b': 'f32[1,40]'}, 'LSTM(x, w, r, b)', {'hidden_size': 5}],
     [{'x': 'f32[3,2,4]', 'w': 'i8[1,4,20]', 'r': 'i8[1,5,20]',
       'b': 'f32[1,40]', 's': 'f32[1]', 'z': 'i8[1]'},
      'com.microsoft.DynamicQuantizeLSTM(x, w, r, b, , , , , s, z, s, z)',
      {'hidden_size': 5}]),
    ('AttnLSTM without a memory', 'flops',
     [{'x': 'f32[3,2,4]', 'w': 'f32[1,20,4]', 'r': 'f32[1,20,5]'},
      'LSTM(x, w, r)', {'hidden_size': 5}],
     [{'x': 'f32[3,2,4]', 'w': 'f32[1,20,4]', 'r': 'f32[1,20,5]'},
      'com.microsoft.AttnLSTM(x, w, r)', {'hidden_size': 5}]),
    ('LinearAttention', 'flops',
     [LINEAR, 'LinearAttention(q, k, v, , d, h)', LINEARS],
     [LINEAR, 'com.microsoft.LinearAttention(q, k, v, , d, h)', LINEARS,
      'y, s']),
    ('GatedDeltaNet', 'flops',
     [LINEAR, 'LinearAttention(q, k, v, , d, h)', LINEARS],
     [{'q': 'f32[5,4,3]', 'k': 'f32[5,2,3]', 'v': 'f32[5,2,4]',
       'd': 'f32[5,2]', 'h': 'f32[5,2]'},
      'com.microsoft.GatedDeltaNet(q, k, v, , d, h)', {}]),
    ('CausalConvWithState', 'flops',
     [{'x': 'f32[2,3,9]', 'w': 'f32[3,1,4]'}, 'CausalConvWithState(x, w)', {}],
     [{'x': 'f32[2,9,3]', 'w': 'f32[3,1,4]'},
      'com.microsoft.CausalConvWithState(x, w)', {'channels_last': 1},
      'y, s']),
    ('VarlenCausalConvWithState', 'flops',
     [{'x': 'f32[2,3,9]', 'w': 'f32[3,1,4]'}, 'CausalConvWithState(x, w)', {}],
     [{'x': 'f32[18,3]', 'w': 'f32[3,1,4]', 'c': 'i32[3]', 's': 'f32[2,3,3]'},
      'com.microsoft.VarlenCausalConvWithState(x, w, c, , s)', {}, 'y, t']),
    ('MoEPacked', 'macs',
     [{'x': 'f32[6,32]', 'r': 'f32[6,4]', 'g': 'f32[4,64,32]',
       'd': 'f32[4,32,64]'}, 'com.microsoft.MoE(x, r, g, , d)', {'k': 2}],
     [{'x': 'f32[6,32]', 'r': 'f32[6,4]', 'g': 'u8[4,64,18]',
       'd': 'u8[4,32,36]'}, 'com.microsoft.MoEPacked(x, r, g, , d)',
      {'k': 2, 'gate_type': 2, 'down_type': 2}]),
    ('Rfft', 'flops',
     [{'x': 'f32[2,8,1]'}, 'DFT(x)', {'axis': 1, 'onesided': 1}],
     [{'x': 'f32[2,8]'}, 'com.microsoft.Rfft(x)', {'signal_ndim': 1}]),
    ('QEmbedLayerNormalization', 'flops',
     [{'i': 'i32[2,3]', 't': 'f32[9,8]', 'g': 'f32[8]'},
      'com.microsoft.EmbedLayerNormalization(i, i, t, t, t, g, g)', {}],
     [{'i': 'i32[2,3]', 't': 'u8[9,8]', 'g': 'u8[8]', **SCALE},
      'com.microsoft.QEmbedLayerNormalization(i, i, t, t, t, g, g, , '
      'e, e, e, e, e, z, z, z, z, z)', {}, 'y, m']),
    ('MaxpoolWithMask', 'flops',
     [IMAGE, 'MaxPool(x)', {'kernel_shape': [2, 3]}],
     [{**IMAGE, 'm': 'i32[1,16,9,9]'}, 'com.microsoft.MaxpoolWithMask(x, m)',
      {'kernel_shape': [2, 3]}]),
]


def costs(inputs, call, attrs, outputs='y'):
    opset = 19 if call.startswith('DFT') else 27
    # What it reads by name; SCALE has more.
    taken = [n.strip() for n in call[call.index('(') + 1:-1].split(',')]
    params, ops = counted({
        'opsets': {'': opset, 'com.microsoft': 1, 'com.microsoft.nchwc': 1,
                   'com.ms.internal.nhwc': 19},
        'inputs': {k: v for k, v in inputs.items() if k in taken},
        'outputs': ['y'], 'nodes': [['%s = %s' % (outputs, call), attrs]]})
    return ops[-1]


def alike():
    for name, what, plain, other in ALIKE:
        want, got = costs(*plain), costs(*other)
        if 'macs' in want:
            expect(name + ': macs', got.get('macs'), want['macs'])
        assert want['flops'] > 0, name
        if what == 'flops':
            expect(name + ': flops', got['flops'], want['flops'])


def main():
    {'weights': weights, 'numbers': numbers, 'packed': packed,
     'learned': learned, 'alike': alike}[sys.argv[1]]()
    print('\n'.join(BAD))
    return 1 if BAD else 0


if __name__ == '__main__':
    sys.exit(main())
