/*
 * Prints the shapes of a model's values, for the tests that compare them with
 * recorded ones:
 *
 *	shapes [-d] [-a] [-s INPUT=2x3]... MODEL [INPUT.pb]...
 *
 * What the model declares of its values and outputs is left out, so that
 * nothing is copied from it that was to be found; -d keeps it. -s gives an
 * input a shape. The k-th INPUT.pb has the contents of the k-th input, as
 * ONNX's conformance tests store them. -a prints all values of the graph.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/die.h"
#include "onnx/infer/bind.h"
#include "onnx/run/run.h"

/* ---- input_N.pb ---- */

enum {
	MAX_ITEMS = 1024
};

/* Messages of onnx.proto that are items of one input. */
struct items {
	struct sf_str v[MAX_ITEMS];
	int n;
	bool sequence, present;
};

static void
read_file(const char *path, struct sf_buf *buf)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	if (f == NULL)
		sf_die(SF_EX_IO, "%s: cannot be read", path);
	do {
		sf_buf_need(buf, 65536);
		n = fread(buf->p + buf->n, 1, 65536, f);
		buf->n += n;
	} while (n != 0);
	fclose(f);
}

static uint64_t
read_varint(struct sf_str *in)
{
	uint64_t x = 0;

	for (int shift = 0; shift < 64 && in->n > 0; shift += 7) {
		unsigned char byte = (unsigned char)*in->p++;

		in->n--;
		x |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			break;
	}
	return x;
}

/* The next field; its bytes when it has any, its number otherwise. */
static int
read_field(struct sf_str *in, struct sf_str *bytes, uint64_t *number)
{
	uint64_t tag = read_varint(in);
	uint64_t n;

	*bytes = (struct sf_str){ 0 };
	switch (tag & 7) {
	case 0:
		*number = read_varint(in);
		break;
	case 2:
		n = read_varint(in);
		if (n > in->n)
			sf_die(SF_EX_INPUT, "a field runs past the end");
		*bytes = (struct sf_str){ in->p, (size_t)n };
		in->p += n;
		in->n -= n;
		break;
	default:
		sf_die(SF_EX_INPUT, "wire type %d", (int)(tag & 7));
	}
	return (int)(tag >> 3);
}

/* SequenceProto: field 3 has its tensors. */
static void
read_sequence(struct sf_str in, struct items *items)
{
	struct sf_str bytes;
	uint64_t number;

	items->sequence = items->present = true;
	while (in.n > 0)
		if (read_field(&in, &bytes, &number) == 3) {
			if (items->n == MAX_ITEMS)
				sf_die(SF_EX_INPUT, "too many elements");
			items->v[items->n++] = bytes;
		}
}

/* OptionalProto: elem_type is field 2, a tensor 3, a sequence 5. */
static void
read_optional(struct sf_str in, struct items *items)
{
	struct sf_str bytes;
	uint64_t number = 0;

	while (in.n > 0) {
		int field = read_field(&in, &bytes, &number);

		if (field == 5)
			read_sequence(bytes, items);
		else if (field == 3)
			*items = (struct items){
				.v = { bytes }, .n = 1, .present = true
			};
	}
}

static void
put_varint(struct sf_buf *buf, uint64_t x)
{
	while (x >= 128) {
		sf_buf_putc(buf, (char)(x | 128));
		x >>= 7;
	}
	sf_buf_putc(buf, (char)x);
}

static void
put_bytes(struct sf_buf *buf, int field, struct sf_str bytes)
{
	put_varint(buf, (uint64_t)field << 3 | 2);
	put_varint(buf, bytes.n);
	sf_buf_put(buf, bytes.p, bytes.n);
}

/* The items as the initializers (field 5) of a graph (field 7) of a model. */
static struct sf_onnx_tensor *
read_tensors(const struct items *items, struct sf_arena *arena)
{
	struct sf_buf graph = { 0 }, model = { 0 };
	struct sf_onnx_model *parsed;
	struct sf_error error;

	put_bytes(&graph, 2, SF_STR("inputs"));
	for (int i = 0; i < items->n; i++)
		put_bytes(&graph, 5, items->v[i]);
	put_varint(&model, 1 << 3);
	put_varint(&model, 8);
	put_bytes(&model, 7, (struct sf_str){ graph.p, graph.n });
	/* Numbers are read where they stand. */
	parsed = sf_onnx_parse(
	    sf_arena_strndup(arena, model.p, model.n), model.n, arena, &error);
	if (parsed == NULL)
		sf_die(SF_EX_INPUT, "an input: %s", error.text);
	sf_buf_release(&graph);
	sf_buf_release(&model);
	return parsed->graph.inits;
}

/* ---- giving an input its contents ---- */

static void *
grown(struct sf_arena *arena, const void *old, int n, size_t size)
{
	void *copy = sf_arena_calloc(arena, (size_t)n + 1, size);

	if (n > 0)
		memcpy(copy, old, (size_t)n * size);
	return copy;
}

