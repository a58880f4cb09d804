/* Classical machine learning, domain ai.onnx.ml, and training steps. */
#include "onnx/ops/rules.h"

#include "base/num.h"
#include "onnx/infer/shape.h"

/* The rows of an input [N, F]; a vector is one row. */
static struct sf_onnx_dim
rows(const struct sf_infer *infer)
{
	struct sf_shape x;

	sf_infer_shape(infer, 0, &x);
	if (!x.known || x.rank == 0)
		return SF_DIM_NONE;
	return x.rank == 1 ? sf_dim(1) : x.d[0];
}

static void
set_table(struct sf_infer *infer, int i, enum sf_dtype dtype,
    struct sf_onnx_dim n, struct sf_onnx_dim columns)
{
	struct sf_shape out = { .known = true, .rank = 2, .d = { n, columns } };

	sf_infer_set(infer, i, dtype, &out);
}

/* How many strings, integers or numbers attribute NAME has; -1: absent. */
static int64_t
attr_count(const struct sf_infer *infer, const char *name)
{
	const struct sf_onnx_attr *attr = sf_infer_attr(infer, name);

	return attr == NULL ? -1 : (int64_t)attr->n;
}

/* As f32, in the shape of the input (Scaler, Normalizer, Binarizer, ...). */
bool
sf_rule_ml_scaler(struct sf_infer *infer)
{
	struct sf_shape out;

	sf_infer_shape(infer, 0, &out);
	sf_infer_set(infer, 0, SF_DT_F32, &out);
	return true;
}

/* Labels are strings or integers, the other than they were. */
static enum sf_dtype
label_type(const struct sf_infer *infer)
{
	static const struct {
		const char *name;
		enum sf_dtype dtype;
	} names[] = { { "values_strings", SF_DT_STR },
		{ "values_int64s", SF_DT_I64 },
		{ "values_floats", SF_DT_F32 } };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (attr_count(infer, names[i].name) >= 0)
			return names[i].dtype;
	if (sf_infer_attr(infer, "values_tensor") != NULL &&
	    sf_infer_attr(infer, "values_tensor")->tensor != NULL)
		return sf_infer_attr(infer, "values_tensor")->tensor->dtype;
	return sf_infer_type(infer, 0) == SF_DT_STR ? SF_DT_I64 : SF_DT_STR;
}

bool
sf_rule_ml_label_encoder(struct sf_infer *infer)
{
	struct sf_shape out;

	sf_infer_shape(infer, 0, &out);
	sf_infer_set(infer, 0, label_type(infer), &out);
	return true;
}

/* Labels [N] and scores [N, classes]. */
static bool
classifier(struct sf_infer *infer, const char *strings, const char *ints)
{
	bool named = attr_count(infer, strings) > 0;
	int64_t n =
	    named ? attr_count(infer, strings) : attr_count(infer, ints);

	sf_infer_set_vector(
	    infer, 0, named ? SF_DT_STR : SF_DT_I64, rows(infer));
	/* One label stands for two classes, the other being its opposite. */
	set_table(
	    infer, 1, SF_DT_F32, rows(infer), n > 1 ? sf_dim(n) : SF_DIM_NONE);
	return true;
}

bool
sf_rule_ml_tree_classifier(struct sf_infer *infer)
{
	return classifier(infer, "classlabels_strings", "classlabels_int64s");
}

bool
sf_rule_ml_linear_classifier(struct sf_infer *infer)
{
	return classifier(infer, "classlabels_strings", "classlabels_ints");
}

static bool
regressor(struct sf_infer *infer, const char *targets, enum sf_dtype dtype)
{
	int64_t n;

	if (!sf_infer_attr_int(infer, targets, 1, &n))
		return false;
	if (n < 1)
		return sf_fail(infer->error,
		    "attribute '%s' is %lld, expected at least 1", targets,
		    (long long)n);
	set_table(infer, 0, dtype, rows(infer), sf_dim(n));
	return true;
}

bool
sf_rule_ml_tree_regressor(struct sf_infer *infer)
{
	return regressor(infer, "n_targets", SF_DT_F32);
}

bool
sf_rule_ml_tree(struct sf_infer *infer)
{
	return regressor(infer, "n_targets", sf_infer_type(infer, 0));
}

bool
sf_rule_ml_linear_regressor(struct sf_infer *infer)
{
	return regressor(infer, "targets", SF_DT_F32);
}

bool
sf_rule_ml_svm_regressor(struct sf_infer *infer)
{
	set_table(infer, 0, SF_DT_F32, rows(infer), sf_dim(1));
	return true;
}

/* Inputs of [N, Fi], with Fi from attribute inputdimensions, side by side. */
bool
sf_rule_ml_feature_vectorizer(struct sf_infer *infer)
{
	struct sf_ints widths;
	int64_t sum = 0;

	if (!sf_infer_attr_list(infer, "inputdimensions", &widths))
		return false;
	for (int i = 0; i < widths.n; i++)
		if (widths.v[i].i < 0 || !sf_add(sum, widths.v[i].i, &sum))
			return sf_fail(infer->error,
			    "attribute 'inputdimensions' is %lld, expected at "
			    "least 0",
			    (long long)widths.v[i].i);
	set_table(infer, 0, SF_DT_F32, rows(infer),
	    widths.given ? sf_dim(sum) : SF_DIM_NONE);
	return true;
}

