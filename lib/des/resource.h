/*
 * A counted resource, as SimPy's: a process asks for one unit, is resumed when
 * it has it, and gives it back.
 *
 * Units are given at the end of an instant, when all requests of that instant
 * are there: first to who asked at an earlier instant, then, of those that
 * asked at one instant, to the one with the lower rank. So the order in which
 * processes happen to run within an instant decides nothing.
 */
#ifndef SF_DES_RESOURCE_H
#define SF_DES_RESOURCE_H

#include "base/die.h"
#include "des/kernel.h"

enum {
	SF_RESOURCE_WAITING = 128
}; /* processes that may wait at once */

struct sf_resource {
	struct sf_at_end at_end; /* first, so that one is the other */
	struct sf_kernel *kernel;
	int64_t available;
	int nwaiting;
	struct sf_request {
		double asked;
		int rank;
		struct sf_process *process;
	} waiting[SF_RESOURCE_WAITING]; /* in the order of service */
};

void sf_resource_init(
    struct sf_resource *resource, struct sf_kernel *kernel, int64_t units);

/* PROCESS is resumed once it has a unit. */
void sf_resource_request(
    struct sf_resource *resource, struct sf_process *process, int rank);

/*
 * Takes a unit now, for a process that shares the resource with nobody and so
 * need not wait for the end of the instant: a unit must be free.
 */
static inline void
sf_resource_take(struct sf_resource *resource)
{
	if (resource->available == 0 || resource->nwaiting != 0)
		sf_bug("a resource of one user is in use");
	resource->available--;
}

void sf_resource_release(struct sf_resource *resource);

#endif
