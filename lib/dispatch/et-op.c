/* The operators of an execution trace: arguments by their schema, tensors by
 * their ids. */
#include "dispatch/et-op.h"

#include <stdlib.h>

#include "base/die.h"
#include "base/num.h"
#include "dispatch/call.h"
#include "dispatch/schema.h"
#include "torch/dtype.h"
#include "torch/target.h"

/*
 * What an id stood for when it was last met. An id is the address of a tensor
 * and is used again: each time an operator gives it, it is another value, and
 * so it is where its shape, type or storage is another one.
 */
struct version {
	int64_t number, storage;
	enum sf_dtype dtype;
	int rank;
	bool rank_known;
	int64_t *shape;
};

struct writer {
	struct sf_et *et;
	const char *file;
	struct sf_stream *stream;
	struct sf_made_op call;
	struct sf_table versions;
	struct sf_buf written; /* struct written */
	/* Of the operator. */
	const struct sf_et_node *node;
	struct sf_schema schema;
	bool has_schema;
};

/* An argument that the operator writes, and its ids. */
struct written {
	struct sf_tensor tensor;
	int64_t id, storage;
};

SF_NORETURN static void
node_die(const struct writer *w, const char *what)
{
	sf_die(SF_EX_INPUT, "%s:%lld: node %lld '%.*s': %s", w->file,
	    (long long)w->node->lineno, (long long)w->node->id,
	    SF_STR_ARG(w->node->name), what);
}

/* ---- which value ---- */

static bool
is_same(const struct version *v, const struct sf_tensor *t, int64_t storage)
{
	if (v->storage != storage || v->dtype != t->dtype ||
	    v->rank_known != t->rank_known || v->rank != t->rank)
		return false;
	return v->rank == 0 ||
	    memcmp(v->shape, t->shape, (size_t)v->rank * sizeof *v->shape) == 0;
}

static void
set_version(struct writer *w, struct version *v, const struct sf_tensor *t,
    int64_t storage)
{
	if (v->shape == NULL || v->rank < t->rank)
		v->shape = sf_arena_calloc(
		    w->et->arena, (size_t)t->rank + 1, sizeof *v->shape);
	v->storage = storage;
	v->dtype = t->dtype;
	v->rank_known = t->rank_known;
	v->rank = t->rank;
	if (t->rank != 0)
		memcpy(v->shape, t->shape, (size_t)t->rank * sizeof *v->shape);
}

static struct sf_str
tid_of(struct writer *w, const struct sf_tensor *t, int64_t id, int64_t storage,
    bool output)
{
	char text[24];
	struct sf_str name = { text, sf_int_format(id, text) };
	struct sf_entry *entry = sf_table_add(&w->versions, name);
	struct version *v = entry->ptr;

	if (v == NULL) {
		v = entry->ptr = sf_arena_calloc(w->et->arena, 1, sizeof *v);
		set_version(w, v, t, storage);
	} else if (output || !is_same(v, t, storage)) {
		v->number++;
		set_version(w, v, t, storage);
	}
	return sf_str_of(v->number == 0
		? sf_arena_printf(w->call.arena, "t%lld", (long long)id)
		: sf_arena_printf(w->call.arena, "t%lld.%lld", (long long)id,
		      (long long)v->number));
}

/* ---- arguments ---- */

/* Parallel scanners over what is left of the arguments. */
struct args {
	struct sf_json values, shapes;
	struct sf_buf *to; /* tensors go there */
	bool output;
	bool writes;  /* the argument is written */
	bool tensors; /* one was met */
};

/* "Tensor(float)" to its element type; false when it is none. */
static bool
tensor_type(struct sf_str type, struct sf_str *inner)
{
	if (!sf_str_starts(type, "Tensor(") || type.p[type.n - 1] != ')')
		return false;
	*inner = (struct sf_str){ type.p + 7, type.n - 8 };
	return true;
}

/* [id, storage, offset, elements, bytes of an element, device] */
static void
read_tensor(struct writer *w, struct args *a, struct sf_str type)
{
	struct sf_tensor t = { .dtype = SF_DT_UNKNOWN };
	int64_t at[5] = { 0 };
	int n = 0;

	sf_json_enter(&a->values, '[');
	for (; sf_json_element(&a->values); n++)
		if (n < 5)
			at[n] = sf_json_int(&a->values);
		else
			sf_json_skip(&a->values);
	sf_call_shape(&a->shapes, w->call.arena, &t);
	if (a->values.error != NULL || a->shapes.error != NULL)
		return;
	if (n < 5)
		node_die(w, "a tensor of less than five numbers");
	a->tensors = true;
	if (sf_str_starts(type, "nullptr")) {
		sf_call_add_absent(a->to);
		return;
	}
	t.dtype = sf_torch_dtype_of_cpp(type);
	/* Symbolic sizes are left out: then there is no rank to read. */
	t.rank_known = t.rank != 0 || at[3] == 1;
	t.tid = tid_of(w, &t, at[0], at[1], a->output);
	if (a->writes) {
		struct written one = { t, at[0], at[1] };

		sf_buf_put(&w->written, &one, sizeof one);
	}
	if (!sf_call_add(a->to, t))
		node_die(w, "a tensor of more than 2^63 - 1 bytes");
}

