/*
 * Which module ran when, as a profile with stacks has it: "nn.Module: Linear_0"
 * from one time to another on a thread. A module is told by the classes of those
 * that it ran in, outermost first, "Net_0.Block_1.Linear_0", since the names
 * that the model has for them are not there. Of what ran, at most
 * SF_MODULE_MEMORY bytes are in memory; the rest is in a temporary file.
 */
#ifndef SF_DISPATCH_MODULE_H
#define SF_DISPATCH_MODULE_H

#include "base/buf.h"
#include "base/sorted.h"
#include "base/table.h"

enum {
	SF_MODULE_MEMORY = 4 << 20,
	/* Bytes of a module's name; what is inside of one so long is in it. */
	SF_MODULE_NAME = 4096
};

struct sf_modules {
	struct sf_sorted *v;     /* by thread, then by time */
	struct sf_table classes; /* "Linear_0", numbered from 1 */
	int64_t seen;
};

/* Those that run on one thread at the time that was last asked for. */
struct sf_module_stack {
	size_t next, end;   /* in the ranges */
	struct sf_buf open; /* of those that run, outermost first */
	struct sf_buf
	    name;        /* of the innermost, which begins with the others' */
	int64_t changes; /* how often it became another */
};

void sf_modules_init(struct sf_modules *modules, struct sf_arena *arena);
void sf_modules_release(struct sf_modules *modules);

/* One that ran; NAME is its class and number. */
void sf_modules_add(struct sf_modules *modules, int64_t thread,
    struct sf_str name, int64_t start_ns, int64_t end_ns);

/* When all are there. */
void sf_modules_finish(struct sf_modules *modules);

/* Those of a thread, before the first of them. */
void sf_module_stack_init(struct sf_module_stack *stack,
    const struct sf_modules *modules, int64_t thread);
void sf_module_stack_release(struct sf_module_stack *stack);

/*
 * The name of the innermost that runs at that time, which is not before the one
 * asked for last; empty when none does. It holds until it is asked for again.
 */
struct sf_str sf_module_stack_at(struct sf_module_stack *stack,
    const struct sf_modules *modules, int64_t start_ns);

#endif
