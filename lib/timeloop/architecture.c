/* Reading an architecture and writing what it means. */
#include "timeloop/architecture.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "accel/config-write.h"
#include "base/die.h"
#include "base/num.h"
#include "timeloop/yaml-file.h"

enum {
	DEEPEST = 16,       /* containers inside of each other */
	MOST_NODES = 10000, /* that are looked at; aliases may repeat them */
	CLOCK = 1000000000
};

struct reader {
	struct sf_yaml yaml;
	int nodes;
	const yaml_node_t *mac, *buffer, *memory;
	int64_t units, mesh_x; /* of the multiply-accumulate units */
	int64_t buffer_bytes, bytes_per_cycle;
	struct sf_buf others; /* names of what is not read */
};

/* ---- attributes ---- */

/* A size of a component, 0 when it has none. */
static int64_t
attribute(struct reader *r, const yaml_node_t *component, const char *name)
{
	const yaml_node_t *all =
	    sf_yaml_find(&r->yaml, component, "attributes");
	const yaml_node_t *value;

	if (all == NULL)
		return 0;
	sf_yaml_map(&r->yaml, all, "'attributes'");
	value = sf_yaml_find(&r->yaml, all, name);
	return value != NULL ? sf_yaml_size(&r->yaml, value, name) : 0;
}

static int64_t
needed(struct reader *r, const yaml_node_t *component, const char *name)
{
	int64_t x = attribute(r, component, name);

	if (x == 0)
		sf_yaml_die(&r->yaml, component,
		    "no attribute '%s', which is needed here", name);
	return x;
}

static int64_t
multiply(struct reader *r, const yaml_node_t *at, int64_t a, int64_t b)
{
	int64_t x;

	if (!sf_mul(a, b, &x))
		sf_yaml_die(&r->yaml, at, "sizes that pass 2^63 - 1");
	return x;
}

/* Bits of a word, in whole bytes together with COUNT. */
static int64_t
bytes_of(struct reader *r, const yaml_node_t *at, int64_t count, int64_t bits)
{
	int64_t all = multiply(r, at, count, bits);

	if (all % 8 != 0)
		sf_yaml_die(&r->yaml, at,
		    "%lld words of %lld bits, expected whole bytes",
		    (long long)count, (long long)bits);
	return all / 8;
}

static int64_t
word_bits(struct reader *r, const yaml_node_t *component)
{
	int64_t bits = attribute(r, component, "word-bits");

	return bits != 0 ? bits : needed(r, component, "datawidth");
}

/* How many "PE[0..255]" are. */
static int64_t
instances(struct reader *r, const yaml_node_t *node)
{
	const yaml_node_t *name = sf_yaml_need(&r->yaml, node, "name");
	struct sf_str text = sf_yaml_text(&r->yaml, name, "'name'");
	long long from, to;
	const char *range = strchr(text.p, '[');
	int n = 0;

	if (range == NULL)
		return 1;
	if (sscanf(range, "[%9lld..%9lld]%n", &from, &to, &n) != 2 || n == 0 ||
	    range[n] != '\0' || from != 0 || to < 0)
		sf_yaml_die(&r->yaml, name,
		    "the name '%.60s', expected NAME or NAME[0..LAST]", text.p);
	return to + 1;
}

/* ---- components ---- */

static void
take_mac(struct reader *r, const yaml_node_t *c, int64_t count, int64_t mesh_x)
{
	int64_t own = attribute(r, c, "meshX");

	if (r->mac != NULL)
		sf_yaml_die(
		    &r->yaml, c, "a second kind of multiply-accumulate unit");
	r->mac = c;
	r->units = count;
	r->mesh_x = own != 0 ? own : mesh_x;
	if (r->mesh_x == 0)
		sf_yaml_die(&r->yaml, c,
		    "no 'meshX', which says how units lie side by side");
	if (count % r->mesh_x != 0)
		sf_yaml_die(&r->yaml, c,
		    "%lld units in rows of %lld, expected whole rows",
		    (long long)count, (long long)r->mesh_x);
}

