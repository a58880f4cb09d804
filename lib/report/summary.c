/* The summary of a simulation, for programs. */
#include "report/summary.h"

#include <string.h>

static void
put_value(struct sf_figures *f, const struct sf_summary_row *row,
    const struct sf_summary_value *v)
{
	if (row->type == SF_SUM_INT)
		sf_fig_int(f, row->name, v->i, row->unit);
	else if (row->type == SF_SUM_DOUBLE)
		sf_fig_double(f, row->name, v->d, row->unit);
	else
		sf_fig_str(f, row->name, v->s);
}

/* The rows of V that are there, or those of them that a core has. */
static void
put_rows(struct sf_figures *f, const struct sf_summary_value *v, bool of_core)
{
	const struct sf_summary_row *rows = sf_summary_rows;
	const char *object = "";

	for (int i = 0; i < SF_SUM_COUNT; i++) {
		if ((!rows[i].required && v[i].i < 0) ||
		    (of_core && !rows[i].by_core))
			continue;
		if (strcmp(rows[i].object, object) != 0) {
			if (*object != '\0')
				sf_fig_close(f);
			object = rows[i].object;
			if (*object != '\0')
				sf_fig_open(f, object, '{');
		}
		put_value(f, &rows[i], &v[i]);
	}
	if (*object != '\0')
		sf_fig_close(f);
}

void
sf_summary_figures(const struct sf_summary *summary, struct sf_figures *f)
{
	put_rows(f, summary->v, false);
	if (summary->ncores == 0)
		return;
	sf_fig_open(f, "cores", '[');
	for (int i = 0; i < summary->ncores; i++) {
		sf_fig_open(f, NULL, '{');
		put_rows(f, summary->cores[i].v, true);
		sf_fig_close(f);
	}
	sf_fig_close(f);
}
