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
	if (!sf_mul_all(t->shape, (size_t)t->rank, &t->numel) ||
	    !bytes_of(t->numel, sf_dtype_bits(t->dtype), &t->bytes))
		return false;
	t->stored = t->bytes;
	return true;
}

/* ---- reading ---- */

/* One entry of a shape: a size, the name of one, or null. */
static bool
read_size(struct sf_json *scan, int64_t *size, struct sf_str *name)
{
	char c = sf_json_peek(scan);

	*name = SF_STR("");
	*size = SF_DIM_UNKNOWN;
	if (c == '"') {
		*name = sf_json_string(scan);
		return name->n != 0;
	}
	if (c == 'n')
		return sf_json_null(scan);
	*size = sf_json_int(scan);
	return *size >= 0;
}

/* False when it is none. */
static bool
read_sizes(struct sf_json *scan, struct sf_tensor *t)
{
	struct sf_str names[SF_MAX_RANK];
	int64_t sizes[SF_MAX_RANK], *shape;
	bool named = false;
	size_t rank = 0;

	sf_json_enter(scan, '[');
	while (sf_json_element(scan)) {
		if (rank == SF_MAX_RANK ||
		    !read_size(scan, &sizes[rank], &names[rank]))
			return false;
		named = named || names[rank].n != 0;
		rank++;
	}
	shape = sf_arena_alloc(scan->arena, rank * sizeof *shape);
	if (rank != 0)
		memcpy(shape, sizes, rank * sizeof *shape);
	t->rank = (int)rank;
	t->shape = shape;
	if (named) {
		struct sf_str *copy =
		    sf_arena_alloc(scan->arena, rank * sizeof *copy);

		memcpy(copy, names, rank * sizeof *copy);
		t->dim_names = copy;
	}
	return true;
}

static void
read_shape(struct sf_reading *r, const struct sf_member *m, void *into)
{
	struct sf_tensor *t = into;
	const char *value = r->scan.p;

	t->rank_known = !sf_json_null(&r->scan);
	if (t->rank_known && !read_sizes(&r->scan, t))
		sf_member_refuse(r, m, value, NULL);
}

static void
read_dtype(struct sf_reading *r, const struct sf_member *m, void *into)
{
	struct sf_tensor *t = into;
	const char *value = r->scan.p;

	if (sf_json_null(&r->scan))
		return;
	t->dtype = sf_dtype_parse(sf_json_string(&r->scan));
	if (t->dtype == SF_DT_UNKNOWN)
		sf_member_refuse(r, m, value, sf_dtype_list());
}

/*
 * Bytes an element, which are 0.5 or 0.25 for types below a byte. It follows
 * from the type and is no field: until the tensor is measured its `numel` holds
 * the bits, or -1.
 */
static void
read_itemsize(struct sf_reading *r, const struct sf_member *m, void *into)
{
	struct sf_tensor *t = into;
	const char *value = r->scan.p;
	double bits = sf_json_double(&r->scan) * 8;

	if (bits >= 0 && bits <= 1024 && bits == (double)(int)bits)
		t->numel = (int)bits;
	else
		sf_member_refuse(r, m, value, NULL);
}

/* In the order in which they are written. */
enum {
	TID,
	SHAPE,
	DTYPE,
	ITEMSIZE,
	PARAM,
	STORED,
	READ,
	KEPT,
	CACHE
};