static void
take_buffer(struct reader *r, const yaml_node_t *c, int64_t count)
{
	int64_t kib = attribute(r, c, "sizeKB");
	int64_t depth = attribute(r, c, "depth"), one;

	if (kib != 0)
		one = multiply(r, c, kib, 1024);
	else if (depth != 0)
		one = bytes_of(r, c, depth, needed(r, c, "width"));
	else
		one = bytes_of(r, c, needed(r, c, "entries"), word_bits(r, c));
	r->buffer = c;
	r->buffer_bytes = multiply(r, c, one, count);
}

static void
take_memory(struct reader *r, const yaml_node_t *c)
{
	int64_t words = attribute(r, c, "shared-bandwidth");

	if (r->memory != NULL)
		sf_yaml_die(&r->yaml, c, "a second memory");
	if (words == 0) {
		int64_t read = needed(r, c, "read-bandwidth");

		if (!sf_add(read, needed(r, c, "write-bandwidth"), &words))
			sf_yaml_die(&r->yaml, c, "sizes that pass 2^63 - 1");
	}
	r->memory = c;
	r->bytes_per_cycle = bytes_of(r, c, words, word_bits(r, c));
}

static bool
has_word(struct sf_str class, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= class.n; i++)
		if (strncasecmp(class.p + i, word, n) == 0)
			return true;
	return false;
}

/* COUNT of it are in the device. */
static void
take_component(
    struct reader *r, const yaml_node_t *c, int64_t count, int64_t mesh_x)
{
	const yaml_node_t *name = sf_yaml_need(&r->yaml, c, "name");
	const yaml_node_t *class = sf_yaml_need(&r->yaml, c, "class");
	struct sf_str text = sf_yaml_text(&r->yaml, class, "'class'");

	count = multiply(r, c, count, instances(r, c));
	if (has_word(text, "mac") || has_word(text, "compute"))
		take_mac(r, c, count, mesh_x);
	else if (has_word(text, "DRAM"))
		take_memory(r, c);
	else if (r->buffer == NULL &&
	    (has_word(text, "SRAM") || has_word(text, "buffer") ||
		has_word(text, "storage")))
		take_buffer(r, c, count);
	else
		sf_buf_printf(&r->others, "%s%s", r->others.n != 0 ? ", " : "",
		    sf_yaml_text(&r->yaml, name, "'name'").p);
}

/* ---- containers ---- */

static void
look(struct reader *r, const yaml_node_t *node, int depth)
{
	sf_yaml_map(&r->yaml, node, "a part of the architecture");
	if (depth > DEEPEST || ++r->nodes > MOST_NODES)
		sf_yaml_die(&r->yaml, node,
		    "more than %d containers inside of each other, or %d parts",
		    DEEPEST, MOST_NODES);
}

/* Version 0.3: components in `local`, containers in `subtree`. */
static void
take_tree(struct reader *r, const yaml_node_t *list, int64_t count, int depth)
{
	sf_yaml_list(&r->yaml, list, "'subtree'");
	for (int i = 0; i < sf_yaml_count(list); i++) {
		const yaml_node_t *node = sf_yaml_item(&r->yaml, list, i);
		const yaml_node_t *local, *subtree;
		int64_t inside;

		look(r, node, depth);
		inside = multiply(r, node, count, instances(r, node));
		local = sf_yaml_find(&r->yaml, node, "local");
		subtree = sf_yaml_find(&r->yaml, node, "subtree");
		if (local != NULL)
			sf_yaml_list(&r->yaml, local, "'local'");
		for (int k = 0; local != NULL && k < sf_yaml_count(local);
		     k++) {
			const yaml_node_t *c = sf_yaml_item(&r->yaml, local, k);

			look(r, c, depth);
			take_component(r, c, inside, 0);
		}
		if (subtree != NULL)
			take_tree(r, subtree, inside, depth + 1);
	}
}

