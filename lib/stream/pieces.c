/* Cutting a long JSON text into its pieces while it is read. */
#include "stream/pieces.h"

static bool
fail_at(struct sf_pieces *s, struct sf_error *error, const char *what)
{
	return sf_fail(error, "%s:%lld: %s", sf_input_name(s->input),
	    (long long)s->line, what);
}

/* ---- bytes ---- */

/* Puts back what stood behind the last piece, and steps over it. */
static void
leave_piece(struct sf_pieces *s)
{
	if (s->saved_at != 0)
		s->p[s->saved_at] = s->saved;
	s->saved_at = 0;
	sf_input_take(s->input, s->taken);
	s->p += s->taken;
	s->n -= s->taken;
	s->taken = 0;
}

/* More bytes behind those that are there; false at the end of the file. */
static bool
more(struct sf_pieces *s)
{
	bool got = sf_input_more(s->input);

	s->p = sf_input_text(s->input, &s->n);
	return got;
}

/* The next byte that is no white space, not taken; 0 at the end. */
static char
next_mark(struct sf_pieces *s)
{
	do {
		for (; s->taken < s->n; s->taken++) {
			char c = s->p[s->taken];

			if (c == '\n')
				s->line++;
			else if (c != ' ' && c != '\t' && c != '\r')
				return c != '\0' ? c : '?';
		}
	} while (more(s));
	return '\0';
}

/* ---- the end of a value ---- */

static const uint64_t ones = UINT64_C(0x0101010101010101);
static const uint64_t tops = UINT64_C(0x8080808080808080);

/* The top bit of each byte of WORD that is C, exactly. */
static inline uint64_t
is_byte(uint64_t word, char c)
{
	uint64_t x = word ^ ones * (unsigned char)c;

	return ~(((x & ~tops) + ~tops) | x | ~tops);
}

