/* Matrix products and Einsum. */
#include "onnx/ops/rules.h"

#include "onnx/infer/shape.h"

/*
 * [..., M, K] x [..., K, N]: a vector is a row on the left and a column on the
 * right, and its dimension of 1 is left out of the result.
 */
static bool
product_shape(struct sf_infer *infer, struct sf_shape a, struct sf_shape b,
    struct sf_shape *out)
{
	bool row = a.rank == 1, column = b.rank == 1;
	struct sf_onnx_dim m = { 0 }, n = { 0 }, k;

	out->known = a.known && b.known;
	out->rank = 0;
	if (!out->known)
		return true;
	if (a.rank == 0 || b.rank == 0)
		return sf_fail(infer->error,
		    "input '%s' has rank 0, expected at least 1",
		    a.rank == 0 ? "A" : "B");
	if (!sf_dim_merge(infer, "the inner dimension of the product",
		a.d[a.rank - 1], b.d[column ? 0 : b.rank - 2], &k))
		return false;
	if (!row)
		m = a.d[a.rank - 2];
	if (!column)
		n = b.d[b.rank - 1];
	a.rank = row ? 0 : a.rank - 2;
	b.rank = column ? 0 : b.rank - 2;
	if (!sf_shape_broadcast(infer, &a, &b, out))
		return false;
	return (row || sf_shape_push(infer, out, m)) &&
	    (column || sf_shape_push(infer, out, n));
}

static bool
matmul(struct sf_infer *infer, int a_input, int b_input, enum sf_dtype dtype)
{
	struct sf_shape a, b, out;

	sf_infer_shape(infer, a_input, &a);
	sf_infer_shape(infer, b_input, &b);
	if (!product_shape(infer, a, b, &out))
		return false;
	sf_infer_set(infer, 0, dtype, &out);
	return true;
}

bool
sf_rule_matmul(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;

	if (dtype == SF_DT_UNKNOWN)
		dtype = infer->inputs[1]->dtype;
	return matmul(infer, 0, 1, dtype);
}

bool
sf_rule_matmul_integer(struct sf_infer *infer)
{
	return matmul(infer, 0, 1, SF_DT_I32);
}

/* a, a_scale, a_zero_point, b, ..., y_zero_point at input 7. */
bool
sf_rule_qlinear_matmul(struct sf_infer *infer)
{
	return matmul(infer, 0, 3, sf_infer_type(infer, 7));
}

static void
swap_last(struct sf_shape *shape)
{
	struct sf_onnx_dim d;

	if (!shape->known || shape->rank < 2)
		return;
	d = shape->d[shape->rank - 1];
	shape->d[shape->rank - 1] = shape->d[shape->rank - 2];
	shape->d[shape->rank - 2] = d;
}

/* The batch dimensions were moved behind the first of the matrix. */
static void
move_batch(struct sf_shape *shape)
{
	struct sf_onnx_dim first;

	if (!shape->known || shape->rank < 3)
		return;
	first = shape->d[0];
	for (int i = 0; i < shape->rank - 2; i++)
		shape->d[i] = shape->d[i + 1];
	shape->d[shape->rank - 2] = first;
}

