/* A sweep over each trace of a stream. */
#include "sweep/sweep.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/die.h"
#include "base/progress.h"
#include "stream/tool.h"
#include "stream/trace.h"
#include "sweep/columns.h"
#include "sweep/front.h"
#include "sweep/outfile.h"
#include "sweep/sweep-write.h"

enum {
	MOST_UNASKED = 10000000, /* points that nobody meant to read */
};

const char *const sf_sweep_formats[] = { "json", "csv", NULL };

struct sf_sweep {
	struct sf_stream *stream;
	struct sf_target *target;
	struct sf_plan *plan;
	struct sf_bounds keep, own, front;
	double *values; /* of own columns */
	double *vector; /* of the front's */
	double *signs;  /* of the front's: -1 for the most */
	struct sf_outcome results[SF_TARGET_RESULTS];
	bool csv, strict, flush;
	struct sf_buf head; /* of the trace: its lines as they came */
	struct sf_outfile file;
	bool to_file;
	struct sf_progress progress;
	int64_t traces;
	/* Of the trace. */
	int64_t points, dropped;
	struct sf_front best;
	struct sf_jsonw line; /* of a point that may be of the front */
};

/* ---- what is asked for ---- */

static int64_t
passing(struct sf_sweep *s, int64_t *total)
{
	int64_t pass = 0;
	struct sf_error error;

	*total = 0;
	for (int64_t i = -1; sf_plan_next(s->plan, &i);) {
		++*total;
		pass += sf_plan_set(s->plan, i, &error) != SF_PLAN_HOLE;
	}
	return pass;
}

void
sf_sweep_count(struct sf_sweep *s, struct sf_buf *out)
{
	int64_t total, pass;

	if (s->plan->shard.n == 1 && s->plan->where.n == 0 &&
	    s->plan->total >= 0)
		total = pass = s->plan->total;
	else
		pass = passing(s, &total);
	sf_buf_printf(
	    out, "total %lld\npass %lld\n", (long long)total, (long long)pass);
}

/* "NAME=EXPR", each of a name that nothing else has. */
static void
add_columns(struct sf_sweep *s, const struct sf_list *columns)
{
	struct sf_arena *arena = sf_stream_arena(s->stream);
	static const char *const taken[] = { "kind", "i", "set", "refused",
		"engine" };

	s->own.v = sf_arena_calloc(arena, columns->n + 1, sizeof *s->own.v);
	s->values = sf_arena_calloc(arena, columns->n + 1, sizeof *s->values);
	for (size_t i = 0; i < columns->n; i++) {
		struct sf_bound_formula *b = &s->own.v[s->own.n];
		const char *text = columns->v[i], *equals = strchr(text, '=');
		const struct sf_key_scope *scope;
		bool free_name = equals != NULL && equals != text;

		if (!free_name)
			sf_die(SF_EX_USAGE,
			    "option '--column': found '%s', expected "
			    "NAME=EXPR",
			    text);
		b->name = (struct sf_str){ text, (size_t)(equals - text) };
		b->name.p = sf_arena_strndup(arena, b->name.p, b->name.n);
		for (size_t k = 0; k < sizeof taken / sizeof taken[0]; k++)
			free_name &= !sf_str_is(b->name, taken[k]);
		for (int k = 0; k < s->own.n; k++)
			free_name &= !sf_str_eq(s->own.v[k].name, b->name);
		for (int k = 0; k < s->target->nrows; k++)
			free_name &=
			    !sf_str_is(b->name, s->target->rows[k].object);
		for (size_t k = 0; k < b->name.n; k++)
			free_name &= strchr("\",\\.", b->name.p[k]) == NULL &&
			    (unsigned char)b->name.p[k] > ' ';
		if (!free_name || sf_target_row(s->target, b->name) >= 0 ||
		    sf_target_key(s->target, b->name, &scope) != NULL)
			sf_die(SF_EX_USAGE,
			    "option '--column': '%s' is no name that is free",
			    b->name.p);
		sf_bound_parse(
		    b, "column", equals + 1, s->target, true, &s->own);
		s->own.n++;
	}
}

static void
add_keeps(struct sf_sweep *s, const struct sf_list *keep)
{
	s->keep.v = sf_arena_calloc(
	    sf_stream_arena(s->stream), keep->n + 1, sizeof *s->keep.v);
	for (size_t i = 0; i < keep->n; i++)
		sf_bound_parse(&s->keep.v[s->keep.n++], "keep", keep->v[i],
		    s->target, true, &s->own);
}

