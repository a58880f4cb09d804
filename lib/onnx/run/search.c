/*
 * Searches for sequences of tokens, of com.microsoft: an encoder runs once, a
 * decoder a step, whose cache grows, up to the length that is given. The graphs
 * have the names that ONNX Runtime asks for.
 */
#include "onnx/run/search.h"

#include "onnx/run/attempt.h"
#include "onnx/run/control.h"
#include "onnx/run/depends.h"
#include "onnx/run/trial.h"
#include "onnx/run/unroll.h"
#include "onnx/run/values.h"
#include "onnx/run/walk.h"

static const struct sf_onnx_search_kind kinds[] = {
	{ "BeamSearch", 3, 10 },
	{ "GreedySearch", -1, -1 },
	{ "Sampling", -1, -1 },
	{ "WhisperBeamSearch", 3, 10 },
};

enum {
	NKINDS = sizeof kinds / sizeof kinds[0]
};

static const struct sf_onnx_search_kind *
kind_of(const struct sf_onnx_node *node)
{
	if (!sf_str_is(node->domain, "com.microsoft"))
		return NULL;
	for (int i = 0; i < NKINDS; i++)
		if (sf_str_is(node->op_type, kinds[i].op_type))
			return &kinds[i];
	return NULL;
}

bool
sf_onnx_search_is(const struct sf_onnx_node *node)
{
	return kind_of(node) != NULL;
}

struct sf_value *
sf_onnx_search_input(const struct sf_onnx_search *s, int i)
{
	return i >= 0 && i < s->at.node->ninputs ? s->at.inputs[i] : NULL;
}

/* ---- what is known of it ---- */

static void
open_at(struct sf_onnx_search *s, struct sf_value *value, const char *why)
{
	if (s->why != NULL)
		why = sf_arena_printf(s->at.run->arena, "%s, %s", s->why, why);
	s->why = why;
	if (value == NULL)
		return;
	if (value->why != NULL)
		s->why = sf_arena_printf(
		    s->at.run->arena, "%s (%s)", why, value->why);
	s->open[s->nopen++] = value;
}

static void
find_rows(struct sf_onnx_search *s)
{
	struct sf_value *ids = sf_onnx_search_input(s, SF_ONNX_SEARCH_IDS);
	struct sf_value *beams = sf_onnx_search_input(s, s->kind->num_beams);

	s->beams = 1;
	if (ids == NULL || !sf_value_resolved(ids) || ids->rank < 2) {
		open_at(s, ids, "the size of its input is not known");
	} else {
		s->batch = ids->dims[0];
		s->encoded = ids->dims[ids->rank - 1];
	}
	if (s->kind->num_beams >= 0 &&
	    !sf_onnx_control_number(beams, &s->beams))
		open_at(s, beams, "its number of beams is not known");
	else if (s->beams < 1 || s->beams > INT32_MAX || s->batch > INT32_MAX)
		open_at(s, NULL, "so many beams cannot be");
	else
		s->rows = s->batch * s->beams;
}

/* Tokens to begin with: the prompt, or what is given to the decoder. */
static void
find_length(struct sf_onnx_search *s)
{
	struct sf_value *start = sf_onnx_search_input(s, s->kind->start_ids);

	s->length = s->encoder == NULL ? s->encoded : 1;
	if (s->encoder == NULL || start == NULL)
		return;
	if (!sf_value_resolved(start) || start->rank != 2)
		open_at(s, start, "the size of its start is not known");
	else
		s->length = start->dims[1];
}

int
sf_onnx_search_find(const struct sf_onnx_info *infos, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (sf_str_is(infos[i].name, name))
			return i;
	return -1;
}

/* An encoder that has logits makes the first token, too. */
static bool
encoder_decides(const struct sf_onnx_search *s)
{
	return s->encoder != NULL &&
	    sf_onnx_search_find(
		s->encoder->outputs, s->encoder->noutputs, "logits") >= 0;
}

