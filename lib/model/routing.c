/* Which tokens go to which experts. */
#include "model/routing.h"

#include <string.h>

#include "base/num.h"
#include "model/arch.h"
#include "model/fields.h"

/* X to the power of N >= 0, by squares: the same on every machine. */
static double
power(double x, int64_t n)
{
	double y = 1;

	for (; n != 0; n /= 2) {
		if (n % 2 != 0)
			y *= x;
		x *= x;
	}
	return y;
}

/* Which layer with experts LAYER is, from 0; ALL: how many there are. */
static int64_t
order_of(const struct sf_arch *arch, int64_t layer, int64_t *all)
{
	int64_t order = 0;

	*all = 0;
	for (int64_t i = 0; i < arch->layers; i++) {
		order += i < layer && arch->routed[i];
		*all += arch->routed[i];
	}
	return order;
}

/* A number of tokens. */
static double
count(const struct sf_config *file, const struct sf_config_value *v)
{
	int64_t n;

	if (v->type != SF_CONFIG_NUMBER ||
	    !sf_int_parse(v->text, strlen(v->text), &n) || n < 0)
		sf_config_die(file, v, "expected a whole number >= 0");
	return (double)n;
}

/* The counts of one layer, checked: they are those of TOKENS tokens. */
static const struct sf_config_value *
layer_counts(const struct sf_build *b, const struct sf_config *file,
    int64_t layer, double tokens)
{
	const struct sf_arch *a = b->arch;
	const struct sf_config_value *v = sf_field_find(&file->root, "experts");
	int64_t all, order = order_of(a, layer, &all);
	double sum = 0;

	if (v == NULL || v->type != SF_CONFIG_LIST || v->nitems == 0)
		sf_config_die(file, v != NULL ? v : &file->root,
		    "'experts': expected a list of counts, or one for each "
		    "layer that has experts");
	if (v->items[0].type == SF_CONFIG_LIST) {
		if ((int64_t)v->nitems != all)
			sf_config_die(file, v,
			    "'experts' has %zu layers, expected the %lld that "
			    "have experts",
			    v->nitems, (long long)all);
		v = &v->items[order];
	}
	if (v->type != SF_CONFIG_LIST || (int64_t)v->nitems != a->experts)
		sf_config_die(file, v,
		    "expected a count for each of %lld experts",
		    (long long)a->experts);
	for (size_t i = 0; i < v->nitems; i++) {
		double n = count(file, &v->items[i]);

		if (n > tokens)
			sf_config_die(file, &v->items[i],
			    "an expert has %.0f of %.0f tokens", n, tokens);
		sum += n;
	}
	if (sum != tokens * (double)a->top_k)
		sf_config_die(file, v,
		    "the experts have %.0f tokens, expected %lld for each of "
		    "%.0f",
		    sum, (long long)a->top_k, tokens);
	return v;
}

/* How many experts N tokens can be expected to need, as a file counted. */
static double
counted(const struct sf_build *b, const struct sf_config *file, int64_t layer,
    int64_t n)
{
	double tokens = (double)sf_field_size(file, "tokens", NULL), all = 0;
	const struct sf_config_value *v = layer_counts(b, file, layer, tokens);

	for (size_t i = 0; i < v->nitems; i++)
		all += 1 - power(1 - count(file, &v->items[i]) / tokens, n);
	return all;
}

double
sf_routing_distinct(const struct sf_build *b, int64_t layer)
{
	double experts = (double)b->arch->experts, k = (double)b->arch->top_k;
	int64_t n = b->work.batch * b->work.tokens;

	switch (b->work.routing) {
	case SF_ROUTING_WORST:
		return (double)n * k < experts ? (double)n * k : experts;
	case SF_ROUTING_FILE:
		return counted(b, b->work.routing_file, layer, n);
	case SF_ROUTING_BALANCED:
		break;
	}
	return experts * (1 - power(1 - k / experts, n));
}

int64_t
sf_routing_unread(
    const struct sf_build *b, int64_t layer, const struct sf_val *w)
{
	double distinct = sf_routing_distinct(b, layer);
	double stored = (double)sf_val_stored(w);

	/* To the nearest byte. */
	return (int64_t)(stored -
	    distinct * (stored / (double)b->arch->experts) + 0.5);
}
