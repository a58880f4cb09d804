/* The JSON scanner: values, strings with escapes, and stepping over. */
#include "stream/json.h"

#include <math.h>

#include "base/num.h"
#include "base/word.h"

/* Deeper nesting than this is refused, not followed. */
enum {
	MAX_DEPTH = 512
};

bool
sf_json_fail(struct sf_json *s, const char *error)
{
	if (s->error == NULL)
		s->error = error;
	return false;
}

/*
 * The byte that ends a run of plain text: '"', '\\' or a control byte. Eight
 * at a time: a line is followed by at least eight bytes that may be read.
 */
static inline const char *
plain_end(const char *p)
{
	static const uint64_t ones = UINT64_C(0x0101010101010101);
	static const uint64_t tops = UINT64_C(0x8080808080808080);

	for (;; p += 8) {
		uint64_t word = sf_word_at(p);
		uint64_t slash = word ^ ones * '\\', hit;

		/* This takes '"' to 0x20 and leaves control bytes below. */
		word ^= ones * ('"' ^ 0x20);
		hit =
		    ((word - ones * 0x21) & ~word) | ((slash - ones) & ~slash);
		hit &= tops;
		if (hit != 0)
			return p + (__builtin_ctzll(hit) >> 3);
	}
}

/* The last byte before P that is not white space. */
static char
before(const char *p)
{
	do
		p--;
	while (*p == ' ' || *p == '\t' || *p == '\r');
	return *p;
}

bool
sf_json_enter(struct sf_json *s, char open)
{
	if (s->error != NULL)
		return false;
	if (sf_json_peek(s) != open)
		return sf_json_fail(s,
		    open == '{' ? "expected an object" : "expected an array");
	s->p++;
	return true;
}

/*
 * Steps to the next item of a container: true when there is one. What stands
 * before it tells whether it is the first, so the scanner needs no stack.
 */
static bool
next_item(struct sf_json *s, char open, char close)
{
	char c;

	if (s->error != NULL)
		return false;
	c = sf_json_peek(s);
	if (c == close) {
		s->p++;
		return false;
	}
	if (before(s->p) == open)
		return true;
	if (c != ',')
		return sf_json_fail(s,
		    close == '}' ? "expected ',' or '}'"
				 : "expected ',' or ']'");
	s->p++;
	return true;
}

bool
sf_json_next_element(struct sf_json *s)
{
	return next_item(s, '[', ']');
}

/*
 * A member of compact text without escapes, which nearly all are: `,"key":`,
 * or `{"key":` for the first. False, with nothing done, for any other.
 */
static inline bool
compact_member(struct sf_json *s, struct sf_str *key)
{
	const char *p = s->p, *end;

	if ((*p == ',') == (p[-1] == '{'))
		return false;
	if (*p == ',')
		p++;
	if (*p != '"')
		return false;
	end = plain_end(++p);
	if (*end != '"' || end[1] != ':')
		return false;
	*key = (struct sf_str){ p, (size_t)(end - p) };
	s->p = end + 2;
	return true;
}

bool
sf_json_next_member(struct sf_json *s, struct sf_str *key)
{
	if (s->error == NULL && compact_member(s, key))
		return true;
	if (!next_item(s, '{', '}'))
		return false;
	if (sf_json_peek(s) != '"')
		return sf_json_fail(s, "expected a member's name in quotes");
	*key = sf_json_string(s);
	if (s->error != NULL)
		return false;
	if (sf_json_peek(s) != ':')
		return sf_json_fail(s, "expected ':'");
	s->p++;
	return true;
}

/* ---- strings ---- */

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The four digits behind "\u", or -1. */
static int
hex4(const char *p)
{
	int value = 0;

	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(p[i]);

		if (digit < 0)
			return -1;
		value = value * 16 + digit;
	}
	return value;
}

/*
 * The character of the \u escape at P, with its second half when it needs one;
 * *END is behind it. 0, which no string may have, when it is none: *ERROR says
 * why.
 */
static uint32_t
unit_at(const char *p, const char **end, const char **error)
{
	int unit = hex4(p + 2), low = 0;

	*end = p + 6;
	if (unit <= 0) {
		*error =
		    unit < 0 ? "bad escape in a string" : "NUL in a string";
		return 0;
	}
	if (unit < 0xd800 || unit > 0xdfff)
		return (uint32_t)unit;
	if (p[6] == '\\' && p[7] == 'u')
		low = hex4(p + 8);
	if (unit > 0xdbff || low < 0xdc00 || low > 0xdfff) {
		*error = "half a surrogate pair in a string";
		return 0;
	}
	*end = p + 12;
	return 0x10000 + (((uint32_t)unit - 0xd800) << 10) +
	    ((uint32_t)low - 0xdc00);
}

