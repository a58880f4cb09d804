/* The products that a rule states: reading them, and computing them. */
#include "rules/gemm-rule.h"

#include "base/num.h"
#include "rules/attr.h"
#include "rules/cut.h"
#include "rules/einsum.h"

enum {
	SIDES = 4,
	MAX_ITEMS = 8,
	MAX_STORED = 4, /* tensors that hold the second operand */
};

/* One product: its sides, and which inputs its operands are. */
struct item {
	const struct sf_expr *sides[SIDES]; /* batch, m, k, n */
	int a;                              /* input, -1: an intermediate */
	int nb, b[MAX_STORED];              /* inputs that hold the second */
	const struct sf_expr *holds; /* its elements, where it is packed */
	int each; /* the first of the inputs it is there for each of, or -1 */
};

struct sf_gemm_rule {
	struct sf_str text, macs;
	bool einsum; /* the equation says them */
	int n;
	struct item items[MAX_ITEMS];
};

struct parser {
	struct sf_str where; /* " where ..." */
	struct sf_roles roles;
	struct sf_arena *arena;
	struct sf_error *error;
};

/* ---- reading ---- */

static const struct sf_expr *
formula(struct parser *p, struct sf_str text)
{
	return sf_cut_formula(text, p->where, p->roles, p->arena, p->error);
}

static bool
parse_sides(struct parser *p, struct item *item, struct sf_str text)
{
	struct sf_str rest = text;
	int n = 0;

	if (!sf_cut_closed(text, ',', p->error))
		return false;
	for (; rest.n != 0 && n < SIDES; n++) {
		item->sides[n] = formula(p, sf_cut_item(&rest, ','));
		if (item->sides[n] == NULL)
			return false;
	}
	if (n != SIDES || rest.n != 0)
		return sf_fail(p->error,
		    "found '%.*s', expected a product as batch, m, k, n",
		    SF_STR_ARG(text));
	return true;
}

/* The input that NAME is, -1 with an error when it is none. */
static int
role_of(struct parser *p, struct sf_str name)
{
	for (int i = 0; i < p->roles.n; i++)
		if (sf_str_eq(p->roles.v[i].name, name))
			return i;
	sf_fail(p->error,
	    "found '%.*s', expected the name of an input, or '-' for a result "
	    "that is never stored",
	    SF_STR_ARG(name));
	return -1;
}

/* "w", "w(K*N)", "w(K*N) + scales": what holds the second operand. */
static bool
parse_second(struct parser *p, struct item *item, struct sf_str text)
{
	if (!sf_cut_closed(text, '+', p->error))
		return false;
	while (text.n != 0) {
		struct sf_str piece = sf_cut_item(&text, '+'), name = piece;
		const char *open = sf_str_chr(piece, '(');

		if (open != NULL) {
			name.n = (size_t)(open - name.p);
			if (item->nb != 0)
				return sf_fail(p->error,
				    "found '%.*s', expected elements behind "
				    "the first input only",
				    SF_STR_ARG(piece));
			piece = (struct sf_str){ open, piece.n - name.n };
			item->holds = formula(p, piece);
			if (item->holds == NULL)
				return false;
		}
		if (item->nb == MAX_STORED)
			return sf_fail(p->error,
			    "found more than %d inputs in one operand",
			    MAX_STORED);
		item->b[item->nb] = role_of(p, sf_str_trim(name));
		if (item->b[item->nb++] < 0)
			return false;
	}
	return true;
}

/* "x, w" behind "of". */
static bool
parse_operands(struct parser *p, struct item *item, struct sf_str text)
{
	struct sf_str a = sf_cut_item(&text, ',');

	text = sf_str_trim(text);
	if (!sf_str_is(a, "-")) {
		item->a = role_of(p, a);
		if (item->a < 0)
			return false;
	}
	if (text.n == 0)
		return sf_fail(p->error,
		    "found one operand '%.*s', expected two with ',' between",
		    SF_STR_ARG(a));
	return sf_str_is(text, "-") || parse_second(p, item, text);
}

/*
 * "for p in params": P is then each matrix of PARAMS, and takes its place
 * among the inputs.
 */
static bool
parse_each(struct parser *p, struct item *item, struct sf_str text)
{
	struct sf_role *roles =
	    sf_arena_calloc(p->arena, (size_t)p->roles.n + 1, sizeof *roles);
	struct sf_str name = text, list = sf_cut_word(&name, "in");
	int i = list.p != NULL ? role_of(p, list) : -1;

	if (i < 0 || !p->roles.v[i].rest || !sf_expr_name_valid(name))
		return sf_fail(p->error,
		    "found 'for %.*s', expected 'for NAME in INPUTS', INPUTS "
		    "being named with '*'",
		    SF_STR_ARG(text));
	memcpy(roles, p->roles.v, (size_t)p->roles.n * sizeof *roles);
	roles[i] = (struct sf_role){ .name = name };
	p->roles.v = roles;
	item->each = i;
	return true;
}

