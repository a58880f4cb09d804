/* The op record: reading, extending and writing it. */
#include "trace/op.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/num.h"

/* The members that an op may have once each. */
enum member {
	M_I,
	M_NAME,
	M_NODE,
	M_INPUTS,
	M_OUTPUTS,
	M_ATTRS,
	M_FOLDED,
	M_DEAD,
	M_UNRESOLVED,
	M_CATEGORY,
	M_FLOPS,
	M_BYTES_READ,
	M_BYTES_WRITTEN,
	M_WEIGHT_BYTES,
	M_LOWER,
	M_COST,
	M_SIM,
	M_EP,
	M_COUNT
};

static const struct sf_str member_names[M_COUNT] = {
	[M_I] = SF_STR_INIT("i"),
	[M_NAME] = SF_STR_INIT("name"),
	[M_NODE] = SF_STR_INIT("node"),
	[M_INPUTS] = SF_STR_INIT("inputs"),
	[M_OUTPUTS] = SF_STR_INIT("outputs"),
	[M_ATTRS] = SF_STR_INIT("attrs"),
	[M_FOLDED] = SF_STR_INIT("folded"),
	[M_DEAD] = SF_STR_INIT("dead"),
	[M_UNRESOLVED] = SF_STR_INIT("unresolved"),
	[M_CATEGORY] = SF_STR_INIT("category"),
	[M_FLOPS] = SF_STR_INIT("flops"),
	[M_BYTES_READ] = SF_STR_INIT("bytes_read"),
	[M_BYTES_WRITTEN] = SF_STR_INIT("bytes_written"),
	[M_WEIGHT_BYTES] = SF_STR_INIT("weight_bytes"),
	[M_LOWER] = SF_STR_INIT("lower"),
	[M_COST] = SF_STR_INIT("cost"),
	[M_SIM] = SF_STR_INIT("sim"),
	[M_EP] = SF_STR_INIT("ep"),
};

#define BIT(m) (UINT32_C(1) << (m))

/* What every op has, and what sf-rules adds, all at once. */
static const uint32_t required =
    BIT(M_I) | BIT(M_NAME) | BIT(M_INPUTS) | BIT(M_OUTPUTS);
static const uint32_t counts = BIT(M_CATEGORY) | BIT(M_FLOPS) |
    BIT(M_BYTES_READ) | BIT(M_BYTES_WRITTEN) | BIT(M_WEIGHT_BYTES);

/* ---- reading ---- */

/* The member KEY, looked for behind the one BEFORE: most come in that order. */
static enum member
member_of(struct sf_str key, enum member before)
{
	int m = before == M_COUNT ? 0 : before + 1;

	for (int n = 0; n < M_COUNT; n++, m++) {
		if (m >= M_COUNT)
			m = 0;
		if (sf_str_eq(member_names[m], key))
			return (enum member)m;
	}
	return M_COUNT;
}

static int64_t
read_count(struct sf_stream *stream, struct sf_json *scan, enum member m)
{
	int64_t count = sf_json_int(scan);

	if (count < 0)
		sf_stream_die(stream, "'%s' is %lld, expected an integer >= 0",
		    member_names[m].p, (long long)count);
	return count;
}

static enum sf_category
read_category(struct sf_stream *stream, struct sf_json *scan)
{
	struct sf_str name = sf_json_string(scan);
	enum sf_category category = sf_category_parse(name);

	if (category == SF_CAT_COUNT && scan->error == NULL)
		sf_stream_die(stream,
		    "the category '%.*s' is not known, expected one of: %s",
		    SF_STR_ARG(name), sf_category_list());
	return category;
}

static void
read_member(struct sf_stream *stream, struct sf_json *scan, struct sf_op *op,
    enum member m)
{
	switch (m) {
	case M_I:
		op->i = sf_json_int(scan);
		break;
	case M_NAME:
		op->name = sf_json_string(scan);
		break;
	case M_NODE:
		op->node = sf_json_string(scan);
		break;
	case M_INPUTS:
		op->ninputs = sf_tensors_read(stream, scan, &op->inputs);
		break;
	case M_OUTPUTS:
		op->noutputs = sf_tensors_read(stream, scan, &op->outputs);
		break;
	case M_ATTRS:
		op->attrs = sf_json_skip(scan);
		break;
	case M_FOLDED:
		op->folded = sf_json_bool(scan);
		break;
	case M_DEAD:
		op->dead = sf_json_bool(scan);
		break;
	case M_UNRESOLVED:
		op->unresolved = sf_json_string(scan);
		break;
	case M_CATEGORY:
		op->counts.category = read_category(stream, scan);
		break;
	case M_FLOPS:
		op->counts.flops = read_count(stream, scan, m);
		break;
	case M_BYTES_READ:
		op->counts.bytes_read = read_count(stream, scan, m);
		break;
	case M_BYTES_WRITTEN:
		op->counts.bytes_written = read_count(stream, scan, m);
		break;
	case M_WEIGHT_BYTES:
		op->counts.weight_bytes = read_count(stream, scan, m);
		break;
	case M_LOWER:
		op->lower = sf_json_skip(scan);
		break;
	case M_COST:
		op->cost = sf_json_skip(scan);
		break;
	case M_SIM:
		op->sim = sf_json_skip(scan);
		break;
	case M_EP:
		op->ep = sf_json_skip(scan);
		break;
	case M_COUNT:
		sf_json_skip(scan);
		break;
	}
}

