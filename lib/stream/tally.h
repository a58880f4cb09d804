/*
 * What the records of a trace add up to, as they are read: one record says of
 * others how many there are, and what they come to. Whoever reads a record adds
 * it the first time; the end of the trace holds all against each other, as far
 * as the program read them. A program with `records` in its tool reads all.
 */
#ifndef SF_STREAM_TALLY_H
#define SF_STREAM_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/stream.h"

/* The operators of a partition. */
struct sf_tally_sides {
	int64_t claimed, subgraphs, crossings, crossing_bytes;
};

struct sf_tally {
	int64_t records[SF_K_OTHER]; /* by kind, read or not */
	int64_t ops; /* that were read, and of them those that have... */
	int64_t counted, costed, timed, sided;
	/* Sums over those that are counted. */
	int64_t flops, macs, bytes, weight_bytes;
	int64_t tiled_bytes; /* of the simulated that were read */
	int64_t summary_ops; /* as the summary says; -1: none was read */
	int64_t sides_read;  /* operators of which the side was read */
	struct sf_tally_sides sides, partition; /* found; and as it says */
	bool partition_read;
};

struct sf_place;

struct sf_tally *sf_stream_tally(struct sf_stream *stream);

/* A trace begins: all is 0. */
void sf_tally_begin(struct sf_tally *tally);

/* A record of that kind: dies where a trace has one, and it is the second. */
void sf_tally_record(struct sf_stream *stream, enum sf_kind kind);

/* Dies when SUM and MORE, counts of WHAT, pass 2^63 - 1 at PLACE. */
void sf_tally_sum(struct sf_stream *stream, const struct sf_place *place,
    const char *what, int64_t *sum, int64_t more);

/* The trace's end, behind OPS operators: dies when records disagree. */
void sf_tally_end(struct sf_stream *stream, int64_t ops);

#endif
