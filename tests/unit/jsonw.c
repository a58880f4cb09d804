/* The JSON writer: commas, escapes, numbers, and bytes that are not UTF-8. */
#include "stream/jsonw.h"

#include <string.h>

#include "base/arena.h"
#include "check.h"
#include "stream/json.h"

static void
is(struct sf_jsonw *w, const char *want)
{
	sf_buf_putc(&w->buf, '\0');
	CHECK_FOR(w->buf.p, strcmp(w->buf.p, want) == 0);
	sf_buf_release(&w->buf);
	*w = (struct sf_jsonw){ 0 };
}

static void
commas(void)
{
	struct sf_jsonw w = { 0 };

	sf_jsonw_open(&w, '{');
	sf_jsonw_kcstr(&w, "kind", "op");
	sf_jsonw_key(&w, "a");
	sf_jsonw_open(&w, '[');
	sf_jsonw_null(&w);
	sf_jsonw_open(&w, '{');
	sf_jsonw_close(&w, '}');
	sf_jsonw_open(&w, '[');
	sf_jsonw_int(&w, INT64_MIN);
	sf_jsonw_double(&w, 0.5);
	sf_jsonw_bool(&w, true);
	sf_jsonw_close(&w, ']');
	sf_jsonw_close(&w, ']');
	sf_jsonw_kint(&w, "i", INT64_MAX);
	sf_jsonw_kdouble(&w, "d", 1e-7);
	sf_jsonw_key(&w, "r");
	sf_jsonw_raw(&w, SF_STR("{\"x\":[]}"));
	sf_jsonw_close(&w, '}');
	is(&w,
	    "{\"kind\":\"op\",\"a\":[null,{},[-9223372036854775808,0.5,true]],"
	    "\"i\":9223372036854775807,\"d\":1e-07,\"r\":{\"x\":[]}}");
}

static void
escapes(void)
{
	struct sf_jsonw w = { 0 };

	sf_jsonw_cstr(
	    &w, "a\"b\\c/\n\t\r\x01\x1f\x7f \xc3\xbc \xf0\x9f\x98\x80");
	is(&w,
	    "\"a\\\"b\\\\c/\\n\\t\\r\\u0001\\u001f\x7f \xc3\xbc "
	    "\xf0\x9f\x98\x80\"");
}

static void
wrong_bytes_are_replaced(void)
{
	struct sf_jsonw w = { 0 };

	sf_jsonw_cstr(&w,
	    "a\xff"
	    "b\xc3"
	    "c\xed\xa0\x80.\xc3\xbc");
	is(&w,
	    "\"a\xef\xbf\xbd"
	    "b\xef\xbf\xbd"
	    "c\xef\xbf\xbd\xef\xbf\xbd"
	    "\xef\xbf\xbd.\xc3\xbc\"");
}

/* A byte that is not plain, at every place of words of every length. */
static void
one_byte_in_plain_text(void)
{
	enum {
		MOST = 40
	};

	for (size_t n = 1; n <= MOST; n++)
		for (size_t at = 0; at < n; at++)
			for (int c = 1; c < 0x80; c++) {
				struct sf_jsonw one = { 0 }, all = { 0 };
				char text[MOST], want[MOST + 8];

				memset(text, 'a' + (int)(n % 26), n);
				text[at] = (char)c;
				sf_jsonw_str(
				    &one, (struct sf_str){ text + at, 1 });
				sf_jsonw_str(&all, (struct sf_str){ text, n });
				/* The byte's own escape, in between. */
				want[0] = '"';
				memcpy(want + 1, text, at);
				memcpy(want + 1 + at, one.buf.p + 1,
				    one.buf.n - 2);
				memcpy(want + at + one.buf.n - 1, text + at + 1,
				    n - at - 1);
				want[n + one.buf.n - 2] = '"';
				CHECK(all.buf.n == n + one.buf.n - 1);
				CHECK(memcmp(all.buf.p, want, all.buf.n) == 0);
				sf_buf_release(&one.buf);
				sf_buf_release(&all.buf);
			}
}

/* Whatever the bytes are, what is written reads back. */
static void
random_text_reads_back(void)
{
	struct sf_arena *arena = sf_arena_new();
	unsigned long long seed = 5;

	for (int round = 0; round < 50000; round++) {
		struct sf_jsonw w = { 0 };
		char bytes[40];
		size_t n = check_random(&seed) % sizeof bytes;

		for (size_t i = 0; i < n; i++) {
			/* Mostly text, so that some of it is UTF-8. */
			bytes[i] = (char)(round % 2 == 0
				? 1 + check_random(&seed) % 127
				: 1 + check_random(&seed) % 255);
		}
		sf_jsonw_str(&w, (struct sf_str){ bytes, n });
		sf_buf_put(&w.buf, "\n\0\0\0\0\0\0\0\0", 9);
		struct sf_json s = {
			.p = w.buf.p, .start = w.buf.p, .arena = arena
		};
		struct sf_str back = sf_json_string(&s);

		CHECK(sf_json_end_line(&s));
		CHECK(sf_utf8_valid(back.p, back.n));
		if (sf_utf8_valid(bytes, n))
			CHECK(sf_str_eq(back, (struct sf_str){ bytes, n }));
		sf_buf_release(&w.buf);
		sf_arena_reset(arena);
	}
	sf_arena_free(arena);
}

int
main(void)
{
	commas();
	escapes();
	wrong_bytes_are_replaced();
	one_byte_in_plain_text();
	random_text_reads_back();
	return 0;
}
