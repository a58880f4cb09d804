/*
 * The scanner against a second recogniser, written from RFC 8259 as a
 * recursive descent, on a list of texts and on random ones.
 */
#include "stream/json.h"

#include <string.h>

#include "base/buf.h"
#include "check.h"

/* ---- the second recogniser: where a value ends, NULL when it is none ---- */

static const char *value(const char *p);

static const char *
white(const char *p)
{
	return p + strspn(p, " \t\r");
}

/* The four digits behind the 'u' at P, -1 when there are not so many. */
static long
unit(const char *p)
{
	char digits[5] = { 0 };

	if (strspn(p + 1, "0123456789abcdefABCDEF") < 4)
		return -1;
	memcpy(digits, p + 1, 4);
	return strtol(digits, NULL, 16);
}

/* No string has a NUL or half a surrogate pair, which no reader could take. */
static const char *
string(const char *p)
{
	if (*p++ != '"')
		return NULL;
	for (; *p != '"'; p++) {
		if ((unsigned char)*p < 0x20)
			return NULL;
		if (*p != '\\')
			continue;
		p++;
		if (*p == 'u') {
			long high = unit(p), low = -1;

			if (high <= 0 || (high >= 0xdc00 && high <= 0xdfff))
				return NULL;
			p += 4;
			if (high < 0xd800 || high > 0xdbff)
				continue;
			if (p[1] == '\\' && p[2] == 'u')
				low = unit(p + 2);
			if (low < 0xdc00 || low > 0xdfff)
				return NULL;
			p += 6;
		} else if (*p == '\0' || strchr("\"\\/bfnrt", *p) == NULL) {
			return NULL;
		}
	}
	return p + 1;
}

static const char *
digits(const char *p)
{
	size_t n = strspn(p, "0123456789");

	return n != 0 ? p + n : NULL;
}

static const char *
number(const char *p)
{
	p += *p == '-';
	p = *p == '0' ? p + 1 : digits(p);
	if (p != NULL && *p == '.')
		p = digits(p + 1);
	if (p != NULL && (*p == 'e' || *p == 'E')) {
		p++;
		p = digits(p + (*p == '+' || *p == '-'));
	}
	return p;
}

static const char *
container(const char *p, char close)
{
	p = white(p + 1);
	if (*p == close)
		return p + 1;
	for (;;) {
		if (close == '}') {
			p = string(p);
			if (p == NULL || *(p = white(p)) != ':')
				return NULL;
			p = white(p + 1);
		}
		p = value(p);
		if (p == NULL)
			return NULL;
		p = white(p);
		if (*p == close)
			return p + 1;
		if (*p != ',')
			return NULL;
		p = white(p + 1);
	}
}

static const char *
value(const char *p)
{
	static const char *const words[] = { "true", "false", "null" };

	for (int i = 0; i < 3; i++)
		if (strncmp(p, words[i], strlen(words[i])) == 0)
			return p + strlen(words[i]);
	switch (*p) {
	case '{':
		return container(p, '}');
	case '[':
		return container(p, ']');
	case '"':
		return string(p);
	default:
		return number(p);
	}
}

static bool
is_json(const char *text)
{
	const char *end = value(white(text));

	return end != NULL && *white(end) == '\n';
}

/* ---- the scanner, on a copy that has just the bytes it was promised ---- */

/* TEXT ends with an LF. */
static bool
scans(const char *text, size_t n)
{
	char *copy = malloc(n + SF_JSON_PADDING);
	struct sf_json s = { .p = copy, .start = copy };
	bool good;

	memcpy(copy, text, n);
	memset(copy + n, 0, SF_JSON_PADDING);
	sf_json_skip(&s);
	good = sf_json_end_line(&s);
	CHECK_FOR(text, s.p >= copy && s.p <= copy + n);
	CHECK_FOR(text, good == (s.error == NULL));
	free(copy);
	return good;
}

static struct sf_arena *names; /* with their escapes undone */

/* Steps over a value container by container, as readers of records do. */
static void
walk(struct sf_json *s)
{
	struct sf_str key;
	char c = sf_json_peek(s);

	if (c == '{' && sf_json_enter(s, '{'))
		while (sf_json_member(s, &key))
			walk(s);
	else if (c == '[' && sf_json_enter(s, '['))
		while (sf_json_element(s))
			walk(s);
	else
		sf_json_skip(s);
}

