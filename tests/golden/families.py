#!/usr/bin/env python3
"""Records two small models of each family that came behind the first ones.

usage: families.py DIRECTORY [PATTERN]

A configuration is drawn from a seed that is the family's name, so that a new
family changes no other's. What is there already is not made again. With
PATTERN, only the families whose name has it.
"""

import json
import os
import random
import sys

import torch

import decoders
import dense
import later
import mixtures
import normalise
import record
import states
from draws import both_stacks, decoder, experts, qwen_experts, tower

ROUTES = (("dispatch", "meta", "prefill"), ("dispatch", "meta", "decode"),
          ("dispatch", "cpu", "prefill"), ("dispatch", "cpu", "decode"),
          ("export", "meta", "prefill"), ("compile", "meta", "prefill"),
          ("onnx", "meta", "prefill"))
# PyTorch has no ONNX for the count of tokens of an expert.
NO_ONNX = ROUTES[:-1]


def mixtral(draw, number):
    return experts(
        draw, decoder(draw, "mixtral", "MixtralForCausalLM"),
        num_local_experts=draw.randint(3, 6),
        sliding_window=(None, 4)[number])


def qwen2_moe(draw, number):
    config = qwen_experts(
        draw, decoder(draw, "qwen2_moe", "Qwen2MoeForCausalLM"),
        shared_expert_intermediate_size=draw.randint(9, 40),
        norm_topk_prob=number == 0)
    if number == 0:
        return {**config, "use_sliding_window": True, "sliding_window": 4,
                "num_hidden_layers": 3, "decoder_sparse_step": 2}
    return {**config, "qkv_bias": False}


def qwen3_moe(draw, number):
    config = qwen_experts(
        draw, decoder(draw, "qwen3_moe", "Qwen3MoeForCausalLM"),
        norm_topk_prob=number == 0, head_dim=2 * draw.randint(2, 9))
    if number == 0:
        return {**config, "mlp_only_layers": [0]}
    return {**config, "use_sliding_window": True, "sliding_window": 4,
            "attention_bias": True}


def encoder(draw, number, family, classes):
    heads = draw.choice((1, 2, 3, 4, 6))
    return {
        "model_type": family, "architectures": [classes[number]],
        "hidden_act": ("gelu", "relu")[number],
        "hidden_size": heads * draw.randint(2, 8),
        "intermediate_size": draw.randint(9, 60), "num_hidden_layers": 2,
        "num_attention_heads": heads, "vocab_size": draw.randint(30, 90),
        "max_position_embeddings": 64, "type_vocab_size": 2 - number,
        "tie_word_embeddings": number == 0,
    }


def bert(draw, number):
    return encoder(draw, number, "bert", ("BertModel", "BertForMaskedLM"))


def roberta(draw, number):
    return {**encoder(draw, number, "roberta",
                      ("RobertaForMaskedLM", "RobertaModel")),
            "pad_token_id": 1 + number}


def distilbert(draw, number):
    c = encoder(draw, number, "distilbert",
                ("DistilBertForMaskedLM", "DistilBertModel"))
    return {"model_type": "distilbert", "architectures": c["architectures"],
            "activation": c["hidden_act"], "dim": c["hidden_size"],
            "hidden_dim": c["intermediate_size"], "n_layers": 2,
            "n_heads": c["num_attention_heads"],
            "vocab_size": c["vocab_size"], "max_position_embeddings": 64,
            "tie_word_embeddings": c["tie_word_embeddings"]}


def xlm_roberta(draw, number):
    return encoder(draw, number, "xlm-roberta",
                   ("XLMRobertaModel", "XLMRobertaForMaskedLM"))


def camembert(draw, number):
    return encoder(draw, number, "camembert",
                   ("CamembertForMaskedLM", "CamembertModel"))


def electra(draw, number):
    config = encoder(draw, number, "electra",
                     ("ElectraForMaskedLM", "ElectraModel"))
    if number == 0:
        return {**config, "embedding_size": draw.randint(4, 30)}
    return {**config, "embedding_size": config["hidden_size"]}