/* The columns of a front: "makespan_s,-pe_efficiency". */
static void
add_front(struct sf_sweep *s, const char *text)
{
	struct sf_arena *arena = sf_stream_arena(s->stream);
	struct sf_axes_list list = sf_front_columns(text, arena);
	struct sf_jsonw w = { 0 };

	s->front.v = sf_arena_calloc(arena, (size_t)list.n, sizeof *s->front.v);
	s->vector = sf_arena_calloc(arena, (size_t)list.n, sizeof *s->vector);
	s->signs = list.signs;
	sf_jsonw_open(&w, '[');
	for (int k = 0; k < list.n; k++) {
		sf_bound_parse(&s->front.v[s->front.n++], "front",
		    list.texts[k], s->target, true, &s->own);
		sf_jsonw_cstr(&w, list.said[k]);
	}
	sf_jsonw_close(&w, ']');
	sf_stream_add_tool_member(s->stream, "front",
	    (struct sf_str){
		sf_arena_strndup(arena, w.buf.p, w.buf.n), w.buf.n });
	sf_buf_release(&w.buf);
	sf_front_init(&s->best, s->front.n);
}

static void
check_request(const struct sf_sweep *s, const struct sf_sweep_request *r)
{
	if (r->resume && r->output == NULL)
		sf_die(SF_EX_USAGE, "'--resume' needs '--output'");
	if (r->resume && s->csv)
		sf_die(SF_EX_USAGE,
		    "'--resume' with '--format csv', expected json: CSV does "
		    "not say where it ends");
	if (s->plan->total > MOST_UNASKED && r->plan.shard == NULL &&
	    r->front == NULL && r->output == NULL && !r->count)
		sf_die(SF_EX_USAGE,
		    "%lld points, expected '--shard', '--front' or '--output' "
		    "with more than %d",
		    (long long)s->plan->total, MOST_UNASKED);
}

/* ---- ends ---- */

/* What asks a sweep to end; a file keeps what was done. */
static const int signals[] = { SIGTERM, SIGINT, SIGHUP };

enum {
	NSIGNALS = sizeof signals / sizeof signals[0]
};

