/* What a call gives. */
#include "dispatch/derive.h"

#include "base/num.h"
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

/* ---- the call ---- */

struct work {
	const struct row *row;
	const struct sf_profiled_arg *args;
	int nargs;
	bool concrete; /* the file says what is no tensor */
	struct sf_call *call;
	bool fits;
};

/* The tensor that is argument I; NULL when that is none. */
static const struct sf_tensor *
tensor(const struct work *w, int i)
{
	if (i >= w->nargs || w->args[i].tensor < 0)
		return NULL;
	return sf_call_tensor(&w->call->inputs, w->args[i].tensor);
}

static void
give(struct work *w, enum sf_dtype dtype, int rank, const int64_t *shape)
{
	int64_t *sizes =
	    sf_arena_calloc(w->call->arena, (size_t)rank + 1, sizeof *sizes);
	struct sf_tensor t = {
		.dtype = dtype, .rank = rank, .shape = sizes, .rank_known = true
	};

	if (rank != 0)
		memcpy(sizes, shape, (size_t)rank * sizeof *sizes);
	t.tid = sf_str_of("");
	w->fits &= sf_call_add(&w->call->outputs, t);
}

/* Something of which no more is known. */
static void
give_unknown(struct work *w)
{
	struct sf_tensor t = { .dtype = SF_DT_UNKNOWN };

	t.tid = sf_str_of("");
	sf_call_add(&w->call->outputs, t);
}

static void
give_like(struct work *w, const struct sf_tensor *t, enum sf_dtype dtype)
{
	if (t != NULL)
		give(w, dtype, t->rank, t->shape);
}

/* What argument NAME of the row was; empty when it is not known. */
static struct sf_str
concrete(const struct work *w, const char *name)
{
	struct sf_str rest = sf_str_of(w->row->args);

	for (int i = 0; rest.n != 0 && i < w->nargs; i++)
		if (sf_str_is(sf_str_cut(&rest, ' '), name))
			return w->args[i].concrete;
	return sf_str_of("");
}

/* "[1, 2]" or "1" as at most MOST integers; -1 when it is no such text. */
static int
integers(struct sf_str text, int64_t *out, int most)
{
	int n = 0;

	if (text.n >= 2 && text.p[0] == '[' && text.p[text.n - 1] == ']') {
		text.p++;
		text.n -= 2;
	} else if (text.n == 0) {
		return -1;
	}
	while (text.n != 0) {
		struct sf_str part = sf_str_cut(&text, ',');

		if (n == most || !sf_int_parse(part.p, part.n, &out[n]))
			return -1;
		n++;
	}
	return n;
}

/* ---- types ---- */

static bool
is_real(enum sf_dtype d)
{
	return d == SF_DT_F16 || d == SF_DT_BF16 || d == SF_DT_F32 ||
	    d == SF_DT_F64;
}

/* 0 truth values, 1 integers, 2 real, 3 complex numbers; -1 others. */
static int
rank_of_type(enum sf_dtype d)
{
	switch (d) {
	case SF_DT_B8:
		return 0;
	case SF_DT_U8:
	case SF_DT_I8:
	case SF_DT_I16:
	case SF_DT_I32:
	case SF_DT_I64:
		return 1;
	case SF_DT_C64:
	case SF_DT_C128:
		return 3;
	default:
		return is_real(d) ? 2 : -1;
	}
}

/* Of two tensors that both count; unknown where it is not plain. */
static enum sf_dtype
promote(enum sf_dtype a, enum sf_dtype b)
{
	int x = rank_of_type(a), y = rank_of_type(b);

	if (a == b)
		return a;
	if (x < 0 || y < 0)
		return SF_DT_UNKNOWN;
	if (x != y)
		return x == 3 || y == 3 ? SF_DT_UNKNOWN : x > y ? a : b;
	if (sf_dtype_bits(a) == sf_dtype_bits(b))
		return x == 2 ? SF_DT_F32 : SF_DT_UNKNOWN;
	return sf_dtype_bits(a) > sf_dtype_bits(b) ? a : b;
}