def sequences(draw, number):
    """Classifiers of sequences, of families that are recorded without."""
    if number == 0:
        return encoder(draw, 0, "bert", ("BertForSequenceClassification",))
    return {**encoder(draw, 1, "roberta",
                      ("", "RobertaForSequenceClassification")),
            "id2label": {"0": "a", "1": "b", "2": "c"}}


def more_sequences(draw, number):
    if number == 0:
        config = distilbert(draw, 0)
        return {**config,
                "architectures": ["DistilBertForSequenceClassification"]}
    return {**electra(draw, 0),
            "architectures": ["ElectraForSequenceClassification"],
            "num_labels": 5}


def labelled_tokens(draw, number):
    if number == 0:
        return {**encoder(draw, 0, "bert", ("BertForTokenClassification",)),
                "num_labels": 4}
    return encoder(draw, 1, "xlm-roberta",
                   ("", "XLMRobertaForTokenClassification"))


def headless(draw, number):
    """The base models of families that are recorded with their heads."""
    if number == 0:
        return {**decoder(draw, "mistral", "MistralModel"),
                "sliding_window": 4}
    return {"model_type": "gpt2", "architectures": ["GPT2Model"],
            "n_embd": 12, "n_head": 3, "n_layer": 2, "n_positions": 64,
            "vocab_size": 40}


def cohere(draw, number):
    config = {**decoder(draw, "cohere", "CohereForCausalLM"),
              "pad_token_id": 0}
    if number == 0:
        del config["tie_word_embeddings"]
        return config
    return {**config, "attention_bias": True, "logit_scale": 0.25,
            "use_qk_norm": True}


def gemma(draw, number):
    config = decoder(draw, "gemma", "GemmaForCausalLM")
    if number == 0:
        return {**config, "hidden_act": "gelu_pytorch_tanh",
                "head_dim": 2 * draw.randint(2, 20)}
    del config["tie_word_embeddings"], config["hidden_act"]
    return {**config, "attention_bias": True, "head_dim": 258}


def gpt_bigcode(draw, number):
    heads = draw.choice((2, 3, 4, 6))
    config = {"model_type": "gpt_bigcode",
              "architectures": ["GPTBigCodeForCausalLM"],
              "n_embd": heads * draw.randint(2, 8), "n_head": heads,
              "n_layer": 2, "n_positions": 64,
              "vocab_size": draw.randint(30, 90)}
    if number == 0:
        return config
    return {**config, "multi_query": False, "activation_function": "gelu",
            "n_inner": draw.randint(9, 60), "scale_attn_weights": False,
            "tie_word_embeddings": False}


def gpt_neox(draw, number):
    config = decoder(draw, "gpt_neox", "GPTNeoXForCausalLM")
    config["hidden_size"] = config["num_attention_heads"] * 8
    del config["num_key_value_heads"]
    if number == 0:
        del config["hidden_act"]
        return config
    return {**config, "use_parallel_residual": False, "rotary_pct": 0.5,
            "attention_bias": False}


def granite(draw, number):
    config = decoder(draw, "granite", "GraniteForCausalLM")
    if number == 0:
        return {**config, "embedding_multiplier": 12.0,
                "logits_scaling": 8.0, "residual_multiplier": 0.22,
                "attention_multiplier": 0.0625}
    return {**config, "attention_bias": True, "mlp_bias": True}


def olmo(draw, number):
    config = {**decoder(draw, "olmo", "OlmoForCausalLM"), "pad_token_id": 0}
    return config if number == 0 else {**config, "attention_bias": True}


def olmo2(draw, number):
    config = decoder(draw, "olmo2", "Olmo2ForCausalLM")
    return config if number == 0 else {**config, "attention_bias": True}


def opt(draw, number):
    config = decoder(draw, "opt", "OPTForCausalLM")
    config = {"ffn_dim": config["intermediate_size"], "pad_token_id": 0,
              **{k: config[k] for k in (
                  "model_type", "architectures", "hidden_size", "vocab_size",
                  "num_hidden_layers", "num_attention_heads",
                  "max_position_embeddings")}}
    if number == 0:
        return config
    return {**config, "do_layer_norm_before": False, "enable_bias": False,
            "word_embed_proj_dim": draw.randint(9, 20),
            "activation_function": "gelu", "tie_word_embeddings": False}


