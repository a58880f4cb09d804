/* The accel record: every parameter of the block, into the stream and back. */
#include <stddef.h>

#include "accel/accel.h"
#include "stream/member.h"
#include "trace/keyrecord.h"

void
sf_accel_put(struct sf_stream *stream, const struct sf_accel *accel)
{
	struct sf_jsonw *w = sf_stream_record(stream, SF_K_ACCEL);

	sf_jsonw_kcstr(w, "preset", accel->preset);
	sf_keys_put(w, &sf_accel_keys, accel);
	sf_key_parts_put(w, &sf_accel_keys, accel);
	if (accel->nabout != 0) {
		sf_jsonw_key(w, "about");
		sf_jsonw_open(w, '[');
		for (int i = 0; i < accel->nabout; i++)
			sf_jsonw_str(w, accel->about[i]);
		sf_jsonw_close(w, ']');
	}
	sf_stream_put(stream);
}

/* The name of the configuration, which no setting changes. */
static const struct sf_key preset_row[] = {
	{ SF_KEY_ROW(sf_accel, preset, TEXT, NONE, "", "the configuration"),
	    SF_KEY_ANY },
};
static const struct sf_keys preset_keys = { .rows = preset_row, .n = 1 };

static const struct sf_member about_text = SF_ELEMENT_TEXT;
static const struct sf_member about_row = SF_MEMBER_ARRAY("about",
    struct sf_accel, about, nabout, SF_OPTIONAL, &about_text, 1, INT64_MAX);

void
sf_accel_read(
    struct sf_stream *stream, struct sf_arena *keep, struct sf_accel *accel)
{
	struct sf_arena *arena = sf_stream_record_arena(stream);
	size_t n = sf_accel_keys.n + preset_keys.n + sf_accel_keys.nparts + 1;
	struct sf_member *rows = sf_arena_calloc(arena, n, sizeof *rows);
	const struct sf_members members = { "accel", rows, (int)n };
	struct sf_error error;

	*accel = (struct sf_accel){ .preset = NULL };
	sf_keys_init(&preset_keys, accel);
	sf_keys_init(&sf_accel_keys, accel);
	sf_keys_rows(&preset_keys, 0, arena, rows);
	sf_keys_rows(&sf_accel_keys, 0, arena, rows + preset_keys.n);
	sf_key_parts_rows(
	    &sf_accel_keys, arena, rows + preset_keys.n + sf_accel_keys.n);
	rows[n - 1] = about_row;
	sf_record_read(stream, &members, keep, accel);
	if (!sf_accel_finish(accel, &error))
		sf_stream_die(stream, "accel: %s", error.text);
}
