/* Sizes in a graph. */
#include "compile/fx-size.h"

#include "base/num.h"
#include "torch/size.h"

static bool
look_up(void *context, struct sf_str name, int64_t *value)
{
	struct sf_fx_symbols *symbols = context;
	const struct sf_table *from[] = { symbols->given, symbols->hints };

	for (int i = 0; i < 2; i++) {
		const struct sf_entry *known =
		    from[i] != NULL ? sf_table_find(from[i], name) : NULL;

		if (known == NULL)
			continue;
		*value = known->num;
		sf_table_add(&symbols->used, name)->num = known->num;
		return true;
	}
	sf_table_add(&symbols->open, name);
	return false;
}

enum sf_fx_size
sf_fx_size_eval(struct sf_str text, struct sf_fx_symbols *symbols,
    struct sf_arena *arena, int64_t *out)
{
	const struct sf_size *size;
	struct sf_size_value value;
	struct sf_error error;

	/* Nearly all are numbers. */
	if (sf_int_parse(text.p, text.n, out))
		return *out >= 0 ? SF_FX_SIZE_KNOWN : SF_FX_SIZE_WRONG;
	size = sf_size_parse(text, arena, &error);
	if (size == NULL ||
	    !sf_size_eval(size, look_up, symbols, &value, &error))
		return SF_FX_SIZE_WRONG;
	if (value.is == SF_SIZE_IS_OPEN)
		return SF_FX_SIZE_OPEN;
	if (value.is != SF_SIZE_IS_EXACT || value.den != 1 || value.num < 0)
		return SF_FX_SIZE_WRONG;
	*out = value.num;
	return SF_FX_SIZE_KNOWN;
}