def phi(draw, number):
    config = decoder(draw, "phi", "PhiForCausalLM")
    config["hidden_size"] = config["num_attention_heads"] * 8
    del config["tie_word_embeddings"]
    if number == 0:
        del config["hidden_act"]
        return config
    return {**config, "partial_rotary_factor": 0.75, "hidden_act": "gelu",
            "tie_word_embeddings": True}


def phi3(draw, number):
    config = decoder(draw, "phi3", "Phi3ForCausalLM")
    if number == 0:
        return {**config, "pad_token_id": 0}
    heads = config["num_attention_heads"]
    return {**config, "pad_token_id": 0, "hidden_size": heads * 8,
            "partial_rotary_factor": 0.75, "sliding_window": 4}


def smollm3(draw, number):
    config = {**decoder(draw, "smollm3", "SmolLM3ForCausalLM"),
              "pad_token_id": 0, "num_hidden_layers": 4}
    if number == 0:
        return config
    return {**config, "no_rope_layers": [0, 1, 0, 1],
            "attention_bias": True}


def stablelm(draw, number):
    config = decoder(draw, "stablelm", "StableLmForCausalLM")
    config["hidden_size"] = config["num_attention_heads"] * 8
    if number == 0:
        return config
    return {**config, "use_qkv_bias": True, "use_parallel_residual": True,
            "partial_rotary_factor": 1.0}


def starcoder2(draw, number):
    config = decoder(draw, "starcoder2", "Starcoder2ForCausalLM")
    if number == 0:
        del config["hidden_act"]
        return config
    return {**config, "use_bias": False, "sliding_window": 4}


def last_logits(draw, number):
    """Families that are recorded with all logits, and here with the last."""
    if number == 0:
        return decoder(draw, "llama", "LlamaForCausalLM")
    return dense.gemma2(draw, 0)


def t5(draw, number):
    config = {"model_type": "t5",
              "architectures": ["T5ForConditionalGeneration"],
              "d_model": draw.randint(8, 20), "d_ff": draw.randint(9, 60),
              "d_kv": draw.randint(2, 8), "num_layers": 2,
              "num_heads": draw.randint(1, 4),
              "vocab_size": draw.randint(30, 90),
              "decoder_start_token_id": 0}
    if number == 0:
        return config
    return {**config, "feed_forward_proj": "gated-gelu", "num_layers": 1,
            "num_decoder_layers": 2, "tie_word_embeddings": False,
            "relative_attention_num_buckets": 8,
            "relative_attention_max_distance": 20}


def encoders(draw, number):
    """Encoders alone, of families that are recorded with their decoders."""
    config = t5(draw, number)
    return {**config, "architectures": ["T5EncoderModel"],
            "tie_word_embeddings": True}


def whisper(draw, number):
    config = both_stacks(draw, "whisper", "WhisperForConditionalGeneration",
                         max_source_positions=(10, 20),
                         max_target_positions=(16, 40), num_mel_bins=(4, 9))
    if number == 0:
        return config
    return {**config, "decoder_layers": 1, "decoder_attention_heads": 2,
            "activation_function": "relu", "tie_word_embeddings": False}


def bart(draw, number, family="bart",
         architecture="BartForConditionalGeneration"):
    config = both_stacks(draw, family, architecture,
                         max_position_embeddings=(16, 40))
    if number == 0:
        return config
    return {**config, "decoder_layers": 1, "decoder_attention_heads": 2,
            "activation_function": "relu", "scale_embedding": True,
            "tie_word_embeddings": False}


def mbart(draw, number):
    return bart(draw, number, "mbart", "MBartForConditionalGeneration")


def marian(draw, number):
    config = bart(draw, number, "marian", "MarianMTModel")
    if number == 0:
        return config
    return {**config, "share_encoder_decoder_embeddings": False,
            "decoder_vocab_size": draw.randint(30, 90)}