static const struct sf_member rows[] = {
	[TID] = SF_MEMBER_STR("tid", struct sf_tensor, tid, SF_ALWAYS),
	[SHAPE] = SF_MEMBER_CALL("shape", SF_ALWAYS, read_shape,
	    "null, or an array of at most 64 integers >= 0, names or nulls"),
	[DTYPE] = SF_MEMBER_CALL(
	    "dtype", SF_ALWAYS, read_dtype, "a type's name, or null"),
	[ITEMSIZE] = SF_MEMBER_CALL(
	    "itemsize", SF_OPTIONAL, read_itemsize, "whole bytes, 0.5 or 0.25"),
	[PARAM] = SF_MEMBER_TRUE("param", struct sf_tensor, param, SF_OPTIONAL),
	[STORED] =
	    SF_MEMBER_COUNT("stored", struct sf_tensor, stored, SF_OPTIONAL),
	/* Until the tensor is measured, what is read and not what is left. */
	[READ] = SF_MEMBER_COUNT("read", struct sf_tensor, unread, SF_OPTIONAL),
	[KEPT] = SF_MEMBER_TRUE("kept", struct sf_tensor, kept, SF_OPTIONAL),
	[CACHE] = SF_MEMBER_TRUE("cache", struct sf_tensor, cache, SF_OPTIONAL),
};
static const struct sf_members members = SF_MEMBERS("tensor", rows);

/*
 * Enters the object and reads what nearly all tensors consist of, without a
 * look at the rows. Returns which members it has read. What is not as it mostly
 * is is left to the rows, from the beginning.
 */
static uint64_t
read_usual(struct sf_json *s, struct sf_tensor *t)
{
	if (!SF_JSON_TAKE(s, "{\"tid\":"))
		return 0;
	t->tid = sf_json_string(s);
	if (!SF_JSON_TAKE(s, ",\"shape\":") || *s->p != '[' ||
	    !read_sizes(s, t) || !SF_JSON_TAKE(s, ",\"dtype\":\""))
		return 0;
	s->p--;
	t->dtype = sf_dtype_parse(sf_json_string(s));
	if (t->dtype == SF_DT_UNKNOWN || !SF_JSON_TAKE(s, ",\"itemsize\":"))
		return 0;
	if (sf_json_double(s) * 8 != sf_dtype_bits(t->dtype))
		return 0;
	t->rank_known = true;
	t->param = SF_JSON_TAKE(s, ",\"param\":true");
	return (uint64_t)(1 << TID | 1 << SHAPE | 1 << DTYPE | 1 << ITEMSIZE |
	    t->param << PARAM);
}

static void
check(struct sf_reading *r, struct sf_tensor *t, uint64_t seen)
{
	int bits = (int)t->numel;
	int64_t stored = t->stored, read = t->unread;

	if (bits >= 0 && t->dtype == SF_DT_UNKNOWN)
		sf_reading_fail(r,
		    "'itemsize' is %g, expected none as the dtype is null",
		    bits / 8.0);
	if (bits >= 0 && bits != sf_dtype_bits(t->dtype))
		sf_reading_fail(r, "'itemsize' is %g, expected %g for %s",
		    bits / 8.0, sf_dtype_bits(t->dtype) / 8.0,
		    sf_dtype_name(t->dtype));
	if (!sf_tensor_measure(t))
		sf_reading_fail(r, "the size of '%.*s' passes 2^63 - 1",
		    SF_STR_ARG(t->tid));
	t->unread = 0;
	if ((seen & (1 << STORED | 1 << READ)) == 0)
		return;
	if (!t->param)
		sf_reading_fail(r,
		    "'param' is missing, expected it beside '%s'",
		    (seen >> STORED & 1) != 0 ? "stored" : "read");
	if ((seen >> STORED & 1) != 0)
		t->stored = stored;
	if ((seen >> READ & 1) == 0)
		return;
	if (read > t->stored)
		sf_reading_fail(r,
		    "'read' is %lld, expected at most the %lld bytes that are "
		    "stored",
		    (long long)read, (long long)t->stored);
	t->unread = t->stored - read;
}

static void
read_members(struct sf_reading *r, struct sf_tensor *t)
{
	const char *start = r->scan.p;
	uint64_t seen = read_usual(&r->scan, t);

	if (seen == 0 || r->scan.error != NULL) {
		r->scan.p = start;
		r->scan.error = NULL;
		*t = (struct sf_tensor){ .dtype = SF_DT_UNKNOWN, .numel = -1 };
		sf_json_enter(&r->scan, '{');
		seen = 0;
	}
	if (seen == 0 || *r->scan.p != '}')
		seen = sf_members_read(r, &members, t, seen);
	else
		r->scan.p++;
	if (r->scan.error == NULL)
		check(r, t, seen);
}

