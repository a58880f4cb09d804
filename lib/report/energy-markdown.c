/* Energy and area, for people: products of a count and a coefficient. */
#include "report/energy-markdown.h"

#include "accel/energy.h"
#include "text/markdown.h"

static const char *const calibrated =
    "Not calibrated: sums of counts times the coefficients below, which are "
    "those of their sources and not of this accelerator. They rank designs "
    "better than they say what one draws.\n\n";

static bool
is_there(const struct sf_summary *summary, enum sf_summary_id id)
{
	return summary->v[id].i >= 0;
}

/* Rows FIRST to LAST, the last of them being their sum. */
static void
put_parts(struct sf_buf *out, const struct sf_summary *summary,
    enum sf_summary_id first, enum sf_summary_id last, const char *unit)
{
	double total = summary->v[last].d;
	struct sf_grid grid;

	sf_grid_init(&grid, "lrr");
	sf_grid_label(&grid, "Component");
	sf_grid_label(&grid, unit);
	sf_grid_label(&grid, "Share");
	for (int i = first; i <= (int)last; i++) {
		sf_grid_label(&grid, sf_summary_rows[i].name);
		if (!is_there(summary, (enum sf_summary_id)i)) {
			sf_grid_label(&grid, "not given");
			sf_grid_label(&grid, "-");
			continue;
		}
		sf_buf_printf(sf_grid_cell(&grid), "%.4g", summary->v[i].d);
		if (total > 0)
			sf_grid_share(&grid, summary->v[i].d / total);
		else
			sf_grid_label(&grid, "-");
	}
	sf_grid_finish(&grid, out);
}

static void
put_coefficients(struct sf_grid *grid, const char *part,
    const struct sf_keys *keys, const char *const *units, const void *in)
{
	for (size_t i = 0; i < keys->n; i++) {
		const struct sf_key *key = &keys->rows[i];
		const struct sf_key_sourced *x =
		    (const void *)((const char *)in + key->offset);

		if (x->value == 0)
			continue;
		sf_buf_printf(sf_grid_cell(grid), "%s.%s", part, key->name);
		sf_buf_printf(
		    sf_grid_cell(grid), "%.6g %s", x->value, units[i]);
		sf_grid_text(grid, sf_str_of(x->source));
	}
}

void
sf_energy_markdown(struct sf_buf *out, const struct sf_summary *summary,
    const struct sf_accel *accel)
{
	bool energy = is_there(summary, SF_SUM_ENERGY_TOTAL);
	bool area = is_there(summary, SF_SUM_AREA_TOTAL);
	struct sf_grid grid;

	if (!energy && !area)
		return;
	SF_BUF_LIT(out, "### Energy and area\n\n");
	sf_buf_printf(out, "%s", calibrated);
	if (energy) {
		put_parts(
		    out, summary, SF_SUM_ENERGY_MAC, SF_SUM_ENERGY_TOTAL, "J");
		sf_buf_printf(out, "On average %.4g W.\n\n",
		    summary->v[SF_SUM_AVERAGE_W].d);
	}
	if (area)
		put_parts(
		    out, summary, SF_SUM_AREA_ARRAY, SF_SUM_AREA_TOTAL, "mm2");
	sf_grid_init(&grid, "lrl");
	sf_grid_label(&grid, "Coefficient");
	sf_grid_label(&grid, "Value");
	sf_grid_label(&grid, "Source");
	put_coefficients(
	    &grid, "energy", &sf_energy_keys, sf_energy_units, &accel->energy);
	put_coefficients(
	    &grid, "area", &sf_area_keys, sf_area_units, &accel->area);
	sf_grid_finish(&grid, out);
}
