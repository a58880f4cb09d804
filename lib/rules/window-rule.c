/* The window that a rule states: reading it, and finding its sizes. */
#include "rules/window-rule.h"

#include "base/num.h"
#include "rules/attr.h"

/* Sizes of an input from one dimension up to another. */
struct span {
	int input;
	int64_t from, to; /* from the end when negative; TO 0 is the end */
};

struct sf_window_rule {
	struct sf_str text;
	struct span over;
	bool kernel_is_input; /* the whole input is one window */
	struct sf_str attr;   /* its kernel; empty: it is a tensor's sizes */
	struct span kernel;
};

/* ---- reading ---- */

static bool
parse_bound(struct sf_str text, int64_t *out)
{
	*out = 0;
	return text.n == 0 || sf_int_parse(text.p, text.n, out);
}

/* "x[2:]", "x[-2:]", "x[1:-1]" */
static bool
parse_span(struct sf_str text, struct sf_roles roles, struct span *span,
    struct sf_error *error)
{
	bool whole = text.n != 0 && text.p[text.n - 1] == ']' &&
	    sf_str_chr(text, ':') != NULL;
	struct sf_str rest = text, name = sf_str_cut(&rest, '[');
	struct sf_str from = sf_str_cut(&rest, ':'),
		      to = sf_str_cut(&rest, ']');

	for (span->input = 0; span->input < roles.n; span->input++)
		if (sf_str_eq(roles.v[span->input].name, name))
			break;
	if (whole && span->input < roles.n && rest.n == 0 &&
	    parse_bound(from, &span->from) && parse_bound(to, &span->to) &&
	    span->to <= 0)
		return true;
	return sf_fail(error,
	    "found '%.*s', expected sizes of an input, as x[2:] or x[1:-1]",
	    SF_STR_ARG(text));
}

const struct sf_window_rule *
sf_window_rule_parse(struct sf_str text, struct sf_roles roles,
    struct sf_arena *arena, struct sf_error *error)
{
	struct sf_window_rule *rule = sf_arena_calloc(arena, 1, sizeof *rule);
	struct sf_str rest = text, over = sf_str_cut(&rest, ',');

	rule->text = text;
	rest = sf_str_trim(rest);
	if (!parse_span(over, roles, &rule->over, error))
		return NULL;
	rule->kernel_is_input = sf_str_chr(text, ',') == NULL;
	if (rule->kernel_is_input)
		return rule;
	if (sf_str_starts(rest, "attr(") && rest.p[rest.n - 1] == ')') {
		rule->attr = (struct sf_str){ rest.p + 5, rest.n - 6 };
		if (sf_expr_name_valid(rule->attr))
			return rule;
		sf_fail(error, "found '%.*s', expected attr(NAME)",
		    SF_STR_ARG(rest));
		return NULL;
	}
	return parse_span(rest, roles, &rule->kernel, error) ? rule : NULL;
}

struct sf_str
sf_window_rule_text(const struct sf_window_rule *rule)
{
	return rule->text;
}

/* ---- finding the sizes ---- */

/* True when the operator has the attribute and it is not 0. */
static bool
says(struct sf_eval *e, const char *name)
{
	struct sf_error unused;
	struct sf_eval quiet = *e;
	int64_t x = 0;

	quiet.error = &unused;
	return sf_attr_int(&quiet, sf_str_of(name), NULL, &x) == SF_FOUND &&
	    x != 0;
}

/* The sizes that SPAN means, NULL when the tensor has not so many. */
static const int64_t *
sizes_of(const struct span *span, const struct sf_eval *e, int *n)
{
	const struct sf_op *op = e->op;
	const struct sf_tensor *t;
	int64_t from = span->from, to = span->to;

	if (span->input >= op->ninputs || op->inputs[span->input].absent)
		return NULL;
	t = &op->inputs[span->input];
	from += from < 0 ? t->rank : 0;
	to += t->rank;
	if (from < 0 || to <= from || to > t->rank)
		return NULL;
	*n = (int)(to - from);
	return t->shape + from;
}

/* What an attribute is called in ONNX and in PyTorch. */
static const char *const strides[] = { "strides", "stride" };
static const char *const dilations[] = { "dilations", "dilation" };
static const char *const pads[] = { "pads", "padding" };
static const char *const automatic[] = { "auto_pad", "padding" };

/*
 * The integers of an attribute, at most MOST: how many, 0 when there are none,
 * -1 when it is something else.
 */
static int
find_ints(struct sf_eval *e, const char *const names[2], int64_t *out, int most)
{
	int n = 0;

	for (int i = 0; i < 2; i++)
		switch (sf_attr_ints(e, sf_str_of(names[i]), out, most, &n)) {
		case SF_FOUND:
			return n;
		case SF_FOUND_WRONG:
			return -1;
		case SF_FOUND_NOT:
			break;
		}
	return 0;
}

static bool
fail_count(struct sf_eval *e, const char *what, int found, int expected)
{
	return sf_fail(e->error, "found %d sizes of %s, expected 1 or %d",
	    found, what, expected);
}

/* One number for each dimension, USUAL where nothing is said. */
static bool
find_each(struct sf_eval *e, const char *const names[2], int n,
    const int64_t *usual, int64_t *out)
{
	int found = find_ints(e, names, out, n);

	if (found < 0)
		return false;
	if (found != 0 && found != 1 && found != n)
		return fail_count(e, names[0], found, n);
	for (int i = 0; i < n; i++) {
		if (found == 0)
			out[i] = usual != NULL ? usual[i] : 1;
		else if (found == 1)
			out[i] = out[0];
		if (out[i] < 1)
			return sf_fail(e->error,
			    "attribute '%s' has %lld, expected 1 or more",
			    names[0], (long long)out[i]);
	}
	return true;
}