/* The next of the types in *REST, up to a ',' outside of brackets. */
static struct sf_str
next_type(struct sf_str *rest)
{
	int depth = 0;
	size_t n = 0;
	struct sf_str type = *rest;

	for (; n < rest->n; n++) {
		char c = rest->p[n];

		if (c == ',' && depth == 0)
			break;
		if (c == '[' || c == '(' || c == '<')
			depth++;
		else if (c == ']' || c == ')' || c == '>')
			depth--;
	}
	type.n = n;
	n += n < rest->n;
	rest->p += n;
	rest->n -= n;
	return type;
}

/* "GenericList[Int,Int]", "Tuple[...]": what is in the brackets. */
static bool
list_type(struct sf_str type, struct sf_str *inner)
{
	const char *open = sf_str_chr(type, '[');

	if (open == NULL || type.p[type.n - 1] != ']')
		return false;
	*inner = (struct sf_str){ open + 1,
		(size_t)(type.p + type.n - 1 - (open + 1)) };
	return true;
}

enum {
	DEEPEST = 8 /* lists in lists */
};

static void
read_arg(struct writer *w, struct args *a, struct sf_str type, int depth)
{
	struct sf_str inner;

	if (tensor_type(type, &inner)) {
		read_tensor(w, a, inner);
	} else if (list_type(type, &inner) && depth < DEEPEST) {
		sf_json_enter(&a->values, '[');
		sf_json_enter(&a->shapes, '[');
		while (sf_json_element(&a->values)) {
			if (!sf_json_element(&a->shapes))
				sf_json_fail(&a->shapes, "a shape is missing");
			read_arg(w, a, next_type(&inner), depth + 1);
		}
		if (sf_json_element(&a->shapes))
			sf_json_fail(&a->shapes, "a shape too many");
	} else {
		/* A tensor's place that nothing was put in. */
		if (depth != 0 && sf_str_is(type, "None"))
			sf_call_add_absent(a->to);
		sf_json_skip(&a->values);
		sf_json_skip(&a->shapes);
	}
}

/* What the schema says of argument I, NULL when it does not. */
static const struct sf_schema_arg *
arg_of(const struct writer *w, int i)
{
	return w->has_schema && i < w->schema.n ? &w->schema.args[i] : NULL;
}

static void
put_attr(struct writer *w, int i, struct sf_json scan, struct sf_str type)
{
	const struct sf_schema_arg *arg = arg_of(w, i);
	struct sf_jsonw *attrs = &w->call.attrs;
	char name[24] = "arg";
	enum sf_dtype dtype;

	if (sf_str_is(type, "None") || sf_str_is(type, "Object") ||
	    (sf_json_peek(&scan) == '"' && scan.p[1] == '<'))
		return;
	if (arg != NULL)
		sf_jsonw_name(attrs, arg->name);
	else
		sf_jsonw_name(attrs,
		    (struct sf_str){ name, 3 + sf_int_format(i, name + 3) });
	if (arg != NULL && sf_str_starts(arg->type, "ScalarType")) {
		dtype = sf_torch_dtype_of_c10(sf_json_int(&scan));
		if (dtype != SF_DT_UNKNOWN)
			sf_jsonw_cstr(attrs, sf_dtype_name(dtype));
		else
			sf_jsonw_null(attrs);
		return;
	}
	if (!sf_call_copy(&scan, attrs))
		node_die(w, scan.error);
}

/* A tensor that is not there takes a place only where one could be. */
static bool
is_left_out(const struct sf_schema_arg *arg, struct sf_str type)
{
	return sf_str_is(type, "None") && arg != NULL &&
	    sf_schema_is_tensor(arg) && !arg->out;
}

/*
 * As its schema says; of a collective, whose schema does not, the first where
 * its name says that it writes.
 */
static bool
is_written(const struct writer *w, int i)
{
	const struct sf_schema_arg *arg = arg_of(w, i);
	struct sf_str name = w->call.name;

	if (arg == NULL)
		return false;
	return sf_str_chr(arg->type, '!') != NULL ||
	    (i == 0 && w->node->call.kind->comms && name.p[name.n - 1] == '_');
}