static void
add_initializer(struct sf_onnx_graph *graph, struct sf_onnx_tensor tensor,
    struct sf_arena *arena)
{
	graph->inits =
	    grown(arena, graph->inits, graph->ninits, sizeof *graph->inits);
	graph->inits[graph->ninits++] = tensor;
}

/* A node that makes NAME of N values named NAME:0, NAME:1, ... */
static void
add_node(struct sf_onnx_graph *graph, const char *op_type,
    const struct sf_str *inputs, int n, struct sf_str output,
    struct sf_arena *arena)
{
	struct sf_onnx_node *node;

	graph->nodes =
	    grown(arena, graph->nodes, graph->nnodes, sizeof *graph->nodes);
	node = &graph->nodes[graph->nnodes++];
	node->op_type = sf_str_of(op_type);
	node->ninputs = n;
	node->inputs = grown(arena, inputs, n, sizeof *inputs);
	node->noutputs = 1;
	node->outputs = grown(arena, &output, 1, sizeof output);
}

static void
remove_input(struct sf_onnx_graph *graph, int i)
{
	graph->ninputs--;
	memmove(&graph->inputs[i], &graph->inputs[i + 1],
	    (size_t)(graph->ninputs - i) * sizeof graph->inputs[0]);
}

/* Sequences and optional values are made by nodes from their elements. */
static void
make_items(struct sf_onnx_graph *graph, struct sf_str name,
    const struct items *items, bool optional, struct sf_arena *arena)
{
	struct sf_onnx_tensor *tensors = read_tensors(items, arena);
	struct sf_str names[MAX_ITEMS], sequence;

	for (int i = 0; i < items->n; i++) {
		names[i] = sf_str_of(
		    sf_arena_printf(arena, "%.*s:%d", SF_STR_ARG(name), i));
		tensors[i].name = names[i];
		add_initializer(graph, tensors[i], arena);
	}
	sequence = optional
	    ? sf_str_of(sf_arena_printf(arena, "%.*s:seq", SF_STR_ARG(name)))
	    : name;
	if (items->sequence)
		add_node(graph,
		    items->n > 0 ? "SequenceConstruct" : "SequenceEmpty", names,
		    items->n, sequence, arena);
	if (optional)
		add_node(graph, "Optional", items->sequence ? &sequence : names,
		    items->present, name, arena);
}

/* Some files have bfloat16 in a tensor of uint16: what is declared holds. */
static void
keep_type(struct sf_onnx_tensor *tensor, const struct sf_onnx_type *type)
{
	if (type->dtype == SF_DT_UNKNOWN || type->dtype == tensor->dtype)
		return;
	tensor->dtype = type->dtype;
	tensor->ints = NULL;
	tensor->floats = sf_reals_of(NULL);
}

static void
set_contents(struct sf_onnx_graph *graph, int i, const char *path,
    struct sf_arena *arena)
{
	enum sf_onnx_type_kind kind = graph->inputs[i].type.kind;
	struct sf_str name = graph->inputs[i].name;
	static struct items items;
	struct sf_onnx_tensor *tensor;
	struct sf_buf buf = { 0 };
	struct sf_str bytes;

	read_file(path, &buf);
	bytes = (struct sf_str){ buf.p, buf.n };
	items = (struct items){ 0 };
	if (kind == SF_ONNX_TYPE_SEQUENCE) {
		read_sequence(bytes, &items);
	} else if (kind == SF_ONNX_TYPE_OPTIONAL) {
		read_optional(bytes, &items);
	} else {
		items = (struct items){ .v = { bytes }, .n = 1 };
		tensor = read_tensors(&items, arena);
		tensor->name = name;
		keep_type(tensor, &graph->inputs[i].type);
		add_initializer(graph, *tensor, arena);
	}
	if (kind == SF_ONNX_TYPE_SEQUENCE || kind == SF_ONNX_TYPE_OPTIONAL)
		make_items(
		    graph, name, &items, kind == SF_ONNX_TYPE_OPTIONAL, arena);
	sf_buf_release(&buf);
}

/* From the last to the first, so that places stay when one is removed. */
static void
set_all_contents(
    struct sf_onnx_graph *graph, char *paths[], int n, struct sf_arena *arena)
{
	for (int i = n - 1; i >= 0; i--) {
		enum sf_onnx_type_kind kind;

		if (i >= graph->ninputs)
			sf_die(SF_EX_USAGE, "%s: no such input", paths[i]);
		kind = graph->inputs[i].type.kind;
		set_contents(graph, i, paths[i], arena);
		if (kind == SF_ONNX_TYPE_SEQUENCE ||
		    kind == SF_ONNX_TYPE_OPTIONAL)
			remove_input(graph, i);
	}
}

/* ---- leaving out what is declared ---- */

