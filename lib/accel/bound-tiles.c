/* How many tiles one trace may have. */
#include "accel/bound-tiles.h"

#include "base/num.h"

bool
sf_bound_tiles(
    int64_t *sum, int64_t tiles, int64_t most, struct sf_error *error)
{
	if (!sf_add(*sum, tiles, sum))
		return sf_fail(error, "tiles so far pass 2^63 - 1");
	if (*sum > most)
		return sf_fail(error, "%lld tiles, '--max-tiles' is %lld",
		    (long long)*sum, (long long)most);
	return true;
}
