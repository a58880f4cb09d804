/*
 * The short convolutions of LFM2, in the order of calls of transformers 5.18's
 * modeling_lfm2.py.
 */
#include "model/lfm2.h"

#include "model/block.h"
#include "model/lower-aten-scan.h"
#include "model/ssm.h"

static const char *
part_of(struct sf_build *b, const char *name, const char *part)
{
	return sf_arena_printf(b->graph.arena, "%s.%s", name, part);
}

struct sf_val *
sf_hybrid_run(struct sf_build *b, struct sf_val *ids)
{
	return sf_decoder_run(b, ids);
}

struct sf_val *
sf_lfm2_convolve(
    struct sf_build *b, int64_t layer, const char *name, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	bool bias = a->ssm->conv_bias;
	struct sf_val *parts[3];
	const char *around = sf_enter(b, layer, name);

	x = sf_linear(
	    b, layer, part_of(b, name, "in_proj"), x, 3 * a->hidden, bias);
	sf_aten_chunk(b, l->transpose(b, x, 1, 2), 1, 3, parts);
	x = l->binary(b, SF_CALL_MUL, parts[0], parts[2]);
	x = sf_ssm_convolve(b, layer, part_of(b, name, "conv"), x);
	x = l->binary(b, SF_CALL_MUL, parts[1], x);
	x = l->contiguous(b, l->transpose(b, x, 1, 2));
	return sf_leave_with(b, around,
	    sf_linear(
		b, layer, part_of(b, name, "out_proj"), x, a->hidden, bias));
}
