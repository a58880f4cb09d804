/* The point record, read. */
#include "sweep/point-record.h"

#include <math.h>
#include <string.h>

#include "accel/engine.h"
#include "stream/member.h"

/* A parameter's value: a number, a word, words, true or false. */
static bool
is_setting(struct sf_json *scan)
{
	char first = sf_json_peek(scan);

	if (first == '-' || (first >= '0' && first <= '9')) {
		sf_json_double(scan);
		return scan->error == NULL;
	}
	if (first != '[') {
		if (first == '{' || first == 'n')
			return false;
		sf_json_skip(scan);
		return true;
	}
	sf_json_enter(scan, '[');
	while (sf_json_element(scan)) {
		if (sf_json_peek(scan) != '"')
			return false;
		sf_json_skip(scan);
	}
	return true;
}

enum {
	MOST_SET = 128 /* parameters of a design */
};

/* Whether KEY is the first of its name; it is added to the N of SEEN. */
static bool
is_new(struct sf_str *seen, int *n, struct sf_str key)
{
	for (int i = 0; i < *n; i++)
		if (sf_str_eq(seen[i], key))
			return false;
	if (*n < MOST_SET)
		seen[(*n)++] = key;
	return true;
}

static void
read_set(struct sf_reading *r, const struct sf_member *m, void *into)
{
	struct sf_point *point = into;
	const char *value = r->scan.p;
	struct sf_str key, seen[MOST_SET];
	int n = 0;

	if (!sf_json_enter(&r->scan, '{')) {
		sf_member_refuse(r, m, value, NULL);
		return;
	}
	while (sf_json_member(&r->scan, &key)) {
		if (!is_new(seen, &n, key)) {
			sf_member_refuse_twice(r, key);
			return;
		}
		if (!is_setting(&r->scan)) {
			sf_member_refuse(r, m, value, NULL);
			return;
		}
	}
	point->set = (struct sf_str){ value, (size_t)(r->scan.p - value) };
}

static const struct sf_member rows[] = {
	SF_MEMBER_COUNT("i", struct sf_point, i, SF_ALWAYS),
	SF_MEMBER_CALL("set", SF_ALWAYS, read_set,
	    "an object of numbers, strings, flags and arrays of strings"),
	SF_MEMBER_TEXT("refused", struct sf_point, refused, SF_OPTIONAL),
	SF_MEMBER_WORD(
	    "engine", struct sf_point, engine, SF_OPTIONAL, sf_engine_names),
};
static const struct sf_members members = SF_MEMBERS("point", rows);

void
sf_point_read(struct sf_stream *stream, struct sf_point *point)
{
	*point = (struct sf_point){ .refused = SF_STR("") };
	sf_record_read(stream, &members, NULL, point);
}

/* ---- numbers ---- */

struct wanted {
	const struct sf_str *names;
	int n;
	double *values;
};

/* Sets what is named OBJECT.KEY, or KEY when there is no object. */
static void
set_number(
    const struct wanted *w, struct sf_str object, struct sf_str key, double x)
{
	for (int i = 0; i < w->n; i++) {
		struct sf_str name = w->names[i];

		if (object.n != 0) {
			if (name.n <= object.n || name.p[object.n] != '.' ||
			    memcmp(name.p, object.p, object.n) != 0)
				continue;
			name = (struct sf_str){ name.p + object.n + 1,
				name.n - object.n - 1 };
		}
		if (sf_str_eq(name, key))
			w->values[i] = x;
	}
}

/* One that reports may multiply and divide, as of all records. */
static double
number(struct sf_json *scan)
{
	double x = sf_json_double(scan), size = fabs(x);

	if (size > SF_MEMBER_LARGEST || (size != 0 && size < SF_MEMBER_LEAST))
		scan->error = "expected 0 or a number from 1e-100 to 1e+100";
	return x;
}

static void
take_members(const struct wanted *w, struct sf_json *scan, struct sf_str object)
{
	struct sf_str key;

	while (sf_json_member(scan, &key)) {
		char first = sf_json_peek(scan);

		if (first == '{' && object.n == 0) {
			sf_json_enter(scan, '{');
			/* A parameter's name has no object in front. */
			if (SF_KEY(key, "set"))
				take_members(w, scan, SF_STR(""));
			else
				take_members(w, scan, key);
		} else if (first == '-' || (first >= '0' && first <= '9')) {
			set_number(w, object, key, number(scan));
		} else if (first == 't' || first == 'f') {
			set_number(w, object, key, sf_json_bool(scan) ? 1 : 0);
		} else {
			sf_json_skip(scan);
		}
	}
}

void
sf_point_numbers(
    struct sf_stream *stream, const struct sf_str *names, int n, double *values)
{
	const struct wanted w = { names, n, values };
	struct sf_json scan = sf_stream_scan(stream);

	take_members(&w, &scan, SF_STR(""));
	sf_stream_check(stream, &scan);
}
