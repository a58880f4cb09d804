/*
 * What the shape rules share: shapes as they are put together, contents read
 * and written element by element, lists of integers that are an attribute in
 * one opset and an input in the next.
 */
#ifndef SF_ONNX_SHAPE_H
#define SF_ONNX_SHAPE_H

#include "onnx/infer/infer.h"

/* ---- element types ---- */

/* Contents of this type are kept in INTS (bools, too), or in FLOATS. */
bool sf_dtype_in_ints(enum sf_dtype dtype);
bool sf_dtype_in_floats(enum sf_dtype dtype);

/* X is a value of the integer type DTYPE. */
bool sf_dtype_holds(enum sf_dtype dtype, int64_t x);

/* X rounded to the floating-point type DTYPE, ties to even. */
double sf_dtype_round(enum sf_dtype dtype, double x);

/* Reads an attribute with an element type; OTHERWISE when it is absent. */
bool sf_infer_attr_dtype(struct sf_infer *infer, const char *name,
    enum sf_dtype otherwise, enum sf_dtype *out);
bool sf_infer_attr_float(
    struct sf_infer *infer, const char *name, double otherwise, double *out);

/* ---- shapes under construction ---- */

struct sf_shape {
	bool known; /* the rank is; otherwise RANK is 0 */
	int rank;
	struct sf_onnx_dim d[SF_VALUE_MAX_RANK];
};

static inline struct sf_onnx_dim
sf_dim(int64_t size)
{
	return (struct sf_onnx_dim){ .size = size };
}

#define SF_DIM_NONE sf_dim(SF_DIM_UNKNOWN)

static inline bool
sf_dim_known(struct sf_onnx_dim dim)
{
	return dim.size >= 0;
}

/* The same size for certain: equal numbers, or the same name. */
bool sf_dim_same(struct sf_onnx_dim a, struct sf_onnx_dim b);

/* VALUE's shape; of unknown rank when VALUE is NULL. */
void sf_shape_of(const struct sf_value *value, struct sf_shape *shape);

/* Appends a dimension; false with the error set past the highest rank. */
bool sf_shape_push(
    struct sf_infer *infer, struct sf_shape *shape, struct sf_onnx_dim dim);

/* The number of elements of dimensions FROM to TO - 1. */
bool sf_shape_count(struct sf_infer *infer, const struct sf_shape *shape,
    int from, int to, struct sf_onnx_dim *out);

/* Gives output I its type and shape; nothing when there is no such output. */
void sf_infer_set(struct sf_infer *infer, int i, enum sf_dtype dtype,
    const struct sf_shape *shape);

/* The same, a tensor of rank 0, of rank 1, or of unknown rank. */
void sf_infer_set_scalar(struct sf_infer *infer, int i, enum sf_dtype dtype);
void sf_infer_set_vector(struct sf_infer *infer, int i, enum sf_dtype dtype,
    struct sf_onnx_dim size);
void sf_infer_set_unknown(struct sf_infer *infer, int i, enum sf_dtype dtype);

/* The element type of input I, SF_DT_UNKNOWN when there is none. */
enum sf_dtype sf_infer_type(const struct sf_infer *infer, int i);

/* The shape of input I. */
void
sf_infer_shape(const struct sf_infer *infer, int i, struct sf_shape *shape);

/*
 * The broadcast of A and B into *OUT, which may be one of them; false with the
 * error set when they do not go together.
 */
bool sf_shape_broadcast(struct sf_infer *infer, const struct sf_shape *a,
    const struct sf_shape *b, struct sf_shape *out);

/* Fails unless the rank of input I is unknown or RANK. WHAT names it. */
bool
sf_infer_need_rank(struct sf_infer *infer, int i, const char *what, int rank);

/* Two sizes that must be one: the one that is known, or an error. */
bool sf_dim_merge(struct sf_infer *infer, const char *what,
    struct sf_onnx_dim a, struct sf_onnx_dim b, struct sf_onnx_dim *out);

