#!/usr/bin/env python3
"""The shapes that ONNX Runtime gives to nodes of its own operators.

usage: onnx-contrib.py [SEED] >tests/data/shapes/runtime.txt

Prints lines that build/unit/infer reads, one a random node: by a run of the
kernel where the processor has one (ran), by the shape inference of the schema
where it has not (told). What only the values of a run decide is not asked.
Needs onnx and onnxruntime; tests/golden/README.md says which.
"""
import json
import os
import random
import re
import sys
import tempfile

import ml_dtypes
import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper

TYPES = {"f32": TensorProto.FLOAT, "f16": TensorProto.FLOAT16,
         "bf16": TensorProto.BFLOAT16, "f64": TensorProto.DOUBLE,
         "i64": TensorProto.INT64, "i32": TensorProto.INT32,
         "i8": TensorProto.INT8, "u8": TensorProto.UINT8,
         "i16": TensorProto.INT16, "u32": TensorProto.UINT32,
         "b8": TensorProto.BOOL, "str": TensorProto.STRING,
         "f8e4m3fn": TensorProto.FLOAT8E4M3FN}
NAMES = {v: k for k, v in TYPES.items()}
DOMAINS = ("com.microsoft.nchwc", "com.microsoft", "com.ms.internal.nhwc",
           "ai.onnx.ml")
MS = "com.microsoft."
NCHWC = "com.microsoft.nchwc."
NHWC = "com.ms.internal.nhwc."


def t(dtype, *dims, data=None):
    """A value as the lines have it."""
    text = "%s[%s]" % (dtype, ",".join(map(str, dims)))
    return text + ("{%s}" % ",".join(map(str, data)) if data is not None
                   else "")


def removed(r):
    n, c, h, w = (r.randint(2, 9) for _ in range(4))
    for name in ("Affine", "ParametricSoftplus", "ScaledTanh", "Scale"):
        yield name, [t("f32", n, c)], ""
    yield "ImageScaler", [t("f32", n, c, h, w)], "bias=[%s]" % ",".join(["1.0"] * c)
    yield "Crop", [t("f32", n, c, h + 4, w + 5)], "border=[1,2,3,1]"
    yield "Crop", [t("f32", n, c, h + 4, w + 5)], "border=[1,2,0,0] scale=[3,2]"
    yield "DynamicSlice", [t("f32", 9, 8), t("i64", 2, data=[1, -3]),
                           t("i64", 2, data=[7, 100]),
                           t("i64", 2, data=[0, 1])], ""


