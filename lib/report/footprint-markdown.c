/* Memory, for people. */
#include "base/num.h"
#include "report/footprint-section.h"
#include "text/human.h"
#include "text/markdown.h"

static void
put_bytes(struct sf_grid *grid, const char *label, bool known, int64_t bytes)
{
	sf_grid_label(grid, label);
	if (!known) {
		sf_grid_label(grid, "not known");
		sf_grid_label(grid, "");
		return;
	}
	sf_grid_int(grid, bytes);
	sf_human_scaled_int(sf_grid_cell(grid), bytes, sf_scale_bytes(bytes));
}

static void
put_where(struct sf_buf *out, const struct sf_footprint_report *r)
{
	struct sf_str node;

	if (r->peak.op < 0)
		return;
	node = sf_footprint_op_node(r);
	SF_BUF_LIT(out, "The peak is at operator ");
	sf_human_int(out, r->peak.op);
	SF_BUF_LIT(out, ", ");
	sf_md_text(out, sf_footprint_op_name(r));
	if (node.n != 0) {
		SF_BUF_LIT(out, " (");
		sf_md_text(out, node);
		sf_buf_putc(out, ')');
	}
	SF_BUF_LIT(out, ".\n");
}

static void
put_fit(struct sf_buf *out, const struct sf_footprint_report *r, int64_t memory)
{
	int64_t devices;

	if (memory <= 0 || r->total < 0)
		return;
	if (r->total <= memory) {
		SF_BUF_LIT(out, "It fits, ");
		sf_human_percent(out, r->total, memory);
		SF_BUF_LIT(out, " of the memory.\n");
		return;
	}
	devices = sf_ceil_div(r->total, memory);
	SF_BUF_LIT(out, "**It does not fit**: it needs the memory of ");
	sf_human_int(out, devices);
	SF_BUF_LIT(out, " such devices at least.\n");
}

void
sf_footprint_markdown(void *state, struct sf_subject *s, struct sf_buf *out)
{
	const struct sf_footprint_report *r = state;
	struct sf_grid grid;

	if (r == NULL)
		return;
	SF_BUF_LIT(out, "## Memory\n\n");
	sf_grid_init(&grid, "lrr");
	sf_grid_label(&grid, "Figure");
	sf_grid_label(&grid, "Bytes");
	sf_grid_label(&grid, "Rounded");
	put_bytes(&grid, "Weights", r->weights >= 0, r->weights);
	put_bytes(&grid, "Live beside them, at most", r->known, r->peak.bytes);
	if (r->peak.cache != 0) {
		put_bytes(&grid, "Of it KV cache", r->known, r->peak.cache);
		put_bytes(&grid, "Of it activations", r->known,
		    r->peak.bytes - r->peak.cache);
	}
	put_bytes(&grid, "Of it kept to the end", r->known, r->peak.kept);
	put_bytes(&grid, "Total", r->total >= 0, r->total);
	if (s->footprint.memory > 0)
		put_bytes(&grid, "The device has", true, s->footprint.memory);
	sf_grid_finish(&grid, out);
	if (r->known)
		put_where(out, r);
	if (r->live.unknown != 0) {
		sf_human_int(out, r->live.unknown);
		SF_BUF_LIT(out, " values have no size that is known.\n");
	}
	put_fit(out, r, s->footprint.memory);
	sf_buf_putc(out, '\n');
}
