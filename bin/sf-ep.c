/* sf-ep - split a graph between an execution provider and the host. */
#include "simfront.h"

#include "accel/bound-tiles.h"
#include "ep/ep.h"

int
main(int argc, char *argv[])
{
	struct sf_ep_request request = { .most = SF_MOST_TILES };
	const struct sf_opt opts[] = {
		SF_OPT_STR('c', "claim", &request.claim, "TYPE,...",
		    "the operator types that the device claims (required)"),
		SF_OPT_STR('C', "categories", &request.categories, "CAT,...",
		    "what the device runs (default: those of the claim)"),
		SF_OPT_FLAG('n', "by-node", &request.by_node,
		    "the device runs the claimed nodes and no others"),
		SF_OPT_CONFIG('p', "preset", &request.preset, "P",
		    "the device: a name or a JSON file (default edge-npu)"),
		SF_OPT_LIST('s', "set", &request.settings, "KEY=VALUE",
		    "change one parameter of it"),
		SF_OPT_CONFIG(
		    'H', "host", &request.host, "D", "the host (default host)"),
		SF_OPT_CONFIG('l', "link", &request.link, "L",
		    "the link between them (default ep)"),
		SF_OPT_INT(0, "max-tiles", &request.most, 1, INT64_MAX, "N",
		    "refuse traces of more tiles (default 1000000000)"),
		SF_OPT_FLAG('S', "strict", &request.strict,
		    "exit 1 when no trace has a claimed type"),
		SF_OPT_END,
	};
	struct sf_stream *stream =
	    sf_filter_open(&(struct sf_tool){ .name = "sf-ep",
			       .sandboxed = true,
			       .records = &sf_every_record,
			       .summary = "Split a graph between an execution "
					  "provider and the host.",
			       .opts = opts },
		argc, argv);
	struct sf_ep *ep = sf_ep_new(stream, &request);
	enum sf_kind kind;

	while ((kind = sf_stream_next(stream)) != SF_K_EOF)
		sf_ep_record(ep, kind);
	sf_ep_free(ep);
	return sf_stream_close(stream);
}