/* AXIS, which WHAT gave, as 0 to RANK - 1; an error when it is no axis. */
bool sf_infer_axis(
    struct sf_infer *infer, const char *what, int64_t axis, int rank, int *out);

/* Attribute "axis" of a tensor of rank RANK. */
bool sf_infer_attr_axis(struct sf_infer *infer, const char *name,
    int64_t otherwise, int rank, int *out);

/* ---- contents ---- */

struct sf_cell {
	bool known;
	int64_t i;          /* of a type in INTS */
	double f;           /* of a type in FLOATS */
	struct sf_str name; /* of an unknown one: the dimension it is */
};

static inline struct sf_cell
sf_cell_int(int64_t i)
{
	return (struct sf_cell){ .known = true, .i = i };
}

static inline struct sf_cell
sf_cell_float(double f)
{
	return (struct sf_cell){ .known = true, .f = f };
}

/* The number of elements when contents can be followed, otherwise -1. */
int64_t sf_value_cells(const struct sf_value *value);

/* Some of the contents are known. */
bool sf_value_has_contents(const struct sf_value *value);

/* All of them are. */
bool sf_value_has_all(const struct sf_value *value);

/* Element AT, unknown when the contents are. */
struct sf_cell sf_cell_get(const struct sf_value *value, int64_t at);

/* The contents of an output being written. */
struct sf_cells {
	struct sf_infer *infer;
	struct sf_value *value;
	int64_t n;
	int64_t *ints;
	double *floats;
	uint8_t *known;
	struct sf_str *names;
	int64_t nknown;
	bool some_name;
};

/*
 * Begins the contents of output I, whose shape is set. False when there are
 * too many or their type is not followed: then there are none to write.
 */
bool sf_cells_begin(struct sf_cells *cells, struct sf_infer *infer, int i);
/* An element that the type can not hold becomes unknown. */
void sf_cells_put(struct sf_cells *cells, int64_t at, struct sf_cell cell);
void sf_cells_end(struct sf_cells *cells);

/* Gives output I the same in each element. */
void sf_infer_fill(struct sf_infer *infer, int i, struct sf_cell cell);

/* Gives output I the contents of VALUE, which has as many elements. */
void sf_infer_same_contents(
    struct sf_infer *infer, int i, const struct sf_value *value);

/* Row-major walk: the next index of SHAPE, all of whose sizes are known. */
void sf_index_next(const struct sf_shape *shape, int64_t *index);

/* The place of INDEX in a tensor of SHAPE. */
int64_t sf_index_at(const struct sf_shape *shape, const int64_t *index);

/* ---- lists of integers ---- */

struct sf_ints {
	bool given; /* the attribute or the input is there */
	int n;      /* -1: it is there, but how many is not known */
	struct sf_cell *v;
	const struct sf_value *from; /* the input, for the reason */
};

/* The elements of input I, a tensor of rank 0 or 1. */
bool sf_infer_ints(
    struct sf_infer *infer, int i, const char *what, struct sf_ints *out);
bool sf_infer_attr_list(
    struct sf_infer *infer, const char *name, struct sf_ints *out);

/* From the attribute before opset SINCE, from input I afterwards. */
bool sf_infer_moved(struct sf_infer *infer, const char *name, int64_t since,
    int i, struct sf_ints *out);

/* All elements are known. */
bool sf_ints_known(const struct sf_ints *ints);

/* Element I; unknown when the list is, OTHERWISE when it is not there. */
struct sf_cell
sf_ints_get(const struct sf_ints *list, int i, int64_t otherwise);

/* Output I is unknown because LIST is. */
void sf_infer_unknown_list(
    struct sf_infer *infer, int i, const struct sf_ints *list);

/* Input I as one integer; *known tells whether it is. */
bool sf_infer_scalar(
    struct sf_infer *infer, int i, const char *what, struct sf_cell *out);

/* A list of axes as flags over RANK; an axis twice is an error. */
bool sf_infer_axes(struct sf_infer *infer, const char *what,
    const struct sf_ints *axes, int rank, bool *flags);

#endif
