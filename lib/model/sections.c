/* Rotary embedding of positions in time, height and width. */
#include "model/sections.h"

#include "model/mask.h"

struct sf_val *
sf_sections_positions(struct sf_build *b, struct sf_val **grid)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t n = b->work.tokens;
	struct sf_item behind[] = { SF_FROM(1), SF_ALL, SF_ALL };
	struct sf_val *ids = sf_position_range(b), *text;

	ids = l->view(b, ids, 3, (int64_t[]){ 1, 1, n });
	ids = l->expand(b, ids, 3, (int64_t[]){ 4, b->work.batch, n });
	text = l->select(b, ids, 0);
	*grid = l->getitem(b, ids, 3, behind);
	return text;
}

/* Cosines or sines of the three, as those of one. */
static struct sf_val *
put_together(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;

	x = l->merge_sections(b, x, b->arch->sections);
	return l->cat(b, x, x, -1);
}

static struct sf_rope
angles(struct sf_build *b, struct sf_val *grid)
{
	const struct sf_decomposition *l = b->route->lower;
	int64_t pairs = b->arch->rotary_dim / 2;
	struct sf_item column[] = { SF_NEW, SF_NEW, SF_ALL, SF_NEW };
	struct sf_item row[] = { SF_ALL, SF_ALL, SF_NEW, SF_ALL };
	struct sf_val *inv_freq = sf_rope_frequencies(b, pairs), *x, *y;
	double scale = b->arch->rotary_scale;
	struct sf_rope r;

	x = l->getitem(b, inv_freq, 4, column);
	x = l->to_type(b, x, SF_DT_F32);
	x = l->expand(b, x, 4, (int64_t[]){ 3, b->work.batch, pairs, 1 });
	y = l->to_type(b, l->getitem(b, grid, 4, row), SF_DT_F32);
	x = l->to_type(b, x, SF_DT_F32);
	y = l->to_type(b, y, SF_DT_F32);
	x = l->transpose(b, l->matmul(b, x, y), 2, 3);
	r.cos = l->number(b, SF_CALL_MUL, l->unary(b, SF_CALL_COS, x), scale);
	r.sin = l->number(b, SF_CALL_MUL, l->unary(b, SF_CALL_SIN, x), scale);
	r.sin = put_together(b, r.sin);
	r.cos = put_together(b, r.cos);
	r.cos = l->to_type(b, r.cos, b->work.dtype);
	r.sin = l->to_type(b, r.sin, b->work.dtype);
	return r;
}

struct sf_rope
sf_sections_angles(struct sf_build *b, struct sf_val *grid)
{
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_rope r = angles(b, grid);

	sf_rope_fuse_angles(b, f, grid, &r);
	return r;
}