/* How often the decoder runs: by the length, and as the user says. */
static void
find_runs(struct sf_onnx_search *s)
{
	struct sf_choices *choices = s->at.run->plan->choices;
	const struct sf_choice *choice =
	    sf_choice_find(choices, SF_CHOICE_TRIPS, s->at.scope->prefix,
		sf_onnx_choice_name(s->at.node));
	struct sf_value *most = sf_onnx_search_input(s, SF_ONNX_SEARCH_LENGTH);
	int64_t before = s->length + encoder_decides(s);
	bool known = sf_onnx_control_number(most, &s->most);

	if (!known && choice == NULL) {
		open_at(s, most, "its length is not known");
		return;
	}
	s->runs = known && s->most > before ? s->most - before : 0;
	if (choice == NULL || (known && choice->node.n == 0))
		return;
	if (known && choice->value > s->runs)
		sf_choice_known(choices, SF_CHOICE_TRIPS, s->at.scope->prefix,
		    sf_onnx_choice_name(s->at.node), s->runs);
	else
		s->runs = choice->value;
	if (!known)
		s->most = before + s->runs;
	s->assumed = true;
	s->told = s->runs;
}

/* ---- what the search itself does ---- */

/* A row for each beam of what the encoder made for each of the batch. */
static struct sf_value *
spread(struct sf_onnx_search *s, struct sf_value *value)
{
	struct sf_arena *arena = s->at.run->arena;
	struct sf_value **in, **out;
	int64_t *dims;

	if (s->beams == 1 || !value->rank_known || value->rank == 0)
		return value;
	in = sf_arena_calloc(arena, 2, sizeof(struct sf_value *));
	out = in + 1;
	dims = sf_arena_calloc(arena, (size_t)value->rank, sizeof *dims);
	for (int i = 0; i < value->rank; i++)
		dims[i] = i == 0 ? s->rows : value->dims[i];
	in[0] = value;
	out[0] = sf_onnx_value_new(s->at.run,
	    sf_onnx_tids_make(&s->at.run->tids, value->name, SF_STR("beams")));
	out[0]->kind = value->kind;
	out[0]->dtype = value->dtype;
	out[0]->rank_known = true;
	out[0]->rank = value->rank;
	out[0]->dims = dims;
	out[0]->why = value->why;
	sf_onnx_op_make(
	    s->at.run, s->at.scope, s->at.node, "Tile", in, 1, out, 1, NULL, 0);
	return out[0];
}

/* Chooses the next tokens by the logits of a run. */
static void
choose(
    struct sf_onnx_search *s, struct sf_onnx_unroll *u, struct sf_value *logits)
{
	struct sf_arena *arena = s->at.run->arena;
	struct sf_value **in =
	    sf_arena_calloc(arena, 2, sizeof(struct sf_value *));
	struct sf_value **out = in + 1;
	const struct sf_onnx_graph *graph = s->decoder;
	int i = sf_onnx_search_find(graph->inputs, graph->ninputs, "input_ids");
	int64_t *dims = sf_arena_calloc(arena, 2, sizeof *dims);

	in[0] = logits;
	dims[0] = s->rows;
	dims[1] = 1;
	out[0] = sf_onnx_value_new(s->at.run,
	    sf_onnx_tids_make(
		&s->at.run->tids, u->step.prefix, SF_STR("tokens")));
	out[0]->kind = SF_ONNX_TYPE_TENSOR;
	out[0]->dtype = i >= 0 ? graph->inputs[i].type.dtype : SF_DT_I32;
	if (out[0]->dtype == SF_DT_UNKNOWN)
		out[0]->dtype = SF_DT_I32;
	out[0]->rank_known = true;
	out[0]->rank = 2;
	out[0]->dims = dims;
	sf_onnx_op_make(s->at.run, s->at.scope, s->at.node,
	    s->kind->num_beams >= 0 ? "TopK" : "ArgMax", in, 1, out, 1, NULL,
	    0);
	s->tokens = s->chosen[s->nchosen++] = out[0];
}

/* ---- running the graphs ---- */

static bool
run_encoder(struct sf_onnx_search *s)
{
	struct sf_onnx_unroll u;
	int logits = sf_onnx_search_find(
	    s->encoder->outputs, s->encoder->noutputs, "logits");
	bool ok = sf_onnx_unroll_begin_part(&u, s->at.run, s->at.scope,
		      s->at.node, s->encoder, "encoder") &&
	    sf_onnx_unroll_next(&u);

	for (int i = 0; ok && i < s->encoder->ninputs; i++)
		sf_onnx_search_bind_encoder(s, &u, i);
	ok = ok && sf_onnx_unroll_step(&u);
	s->encoder_out = sf_arena_calloc(s->at.run->arena,
	    (size_t)s->encoder->noutputs + 1, sizeof(struct sf_value *));
	for (int i = 0; ok && i < s->encoder->noutputs; i++)
		if (i != logits)
			s->encoder_out[i] = spread(s, u.results[i]);
	if (ok && logits >= 0) {
		s->begun = s->length;
		choose(s, &u, u.results[logits]);
	}
	sf_onnx_unroll_end(&u);
	return ok;
}