/* Version 0.4: each node is inside of the containers before it. */
static void
take_nodes(struct reader *r, const yaml_node_t *list)
{
	int64_t count = 1, mesh_x = 0;

	sf_yaml_list(&r->yaml, list, "'nodes'");
	for (int i = 0; i < sf_yaml_count(list); i++) {
		const yaml_node_t *node = sf_yaml_item(&r->yaml, list, i);
		const char *tag = (const char *)node->tag;
		const yaml_node_t *spatial, *x, *y;
		int64_t nx, ny;

		look(r, node, 0);
		if (strcmp(tag, "!Container") != 0 &&
		    strcmp(tag, "!Component") != 0)
			sf_yaml_die(&r->yaml, node,
			    "a node '%.40s', expected !Container or !Component",
			    tag);
		spatial = sf_yaml_find(&r->yaml, node, "spatial");
		if (spatial != NULL) {
			sf_yaml_map(&r->yaml, spatial, "'spatial'");
			x = sf_yaml_find(&r->yaml, spatial, "meshX");
			y = sf_yaml_find(&r->yaml, spatial, "meshY");
			nx = x != NULL ? sf_yaml_size(&r->yaml, x, "meshX") : 1;
			ny = y != NULL ? sf_yaml_size(&r->yaml, y, "meshY") : 1;
			count =
			    multiply(r, node, count, multiply(r, node, nx, ny));
			mesh_x = x == NULL
			    ? mesh_x
			    : multiply(r, node, mesh_x != 0 ? mesh_x : 1, nx);
		}
		if (strcmp(tag, "!Component") == 0)
			take_component(r, node, count, mesh_x);
	}
}

/* ---- the configuration ---- */

static const char about[] =
    "An architecture of Timeloop. A cycle is a nanosecond, no latency is said; "
    "what a mapping would say is chosen here: dataflow, blocks of least time, "
    "half of the buffer a tile.";

static void
write_config(const struct reader *r, struct sf_buf *out)
{
	int64_t rate = r->bytes_per_cycle * CLOCK;
	struct sf_jsonw w = { .comma = false };

	sf_config_put_about(&w, sf_str_of(about));
	sf_config_put_int(&w, "clock_hz", CLOCK);
	sf_config_put_int(&w, "array_rows", r->units / r->mesh_x);
	sf_config_put_int(&w, "array_cols", r->mesh_x);
	sf_config_put_int(&w, "vector_lanes", r->mesh_x);
	sf_config_put_int(&w, "buffer_bytes", r->buffer_bytes);
	sf_config_put_word(&w, "tile_fraction", SF_STR("0.5"));
	sf_config_put_int(&w, "dram_bw", rate);
	sf_config_put_int(&w, "dram_channels", 2);
	sf_config_put_word(&w, "dram_interleave", SF_STR("on"));
	sf_config_put_int(&w, "dram_latency", 0);
	sf_config_put_int(&w, "noc_bw", rate);
	sf_config_put_int(&w, "noc_latency", 0);
	sf_config_put_word(&w, "conv", SF_STR("implicit"));
	sf_config_put_word(&w, "reuse", SF_STR("on"));
	sf_config_put_word(&w, "blocks", SF_STR("time"));
	sf_config_put_end(&w, out);
}

static void
check_whole(const struct reader *r, const yaml_node_t *at)
{
	const char *lacks = r->mac == NULL ? "multiply-accumulate unit"
	    : r->buffer == NULL            ? "buffer on the chip"
	    : r->memory == NULL            ? "DRAM"
					   : NULL;

	if (lacks != NULL)
		sf_yaml_die(
		    &r->yaml, at, "an architecture without a %s", lacks);
	if (r->bytes_per_cycle > INT64_MAX / CLOCK)
		sf_yaml_die(
		    &r->yaml, r->memory, "a bandwidth that is too high");
}

void
sf_timeloop_architecture(const char *path, struct sf_buf *out)
{
	struct reader r = { .nodes = 0 };
	const yaml_node_t *root = sf_yaml_open(&r.yaml, NULL, path);
	const yaml_node_t *all = sf_yaml_need(&r.yaml, root, "architecture");
	const yaml_node_t *nodes;

	sf_yaml_map(&r.yaml, all, "'architecture'");
	nodes = sf_yaml_find(&r.yaml, all, "nodes");
	if (nodes != NULL)
		take_nodes(&r, nodes);
	else
		take_tree(&r, sf_yaml_need(&r.yaml, all, "subtree"), 1, 0);
	check_whole(&r, all);
	sf_yaml_note_others(&r.yaml, root);
	if (r.others.n != 0)
		sf_note(
		    "%s: not read: %.*s", path, (int)r.others.n, r.others.p);
	write_config(&r, out);
	sf_buf_release(&r.others);
	sf_yaml_close(&r.yaml);
}
