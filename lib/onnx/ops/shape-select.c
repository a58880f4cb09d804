/* Operators whose output has as many elements as the contents decide. */
#include "onnx/ops/rules.h"

#include "base/num.h"
#include "onnx/infer/shape.h"

/* ---- by what the elements are ---- */

/* How many known elements are not zero, and whether all are known. */
static bool
count_true(const struct sf_value *x, int64_t limit, int64_t *count)
{
	int64_t n = sf_value_numel(x);

	*count = 0;
	if (n < 0 || (!sf_value_has_all(x) && n != 0))
		return false;
	for (int64_t i = 0; i < n && i < limit; i++) {
		struct sf_cell cell = sf_cell_get(x, i);

		*count += x->ints != NULL ? cell.i != 0 : cell.f != 0;
	}
	return true;
}

bool
sf_rule_non_zero(struct sf_infer *infer)
{
	const struct sf_value *x = infer->inputs[0];
	struct sf_shape in, out = { .known = true, .rank = 2 };
	int64_t index[SF_VALUE_MAX_RANK] = { 0 }, count, column = 0;
	struct sf_cells cells;
	bool known = count_true(x, INT64_MAX, &count);

	sf_infer_shape(infer, 0, &in);
	out.d[0] = in.known ? sf_dim(in.rank) : SF_DIM_NONE;
	out.d[1] = known ? sf_dim(count) : SF_DIM_NONE;
	/* NumPy's answer for a number: it is taken for a vector of one. */
	if (in.known && in.rank == 0)
		out.d[0] = SF_DIM_NONE;
	if (!known)
		sf_infer_unknown(infer, 0,
		    "the number of elements of '%.*s' that are not zero is not "
		    "known",
		    SF_STR_ARG(x->name));
	sf_infer_set(infer, 0, SF_DT_I64, &out);
	if (!known || in.rank == 0 || !sf_cells_begin(&cells, infer, 0))
		return true;
	for (int64_t i = 0; i < sf_value_numel(x); i++) {
		struct sf_cell cell = sf_cell_get(x, i);

		if (x->ints != NULL ? cell.i != 0 : cell.f != 0) {
			for (int k = 0; k < in.rank; k++)
				sf_cells_put(&cells, k * count + column,
				    sf_cell_int(index[k]));
			column++;
		}
		sf_index_next(&in, index);
	}
	sf_cells_end(&cells);
	return true;
}

bool
sf_rule_compress(struct sf_infer *infer)
{
	enum sf_dtype dtype = infer->inputs[0]->dtype;
	const struct sf_value *condition = infer->inputs[1];
	struct sf_shape out;
	struct sf_onnx_dim d = SF_DIM_NONE, length;
	int64_t count;
	int axis = 0;

	sf_infer_shape(infer, 0, &out);
	if (!sf_infer_need_rank(infer, 1, "condition", 1))
		return false;
	if (out.known && sf_infer_attr(infer, "axis") != NULL) {
		if (!sf_infer_attr_axis(infer, "axis", 0, out.rank, &axis))
			return false;
		length = out.d[axis];
	} else {
		if (sf_infer_attr(infer, "axis") != NULL) {
			sf_infer_set(infer, 0, dtype, &out);
			return true;
		}
		length = SF_DIM_NONE;
		if (out.known &&
		    !sf_shape_count(infer, &out, 0, out.rank, &length))
			return false;
		out = (struct sf_shape){ .known = true, .rank = 1 };
	}
	if (count_true(condition,
		sf_dim_known(length) ? length.size : INT64_MAX, &count))
		d = sf_dim(count);
	else
		sf_infer_unknown_from(infer, 0, condition);
	out.d[axis] = d;
	sf_infer_set(infer, 0, dtype, &out);
	return true;
}

/* ---- Unique ---- */

static bool
same_cell(const struct sf_value *x, int64_t a, int64_t b)
{
	struct sf_cell p = sf_cell_get(x, a), q = sf_cell_get(x, b);

	return x->ints != NULL ? p.i == q.i : p.f == q.f;
}

