/* Parameters, in the units that they came in. */
#include "report/param.h"

#include <stdio.h>

#include "base/num.h"

/* What sf-cost derives: products, whose last digits say nothing. */
static enum sf_unit
derived(struct sf_str name)
{
	if (sf_str_is(name, "flops_per_s"))
		return SF_UNIT_FLOPS;
	if (sf_str_is(name, "bytes_per_s"))
		return SF_UNIT_BYTES_PER_S;
	return sf_str_is(name, "op_overhead_s") ? SF_UNIT_S : SF_UNIT_NONE;
}

/* Of a row, which has another name for a time in a record. */
static enum sf_unit
unit_of(const struct sf_keys *keys, struct sf_str name)
{
	for (size_t i = 0; i < keys->n; i++) {
		const struct sf_key *key = &keys->rows[i];
		struct sf_str rest = name;

		if (!sf_str_take(&rest, key->name))
			continue;
		if (rest.n == 0 ||
		    (key->unit == SF_UNIT_S && keys->seconds != NULL &&
			sf_str_is(rest, keys->seconds)))
			return key->unit;
	}
	return SF_UNIT_NONE;
}

/* X to nine digits. */
static double
rounded(double x)
{
	char digits[32];

	snprintf(digits, sizeof digits, "%.9g", x);
	sf_double_parse(digits, strlen(digits), &x);
	return x;
}

void
sf_param_value(struct sf_buf *out, const struct sf_keys *keys,
    const struct sf_pair *pair, struct sf_arena *arena)
{
	enum sf_unit unit = unit_of(keys, pair->key);
	bool derives = unit == SF_UNIT_NONE;
	double x;

	if (derives)
		unit = derived(pair->key);
	if (unit != SF_UNIT_NONE &&
	    sf_double_parse(pair->json.p, pair->json.n, &x))
		sf_quantity_format(out, derives ? rounded(x) : x, unit);
	/* A part that the block does not have. */
	else if (sf_str_is(pair->json, "null"))
		SF_BUF_LIT(out, "off");
	else
		sf_md_value(out, pair->json, arena);
}

void
sf_param_cells(struct sf_grid *grid, const struct sf_keys *keys,
    const struct sf_pair *pair, struct sf_arena *arena)
{
	sf_grid_text(grid, pair->key);
	sf_param_value(sf_grid_cell(grid), keys, pair, arena);
}
