/*
 * Records of one size in order, however many there are: what passes a stated
 * amount of memory is sorted in pieces that go to a temporary file, which has
 * no name and is gone with the process. It lies in TMPDIR, or in /tmp.
 *
 * What the system says of a failure ends the program with SF_EX_IO.
 */
#ifndef SF_BASE_SORTED_H
#define SF_BASE_SORTED_H

#include <stddef.h>

struct sf_sorted;

/*
 * COMPARE as for qsort, 0 only for records that are the same in all, so that
 * the order is one. MOST: bytes of records that are kept in memory.
 */
struct sf_sorted *sf_sorted_new(
    size_t record, size_t most, int (*compare)(const void *, const void *));
void sf_sorted_free(struct sf_sorted *sorted);

void sf_sorted_add(struct sf_sorted *sorted, const void *record);

/* All are there: from now on they are read. */
void sf_sorted_finish(struct sf_sorted *sorted);

size_t sf_sorted_count(const struct sf_sorted *sorted);

/* How many come before LEAST, which need not be there: where what does not begins. */
size_t sf_sorted_first(struct sf_sorted *sorted, const void *least);

/* Copies record I, 0 being the least. */
void sf_sorted_get(struct sf_sorted *sorted, size_t i, void *record);

#endif