static bool
parse_item(struct parser *whole, struct item *item, struct sf_str text)
{
	struct parser p = *whole;
	struct sf_str each, operands;

	*item = (struct item){ .a = -1, .each = -1 };
	each = sf_cut_word(&text, "for");
	operands = sf_cut_word(&text, "of");
	return (each.p == NULL || parse_each(&p, item, each)) &&
	    parse_sides(&p, item, text) &&
	    (operands.p == NULL || parse_operands(&p, item, operands));
}

/* ---- the formula of the multiply-accumulates ---- */

/* Appends a factor, in parentheses when it is more than a name or a size. */
static void
put_factor(struct sf_buf *out, struct sf_str text, bool first)
{
	bool simple =
	    sf_str_chr(text, ' ') == NULL && sf_str_chr(text, '/') == NULL;

	sf_buf_printf(out, "%s%s%.*s%s", first ? "" : "*", simple ? "" : "(",
	    SF_STR_ARG(text), simple ? "" : ")");
}

static struct sf_str
macs_formula(const struct sf_gemm_rule *rule, struct sf_arena *arena)
{
	struct sf_buf out = { 0 };
	struct sf_str kept;

	for (int i = 0; i < rule->n; i++) {
		bool first = true;

		sf_buf_printf(&out, "%s",
		    rule->n == 1 ? ""
			: i == 0 ? "("
				 : " + ");
		for (int s = 0; s < SIDES; s++) {
			struct sf_str side = rule->items[i].sides[s]->formula;

			if (sf_str_is(side, "1"))
				continue;
			put_factor(&out, side, first);
			first = false;
		}
		if (first)
			sf_buf_putc(&out, '1');
	}
	if (rule->n > 1)
		sf_buf_putc(&out, ')');
	if (rule->einsum)
		SF_BUF_LIT(&out, "macs()");
	kept = (struct sf_str){ sf_arena_strndup(arena, out.p, out.n), out.n };
	sf_buf_release(&out);
	return kept;
}

const struct sf_gemm_rule *
sf_gemm_rule_parse(struct sf_str text, struct sf_roles roles,
    struct sf_arena *arena, struct sf_error *error)
{
	struct sf_gemm_rule *rule = sf_arena_calloc(arena, 1, sizeof *rule);
	struct parser p = { { "", 0 }, roles, arena, error };

	rule->text = text = sf_str_trim(text);
	rule->einsum = sf_str_is(text, "einsum()");
	if (sf_str_find(text, "macs()") != NULL) {
		sf_fail(
		    error, "'%.*s' asks for its own macs()", SF_STR_ARG(text));
		return NULL;
	}
	if (!rule->einsum) {
		p.where = sf_cut_where(&text);
		if (!sf_cut_closed(text, '|', p.error))
			return NULL;
		do {
			if (rule->n == MAX_ITEMS) {
				sf_fail(error, "found more than %d products",
				    MAX_ITEMS);
				return NULL;
			}
			if (!parse_item(&p, &rule->items[rule->n++],
				sf_cut_item(&text, '|')))
				return NULL;
		} while (text.n != 0);
	}
	rule->macs = macs_formula(rule, arena);
	return rule;
}

struct sf_str
sf_gemm_rule_text(const struct sf_gemm_rule *rule)
{
	return rule->text;
}

struct sf_str
sf_gemm_rule_macs(const struct sf_gemm_rule *rule)
{
	return rule->macs;
}

/* ---- computing ---- */

static const struct sf_tensor *
input(const struct sf_op *op, int i)
{
	return i >= 0 && i < op->ninputs && !op->inputs[i].absent
	    ? &op->inputs[i]
	    : NULL;
}

/*
 * What is stored of the second operand, when that is not an element as large
 * as one of the first each. FACTOR: real elements for each of its own.
 */
static bool
eval_second(const struct item *item, struct sf_eval *e, int factor,
    struct sf_product *p)
{
	const struct sf_tensor *a = input(e->op, 0);
	const struct sf_tensor *b =
	    input(e->op, item->nb != 0 ? item->b[0] : -1);
	int64_t bits, usual;

	if (b == NULL)
		return true;
	p->b = item->b[0];
	if (item->a >= 0)
		a = input(e->op, item->a);
	for (int i = 0; i < item->nb; i++) {
		const struct sf_tensor *t = input(e->op, item->b[i]);

		if (t != NULL &&
		    !sf_add(p->b_bytes, t->param ? t->stored : t->bytes,
			&p->b_bytes))
			return sf_eval_too_large(e);
	}
	p->b_elements = b->numel;
	if (item->holds != NULL &&
	    !sf_expr_eval(item->holds, e, &p->b_elements))
		return false;
	bits = a != NULL ? sf_dtype_bits(a->dtype) / sf_dtype_parts(a->dtype)
			 : sf_dtype_bits(b->dtype) / sf_dtype_parts(b->dtype);
	if (!sf_mul(p->b_elements, factor, &p->b_elements) ||
	    !sf_mul(p->b_elements, (bits + 7) / 8, &usual))
		return sf_eval_too_large(e);
	if (usual == p->b_bytes || p->b_elements <= 0)
		p->b_bytes = p->b_elements = 0;
	return true;
}

