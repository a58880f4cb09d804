/*
 * Models of several parts: a text model, whose configuration is nested, and a
 * tower beside it, which sees images. A row of whole.def says what its parts
 * are and what the model does with what its tower gives.
 */
#ifndef SF_MODEL_WHOLE_H
#define SF_MODEL_WHOLE_H

#include "model/arch.h"
#include "model/call.h"

struct sf_whole {
	const char *model_type;
	const char *text;  /* the type of its text model, where it says none */
	const char *key;   /* of the tower's configuration */
	const char *tower; /* the tower's family, which model.c reads */
	/* Fields of the whole that are the parts'. */
	void (*read)(struct sf_arch *text, struct sf_arch *tower,
	    const struct sf_config *whole);
	/* What is done with the tower's result; NULL: nothing. */
	struct sf_val *(*project)(struct sf_build *b, struct sf_val *x);
	/* What is done with both parts' results; NULL: one needs no other. */
	struct sf_val *(*compare)(
	    struct sf_build *b, struct sf_val *image, struct sf_val *text);
	int64_t extra; /* parameters that are of no part */
	/* What "model." of the text model is in the whole; NULL: the same. */
	const char *language;
	/* torch.compile makes several graphs of the tower. */
	bool breaks_graphs;
	/*
	 * PyTorch cannot capture the tower without an image's values: its
	 * products and its weights are exact, and other operators stated.
	 */
	bool stated;
};

/* The row of a model_type, NULL when there is none. */
const struct sf_whole *sf_whole_find(const char *model_type);

/*
 * The configuration of the text model, which one of a model with several parts
 * keeps under a name of its own, with what its class has by default where the
 * model is one of whole.def; CONFIG itself when there is none.
 */
const struct sf_config *sf_whole_text(const struct sf_config *config,
    struct sf_config *part, struct sf_arena *arena);

/*
 * Reads the tower of a model of several parts, which ARCH->whole is, into
 * ARCH->tower. Dies as sf_arch_read does.
 */
void sf_whole_read_tower(struct sf_arch *arch, const struct sf_config *whole,
    struct sf_arena *arena);

/* False when there is no tower's configuration whose sizes fit each other. */
bool
sf_whole_tower_fits(const struct sf_arch *arch, const struct sf_config *whole);

void sf_clip_whole_read(
    struct sf_arch *text, struct sf_arch *tower, const struct sf_config *whole);
struct sf_val *sf_clip_project(struct sf_build *b, struct sf_val *x);
struct sf_val *
sf_clip_compare(struct sf_build *b, struct sf_val *image, struct sf_val *text);

void sf_siglip_whole_read(
    struct sf_arch *text, struct sf_arch *tower, const struct sf_config *whole);
struct sf_val *sf_siglip_compare(
    struct sf_build *b, struct sf_val *image, struct sf_val *text);

void sf_qwen_whole_read(
    struct sf_arch *text, struct sf_arch *tower, const struct sf_config *whole);

void sf_gemma4_whole_read(
    struct sf_arch *text, struct sf_arch *tower, const struct sf_config *whole);
struct sf_val *sf_gemma4_project(struct sf_build *b, struct sf_val *x);

void sf_llava_read(
    struct sf_arch *text, struct sf_arch *tower, const struct sf_config *whole);
struct sf_val *sf_llava_project(struct sf_build *b, struct sf_val *x);

#endif
