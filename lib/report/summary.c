/* The summary record of a simulation. */
#include "report/summary.h"

#include "base/num.h"

struct row {
	const char *object, *name;
	enum {
		STR,
		INT,
		DOUBLE
	} type;
	const char *unit;
	bool required;
};

static const struct row rows[] = {
#define SF_SUMMARY(id, object, name, type, unit, required) \
	{ object, name, type, unit, required },
#include "report/summary.def"
#undef SF_SUMMARY
};

/* The row of a member, -1 when it is not known. */
static int
find_row(struct sf_str object, struct sf_str name)
{
	for (int i = 0; i < SF_SUM_COUNT; i++)
		if (sf_str_is(name, rows[i].name) &&
		    sf_str_is(object, rows[i].object))
			return i;
	return -1;
}

static void
read_value(struct sf_summary_value *v, const struct row *row,
    struct sf_json *scan, struct sf_arena *arena)
{
	if (v->state != SF_SUM_ABSENT)
		sf_json_fail(scan, "a member that was there already");
	v->state = SF_SUM_GIVEN;
	if (sf_json_null(scan)) {
		v->state = SF_SUM_NULL;
	} else if (row->type == INT) {
		v->i = sf_json_int(scan);
		if (v->i < 0)
			sf_json_fail(scan, "expected an integer >= 0");
	} else if (row->type == DOUBLE) {
		v->d = sf_json_double(scan);
	} else {
		struct sf_str s = sf_json_string(scan);

		v->s.p = sf_arena_strndup(arena, s.p, v->s.n = s.n);
	}
}

/* The members of the record, or of an object in it. */
static void
read_members(struct sf_summary *summary, struct sf_str object,
    struct sf_json *scan, struct sf_arena *arena)
{
	struct sf_str name;

	while (sf_json_member(scan, &name)) {
		int row = find_row(object, name);

		if (row >= 0) {
			read_value(&summary->v[row], &rows[row], scan, arena);
		} else if (object.n == 0 && sf_json_peek(scan) == '{') {
			sf_json_enter(scan, '{');
			read_members(summary, name, scan, arena);
		} else {
			sf_json_skip(scan);
		}
	}
}

void
sf_summary_read(struct sf_summary *summary, struct sf_stream *stream,
    struct sf_arena *arena)
{
	struct sf_json scan = sf_stream_scan(stream);
	int64_t both;

	*summary = (struct sf_summary){ 0 };
	read_members(summary, (struct sf_str){ "", 0 }, &scan, arena);
	sf_stream_check(stream, &scan);
	for (int i = 0; i < SF_SUM_COUNT; i++)
		if (rows[i].required && summary->v[i].state == SF_SUM_ABSENT)
			sf_stream_die(stream, "the summary has no '%s%s%s'",
			    rows[i].object, *rows[i].object != '\0' ? "." : "",
			    rows[i].name);
	if (!sf_add(
		summary->v[SF_SUM_READ].i, summary->v[SF_SUM_WRITTEN].i, &both))
		sf_stream_die(
		    stream, "bytes.read + bytes.written passes 2^63 - 1");
}

static void
put_value(struct sf_figures *f, const struct row *row,
    const struct sf_summary_value *v)
{
	if (v->state == SF_SUM_NULL)
		sf_fig_null(f, row->name, row->unit);
	else if (row->type == INT)
		sf_fig_int(f, row->name, v->i, row->unit);
	else if (row->type == DOUBLE)
		sf_fig_double(f, row->name, v->d, row->unit);
	else
		sf_fig_str(f, row->name, v->s);
}

void
sf_summary_figures(const struct sf_summary *summary, struct sf_figures *f)
{
	const char *object = "";

	for (int i = 0; i < SF_SUM_COUNT; i++) {
		if (summary->v[i].state == SF_SUM_ABSENT)
			continue;
		if (strcmp(rows[i].object, object) != 0) {
			if (*object != '\0')
				sf_fig_close(f);
			object = rows[i].object;
			if (*object != '\0')
				sf_fig_open(f, object, '{');
		}
		put_value(f, &rows[i], &summary->v[i]);
	}
	if (*object != '\0')
		sf_fig_close(f);
}
