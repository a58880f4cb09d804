/* Records written: passed on, extended, or begun here. */
#include "stream/stream-part.h"

#include <stdarg.h>
#include <unistd.h>

#include "base/write.h"
#include "stream/note.h"

enum {
	FLUSH_AT = 32 * 1024
};

/* How a record of a kind begins. */
static const struct sf_str kind_heads[] = {
#define SF_KIND(id, text) [SF_K_##id] = SF_STR_INIT("{\"kind\":\"" text "\""),
#include "stream/kind.def"
#undef SF_KIND
};

void
sf_stream_flush(struct sf_stream *s)
{
	if (s->fd < 0)
		return;
	/* What is written says how far it is, and no line is to stand in it. */
	if (s->progress.shown && s->out.n != 0 && isatty(s->fd))
		sf_progress_stop();
	sf_write_all(s->fd, s->out.p, s->out.n);
	s->out.n = 0;
}

void
sf_stream_flush_full(struct sf_stream *s)
{
	if (s->out.n >= FLUSH_AT)
		sf_stream_flush(s);
}

/* ---- the current record ---- */

/* Reads what the program did not, to refuse what others would. */
static void
read_unread(struct sf_stream *s)
{
	const struct sf_records *all = s->tool->records;

	if (all == NULL || s->kind >= SF_K_OTHER)
		return;
	if (!sf_stream_is_read(s) && all->read[s->kind] != NULL)
		all->read[s->kind](s);
	if (s->op != NULL)
		all->stages(s, s->op);
}

/* Checks what the program did not look at of the current record. */
static void
check_rest(struct sf_stream *s)
{
	struct sf_json scan = {
		.p = s->rec.p, .start = s->rec.p, .arena = s->record_arena
	};

	read_unread(s);
	if (s->checked)
		return;
	sf_json_skip(&scan);
	sf_stream_check(s, &scan);
}

/* Where the closing brace of the current record is. */
static size_t
closing_brace(const struct sf_stream *s)
{
	size_t at = s->rec.n - 1;

	while (s->rec.p[at] != '}')
		at--;
	return at;
}

/* Appends the current record to OUT, with what the program added to it. */
static void
put_current(struct sf_stream *s, struct sf_buf *out)
{
	struct sf_jsonw *ext = &s->extension;
	size_t brace;

	if (ext->buf.n == 0) {
		sf_buf_put(out, s->rec.p, s->rec.n + 1);
		return;
	}
	/* Every record has a member, its kind, before the new ones. */
	brace = closing_brace(s);
	sf_buf_put(out, s->rec.p, brace);
	sf_buf_putc(out, ',');
	sf_buf_put(out, ext->buf.p, ext->buf.n);
	sf_buf_put(out, s->rec.p + brace, s->rec.n + 1 - brace);
	ext->buf.n = 0;
	ext->comma = false;
}

void
sf_stream_pass(struct sf_stream *s)
{
	if (!s->pending)
		return;
	check_rest(s);
	s->pending = false;
	if (s->role == SF_STREAM_SINK) {
		/* What was added to the record goes nowhere. */
		s->extension.buf.n = 0;
		s->extension.comma = false;
		return;
	}
	put_current(s, &s->out);
	sf_stream_flush_full(s);
}

void
sf_stream_take(struct sf_stream *s, struct sf_buf *out)
{
	if (!s->pending)
		sf_bug("a record is taken that has been passed on");
	check_rest(s);
	s->pending = false;
	put_current(s, out);
}

void
sf_stream_put_lines(struct sf_stream *s, struct sf_buf lines)
{
	sf_buf_put(&s->out, lines.p, lines.n);
	sf_stream_flush_full(s);
}

void
sf_stream_was_read(struct sf_stream *s, const struct sf_members *members,
    uint64_t seen, bool others)
{
	s->read_by = *members;
	s->seen = seen;
	s->others = others;
}

bool
sf_stream_is_read(const struct sf_stream *s)
{
	return s->read_by.rows != NULL;
}

void
sf_stream_was_op(struct sf_stream *s, const struct sf_op *op)
{
	s->op = op;
}

void
sf_stream_read_part(struct sf_stream *s, struct sf_str text)
{
	/* What finds no room is read again. */
	if (s->nparts < SF_STREAM_PARTS)
		s->parts[s->nparts++] = text.p;
}

bool
sf_stream_part_was_read(const struct sf_stream *s, struct sf_str text)
{
	for (int i = 0; i < s->nparts; i++)
		if (s->parts[i] == text.p)
			return true;
	return false;
}

/* Whether the current record has that member; a look at all keys at worst. */
static bool
has_member(struct sf_stream *s, const char *name)
{
	const struct sf_member *m = s->read_by.rows;
	struct sf_json scan;
	struct sf_str key;

	if (m != NULL) {
		for (uint64_t seen = s->seen; seen != 0; seen >>= 1, m++)
			if ((seen & 1) != 0 && sf_str_is(m->name, name))
				return true;
		if (!s->others ||
		    sf_members_row(&s->read_by, sf_str_of(name), 0) >= 0)
			return false;
	}
	scan = sf_stream_scan(s);
	while (sf_json_member(&scan, &key)) {
		if (sf_str_is(key, name))
			return true;
		sf_json_skip(&scan);
	}
	sf_stream_check(s, &scan);
	return false;
}

struct sf_jsonw *
sf_stream_extend(struct sf_stream *s, const char *name)
{
	if (has_member(s, name)) {
		if (s->kind == SF_K_OP)
			sf_stream_die(s,
			    "op %lld: '%s' is there already, expected an op "
			    "without it",
			    (long long)sf_stream_ops(s), name);
		sf_stream_die(s,
		    "%s: '%s' is there already, expected a record without it",
		    sf_kind_name(s->kind), name);
	}
	sf_jsonw_key(&s->extension, name);
	return &s->extension;
}

/* ---- other records, and text ---- */

struct sf_jsonw *
sf_stream_record(struct sf_stream *s, enum sf_kind kind)
{
	struct sf_jsonw *w = &s->record;

	if (w->buf.n != 0)
		sf_bug("a record is begun inside another");
	if (s->role == SF_STREAM_SOURCE && kind == SF_K_OP)
		sf_stream_count_op(s);
	else if (s->role == SF_STREAM_SOURCE && kind == SF_K_TRACE)
		s->ops = 0;
	sf_jsonw_raw(w, kind_heads[kind]);
	return w;
}

void
sf_stream_put(struct sf_stream *s)
{
	struct sf_jsonw *w = &s->record;

	sf_jsonw_close(w, '}');
	sf_buf_putc(&w->buf, '\n');
	sf_buf_put(&s->out, w->buf.p, w->buf.n);
	w->buf.n = 0;
	w->comma = false;
	sf_stream_flush_full(s);
}

void
sf_stream_note(struct sf_stream *s, const char *format, ...)
{
	struct sf_buf text = { 0 };
	va_list ap;

	va_start(ap, format);
	sf_buf_vprintf(&text, format, ap);
	va_end(ap);
	sf_note_put(s, s->tool->name, (struct sf_str){ text.p, text.n });
	sf_buf_release(&text);
}

void
sf_stream_divert(struct sf_stream *s, int fd)
{
	s->fd = fd;
}

struct sf_buf *
sf_stream_text(struct sf_stream *s)
{
	if (s->role != SF_STREAM_SINK)
		sf_bug("text in a stream of records");
	return &s->out;
}
