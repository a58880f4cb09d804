/* Patches of images of any size. */
#include "model/patches.h"
#include "model/fuse.h"
#include "model/mlp.h"

#include "base/die.h"
#include "base/num.h"
#include "model/fields.h"
#include "model/tower.h"

void
sf_patches_grid(const struct sf_build *b, int64_t grid[2])
{
	const struct sf_arch_image *image = &b->arch->image;

	/* Of a model that is only counted, the smallest that there is. */
	grid[0] = b->work.image_height != 0
	    ? b->work.image_height / image->patch
	    : image->merge;
	grid[1] = b->work.image_width != 0 ? b->work.image_width / image->patch
					   : image->merge;
}

struct sf_val *
sf_patches_given(struct sf_build *b)
{
	const struct sf_arch_image *image = &b->arch->image;
	int64_t unit = image->patch * image->merge, grid[2], rows, width;
	struct sf_val *x;

	if (b->work.image_height % unit != 0 || b->work.image_width % unit != 0)
		sf_die(SF_EX_USAGE,
		    "--image %lldx%lld: expected multiples of %lld, the side "
		    "of what makes a token",
		    (long long)b->work.image_height,
		    (long long)b->work.image_width, (long long)unit);
	sf_patches_grid(b, grid);
	if (!sf_mul_all(
		(int64_t[]){ b->work.batch, grid[0], grid[1] }, 3, &rows) ||
	    !sf_mul_all((int64_t[]){ image->channels, image->frames,
			    image->patch, image->patch },
		4, &width))
		sf_die(SF_EX_INPUT, "%s: the image has more than 2^63-1 bytes",
		    b->graph.source);
	x = sf_val_new(&b->graph, b->work.dtype, 2, (int64_t[]){ rows, width });
	x->name = "pixel_values";
	return x;
}

struct sf_val *
sf_patches_number(struct sf_build *b, const char *name, enum sf_dtype dtype,
    int rank, const int64_t *shape)
{
	struct sf_val *x = sf_val_new(&b->graph, dtype, rank, shape);

	x->name = name;
	return x;
}

/* The halves of the last dimension exchanged, the second one negated. */
static struct sf_val *
rotate_half(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t half = x->shape[x->rank - 1] / 2;
	struct sf_item first[SF_VAL_RANK], last[SF_VAL_RANK];

	for (int i = 0; i < x->rank; i++)
		first[i] = last[i] = (struct sf_item)SF_ALL;
	first[x->rank - 1] = (struct sf_item)SF_TO(half);
	last[x->rank - 1] = (struct sf_item)SF_FROM(half);
	return l->cat(b,
	    l->unary(b, SF_CALL_NEG, l->getitem(b, x, x->rank, last)),
	    l->getitem(b, x, x->rank, first), -1);
}

struct sf_val *
sf_patches_turn(struct sf_build *b, struct sf_val *x, struct sf_val *cos,
    struct sf_val *sin)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *in[] = { x, cos, sin };
	struct sf_val *wide = l->to_type(b, x, SF_DT_F32), *y;

	y = l->binary(b, SF_CALL_MUL, rotate_half(b, wide), sin);
	y = l->binary(b, SF_CALL_ADD, l->binary(b, SF_CALL_MUL, wide, cos), y);
	y = l->to_type(b, y, b->work.dtype);
	sf_fuse_end(b, f, "gpu.rotary", in, 3, &y, 1);
	return y;
}

void
sf_patches_read(struct sf_arch *arch, const struct sf_config *config,
    const char *key, int64_t merge)
{
	struct sf_arch_image *image = &arch->image;
	int64_t side[2];

	sf_tower_read_pair(config, "patch_size", 16, side);
	if (side[0] != side[1])
		sf_config_die(config,
		    sf_field_find(&config->root, "patch_size"),
		    "'patch_size' is %lld by %lld, expected a square",
		    (long long)side[0], (long long)side[1]);
	image->patch = side[0];
	image->merge = sf_field_size_or(config, key, NULL, merge);
	image->channels = sf_field_size_or(config, "in_channels", NULL, 3);
	image->frames = 1;
	image->chosen_layer = -1;
	arch->bidirectional = true;
}
