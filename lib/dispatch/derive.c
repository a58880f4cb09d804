/* What a call gives. */
#include "dispatch/derive.h"

#include <string.h>

#include "base/num.h"
#include "dispatch/result.h"
#include "torch/dtype.h"

enum form {
	FIRST,
	REAL,
	JOIN,
	DIVIDE,
	FILL,
	COMPARE,
	CHOOSE,
	MASKED,
	PRODUCT,
	PRODUCT_ADD,
	MATMUL,
	LINEAR,
	ROWS,
	ATTENTION,
	CONVOLUTION,
	GRADIENTS,
	CAST,
	CREATE,
	POOL,
	REDUCE,
	NOTHING,
	GATHER,
	PICK
};

struct row {
	enum form form;
	const char *names;
	const char *args;
};

static const struct row rows[] = {
#define SF_DERIVE(form, names, args) { form, names, args },
#include "dispatch/derive.def"
#undef SF_DERIVE
};

struct sf_derive {
	struct sf_table names; /* to struct row */
};

struct sf_derive *
sf_derive_new(struct sf_arena *arena)
{
	struct sf_derive *d = sf_arena_calloc(arena, 1, sizeof *d);

	sf_table_init(&d->names, arena);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct sf_str rest = sf_str_of(rows[i].names);

		while (rest.n != 0) {
			struct sf_str name = sf_str_cut(&rest, ' ');

			sf_table_add(&d->names, name)->num = (int64_t)i + 1;
		}
	}
	return d;
}

void
sf_derive_release(struct sf_derive *d)
{
	sf_table_release(&d->names);
}

static void
give_gradients(struct sf_result *w)
{
	struct sf_str mask = sf_result_concrete(w, "output_mask");
	const struct sf_tensor *k = sf_result_tensor(w, 2);

	if (mask.n < 2 || sf_result_tensor(w, 1) == NULL || k == NULL ||
	    k->rank == 0)
		return;
	mask.p++;
	mask.n -= 2;
	for (int i = 1; i <= 3; i++) {
		bool wanted = sf_str_is(sf_str_cut(&mask, ','), "True");
		int64_t bias = sf_result_concrete(w, "transposed").n != 0 &&
			sf_str_is(sf_result_concrete(w, "transposed"), "False")
		    ? k->shape[0]
		    : -1;

		if (!wanted)
			sf_call_add_absent(&w->call->outputs);
		else if (i < 3)
			sf_result_give_like(w, sf_result_tensor(w, i),
			    sf_result_tensor(w, i)->dtype);
		else if (bias >= 0)
			sf_result_give(w, k->dtype, 1, &bias);
	}
}

/* ---- forms ---- */

/* The type that all arguments are promoted to. */
static enum sf_dtype
joined(struct sf_result *w)
{
	return sf_result_joined_type(w, 0);
}

static void
give_first(struct sf_result *w)
{
	const struct sf_tensor *first = sf_result_tensor(w, 0);

	sf_result_give_like(w, first, first == NULL ? joined(w) : first->dtype);
}

static void
give_real(struct sf_result *w)
{
	sf_result_give_like(
	    w, sf_result_tensor(w, 0), sf_result_real_type(w, joined(w)));
}

static void
give_join(struct sf_result *w)
{
	sf_result_join(w, 0, joined(w));
}

static void
give_divide(struct sf_result *w)
{
	enum sf_dtype type = joined(w);

	sf_result_join(w, 0, sf_result_is_real(type) ? type : SF_DT_UNKNOWN);
}

static void
give_fill(struct sf_result *w)
{
	const struct sf_tensor *first = sf_result_tensor(w, 0);

	if (first != NULL)
		sf_result_join(w, 0, first->dtype);
}

static void
give_compare(struct sf_result *w)
{
	sf_result_join(w, 0, SF_DT_B8);
}

static void
give_choose(struct sf_result *w)
{
	sf_result_join(w, 1, sf_result_joined_type(w, 1));
}

static void
give_masked(struct sf_result *w)
{
	const struct sf_tensor *first = sf_result_tensor(w, 0);

	sf_result_give_like(w, first, joined(w));
	sf_result_give_like(w, first, SF_DT_B8);
}

static void
give_product(struct sf_result *w)
{
	sf_result_product(
	    w, sf_result_tensor(w, 0), sf_result_tensor(w, 1), false);
}

static void
give_product_add(struct sf_result *w)
{
	sf_result_product(
	    w, sf_result_tensor(w, 1), sf_result_tensor(w, 2), false);
}

static void
give_matmul(struct sf_result *w)
{
	sf_result_product(
	    w, sf_result_tensor(w, 0), sf_result_tensor(w, 1), true);
}

static void
give_linear(struct sf_result *w)
{
	const struct sf_tensor *x = sf_result_tensor(w, 0);
	const struct sf_tensor *weight = sf_result_tensor(w, 1);

	if (x != NULL && weight != NULL && weight->rank == 2)
		sf_result_relast(w, x, x->dtype, weight->shape[0]);
}

