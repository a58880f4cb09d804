#!/usr/bin/env python3
"""Records traces of two small Qwen3 models, as record.py does of the others.

usage: qwen3.py DIRECTORY
"""

import sys

import record

QWEN3 = {
    "model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"],
    "hidden_act": "silu", "hidden_size": 24, "intermediate_size": 50,
    "vocab_size": 60, "max_position_embeddings": 512, "rms_norm_eps": 1e-06,
}

# Heads that are wider than hidden size over heads, tied; and one with biases
# and a window that its later layers have.
MODELS = (
    ({**QWEN3, "num_hidden_layers": 2, "num_attention_heads": 6,
      "num_key_value_heads": 2, "head_dim": 10,
      "tie_word_embeddings": True}, 2, "bf16"),
    ({**QWEN3, "num_hidden_layers": 3, "num_attention_heads": 4,
      "num_key_value_heads": 4, "head_dim": 6, "attention_bias": True,
      "use_sliding_window": True, "sliding_window": 4,
      "max_window_layers": 1, "tie_word_embeddings": False}, 1, "f32"),
)

CALLS = (("dispatch", "meta", "prefill", 7), ("dispatch", "meta", "decode", 9),
         ("dispatch", "cpu", "prefill", 7), ("dispatch", "cpu", "decode", 9),
         ("export", "meta", "prefill", 7), ("compile", "meta", "prefill", 7),
         ("onnx", "meta", "prefill", 7))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    record.record_models(sys.argv[1], "qwen3",
                         [(*model, CALLS) for model in MODELS])
