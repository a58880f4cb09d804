/* The summary record. */
#include "accel/summary_record.h"

#include <math.h>

#include "accel/engine.h"
#include "base/num.h"
#include "stream/member.h"

#define STR    SF_SUM_STR
#define INT    SF_SUM_INT
#define DOUBLE SF_SUM_DOUBLE

const struct sf_summary_row sf_summary_rows[SF_SUM_COUNT] = {
#define SF_SUMMARY(id, object, name, type, unit, required) \
	[SF_SUM_##id] = { object, name, type, unit, required },
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

void
sf_summary_write(struct sf_stream *stream, const struct sf_summary *summary)
{
	struct sf_jsonw *w = sf_stream_record(stream, SF_K_SUMMARY);

	for (int i = 0, end; i < SF_SUM_COUNT; i = end) {
		const char *object = sf_summary_rows[i].object;

		end = run_end(i);
		if (is_left_out(summary, i, end))
			continue;
		if (*object != '\0') {
			sf_jsonw_key(w, object);
			sf_jsonw_open(w, '{');
		}
		for (int k = i; k < end; k++)
			write_value(w, &sf_summary_rows[k], &summary->v[k]);
		if (*object != '\0')
			sf_jsonw_close(w, '}');
	}
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

/* The object of the rows from I to END. */
static struct sf_member
object_of(int i, int end, struct sf_arena *arena)
{
	const char *name = sf_summary_rows[i].object;
	struct sf_members *part = sf_arena_calloc(arena, 1, sizeof *part);
	struct sf_member *rows =
	    sf_arena_calloc(arena, (size_t)(end - i), sizeof *rows);

	for (int k = i; k < end; k++) {
		rows[k - i] = member_of(k);
		/* An object that is there has its sum. */
		if (may_be_left_out(i) &&
		    strcmp(sf_summary_rows[k].name, "total") == 0)
			rows[k - i].need = SF_ALWAYS;
	}
	*part = (struct sf_members){ name, rows, end - i };
	return (struct sf_member){ .name = sf_str_of(name),
		.type = SF_M_OBJECT,
		.need = may_be_left_out(i) ? SF_OPTIONAL : SF_ALWAYS,
		.members = part };
}

void
sf_summary_read(
    struct sf_summary *summary, struct sf_stream *stream, struct sf_arena *keep)
{
	struct sf_arena *arena = sf_stream_record_arena(stream);
	struct sf_member *rows =
	    sf_arena_calloc(arena, SF_SUM_COUNT, sizeof *rows);
	struct sf_members members = { "summary", rows, 0 };
	int64_t both;

	for (int i = 0, end; i < SF_SUM_COUNT; i = end) {
		end = run_end(i);
		if (*sf_summary_rows[i].object != '\0')
			rows[members.n++] = object_of(i, end, arena);
		else
			for (int k = i; k < end; k++)
				rows[members.n++] = member_of(k);
	}
	*summary = (struct sf_summary){ 0 };
	for (int i = 0; i < SF_SUM_COUNT; i++)
		summary->v[i] = (struct sf_summary_value){ -1, NAN, { "", 0 } };
	sf_record_read(stream, &members, keep, summary);
	for (int i = 0; i < SF_SUM_COUNT; i++)
		if (!isnan(summary->v[i].d) || summary->v[i].s.n != 0)
			summary->v[i].i = 0;
	if (!sf_add(
		summary->v[SF_SUM_READ].i, summary->v[SF_SUM_WRITTEN].i, &both))
		sf_stream_die(stream,
		    "summary: bytes.read + bytes.written passes 2^63 - 1");
}
