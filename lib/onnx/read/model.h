/*
 * An ONNX model in memory, with all that a trace needs and none of its weights.
 * Field numbers and meanings: onnx.proto of ONNX 1.23 (IR version 13).
 *
 * Everything lives in the arena that sf_onnx_load was given but for names and
 * texts, which are slices of the file.
 */
#ifndef SF_ONNX_MODEL_H
#define SF_ONNX_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "base/str.h"
#include "trace/dtype.h"

/* The most elements whose contents are followed through the graph. */
enum {
	SF_VALUE_MAX_ELEMENTS = 4096
};

/* The highest rank of a tensor that is accepted. */
enum {
	SF_VALUE_MAX_RANK = 64
};

struct sf_onnx_graph;

/*
 * A dimension: a size >= 0, or SF_DIM_UNKNOWN with the name it goes by. A name
 * that is a decimal number is the size (some tools write "80" for 80), and -1
 * is an unknown size without a name, as is a name without a letter ("?", "*").
 */
struct sf_onnx_dim {
	int64_t size;
	struct sf_str name; /* empty when it has none */
};

/*
 * Floating-point numbers: doubles in memory, or singles as they stand in the
 * file, as most weights are never looked at. STEP bytes lie between two; none
 * when all are the same.
 */
struct sf_reals {
	const void *at; /* NULL: they are not known */
	bool in_file;   /* of 32 bits each, little-endian, not aligned */
	unsigned char step;
};

/* An array, and one number for all. */
static inline struct sf_reals
sf_reals_of(const double *at)
{
	return (struct sf_reals){ .at = at, .step = sizeof *at };
}

static inline struct sf_reals
sf_reals_all(const double *at)
{
	return (struct sf_reals){ .at = at };
}

/* Number I. */
double sf_reals_get(struct sf_reals reals, int64_t i);

/* The same without the first I. */
struct sf_reals sf_reals_from(struct sf_reals reals, int64_t i);

/* A tensor constant. Payloads that are large are left out of memory. */
struct sf_onnx_tensor {
	struct sf_str name;
	enum sf_dtype dtype; /* SF_DT_UNKNOWN: of a type we do not know */
	int onnx_type;       /* the number in the file */
	int rank;
	int64_t *dims; /* each >= 0 */
	int64_t numel;
	/*
	 * The elements, NUMEL of them, when they were in the file, at most
	 * SF_VALUE_MAX_ELEMENTS and of a type that fits: integers and bools in
	 * INTS, floating-point numbers in FLOATS; otherwise neither is known.
	 */
	const int64_t *ints;
	struct sf_reals floats;
	bool external;
};

enum sf_onnx_attr_type {
	SF_ONNX_ATTR_FLOAT = 1,
	SF_ONNX_ATTR_INT = 2,
	SF_ONNX_ATTR_STRING = 3,
	SF_ONNX_ATTR_TENSOR = 4,
	SF_ONNX_ATTR_GRAPH = 5,
	SF_ONNX_ATTR_FLOATS = 6,
	SF_ONNX_ATTR_INTS = 7,
	SF_ONNX_ATTR_STRINGS = 8,
	SF_ONNX_ATTR_TENSORS = 9,
	SF_ONNX_ATTR_GRAPHS = 10,
	SF_ONNX_ATTR_SPARSE_TENSOR = 11,
	SF_ONNX_ATTR_SPARSE_TENSORS = 12,
	SF_ONNX_ATTR_TYPE_PROTO = 13,
	SF_ONNX_ATTR_TYPE_PROTOS = 14,
};

struct sf_onnx_attr {
	struct sf_str name;
	enum sf_onnx_attr_type type;
	/* In a function: the attribute of the call that it takes. */
	struct sf_str ref;
	union {
		int64_t i;
		double f;
		struct sf_str s;
	};
	size_t n; /* of INTS, FLOATS, STRINGS, GRAPHS */
	union {
		const int64_t *ints;
		const double *floats;
		const struct sf_str *strings;
	};
	const struct sf_onnx_tensor *tensor;
	struct sf_onnx_graph **graphs; /* GRAPH has one */
};

