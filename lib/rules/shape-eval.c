/* Finding the shape that a rule states. */
#include "base/num.h"
#include "rules/attr.h"
#include "rules/shape-parts.h"

/* Sizes as they come together. */
struct sizes {
	bool known; /* how many there are */
	int n;
	int64_t size[SF_MAX_RANK];
	struct sf_str name[SF_MAX_RANK];
};

static bool
push(struct sizes *all, int64_t size, struct sf_str name, struct sf_eval *e)
{
	if (all->n == SF_MAX_RANK)
		return sf_fail(
		    e->error, "found more than %d dimensions", SF_MAX_RANK);
	all->size[all->n] = size;
	all->name[all->n++] = name;
	return true;
}

static struct sf_str
name_of(const struct sf_tensor *t, int64_t i)
{
	return t->dim_names != NULL && t->shape[i] == SF_DIM_UNKNOWN
	    ? t->dim_names[i]
	    : SF_STR("");
}

static void
blame(struct sf_eval *e, const struct sf_tensor *t)
{
	if (e->open == NULL)
		e->open = t;
}

/*
 * A formula; *KNOWN is false where it asks for a size that is not known, and
 * what is to blame is noted.
 */
static bool
compute(
    const struct sf_expr *expr, struct sf_eval *e, int64_t *out, bool *known)
{
	struct sf_eval inner = *e;
	bool good;

	inner.open = NULL;
	good = sf_expr_eval(expr, &inner, out);
	*known = good;
	if (inner.open != NULL)
		blame(e, inner.open);
	return good || inner.open != NULL;
}

/* The name of the one size of a product that is not 1. */
static struct sf_str
name_of_product(const struct sf_node *node, const struct sf_tensor *t)
{
	int64_t from = node->has_from ? node->from : 0;
	int64_t to = node->has_to ? node->to : t->rank;
	struct sf_str name = SF_STR("");
	int others = 0;

	from += from < 0 ? t->rank : 0;
	to += to < 0 ? t->rank : 0;
	for (int64_t i = from; i < to; i++) {
		if (t->shape[i] == 1)
			continue;
		name = name_of(t, i);
		others++;
	}
	return others == 1 ? name : SF_STR("");
}

/* A size that is one of an input keeps the name that it has there. */
static struct sf_str
name_of_size(const struct sf_node *node, struct sf_eval *e)
{
	const struct sf_tensor *t;
	int64_t at;

	while (node->type == SF_NODE_NAME || node->type == SF_NODE_IF) {
		if (node->type == SF_NODE_IF && !sf_node_eval(node->a, e, &at))
			return SF_STR("");
		node = node->type == SF_NODE_NAME ? node->a
		    : at != 0                     ? node->b
						  : node->c;
	}
	if (node->type != SF_NODE_DIM && node->type != SF_NODE_PROD)
		return SF_STR("");
	t = &e->op->inputs[node->ref.first];
	if (!t->rank_known)
		return SF_STR("");
	if (node->type == SF_NODE_PROD)
		return name_of_product(node, t);
	at = node->from < 0 ? node->from + t->rank : node->from;
	return name_of(t, at);
}

static bool
add_size(const struct sf_expr *expr, struct sf_eval *e, struct sizes *all)
{
	struct sf_error unused;
	struct sf_eval quiet = *e;
	int64_t size;
	bool known;

	quiet.error = &unused;
	if (!compute(expr, e, &size, &known))
		return false;
	if (!known)
		return push(
		    all, SF_DIM_UNKNOWN, name_of_size(expr->root, &quiet), e);
	if (size < 0)
		return sf_fail(e->error,
		    "%.*s is %lld, expected a size of 0 or more",
		    SF_STR_ARG(expr->formula), (long long)size);
	return push(all, size, SF_STR(""), e);
}

/* A bound as a dimension from the front; *KNOWN as for compute. */
static bool
find_bound(const struct sf_shape_bound *bound, int64_t otherwise,
    const struct sf_tensor *t, struct sf_eval *e, int64_t *out, bool *known)
{
	*out = bound->given ? bound->at : otherwise;
	*known = true;
	if (bound->expr != NULL && !compute(bound->expr, e, out, known))
		return false;
	if (*known && *out < 0)
		*out += t->rank;
	return true;
}

/* The sizes of T that SPAN means. */
static bool
add_sizes(const struct sf_shape_span *span, const struct sf_tensor *t,
    struct sf_eval *e, struct sizes *all)
{
	bool from_known, to_known;
	int64_t from, to;

	if (!t->rank_known) {
		blame(e, t);
		all->known = false;
		return true;
	}
	if (!find_bound(&span->from, 0, t, e, &from, &from_known) ||
	    !find_bound(&span->to, t->rank, t, e, &to, &to_known))
		return false;
	if (!from_known || !to_known) {
		all->known = false;
		return true;
	}
	if (from < 0 || to < from || to > t->rank)
		return sf_fail(e->error,
		    "%.*s has rank %d, which has no sizes %lld up to %lld",
		    SF_STR_ARG(span->ref.name), t->rank, (long long)from,
		    (long long)to);
	for (int64_t i = from; i < to; i++) {
		if (t->shape[i] == SF_DIM_UNKNOWN)
			blame(e, t);
		if (!push(all, t->shape[i], name_of(t, i), e))
			return false;
	}
	return true;
}

