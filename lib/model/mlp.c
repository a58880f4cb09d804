/* MLPs. */
#include "model/mlp.h"

#include "model/block.h"

struct sf_val *
sf_mlp(struct sf_build *b, int64_t layer, const char *name, struct sf_val *x,
    int64_t inner)
{
	struct sf_arena *arena = b->graph.arena;
	bool bias = b->arch->mlp_bias;
	struct sf_val *gate, *up;

	gate = sf_linear(b, layer, sf_arena_printf(arena, "%s.gate_proj", name),
	    x, inner, bias);
	gate = sf_activate(b, gate);
	up = sf_linear(b, layer, sf_arena_printf(arena, "%s.up_proj", name), x,
	    inner, bias);
	x = b->route->lower->binary(b, SF_CALL_MUL, gate, up);
	return sf_linear(b, layer, sf_arena_printf(arena, "%s.down_proj", name),
	    x, b->arch->hidden, bias);
}
