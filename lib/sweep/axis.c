/* Axes: reading what a user says, and counting through it. */
#include "sweep/axis.h"

#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "base/table.h"

enum {
	LOOKED_AT = 1000000 /* values that are looked at one by one */
};

/* ---- numbers ---- */

/* K steps into a range. */
static double
number_at(
    const struct sf_sweep_axis *a, const struct sf_axis_item *item, int64_t k)
{
	double last = (double)(item->n - 1), x = item->low;

	switch (item->steps) {
	case SF_STEPS_ADD:
		x = item->low + (double)k * item->step;
		break;
	case SF_STEPS_TIMES:
		x = item->low * pow(item->step, (double)k);
		break;
	case SF_STEPS_EVEN:
		if (k != 0)
			x = k == item->n - 1 ? item->high
					     : item->low +
				(item->high - item->low) * ((double)k / last);
		break;
	case SF_STEPS_LOG:
		if (k != 0)
			x = k == item->n - 1 ? item->high
					     : item->low *
				pow(item->high / item->low, (double)k / last);
		break;
	case SF_STEPS_NONE:
		break;
	}
	/* A power is whole but for its rounding. */
	if (a->key->type == SF_KEY_INT && fabs(x - round(x)) <= 1e-9 * fabs(x))
		x = round(x);
	return x;
}

static const char *
spell(double x, char *buffer)
{
	buffer[sf_double_format(x, buffer)] = '\0';
	return buffer;
}

const char *
sf_axis_value(const struct sf_sweep_axis *a, int64_t k,
    char buffer[static SF_DOUBLE_MAX + 1])
{
	const struct sf_axis_item *item = a->items;

	while (k >= item->first + item->n)
		item++;
	if (item->steps == SF_STEPS_NONE)
		return item->text;
	return spell(number_at(a, item, k - item->first), buffer);
}

const char *
sf_axis_at(const struct sf_sweep_axis *a, double u,
    char buffer[static SF_DOUBLE_MAX + 1])
{
	const struct sf_axis_item *item = a->items;
	int64_t k = (int64_t)(u * (double)a->n);

	if (a->nitems != 1 || item->steps == SF_STEPS_NONE ||
	    a->key->type == SF_KEY_INT)
		return sf_axis_value(a, k < a->n ? k : a->n - 1, buffer);
	if (item->steps == SF_STEPS_TIMES || item->steps == SF_STEPS_LOG)
		return spell(
		    item->low * pow(item->high / item->low, u), buffer);
	return spell(item->low + (item->high - item->low) * u, buffer);
}

/* ---- reading ---- */

/* How many steps of a range there are, when the last may fall a little short. */
static double
steps_in(const struct sf_axis_item *item)
{
	if (item->steps == SF_STEPS_ADD)
		return floor((item->high - item->low) / item->step + 1e-9);
	return floor(log(item->high / item->low) / log(item->step) + 1e-9);
}

static bool
read_number(const struct sf_sweep_axis *a, const char *text, double *out,
    struct sf_error *error)
{
	struct sf_error why;

	if (!sf_quantity_parse(text, a->key->unit, out, &why))
		return sf_fail(error, "%s", why.text);
	return true;
}

/* The third part of a range: "+1GB/s", "x2", "n10", "l10". */
static bool
read_steps(const struct sf_sweep_axis *a, struct sf_axis_item *item,
    const char *text, struct sf_error *error)
{
	const char *what = text + 1;
	double n = -1;
	bool above = item->high > item->low;

	switch (text[0]) {
	case '+':
		item->steps = SF_STEPS_ADD;
		if (!read_number(a, what, &item->step, error))
			return false;
		if (item->step > 0 && above)
			n = steps_in(item) + 1;
		break;
	case 'x':
		item->steps = SF_STEPS_TIMES;
		if (!sf_double_parse(what, strlen(what), &item->step))
			break;
		if (item->step > 1 && item->low > 0 && above)
			n = steps_in(item) + 1;
		break;
	case 'n':
	case 'l':
		item->steps = text[0] == 'n' ? SF_STEPS_EVEN : SF_STEPS_LOG;
		if (sf_int_parse(what, strlen(what), &item->n) &&
		    item->n >= 2 && above && (text[0] == 'n' || item->low > 0))
			n = (double)item->n;
		break;
	default:
		break;
	}
	if (!(n >= 1 && n <= SF_AXIS_MOST))
		return sf_fail(error,
		    "the range's steps are '%s', expected '+STEP' above 0, "
		    "'xFACTOR' above 1, 'nCOUNT' or 'lCOUNT' from 2 on, from "
		    "LOW to a HIGH above it (above 0 for x and l), at most %d "
		    "values",
		    text, SF_AXIS_MOST);
	item->n = (int64_t)n;
	return true;
}

