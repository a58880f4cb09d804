#!/usr/bin/env python3
"""Describes a merged decoder for onnx-model.py, as optimum lays one out.

usage: merged-decoder.py script|dynamo >m.json

The whole model stands in an If on use_cache_branch: with a past and without
one. Its weights are initializers of the graph around it. In "script" the nodes
are those that PyTorch's older exporter writes, with Constant nodes for sizes;
in "dynamo" each branch calls a local function, as the newer one writes them.
One layer: 8 wide, 2 heads of 4, 11 words.
"""
import json
import sys

WEIGHTS = {'wte': 'f32[11,8]', 'wq': 'f32[8,8]', 'wk': 'f32[8,8]',
           'wv': 'f32[8,8]', 'wo': 'f32[8,8]', 'lm_head': 'f32[8,11]'}
PAST = ['past_key_values.0.key', 'past_key_values.0.value']
PRESENT = ['present.0.key', 'present.0.value']


def constant(name, data):
    return ['%s = Constant()' % name,
            {'value': {'tensor': 'i64[%d]' % len(data), 'data': data}}]


def heads(name):
    """Of [B,T,8]: [B,2,T,4]"""
    return [
        '%s_m = MatMul(h, w%s)' % (name, name),
        '%s_s = Shape(%s_m)' % (name, name),
        ['%s_b = Slice(%s_s, zero, two, zero)' % (name, name), {}],
        ['%s_r = Concat(%s_b, split)' % (name, name), {'axis': 0}],
        '%s_h = Reshape(%s_m, %s_r)' % (name, name, name),
        ['%s_t = Transpose(%s_h)' % (name, name), {'perm': [0, 2, 1, 3]}],
    ]


def body(past):
    nodes = [constant('zero', [0]), constant('two', [2]),
             constant('split', [2, 4]), constant('flat', [8]),
             'h = Gather(wte, input_ids)']
    for name in 'qkv':
        nodes += heads(name)
    for name, before, after in zip('kv', PAST, PRESENT):
        nodes.append(['%s = Concat(%s, %s_t)' % (after, before, name),
                      {'axis': 2}]
                     if past else '%s = Identity(%s_t)' % (after, name))
    return nodes + [
        ['key = Transpose(present.0.key)', {'perm': [0, 1, 3, 2]}],
        'scores = MatMul(q_t, key)',
        ['weights = Softmax(scores)', {'axis': -1}],
        'mixed = MatMul(weights, present.0.value)',
        ['mixed_t = Transpose(mixed)', {'perm': [0, 2, 1, 3]}],
        ['mixed_r = Concat(q_b, flat)', {'axis': 0}],
        'joined = Reshape(mixed_t, mixed_r)',
        'out = MatMul(joined, wo)',
        'logits = MatMul(out, lm_head)',
    ]


def branch(style, past):
    outputs = ['logits'] + PRESENT
    if style == 'script':
        return {'nodes': body(past), 'outputs': outputs}
    name = 'with_past' if past else 'no_past'
    takes = ['input_ids'] + PAST + list(WEIGHTS)
    return {'nodes': ['call: %s = pkg.%s(%s)' % (
        ', '.join(outputs), name, ', '.join(takes))], 'outputs': outputs}


def function(past):
    return {'name': 'pkg.with_past' if past else 'pkg.no_past',
            'inputs': ['input_ids'] + PAST + list(WEIGHTS),
            'outputs': ['logits'] + PRESENT, 'nodes': body(past)}


def main():
    style = sys.argv[1]
    model = {
        'opsets': {'': 17, 'pkg': 1},
        'inputs': dict(
            {'input_ids': 'i64[batch_size,sequence_length]',
             'attention_mask': 'i64[batch_size,total]',
             'use_cache_branch': 'b8[1]'},
            **{name: 'f32[batch_size,2,past_length,4]' for name in PAST}),
        'outputs': dict(
            {'logits': 'f32[batch_size,sequence_length,11]'},
            **{name: 'f32[batch_size,2,present_length,4]'
               for name in PRESENT}),
        'inits': WEIGHTS,
        'nodes': [['optimum::if: %s = If(use_cache_branch)' %
                   ', '.join(['logits'] + PRESENT),
                   {'then_branch': {'graph': branch(style, True)},
                    'else_branch': {'graph': branch(style, False)}}]],
    }
    if style == 'dynamo':
        model['functions'] = [function(True), function(False)]
    json.dump(model, sys.stdout)


main()
