/* Which module of a model an operator belongs to, by the names that it has. */
#include "report/rows.h"

static bool
is_break(char c)
{
	return c == '/' || c == '.';
}

/* TEXT without breaks at its ends, '.' for each inside. */
static struct sf_str
path_of(struct sf_str text, struct sf_arena *arena)
{
	char *path = sf_arena_alloc(arena, text.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (!is_break(text.p[i]))
			path[n++] = text.p[i];
		else if (n != 0 && path[n - 1] != '.')
			path[n++] = '.';
	}
	if (n != 0 && path[n - 1] == '.')
		n--;
	return (struct sf_str){ path, n };
}

/* TEXT up to the last character of BREAKS; false when there is none. */
static bool
parent_of(struct sf_str text, const char *breaks, struct sf_arena *arena,
    struct sf_str *parent)
{
	size_t n = text.n;

	while (n != 0 && strchr(breaks, text.p[n - 1]) == NULL)
		n--;
	if (n == 0)
		return false;
	*parent = path_of((struct sf_str){ text.p, n - 1 }, arena);
	return true;
}

static bool
owner_of(const struct sf_op *op, struct sf_table *owners,
    struct sf_arena *arena, struct sf_str *owner)
{
	for (int i = 0; i < op->ninputs; i++) {
		const struct sf_tensor *in = &op->inputs[i];
		const struct sf_entry *entry;

		if (in->absent || !in->param)
			continue;
		entry = sf_table_find(owners, in->tid);
		if (entry != NULL) {
			*owner = *(const struct sf_str *)entry->ptr;
			return true;
		}
		if (parent_of(in->tid, "./", arena, owner))
			return true;
	}
	return false;
}

bool
sf_module_of(const struct sf_op *op, struct sf_table *owners,
    struct sf_arena *arena, struct sf_str *module)
{
	struct sf_str owner;
	bool owned = owner_of(op, owners, arena, &owner);

	for (int i = 0; owned && i < op->noutputs; i++) {
		struct sf_str *kept;

		if (op->outputs[i].absent || !op->outputs[i].param)
			continue;
		kept = sf_arena_alloc(arena, sizeof *kept);
		*kept = owner;
		sf_table_add(owners, op->outputs[i].tid)->ptr = kept;
	}
	if (op->module.n != 0) {
		*module = op->module;
		return true;
	}
	if (parent_of(op->node, "/", arena, module))
		return true;
	*module = owner;
	return owned;
}

size_t
sf_module_depth(struct sf_str a, int64_t n)
{
	for (size_t i = 0; i < a.n; i++)
		if (a.p[i] == '.' && --n == 0)
			return i;
	return a.n;
}

size_t
sf_module_common(struct sf_str a, struct sf_str b)
{
	size_t whole = 0;

	for (size_t i = 0;; i++) {
		bool end_a = i == a.n || a.p[i] == '.';
		bool end_b = i == b.n || b.p[i] == '.';

		if (end_a && end_b)
			whole = i;
		if (i == a.n || i == b.n || a.p[i] != b.p[i])
			return whole;
	}
}
