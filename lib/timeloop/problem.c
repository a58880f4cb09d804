/* Reading a problem. */
#include "timeloop/problem.h"

#include <string.h>

#include "base/num.h"

enum {
	MOST_DIMS = 16,
	SPACES = 3
};

struct dim {
	struct sf_str name;
	const yaml_node_t *node;
	int64_t size;
	unsigned alone; /* bits of the data spaces with a rank of its own */
	bool summed;    /* it is in a rank that is a sum */
};

/* A rank that is a sum of two dimensions, with their coefficients. */
struct sum {
	const yaml_node_t *node;
	int space;
	int dims[2];
	int64_t by[2];
};

struct reader {
	struct sf_yaml *yaml;
	const yaml_node_t *shape, *instance;
	struct dim dims[MOST_DIMS];
	int ndims;
	const yaml_node_t *spaces[SPACES];
	int written; /* the data space that is */
	struct sum sums[SF_TIMELOOP_PLACES];
	int nsums;
};

/* ---- dimensions and coefficients ---- */

static int
find_dim(const struct reader *r, struct sf_str name)
{
	for (int i = 0; i < r->ndims; i++)
		if (sf_str_eq(r->dims[i].name, name))
			return i;
	return -1;
}

static void
read_dims(struct reader *r)
{
	const yaml_node_t *list = sf_yaml_need(r->yaml, r->shape, "dimensions");

	sf_yaml_list(r->yaml, list, "'dimensions'");
	if (sf_yaml_count(list) > MOST_DIMS)
		sf_yaml_die(
		    r->yaml, list, "more than %d dimensions", MOST_DIMS);
	for (int i = 0; i < sf_yaml_count(list); i++) {
		struct dim *d = &r->dims[r->ndims];
		const yaml_node_t *size;

		d->node = sf_yaml_item(r->yaml, list, i);
		d->name = sf_yaml_text(r->yaml, d->node, "a dimension");
		if (find_dim(r, d->name) >= 0)
			sf_yaml_die(r->yaml, d->node,
			    "dimension '%s' is there twice", d->name.p);
		size = sf_yaml_need(r->yaml, r->instance, d->name.p);
		d->size = sf_yaml_size(r->yaml, size, d->name.p);
		r->ndims++;
	}
}

/* The value of a coefficient: the instance's, else its default. */
static int64_t
coefficient(struct reader *r, const yaml_node_t *name)
{
	struct sf_str text = sf_yaml_text(r->yaml, name, "a coefficient");
	const yaml_node_t *list =
	    sf_yaml_find(r->yaml, r->shape, "coefficients");
	const yaml_node_t *value;

	if (list != NULL)
		sf_yaml_list(r->yaml, list, "'coefficients'");
	for (int i = 0; list != NULL && i < sf_yaml_count(list); i++) {
		const yaml_node_t *c = sf_yaml_item(r->yaml, list, i);

		sf_yaml_map(r->yaml, c, "a coefficient");
		value = sf_yaml_need(r->yaml, c, "name");
		if (!sf_str_eq(sf_yaml_text(r->yaml, value, "'name'"), text))
			continue;
		value = sf_yaml_find(r->yaml, r->instance, text.p);
		if (value == NULL)
			value = sf_yaml_need(r->yaml, c, "default");
		return sf_yaml_size(r->yaml, value, text.p);
	}
	sf_yaml_die(
	    r->yaml, name, "'%s' is no coefficient of the shape", text.p);
}

/* ---- projections ---- */

/* One term of a rank: a dimension, or one times a coefficient. */
static int
read_term(struct reader *r, const yaml_node_t *term, int64_t *by)
{
	const yaml_node_t *name;
	int dim, n;

	sf_yaml_list(r->yaml, term, "a term of a projection");
	n = sf_yaml_count(term);
	if (n != 1 && n != 2)
		sf_yaml_die(r->yaml, term,
		    "a term of %d parts, expected a dimension, or one and its "
		    "coefficient",
		    n);
	name = sf_yaml_item(r->yaml, term, 0);
	dim = find_dim(r, sf_yaml_text(r->yaml, name, "a dimension"));
	if (dim < 0)
		sf_yaml_die(r->yaml, name, "'%s' is no dimension of the shape",
		    sf_yaml_text(r->yaml, name, "").p);
	*by = n == 2 ? coefficient(r, sf_yaml_item(r->yaml, term, 1)) : 1;
	return dim;
}

static void
read_sum(struct reader *r, int space, const yaml_node_t *rank)
{
	struct sum *s = &r->sums[r->nsums];

	if (r->nsums == SF_TIMELOOP_PLACES)
		sf_yaml_die(r->yaml, rank,
		    "more than %d ranks that are sums of dimensions",
		    SF_TIMELOOP_PLACES);
	s->node = rank;
	s->space = space;
	for (int i = 0; i < 2; i++) {
		s->dims[i] =
		    read_term(r, sf_yaml_item(r->yaml, rank, i), &s->by[i]);
		r->dims[s->dims[i]].summed = true;
	}
	r->nsums++;
}

static void
read_rank(struct reader *r, int space, const yaml_node_t *rank)
{
	int64_t by;
	int dim;

	sf_yaml_list(r->yaml, rank, "a rank of a projection");
	if (sf_yaml_count(rank) == 2) {
		read_sum(r, space, rank);
		return;
	}
	if (sf_yaml_count(rank) != 1)
		sf_yaml_die(r->yaml, rank,
		    "a rank of %d terms, expected one or two",
		    sf_yaml_count(rank));
	dim = read_term(r, sf_yaml_item(r->yaml, rank, 0), &by);
	if (by != 1)
		sf_yaml_die(r->yaml, rank,
		    "a rank of one dimension in steps of %lld, expected 1",
		    (long long)by);
	if ((r->dims[dim].alone >> space & 1) != 0)
		sf_yaml_die(
		    r->yaml, rank, "'%s' is there twice", r->dims[dim].name.p);
	r->dims[dim].alone |= 1U << space;
}