def attention(r):
    b, s, heads, d = (r.randint(1, 4) for _ in range(4))
    e, v, p = r.randint(3, 9), r.randint(1, 3), r.randint(1, 6)
    hidden, tokens = heads * d, r.randint(4, 9)
    ends = t("i32", 3, data=[0, 2, tokens])
    places = t("i32", 2, tokens, data=range(2 * tokens))
    yield MS + "PackedAttention", [
        t("f32", tokens, e), t("f32", e, 3 * hidden), t("f32", 3 * hidden),
        places, ends], "num_heads=%d" % heads
    yield MS + "PackedAttention", [
        t("f32", tokens, e), t("f32", e, 2 * hidden + heads * v),
        t("f32", 2 * hidden + heads * v), places, ends], \
        "num_heads=%d qkv_hidden_sizes=[%d,%d,%d]" % (
            heads, hidden, hidden, heads * v)
    yield MS + "PackedMultiHeadAttention", [
        t("f32", tokens, hidden), t("f32", tokens, hidden),
        t("f32", tokens, heads * v), "_", places, ends], "num_heads=%d" % heads
    yield MS + "PackedMultiHeadAttention", [
        t("f32", tokens, heads, 3, d), "_", "_", "_", places, ends], \
        "num_heads=%d" % heads
    yield MS + "DecoderMaskedMultiHeadAttention", [
        t("f32", b, 1, hidden), t("f32", b, 1, hidden), t("f32", b, 1, hidden),
        "_", "_", t("f32", b, heads, p, d), t("f32", b, heads, p, d)], \
        "num_heads=%d" % heads
    yield MS + "DecoderMaskedMultiHeadAttention", [
        t("f32", b, 1, hidden), t("f32", b, heads, p, d),
        t("f32", b, heads, p, d)], "num_heads=%d" % heads
    shared = p + 3
    yield MS + "DecoderMaskedMultiHeadAttention", [
        t("f32", b, 1, hidden), t("f32", b, 1, hidden), t("f32", b, 1, hidden),
        "_", "_", t("f32", b, heads, shared, d), t("f32", b, heads, shared, d),
        t("i32", 1, data=[p])], \
        "num_heads=%d past_present_share_buffer=1" % heads
    yield MS + "DecoderMaskedSelfAttention", [
        t("f32", b, 1, e), t("f32", e, 3 * hidden), t("f32", 3 * hidden), "_",
        t("f32", 2, b, heads, p, d), "_", t("i32", 1, data=[p])], \
        "num_heads=%d past_present_share_buffer=1" % heads
    flags = [t("b8", 1, data=[0])] * 4
    yield MS + "DecoderAttention", [
        t("f32", s, b, hidden), t("f32", s, b, hidden),
        t("f32", hidden, hidden), t("f32", hidden, 2 * hidden),
        t("f32", 3 * hidden), "_", "_", "_"] + flags, "num_heads=%d" % heads
    kv = r.randint(1, 3)
    q = kv * r.randint(1, 3)
    yield MS + "PagedAttention", [
        t("f16", tokens, q * 8), t("f16", tokens, kv * 8),
        t("f16", tokens, kv * 8), t("f16", 6, 16, kv, 8),
        t("f16", 6, 16, kv, 8), ends, t("i32", 2, data=[0, 0]),
        t("i32", 2, 3)], "num_heads=%d kv_num_heads=%d" % (q, kv)
    yield MS + "PagedAttention", [
        t("f16", tokens, (q + 2 * kv) * 8), "_", "_", t("f16", 6, 16, kv, 8),
        t("f16", 6, 16, kv, 8), ends, t("i32", 2, data=[0, 0]),
        t("i32", 2, 3)], "num_heads=%d kv_num_heads=%d" % (q, kv)
    yield MS + "SparseAttention", [
        t("f32", b, 16, q * 8), t("f32", b, 16, kv * 8),
        t("f32", b, 16, kv * 8), t("f32", b, kv, 32, 8),
        t("f32", b, kv, 32, 8), t("i32", 1, 3, data=[0, 1, 3]),
        t("i32", 1, 3, data=[0, 0, 1]), t("i32", 1, data=[16]),
        t("i32", b, data=[16] * b)], \
        "num_heads=%d kv_num_heads=%d sparse_block_size=16" % (q, kv)
    yield MS + "DynamicSparseAttention", [
        t("f16", b, s, q * 8), t("f16", b, s, kv * 8), t("f16", b, s, kv * 8),
        t("f16", b, kv, 32, 8), t("f16", b, kv, 32, 8), "_", "_",
        t("i32", b * s, 4), t("i32", b * s), t("i32", b), t("i32", 1)], \
        "num_heads=%d kv_num_heads=%d" % (q, kv)
    yield MS + "SparsePagedAttention", [
        t("f16", tokens, q * 8), t("f16", tokens, kv * 8),
        t("f16", tokens, kv * 8), t("f16", 6, 16, kv, 8),
        t("f16", 6, 16, kv, 8), ends, t("i32", 2), t("i32", 2, 3), "_",
        t("i32", tokens, 4), t("i32", tokens)], \
        "num_heads=%d kv_num_heads=%d" % (q, kv)
    yield MS + "SparseAttentionIndexer", [
        t("f16", b, s, heads * 8), t("f16", b, s, 8), t("f16", 8),
        t("f16", 8), t("f16", 64, 4), t("f16", 64, 4), t("i64", b, p + s),
        t("f16", b, p, 8)], \
        "policy_mode='qsa' compress_ratio=4 token_budget=8"
    yield MS + "PackedSparseAttentionIndexer", [
        t("f16", tokens, heads * 8), t("f16", tokens, 8), t("f16", 8),
        t("f16", 8), t("f16", 64, 4), t("f16", 64, 4), ends, t("i32", 2), "_",
        "_", "_", "_", t("f16", 2, 32, 8), t("f16", 2, 7, 8), "_",
        t("i32", 2, 2)], "policy_mode='qsa' compress_ratio=4 token_budget=8 " \
        "state_capacity=32"
    yield MS + "PackedSparseAttentionIndexerMerge", [
        t("i32", 5, 4), t("i32", 5), t("i32", 3), t("i32", 3), t("i32", 3)], \
        "policy_mode='append_range' max_output_entries=9"
    yield MS + "LongformerAttention", [
        t("f32", b, 8, hidden), t("f32", hidden, 3 * hidden),
        t("f32", 3 * hidden), t("f32", b, 8), t("f32", hidden, 3 * hidden),
        t("f32", 3 * hidden), t("i32", b, 8)], \
        "num_heads=%d window=2" % heads
    yield MS + "RelativePositionBias", [
        t("f32", 32, heads), t("i64", 1, data=[s]), t("i64", 1, data=[s])], \
        "max_distance=128"
    yield MS + "GatedRelativePositionBias", [
        t("f32", b, s, hidden), t("f32", hidden), t("f32", 1, heads, s, s),
        t("f32", d, 8), t("f32", 8), t("f32", 1, heads, 1, 1)], \
        "num_heads=%d" % heads
    yield MS + "GatedRelativePositionBias", [
        t("f32", tokens, hidden), t("f32", hidden), t("f32", 1, heads, s, s),
        t("f32", d, 8), t("f32", 8), t("f32", 1, heads, 1, 1),
        t("i32", b, s)], "num_heads=%d" % heads
    scale = t("f32")
    yield MS + "QOrderedAttention", [t("i8", b, s, hidden)] + [scale] * 4 + [
        t("i8", hidden, hidden)] * 3 + [scale] * 3 + [t("f32", hidden)] * 3 + [
        scale] * 3, "num_heads=%d order_input=1 order_weight=0 " \
        "order_output=1" % heads
    yield MS + "QOrderedLongformerAttention", [
        t("i8", b, 8, hidden), scale, t("i8", hidden, 3 * hidden), scale,
        t("f32", 3 * hidden), scale, scale, t("f16", b, 8),
        t("i8", hidden, 3 * hidden), scale, t("f32", 3 * hidden), scale,
        t("i32", b, 8), scale], "num_heads=%d window=2 order_input=1 " \
        "order_weight=0 order_global_weight=0 order_output=1" % heads


