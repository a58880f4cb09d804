/* Local functions: which one a node calls, and what it passes on. */
#include "onnx/run/function.h"

#include "base/buf.h"

/* Domain, name and overload; no name has a NUL in it. */
static void
make_key(struct sf_buf *buf, struct sf_str domain, struct sf_str name,
    struct sf_str overload)
{
	buf->n = 0;
	sf_buf_put(buf, domain.p, domain.n);
	sf_buf_putc(buf, '\0');
	sf_buf_put(buf, name.p, name.n);
	sf_buf_putc(buf, '\0');
	sf_buf_put(buf, overload.p, overload.n);
}

static struct sf_str
key_of(const struct sf_buf *buf)
{
	return (struct sf_str){ buf->p, buf->n };
}

bool
sf_onnx_functions_init(struct sf_onnx_functions *functions,
    const struct sf_onnx_model *model, struct sf_arena *arena,
    struct sf_error *error)
{
	struct sf_buf key = { 0 };
	bool ok = true;

	functions->arena = arena;
	sf_table_init(&functions->by_key, arena);
	for (int i = 0; i < model->nfunctions && ok; i++) {
		const struct sf_onnx_function *f = &model->functions[i];
		struct sf_onnx_callee *callee;
		struct sf_entry *e;

		make_key(&key, f->domain, f->name, f->overload);
		e = sf_table_add(&functions->by_key, key_of(&key));
		if (e->ptr != NULL)
			ok = sf_fail(error,
			    "function '%.*s.%.*s' is there twice",
			    SF_STR_ARG(f->domain), SF_STR_ARG(f->name));
		callee = sf_arena_calloc(arena, 1, sizeof *callee);
		callee->function = f;
		e->ptr = callee;
	}
	sf_buf_release(&key);
	return ok;
}

void
sf_onnx_functions_release(struct sf_onnx_functions *functions)
{
	sf_table_release(&functions->by_key);
}

struct sf_onnx_callee *
sf_onnx_functions_find(
    const struct sf_onnx_functions *functions, const struct sf_onnx_node *node)
{
	struct sf_buf key = { 0 };
	const struct sf_entry *e;

	if (functions->by_key.n == 0)
		return NULL;
	make_key(&key, node->domain, node->op_type, node->overload);
	e = sf_table_find(&functions->by_key, key_of(&key));
	sf_buf_release(&key);
	return e != NULL ? e->ptr : NULL;
}

static const struct sf_onnx_attr *
find_attr(const struct sf_onnx_attr *attrs, int n, struct sf_str name)
{
	for (int i = 0; i < n; i++)
		if (sf_str_eq(attrs[i].name, name))
			return &attrs[i];
	return NULL;
}

static bool
has_refs(const struct sf_onnx_node *node)
{
	for (int i = 0; i < node->nattrs; i++)
		if (node->attrs[i].ref.n != 0)
			return true;
	return false;
}

const struct sf_onnx_node *
sf_onnx_function_node(const struct sf_onnx_function *function,
    const struct sf_onnx_node *call, const struct sf_onnx_node *node,
    struct sf_arena *arena, struct sf_error *error)
{
	struct sf_onnx_node *copy;

	if (!has_refs(node))
		return node;
	copy = sf_arena_alloc(arena, sizeof *copy);
	*copy = *node;
	copy->nattrs = 0;
	copy->attrs =
	    sf_arena_calloc(arena, (size_t)node->nattrs, sizeof *copy->attrs);
	for (int i = 0; i < node->nattrs; i++) {
		const struct sf_onnx_attr *a = &node->attrs[i], *value = a;

		if (a->ref.n != 0)
			value = find_attr(call->attrs, call->nattrs, a->ref);
		if (value == NULL)
			value = find_attr(function->default_attrs,
			    function->ndefault_attrs, a->ref);
		if (value == NULL)
			continue;
		if (a->type != 0 && a->type != value->type) {
			sf_fail(error,
			    "attribute '%.*s' of the call has type %d, "
			    "expected %d",
			    SF_STR_ARG(a->ref), (int)value->type, (int)a->type);
			return NULL;
		}
		copy->attrs[copy->nattrs] = *value;
		copy->attrs[copy->nattrs++].name = a->name;
	}
	return copy;
}
