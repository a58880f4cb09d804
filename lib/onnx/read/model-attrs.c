/* Attributes of a model's nodes, from their messages. */
#include "onnx/read/model-part.h"

#include <string.h>

#include "base/table.h"

/*
 * Attributes of a node that are accepted, and from how many on they are looked
 * up. No operator has 50.
 */
enum {
	MOST_ATTRS = 1024,
	MOST_COMPARED = 16
};

/* Files of the first versions leave the type out. */
static int
attr_type(const Onnx__Attribute *in)
{
	if (in->type != 0)
		return in->type;
	if (in->has_f)
		return SF_ONNX_ATTR_FLOAT;
	if (in->has_i)
		return SF_ONNX_ATTR_INT;
	if (in->has_s)
		return SF_ONNX_ATTR_STRING;
	if (in->t != NULL)
		return SF_ONNX_ATTR_TENSOR;
	if (in->g != NULL)
		return SF_ONNX_ATTR_GRAPH;
	if (in->n_floats != 0)
		return SF_ONNX_ATTR_FLOATS;
	if (in->n_ints != 0)
		return SF_ONNX_ATTR_INTS;
	if (in->n_strings != 0)
		return SF_ONNX_ATTR_STRINGS;
	return 0;
}

static const double *
widen(struct sf_onnx_convert *c, const float *in, size_t n)
{
	double *out = sf_arena_calloc(c->arena, n, sizeof *out);

	for (size_t i = 0; i < n; i++)
		out[i] = (double)in[i];
	return out;
}

static const int64_t *
copy_ints(struct sf_onnx_convert *c, const int64_t *in, size_t n)
{
	int64_t *out;

	if (n == 0)
		return NULL;
	out = sf_arena_alloc(c->arena, n * sizeof *out);
	memcpy(out, in, n * sizeof *out);
	return out;
}

static bool
attr_tensor(struct sf_onnx_convert *c, const Onnx__Attribute *in,
    struct sf_onnx_attr *out)
{
	struct sf_onnx_tensor *tensor =
	    sf_arena_calloc(c->arena, 1, sizeof *tensor);

	out->tensor = tensor;
	if (out->type == SF_ONNX_ATTR_SPARSE_TENSOR) {
		if (in->sparse_tensor == NULL)
			return sf_fail(c->error, "no sparse tensor");
		return sf_onnx_convert_sparse(c, in->sparse_tensor, tensor);
	}
	if (in->t == NULL)
		return sf_fail(c->error, "no tensor");
	return sf_onnx_convert_tensor(c, in->t, tensor);
}

static bool
attr_graphs(struct sf_onnx_convert *c, Onnx__Graph *const *in, size_t n,
    struct sf_onnx_attr *out)
{
	out->n = n;
	out->graphs = sf_arena_calloc(c->arena, n, sizeof *out->graphs);
	for (size_t i = 0; i < n; i++) {
		if (in[i] == NULL)
			return sf_fail(c->error, "no graph");
		out->graphs[i] =
		    sf_arena_calloc(c->arena, 1, sizeof **out->graphs);
		c->depth++;
		if (!sf_onnx_convert_graph(c, in[i], out->graphs[i]))
			return false;
		c->depth--;
	}
	return true;
}

static bool
attr_value(struct sf_onnx_convert *c, const Onnx__Attribute *in,
    struct sf_onnx_attr *out)
{
	switch (out->type) {
	case SF_ONNX_ATTR_FLOAT:
		out->f = (double)in->f;
		return true;
	case SF_ONNX_ATTR_INT:
		out->i = in->i;
		return true;
	case SF_ONNX_ATTR_STRING:
		out->s = sf_onnx_text(&in->s);
		return true;
	case SF_ONNX_ATTR_TENSOR:
	case SF_ONNX_ATTR_SPARSE_TENSOR:
		return attr_tensor(c, in, out);
	case SF_ONNX_ATTR_GRAPH:
		return attr_graphs(c, &in->g, 1, out);
	case SF_ONNX_ATTR_GRAPHS:
		return attr_graphs(c, in->graphs, in->n_graphs, out);
	case SF_ONNX_ATTR_FLOATS:
		out->n = in->n_floats;
		out->floats = widen(c, in->floats, in->n_floats);
		return true;
	case SF_ONNX_ATTR_INTS:
		out->n = in->n_ints;
		out->ints = copy_ints(c, in->ints, in->n_ints);
		return true;
	case SF_ONNX_ATTR_STRINGS:
		out->n = in->n_strings;
		out->strings = sf_onnx_texts(c, in->strings, in->n_strings);
		return true;
	case SF_ONNX_ATTR_TENSORS:
		out->n = in->n_tensors;
		return true;
	case SF_ONNX_ATTR_SPARSE_TENSORS:
	case SF_ONNX_ATTR_TYPE_PROTO:
	case SF_ONNX_ATTR_TYPE_PROTOS:
		return true;
	}
	return sf_fail(c->error, "type %d, expected a number from 1 to 14",
	    (int)out->type);
}

static bool
convert_attr(struct sf_onnx_convert *c, const Onnx__Attribute *in,
    struct sf_onnx_attr *out)
{
	out->name = sf_onnx_text(&in->name);
	out->type = (enum sf_onnx_attr_type)attr_type(in);
	out->ref = sf_onnx_text(&in->ref_attr_name);
	if (out->name.n == 0)
		return sf_fail(c->error, "an attribute without a name");
	/* The call of the function has the value. */
	if (out->ref.n != 0)
		return true;
	if (!attr_value(c, in, out))
		return sf_onnx_fail_in(
		    c, "attribute '%.*s'", SF_STR_ARG(out->name));
	return true;
}

/* Few are compared one by one, many are looked up. */
static bool
attr_before(const struct sf_onnx_attr *attrs, size_t i, struct sf_table *names)
{
	if (i >= MOST_COMPARED)
		return sf_table_add(names, attrs[i].name)->num++ != 0;
	for (size_t k = 0; k < i; k++)
		if (sf_str_eq(attrs[k].name, attrs[i].name))
			return true;
	if (i + 1 == MOST_COMPARED)
		for (size_t k = 0; k <= i; k++)
			sf_table_add(names, attrs[k].name)->num = 1;
	return false;
}

bool
sf_onnx_convert_attrs(struct sf_onnx_convert *c, Onnx__Attribute *const *in,
    size_t n, struct sf_onnx_attr **out)
{
	struct sf_table names;
	bool ok = true;

	if (n > MOST_ATTRS)
		return sf_fail(c->error, "%zu attributes, expected at most %d",
		    n, MOST_ATTRS);
	*out = sf_arena_calloc(c->arena, n, sizeof **out);
	sf_table_init(&names, c->arena);
	for (size_t i = 0; i < n && ok; i++) {
		ok = convert_attr(c, in[i], &(*out)[i]);
		if (ok && attr_before(*out, i, &names))
			ok = sf_fail(c->error, "attribute '%.*s' comes twice",
			    SF_STR_ARG((*out)[i].name));
	}
	sf_table_release(&names);
	return ok;
}
