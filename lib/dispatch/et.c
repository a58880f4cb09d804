/* Reading an execution trace. */
#include "dispatch/et.h"

#include <stdlib.h>

#include "stream/jsonw.h"

void
sf_et_init(
    struct sf_et *et, struct sf_arena *arena, struct sf_call_names *names)
{
	*et = (struct sf_et){ .arena = arena, .names = names };
	sf_table_init(&et->strings, arena);
}

void
sf_et_release(struct sf_et *et)
{
	sf_table_release(&et->strings);
	free(et->nodes);
}

static struct sf_str
intern(struct sf_et *et, struct sf_str text)
{
	return sf_table_add(&et->strings, text)->name;
}

/* ---- one node ---- */

/* What is read of a node before it is known what of it is kept. */
struct reading {
	struct sf_json scan;
	struct sf_et_node node;
	struct sf_jsonw comms;
	bool has_id, has_parent, compiled;
};

/* The arrays of the newer form. */
static void
read_values(struct sf_json *scan, struct sf_et_values *values)
{
	struct sf_str key;

	if (!sf_json_enter(scan, '{'))
		return;
	while (sf_json_member(scan, &key)) {
		if (SF_KEY(key, "values"))
			values->values = sf_json_skip(scan);
		else if (SF_KEY(key, "shapes"))
			values->shapes = sf_json_skip(scan);
		else if (SF_KEY(key, "types"))
			values->types = sf_json_skip(scan);
		else
			sf_json_skip(scan);
	}
}

