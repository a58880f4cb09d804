/* Runs the parts of a model. */
#include "model/run.h"

#include "base/die.h"
#include "base/num.h"
#include "model/pair.h"
#include "model/patches.h"
#include "model/tower.h"
#include "model/whole.h"

enum {
	USUAL_TOKENS = 2048,
	POSITIONS_A_SECOND = 50 /* of Whisper's encoder */
};

static bool
sees(const struct sf_arch *arch)
{
	return arch->family->input == SF_INPUT_IMAGE ||
	    arch->family->input == SF_INPUT_PATCHES;
}

/* An image was asked for, of a model of several parts. */
static void
choose_tower(struct sf_build *b, const struct sf_arch *arch,
    const struct sf_config *config)
{
	if (arch->tower == NULL)
		sf_die(SF_EX_USAGE,
		    "--image needs a model with a tower that is known, which "
		    "'%s' has not",
		    config->name);
	if (b->work.context != 0)
		sf_die(SF_EX_USAGE, "--image and --decode exclude each other");
	if (arch->whole->stated && b->route->pruned)
		sf_die(SF_EX_USAGE,
		    "--image needs --route dispatch: PyTorch makes no graph of "
		    "the tower of '%s'",
		    config->name);
	b->parts = SF_PART_TOWER;
	if (!b->work.given)
		return;
	if (arch->whole->compare == NULL)
		sf_die(SF_EX_USAGE,
		    "--image and --tokens exclude each other: the tower of "
		    "'%s' and its text model are traced one by one",
		    config->name);
	b->parts = SF_PART_BOTH;
}

/* Audio was asked for: windows of it, each a sequence of its own. */
static void
choose_audio(struct sf_build *b, const struct sf_arch *arch,
    const struct sf_config *config)
{
	int64_t windows;

	if (arch->family->input != SF_INPUT_AUDIO)
		sf_die(SF_EX_USAGE,
		    "--audio needs a model that hears, which '%s' does not",
		    config->name);
	/* As many positions a second, of a window that is always as long. */
	windows =
	    (b->work.seconds * POSITIONS_A_SECOND - 1) / arch->pair.source + 1;
	if (!sf_mul(b->work.batch, windows, &b->work.batch))
		sf_die(SF_EX_USAGE,
		    "--audio %lld: the batch has more than 2^63-1 windows",
		    (long long)b->work.seconds);
	if (!b->work.given)
		b->parts = SF_PART_TOWER;
}

void
sf_run_choose(
    struct sf_build *b, struct sf_arch *arch, const struct sf_config *config)
{
	bool image = b->work.image_height != 0;

	if (arch->whole != NULL && (image || sf_whole_tower_fits(arch, config)))
		sf_whole_read_tower(arch, config, b->graph.arena);
	if (b->work.source != 0 && arch->family->input != SF_INPUT_PAIR)
		sf_die(SF_EX_USAGE,
		    "--source needs a model with an encoder and a decoder, "
		    "which '%s' is not",
		    config->name);
	if (b->work.seconds != 0)
		choose_audio(b, arch, config);
	if (sees(arch))
		b->parts = SF_PART_TOWER;
	else if (image)
		choose_tower(b, arch, config);
	if (b->work.tokens != 0)
		return;
	b->work.tokens = USUAL_TOKENS;
	/* A tower of text has few positions, and none sees more. */
	if ((arch->cacheless || arch->family->input == SF_INPUT_AUDIO) &&
	    arch->positions < b->work.tokens)
		b->work.tokens = arch->positions;
}

/* ---- running ---- */

