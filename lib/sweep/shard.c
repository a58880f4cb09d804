/* Shares of a sweep. */
#include "sweep/shard.h"

#include <string.h>

#include "base/num.h"

bool
sf_shard_parse(const char *text, struct sf_shard *out, struct sf_error *error)
{
	const char *slash = strchr(text, '/');

	if (slash == NULL ||
	    !sf_int_parse(text, (size_t)(slash - text), &out->i) ||
	    !sf_int_parse(slash + 1, strlen(slash + 1), &out->n) ||
	    out->n < 1 || out->n > SF_SHARDS_MOST || out->i < 1 ||
	    out->i > out->n)
		return sf_fail(error,
		    "found '%s', expected I/N with I from 1 to N and N up to "
		    "%d",
		    text, SF_SHARDS_MOST);
	return true;
}

bool
sf_shard_has(const struct sf_shard *shard, int64_t i)
{
	int64_t sum = 0;

	if (shard->n == 1)
		return true;
	for (; i != 0; i /= shard->n)
		sum += i % shard->n;
	return sum % shard->n == shard->i - 1;
}
