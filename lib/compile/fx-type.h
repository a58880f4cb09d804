/* What PyTorch prints of a value's type: "f32[2, s0][3, 1]cpu", "Sym(s0)". */
#ifndef SF_COMPILE_FX_TYPE_H
#define SF_COMPILE_FX_TYPE_H

#include "base/arena.h"
#include "base/error.h"
#include "compile/fx-size.h"
#include "trace/tensor.h"

enum sf_fx_type_kind {
	SF_FX_UNTYPED, /* nothing is printed */
	SF_FX_TENSOR,
	SF_FX_SCALAR, /* a size, or a condition on sizes */
	SF_FX_OPAQUE, /* an object that is neither */
};

struct sf_fx_type {
	enum sf_fx_type_kind kind;
	struct sf_str core; /* type and sizes of a tensor, as printed */
	/* Of a tensor: type and shape; all else is empty. */
	struct sf_tensor tensor;
};

/*
 * Reads TEXT; arrays live in ARENA. Sizes whose symbols are not known stand by
 * their text. False, with what was expected in *ERROR, when it is no type.
 */
bool sf_fx_type_parse(struct sf_fx_type *type, struct sf_str text,
    struct sf_fx_symbols *symbols, struct sf_arena *arena,
    struct sf_error *error);

#endif
