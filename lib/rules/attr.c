/* Numbers and texts among the attributes of an operator. */
#include "rules/attr.h"

#include "base/num.h"
#include "stream/json.h"

static void
read_all(struct sf_attrs *attrs, const struct sf_op *op, struct sf_arena *arena)
{
	struct sf_json s = {
		.p = op->attrs.p, .start = op->attrs.p, .arena = arena
	};
	struct sf_str name;
	int room = 0;

	attrs->read = true;
	if (op->attrs.n == 0)
		return;
	sf_json_enter(&s, '{');
	while (sf_json_member(&s, &name)) {
		if (attrs->n == room) {
			struct sf_attr *more;

			room = room != 0 ? 2 * room : 8;
			more =
			    sf_arena_alloc(arena, (size_t)room * sizeof *more);
			if (attrs->n != 0)
				memcpy(more, attrs->v,
				    (size_t)attrs->n * sizeof *more);
			attrs->v = more;
		}
		attrs->v[attrs->n++] =
		    (struct sf_attr){ name, sf_json_skip(&s) };
	}
}

/* The text of the value of an attribute, empty when there is none. */
static struct sf_str
find(struct sf_eval *e, struct sf_str name)
{
	struct sf_attrs *attrs = e->attrs;

	if (attrs == NULL)
		return sf_op_attr(e->op, name, e->arena);
	if (!attrs->read)
		read_all(attrs, e->op, e->arena);
	for (int i = 0; i < attrs->n; i++)
		if (sf_str_eq(attrs->v[i].name, name))
			return attrs->v[i].value;
	return (struct sf_str){ NULL, 0 };
}

/* The text of element INDEX of a list, empty when there is none. */
static struct sf_str
element(struct sf_str list, int64_t index)
{
	struct sf_json s = { .p = list.p, .start = list.p };
	int64_t n = 0;

	sf_json_enter(&s, '[');
	for (; sf_json_element(&s); n++) {
		struct sf_str text = sf_json_skip(&s);

		if (n == index)
			return text;
	}
	if (index < 0 && index >= -n)
		return element(list, n + index);
	return (struct sf_str){ NULL, 0 };
}

static enum sf_found
wrong(struct sf_eval *e, struct sf_str name, struct sf_str value,
    const char *expected)
{
	sf_fail(e->error, "attribute '%.*s' is %.*s, expected %s",
	    SF_STR_ARG(name), value.n < 60 ? (int)value.n : 60, value.p,
	    expected);
	return SF_FOUND_WRONG;
}

/* The text of an attribute, or of the element of a list that is asked for. */
static enum sf_found
find_one(struct sf_eval *e, struct sf_str name, const int64_t *index,
    struct sf_str *value)
{
	struct sf_str list = find(e, name);

	*value = list;
	if (list.n == 0 || sf_str_is(list, "null"))
		return SF_FOUND_NOT;
	if (index == NULL)
		return SF_FOUND;
	if (*list.p == '[')
		*value = element(list, *index);
	if (*list.p != '[' || value->n == 0)
		return wrong(e, name, list, "a list with that element");
	return SF_FOUND;
}

static bool
is_truth(struct sf_str value, int64_t *out)
{
	*out = sf_str_is(value, "true");
	return *out == 1 || sf_str_is(value, "false");
}

enum sf_found
sf_attr_int(
    struct sf_eval *e, struct sf_str name, const int64_t *index, int64_t *out)
{
	struct sf_str value;
	enum sf_found found = find_one(e, name, index, &value);

	if (found == SF_FOUND && !is_truth(value, out) &&
	    !sf_int_parse(value.p, value.n, out))
		return wrong(e, name, value, "an integer");
	return found;
}

enum sf_found
sf_attr_nonzero(
    struct sf_eval *e, struct sf_str name, const int64_t *index, int64_t *out)
{
	struct sf_str value;
	enum sf_found found = find_one(e, name, index, &value);

	if (found != SF_FOUND || is_truth(value, out))
		return found;
	if (*value.p != '-' && (*value.p < '0' || *value.p > '9'))
		return wrong(e, name, value, "a number");
	/* A digit of the fraction, not of the exponent, tells. */
	*out = 0;
	for (size_t i = 0; i < value.n && (value.p[i] | ' ') != 'e'; i++)
		if (value.p[i] >= '1' && value.p[i] <= '9')
			*out = 1;
	return SF_FOUND;
}

enum sf_found
sf_attr_ints(
    struct sf_eval *e, struct sf_str name, int64_t *out, int most, int *n)
{
	struct sf_str value = find(e, name);
	struct sf_json s = { .p = value.p, .start = value.p };

	*n = 0;
	if (value.n == 0 || sf_str_is(value, "null"))
		return SF_FOUND_NOT;
	if (*value.p != '[') {
		*n = 1;
		return sf_int_parse(value.p, value.n, out)
		    ? SF_FOUND
		    : wrong(e, name, value, "integers");
	}
	sf_json_enter(&s, '[');
	while (sf_json_element(&s)) {
		struct sf_str text = sf_json_skip(&s);
		int64_t x;

		if (*n == most || !sf_int_parse(text.p, text.n, &x))
			return wrong(e, name, value,
			    *n == most ? "fewer integers" : "integers");
		out[(*n)++] = x;
	}
	return *n != 0 ? SF_FOUND : SF_FOUND_NOT;
}

enum sf_found
sf_attr_text(struct sf_eval *e, struct sf_str name, struct sf_str *out)
{
	struct sf_str value = find(e, name);
	struct sf_json s = {
		.p = value.p, .start = value.p, .arena = e->arena
	};

	if (value.n == 0 || sf_str_is(value, "null"))
		return SF_FOUND_NOT;
	if (*value.p != '"')
		return wrong(e, name, value, "a text");
	*out = sf_json_string(&s);
	return SF_FOUND;
}
