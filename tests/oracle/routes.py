#!/usr/bin/env python3
"""Ten models on every way from PyTorch into a trace: one count of products.

usage: routes.py BIN DIRECTORY [MODEL...]

BIN is where simfront's programs are; DIRECTORY takes the files. Each model,
with random weights and a small configuration, runs on the CPU and is recorded
by five routes:

    dispatch  sf-torch dispatch
    pt2       sf-torch export, sf-export; raw where PyTorch fails to decompose
    compile   sf-torch compile, sf-compile
    et        PyTorch's execution trace, sf-dispatch
    onnx      sf-torch onnx, sf-onnx

The FLOPs of matrix products, twice the macs of sf-rules, are compared with
those of dispatch, and those with FlopCounterMode and, by name, the operators
that it does not know. A line a model; below it, where a route differs, the
operators on either side whose products the other has not. A route whose
program is not in BIN is left out by name. Status 1 when one differs. Needs
torchvision and transformers; is itself the program that sf-torch is given.
"""
import collections
import json
import os
import subprocess
import sys

HERE = os.path.abspath(__file__)
SIDE = 64  # pixels


def vision(name, side=SIDE, **rest):
    import torch
    import torchvision

    model = getattr(torchvision.models, name)(weights=None, **rest)
    return model.eval(), (torch.zeros(2, 3, side, side),)


def resnet18():
    return vision("resnet18")


def mobilenet_v3_small():
    return vision("mobilenet_v3_small")


def vit():
    import torch
    import torchvision

    model = torchvision.models.VisionTransformer(
        image_size=SIDE, patch_size=16, num_layers=2, num_heads=4,
        hidden_dim=64, mlp_dim=128)
    return model.eval(), (torch.zeros(2, 3, SIDE, SIDE),)


def convnext_tiny():
    return vision("convnext_tiny")


def swin():
    import torch
    import torchvision

    model = torchvision.models.SwinTransformer(
        patch_size=[4, 4], embed_dim=32, depths=[2, 2], num_heads=[2, 4],
        window_size=[4, 4])
    return model.eval(), (torch.zeros(2, 3, SIDE, SIDE),)


def language(kind, auto="AutoModel", **fields):
    import torch
    import transformers

    config = transformers.AutoConfig.for_model(kind, **fields)
    model = getattr(transformers, auto).from_config(config)
    return model.eval(), torch.zeros(2, 16, dtype=torch.long)


def bert():
    model, tokens = language(
        "bert", hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=128, vocab_size=100)
    return model, (tokens,)


def gpt2():
    model, tokens = language(
        "gpt2", "AutoModelForCausalLM", n_embd=64, n_layer=2, n_head=4,
        n_positions=64, vocab_size=100)
    return model, (tokens,), {"use_cache": False}


def llama():
    model, tokens = language(
        "llama", "AutoModelForCausalLM", hidden_size=64, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, intermediate_size=128,
        vocab_size=100)
    return model, (tokens,), {"use_cache": False}


def t5_encoder():
    import torch
    import transformers

    config = transformers.T5Config(
        d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4,
        vocab_size=100)
    return (transformers.T5EncoderModel(config).eval(),
            (torch.zeros(2, 16, dtype=torch.long),))


def whisper_encoder():
    import torch
    import transformers

    config = transformers.WhisperConfig(
        d_model=64, encoder_layers=2, encoder_attention_heads=4,
        decoder_layers=1, decoder_attention_heads=4, encoder_ffn_dim=128,
        decoder_ffn_dim=128, vocab_size=100, max_source_positions=32,
        pad_token_id=0, bos_token_id=1, eos_token_id=2,
        decoder_start_token_id=1)
    model = transformers.WhisperModel(config).eval()
    return model.encoder, (torch.zeros(2, 80, 64),)


MODELS = (resnet18, mobilenet_v3_small, vit, convnext_tiny, swin, bert, gpt2,
          llama, t5_encoder, whisper_encoder)
ROUTES = {"dispatch": None, "pt2": "sf-export", "compile": "sf-compile",
          "et": "sf-dispatch", "onnx": "sf-onnx"}


# ---- in a process of its own each ----

