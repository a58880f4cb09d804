/* Gaps between computes. */
#include "timeline/waits.h"

#include <math.h>

struct sf_waits
sf_waits_of(const struct sf_timed_tile *tile, double computed)
{
	const struct sf_times *t = &tile->t;
	double ready = fmax(t->dep, computed);

	return (struct sf_waits){ computed, ready, fmax(t->alloc, ready),
		t->comp_start };
}
