/*
 * A profiler's trace (Kineto, in Chrome's format). It is read twice: kernels,
 * what launched them and modules first, then the calls, of which only those that are
 * open are in memory.
 */
#ifndef SF_DISPATCH_KINETO_H
#define SF_DISPATCH_KINETO_H

#include "base/error.h"
#include "base/table.h"
#include "dispatch/derive.h"
#include "dispatch/launch.h"
#include "dispatch/module.h"
#include "dispatch/names.h"
#include "stream/pieces.h"
#include "stream/stream.h"

struct sf_kineto {
	struct sf_arena *arena;
	struct sf_call_names *names;
	struct sf_derive *derive;
	struct sf_table threads; /* "PID/TID", numbered from 0 */
	struct sf_launches launches;
	struct sf_modules modules;
	int64_t rank, world_size; /* -1: not said */
	struct sf_str device;     /* its name; empty: none was there */
	int64_t events;
	/* Of the second reading. */
	int64_t ops, shapeless;
	int64_t kernels; /* that an operator launched, and their time */
	double kernels_s;
};

void sf_kineto_init(struct sf_kineto *kineto, struct sf_arena *arena,
    struct sf_call_names *names);
void sf_kineto_release(struct sf_kineto *kineto);

/* The first reading: the events, and the members that say where it ran. */
bool sf_kineto_read_events(
    struct sf_kineto *kineto, struct sf_pieces *pieces, struct sf_error *error);
bool sf_kineto_read_ranks(
    struct sf_kineto *kineto, struct sf_pieces *pieces, struct sf_error *error);
bool sf_kineto_read_devices(
    struct sf_kineto *kineto, struct sf_pieces *pieces, struct sf_error *error);

/* The second: writes the operators. Dies at what it cannot read. */
void sf_kineto_write(
    struct sf_kineto *kineto, const char *path, struct sf_stream *stream);

#endif
