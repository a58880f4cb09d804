/* Reading the members of a record by a table. */
#include "stream/member.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/die.h"

/* ---- values ---- */

static struct sf_str
read_string(struct sf_reading *r)
{
	struct sf_str text = sf_json_string(&r->scan);

	if (r->keep == NULL)
		return text;
	return (
	    struct sf_str){ sf_arena_strndup(r->keep, text.p, text.n), text.n };
}

/* The place of WORD among the row's, -1 when it is none of them. */
static int
place_of(const struct sf_member *m, struct sf_str word)
{
	for (int i = 0; m->words[i] != NULL; i++) {
		const char *name = m->words[i];

		if (*name == *word.p && strncmp(name, word.p, word.n) == 0 &&
		    name[word.n] == '\0')
			return i;
	}
	return -1;
}

static bool
read_word(struct sf_reading *r, const struct sf_member *m, unsigned *field)
{
	int place = place_of(m, sf_json_string(&r->scan));

	*field = (unsigned)(place < 0 ? 0 : place);
	return place >= 0;
}

static bool
read_json(struct sf_reading *r, const struct sf_member *m, struct sf_str *field)
{
	if (m->open != 0 && sf_json_peek(&r->scan) != m->open)
		return false;
	*field = sf_json_skip(&r->scan);
	if (r->keep != NULL)
		*field = sf_json_keep(r->keep, *field);
	return true;
}

static void
read_object(struct sf_reading *r, const struct sf_member *m, void *field)
{
	const struct sf_place here = { r->place, m->name.p, -1, NULL };
	const struct sf_place *up = r->place;

	if (!sf_json_enter(&r->scan, '{'))
		return;
	if (m->name.n != 0)
		r->place = &here;
	sf_members_read(r, m->members, field, 0);
	r->place = up;
}

/* Room for another element behind the N at *FIELD. */
static char *
next_element(
    struct sf_reading *r, const struct sf_member *m, void *field, size_t n)
{
	struct sf_arena *arena = r->keep != NULL ? r->keep : r->scan.arena;
	char **elements = field;

	if (m->in_place)
		return (char *)field + n * m->size;
	/* Room is 4, 8, 16, ...: it is full when N is one of these. */
	if (n == 0) {
		*elements = sf_arena_calloc(arena, 4, m->size);
	} else if (n >= 4 && (n & (n - 1)) == 0) {
		char *more = sf_arena_calloc(arena, n * 2, m->size);

		memcpy(more, *elements, n * m->size);
		*elements = more;
	}
	return *elements + n * m->size;
}

/* False when it has more or fewer elements than it may. */
static bool
read_array(struct sf_reading *r, const struct sf_member *m, char *into)
{
	int *n = (int *)(void *)(into + m->count_offset);
	const struct sf_place array = { r->place, m->name.p, -1, NULL };
	struct sf_place here = { &array, NULL, 0, NULL };
	const struct sf_place *up = r->place;

	*n = 0;
	if (!sf_json_enter(&r->scan, '['))
		return true;
	r->place = &here;
	while (sf_json_element(&r->scan)) {
		if (*n == m->most || *n == INT_MAX)
			break;
		here.index = *n;
		sf_member_read(r, m->element,
		    next_element(r, m, into + m->offset, (size_t)*n));
		++*n;
	}
	r->place = up;
	return r->scan.error != NULL ||
	    (r->scan.p[-1] == ']' && *n >= m->least);
}

static bool
read_text(struct sf_reading *r, const struct sf_member *m, struct sf_str *field)
{
	*field = read_string(r);
	if (m->words != NULL)
		return place_of(m, *field) >= 0;
	return field->n != 0 || !m->filled;
}

static bool
read_int(struct sf_reading *r, const struct sf_member *m, int64_t *field)
{
	*field = sf_json_int(&r->scan);
	return *field >= m->least && *field <= m->most;
}

static bool
read_double(struct sf_reading *r, const struct sf_member *m, double *field)
{
	const char *value = r->scan.p;
	double x = *field = sf_json_double(&r->scan);
	double size = fabs(x);

	if (x > m->high || (m->above ? !(x > m->low) : !(x >= m->low)))
		return false;
	if (size > SF_MEMBER_LARGEST || (size != 0 && size < SF_MEMBER_LEAST))
		sf_member_refuse(
		    r, m, value, "0 or a number from 1e-100 to 1e+100");
	return true;
}

