#!/usr/bin/env python3
"""Compares a trace with recorded shapes.

usage: onnx-truth.py --shapes TRUTH       the inputs as --shape options, one a line
       onnx-truth.py TRUTH <TRACE         "RIGHT OPEN WRONG MISSING" on one line
       onnx-truth.py --case EXPECT <TRACE the same for a case's expected outputs

TRUTH has lines "name TAB dtype TAB [dims]", inputs as "# input TAB name TAB
dtype[dims]". Values of the trace that are wrong or missing are named on
standard error.
"""
import json
import re
import sys

NAMES = {
    'float32': 'f32', 'float': 'f32', 'float16': 'f16', 'float64': 'f64',
    'double': 'f64', 'bfloat16': 'bf16', 'int64': 'i64', 'int32': 'i32',
    'int16': 'i16', 'int8': 'i8', 'uint64': 'u64', 'uint32': 'u32',
    'uint16': 'u16', 'uint8': 'u8', 'bool': 'b8', 'string': 'str',
}


def parse_type(text):
    match = re.fullmatch(r'(\w+)\[([0-9,]*)\]', text)
    if not match:
        return None
    dims = [int(d) for d in match.group(2).split(',') if d]
    return NAMES.get(match.group(1), match.group(1)), dims


def read_truth(path):
    inputs, values = [], []
    with open(path, encoding='utf-8') as file:
        for line in file:
            fields = line.rstrip('\n').split('\t')
            if fields[0] == '# input':
                inputs.append((fields[1], parse_type(fields[2])))
            elif not line.startswith('#') and len(fields) >= 3:
                kind = parse_type(fields[1] + fields[2])
                if kind:
                    values.append((fields[0], kind))
    return inputs, values


def read_trace(file):
    tensors = {}
    for line in file:
        record = json.loads(line)
        if record['kind'] == 'op':
            for tensor in record['outputs'] + record['inputs']:
                if tensor:
                    tensors[tensor['tid']] = tensor
    return tensors


def compare(tensors, wanted):
    counts = {'right': 0, 'open': 0, 'wrong': 0, 'missing': 0}
    for name, (dtype, dims) in wanted:
        tensor = tensors.get(name)
        if tensor is None:
            what = 'missing'
        elif tensor['dtype'] is None or tensor['shape'] is None or any(
                isinstance(w, int) and not isinstance(s, int)
                for s, w in zip(tensor['shape'], dims)):
            what = 'open'
        elif tensor['shape'] == dims and dtype in (None, tensor['dtype']):
            what = 'right'
        else:
            what = 'wrong'
        counts[what] += 1
        if what in ('wrong', 'missing'):
            print('%s: %s: %s %s, found %s' % (what, name, dtype, dims,
                                               tensor), file=sys.stderr)
    print(counts['right'], counts['open'], counts['wrong'], counts['missing'])


def main():
    if sys.argv[1] == '--shapes':
        for name, kind in read_truth(sys.argv[2])[0]:
            if kind:
                print('--shape')
                print('%s=%s' % (name, 'x'.join(map(str, kind[1]))))
    elif sys.argv[1] == '--case':
        with open(sys.argv[2], encoding='utf-8') as file:
            outputs = json.load(file)['expect']['outputs']
        compare(read_trace(sys.stdin),
                [(name, (None, dims)) for name, dims in outputs.items()])
    else:
        compare(read_trace(sys.stdin), read_truth(sys.argv[1])[1])


if __name__ == '__main__':
    main()
