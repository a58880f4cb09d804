/* What a search gives to the inputs of its encoder and decoder. */
#include "onnx/run/search.h"

#include <string.h>

static void
set_type(struct sf_onnx_unroll *u, int i, struct sf_value *value, int rank,
    const int64_t *sizes)
{
	enum sf_dtype dtype = u->graph->inputs[i].type.dtype;
	int64_t *dims =
	    sf_arena_calloc(u->run->arena, (size_t)rank, sizeof *dims);

	for (int k = 0; k < rank; k++)
		dims[k] = sizes[k];
	value->kind = SF_ONNX_TYPE_TENSOR;
	value->dtype = dtype != SF_DT_UNKNOWN ? dtype : SF_DT_I32;
	value->rank_known = true;
	value->rank = rank;
	value->dims = dims;
	value->dim_names = NULL;
	value->why = NULL;
}

static void
bind_new(struct sf_onnx_unroll *u, int i, int rank, const int64_t *sizes)
{
	set_type(u, i, sf_onnx_unroll_bind_new(u, i), rank, sizes);
}

/* A cache without positions, or with room for all of them. */
static void
bind_empty(struct sf_onnx_search *s, struct sf_onnx_unroll *u, int i)
{
	const struct sf_onnx_type *type = &u->graph->inputs[i].type;
	int64_t dims[8];
	int rank = type->rank_known && type->rank <= 8 ? type->rank : 0;

	for (int k = 0; k < rank; k++)
		dims[k] = type->dims[k].size;
	if (rank >= 4) {
		dims[rank - 4] = s->rows;
		dims[rank - 2] = s->whole ? s->most : 0;
	}
	bind_new(u, i, rank, dims);
}

/* "present_key_0" for "past_key_0" */
static bool
is_present(struct sf_str present, struct sf_str past)
{
	return sf_str_starts(past, "past") &&
	    sf_str_starts(present, "present") && present.n - 7 == past.n - 4 &&
	    memcmp(present.p + 7, past.p + 4, past.n - 4) == 0;
}

static struct sf_value *
find_present(const struct sf_onnx_graph *graph, struct sf_value **values,
    struct sf_str past)
{
	for (int i = 0; values != NULL && i < graph->noutputs; i++)
		if (is_present(graph->outputs[i].name, past))
			return values[i];
	return NULL;
}

static void
bind_past(struct sf_onnx_search *s, struct sf_onnx_unroll *u, int i)
{
	struct sf_str name = u->graph->inputs[i].name;
	struct sf_value *value = NULL;

	if (s->last != NULL)
		value = find_present(s->last_graph, s->last, name);
	if (value == NULL && s->encoder != NULL)
		value = find_present(s->encoder, s->encoder_out, name);
	if (value != NULL)
		sf_onnx_unroll_bind(u, i, value);
	else
		bind_empty(s, u, i);
}

static struct sf_value *
encoder_output(const struct sf_onnx_search *s, const char *name)
{
	const struct sf_onnx_graph *graph = s->encoder;
	int i = -1;

	if (graph != NULL)
		i = sf_onnx_search_find(graph->outputs, graph->noutputs, name);
	return i >= 0 ? s->encoder_out[i] : NULL;
}

/* Tokens: those that were chosen, or in the first run what there is. */
static void
bind_tokens(
    struct sf_onnx_search *s, struct sf_onnx_unroll *u, int i, int64_t n)
{
	int64_t dims[] = { s->rows, n };
	struct sf_value *given = sf_onnx_search_input(
	    s, s->encoder == NULL ? SF_ONNX_SEARCH_IDS : s->kind->start_ids);

	if (s->tokens != NULL)
		sf_onnx_unroll_bind(u, i, s->tokens);
	else if (given != NULL && s->beams == 1)
		sf_onnx_unroll_bind(u, i, given);
	else
		bind_new(u, i, 2, dims);
}

bool
sf_onnx_search_bind_decoder(
    struct sf_onnx_search *s, struct sf_onnx_unroll *u, int i, int64_t n)
{
	struct sf_str name = u->graph->inputs[i].name;
	int64_t now[] = { s->rows, n }, all[] = { s->rows, s->begun + n };
	int64_t source[] = { s->rows, s->encoded };
	int64_t cells[] = { s->batch, s->beams, s->most };

	if (sf_str_is(name, "input_ids") ||
	    sf_str_is(name, "decoder_input_ids"))
		bind_tokens(s, u, i, n);
	else if (sf_str_is(name, "position_ids"))
		bind_new(u, i, 2, now);
	else if (sf_str_is(name, "attention_mask"))
		bind_new(u, i, 2, all);
	else if (sf_str_is(name, "encoder_attention_mask"))
		bind_new(u, i, 2, source);
	else if (sf_str_is(name, "encoder_hidden_states") &&
	    encoder_output(s, "encoder_hidden_states") != NULL)
		sf_onnx_unroll_bind(
		    u, i, encoder_output(s, "encoder_hidden_states"));
	else if (sf_str_is(name, "past_sequence_length"))
		sf_onnx_unroll_bind_int(u, i, SF_DT_I32, s->begun);
	else if (sf_str_is(name, "beam_width"))
		sf_onnx_unroll_bind_int(u, i, SF_DT_I32, s->beams);
	else if (sf_str_is(name, "cache_indirection"))
		bind_new(u, i, 3, cells);
	else if (sf_str_starts(name, "past"))
		bind_past(s, u, i);
	else
		return false;
	return true;
}

void
sf_onnx_search_bind_encoder(
    struct sf_onnx_search *s, struct sf_onnx_unroll *u, int i)
{
	struct sf_str name = u->graph->inputs[i].name;
	int64_t mask[] = { s->batch, s->encoded };
	int64_t start[] = { s->batch, s->length };

	if (i == 0)
		sf_onnx_unroll_bind(
		    u, i, sf_onnx_search_input(s, SF_ONNX_SEARCH_IDS));
	else if (!sf_str_is(name, "decoder_input_ids"))
		bind_new(u, i, 2, mask);
	else if (sf_onnx_search_input(s, s->kind->start_ids) != NULL)
		sf_onnx_unroll_bind(
		    u, i, sf_onnx_search_input(s, s->kind->start_ids));
	else
		bind_new(u, i, 2, start);
}