/*
 * Steps over one escape, P being at its backslash; NULL when it is none, which
 * is the error. What is stepped over is held to what is read.
 */
static const char *
skip_escape(struct sf_json *s, const char *p)
{
	const char *error = "bad escape in a string", *end = p + 2;

	if (p[1] == 'u' ? unit_at(p, &end, &error) != 0
			: p[1] != '\0' && strchr("\"\\/bfnrt", p[1]) != NULL)
		return end;
	sf_json_fail(s, error);
	return NULL;
}

/* Moves from behind the opening quote to behind the closing one. */
static bool
string_end(struct sf_json *s, bool *escaped)
{
	const char *p = s->p;

	for (;;) {
		p = plain_end(p);
		if (*p == '"') {
			s->p = p + 1;
			return true;
		}
		s->p = p;
		if (*p == '\n')
			return sf_json_fail(s, "the string does not end");
		if (*p != '\\')
			return sf_json_fail(s, "control byte in a string");
		*escaped = true;
		p = skip_escape(s, p);
		if (p == NULL)
			return false;
	}
}

static size_t
put_utf8(char *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* Undoes the escapes of TEXT, which are known to be well-formed. */
static struct sf_str
unescape(struct sf_json *s, struct sf_str text)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	char *out = sf_arena_alloc(s->arena, text.n + 1);
	const char *end = text.p + text.n, *error;
	size_t n = 0;

	for (const char *p = text.p; p < end;) {
		uint32_t c;

		if (*p != '\\') {
			out[n++] = *p++;
			continue;
		}
		if (p[1] == 'u') {
			c = unit_at(p, &p, &error);
		} else {
			c = (unsigned char)to[strchr(from, p[1]) - from];
			p += 2;
		}
		n += put_utf8(out + n, c);
	}
	out[n] = '\0';
	return (struct sf_str){ out, n };
}

struct sf_str
sf_json_string(struct sf_json *s)
{
	struct sf_str text = { "", 0 };
	bool escaped = false;

	if (s->error != NULL)
		return text;
	if (sf_json_peek(s) != '"') {
		sf_json_fail(s, "expected a string");
		return text;
	}
	text.p = ++s->p;
	s->p = plain_end(s->p);
	if (*s->p == '"') {
		text.n = (size_t)(s->p++ - text.p);
		return text;
	}
	if (!string_end(s, &escaped))
		return (struct sf_str){ "", 0 };
	text.n = (size_t)(s->p - 1 - text.p);
	return escaped ? unescape(s, text) : text;
}

/* ---- numbers and words ---- */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Steps over a number as JSON spells it. */
static bool
number_end(struct sf_json *s)
{
	const char *p = s->p;

	if (*p == '-')
		p++;
	if (!is_digit(*p))
		return sf_json_fail(s, "expected a value");
	if (*p == '0')
		p++;
	else
		while (is_digit(*p))
			p++;
	if (*p == '.') {
		if (!is_digit(*++p))
			return sf_json_fail(s, "expected a digit after '.'");
		while (is_digit(*p))
			p++;
	}
	if (*p == 'e' || *p == 'E') {
		p++;
		if (*p == '+' || *p == '-')
			p++;
		if (!is_digit(*p))
			return sf_json_fail(s, "expected an exponent");
		while (is_digit(*p))
			p++;
	}
	s->p = p;
	return true;
}

/* An integer that is long, negative, or none at all. */
static int64_t
any_int(struct sf_json *s)
{
	const char *start = s->p;
	bool fraction = false;
	int64_t value;

	if (*start != '-' && !is_digit(*start)) {
		sf_json_fail(s, "expected an integer");
		return 0;
	}
	if (!number_end(s))
		return 0;
	if (sf_int_parse(start, (size_t)(s->p - start), &value))
		return value;
	for (const char *p = start; p < s->p; p++)
		fraction = fraction || (*p != '-' && !is_digit(*p));
	s->p = start;
	sf_json_fail(s,
	    fraction ? "expected an integer"
		     : "the integer does not fit 64 bits");
	return 0;
}

int64_t
sf_json_int(struct sf_json *s)
{
	const char *start, *p;
	uint64_t value = 0;
	unsigned digit;

	if (s->error != NULL)
		return 0;
	sf_json_peek(s);
	start = p = s->p;
	for (; (digit = (unsigned char)*p - (unsigned)'0') < 10; p++)
		value = value * 10 + digit;
	/* Most sizes have few digits; 18 always fit. */
	if ((*p != ',' && *p != ']' && *p != '}') || p == start ||
	    p - start > 18 || (*start == '0' && p - start > 1))
		return any_int(s);
	s->p = p;
	return (int64_t)value;
}

