#!/usr/bin/env python3
"""Writes an ONNX model from a small description in JSON.

usage: onnx-model.py [FILE.json] >model.onnx

It needs nothing but Python, and shares no code with the reader under test.
Members of the description (all may be left out):

  ir        8
  opsets    {"": 17}
  inputs    {"x": "f32[1,3,H,?]"}  a type, null for none, or
            {"type": ..., "meta": {key: text}}; "seq(f32[2])" is a sequence,
            "opt(f32[2])" optional; a dimension in quotes is a name always
  outputs   the same, or a list of names
  values    value_info, the same, or a list of pairs
  inits     {"w": "f32[4,4]"} without data, or {"type": ..., "data": [...]}
            with "home": "raw" (default) or "typed", "external": true
            or {key: text},
            "sparse": true, "empty": true (no dims but data)
  nodes     "name: y, z = Domain.Type(x, , w)" or [that, {attribute: value}];
            name and domain may be left out
  functions [{"name": "domain.f", "overload": "", "inputs": [...],
            "outputs": [...], "attrs": [...], "defaults": {...},
            "opsets": {...}, "values": {...}, "nodes": [...]}]
  meta      {key: text} of the graph

An attribute is an integer, a float, a text, a list of those,
{"graph": {...}}, {"tensor": "i64[2]", "data": [...]}, or {"ref": name,
"type": number}; "overload" is no attribute but the node's overload.
"""
import json
import re
import struct
import sys

TYPES = {
    'f32': (1, 'f'), 'u8': (2, 'B'), 'i8': (3, 'b'), 'u16': (4, 'H'),
    'i16': (5, 'h'), 'i32': (6, 'i'), 'i64': (7, 'q'), 'str': (8, ''),
    'b8': (9, '?'), 'f16': (10, 'e'), 'f64': (11, 'd'), 'u32': (12, 'I'),
    'u64': (13, 'Q'), 'c64': (14, ''), 'bf16': (16, ''), 'u4': (21, ''),
    'i4': (22, ''),
}


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    if isinstance(value, str):
        value = value.encode()
    return varint(field << 3 | 2) + varint(len(value)) + value


def single(field, value):
    return varint(field << 3 | 5) + struct.pack('<f', value)


def pairs(field, meta):
    return b''.join(data(field, data(1, key) + data(2, text))
                    for key, text in meta.items())


def split_type(text):
    match = re.fullmatch(r'(\w+)(?:\[(.*)\])?', text)
    dtype, dims = match.group(1), match.group(2)
    if dims is not None:
        dims = [d.strip() for d in dims.split(',')] if dims else []
    return TYPES[dtype] if dtype in TYPES else (int(dtype), ''), dims


def dimension(text):
    if text == '?':
        return b''
    if re.fullmatch(r'-?\d+', text):
        return number(1, int(text))
    return data(2, text.strip('"'))


def type_proto(text):
    if text.startswith('seq('):
        return data(4, data(1, type_proto(text[4:-1])))
    if text.startswith('opt('):
        return data(9, data(1, type_proto(text[4:-1])))
    (code, _), dims = split_type(text)
    body = number(1, code)
    if dims is not None:
        body += data(2, b''.join(data(1, dimension(d)) for d in dims))
    return data(1, body)


def info(name, value):
    if isinstance(value, str) or value is None:
        value = {'type': value}
    out = data(1, name)
    if value.get('type') is not None:
        out += data(2, type_proto(value['type']))
    return out + pairs(4, value.get('meta', {}))


def infos(field, values):
    if isinstance(values, list):
        values = [v if isinstance(v, list) else [v, None] for v in values]
    else:
        values = values.items()
    return b''.join(data(field, info(name, v)) for name, v in values)


def typed_data(code, values):
    if code == 1:
        return data(4, struct.pack('<%df' % len(values), *values))
    if code == 11:
        return data(10, struct.pack('<%dd' % len(values), *values))
    field = 7 if code == 7 else 11 if code in (12, 13) else 5
    return data(field, b''.join(varint(int(v)) for v in values))


