/* The table of shape rules. */
#include "onnx/ops/rules.h"

#include <string.h>

static const struct sf_infer_entry entries[] = {
#define SF_INFER(d, type, opset, name, in0, in1, out0, out1) \
	{ .domain = (d),                                     \
		.op_type = (type),                           \
		.since = (opset),                            \
		.rule = sf_rule_##name,                      \
		.min_inputs = (in0),                         \
		.max_inputs = (in1),                         \
		.min_outputs = (out0),                       \
		.max_outputs = (out1) },
#define SF_INFER_WITH(d, type, opset, name, in0, in1, out0, out1, ...) \
	{ .domain = (d),                                               \
		.op_type = (type),                                     \
		.since = (opset),                                      \
		.rule = sf_rule_##name,                                \
		.min_inputs = (in0),                                   \
		.max_inputs = (in1),                                   \
		.min_outputs = (out0),                                 \
		.max_outputs = (out1),                                 \
		__VA_ARGS__ },
#define KEEPS          .keeps = true
#define READS(letters) .reads = letters
#define RANDOM(n)      .random = 1 + (n)
#define PACKED(name)   .packed = sf_packed_##name
#define LEARNED(names) .learned = names
#include "onnx/ops/infer.def"
#undef SF_INFER
#undef SF_INFER_WITH
#undef KEEPS
#undef READS
#undef RANDOM
#undef PACKED
#undef LEARNED
};

/* How long the names are, as every search asks for it some ten times. */
static const struct lengths {
	uint8_t domain, op_type;
} lengths[] = {
#define SF_INFER(d, type, ...)      { sizeof(d) - 1, sizeof(type) - 1 },
#define SF_INFER_WITH(d, type, ...) { sizeof(d) - 1, sizeof(type) - 1 },
#include "onnx/ops/infer.def"
#undef SF_INFER
#undef SF_INFER_WITH
};

enum {
	N_ENTRIES = sizeof(entries) / sizeof(entries[0])
};

static int
compare_names(struct sf_str a, const char *b, size_t n)
{
	size_t shorter = a.n < n ? a.n : n;
	int order = shorter == 0 ? 0 : memcmp(a.p, b, shorter);

	if (order != 0)
		return order;
	return (a.n > n) - (a.n < n);
}

static int
compare(struct sf_str domain, struct sf_str op_type, int64_t opset, int i)
{
	const struct sf_infer_entry *entry = &entries[i];
	int order = compare_names(domain, entry->domain, lengths[i].domain);

	if (order == 0)
		order =
		    compare_names(op_type, entry->op_type, lengths[i].op_type);
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

		if (compare(domain, op_type, opset, mid) >= 0)
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
