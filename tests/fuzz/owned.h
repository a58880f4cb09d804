/* What a run has allocated and not yet freed, where a sanitizer says so. */
#ifndef SF_TESTS_FUZZ_OWNED_H
#define SF_TESTS_FUZZ_OWNED_H

#include <stdbool.h>
#include <stddef.h>

/* From here on what is allocated is the run's. */
void owned_begin(void);

/* Up to here; ABANDONED frees all of it. */
void owned_end(bool abandoned);

/* realloc of what is not the run's. */
void *owned_never(void *old, size_t size);

#endif