/* The elements from the first to the last that a kernel takes in. */
static bool
extent(const struct sf_op_window_dim *d, int64_t *out)
{
	return sf_mul(d->kernel - 1, d->dilation, out) && sf_add(*out, 1, out);
}

/* As much padding as makes an output for each STRIDE inputs. */
static bool
pad_same(struct sf_op_window_dim *d, bool more_before)
{
	int64_t reach, total;

	if (!extent(d, &reach) ||
	    !sf_mul(sf_ceil_div(d->in, d->stride) - 1, d->stride, &total) ||
	    !sf_add(total, reach - d->in, &total))
		return false;
	if (total < 0)
		total = 0;
	d->before = more_before ? sf_ceil_div(total, 2) : total / 2;
	d->after = total - d->before;
	return true;
}

/* True when an attribute says that padding is automatic, and it is set. */
static bool
find_automatic(
    struct sf_eval *e, struct sf_op_window_dim *dims, int n, bool *fits)
{
	for (int i = 0; i < 2; i++) {
		struct sf_error unused;
		struct sf_eval quiet = *e;
		struct sf_str word;
		bool lower;

		quiet.error = &unused;
		if (sf_attr_text(&quiet, sf_str_of(automatic[i]), &word) !=
			SF_FOUND ||
		    sf_str_is(word, "NOTSET"))
			continue;
		lower = sf_str_is(word, "SAME_LOWER");
		if (lower || sf_str_is(word, "SAME_UPPER") ||
		    sf_str_is(word, "same"))
			for (int d = 0; d < n; d++)
				*fits = *fits && pad_same(&dims[d], lower);
		return true;
	}
	return false;
}

static bool
find_padding(struct sf_eval *e, struct sf_op_window_dim *dims, int n)
{
	int64_t *ends = sf_arena_calloc(e->arena, (size_t)n * 2, sizeof *ends);
	bool fits = true;
	int found;

	if (find_automatic(e, dims, n, &fits))
		return fits || sf_eval_too_large(e);
	found = find_ints(e, pads, ends, 2 * n);
	if (found < 0)
		return false;
	if (found != 0 && found != 1 && found != n && found != 2 * n)
		return fail_count(e, pads[0], found, 2 * n);
	for (int i = 0; i < n && found != 0; i++) {
		dims[i].before = ends[found == 1 ? 0 : i];
		dims[i].after = found == 2 * n ? ends[n + i] : dims[i].before;
	}
	return true;
}

/* Of an empty tensor there is no window. */
static bool
is_empty(const int64_t *sizes, int n)
{
	for (int i = 0; i < n; i++)
		if (sizes[i] == 0)
			return true;
	return false;
}

/* The kernel's sizes; 0 when the operator does not say, -1 when wrongly. */
static int
find_kernel(
    const struct sf_window_rule *rule, struct sf_eval *e, int n, int64_t *out)
{
	const int64_t *sizes;
	int found = 0;

	if (rule->kernel_is_input || rule->attr.n == 0) {
		sizes = sizes_of(
		    rule->kernel_is_input ? &rule->over : &rule->kernel, e,
		    &found);
		if (sizes == NULL || found != n || is_empty(sizes, n))
			return 0;
		memcpy(out, sizes, (size_t)n * sizeof *out);
		return n;
	}
	if (sf_attr_ints(e, rule->attr, out, n, &found) == SF_FOUND_WRONG)
		return -1;
	if (found == 1)
		for (int i = 1; i < n; i++)
			out[i] = out[0];
	if (found != 0 && found != 1 && found != n) {
		fail_count(e, "the kernel", found, n);
		return -1;
	}
	for (int i = 0; i < n && found != 0; i++)
		if (out[i] < 1) {
			sf_fail(e->error,
			    "attribute '%.*s' has %lld, expected 1 or more",
			    SF_STR_ARG(rule->attr), (long long)out[i]);
			return -1;
		}
	return found == 0 ? 0 : n;
}

/* PyTorch's pooling moves by its kernel unless it says otherwise. */
static const int64_t *
usual_stride(const struct sf_window_rule *rule, const int64_t *kernel)
{
	return sf_str_is(rule->attr, "kernel_size") ? kernel : NULL;
}

bool
sf_window_rule_eval(const struct sf_window_rule *rule, struct sf_eval *e,
    struct sf_op_window *out)
{
	struct sf_op_window_dim *dims;
	int64_t *kernel, *stride, *dilation;
	struct span over = rule->over;
	const int64_t *in;
	int n = 0, found;

	*out = (struct sf_op_window){ 0, NULL };
	/* Channels that come last leave the sizes one place before. */
	if (says(e, "channels_last")) {
		over.from--;
		over.to--;
	}
	in = sizes_of(&over, e, &n);
	/* A transposed convolution slides over its output. */
	if (in == NULL || says(e, "transposed"))
		return true;
	dims = sf_arena_calloc(e->arena, (size_t)n, sizeof *dims);
	kernel = sf_arena_calloc(e->arena, (size_t)n * 3, sizeof *kernel);
	stride = kernel + n;
	dilation = stride + n;
	found = find_kernel(rule, e, n, kernel);
	if (found <= 0)
		return found == 0;
	if (!find_each(e, strides, n, usual_stride(rule, kernel), stride) ||
	    !find_each(e, dilations, n, NULL, dilation))
		return false;
	for (int i = 0; i < n; i++)
		dims[i] = (struct sf_op_window_dim){ .in = in[i],
			.kernel = kernel[i],
			.stride = stride[i],
			.dilation = dilation[i] };
	if (!rule->kernel_is_input && !find_padding(e, dims, n))
		return false;
	*out = (struct sf_op_window){ n, dims };
	return true;
}