static void
give_attention(struct sf_result *w)
{
	const struct sf_tensor *q = sf_result_tensor(w, 0);
	const struct sf_tensor *v = sf_result_tensor(w, 2);

	if (q != NULL && v != NULL && v->rank != 0)
		sf_result_relast(w, q, q->dtype, v->shape[v->rank - 1]);
}

static void
give_cast(struct sf_result *w)
{
	const struct sf_tensor *first = sf_result_tensor(w, 0);

	sf_result_give_like(w, first, sf_result_said_type(w, first));
}

static void
give_gather(struct sf_result *w)
{
	const struct sf_tensor *first = sf_result_tensor(w, 0);

	if (first != NULL)
		sf_result_give_like(w, sf_result_tensor(w, 2), first->dtype);
}

static void (*const give[])(struct sf_result *w) = {
	[FIRST] = give_first,
	[REAL] = give_real,
	[JOIN] = give_join,
	[DIVIDE] = give_divide,
	[FILL] = give_fill,
	[COMPARE] = give_compare,
	[CHOOSE] = give_choose,
	[MASKED] = give_masked,
	[PRODUCT] = give_product,
	[PRODUCT_ADD] = give_product_add,
	[MATMUL] = give_matmul,
	[LINEAR] = give_linear,
	[ROWS] = sf_result_rows,
	[ATTENTION] = give_attention,
	[CONVOLUTION] = sf_result_convolution,
	[GRADIENTS] = give_gradients,
	[CAST] = give_cast,
	[CREATE] = sf_result_create,
	[POOL] = sf_result_pool,
	[REDUCE] = sf_result_reduce,
	[NOTHING] = NULL,
	[GATHER] = give_gather,
	[PICK] = sf_result_pick,
};

/* ---- attributes ---- */

void
sf_derive_value(struct sf_jsonw *w, struct sf_str text)
{
	char number[SF_DOUBLE_MAX];
	int64_t integer;
	double x;

	text = sf_str_trim(text);
	if (text.n >= 2 && text.p[0] == '[' && text.p[text.n - 1] == ']' &&
	    memchr(text.p + 1, '[', text.n - 1) == NULL) {
		struct sf_str rest = { text.p + 1, text.n - 2 };

		sf_jsonw_open(w, '[');
		while (rest.n != 0)
			sf_derive_value(w, sf_str_cut(&rest, ','));
		sf_jsonw_close(w, ']');
	} else if (sf_str_is(text, "True") || sf_str_is(text, "False")) {
		sf_jsonw_bool(w, text.p[0] == 'T');
	} else if (sf_int_parse(text.p, text.n, &integer)) {
		sf_jsonw_int(w, integer);
	} else if (text.n > 1 && text.n < sizeof number &&
	    sf_double_parse(
		text.p, text.n - (text.p[text.n - 1] == '.' ? 1 : 0), &x)) {
		sf_jsonw_double(w, x);
	} else {
		sf_jsonw_str(w, text);
	}
}

/* A type is said by its number; one that the stream has no word for stays. */
static void
put_dtype(struct sf_jsonw *w, struct sf_str text)
{
	int64_t number;
	enum sf_dtype dtype = sf_int_parse(text.p, text.n, &number)
	    ? sf_torch_dtype_of_c10(number)
	    : SF_DT_UNKNOWN;

	if (dtype != SF_DT_UNKNOWN)
		sf_jsonw_cstr(w, sf_dtype_name(dtype));
	else
		sf_derive_value(w, text);
}

static void
put_attrs(struct sf_result *w)
{
	struct sf_str rest = sf_str_of(w->names);

	for (int i = 0; i < w->nargs; i++) {
		struct sf_str name = sf_str_cut(&rest, ' ');
		char text[24] = "arg";

		if (w->args[i].tensor >= 0 || w->args[i].concrete.n == 0)
			continue;
		if (name.n == 0)
			name = (struct sf_str){ text,
				3 + sf_int_format(i, text + 3) };
		sf_jsonw_name(&w->call->attrs, name);
		if (sf_str_is(name, "dtype"))
			put_dtype(&w->call->attrs, w->args[i].concrete);
		else
			sf_derive_value(&w->call->attrs, w->args[i].concrete);
	}
}

static bool
writes_first(struct sf_str name)
{
	return name.n > 1 && name.p[name.n - 1] == '_' &&
	    name.p[name.n - 2] != '_';
}

bool
sf_derive_outputs(struct sf_derive *d, struct sf_str name,
    const struct sf_profiled_arg *args, int nargs, bool concrete_too,
    struct sf_made_op *call)
{
	static const struct row in_place = { FIRST, "", "" };
	const struct sf_entry *entry = sf_table_find(&d->names, name);
	const struct row *row = entry != NULL ? &rows[entry->num - 1] : NULL;
	struct sf_result w = { .names = row != NULL ? row->args : "",
		.args = args,
		.nargs = nargs,
		.concrete = concrete_too,
		.call = call,
		.fits = true };

	put_attrs(&w);
	if (row == NULL && writes_first(name))
		row = &in_place;
	if (row != NULL)
		if (give[row->form] != NULL)
			give[row->form](&w);
	if (call->outputs.n == 0 && (row == NULL || row->form != NOTHING))
		sf_result_give_unknown(&w);
	return w.fits;
}