struct sf_onnx_node {
	struct sf_str name;
	struct sf_str op_type;
	struct sf_str domain; /* empty for the default domain, "ai.onnx" too */
	struct sf_str overload;
	struct sf_str module; /* that PyTorch says it is of; may be empty */
	int ninputs, noutputs, nattrs;
	struct sf_str *inputs; /* an empty name: an optional one left out */
	struct sf_str *outputs;
	struct sf_onnx_attr *attrs;
};

enum sf_onnx_type_kind {
	SF_ONNX_TYPE_NONE, /* the file does not say */
	SF_ONNX_TYPE_TENSOR,
	SF_ONNX_TYPE_SPARSE,
	SF_ONNX_TYPE_SEQUENCE,
	SF_ONNX_TYPE_OPTIONAL,
	SF_ONNX_TYPE_MAP,
};

/* A type; of a sequence or an optional, the innermost tensor's. */
struct sf_onnx_type {
	enum sf_onnx_type_kind kind;
	enum sf_onnx_type_kind item; /* of one of the two: what is in it */
	enum sf_dtype dtype;
	bool rank_known;
	int rank;
	struct sf_onnx_dim *dims;
};

/* A graph's input, output or value_info entry. */
struct sf_onnx_info {
	struct sf_str name;
	struct sf_onnx_type type;
	/* "PARAMETER", "BUFFER", "USER_INPUT", ... from PyTorch; may be empty. */
	struct sf_str spec_kind;
	/* Names that the constant was folded from; may be empty. */
	struct sf_str folded_from;
	/* What the user says that an input holds; NULL: nothing. */
	const int64_t *ints;
	struct sf_reals floats;
	/* LISTED: what a sequence or an optional holds, by the user. */
	bool listed;
	bool left_out; /* an optional that holds nothing */
	int nitems;
	struct sf_onnx_type *items;
};

struct sf_onnx_graph {
	struct sf_str name;
	int nnodes, ninits, ninputs, noutputs, ninfos;
	struct sf_onnx_node *nodes;
	struct sf_onnx_tensor *inits; /* sparse ones, too */
	struct sf_onnx_info *inputs;
	struct sf_onnx_info *outputs;
	struct sf_onnx_info *infos;
	struct sf_str signature; /* PyTorch's graph_signature; may be empty */
};

struct sf_onnx_opset {
	struct sf_str domain; /* empty for the default domain */
	int64_t version;
};

struct sf_onnx_function {
	struct sf_str domain, name, overload;
	int ninputs, noutputs, nattrs, nnodes, nopsets, ninfos;
	struct sf_str *inputs;
	struct sf_str *outputs;
	struct sf_str *attrs; /* names without a default */
	struct sf_onnx_attr *default_attrs;
	int ndefault_attrs;
	struct sf_onnx_node *nodes;
	struct sf_onnx_opset *opsets;
	struct sf_onnx_info *infos;
};

struct sf_onnx_model {
	int64_t ir_version;
	struct sf_onnx_graph graph;
	struct sf_onnx_opset *opsets;
	int nopsets;
	struct sf_onnx_function *functions;
	int nfunctions;
	/*
	 * Of the bytes of the file without the tensor payloads that are above
	 * SF_WIRE_MAX_PAYLOAD (onnx/read/wire.h): weights are not read.
	 */
	uint32_t crc32;
	/* Its names are in there. */
	struct sf_map file;
};

/* The type that has NUMBER in TensorProto.DataType, or SF_DT_UNKNOWN. */
enum sf_dtype sf_onnx_dtype(int64_t number);

/*
 * Reads the model in PATH, "-" being standard input. The file is mapped; of a
 * payload above SF_WIRE_MAX_PAYLOAD only its length is looked at, and files
 * with external data are not opened. Returns NULL and fills *ERROR (with the
 * byte offset or the name of the place) when the file is no ONNX model; *IO is
 * then true when it could not be read at all.
 */
struct sf_onnx_model *sf_onnx_load(
    const char *path, struct sf_arena *arena, struct sf_error *error, bool *io);

/* Ends the use of a loaded model and of its names, before its arena goes. */
void sf_onnx_unload(struct sf_onnx_model *model);

/*
 * The same from memory, for tests and fuzzing; the bytes live as long as the
 * model.
 */
struct sf_onnx_model *sf_onnx_parse(const void *bytes, size_t len,
    struct sf_arena *arena, struct sf_error *error);

#endif