/* What is kept of a collective: its key in a file, and in an operator. */
static const char *
comms_name(struct sf_str key)
{
	static const char *const names[][2] = {
		{ "collective_name", "collective" },
		{ "dtype", "dtype" },
		{ "in_msg_nelems", "in_elements" },
		{ "out_msg_nelems", "out_elements" },
		{ "in_split_size", "in_split" },
		{ "out_split_size", "out_split" },
		{ "pg_name", "group" },
		{ "pg_desc", "group_description" },
		{ "pg_size", "group_size" },
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (sf_str_is(key, names[i][0]))
			return names[i][1];
	return NULL;
}

/* One attribute by its name, wherever the form has it. */
static void
read_attr(struct reading *r, struct sf_str key)
{
	struct sf_json *scan = &r->scan;
	const char *comms;

	if (SF_KEY(key, "op_schema")) {
		r->node.schema = sf_json_string(scan);
	} else if (SF_KEY(key, "kernel_backend")) {
		r->compiled = sf_json_string(scan).n != 0;
	} else if ((comms = comms_name(key)) != NULL) {
		sf_jsonw_key(&r->comms, comms);
		sf_jsonw_raw(&r->comms, sf_json_skip(scan));
	} else {
		sf_json_skip(scan);
	}
}

static void
read_attrs(struct reading *r)
{
	struct sf_json *scan = &r->scan;
	struct sf_str key, name;

	if (!sf_json_enter(scan, '['))
		return;
	while (sf_json_element(scan)) {
		name = sf_str_of("");
		if (!sf_json_enter(scan, '{'))
			return;
		while (sf_json_member(scan, &key)) {
			if (SF_KEY(key, "name"))
				name = sf_json_string(scan);
			else if (SF_KEY(key, "value"))
				read_attr(r, name);
			else
				sf_json_skip(scan);
		}
	}
}

static void
read_member(struct reading *r, struct sf_str key)
{
	struct sf_json *scan = &r->scan;
	struct sf_et_node *node = &r->node;

	if (SF_KEY(key, "id")) {
		node->id = sf_json_int(scan);
		r->has_id = true;
	} else if (SF_KEY(key, "name")) {
		node->name = sf_json_string(scan);
	} else if (SF_KEY(key, "ctrl_deps") || SF_KEY(key, "parent")) {
		node->parent = sf_json_int(scan);
		r->has_parent = true;
	} else if (SF_KEY(key, "inputs") || SF_KEY(key, "outputs")) {
		struct sf_et_values *v = key.n == 6 ? &node->in : &node->out;

		if (sf_json_peek(scan) == '[')
			v->values = sf_json_skip(scan);
		else
			read_values(scan, v);
	} else if (SF_KEY(key, "input_shapes")) {
		node->in.shapes = sf_json_skip(scan);
	} else if (SF_KEY(key, "input_types")) {
		node->in.types = sf_json_skip(scan);
	} else if (SF_KEY(key, "output_shapes")) {
		node->out.shapes = sf_json_skip(scan);
	} else if (SF_KEY(key, "output_types")) {
		node->out.types = sf_json_skip(scan);
	} else if (SF_KEY(key, "attrs")) {
		read_attrs(r);
	} else {
		read_attr(r, key);
	}
}

static struct sf_str
keep(struct sf_et *et, struct sf_str text)
{
	return text.n == 0 ? text : sf_json_keep(et->arena, text);
}

static void
keep_values(struct sf_et *et, struct sf_et_values *v)
{
	v->values = keep(et, v->values);
	v->shapes = keep(et, v->shapes);
	v->types = keep(et, v->types);
}

/* A copy of what matters of the node. */
static void
add_node(struct sf_et *et, struct reading *r)
{
	struct sf_et_node *node = sf_arena_alloc(et->arena, sizeof *node);
	struct sf_call_kind *kernel;

	*node = r->node;
	node->name = intern(et, r->node.name);
	node->call.kind = sf_call_names_find(et->names, node->name);
	node->schema =
	    node->schema.n == 0 ? sf_str_of("") : intern(et, node->schema);
	/* A name like one of the dispatcher's does not make it such a call. */
	if (node->schema.n == 0 && node->call.kind->sort != SF_CALL_COLLECTIVE)
		node->call.kind = sf_call_names_find(
		    et->names, r->compiled ? node->name : SF_STR("-"));
	if (r->compiled && node->call.kind->sort == SF_CALL_OTHER) {
		kernel = sf_arena_calloc(et->arena, 1, sizeof *kernel);
		*kernel = (struct sf_call_kind){ .sort = SF_CALL_KERNEL,
			.weight = SF_WEIGHT_WORK,
			.category = SF_CAT_UNKNOWN };
		kernel->name = sf_str_of(sf_arena_printf(
		    et->arena, "compiled.%.*s", SF_STR_ARG(node->name)));
		node->call.kind = kernel;
	}
	if (node->call.kind->sort == SF_CALL_OTHER) {
		node->in = node->out = (struct sf_et_values){ .types.n = 0 };
	} else {
		keep_values(et, &node->in);
		keep_values(et, &node->out);
	}
	if (sf_str_starts(node->name, "Torch-Compiled Region"))
		et->regions++;
	node->comms = r->comms.buf.n == 0
	    ? sf_str_of("")
	    : sf_str_of(
		  sf_arena_strndup(et->arena, r->comms.buf.p, r->comms.buf.n));
	if (et->n == et->room) {
		et->room = et->room == 0 ? 1024 : et->room * 2;
		et->nodes = sf_reallocarray(
		    et->nodes, et->room, sizeof(struct sf_et_node *));
	}
	et->nodes[et->n++] = node;
}

/* False with what is wrong in r->scan.error. */
static bool
read_node(struct sf_et *et, struct reading *r)
{
	struct sf_str key;

	if (!sf_json_enter(&r->scan, '{'))
		return false;
	while (sf_json_member(&r->scan, &key))
		read_member(r, key);
	sf_json_end_line(&r->scan);
	if (r->scan.error == NULL && !(r->has_id && r->has_parent))
		sf_json_fail(
		    &r->scan, "expected 'id', and 'ctrl_deps' or 'parent'");
	if (r->scan.error == NULL)
		add_node(et, r);
	return r->scan.error == NULL;
}

/* ---- the file ---- */

bool
sf_et_read_version(
    struct sf_et *et, struct sf_pieces *pieces, struct sf_error *error)
{
	struct sf_json scan;

	if (!sf_pieces_value(pieces, &scan, et->arena, error))
		return false;
	et->version = intern(et, sf_json_string(&scan));
	if (scan.error == NULL && !sf_str_starts(et->version, "1."))
		return sf_fail(error,
		    "%s:%lld: schema '%.*s', expected 1.0.1 to 1.1.1",
		    sf_input_name(pieces->input), (long long)pieces->lineno,
		    SF_STR_ARG(et->version));
	return scan.error == NULL ||
	    sf_fail(error, "%s:%lld: schema: %s", sf_input_name(pieces->input),
		(long long)pieces->lineno, scan.error);
}

bool
sf_et_read_nodes(
    struct sf_et *et, struct sf_pieces *pieces, struct sf_error *error)
{
	struct reading r = { .comms.comma = false };
	struct sf_buf comms = { 0 };
	bool fine = true;

	if (!sf_pieces_enter(pieces, error))
		return false;
	while (fine && sf_pieces_element(pieces, &r.scan, et->arena, error)) {
		struct sf_json scan = r.scan;

		comms.n = 0;
		r = (struct reading){ .scan = scan, .comms.buf = comms };
		r.node.lineno = pieces->lineno;
		r.node.name = r.node.schema = sf_str_of("");
		fine = read_node(et, &r);
		comms = r.comms.buf;
		if (!fine)
			sf_fail(error, "%s:%lld: node %zu: %s",
			    sf_input_name(pieces->input),
			    (long long)pieces->lineno, et->n + 1, r.scan.error);
	}
	sf_buf_release(&comms);
	if (fine && pieces->cut && et->n != 0) {
		/* The process died while it ran: what was written is whole. */
		et->cut = true;
		error->text[0] = '\0';
	}
	return error->text[0] == '\0';
}

int
sf_et_by_id(const void *a, const void *b)
{
	const struct sf_et_node *x = *(struct sf_et_node *const *)a;
	const struct sf_et_node *y = *(struct sf_et_node *const *)b;

	return (x->id > y->id) - (x->id < y->id);
}

static struct sf_et_node *
find_node(const struct sf_et *et, int64_t id)
{
	struct sf_et_node key = { .id = id }, *p = &key, **found;

	found = bsearch(
	    &p, et->nodes, et->n, sizeof(struct sf_et_node *), sf_et_by_id);
	return found == NULL ? NULL : *found;
}

bool
sf_et_finish(struct sf_et *et, const char *file, struct sf_error *error)
{
	if (et->n != 0)
		qsort(
		    et->nodes, et->n, sizeof(struct sf_et_node *), sf_et_by_id);
	for (size_t i = 0; i < et->n; i++) {
		struct sf_et_node *node = et->nodes[i], *parent;

		if (i != 0 && et->nodes[i - 1]->id == node->id)
			return sf_fail(error,
			    "%s:%lld: a second node of id %lld", file,
			    (long long)node->lineno, (long long)node->id);
		/* One that ended later than the file has none. */
		parent = find_node(et, node->parent);
		if (parent == NULL || parent == node)
			continue;
		if (parent->id > node->id)
			return sf_fail(error,
			    "%s:%lld: node %lld ran inside of %lld, which "
			    "began after it",
			    file, (long long)node->lineno, (long long)node->id,
			    (long long)parent->id);
		sf_call_node_add(&parent->call, &node->call);
	}
	return true;
}
