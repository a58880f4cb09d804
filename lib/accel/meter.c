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

/* Adds one part of an operator to what it comes to in all. */
static bool
add_part(struct sf_meter *m, const struct sf_nest *nest,
    const struct sf_sums *sums, double computed, double end, int64_t *bytes)
{
	if (!add_counts(m, nest, bytes))
		return false;
	m->computing[nest->where] += sums->compute;
	if (nest->where == SF_ON_TRANSIT) {
		m->transit_loading += sums->loading;
		m->transit_wait += sums->wait_load;
	}
	m->last_compute = computed;
	if (end > m->makespan)
		m->makespan = end;
	return true;
}

/* The sums of a whole operator. */
static void
set_sums(
    struct sf_meter *m, const struct sf_sums *sums, struct sf_op_result *result)
{
	sf_sums_add(&m->sums, sums);
	result->computing = sums->compute;
	result->wait_load = sums->wait_load;
	result->wait_buffer = sums->wait_buffer;
	result->wait_deps = sums->wait_deps;
	result->compute_bound = sums->compute >= sums->load + sums->store;
}

bool
sf_meter_op(struct sf_meter *m, const struct sf_nest *nest,
    const struct sf_sums *sums, double start, double computed, double end,
    struct sf_op_result *result)
{
	if (!add_part(m, nest, sums, computed, end, &result->tiled_bytes))
		return false;
	m->ops++;
	result->start = start;
	result->end = end;
	set_sums(m, sums, result);
	return true;
}

/* The counts of a core are no more than those of all, which fit. */
static void
add_core(struct sf_core_meter *c, const struct sf_nest *nest,
    const struct sf_part_result *part)
{
	c->tiles += nest->tiles;
	c->macs += nest->macs;
	c->read += nest->read;
	c->written += nest->written;
	sf_sums_add(&c->sums, &part->sums);
	c->computing[nest->where] += part->sums.compute;
	if (nest->where == SF_ON_TRANSIT)
		c->transit_loading += part->sums.loading;
	c->last_compute = part->computed;
}

bool
sf_meter_parts(struct sf_meter *m, const struct sf_nest *const *nests,
    const struct sf_part_result *const *parts, struct sf_op_result *result)
{
	struct sf_sums sums = { 0 };
	double computed = 0;
	int64_t bytes;
	bool any = false;

	result->tiled_bytes = 0;
	for (int i = 0; i < m->cores; i++) {
		const struct sf_part_result *part = parts[i];

		if (nests[i] != NULL) {
			if (!add_part(m, nests[i], &part->sums, 0, part->end,
				&bytes) ||
			    !sf_add(result->tiled_bytes, bytes,
				&result->tiled_bytes))
				return false;
			add_core(&m->core[i], nests[i], part);
			sf_sums_add(&sums, &part->sums);
			if (!any || part->start < result->start)
				result->start = part->start;
			if (!any || part->end > result->end)
				result->end = part->end;
			any = true;
		}
		computed += m->core[i].last_compute;
	}
	m->last_compute = computed;
	m->ops++;
	set_sums(m, &sums, result);
	return true;
}
