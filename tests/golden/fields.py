#!/usr/bin/env python3
"""Records small models whose configuration has what the others do not: fields
that change constants and no shape, and heads that are wide for fused kernels.

usage: fields.py DIRECTORY
"""

import sys

import record

LLAMA = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"],
    "hidden_act": "silu", "hidden_size": 24, "intermediate_size": 20,
    "num_hidden_layers": 2, "num_attention_heads": 3,
    "num_key_value_heads": 1, "vocab_size": 40,
    "max_position_embeddings": 512, "tie_word_embeddings": False,
}
GPT2 = {
    "model_type": "gpt2", "architectures": ["GPT2LMHeadModel"],
    "n_embd": 16, "n_head": 4, "n_layer": 3, "n_positions": 64,
    "vocab_size": 40, "tie_word_embeddings": True,
}
YARN = {"rope_type": "yarn", "factor": 4.0,
        "original_max_position_embeddings": 128}

GRAPHS = (("export", "meta", "prefill", 5), ("onnx", "meta", "prefill", 5))
DISPATCH = (("dispatch", "meta", "prefill", 5),
            ("dispatch", "meta", "decode", 3),
            ("dispatch", "cpu", "prefill", 5),
            ("dispatch", "cpu", "decode", 3))

# YaRN by its factor alone; by a multiplier that is another constant of the
# graph, too, under the newer name; by a quotient that is 1, and by one that is
# not. GPT-2's scales by layer, and none.
MODELS = (
    ({**LLAMA, "rope_scaling": YARN}, 1, "bf16", GRAPHS),
    ({**LLAMA, "model_type": "qwen2", "hidden_act": "gelu_new",
      "architectures": ["Qwen2ForCausalLM"],
      "rope_parameters": {**YARN, "rope_theta": 10000.0,
                          "attention_factor": 0.5}}, 2, "f32", GRAPHS),
    ({**LLAMA, "rope_scaling": {**YARN, "mscale": 1.0,
                                "mscale_all_dim": 1.0}}, 1, "f32", GRAPHS),
    ({**LLAMA, "model_type": "mistral", "sliding_window": None,
      "architectures": ["MistralForCausalLM"],
      "rope_scaling": {**YARN, "mscale": 1.0, "mscale_all_dim": 0.7}},
     1, "f16", GRAPHS),
    ({**GPT2, "scale_attn_by_inverse_layer_idx": True}, 1, "bf16",
     GRAPHS + DISPATCH),
    ({**GPT2, "scale_attn_weights": False}, 2, "f32", GRAPHS + DISPATCH),
    ({**LLAMA, "hidden_size": 774, "head_dim": 258}, 1, "bf16", DISPATCH),
)

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    record.record_models(sys.argv[1], "fields", MODELS)
