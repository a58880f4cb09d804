/*
 * Parameters as members of a record: what the rows of config/key.h are in the
 * stream. A number is in its base unit, a word a string, words an array of
 * strings, a flag true or false.
 */
#ifndef SF_TRACE_KEYRECORD_H
#define SF_TRACE_KEYRECORD_H

#include "config/key.h"
#include "stream/member.h"
#include "stream/stream.h"

/* Writes each as a member of the object that is open. */
void
sf_keys_put(struct sf_jsonw *w, const struct sf_keys *keys, const void *in);

/* Writes the value of one of them, which is in the struct IN. */
void sf_key_put(struct sf_jsonw *w, const struct sf_key *key, const void *in);

/*
 * Fills ROWS with how to read each, keys->n of them, as members of a record
 * whose struct holds that of KEYS at AT (stream/member.h). One that has a
 * default may be missing: sf_keys_init gives it before the record is read, so
 * that a record of a time before that parameter is read as it was meant. What
 * the rows need lives in ARENA, and so do texts.
 */
void sf_keys_rows(const struct sf_keys *keys, size_t at, struct sf_arena *arena,
    struct sf_member *rows);

/*
 * The same of the parts of KEYS, whose fields keep sources: each part that has
 * any is an object of objects of `value` and `source`. keys->nparts rows.
 */
void sf_key_parts_put(
    struct sf_jsonw *w, const struct sf_keys *keys, const void *in);
void sf_key_parts_rows(
    const struct sf_keys *keys, struct sf_arena *arena, struct sf_member *rows);

/* Names the files of a configuration, its own first, in the tool record. */
void
sf_config_add_inputs(struct sf_stream *stream, const struct sf_config *config);

#endif
