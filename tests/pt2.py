#!/usr/bin/env python3
"""Exported programs for the tests, made with zipfile, struct and json alone.

usage: pt2.py names                      the recorded programs, VERSION NAME
       pt2.py recorded VERSION NAME      the JSON of a recorded program
       pt2.py ops VERSION NAME           what PyTorch said of it, see normal
       pt2.py normal <TRACE              operators, tensors renamed
       pt2.py older SCHEMA <JSON         the same program in an older schema
       pt2.py set PATH=VALUE... <JSON    with members replaced, dots between;
                                         VALUE is JSON, nothing removes
       pt2.py pack FILE [KEY=VALUE]... <JSON

pack writes an archive. KEYs: layout (archive as PyTorch's own writer makes
it, old, members of a zip file at its root, many, two models), prefix,
deflate (1), crc (0 leaves checksums out), weights (NAME=PATH:BYTES with commas
between, sparse), extra (NAME:BYTES, a member of zeros).
"""

import gzip
import json
import os
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "golden"))
import normalise  # noqa: E402

DATA = os.path.join(os.path.dirname(__file__), "data", "export")


# ---- recorded programs ----


def recorded(version, name):
    with gzip.open(os.path.join(DATA, f"{version}.jsonl.gz"), "rt") as f:
        for line in f:
            row = json.loads(line)
            if row["name"] == name:
                return row
    sys.exit(f"no program {name} of {version}")


def names():
    for file in sorted(os.listdir(DATA)):
        with gzip.open(os.path.join(DATA, file), "rt") as f:
            for line in f:
                yield file.removesuffix(".jsonl.gz"), json.loads(line)["name"]


