/*
 * Families of models: a model_type each, whose row in family.def says which
 * fields of a configuration it understands and what its decoder is made of.
 */
#ifndef SF_MODEL_FAMILY_H
#define SF_MODEL_FAMILY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/call.h"

enum sf_activation {
	SF_ACT_SILU,
	SF_ACT_GELU,
	SF_ACT_GELU_TANH, /* of ATen's own */
	SF_ACT_GELU_NEW,  /* the same, written out in Python */
	SF_ACT_RELU,
	SF_ACT_RELU_SQUARED,
	SF_ACT_QUICK_GELU, /* x sigmoid(1.702 x) */
	SF_ACT_TANH,
};

/* Which encoder it is. */
enum sf_encoder {
	SF_ENCODER_NONE,
	SF_ENCODER_BERT,
	SF_ENCODER_ROBERTA, /* places are counted in the tokens */
	SF_ENCODER_DISTILBERT,
	SF_ENCODER_ALBERT,  /* layers have the parameters of a few */
	SF_ENCODER_MPNET,   /* attention knows how far tokens are */
	SF_ENCODER_NOMIC,   /* tokens are rotated */
	SF_ENCODER_MODERN,  /* the same; most layers have a window */
	SF_ENCODER_ELECTRA, /* embeddings may be narrower than layers */
};

/* Which tower it is that sees images, and what a model is given. */
enum sf_vision {
	SF_VISION_NONE,
	SF_VISION_VIT,
	SF_VISION_DEIT,   /* and a token of what it was taught by */
	SF_VISION_DINOV2, /* and scales behind attention and MLP */
	SF_VISION_CLIP,
	SF_VISION_SIGLIP,
};

enum sf_model_input {
	SF_INPUT_TOKENS,
	SF_INPUT_IMAGE,
	SF_INPUT_PATCHES, /* of an image of any size, cut beforehand */
	SF_INPUT_PAIR,    /* tokens of an encoder and of a decoder */
	SF_INPUT_AUDIO,   /* that, and tokens of a decoder */
};

/*
 * What chooses a token's experts: the largest of a softmax, or of sigmoids that
 * are corrected for the choice.
 */
enum sf_router {
	SF_ROUTER_NONE,
	SF_ROUTER_CAST,    /* weights of the model's type; sum as 1 if asked */
	SF_ROUTER_FLOAT,   /* weights in FP32, of sum 1 */
	SF_ROUTER_SIGMOID, /* the same, of sigmoids */
	SF_ROUTER_LOGITS,  /* a softmax of the largest logits */
	SF_ROUTER_CHOSEN,  /* the same, in FP32, and without biases */
	SF_ROUTER_BIASED,  /* sigmoids of the model's type, that may be too */
	SF_ROUTER_CLAMPED, /* FP32, corrected for the choice, a sum >= some */
	SF_ROUTER_GROUPS,  /* a softmax, of some groups of experts */
	SF_ROUTER_HASHED,  /* by a root of softplus, or by the token itself */
	SF_ROUTER_SPARSE, /* the two largest, and a softmax of those near each */
	SF_ROUTER_CORRECTED, /* sigmoids, of some groups, and a factor */
};

/* The norms of a decoder. */
enum sf_norm_kind {
	SF_NORM_RMS,
	SF_NORM_RMS_PLUS_1,   /* multiplied by 1 + weight, all in FP32 */
	SF_NORM_RMS_WIDE,     /* multiplied by the weight in FP32 */
	SF_NORM_RMS_LATE,     /* multiplied when it has its own type again */
	SF_NORM_RMS_FLOAT,    /* the same, and the weight is made FP32 */
	SF_NORM_FALCON,       /* as RMS; within the mixer are others, bare */
	SF_NORM_RMS_ROOT,     /* by a power of -1/2, all in FP32 */
	SF_NORM_RMS_BARE,     /* without a weight */
	SF_NORM_LAYER,        /* with weight and bias */
	SF_NORM_LAYER_PLUS_1, /* the same, and 1 is added to the weight */
	SF_NORM_COHERE,       /* by the mean and the variance, in FP32 */
	SF_NORM_LAYER_BARE,   /* with neither, in FP32 */
};

/* Where they are, about attention and MLP. */
enum sf_placement {
	SF_PLACE_BEFORE,
	SF_PLACE_AROUND, /* before and behind */
	SF_PLACE_BEHIND,
	SF_PLACE_GLM4,  /* before and behind, by other names */
	SF_PLACE_BAMBA, /* before, by other names */
	SF_PLACE_LFM2,  /* and by others */
	SF_PLACE_VAULT, /* as AROUND calls them, and none behind */
	SF_PLACE_CLOVA, /* the same, behind only where the field says so */
};