static bool
walks(const char *text, size_t n)
{
	char *copy = malloc(1 + n + SF_JSON_PADDING);
	struct sf_json s = { .p = copy + 1, .start = copy + 1, .arena = names };
	bool good;

	copy[0] = '\n';
	memcpy(copy + 1, text, n);
	memset(copy + 1 + n, 0, SF_JSON_PADDING);
	sf_arena_reset(names);
	walk(&s);
	good = sf_json_end_line(&s);
	free(copy);
	return good;
}

static void
both(const char *text)
{
	char line[512];
	int n = snprintf(line, sizeof line, "%s\n", text);

	CHECK_FOR(text, n > 0 && n < (int)sizeof line);
	CHECK_FOR(text, scans(line, (size_t)n) == is_json(line));
	CHECK_FOR(text, walks(line, (size_t)n) == is_json(line));
}

static const char *const good[] = { "0", "-0", "-0.0", "1e5", "1E+5", "1e-5",
	"1.25e10", "123456789012345678901234567890", "1e999", "true", "false",
	"null", "\"\"", "\"a\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
	"\"\\u0041\\uD83D\\uDE00\"", "\"\\uD7FF\\ue000\\u0001\"", "[]", "{}",
	"[[],{},[{}]]", "[1,2,3]", "{\"a\":1}", "{\"a\":1,\"a\":2}",
	"{\"\":{\"\":[]}}", " [ 1 , \"x\" , { \"y\" : null } ] ", "\t{\t}\r",
	"\"\xc3\xbc\"", "\"\x7f\"", "[\"[\"]", "[\"{\",\"}\"]", "{\"}\":\"{\"}",
	"\"0123456\\\\89abcdef\"", "[0]", "[-1]" };

static const char *const bad[] = { "", " ", "-", "+1", "01", "-01", "1.", ".5",
	"1e", "1e+", "0x1", "1 2", "--1", "NaN", "Infinity", "-Infinity",
	"True", "tru", "truex", "nul", "nulll", "\"", "\"\\\"", "\"\\x\"",
	"\"\\u12\"", "\"\\u12g4\"", "\"\\u0000\"", "\"\\ud800\"",
	"\"\\udc00\\ud800\"", "\"\\ud800\\ud800\\udc00\"", "\"\\ud800\\n\"",
	"\"\\ud800\\udc0\"", "{\"\\u0000\":1}", "[\"a\\udfff\"]", "\"\t\"",
	"\"\x01\"", "'a'", "[", "]", "{", "}", "[1", "[1,", "[1,]", "[,1]",
	"[,]", "[1 2]", "[1}", "{1}", "{\"a\"}", "{\"a\":}", "{\"a\":1",
	"{\"a\":1,}", "{,}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{a:1}",
	"{\"a\":1]", "[]]", "{}}", "[],", "1,", "//", "/**/1", "\xef\xbb\xbf[]",
	"[1]x", "\v1", "\f1" };

static void
lists(void)
{
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		char line[256];
		int n = snprintf(line, sizeof line, "%s\n", good[i]);

		CHECK_FOR(good[i], scans(line, (size_t)n));
		both(good[i]);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char line[256];
		int n = snprintf(line, sizeof line, "%s\n", bad[i]);

		CHECK_FOR(bad[i], !scans(line, (size_t)n));
		both(bad[i]);
	}
}

/* Texts of random tokens: about one in five is JSON. */
static void
random_tokens(void)
{
	static const char *const tokens[] = { "{", "}", "[", "]", ",", ":",
		"\"a\"", "\"b\\n\"", "1", "-2.5", "0", "true", "null", " ",
		"\"x\":", "{}", "[]", "1e3", "\\", "\"" };
	unsigned long long seed = 2024;
	char text[400];

	for (int round = 0; round < 300000; round++) {
		int n = (int)(check_random(&seed) % 9);

		text[0] = '\0';
		if (round % 2 == 0)
			strcat(text, round % 4 == 0 ? "[" : "{\"k\":");
		for (int i = 0; i < n; i++)
			strcat(text, tokens[check_random(&seed) % 20]);
		if (round % 2 == 0)
			strcat(text, round % 4 == 0 ? "]" : "}");
		both(text);
	}
}