def tensor(name, value):
    if isinstance(value, str):
        value = {'type': value}
    (code, letter), dims = split_type(value['type'])
    out = b''.join(number(1, int(d)) for d in dims or [])
    out += number(2, code)
    if name is not None:
        out += data(8, name)
    if value.get('external'):
        entries = value['external']
        if entries is True:
            entries = {'location': '/no/such/file'}
        for key, text in entries.items():
            out += data(13, data(1, key) + data(2, text))
        out += number(14, 1)
    if 'data' not in value:
        return out
    if value.get('home') == 'typed':
        return out + typed_data(code, value['data'])
    return out + data(9, struct.pack(
        '<%d%s' % (len(value['data']), letter), *value['data']))


def initializer(name, value):
    if isinstance(value, dict) and value.get('sparse'):
        _, dims = split_type(value['type'])
        dtype = value['type'].split('[')[0]
        return data(15, data(1, tensor(name, dtype + '[0]')) +
                    b''.join(number(3, int(d)) for d in dims))
    return data(5, tensor(name, value))


def attribute(name, value):
    out = data(1, name)
    if isinstance(value, dict) and 'ref' in value:
        return out + data(21, value['ref']) + number(20, value['type'])
    if isinstance(value, dict) and 'graph' in value:
        return out + data(6, graph(value['graph'])) + number(20, 5)
    if isinstance(value, dict):
        value = dict(value, type=value['tensor'])
        return out + data(5, tensor(None, value)) + number(20, 4)
    if isinstance(value, bool) or isinstance(value, int):
        return out + number(3, value) + number(20, 2)
    if isinstance(value, float):
        return out + single(2, value) + number(20, 1)
    if isinstance(value, str):
        return out + data(4, value) + number(20, 3)
    if value and isinstance(value[0], str):
        return out + b''.join(data(9, v) for v in value) + number(20, 8)
    if value and isinstance(value[0], float):
        return out + b''.join(single(7, v) for v in value) + number(20, 6)
    return out + b''.join(number(8, v) for v in value) + number(20, 7)


def names(text):
    text = text.strip()
    return [n.strip() for n in text.split(',')] if text else []


def node(value):
    text, attrs = (value, {}) if isinstance(value, str) else value
    match = re.fullmatch(
        r'(?:(.*?): )?(.*?)\s*=\s*([^()=]*)\((.*)\)', text, re.S)
    name, outputs, op, inputs = match.groups()
    domain, _, op = op.strip().rpartition('.')
    out = b''.join(data(1, n) for n in names(inputs))
    out += b''.join(data(2, n) for n in names(outputs))
    if name:
        out += data(3, name)
    out += data(4, op)
    for key, attr in attrs.items():
        if key != 'overload':
            out += data(5, attribute(key, attr))
    if domain:
        out += data(7, domain)
    if attrs.get('overload'):
        out += data(8, attrs['overload'])
    return out


def graph(g):
    out = b''.join(data(1, node(n)) for n in g.get('nodes', []))
    out += data(2, g.get('name', 'g'))
    for name, value in g.get('inits', {}).items():
        out += initializer(name, value)
    out += infos(11, g.get('inputs', {}))
    out += infos(12, g.get('outputs', {}))
    out += infos(13, g.get('values', {}))
    return out + pairs(16, g.get('meta', {}))


def opset(domain, version):
    return (data(1, domain) if domain else b'') + number(2, version)


def function(f):
    domain, _, name = f['name'].rpartition('.')
    out = data(1, name)
    out += b''.join(data(4, n) for n in f.get('inputs', []))
    out += b''.join(data(5, n) for n in f.get('outputs', []))
    out += b''.join(data(6, n) for n in f.get('attrs', []))
    out += b''.join(data(7, node(n)) for n in f.get('nodes', []))
    for key, version in f.get('opsets', {'': 17}).items():
        out += data(9, opset(key, version))
    out += data(10, domain)
    for key, value in f.get('defaults', {}).items():
        out += data(11, attribute(key, value))
    out += infos(12, f.get('values', {}))
    if f.get('overload'):
        out += data(13, f['overload'])
    return out


def model(m):
    out = number(1, m.get('ir', 8))
    for domain, version in m.get('opsets', {'': 17}).items():
        out += data(8, opset(domain, version))
    out += data(7, graph(m))
    return out + b''.join(data(25, function(f))
                          for f in m.get('functions', []))


def main():
    if len(sys.argv) > 2:
        sys.exit('usage: onnx-model.py [FILE.json] >model.onnx')
    with open(sys.argv[1] if len(sys.argv) == 2 else 0) as file:
        description = json.load(file)
    sys.stdout.buffer.write(model(description))


if __name__ == '__main__':
    main()
