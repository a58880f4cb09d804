/* Points, written. */
#include "sweep/sweep-write.h"

#include <string.h>

#include "text/csv.h"
#include "trace/keyrecord.h"

/* JSON has no number that is none, nor an infinite one. */
static bool
is_finite(double x)
{
	return x - x == 0;
}

/* What a run has not is no number and no text. */
static bool
is_there(const struct sf_result_row *row, const struct sf_outcome *r)
{
	switch (row->type) {
	case SF_RESULT_INT:
		return true;
	case SF_RESULT_DOUBLE:
		return is_finite(r->d);
	case SF_RESULT_STR:
		break;
	}
	return r->s.p != NULL;
}

/* ---- records ---- */

static void
write_set(struct sf_jsonw *w, const struct sf_plan *p)
{
	sf_jsonw_key(w, "set");
	sf_jsonw_open(w, '{');
	for (int k = 0; k < p->naxes; k++) {
		sf_jsonw_key(w, p->axes[k].name);
		sf_key_put(w, p->axes[k].key, p->axes[k].scope->in);
	}
	for (int k = 0; k < p->ties.n; k++) {
		const struct sf_key_scope *scope;
		const struct sf_key *key =
		    sf_target_key(p->target, p->ties.v[k].name, &scope);

		sf_jsonw_key(w, p->ties.v[k].name.p);
		sf_key_put(w, key, scope->in);
	}
	sf_jsonw_close(w, '}');
}

static void
write_result(struct sf_jsonw *w, const struct sf_result_row *row,
    const struct sf_outcome *r)
{
	if (!is_there(row, r))
		return;
	sf_jsonw_key(w, row->name);
	if (row->type == SF_RESULT_INT)
		sf_jsonw_int(w, r->i);
	else if (row->type == SF_RESULT_DOUBLE)
		sf_jsonw_double(w, r->d);
	else
		sf_jsonw_str(w, r->s);
}

/* The end of the results of the object of the one at I. */
static int
object_end(const struct sf_target *t, int i)
{
	const char *object = t->rows[i].object;

	while (i < t->nrows && strcmp(t->rows[i].object, object) == 0)
		i++;
	return i;
}

static bool
has_results(const struct sf_target *t, const struct sf_outcome *results,
    int from, int to)
{
	for (int i = from; i < to; i++)
		if (is_there(&t->rows[i], &results[i]))
			return true;
	return false;
}

static void
write_results(struct sf_jsonw *w, const struct sf_target *t,
    const struct sf_outcome *results)
{
	for (int i = 0, end; i < t->nrows; i = end) {
		const char *object = t->rows[i].object;

		end = object[0] != '\0' ? object_end(t, i) : i + 1;
		if (!has_results(t, results, i, end))
			continue;
		if (object[0] != '\0') {
			sf_jsonw_key(w, object);
			sf_jsonw_open(w, '{');
		}
		for (int k = i; k < end; k++)
			write_result(w, &t->rows[k], &results[k]);
		if (object[0] != '\0')
			sf_jsonw_close(w, '}');
	}
}

void
sf_point_write(struct sf_jsonw *w, const struct sf_sweep_point *p)
{
	sf_jsonw_kint(w, "i", p->i);
	write_set(w, p->plan);
	if (p->refused != NULL) {
		sf_jsonw_kcstr(w, "refused", p->refused);
		return;
	}
	if (p->engine != NULL)
		sf_jsonw_kcstr(w, "engine", p->engine);
	write_results(w, p->plan->target, p->results);
	for (int k = 0; k < p->own->n; k++)
		if (is_finite(p->values[k]))
			sf_jsonw_kdouble(w, p->own->v[k].name.p, p->values[k]);
}

/* ---- CSV ---- */

/* A parameter as --grid and --points take it. */
static void
put_key(struct sf_buf *out, const struct sf_key *key, const void *in)
{
	const void *field = (const char *)in + key->offset;
	const char *plus = "";

	switch (key->type) {
	case SF_KEY_REAL:
	case SF_KEY_INT:
	case SF_KEY_OFF:
	case SF_KEY_MAYBE:
		sf_buf_double(out, sf_key_number(key, in));
		break;
	case SF_KEY_FLAG:
		sf_buf_printf(out, "%s", *(const bool *)field ? "on" : "off");
		break;
	case SF_KEY_WORD:
		sf_buf_printf(out, "%s", key->choices[*(const int *)field]);
		break;
	case SF_KEY_WORDS:
		for (int i = 0; key->choices[i] != NULL; i++)
			if ((*(const uint32_t *)field >> i & 1) != 0) {
				sf_buf_printf(
				    out, "%s%s", plus, key->choices[i]);
				plus = "+";
			}
		break;
	case SF_KEY_TEXT:
		sf_csv_field(out, sf_str_of(*(const char *const *)field));
		break;
	}
}

void
sf_point_header(struct sf_buf *out, const struct sf_sweep_point *p)
{
	const struct sf_plan *plan = p->plan;
	const struct sf_target *t = plan->target;

	sf_buf_printf(out, "i");
	for (int k = 0; k < plan->naxes; k++)
		sf_buf_printf(out, ",%s", plan->axes[k].name);
	for (int k = 0; k < plan->ties.n; k++)
		sf_buf_printf(out, ",%s", plan->ties.v[k].name.p);
	for (int i = 0; i < t->nrows; i++)
		sf_buf_printf(out, ",%s%s%s", t->rows[i].object,
		    t->rows[i].object[0] != '\0' ? "." : "", t->rows[i].name);
	for (int k = 0; k < p->own->n; k++)
		sf_buf_printf(out, ",%s", p->own->v[k].name.p);
	sf_buf_printf(out, ",refused\n");
}

static void
put_results(struct sf_buf *out, const struct sf_sweep_point *p)
{
	const struct sf_target *t = p->plan->target;

	for (int i = 0; i < t->nrows; i++) {
		sf_buf_putc(out, ',');
		if (p->refused != NULL ||
		    !is_there(&t->rows[i], &p->results[i]))
			continue;
		if (t->rows[i].type == SF_RESULT_INT)
			sf_buf_int(out, p->results[i].i);
		else if (t->rows[i].type == SF_RESULT_STR)
			sf_csv_field(out, p->results[i].s);
		else
			sf_buf_double(out, p->results[i].d);
	}
	for (int k = 0; k < p->own->n; k++) {
		sf_buf_putc(out, ',');
		if (p->refused == NULL && is_finite(p->values[k]))
			sf_buf_double(out, p->values[k]);
	}
}

void
sf_point_row(struct sf_buf *out, const struct sf_sweep_point *p)
{
	const struct sf_plan *plan = p->plan;

	sf_buf_int(out, p->i);
	for (int k = 0; k < plan->naxes; k++) {
		sf_buf_putc(out, ',');
		put_key(out, plan->axes[k].key, plan->axes[k].scope->in);
	}
	for (int k = 0; k < plan->ties.n; k++) {
		const struct sf_key_scope *scope;
		const struct sf_key *key =
		    sf_target_key(plan->target, plan->ties.v[k].name, &scope);

		sf_buf_putc(out, ',');
		put_key(out, key, scope->in);
	}
	put_results(out, p);
	sf_buf_putc(out, ',');
	if (p->refused != NULL)
		sf_csv_field(out, sf_str_of(p->refused));
	sf_buf_putc(out, '\n');
}
