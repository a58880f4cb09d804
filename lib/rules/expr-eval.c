/* Computing formulas, in checked arithmetic. */
#include "base/num.h"
#include "rules/attr.h"
#include "rules/einsum.h"
#include "rules/node.h"

const struct sf_tensor *
sf_ref_all(const struct sf_op *op, const struct sf_ref *ref, int *n)
{
	const struct sf_tensor *v = ref->output ? op->outputs : op->inputs;

	*n = ref->output ? op->noutputs : op->ninputs;
	if (ref->first >= *n) {
		*n = 0;
		return NULL;
	}
	*n = ref->many ? *n - ref->first : 1;
	return v + ref->first;
}

/* The one tensor, NULL when it was left out. */
static const struct sf_tensor *
one(const struct sf_op *op, const struct sf_ref *ref)
{
	int n;
	const struct sf_tensor *t = sf_ref_all(op, ref, &n);

	return n != 0 && !t->absent ? t : NULL;
}

const struct sf_tensor *
sf_ref_need(struct sf_eval *e, const struct sf_ref *ref)
{
	const struct sf_tensor *t = one(e->op, ref);

	if (t == NULL)
		sf_fail(e->error, "%s %d (%.*s) is missing",
		    ref->output ? "output" : "input", ref->first + 1,
		    SF_STR_ARG(ref->name));
	return t;
}

/* What is asked for is not known of T. */
static bool
is_open(struct sf_eval *e, const struct sf_tensor *t)
{
	e->open = t;
	return sf_fail(
	    e->error, "'%.*s' is not known well enough", SF_STR_ARG(t->tid));
}

bool
sf_eval_too_large(struct sf_eval *e)
{
	if (e->wrong != NULL)
		*e->wrong = true;
	return sf_fail(e->error, "passes 2^63 - 1");
}

/* ---- sums over tensors ---- */

/* Real numbers: two an element of a complex type. */
static bool
reals(const struct sf_tensor *t, int64_t *out)
{
	return sf_mul(t->numel, sf_dtype_parts(t->dtype), out);
}

/* What is read of a parameter is what is stored of it, but for what is left. */
static bool
part(enum sf_node_type type, const struct sf_tensor *t, int64_t *out)
{
	*out = 1;
	switch (type) {
	case SF_NODE_NUMEL:
		*out = t->numel;
		break;
	case SF_NODE_REALS:
		return reals(t, out);
	case SF_NODE_BYTES:
		*out = t->param ? t->stored - t->unread : t->bytes;
		break;
	case SF_NODE_WEIGHT:
		*out = t->param ? t->stored - t->unread : 0;
		break;
	default:
		break;
	}
	return true;
}

static bool
is_meant(const struct sf_node *node, const struct sf_tensor *t)
{
	return !t->absent && (!node->ranked || t->rank == node->number);
}

/* Whether T says what is summed: how many there are needs no sizes. */
static bool
says_enough(const struct sf_node *node, const struct sf_tensor *t)
{
	return t->absent || t->resolved ||
	    (node->type == SF_NODE_COUNT && (!node->ranked || t->rank_known));
}

static bool
eval_sum(const struct sf_node *node, struct sf_eval *e, int64_t *out)
{
	int64_t sum = 0, more;
	int n;
	const struct sf_tensor *v = sf_ref_all(e->op, &node->ref, &n);

	if (!node->ref.many && !node->ref.optional &&
	    sf_ref_need(e, &node->ref) == NULL)
		return false;
	for (int i = 0; i < n; i++) {
		if (!says_enough(node, &v[i]))
			return is_open(e, &v[i]);
		if (is_meant(node, &v[i]) &&
		    (!part(node->type, &v[i], &more) ||
			!sf_add(sum, more, &sum)))
			return sf_eval_too_large(e);
	}
	*out = sum;
	return true;
}

static bool
eval_largest(const struct sf_node *node, struct sf_eval *e, int64_t *out)
{
	int64_t most = -1, here;
	int n;
	const struct sf_tensor *v = sf_ref_all(e->op, &node->ref, &n);

	for (int i = 0; i < n; i++) {
		if (!says_enough(node, &v[i]))
			return is_open(e, &v[i]);
		if (!is_meant(node, &v[i]))
			continue;
		if (!reals(&v[i], &here))
			return sf_eval_too_large(e);
		most = here > most ? here : most;
	}
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
	const struct sf_tensor *t = sf_ref_need(e, &node->ref);
	int64_t at = node->from;

	if (t == NULL)
		return false;
	if (!t->rank_known)
		return is_open(e, t);
	if (at < 0)
		at += t->rank;
	if (at < 0 || at >= t->rank)
		return sf_fail(e->error,
		    "%.*s[%lld]: %.*s has rank %d, expected at least %lld",
		    SF_STR_ARG(node->ref.name), (long long)node->from,
		    SF_STR_ARG(node->ref.name), t->rank,
		    (long long)(node->from < 0 ? -node->from : node->from + 1));
	*out = t->shape[at];
	return *out >= 0 || is_open(e, t);
}

static bool
eval_prod(const struct sf_node *node, struct sf_eval *e, int64_t *out)
{
	const struct sf_tensor *t = sf_ref_need(e, &node->ref);
	int64_t from, to;

	if (t == NULL)
		return false;
	if (!t->rank_known)
		return is_open(e, t);
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
	for (int64_t i = from; i < to; i++)
		if (t->shape[i] < 0)
			return is_open(e, t);
	if (!sf_mul_all(t->shape + from, (size_t)(to - from), out))
		return sf_eval_too_large(e);
	return true;
}