def products(r):
    m, k, n = r.randint(1, 5), 32 * r.randint(1, 2), 8 * r.randint(1, 3)
    b = r.randint(1, 3)
    yield MS + "MatMulFpQ4", [
        t("f32", m, k), t("u8", n * k // 32 * 20),
        t("i64", 2, data=[k, n])], "blk_quant_type=1"
    yield MS + "MatMulBlockQuantizedFp4Weight", [
        t("f16", b, m, k), t("u8", n, k // 2), t("u8", n, k // 16),
        t("f32")], ""
    yield MS + "MatMulBlockQuantizedFp8Weight", [
        t("f16", b, m, k), t("f8e4m3fn", n, k), t("f32", n, 1)], ""
    quant = "K=%d N=%d bits=4 block_size=32" % (k, n)
    packed, scales = t("u8", n, k // 32, 16), t("f16", n, k // 32)
    yield MS + "MatMulNBitsMlp", [
        t("f16", b, m, k), "_", t("f16", k), packed, scales, "_", packed,
        scales], quant + " activation='silu'"
    yield MS + "MatMulNBitsQkv", [
        t("f16", b, m, k), "_", t("f16", k), packed, scales, "_", packed,
        scales, "_", packed, scales], \
        quant.replace("N=", "Nq=") + " Nkv=%d" % n
    yield MS + "MatMulNBitsQLoRA", [
        t("f16", b, m, k), packed, scales, t("u8", 4, k // 32, 16),
        t("f16", 4, k // 32), t("u8", n, 1, 16), t("f16", n, 1)], quant
    yield MS + "MatMulPacked", [t("bf16", b, m, k), t("u8", n, k)], \
        "packed_type=8 K=%d N=%d" % (k, n)
    yield MS + "FusedMatMulActivation", [
        t("f32", b, k, m), t("f32", b, k, n)], "transA=1 activation='Relu'"
    yield MS + "GemmFloat8", [t("f32", m, k), t("f32", n, k)], \
        "transB=1 dtype=1"
    yield MS + "QOrderedMatMul", [
        t("i8", b, m, k), t("f32"), t("i8", k, n), t("f32"), t("f32")], \
        "order_A=1 order_B=0 order_Y=1"
    yield MS + "RouterGateUpProj", [t("f16", b, m, k), t("f16", k, n)], \
        "router_size=4"
    yield MS + "MoEGroupRouter", [t("f32", b, m, 8), t("f32", 8)], "top_k=2"
    yield MS + "MoEGroupRouter", [
        t("bf16", m, k), t("f32", 8), t("bf16", 8, k)], "top_k=2"
    yield MS + "MoEPacked", [
        t("bf16", m, k), t("bf16", m, 4), t("u8", 4, n, k), t("u8", 4, n, k),
        t("u8", 4, k, n)], "gate_type=8 up_type=8 down_type=8 k=2"
    yield MS + "GatherPacked", [t("u8", 9, 34), t("i64", b, m)], \
        "packed_type=8 K=32 output_dtype=1"
    yield MS + "CDist", [t("f32", m, 4), t("f32", n, 4)], \
        "metric='sqeuclidean'"
    yield MS + "TorchEmbedding", [t("f32", 9, k), t("i64", b, m)], ""
    d, i, h = r.randint(1, 2), r.randint(2, 5), r.randint(2, 5)
    way = "direction='%s' hidden_size=%d" % (
        ["forward", "bidirectional"][d - 1], h)
    yield MS + "DynamicQuantizeLSTM", [
        t("f32", m, b, i), t("u8", d, i, 4 * h), t("u8", d, h, 4 * h), "_",
        "_", "_", "_", "_", t("f32", d), t("u8", d), t("f32", d),
        t("u8", d)], way
    a = r.randint(2, 4)
    yield MS + "AttnLSTM", [
        t("f32", m, b, i), t("f32", d, 4 * h, i + a), t("f32", d, 4 * h, h),
        "_", "_", "_", "_", "_", t("f32", d, h, a), t("f32", d, 3, a),
        t("f32", d, a), t("f32", b, 5, 3), "_", t("f32", d, 3 + h, a)], way
    yield MS + "WordConvEmbedding", [
        t("i32", m, 6, data=[1] * (6 * m)), t("f32", n, 1, 2, i),
        t("f32", n), t("f32", 9, i)], ""


def states(r):
    b, c, s, k = (r.randint(2, 5) for _ in range(4))
    tokens = r.randint(4, 8)
    ends = t("i32", 3, data=[0, 2, tokens])
    yield MS + "CausalConvWithState", [
        t("f32", b, c, s), t("f32", c, 1, k)], ""
    yield MS + "CausalConvWithState", [
        t("f32", b, c, s + 4), t("f32", c, 1, k)], "dilation=2"
    yield MS + "CausalConvWithState", [
        t("f32", b, s, c), t("f32", c, 1, k), t("f32", c)], "channels_last=1"
    yield MS + "CausalConvWithState", [
        t("f32", b, c, s), t("f32", c, 1, k), "_",
        t("f32", 3, b, c, k - 1)], "state_window=3"
    yield MS + "VarlenCausalConvWithState", [
        t("f32", tokens, c), t("f32", c, 1, k), ends, "_",
        t("f32", 2, c, k - 1)], ""
    kv, d, v = r.randint(1, 3), r.randint(2, 5), r.randint(2, 5)
    q = kv * r.randint(1, 2)
    heads = "q_num_heads=%d kv_num_heads=%d" % (q, kv)
    yield MS + "LinearAttention", [
        t("f32", b, s, q * d), t("f32", b, s, kv * d), t("f32", b, s, kv * v)], \
        heads + " update_rule='linear'"
    yield MS + "LinearAttention", [
        t("f32", b, s, kv * d), t("f32", b, s, 2 * kv * d),
        t("f32", b, s, 2 * kv * v)], "q_num_heads=%d kv_num_heads=%d " \
        "update_rule='linear'" % (kv, 2 * kv)
    yield MS + "LinearAttention", [
        t("f32", b, s, q * d), t("f32", b, s, kv * d), t("f32", b, s, kv * v),
        t("f32", 2, b, kv, d, v)], heads + \
        " update_rule='linear' state_window=2"
    yield MS + "GatedDeltaNet", [
        t("f32", tokens, kv, d), t("f32", tokens, kv, d),
        t("f32", tokens, 2 * kv, v), ends, t("f32", tokens, 2 * kv),
        t("f32", tokens, 2 * kv)], ""
    yield MS + "GatedDeltaNet", [
        t("f32", b, s, kv, d), t("f32", b, s, kv, d),
        t("f32", b, s, 2 * kv, v), "_", t("f32", b, s, 2 * kv),
        t("f32", b, s, 2 * kv), t("f32", b, 2 * kv, v, d)], ""
    yield MS + "GatedDeltaNet", [
        t("f32", tokens, 2 * kv * d + 2 * kv * v), "_", "_", ends,
        t("f32", tokens, 2 * kv), t("f32", tokens, 2 * kv),
        t("f32", 2, 2 * kv, v, d)], ""
    yield MS + "LinearAttentionGate", [
        t("f32", b, s, kv), t("f32", kv), t("f32", kv), t("f32", b, s, kv)], ""
    yield MS + "Mamba2Verify", [
        t("bf16", 3, 2 * 128 + 2 * 128 + 2), t("bf16", 4, 128 + 256, 3),
        t("f32", 4, 2, 128, 64), t("bf16", 384, 4), t("bf16", 384),
        t("f32", 2), t("f32", 2), t("f32", 2), t("f32", 128), t("i32", 1)], \
        "heads=2 n_groups=1"
    yield MS + "ConvStateReplay", [
        t("f32", 40), t("f32", 20), t("f32", 60), t("i64", 8)], ""
    yield MS + "GatedDeltaNetStateReplay", [
        t("f32", 40), t("f32", 20), t("f32", 60), t("i64", 11)], ""
    yield MS + "SpeculativePrefixCommit", [
        t("i64", b, 4), t("i64", b, 4), t("i32", 4), t("i64", b, 16),
        t("i64", b, 2), t("i64", b, 8), t("i64", 2)], "head_rows=4"
    ids = "max_ngram_size=3 n_head_per_ngram=2 pad_id=0"
    yield MS + "NGramHashMapping", [
        t("i64", b, s), t("i64", 3, data=[1, 3, 5]),
        t("i64", 4, data=[7, 11, 13, 17])], ids
    yield MS + "VarlenNGramHashMapping", [
        t("i64", tokens), t("i64", 3, data=[1, 3, 5]),
        t("i64", 4, data=[7, 11, 13, 17]), ends], ids
    h = r.randint(2, 6)
    yield MS + "EngramGate", [
        t("f32", b, s, 2, h), t("f32", b, s, 2, h), t("f32", b, s, h),
        t("f32", 2, h), t("f32", 2, h), t("f32", 2, h)], ""
    yield MS + "HyperConnectionPreMix", [
        t("f32", b, s, c, h), t("f32", b, s, c)], ""
    yield MS + "HyperConnectionPreMix", [
        t("f32", b, s, c * h), t("f32", b, s, c)], "num_branches=%d" % c
    yield MS + "HyperConnectionPostMix", [
        t("f32", b, s, c, h), t("f32", b, s, h), t("f32", b, s, c)], ""
    yield MS + "HyperConnectionLowRankMix", [
        t("f16", b, s, c * h), t("f16", c * h), t("f16", c * h, 3),
        t("f16", 3, c * h), t("f16", c * h, c)], "num_branches=%d" % c
    yield MS + "GatedAdd", [
        t("f32", b, s, h), t("f32", b, s, h), t("f32", b, s, 1)], ""
    yield MS + "BranchwiseRMSNorm", [t("f32", b, c, h), t("f32", h)], ""
    yield MS + "GatedRMSNorm", [
        t("f32", b, s, 2 * h), t("f32", h), t("f32", b, s, 2 * h)], ""
    yield MS + "RMSNormRotary", [
        t("bf16", b, s, kv, 16), t("f32", 8), t("i64", b, s),
        t("bf16", 64, 4), t("bf16", 64, 4)], \
        "rotary_embedding_dim=8 input_width=8"


def others(r):
    n, c, h, w = (r.randint(2, 6) for _ in range(4))
    yield MS + "BitmaskDropout", [t("f32", n, c, h, w)], ""
    yield MS + "BitmaskBiasDropout", [t("f32", n, c, h), t("f32", h)], ""
    yield MS + "RestorePadding", [t("f32", 5, h), t("i32", n, c)], ""
    yield MS + "Pad", [t("f32", n, c), t("i64", 1, 4, data=[1, 0, 2, 3])], ""
    yield MS + "ExpandDims", [t("f32", n, c, h), t("i32", data=[1])], ""
    yield MS + "ExpandDims", [t("f32", n, c, h), t("i32", data=[-1])], ""
    yield MS + "Range", [t("i64", 1, data=[2]), t("i64", 1, data=[9])], ""
    yield MS + "Range", [t("f32", data=[1]), t("f32", data=[9]),
                         t("f32", data=[3])], ""
    yield MS + "CropAndResize", [
        t("f32", n, c, h, w), t("f32", 3, 4), t("i32", 3, data=[0, 1, 0]),
        t("i32", 2, data=[5, 7])], ""
    yield MS + "UnfoldTensor", [t("f32", n, c + 6)], "dim=-1 size=4 step=3"
    yield MS + "UnfoldTensor", [t("f32", n + 3, c)], "dim=0 size=2"
    yield MS + "Rfft", [t("f32", n, 2 * c)], "signal_ndim=1 onesided=1"
    yield MS + "Irfft", [t("f32", n, c, 2)], "signal_ndim=1 onesided=1"
    yield MS + "IsAllFinite", [t("f32", n, c), t("f32", h)], ""
    yield MS + "ComplexMul", [t("f32", n, c, 2), t("f32", 1, 2)], ""
    yield MS + "ComplexMulConj", [t("f32", n, c, 2), t("f32", n, 1, 2)], ""
    yield MS + "MulInteger", [t("u8", n, c), "_", t("u8", c)], ""
    yield MS + "MurmurHash3", [t("i32", n, c)], ""
    yield MS + "MurmurHash3", [t("i64", n, c)], "positive=0"
    yield MS + "SwiGLU", [t("f32", n, 2 * c)], ""
    yield MS + "SwiGLU", [t("f32", n, c), t("f32", n, c)], ""
    yield MS + "ScaledSiLU", [t("f32", n, c)], ""
    yield MS + "SampleOp", [t("f32", n, c)], ""
    yield MS + "GatherND", [t("f32", n, c, h), t("i64", w, 2, data=[1] * 2 * w)], ""
    yield MS + "NGramRepeatBlock", [
        t("i64", n, c, data=[1] * (n * c)), t("f32", n, 9)], "ngram_size=2"
    yield MS + "MRotaryEmbedding", [
        t("f32", n, c, 8), t("i64", 3, n, c, data=[0] * (3 * n * c)),
        t("f32", 64, 4), t("f32", 64, 4)], \
        "mrope_section=[2,1,1] num_heads=1 rotary_embedding_dim=8"
    yield MS + "MaxpoolWithMask", [
        t("f32", n, c, h + 2, w + 2), t("i32", n, c, h + 2, w + 2)], \
        "kernel_shape=[2,2] strides=[2,1]"
    table = [t("u8", 9, c), t("u8", 9, c), t("u8", 2, c), t("u8", c),
             t("u8", c), "_"] + [t("f32")] * 5 + [t("u8")] * 5
    yield MS + "QEmbedLayerNormalization", [
        t("i32", n, h, data=[0] * (n * h)),
        t("i32", n, h, data=[0] * (n * h))] + table, ""
    yield MS + "DequantizeWithOrder", [t("i8", n, c), t("f32")], \
        "to=10 order_input=1 order_output=1"
    yield MS + "QuantizeWithOrder", [t("f32", n, c), t("f32")], \
        "order_input=1 order_output=1"
    yield MS + "QOrderedGelu", [t("i8", n, c), t("f32"), t("f32")], ""
    yield MS + "QOrderedLayerNormalization", [
        t("i8", n, c), t("f32"), t("f32", c), t("f32", c), t("f32")], ""
    # What may be left out in the middle.
    yield MS + "EmbedLayerNormalization", [
        t("i32", n, h, data=[0] * (n * h)), "_", t("f32", 9, c),
        t("f32", 9, c), "_", t("f32", c), t("f32", c)], ""
    yield MS + "QLinearAdd", [
        t("u8", n, c), t("f32"), "_", t("u8", c), t("f32"), "_", t("f32")], ""


def blocked(r):
    n, c, h, w = r.randint(1, 3), 16 * r.randint(1, 2), 8, 9
    x = t("f32", n, c, h, w)
    yield NCHWC + "ReorderInput", [x], ""
    yield NCHWC + "ReorderInput", [t("f32", n, h, w, c)], "channels_last=1"
    yield NCHWC + "ReorderOutput", [x], "channels=%d" % (c - 4)
    yield NCHWC + "ReorderOutput", [x], \
        "channels=%d channels_last=1" % (c - 4)
    yield NCHWC + "Conv", [x, t("f32", 32, c, 3, 2), t("f32", 32)], \
        "kernel_shape=[3,2] strides=[2,1] pads=[1,0,1,1]"
    yield NCHWC + "MaxPool", [x], "kernel_shape=[2,3] strides=[2,2]"
    yield NCHWC + "AveragePool", [x], "kernel_shape=[2,3] pads=[0,1,1,1]"
    yield NCHWC + "GlobalAveragePool", [x], ""
    yield NCHWC + "GlobalMaxPool", [x], ""
    yield NCHWC + "Upsample", [x], "scales=[1,1,2,3]"


def last(r):
    n, c, h, w = (r.randint(3, 6) for _ in range(4))
    x = t("f32", n, h, w, c)
    yield NHWC + "Conv", [x, t("f32", 5, c, 3, 2)], "strides=[2,1]"
    yield NHWC + "ConvTranspose", [x, t("f32", c, 5, 3, 2)], "strides=[2,1]"
    yield NHWC + "MaxPool", [x], "kernel_shape=[2,3]"
    yield NHWC + "AveragePool", [x], "kernel_shape=[2,2] strides=[2,2]"
    yield NHWC + "LpPool", [x], "kernel_shape=[2,2] strides=[2,2]"
    yield NHWC + "GlobalAveragePool", [x], ""
    yield NHWC + "GlobalMaxPool", [x], ""
    yield NHWC + "GlobalLpPool", [x], ""
    yield NHWC + "BatchNormalization", [x] + [t("f32", c)] * 4, ""
    yield NHWC + "InstanceNormalization", [x] + [t("f32", c)] * 2, ""
    yield NHWC + "LRN", [x], "size=3"
    yield NHWC + "GridSample", [x, t("f32", n, 3, 2, 2)], ""
    yield NHWC + "DepthToSpace", [t("f32", n, h, w, 8)], "blocksize=2"
    yield NHWC + "SpaceToDepth", [t("f32", n, 8, 6, c)], "blocksize=2"
    yield NHWC + "Resize", [x, "_", t("f32", 4, data=[1, 2, 3, 1])], ""
    yield NHWC + "Resize", [
        x, "_", "_", t("i64", 4, data=[n, 5, 7, c])], ""
    scale, zero = t("f32"), t("u8")
    yield NHWC + "QLinearConv", [
        t("u8", n, h, w, c), scale, zero, t("u8", 5, c, 3, 2), scale, zero,
        scale, zero], ""
    yield NHWC + "QLinearAveragePool", [
        t("u8", n, h, w, c), scale, zero, scale, zero], \
        "kernel_shape=[2,2]"


FAMILIES = (removed, attention, products, states, others, blocked, last)


# ---- one node ----

def split_name(name):
    for domain in DOMAINS:
        if name.startswith(domain + "."):
            return domain, name[len(domain) + 1:]
    return "", name


def read_value(text):
    """dtype, dims, contents or None."""
    match = re.fullmatch(r"(\w+)\[([0-9,]*)\](?:\{(.*)\})?", text)
    dims = [int(d) for d in match[2].split(",") if d]
    data = match[3].split(",") if match[3] else None
    return match[1], dims, data


def read_attrs(text):
    attrs = {}
    for name, value in re.findall(r"(\w+)=('[^']*'|\[[^\]]*\]|\S+)", text):
        attrs[name] = eval(value, {"__builtins__": {}})
    return attrs


def array(dtype, dims, data):
    kind = helper.tensor_dtype_to_np_dtype(TYPES[dtype])
    if data is not None:
        return numpy.array([float(d) for d in data]).reshape(dims).astype(kind)
    return numpy.full(dims, 1).astype(kind)


def graph_of(name, inputs, attrs, outputs):
    domain, op = split_name(name)
    infos, inits, names = [], [], []
    for i, text in enumerate(inputs):
        if text == "_":
            names.append("")
            continue
        dtype, dims, data = read_value(text)
        names.append("i%d" % i)
        if data is not None:
            inits.append(onnx.numpy_helper.from_array(
                array(dtype, dims, data), names[-1]))
        else:
            infos.append(helper.make_tensor_value_info(
                names[-1], TYPES[dtype], dims))
    node = helper.make_node(op, names, [o.name for o in outputs],
                            domain=domain, **attrs)
    graph = helper.make_graph([node], "g", infos, outputs, inits)
    # What was removed is there up to opset 9.
    sets = [helper.make_opsetid("", 18 if domain else 7)]
    if domain:
        sets.append(helper.make_opsetid(
            domain, 18 if domain == NHWC[:-1] else 1))
    model = helper.make_model(graph, opset_imports=sets)
    model.ir_version = 9
    return model.SerializeToString()


def session(model):
    """A session and what it said on standard error; no session: None."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 2
    options.graph_optimization_level = \
        onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    with tempfile.TemporaryFile() as log:
        kept = os.dup(2)
        os.dup2(log.fileno(), 2)
        try:
            found, error = onnxruntime.InferenceSession(
                model, options, providers=["CPUExecutionProvider"]), ""
        except Exception as e:
            found, error = None, str(e)
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        log.seek(0)
        return found, error + log.read().decode(errors="replace")


def untyped(count):
    return [onnx.ValueInfoProto(name="o%d" % i) for i in range(count)]


def run(name, inputs, attrs, count):
    """The outputs by a run, or None."""
    made, _ = session(graph_of(name, inputs, attrs, untyped(count)))
    if made is None:
        return None
    feeds = {}
    for i, text in enumerate(inputs):
        if text != "_" and read_value(text)[2] is None:
            dtype, dims, data = read_value(text)
            feeds["i%d" % i] = array(dtype, dims, data)
    try:
        results = made.run(None, feeds)
    except Exception as e:
        print("#", name, inputs, attrs, e, file=sys.stderr)
        return None
    return [t(NAMES[helper.np_dtype_to_tensor_dtype(x.dtype)], *x.shape,
              # What is made of sizes alone is followed.
              data=[int(v) for v in x.flat] if name.endswith(".Range")
              else None) for x in results]


def told(name, inputs, attrs, count):
    """The outputs by shape inference: what does not merge with 999s."""
    outputs = untyped(count)
    found = ["?"] * count
    for i in range(count):
        for dtype in ("f32", "f16", "bf16", "i32", "i64", "i8", "u8", "b8",
                      "u32"):
            asked = list(outputs)
            asked[i] = helper.make_tensor_value_info(
                "o%d" % i, TYPES[dtype], [999] * 9)
            _, log = session(graph_of(name, inputs, attrs, asked))
            match = re.search(
                r"output\. 'o%d' source:\{([0-9,]*)\}" % i, log)
            if match:
                found[i] = "%s[%s]" % (dtype, match[1])
                break
    return found


def outputs_of(name):
    domain, op = split_name(name)
    state = onnxruntime.capi.onnxruntime_pybind11_state
    for schema in state.get_all_operator_schema():
        if (schema.domain, schema.name) == (domain, op):
            return min(schema.max_output, 8), schema.min_output
    raise LookupError(name)


def line(name, inputs, attrs):
    most, least = outputs_of(name)
    parsed = read_attrs(attrs)
    for count in sorted({most, max(least, 1)}, reverse=True):
        result = apart(run, name, inputs, parsed, count)
        if result:
            return "ran", result
    for count in sorted({most, max(least, 1)}, reverse=True):
        result = apart(told, name, inputs, parsed, count) or []
        while result and result[-1] == "?":
            result.pop()
        if len(result) >= max(least, 1) and "?" not in result:
            return "told", result
    return None, None


def apart(function, *args):
    """FUNCTION in a process of its own, which may die of it."""
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(there, json.dumps(function(*args)).encode())
        os._exit(0)
    os.close(there)
    with os.fdopen(here) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return json.loads(text or "null")


def main():
    r = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    print("# What ONNX Runtime %s gives: tests/oracle/onnx-contrib.py."
          % onnxruntime.__version__)
    how = None
    for family in FAMILIES:
        for _ in range(2):
            for name, inputs, attrs in family(r):
                by, outputs = line(name, inputs, attrs)
                if by is None:
                    print("# nothing known:", name, inputs, attrs,
                          file=sys.stderr)
                    continue
                if by != how:
                    print("# %s" % ("By a run." if by == "ran" else
                                    "By the schema."))
                    how = by
                print("%s %d: %s%s -> %s" % (
                    name, 18 if name.startswith(NHWC) else 1, " ".join(inputs), " | " + attrs if attrs else "",
                    " ".join(outputs)))


if __name__ == "__main__":
    main()