/* The first member of WANTED that is not in SEEN. */
static const char *
first_missing(uint32_t wanted, uint32_t seen)
{
	return member_names[__builtin_ctz(wanted & ~seen)].p;
}

static void
check_members(struct sf_stream *stream, struct sf_op *op, uint32_t seen)
{
	int64_t expected = sf_stream_ops(stream);

	if ((seen & required) != required)
		sf_stream_die(stream, "the op lacks its '%s'",
		    first_missing(required, seen));
	if (op->i != expected)
		sf_stream_die(stream,
		    "the op's 'i' is %lld, expected %lld: ops count from 0 by "
		    "one",
		    (long long)op->i, (long long)expected);
	op->counted = (seen & counts) == counts;
	if (!op->counted && (seen & counts) != 0)
		sf_op_die(stream, op, "counted in part, its '%s' is missing",
		    first_missing(counts, seen));
	if (op->attrs.n != 0 && op->attrs.p[0] != '{')
		sf_op_die(stream, op, "its 'attrs' are no object");
}

void
sf_op_read(struct sf_stream *stream, struct sf_op *op)
{
	struct sf_json scan = sf_stream_scan(stream);
	struct sf_str key;
	uint32_t seen = 0;
	enum member m = M_COUNT;

	*op = (struct sf_op){ .i = -1 };
	while (sf_json_member(&scan, &key)) {
		m = member_of(key, m);
		if (m != M_COUNT && (seen & BIT(m)) != 0)
			sf_stream_die(
			    stream, "the op has '%s' twice", member_names[m].p);
		if (m != M_COUNT)
			seen |= BIT(m);
		read_member(stream, &scan, op, m);
	}
	sf_stream_check(stream, &scan);
	check_members(stream, op, seen);
}

bool
sf_stream_next_op(struct sf_stream *stream, struct sf_op *op)
{
	enum sf_kind kind;

	do
		kind = sf_stream_next(stream);
	while (kind != SF_K_OP && kind != SF_K_EOF);
	if (kind == SF_K_OP)
		sf_op_read(stream, op);
	return kind == SF_K_OP;
}

void
sf_op_die(
    struct sf_stream *stream, const struct sf_op *op, const char *format, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	sf_stream_die(stream, "op %lld '%.*s': %s", (long long)op->i,
	    SF_STR_ARG(op->name), text);
}

/* ---- attributes ---- */

struct sf_str
sf_op_attr(const struct sf_op *op, struct sf_str name, struct sf_arena *arena)
{
	struct sf_json scan = {
		.p = op->attrs.p, .start = op->attrs.p, .arena = arena
	};
	struct sf_str key;

	if (op->attrs.n == 0)
		return (struct sf_str){ NULL, 0 };
	sf_json_enter(&scan, '{');
	while (sf_json_member(&scan, &key)) {
		struct sf_str value = sf_json_skip(&scan);

		if (sf_str_eq(key, name))
			return value;
	}
	return (struct sf_str){ NULL, 0 };
}

bool
sf_op_attr_int(struct sf_stream *stream, const struct sf_op *op,
    const char *name, int64_t *out)
{
	struct sf_arena *arena = sf_stream_record_arena(stream);
	struct sf_str value = sf_op_attr(op, sf_str_of(name), arena);
	struct sf_json scan = {
		.p = value.p, .start = value.p, .arena = arena
	};

	if (value.n == 0)
		return false;
	*out = sf_json_int(&scan);
	if (scan.error != NULL)
		sf_op_die(stream, op, "attribute '%s': %s", name, scan.error);
	return true;
}

/* ---- writing ---- */

void
sf_stream_put_counts(struct sf_stream *stream, const struct sf_op *op)
{
	struct sf_jsonw *w = sf_stream_extend(stream);

	if (op->counted)
		sf_op_die(stream, op,
		    "is counted already, expected a trace that has not been "
		    "through sf-rules");
	sf_jsonw_kcstr(w, "category", sf_category_name(op->counts.category));
	sf_jsonw_kint(w, "flops", op->counts.flops);
	sf_jsonw_kint(w, "bytes_read", op->counts.bytes_read);
	sf_jsonw_kint(w, "bytes_written", op->counts.bytes_written);
	sf_jsonw_kint(w, "weight_bytes", op->counts.weight_bytes);
}

static void
put_flag(struct sf_jsonw *w, const char *name, bool value)
{
	if (!value)
		return;
	sf_jsonw_key(w, name);
	sf_jsonw_bool(w, true);
}

void
sf_op_put(struct sf_stream *stream, const struct sf_op *op)
{
	int64_t i = sf_stream_ops(stream);
	struct sf_jsonw *w = sf_stream_record(stream, SF_K_OP);

	sf_jsonw_kint(w, "i", i);
	sf_jsonw_kstr(w, "name", op->name);
	if (op->node.n != 0)
		sf_jsonw_kstr(w, "node", op->node);
	sf_jsonw_key(w, "inputs");
	sf_tensors_write(w, op->inputs, op->ninputs);
	sf_jsonw_key(w, "outputs");
	sf_tensors_write(w, op->outputs, op->noutputs);
	if (op->attrs.n != 0) {
		sf_jsonw_key(w, "attrs");
		sf_jsonw_raw(w, op->attrs);
	}
	put_flag(w, "folded", op->folded);
	put_flag(w, "dead", op->dead);
	if (op->unresolved.n != 0)
		sf_jsonw_kstr(w, "unresolved", op->unresolved);
	sf_stream_put(stream);
}
