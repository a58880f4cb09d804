/* Operators in words. */
#include "trace/op-text.h"

static void
put_shape(struct sf_buf *out, const struct sf_tensor *t)
{
	if (!t->rank_known)
		SF_BUF_LIT(out, "?");
	for (int d = 0; t->rank_known && d < t->rank; d++) {
		if (d != 0)
			sf_buf_putc(out, 'x');
		if (t->shape[d] >= 0)
			sf_buf_int(out, t->shape[d]);
		else if (t->dim_names != NULL && t->dim_names[d].n != 0)
			sf_buf_put(out, t->dim_names[d].p, t->dim_names[d].n);
		else
			sf_buf_putc(out, '?');
	}
	if (t->rank_known && t->rank == 0)
		SF_BUF_LIT(out, "scalar");
}

void
sf_tensors_text(struct sf_buf *out, const struct sf_tensor *tensors, int n)
{
	for (int k = 0; k < n; k++) {
		if (k != 0)
			sf_buf_putc(out, ' ');
		if (tensors[k].absent) {
			sf_buf_putc(out, '-');
			continue;
		}
		put_shape(out, &tensors[k]);
		sf_buf_printf(out, ":%s",
		    tensors[k].dtype != SF_DT_UNKNOWN
			? sf_dtype_name(tensors[k].dtype)
			: "?");
	}
}

void
sf_op_label(struct sf_buf *out, const struct sf_op *op)
{
	struct sf_str name = op->name;
	const char *dot = sf_str_rchr(name, '.');

	if (op->node.n != 0) {
		sf_buf_put(out, op->node.p, op->node.n);
		return;
	}
	if (op->module.n != 0) {
		sf_buf_put(out, op->module.p, op->module.n);
		sf_buf_putc(out, ' ');
		if (dot != NULL) {
			name.n -= (size_t)(dot + 1 - name.p);
			name.p = dot + 1;
		}
	}
	sf_buf_put(out, name.p, name.n);
}
