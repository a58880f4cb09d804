/* Chrome's trace-event format. */
#include "timeline/chrome.h"

#include <math.h>
#include <stdlib.h>

#include "timeline/chrome-op.h"
#include "timeline/level.h"
#include "timeline/tiles.h"
#include "timeline/waits.h"

/* What a counter showed last; -1 before the first time. */
struct counter {
	const char *name, *unit;
	int64_t value;
};

/* A core of the accelerator, which is a process to viewers. */
struct track {
	struct sf_chrome *chrome;
	int64_t pid;
	struct sf_level buffer, ready;
	struct counter bytes, waiting; /* of the two levels */
	/* Of the operator: its tiles here, and its part of the run, in s. */
	int64_t tiles;
	double from, until;
	struct sf_stalls stalls; /* of several cores, what they sum to here */
};

struct sf_chrome {
	struct sf_stream *stream;
	struct sf_tiles tiles;
	struct track *tracks; /* of this trace, by core */
	int ntracks;
	struct sf_chrome_op op; /* the last one */
	int64_t flows;          /* arrows so far, in all traces */
	struct sf_jsonw event;  /* the one that is being written */
	int64_t pid;            /* cores of all traces so far */
	bool any;               /* events so far */
};

struct sf_chrome *
sf_chrome_new(struct sf_stream *stream)
{
	struct sf_chrome *c = sf_malloc(sizeof *c);

	*c = (struct sf_chrome){ .stream = stream };
	sf_tiles_init(&c->tiles, stream);
	sf_chrome_op_init(&c->op);
	return c;
}

void
sf_chrome_free(struct sf_chrome *c)
{
	sf_tiles_release(&c->tiles);
	sf_chrome_op_release(&c->op);
	sf_buf_release(&c->event.buf);
	free(c->tracks);
	free(c);
}

/* ---- events ---- */

/* An event of a core; write its other members, then end it. */
static struct sf_jsonw *
begin_event(
    const struct track *t, struct sf_str name, const char *phase, int tid)
{
	struct sf_jsonw *w = &t->chrome->event;

	w->buf.n = 0;
	w->comma = false;
	sf_jsonw_open(w, '{');
	sf_jsonw_kstr(w, "name", name);
	sf_jsonw_kcstr(w, "ph", phase);
	sf_jsonw_kint(w, "pid", t->pid);
	sf_jsonw_kint(w, "tid", tid);
	return w;
}

