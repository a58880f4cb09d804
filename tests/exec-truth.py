#!/usr/bin/env python3
"""Compares a trace with the kernels that really ran.

usage: exec-truth.py TRUTH.tsv <trace

A line of the truth is an operator type, the name of its node, the types of its
inputs and outputs, and how often that ran. Weights that a runtime packed before
the run do not stand among the inputs, so those must be some of the trace's, in
their order. Constants do not run; an operator that holds a graph is what its
graph is, and so are the operators of the trace that cut and stack for it.

Prints how many kernels are equal, and a line for each that is not; ends with 1
when there is one or nothing was compared.
"""
import collections
import json
import sys

TYPES = {'f32': 'float', 'f64': 'double', 'f16': 'float16', 'i64': 'int64',
         'i32': 'int32', 'i16': 'int16', 'i8': 'int8', 'u8': 'uint8',
         'u16': 'uint16', 'u32': 'uint32', 'u64': 'uint64', 'b8': 'bool',
         'str': 'string'}
MADE = {'onnx.SplitToSequence', 'onnx.ConcatFromSequence', 'onnx.Gather',
        'onnx.LogSoftmax', 'onnx.TopK', 'onnx.ArgMax',
        'com.microsoft.BeamSearch', 'com.microsoft.GreedySearch'}
HOLDERS = {'If', 'Loop', 'Scan', 'SequenceMap', 'BeamSearch', 'GreedySearch'}


# What a runtime calls nodes that it took out of functions.
INLINED = ('_inlfunc', '_inline')


def text(tensors):
    return [TYPES.get(t['dtype'], t['dtype']) +
            '[' + ','.join(map(str, t['shape'])) + ']'
            for t in tensors if t is not None]


def scopes(ops):
    """Names that stand before others: a node called one has no name."""
    found = {''}
    for op in ops:
        at = op.get('node', '').find('/')
        while at >= 0:
            found.add(op['node'][:at])
            at = op['node'].find('/', at + 1)
    return found


def read_truth(path):
    kernels, holders = [], set()
    for line in open(path):
        if line.startswith('#'):
            continue
        op, node, inputs, outputs, count = line.rstrip('\n').split('\t')
        if op in HOLDERS:
            holders.add(node)
        else:
            kernels.append((op, node, inputs.split(), outputs.split(),
                            int(count)))
    return kernels, holders


def part_of(some, all_):
    rest = iter(all_)
    return all(x in rest for x in some)


def main():
    kernels, holders = read_truth(sys.argv[1])
    ours = collections.defaultdict(list)
    ops = [op for op in map(json.loads, sys.stdin) if op['kind'] == 'op']
    unnamed = scopes(ops)
    for op in ops:
        if op['name'] == 'onnx.Constant':
            continue
        path = op.get('node', '')
        if op['name'] in MADE and path in holders:
            continue
        name = op['name'].split('.')[-1]
        if name == 'CastLike':  # a function, of which the runtime makes this
            name = 'Cast'
            op['node'] = ''
        ours[name].append(op)
    equal, bad = 0, []
    for name, node, inputs, outputs, count in kernels:
        found = [o for o in ours[name]
                 if (node.startswith(INLINED) or
                     o.get('node', '') in unnamed or
                     o.get('node', '') == node or
                     o.get('node', '').endswith('/' + node)) and
                 text(o['outputs']) == outputs and
                 part_of(inputs, text(o['inputs']))][:count]
        for o in found:
            ours[name].remove(o)
        equal += len(found)
        if len(found) != count:
            bad.append('%s %s: ran %d times with %s, found %d' % (
                name, node, count, ' '.join(inputs), len(found)))
    for rest in ours.values():
        bad += ['%s %s: did not run' % (o['name'], o.get('node', ''))
                for o in rest]
    print('%d equal' % equal)
    print('\n'.join(bad[:20]))
    sys.exit(bool(bad) or not equal)


main()