/* Single bytes changed, dropped and doubled in a text that is good. */
static void
random_damage(void)
{
	static const char whole[] =
	    "{\"kind\":\"op\",\"i\":17,\"name\":\"aten.mm\",\"inputs\":[null,"
	    "{\"tid\":\"x\\\\\",\"shape\":[1,-2,3.5e+1],\"param\":true}],"
	    "\"attrs\":{\"a\":[[],{}],\"b\":\"\\u00fc\xc3\xbc\"}} ";
	unsigned long long seed = 77;
	char text[300];

	for (int round = 0; round < 200000; round++) {
		size_t at = check_random(&seed) % (sizeof whole - 1);

		strcpy(text, whole);
		switch (check_random(&seed) % 3) {
		case 0:
			text[at] = (char)(1 + check_random(&seed) % 255);
			if (text[at] == '\n')
				text[at] = ' ';
			break;
		case 1:
			strcpy(text + at, whole + at + 1);
			break;
		default:
			strcpy(text + at + 1, whole + at);
		}
		both(text);
	}
}

/* ---- values ---- */

static struct sf_json
scan(struct sf_arena *arena, char *room, const char *text)
{
	memset(room, 0, 256);
	snprintf(room, 200, "%s\n", text);
	return (struct sf_json){ .p = room, .start = room, .arena = arena };
}

static void
integers(struct sf_arena *arena)
{
	static const struct {
		const char *text;
		int64_t x;
		bool good;
	} cases[] = { { "0", 0, true }, { "-0", 0, true }, { "7", 7, true },
		{ " 42", 42, true }, { "-1", -1, true },
		{ "999999999999999999", 999999999999999999, true },
		{ "1000000000000000000", 1000000000000000000, true },
		{ "9223372036854775807", INT64_MAX, true },
		{ "-9223372036854775808", INT64_MIN, true },
		{ "9223372036854775808", 0, false },
		{ "-9223372036854775809", 0, false },
		{ "18446744073709551617", 0, false },
		{ "100000000000000000000", 0, false }, { "3.0", 0, false },
		{ "1e3", 0, false }, { "00", 0, false }, { "007", 0, false },
		{ "-", 0, false }, { "", 0, false }, { "x", 0, false },
		{ "\"1\"", 0, false }, { "null", 0, false },
		{ "true", 0, false }, { "+1", 0, false } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char room[256];
		struct sf_json s = scan(arena, room, cases[i].text);
		int64_t x = sf_json_int(&s);

		sf_json_end_line(&s);
		CHECK_FOR(cases[i].text, (s.error == NULL) == cases[i].good);
		CHECK_FOR(cases[i].text, !cases[i].good || x == cases[i].x);
	}
}

static void
strings(struct sf_arena *arena)
{
	static const struct {
		const char *text, *want; /* NULL: refused */
	} cases[] = { { "\"\"", "" }, { "\"abc\"", "abc" },
		{ "\"a\\\"b\\\\c\\/\"", "a\"b\\c/" },
		{ "\"\\b\\f\\n\\r\\t\"", "\b\f\n\r\t" },
		{ "\"\\u0041\\u00fc\\u20ac\"", "A\xc3\xbc\xe2\x82\xac" },
		{ "\"\\ud83d\\ude00!\"", "\xf0\x9f\x98\x80!" },
		{ "\"\\uD83D\\uDE00\"", "\xf0\x9f\x98\x80" },
		{ "\"\\u0000\"", NULL }, { "\"\\ud83d\"", NULL },
		{ "\"\\ude00\"", NULL }, { "\"\\ud83d\\u0041\"", NULL },
		{ "\"\\ud83dx\"", NULL }, { "\"abc", NULL }, { "1", NULL },
		{ "", NULL } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char room[256];
		struct sf_json s = scan(arena, room, cases[i].text);
		struct sf_str x = sf_json_string(&s);

		CHECK_FOR(cases[i].text,
		    (s.error == NULL) == (cases[i].want != NULL));
		if (cases[i].want != NULL)
			CHECK_FOR(cases[i].text, sf_str_is(x, cases[i].want));
	}
}

