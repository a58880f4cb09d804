/* The summary record. */
#include "accel/summary_record.h"

#include <math.h>

#include "accel/accel.h"
#include "accel/engine.h"
#include "base/num.h"
#include "stream/member.h"
#include "stream/tally.h"

#define STR    SF_SUM_STR
#define INT    SF_SUM_INT
#define DOUBLE SF_SUM_DOUBLE

const struct sf_summary_row sf_summary_rows[SF_SUM_COUNT] = {
#define SF_SUMMARY(id, object, name, type, unit, required, by_core) \
	[SF_SUM_##id] = { object, name, type, unit, required, by_core },
#include "accel/summary.def"
#undef SF_SUMMARY
};

/* The end of the run of rows from I on that are in the same object. */
static int
run_end(int i)
{
	const char *object = sf_summary_rows[i].object;

	while (
	    i < SF_SUM_COUNT && strcmp(sf_summary_rows[i].object, object) == 0)
		i++;
	return i;
}

/* ---- writing ---- */

static void
write_value(struct sf_jsonw *w, const struct sf_summary_row *row,
    const struct sf_summary_value *v)
{
	if (!row->required && v->i < 0)
		return;
	sf_jsonw_key(w, row->name);
	if (row->type == INT)
		sf_jsonw_int(w, v->i);
	else if (row->type == DOUBLE)
		sf_jsonw_double(w, v->d);
	else
		sf_jsonw_str(w, v->s);
}

/* What a simulation always costs is an object, whatever is in it. */
static bool
may_be_left_out(int i)
{
	const char *object = sf_summary_rows[i].object;

	return strcmp(object, "energy_j") == 0 ||
	    strcmp(object, "area_mm2") == 0;
}

static bool
is_left_out(const struct sf_summary *summary, int i, int end)
{
	while (i < end && may_be_left_out(i) && summary->v[i].i < 0)
		i++;
	return i == end;
}

/* True when a core has a row from I to END. */
static bool
is_by_core(int i, int end)
{
	while (i < end && !sf_summary_rows[i].by_core)
		i++;
	return i < end;
}

/* The rows from I to END, which are in one object, or in none. */
static void
write_run(struct sf_jsonw *w, const struct sf_summary_value *v, int i, int end,
    bool of_core)
{
	const char *object = sf_summary_rows[i].object;

	if (*object != '\0') {
		sf_jsonw_key(w, object);
		sf_jsonw_open(w, '{');
	}
	for (; i < end; i++)
		if (!of_core || sf_summary_rows[i].by_core)
			write_value(w, &sf_summary_rows[i], &v[i]);
	if (*object != '\0')
		sf_jsonw_close(w, '}');
}

static void
write_cores(struct sf_jsonw *w, const struct sf_summary *summary)
{
	sf_jsonw_key(w, "cores");
	sf_jsonw_open(w, '[');
	for (int n = 0; n < summary->ncores; n++) {
		sf_jsonw_open(w, '{');
		for (int i = 0, end; i < SF_SUM_COUNT; i = end) {
			end = run_end(i);
			if (is_by_core(i, end))
				write_run(w, summary->cores[n].v, i, end, true);
		}
		sf_jsonw_close(w, '}');
	}
	sf_jsonw_close(w, ']');
}

void
sf_summary_write(struct sf_stream *stream, const struct sf_summary *summary)
{
	struct sf_jsonw *w = sf_stream_record(stream, SF_K_SUMMARY);

	for (int i = 0, end; i < SF_SUM_COUNT; i = end) {
		end = run_end(i);
		if (!is_left_out(summary, i, end))
			write_run(w, summary->v, i, end, false);
	}
	if (summary->cores != NULL)
		write_cores(w, summary);
	sf_stream_put(stream);
}

/* ---- reading ---- */

static struct sf_member
member_of(int i)
{
	static const char *const bases[] = { "not calibrated", NULL };
	const struct sf_summary_row *row = &sf_summary_rows[i];
	size_t at = offsetof(struct sf_summary, v) +
	    (size_t)i * sizeof(struct sf_summary_value);
	struct sf_member m = { .name = sf_str_of(row->name),
		.need = row->required ? SF_ALWAYS : SF_OPTIONAL };

	if (row->type == INT) {
		m.type = SF_M_INT;
		m.most = INT64_MAX;
		at += offsetof(struct sf_summary_value, i);
	} else if (row->type == DOUBLE) {
		m.type = SF_M_DOUBLE;
		m.high = DBL_MAX;
		at += offsetof(struct sf_summary_value, d);
	} else {
		m.type = SF_M_STR;
		m.filled = true;
		if (i == SF_SUM_ENGINE)
			m.words = sf_engine_names;
		else if (i == SF_SUM_ENERGY_BASIS)
			m.words = bases;
		at += offsetof(struct sf_summary_value, s);
	}
	m.offset = (uint32_t)at;
	return m;
}

/* The object of the rows from I to END, or of those of a core. */
static struct sf_member
object_of(int i, int end, bool of_core, struct sf_arena *arena)
{
	const char *name = sf_summary_rows[i].object;
	struct sf_members *part = sf_arena_calloc(arena, 1, sizeof *part);
	struct sf_member *rows =
	    sf_arena_calloc(arena, (size_t)(end - i), sizeof *rows);

	int n = 0;

	for (int k = i; k < end; k++) {
		if (of_core && !sf_summary_rows[k].by_core)
			continue;
		rows[n] = member_of(k);
		/* An object that is there has its sum. */
		if (may_be_left_out(i) &&
		    strcmp(sf_summary_rows[k].name, "total") == 0)
			rows[n].need = SF_ALWAYS;
		n++;
	}
	*part = (struct sf_members){ name, rows, n };
	return (struct sf_member){ .name = sf_str_of(name),
		.type = SF_M_OBJECT,
		.need = may_be_left_out(i) ? SF_OPTIONAL : SF_ALWAYS,
		.members = part };
}

/* The members of a summary, or of one of its cores. */
static void
set_members(struct sf_members *members, struct sf_member *rows, bool of_core,
    struct sf_arena *arena)
{
	*members = (struct sf_members){ of_core ? "core" : "summary", rows, 0 };
	for (int i = 0, end; i < SF_SUM_COUNT; i = end) {
		end = run_end(i);
		if (of_core && !is_by_core(i, end))
			continue;
		if (*sf_summary_rows[i].object != '\0') {
			rows[members->n++] = object_of(i, end, of_core, arena);
			continue;
		}
		for (int k = i; k < end; k++)
			if (!of_core || sf_summary_rows[k].by_core)
				rows[members->n++] = member_of(k);
	}
}

/* The array of cores. */
static struct sf_member
cores_of(struct sf_arena *arena)
{
	static const struct sf_member blank =
	    SF_MEMBER_ARRAY("cores", struct sf_summary, cores, ncores,
		SF_OPTIONAL, NULL, 2, SF_MAX_CORES);
	struct sf_member *rows =
	    sf_arena_calloc(arena, SF_SUM_COUNT, sizeof *rows);
	struct sf_members *members = sf_arena_calloc(arena, 1, sizeof *members);
	struct sf_member *element = sf_arena_calloc(arena, 1, sizeof *element);
	struct sf_member row = blank;

	set_members(members, rows, true, arena);
	*element = (struct sf_member)SF_ELEMENT_OBJECT(members);
	row.element = element;
	return row;
}

/* Values that were not there. */
static void
mark_missing(struct sf_summary *summary)
{
	for (int i = 0; i < SF_SUM_COUNT; i++) {
		struct sf_summary_value *v = &summary->v[i];

		if (!isnan(v->d) || v->s.n != 0)
			v->i = 0;
		/* What the whole has not its cores have not. */
		for (int n = 0; n < summary->ncores; n++)
			if (v->i < 0)
				summary->cores[n].v[i].i = -1;
	}
}

void
sf_summary_read(
    struct sf_summary *summary, struct sf_stream *stream, struct sf_arena *keep)
{
	struct sf_arena *arena = sf_stream_record_arena(stream);
	struct sf_member *rows =
	    sf_arena_calloc(arena, SF_SUM_COUNT + 1, sizeof *rows);
	struct sf_members members;
	int64_t both;

	set_members(&members, rows, false, arena);
	rows[members.n++] = cores_of(arena);
	*summary = (struct sf_summary){ 0 };
	for (int i = 0; i < SF_SUM_COUNT; i++)
		summary->v[i] = (struct sf_summary_value){ -1, NAN, { "", 0 } };
	sf_record_read(stream, &members, keep, summary);
	mark_missing(summary);
	sf_stream_tally(stream)->summary_ops = summary->v[SF_SUM_OPS].i;
	if (!sf_add(
		summary->v[SF_SUM_READ].i, summary->v[SF_SUM_WRITTEN].i, &both))
		sf_stream_die(stream,
		    "summary: bytes.read + bytes.written passes 2^63 - 1");
}
