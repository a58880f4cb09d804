/* Parts of a JSON text. */
#include "export/part.h"

#include <math.h>

char *
sf_part_room(struct sf_arena *arena, size_t n)
{
	char *room = sf_arena_alloc(arena, n + 2 + SF_JSON_PADDING);

	room[0] = ' ';
	memset(room + 1 + n, 0, 1 + SF_JSON_PADDING);
	room[1 + n] = '\n';
	return room + 1;
}

/*
 * Python's words for what JSON has no number for, and what stands for them
 * here, of the same length: PyTorch wrote them bare before it quoted them.
 */
static const struct {
	struct sf_str word;
	const char *instead;
	double value;
} infinities[] = {
	{ SF_STR_INIT("Infinity"), "\"inf\"   ", INFINITY },
	{ SF_STR_INIT("-Infinity"), "\"-inf\"   ", -INFINITY },
	{ SF_STR_INIT("NaN"), "{} ", NAN },
};

/* The word at P, as an index; -1 when none is. */
static int
word_at(const char *p, const char *end)
{
	for (int i = 0; i < 3; i++) {
		struct sf_str word = infinities[i].word;

		if ((size_t)(end - p) >= word.n &&
		    memcmp(p, word.p, word.n) == 0)
			return i;
	}
	return -1;
}

static void
quote_infinities(char *p, const char *end)
{
	bool inside = false;

	for (; p < end; p++) {
		int i;

		if (inside && *p == '\\' && p + 1 < end)
			p++;
		else if (*p == '"')
			inside = !inside;
		else if (!inside && (*p == 'I' || *p == 'N' || *p == '-') &&
		    (i = word_at(p, end)) >= 0) {
			memcpy(p, infinities[i].instead, infinities[i].word.n);
			p += infinities[i].word.n - 1;
		}
	}
}

bool
sf_part_check(struct sf_str text, struct sf_error *error)
{
	struct sf_json scan = { .p = text.p, .start = text.p };
	char *begin = (char *)(uintptr_t)text.p, *end = begin + text.n;

	/* Inside of a string there is none. */
	for (char *at = begin;
	     (at = memchr(at, '\n', (size_t)(end - at))) != NULL;)
		*at = ' ';
	if (memmem(begin, text.n, "Infinity", 8) != NULL ||
	    memmem(begin, text.n, "NaN", 3) != NULL)
		quote_infinities(begin, end);
	sf_json_skip(&scan);
	sf_json_end_line(&scan);
	if (scan.error != NULL)
		return sf_fail(error, "at byte %zu: %s",
		    (size_t)(scan.p - text.p) + 1, scan.error);
	if (scan.p != end)
		return sf_fail(error, "at byte %zu: a byte that JSON has not",
		    (size_t)(scan.p - text.p) + 1);
	return true;
}

/* ---- objects and arrays ---- */

static struct sf_parts
parts_of(struct sf_str text, char open, struct sf_arena *arena)
{
	struct sf_parts parts = { .scan = {
				      .p = text.p,
				      .start = text.p,
				      .arena = arena,
				  } };

	parts.open =
	    text.n != 0 && *text.p == open && sf_json_enter(&parts.scan, open);
	return parts;
}

struct sf_parts
sf_parts_of_object(struct sf_str text, struct sf_arena *arena)
{
	return parts_of(text, '{', arena);
}

struct sf_parts
sf_parts_of_array(struct sf_str text)
{
	return parts_of(text, '[', NULL);
}

/* The value that comes next, without the blanks before it. */
static struct sf_str
next_value(struct sf_parts *parts)
{
	sf_json_peek(&parts->scan);
	return sf_json_skip(&parts->scan);
}

bool
sf_parts_member(
    struct sf_parts *parts, struct sf_str *key, struct sf_str *value)
{
	if (!parts->open || !sf_json_member(&parts->scan, key))
		return false;
	*value = next_value(parts);
	return parts->scan.error == NULL;
}

bool
sf_parts_element(struct sf_parts *parts, struct sf_str *value)
{
	if (!parts->open || !sf_json_element(&parts->scan))
		return false;
	*value = next_value(parts);
	return parts->scan.error == NULL;
}

struct sf_str
sf_part_of(struct sf_str object, const char *key, struct sf_arena *arena)
{
	struct sf_parts parts = sf_parts_of_object(object, arena);
	struct sf_str name, value;

	while (sf_parts_member(&parts, &name, &value))
		if (sf_str_is(name, key))
			return sf_part_is_null(value) ? SF_STR("") : value;
	return SF_STR("");
}

int64_t
sf_part_count(struct sf_str array)
{
	struct sf_parts parts = sf_parts_of_array(array);
	struct sf_str value;
	int64_t n = 0;

	while (sf_parts_element(&parts, &value))
		n++;
	return n;
}

/* ---- values ---- */

bool
sf_part_is_null(struct sf_str text)
{
	return sf_str_is(text, "null");
}

static struct sf_json
scan_of(struct sf_str text, struct sf_arena *arena)
{
	return (struct sf_json){ .p = text.p, .start = text.p, .arena = arena };
}

bool
sf_part_int(struct sf_str text, int64_t *out)
{
	struct sf_json scan = scan_of(text, NULL);

	if (text.n == 0)
		return false;
	*out = sf_json_int(&scan);
	return scan.error == NULL;
}

bool
sf_part_bool(struct sf_str text, bool *out)
{
	*out = sf_str_is(text, "true");
	return *out || sf_str_is(text, "false");
}

bool
sf_part_double(struct sf_str text, double *out)
{
	struct sf_json scan = scan_of(text, NULL);

	if (text.n == 0)
		return false;
	for (int i = 0; i < 3; i++) {
		struct sf_str word = infinities[i].word;

		/* The same that was put in, or the word in quotes. */
		if ((text.n == strcspn(infinities[i].instead, " ") &&
			memcmp(text.p, infinities[i].instead, text.n) == 0) ||
		    (text.n == word.n + 2 && *text.p == '"' &&
			memcmp(text.p + 1, word.p, word.n) == 0)) {
			*out = infinities[i].value;
			return true;
		}
	}
	*out = sf_json_double(&scan);
	return scan.error == NULL;
}

bool
sf_part_string(struct sf_str text, struct sf_arena *arena, struct sf_str *out)
{
	struct sf_json scan = scan_of(text, arena);

	if (text.n == 0 || *text.p != '"')
		return false;
	*out = sf_json_string(&scan);
	return scan.error == NULL;
}

struct sf_str
sf_part_name(struct sf_str object, const char *key, struct sf_arena *arena)
{
	struct sf_str name;

	return sf_part_string(sf_part_of(object, key, arena), arena, &name)
	    ? name
	    : SF_STR("");
}

/* ---- unions ---- */

bool
sf_part_union(struct sf_str text, struct sf_arena *arena, struct sf_str *tag,
    struct sf_str *value)
{
	struct sf_parts parts = sf_parts_of_object(text, arena);
	struct sf_str name, inside;
	bool found = false;

	while (!found && sf_parts_member(&parts, &name, &inside)) {
		if (SF_KEY(name, "$type")) {
			*value = sf_part_of(text, "$value", arena);
			return sf_part_string(inside, arena, tag);
		}
		/* Schema 1 and 2 write an as_none that is set as []. */
		if (sf_part_is_null(inside))
			continue;
		*tag = name;
		*value = inside;
		found = true;
	}
	return found;
}