bool
sf_rule_fused_matmul(struct sf_infer *infer)
{
	int64_t trans_a, trans_b, batch_a, batch_b;
	struct sf_shape a, b, out;

	if (!sf_infer_attr_int(infer, "transA", 0, &trans_a) ||
	    !sf_infer_attr_int(infer, "transB", 0, &trans_b) ||
	    !sf_infer_attr_int(infer, "transBatchA", 0, &batch_a) ||
	    !sf_infer_attr_int(infer, "transBatchB", 0, &batch_b))
		return false;
	sf_infer_shape(infer, 0, &a);
	sf_infer_shape(infer, 1, &b);
	if (batch_a)
		move_batch(&a);
	if (batch_b)
		move_batch(&b);
	if (trans_a)
		swap_last(&a);
	if (trans_b)
		swap_last(&b);
	if (!product_shape(infer, a, b, &out))
		return false;
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

bool
sf_rule_gemm(struct sf_infer *infer)
{
	struct sf_shape a, b, c, out = { .known = true, .rank = 2 };
	int64_t trans_a, trans_b;
	struct sf_onnx_dim k;

	if (!sf_infer_attr_int(infer, "transA", 0, &trans_a) ||
	    !sf_infer_attr_int(infer, "transB", 0, &trans_b) ||
	    !sf_infer_need_rank(infer, 0, "A", 2) ||
	    !sf_infer_need_rank(infer, 1, "B", 2))
		return false;
	sf_infer_shape(infer, 0, &a);
	sf_infer_shape(infer, 1, &b);
	if (trans_a)
		swap_last(&a);
	if (trans_b)
		swap_last(&b);
	if (a.known && b.known &&
	    !sf_dim_merge(infer, "the inner dimension of the product", a.d[1],
		b.d[0], &k))
		return false;
	out.d[0] = a.known ? a.d[0] : SF_DIM_NONE;
	out.d[1] = b.known ? b.d[1] : SF_DIM_NONE;
	sf_infer_shape(infer, 2, &c);
	if (infer->opset >= 7 && c.known) {
		struct sf_shape sum;

		if (!sf_shape_broadcast(infer, &out, &c, &sum))
			return false;
		if (sum.rank > 2)
			return sf_fail(infer->error,
			    "input 'C' has rank %d, expected at most 2",
			    c.rank);
	}
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

/* ---- Einsum ---- */

enum {
	N_LETTERS = 128,
	ELLIPSIS = 0
};

struct einsum {
	struct sf_infer *infer;
	struct sf_str text; /* without blanks */
	size_t at;
	/* Of each letter: how often it occurs, and its size. */
	int count[N_LETTERS];
	struct sf_onnx_dim size[N_LETTERS];
	struct sf_shape ellipsis; /* the broadcast of what the dots stand for */
	bool has_ellipsis;
	bool known;
};

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The term at the place, as letters with ELLIPSIS for the dots. */
static bool
read_term(struct einsum *e, char term[SF_VALUE_MAX_RANK + 1], int *n)
{
	*n = 0;
	while (e->at < e->text.n) {
		char c = e->text.p[e->at];
		size_t left = e->text.n - e->at;

		if (c == ',' || c == '-')
			return true;
		if (left >= 3 && memcmp(e->text.p + e->at, "...", 3) == 0) {
			if (memchr(term, ELLIPSIS, (size_t)*n) != NULL)
				return sf_fail(e->infer->error,
				    "attribute 'equation' has two ellipses in "
				    "one term");
			c = ELLIPSIS;
			e->at += 2;
		} else if (!is_letter(c)) {
			return sf_fail(e->infer->error,
			    "attribute 'equation' has byte 0x%02x at %zu, "
			    "expected a letter, '...', ',' or '->'",
			    (unsigned char)c, e->at);
		}
		if (*n > SF_VALUE_MAX_RANK)
			return sf_fail(e->infer->error,
			    "attribute 'equation' has a term of more than %d "
			    "letters",
			    SF_VALUE_MAX_RANK);
		term[(*n)++] = c;
		e->at++;
	}
	return true;
}

static bool
bind_letter(struct einsum *e, char letter, struct sf_onnx_dim d)
{
	int c = (unsigned char)letter;
	struct sf_onnx_dim *size = &e->size[c];

	if (e->count[c]++ == 0) {
		*size = d;
		return true;
	}
	/* As in broadcasting, 1 goes with any size. */
	if (size->size == 1 || sf_dim_same(*size, d)) {
		*size = d;
	} else if (d.size == 1) {
		return true;
	} else if (sf_dim_known(d) && sf_dim_known(*size)) {
		return sf_fail(e->infer->error,
		    "attribute 'equation': letter '%c' is %lld and %lld, "
		    "expected one size",
		    letter, (long long)size->size, (long long)d.size);
	} else if (sf_dim_known(d)) {
		*size = d;
	}
	return true;
}

static bool
bind_term(struct einsum *e, int input, const char *term, int n)
{
	struct sf_shape x, dots = { .known = true };
	bool has_dots = memchr(term, ELLIPSIS, (size_t)n) != NULL;
	int letters = n - has_dots, axis = 0;

	sf_infer_shape(e->infer, input, &x);
	e->known = e->known && x.known;
	e->has_ellipsis = e->has_ellipsis || has_dots;
	if (x.known && (x.rank < letters || (!has_dots && x.rank > letters)))
		return sf_fail(e->infer->error,
		    "attribute 'equation' has %d letters for input %d of rank "
		    "%d",
		    letters, input, x.rank);
	for (int i = 0; i < n; i++)
		if (term[i] != ELLIPSIS) {
			if (!bind_letter(e, term[i],
				x.known ? x.d[axis++] : SF_DIM_NONE))
				return false;
		} else if (x.known) {
			for (int k = letters; k < x.rank; k++)
				dots.d[dots.rank++] = x.d[axis++];
		}
	return sf_shape_broadcast(e->infer, &e->ellipsis, &dots, &e->ellipsis);
}

static bool
push_letter(struct einsum *e, char letter, struct sf_shape *out)
{
	if (letter == ELLIPSIS) {
		for (int i = 0; i < e->ellipsis.rank; i++)
			if (!sf_shape_push(e->infer, out, e->ellipsis.d[i]))
				return false;
		return true;
	}
	if (e->count[(unsigned char)letter] == 0)
		return sf_fail(e->infer->error,
		    "attribute 'equation': letter '%c' of the output is in no "
		    "input",
		    letter);
	return sf_shape_push(e->infer, out, e->size[(unsigned char)letter]);
}

static bool
einsum_output(struct einsum *e, struct sf_shape *out)
{
	char term[SF_VALUE_MAX_RANK + 1];
	int n;

	if (e->at == e->text.n) {
		/* The letters that occur once, in alphabetical order. */
		if (e->has_ellipsis && !push_letter(e, ELLIPSIS, out))
			return false;
		for (int c = 'A'; c <= 'z'; c++)
			if (e->count[c] == 1 && !push_letter(e, (char)c, out))
				return false;
		return true;
	}
	if (e->at + 2 > e->text.n || e->text.p[e->at + 1] != '>')
		return sf_fail(e->infer->error,
		    "attribute 'equation' has '-' without '>'");
	e->at += 2;
	if (!read_term(e, term, &n))
		return false;
	if (e->at != e->text.n)
		return sf_fail(e->infer->error,
		    "attribute 'equation' goes on behind its output");
	for (int i = 0; i < n; i++)
		if (!push_letter(e, term[i], out))
			return false;
	return true;
}

static bool
einsum_inputs(struct einsum *e)
{
	char term[SF_VALUE_MAX_RANK + 1];
	int n, input = 0;

	for (;;) {
		if (!read_term(e, term, &n))
			return false;
		if (input >= e->infer->ninputs)
			return sf_fail(e->infer->error,
			    "attribute 'equation' has more than %d terms, "
			    "expected one an input",
			    e->infer->ninputs);
		if (!bind_term(e, input++, term, n))
			return false;
		if (e->at == e->text.n || e->text.p[e->at] != ',')
			break;
		e->at++;
	}
	if (input != e->infer->ninputs)
		return sf_fail(e->infer->error,
		    "attribute 'equation' has %d terms, expected one for each "
		    "of %d inputs",
		    input, e->infer->ninputs);
	return true;
}

static struct sf_str
without_blanks(struct sf_arena *arena, struct sf_str text)
{
	char *copy = sf_arena_strndup(arena, text.p, text.n);
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] != ' ')
			copy[n++] = text.p[i];
	return (struct sf_str){ copy, n };
}

bool
sf_rule_einsum(struct sf_infer *infer)
{
	struct einsum e = {
		.infer = infer, .known = true, .ellipsis = { .known = true }
	};
	struct sf_shape out = { .known = true };

	if (sf_infer_attr(infer, "equation") == NULL)
		return sf_fail(infer->error, "attribute 'equation' is missing");
	if (!sf_infer_attr_str(infer, "equation", "", &e.text))
		return false;
	e.text = without_blanks(infer->arena, e.text);
	if (!einsum_inputs(&e) || !einsum_output(&e, &out))
		return false;
	out.known = e.known || !e.has_ellipsis;
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

/* ---- determinants ---- */

/* [..., M, M] gives [...]. */
bool
sf_rule_det(struct sf_infer *infer)
{
	struct sf_shape out;
	struct sf_onnx_dim m;

	sf_infer_shape(infer, 0, &out);
	if (out.known && out.rank < 2)
		return sf_fail(infer->error,
		    "input 'X' has rank %d, expected at least 2", out.rank);
	if (out.known &&
	    !sf_dim_merge(infer, "a square matrix", out.d[out.rank - 1],
		out.d[out.rank - 2], &m))
		return false;
	if (out.known)
		out.rank -= 2;
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}
