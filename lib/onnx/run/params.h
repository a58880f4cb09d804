/*
 * Which values are parameters by their names and by what the file says of them;
 * lib/onnx/run/track.h has what follows. In this order:
 *
 * 1. With a list of names, the values that it names and no others.
 * 2. Where PyTorch says what each input of its exported program was (the graph
 *    signature, or InputSpec.kind PARAMETER or BUFFER at some value), the
 *    values that are a PARAMETER, and constants folded from one. A BUFFER is
 *    constant and no parameter, and so are the exporter's own constants. A
 *    graph input that is not a USER_INPUT although others are, and a name that
 *    nothing makes in a file without initializers, are constants that were left
 *    out of the file.
 * 3. Otherwise every initializer, every tensor of a Constant node and every
 *    weight that stands in an attribute, unless no one reads it as data.
 */
#ifndef SF_ONNX_PARAMS_H
#define SF_ONNX_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/table.h"
#include "onnx/infer/infer.h"
#include "onnx/read/model.h"

/* A value that depends on no other may be a parameter. */
enum sf_onnx_leaf {
	SF_ONNX_LEAF_NOT,
	SF_ONNX_LEAF_READ, /* it is one when it is read as data */
	SF_ONNX_LEAF_SURE, /* the list or PyTorch says so */
};

enum sf_onnx_role {
	SF_ONNX_ROLE_NONE,   /* nothing is said of it */
	SF_ONNX_ROLE_INPUT,  /* given at run time */
	SF_ONNX_ROLE_BUFFER, /* constant, not a parameter */
	SF_ONNX_ROLE_PARAMETER,
};

struct sf_onnx_params {
	struct sf_arena *arena;
	const char *path;       /* of the list; NULL without one */
	uint32_t crc32;         /* of the list */
	struct sf_table listed; /* name: its line, negative once it was met */
	bool metadata;          /* PyTorch says what is what */
	struct sf_table roles;  /* by name */
	struct sf_table infos;  /* inputs and value_info by name */
	bool user_inputs;       /* PyTorch says of some input that it is one */
	bool no_initializers;
	struct sf_table counted;
	int64_t count, bytes; /* of all parameters that were added */
};

/*
 * Gets ready for MODEL and the list in the file PATH (one name a line, '#'
 * begins a comment line), which may be NULL. *IO is true when that could not be
 * read.
 */
bool sf_onnx_params_init(struct sf_onnx_params *params,
    const struct sf_onnx_model *model, const char *path, struct sf_arena *arena,
    struct sf_error *error, bool *io);
void sf_onnx_params_release(struct sf_onnx_params *params);

/* The role of a graph's input, an initializer, or a name that nothing makes. */
enum sf_onnx_role
sf_onnx_params_input(struct sf_onnx_params *params, struct sf_str name);
enum sf_onnx_leaf
sf_onnx_params_initializer(struct sf_onnx_params *params, struct sf_str name);
enum sf_onnx_role
sf_onnx_params_undefined(struct sf_onnx_params *params, struct sf_str name);

/* What a node makes of nothing, or weights in one of its attributes. */
enum sf_onnx_leaf
sf_onnx_params_constant(struct sf_onnx_params *params, struct sf_str name);

/* The list names what a node makes. */
bool sf_onnx_params_listed(struct sf_onnx_params *params, struct sf_str name);

/*
 * Counts N elements of a parameter in value->stored bytes; false when the sums
 * pass 2^63 - 1. One that was folded from another, and has as many elements, is
 * that one: tied weights that the exporter transposed for each of their uses
 * count once. SOURCE, when it is not NULL, is counted once, too.
 */
bool
sf_onnx_params_add(struct sf_onnx_params *params, const struct sf_value *value,
    int64_t n, const void *source, struct sf_error *error);

/* Every name of the list must have been met. */
bool sf_onnx_params_check(
    const struct sf_onnx_params *params, struct sf_error *error);

#endif