/*
 * The type of a result of arguments FROM on: a tensor without dimensions, or a
 * number, only counts where it is of a higher kind than all tensors that have
 * some.
 */
static enum sf_dtype
joined_type(const struct work *w, int from)
{
	enum sf_dtype full = SF_DT_COUNT, point = SF_DT_COUNT;
	bool scalar = false;

	for (int i = from; i < w->nargs; i++) {
		const struct sf_tensor *t = tensor(w, i);
		enum sf_dtype *to = t != NULL && t->rank != 0 ? &full : &point;

		if (t != NULL)
			*to = *to == SF_DT_COUNT ? t->dtype
						 : promote(*to, t->dtype);
		else
			scalar |= sf_str_is(w->args[i].type, "Scalar");
	}
	if (full == SF_DT_COUNT)
		full = point;
	else if (point != SF_DT_COUNT &&
	    rank_of_type(point) > rank_of_type(full))
		full = rank_of_type(full) < 0 ? SF_DT_UNKNOWN : point;
	/* A number may make real ones of integers: which, it does not say. */
	if (scalar && rank_of_type(full) < 2)
		return SF_DT_UNKNOWN;
	return full;
}

/* ---- sizes ---- */

struct sizes {
	int rank;
	int64_t v[SF_MAX_RANK];
};

/* Widens S to hold the sizes of T, too; false when they do not go together. */
static bool
broadcast(struct sizes *s, int rank, const int64_t *shape)
{
	int shift;

	if (rank > s->rank) {
		memmove(s->v + (rank - s->rank), s->v,
		    (size_t)s->rank * sizeof *s->v);
		for (int i = 0; i < rank - s->rank; i++)
			s->v[i] = 1;
		s->rank = rank;
	}
	shift = s->rank - rank;
	for (int i = 0; i < rank; i++) {
		if (shape[i] == 1 || shape[i] == s->v[shift + i])
			continue;
		if (s->v[shift + i] != 1)
			return false;
		s->v[shift + i] = shape[i];
	}
	return true;
}

static void
join(struct work *w, int from, enum sf_dtype dtype)
{
	struct sizes s = { 0 };
	int seen = 0;

	for (int i = from == 0 ? 0 : from - 1; i < w->nargs; i++) {
		const struct sf_tensor *t = tensor(w, i);

		if (t == NULL)
			continue;
		if (!t->rank_known || !broadcast(&s, t->rank, t->shape))
			return;
		seen++;
	}
	if (seen != 0)
		give(w, dtype, s.rank, s.v);
}

/* A and B with B's last size; with ALL what is before is broadcast. */
static void
product(struct work *w, const struct sf_tensor *a, const struct sf_tensor *b,
    bool all)
{
	struct sizes s = { 0 };

	if (a == NULL || b == NULL || a->rank < 2 || b->rank < 2 ||
	    (!all && a->rank != b->rank))
		return;
	if (!broadcast(&s, a->rank - 2, a->shape) ||
	    !broadcast(&s, b->rank - 2, b->shape) ||
	    a->shape[a->rank - 1] != b->shape[b->rank - 2])
		return;
	s.v[s.rank] = a->shape[a->rank - 2];
	s.v[s.rank + 1] = b->shape[b->rank - 1];
	give(w, a->dtype == b->dtype ? a->dtype : SF_DT_UNKNOWN, s.rank + 2,
	    s.v);
}

/* The sizes of A with the last one LAST. */
static void
relast(struct work *w, const struct sf_tensor *a, enum sf_dtype dtype,
    int64_t last)
{
	struct sizes s = { .rank = a->rank };

	if (a->rank == 0)
		return;
	memcpy(s.v, a->shape, (size_t)a->rank * sizeof *s.v);
	s.v[s.rank - 1] = last;
	give(w, dtype, s.rank, s.v);
}

