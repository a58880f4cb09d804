/*
 * A container of a level, as SimPy's: a process takes an amount and is resumed
 * once the level allowed it. At most one process waits at a time. From two that
 * are a pair it takes an amount of each, at one instant.
 */
#ifndef SF_DES_CONTAINER_H
#define SF_DES_CONTAINER_H

#include "des/kernel.h"

struct sf_container {
	struct sf_kernel *kernel;
	int64_t level;
	int64_t wanted;             /* by WAITING */
	struct sf_process *waiting; /* NULL: nobody waits */
	struct sf_container *other; /* of a pair; NULL: it is none */
};

void sf_container_init(
    struct sf_container *container, struct sf_kernel *kernel, int64_t level);

/* PROCESS is resumed once AMOUNT was taken. */
void sf_container_get(
    struct sf_container *container, struct sf_process *process, int64_t amount);

/* Makes two containers a pair, from which sf_container_get_both takes. */
void sf_container_pair(struct sf_container *a, struct sf_container *b);

/* The same, from CONTAINER and from OF_OTHER of the other of its pair. */
void sf_container_get_both(struct sf_container *container,
    struct sf_process *process, int64_t amount, int64_t of_other);

void sf_container_put(struct sf_container *container, int64_t amount);

#endif
