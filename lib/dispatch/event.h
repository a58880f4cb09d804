/* One event of a Chrome trace, as PyTorch's profiler writes it. */
#ifndef SF_DISPATCH_EVENT_H
#define SF_DISPATCH_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "stream/json.h"

enum sf_event_sort {
	SF_EVENT_OTHER, /* a mark, a flow, a name, another function of Python's */
	SF_EVENT_CALL, /* on the host: of the dispatcher, autograd, a region */
	SF_EVENT_LAUNCH, /* of the device's runtime */
	SF_EVENT_KERNEL, /* on the device: a kernel, a copy, a fill */
	SF_EVENT_MODULE, /* of Python, one of its modules; NAME is that */
};

enum {
	SF_EVENT_CALLS = 1 << SF_EVENT_CALL,
	SF_EVENT_MODULES = 1 << SF_EVENT_MODULE,
	SF_EVENT_DEVICE = 1 << SF_EVENT_LAUNCH | 1 << SF_EVENT_KERNEL,
};

/* Texts lie in the event. */
struct sf_event {
	enum sf_event_sort sort;
	struct sf_str name;
	struct sf_str pid, tid; /* as they are spelt */
	double start_us, dur_us;
	struct sf_str args; /* the text of an object; empty */
};

/*
 * Reads the event that SCAN is at; true when it is of a sort in the set WANTED,
 * else the rest is not looked at. False and scan->error is set when it is not
 * what an event must be.
 */
bool
sf_event_read(struct sf_json *scan, unsigned wanted, struct sf_event *event);

/* The correlation in an event's args, -1 when there is none. */
int64_t
sf_event_correlation(const struct sf_event *event, struct sf_arena *arena);

#endif
