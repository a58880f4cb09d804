/*
 * Strides: what PyTorch made of some hundreds of tensors, permuted, expanded
 * and broadcast (tests/golden/strides.py, DATA/strides.tsv).
 */
#include "model/stride.h"

#include <string.h>

#include "check.h"

enum {
	FIELDS = 6
};

static int
read_numbers(const char *text, int64_t *out)
{
	int n = 0;
	char *end;

	for (; *text != '\0'; text = *end == ',' ? end + 1 : end)
		out[n++] = strtoll(text, &end, 10);
	return n;
}

static struct sf_val
read_tensor(const char *shape, const char *stride)
{
	struct sf_val val = { .dtype = SF_DT_F32 };

	val.rank = read_numbers(shape, val.shape);
	CHECK(read_numbers(stride, val.stride) == val.rank);
	return val;
}

/* Compares strides where they mean something. */
static void
strides_are(const char *line, const struct sf_val *val, const char *want)
{
	int64_t stride[SF_VAL_RANK];

	CHECK_FOR(line, read_numbers(want, stride) == val->rank);
	for (int i = 0; i < val->rank; i++)
		CHECK_FOR(
		    line, val->shape[i] == 1 || val->stride[i] == stride[i]);
}

static void
view(const char *line, char *const *f)
{
	struct sf_val x = read_tensor(f[1], f[2]), y = { .dtype = SF_DT_F32 };

	y.rank = read_numbers(f[3], y.shape);
	CHECK_FOR(line, sf_stride_view(&x, &y) == (strcmp(f[4], "copy") != 0));
	if (strcmp(f[4], "copy") != 0)
		strides_are(line, &y, f[4]);
}

static void
dense(const char *line, char *const *f)
{
	struct sf_val x = read_tensor(f[1], f[2]);

	CHECK_FOR(line, sf_stride_is_dense(&x) == (f[3][0] == '1'));
	sf_stride_dense(&x);
	CHECK_FOR(line, sf_stride_is_dense(&x));
}

static void
add(const char *line, char *const *f)
{
	struct sf_val x = read_tensor(f[1], f[2]), y = read_tensor(f[3], f[4]);
	struct sf_val out = { .dtype = SF_DT_F32, .rank = x.rank };

	for (int i = 0; i < x.rank; i++)
		out.shape[i] = x.shape[i];
	sf_stride_elementwise(&out, (struct sf_val *[]){ &x, &y }, 2);
	strides_are(line, &out, f[5]);
}

static void
check_line(char *line)
{
	char whole[256], *f[FIELDS] = { NULL }, *rest = line;
	int n = 0;

	snprintf(whole, sizeof whole, "%.200s", line);
	while (n < FIELDS && (f[n] = strsep(&rest, "\t\n")) != NULL)
		n++;
	if (strcmp(f[0], "view") == 0)
		view(whole, f);
	else if (strcmp(f[0], "dense") == 0)
		dense(whole, f);
	else
		add(whole, f);
}

int
main(void)
{
	const char *data = getenv("DATA");
	char path[4096], line[256];
	int lines = 0;
	FILE *f;

	CHECK(data != NULL);
	snprintf(path, sizeof path, "%s/strides.tsv", data);
	f = fopen(path, "r");
	CHECK_FOR(path, f != NULL);
	for (; fgets(line, sizeof line, f) != NULL; lines++)
		check_line(line);
	CHECK(lines == 900);
	fclose(f);
	return 0;
}
