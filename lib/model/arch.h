/*
 * What a configuration says of a model's architecture, in the words of Hugging
 * Face's config.json.
 */
#ifndef SF_MODEL_ARCH_H
#define SF_MODEL_ARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "config/config.h"
#include "model/call.h"
#include "model/compress.h"
#include "model/delta.h"
#include "model/family.h"
#include "model/mla.h"
#include "model/quant.h"
#include "model/ssm.h"

/* Of a tower that sees images. */
struct sf_arch_image {
	int64_t height, width; /* image_size */
	int64_t patch;         /* patch_size */
	int64_t channels;
	int64_t pooled; /* pooler_output_size */
	/* The layer whose input is what the model takes; -1: it takes none. */
	int64_t chosen_layer;
	bool keeps_class; /* with the token of the class */
	/* Of patches: how many are of one, of which side so many make a token. */
	int64_t frames, merge;
	bool *taps;     /* layers of which the text model is given something */
	int64_t places; /* num_position_embeddings */
	bool standardizes;
	bool pools; /* a head makes one vector of the patches */
	bool masks; /* there is a token for patches that training hides */
};

/* Of an encoder and the decoder that reads it. */
struct sf_arch_pair {
	int64_t decoder_layers, decoder_heads, decoder_inner;
	int64_t source; /* what the encoder reads, always; 0: any number */
	int64_t
	    vocab; /* of the decoder's own table of tokens; 0: it has none */
	int64_t channels;          /* of audio: num_mel_bins */
	int64_t buckets, distance; /* of relative positions */
	bool gated;                /* the MLP has a gate */
	bool scales_output; /* by the root of the width, before the head */
	bool encoder_only;
};

/* What a classifier is of. */
enum sf_classifier_kind {
	SF_CLASSES_NONE,
	SF_CLASSES_SEQUENCE,
	SF_CLASSES_TOKENS,
};

struct sf_whole;

