/* Scopes of names, and unique names for the trace. */
#include "onnx/run/scope.h"

#include "base/buf.h"

void
sf_onnx_scope_init(struct sf_onnx_scope *scope,
    const struct sf_onnx_scope *outer, struct sf_arena *arena)
{
	*scope = (struct sf_onnx_scope){ .outer = outer, .arena = arena };
	sf_table_init(&scope->values, arena);
	sf_table_init(&scope->renamed, arena);
	sf_table_init(&scope->infos, arena);
	scope->prefix = SF_STR("");
	scope->module = outer != NULL ? outer->module : SF_STR("");
}

void
sf_onnx_scope_release(struct sf_onnx_scope *scope)
{
	sf_table_release(&scope->values);
	sf_table_release(&scope->renamed);
	sf_table_release(&scope->infos);
}

bool
sf_onnx_scope_find(const struct sf_onnx_scope *scope, struct sf_str name,
    struct sf_value **value)
{
	for (; scope != NULL; scope = scope->outer) {
		const struct sf_entry *e = sf_table_find(&scope->values, name);

		if (e != NULL) {
			*value = e->ptr;
			return true;
		}
	}
	return false;
}

void
sf_onnx_scope_declare(
    struct sf_onnx_scope *scope, struct sf_onnx_info *infos, int n)
{
	for (int i = 0; i < n; i++) {
		struct sf_entry *e;

		if (infos[i].name.n == 0)
			continue;
		e = sf_table_add(&scope->infos, infos[i].name);
		if (e->ptr == NULL)
			e->ptr = &infos[i];
	}
}

const struct sf_onnx_info *
sf_onnx_scope_declared(const struct sf_onnx_scope *scope, struct sf_str name)
{
	const struct sf_entry *e;

	if (scope->step)
		scope = scope->outer;
	e = sf_table_find(&scope->infos, name);
	return e != NULL ? e->ptr : NULL;
}

struct sf_str
sf_onnx_tids_make(
    struct sf_onnx_tids *tids, struct sf_str prefix, struct sf_str name)
{
	struct sf_buf buf = { 0 };
	struct sf_entry *first, *e;
	size_t stem;

	sf_buf_put(&buf, prefix.p, prefix.n);
	if (prefix.n != 0 && name.n != 0)
		sf_buf_putc(&buf, '/');
	sf_buf_put(&buf, name.p, name.n);
	stem = buf.n;
	first = e = sf_table_add(&tids->taken, (struct sf_str){ buf.p, buf.n });
	while (e->num != 0) {
		buf.n = stem;
		sf_buf_printf(&buf, "~%lld", (long long)++first->num);
		e = sf_table_add(&tids->taken, (struct sf_str){ buf.p, buf.n });
	}
	e->num = 1;
	tids->text += buf.n;
	sf_buf_release(&buf);
	return e->name;
}

struct sf_str
sf_onnx_choice_name(const struct sf_onnx_node *node)
{
	struct sf_str name = node->name;

	for (int i = 0; i < node->noutputs && name.n == 0; i++)
		name = node->outputs[i];
	return name;
}