static void
end_event(struct sf_chrome *c)
{
	struct sf_buf *out = sf_stream_text(c->stream);

	sf_jsonw_close(&c->event, '}');
	if (c->any)
		SF_BUF_LIT(out, ",\n");
	else
		SF_BUF_LIT(
		    out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
	c->any = true;
	sf_buf_put(out, c->event.buf.p, c->event.buf.n);
}

/* Names, and other things that are no events in time. */
static void
put_name(const struct track *t, const char *what, int tid, const char *name)
{
	struct sf_jsonw *w = begin_event(t, sf_str_of(what), "M", tid);

	sf_jsonw_key(w, "args");
	sf_jsonw_open(w, '{');
	sf_jsonw_kcstr(w, "name", name);
	sf_jsonw_close(w, '}');
	end_event(t->chrome);
}

static void
put_sort_index(const struct track *t, int tid, int place)
{
	struct sf_jsonw *w =
	    begin_event(t, SF_STR("thread_sort_index"), "M", tid);

	sf_jsonw_key(w, "args");
	sf_jsonw_open(w, '{');
	sf_jsonw_kint(w, "sort_index", place);
	sf_jsonw_close(w, '}');
	end_event(t->chrome);
}

enum {
	MICRO = 1000000,
	NANOS = 1000 /* in a microsecond */
};

/*
 * Perfetto misreads numbers with 20 digits behind the point. Those are written
 * from 1e-4 to 1e-3, where fewer digits are attoseconds off.
 */
static double
readable(double microseconds)
{
	if (microseconds < 1e-4 || microseconds >= 1e-3)
		return microseconds;
	return floor(microseconds * 1e15) / 1e15;
}

/* Where a viewer that keeps whole nanoseconds puts it. */
static double
grid(double microseconds)
{
	return round(microseconds * NANOS);
}

/*
 * The duration of what ends at UNTIL. A viewer adds the two, and drops or
 * nests an event that runs into what follows, so the sum must not pass UNTIL:
 * neither in double precision, nor when both are rounded to nanoseconds first,
 * which costs up to half of one.
 */
static double
duration(double ts, double until)
{
	double dur = until - ts, ns = grid(until) - grid(ts);

	if (grid(dur) > ns)
		dur = (ns + 0.5) / NANOS;
	while (ts + dur > until || grid(dur) > ns)
		dur = nextafter(dur, 0);
	return readable(dur);
}

/* A lane works on a tile. */
static void
put_stay(const struct track *t, const struct sf_timed_tile *tile,
    const struct sf_stay *stay)
{
	const struct sf_timed_op *op = tile->op;
	struct sf_jsonw *w = begin_event(
	    t, sf_chrome_text(&t->chrome->op.label), "X", 1 + (int)stay->lane);
	double ts = readable(stay->start * MICRO);
	double until = readable(stay->end * MICRO);

	sf_jsonw_kcstr(w, "cat", sf_category_name(op->category));
	sf_jsonw_kdouble(w, "ts", ts);
	sf_jsonw_kdouble(w, "dur", duration(ts, until));
	sf_jsonw_key(w, "args");
	sf_jsonw_open(w, '{');
	sf_jsonw_kint(w, "op", op->i);
	sf_jsonw_kcstr(w, "type", op->name);
	sf_jsonw_kint(w, "tile", tile->i);
	sf_jsonw_kcstr(w, "category", sf_category_name(op->category));
	sf_jsonw_kint(w, "bytes", stay->bytes);
	sf_jsonw_kcstr(w, "bound", op->bound);
	sf_jsonw_close(w, '}');
	end_event(t->chrome);
}

static void
put_counter(
    const struct track *t, struct counter *counter, double at, int64_t value)
{
	struct sf_jsonw *w;

	if (value == counter->value)
		return;
	counter->value = value;
	w = begin_event(t, sf_str_of(counter->name), "C", 0);
	sf_jsonw_kdouble(w, "ts", readable(at * MICRO));
	sf_jsonw_key(w, "args");
	sf_jsonw_open(w, '{');
	sf_jsonw_kint(w, counter->unit, value);
	sf_jsonw_close(w, '}');
	end_event(t->chrome);
}

static void
tell_buffer(void *to, double from, double until, int64_t value)
{
	struct track *t = to;

	(void)until;
	put_counter(t, &t->bytes, from, value);
}

static void
tell_ready(void *to, double from, double until, int64_t value)
{
	struct track *t = to;

	(void)until;
	put_counter(t, &t->waiting, from, value);
}

/* ---- operators ---- */

enum {
	OPERATORS = 1 + SF_LANES /* the thread behind those of the lanes */
};

/* One end of an arrow: it is bound to what is going on at TS. */
static void
put_flow(const struct track *t, const char *phase, double ts)
{
	struct sf_jsonw *w = begin_event(t, SF_STR("reads"), phase, OPERATORS);

	sf_jsonw_kcstr(w, "cat", "dependency");
	sf_jsonw_kint(w, "id", t->chrome->flows);
	if (*phase == 'f')
		sf_jsonw_kcstr(w, "bp", "e");
	sf_jsonw_kdouble(w, "ts", ts);
	end_event(t->chrome);
}

static void
put_stalls(struct sf_jsonw *w, const struct sf_stalls *s)
{
	if (!s->told)
		return;
	sf_jsonw_kdouble(w, "compute_us", readable(s->compute_s * MICRO));
	sf_jsonw_kdouble(w, "load_bandwidth_us", readable(s->load_s * MICRO));
	sf_jsonw_kdouble(w, "buffer_full_us", readable(s->buffer_s * MICRO));
	sf_jsonw_kdouble(w, "dependency_us", readable(s->dependency_s * MICRO));
}

/*
 * What the operator is and has of the run. Its record has means over the cores,
 * so of several cores each has what was added up from its tiles.
 */
static void
put_op_args(struct sf_jsonw *w, const struct track *t)
{
	const struct sf_chrome_op *op = &t->chrome->op;

	sf_jsonw_key(w, "args");
	sf_jsonw_open(w, '{');
	sf_jsonw_kint(w, "op", op->i);
	sf_jsonw_kstr(w, "type", sf_chrome_text(&op->type));
	if (op->module.n != 0)
		sf_jsonw_kstr(w, "module", sf_chrome_text(&op->module));
	sf_jsonw_kcstr(w, "category", sf_category_name(op->category));
	sf_jsonw_kstr(w, "inputs", sf_chrome_text(&op->inputs));
	sf_jsonw_kstr(w, "outputs", sf_chrome_text(&op->outputs));
	sf_jsonw_kint(w, "tiles", t->tiles);
	sf_jsonw_kcstr(w, "bound", op->bound);
	put_stalls(w, t->chrome->ntracks == 1 ? &op->stalls : &t->stalls);
	sf_jsonw_close(w, '}');
}

/* Arrows to the operator, on T at MIDDLE, from those that it reads of. */
static void
put_flows(const struct track *t, double middle)
{
	struct sf_chrome *c = t->chrome;
	int core = (int)(t - c->tracks);

	for (int i = 0; i < c->op.ndeps; i++) {
		/* What was made on the same core, or else on the first. */
		int from = core;
		double made = sf_chrome_op_middle(&c->op, c->op.deps[i], from);

		for (int k = 0; k < c->ntracks && made < 0; k++)
			made = sf_chrome_op_middle(
			    &c->op, c->op.deps[i], from = k);
		if (made < 0)
			continue;
		c->flows++;
		put_flow(&c->tracks[from], "s", made);
		put_flow(t, "f", middle);
	}
}

/* The operator has had all its tiles on T. */
static void
end_part(struct track *t)
{
	struct sf_chrome_op *op = &t->chrome->op;
	double ts = readable(t->from * MICRO);
	double until = readable(t->until * MICRO), middle;
	struct sf_jsonw *w;

	if (t->tiles != 0 && until > ts) {
		w = begin_event(t, sf_chrome_text(&op->label), "X", OPERATORS);
		sf_jsonw_kcstr(w, "cat", sf_category_name(op->category));
		sf_jsonw_kdouble(w, "ts", ts);
		sf_jsonw_kdouble(w, "dur", duration(ts, until));
		put_op_args(w, t);
		end_event(t->chrome);
		/* At an end a viewer may take the event beside it. */
		middle = readable(ts + (until - ts) / 2);
		sf_chrome_op_put(op, (int)(t - t->chrome->tracks), middle);
		put_flows(t, middle);
	}
	t->tiles = 0;
	t->from = t->until;
	t->stalls = (struct sf_stalls){ .told = true };
}

static void
end_op(struct sf_chrome *c)
{
	for (int i = 0; i < c->ntracks; i++)
		end_part(&c->tracks[i]);
}

/* ---- traces ---- */

static void
begin_track(struct track *t, struct sf_chrome *c)
{
	*t = (struct track){ .chrome = c,
		.pid = ++c->pid,
		.stalls = { .told = true },
		.bytes = { "buffer", "bytes", -1 },
		.waiting = { "ready", "tiles", -1 } };
	sf_level_init(&t->buffer, tell_buffer, t);
	sf_level_init(&t->ready, tell_ready, t);
}

/* The process and its threads have names. */
static void
put_names(const struct track *t, int core)
{
	const struct sf_chrome *c = t->chrome;
	const struct sf_trace *trace = &c->tiles.trace;
	struct sf_buf name = { 0 };

	sf_buf_put(&name, trace->model.p, trace->model.n);
	SF_BUF_LIT(&name, " (");
	sf_buf_put(&name, trace->route.p, trace->route.n);
	sf_buf_printf(&name, ") on %s", c->tiles.accel.preset);
	if (c->ntracks > 1)
		sf_buf_printf(&name, ", core %d", core);
	sf_buf_putc(&name, '\0');
	put_name(t, "process_name", 0, name.p);
	sf_buf_release(&name);
	for (int i = 0; i < SF_LANES; i++) {
		if (i == SF_LANE_TRANSIT &&
		    c->tiles.accel.transit_ops_per_byte == 0)
			continue;
		put_name(
		    t, "thread_name", 1 + i, sf_lane_name((enum sf_lane)i));
		put_sort_index(t, 1 + i, 1 + i);
	}
	put_name(t, "thread_name", OPERATORS, "Operators");
	put_sort_index(t, OPERATORS, 0);
}

/* The block is known. */
static void
begin_cores(struct sf_chrome *c)
{
	c->ntracks = (int)c->tiles.accel.cores;
	c->tracks =
	    sf_reallocarray(c->tracks, (size_t)c->ntracks, sizeof *c->tracks);
	sf_chrome_op_reset(&c->op, c->ntracks);
	for (int i = 0; i < c->ntracks; i++) {
		begin_track(&c->tracks[i], c);
		put_names(&c->tracks[i], i);
	}
}

/* What the core waited for before the tile, and its compute. */
static void
add_stalls(struct track *t, const struct sf_timed_tile *tile)
{
	struct sf_waits w = sf_waits_of(tile, t->until);

	t->stalls.dependency_s += w.ready - w.computed;
	t->stalls.buffer_s += w.granted - w.ready;
	t->stalls.load_s += w.loaded - w.granted;
	t->stalls.compute_s += tile->t.comp_end - tile->t.comp_start;
}

static void
put_tile(struct sf_chrome *c, const struct sf_timed_tile *tile)
{
	struct track *t = &c->tracks[tile->core];
	struct sf_stay stays[SF_MAX_STAYS];
	int n = sf_tile_stays(tile, stays);

	t->tiles++;
	add_stalls(t, tile);
	t->until = tile->t.comp_end;
	for (int i = 0; i < n; i++)
		put_stay(t, tile, &stays[i]);
	sf_level_tile(&t->buffer, &t->ready, tile);
}

static void
end_track(struct track *t)
{
	sf_level_end(&t->buffer);
	sf_level_end(&t->ready);
	put_counter(t, &t->bytes, t->buffer.since, t->buffer.told);
	put_counter(t, &t->waiting, t->ready.since, t->ready.told);
	sf_level_release(&t->buffer);
	sf_level_release(&t->ready);
}

void
sf_chrome_record(struct sf_chrome *c, enum sf_kind kind)
{
	struct sf_timed_tile tile;

	if (kind == SF_K_TRACE)
		c->ntracks = 0;
	else if (kind == SF_K_OP || kind == SF_K_END)
		end_op(c);
	if (sf_tiles_record(&c->tiles, kind, &tile))
		put_tile(c, &tile);
	if (kind == SF_K_ACCEL)
		begin_cores(c);
	else if (kind == SF_K_OP)
		sf_chrome_op_take(&c->op, c->stream);
	for (int i = 0; i < c->ntracks && kind == SF_K_END; i++)
		end_track(&c->tracks[i]);
	if (kind == SF_K_EOF)
		SF_BUF_LIT(sf_stream_text(c->stream), "\n]}\n");
}