/* Joins a product to one of the same sides, or adds it. */
static bool
add_product(
    struct sf_products *all, const struct sf_product *p, struct sf_eval *e)
{
	struct sf_product *same = NULL;

	for (int i = 0; i < all->n && same == NULL; i++) {
		struct sf_product *q = &all->v[i];

		if (q->m == p->m && q->k == p->k && q->n == p->n &&
		    q->a == p->a &&
		    (q->b_elements != 0) == (p->b_elements != 0))
			same = q;
	}
	if (same != NULL)
		return (sf_add(same->batch, p->batch, &same->batch) &&
			   sf_add(same->b_bytes, p->b_bytes, &same->b_bytes) &&
			   sf_add(same->b_elements, p->b_elements,
			       &same->b_elements)) ||
		    sf_eval_too_large(e);
	if (all->n == SF_MAX_PRODUCTS)
		return sf_fail(e->error,
		    "found more than %d products, expected fewer",
		    SF_MAX_PRODUCTS);
	all->v[all->n++] = *p;
	return true;
}

static bool
count_macs(const struct sf_product *p, struct sf_eval *e, int64_t *macs)
{
	const int64_t sides[] = { p->batch, p->m, p->k, p->n };
	int64_t product;

	return (sf_mul_all(sides, SIDES, &product) &&
		   sf_add(*macs, product, macs)) ||
	    sf_eval_too_large(e);
}

/*
 * A complex product is a real one of twice the depth and width: its operands
 * are [Ar Ai] and [Br Bi; -Bi Br].
 */
static bool
widen(struct sf_product *p, struct sf_eval *e, int parts)
{
	return (sf_mul(p->k, parts, &p->k) && sf_mul(p->n, parts, &p->n)) ||
	    sf_eval_too_large(e);
}

/*
 * Adds what an item is. PLACE: where its matrix of a list stands among the
 * inputs; -1 without a list.
 */
static bool
eval_item(const struct item *item, struct sf_eval *e, int place,
    struct sf_products *out)
{
	static const char *const names[SIDES] = { "batch", "m", "k", "n" };
	struct sf_product p = { .a = -1, .b = -1 };
	int64_t *const sides[SIDES] = { &p.batch, &p.m, &p.k, &p.n };
	const struct sf_tensor *a = input(e->op, item->a >= 0 ? item->a : 0);
	int parts = a != NULL ? sf_dtype_parts(a->dtype) : 1;

	for (int s = 0; s < SIDES; s++) {
		if (!sf_expr_eval(item->sides[s], e, sides[s]))
			return false;
		if (*sides[s] < 0)
			return sf_fail(e->error,
			    "%s is %lld, expected no negative number", names[s],
			    (long long)*sides[s]);
	}
	if (p.batch == 0 || p.m == 0 || p.k == 0 || p.n == 0)
		return true;
	if (input(e->op, item->a) != NULL)
		p.a = item->a;
	if (!widen(&p, e, parts) || !count_macs(&p, e, &out->macs) ||
	    !eval_second(item, e, parts * parts, &p))
		return false;
	if (place >= 0 && p.a == item->each)
		p.a = place;
	if (place >= 0 && p.b == item->each)
		p.b = place;
	if (place >= 0)
		return add_product(out, &p, e);
	if (out->n == SF_MAX_PRODUCTS)
		return sf_fail(
		    e->error, "found more than %d products", SF_MAX_PRODUCTS);
	out->v[out->n++] = p;
	return true;
}

/* The item for each matrix among the inputs from item->each on. */
static bool
eval_each(const struct item *item, struct sf_eval *e, struct sf_products *out)
{
	const struct sf_op *op = e->op;
	struct sf_op one = *op;
	struct sf_eval inner = *e;

	one.ninputs = item->each + 1;
	one.inputs =
	    sf_arena_calloc(e->arena, (size_t)one.ninputs, sizeof *one.inputs);
	for (int i = 0; i < item->each && i < op->ninputs; i++)
		one.inputs[i] = op->inputs[i];
	inner.op = &one;
	for (int i = item->each; i < op->ninputs; i++) {
		if (op->inputs[i].absent || op->inputs[i].rank != 2)
			continue;
		one.inputs[item->each] = op->inputs[i];
		if (!eval_item(item, &inner, i, out))
			return false;
	}
	return true;
}

bool
sf_gemm_rule_eval(
    const struct sf_gemm_rule *rule, struct sf_eval *e, struct sf_products *out)
{
	out->n = 0;
	out->macs = 0;
	out->stated = true;
	if (rule->einsum)
		return sf_einsum_products(e, out);
	for (int i = 0; i < rule->n; i++) {
		const struct item *item = &rule->items[i];

		if (item->each >= 0 ? !eval_each(item, e, out)
				    : !eval_item(item, e, -1, out))
			return false;
	}
	return true;
}
