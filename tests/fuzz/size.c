/* An expression of sizes: what is printed reads back as the same value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "torch/size.h"

static bool
lookup(void *context, struct sf_str name, int64_t *value)
{
	(void)context;
	*value = (int64_t)name.n * 3 - 4;
	return name.n != 3;
}

/*
 * Names are printed as they are, and may be of any bytes: only what is a name
 * by itself reads back as one.
 */
static bool
has_names_alone(const struct sf_size *size, struct sf_arena *arena)
{
	struct sf_error error;
	const struct sf_size *alone;

	for (int i = 0; i < size->n; i++)
		if (!has_names_alone(size->args[i], arena))
			return false;
	if (size->kind != SF_SIZE_SYMBOL)
		return true;
	alone = sf_size_parse(size->name, arena, &error);
	return alone != NULL && alone->kind == SF_SIZE_SYMBOL &&
	    sf_str_eq(alone->name, size->name);
}

static bool
equal(const struct sf_size_value *a, const struct sf_size_value *b)
{
	return a->is == b->is &&
	    (a->is == SF_SIZE_IS_OPEN ||
		(a->is == SF_SIZE_IS_REAL
			? fabs(a->real - b->real) <= fabs(a->real) * 1e-12
			: a->num == b->num && a->den == b->den));
}

static void
read_again(const struct sf_size *size, struct sf_arena *arena)
{
	struct sf_size_value value, again;
	struct sf_buf text = { 0 };
	struct sf_error error;
	struct sf_size *copy;

	sf_size_print(size, &text);
	copy = sf_size_parse(
	    (struct sf_str){ text.p != NULL ? text.p : "", text.n }, arena,
	    &error);
	if (copy != NULL && has_names_alone(size, arena) &&
	    sf_size_eval(size, lookup, NULL, &value, &error) &&
	    sf_size_eval(copy, lookup, NULL, &again, &error))
		must(equal(&value, &again), "it reads back as itself");
	sf_buf_release(&text);
}

static void
check(void *context)
{
	const struct bytes *in = context;
	struct sf_arena *arena = sf_arena_new();
	char *copy = malloc(in->n + 1);
	struct sf_error error;
	struct sf_size *size;

	memcpy(copy, in->p, in->n);
	size = sf_size_parse((struct sf_str){ copy, in->n }, arena, &error);
	if (size != NULL)
		read_again(size, arena);
	else
		must(error.text[0] != '\0', "a reason is given");
	free(copy);
	sf_arena_free(arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = { (const char *)data, size };

	run_guarded("size", DONE, check, &in);
	return 0;
}