/* Reads the value that is next; false when it is not what the row says. */
static bool
fill(struct sf_reading *r, const struct sf_member *m, char *into)
{
	void *field = into + m->offset;

	switch ((enum sf_member_type)m->type) {
	case SF_M_STR:
		return read_text(r, m, field);
	case SF_M_INT:
		return read_int(r, m, field);
	case SF_M_DOUBLE:
		return read_double(r, m, field);
	case SF_M_BOOL:
		*(bool *)field = sf_json_bool(&r->scan);
		return true;
	case SF_M_TRUE:
		return *(bool *)field = sf_json_bool(&r->scan);
	case SF_M_WORD:
		return read_word(r, m, field);
	case SF_M_JSON:
		return read_json(r, m, field);
	case SF_M_OBJECT:
		read_object(r, m, field);
		return true;
	case SF_M_ARRAY:
		return read_array(r, m, into);
	case SF_M_CALL:
		m->read(r, m, into);
		return true;
	}
	return false;
}

/* As fill, the types apart that most members of an op have. */
static inline bool
fill_fast(struct sf_reading *r, const struct sf_member *m, char *into)
{
	if (m->type == SF_M_INT)
		return read_int(r, m, (void *)(into + m->offset));
	if (m->type != SF_M_CALL)
		return fill(r, m, into);
	m->read(r, m, into);
	return true;
}

static inline void
read_value(struct sf_reading *r, const struct sf_member *m, void *into)
{
	const char *value = r->scan.p;

	if (m->or_null && sf_json_null(&r->scan))
		return;
	if (!fill_fast(r, m, into) || r->scan.error != NULL)
		sf_member_refuse(r, m, value, NULL);
}

void
sf_member_read(struct sf_reading *r, const struct sf_member *m, void *into)
{
	read_value(r, m, into);
}

/* ---- members ---- */

int
sf_members_row(const struct sf_members *t, struct sf_str key, int row)
{
	for (int i = 0; i < t->n; i++, row++) {
		const struct sf_str *name;

		if (row >= t->n)
			row = 0;
		name = &t->rows[row].name;
		/* Few pass this, and a comparison is a call. */
		if (name->n == key.n && *name->p == *key.p &&
		    memcmp(name->p, key.p, key.n) == 0)
			return row;
	}
	return -1;
}

/* The first row of that group that was seen, NULL when none was. */
static const struct sf_member *
seen_of(const struct sf_members *t, uint64_t seen, int group)
{
	const struct sf_member *m = t->rows;

	for (; seen != 0; seen >>= 1, m++)
		if ((seen & 1) != 0 && m->need == group)
			return m;
	return NULL;
}

static void
check_missing(struct sf_reading *r, const struct sf_members *t, uint64_t seen)
{
	const struct sf_member *m = t->rows, *end = m + t->n, *with;
	int without = SF_OPTIONAL; /* a group of which nothing was seen */

	for (uint64_t rest = seen; m < end; m++, rest >>= 1) {
		if ((rest & 1) != 0 || m->need == SF_OPTIONAL ||
		    m->need == without)
			continue;
		with = NULL;
		if (m->need != SF_ALWAYS) {
			with = seen_of(t, seen, m->need);
			without = m->need;
		}
		if (m->need == SF_ALWAYS || with != NULL) {
			sf_member_refuse_missing(r, m, with);
			return;
		}
	}
}

/*
 * What is behind NAME at P in a record, NULL when it is not there. Eight bytes
 * or four at a time: as many behind a record's end may be read, and what is
 * behind a byte that differs is not looked at.
 */
