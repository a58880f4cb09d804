/*
 * A zip archive as PyTorch writes them: members are found by name and read
 * only when they are asked for, so what they weigh costs nothing.
 */
#ifndef SF_EXPORT_ARCHIVE_H
#define SF_EXPORT_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

struct sf_archive;

/* True when the bytes begin as an archive does. */
bool sf_archive_is(const void *bytes, size_t len);

/* BYTES must live as long as the archive. NULL, with a reason: it is none. */
struct sf_archive *sf_archive_open(const void *bytes, size_t len,
    struct sf_arena *arena, struct sf_error *error);
void sf_archive_close(struct sf_archive *archive);

int64_t sf_archive_count(const struct sf_archive *archive);

/* Without the directory that all members are in, if there is such a one. */
struct sf_str sf_archive_name(const struct sf_archive *archive, int64_t i);

/* The member of that name, -1: there is none. */
int64_t sf_archive_find(const struct sf_archive *archive, struct sf_str name);

/* Its bytes when they are unpacked, as the archive states them. */
int64_t sf_archive_size(const struct sf_archive *archive, int64_t i);

/*
 * Reads member I as the text of a JSON value, with what stream/json.h wants
 * around it; it lives in ARENA. False when it is damaged, of a kind that is
 * not read, or far larger than what it was packed into.
 */
bool sf_archive_read(struct sf_archive *archive, int64_t i,
    struct sf_arena *arena, struct sf_str *text, struct sf_error *error);

#endif