static bool
is_written(struct reader *r, const yaml_node_t *space)
{
	const yaml_node_t *v = sf_yaml_find(r->yaml, space, "read-write");
	struct sf_str text;

	if (v == NULL)
		return false;
	text = sf_yaml_text(r->yaml, v, "'read-write'");
	return sf_str_is(text, "True") || sf_str_is(text, "true");
}

static void
read_spaces(struct reader *r)
{
	const yaml_node_t *list =
	    sf_yaml_need(r->yaml, r->shape, "data-spaces");

	sf_yaml_list(r->yaml, list, "'data-spaces'");
	if (sf_yaml_count(list) != SPACES)
		sf_yaml_die(r->yaml, list,
		    "%d data spaces, expected two that are read and one that "
		    "is written",
		    sf_yaml_count(list));
	r->written = -1;
	for (int i = 0; i < SPACES; i++) {
		const yaml_node_t *space = sf_yaml_item(r->yaml, list, i);
		const yaml_node_t *ranks;

		sf_yaml_map(r->yaml, space, "a data space");
		r->spaces[i] = space;
		if (is_written(r, space)) {
			if (r->written >= 0)
				sf_yaml_die(r->yaml, space,
				    "a second data space that is written");
			r->written = i;
		}
		ranks = sf_yaml_need(r->yaml, space, "projection");
		sf_yaml_list(r->yaml, ranks, "'projection'");
		for (int k = 0; k < sf_yaml_count(ranks); k++)
			read_rank(r, i, sf_yaml_item(r->yaml, ranks, k));
	}
	if (r->written < 0)
		sf_yaml_die(
		    r->yaml, list, "no data space has 'read-write: True'");
}

/* ---- what it is ---- */

static void
times(const struct reader *r, int64_t *size, const struct dim *d)
{
	if (!sf_mul(*size, d->size, size))
		sf_yaml_die(
		    r->yaml, d->node, "sizes whose product passes 2^63 - 1");
}

/* A rank of the input that is a place of the result and one of the kernel. */
static void
take_place(struct reader *r, const struct sum *s, int input,
    struct sf_timeloop_problem *p)
{
	int weights = SPACES - r->written - input;
	int at = p->places++;
	int out = r->dims[s->dims[0]].alone == 1U << r->written ? 0 : 1;
	const struct dim *place = &r->dims[s->dims[out]];
	const struct dim *tap = &r->dims[s->dims[1 - out]];

	if (s->space != input || place->alone != 1U << r->written ||
	    tap->alone != 1U << weights)
		sf_yaml_die(r->yaml, s->node,
		    "a sum of '%s' and '%s', expected one of the result and "
		    "one of the other data space, in one that is read",
		    r->dims[s->dims[0]].name.p, r->dims[s->dims[1]].name.p);
	p->out[at] = place->size;
	p->kernel[at] = tap->size;
	p->stride[at] = s->by[out];
	p->dilation[at] = s->by[1 - out];
}

static void
take_dims(struct reader *r, int input, struct sf_timeloop_problem *p)
{
	unsigned out = 1U << r->written, in = 1U << input;
	unsigned weights = 7U & ~out & ~in;

	for (int i = 0; i < r->ndims; i++) {
		const struct dim *d = &r->dims[i];

		if (d->summed)
			continue;
		if (d->alone == (out | in))
			times(r, &p->images, d);
		else if (d->alone == (out | weights))
			times(r, &p->filters, d);
		else if (d->alone == (in | weights))
			times(r, &p->channels, d);
		else if (d->alone == 7U)
			times(r, &p->groups, d);
		else
			sf_yaml_die(r->yaml, d->node,
			    "dimension '%s' is in %s, expected two data spaces "
			    "or all three",
			    d->name.p, d->alone == 0 ? "none" : "one alone");
	}
}

void
sf_timeloop_problem_read(struct sf_yaml *yaml, const yaml_node_t *root,
    struct sf_timeloop_problem *p)
{
	struct reader r = { .yaml = yaml };
	const yaml_node_t *problem = sf_yaml_need(yaml, root, "problem");
	const yaml_node_t *name;
	int input;

	sf_yaml_map(yaml, problem, "'problem'");
	r.shape = sf_yaml_need(yaml, problem, "shape");
	if (r.shape->type == YAML_SCALAR_NODE)
		sf_yaml_die(yaml, r.shape,
		    "the shape is '%.60s', a name, expected the shape itself",
		    (const char *)r.shape->data.scalar.value);
	sf_yaml_map(yaml, r.shape, "'shape'");
	r.instance = sf_yaml_find(yaml, problem, "instance");
	if (r.instance == NULL)
		r.instance = problem;
	sf_yaml_map(yaml, r.instance, "'instance'");
	read_dims(&r);
	read_spaces(&r);
	*p = (struct sf_timeloop_problem){ .conv = r.nsums != 0,
		.groups = 1,
		.images = 1,
		.channels = 1,
		.filters = 1 };
	name = sf_yaml_find(yaml, r.shape, "name");
	if (name != NULL)
		p->name = sf_yaml_text(yaml, name, "'name'");
	/* A product's first operand is the one that stands first. */
	input = r.nsums != 0 ? r.sums[0].space : r.written == 0 ? 1 : 0;
	for (int i = 0; i < r.nsums; i++)
		take_place(&r, &r.sums[i], input, p);
	take_dims(&r, input, p);
}
