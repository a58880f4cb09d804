/*
 * A JSON text as long as a file, cut into pieces of which one at a time is in
 * memory: the members of its outermost object, or the elements of an array that
 * is the whole text or the value of such a member. However it is broken into
 * lines: outside of a string a line break is a blank.
 *
 * A piece is found by its brackets and quotes alone, some bytes at a time; who
 * reads it judges the rest. So what is not needed costs little.
 */
#ifndef SF_STREAM_PIECES_H
#define SF_STREAM_PIECES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "stream/input.h"
#include "stream/json.h"

enum {
	SF_PIECE_MOST = 64 << 20 /* bytes; a longer one is refused */
};

struct sf_pieces {
	struct sf_input *input;
	bool cut; /* the error is that the file ends between two pieces */
	struct sf_buf key; /* of the member, with a byte before it */
	char *p;           /* bytes that are there and not looked at */
	size_t n;
	size_t taken;       /* of them are done with */
	struct sf_str text; /* of the piece */
	int64_t line;       /* that P is in */
	int64_t lineno;     /* that the piece begins in */
	char saved;         /* what stood behind the piece */
	size_t saved_at;    /* where, from P; 0: nowhere */
	char open;          /* '{' or '[': the text is one */
	bool entered;       /* an item of the outermost was met */
	bool inside;        /* a member's array is open */
	bool first;         /* ...and none of its elements was met */
};

/*
 * Reads up to the outermost bracket. INPUT stays the caller's. False, with
 * *ERROR filled, file and line first, when there is none.
 */
bool sf_pieces_open(
    struct sf_pieces *pieces, struct sf_input *input, struct sf_error *error);
void sf_pieces_release(struct sf_pieces *pieces);

/*
 * The key of the next member, which lives until the next call and is as it is
 * spelt; its value must be taken by one of the two behind it. False at the end
 * of the object, behind which nothing may stand, or of an error; error->text is
 * empty otherwise.
 */
bool sf_pieces_member(
    struct sf_pieces *pieces, struct sf_str *key, struct sf_error *error);
bool sf_pieces_value(struct sf_pieces *pieces, struct sf_json *scan,
    struct sf_arena *arena, struct sf_error *error);
bool sf_pieces_enter(struct sf_pieces *pieces, struct sf_error *error);

/*
 * Scans the next element of the array that was entered, or that is the whole
 * text; it lives until the next call. False at the array's end, or with *ERROR
 * filled. ARENA is for strings with escapes.
 */
bool sf_pieces_element(struct sf_pieces *pieces, struct sf_json *scan,
    struct sf_arena *arena, struct sf_error *error);

#endif