def pegasus(draw, number):
    return bart(draw, number, "pegasus", "PegasusForConditionalGeneration")


def vit(draw, number):
    config = tower(draw, "vit", "ViTForImageClassification")
    if number == 0:
        return config
    width = config["image_size"] + config["patch_size"]
    return {**config, "architectures": ["ViTModel"], "num_channels": 1,
            "image_size": [config["image_size"], width],
            "hidden_act": "gelu_pytorch_tanh", "qkv_bias": False,
            "pooler_output_size": draw.randint(4, 20)}


def clip_vision_model(draw, number):
    config = tower(draw, "clip_vision_model", "CLIPVisionModel")
    if number == 0:
        return config
    return {**config, "hidden_act": "gelu", "num_channels": 2}


def clip_text_model(draw, number):
    config = tower(draw, "clip_text_model", "CLIPTextModel")
    del config["patch_size"], config["image_size"]
    config = {**config, "vocab_size": draw.randint(30, 90), "bos_token_id": 1,
              "max_position_embeddings": draw.randint(16, 40),
              "eos_token_id": draw.randint(3, 29)}
    if number == 0:
        return config
    return {**config, "hidden_act": "gelu", "eos_token_id": 2}


def nested(config):
    return {k: v for k, v in config.items() if k != "architectures"}


def clip(draw, number):
    return {"model_type": "clip", "architectures": ["CLIPModel"],
            "projection_dim": draw.randint(4, 20),
            "text_config": nested(clip_text_model(draw, number)),
            "vision_config": nested(clip_vision_model(draw, number))}


def llava(draw, number):
    config = {"model_type": "llava",
              "architectures": ["LlavaForConditionalGeneration"],
              "text_config": nested(
                  decoder(draw, "llama", "LlamaForCausalLM")),
              "vision_config": nested(clip_vision_model(draw, number)),
              "image_token_index": 3, "tie_word_embeddings": False}
    config["text_config"]["tie_word_embeddings"] = False
    if number == 0:
        return config
    return {**config, "vision_feature_layer": 1,
            "projector_hidden_act": "relu",
            "vision_feature_select_strategy": "full",
            "multimodal_projector_bias": False}


LAST = [(route, device, "last") for route, device, phase in ROUTES
        if phase == "prefill"]

# An encoder has no cache.
NO_DECODE = [how for how in ROUTES if how[2] == "prefill"]

IMAGE = [(route, device, "image") for route, device, _ in NO_DECODE]
BOTH = [(route, device, "both") for route, device, _ in NO_DECODE]
SOURCE = [(route, device, "source") for route, device, _ in NO_DECODE]
AUDIO = [(route, device, "audio") for route, device, _ in NO_DECODE]
# Their mask of ones is looked at, which meta tensors have no values for.
PAIRS = [how for how in [*ROUTES, *SOURCE]
         if how[:2] != ("dispatch", "meta")]
# torch.compile makes several graphs of LLaVA's images.
LLAVA = [how for how in IMAGE if how[0] != "compile"]