static bool
eval_rank(const struct sf_node *node, struct sf_eval *e, int64_t *out)
{
	const struct sf_tensor *t = sf_ref_need(e, &node->ref);

	if (t == NULL)
		return false;
	*out = t->rank;
	return t->rank_known || is_open(e, t);
}

/* ---- attributes ---- */

static bool
eval_attr(const struct sf_node *node, struct sf_eval *e, int64_t *out)
{
	const int64_t *index = node->indexed ? &node->from : NULL;

	switch (node->type == SF_NODE_ATTR
		? sf_attr_int(e, node->attr, index, out)
		: sf_attr_nonzero(e, node->attr, index, out)) {
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

/* The sizes of a tensor in the dimensions that an attribute lists. */
static bool
eval_along(const struct sf_node *node, struct sf_eval *e, int64_t *out)
{
	const struct sf_tensor *t = sf_ref_need(e, &node->ref);
	int64_t dims[SF_MAX_RANK];
	int n = 0;

	if (t == NULL)
		return false;
	if (!t->rank_known)
		return is_open(e, t);
	switch (sf_attr_ints(e, node->attr, dims, SF_MAX_RANK, &n)) {
	case SF_FOUND:
		break;
	case SF_FOUND_WRONG:
		return false;
	case SF_FOUND_NOT:
		if (node->a != NULL)
			return sf_node_eval(node->a, e, out);
		return sf_fail(e->error, "attribute '%.*s' is missing",
		    SF_STR_ARG(node->attr));
	}
	*out = 1;
	for (int i = 0; i < n; i++) {
		int64_t at = dims[i] < 0 ? dims[i] + t->rank : dims[i];

		if (at < 0 || at >= t->rank)
			return sf_fail(e->error,
			    "attribute '%.*s' has %lld, expected a dimension "
			    "of %.*s, which has rank %d",
			    SF_STR_ARG(node->attr), (long long)dims[i],
			    SF_STR_ARG(node->ref.name), t->rank);
		if (t->shape[at] < 0)
			return is_open(e, t);
		if (!sf_mul(*out, t->shape[at], out))
			return sf_eval_too_large(e);
	}
	return true;
}

/* ---- what the rule states besides ---- */

static bool
eval_macs(struct sf_eval *e, int64_t *out)
{
	if (e->products == NULL)
		return sf_fail(e->error, "macs(): the rule has no gemm =");
	*out = e->products->macs;
	return true;
}

/* 0 when the operator does not say its kernel. */
static bool
eval_taps(struct sf_eval *e, int64_t *out)
{
	if (e->window == NULL)
		return sf_fail(e->error, "taps(): the rule has no window =");
	*out = e->window->n != 0;
	for (int i = 0; i < e->window->n; i++)
		if (!sf_mul(*out, e->window->dims[i].kernel, out))
			return sf_eval_too_large(e);
	return true;
}

/* ---- arithmetic ---- */

/* The least exponent of 2 that is not below it. */
static bool
eval_log2(const struct sf_node *node, struct sf_eval *e, int64_t *out)
{
	int64_t x;

	if (!sf_node_eval(node->a, e, &x))
		return false;
	if (x < 1)
		return sf_fail(
		    e->error, "log2(%lld), expected 1 or more", (long long)x);
	*out = x == 1 ? 0 : 64 - __builtin_clzll((unsigned long long)x - 1);
	return true;
}

static int64_t
gcd(int64_t a, int64_t b)
{
	while (b != 0) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static bool
divide(enum sf_node_type type, int64_t a, int64_t b, int64_t *out,
    struct sf_eval *e)
{
	if (b == 0)
		return sf_fail(e->error, "divides by zero");
	if (a == INT64_MIN && b == -1)
		return sf_eval_too_large(e);
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
	case SF_NODE_GCD:
		if (a < 0 || b < 0)
			return sf_fail(e->error,
			    "gcd(%lld, %lld), expected no negative number",
			    (long long)a, (long long)b);
		*out = gcd(a, b);
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
	return fits || sf_eval_too_large(e);
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

	while (node->type == SF_NODE_NAME)
		node = node->a;
	switch (node->type) {
	case SF_NODE_NUMBER:
		*out = node->number;
		return true;
	case SF_NODE_DIM:
		return eval_dim(node, e, out);
	case SF_NODE_PROD:
		return eval_prod(node, e, out);
	case SF_NODE_RANK:
		return eval_rank(node, e, out);
	case SF_NODE_NUMEL:
	case SF_NODE_REALS:
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
	case SF_NODE_COMPLEX:
		t = one(e->op, &node->ref);
		*out = t != NULL && sf_dtype_parts(t->dtype) == 2;
		return t == NULL || t->dtype != SF_DT_UNKNOWN || is_open(e, t);
	case SF_NODE_MACS:
		return eval_macs(e, out);
	case SF_NODE_TAPS:
		return eval_taps(e, out);
	case SF_NODE_LOG2:
		return eval_log2(node, e, out);
	case SF_NODE_ALONG:
		return eval_along(node, e, out);
	case SF_NODE_ATTR:
	case SF_NODE_NONZERO:
		return eval_attr(node, e, out);
	case SF_NODE_EINSUM:
		return sf_einsum_combinations(e, out);
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