/*
 * What the MLP is given in place of what attention leaves, and the order in
 * which the two and the layer's input are added.
 */
enum sf_parallel {
	SF_PARALLEL_NONE,
	SF_PARALLEL_FIRST, /* attention's norm; the input, attention, MLP */
	SF_PARALLEL_LAST,  /* attention's norm; attention, MLP, the input */
};

/* What of q and k is normed. */
enum sf_qk_norm {
	SF_QK_NORM_NONE,
	SF_QK_NORM_HEADS,  /* each head by itself */
	SF_QK_NORM_SPLIT,  /* the same, when all three are heads */
	SF_QK_NORM_ALL,    /* all heads as one */
	SF_QK_NORM_TURNED, /* each head, when it is rotated */
};

/* How the MLP is made. */
enum sf_mlp_kind {
	SF_MLP_GATED,
	SF_MLP_PACKED, /* gate and up in one product */
	SF_MLP_PLAIN,  /* no gate: up, by the family's name, and down */
};

/* What has states in a layer. */
enum sf_mixer {
	SF_MIXER_MAMBA,
	SF_MIXER_MAMBA2,
};

/* What is different in attention through a latent. */
enum sf_latent {
	SF_LATENT_HALVES,  /* rotary_interleave says whether pairs are apart */
	SF_LATENT_COMPLEX, /* pairs are rotated as complex numbers */
	SF_LATENT_INDEXED, /* an indexer chooses which keys are seen */
	/* The same; a layer may use the choice of one before it. */
	SF_LATENT_SHARED,
};

/* Which masks are made where layers may have a window. */
enum sf_masks {
	SF_MASKS_ONE,    /* one, for all layers */
	SF_MASKS_NEEDED, /* the full one, and one with a window if one has it */
	SF_MASKS_BOTH,   /* both, whether a layer needs them or not */
};

/* Whether a projection has a bias. */
enum sf_bias {
	SF_BIAS_NONE,
	SF_BIAS_ALWAYS,
	SF_BIAS_FIELD, /* as the family's field says, else not */
};

/* Which layers have a window, and which fields say so. */
enum sf_window_layers {
	SF_WINDOWS_NONE,
	SF_WINDOWS_OTHER,     /* none; layer_types says other things */
	SF_WINDOWS_ALL,       /* all, of sliding_window */
	SF_WINDOWS_SWITCHED,  /* all, when use_sliding_window says so */
	SF_WINDOWS_ALTERNATE, /* layer_types, else every other layer */
	SF_WINDOWS_PATTERN,   /* layer_types, else all but one of several */
	SF_WINDOWS_LEADING,   /* the same, and that one is the first */
	SF_WINDOWS_OWN,       /* none: layer_types is of something else */
	SF_WINDOWS_TYPES,     /* layer_types, else none */
	SF_WINDOWS_UNROTATED, /* when switched, those that do not rotate */
	SF_WINDOWS_ODD,       /* layer_types, else one of two before a layer */
	SF_WINDOWS_LATER,     /* layer_types, or from max_window_layers on */
	SF_WINDOWS_BEHIND,    /* the same, whatever use_sliding_window says */
};

struct sf_arch;
struct sf_config;

/* A row. What is left out is 0, which is how Llama has it. */
struct sf_family {
	const char *model_type;
	/* Fields of unsupported.def that it understands, by blanks. */
	const char *fields;

	/* ---- how its configuration is read ---- */