static void
read_tensor(struct sf_reading *r, struct sf_tensor *t)
{
	*t = (struct sf_tensor){ .dtype = SF_DT_UNKNOWN, .numel = -1 };
	if (sf_json_null(&r->scan)) {
		t->tid = SF_STR("");
		t->absent = true;
		t->numel = 0;
	} else {
		read_members(r, t);
	}
}

int
sf_tensors_read(
    struct sf_reading *r, const struct sf_member *m, struct sf_tensor **tensors)
{
	const struct sf_place array = { r->place, m->name.p, -1, NULL };
	struct sf_place here = { &array, NULL, 0, NULL };
	struct sf_arena *arena = r->scan.arena;
	struct sf_tensor *all = NULL;
	size_t n = 0, room = 0;

	if (!sf_json_enter(&r->scan, '['))
		return 0;
	r->place = &here;
	while (sf_json_element(&r->scan)) {
		if (n == room) {
			struct sf_tensor *more;

			room = room != 0 ? room * 2 : 4;
			more = sf_arena_alloc(arena, room * sizeof *more);
			if (n != 0)
				memcpy(more, all, n * sizeof *more);
			all = more;
		}
		here.index = (int64_t)n;
		read_tensor(r, &all[n++]);
	}
	r->place = array.up;
	*tensors = all;
	return (int)n;
}

/* ---- writing ---- */

/* Nearly all shapes are numbers and no more: no comma is asked for. */
static bool
write_numbers(struct sf_jsonw *w, const struct sf_tensor *t)
{
	char *p;

	for (int i = 0; i < t->rank; i++)
		if (t->shape[i] < 0)
			return false;
	sf_buf_need(&w->buf, (size_t)t->rank * 21 + 20);
	p = w->buf.p + w->buf.n;
	*p++ = '[';
	for (int i = 0; i < t->rank; i++) {
		if (i != 0)
			*p++ = ',';
		p += sf_int_format(t->shape[i], p);
	}
	*p++ = ']';
	w->buf.n = (size_t)(p - w->buf.p);
	w->comma = true;
	return true;
}

static void
write_shape(struct sf_jsonw *w, const struct sf_tensor *t)
{
	if (!t->rank_known) {
		sf_jsonw_null(w);
		return;
	}
	if (write_numbers(w, t))
		return;
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

/* Bytes of so many bits. */
#define BYTES_0   "0"
#define BYTES_2   "0.25"
#define BYTES_4   "0.5"
#define BYTES_8   "1"
#define BYTES_16  "2"
#define BYTES_32  "4"
#define BYTES_64  "8"
#define BYTES_128 "16"

static const struct sf_str typed[] = {
#define SF_DTYPE(id, name, bits, parts) \
	SF_STR_INIT("\"dtype\":\"" name "\",\"itemsize\":" BYTES_##bits),
#include "trace/dtype.def"
#undef SF_DTYPE
};

static void
write_dtype(struct sf_jsonw *w, enum sf_dtype dtype)
{
	if (dtype == SF_DT_UNKNOWN) {
		sf_jsonw_key(w, "dtype");
		sf_jsonw_null(w);
		return;
	}
	sf_jsonw_raw(w, typed[dtype]);
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
			if (t->unread != 0)
				sf_jsonw_kint(w, "read", t->stored - t->unread);
		}
		if (t->kept) {
			sf_jsonw_key(w, "kept");
			sf_jsonw_bool(w, true);
		}
		if (t->cache) {
			sf_jsonw_key(w, "cache");
			sf_jsonw_bool(w, true);
		}
		sf_jsonw_close(w, '}');
	}
	sf_jsonw_close(w, ']');
}