static void
forget_declared(struct sf_onnx_model *model)
{
	struct sf_onnx_graph *graph = &model->graph;

	graph->ninfos = 0;
	for (int i = 0; i < graph->noutputs; i++)
		graph->outputs[i].type =
		    (struct sf_onnx_type){ .dtype = SF_DT_UNKNOWN };
	for (int i = 0; i < model->nfunctions; i++)
		model->functions[i].ninfos = 0;
}

/* ---- printing ---- */

static void
print_tensor(const struct sf_value *v)
{
	const char *name = sf_dtype_name(v->dtype);

	printf("%s", name == NULL ? "?" : name);
	if (!v->rank_known) {
		printf("?");
		return;
	}
	printf("[");
	for (int i = 0; i < v->rank; i++)
		if (v->dims[i] < 0 && v->dim_names != NULL &&
		    v->dim_names[i].n != 0)
			printf("%s%.*s", i > 0 ? "," : "",
			    SF_STR_ARG(v->dim_names[i]));
		else if (v->dims[i] < 0)
			printf("%s?", i > 0 ? "," : "");
		else
			printf(
			    "%s%lld", i > 0 ? "," : "", (long long)v->dims[i]);
	printf("]");
}

static void
print_value(const struct sf_value *v)
{
	bool optional = v->kind == SF_ONNX_TYPE_OPTIONAL;

	if (v->kind != SF_ONNX_TYPE_SEQUENCE && !optional) {
		print_tensor(v);
		return;
	}
	printf("%s{", optional ? "opt" : "seq");
	if (v->nitems < 0)
		printf("?");
	else if (optional && v->nitems == 0)
		printf("none");
	for (int i = 0; i < v->nitems; i++) {
		printf("%s", i > 0 ? ";" : "");
		print_value(v->items[i]);
	}
	printf("}");
}

static void
print_line(struct sf_str name, const struct sf_value *v)
{
	printf("%.*s\t", SF_STR_ARG(name));
	print_value(v);
	printf("\t%s\n", v->why == NULL ? "" : v->why);
}

static void
print_all(struct sf_onnx_run *run, const struct sf_onnx_graph *graph)
{
	for (int i = 0; i < graph->nnodes; i++)
		for (int k = 0; k < graph->nodes[i].noutputs; k++) {
			struct sf_str name = graph->nodes[i].outputs[k];
			struct sf_value *v;

			if (name.n != 0 &&
			    sf_onnx_scope_find(&run->root, name, &v) &&
			    v != NULL)
				print_line(name, v);
		}
}

/* ---- all together ---- */

struct options {
	bool declared, all;
	struct sf_list shapes;
};

static void
show(
    const struct options *options, char *paths[], int n, struct sf_arena *arena)
{
	struct sf_error error = { "" };
	struct sf_onnx_wants wants = { .shapes = options->shapes, .batch = -1 };
	struct sf_onnx_params params;
	struct sf_onnx_bind bind;
	struct sf_onnx_model *model;
	struct sf_onnx_plan plan = { .price = NULL };
	struct sf_onnx_run run;
	bool io;

	model = sf_onnx_load(paths[0], arena, &error, &io);
	if (model == NULL)
		sf_die(SF_EX_INPUT, "%s: %s", paths[0], error.text);
	if (!options->declared)
		forget_declared(model);
	if (!sf_onnx_bind(&bind, model, &wants, arena, &error))
		sf_die(SF_EX_INPUT, "%s: %s", paths[0], error.text);
	set_all_contents(&model->graph, paths + 1, n - 1, arena);
	if (!sf_onnx_params_init(&params, model, NULL, arena, &error, &io) ||
	    !sf_onnx_run(&run, model, &params, &plan, arena, &error))
		sf_die(SF_EX_INPUT, "%s: %s", paths[0], error.text);
	if (options->all)
		print_all(&run, &model->graph);
	else
		for (int i = 0; i < run.noutputs; i++)
			print_line(
			    model->graph.outputs[i].name, run.outputs[i]);
	sf_onnx_run_release(&run);
	sf_onnx_params_release(&params);
	sf_onnx_bind_release(&bind);
}

int
main(int argc, char *argv[])
{
	struct options options = { 0 };
	struct sf_arena *arena = sf_arena_new();
	int option;

	sf_set_program("shapes");
	options.shapes.v =
	    sf_arena_calloc(arena, (size_t)argc, sizeof *options.shapes.v);
	while ((option = getopt(argc, argv, "das:")) != -1)
		switch (option) {
		case 'd':
			options.declared = true;
			break;
		case 'a':
			options.all = true;
			break;
		case 's':
			options.shapes.v[options.shapes.n++] = optarg;
			break;
		default:
			return SF_EX_USAGE;
		}
	if (optind == argc)
		sf_die(SF_EX_USAGE, "no model");
	show(&options, argv + optind, argc - optind, arena);
	sf_arena_free(arena);
	return 0;
}
