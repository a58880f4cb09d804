/* Partition and cost of each trace of a stream. */
#include "ep/ep.h"

#include "ep/ep-report.h"
#include "stream/trace.h"

struct sf_ep {
	struct sf_stream *stream;
	const struct sf_ep_request *request;
	struct sf_claim claim;
	uint32_t categories; /* of --categories; 0: of what is claimed */
	struct sf_accel accel;
	const struct sf_device *host, *link;
	struct sf_partition partition;
	struct sf_split split;
	struct sf_ep_writer *writer;
	struct sf_ep_result result;
};

static void
check_request(const struct sf_ep_request *r)
{
	if (r->claim == NULL)
		sf_die(SF_EX_USAGE,
		    "missing option: expected '--claim' or '--ort-profile'");
	if (r->categories != NULL && r->by_node)
		sf_die(SF_EX_USAGE,
		    "'--categories' and '--by-node' exclude each other");
}

static void
parse_lists(struct sf_ep *ep, struct sf_arena *arena)
{
	struct sf_error error;

	if (!sf_claim_parse(&ep->claim, ep->request->claim, arena, &error))
		sf_die(SF_EX_USAGE, "option '--claim': %s", error.text);
	if (ep->request->categories != NULL &&
	    !sf_category_set_parse(
		ep->request->categories, &ep->categories, &error))
		sf_die(SF_EX_USAGE, "option '--categories': %s", error.text);
}

static const char *
otherwise(const char *text, const char *usual)
{
	return text != NULL ? text : usual;
}

struct sf_ep *
sf_ep_new(struct sf_stream *stream, const struct sf_ep_request *r)
{
	struct sf_arena *arena = sf_stream_arena(stream);
	struct sf_ep *ep = sf_arena_calloc(arena, 1, sizeof *ep);

	check_request(r);
	ep->stream = stream;
	ep->request = r;
	parse_lists(ep, arena);
	sf_accel_load(&ep->accel, otherwise(r->preset, "edge-npu"),
	    &r->settings, false, arena);
	ep->host = sf_device_load(otherwise(r->host, "host"), arena);
	ep->link = sf_link_load(otherwise(r->link, "ep"), arena);
	sf_split_init(&ep->split, &ep->accel, ep->host, ep->link);
	sf_partition_init(&ep->partition);
	ep->result = (struct sf_ep_result){
		.request = r,
		.claim = &ep->claim,
		.accel = &ep->accel,
		.host = ep->host,
		.link = ep->link,
		.partition = &ep->partition,
		.split = &ep->split,
	};
	ep->writer = sf_ep_writer_new(sf_stream_text(stream), r->format);
	return ep;
}

/* ---- one trace ---- */

static void
begin_trace(struct sf_ep *ep)
{
	sf_trace_read(
	    ep->stream, sf_stream_arena(ep->stream), &ep->result.trace);
	ep->result.number++;
	sf_claim_begin(&ep->claim);
}

static void
take_op(struct sf_ep *ep)
{
	struct sf_op op;

	sf_op_read(ep->stream, &op);
	if (!op.counted)
		sf_op_die(ep->stream, &op,
		    "is not counted, expected a trace from sf-rules");
	sf_partition_add(&ep->partition, &ep->claim, &op);
}

/* The categories of the claimed operators that cost anything. */
static uint32_t
claimed_categories(const struct sf_partition *p)
{
	uint32_t set = 0;

	for (size_t i = 0; i < sf_partition_count(p); i++) {
		const struct sf_ep_node *node = sf_partition_node(p, i);

		if (node->claimed && !sf_cost_is_free(&node->op.counts))
			set |= UINT32_C(1) << node->op.counts.category;
	}
	return set;
}

static void
cost_trace(struct sf_ep *ep)
{
	const struct sf_partition *p = &ep->partition;

	ep->result.categories = ep->request->categories != NULL
	    ? ep->categories
	    : claimed_categories(p);
	sf_split_begin(&ep->split);
	for (size_t i = 0; i < sf_partition_count(p); i++) {
		const struct sf_ep_node *node = sf_partition_node(p, i);

		sf_split_op(&ep->split, ep->stream, &node->op,
		    sf_ep_side(&ep->result, node));
	}
	sf_split_end(&ep->split, ep->stream);
}

void
sf_ep_record(struct sf_ep *ep, enum sf_kind kind)
{
	if (kind == SF_K_TRACE) {
		begin_trace(ep);
	} else if (kind == SF_K_OP) {
		take_op(ep);
	} else if (kind == SF_K_END) {
		sf_partition_finish(&ep->partition);
		cost_trace(ep);
		sf_ep_write(ep->writer, &ep->result);
		sf_partition_reset(&ep->partition);
		sf_split_reset(&ep->split);
	}
}

void
sf_ep_free(struct sf_ep *ep)
{
	const struct sf_table *types = &ep->claim.types;

	for (size_t i = 0; ep->request->strict && i < types->n; i++) {
		const struct sf_claimed *claimed = types->order[i]->ptr;

		if (claimed->in_all != 0)
			continue;
		sf_note(
		    "no trace has an operator '%s'", types->order[i]->name.p);
		sf_stream_say_no(ep->stream);
	}
	sf_ep_writer_free(ep->writer);
	sf_partition_release(&ep->partition);
	sf_split_release(&ep->split);
	sf_claim_release(&ep->claim);
}
