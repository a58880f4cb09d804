/* Partition and cost of each trace of a stream. */
#include "ep/ep.h"

#include "ep/partition.h"
#include "ep/record.h"
#include "ep/split.h"
#include "stream/hold.h"
#include "stream/trace.h"
#include "trace/keyrecord.h"

struct sf_ep {
	struct sf_stream *stream;
	const struct sf_ep_request *request;
	struct sf_claim claim;
	uint32_t categories; /* of --categories; 0: of what is claimed */
	struct sf_accel accel;
	struct sf_partition partition;
	struct sf_split split;
	struct sf_hold hold;         /* the ops of the trace */
	struct sf_jsonw scratch;     /* what is added to one of them */
	struct sf_ep_result machine; /* what every trace is costed on */
};

static void
check_request(const struct sf_ep_request *r)
{
	if (r->claim == NULL)
		sf_die(SF_EX_USAGE, "missing option: expected '--claim'");
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

/* ---- the machine ---- */

static struct sf_texts
texts_of(const struct sf_list *list, struct sf_arena *arena)
{
	struct sf_texts texts = {
		sf_arena_calloc(arena, list->n + 1, sizeof *texts.v), list->n
	};

	for (size_t i = 0; i < list->n; i++)
		texts.v[i] = sf_str_of(list->v[i]);
	return texts;
}

static void
load_machine(struct sf_ep *ep, struct sf_arena *arena)
{
	const struct sf_ep_request *r = ep->request;
	const struct sf_config *preset = sf_accel_load(&ep->accel,
	    otherwise(r->preset, "edge-npu"), &r->settings, false, arena);
	const struct sf_device *host =
	    sf_device_load(otherwise(r->host, "host"), arena);
	const struct sf_link *link =
	    sf_link_load(otherwise(r->link, "ep"), arena);

	if (ep->accel.fuse != SF_FUSE_OFF)
		sf_die(SF_EX_USAGE,
		    "fuse is '%s', expected 'off': what is split between two "
		    "sides is not fused",
		    sf_fuse_modes[ep->accel.fuse]);
	sf_split_init(&ep->split, &ep->accel, host, link, r->most);
	ep->machine = (struct sf_ep_result){
		.by_node = r->by_node,
		.preset = sf_str_of(ep->accel.preset),
		.settings = texts_of(&r->settings, arena),
		.engine = (enum sf_engine_id)(ep->split.type - sf_engines),
		.host = { sf_str_of(host->name), ep->split.host.flops_per_s,
		    ep->split.host.bytes_per_s },
		.link = { sf_str_of(link->name), ep->split.link_bytes_per_s,
		    ep->split.link_latency_s },
	};
	sf_config_add_inputs(ep->stream, preset);
	sf_config_add_inputs(ep->stream, host->config);
	sf_config_add_inputs(ep->stream, link->config);
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
	load_machine(ep, arena);
	sf_partition_init(&ep->partition);
	sf_hold_init(&ep->hold, stream);
	return ep;
}

/* ---- one trace ---- */

static void
take_op(struct sf_ep *ep)
{
	struct sf_op op;

	sf_op_read(ep->stream, &op);
	if (!op.counted)
		sf_op_die(ep->stream, &op,
		    "is not counted, expected a trace from sf-rules");
	if (op.ep.n != 0)
		sf_op_die(ep->stream, &op,
		    "has its side already, expected a trace that has not been "
		    "through sf-ep");
	sf_partition_add(&ep->partition, &ep->claim, &op);
	sf_hold_add(&ep->hold, op.i);
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

static bool
is_for_device(const struct sf_ep_node *node, const struct sf_ep_result *r)
{
	return r->by_node
	    ? node->claimed
	    : (r->categories >> node->op.counts.category & 1) != 0;
}

/* Runs a node on its side, and keeps what it had to bring there. */
static void
cost_node(
    struct sf_ep *ep, struct sf_ep_node *node, const struct sf_ep_result *r)
{
	const struct sf_split_cost before = ep->split.cost;
	bool device = is_for_device(node, r);

	sf_split_op(&ep->split, ep->stream, &node->op,
	    device ? SF_SIDE_ACCEL : SF_SIDE_HOST);
	node->result.side = sf_cost_is_free(&node->op.counts) ? SF_EP_NOBODY
	    : device                                          ? SF_EP_DEVICE
							      : SF_EP_HOST;
	node->result.subgraph = node->subgraph;
	node->result.crossings = ep->split.cost.crossings - before.crossings;
	node->result.crossing_bytes =
	    ep->split.cost.crossing_bytes - before.crossing_bytes;
}

static void
cost_trace(struct sf_ep *ep, struct sf_ep_result *r)
{
	const struct sf_partition *p = &ep->partition;
	const struct sf_split_cost *cost = &ep->split.cost;

	r->categories = ep->request->categories != NULL ? ep->categories
							: claimed_categories(p);
	sf_split_begin(&ep->split);
	for (size_t i = 0; i < sf_partition_count(p); i++)
		cost_node(ep, sf_partition_node(p, i), r);
	sf_split_end(&ep->split, ep->stream);
	r->claimed = p->claimed;
	r->subgraphs = p->subgraphs;
	r->cut_edges = p->cut;
	r->crossings = cost->crossings;
	r->crossing_bytes = cost->crossing_bytes;
	r->tiles = cost->tiles;
	r->device_s = cost->device_s;
	r->host_s = cost->host_s;
	r->link_s = cost->link_s;
}

/* The operators go, each with what was found out about it. */
static void
put_ops(struct sf_ep *ep)
{
	for (size_t i = 0; i < sf_partition_count(&ep->partition); i++) {
		sf_ep_op_write(&ep->scratch,
		    &sf_partition_node(&ep->partition, i)->result);
		sf_hold_go(&ep->hold, &ep->scratch);
		ep->scratch.buf.n = 0;
		ep->scratch.comma = false;
	}
}

static void
end_trace(struct sf_ep *ep)
{
	struct sf_ep_result result = ep->machine;

	sf_partition_finish(&ep->partition);
	sf_claim_texts(&ep->claim, true, ep->partition.arena, &result.claim);
	sf_claim_texts(
	    &ep->claim, false, ep->partition.arena, &result.not_in_trace);
	cost_trace(ep, &result);
	put_ops(ep);
	sf_ep_result_put(ep->stream, &result);
	sf_partition_reset(&ep->partition);
	sf_split_reset(&ep->split);
}

void
sf_ep_record(struct sf_ep *ep, enum sf_kind kind)
{
	switch (kind) {
	case SF_K_TRACE:
		sf_claim_begin(&ep->claim);
		break;
	case SF_K_OP:
		take_op(ep);
		break;
	case SF_K_PARTITION:
		sf_stream_die(ep->stream, "the trace is partitioned already");
	case SF_K_END:
		end_trace(ep);
		break;
	case SF_K_BODY:
	case SF_K_EOF:
		break;
	default:
		sf_hold_follow(&ep->hold);
		break;
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
	sf_hold_release(&ep->hold);
	sf_buf_release(&ep->scratch.buf);
	sf_partition_release(&ep->partition);
	sf_split_release(&ep->split);
	sf_claim_release(&ep->claim);
}
