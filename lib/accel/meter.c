/* Adding operators up. */
#include "accel/meter.h"

#include "base/num.h"

static bool
add_counts(struct sf_meter *m, const struct sf_nest *nest, int64_t *bytes)
{
	return sf_add(m->tiles, nest->tiles, &m->tiles) &&
	    sf_add(m->macs, nest->macs, &m->macs) &&
	    sf_add(m->read, nest->read, &m->read) &&
	    sf_add(m->written, nest->written, &m->written) &&
	    sf_energy_use_add(&m->use, &nest->use, 1) &&
	    sf_add(nest->read, nest->written, bytes);
}

void
sf_sums_add(struct sf_sums *to, const struct sf_sums *sums)
{
	to->load += sums->load;
	to->compute += sums->compute;
	to->store += sums->store;
	to->loading += sums->loading;
	to->wait_load += sums->wait_load;
	to->wait_buffer += sums->wait_buffer;
	to->wait_deps += sums->wait_deps;
	to->area += sums->area;
}

bool
sf_meter_op(struct sf_meter *m, const struct sf_nest *nest,
    const struct sf_sums *sums, double start, double computed, double end,
    struct sf_op_result *result)
{
	if (!add_counts(m, nest, &result->tiled_bytes))
		return false;
	m->ops++;
	sf_sums_add(&m->sums, sums);
	m->computing[nest->where] += sums->compute;
	if (nest->where == SF_ON_TRANSIT) {
		m->transit_loading += sums->loading;
		m->transit_wait += sums->wait_load;
	}
	m->last_compute = computed;
	if (end > m->makespan)
		m->makespan = end;
	result->start = start;
	result->end = end;
	result->computing = sums->compute;
	result->wait_load = sums->wait_load;
	result->wait_buffer = sums->wait_buffer;
	result->wait_deps = sums->wait_deps;
	result->compute_bound = sums->compute >= sums->load + sums->store;
	return true;
}