double
sf_json_double(struct sf_json *s)
{
	const char *start;
	double x;

	if (s->error != NULL)
		return 0;
	sf_json_peek(s);
	start = s->p;
	/* Most are small whole numbers. */
	if (is_digit(start[0]) && (start[1] == ',' || start[1] == '}'))
		return *s->p++ - '0';
	if (!number_end(s))
		return 0;
	if (!sf_double_parse(start, (size_t)(s->p - start), &x)) {
		s->p = start;
		sf_json_fail(s, "the number does not fit a double");
		return 0;
	}
	return x;
}

/* Consumes WORD, which begins with the byte that is next. */
static bool
word(struct sf_json *s, const char *text, size_t n)
{
	if (strncmp(s->p, text, n) != 0)
		return sf_json_fail(s, "expected a value");
	s->p += n;
	return true;
}

bool
sf_json_bool(struct sf_json *s)
{
	if (s->error != NULL)
		return false;
	switch (sf_json_peek(s)) {
	case 't':
		return word(s, "true", 4);
	case 'f':
		word(s, "false", 5);
		return false;
	default:
		return sf_json_fail(s, "expected true or false");
	}
}

bool
sf_json_take_null(struct sf_json *s)
{
	if (s->error != NULL)
		return false;
	return word(s, "null", 4);
}

/* ---- stepping over ---- */

/* A string, number or word; containers are the caller's. */
static bool
skip_scalar(struct sf_json *s)
{
	bool escaped;

	switch (*s->p) {
	case '"':
		s->p++;
		return string_end(s, &escaped);
	case 't':
		return word(s, "true", 4);
	case 'f':
		return word(s, "false", 5);
	case 'n':
		return word(s, "null", 4);
	default:
		return number_end(s);
	}
}

/* A member's name and its colon. */
static bool
skip_key(struct sf_json *s)
{
	bool escaped;

	if (sf_json_peek(s) != '"')
		return sf_json_fail(s, "expected a member's name in quotes");
	s->p++;
	if (!string_end(s, &escaped))
		return false;
	if (sf_json_peek(s) != ':')
		return sf_json_fail(s, "expected ':'");
	s->p++;
	return true;
}

/*
 * Behind a value: closes the containers that end here. True when another item
 * follows, false at the end of the outermost value or on an error.
 */
static bool
skip_closers(struct sf_json *s, const char *closers, int *depth)
{
	while (*depth != 0) {
		char close = closers[*depth - 1], c = sf_json_peek(s);

		if (c == ',') {
			s->p++;
			return close == '}' ? skip_key(s) : true;
		}
		if (c != close)
			return sf_json_fail(s,
			    close == '}' ? "expected ',' or '}'"
					 : "expected ',' or ']'");
		s->p++;
		(*depth)--;
	}
	return false;
}

struct sf_str
sf_json_skip(struct sf_json *s)
{
	char closers[MAX_DEPTH];
	const char *start;
	int depth = 0;
	bool more = true;

	if (s->error != NULL)
		return (struct sf_str){ "", 0 };
	sf_json_peek(s);
	start = s->p;
	while (more) {
		char c = sf_json_peek(s);

		if (c == '{' || c == '[') {
			if (depth == MAX_DEPTH) {
				sf_json_fail(s, "nested too deeply");
				break;
			}
			closers[depth++] = c == '{' ? '}' : ']';
			s->p++;
			if (sf_json_peek(s) != closers[depth - 1]) {
				more = c == '[' || skip_key(s);
				continue;
			}
			s->p++;
			depth--;
		} else if (!skip_scalar(s)) {
			break;
		}
		more = skip_closers(s, closers, &depth);
	}
	if (s->error != NULL)
		return (struct sf_str){ "", 0 };
	return (struct sf_str){ start, (size_t)(s->p - start) };
}

bool
sf_json_end_line(struct sf_json *s)
{
	if (s->error != NULL)
		return false;
	if (sf_json_peek(s) != '\n')
		return sf_json_fail(s, "expected the end of the line");
	return true;
}

struct sf_str
sf_json_keep(struct sf_arena *arena, struct sf_str text)
{
	char *p = sf_arena_calloc(arena, 1, 1 + text.n + 1 + SF_JSON_PADDING);

	if (text.n != 0)
		memcpy(p + 1, text.p, text.n);
	p[1 + text.n] = '\n';
	return (struct sf_str){ p + 1, text.n };
}
