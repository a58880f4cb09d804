/*
 * An exported program: the JSON of its graph and what stands beside it in the
 * file, taken apart as far as every reader of it needs. Texts are slices of
 * the JSON, see export/part.h.
 */
#ifndef SF_EXPORT_PROGRAM_H
#define SF_EXPORT_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "base/str.h"
#include "base/table.h"
#include "export/archive.h"

/* One program of a file. */
struct sf_export_program {
	struct sf_str name; /* "model", unless the writer chose another */
	struct sf_str
	    member; /* what it was read from; empty: the file itself */
	struct sf_str graph, signature, ranges;
	int64_t major, minor; /* of the schema; minor is -1 where it has none */
	struct sf_str torch_version; /* empty where the file does not say */
	uint32_t crc32;              /* of the texts that were read */
	/*
	 * The stored weights by their names, to struct sf_export_payload; empty
	 * where the file does not say how they are stored.
	 */
	struct sf_table payloads;
};

/* What is stored of a parameter, a buffer or a constant. */
struct sf_export_payload {
	struct sf_str path;
	int64_t bytes; /* of all that is stored there */
	int64_t offset;
};

/* A file with its programs. */
struct sf_export_file {
	struct sf_map map;
	struct sf_archive *archive; /* NULL: it is JSON */
	struct sf_str *members;     /* what each program is in */
	int n;                      /* at least 1 */
};

/*
 * Opens PATH, "-" being standard input, and finds the programs in it. False
 * with a reason; *IO says whether the system did not let us.
 */
bool sf_export_open(struct sf_export_file *file, const char *path,
    struct sf_arena *arena, struct sf_error *error, bool *io);
void sf_export_close(struct sf_export_file *file);

/* Reads program I of the file; false with a reason. */
bool sf_export_read(struct sf_export_file *file, int i,
    struct sf_export_program *program, struct sf_arena *arena,
    struct sf_error *error);
void sf_export_release(struct sf_export_program *program);

#endif
