/*
 * A file as bytes in memory: mapped, so that what is not looked at stays on the
 * disk, or all of standard input.
 */
#ifndef SF_BASE_MAP_H
#define SF_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

struct sf_map {
	const void *bytes; /* not NULL, even of an empty file */
	size_t len;
	void *mapped;       /* NULL: they are in READ, or there are none */
	struct sf_buf read; /* what came through a pipe */
};

/*
 * Maps the file PATH, or reads standard input for "-". False with a reason when
 * it cannot: *IO says whether the system did not let us, or it is no file.
 */
bool sf_map_open(
    struct sf_map *map, const char *path, struct sf_error *error, bool *io);
void sf_map_close(struct sf_map *map);

/*
 * For a program: a mapped file that becomes shorter while it is read is one line
 * and SF_EX_IO, and not SIGBUS.
 */
void sf_map_guard(void);

#endif
