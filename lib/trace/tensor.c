/* Tensors: measuring, reading and writing them. */
#include "trace/tensor.h"

#include "base/num.h"

/* Whole bytes for N elements of BITS each. */
static bool
bytes_of(int64_t n, int bits, int64_t *bytes)
{
	int64_t rest = (n % 8 * bits + 7) / 8;

	return sf_mul(n / 8, bits, bytes) && sf_add(*bytes, rest, bytes);
}

bool
sf_tensor_measure(struct sf_tensor *t)
{
	t->resolved = t->rank_known && t->dtype != SF_DT_UNKNOWN;
	for (int i = 0; i < t->rank && t->resolved; i++)
		t->resolved = t->shape[i] != SF_DIM_UNKNOWN;
	t->numel = t->bytes = t->stored = 0;
	if (!t->resolved)
		return true;
	if (!sf_product(t->shape, (size_t)t->rank, &t->numel) ||
	    !bytes_of(t->numel, sf_dtype_bits(t->dtype), &t->bytes))
		return false;
	t->stored = t->bytes;
	return true;
}

/* ---- reading ---- */

/* One entry of a shape: a size, the name of one, or null. */
static int64_t
read_size(struct sf_stream *stream, struct sf_json *scan, struct sf_str *name)
{
	char c = sf_json_peek(scan);
	int64_t size;

	*name = SF_STR("");
	if (c == '"') {
		*name = sf_json_string(scan);
		return SF_DIM_UNKNOWN;
	}
	if (c == 'n') {
		sf_json_null(scan);
		return SF_DIM_UNKNOWN;
	}
	size = sf_json_int(scan);
	if (size < 0)
		sf_stream_die(stream,
		    "a size is %lld, expected an integer >= 0, a name or null",
		    (long long)size);
	return size;
}

static void
read_shape(struct sf_stream *stream, struct sf_json *scan, struct sf_tensor *t)
{
	struct sf_arena *arena = sf_stream_record_arena(stream);
	struct sf_str names[SF_MAX_RANK];
	int64_t sizes[SF_MAX_RANK], *shape;
	bool named = false;
	size_t rank = 0;

	t->rank_known = !sf_json_null(scan);
	if (!t->rank_known)
		return;
	sf_json_enter(scan, '[');
	while (sf_json_element(scan)) {
		if (rank == SF_MAX_RANK)
			sf_stream_die(stream,
			    "a shape has more than %d dimensions", SF_MAX_RANK);
		sizes[rank] = read_size(stream, scan, &names[rank]);
		named = named || names[rank].n != 0;
		rank++;
	}
	shape = sf_arena_alloc(arena, rank * sizeof *shape);
	if (rank != 0)
		memcpy(shape, sizes, rank * sizeof *shape);
	t->rank = (int)rank;
	t->shape = shape;
	if (named) {
		struct sf_str *copy =
		    sf_arena_alloc(arena, rank * sizeof *copy);

		memcpy(copy, names, rank * sizeof *copy);
		t->dim_names = copy;
	}
}

static enum sf_dtype
read_dtype(struct sf_stream *stream, struct sf_json *scan)
{
	struct sf_str name;
	enum sf_dtype dtype;

	if (sf_json_null(scan))
		return SF_DT_UNKNOWN;
	name = sf_json_string(scan);
	dtype = sf_dtype_parse(name);
	if (dtype == SF_DT_UNKNOWN && scan->error == NULL)
		sf_stream_die(stream,
		    "the dtype '%.*s' is not known, expected one of: %s",
		    SF_STR_ARG(name), sf_dtype_list());
	return dtype;
}

/* Bytes an element, which are 0.5 or 0.25 for types below a byte; in bits. */
static int
read_itemsize(struct sf_stream *stream, struct sf_json *scan)
{
	double bits = sf_json_double(scan) * 8;

	if (!(bits >= 0 && bits <= 1024) || bits != (double)(int)bits)
		sf_stream_die(stream,
		    "an itemsize is %g, expected whole bytes, 0.5 or 0.25",
		    bits / 8);
	return (int)bits;
}

/* The members of a tensor, each of which may be there once. */
enum {
	T_TID = 1,
	T_SHAPE = 2,
	T_DTYPE = 4,
	T_ITEMSIZE = 8,
	T_PARAM = 16,
	T_STORED = 32
};

static void
check_tensor(struct sf_stream *stream, struct sf_tensor *t, int bits, int seen)
{
	const char *missing = !(seen & T_TID) ? "tid"
	    : !(seen & T_SHAPE)               ? "shape"
	    : !(seen & T_DTYPE)               ? "dtype"
					      : NULL;
	int64_t stored;

	if (missing != NULL)
		sf_stream_die(stream, "a tensor lacks its '%s'", missing);
	if (bits >= 0 && t->dtype != SF_DT_UNKNOWN &&
	    bits != sf_dtype_bits(t->dtype))
		sf_stream_die(stream,
		    "tensor '%.*s': the itemsize is %g, expected %g for %s",
		    SF_STR_ARG(t->tid), bits / 8.0,
		    sf_dtype_bits(t->dtype) / 8.0, sf_dtype_name(t->dtype));
	stored = t->stored;
	if (!sf_tensor_measure(t))
		sf_stream_die(stream, "tensor '%.*s': its size passes 2^63 - 1",
		    SF_STR_ARG(t->tid));
	if ((seen & T_STORED) == 0)
		return;
	if (stored < 0)
		sf_stream_die(stream,
		    "tensor '%.*s': stored is %lld, expected a count >= 0",
		    SF_STR_ARG(t->tid), (long long)stored);
	if (!t->param)
		sf_stream_die(stream,
		    "tensor '%.*s' has 'stored' and no 'param', which it is of",
		    SF_STR_ARG(t->tid));
	t->stored = stored;
}