/* Sizes A and B that meet, into A. */
static bool
meet(struct sizes *a, int i, const struct sizes *b, int k, struct sf_eval *e)
{
	int64_t x = a->size[i], y = b->size[k];

	if (x == 1 || (x == SF_DIM_UNKNOWN && y >= 0 && y != 1)) {
		a->size[i] = y;
		a->name[i] = b->name[k];
	} else if (x == SF_DIM_UNKNOWN && y == SF_DIM_UNKNOWN) {
		if (!sf_str_eq(a->name[i], b->name[k]))
			a->name[i] = SF_STR("");
	} else if (x >= 0 && y >= 0 && y != 1 && x != y) {
		return sf_fail(e->error,
		    "sizes %lld and %lld do not go together", (long long)x,
		    (long long)y);
	}
	return true;
}

static bool
join(struct sizes *all, struct sizes *more, struct sf_eval *e)
{
	all->known = all->known && more->known;
	if (!all->known)
		return true;
	if (more->n > all->n) {
		struct sizes swap = *all;

		*all = *more;
		*more = swap;
	}
	for (int k = 0; k < more->n; k++)
		if (!meet(all, all->n - more->n + k, more, k, e))
			return false;
	return true;
}

static bool
add_broadcast(
    const struct sf_shape_piece *piece, struct sf_eval *e, struct sizes *all)
{
	struct sizes together = { .known = true }, one;

	for (int i = 0; i < piece->n; i++) {
		const struct sf_shape_span *span = &piece->spans[i];
		int n = 1;
		const struct sf_tensor *t = span->ref.many
		    ? sf_ref_all(e->op, &span->ref, &n)
		    : sf_ref_need(e, &span->ref);

		if (t == NULL && !span->ref.many)
			return false;
		for (int k = 0; k < n; k++) {
			one = (struct sizes){ .known = true };
			if (!t[k].absent &&
			    (!add_sizes(span, &t[k], e, &one) ||
				!join(&together, &one, e)))
				return false;
		}
	}
	all->known = all->known && together.known;
	for (int i = 0; i < together.n && all->known; i++)
		if (!push(all, together.size[i], together.name[i], e))
			return false;
	return true;
}

static bool
add_piece(
    const struct sf_shape_piece *piece, struct sf_eval *e, struct sizes *all)
{
	const struct sf_tensor *t;

	if (piece->size != NULL)
		return add_size(piece->size, e, all);
	if (piece->broadcast)
		return add_broadcast(piece, e, all);
	t = sf_ref_need(e, &piece->spans->ref);
	return t != NULL && add_sizes(piece->spans, t, e, all);
}

static bool
find_type(const struct sf_shape_rule *rule, struct sf_eval *e,
    sf_dtype_numbered *numbered, enum sf_dtype *out)
{
	const struct sf_shape_type *type = &rule->type;
	const struct sf_tensor *t = NULL;
	int64_t number;

	*out = type->dtype;
	if (type->attr.n != 0) {
		switch (sf_attr_int(e, type->attr, NULL, &number)) {
		case SF_FOUND:
			*out = numbered(number);
			return *out != SF_DT_UNKNOWN ||
			    sf_fail(e->error,
				"attribute '%.*s' is %lld, expected the number "
				"of a type",
				SF_STR_ARG(type->attr), (long long)number);
		case SF_FOUND_WRONG:
			return false;
		case SF_FOUND_NOT:
			return *out != SF_DT_UNKNOWN ||
			    sf_fail(e->error, "attribute '%.*s' is missing",
				SF_STR_ARG(type->attr));
		}
	}
	if (type->of_tensor && (t = sf_ref_need(e, &type->ref)) == NULL)
		return false;
	for (int i = 0; i < e->op->ninputs && !type->given && t == NULL; i++)
		if (!e->op->inputs[i].absent)
			t = &e->op->inputs[i];
	if (t != NULL)
		*out = t->dtype;
	else if (!type->given)
		*out = SF_DT_UNKNOWN;
	if (t != NULL && t->dtype == SF_DT_UNKNOWN)
		blame(e, t);
	return true;
}

bool
sf_shape_rule_eval(const struct sf_shape_rule *rule, struct sf_eval *e,
    sf_dtype_numbered *numbered, struct sf_tensor *out)
{
	struct sizes all = { .known = true };
	struct sf_str *names;
	int64_t *shape;
	size_t n;

	e->open = NULL;
	if (!find_type(rule, e, numbered, &out->dtype))
		return false;
	for (int i = 0; i < rule->n; i++)
		if (!add_piece(&rule->pieces[i], e, &all))
			return false;
	out->rank_known = all.known;
	if (!all.known)
		return true;
	n = (size_t)all.n;
	shape = sf_arena_calloc(e->arena, n, sizeof *shape);
	names = sf_arena_calloc(e->arena, n, sizeof *names);
	memcpy(shape, all.size, n * sizeof *shape);
	memcpy(names, all.name, n * sizeof *names);
	out->rank = all.n;
	out->shape = shape;
	out->dim_names = names;
	return true;
}