/* The places that a window has: rounded up where CEIL. */
static int64_t
places(int64_t size, int64_t kernel, int64_t stride, int64_t pad,
    int64_t dilation, bool ceil)
{
	int64_t room = size + 2 * pad - dilation * (kernel - 1) - 1, n;

	if (room < 0)
		return -1;
	n = (room + (ceil ? stride - 1 : 0)) / stride + 1;
	/* A window that begins in the padding behind does not count. */
	if (ceil && (n - 1) * stride >= size + pad)
		n--;
	return n;
}

/* A window's numbers, one a dimension; false when one is not known. */
static bool
window(const struct work *w, const char *name, int n, int64_t *out)
{
	int got = integers(concrete(w, name), out, n);

	for (int i = 1; got == 1 && i < n; i++)
		out[i] = out[0];
	for (int i = 0; got > 0 && i < n; i++)
		if (out[i] < 0 || out[i] > 1 << 30)
			return false;
	return got == n || got == 1;
}

static void
convolution(struct work *w)
{
	const struct sf_tensor *x = tensor(w, 0), *k = tensor(w, 1);
	struct sf_str transposed = concrete(w, "transposed");
	int64_t stride[3], pad[3], dilation[3];
	struct sizes s = { 0 };
	int n, at;

	if (x == NULL || k == NULL || k->rank < 3 || k->rank > 5 ||
	    (x->rank != k->rank && x->rank != k->rank - 1))
		return;
	n = k->rank - 2;
	at = x->rank - n;
	if (sf_str_is(transposed, "True") || !window(w, "stride", n, stride) ||
	    !window(w, "padding", n, pad) ||
	    !window(w, "dilation", n, dilation))
		return;
	s.rank = x->rank;
	memcpy(s.v, x->shape, (size_t)x->rank * sizeof *s.v);
	s.v[at - 1] = k->shape[0];
	for (int i = 0; i < n; i++) {
		if (stride[i] == 0 || k->shape[2 + i] > 1 << 30 ||
		    s.v[at + i] > INT64_C(1) << 40)
			return;
		s.v[at + i] = places(s.v[at + i], k->shape[2 + i], stride[i],
		    pad[i], dilation[i], false);
		if (s.v[at + i] < 0)
			return;
	}
	give(w, x->dtype, s.rank, s.v);
}

static void
pool(struct work *w)
{
	const struct sf_tensor *x = tensor(w, 0);
	int64_t kernel[2], stride[2], pad[2], dilation[2] = { 1, 1 };
	bool ceil = sf_str_is(concrete(w, "ceil_mode"), "True");
	struct sizes s = { 0 };

	if (x == NULL || x->rank < 3 || x->rank > 4 ||
	    !window(w, "kernel_size", 2, kernel) ||
	    !window(w, "padding", 2, pad))
		return;
	if (!window(w, "stride", 2, stride))
		memcpy(stride, kernel, sizeof stride);
	if (concrete(w, "dilation").n != 0 &&
	    !window(w, "dilation", 2, dilation))
		return;
	s.rank = x->rank;
	memcpy(s.v, x->shape, (size_t)x->rank * sizeof *s.v);
	for (int i = 0; i < 2; i++) {
		int64_t *size = &s.v[s.rank - 2 + i];

		if (stride[i] == 0 || *size > INT64_C(1) << 40)
			return;
		*size = places(
		    *size, kernel[i], stride[i], pad[i], dilation[i], ceil);
		if (*size < 0)
			return;
	}
	give(w, x->dtype, s.rank, s.v);
	if (memmem(w->call->name.p, w->call->name.n, "indices", 7) != NULL)
		give(w, SF_DT_I64, s.rank, s.v);
}

/* ---- with what is said ---- */

