/* Memory, for programs. */
#include "base/num.h"
#include "report/footprint-section.h"

static void
fig_known(struct sf_figures *f, const char *key, bool known, int64_t bytes)
{
	if (known)
		sf_fig_int(f, key, bytes, "bytes");
	else
		sf_fig_null(f, key, "bytes");
}

static void
fig_where(struct sf_figures *f, const struct sf_footprint_report *r)
{
	if (!r->known || r->peak.op < 0) {
		sf_fig_null(f, "peak_op", "");
		return;
	}
	sf_fig_open(f, "peak_op", '{');
	sf_fig_int(f, "i", r->peak.op, "");
	sf_fig_str(f, "name", sf_footprint_op_name(r));
	sf_fig_str(f, "node", sf_footprint_op_node(r));
	sf_fig_close(f);
}

/* No device that is too small for it is named by a number that would do. */
static void
fig_fit(
    struct sf_figures *f, const struct sf_footprint_report *r, int64_t memory)
{
	if (memory <= 0)
		return;
	sf_fig_int(f, "memory", memory, "bytes");
	if (r->total < 0) {
		sf_fig_null(f, "fits", "");
		sf_fig_null(f, "devices", "");
		return;
	}
	sf_fig_bool(f, "fits", r->total <= memory);
	sf_fig_int(f, "devices", sf_ceil_div(r->total, memory), "");
}

void
sf_footprint_figures(void *state, struct sf_subject *s, struct sf_figures *f)
{
	const struct sf_footprint_report *r = state;

	if (r == NULL)
		return;
	sf_fig_open(f, "footprint", '{');
	fig_known(f, "weights", r->weights >= 0, r->weights);
	fig_known(f, "kept", r->known, r->peak.kept);
	fig_known(f, "peak", r->known, r->peak.bytes);
	fig_known(f, "cache", r->known, r->peak.cache);
	fig_known(f, "activations", r->known, r->peak.bytes - r->peak.cache);
	fig_where(f, r);
	fig_known(f, "total", r->total >= 0, r->total);
	sf_fig_int(f, "unknown", r->live.unknown, "values");
	fig_fit(f, r, s->footprint.memory);
	sf_fig_close(f);
}
