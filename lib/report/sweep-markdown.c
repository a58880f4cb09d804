/* A sweep, for people. */
#include "report/param.h"
#include "report/sweep-section.h"
#include "text/human.h"
#include "text/markdown.h"

static void
put_overview(struct sf_buf *out, const struct sf_sweep_report *r,
    const struct sf_scale *scale)
{
	struct sf_grid grid;

	sf_grid_init(&grid, "lr");
	sf_grid_label(&grid, "Figure");
	sf_grid_label(&grid, "Value");
	sf_grid_label(&grid, "Designs that were run");
	sf_grid_int(&grid, r->run);
	sf_grid_label(&grid, "Refused");
	sf_grid_int(&grid, r->refused);
	if (r->best.n != 0) {
		sf_grid_label(&grid, "The fastest takes");
		sf_human_scaled(
		    sf_grid_cell(&grid), r->best.points[0].key, scale);
		sf_grid_label(&grid, "The slowest takes");
		sf_human_scaled(sf_grid_cell(&grid), r->slowest_s, scale);
	}
	sf_grid_finish(&grid, out);
}

/* "dram_bw 60 GB/s, array_rows 64" */
static void
put_set(struct sf_buf *cell, const struct sf_sweep_report *r,
    const struct sf_front_point *point, struct sf_arena *arena)
{
	struct sf_pairs set = sf_sweep_set(point, arena);

	for (size_t i = 0; i < set.n; i++) {
		if (i != 0)
			SF_BUF_LIT(cell, ", ");
		sf_md_text(cell, set.v[i].key);
		sf_buf_putc(cell, ' ');
		sf_param_value(cell, r->keys, &set.v[i], arena);
	}
}

void
sf_sweep_markdown(void *state, struct sf_subject *s, struct sf_buf *out)
{
	const struct sf_sweep_report *r = state;
	const struct sf_scale *scale = sf_subject_scale(s);
	struct sf_grid grid;

	if (r->run + r->refused == 0)
		return;
	SF_BUF_LIT(out, "## Sweep\n\n");
	put_overview(out, r, scale);
	if (r->best.n == 0 || s->top == 0)
		return;
	SF_BUF_LIT(out, "### Fastest designs\n\n");
	sf_grid_init(&grid, "rrl");
	sf_grid_label(&grid, "Design");
	sf_grid_label(&grid, "Takes");
	sf_grid_label(&grid, "Parameters");
	for (size_t i = 0; i < r->best.n && (int64_t)i < s->top; i++) {
		const struct sf_front_point *p = &r->best.points[i];

		sf_grid_int(&grid, p->i);
		sf_human_scaled(sf_grid_cell(&grid), p->key, scale);
		put_set(sf_grid_cell(&grid), r, p, s->arena);
	}
	sf_grid_finish(&grid, out);
}
