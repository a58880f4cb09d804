/* What a run comes to: everything a report prints of it. */
#include "accel/summary.h"

#include <stdio.h>

/* What time was spent on, and what waiting was for; they sum to the makespan. */
enum stall {
	COMPUTE,
	LOAD_BANDWIDTH,
	BUFFER_FULL,
	DEPENDENCY,
	STORE_TAIL,
	NSTALLS
};

static const char *const stall_names[NSTALLS] = {
	[COMPUTE] = "compute",
	[LOAD_BANDWIDTH] = "load_bandwidth",
	[BUFFER_FULL] = "buffer_full",
	[DEPENDENCY] = "dependency",
	[STORE_TAIL] = "store_tail",
};

struct summary {
	struct sf_jsonw *w;
	const struct sf_accel *a;
	const struct sf_meter *m;
	double makespan_s;
	double stalls[NSTALLS]; /* in the unit of the run */
};

/* PART of WHOLE; nothing of nothing is nothing. */
static double
share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static void
put_stalls(const struct summary *s)
{
	sf_jsonw_key(s->w, "stalls_s");
	sf_jsonw_open(s->w, '{');
	for (int i = 0; i < NSTALLS; i++)
		sf_jsonw_kdouble(
		    s->w, stall_names[i], s->stalls[i] * s->a->second);
	sf_jsonw_close(s->w, '}');
}

static void
put_busy(const struct summary *s)
{
	const struct sf_meter *m = s->m;
	double loads = m->sums.loading, stores = m->sums.store;
	/* A load that waits for the one channel does not keep it busy. */
	double moving = m->sums.load + stores;
	const struct {
		const char *name;
		double time;
	} rows[] = {
		{ "dram", moving / (double)s->a->dram_channels },
		{ "noc_read", loads },
		{ "noc_write", stores },
		{ "load_dma", loads },
		{ "store_dma", stores },
		{ "array", m->computing[SF_ON_ARRAY] },
		{ "vector", m->computing[SF_ON_VECTOR] },
		{ "transit", m->transit_loading },
	};

	sf_jsonw_key(s->w, "busy");
	sf_jsonw_open(s->w, '{');
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		sf_jsonw_kdouble(
		    s->w, rows[i].name, share(rows[i].time, m->makespan));
	sf_jsonw_close(s->w, '}');
}

static void
put_traffic(const struct summary *s)
{
	double rd = (double)s->m->read, wr = (double)s->m->written;
	double noc = s->a->noc_bw * s->makespan_s;

	sf_jsonw_key(s->w, "bandwidth_used");
	sf_jsonw_open(s->w, '{');
	sf_jsonw_kdouble(
	    s->w, "dram", share(rd + wr, s->a->dram_bw * s->makespan_s));
	sf_jsonw_kdouble(s->w, "noc_read", share(rd, noc));
	sf_jsonw_kdouble(s->w, "noc_write", share(wr, noc));
	sf_jsonw_close(s->w, '}');
	sf_jsonw_key(s->w, "bytes");
	sf_jsonw_open(s->w, '{');
	sf_jsonw_kint(s->w, "read", s->m->read);
	sf_jsonw_kint(s->w, "written", s->m->written);
	sf_jsonw_close(s->w, '}');
}

static void
put_buffer(const struct summary *s)
{
	double bytes = (double)s->a->buffer_bytes;
	double array_s = s->m->computing[SF_ON_ARRAY] * s->a->second;

	sf_jsonw_kdouble(s->w, "pe_efficiency",
	    share((double)s->m->macs, s->a->peak_macs * array_s));
	sf_jsonw_key(s->w, "buffer");
	sf_jsonw_open(s->w, '{');
	sf_jsonw_kdouble(
	    s->w, "mean", share(s->m->sums.area, s->m->makespan) / bytes);
	sf_jsonw_kdouble(s->w, "peak", (double)s->m->peak / bytes);
	sf_jsonw_close(s->w, '}');
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

static void
put_hotspot(const struct summary *s)
{
	enum stall worst = LOAD_BANDWIDTH;
	struct blame blame;
	char why[200];

	for (int i = LOAD_BANDWIDTH; i < NSTALLS; i++)
		if (s->stalls[i] > s->stalls[worst])
			worst = (enum stall)i;
	if (s->stalls[COMPUTE] >= s->stalls[worst])
		worst = COMPUTE;
	blame = blame_for(s, worst);
	snprintf(why, sizeof why, "%s %.1f%% of the makespan", blame.why,
	    100 * share(s->stalls[worst], s->m->makespan));
	if (s->m->tiles == 0) {
		blame.unit = "none";
		snprintf(why, sizeof why, "no operator has tiles");
	}
	sf_jsonw_kcstr(s->w, "hotspot", blame.unit);
	sf_jsonw_kcstr(s->w, "why", why);
}

static void
put_cost(struct sf_jsonw *w, const struct sf_engine_cost *cost)
{
	sf_jsonw_key(w, "cost");
	sf_jsonw_open(w, '{');
	if (cost->events >= 0)
		sf_jsonw_kint(w, "events", cost->events);
	if (cost->cycles >= 0)
		sf_jsonw_kint(w, "cycles", cost->cycles);
	if (cost->evaluations >= 0)
		sf_jsonw_kint(w, "evaluations", cost->evaluations);
	sf_jsonw_close(w, '}');
}

void
sf_summary_put(struct sf_stream *stream, const char *engine,
    const struct sf_accel *accel, const struct sf_meter *meter,
    const struct sf_engine_cost *cost)
{
	struct summary s = { .w = sf_stream_record(stream, SF_K_SUMMARY),
		.a = accel,
		.m = meter,
		.makespan_s = meter->makespan * accel->second,
		.stalls = {
		    [COMPUTE] = meter->sums.compute,
		    [LOAD_BANDWIDTH] = meter->sums.wait_load,
		    [BUFFER_FULL] = meter->sums.wait_buffer,
		    [DEPENDENCY] = meter->sums.wait_deps,
		    [STORE_TAIL] = meter->makespan - meter->last_compute,
		} };

	sf_jsonw_kcstr(s.w, "engine", engine);
	sf_jsonw_kint(s.w, "tiles", meter->tiles);
	sf_jsonw_kint(s.w, "ops", meter->ops);
	sf_jsonw_kint(s.w, "macs", meter->macs);
	sf_jsonw_kdouble(s.w, "makespan_s", s.makespan_s);
	put_stalls(&s);
	put_busy(&s);
	put_traffic(&s);
	put_buffer(&s);
	put_hotspot(&s);
	put_cost(s.w, cost);
	sf_stream_put(stream);
}
