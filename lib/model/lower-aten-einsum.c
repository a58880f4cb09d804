/* torch.einsum of two operands, as ATen makes a batch of products of it. */
#include <string.h>

#include "base/die.h"
#include "model/lower-aten-scan.h"

/* Dimensions of the result, by what they are in the product. */
struct kinds {
	int batch[SF_VAL_RANK], left[SF_VAL_RANK], right[SF_VAL_RANK];
	int nbatch, nleft, nright;
	int64_t batch_size, left_size, right_size, sum_size;
};

/* An operand's labels, up to a comma, an arrow or the end. */
static int
count_labels(const char *labels)
{
	return (int)strcspn(labels, ",-");
}

/* X with a dimension for each of the N labels of ALL, in their order. */
static struct sf_val *
align(struct sf_build *b, struct sf_val *x, const char *labels, const char *all,
    int n)
{
	int own = count_labels(labels), dims[SF_VAL_RANK], missing = own;

	for (int i = 0; i < n; i++) {
		const char *at = memchr(labels, all[i], (size_t)own);

		dims[i] = at != NULL ? (int)(at - labels) : missing++;
	}
	while (x->rank < n)
		x = b->route->lower->unsqueeze(b, x, x->rank);
	return sf_aten_reorder(b, x, dims);
}

static struct kinds
sort_kinds(const struct sf_val *x, const struct sf_val *y, int out)
{
	struct kinds k = {
		.batch_size = 1, .left_size = 1, .right_size = 1, .sum_size = 1
	};

	for (int i = 0; i < x->rank; i++) {
		bool in_x = x->shape[i] != 1, in_y = y->shape[i] != 1;

		if (i >= out) {
			if (in_x != in_y)
				sf_bug("a sum over one operand alone");
			k.sum_size *= x->shape[i];
		} else if (in_x && in_y) {
			k.batch[k.nbatch++] = i;
			k.batch_size *= x->shape[i];
		} else if (in_x) {
			k.left[k.nleft++] = i;
			k.left_size *= x->shape[i];
		} else {
			k.right[k.nright++] = i;
			k.right_size *= y->shape[i];
		}
	}
	return k;
}

/* The permutation of the batch, then three runs of dimensions. */
static void
order(const struct kinds *k, const int *second, int n, int rank, int out,
    const int *last, int m, bool sum_first, int *dims)
{
	int at = 0;

	for (int i = 0; i < k->nbatch; i++)
		dims[at++] = k->batch[i];
	for (int i = out; i < rank && sum_first; i++)
		dims[at++] = i;
	for (int i = 0; i < n; i++)
		dims[at++] = second[i];
	for (int i = out; i < rank && !sum_first; i++)
		dims[at++] = i;
	for (int i = 0; i < m; i++)
		dims[at++] = last[i];
}

static void
swap(struct kinds *k, struct sf_val **x, struct sf_val **y)
{
	struct kinds old = *k;
	struct sf_val *z = *x;

	*x = *y;
	*y = z;
	memcpy(k->left, old.right, sizeof k->left);
	memcpy(k->right, old.left, sizeof k->right);
	k->nleft = old.nright;
	k->nright = old.nleft;
	k->left_size = old.right_size;
	k->right_size = old.left_size;
}

/* The product as dimensions, in their order, without those summed over. */
static struct sf_val *
spread(struct sf_build *b, const struct kinds *k, struct sf_val *product,
    const struct sf_val *sizes, int out)
{
	const struct sf_decomposition *l = b->route->lower;
	int dims[SF_VAL_RANK], back[SF_VAL_RANK], n = sizes->rank;
	int64_t shape[SF_VAL_RANK];
	struct sf_val *x;

	order(k, k->left, k->nleft, n, out, k->right, k->nright, false, dims);
	for (int i = 0; i < n; i++) {
		shape[i] = dims[i] < out ? sizes->shape[dims[i]] : 1;
		back[dims[i]] = i;
	}
	x = l->view(b, product, n, shape);
	x = sf_aten_reorder(b, x, back);
	return l->view(b, x, out, x->shape);
}

struct sf_val *
sf_aten_einsum(struct sf_build *b, const char *equation, struct sf_val *x,
    struct sf_val *y)
{
	const struct sf_decomposition *l = b->route->lower;
	const char *second = strchr(equation, ',') + 1;
	const char *result = strchr(equation, '>') + 1;
	char all[SF_VAL_RANK + 1] = "";
	int n = (int)strlen(result), out = n, dims[SF_VAL_RANK];
	struct sf_val *sizes, *product;
	struct kinds k;

	memcpy(all, result, (size_t)n);
	for (const char *p = equation; *p != ','; p++)
		if (strchr(all, *p) == NULL)
			all[n++] = *p;
	x = align(b, x, equation, all, n);
	y = align(b, y, second, all, n);
	k = sort_kinds(x, y, out);
	sizes = sf_val_like(&b->graph, x);
	for (int i = 0; i < n; i++)
		if (x->shape[i] == 1)
			sizes->shape[i] = y->shape[i];
	if (k.nleft != 0 && k.nright != 0 &&
	    k.right[k.nright - 1] < k.left[k.nleft - 1])
		swap(&k, &x, &y);
	order(&k, k.left, k.nleft, n, out, k.right, k.nright, false, dims);
	x = sf_aten_reorder(b, x, dims);
	x = l->reshape(
	    b, x, 3, (int64_t[]){ k.batch_size, k.left_size, k.sum_size });
	order(&k, k.right, k.nright, n, out, k.left, k.nleft, true, dims);
	y = sf_aten_reorder(b, y, dims);
	y = l->reshape(
	    b, y, 3, (int64_t[]){ k.batch_size, k.sum_size, k.right_size });
	product = sf_val_new(&b->graph, x->dtype, 3,
	    (int64_t[]){ k.batch_size, k.left_size, k.right_size });
	product = sf_aten_2(b, "aten.bmm", x, y, product);
	return spread(b, &k, product, sizes, out);
}