static void
gradients(struct work *w)
{
	struct sf_str mask = concrete(w, "output_mask");
	const struct sf_tensor *k = tensor(w, 2);

	if (mask.n < 2 || tensor(w, 1) == NULL || k == NULL || k->rank == 0)
		return;
	mask.p++;
	mask.n -= 2;
	for (int i = 1; i <= 3; i++) {
		bool wanted = sf_str_is(sf_str_cut(&mask, ','), "True");
		int64_t bias = concrete(w, "transposed").n != 0 &&
			sf_str_is(concrete(w, "transposed"), "False")
		    ? k->shape[0]
		    : -1;

		if (!wanted)
			sf_call_add_absent(&w->call->outputs);
		else if (i < 3)
			give_like(w, tensor(w, i), tensor(w, i)->dtype);
		else if (bias >= 0)
			give(w, k->dtype, 1, &bias);
	}
}

/* The type that is said; the tensor's own where none is; unknown. */
static enum sf_dtype
said_type(const struct work *w, const struct sf_tensor *t)
{
	struct sf_str text = concrete(w, "dtype");
	int64_t number;

	if (!w->concrete)
		return SF_DT_UNKNOWN;
	if (text.n == 0)
		return t != NULL ? t->dtype : SF_DT_UNKNOWN;
	return sf_int_parse(text.p, text.n, &number)
	    ? sf_torch_dtype_of_c10(number)
	    : SF_DT_UNKNOWN;
}

static void
create(struct work *w)
{
	struct sf_str size = concrete(w, "size");
	struct sizes s = { 0 };

	s.rank = sf_str_is(size, "[]") ? 0 : integers(size, s.v, SF_MAX_RANK);
	for (int i = 0; i < s.rank; i++)
		if (s.v[i] < 0)
			return;
	if (s.rank >= 0)
		give(w, said_type(w, NULL), s.rank, s.v);
}

static void
reduce(struct work *w)
{
	const struct sf_tensor *x = tensor(w, 0);
	bool keep = sf_str_is(concrete(w, "keepdim"), "True");
	bool gone[SF_MAX_RANK] = { false };
	int64_t dims[SF_MAX_RANK];
	struct sizes s = { 0 };
	int n = integers(concrete(w, "dim"), dims, SF_MAX_RANK);

	if (x == NULL || !is_real(x->dtype) || !w->concrete)
		return;
	if (w->nargs == 2) {
		/* Of all elements: the argument is a type. */
		if (w->args[1].concrete.n == 0)
			give(w, x->dtype, 0, NULL);
		return;
	}
	if (n < 0)
		return;
	for (int i = 0; i < n; i++) {
		int64_t at = dims[i] < 0 ? dims[i] + x->rank : dims[i];

		if (at < 0 || at >= x->rank)
			return;
		gone[at] = true;
	}
	for (int i = 0; i < x->rank; i++)
		if (!gone[i] && n != 0)
			s.v[s.rank++] = x->shape[i];
		else if (keep)
			s.v[s.rank++] = 1;
	give(w, x->dtype, s.rank, s.v);
}

static void
pick(struct work *w)
{
	const struct sf_tensor *x = tensor(w, 0), *rows_of = tensor(w, 2);
	struct sizes s = { 0 };
	int64_t at;

	if (x == NULL || rows_of == NULL || rows_of->rank != 1 ||
	    integers(concrete(w, "dim"), &at, 1) != 1)
		return;
	at += at < 0 ? x->rank : 0;
	if (at < 0 || at >= x->rank)
		return;
	s.rank = x->rank;
	memcpy(s.v, x->shape, (size_t)x->rank * sizeof *s.v);
	s.v[at] = rows_of->shape[0];
	give(w, x->dtype, s.rank, s.v);
}

