/* Printing formulas with their numbers. */
#include "base/die.h"
#include "rules/node.h"

/* How tight a node binds when it is printed; a number binds tightest. */
static int
precedence(enum sf_node_type type)
{
	switch (type) {
#define SF_OPERATOR(id, text, precedence) \
	case SF_NODE_##id:                \
		return precedence;
#include "rules/operator.def"
#undef SF_OPERATOR
	default:
		return 9;
	}
}

static const char *
operator_text(enum sf_node_type type)
{
	switch (type) {
#define SF_OPERATOR(id, text, precedence) \
	case SF_NODE_##id:                \
		return text;
#include "rules/operator.def"
#undef SF_OPERATOR
	default:
		sf_bug("no binary operator");
	}
}

static int64_t
value(const struct sf_node *node, struct sf_eval *e)
{
	int64_t x;

	if (!sf_node_eval(node, e, &x))
		sf_bug(
		    "printing a formula that has no value: %s", e->error->text);
	return x;
}

/* The branch of a condition that counts, whatever the depth. */
static const struct sf_node *
taken(const struct sf_node *node, struct sf_eval *e)
{
	while (node->type == SF_NODE_IF)
		node = value(node->a, e) != 0 ? node->b : node->c;
	return node;
}

static void print(const struct sf_node *node, struct sf_eval *e, int lowest,
    struct sf_buf *out);

static void
print_pair(const struct sf_node *node, struct sf_eval *e, struct sf_buf *out)
{
	sf_buf_printf(out, "%s(", node->type == SF_NODE_MIN ? "min" : "max");
	print(node->a, e, 0, out);
	SF_BUF_LIT(out, ", ");
	print(node->b, e, 0, out);
	sf_buf_putc(out, ')');
}

static void
print_binary(const struct sf_node *node, struct sf_eval *e, struct sf_buf *out)
{
	int level = precedence(node->type);
	bool tight = level == precedence(SF_NODE_MUL);

	print(node->a, e, level, out);
	sf_buf_printf(out, tight ? "%s" : " %s ", operator_text(node->type));
	/* A product behind a division is one divisor. */
	if (tight && node->type != SF_NODE_MUL)
		level++;
	print(node->b, e, level + 1, out);
}

/* The sides of each product, which the formula has by their names. */
static void
print_macs(const struct sf_products *all, bool alone, struct sf_buf *out)
{
	bool parentheses = all->n > 1 || (all->n == 1 && !alone);

	if (all->n == 0)
		sf_buf_putc(out, '0');
	if (parentheses)
		sf_buf_putc(out, '(');
	for (int i = 0; i < all->n; i++) {
		const struct sf_product *p = &all->v[i];

		if (i != 0)
			SF_BUF_LIT(out, " + ");
		if (p->batch != 1)
			sf_buf_printf(out, "%lld*", (long long)p->batch);
		sf_buf_printf(out, "%lld*%lld*%lld", (long long)p->m,
		    (long long)p->k, (long long)p->n);
	}
	if (parentheses)
		sf_buf_putc(out, ')');
}

/* In parentheses when it binds less tight than LOWEST. */
static void
print(const struct sf_node *node, struct sf_eval *e, int lowest,
    struct sf_buf *out)
{
	node = taken(node, e);
	if (node->type == SF_NODE_MIN || node->type == SF_NODE_MAX) {
		print_pair(node, e, out);
		return;
	}
	if (node->type == SF_NODE_MACS) {
		print_macs(
		    e->products, lowest <= precedence(SF_NODE_MUL) + 1, out);
		return;
	}
	/* A comparison is a number like any other: 0 or 1. */
	if (precedence(node->type) == 9 || precedence(node->type) == 1) {
		sf_buf_int(out, value(node, e));
		return;
	}
	if (precedence(node->type) < lowest) {
		sf_buf_putc(out, '(');
		print_binary(node, e, out);
		sf_buf_putc(out, ')');
		return;
	}
	print_binary(node, e, out);
}

void
sf_expr_print(const struct sf_expr *expr, struct sf_eval *e, struct sf_buf *out)
{
	print(expr->root, e, 0, out);
}