	void (*read)(struct sf_arch *arch, const struct sf_config *config,
	    struct sf_arena *arena);
	int64_t head_dim;    /* by default; 0: hidden size over heads */
	bool needs_kv_heads; /* num_key_value_heads has no default */
	/* Of q, k and v; of o; of the MLP. */
	enum sf_bias qkv_bias, o_bias, mlp_bias;
	const char *act_field;    /* hidden_act unless it is said */
	enum sf_activation act;   /* by default */
	bool ignores_act;         /* hidden_act says nothing */
	bool tied;                /* the same, of tie_word_embeddings */
	double softcap;           /* final_logit_softcapping by default */
	bool typed_rotary;        /* one embedding for each type of layer */
	bool partial_rotary;      /* partial_rotary_factor is understood */
	double rotary_part;       /* that by default; 0: 1 */
	const char *rotary_field; /* partial_rotary_factor unless it is said */
	/* How many of a head are rotated, where no factor says it; or NULL. */
	const char *rotary_size_field;
	int64_t inner;              /* intermediate_size by default; 0: none */
	bool norms_by_default;      /* norm_topk_prob */
	bool whole_heads;           /* no head_dim but hidden size over heads */
	bool rounds_heads;          /* that is rounded down, rotated pairs up */
	const char *all_bias_field; /* of all linear layers */
	bool all_bias_default;
	const char *qkv_bias_field; /* attention_bias unless it is said */
	bool qkv_bias_default;
	const char *o_bias_field; /* attention_bias unless it is said */
	bool o_bias_default;
	enum sf_window_layers windows;
	int64_t pattern;  /* sliding_window_pattern by default; 0: 6 */
	int64_t window;   /* sliding_window by default; 0: none */
	bool norms_top_k; /* whatever norm_topk_prob says */
	bool blocks;      /* block_configs, each layer by itself */
	/* transformers has no such class: there is no capture to compare. */
	bool unchecked;
	bool counts_heads; /* layers for tokens further on are counted */
	/* Grouped experts as GLM has them: one group, and a correction in FP32. */
	bool glm_experts;
	bool own_correction; /* but that in the model's type */
	bool all_routed;     /* by default no layer has a plain MLP */
	bool leaves_sums;    /* norm_topk_prob is false by default */
	/* What num_key_value_heads is called, too; or NULL. */
	const char *kv_heads_field;
	bool shared_expert; /* one expert is there for all tokens */
	/* The field that says whether parallel holds; NULL: it always does. */
	const char *parallel_field;

	/* ---- what it runs ---- */

	enum sf_encoder encoder;
	bool aten_only; /* nothing here writes it as ONNX */
	enum sf_vision vision;
	bool no_f16; /* in FP16 it clamps what it computes */
	enum sf_model_input input;
	/* What parameters of the model without a head are called with one. */
	const char *base;

	/* Runs the model over input ids; the logits come back. */
	struct sf_val *(*run)(struct sf_build *b, struct sf_val *ids);
	enum sf_norm_kind norm;
	enum sf_placement placement;
	enum sf_qk_norm qk_norm;
	enum sf_mlp_kind mlp;
	enum sf_parallel parallel;
	/*
	 * Names, where they are not Llama's: of o_proj, of the last norm, of the
	 * norms of q and k, of an MLP, of its layers and of the gate among them,
	 * of the router, of the experts with it, of the rotary embedding.
	 */
	const char *out, *last_norm, *q_norm, *k_norm, *feed, *up, *down;
	const char *gate_part, *gate, *mixture, *angles;
	const char *act_part; /* of an activation; empty: that is no module */
	bool head_bias;       /* of the language model's head */
	/* The field that says whether that has one; NULL: none does. */
	const char *head_bias_field;
	bool rotates_together; /* q and k, before either is put together */
	bool parts_first;    /* q and k are in parts before angles are heads' */
	bool projects_first; /* q, k and v, before any is split in heads */
	bool views_first;    /* q, k and v are viewed as heads, then normed */
	bool interleaved;    /* rotary pairs are neighbours */
	bool float_rotary;   /* q and k are rotated in FP32 */
	bool turns_back; /* the second half is the one that is not negated */
	/* Of BART's kin: norms before what they are of; one of embeddings. */
	bool norms_first, norms_embeds;
	bool moves_bias;  /* that of the logits is moved to the device */
	bool sines;       /* the table of places is of sines */
	bool own_tables;  /* each stack may have its own table of tokens */
	bool adds_behind; /* attention and the input, in that order */
	bool first_norm;  /* embeddings are normed, by the last norm's name */
	bool float_turns; /* the same; they are made so where they turn */
	bool late_pairs;  /* angles are made those of pairs in each layer */
	bool sections;    /* positions in time, height and width */
	/* Attention is written out, and has masks of numbers. */
	bool eager;
	bool limited_gate; /* gate and up are clamped, then as Llama's */
	bool sinks;        /* eager attention has them, see eager.h */
	bool half_angles;  /* angles are of pairs, and pairs are two parts */
	bool own_masks;    /* positions have no say in masks */
	/*
	 * Experts have biases and are stored input by output, gate and up in
	 * turn.
	 */
	bool biased_experts;
	/* Limits of what a gate lets through, and of what is behind its act. */
	bool late_limits;
	/* Shared experts have no gate, and what others make is scaled. */
	bool scaled_experts;
	bool
	    plain_shared; /* shared experts have no gate, and nothing is scaled */
	bool late_shared; /* the same, and they come behind the others */
	/* A gate has limits, as has what it lets through, and so no act. */
	bool clamped_gate;
	bool packed_qkv;        /* q, k and v are one product */
	bool scaled_embeds;     /* by a buffer, the root of the hidden size */
	bool multiplies;        /* Granite's multipliers */
	bool multiplies_logits; /* by what Granite divides them by */
	bool multiplies_late;   /* embeddings, behind masks */
	bool skips_rotary;      /* some layers do not rotate */
	/* None without the window does; all do where no window is set. */
	bool rotates_windows, rotates_all;
	bool heats;       /* queries grow with the tokens before theirs */
	bool wide_rotary; /* cosines and sines stay in FP32 */
	/* The rotary embedding casts its frequencies once more. */
	bool recasts_rotary;
	bool from_zero; /* positions are those of the call */
	/* The frequencies are made anew in each run. */
	bool remakes_rotary;
	bool keeps_device; /* frequencies are not moved to the device */
	bool cache_first;  /* the cache is made before the embedding */
	enum sf_masks masks;
	enum sf_router router;
	enum sf_latent latent;
	enum sf_mixer mixer;
};

