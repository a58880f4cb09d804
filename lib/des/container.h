/*
 * A container of a level, as SimPy's: a process takes an amount and is resumed
 * once the level allowed it. At most one process waits at a time.
 */
#ifndef SF_DES_CONTAINER_H
#define SF_DES_CONTAINER_H

#include "des/kernel.h"

struct sf_container {
	struct sf_kernel *kernel;
	int64_t level;
	int64_t wanted;             /* by WAITING */
	struct sf_process *waiting; /* NULL: nobody waits */
};

void sf_container_init(
    struct sf_container *container, struct sf_kernel *kernel, int64_t level);

/* PROCESS is resumed once AMOUNT was taken. */
void sf_container_get(
    struct sf_container *container, struct sf_process *process, int64_t amount);

void sf_container_put(struct sf_container *container, int64_t amount);

#endif
