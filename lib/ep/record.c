/* The partition in the stream: the `ep` member and the partition record. */
#include "ep/record.h"

#include "stream/member.h"
#include "stream/tally.h"

const char *const sf_ep_sides[] = { "none", "device", "host", NULL };

/* ---- writing ---- */

static void
write_texts(struct sf_jsonw *w, const char *name, const struct sf_texts *texts)
{
	sf_jsonw_key(w, name);
	sf_jsonw_open(w, '[');
	for (int i = 0; i < texts->n; i++)
		sf_jsonw_str(w, texts->v[i]);
	sf_jsonw_close(w, ']');
}

static void
write_categories(struct sf_jsonw *w, uint32_t set)
{
	sf_jsonw_key(w, "categories");
	sf_jsonw_open(w, '[');
	for (int c = 0; c < SF_CAT_COUNT; c++)
		if ((set >> c & 1) != 0)
			sf_jsonw_cstr(w, sf_category_name((enum sf_category)c));
	sf_jsonw_close(w, ']');
}

void
sf_ep_op_write(struct sf_jsonw *w, const struct sf_ep_op *ep)
{
	sf_jsonw_key(w, "ep");
	sf_jsonw_open(w, '{');
	sf_jsonw_kcstr(w, "side", sf_ep_sides[ep->side]);
	if (ep->subgraph >= 0)
		sf_jsonw_kint(w, "subgraph", ep->subgraph);
	sf_jsonw_kint(w, "crossings", ep->crossings);
	sf_jsonw_kint(w, "crossing_bytes", ep->crossing_bytes);
	sf_jsonw_close(w, '}');
}

static void
write_parts(struct sf_jsonw *w, const struct sf_ep_result *r)
{
	sf_jsonw_key(w, "host");
	sf_jsonw_open(w, '{');
	sf_jsonw_kstr(w, "name", r->host.name);
	sf_jsonw_kdouble(w, "flops_per_s", r->host.flops_per_s);
	sf_jsonw_kdouble(w, "bytes_per_s", r->host.bytes_per_s);
	sf_jsonw_close(w, '}');
	sf_jsonw_key(w, "link");
	sf_jsonw_open(w, '{');
	sf_jsonw_kstr(w, "name", r->link.name);
	sf_jsonw_kdouble(w, "bytes_per_s", r->link.bytes_per_s);
	sf_jsonw_kdouble(w, "latency_s", r->link.latency_s);
	sf_jsonw_close(w, '}');
}

void
sf_ep_result_put(struct sf_stream *stream, const struct sf_ep_result *r)
{
	struct sf_jsonw *w = sf_stream_record(stream, SF_K_PARTITION);

	write_texts(w, "claim", &r->claim);
	write_texts(w, "not_in_trace", &r->not_in_trace);
	if (!r->by_node)
		write_categories(w, r->categories);
	sf_jsonw_kstr(w, "preset", r->preset);
	write_texts(w, "settings", &r->settings);
	sf_jsonw_kcstr(w, "engine", sf_engine_names[r->engine]);
	write_parts(w, r);
	sf_jsonw_kint(w, "claimed", r->claimed);
	sf_jsonw_kint(w, "subgraphs", r->subgraphs);
	sf_jsonw_kint(w, "cut_edges", r->cut_edges);
	sf_jsonw_kint(w, "crossings", r->crossings);
	sf_jsonw_kint(w, "crossing_bytes", r->crossing_bytes);
	sf_jsonw_kint(w, "tiles", r->tiles);
	sf_jsonw_kdouble(w, "device_s", r->device_s);
	sf_jsonw_kdouble(w, "host_s", r->host_s);
	sf_jsonw_kdouble(w, "link_s", r->link_s);
	sf_stream_put(stream);
}

/* ---- reading ---- */

static const struct sf_member op_rows[] = {
	SF_MEMBER_WORD("side", struct sf_ep_op, side, SF_ALWAYS, sf_ep_sides),
	SF_MEMBER_COUNT("subgraph", struct sf_ep_op, subgraph, SF_OPTIONAL),
	SF_MEMBER_COUNT("crossings", struct sf_ep_op, crossings, SF_ALWAYS),
	SF_MEMBER_COUNT(
	    "crossing_bytes", struct sf_ep_op, crossing_bytes, SF_ALWAYS),
};
static const struct sf_members op_members = SF_MEMBERS("ep", op_rows);

/* Subgraphs are numbered in the order of their first operators. */
static void
tally_side(
    struct sf_stream *stream, const struct sf_op *op, const struct sf_ep_op *ep)
{
	const struct sf_place place = sf_op_place(op);
	struct sf_tally *tally = sf_stream_tally(stream);
	struct sf_tally_sides *t = &tally->sides;

