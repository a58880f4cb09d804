/* The schema of an operator, "aten::mm.out(Tensor self, ...) -> Tensor". */
#ifndef SF_DISPATCH_SCHEMA_H
#define SF_DISPATCH_SCHEMA_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

struct sf_schema_arg {
	struct sf_str type; /* "Tensor(a!)", "int[2]", "ScalarType?" */
	struct sf_str name;
	bool out; /* where a result is to be put, and no input */
};

struct sf_schema {
	struct sf_str name; /* "aten::mm.out" */
	struct sf_schema_arg *args;
	int n;
};

/* All lies in TEXT and ARENA; false when it is no schema. */
bool sf_schema_parse(
    struct sf_str text, struct sf_arena *arena, struct sf_schema *schema);

/* A tensor, perhaps optional, or a list of such. */
bool sf_schema_is_tensor(const struct sf_schema_arg *arg);

#endif