static inline const char *
name_end(const char *p, const struct sf_str *name)
{
	const char *q = name->p;
	size_t n = name->n, i = 0;

	if (*p != *q)
		return NULL;
	if (n >= 8) {
		for (; i + 8 < n; i += 8)
			if (memcmp(p + i, q + i, 8) != 0)
				return NULL;
		return memcmp(p + n - 8, q + n - 8, 8) == 0 ? p + n : NULL;
	}
	if (n >= 4)
		return memcmp(p, q, 4) == 0 &&
			memcmp(p + n - 4, q + n - 4, 4) == 0
		    ? p + n
		    : NULL;
	while (i < n && p[i] == q[i])
		i++;
	return i == n ? p + n : NULL;
}

/*
 * The row from ROW on whose name comes next, byte for byte as `,"name":`, which
 * is stepped over; -1, with nothing done, when none does. That is how nearly
 * all records are written, and it needs no look for the name's end.
 */
static inline int
next_row(struct sf_json *scan, const struct sf_members *t, int row)
{
	const struct sf_member *m = t->rows + row, *end = t->rows + t->n;
	const char *p = scan->p;

	/* Behind a brace a comma is an error. */
	if (p[0] != ',' || p[1] != '"' || p[-1] == '{' || scan->error != NULL)
		return -1;
	for (p += 2; m < end; m++) {
		const char *behind = name_end(p, &m->name);

		if (behind != NULL && behind[0] == '"' && behind[1] == ':') {
			scan->p = behind + 2;
			return (int)(m - t->rows);
		}
	}
	return -1;
}

uint64_t
sf_members_read(
    struct sf_reading *r, const struct sf_members *t, void *into, uint64_t seen)
{
	struct sf_str key;
	int row = -1;

	if (t->n > 64)
		sf_bug("%d rows of '%s'", t->n, t->what);
	for (;;) {
		int found = next_row(&r->scan, t, row + 1);

		if (found < 0) {
			if (!sf_json_member(&r->scan, &key))
				break;
			found = sf_members_row(t, key, row + 1);
			if (found < 0) {
				r->others = true;
				sf_json_skip(&r->scan);
				continue;
			}
		}
		row = found;
		if ((seen >> row & 1) != 0)
			sf_member_refuse_twice(r, t->rows[row].name);
		seen |= UINT64_C(1) << row;
		read_value(r, &t->rows[row], into);
	}
	if (r->scan.error == NULL)
		check_missing(r, t, seen);
	return seen;
}

uint64_t
sf_member_bit(const struct sf_members *t, const char *name)
{
	int row = sf_members_row(t, sf_str_of(name), 0);

	if (row < 0)
		sf_bug("no row '%s' of '%s'", name, t->what);
	return UINT64_C(1) << row;
}

/* ---- records ---- */

struct sf_reading
sf_reading_of(struct sf_stream *stream, const struct sf_place *place)
{
	return (struct sf_reading){
		.scan = sf_stream_scan(stream), .stream = stream, .place = place
	};
}

uint64_t
sf_reading_whole(struct sf_reading *r, const struct sf_members *t, void *into)
{
	uint64_t seen = sf_members_read(r, t, into, 0);

	sf_stream_check(r->stream, &r->scan);
	sf_stream_was_read(r->stream, t, seen, r->others);
	return seen;
}

uint64_t
sf_record_read(struct sf_stream *stream, const struct sf_members *t,
    struct sf_arena *keep, void *into)
{
	const struct sf_place place = { NULL, t->what, -1, NULL };
	struct sf_reading r = sf_reading_of(stream, &place);

	r.keep = keep;
	return sf_reading_whole(&r, t, into);
}

uint64_t
sf_object_read(struct sf_stream *stream, struct sf_str json,
    const struct sf_place *up, const struct sf_members *t,
    struct sf_arena *keep, void *into)
{
	const struct sf_place place = { up, t->what, -1, NULL };
	struct sf_reading r = { .scan = { .p = json.p,
				    .start = json.p,
				    .arena = sf_stream_record_arena(stream) },
		.stream = stream,
		.keep = keep,
		.place = &place };
	uint64_t seen;

	if (!sf_json_enter(&r.scan, '{'))
		sf_reading_fail(&r, "%s", r.scan.error);
	seen = sf_members_read(&r, t, into, 0);
	if (r.scan.error != NULL)
		sf_reading_fail(&r, "%s", r.scan.error);
	sf_stream_read_part(stream, json);
	return seen;
}