def forked(out, log, work, *args):
    """Calls WORK in a child, with standard output and error in files."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            for number, path in ((1, out), (2, log)):
                fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.dup2(fd, number)
            work(*args)
            sys.stdout.flush()
            status = 0
        except BaseException as e:  # told through the file
            print(f"{type(e).__name__}: {e}", file=sys.stderr, flush=True)
        finally:
            os._exit(status)
    return os.waitpid(pid, 0)[1] == 0


def sf_torch(path):
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), "../golden"))
    from scripts import script

    return script(os.path.abspath(path))


def called(function):
    parts = function()
    return parts[0], parts[1], parts[2] if len(parts) > 2 else {}


def execution_trace(function, path):
    import torch
    from torch.profiler import ExecutionTraceObserver

    model, args, kwargs = called(function)
    observer = ExecutionTraceObserver()
    observer.register_callback(path)
    with torch.no_grad():
        observer.start()
        model(*args, **kwargs)
        observer.stop()
    observer.unregister_callback()


def pytorch_count(function):
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    model, args, kwargs = called(function)
    counter = FlopCounterMode(display=False)
    with torch.no_grad(), counter:
        model(*args, **kwargs)
    print(counter.get_total_flops())


def record(programs, function, route, place):
    """The file of ROUTE, True when it was written."""
    target = f"{HERE}:{function.__name__}"
    script = os.path.join(programs, "sf-torch")
    log = place + ".err"
    if route == "compile":
        with open(log, "wb") as f:
            return subprocess.run(
                [sys.executable, script, "--device", "cpu", "--output",
                 place + ".log", "compile", target], stdout=f,
                stderr=f).returncode == 0
    if route == "et":
        return forked(os.devnull, log, execution_trace, function,
                      place + ".json")
    command = {"dispatch": ["dispatch"],
               "pt2": ["export", "--output", place + ".pt2"],
               "pt2 raw": ["export", "--raw", "--output", place + ".pt2"],
               "onnx": ["onnx", "--output", place + ".onnx"]}[route]
    return forked(place + ".sft", log, sf_torch(script).run,
                  ["--device", "cpu", *command, target])


def recorded(programs, function, route, place):
    """The name of the route that was taken, None when there was none."""
    for way in (route, *(["pt2 raw"] if route == "pt2" else [])):
        if record(programs, function, way, place):
            return way
    return None


FILES = {"pt2": ".pt2", "compile": ".log", "et": ".json", "onnx": ".onnx"}


def counted(programs, route, place):
    """The op records of the route's trace."""
    if route != "dispatch":
        with open(place + ".sft", "wb") as out, open(place + ".err", "ab") as e:
            subprocess.run([os.path.join(programs, ROUTES[route]),
                            place + FILES[route]], stdout=out, stderr=e)
    done = subprocess.run([os.path.join(programs, "sf-rules"), place + ".sft"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        return None
    return [r for r in map(json.loads, done.stdout.splitlines())
            if r["kind"] == "op"]


# ---- comparison ----

def products(ops):
    """How often each number of multiply-adds, and the operators that have it."""
    found, names = collections.Counter(), {}
    for op in ops:
        for p in op.get("gemms", ()):
            macs = p["batch"] * p["m"] * p["k"] * p["n"]
            found[macs] += 1
            names.setdefault(macs, collections.Counter())[
                f"{op['name']} {op.get('node', '')}".strip()] += 1
    return found, names


def flops(ops):
    return sum(2 * op.get("macs", 0) for op in ops)


def uncounted(ops):
    return sorted({op["name"] for op in ops
                   if op["category"] == "unknown" or "unresolved" in op
                   or op["category"] in ("matmul", "attention")
                   and "gemms" in op and "macs" not in op})


def explain(route, ops, first):
    """One line for each product that only one of the two routes has."""
    here, names = products(ops)
    there, other = products(first)
    for title, more, of in ((f"only {route}", here - there, names),
                            ("only dispatch", there - here, other)):
        for macs, times in sorted(more.items()):
            print(f"    {title}: {times} x {2 * macs} FLOPs, of "
                  + ", ".join(f"{n} ({k})" for n, k in of[macs].items()))
    for name in uncounted(ops):
        print(f"    {route}: not counted: {name}")


def pytorch_says(expected, ops):
    """PyTorch's own count with what it leaves out, and whether that is all."""
    from torch.utils.flop_counter import flop_registry

    known = {str(packet) for packet in flop_registry}
    left = collections.Counter()
    for op in ops:
        if op["name"] not in known and op.get("macs"):
            left[op["name"]] += 2 * op["macs"]
    text = "".join(f" + {n} of {name}" for name, n in sorted(left.items()))
    return f"PyTorch {expected}{text}", \
        expected + sum(left.values()) == flops(ops)


def compare(programs, directory, function):
    name, differ, shown, first = function.__name__, 0, [], []
    place = os.path.join(directory, f"{name}.flops")
    forked(place, place + ".err", pytorch_count, function)
    with open(place, encoding="ascii") as f:
        expected = int(f.read() or -1)
    details, said = [], f"PyTorch {expected}"
    for route, program in ROUTES.items():
        place = os.path.join(directory, f"{name}.{route}")
        if program and not os.path.exists(os.path.join(programs, program)):
            shown.append(f"{route} -")
            continue
        way = recorded(programs, function, route, place)
        ops = counted(programs, route, place) if way else None
        if ops is None:
            shown.append(f"{route} failed, see {place}.err")
            differ += 1
            continue
        if route == "dispatch":
            first = ops
            said, same = pytorch_says(expected, ops)
            differ += not same
        same = flops(ops) == flops(first)
        shown.append(f"{way} " + ("=" if same and route != "dispatch"
                                    else str(flops(ops))))
        if not same:
            differ += 1
            details.append((route, ops))
    print(f"{name}: {said}; " + ", ".join(shown), flush=True)
    for route, ops in details:
        explain(route, ops, first)
    sys.stdout.flush()
    return differ


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    programs, directory, wanted = sys.argv[1], sys.argv[2], sys.argv[3:]
    os.makedirs(directory, exist_ok=True)
    import torch
    import torchvision
    import transformers

    print(f"PyTorch {torch.__version__}, torchvision"
          f" {torchvision.__version__}, transformers"
          f" {transformers.__version__}", flush=True)
    differ = sum(compare(programs, directory, f) for f in MODELS
                 if not wanted or f.__name__ in wanted)
    print(f"{differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