/* Subtensors A and B of axis AXIS are equal. */
static bool
same_slice(
    const struct sf_value *x, int64_t size, int64_t inner, int64_t a, int64_t b)
{
	int64_t n = sf_value_numel(x);

	for (int64_t base = 0; base < n; base += size * inner)
		for (int64_t i = 0; i < inner; i++)
			if (!same_cell(
				x, base + a * inner + i, base + b * inner + i))
				return false;
	return true;
}

/* Comparisons grow with the square: no more are tried than that. */
enum {
	MAX_UNIQUE = 512
};

static bool
count_unique(
    const struct sf_value *x, int64_t size, int64_t inner, int64_t *count)
{
	*count = 0;
	if (!sf_value_has_all(x) || size > MAX_UNIQUE ||
	    (size > 0 && sf_value_numel(x) / size > MAX_UNIQUE))
		return false;
	for (int64_t i = 0; i < size; i++) {
		bool first = true;

		for (int64_t k = 0; k < i && first; k++)
			first = !same_slice(x, size, inner, k, i);
		*count += first;
	}
	return true;
}

bool
sf_rule_unique(struct sf_infer *infer)
{
	const struct sf_value *x = infer->inputs[0];
	struct sf_shape out;
	struct sf_onnx_dim inner = sf_dim(1), d = SF_DIM_NONE, whole;
	bool flat = sf_infer_attr(infer, "axis") == NULL;
	int64_t count;
	int axis = 0;

	sf_infer_shape(infer, 0, &out);
	if (out.known && !flat &&
	    (!sf_infer_attr_axis(infer, "axis", 0, out.rank, &axis) ||
		!sf_shape_count(infer, &out, axis + 1, out.rank, &inner)))
		return false;
	whole = SF_DIM_NONE;
	if (out.known && !flat)
		whole = out.d[axis];
	else if (out.known && !sf_shape_count(infer, &out, 0, out.rank, &whole))
		return false;
	if (sf_dim_known(whole) && sf_dim_known(inner) &&
	    count_unique(x, whole.size, inner.size, &count))
		d = sf_dim(count);
	else
		sf_infer_unknown(infer, 0,
		    "the number of unique elements of '%.*s' is not known",
		    SF_STR_ARG(x->name));
	if (flat)
		out = (struct sf_shape){ .known = true, .rank = 1 };
	if (out.known)
		out.d[axis] = d;
	sf_infer_set(infer, 0, x->dtype, &out);
	sf_infer_set_vector(infer, 1, SF_DT_I64, d);
	sf_infer_set_vector(infer, 2, SF_DT_I64, whole);
	sf_infer_set_vector(infer, 3, SF_DT_I64, d);
	for (int i = 1; i < infer->noutputs; i++)
		infer->outputs[i].why = infer->outputs[0].why;
	return true;
}

/* ---- NonMaxSuppression: [selected, 3] ---- */

/* Corners or centre and size of box BOX, as x1, y1, x2, y2. */
static void
read_box(const struct sf_value *boxes, int64_t box, bool centre, double out[4])
{
	double b[4];

	for (int k = 0; k < 4; k++)
		b[k] = sf_dtype_round(
		    SF_DT_F32, sf_reals_get(boxes->floats, box * 4 + k));
	if (centre) {
		out[0] = b[0] - b[2] / 2;
		out[1] = b[1] - b[3] / 2;
		out[2] = b[0] + b[2] / 2;
		out[3] = b[1] + b[3] / 2;
		return;
	}
	for (int k = 0; k < 2; k++) {
		out[k] = b[k] < b[k + 2] ? b[k] : b[k + 2];
		out[k + 2] = b[k] < b[k + 2] ? b[k + 2] : b[k];
	}
}

/* The common area of two boxes over the area that they cover together. */
static double
overlap(const double a[4], const double b[4])
{
	double common = 1, size_a = 1, size_b = 1;

	for (int k = 0; k < 2; k++) {
		double low = a[k] > b[k] ? a[k] : b[k];
		double high = a[k + 2] < b[k + 2] ? a[k + 2] : b[k + 2];

		common *= high > low ? high - low : 0;
		size_a *= a[k + 2] - a[k];
		size_b *= b[k + 2] - b[k];
	}
	return common <= 0 ? 0 : common / (size_a + size_b - common);
}

struct suppression {
	const struct sf_value *boxes, *scores;
	int64_t nbatch, nclass, nbox;
	bool centre, has_score_limit;
	int64_t max;
	double max_overlap, min_score;
};