/* Those top bits as eight bits. */
static inline uint64_t
gather(uint64_t top_bits)
{
	return (top_bits >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

/* What stands in 64 bytes: a bit a byte. */
struct block {
	uint64_t quotes, escapes, opens, closes, breaks;
};

static inline void
read_block(const char *p, struct block *b)
{
	*b = (struct block){ 0 };
	for (int i = 0; i < 64; i += 8) {
		uint64_t word, folded;

		memcpy(&word, p + i, 8);
		/* This makes one of '[' and '{', and of ']' and '}'. */
		folded = word | ones * 0x20;
		b->quotes |= gather(is_byte(word, '"')) << i;
		b->escapes |= gather(is_byte(word, '\\')) << i;
		b->opens |= gather(is_byte(folded, '{')) << i;
		b->closes |= gather(is_byte(folded, '}')) << i;
		b->breaks |= gather(is_byte(word, '\n')) << i;
	}
}

/* Takes the quotes away that a backslash escapes; *CARRY: the next byte is. */
static inline uint64_t
plain_quotes(uint64_t quotes, uint64_t escapes, bool *carry)
{
	uint64_t escaped = *carry ? 1 : 0;

	*carry = false;
	escapes &= ~escaped;
	while (escapes != 0) {
		uint64_t at = escapes & -escapes;

		*carry = at << 1 == 0;
		escaped |= at << 1;
		escapes &= ~(at | at << 1);
	}
	return quotes & ~escaped;
}

/* A bit for each byte behind an odd number of quotes, up to it. */
static inline uint64_t
inside_of(uint64_t quotes)
{
	for (int shift = 1; shift < 64; shift *= 2)
		quotes ^= quotes << shift;
	return quotes;
}

/* What is known of a value up to where it was looked at. */
struct search {
	size_t at, i; /* where it begins, how far it was looked at */
	int64_t depth;
	uint64_t in_string; /* all bits or none */
	bool carry;
};

/* Makes blanks of the line breaks of a block that are in no string. */
static inline void
blank_breaks(struct sf_pieces *s, const struct search *f, uint64_t breaks,
    uint64_t inside)
{
	s->line += __builtin_popcountll(breaks);
	for (breaks &= ~inside; breaks != 0; breaks &= breaks - 1)
		s->p[f->i + (size_t)__builtin_ctzll(breaks)] = ' ';
}

/*
 * Looks at the HAVE bytes that come, at most 64; true when the value ends
 * among them, and F->i is then behind its end.
 */
static inline bool
look(struct sf_pieces *s, struct search *f, size_t have)
{
	uint64_t valid = UINT64_MAX >> (64 - have), inside;
	const char *p = s->p + f->i;
	char rest[64] = { 0 };
	struct block b;

	if (have < 64)
		p = memcpy(rest, p, have);
	read_block(p, &b);
	inside = f->in_string ^
	    inside_of(
		plain_quotes(b.quotes & valid, b.escapes & valid, &f->carry));
	f->in_string = inside >> 63 ? UINT64_MAX : 0;
	b.opens &= ~inside & valid;
	b.closes &= ~inside & valid;
	b.breaks &= valid;
	if (f->depth > __builtin_popcountll(b.closes)) {
		f->depth += __builtin_popcountll(b.opens) -
		    __builtin_popcountll(b.closes);
		blank_breaks(s, f, b.breaks, inside);
		f->i += have;
		return false;
	}
	for (uint64_t both = b.opens | b.closes; both != 0; both &= both - 1) {
		uint64_t bit = both & -both;

		f->depth += (b.opens & bit) != 0 ? 1 : -1;
		if (f->depth != 0)
			continue;
		blank_breaks(s, f, b.breaks & (bit - 1), inside);
		f->i += (size_t)__builtin_ctzll(bit) + 1;
		return true;
	}
	blank_breaks(s, f, b.breaks, inside);
	f->i += have;
	return false;
}

/*
 * The end of the object or array at AT, which may not be there whole: reads on
 * until it is. 0 when the file ends first, or it is too long.
 */
static size_t
bracket_end(struct sf_pieces *s, size_t at, struct sf_error *error)
{
	struct search f = { .at = at, .i = at };

	for (;;) {
		size_t have;

		while (s->n - f.i < 64 && s->n - at <= SF_PIECE_MOST && more(s))
			;
		if (s->n - at > SF_PIECE_MOST && f.i - at > SF_PIECE_MOST) {
			fail_at(s, error, "a value of more than 64 MiB");
			return 0;
		}
		have = s->n - f.i < 64 ? s->n - f.i : 64;
		if (have == 0)
			break;
		if (look(s, &f, have))
			return f.i;
	}
	fail_at(s, error, "the text is cut short inside of a value");
	return 0;
}

/* The same of a string, a number or a word. */
static size_t
scalar_end(struct sf_pieces *s, size_t at, struct sf_error *error)
{
	bool string = s->p[at] == '"', escaped = false;

	for (size_t i = at + 1;; i++) {
		char c;

		if (i == s->n && !more(s))
			break;
		c = s->p[i];
		if (string ? c == '"' && !escaped
			   : strchr(",]} \t\r\n", c) != NULL)
			return string ? i + 1 : i;
		if (i - at > SF_PIECE_MOST) {
			fail_at(s, error, "a value of more than 64 MiB");
			return 0;
		}
		escaped = c == '\\' && !escaped;
	}
	fail_at(s, error, "the text is cut short inside of a value");
	return 0;
}

/* Takes the value that begins with the next mark, and scans it. */
static bool
take_value(struct sf_pieces *s, struct sf_json *scan, struct sf_arena *arena,
    struct sf_error *error)
{
	char c = next_mark(s);
	size_t at = s->taken, end;

	s->lineno = s->line;
	if (c == '\0') {
		s->cut = true;
		return fail_at(s, error,
		    s->inside || s->open == '['
			? "the array is cut short, expected ']'"
			: "the object is cut short, expected a value");
	}
	if (c == ',' || c == ']' || c == '}')
		return fail_at(s, error, "expected a value");
	end = c == '{' || c == '[' ? bracket_end(s, at, error)
				   : scalar_end(s, at, error);
	if (end == 0)
		return false;
	s->saved = s->p[end];
	s->saved_at = end;
	s->p[end] = '\n';
	s->taken = end;
	s->text = (struct sf_str){ s->p + at, end - at };
	*scan = (struct sf_json){
		.p = s->p + at, .start = s->p + at, .arena = arena
	};
	return true;
}

/* ---- the outermost ---- */

bool
sf_pieces_open(
    struct sf_pieces *s, struct sf_input *input, struct sf_error *error)
{
	*s = (struct sf_pieces){ .input = input, .line = 1 };
	error->text[0] = '\0';
	s->p = sf_input_text(input, &s->n);
	s->open = next_mark(s);
	if (s->open != '{' && s->open != '[')
		return fail_at(s, error,
		    s->open == '\0' ? "the file is empty, expected JSON"
				    : "expected JSON, an object or an array");
	s->taken++;
	return true;
}

void
sf_pieces_release(struct sf_pieces *s)
{
	sf_buf_release(&s->key);
}

/* Nothing may follow the outermost bracket. */
static bool
end_text(struct sf_pieces *s, struct sf_error *error)
{
	if (next_mark(s) != '\0')
		fail_at(s, error, "text behind the end, expected nothing");
	return false;
}

/*
 * Steps over what is before the next item of a container; false at its end, or
 * with *ERROR filled.
 */
static bool
next_item(struct sf_pieces *s, bool first, char close, struct sf_error *error)
{
	char c;

	leave_piece(s);
	c = next_mark(s);
	if (c == close) {
		s->taken++;
		return false;
	}
	s->cut = c == '\0';
	if (s->cut)
		return fail_at(s, error,
		    close == ']' ? "the array is cut short, expected ']'"
				 : "the object is cut short, expected '}'");
	if (first)
		return true;
	if (c != ',')
		return fail_at(s, error,
		    close == ']' ? "expected ',' or ']'"
				 : "expected ',' or '}'");
	s->taken++;
	return true;
}

bool
sf_pieces_member(
    struct sf_pieces *s, struct sf_str *key, struct sf_error *error)
{
	bool first = !s->entered;
	size_t at, end;

	error->text[0] = '\0';
	s->entered = true;
	if (!next_item(s, first, '}', error))
		return error->text[0] == '\0' && end_text(s, error);
	if (next_mark(s) != '"')
		return fail_at(s, error, "expected a member's name in quotes");
	at = s->taken;
	end = scalar_end(s, at, error);
	if (end == 0)
		return false;
	s->key.n = 0;
	sf_buf_put(&s->key, s->p + at + 1, end - at - 2);
	s->taken = end;
	if (next_mark(s) != ':')
		return fail_at(s, error, "expected ':'");
	s->taken++;
	*key = (struct sf_str){ s->key.n != 0 ? s->key.p : "", s->key.n };
	return true;
}

bool
sf_pieces_value(struct sf_pieces *s, struct sf_json *scan,
    struct sf_arena *arena, struct sf_error *error)
{
	return take_value(s, scan, arena, error);
}

bool
sf_pieces_enter(struct sf_pieces *s, struct sf_error *error)
{
	if (next_mark(s) != '[')
		return fail_at(s, error, "expected an array");
	s->taken++;
	s->inside = s->first = true;
	return true;
}

bool
sf_pieces_element(struct sf_pieces *s, struct sf_json *scan,
    struct sf_arena *arena, struct sf_error *error)
{
	bool first = s->inside ? s->first : !s->entered;

	error->text[0] = '\0';
	s->entered = true;
	s->first = false;
	if (!next_item(s, first, ']', error)) {
		bool whole = !s->inside;

		s->inside = false;
		return error->text[0] == '\0' && whole && end_text(s, error);
	}
	return take_value(s, scan, arena, error);
}