/* Reads the value of one member and returns which it is, 0 when unknown. */
static int
read_tensor_member(struct sf_stream *stream, struct sf_json *scan,
    struct sf_str key, struct sf_tensor *t, int *bits)
{
	if (SF_KEY(key, "tid")) {
		t->tid = sf_json_string(scan);
		return T_TID;
	}
	if (SF_KEY(key, "shape")) {
		read_shape(stream, scan, t);
		return T_SHAPE;
	}
	if (SF_KEY(key, "dtype")) {
		t->dtype = read_dtype(stream, scan);
		return T_DTYPE;
	}
	if (SF_KEY(key, "itemsize")) {
		if (!sf_json_null(scan))
			*bits = read_itemsize(stream, scan);
		return T_ITEMSIZE;
	}
	if (SF_KEY(key, "param")) {
		t->param = sf_json_bool(scan);
		return T_PARAM;
	}
	if (SF_KEY(key, "stored")) {
		t->stored = sf_json_int(scan);
		return T_STORED;
	}
	sf_json_skip(scan);
	return 0;
}

/*
 * Enters the object and reads the members that come in the usual order, which
 * are all of them in nearly all traces. Returns which they are.
 */
static int
read_usual(struct sf_stream *stream, struct sf_json *scan, struct sf_tensor *t,
    int *bits)
{
	int seen = T_TID;

	if (!SF_JSON_TAKE(scan, "{\"tid\":")) {
		sf_json_enter(scan, '{');
		return 0;
	}
	t->tid = sf_json_string(scan);
	if (SF_JSON_TAKE(scan, ",\"shape\":")) {
		read_shape(stream, scan, t);
		seen |= T_SHAPE;
	}
	if (SF_JSON_TAKE(scan, ",\"dtype\":")) {
		t->dtype = read_dtype(stream, scan);
		seen |= T_DTYPE;
	}
	if (SF_JSON_TAKE(scan, ",\"itemsize\":")) {
		if (!sf_json_null(scan))
			*bits = read_itemsize(stream, scan);
		seen |= T_ITEMSIZE;
	}
	return seen;
}

static void
read_tensor(struct sf_stream *stream, struct sf_json *scan, struct sf_tensor *t)
{
	struct sf_str key;
	int bits = -1, seen;

	*t = (struct sf_tensor){ .dtype = SF_DT_UNKNOWN };
	if (sf_json_null(scan)) {
		t->tid = SF_STR("");
		t->absent = true;
		return;
	}
	seen = read_usual(stream, scan, t, &bits);
	while (sf_json_member(scan, &key)) {
		int member = read_tensor_member(stream, scan, key, t, &bits);

		if ((seen & member) != 0)
			sf_stream_die(stream, "a tensor has '%.*s' twice",
			    SF_STR_ARG(key));
		seen |= member;
	}
	if (scan->error == NULL)
		check_tensor(stream, t, bits, seen);
}

int
sf_tensors_read(
    struct sf_stream *stream, struct sf_json *scan, struct sf_tensor **tensors)
{
	struct sf_arena *arena = sf_stream_record_arena(stream);
	struct sf_tensor *all = NULL;
	size_t n = 0, room = 0;

	sf_json_enter(scan, '[');
	while (sf_json_element(scan)) {
		if (n == room) {
			struct sf_tensor *more;

			room = room != 0 ? room * 2 : 4;
			more = sf_arena_alloc(arena, room * sizeof *more);
			if (n != 0)
				memcpy(more, all, n * sizeof *more);
			all = more;
		}
		read_tensor(stream, scan, &all[n++]);
	}
	*tensors = all;
	return (int)n;
}

/* ---- writing ---- */

static void
write_shape(struct sf_jsonw *w, const struct sf_tensor *t)
{
	if (!t->rank_known) {
		sf_jsonw_null(w);
		return;
	}
	sf_jsonw_open(w, '[');
	for (int i = 0; i < t->rank; i++) {
		if (t->shape[i] != SF_DIM_UNKNOWN)
			sf_jsonw_int(w, t->shape[i]);
		else if (t->dim_names != NULL && t->dim_names[i].n != 0)
			sf_jsonw_str(w, t->dim_names[i]);
		else
			sf_jsonw_null(w);
	}
	sf_jsonw_close(w, ']');
}

static void
write_dtype(struct sf_jsonw *w, enum sf_dtype dtype)
{
	sf_jsonw_key(w, "dtype");
	if (dtype == SF_DT_UNKNOWN) {
		sf_jsonw_null(w);
		return;
	}
	sf_jsonw_cstr(w, sf_dtype_name(dtype));
	sf_jsonw_kdouble(w, "itemsize", sf_dtype_bits(dtype) / 8.0);
}

void
sf_tensors_write(struct sf_jsonw *w, const struct sf_tensor *tensors, int n)
{
	sf_jsonw_open(w, '[');
	for (int i = 0; i < n; i++) {
		const struct sf_tensor *t = &tensors[i];

		if (t->absent) {
			sf_jsonw_null(w);
			continue;
		}
		sf_jsonw_open(w, '{');
		sf_jsonw_kstr(w, "tid", t->tid);
		sf_jsonw_key(w, "shape");
		write_shape(w, t);
		write_dtype(w, t->dtype);
		if (t->param) {
			sf_jsonw_key(w, "param");
			sf_jsonw_bool(w, true);
			if (t->stored != t->bytes)
				sf_jsonw_kint(w, "stored", t->stored);
		}
		sf_jsonw_close(w, '}');
	}
	sf_jsonw_close(w, ']');
}