/* How many boxes of one class of one batch are selected. */
static int64_t
select_boxes(
    const struct suppression *s, int64_t batch, int64_t class, bool *taken)
{
	struct sf_reals scores = sf_reals_from(
	    s->scores->floats, (batch * s->nclass + class) * s->nbox);
	int64_t selected = 0, chosen[MAX_UNIQUE];

	for (int64_t i = 0; i < s->nbox; i++)
		taken[i] = s->has_score_limit &&
		    !(sf_reals_get(scores, i) > s->min_score);
	while (selected < s->max) {
		double best_box[4], box[4];
		int64_t best = -1;
		bool keep = true;

		for (int64_t i = 0; i < s->nbox; i++)
			if (!taken[i] &&
			    (best < 0 ||
				sf_reals_get(scores, i) >
				    sf_reals_get(scores, best)))
				best = i;
		if (best < 0)
			break;
		taken[best] = true;
		read_box(s->boxes, batch * s->nbox + best, s->centre, best_box);
		for (int64_t i = 0; i < selected && keep; i++) {
			read_box(s->boxes, batch * s->nbox + chosen[i],
			    s->centre, box);
			keep = !(overlap(best_box, box) > s->max_overlap);
		}
		if (keep)
			chosen[selected++] = best;
	}
	return selected;
}

static int64_t
count_selected(struct sf_infer *infer, struct suppression *s)
{
	bool *taken = sf_arena_calloc(infer->arena, MAX_UNIQUE, sizeof *taken);
	int64_t count = 0;

	if (s->nbox == 0)
		return 0; /* of however many classes */
	for (int64_t batch = 0; batch < s->nbatch; batch++)
		for (int64_t class = 0; class < s->nclass; class ++)
			count += select_boxes(s, batch, class, taken);
	return count;
}

/* Everything is known, and little enough to be carried out. */
static bool
can_select(
    struct sf_infer *infer, struct suppression *s, const struct sf_cell *limits)
{
	struct sf_shape boxes, scores;

	s->boxes = infer->inputs[0];
	s->scores = infer->inputs[1];
	sf_infer_shape(infer, 0, &boxes);
	sf_infer_shape(infer, 1, &scores);
	if (s->boxes->floats.at == NULL || !sf_value_has_all(s->boxes) ||
	    s->scores->floats.at == NULL || !sf_value_has_all(s->scores) ||
	    boxes.d[0].size != scores.d[0].size ||
	    boxes.d[1].size != scores.d[2].size || boxes.d[2].size != 4)
		return false;
	s->nbatch = scores.d[0].size;
	s->nclass = scores.d[1].size;
	s->nbox = scores.d[2].size;
	for (int i = 0; i < 3; i++)
		if (sf_infer_input(infer, i + 2) != NULL && !limits[i].known)
			return false;
	return s->nbox <= MAX_UNIQUE;
}

bool
sf_rule_non_max_suppression(struct sf_infer *infer)
{
	struct sf_shape out = { .known = true, .rank = 2 };
	struct suppression s = { 0 };
	struct sf_cell limits[3];
	int64_t centre;

	if (!sf_infer_need_rank(infer, 0, "boxes", 3) ||
	    !sf_infer_need_rank(infer, 1, "scores", 3) ||
	    !sf_infer_scalar(
		infer, 2, "max_output_boxes_per_class", &limits[0]) ||
	    !sf_infer_scalar(infer, 3, "iou_threshold", &limits[1]) ||
	    !sf_infer_scalar(infer, 4, "score_threshold", &limits[2]) ||
	    !sf_infer_attr_int(infer, "center_point_box", 0, &centre))
		return false;
	s.centre = centre != 0;
	s.max = limits[0].known ? limits[0].i : 0;
	s.max_overlap = limits[1].f;
	s.has_score_limit = limits[2].known;
	s.min_score = limits[2].f;
	out.d[0] = SF_DIM_NONE;
	out.d[1] = sf_dim(3);
	if (can_select(infer, &s, limits))
		out.d[0] = sf_dim(count_selected(infer, &s));
	else
		sf_infer_unknown(
		    infer, 0, "the number of selected boxes is not known");
	sf_infer_set(infer, 0, SF_DT_I64, &out);
	return true;
}
