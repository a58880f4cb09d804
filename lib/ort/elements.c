/* Cutting a JSON array into its elements while it is read. */
#include "ort/elements.h"

void
sf_elements_init(struct sf_elements *e, struct sf_input *input)
{
	*e = (struct sf_elements){ .input = input };
}

void
sf_elements_release(struct sf_elements *e)
{
	sf_buf_release(&e->text);
}

static bool
fail_at(struct sf_elements *e, struct sf_error *error, const char *what)
{
	return sf_fail(error, "%s:%lld: %s", sf_input_name(e->input),
	    (long long)sf_input_lineno(e->input), what);
}

/* The next byte; false at the end of the file. */
static bool
next_byte(struct sf_elements *e, char *c)
{
	if (e->line.n == 0) {
		if (!sf_input_line(e->input, &e->line))
			return false;
		e->line.n++;
	}
	*c = *e->line.p++;
	e->line.n--;
	return true;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The next byte that is no white space; 0 at the end of the file. */
static char
next_mark(struct sf_elements *e)
{
	char c;

	while (next_byte(e, &c))
		if (!is_blank(c))
			return c != '\0' ? c : '?';
	return '\0';
}

/*
 * Takes one element, which begins with C, and the byte behind it, ',' or ']'.
 * Only brackets and strings are looked at: the scanner judges the rest.
 */
static bool
take_element(struct sf_elements *e, char c, struct sf_error *error)
{
	int64_t depth = 0;
	bool in_string = false, escaped = false;

	e->lineno = sf_input_lineno(e->input);
	e->text.n = 0;
	sf_buf_putc(&e->text, ' ');
	do {
		if (in_string) {
			in_string = escaped || c != '"';
			escaped = !escaped && c == '\\';
		} else if (c == '"') {
			in_string = true;
		} else if (c == '{' || c == '[') {
			depth++;
		} else if (depth == 0 && (c == ',' || c == ']')) {
			e->ended = c == ']';
			return true;
		} else if (c == '}' || c == ']') {
			depth--;
		} else if (c == '\n') {
			c = ' ';
		}
		sf_buf_putc(&e->text, c);
	} while (next_byte(e, &c));
	return fail_at(e, error, "the array is cut short, expected ']'");
}

/* Nothing may follow the array. */
static bool
end(struct sf_elements *e, struct sf_error *error)
{
	if (next_mark(e) != '\0')
		fail_at(e, error, "text behind the array, expected nothing");
	return false;
}

bool
sf_elements_next(struct sf_elements *e, struct sf_json *scan,
    struct sf_arena *arena, struct sf_error *error)
{
	bool first = !e->entered;
	char c;

	error->text[0] = '\0';
	if (first && next_mark(e) != '[')
		return fail_at(e, error, "expected a JSON array, as in '[{'");
	e->entered = true;
	if (e->ended)
		return end(e, error);
	c = next_mark(e);
	if (first && c == ']') {
		e->ended = true;
		return end(e, error);
	}
	if (c == '\0')
		return fail_at(
		    e, error, "the array is cut short, expected ']'");
	if (!take_element(e, c, error))
		return false;
	sf_buf_putc(&e->text, '\n');
	sf_buf_need(&e->text, SF_JSON_PADDING);
	memset(e->text.p + e->text.n, 0, SF_JSON_PADDING);
	*scan = (struct sf_json){
		.p = e->text.p + 1, .start = e->text.p + 1, .arena = arena
	};
	return true;
}
