/* What is said of members that are not as their rows say. */
#include "stream/member.h"

#include <inttypes.h>

static void
put_place(struct sf_buf *out, const struct sf_place *place)
{
	if (place->up != NULL) {
		put_place(out, place->up);
		if (place->what != NULL)
			SF_BUF_LIT(out, ": ");
	}
	if (place->what == NULL)
		sf_buf_printf(out, "[%" PRId64 "]", place->index);
	else if (place->index < 0)
		sf_buf_printf(out, "%s", place->what);
	else
		sf_buf_printf(out, "%s %" PRId64, place->what, place->index);
	if (place->name != NULL && place->name->n != 0)
		sf_buf_printf(out, " '%.*s'", SF_STR_ARG(*place->name));
}

/* The whole message with its place, NUL-terminated. */
static struct sf_buf message(const struct sf_place *place, const char *format,
    va_list ap) __attribute__((format(printf, 2, 0)));

static struct sf_buf
message(const struct sf_place *place, const char *format, va_list ap)
{
	struct sf_buf out = { 0 };

	if (place != NULL) {
		put_place(&out, place);
		SF_BUF_LIT(&out, ": ");
	}
	sf_buf_vprintf(&out, format, ap);
	return out;
}

void
sf_reading_fail(struct sf_reading *r, const char *format, ...)
{
	struct sf_buf text;
	va_list ap;

	va_start(ap, format);
	text = message(r->place, format, ap);
	va_end(ap);
	if (r->stream != NULL)
		sf_stream_die(r->stream, "%s", text.p);
	if (!r->failed)
		sf_fail(r->error, "%s", text.p);
	r->failed = true;
	sf_json_fail(&r->scan, "a member that is not as it must be");
	sf_buf_release(&text);
}

void
sf_place_vdie(struct sf_stream *stream, const struct sf_place *place,
    const char *format, va_list ap)
{
	sf_stream_die(stream, "%s", message(place, format, ap).p);
}

void
sf_place_die(struct sf_stream *stream, const struct sf_place *place,
    const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	sf_place_vdie(stream, place, format, ap);
}

static void
put_int_range(struct sf_buf *out, int64_t least, int64_t most)
{
	if (most < INT64_MAX)
		sf_buf_printf(out, "an integer from %" PRId64 " to %" PRId64,
		    least, most);
	else if (least > INT64_MIN)
		sf_buf_printf(
		    out, "an integer >= %" PRId64 " and below 2^63", least);
	else
		SF_BUF_LIT(out, "an integer of 64 bits");
}

static void
put_double_range(struct sf_buf *out, const struct sf_member *m)
{
	if (m->low > -DBL_MAX)
		sf_buf_printf(
		    out, "a number %s %g", m->above ? "above" : ">=", m->low);
	else
		SF_BUF_LIT(out, "a number");
	if (m->high < DBL_MAX)
		sf_buf_printf(out, " and <= %g", m->high);
}

static void
put_array_range(struct sf_buf *out, int64_t least, int64_t most)
{
	SF_BUF_LIT(out, "an array");
	if (least == most)
		sf_buf_printf(out, " of %" PRId64, least);
	else if (most < INT64_MAX)
		sf_buf_printf(out, " of %" PRId64 " to %" PRId64, least, most);
	else if (least > 0)
		sf_buf_printf(out, " of %" PRId64 " or more", least);
}

static void
put_words(struct sf_buf *out, const char *const *words)
{
	for (int i = 0; words[i] != NULL; i++)
		sf_buf_printf(
		    out, "%s%s", i == 0 ? "one of: " : ", ", words[i]);
}

static const char *
json_name(char open)
{
	return open == '{' ? "an object" : open == '[' ? "an array" : "a value";
}

/* "one of: a, b, c", and so on. */
static void
put_expected(struct sf_buf *out, const struct sf_member *m)
{
	switch ((enum sf_member_type)m->type) {
	case SF_M_STR:
		if (m->words != NULL)
			put_words(out, m->words);
		else
			sf_buf_printf(out, "a string%s",
			    m->filled ? " that is not empty" : "");
		break;
	case SF_M_INT:
		put_int_range(out, m->least, m->most);
		break;
	case SF_M_DOUBLE:
		put_double_range(out, m);
		break;
	case SF_M_BOOL:
		SF_BUF_LIT(out, "true or false");
		break;
	case SF_M_TRUE:
		SF_BUF_LIT(out, "true");
		break;
	case SF_M_WORD:
		put_words(out, m->words);
		break;
	case SF_M_JSON:
		sf_buf_printf(out, "%s", json_name(m->open));
		break;
	case SF_M_OBJECT:
		SF_BUF_LIT(out, "an object");
		break;
	case SF_M_ARRAY:
		put_array_range(out, m->least, m->most);
		break;
	case SF_M_CALL:
		sf_buf_printf(out, "%s", m->expected);
		break;
	}
	if (m->or_null)
		SF_BUF_LIT(out, " or null");
}

/* What was found, up to where a line would become hard to read. */
static void
put_found(struct sf_buf *out, struct sf_str text)
{
	size_t n = text.n < 80 ? text.n : 80;

	while (
	    n < text.n && n != 0 && ((unsigned char)text.p[n] & 0xc0) == 0x80)
		n--;
	sf_buf_put(out, text.p, n);
	if (n < text.n)
		SF_BUF_LIT(out, "...");
}

void
sf_member_refuse(struct sf_reading *r, const struct sf_member *m,
    const char *value, const char *expected)
{
	struct sf_json look = r->scan;
	struct sf_buf text = { 0 };

	if (r->failed)
		return;
	look.p = value;
	look.error = NULL;
	r->scan.error = NULL;
	put_found(&text, sf_json_skip(&look));
	if (look.error != NULL) {
		/* It is no JSON at all: the check of the line says where. */
		r->scan = look;
		sf_buf_release(&text);
		return;
	}
	SF_BUF_LIT(&text, ", expected ");
	if (expected != NULL)
		sf_buf_printf(&text, "%s", expected);
	else
		put_expected(&text, m);
	if (m->name.n != 0)
		sf_reading_fail(r, "'%.*s' is %.*s", SF_STR_ARG(m->name),
		    (int)text.n, text.p);
	else
		sf_reading_fail(r, "found %.*s", (int)text.n, text.p);
	sf_buf_release(&text);
}

void
sf_member_refuse_twice(struct sf_reading *r, struct sf_str name)
{
	sf_reading_fail(
	    r, "'%.*s' is there twice, expected it once", SF_STR_ARG(name));
}

void
sf_member_refuse_missing(struct sf_reading *r, const struct sf_member *m,
    const struct sf_member *with)
{
	struct sf_buf text = { 0 };

	put_expected(&text, m);
	if (with != NULL)
		sf_buf_printf(&text, " beside '%.*s'", SF_STR_ARG(with->name));
	sf_reading_fail(r, "'%.*s' is missing, expected %.*s",
	    SF_STR_ARG(m->name), (int)text.n, text.p);
	sf_buf_release(&text);
}
