/*
 * From protobuf messages to the model in memory. Names stay where they are in
 * the file; what else was unpacked is copied.
 */
#include "onnx/read/model.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/table.h"
#include "onnx/read/scopes.h"
#include "onnx/read/tensor.h"
#include "onnx/read/unpack.h"
#include "onnx/read/wire.h"

/*
 * Attributes of a node, and operator sets, that are accepted: they are searched
 * one by one. No operator has 50.
 */
enum {
	MOST_ATTRS = 1024,
	MOST_COMPARED = 16,
	MOST_OPSETS = 1024
};

struct convert {
	struct sf_arena *arena;
	struct sf_error *error;
	struct sf_arena *late; /* one item of the outermost lists at a time */
	int depth;             /* graphs around this one */
};

static bool convert_graph(
    struct convert *c, const Onnx__Graph *in, struct sf_onnx_graph *out);

/* Puts the place before what went wrong. */
static bool fail_in(struct convert *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool
fail_in(struct convert *c, const char *format, ...)
{
	struct sf_error inner = *c->error;
	char place[300];
	va_list ap;

	va_start(ap, format);
	sf_vprint_fit(place, sizeof place, format, ap);
	va_end(ap);
	return sf_fail(c->error, "%s: %s", place, inner.text);
}

/* An item of a list was converted. */
static void
drop_late(struct convert *c)
{
	if (c->depth == 0)
		sf_arena_reset(c->late);
}

static struct sf_str
str_of(const ProtobufCBinaryData *bytes)
{
	if (bytes->len == 0)
		return SF_STR("");
	return (struct sf_str){ (const char *)bytes->data, bytes->len };
}

static struct sf_str *
strs_of(struct convert *c, const ProtobufCBinaryData *bytes, size_t n)
{
	struct sf_str *out = sf_arena_calloc(c->arena, n, sizeof *out);

	for (size_t i = 0; i < n; i++)
		out[i] = str_of(&bytes[i]);
	return out;
}

static struct sf_str
domain_of(const ProtobufCBinaryData *bytes)
{
	struct sf_str domain = str_of(bytes);

	return sf_str_is(domain, "ai.onnx") ? SF_STR("") : domain;
}

/* ---- tensors ---- */

static struct sf_onnx_payload
payload_of(const Onnx__Tensor *in)
{
	if (in->has_cut_field)
		return (struct sf_onnx_payload){ (int)in->cut_field,
			in->cut_bytes, NULL };
	if (in->raw_data.len != 0)
		return (struct sf_onnx_payload){ SF_ONNX_RAW, in->raw_data.len,
			in->raw_data.data };
	if (in->n_float_data != 0)
		return (struct sf_onnx_payload){ SF_ONNX_FLOATS,
			in->n_float_data, in->float_data };
	if (in->n_int32_data != 0)
		return (struct sf_onnx_payload){ SF_ONNX_INT32S,
			in->n_int32_data, in->int32_data };
	if (in->n_int64_data != 0)
		return (struct sf_onnx_payload){ SF_ONNX_INT64S,
			in->n_int64_data, in->int64_data };
	if (in->n_double_data != 0)
		return (struct sf_onnx_payload){ SF_ONNX_DOUBLES,
			in->n_double_data, in->double_data };
	if (in->n_uint64_data != 0)
		return (struct sf_onnx_payload){ SF_ONNX_UINT64S,
			in->n_uint64_data, in->uint64_data };
	return (struct sf_onnx_payload){ 0 };
}

static bool
convert_tensor(
    struct convert *c, const Onnx__Tensor *in, struct sf_onnx_tensor *out)
{
	struct sf_onnx_payload payload = payload_of(in);

	out->name = str_of(&in->name);
	out->external = in->data_location == 1;
	if (!sf_onnx_tensor_shape(
		out, in->data_type, in->dims, in->n_dims, c->arena, c->error))
		return false;
	return out->external ||
	    sf_onnx_tensor_fill(out, &payload, c->arena, c->error);
}

static bool
convert_sparse(
    struct convert *c, const Onnx__SparseTensor *in, struct sf_onnx_tensor *out)
{
	if (in->values == NULL)
		return sf_fail(c->error, "a sparse tensor without values");
	out->name = str_of(&in->values->name);
	out->external = in->values->data_location == 1;
	return sf_onnx_tensor_shape(out, in->values->data_type, in->dims,
	    in->n_dims, c->arena, c->error);
}

/* ---- attributes ---- */

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
widen(struct convert *c, const float *in, size_t n)
{
	double *out = sf_arena_calloc(c->arena, n, sizeof *out);

	for (size_t i = 0; i < n; i++)
		out[i] = (double)in[i];
	return out;
}

static const int64_t *
copy_ints(struct convert *c, const int64_t *in, size_t n)
{
	int64_t *out;

	if (n == 0)
		return NULL;
	out = sf_arena_alloc(c->arena, n * sizeof *out);
	memcpy(out, in, n * sizeof *out);
	return out;
}

static bool
attr_tensor(
    struct convert *c, const Onnx__Attribute *in, struct sf_onnx_attr *out)
{
	struct sf_onnx_tensor *tensor =
	    sf_arena_calloc(c->arena, 1, sizeof *tensor);

	out->tensor = tensor;
	if (out->type == SF_ONNX_ATTR_SPARSE_TENSOR) {
		if (in->sparse_tensor == NULL)
			return sf_fail(c->error, "no sparse tensor");
		return convert_sparse(c, in->sparse_tensor, tensor);
	}
	if (in->t == NULL)
		return sf_fail(c->error, "no tensor");
	return convert_tensor(c, in->t, tensor);
}

static bool
attr_graphs(struct convert *c, Onnx__Graph *const *in, size_t n,
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
		if (!convert_graph(c, in[i], out->graphs[i]))
			return false;
		c->depth--;
	}
	return true;
}