def plain(value):
    """0.0 as the stream writes it."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def normal(records):
    normaliser = normalise.Normaliser()
    for r in records:
        if r["kind"] == "op":
            op = normaliser.op(r)
            yield {**op, "attrs": r["attrs"]} if r.get("attrs") else op


# ---- older schemas ----

ARGUMENTS = [
    "as_none", "as_tensor", "as_tensors", "as_int", "as_ints", "as_float",
    "as_floats", "as_string", "as_strings", "as_sym_int", "as_sym_ints",
    "as_scalar_type", "as_memory_format", "as_layout", "as_device", "as_bool",
    "as_bools", "as_sym_bool", "as_sym_bools", "as_graph",
    "as_optional_tensors", "as_custom_obj", "as_expr", "as_name", "as_operator",
    "user_input", "parameter", "buffer", "tensor_constant", "constant_input",
    "user_output", "buffer_mutation"]


def is_union(value):
    return len(value) == 1 and next(iter(value)) in ARGUMENTS


def older(value, schema):
    """Unions with every member (1, 2), or with a tag beside the value (4)."""
    if isinstance(value, list):
        return [older(v, schema) for v in value]
    if not isinstance(value, dict):
        return value
    made = {k: older(v, schema) for k, v in value.items()}
    if not is_union(value):
        return made
    tag, inside = next(iter(made.items()))
    if tag == "as_none":
        inside = []
    if schema >= 5:
        return {tag: inside}
    if schema >= 3:
        return {"$type": tag, "$value": inside}
    return {**dict.fromkeys(ARGUMENTS), tag: inside}


def older_program(program, schema):
    module = program["graph_module"]
    if schema == 1:
        specs = module["signature"]["input_specs"]
        module["signature"] = {
            "inputs_to_parameters": {
                s["parameter"]["arg"]["name"]: s["parameter"]["parameter_name"]
                for s in specs if "parameter" in s},
            "inputs_to_buffers": {
                s[kind]["arg"]["name"]: s[kind][f"{kind}_name"]
                for s in specs for kind in ("buffer", "tensor_constant")
                if kind in s},
            "user_inputs": [s["user_input"]["arg"]["as_tensor"]["name"]
                            for s in specs if "user_input" in s]}
        values = module["graph"]["tensor_values"]
        for name, meta in values.items():
            values[name] = {"meta": meta}
    for node in module["graph"]["nodes"]:
        node.pop("name", None)
        for argument in node["inputs"]:
            argument.pop("kind", None)
    made = older(program, schema)
    made["schema_version"] = schema if schema < 3 else {
        "major": schema, "minor": 1}
    made.pop("torch_version", None)
    return made


# ---- changes ----


def change(program, path, text):
    *parts, last = path.split(".")
    at = program
    for part in parts:
        at = at[int(part) if isinstance(at, list) else part]
    last = int(last) if isinstance(at, list) else last
    if not text:
        del at[last]
    else:
        at[last] = json.loads(text)


# ---- archives ----


class Archive:
    """Writes a zip as PyTorch's C++ writer does: sizes and checksums behind
    the payload and in the directory, payloads at multiples of 64, and always
    the 64-bit end of the directory."""

    def __init__(self, f, deflate=False, crc=True):
        self.f, self.deflate, self.crc = f, deflate, crc
        self.entries = []

    def add(self, name, data, size=None):
        """DATA, or SIZE bytes of zeros that are skipped over."""
        name, at = name.encode(), self.f.tell()
        pad = -(at + 30 + len(name) + 4) % 64
        empty = data == b"" and not size
        flags = 0x0800 if empty else 0x0808
        method = 8 if self.deflate else 0
        packed = data
        if self.deflate:
            z = zlib.compressobj(9, zlib.DEFLATED, -15)
            packed = z.compress(data) + z.flush()
        crc = zlib.crc32(data) if self.crc and size is None else 0
        self.f.write(struct.pack(
            "<IHHHHHIIIHH", 0x04034B50, 0, flags, method, 0, 0, 0, 0, 0,
            len(name), 4 + pad) + name + b"FB" +
            struct.pack("<H", pad) + b"Z" * pad)
        if size is None:
            self.f.write(packed)
            packed_size, full = len(packed), len(data)
        else:
            self.f.seek(size, os.SEEK_CUR)
            packed_size = full = size
        if not empty:
            kind = "<IIQQ" if full > 0xFFFFFFFE else "<IIII"
            self.f.write(struct.pack(kind, 0x08074B50, crc, packed_size, full))
        self.entries.append((name, flags, method, crc, packed_size, full, at))

    def close(self):
        start = self.f.tell()
        for name, flags, method, crc, packed, full, at in self.entries:
            extra, most = b"", 0xFFFFFFFF
            for value in (full, packed, at):
                if value >= most:
                    extra += struct.pack("<Q", value)
            if extra:
                extra = struct.pack("<HH", 1, len(extra)) + extra
            self.f.write(struct.pack(
                "<IHHHHHHIIIHHHHHII", 0x02014B50, 0, 0, flags, method, 0, 0,
                crc, min(packed, most), min(full, most), len(name),
                len(extra), 0, 0, 0, 0, min(at, most)) + name + extra)
        end, n = self.f.tell(), len(self.entries)
        self.f.write(struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0,
                                 n, n, end - start, start))
        self.f.write(struct.pack("<IIQI", 0x07064B50, 0, end, 1))
        self.f.write(struct.pack(
            "<IHHHHIIH", 0x06054B50, 0, 0, min(n, 0xFFFF), min(n, 0xFFFF),
            end - start, min(start, 0xFFFFFFFF), 0))


def weights_of(program, text):
    """The list of the weights, and the members that hold them."""
    config, sizes = {}, {}
    for item in filter(None, text.split(",")):
        name, _, rest = item.partition("=")
        path, _, size = rest.partition(":")
        sizes[path] = int(size)
        config[name] = {"path_name": path, "is_param": True,
                        "use_pickle": False,
                        "tensor_meta": {"storage_offset": {"as_int": 0}}}
    return config, sizes


def pack(path, program, layout="archive", prefix=None, deflate="0", crc="1",
         weights="", extra="", version="8.20"):
    text = program.encode()
    config, sizes = weights_of(program, weights)
    if prefix is None:
        prefix = os.path.basename(path).removesuffix(".pt2") + "/"
    with open(path, "wb") as f:
        z = Archive(f, deflate == "1", crc == "1")
        if layout == "old":
            z.add("serialized_state_dict.pt", b"PK")
            z.add("serialized_exported_program.json", text)
            z.add("version", version.encode())
            z.close()
            return
        for member, size in sizes.items():
            z.add(f"{prefix}data/weights/{member}", b"", size or None)
        for model in ("one", "two") if layout == "many" else ("model",):
            z.add(f"{prefix}data/weights/{model}_weights_config.json",
                  json.dumps({"config": config}).encode())
            z.add(f"{prefix}models/{model}.json", text)
        if extra:
            name, _, size = extra.partition(":")
            z.add(prefix + name, b"\0" * int(size))
        z.add(prefix + "archive_format", b"pt2")
        z.add(prefix + "archive_version", b"0")
        z.add(prefix + ".data/version", b"6\n")
        z.add(prefix + "byteorder", b"little")
        z.close()


def main(command, *args):
    if command == "names":
        for version, name in names():
            print(version, name)
    elif command == "recorded":
        print(json.dumps(recorded(*args)["json"]))
    elif command == "ops":
        for op in recorded(*args)["ops"]:
            print(json.dumps(plain(op)))
    elif command == "normal":
        for op in normal(map(json.loads, sys.stdin)):
            print(json.dumps(plain(op)))
    elif command == "older":
        print(json.dumps(older_program(json.load(sys.stdin), int(args[0]))))
    elif command == "set":
        program = json.load(sys.stdin)
        for item in args:
            path, _, text = item.partition("=")
            change(program, path, text)
        print(json.dumps(program))
    elif command == "pack":
        pack(args[0], sys.stdin.read().rstrip("\n"),
             **dict(a.split("=", 1) for a in args[1:]))
    else:
        sys.exit(__doc__)


main(*sys.argv[1:])