static void
doubles(struct sf_arena *arena)
{
	char room[256];
	struct sf_json s = scan(arena, room, "[5,0,0.1,-2.5e-3,5e-324,1E2 ]");
	const double want[] = { 5, 0, 0.1, -2.5e-3, 5e-324, 100 };
	size_t n = 0;

	sf_json_enter(&s, '[');
	while (sf_json_element(&s)) {
		CHECK(n < 6);
		CHECK(sf_json_double(&s) == want[n]);
		n++;
	}
	CHECK(n == 6 && sf_json_end_line(&s));
	s = scan(arena, room, "1e999");
	sf_json_double(&s);
	CHECK(s.error != NULL);
}

static void
members(struct sf_arena *arena)
{
	char room[256];
	struct sf_json s = scan(arena, room,
	    " { \"a\" : [ ] , \"\\u0062\":{\"x\":[1]},\"c\":\"}\" , "
	    "\"d\":true}");
	struct sf_str key, text;
	int n = 0;

	sf_json_enter(&s, '{');
	while (sf_json_member(&s, &key)) {
		CHECK(key.n == 1 && key.p[0] == "abcd"[n]);
		text = sf_json_skip(&s);
		if (n == 1)
			CHECK(sf_str_is(text, "{\"x\":[1]}"));
		n++;
	}
	CHECK(n == 4 && sf_json_end_line(&s));
}

/* The first error stays, and every loop ends. */
static void
errors_stick(struct sf_arena *arena)
{
	char room[256];
	struct sf_json s = scan(arena, room, "{\"a\":x,\"b\":1}");
	const char *error;
	struct sf_str key;

	sf_json_enter(&s, '{');
	CHECK(sf_json_member(&s, &key));
	sf_json_skip(&s);
	error = s.error;
	CHECK(error != NULL);
	CHECK(!sf_json_member(&s, &key) && !sf_json_element(&s));
	CHECK(sf_json_int(&s) == 0 && sf_json_string(&s).n == 0);
	CHECK(sf_json_double(&s) == 0 && !sf_json_bool(&s));
	CHECK(!sf_json_enter(&s, '[') && !sf_json_end_line(&s));
	CHECK(s.error == error);
}

static void
depth(int levels, bool want)
{
	size_t n = (size_t)levels * 2 + 1;
	char *text = malloc(n + 1);

	memset(text, '[', (size_t)levels);
	memset(text + levels, ']', (size_t)levels);
	text[n - 1] = '\n';
	text[n] = '\0';
	CHECK(scans(text, n) == want);
	free(text);
}

/* A value that is kept is scanned long after its line has gone. */
static void
kept(struct sf_arena *arena)
{
	static const char *const values[] = { "\"a\"", "7", "[]", "{\"k\":1}",
		"\"eight by\"", "-1.5e300" };
	static const char *const open[] = { "\"a", "[1", "{\"k\":" };

	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
		struct sf_str text = sf_json_keep(arena, sf_str_of(values[i]));
		struct sf_json s = { .p = text.p, .start = text.p };

		CHECK_FOR(values[i], sf_str_is(text, values[i]));
		sf_json_skip(&s);
		CHECK_FOR(values[i], sf_json_end_line(&s));
		CHECK_FOR(values[i], s.p == text.p + text.n);
	}
	for (size_t i = 0; i < sizeof open / sizeof open[0]; i++) {
		struct sf_str text = sf_json_keep(arena, sf_str_of(open[i]));
		struct sf_json s = { .p = text.p, .start = text.p };

		sf_json_skip(&s);
		CHECK_FOR(open[i], s.error != NULL);
		CHECK_FOR(open[i], s.p <= text.p + text.n);
	}
}

int
main(void)
{
	struct sf_arena *arena = sf_arena_new();

	names = arena;
	lists();
	random_tokens();
	random_damage();
	integers(arena);
	strings(arena);
	doubles(arena);
	members(arena);
	errors_stick(arena);
	kept(arena);
	depth(500, true);
	depth(100000, false);
	sf_arena_free(arena);
	return 0;
}
