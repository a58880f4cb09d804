/* Computing formulas, in checked arithmetic. */
#include "base/num.h"
#include "rules/attr.h"
#include "rules/einsum.h"
#include "rules/node.h"

struct tensors {
	const struct sf_tensor *v;
	int n;
};

static struct tensors
select_tensors(const struct sf_op *op, const struct sf_ref *ref)
{
	struct tensors all = ref->output
	    ? (struct tensors){ op->outputs, op->noutputs }
	    : (struct tensors){ op->inputs, op->ninputs };

	if (ref->first >= all.n)
		return (struct tensors){ NULL, 0 };
	all.v += ref->first;
	all.n = ref->many ? all.n - ref->first : 1;
	return all;
}

/* The one tensor, NULL when it was left out. */
static const struct sf_tensor *
one(const struct sf_op *op, const struct sf_ref *ref)
{
	struct tensors found = select_tensors(op, ref);

	return found.n != 0 && !found.v->absent ? found.v : NULL;
}

static const struct sf_tensor *
need_one(struct sf_eval *e, const struct sf_ref *ref)
{
	const struct sf_tensor *t = one(e->op, ref);

	if (t == NULL)
		sf_fail(e->error, "%s %d (%.*s) is missing",
		    ref->output ? "output" : "input", ref->first + 1,
		    SF_STR_ARG(ref->name));
	return t;
}

static bool
too_large(struct sf_eval *e)
{
	return sf_fail(e->error, "passes 2^63 - 1");
}

/* ---- sums over tensors ---- */

/* What is read of a parameter is what is stored of it. */
static int64_t
part(enum sf_node_type type, const struct sf_tensor *t)
{
	switch (type) {
	case SF_NODE_NUMEL:
		return t->numel;
	case SF_NODE_BYTES:
		return t->param ? t->stored : t->bytes;
	case SF_NODE_WEIGHT:
		return t->param ? t->stored : 0;
	default:
		return 1;
	}
}

static bool
is_meant(const struct sf_node *node, const struct sf_tensor *t)
{
	return !t->absent && (!node->ranked || t->rank == node->number);
}

static bool
eval_sum(const struct sf_node *node, struct sf_eval *e, int64_t *out)
{
	struct tensors all = select_tensors(e->op, &node->ref);
	int64_t sum = 0;

	if (!node->ref.many && !node->ref.optional &&
	    need_one(e, &node->ref) == NULL)
		return false;
	for (int i = 0; i < all.n; i++)
		if (is_meant(node, &all.v[i]) &&
		    !sf_add(sum, part(node->type, &all.v[i]), &sum))
			return too_large(e);
	*out = sum;
	return true;
}

static bool
eval_largest(const struct sf_node *node, struct sf_eval *e, int64_t *out)
{
	struct tensors all = select_tensors(e->op, &node->ref);
	int64_t most = -1;

	for (int i = 0; i < all.n; i++)
		if (is_meant(node, &all.v[i]) && all.v[i].numel > most)
			most = all.v[i].numel;
	if (most < 0)
		return sf_fail(e->error,
		    "found none of %.*s, expected at least "
		    "one",
		    SF_STR_ARG(node->ref.name));
	*out = most;
	return true;
}

/* ---- shapes ---- */

static bool
eval_dim(const struct sf_node *node, struct sf_eval *e, int64_t *out)
{
	const struct sf_tensor *t = need_one(e, &node->ref);
	int64_t at = node->from;

	if (t == NULL)
		return false;
	if (at < 0)
		at += t->rank;
	if (at < 0 || at >= t->rank)
		return sf_fail(e->error,
		    "%.*s[%lld]: %.*s has rank %d, expected at least %lld",
		    SF_STR_ARG(node->ref.name), (long long)node->from,
		    SF_STR_ARG(node->ref.name), t->rank,
		    (long long)(node->from < 0 ? -node->from : node->from + 1));
	*out = t->shape[at];
	return true;
}

static bool
eval_prod(const struct sf_node *node, struct sf_eval *e, int64_t *out)
{
	const struct sf_tensor *t = need_one(e, &node->ref);
	int64_t from, to;

	if (t == NULL)
		return false;
	from = node->has_from ? node->from : 0;
	to = node->has_to ? node->to : t->rank;
	from += from < 0 ? t->rank : 0;
	to += to < 0 ? t->rank : 0;
	if (from < 0 || to < from || to > t->rank)
		return sf_fail(e->error,
		    "prod(%.*s[...]): %.*s has rank %d, which has no sizes "
		    "%lld "
		    "up to %lld",
		    SF_STR_ARG(node->ref.name), SF_STR_ARG(node->ref.name),
		    t->rank, (long long)from, (long long)to);
	if (!sf_product(t->shape + from, (size_t)(to - from), out))
		return too_large(e);
	return true;
}

static bool
eval_rank(const struct sf_node *node, struct sf_eval *e, int64_t *out)
{
	const struct sf_tensor *t = need_one(e, &node->ref);

	if (t == NULL)
		return false;
	*out = t->rank;
	return true;
}

