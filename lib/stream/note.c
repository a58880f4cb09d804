/* The note record. */
#include "stream/note.h"

#include "stream/member.h"

void
sf_note_put(struct sf_stream *stream, const char *tool, struct sf_str text)
{
	struct sf_jsonw *w = sf_stream_record(stream, SF_K_NOTE);

	sf_jsonw_kcstr(w, "tool", tool);
	sf_jsonw_kstr(w, "text", text);
	sf_stream_put(stream);
}

static const struct sf_member rows[] = {
	SF_MEMBER_TEXT("tool", struct sf_note_record, tool, SF_ALWAYS),
	SF_MEMBER_TEXT("text", struct sf_note_record, text, SF_ALWAYS),
};
static const struct sf_members members = SF_MEMBERS("note", rows);

void
sf_note_read(struct sf_stream *stream, struct sf_arena *keep,
    struct sf_note_record *note)
{
	sf_record_read(stream, &members, keep, note);
}