/* The family of a model_type, NULL when there is none. */
const struct sf_family *sf_family_find(const char *model_type);

/* The same, of a tower that may be none of a configuration of its own. */
const struct sf_family *sf_family_tower(const char *model_type);

/* "gpt2, llama, mistral, qwen2, qwen3", for messages. */
const char *sf_family_types(struct sf_arena *arena);

/* True when the row names the field. */
bool sf_family_understands(const struct sf_family *family, const char *field);

void sf_decoder_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_decoder_run(struct sf_build *b, struct sf_val *ids);

void sf_t5_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_t5_run(struct sf_build *b, struct sf_val *ids);

void sf_bart_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_bart_run(struct sf_build *b, struct sf_val *ids);

void sf_whisper_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_whisper_run(struct sf_build *b, struct sf_val *ids);

void sf_qwen_vision_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_qwen_vision_run(struct sf_build *b, struct sf_val *rows);

void sf_gemma4_vision_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_gemma4_vision_run(struct sf_build *b, struct sf_val *rows);

void sf_vit_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_vit_run(struct sf_build *b, struct sf_val *pixels);

void sf_siglip_text_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_siglip_text_run(struct sf_build *b, struct sf_val *ids);

void sf_siglip_vision_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_siglip_vision_run(struct sf_build *b, struct sf_val *pixels);

void sf_clip_text_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_clip_text_run(struct sf_build *b, struct sf_val *ids);

void sf_encoder_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_encoder_run(struct sf_build *b, struct sf_val *ids);

void sf_mpnet_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_mpnet_run(struct sf_build *b, struct sf_val *ids);

void sf_nomic_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_nomic_run(struct sf_build *b, struct sf_val *ids);

void sf_modern_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_modern_run(struct sf_build *b, struct sf_val *ids);

void sf_bigcode_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_bigcode_run(struct sf_build *b, struct sf_val *ids);

void sf_mla_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_mla_run(struct sf_build *b, struct sf_val *ids);

void sf_deepseek4_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_deepseek4_run(struct sf_build *b, struct sf_val *ids);

void sf_mamba_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_mamba_run(struct sf_build *b, struct sf_val *ids);

void sf_nemotron_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_nemotron_run(struct sf_build *b, struct sf_val *ids);

void sf_qwen_next_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_qwen_next_run(struct sf_build *b, struct sf_val *ids);

void sf_neox_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_neox_run(struct sf_build *b, struct sf_val *ids);

void sf_opt_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_opt_run(struct sf_build *b, struct sf_val *ids);

void sf_minimax_m3_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
void sf_hybrid_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
/* That of a decoder, some of whose layers keep states. */
struct sf_val *sf_hybrid_run(struct sf_build *b, struct sf_val *ids);
void sf_lfm2_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
void sf_step_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);

void sf_mimo_v2_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_mimo_v2_run(struct sf_build *b, struct sf_val *ids);

void sf_llama4_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_llama4_run(struct sf_build *b, struct sf_val *ids);

void sf_gemma4_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_gemma4_run(struct sf_build *b, struct sf_val *ids);

void sf_falcon_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_falcon_run(struct sf_build *b, struct sf_val *ids);

void sf_bloom_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_bloom_run(struct sf_build *b, struct sf_val *ids);

void sf_gptj_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_gptj_run(struct sf_build *b, struct sf_val *ids);

void sf_gpt_neo_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_gpt_neo_run(struct sf_build *b, struct sf_val *ids);

void sf_gpt2_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);
struct sf_val *sf_gpt2_run(struct sf_build *b, struct sf_val *ids);

#endif