static bool
attr_value(
    struct convert *c, const Onnx__Attribute *in, struct sf_onnx_attr *out)
{
	switch (out->type) {
	case SF_ONNX_ATTR_FLOAT:
		out->f = (double)in->f;
		return true;
	case SF_ONNX_ATTR_INT:
		out->i = in->i;
		return true;
	case SF_ONNX_ATTR_STRING:
		out->s = str_of(&in->s);
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
		out->strings = strs_of(c, in->strings, in->n_strings);
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
convert_attr(
    struct convert *c, const Onnx__Attribute *in, struct sf_onnx_attr *out)
{
	out->name = str_of(&in->name);
	out->type = (enum sf_onnx_attr_type)attr_type(in);
	out->ref = str_of(&in->ref_attr_name);
	if (out->name.n == 0)
		return sf_fail(c->error, "an attribute without a name");
	/* The call of the function has the value. */
	if (out->ref.n != 0)
		return true;
	if (!attr_value(c, in, out))
		return fail_in(c, "attribute '%.*s'", SF_STR_ARG(out->name));
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

static bool
convert_attrs(struct convert *c, Onnx__Attribute *const *in, size_t n,
    struct sf_onnx_attr **out)
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

/* ---- nodes ---- */

/* How a node is named in messages. */
static const char *
node_label(struct convert *c, const struct sf_onnx_node *node, size_t i)
{
	if (node->op_type.n == 0)
		return sf_arena_printf(c->arena, "node %zu", i);
	if (node->name.n != 0)
		return sf_arena_printf(c->arena, "node '%.*s' (%.*s)",
		    SF_STR_ARG(node->name), SF_STR_ARG(node->op_type));
	return sf_arena_printf(
	    c->arena, "node %zu (%.*s)", i, SF_STR_ARG(node->op_type));
}

static struct sf_str
find_pair(Onnx__StringStringEntry *const *pairs, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (sf_str_is(str_of(&pairs[i]->key), key))
			return str_of(&pairs[i]->value);
	return SF_STR("");
}

static bool
convert_node(struct convert *c, const Onnx__Node *in, struct sf_onnx_node *out)
{
	out->name = str_of(&in->name);
	out->op_type = str_of(&in->op_type);
	out->domain = domain_of(&in->domain);
	out->overload = str_of(&in->overload);
	out->module = sf_onnx_module_of(find_pair(in->metadata_props,
	    in->n_metadata_props, "pkg.torch.onnx.name_scopes"));
	out->ninputs = (int)in->n_input;
	out->inputs = strs_of(c, in->input, in->n_input);
	out->noutputs = (int)in->n_output;
	out->outputs = strs_of(c, in->output, in->n_output);
	out->nattrs = (int)in->n_attribute;
	if (out->op_type.n == 0)
		return sf_fail(c->error, "no operator type, expected a name");
	return convert_attrs(c, in->attribute, in->n_attribute, &out->attrs);
}

static bool
convert_nodes(struct convert *c, Onnx__Node *const *in, size_t n,
    struct sf_onnx_node **out)
{
	*out = sf_arena_calloc(c->arena, n, sizeof **out);
	for (size_t i = 0; i < n; i++) {
		const Onnx__Node *node =
		    sf_onnx_unpack_node(in[i], c->late, c->error);

		if (node == NULL)
			return false;
		if (!convert_node(c, node, &(*out)[i]))
			return fail_in(c, "%s", node_label(c, &(*out)[i], i));
		drop_late(c);
	}
	return true;
}

/* ---- types ---- */

/* '?', '-1' and '*' are no names: one has a letter in it. */
static bool
is_name(struct sf_str text)
{
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (c == '_' || c >= 0x80 || (c >= 'A' && c <= 'Z') ||
		    (c >= 'a' && c <= 'z'))
			return true;
	}
	return false;
}

static bool
convert_dim(struct convert *c, const Onnx__TensorShape__Dimension *in, size_t i,
    struct sf_onnx_dim *out)
{
	out->size = SF_DIM_UNKNOWN;
	switch (in->value_case) {
	case ONNX__TENSOR_SHAPE__DIMENSION__VALUE_DIM_VALUE:
		if (in->dim_value < -1)
			return sf_fail(c->error,
			    "dimension %zu is %lld, expected a size or -1", i,
			    (long long)in->dim_value);
		out->size = in->dim_value;
		return true;
	case ONNX__TENSOR_SHAPE__DIMENSION__VALUE_DIM_PARAM:
		out->name = str_of(&in->dim_param);
		if (sf_int_parse(out->name.p, out->name.n, &out->size) &&
		    out->size >= 0)
			out->name = SF_STR("");
		else
			out->size = SF_DIM_UNKNOWN;
		if (!is_name(out->name))
			out->name = SF_STR("");
		return true;
	default:
		return true;
	}
}

static bool
convert_shape(
    struct convert *c, const Onnx__TensorShape *in, struct sf_onnx_type *out)
{
	if (in == NULL)
		return true;
	if (in->n_dim > SF_VALUE_MAX_RANK)
		return sf_fail(c->error, "rank %zu, expected at most %d",
		    in->n_dim, SF_VALUE_MAX_RANK);
	out->rank_known = true;
	out->rank = (int)in->n_dim;
	out->dims = sf_arena_calloc(c->arena, in->n_dim, sizeof *out->dims);
	for (size_t i = 0; i < in->n_dim; i++)
		if (!convert_dim(c, in->dim[i], i, &out->dims[i]))
			return false;
	return true;
}

static enum sf_onnx_type_kind
kind_of(const Onnx__Type *in)
{
	switch (in->value_case) {
	case ONNX__TYPE__VALUE_TENSOR_TYPE:
		return SF_ONNX_TYPE_TENSOR;
	case ONNX__TYPE__VALUE_SPARSE_TENSOR_TYPE:
		return SF_ONNX_TYPE_SPARSE;
	case ONNX__TYPE__VALUE_SEQUENCE_TYPE:
		return SF_ONNX_TYPE_SEQUENCE;
	case ONNX__TYPE__VALUE_OPTIONAL_TYPE:
		return SF_ONNX_TYPE_OPTIONAL;
	case ONNX__TYPE__VALUE_MAP_TYPE:
		return SF_ONNX_TYPE_MAP;
	default:
		return SF_ONNX_TYPE_NONE;
	}
}

static enum sf_onnx_type_kind
item_kind(const Onnx__Type *in)
{
	return in != NULL ? kind_of(in) : SF_ONNX_TYPE_NONE;
}

/* The type inside sequences and optionals. */
static const Onnx__Type *
innermost(const Onnx__Type *type)
{
	while (type != NULL) {
		if (type->value_case == ONNX__TYPE__VALUE_SEQUENCE_TYPE)
			type = type->sequence_type->elem_type;
		else if (type->value_case == ONNX__TYPE__VALUE_OPTIONAL_TYPE)
			type = type->optional_type->elem_type;
		else
			break;
	}
	return type;
}

static bool
convert_type(struct convert *c, const Onnx__Type *in, struct sf_onnx_type *out)
{
	out->dtype = SF_DT_UNKNOWN;
	if (in == NULL)
		return true;
	out->kind = kind_of(in);
	if (in->value_case == ONNX__TYPE__VALUE_SEQUENCE_TYPE)
		out->item = item_kind(in->sequence_type->elem_type);
	else if (in->value_case == ONNX__TYPE__VALUE_OPTIONAL_TYPE)
		out->item = item_kind(in->optional_type->elem_type);
	in = innermost(in);
	if (in == NULL)
		return true;
	if (in->value_case == ONNX__TYPE__VALUE_TENSOR_TYPE) {
		out->dtype = sf_onnx_dtype(in->tensor_type->elem_type);
		return convert_shape(c, in->tensor_type->shape, out);
	}
	if (in->value_case == ONNX__TYPE__VALUE_SPARSE_TENSOR_TYPE) {
		out->dtype = sf_onnx_dtype(in->sparse_tensor_type->elem_type);
		return convert_shape(c, in->sparse_tensor_type->shape, out);
	}
	return true;
}

/* ---- graphs ---- */

static bool
convert_infos(struct convert *c, Onnx__ValueInfo *const *in, size_t n,
    const char *what, struct sf_onnx_info **out)
{
	*out = sf_arena_calloc(c->arena, n, sizeof **out);
	for (size_t i = 0; i < n; i++) {
		struct sf_onnx_info *info = &(*out)[i];
		const Onnx__ValueInfo *value =
		    sf_onnx_unpack_info(in[i], c->late, c->error);

		if (value == NULL)
			return false;
		info->name = str_of(&value->name);
		if (!convert_type(c, value->type, &info->type))
			return fail_in(
			    c, "%s '%.*s'", what, SF_STR_ARG(info->name));
		info->spec_kind =
		    find_pair(value->metadata_props, value->n_metadata_props,
			"pkg.torch.export.graph_signature.InputSpec.kind");
		info->folded_from =
		    find_pair(value->metadata_props, value->n_metadata_props,
			"pkg.onnxscript.optimizer.folded_from");
		drop_late(c);
	}
	return true;
}

static bool
convert_init(
    struct convert *c, const Onnx__Tensor *in, struct sf_onnx_tensor *out)
{
	const Onnx__Tensor *tensor =
	    sf_onnx_unpack_tensor(in, c->late, c->error);

	if (tensor == NULL || !convert_tensor(c, tensor, out))
		return false;
	drop_late(c);
	return true;
}

static bool
convert_inits(
    struct convert *c, const Onnx__Graph *in, struct sf_onnx_graph *out)
{
	size_t n = in->n_initializer + in->n_sparse_initializer;

	out->ninits = (int)n;
	out->inits = sf_arena_calloc(c->arena, n, sizeof *out->inits);
	for (size_t i = 0; i < n; i++) {
		struct sf_onnx_tensor *t = &out->inits[i];
		bool ok = i < in->n_initializer
		    ? convert_init(c, in->initializer[i], t)
		    : convert_sparse(
			  c, in->sparse_initializer[i - in->n_initializer], t);

		if (!ok)
			return fail_in(
			    c, "initializer '%.*s'", SF_STR_ARG(t->name));
	}
	return true;
}

static bool
convert_graph(
    struct convert *c, const Onnx__Graph *in, struct sf_onnx_graph *out)
{
	out->name = str_of(&in->name);
	out->nnodes = (int)in->n_node;
	out->ninputs = (int)in->n_input;
	out->noutputs = (int)in->n_output;
	out->ninfos = (int)in->n_value_info;
	out->signature = find_pair(in->metadata_props, in->n_metadata_props,
	    "pkg.torch.export.ExportedProgram.graph_signature");
	return convert_nodes(c, in->node, in->n_node, &out->nodes) &&
	    convert_inits(c, in, out) &&
	    convert_infos(c, in->input, in->n_input, "input", &out->inputs) &&
	    convert_infos(
		c, in->output, in->n_output, "output", &out->outputs) &&
	    convert_infos(
		c, in->value_info, in->n_value_info, "value", &out->infos);
}

/* ---- the model ---- */

static bool
convert_opsets(struct convert *c, Onnx__OperatorSetId *const *in, size_t n,
    struct sf_onnx_opset **out)
{
	if (n > MOST_OPSETS)
		return sf_fail(c->error,
		    "%zu operator sets, expected at most %d", n, MOST_OPSETS);
	*out = sf_arena_calloc(c->arena, n, sizeof **out);
	for (size_t i = 0; i < n; i++) {
		(*out)[i].domain = domain_of(&in[i]->domain);
		(*out)[i].version = in[i]->version;
	}
	return true;
}

static bool
convert_function(
    struct convert *c, const Onnx__Function *in, struct sf_onnx_function *out)
{
	out->domain = domain_of(&in->domain);
	out->name = str_of(&in->name);
	out->overload = str_of(&in->overload);
	out->ninputs = (int)in->n_input;
	out->inputs = strs_of(c, in->input, in->n_input);
	out->noutputs = (int)in->n_output;
	out->outputs = strs_of(c, in->output, in->n_output);
	out->nattrs = (int)in->n_attribute;
	out->attrs = strs_of(c, in->attribute, in->n_attribute);
	out->ndefault_attrs = (int)in->n_attribute_proto;
	out->nnodes = (int)in->n_node;
	out->nopsets = (int)in->n_opset_import;
	out->ninfos = (int)in->n_value_info;
	return convert_opsets(
		   c, in->opset_import, in->n_opset_import, &out->opsets) &&
	    convert_attrs(c, in->attribute_proto, in->n_attribute_proto,
		&out->default_attrs) &&
	    convert_nodes(c, in->node, in->n_node, &out->nodes) &&
	    convert_infos(
		c, in->value_info, in->n_value_info, "value", &out->infos);
}

static bool
convert_model(
    struct convert *c, const Onnx__Model *in, struct sf_onnx_model *out)
{
	if (in->graph == NULL)
		return sf_fail(c->error, "the model has no graph");
	out->ir_version = in->ir_version;
	out->nopsets = (int)in->n_opset_import;
	if (!convert_opsets(
		c, in->opset_import, in->n_opset_import, &out->opsets))
		return false;
	out->nfunctions = (int)in->n_functions;
	out->functions =
	    sf_arena_calloc(c->arena, in->n_functions, sizeof *out->functions);
	for (size_t i = 0; i < in->n_functions; i++) {
		struct sf_onnx_function *f = &out->functions[i];

		if (!convert_function(c, in->functions[i], f))
			return fail_in(c, "function '%.*s.%.*s'",
			    SF_STR_ARG(f->domain), SF_STR_ARG(f->name));
	}
	return convert_graph(c, in->graph, &out->graph);
}

struct sf_onnx_model *
sf_onnx_parse(const void *bytes, size_t len, struct sf_arena *arena,
    struct sf_error *error)
{
	struct convert c = { .arena = arena, .error = error };
	struct sf_onnx_model *out;
	struct sf_arena *unpacked;
	Onnx__Model *in;
	uint64_t kept;
	bool good;

	out = sf_arena_calloc(arena, 1, sizeof *out);
	if (!sf_wire_check(bytes, len, &kept, &out->crc32, error))
		return NULL;
	unpacked = sf_arena_new();
	in = sf_onnx_unpack(bytes, len, unpacked, error);
	c.late = sf_arena_new();
	good = in != NULL && convert_model(&c, in, out);
	sf_arena_free(c.late);
	sf_arena_free(unpacked);
	return good ? out : NULL;
}