/* ---- attributes ---- */

static bool
eval_attr(const struct sf_node *node, struct sf_eval *e, int64_t *out)
{
	switch (sf_attr_int(
	    e, node->attr, node->indexed ? &node->from : NULL, out)) {
	case SF_FOUND:
		return true;
	case SF_FOUND_WRONG:
		return false;
	case SF_FOUND_NOT:
		break;
	}
	if (node->a != NULL)
		return sf_node_eval(node->a, e, out);
	return sf_fail(
	    e->error, "attribute '%.*s' is missing", SF_STR_ARG(node->attr));
}

static bool
eval_einsum(struct sf_eval *e, int64_t *out)
{
	struct sf_str equation;

	switch (sf_attr_text(e, SF_STR("equation"), &equation)) {
	case SF_FOUND:
		return sf_einsum_combinations(equation, e->op, out, e->error);
	case SF_FOUND_WRONG:
		return false;
	case SF_FOUND_NOT:
		break;
	}
	return sf_fail(e->error, "attribute 'equation' is missing");
}

/* ---- arithmetic ---- */

static bool
divide(enum sf_node_type type, int64_t a, int64_t b, int64_t *out,
    struct sf_eval *e)
{
	if (b == 0)
		return sf_fail(e->error, "divides by zero");
	if (a == INT64_MIN && b == -1)
		return too_large(e);
	if (type == SF_NODE_EXACT && a % b != 0)
		return sf_fail(e->error,
		    "%lld is no multiple of %lld (// would round down)",
		    (long long)a, (long long)b);
	*out = a / b - (a % b != 0 && (a < 0) != (b < 0));
	return true;
}

static bool
apply(enum sf_node_type type, int64_t a, int64_t b, int64_t *out,
    struct sf_eval *e)
{
	bool fits = true;

	switch (type) {
	case SF_NODE_ADD:
		fits = sf_add(a, b, out);
		break;
	case SF_NODE_SUB:
		fits = sf_sub(a, b, out);
		break;
	case SF_NODE_MUL:
		fits = sf_mul(a, b, out);
		break;
	case SF_NODE_EXACT:
	case SF_NODE_FLOOR:
		return divide(type, a, b, out, e);
	case SF_NODE_MIN:
		*out = a < b ? a : b;
		break;
	case SF_NODE_MAX:
		*out = a > b ? a : b;
		break;
	case SF_NODE_EQ:
		*out = a == b;
		break;
	case SF_NODE_NE:
		*out = a != b;
		break;
	case SF_NODE_LT:
		*out = a < b;
		break;
	case SF_NODE_LE:
		*out = a <= b;
		break;
	case SF_NODE_GT:
		*out = a > b;
		break;
	case SF_NODE_GE:
		*out = a >= b;
		break;
	default:
		sf_bug("no binary operator");
	}
	return fits || too_large(e);
}

static bool
eval_binary(const struct sf_node *node, struct sf_eval *e, int64_t *out)
{
	int64_t a, b;

	return sf_node_eval(node->a, e, &a) && sf_node_eval(node->b, e, &b) &&
	    apply(node->type, a, b, out, e);
}

static bool
eval_if(const struct sf_node *node, struct sf_eval *e, int64_t *out)
{
	int64_t decides;

	if (!sf_node_eval(node->a, e, &decides))
		return false;
	return sf_node_eval(decides != 0 ? node->b : node->c, e, out);
}

bool
sf_node_eval(const struct sf_node *node, struct sf_eval *e, int64_t *out)
{
	const struct sf_tensor *t;

	switch (node->type) {
	case SF_NODE_NUMBER:
		*out = node->number;
		return true;
	case SF_NODE_NAME:
		return sf_node_eval(node->a, e, out);
	case SF_NODE_DIM:
		return eval_dim(node, e, out);
	case SF_NODE_PROD:
		return eval_prod(node, e, out);
	case SF_NODE_RANK:
		return eval_rank(node, e, out);
	case SF_NODE_NUMEL:
	case SF_NODE_BYTES:
	case SF_NODE_WEIGHT:
	case SF_NODE_COUNT:
		return eval_sum(node, e, out);
	case SF_NODE_LARGEST:
		return eval_largest(node, e, out);
	case SF_NODE_HAS:
		*out = one(e->op, &node->ref) != NULL;
		return true;
	case SF_NODE_PARAM:
		t = one(e->op, &node->ref);
		*out = t != NULL && t->param;
		return true;
	case SF_NODE_ATTR:
		return eval_attr(node, e, out);
	case SF_NODE_EINSUM:
		return eval_einsum(e, out);
	case SF_NODE_IF:
		return eval_if(node, e, out);
	default:
		return eval_binary(node, e, out);
	}
}

bool
sf_expr_eval(const struct sf_expr *expr, struct sf_eval *e, int64_t *out)
{
	return sf_node_eval(expr->root, e, out);
}