struct sf_arch {
	const struct sf_family *family;
	bool text_part; /* of a model with other parts, the text model */
	const struct sf_whole *whole; /* what that model is; NULL: not known */
	struct sf_arch *tower;        /* of that, when it was read */
	const char *prefix;           /* of a part's modules; NULL: none */
	int64_t projection; /* of what a part gives into a space of both */
	enum sf_activation projector_act;
	struct sf_arch_image image;
	struct sf_arch_pair pair;
	enum sf_classifier_kind classes;
	int64_t labels;      /* of a classifier */
	bool labels_assumed; /* no field says how many that are */
	int64_t end;         /* eos_token_id, where that is looked for */
	bool cacheless;      /* it is causal, and keeps no cache */
	int64_t hidden;      /* hidden_size */
	int64_t inner;       /* intermediate_size */
	int64_t layers;      /* num_hidden_layers */
	int64_t heads;       /* num_attention_heads */
	int64_t kv_heads;    /* num_key_value_heads */
	int64_t head_dim;
	int64_t vocab;           /* vocab_size */
	int64_t positions;       /* of a learned table: n_positions; else 0 */
	int64_t q_size, kv_size; /* heads times head_dim */
	int64_t value_dim;       /* of a head of values; 0: head_dim */
	double value_scale;      /* what those are multiplied by */
	bool no_sinks;           /* such layers have none, in eager.h */
	enum sf_activation activation;
	int64_t types, pad; /* type_vocab_size, pad_token_id */
	bool bidirectional; /* tokens see those behind them, too */
	bool multi_query;   /* one head of keys and values, so split */
	/* Falcon's: groups of queries, each with a key and a value; 0: none. */
	int64_t head_groups;
	bool two_norms; /* of a layer's input, for attention and for the MLP */
	bool alibi;     /* biases of tokens by how far they are */
	bool head_bias; /* of the language model's head */
	bool headless;  /* the base model, without a head */
	bool tied;      /* tie_word_embeddings */
	bool qkv_bias, o_bias, mlp_bias;
	bool norm_bias, decoder_bias; /* ModernBERT's */
	enum sf_activation head_act;
	bool qk_norms;             /* use_qk_norm, where that has a say */
	bool no_post_norms;        /* use_post_norm is false */
	enum sf_parallel parallel; /* how a layer is parallel, if it is */
	/* Experts of a layer, 0: none; how many of them a token goes to. */
	int64_t experts, top_k;
	int64_t expert_inner; /* the width of one */
	int64_t shared_inner; /* of the expert that all tokens go to; 0: none */
	bool norm_top_k;      /* the weights of a token are made to sum to 1 */
	bool corrects;        /* the choice is corrected by a buffer, LFM2's */
	/* The same, of layers that run all of them on all tokens; or NULL. */
	bool *run_all;
	/* Queries grow by so much with the logarithm of so many tokens. */
	double heat;
	int64_t heat_tokens;
	bool tunes_heat; /* queries of layers that do not rotate are scaled */
	bool *routed;    /* for each layer, whether it has experts */
	/* Of a grouped router: groups, and those that a token chooses from. */
	int64_t groups, top_groups;
	const struct sf_mla *mla; /* attention through a latent; NULL: none */
	const struct sf_compression *compression; /* of tokens; NULL: none */
	const struct sf_delta *delta; /* of linear attention; NULL: none */
	const struct sf_ssm *ssm;     /* of layers with states; NULL: none */
	int64_t expert_width;         /* what experts are given; 0: hidden */
	int64_t more_heads; /* of tokens further on, which are not run */
	bool always_masks;  /* a mask is made where is_causal would do, too */
	struct sf_quant quant; /* how weights are stored */
	double epsilon;        /* rms_norm_eps */
	/* OPT's: of embeddings; norms after what they are of; one at the end. */
	int64_t embed_width;
	bool norms_behind, last_norm;
	double query_scale; /* what queries alone are multiplied by */
	/* Of attention: scale_attn_weights is false, ..._by_inverse_layer_idx. */
	bool unscaled, scales_layers;
	double attention_scale; /* 0: by the size of a head */
	/* Granite's; what a softcap divides logits by, 0: there is none. */
	double embed_scale, residual_scale, logits_scale, softcap;
	/*
	 * Of an indexer of blocks: heads, their size, keys of a block, blocks
	 * that are chosen, and those before a query that always are.
	 */
	int64_t index_heads, index_size, index_block, index_top, index_local;
	bool *indexed; /* for each layer, whether it has one; NULL: none */
	/* What heads give has gates, so many of them. */
	bool head_gates;
	int64_t gate_size;
	/* Gemma 4's: of the last layers, how many have no keys of their own. */
	int64_t shared_layers;
	bool keys_are_values, double_wide; /* those have a wider MLP */
	int64_t layer_width, layer_vocab;  /* of embeddings for each layer */
	double router_scale;
	double logits_factor; /* logit_scale; 0: there is none */
	/* "sliding_attention_": of which embedding the buffer is; or "". */
	const char *rotary_kind;
	/* One for each layer; NULL: all are made by this one. */
	const struct sf_arch *own;
	bool no_attention, no_mlp; /* such a layer has none */
	/* Of layers without a window, where their attention is another. */
	const struct sf_arch *full;
	/* How many frequencies time, height and width have; 0: no sections. */
	int64_t sections[3];
	int64_t rotary_dim; /* of a head, what is rotated */
	bool *unrotated;    /* for each layer, whether it rotates nothing */
	/* The type of an embedding that depends on values; NULL: it does not. */
	const char *rotary_asks;
	bool no_rotary;      /* none does, and there are no angles */
	double rotary_scale; /* what cosines and sines are multiplied by */
	int64_t window;      /* sliding_window; 0: none */
	bool chunks;         /* it is of chunks, which begin where others end */
	bool *sliding;       /* for each layer, whether it has the window */
	bool any_sliding, all_sliding;
};

/*
 * The architecture of a configuration. Dies with the file, the line and the
 * field when one is missing, wrong, contradicts another, or changes the
 * arithmetic in a way that is not supported.
 */
void sf_arch_read(struct sf_arch *arch, const struct sf_config *config,
    struct sf_arena *arena);

/* True when some layer has experts. */
bool sf_arch_has_experts(const struct sf_arch *arch);

/* What a layer is made by: its OWN; FULL where it has no window; this. */
const struct sf_arch *
sf_arch_of_layer(const struct sf_arch *arch, int64_t layer);

/* The window of a layer; 0 when it sees all tokens. */
int64_t sf_arch_window(const struct sf_arch *arch, int64_t layer);

/* What the products of queries and keys of a layer are multiplied by. */
double sf_arch_scale(const struct sf_arch *arch, int64_t layer);

#endif
