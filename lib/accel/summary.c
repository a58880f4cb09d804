/* What a run comes to: everything a report prints of it. */
#include "accel/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accel/summary_record.h"

/*
 * What time was spent on, and what waiting was for; they sum to the makespan.
 * In the order of the summary.
 */
enum stall {
	COMPUTE,
	LOAD_BANDWIDTH,
	BUFFER_FULL,
	DEPENDENCY,
	STORE_TAIL,
	NSTALLS
};

struct summary {
	struct sf_summary *to;
	const struct sf_accel *a;
	const struct sf_meter *m;
	double makespan_s;
	double cores;           /* how many, as a double */
	double stalls[NSTALLS]; /* in the unit of the run */
};

/* PART of WHOLE; nothing of nothing is nothing. */
static double
share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static void
set_int(const struct summary *s, enum sf_summary_id id, int64_t x)
{
	s->to->v[id].i = x;
}

static void
set_double(const struct summary *s, enum sf_summary_id id, double x)
{
	s->to->v[id].d = x;
}

static void
set_stalls(const struct summary *s)
{
	for (int i = 0; i < NSTALLS; i++)
		set_double(s, (enum sf_summary_id)(SF_SUM_STALL_COMPUTE + i),
		    s->stalls[i] * s->a->second);
}

static void
set_busy(const struct summary *s)
{
	const struct sf_meter *m = s->m;
	double loads = m->sums.loading, stores = m->sums.store;
	/* A load that waits for the one channel does not keep it busy. */
	double moving = m->sums.load + stores;
	const struct {
		enum sf_summary_id id;
		double time;
	} rows[] = {
		{ SF_SUM_BUSY_DRAM, moving / (double)s->a->servers },
		{ SF_SUM_BUSY_NOC_READ, loads / s->cores },
		{ SF_SUM_BUSY_NOC_WRITE, stores / s->cores },
		{ SF_SUM_BUSY_LOAD_DMA, loads / s->cores },
		{ SF_SUM_BUSY_STORE_DMA, stores / s->cores },
		{ SF_SUM_BUSY_ARRAY, m->computing[SF_ON_ARRAY] / s->cores },
		{ SF_SUM_BUSY_VECTOR, m->computing[SF_ON_VECTOR] / s->cores },
		{ SF_SUM_BUSY_TRANSIT, m->transit_loading / s->cores },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		set_double(s, rows[i].id, share(rows[i].time, m->makespan));
}

static void
set_traffic(const struct summary *s)
{
	double rd = (double)s->m->read, wr = (double)s->m->written;
	double noc = s->a->noc_bw * s->makespan_s * s->cores;

	set_double(
	    s, SF_SUM_USED_DRAM, share(rd + wr, s->a->dram_bw * s->makespan_s));
	set_double(s, SF_SUM_USED_NOC_READ, share(rd, noc));
	set_double(s, SF_SUM_USED_NOC_WRITE, share(wr, noc));
	set_int(s, SF_SUM_READ, s->m->read);
	set_int(s, SF_SUM_WRITTEN, s->m->written);
}

static void
set_buffer(const struct summary *s)
{
	double bytes = (double)s->a->buffer_bytes;
	double array_s = s->m->computing[SF_ON_ARRAY] * s->a->second / s->cores;

	set_double(s, SF_SUM_PE_EFFICIENCY,
	    share((double)s->m->macs, s->a->peak_macs * array_s));
	set_double(s, SF_SUM_BUFFER_MEAN,
	    share(s->m->sums.area / s->cores, s->m->makespan) / bytes);
	set_double(s, SF_SUM_BUFFER_PEAK, (double)s->m->peak / bytes);
	if (s->a->acc_bytes == 0)
		set_int(s, SF_SUM_ACC_PEAK, -1);
	else
		set_double(s, SF_SUM_ACC_PEAK,
		    (double)s->m->acc_peak / (double)s->a->acc_bytes);
}

/* X from 0 on is there, and else is not. */
static void
set_known(const struct summary *s, enum sf_summary_id id, double x)
{
	s->to->v[id].i = x < 0 ? -1 : 0;
	s->to->v[id].d = x;
}

static void
set_energy(const struct summary *s)
{
	struct sf_joules j = sf_energy_joules(s->a, &s->m->use,
	    (double)s->m->read + (double)s->m->written, s->makespan_s);
	struct sf_square_mm mm2 = sf_area_of(s->a);

	s->to->v[SF_SUM_ENERGY_BASIS].s = SF_STR("not calibrated");
	set_known(
	    s, SF_SUM_ENERGY_BASIS, j.total >= mm2.total ? j.total : mm2.total);
	set_known(s, SF_SUM_ENERGY_MAC, j.mac);
	set_known(s, SF_SUM_ENERGY_BUFFER, j.buffer);
	set_known(s, SF_SUM_ENERGY_ACCUMULATOR, j.accumulator);
	set_known(s, SF_SUM_ENERGY_DRAM, j.dram);
	set_known(s, SF_SUM_ENERGY_STATIC, j.fixed);
	set_known(s, SF_SUM_ENERGY_TOTAL, j.total);
	set_known(s, SF_SUM_AVERAGE_W,
	    j.total < 0 ? j.total : share(j.total, s->makespan_s));
	set_known(s, SF_SUM_AREA_ARRAY, mm2.array);
	set_known(s, SF_SUM_AREA_BUFFER, mm2.buffer);
	set_known(s, SF_SUM_AREA_ACCUMULATOR, mm2.accumulator);
	set_known(s, SF_SUM_AREA_TOTAL, mm2.total);
}

/* ---- the hot spot ---- */

/* A unit to blame, and the sentence that ends with the share. */
struct blame {
	const char *unit, *why;
};

static struct blame
blame_compute(const struct summary *s)
{
	if (s->m->computing[SF_ON_VECTOR] > s->m->computing[SF_ON_ARRAY])
		return (struct blame){ "vector unit",
			"computing, most of it on the vector unit, takes" };
	return (struct blame){ "compute array",
		"computing, most of it on the array, takes" };
}

static struct blame
blame_load(const struct summary *s)
{
	if (s->m->transit_wait > s->m->sums.wait_load / 2)
		return (struct blame){ "in-transit stage",
			"waiting for loads, most of them of tiles computed in "
			"transit, takes" };
	if (s->a->channel_bw <= s->a->noc_bw)
		return (struct blame){ "off-chip memory",
			"waiting for loads, which a memory channel paces, "
			"takes" };
	return (struct blame){ "NoC read",
		"waiting for loads, which the NoC's read network paces, "
		"takes" };
}

static struct blame
blame_for(const struct summary *s, enum stall stall)
{
	switch (stall) {
	case COMPUTE:
		return blame_compute(s);
	case LOAD_BANDWIDTH:
		return blame_load(s);
	case BUFFER_FULL:
		return (struct blame){ "buffer",
			"waiting for room in the buffer takes" };
	case DEPENDENCY:
		return (struct blame){ "operator boundaries",
			"waiting for earlier operators to be stored takes" };
	case STORE_TAIL:
	case NSTALLS:
		break;
	}
	return (struct blame){ "store path",
		"storing after the last computation takes" };
}

/* What to blame, and of what share of the time. */
static void
set_hotspot(const struct summary *s, char *why)
{
	enum stall worst = LOAD_BANDWIDTH;
	struct blame blame;

	for (int i = LOAD_BANDWIDTH; i < NSTALLS; i++)
		if (s->stalls[i] > s->stalls[worst])
			worst = (enum stall)i;
	if (s->stalls[COMPUTE] >= s->stalls[worst])
		worst = COMPUTE;
	blame = blame_for(s, worst);
	if (s->m->tiles == 0)
		blame.unit = "none";
	s->to->v[SF_SUM_HOTSPOT].s = sf_str_of(blame.unit);
	if (why == NULL)
		return;
	if (s->m->tiles == 0)
		snprintf(why, SF_SUMMARY_WHY, "no operator has tiles");
	else
		snprintf(why, SF_SUMMARY_WHY, "%s %.1f%% of the makespan",
		    blame.why, 100 * share(s->stalls[worst], s->m->makespan));
	s->to->v[SF_SUM_WHY].s = sf_str_of(why);
}

/* Each core, as if it were all there is, but for the whole's makespan. */
static void
fill_cores(struct sf_summary *summary, const struct sf_accel *accel,
    const struct sf_meter *meter)
{
	struct sf_accel one = *accel;

	one.cores = 1;
	one.peak_macs /= (double)accel->cores;
	summary->ncores = (int)accel->cores;
	for (int i = 0; i < summary->ncores; i++) {
		const struct sf_core_meter *c = &meter->core[i];
		struct sf_meter *m = sf_calloc(1, sizeof *m);
		struct sf_summary part = { .ncores = 0 };

		m->tiles = c->tiles;
		m->macs = c->macs;
		m->read = c->read;
		m->written = c->written;
		m->sums = c->sums;
		memcpy(m->computing, c->computing, sizeof m->computing);
		m->transit_loading = c->transit_loading;
		m->last_compute = c->last_compute;
		m->makespan = meter->makespan;
		m->peak = c->peak;
		m->acc_peak = c->acc_peak;
		sf_summary_fill(&part, &one, m, NULL);
		memcpy(summary->cores[i].v, part.v, sizeof part.v);
		free(m);
	}
}

void
sf_summary_fill(struct sf_summary *summary, const struct sf_accel *accel,
    const struct sf_meter *meter, char *why)
{
	double cores = accel->cores > 1 ? (double)accel->cores : 1;
	struct summary s = { .to = summary,
		.cores = cores,
		.a = accel,
		.m = meter,
		.makespan_s = meter->makespan * accel->second,
		.stalls = {
		    [COMPUTE] = meter->sums.compute / cores,
		    [LOAD_BANDWIDTH] = meter->sums.wait_load / cores,
		    [BUFFER_FULL] = meter->sums.wait_buffer / cores,
		    [DEPENDENCY] = meter->sums.wait_deps / cores,
		    [STORE_TAIL] =
			meter->makespan - meter->last_compute / cores,
		} };

	set_int(&s, SF_SUM_TILES, meter->tiles);
	set_int(&s, SF_SUM_OPS, meter->ops);
	set_int(&s, SF_SUM_MACS, meter->macs);
	set_double(&s, SF_SUM_MAKESPAN, s.makespan_s);
	set_stalls(&s);
	set_busy(&s);
	set_traffic(&s);
	set_buffer(&s);
	set_energy(&s);
	set_hotspot(&s, why);
	if (summary->cores != NULL)
		fill_cores(summary, accel, meter);
}

void
sf_summary_put(struct sf_stream *stream, const char *engine,
    const struct sf_accel *accel, const struct sf_meter *meter,
    const struct sf_engine_cost *cost)
{
	struct sf_summary summary = { 0 };
	char why[SF_SUMMARY_WHY];

	if (accel->cores > 1)
		summary.cores = sf_arena_calloc(sf_stream_record_arena(stream),
		    (size_t)accel->cores, sizeof *summary.cores);
	sf_summary_fill(&summary, accel, meter, why);
	summary.v[SF_SUM_ENGINE].s = sf_str_of(engine);
	summary.v[SF_SUM_EVENTS].i = cost->events;
	summary.v[SF_SUM_CYCLES].i = cost->cycles;
	summary.v[SF_SUM_EVALUATIONS].i = cost->evaluations;
	sf_summary_write(stream, &summary);
}