	if (ep->subgraph > t->subgraphs)
		sf_op_die(stream, op,
		    "ep: the subgraph is %lld, expected at most %lld: they are "
		    "numbered as they begin",
		    (long long)ep->subgraph, (long long)t->subgraphs);
	t->subgraphs += ep->subgraph == t->subgraphs;
	t->claimed += ep->subgraph >= 0;
	sf_tally_sum(stream, &place, "crossings", &t->crossings, ep->crossings);
	sf_tally_sum(stream, &place, "crossings", &t->crossing_bytes,
	    ep->crossing_bytes);
	tally->sides_read++;
}

void
sf_ep_op_read(
    struct sf_stream *stream, const struct sf_op *op, struct sf_ep_op *ep)
{
	const struct sf_place place = sf_op_place(op);

	bool again = sf_stream_part_was_read(stream, op->ep);

	*ep = (struct sf_ep_op){ .subgraph = -1 };
	sf_object_read(stream, op->ep, &place, &op_members, NULL, ep);
	if (!again)
		tally_side(stream, op, ep);
}

static void
read_categories(struct sf_reading *r, const struct sf_member *m, void *into)
{
	struct sf_ep_result *result = into;
	const char *value = r->scan.p;

	sf_json_enter(&r->scan, '[');
	while (sf_json_element(&r->scan)) {
		enum sf_category c =
		    sf_category_parse(sf_json_string(&r->scan));

		if (c == SF_CAT_COUNT) {
			sf_member_refuse(r, m, value, NULL);
			return;
		}
		result->categories |= UINT32_C(1) << c;
	}
	result->by_node = false;
}

#define PART(name, what, field) \
	SF_MEMBER_##what(name, struct sf_ep_result, field, SF_ALWAYS)
#define SECONDS(name, field) \
	SF_MEMBER_DOUBLE(    \
	    name, struct sf_ep_result, field, SF_ALWAYS, 0, DBL_MAX)

static const struct sf_member host_rows[] = {
	PART("name", TEXT, host.name),
	PART("flops_per_s", RATE, host.flops_per_s),
	PART("bytes_per_s", RATE, host.bytes_per_s),
};
static const struct sf_members host = SF_MEMBERS("host", host_rows);

static const struct sf_member link_rows[] = {
	PART("name", TEXT, link.name),
	PART("bytes_per_s", RATE, link.bytes_per_s),
	SECONDS("latency_s", link.latency_s),
};
static const struct sf_members link_members = SF_MEMBERS("link", link_rows);

static const struct sf_member text = SF_ELEMENT_TEXT;
#define TEXTS(name, field)                                           \
	SF_MEMBER_ARRAY(name, struct sf_ep_result, field.v, field.n, \
	    SF_ALWAYS, &text, 0, INT64_MAX)

static const struct sf_member result_rows[] = {
	TEXTS("claim", claim),
	TEXTS("not_in_trace", not_in_trace),
	SF_MEMBER_CALL("categories", SF_OPTIONAL, read_categories,
	    "an array of categories"),
	PART("preset", TEXT, preset),
	TEXTS("settings", settings),
	SF_MEMBER_WORD(
	    "engine", struct sf_ep_result, engine, SF_ALWAYS, sf_engine_names),
	SF_MEMBER_PART("host", SF_ALWAYS, &host),
	SF_MEMBER_PART("link", SF_ALWAYS, &link_members),
	PART("claimed", COUNT, claimed),
	PART("subgraphs", COUNT, subgraphs),
	PART("cut_edges", COUNT, cut_edges),
	PART("crossings", COUNT, crossings),
	PART("crossing_bytes", COUNT, crossing_bytes),
	PART("tiles", COUNT, tiles),
	SECONDS("device_s", device_s),
	SECONDS("host_s", host_s),
	SECONDS("link_s", link_s),
};
static const struct sf_members result_members =
    SF_MEMBERS("partition", result_rows);

void
sf_ep_result_read(struct sf_stream *stream, struct sf_arena *arena,
    struct sf_ep_result *result)
{
	struct sf_tally *tally = sf_stream_tally(stream);

	*result = (struct sf_ep_result){ .by_node = true };
	sf_record_read(stream, &result_members, arena, result);
	tally->partition_read = true;
	tally->partition = (struct sf_tally_sides){ result->claimed,
		result->subgraphs, result->crossings, result->crossing_bytes };
}

double
sf_ep_total_s(const struct sf_ep_result *r)
{
	return r->device_s + r->host_s + r->link_s;
}