/* What ARCH, which is a part, makes of what it is given. */
static struct sf_val *
run_part(struct sf_build *b, const struct sf_arch *arch)
{
	const struct sf_arch *before = b->arch;
	struct sf_workload work = b->work;
	struct sf_val *x;

	b->arch = arch;
	b->language = !sees(arch) && before->whole != NULL
	    ? before->whole->language
	    : NULL;
	if (sees(arch)) {
		x = arch->family->input == SF_INPUT_PATCHES
		    ? sf_patches_given(b)
		    : sf_tower_pixels(b);
	} else {
		x = sf_val_new(&b->graph, SF_DT_I64, 2,
		    (int64_t[]){ work.batch, work.tokens });
		x->name = arch->family->input == SF_INPUT_TOKENS
		    ? "input_ids"
		    : "decoder_input_ids";
	}
	x = arch->family->run(b, x);
	if (before != arch && before->whole->project != NULL)
		x = before->whole->project(b, x);
	b->arch = before;
	b->work = work;
	return x;
}

struct sf_val *
sf_run_parts(struct sf_build *b)
{
	struct sf_val *image, *text;

	if (b->parts == SF_PART_TEXT || b->arch->tower == NULL)
		return run_part(b, b->arch);
	image = run_part(b, b->arch->tower);
	if (b->parts == SF_PART_TOWER)
		return image;
	text = run_part(b, b->arch);
	text = b->arch->whole->compare(b, image, text);
	return text;
}

size_t
sf_run_workload(const struct sf_build *b, struct sf_workload_item *items)
{
	const struct sf_arch_image *image =
	    b->arch->tower != NULL ? &b->arch->tower->image : &b->arch->image;
	size_t n = 0;

	items[n++] = (struct sf_workload_item){ "batch", b->work.batch };
	if (b->parts != SF_PART_TOWER)
		items[n++] =
		    (struct sf_workload_item){ "tokens", b->work.tokens };
	if (b->work.context != 0)
		items[n++] =
		    (struct sf_workload_item){ "context", b->work.context };
	if (b->arch->family->input == SF_INPUT_PAIR ||
	    b->arch->family->input == SF_INPUT_AUDIO)
		items[n++] =
		    (struct sf_workload_item){ "source", sf_pair_source(b) };
	if (b->parts == SF_PART_TEXT ||
	    b->arch->family->input == SF_INPUT_AUDIO)
		return n;
	items[n++] = (struct sf_workload_item){ "image_height",
		b->work.image_height != 0 ? b->work.image_height
					  : image->height };
	items[n++] = (struct sf_workload_item){ "image_width",
		b->work.image_width != 0 ? b->work.image_width : image->width };
	return n;
}

/* ---- counting ---- */

/* The parameters of ARCH, by a run of which nothing is kept. */
static void
count_part(const struct sf_build *b, const struct sf_arch *arch, int64_t *count,
    int64_t *bytes)
{
	struct sf_build scratch = { .graph = { .arena = b->graph.arena,
					.source = b->graph.source },
		.route = &sf_route_dispatch_meta,
		.arch = b->arch,
		.work = { .batch = 1, .tokens = 1, .dtype = b->work.dtype } };

	run_part(&scratch, arch);
	if (!sf_add(*count, scratch.graph.param_elements, count) ||
	    !sf_add(*bytes, scratch.graph.param_bytes, bytes))
		sf_die(SF_EX_INPUT,
		    "%s: the parameters have more than 2^63-1 bytes",
		    b->graph.source);
}

bool
sf_run_count(const struct sf_build *b, int64_t *count, int64_t *bytes)
{
	const struct sf_arch *a = b->arch;

	if (a->family->input == SF_INPUT_AUDIO && b->parts == SF_PART_TOWER) {
		*count = *bytes = 0;
		count_part(b, a, count, bytes);
		return true;
	}
	if (a->whole == NULL || a->tower == NULL)
		return false;
	*count = b->graph.param_elements;
	*bytes = b->graph.param_bytes;
	if (b->parts == SF_PART_BOTH)
		return true;
	count_part(b, b->parts == SF_PART_TEXT ? a->tower : a, count, bytes);
	if (!sf_add(*count, a->whole->extra, count) ||
	    !sf_add(*bytes,
		a->whole->extra * (sf_dtype_bits(b->work.dtype) / 8), bytes))
		sf_bug("parameters that are too many");
	return true;
}