static void
table_rows(struct work *w)
{
	const struct sf_tensor *table = tensor(w, 0), *at = tensor(w, 1);
	struct sizes s = { 0 };

	if (table == NULL || at == NULL || table->rank != 2 ||
	    at->rank == SF_MAX_RANK)
		return;
	s.rank = at->rank + 1;
	if (at->rank != 0)
		memcpy(s.v, at->shape, (size_t)at->rank * sizeof *s.v);
	s.v[at->rank] = table->shape[1];
	give(w, table->dtype, s.rank, s.v);
}

/* A softmax may widen what it is given, and says so in its third argument. */
static enum sf_dtype
real_type(const struct work *w, enum sf_dtype type)
{
	bool may_widen = w->call->name.n > 7 && sf_dtype_bits(type) < 32 &&
	    memmem(w->call->name.p, w->call->name.n, "softmax", 7) != NULL;

	if (!is_real(type) ||
	    (may_widen &&
		!(w->nargs > 2 && sf_str_is(w->args[2].concrete, "False"))))
		return SF_DT_UNKNOWN;
	return type;
}

/* ---- all forms ---- */

static void
derive(struct work *w)
{
	const struct sf_tensor *first = tensor(w, 0), *third = tensor(w, 2);
	enum sf_dtype type = joined_type(w, 0);

	switch (w->row->form) {
	case FIRST:
		give_like(w, first, first == NULL ? type : first->dtype);
		break;
	case REAL:
		give_like(w, first, real_type(w, type));
		break;
	case JOIN:
		join(w, 0, type);
		break;
	case DIVIDE:
		join(w, 0, is_real(type) ? type : SF_DT_UNKNOWN);
		break;
	case FILL:
		if (first != NULL)
			join(w, 0, first->dtype);
		break;
	case COMPARE:
		join(w, 0, SF_DT_B8);
		break;
	case CHOOSE:
		join(w, 1, joined_type(w, 1));
		break;
	case MASKED:
		give_like(w, first, type);
		give_like(w, first, SF_DT_B8);
		break;
	case PRODUCT:
		product(w, first, tensor(w, 1), false);
		break;
	case PRODUCT_ADD:
		product(w, tensor(w, 1), third, false);
		break;
	case MATMUL:
		product(w, first, tensor(w, 1), true);
		break;
	case LINEAR:
		if (first != NULL && tensor(w, 1) != NULL &&
		    tensor(w, 1)->rank == 2)
			relast(w, first, first->dtype, tensor(w, 1)->shape[0]);
		break;
	case ROWS:
		table_rows(w);
		break;
	case ATTENTION:
		if (first != NULL && third != NULL && third->rank != 0)
			relast(w, first, first->dtype,
			    third->shape[third->rank - 1]);
		break;
	case CONVOLUTION:
		convolution(w);
		break;
	case GRADIENTS:
		gradients(w);
		break;
	case CAST:
		give_like(w, first, said_type(w, first));
		break;
	case CREATE:
		create(w);
		break;
	case POOL:
		pool(w);
		break;
	case REDUCE:
		reduce(w);
		break;
	case NOTHING:
		break;
	case GATHER:
		if (first != NULL)
			give_like(w, third, first->dtype);
		break;
	case PICK:
		pick(w);
		break;
	}
}

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
put_attrs(struct work *w)
{
	struct sf_str rest = sf_str_of(w->row != NULL ? w->row->args : "");

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
			sf_derive_value(
			    &w->call->attrs, w->args[i].concrete);
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
    struct sf_call *call)
{
	static const struct row in_place = { FIRST, "", "" };
	const struct sf_entry *entry = sf_table_find(&d->names, name);
	struct work w = { .args = args,
		.nargs = nargs,
		.concrete = concrete_too,
		.call = call,
		.fits = true };

	if (entry != NULL)
		w.row = &rows[entry->num - 1];
	put_attrs(&w);
	if (w.row == NULL && writes_first(name))
		w.row = &in_place;
	if (w.row != NULL)
		derive(&w);
	if (call->outputs.n == 0 && (w.row == NULL || w.row->form != NOTHING))
		give_unknown(&w);
	return w.fits;
}