/* What returns nothing gives what it writes. */
static void
give_written(struct writer *w)
{
	const struct written *v = (const void *)w->written.p;

	if (w->call.outputs.n != 0)
		return;
	for (size_t i = 0; i < w->written.n / sizeof *v; i++) {
		struct sf_tensor t = v[i].tensor;

		t.tid = tid_of(w, &t, v[i].id, v[i].storage, true);
		sf_call_add(&w->call.outputs, t);
	}
}

/* The arguments at V, or the results where OUTPUT. */
static void
read_args(struct writer *w, const struct sf_et_values *v, bool output)
{
	struct sf_json types = {
		.p = v->types.p, .start = v->types.p, .arena = w->call.arena
	};
	struct args a = { .output = output };
	struct sf_buf skipped = { 0 };

	if (v->values.n == 0 || v->shapes.n == 0 || v->types.n == 0)
		return;
	a.values = (struct sf_json){
		.p = v->values.p, .start = v->values.p, .arena = w->call.arena
	};
	a.shapes = (struct sf_json){
		.p = v->shapes.p, .start = v->shapes.p, .arena = w->call.arena
	};
	sf_json_enter(&types, '[');
	sf_json_enter(&a.values, '[');
	sf_json_enter(&a.shapes, '[');
	/* A kernel of a compiler has a grid and a stream more than types. */
	for (int i = 0; sf_json_element(&types) && sf_json_element(&a.values) &&
	     sf_json_element(&a.shapes);
	     i++) {
		const struct sf_schema_arg *arg = output ? NULL : arg_of(w, i);
		struct sf_str type = sf_json_string(&types);
		struct sf_json value = a.values;

		a.tensors = false;
		a.writes = !output && is_written(w, i);
		a.to = output                 ? &w->call.outputs
		    : arg != NULL && arg->out ? &skipped
					      : &w->call.inputs;
		if (type.n == 0)
			sf_json_fail(&types, "expected a type");
		else if (is_left_out(arg, type))
			sf_call_add_absent(a.to);
		if (types.error == NULL)
			read_arg(w, &a, type, 0);
		if (types.error != NULL || a.values.error != NULL ||
		    a.shapes.error != NULL)
			break;
		if (!a.tensors && !output)
			put_attr(w, i, value, type);
	}
	sf_buf_release(&skipped);
	if (types.error != NULL)
		node_die(w, types.error);
	if (a.values.error != NULL || a.shapes.error != NULL)
		node_die(w,
		    a.values.error != NULL ? a.values.error : a.shapes.error);
}

/* ---- collectives ---- */

/*
 * What older files say of a collective they say in the arguments of its
 * record: tensors, a number, the group, the rank, its name, the splits of both
 * sides, and, last, the size of the group.
 */
static void
old_comms(struct writer *w, const struct sf_et_node *node)
{
	struct sf_json types = { .p = node->in.types.p,
		.start = node->in.types.p,
		.arena = w->call.arena };
	struct sf_json values = { .p = node->in.values.p,
		.start = node->in.values.p,
		.arena = w->call.arena };
	struct sf_str group = sf_str_of("");
	int64_t size = -1;
	bool named = false;

	if (node->in.types.n == 0 || node->in.values.n == 0)
		return;
	sf_json_enter(&types, '[');
	sf_json_enter(&values, '[');
	while (sf_json_element(&types) && sf_json_element(&values)) {
		struct sf_str type = sf_json_string(&types);

		if (sf_str_is(type, "String") && !named) {
			sf_jsonw_kstr(&w->call.attrs, "collective",
			    sf_json_string(&values));
			named = true;
		} else if (sf_str_is(type, "Int") && named) {
			size = sf_json_int(&values);
		} else if (sf_str_is(type, "Tuple[String,String]") && !named) {
			sf_json_enter(&values, '[');
			while (sf_json_element(&values))
				group = sf_json_string(&values);
		} else {
			sf_json_skip(&values);
		}
	}
	if (types.error != NULL || values.error != NULL)
		node_die(w, types.error != NULL ? types.error : values.error);
	if (group.n != 0)
		sf_jsonw_kstr(&w->call.attrs, "group", group);
	if (size > 0)
		sf_jsonw_kint(&w->call.attrs, "group_size", size);
}

/* Sizes and group of the collective that ran inside, if one did. */
static void
put_comms(struct writer *w, struct sf_call_node *call)
{
	const struct sf_et_node *node =
	    (struct sf_et_node *)sf_call_node_collective(call);

	if (node == NULL)
		return;
	if (node->comms.n != 0)
		sf_jsonw_raw(&w->call.attrs, node->comms);
	else
		old_comms(w, node);
}

