/* MLPs. */
#include "model/mlp.h"

#include "base/num.h"
#include "model/block.h"
#include "model/fuse.h"

static const char *
part_of(struct sf_build *b, const char *name, const char *part)
{
	return sf_arena_printf(b->graph.arena, "%s.%s", name, part);
}

/* The family's NAME, or OTHERWISE. */
static const char *
named(const char *name, const char *otherwise)
{
	return name != NULL ? name : otherwise;
}

static struct sf_val *
packed(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x,
    int64_t inner)
{
	const struct sf_decomposition *l = b->route->lower;
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *half[2], *y;

	y = sf_linear(b, layer, part_of(b, name, "gate_up_proj"), x,
	    sf_mul_most(2, inner), b->arch->mlp_bias);
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
    struct sf_val *x, int64_t width, bool bias, const char *act,
    enum sf_activation activation)
{
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *y = sf_linear(b, layer, name, x, width, bias);

	return sf_fuse_1(
	    b, f, "gpu.mlp_up", x, sf_activate_part(b, act, activation, y));
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
	const struct sf_family *family = b->arch->family;
	const char *gate_name = named(family->gate_part, "gate_proj");
	const char *up_name = named(family->up, "up_proj");
	const char *down_name = named(family->down, "down_proj");
	bool bias = b->arch->mlp_bias;
	struct sf_val *gate, *up;
	struct sf_fusion f;

	if (b->arch->family->mlp == SF_MLP_PACKED)
		return packed(b, layer, name, x, inner);
	if (b->arch->family->mlp == SF_MLP_PLAIN)
		return plain(b, layer, name, x, inner);
	f = sf_fuse_begin(b);
	gate = sf_linear(b, layer, part_of(b, name, gate_name), x, inner, bias);
	gate = sf_activate(b, gate);
	if (b->arch->family->late_limits)
		gate = b->route->lower->clamp(b, gate);
	up = sf_linear(b, layer, part_of(b, name, up_name), x, inner, bias);
	if (b->arch->family->late_limits)
		up = b->route->lower->clamp(b, up);
	up = b->route->lower->binary(b, SF_CALL_MUL, gate, up);
	x = sf_fuse_1(b, f, "gpu.mlp_up", x, up);
	return sf_linear(
	    b, layer, part_of(b, name, down_name), x, b->arch->hidden, bias);
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
	const char *around = sf_enter(b, layer, name);
	struct sf_fusion f = sf_fuse_begin(b);
	struct sf_val *half[2], *y;

	y = sf_linear(b, layer, part_of(b, name, "input_linear"), x,
	    sf_mul_most(2, inner), false);
	l->split(b, y, NULL, 2, half);
	y = sf_activate_part(b, "activation", b->arch->activation, half[0]);
	y = l->binary(b, SF_CALL_MUL, y, half[1]);
	x = sf_fuse_1(b, f, "gpu.mlp_up", x, y);
	x = sf_linear(b, layer, part_of(b, name, "output_linear"), x,
	    b->arch->hidden, false);
	sf_leave(b, around);
	return x;
}