/* They wait until a point is done. */
static void
hold_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (int i = 0; i < NSIGNALS; i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static void
check_signals(struct sf_sweep *s)
{
	sigset_t set;

	if (!s->to_file || sigpending(&set) != 0)
		return;
	for (int i = 0; i < NSIGNALS; i++)
		if (sigismember(&set, signals[i]) == 1) {
			sf_progress_end(&s->progress);
			sf_stream_flush(s->stream);
			_exit(128 + signals[i]);
		}
}

static bool
stdin_is_pipe(void)
{
	struct stat st;

	return fstat(STDIN_FILENO, &st) == 0 && !S_ISREG(st.st_mode);
}

/* The texts of axes stand for files, perhaps, which the result depends on. */
static void
name_texts(struct sf_sweep *s)
{
	for (int k = 0; k < s->plan->naxes; k++) {
		const struct sf_sweep_axis *a = &s->plan->axes[k];

		for (int i = 0; i < a->nitems; i++)
			if (a->key->type == SF_KEY_TEXT &&
			    s->target->type->name != NULL)
				s->target->type->name(
				    s->target, a->key, a->items[i].text);
	}
}

/*
 * The base as it is recorded: of what it leaves open, such as a device that is
 * an axis, that of the first design.
 */
static void
set_base(struct sf_sweep *s)
{
	struct sf_error error;

	s->target->type->reset(s->target);
	if (s->target->type->load == NULL ||
	    s->target->type->load(s->target, &error))
		return;
	if (s->plan->file == NULL &&
	    sf_plan_set(s->plan, 0, &error) != SF_PLAN_REFUSED)
		return;
	sf_die(
	    SF_EX_USAGE, "%s, expected '--set' of it in the base", error.text);
}

/* What is named is read, and no other file from here on. */
static void
settle(struct sf_sweep *s)
{
	const struct sf_target_type *type = s->target->type;

	/* A file of designs names what is read when a design has it. */
	if (type->ready != NULL && s->plan->file != NULL)
		return;
	if (type->ready != NULL)
		type->ready(s->target);
	sf_stream_settle(s->stream);
}

struct sf_sweep *
sf_sweep_new(struct sf_stream *stream, struct sf_target *target,
    const struct sf_sweep_request *r)
{
	struct sf_arena *arena = sf_stream_arena(stream);
	struct sf_sweep *s = sf_arena_calloc(arena, 1, sizeof *s);

	s->stream = stream;
	s->target = target;
	s->csv = r->format == SF_SWEEP_CSV;
	s->strict = r->strict;
	s->plan = sf_plan_new(target, &r->plan);
	name_texts(s);
	add_columns(s, &r->columns);
	add_keeps(s, &r->keep);
	if (r->front != NULL)
		add_front(s, r->front);
	check_request(s, r);
	if (r->plan.shard != NULL)
		sf_stream_add_tool_member(stream, "shard",
		    sf_str_of(sf_arena_printf(arena, "\"%lld/%lld\"",
			(long long)s->plan->shard.i,
			(long long)s->plan->shard.n)));
	if (s->plan->mode == SF_PLAN_RANDOM || s->plan->mode == SF_PLAN_LHS)
		sf_stream_add_tool_member(stream, "seed",
		    sf_str_of(sf_arena_printf(
			arena, "%lld", (long long)s->plan->seed)));
	s->flush = r->plan.points != NULL && strcmp(r->plan.points, "-") == 0 &&
	    stdin_is_pipe();
	settle(s);
	if (r->output != NULL && !r->count) {
		s->to_file = true;
		sf_outfile_open(&s->file, r->output, r->resume);
		hold_signals();
	}
	return s;
}

void
sf_sweep_free(struct sf_sweep *s)
{
	if (s->to_file) {
		sf_stream_flush(s->stream);
		sf_outfile_finish(&s->file);
		sf_stream_divert(s->stream, STDOUT_FILENO);
	}
	s->target->type->free(s->target);
	sf_plan_free(s->plan);
	sf_front_release(&s->best);
	sf_buf_release(&s->line.buf);
	sf_buf_release(&s->head);
}

/* ---- a point ---- */

static void
put_line(struct sf_sweep *s)
{
	s->points++;
	if (s->flush)
		sf_stream_flush(s->stream);
}

static void
write_point(struct sf_sweep *s, const struct sf_sweep_point *p)
{
	if (s->csv) {
		sf_point_row(sf_stream_text(s->stream), p);
	} else {
		sf_point_write(sf_stream_record(s->stream, SF_K_POINT), p);
		sf_stream_put(s->stream);
	}
	put_line(s);
}

/* Offers a point to the front, as the line that it would be. */
static void
offer(struct sf_sweep *s, const struct sf_sweep_point *p)
{
	size_t before = s->best.n;

	for (int k = 0; k < s->front.n; k++)
		s->vector[k] = s->signs[k] *
		    sf_bound_eval(&s->front.v[k], p->results, p->values);
	s->line.buf.n = 0;
	s->line.comma = false;
	if (s->csv) {
		sf_point_row(&s->line.buf, p);
	} else {
		sf_jsonw_open(&s->line, '{');
		sf_jsonw_kcstr(&s->line, "kind", sf_kind_name(SF_K_POINT));
		sf_point_write(&s->line, p);
		sf_jsonw_close(&s->line, '}');
		sf_buf_putc(&s->line.buf, '\n');
	}
	if (sf_front_offer(&s->best, p->i, s->vector,
		(struct sf_str){ s->line.buf.p, s->line.buf.n }))
		s->dropped += (int64_t)(before + 1 - s->best.n);
	else
		s->dropped++;
}

static void
run_design(struct sf_sweep *s, int64_t i, const char *refused)
{
	struct sf_error error;
	struct sf_sweep_point p = { .i = i,
		.plan = s->plan,
		.results = s->results,
		.refused = refused,
		.own = &s->own,
		.values = s->values };

	if (refused == NULL &&
	    !s->target->type->run(s->target, s->results, &p.engine, &error))
		p.refused = error.text;
	if (p.refused != NULL) {
		if (s->strict)
			sf_stream_say_no(s->stream);
		write_point(s, &p);
		return;
	}
	for (int k = 0; k < s->own.n; k++)
		s->values[k] =
		    sf_bound_eval(&s->own.v[k], s->results, s->values);
	for (int k = 0; k < s->keep.n; k++)
		if (!(sf_bound_eval(&s->keep.v[k], s->results, s->values) !=
			0)) {
			s->dropped++;
			return;
		}
	if (s->front.n != 0)
		offer(s, &p);
	else
		write_point(s, &p);
}

/* ---- a trace ---- */

static void
put_front(struct sf_sweep *s)
{
	sf_front_sort(&s->best);
	for (size_t k = 0; k < s->best.n; k++) {
		const struct sf_front_point *p = &s->best.points[k];

		sf_stream_put_lines(
		    s->stream, (struct sf_buf){ p->text, p->n, p->n });
		put_line(s);
	}
	sf_front_release(&s->best);
}

static void
put_end(struct sf_sweep *s)
{
	struct sf_jsonw *w;

	if (s->csv)
		return;
	w = sf_stream_record(s->stream, SF_K_END);
	sf_jsonw_kint(w, "ops", 0);
	sf_jsonw_kint(w, "points", s->points);
	if (s->dropped != 0)
		sf_jsonw_kint(w, "dropped", s->dropped);
	sf_stream_put(s->stream);
}

/* Everything before the points; false when all of them are there already. */
static bool
put_head(struct sf_sweep *s, struct sf_outfile_rest *rest)
{
	struct sf_buf *text = sf_stream_text(s->stream);

	*rest = (struct sf_outfile_rest){ .last = -1 };
	if (s->csv) {
		const struct sf_sweep_point p = { .plan = s->plan,
			.own = &s->own };

		if (s->to_file)
			sf_stream_divert(s->stream, s->file.fd);
		sf_point_header(text, &p);
		return true;
	}
	/* Nothing is written before it was looked for. */
	if (s->to_file) {
		sf_stream_flush(s->stream);
		sf_stream_divert(s->stream, -1);
	}
	sf_stream_put_lines(s->stream, s->head);
	sf_stream_put_tool(s->stream);
	set_base(s);
	s->target->type->put_base(s->target);
	if (!s->to_file)
		return true;
	*rest = sf_outfile_find(
	    &s->file, (struct sf_str){ text->p, text->n }, s->front.n == 0);
	if (rest->head)
		text->n = 0;
	sf_stream_divert(s->stream, s->file.fd);
	return !rest->end;
}

/*
 * Passes what was done before: of designs that were dropped there is no line,
 * so they are counted again, which needs no run.
 */
static void
skip_done(struct sf_sweep *s, const struct sf_outfile_rest *rest, int64_t *i)
{
	struct sf_error error;
	int64_t passed = 0;

	s->points = rest->points;
	if (rest->last < 0)
		return;
	if (s->keep.n == 0 && s->plan->file == NULL) {
		*i = rest->last;
		return;
	}
	while (*i != rest->last) {
		int64_t before = *i;

		if (!sf_plan_next(s->plan, i) ||
		    (s->plan->file != NULL && *i <= before))
			sf_die(SF_EX_USAGE,
			    "'--resume' behind point %lld, expected rising "
			    "points that have it",
			    (long long)rest->last);
		passed += sf_plan_set(s->plan, *i, &error) != SF_PLAN_HOLE;
	}
	s->dropped = passed - rest->points;
}

static void
run_all(struct sf_sweep *s)
{
	struct sf_outfile_rest rest;
	struct sf_error error;
	int64_t i = -1;

	s->points = s->dropped = 0;
	if (!put_head(s, &rest))
		return;
	skip_done(s, &rest, &i);
	sf_progress_begin(&s->progress, "points",
	    s->plan->shard.n == 1 ? s->plan->total : -1);
	while (sf_plan_next(s->plan, &i)) {
		enum sf_plan_verdict verdict = sf_plan_set(s->plan, i, &error);

		if (verdict != SF_PLAN_HOLE)
			run_design(s, i,
			    verdict == SF_PLAN_REFUSED ? error.text : NULL);
		/* Of a kill a second is lost at most. */
		if (sf_progress_step(&s->progress) && s->to_file)
			sf_stream_flush(s->stream);
		check_signals(s);
	}
	put_front(s);
	sf_progress_end(&s->progress);
	put_end(s);
}

void
sf_sweep_record(struct sf_sweep *s, enum sf_kind kind)
{
	s->target->type->record(s->target, kind);
	switch (kind) {
	case SF_K_TRACE:
		if (s->traces++ != 0 && s->csv)
			sf_stream_die(
			    s->stream, "a second trace, expected one for CSV");
		s->head.n = 0;
		sf_stream_take(s->stream, &s->head);
		break;
	case SF_K_TOOL:
		sf_stream_take(s->stream, &s->head);
		break;
	case SF_K_END:
		if (s->traces > 1)
			sf_plan_rewind(s->plan);
		run_all(s);
		s->target->type->forget(s->target);
		break;
	default:
		break;
	}
}