/* One run of GRAPH with N tokens. */
static bool
run_decoder(struct sf_onnx_search *s, struct sf_onnx_unroll *u, int64_t n)
{
	const struct sf_onnx_graph *graph = u->graph;
	int logits =
	    sf_onnx_search_find(graph->outputs, graph->noutputs, "logits");

	if (!sf_onnx_unroll_next(u))
		return false;
	for (int i = 0; i < graph->ninputs; i++)
		if (!sf_onnx_search_bind_decoder(s, u, i, n)) {
			s->why = sf_arena_printf(s->arena,
			    "its decoder has an input '%.*s'",
			    SF_STR_ARG(graph->inputs[i].name));
			return sf_fail(s->at.run->error, "%s", s->why);
		}
	if (!sf_onnx_unroll_step(u))
		return false;
	s->begun += n;
	s->last_graph = graph;
	for (int i = 0; i < graph->noutputs; i++)
		s->last[i] = u->results[i];
	choose(s, u, u->results[logits >= 0 ? logits : 0]);
	return true;
}

/* So many runs of GRAPH as in the first step of it would be too many. */
static bool
too_many(const struct sf_onnx_search *s, int64_t nodes)
{
	return nodes > 0 &&
	    s->runs >
	    (SF_ONNX_MAX_EXPANDED - s->at.run->expanded - s->at.run->lost) /
		nodes;
}

static bool
run_decoders(struct sf_onnx_search *s, struct sf_onnx_unroll *u)
{
	int64_t before = s->at.run->expanded;

	for (int64_t k = 0; k < s->runs; k++) {
		if (!run_decoder(s, u, s->tokens != NULL ? 1 : s->length))
			return false;
		if (k == 0 && too_many(s, s->at.run->expanded - before)) {
			s->at.run->overflow = true;
			return sf_fail(s->at.run->error, "too many nodes");
		}
	}
	return true;
}

/* The first run has a graph of its own in some models. */
static bool
run_init(struct sf_onnx_search *s)
{
	struct sf_onnx_unroll u;
	bool ok = sf_onnx_unroll_begin_part(&u, s->at.run, s->at.scope,
		      s->at.node, s->init, "init") &&
	    run_decoder(s, &u, s->length);

	sf_onnx_unroll_end(&u);
	s->runs--;
	return ok;
}

/* Where the user said how often it runs, the sequences are that long. */
static void
settle_length(const struct sf_onnx_search *s, struct sf_value *sequences)
{
	int64_t *dims;
	int last;

	if (sequences == NULL || !sequences->rank_known ||
	    sequences->rank == 0 ||
	    sequences->dims[sequences->rank - 1] != SF_DIM_UNKNOWN)
		return;
	last = sequences->rank - 1;
	dims = sf_arena_calloc(
	    s->at.run->arena, (size_t)sequences->rank, sizeof *dims);
	for (int i = 0; i < last; i++)
		dims[i] = sequences->dims[i];
	dims[last] = s->most;
	sequences->dims = dims;
	sequences->dim_names = NULL;
	if (sf_value_resolved(sequences))
		sequences->why = NULL;
}

/* The operator itself: of all that was chosen it makes the sequences. */
static bool
finish(struct sf_onnx_search *s, struct sf_onnx_unroll *u)
{
	struct sf_onnx_op *op;
	struct sf_value **inputs;
	int n;

	if (!sf_onnx_op_add(
		s->at.run, s->at.scope, s->at.node, NULL, s->at.inputs, NULL))
		return false;
	op = &s->at.run->ops[s->at.run->nops - 1];
	n = op->ninputs;
	inputs = sf_arena_calloc(s->at.run->arena, (size_t)(n + s->nchosen) + 1,
	    sizeof(struct sf_value *));
	for (int i = 0; i < n; i++)
		inputs[i] = op->inputs[i];
	for (int64_t i = 0; i < s->nchosen; i++)
		inputs[n + i] = s->chosen[i];
	op->inputs = inputs;
	op->ninputs = n + (int)s->nchosen;
	op->folded = false;
	settle_length(s, op->noutputs > 0 ? op->outputs[0] : NULL);
	for (int i = 0; i < op->noutputs; i++) {
		if (op->outputs[i] != NULL)
			op->outputs[i]->constant = false;
		u->given[i] = op->outputs[i];
	}
	return true;
}

