/* The graphs and functions of a model, from their messages. */
#include "onnx/read/model-part.h"

#include <stdarg.h>
#include <stdio.h>

#include "onnx/read/scopes.h"
#include "onnx/read/wire.h"

/* Operator sets that are accepted: they are searched one by one. */
enum {
	MOST_OPSETS = 1024
};

bool
sf_onnx_fail_in(struct sf_onnx_convert *c, const char *format, ...)
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
drop_late(struct sf_onnx_convert *c)
{
	if (c->depth == 0)
		sf_arena_reset(c->late);
}

struct sf_str *
sf_onnx_texts(
    struct sf_onnx_convert *c, const ProtobufCBinaryData *bytes, size_t n)
{
	struct sf_str *out = sf_arena_calloc(c->arena, n, sizeof *out);

	for (size_t i = 0; i < n; i++)
		out[i] = sf_onnx_text(&bytes[i]);
	return out;
}

static struct sf_str
domain_of(const ProtobufCBinaryData *bytes)
{
	struct sf_str domain = sf_onnx_text(bytes);

	return sf_str_is(domain, "ai.onnx") ? SF_STR("") : domain;
}

/* ---- nodes ---- */

/* How a node is named in messages. */
static const char *
node_label(struct sf_onnx_convert *c, const struct sf_onnx_node *node, size_t i)
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
		if (sf_str_is(sf_onnx_text(&pairs[i]->key), key))
			return sf_onnx_text(&pairs[i]->value);
	return SF_STR("");
}

static bool
convert_node(
    struct sf_onnx_convert *c, const Onnx__Node *in, struct sf_onnx_node *out)
{
	out->name = sf_onnx_text(&in->name);
	out->op_type = sf_onnx_text(&in->op_type);
	out->domain = domain_of(&in->domain);
	out->overload = sf_onnx_text(&in->overload);
	out->module = sf_onnx_module_of(find_pair(in->metadata_props,
	    in->n_metadata_props, "pkg.torch.onnx.name_scopes"));
	out->ninputs = (int)in->n_input;
	out->inputs = sf_onnx_texts(c, in->input, in->n_input);
	out->noutputs = (int)in->n_output;
	out->outputs = sf_onnx_texts(c, in->output, in->n_output);
	out->nattrs = (int)in->n_attribute;
	if (out->op_type.n == 0)
		return sf_fail(c->error, "no operator type, expected a name");
	return sf_onnx_convert_attrs(
	    c, in->attribute, in->n_attribute, &out->attrs);
}

static bool
convert_nodes(struct sf_onnx_convert *c, Onnx__Node *const *in, size_t n,
    struct sf_onnx_node **out)
{
	*out = sf_arena_calloc(c->arena, n, sizeof **out);
	for (size_t i = 0; i < n; i++) {
		const Onnx__Node *node =
		    sf_onnx_unpack_node(in[i], c->late, c->error);

		if (node == NULL)
			return false;
		if (!convert_node(c, node, &(*out)[i]))
			return sf_onnx_fail_in(
			    c, "%s", node_label(c, &(*out)[i], i));
		drop_late(c);
	}
	return true;
}

/* ---- graphs ---- */

static bool
convert_infos(struct sf_onnx_convert *c, Onnx__ValueInfo *const *in, size_t n,
    const char *what, struct sf_onnx_info **out)
{
	*out = sf_arena_calloc(c->arena, n, sizeof **out);
	for (size_t i = 0; i < n; i++) {
		struct sf_onnx_info *info = &(*out)[i];
		const Onnx__ValueInfo *value =
		    sf_onnx_unpack_info(in[i], c->late, c->error);

		if (value == NULL)
			return false;
		info->name = sf_onnx_text(&value->name);
		if (!sf_onnx_convert_type(c, value->type, &info->type))
			return sf_onnx_fail_in(
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
convert_init(struct sf_onnx_convert *c, const Onnx__Tensor *in,
    struct sf_onnx_tensor *out)
{
	const Onnx__Tensor *tensor =
	    sf_onnx_unpack_tensor(in, c->late, c->error);

	if (tensor == NULL || !sf_onnx_convert_tensor(c, tensor, out))
		return false;
	drop_late(c);
	return true;
}

static bool
convert_inits(
    struct sf_onnx_convert *c, const Onnx__Graph *in, struct sf_onnx_graph *out)
{
	size_t n = in->n_initializer + in->n_sparse_initializer;

	out->ninits = (int)n;
	out->inits = sf_arena_calloc(c->arena, n, sizeof *out->inits);
	for (size_t i = 0; i < n; i++) {
		struct sf_onnx_tensor *t = &out->inits[i];
		bool ok = i < in->n_initializer
		    ? convert_init(c, in->initializer[i], t)
		    : sf_onnx_convert_sparse(
			  c, in->sparse_initializer[i - in->n_initializer], t);

		if (!ok)
			return sf_onnx_fail_in(
			    c, "initializer '%.*s'", SF_STR_ARG(t->name));
	}
	return true;
}

bool
sf_onnx_convert_graph(
    struct sf_onnx_convert *c, const Onnx__Graph *in, struct sf_onnx_graph *out)
{
	out->name = sf_onnx_text(&in->name);
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
convert_opsets(struct sf_onnx_convert *c, Onnx__OperatorSetId *const *in,
    size_t n, struct sf_onnx_opset **out)
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
convert_function(struct sf_onnx_convert *c, const Onnx__Function *in,
    struct sf_onnx_function *out)
{
	out->domain = domain_of(&in->domain);
	out->name = sf_onnx_text(&in->name);
	out->overload = sf_onnx_text(&in->overload);
	out->ninputs = (int)in->n_input;
	out->inputs = sf_onnx_texts(c, in->input, in->n_input);
	out->noutputs = (int)in->n_output;
	out->outputs = sf_onnx_texts(c, in->output, in->n_output);
	out->nattrs = (int)in->n_attribute;
	out->attrs = sf_onnx_texts(c, in->attribute, in->n_attribute);
	out->ndefault_attrs = (int)in->n_attribute_proto;
	out->nnodes = (int)in->n_node;
	out->nopsets = (int)in->n_opset_import;
	out->ninfos = (int)in->n_value_info;
	return convert_opsets(
		   c, in->opset_import, in->n_opset_import, &out->opsets) &&
	    sf_onnx_convert_attrs(c, in->attribute_proto, in->n_attribute_proto,
		&out->default_attrs) &&
	    convert_nodes(c, in->node, in->n_node, &out->nodes) &&
	    convert_infos(
		c, in->value_info, in->n_value_info, "value", &out->infos);
}

static bool
convert_model(
    struct sf_onnx_convert *c, const Onnx__Model *in, struct sf_onnx_model *out)
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
			return sf_onnx_fail_in(c, "function '%.*s.%.*s'",
			    SF_STR_ARG(f->domain), SF_STR_ARG(f->name));
	}
	return sf_onnx_convert_graph(c, in->graph, &out->graph);
}

struct sf_onnx_model *
sf_onnx_parse(const void *bytes, size_t len, struct sf_arena *arena,
    struct sf_error *error)
{
	struct sf_onnx_convert c = { .arena = arena, .error = error };
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