/* A record of a collective that no operator holds: its name is in it. */
static struct sf_str
comms_op_name(struct writer *w)
{
	struct sf_str attrs = { w->call.attrs.buf.p, w->call.attrs.buf.n };
	const char *key = "\"collective\":\"", *end;
	const char *at = attrs.n == 0 ? NULL : sf_str_find(attrs, key);

	if (at == NULL)
		return sf_str_of("");
	at += strlen(key);
	end = memchr(at, '"', (size_t)(attrs.p + attrs.n - at));
	if (end == NULL || end == at)
		return sf_str_of("");
	return sf_str_of(
	    sf_arena_printf(w->call.arena, "c10d.%.*s", (int)(end - at), at));
}

/* ---- one operator ---- */

static void
put_overload(struct writer *w)
{
	struct sf_torch_target target;

	if (w->has_schema && sf_torch_target_parse(w->schema.name, &target) &&
	    target.overload.n != 0)
		sf_jsonw_kstr(&w->call.attrs, "overload", target.overload);
}

/* A file that was cut or mended by hand: it returns tensors, and none is there. */
static bool
lacks_results(const struct writer *w)
{
	struct sf_str schema = w->node->schema;
	const char *at = sf_str_find(schema, "-> ");

	for (int i = 0; i < sf_call_count(&w->call.outputs); i++)
		if (!sf_call_tensor(&w->call.outputs, i)->absent)
			return false;
	if (!w->has_schema || at == NULL)
		return false;
	schema.n -= (size_t)(at + 3 - schema.p);
	schema.p = at + 3;
	return sf_str_starts(schema, "Tensor") ||
	    sf_str_starts(schema, "(Tensor");
}

/* Fewer tensors are there than it must be given. */
static bool
lacks_inputs(const struct writer *w)
{
	int must = 0, there = 0;

	for (int i = 0; w->has_schema && i < w->schema.n; i++) {
		const struct sf_schema_arg *arg = &w->schema.args[i];

		must += !arg->out && sf_schema_is_tensor(arg) &&
		    sf_str_chr(arg->type, '?') == NULL &&
		    sf_str_chr(arg->type, '[') == NULL;
	}
	for (int i = 0; i < sf_call_count(&w->call.inputs); i++)
		there += !sf_call_tensor(&w->call.inputs, i)->absent;
	return there < must;
}

static void
put_op(struct writer *w, struct sf_call_node *call)
{
	const struct sf_et_node *node = (struct sf_et_node *)call;
	const struct sf_call_kind *kind = call->kind;

	w->node = node;
	sf_call_begin(&w->call, kind->name);
	w->written.n = 0;
	w->has_schema = node->schema.n != 0 &&
	    sf_schema_parse(node->schema, w->call.arena, &w->schema);
	put_overload(w);
	if (kind->sort == SF_CALL_COLLECTIVE) {
		struct sf_buf attrs;

		put_comms(w, call);
		w->call.name = comms_op_name(w);
		if (w->call.name.n == 0 ||
		    sf_str_is(w->call.name, "c10d.wait") ||
		    sf_str_is(w->call.name, "c10d.init"))
			return;
		attrs = w->call.attrs.buf;
		w->call.attrs.buf = (struct sf_buf){ 0 };
		read_args(w, &node->in, false);
		sf_buf_release(&w->call.attrs.buf);
		w->call.attrs.buf = attrs;
	} else {
		read_args(w, &node->in, false);
		if (kind->comms)
			put_comms(w, call);
	}
	read_args(w, &node->out, true);
	give_written(w);
	sf_call_put(&w->call, w->stream, kind->free,
	    lacks_results(w)      ? "the file has no result of it"
		: lacks_inputs(w) ? "the file has not all of its inputs"
				  : NULL,
	    "the file has no shape or no type for a tensor");
}

/* Threads ran beside each other: operators in the order of their ids. */
struct found {
	struct sf_et_node **nodes;
	size_t n;
};

static void
take(void *context, struct sf_call_node *call)
{
	struct found *found = context;

	found->nodes[found->n++] = (struct sf_et_node *)call;
}

void
sf_et_write(struct sf_et *et, const char *file, struct sf_stream *stream)
{
	struct writer w = { .et = et, .file = file, .stream = stream };
	struct found found = { .nodes = sf_arena_calloc(et->arena, et->n + 1,
				   sizeof(struct sf_et_node *)) };

	sf_call_init(&w.call);
	sf_table_init(&w.versions, et->arena);
	for (size_t i = 0; i < et->n; i++)
		if (et->nodes[i]->call.up == NULL)
			sf_call_node_walk(&et->nodes[i]->call, take, &found);
	qsort(found.nodes, found.n, sizeof(struct sf_et_node *), sf_et_by_id);
	for (size_t i = 0; i < found.n; i++)
		put_op(&w, &found.nodes[i]->call);
	sf_buf_release(&w.written);
	sf_table_release(&w.versions);
	sf_call_release(&w.call);
}
