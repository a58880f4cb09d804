/* The op record: reading, extending and writing it. */
#include "trace/op.h"

#include <stdarg.h>

#include "stream/tally.h"

/* ---- reading ---- */

static void
read_inputs(struct sf_reading *r, const struct sf_member *m, void *into)
{
	struct sf_op *op = into;

	op->ninputs = sf_tensors_read(r, m, &op->inputs);
}

static void
read_outputs(struct sf_reading *r, const struct sf_member *m, void *into)
{
	struct sf_op *op = into;

	op->noutputs = sf_tensors_read(r, m, &op->outputs);
}

/* What sf-rules adds is there whole or not at all. */
#define COUNTS SF_GROUP

static const struct sf_member rows[] = {
	SF_MEMBER_COUNT("i", struct sf_op, i, SF_ALWAYS),
	SF_MEMBER_TEXT("name", struct sf_op, name, SF_ALWAYS),
	SF_MEMBER_TEXT("node", struct sf_op, node, SF_OPTIONAL),
	SF_MEMBER_TEXT("module", struct sf_op, module, SF_OPTIONAL),
	SF_MEMBER_TEXT("phase", struct sf_op, phase, SF_OPTIONAL),
	SF_MEMBER_CALL("inputs", SF_ALWAYS, read_inputs, "an array of tensors"),
	SF_MEMBER_CALL(
	    "outputs", SF_ALWAYS, read_outputs, "an array of tensors"),
	SF_MEMBER_JSON("attrs", struct sf_op, attrs, SF_OPTIONAL, '{'),
	SF_MEMBER_TRUE("folded", struct sf_op, folded, SF_OPTIONAL),
	SF_MEMBER_TRUE("dead", struct sf_op, dead, SF_OPTIONAL),
	SF_MEMBER_TEXT("unresolved", struct sf_op, unresolved, SF_OPTIONAL),
	SF_MEMBER_DOUBLE("measured_s", struct sf_op, measured_s, SF_OPTIONAL, 0,
	    SF_MEASURED_MOST_S),
	SF_MEMBER_WORD("category", struct sf_op, counts.category, COUNTS,
	    sf_category_words),
	SF_MEMBER_COUNT("flops", struct sf_op, counts.flops, COUNTS),
	SF_MEMBER_COUNT("bytes_read", struct sf_op, counts.bytes_read, COUNTS),
	SF_MEMBER_COUNT(
	    "bytes_written", struct sf_op, counts.bytes_written, COUNTS),
	SF_MEMBER_COUNT(
	    "weight_bytes", struct sf_op, counts.weight_bytes, COUNTS),
	SF_MEMBER_COUNT(
	    "masked_flops", struct sf_op, counts.masked_flops, SF_OPTIONAL),
	SF_MEMBER_COUNT("macs", struct sf_op, counts.macs, SF_OPTIONAL),
	SF_MEMBER_JSON("gemms", struct sf_op, gemms, SF_OPTIONAL, '['),
	SF_MEMBER_JSON("window", struct sf_op, window, SF_OPTIONAL, '{'),
	SF_MEMBER_JSON("lower", struct sf_op, lower, SF_OPTIONAL, '{'),
	SF_MEMBER_JSON("cost", struct sf_op, cost, SF_OPTIONAL, '{'),
	SF_MEMBER_JSON("sim", struct sf_op, sim, SF_OPTIONAL, '{'),
	SF_MEMBER_JSON("ep", struct sf_op, ep, SF_OPTIONAL, '{'),
};
static const struct sf_members members = SF_MEMBERS("op", rows);

struct sf_place
sf_op_place(const struct sf_op *op)
{
	return (struct sf_place){ NULL, "op", op->i, &op->name };
}

/* What a stage adds rests on what those before it have added. */
static void
check_stages(struct sf_reading *r, const struct sf_op *op)
{
	const char *later = op->gemms.n != 0 ? "gemms"
	    : op->counts.masked_flops != 0   ? "masked_flops"
	    : op->window.n != 0              ? "window"
	    : op->lower.n != 0               ? "lower"
	    : op->cost.n != 0                ? "cost"
	    : op->ep.n != 0                  ? "ep"
					     : NULL;

	if (later != NULL && !op->counted)
		sf_reading_fail(r,
		    "'category' is missing, expected the counts beside '%s'",
		    later);
	if (op->counts.macs >= 0 && op->gemms.n == 0)
		sf_reading_fail(
		    r, "'gemms' is missing, expected it beside 'macs'");
	if (op->counts.masked_flops > op->counts.flops && op->counted)
		sf_reading_fail(r,
		    "'masked_flops' is %lld, expected at most the %lld of "
		    "'flops'",
		    (long long)op->counts.masked_flops,
		    (long long)op->counts.flops);
	if (op->sim.n != 0 && op->lower.n == 0)
		sf_reading_fail(
		    r, "'lower' is missing, expected it beside 'sim'");
}