bool
sf_rule_ml_one_hot_encoder(struct sf_infer *infer)
{
	int64_t n = attr_count(infer, "cats_int64s");
	struct sf_shape out;

	if (n < 1)
		n = attr_count(infer, "cats_strings");
	sf_infer_shape(infer, 0, &out);
	if (out.known &&
	    !sf_shape_push(infer, &out, n > 0 ? sf_dim(n) : SF_DIM_NONE))
		return false;
	sf_infer_set(infer, 0, SF_DT_F32, &out);
	return true;
}

/* The columns that Y names: [..., number of them]. */
bool
sf_rule_ml_array_feature_extractor(struct sf_infer *infer)
{
	struct sf_shape out;
	int64_t n = sf_value_numel(infer->inputs[1]);

	sf_infer_shape(infer, 0, &out);
	if (out.known && out.rank == 1)
		out = (struct sf_shape){ true, 2, { sf_dim(1) } };
	if (out.known && out.rank > 1)
		out.d[out.rank - 1] = sf_dim(n);
	sf_infer_set(infer, 0, infer->inputs[0]->dtype, &out);
	return true;
}

/* ---- maps ---- */

/* A map a row, from labels to the row's numbers. */
bool
sf_rule_ml_zip_map(struct sf_infer *infer)
{
	infer->outputs[0].kind = SF_ONNX_TYPE_SEQUENCE;
	infer->outputs[0].item = SF_ONNX_TYPE_MAP;
	infer->outputs[0].dtype = SF_DT_F32;
	infer->outputs[0].nitems = -1;
	sf_infer_unknown(infer, 0, "it is a sequence of maps");
	return true;
}

/* The numbers of a map by their words: one row. */
bool
sf_rule_ml_dict_vectorizer(struct sf_infer *infer)
{
	int64_t n = attr_count(infer, "int64_vocabulary");

	if (n < 1)
		n = attr_count(infer, "string_vocabulary");
	set_table(infer, 0,
	    infer->inputs[0]->dtype != SF_DT_UNKNOWN ? infer->inputs[0]->dtype
						     : SF_DT_F32,
	    sf_dim(1), n > 0 ? sf_dim(n) : SF_DIM_NONE);
	return true;
}

/* One row of numbers, as many as attribute max_map says of a sparse map. */
bool
sf_rule_ml_cast_map(struct sf_infer *infer)
{
	struct sf_str form, to;
	enum sf_dtype dtype;
	int64_t n;

	if (!sf_infer_attr_str(infer, "map_form", "DENSE", &form) ||
	    !sf_infer_attr_str(infer, "cast_to", "TO_FLOAT", &to) ||
	    !sf_infer_attr_int(infer, "max_map", 1, &n))
		return false;
	dtype = sf_str_is(to, "TO_STRING") ? SF_DT_STR
	    : sf_str_is(to, "TO_INT64")    ? SF_DT_I64
					   : SF_DT_F32;
	set_table(infer, 0, dtype, sf_dim(1),
	    sf_str_is(form, "SPARSE") ? sf_dim(n) : SF_DIM_NONE);
	sf_infer_unknown(infer, 0, "how many keys the map has is not known");
	return true;
}

/* ---- training: R, T, then groups of tensors ---- */

/*
 * OPTIMISED tensors and as many in each of GROUPS groups are inputs; the
 * outputs are new ones of the first group and of those after the gradients.
 */
static bool
optimiser(struct sf_infer *infer, int groups)
{
	int n = (infer->ninputs - 2) / groups;

	if (infer->ninputs < 2 + groups || (infer->ninputs - 2) % groups != 0)
		return sf_fail(infer->error,
		    "%d inputs, expected 2 and a multiple of %d",
		    infer->ninputs, groups);
	for (int i = 0; i < infer->noutputs; i++) {
		int in = 2 + (i < n ? i : i + n);

		if (in < infer->ninputs && infer->inputs[in] != NULL)
			sf_infer_like(infer, i, infer->inputs[in]);
	}
	return true;
}

/* X, gradients, squares. */
bool
sf_rule_adagrad(struct sf_infer *infer)
{
	return optimiser(infer, 3);
}

/* X, gradients, averages, averages of squares. */
bool
sf_rule_adam(struct sf_infer *infer)
{
	return optimiser(infer, 4);
}

/* A gradient has the shape of what it is taken by: the names in xs. */
bool
sf_rule_gradient(struct sf_infer *infer)
{
	for (int i = 0; i < infer->noutputs && i < infer->ninputs; i++)
		if (infer->inputs[i] != NULL)
			sf_infer_like(infer, i, infer->inputs[i]);
	return true;
}
