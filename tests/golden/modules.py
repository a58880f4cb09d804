#!/usr/bin/env python3
"""Records which module PyTorch says that each operator is of.

usage: modules.py >tests/data/modules.jsonl

One line a model: its configuration, and [operator, module] of its exported
program in Core ATen, by torch.export's own objects.
"""

import json

import torch
from transformers import AutoConfig, AutoModelForCausalLM

LLAMA = {"model_type": "llama", "hidden_size": 64, "intermediate_size": 128,
         "num_hidden_layers": 2, "num_attention_heads": 4,
         "num_key_value_heads": 2, "vocab_size": 100,
         "tie_word_embeddings": False}
MODELS = (
    LLAMA,
    {**LLAMA, "model_type": "qwen3", "head_dim": 16},
    {"model_type": "gpt2", "n_embd": 64, "n_head": 4, "n_layer": 2,
     "n_positions": 64, "vocab_size": 100},
)


def operators(config):
    with torch.device("meta"), torch.no_grad():
        model = AutoModelForCausalLM.from_config(
            AutoConfig.for_model(**config), dtype=torch.bfloat16).eval()
        program = torch.export.export(
            model, (torch.zeros(1, 8, dtype=torch.long),),
            {"use_cache": False}).run_decompositions()
    for node in program.graph.nodes:
        if node.op == "call_function" and "getitem" not in str(node.target):
            stack = node.meta.get("nn_module_stack")
            yield [str(node.target).rsplit(".", 1)[0],
                   list(stack.values())[-1][0] if stack else ""]


if __name__ == "__main__":
    for config in MODELS:
        print(json.dumps({"config": config, "ops": list(operators(config))}))