static bool
expand(struct sf_onnx_search *s)
{
	const struct sf_onnx_graph *graph = s->decoder;
	int most = graph->noutputs;
	struct sf_onnx_unroll u;
	bool ok;

	if (s->init != NULL && s->init->noutputs > most)
		most = s->init->noutputs;
	if (s->runs >= SF_ONNX_MAX_EXPANDED) {
		s->at.run->overflow = true;
		return sf_fail(s->at.run->error, "too many nodes");
	}
	s->chosen = sf_arena_calloc(
	    s->at.run->arena, (size_t)s->runs + 2, sizeof(struct sf_value *));
	s->whole = sf_onnx_search_find(graph->inputs, graph->ninputs,
		       "past_sequence_length") >= 0;
	if (s->encoder != NULL && !run_encoder(s))
		return false;
	s->last = sf_arena_calloc(
	    s->at.run->arena, (size_t)most + 1, sizeof(struct sf_value *));
	s->last_graph = s->decoder;
	if (s->init != NULL && s->runs > 0 && !run_init(s))
		return false;
	ok = sf_onnx_unroll_begin(
		 &u, s->at.run, s->at.scope, s->at.node, s->decoder) &&
	    run_decoders(s, &u) && finish(s, &u);
	sf_onnx_unroll_end(&u);
	return ok;
}

/* ---- the whole ---- */

static bool
close(struct sf_onnx_search *s)
{
	struct sf_arena *arena = s->at.run->arena;
	struct sf_onnx_closed closed = { 0 };
	const char *option = NULL;

	if (s->why == NULL)
		s->why = sf_arena_printf(arena,
		    "%lld runs of its decoder would take more than %d nodes",
		    (long long)s->runs, SF_ONNX_MAX_EXPANDED);
	closed.why =
	    sf_arena_printf(arena, "the decoder of %.*s is not expanded: %s",
		SF_STR_ARG(s->at.node->op_type), s->why);
	for (int i = 0; i < s->nopen; i++)
		if (s->open[i] ==
		    sf_onnx_search_input(s, SF_ONNX_SEARCH_LENGTH))
			option = sf_arena_printf(arena, "--trips %s",
			    sf_onnx_value_argument(s->at.run,
				sf_onnx_choice_name(s->at.node), "N"));
	if (s->nopen != 0)
		closed.why = sf_onnx_depends_values(
		    s->at.run, s->open, s->nopen, closed.why, option);
	return sf_onnx_control_close(&s->at, &closed);
}

bool
sf_onnx_expand_search(const struct sf_onnx_held *h)
{
	const struct sf_onnx_node *node = h->node;
	struct sf_onnx_run *run = h->run;
	struct sf_onnx_search s = { .at = *h,
		.kind = kind_of(node),
		.arena = run->arena,
		.encoder = sf_onnx_control_graph(node, "encoder"),
		.init = sf_onnx_control_graph(node, "init_decoder"),
		.decoder = sf_onnx_control_graph(node, "decoder") };
	struct sf_onnx_attempt attempt;

	if (s.decoder == NULL)
		return sf_fail(run->error,
		    "attribute 'decoder' is not there, expected a graph");
	find_rows(&s);
	find_length(&s);
	find_runs(&s);
	if (s.why == NULL && !sf_onnx_attempt_no_more(run)) {
		sf_onnx_attempt_begin(&attempt, run, false);
		if (expand(&s)) {
			sf_onnx_attempt_keep(&attempt, run);
			if (s.assumed)
				sf_choice_assume(run->plan->choices,
				    SF_CHOICE_TRIPS, sf_onnx_choice_name(node),
				    s.told);
			return true;
		}
		if (!run->overflow && s.why == NULL)
			return false;
		sf_onnx_attempt_drop(&attempt, run);
	}
	return close(&s);
}
