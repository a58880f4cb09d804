#!/usr/bin/env python3
"""Small ONNX models for the fuzzers, of what the tests already describe.

usage: onnx-seeds.py DIR

A model for each node of tests/data/shapes, with the inputs that stand there,
and one for each description of a model in the tests' scripts.
"""
import glob
import importlib.util
import json
import os
import re
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
SPEC = importlib.util.spec_from_file_location(
    'onnx_model', os.path.join(TESTS, 'onnx-model.py'))
MODEL = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(MODEL)

NODE = re.compile(r'([\w.]+) (\d+): (.*?)(?:-> |$)')
TENSOR = re.compile(r'(\w+?)(?:\[([^]]*)\]|\*)(?:\{([^}]*)\})?$')


def value_of(text):
    if text[:1] in '\'"':
        return text[1:-1]
    if text.startswith('['):
        items = text[1:-1].split(',') if text != '[]' else []
        return [value_of(item) for item in items]
    try:
        return int(text)
    except ValueError:
        return float(text)


def attribute(text):
    match = TENSOR.match(text)
    if match and match.group(3):
        return {'tensor': '%s[%s]' % match.group(1, 2),
                'data': [value_of(v) for v in match.group(3).split(',')]}
    return value_of(text)


def put_input(graph, name, text):
    """An input of the graph, an initializer where its contents are known."""
    if text.startswith('seq{'):
        first = text[4:].rstrip('}').split(';')[0]
        graph['inputs'][name] = 'seq(%s)' % first
        return
    dtype, dims, held = TENSOR.match(text).groups()
    if held and re.fullmatch(r'[-\d.,]+', held):
        graph['inits'][name] = {'type': '%s[%s]' % (dtype, dims), 'data': [
            value_of(v) for v in held.split(',')]}
    else:
        graph['inputs'][name] = \
            dtype if dims is None else '%s[%s]' % (dtype, dims)


def of_node(line):
    """The model of a line of tests/data/shapes, None where it has none."""
    match = NODE.match(line)
    if not match:
        return None
    inputs, _, attrs = match.group(3).partition('|')
    domain, _, op = match.group(1).rpartition('.')
    graph = {'opsets': {'': 17}, 'inputs': {}, 'inits': {}}
    graph['opsets'][domain] = int(match.group(2))
    names = []
    for text in inputs.split():
        names.append('' if text == '-' else 'in%d' % len(names))
        if text != '-':
            put_input(graph, names[-1], text)
    values = {}
    for item in re.findall(r"(\w+)=((?:'[^']*'|\S)+)", attrs):
        values[item[0]] = attribute(item[1])
    outs = max(1, sum(bool(TENSOR.match(text)) or text.startswith('seq{')
                      for text in line.partition('->')[2].split()))
    graph['outputs'] = ['o%d' % i for i in range(outs)]
    graph['nodes'] = [['%s = %s(%s)' % (
        ', '.join(graph['outputs']), match.group(1), ', '.join(names)),
        values]]
    return graph


def of_scripts():
    for path in sorted(glob.glob(os.path.join(TESTS, '*.bats'))):
        with open(path) as file:
            text = file.read()
        for found in re.findall(r"'(\{[^']*\"nodes\"[^']*\})'", text):
            yield found


def descriptions():
    for path in sorted(glob.glob(os.path.join(
            TESTS, 'data', 'shapes', '*.txt'))):
        with open(path) as file:
            for line in file:
                yield lambda line=line: of_node(line)
    for text in of_scripts():
        yield lambda text=text: json.loads(text)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    made = 0
    for describe in descriptions():
        try:
            graph = describe()
            packed = MODEL.model(graph) if graph else None
        # What is not said in full, as types without bytes, is left out.
        except (ValueError, TypeError, KeyError, AttributeError,
                struct.error):
            continue
        if packed is not None:
            made += 1
            with open(os.path.join(sys.argv[1], '%d' % made), 'wb') as file:
                file.write(packed)


if __name__ == '__main__':
    main()