# Each family: how one is drawn, the routes that PyTorch can capture, and the
# types of the two, where not any will do.
FAMILIES = {
    "bart": (bart, PAIRS, ("f32", "bf16")),
    "bert": (bert, NO_DECODE, None),
    "camembert": (camembert, NO_DECODE, None),
    "classes-more": (more_sequences, NO_DECODE, None),
    "classes-sequences": (sequences, NO_DECODE, None),
    "classes-tokens": (labelled_tokens, NO_DECODE, None),
    "electra": (electra, NO_DECODE, None),
    "xlm-roberta": (xlm_roberta, NO_DECODE, None),
    "distilbert": (distilbert, NO_DECODE, None),
    "gemma": (gemma, ROUTES, None),
    "gemma2": (dense.gemma2, ROUTES, None),
    "clip": (clip, NO_DECODE + IMAGE + BOTH, None),
    "clip_text_model": (clip_text_model, NO_DECODE, None),
    "clip_vision_model": (clip_vision_model, IMAGE, None),
    "cohere": (cohere, ROUTES, None),
    "glm": (decoders.glm, ROUTES, None),
    "gpt_bigcode": (gpt_bigcode, ROUTES, None),
    "gpt_neox": (gpt_neox, ROUTES, None),
    "granite": (granite, ROUTES, None),
    "headless": (headless, ROUTES, None),
    "roberta": (roberta, NO_DECODE, None),
    "siglip": (later.siglip, NO_DECODE + IMAGE + BOTH, None),
    "smollm3": (smollm3, ROUTES, None),
    "stablelm": (stablelm, ROUTES, None),
    "starcoder2": (starcoder2, ROUTES, None),
    "last-logits": (last_logits, LAST, None),
    "llava": (llava, NO_DECODE + LLAVA, None),
    "mixtral": (mixtral, NO_ONNX, ("bf16", "bf16")),
    "marian": (marian, PAIRS, ("f32", "bf16")),
    "mbart": (mbart, PAIRS, ("f32", "bf16")),
    "pegasus": (pegasus, PAIRS, ("bf16", "f32")),
    "olmo": (olmo, ROUTES, ("f32", "bf16")),
    "olmo2": (olmo2, ROUTES, None),
    "opt": (opt, ROUTES, None),
    "phi": (phi, ROUTES, None),
    "phi3": (phi3, ROUTES, None),
    "qwen2_moe": (qwen2_moe, NO_ONNX, ("bf16", "bf16")),
    "qwen3_moe": (qwen3_moe, NO_ONNX, ("bf16", "bf16")),
    "t5": (t5, [*ROUTES, *SOURCE], ("f32", "bf16")),
    "t5-encoders": (encoders, NO_DECODE, ("bf16", "f32")),
    "vit": (vit, IMAGE, None),
    "whisper": (whisper, [*ROUTES, *AUDIO], ("f16", "bf16")),
    **{name: (make, [how for how in ROUTES
                     if not {how[0], how[2]} & set(without)], dtypes)
       for more in (decoders, dense, later, mixtures, states)
       for name, (make, without, dtypes) in more.FAMILIES.items()},
    **{name: (make, [how for how in IMAGE if how[0] not in without], None)
       for name, (make, without) in later.TOWERS.items()},
}


def image_of(config):
    size = config.get("vision_config", config).get("image_size", 0)
    return "x".join(map(str, size if isinstance(size, list) else [size] * 2))


def jobs_of(directory, family):
    make, routes, dtypes = FAMILIES[family]
    for number in range(2):
        draw = random.Random(f"{family} {number}")
        config = make(draw, number)
        batch, tokens = draw.choice((1, 2)), draw.choice((5, 6, 7))
        context = draw.randint(1, 9)
        dtype = draw.choice(("bf16", "f16", "f32"))
        place = f"{family}-{number}"
        os.makedirs(os.path.join(directory, place), exist_ok=True)
        with open(os.path.join(directory, place, "config.json"), "w") as f:
            json.dump(config, f, indent=1, sort_keys=True)
            f.write("\n")
        for route, device, phase in routes:
            size = {"decode": context, "image": image_of(config),
                    "both": f"{tokens}+{image_of(config)}", "audio": 1,
                    "source": f"{tokens}+{context}"}
            yield record.Job(place, place, config, route, device, phase,
                             size.get(phase, tokens), batch,
                             dtypes and dtypes[number] or dtype)


def main(directory, pattern=""):
    jobs = [job for family in sorted(FAMILIES)
            for job in jobs_of(directory, family)]
    for job in jobs:
        path = os.path.join(directory, job.path)
        if pattern not in job.path or os.path.exists(path):
            continue
        print(job.path, flush=True)
        record.write(path, "".join(normalise.lines(job.records())))
        torch._dynamo.reset()
    record.manifest(directory, jobs)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    # Gemma 3 goes through a set of names, in the order of their hashes.
    record.hash_alike()
    main(*sys.argv[1:])
