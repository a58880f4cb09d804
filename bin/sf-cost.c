/* sf-cost - cost each operator on a roofline, or offload some of them. */
#include "simfront.h"

#include "cost/cost.h"

/* What --keys and --list print. */
static int
print_tables(struct sf_stream *stream, bool keys)
{
	struct sf_buf out = { 0 };

	sf_stream_ask(stream, keys ? "--keys" : "--list");
	if (keys)
		sf_cost_print_keys(&out);
	else
		sf_cost_print_names(sf_stream_arena(stream), &out);
	return sf_stream_answer(stream, &out);
}

int
main(int argc, char *argv[])
{
	struct sf_cost_request request = { .devices = 1 };
	int memory = SF_MEMORY_UNFUSED, products = SF_PRODUCTS_DATA;
	bool keys = false, list = false;
	const struct sf_opt opts[] = {
		SF_OPT_CONFIG('d', "device", &request.device, "D",
		    "a roofline on device D: a name or a JSON file"),
		SF_OPT_INT('n', "devices", &request.devices, 1, 1000000, "N",
		    "that many of it, ideally divided (default 1)"),
		SF_OPT_CHOICE('m', "memory", &memory, sf_memory_modes, "MODE",
		    "whose traffic counts"),
		SF_OPT_QUANTITY('t', "op-overhead", &request.overhead_s,
		    SF_UNIT_S, 0, 1e6, "TIME",
		    "added to each operator that is not free"),
		SF_OPT_CONFIG('o', "offload", &request.offload, "D",
		    "run some categories on D beside a host"),
		SF_OPT_CONFIG('l', "link", &request.link, "L",
		    "the link between D and the host"),
		SF_OPT_STR('s', "supports", &request.supports, "CAT,...",
		    "the categories that D runs"),
		SF_OPT_CONFIG(
		    'H', "host", &request.host, "D", "the host (default host)"),
		SF_OPT_LIST('S', "set", &request.settings, "KEY=VALUE",
		    "change one parameter of D, host.KEY or link.KEY"),
		SF_OPT_CHOICE('p', "products", &products, sf_products_as_names,
		    "WHICH", "whose type a product is of"),
		SF_OPT_FLAG(
		    'T', "tf32", &request.tf32, "products of f32 are of tf32"),
		SF_OPT_FLAG('x', "strict", &request.strict,
		    "exit 1 when the device has no peak of a type"),
		SF_OPT_FLAG(
		    'k', "keys", &keys, "print the parameters and exit"),
		SF_OPT_FLAG(
		    'L', "list", &list, "print the devices and links and exit"),
		SF_OPT_END,
	};
	struct sf_stream *stream = sf_filter_open(
	    &(struct sf_tool){ .name = "sf-cost",
		.sandboxed = true,
		.records = &sf_every_record,
		.summary = "Cost each operator on a roofline or an offload.",
		.opts = opts },
	    argc, argv);
	struct sf_cost *cost;
	enum sf_kind kind;

	if (keys || list)
		return print_tables(stream, keys);
	request.memory = (enum sf_memory_mode)memory;
	request.products = (enum sf_products_as)products;
	cost = sf_cost_new(stream, &request);
	while ((kind = sf_stream_next(stream)) != SF_K_EOF)
		sf_cost_record(cost, kind);
	sf_cost_free(cost);
	return sf_stream_close(stream);
}