static bool
read_range(const struct sf_sweep_axis *a, struct sf_axis_item *item, char *text,
    struct sf_error *error)
{
	char *high = strchr(text, ':');
	char *steps = strchr(high + 1, ':');

	if (steps == NULL)
		return sf_fail(error,
		    "the range '%s' says no steps, expected LOW:HIGH:STEPS",
		    text);
	*high++ = '\0';
	*steps++ = '\0';
	return read_number(a, text, &item->low, error) &&
	    read_number(a, high, &item->high, error) &&
	    read_steps(a, item, steps, error);
}

/* Several words of one value have a + between them. */
static const char *
words_of(const char *text, struct sf_arena *arena)
{
	char *words = sf_arena_strdup(arena, text);

	for (char *p = words; *p != '\0'; p++)
		if (*p == '+')
			*p = ',';
	return words;
}

static bool
read_item(const struct sf_sweep_axis *a, struct sf_axis_item *item, char *text,
    struct sf_arena *arena, struct sf_error *error)
{
	bool number = sf_key_is_number(a->key) && a->key->type != SF_KEY_FLAG;

	*item = (struct sf_axis_item){ .first = a->n, .n = 1, .text = text };
	if (text[0] == '\0')
		return sf_fail(error, "a value is empty, expected one");
	if (number && strchr(text, ':') != NULL)
		return read_range(a, item, text, error);
	if (a->key->type == SF_KEY_WORDS)
		item->text = words_of(text, arena);
	return true;
}

/* Each value is one of the parameter's; each one, if they are not too many. */
static bool
check_values(const struct sf_sweep_axis *a, void *scratch,
    struct sf_arena *arena, struct sf_error *error)
{
	char buffer[SF_DOUBLE_MAX + 1];
	int64_t step = a->n <= LOOKED_AT ? 1 : a->n / LOOKED_AT;
	struct sf_table seen;
	bool ok = true;

	sf_table_init(&seen, arena);
	for (int64_t k = 0; k < a->n && ok; k += step) {
		const char *text = sf_axis_value(a, k, buffer);
		struct sf_buf value = { 0 };

		ok = sf_key_set(a->key, scratch, text, arena, error);
		if (ok && sf_key_is_number(a->key))
			sf_buf_double(&value, sf_key_number(a->key, scratch));
		else if (ok)
			sf_buf_printf(&value, "%s", text);
		if (ok && a->nitems > 1 &&
		    sf_table_add(&seen, (struct sf_str){ value.p, value.n })
			    ->num++ != 0)
			ok = sf_fail(error, "%s is there twice", text);
		sf_buf_release(&value);
	}
	sf_table_release(&seen);
	return ok;
}

/* Bytes of a struct of the table's, as far as it has rows. */
static size_t
size_of(const struct sf_keys *keys)
{
	size_t size = 0;

	for (size_t i = 0; i < keys->n; i++)
		if (keys->rows[i].offset > size)
			size = keys->rows[i].offset;
	return size + sizeof(double);
}

bool
sf_axis_parse(struct sf_sweep_axis *a, const char *spec, struct sf_arena *arena,
    struct sf_error *error)
{
	char *text = sf_arena_strdup(arena, spec);
	size_t room = 1;
	struct sf_arena *scratch;
	void *in;
	bool ok;

	for (const char *p = spec; *p != '\0'; p++)
		room += *p == ',';
	a->items = sf_arena_calloc(arena, room, sizeof *a->items);
	a->nitems = 0;
	a->n = 0;
	for (char *next; text != NULL; text = next) {
		next = strchr(text, ',');
		if (next != NULL)
			*next++ = '\0';
		if (!read_item(a, &a->items[a->nitems], text, arena, error))
			return false;
		a->n += a->items[a->nitems++].n;
	}
	/* A struct of the table's, for one value after the other. */
	scratch = sf_arena_new();
	in = sf_arena_calloc(scratch, 1, size_of(a->scope->keys));
	ok = check_values(a, in, scratch, error);
	sf_arena_free(scratch);
	return ok;
}
