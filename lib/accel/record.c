/* The accel record: every parameter of the block, into the stream and back. */
#include "accel/accel.h"
#include "accel/key.h"
#include "base/buf.h"

static void
put_words(struct sf_jsonw *w, uint32_t set)
{
	sf_jsonw_open(w, '[');
	for (int c = 0; c < SF_CAT_COUNT; c++)
		if ((set >> c & 1) != 0)
			sf_jsonw_cstr(w, sf_category_name((enum sf_category)c));
	sf_jsonw_close(w, ']');
}

static void
put_value(struct sf_jsonw *w, const struct sf_accel_key *key, const void *field)
{
	switch (key->type) {
	case SF_ACCEL_T_REAL:
	case SF_ACCEL_T_OFF:
		sf_jsonw_double(w, *(const double *)field);
		break;
	case SF_ACCEL_T_INT:
		sf_jsonw_int(w, *(const int64_t *)field);
		break;
	case SF_ACCEL_T_WORDS:
		put_words(w, *(const uint32_t *)field);
		break;
	case SF_ACCEL_T_FLAG:
		sf_jsonw_bool(w, *(const bool *)field);
		break;
	}
}

void
sf_accel_put(struct sf_stream *stream, const struct sf_accel *accel)
{
	struct sf_jsonw *w = sf_stream_record(stream, SF_K_ACCEL);

	sf_jsonw_kcstr(w, "preset", accel->preset);
	for (int i = 0; i < SF_ACCEL_NKEYS; i++) {
		const struct sf_accel_key *key = &sf_accel_keys[i];

		sf_jsonw_key(w, key->name);
		put_value(w, key, (const char *)accel + key->offset);
	}
	sf_stream_put(stream);
}

/* "a,b" of the list of strings that is next. */
static struct sf_str
read_words(struct sf_json *scan, struct sf_buf *text)
{
	sf_json_enter(scan, '[');
	while (sf_json_element(scan)) {
		struct sf_str word = sf_json_string(scan);

		if (text->n != 0)
			sf_buf_putc(text, ',');
		sf_buf_put(text, word.p, word.n);
	}
	return (struct sf_str){ text->p != NULL ? text->p : "", text->n };
}

static void
read_value(struct sf_stream *stream, struct sf_json *scan,
    struct sf_accel *accel, struct sf_str key)
{
	struct sf_buf text = { 0 };
	struct sf_error error;
	struct sf_str value;

	if (sf_json_peek(scan) == '[')
		value = read_words(scan, &text);
	else
		value = sf_json_skip(scan);
	if (scan->error == NULL && !sf_accel_set(accel, key, value, &error))
		sf_stream_die(stream, "accel: %s", error.text);
	sf_buf_release(&text);
}

static bool
is_key(struct sf_str name)
{
	for (int i = 0; i < SF_ACCEL_NKEYS; i++)
		if (sf_str_is(name, sf_accel_keys[i].name))
			return true;
	return false;
}

void
sf_accel_read(struct sf_stream *stream, struct sf_accel *accel)
{
	struct sf_json scan = sf_stream_scan(stream);
	struct sf_error error;
	struct sf_str key;

	*accel = (struct sf_accel){ .preset = "" };
	while (sf_json_member(&scan, &key)) {
		/* Members of other programs are none of our business. */
		if (is_key(key))
			read_value(stream, &scan, accel, key);
		else
			sf_json_skip(&scan);
	}
	sf_stream_check(stream, &scan);
	for (int i = 0; i < SF_ACCEL_NKEYS; i++)
		if ((accel->seen >> i & 1) == 0)
			sf_stream_die(
			    stream, "accel: no '%s'", sf_accel_keys[i].name);
	if (!sf_accel_finish(accel, &error))
		sf_stream_die(stream, "accel: %s", error.text);
}
