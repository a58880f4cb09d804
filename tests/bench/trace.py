#!/usr/bin/env python3
"""trace.py OPS - a trace of a decoder-only transformer with at least OPS
operators, layer after layer until there are that many, as PyTorch's dispatcher
names them: the stream that the benchmarks read."""
import sys

D, HEADS, FFN, TOKENS = 4096, 32, 14336, 128
ops = 0
out = []


def tensor(tid, *shape, param=False):
    return '{"tid":"%s","shape":[%s],"dtype":"bf16","itemsize":2%s}' % (
        tid, ",".join(map(str, shape)), ',"param":true' if param else "")


def op(name, inputs, output, module):
    global ops
    out.append('{"kind":"op","i":%d,"name":"aten.%s","inputs":[%s],'
               '"outputs":[%s],"attrs":{"module":"%s"}}\n' %
               (ops, name, ",".join(inputs), output, module))
    ops += 1


def linear(tid, x, rows, cols, module):
    weight = module + ".weight"
    op("t", [tensor(weight, cols, rows, param=True)],
       tensor(weight + "_t", rows, cols, param=True), module)
    op("mm", [tensor(x, TOKENS, rows),
              tensor(weight + "_t", rows, cols, param=True)],
       tensor(tid, TOKENS, cols), module)


def norm(tid, x, module):
    full, one = (TOKENS, D), (TOKENS, 1)
    op("pow", [tensor(x, *full)], tensor(tid + "_pow", *full), module)
    op("mean", [tensor(tid + "_pow", *full)], tensor(tid + "_mean", *one),
       module)
    op("rsqrt", [tensor(tid + "_mean", *one)], tensor(tid + "_rsqrt", *one),
       module)
    op("mul", [tensor(x, *full), tensor(tid + "_rsqrt", *one)],
       tensor(tid + "_mul", *full), module)
    op("mul", [tensor(module + ".weight", D, param=True),
               tensor(tid + "_mul", *full)], tensor(tid, *full), module)


def layer(n, x):
    name = "model.layers.%d." % n
    tid = "l%d_" % n
    heads = (1, HEADS, TOKENS, D // HEADS)
    norm(tid + "norm", x, name + "input_layernorm")
    for part in "qkv":
        linear(tid + part, tid + "norm", D, D, name + "self_attn.%s_proj" % part)
        op("view", [tensor(tid + part, TOKENS, D)],
           tensor(tid + part + "_heads", *heads), name + "self_attn")
    op("_scaled_dot_product_flash_attention_for_cpu",
       [tensor(tid + part + "_heads", *heads) for part in "qkv"],
       tensor(tid + "sdpa", *heads), name + "self_attn")
    op("view", [tensor(tid + "sdpa", *heads)], tensor(tid + "ctx", TOKENS, D),
       name + "self_attn")
    linear(tid + "o", tid + "ctx", D, D, name + "self_attn.o_proj")
    op("add", [tensor(x, TOKENS, D), tensor(tid + "o", TOKENS, D)],
       tensor(tid + "mid", TOKENS, D), name.rstrip("."))
    norm(tid + "norm2", tid + "mid", name + "post_attention_layernorm")
    linear(tid + "gate", tid + "norm2", D, FFN, name + "mlp.gate_proj")
    linear(tid + "up", tid + "norm2", D, FFN, name + "mlp.up_proj")
    op("silu", [tensor(tid + "gate", TOKENS, FFN)],
       tensor(tid + "silu", TOKENS, FFN), name + "mlp.act_fn")
    op("mul", [tensor(tid + "silu", TOKENS, FFN),
               tensor(tid + "up", TOKENS, FFN)],
       tensor(tid + "act", TOKENS, FFN), name + "mlp")
    linear(tid + "down", tid + "act", FFN, D, name + "mlp.down_proj")
    op("add", [tensor(tid + "mid", TOKENS, D), tensor(tid + "down", TOKENS, D)],
       tensor(tid + "out", TOKENS, D), name.rstrip("."))
    return tid + "out"


def main():
    wanted = int(sys.argv[1])
    write = sys.stdout.write
    write('{"kind":"trace","format":"simfront-trace/1","model":"decoder",'
          '"route":"dispatch","workload":{"batch":1,"tokens":%d}}\n' % TOKENS)
    x, n = "embed", 0
    while ops < wanted:
        x, n = layer(n, x), n + 1
        write("".join(out))
        del out[:]
    write('{"kind":"end","ops":%d}\n' % ops)


main()