static void
tally_counts(struct sf_stream *stream, const struct sf_place *place,
    const struct sf_counts *c)
{
	struct sf_tally *t = sf_stream_tally(stream);
	const char *bytes = "bytes read and written";

	sf_tally_sum(stream, place, "FLOPs", &t->flops, c->flops);
	sf_tally_sum(stream, place, "multiply-adds", &t->macs, c->macs);
	sf_tally_sum(stream, place, bytes, &t->bytes, c->bytes_read);
	sf_tally_sum(stream, place, bytes, &t->bytes, c->bytes_written);
	sf_tally_sum(
	    stream, place, "weight bytes", &t->weight_bytes, c->weight_bytes);
}

static void
tally_op(struct sf_reading *r, const struct sf_op *op)
{
	struct sf_tally *t = sf_stream_tally(r->stream);

	if (t->ops != 0 && op->counted != (t->counted != 0))
		sf_reading_fail(r,
		    op->counted ? "it is counted, operators before it are not"
				: "it is not counted, operators before it "
				  "are");
	if (op->lower.n != 0 && t->records[SF_K_ACCEL] == 0)
		sf_reading_fail(r,
		    "comes before any accel record, expected a trace from "
		    "sf-lower");
	t->ops++;
	t->counted += op->counted;
	t->costed += op->cost.n != 0;
	t->timed += op->sim.n != 0;
	t->sided += op->ep.n != 0;
	if (op->counted)
		tally_counts(r->stream, r->place, &op->counts);
}

/* For whoever passes on what later stages added, the caller's OP may go. */
static void
keep_staged(struct sf_stream *stream, const struct sf_op *op)
{
	struct sf_op *copy;

	if (op->gemms.n == 0 && op->window.n == 0 && op->lower.n == 0 &&
	    op->cost.n == 0 && op->sim.n == 0 && op->ep.n == 0)
		return;
	copy = sf_arena_calloc(sf_stream_record_arena(stream), 1, sizeof *copy);
	*copy = *op;
	sf_stream_was_op(stream, copy);
}

void
sf_op_read(struct sf_stream *stream, struct sf_op *op)
{
	int64_t expected = sf_stream_ops(stream);
	const struct sf_place place = { NULL, "op", expected, &op->name };
	struct sf_reading r = sf_reading_of(stream, &place);
	bool again = sf_stream_is_read(stream);

	/* What there cannot be, to see whether the counts and macs are. */
	*op = (struct sf_op){ .i = -1,
		.counts.category = SF_CAT_COUNT,
		.counts.macs = -1,
		.measured_s = -1 };
	sf_reading_whole(&r, &members, op);
	if (op->i != expected)
		sf_reading_fail(&r,
		    "'i' is %lld, expected %lld: ops count from 0 by one",
		    (long long)op->i, (long long)expected);
	op->measured = op->measured_s >= 0;
	if (!op->measured)
		op->measured_s = 0;
	op->counted = op->counts.category != SF_CAT_COUNT;
	if (!op->counted)
		op->counts.category = (enum sf_category)0;
	check_stages(&r, op);
	if (op->counts.macs < 0)
		op->counts.macs = 0;
	if (!again)
		tally_op(&r, op);
	keep_staged(stream, op);
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
	const struct sf_place place = sf_op_place(op);
	va_list ap;

	va_start(ap, format);
	sf_place_vdie(stream, &place, format, ap);
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
	const struct sf_place place = sf_op_place(op);
	struct sf_jsonw *w;

	if (op->counted)
		sf_op_die(stream, op,
		    "is counted already, expected a trace that has not been "
		    "through sf-rules");
	tally_counts(stream, &place, &op->counts);
	/* An op has all of them or none: one look is enough. */
	w = sf_stream_extend(stream, "category");
	sf_jsonw_cstr(w, sf_category_name(op->counts.category));
	sf_jsonw_kint(w, "flops", op->counts.flops);
	sf_jsonw_kint(w, "bytes_read", op->counts.bytes_read);
	sf_jsonw_kint(w, "bytes_written", op->counts.bytes_written);
	sf_jsonw_kint(w, "weight_bytes", op->counts.weight_bytes);
	if (op->counts.masked_flops != 0)
		sf_jsonw_kint(w, "masked_flops", op->counts.masked_flops);
	if (op->counts.products != NULL)
		sf_products_put(stream, op->counts.products);
	if (op->counts.window.n != 0)
		sf_window_put(stream, &op->counts.window);
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
	if (op->module.n != 0)
		sf_jsonw_kstr(w, "module", op->module);
	if (op->phase.n != 0)
		sf_jsonw_kstr(w, "phase", op->phase);
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
	if (op->measured)
		sf_jsonw_kdouble(w, "measured_s", op->measured_s);
	sf_stream_put(stream);
}
