/* MLPs. */
#include "model/mlp.h"

#include "model/block.h"
#include "model/fuse.h"

static const char *
part_of(struct sf_build *b, const char *name, const char *part)
{
	return sf_arena_printf(b->graph.arena, "%s.%s", name, part);
}

static struct sf_val *
packed(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x,
    int64_t inner)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *half[2], *y;

	y = sf_linear(b, layer, part_of(b, name, "gate_up_proj"), x, 2 * inner,
	    b->arch->mlp_bias);
	l->split(b, y, NULL, 2, half);
	if (b->arch->family->clamped_gate) {
		y = sf_gate(b, half[0], half[1]);
	} else {
		y = sf_activate(b, half[0]);
		y = l->binary(b, SF_CALL_MUL, half[1], y);
	}
	x = sf_fuse_1(b, f, "gpu.mlp_up", x, y);
	return sf_linear(b, layer, part_of(b, name, "down_proj"), x,
	    b->arch->hidden, b->arch->mlp_bias);
}

struct sf_val *
sf_linear_activated(struct sf_build *b, int64_t layer, const char *name,
    struct sf_val *x, int64_t width, bool bias, enum sf_activation activation)
{
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *y = sf_linear(b, layer, name, x, width, bias);

	return sf_fuse_1(
	    b, f, "gpu.mlp_up", x, sf_activate_as(b, activation, y));
}

static struct sf_val *
plain(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x,
    int64_t inner)
{
	const struct sf_family *family = b->arch->family;
	struct sf_fusion f = sf_fuse_begin(b);
	bool bias = b->arch->mlp_bias;
	struct sf_val *y;

	y = sf_linear(b, layer, part_of(b, name, family->up), x, inner, bias);
	x = sf_fuse_1(b, f, "gpu.mlp_up", x, sf_activate(b, y));
	return sf_linear(
	    b, layer, part_of(b, name, family->down), x, b->arch->hidden, bias);
}

static struct sf_val *
mlp(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x,
    int64_t inner)
{
	struct sf_arena *arena = b->graph.arena;
	bool bias = b->arch->mlp_bias;
	struct sf_val *gate, *up;
	const char *around;
	struct sf_fusion f;

	if (b->arch->family->mlp == SF_MLP_PACKED)
		return packed(b, layer, name, x, inner);
	if (b->arch->family->mlp == SF_MLP_PLAIN)
		return plain(b, layer, name, x, inner);
	f = sf_fuse_begin(b);
	gate = sf_linear(b, layer, sf_arena_printf(arena, "%s.gate_proj", name),
	    x, inner, bias);
	around = sf_enter(b, layer, part_of(b, name, "act_fn"));
	gate = sf_activate(b, gate);
	sf_leave(b, around);
	if (b->arch->family->late_limits)
		gate = b->route->lower->clamp(b, gate);
	up = sf_linear(b, layer, sf_arena_printf(arena, "%s.up_proj", name), x,
	    inner, bias);
	if (b->arch->family->late_limits)
		up = b->route->lower->clamp(b, up);
	up = b->route->lower->binary(b, SF_CALL_MUL, gate, up);
	x = sf_fuse_1(b, f, "gpu.mlp_up", x, up);
	return sf_linear(b, layer, sf_arena_printf(arena, "%s.down_proj", name),
	    x, b->arch->hidden, bias);
}

struct sf_val *
sf_mlp(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x,
    int64_t inner)
{
	const char *around = sf_enter(b, layer, name);

	x = mlp(b, layer, name, x, inner);
	sf_leave(b, around);
	return x;
}

struct sf_val *
sf_mlp_halves(struct sf_build *b, int64_t layer, const char *name,
    struct sf_val *x, int64_t inner)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *half[2], *y;

	y = sf_linear(
	    b, layer, part_of(b, name, "input_linear"), x, 2 * inner, false);
	l->split(b, y, NULL, 2, half);
	y = l->binary(b, SF_CALL_MUL, sf_activate(b, half[0]), half[1]);
	x = sf_fuse_1(b, f, "gpu.mlp_up", x, y);
	return sf_linear(b, layer, part_of(b, name, "output_linear"), x,
	    b->arch->hidden, false);
}
