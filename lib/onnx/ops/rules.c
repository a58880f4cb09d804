/* The table of shape rules. */
#include "onnx/ops/rules.h"

static const struct sf_infer_entry entries[] = {
#define SF_INFER(                                                          \
    domain, op_type, since, rule, min_in, max_in, min_out, max_out)        \
	{ domain, op_type, since, sf_rule_##rule, min_in, max_in, min_out, \
		max_out },
#include "onnx/ops/infer.def"
#undef SF_INFER
};

enum {
	N_ENTRIES = sizeof(entries) / sizeof(entries[0])
};

static int
compare_names(struct sf_str a, const char *b)
{
	size_t n = strlen(b), shorter = a.n < n ? a.n : n;
	int order = shorter == 0 ? 0 : memcmp(a.p, b, shorter);

	if (order != 0)
		return order;
	return (a.n > n) - (a.n < n);
}

static int
compare(struct sf_str domain, struct sf_str op_type, int64_t opset,
    const struct sf_infer_entry *entry)
{
	int order = compare_names(domain, entry->domain);

	if (order == 0)
		order = compare_names(op_type, entry->op_type);
	if (order == 0)
		order = (opset > entry->since) - (opset < entry->since);
	return order;
}

const struct sf_infer_entry *
sf_infer_find(struct sf_str domain, struct sf_str op_type, int64_t opset)
{
	const struct sf_infer_entry *last;
	int lo = 0, hi = N_ENTRIES;

	/* The last entry that does not come after what is looked for. */
	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (compare(domain, op_type, opset, &entries[mid]) >= 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return NULL;
	last = &entries[lo - 1];
	return sf_str_is(domain, last->domain) &&
		sf_str_is(op_type, last->op_type)
	    ? last
	    : NULL;
}

const struct sf_infer_entry *
sf_infer_table(int *n)
{
	*n = N_ENTRIES;
	return entries;
}
