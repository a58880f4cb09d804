/* Reading a topology. */
#include "scalesim/topology.h"

#include "base/num.h"

enum {
	/* The name and the numbers, and behind them, perhaps, the sparsity. */
	GEMM_FIELDS = 1 + SF_LAYER_GEMM_NUMBERS,
	CONV_FIELDS = 1 + SF_LAYER_CONV_NUMBERS,
	MOST_FIELDS = CONV_FIELDS + 1
};

static const int64_t largest = INT64_C(1) << 31;
static const int64_t most_repeats = 1000000;

static const char *const gemm_names[SF_LAYER_GEMM_NUMBERS] = { "M", "N", "K" };
static const char *const conv_names[SF_LAYER_CONV_NUMBERS] = { "input height",
	"input width", "filter height", "filter width", "channels", "filters",
	"stride" };

/* ---- a row ---- */

/* Cuts ROW at its commas; what follows the last one is nothing by custom. */
static int
split(struct sf_str row, struct sf_str fields[MOST_FIELDS + 1])
{
	int n = 0;

	while (row.n != 0 && n <= MOST_FIELDS)
		fields[n++] = sf_str_cut(&row, ',');
	while (n != 0 && n <= MOST_FIELDS && fields[n - 1].n == 0)
		n--;
	return n;
}

static bool
take_number(
    const char *name, struct sf_str field, int64_t *out, struct sf_error *error)
{
	if (sf_int_parse(field.p, field.n, out) && *out >= 1 && *out <= largest)
		return true;
	return sf_fail(error, "%s is '%.*s', expected a number from 1 to 2^31",
	    name, SF_STR_ARG(field));
}

static bool
check_dense(struct sf_str field, struct sf_error *error)
{
	struct sf_str rest = field, n = sf_str_cut(&rest, ':');

	return (sf_str_is(n, "1") && sf_str_is(sf_str_trim(rest), "1")) ||
	    sf_fail(error,
		"sparsity is '%.*s', expected 1:1, as sparse filters have no "
		"model",
		SF_STR_ARG(field));
}

static bool
check_conv(struct sf_topology_layer *layer, struct sf_error *error)
{
	static const char depthwise[] = "DP";
	const int64_t *n = layer->n;

	for (int i = 0; i < 2; i++)
		if (n[SF_LAYER_CONV_FILTER_H + i] > n[SF_LAYER_CONV_H + i])
			return sf_fail(error,
			    "%s is %lld, expected at most the %s, %lld",
			    conv_names[SF_LAYER_CONV_FILTER_H + i],
			    (long long)n[SF_LAYER_CONV_FILTER_H + i],
			    conv_names[SF_LAYER_CONV_H + i],
			    (long long)n[SF_LAYER_CONV_H + i]);
	if (sf_str_find(layer->name, depthwise) != NULL) {
		if (n[SF_LAYER_CONV_CHANNELS] > most_repeats)
			return sf_fail(error,
			    "channels is %lld, expected at most %lld of a "
			    "layer that is run channel by channel",
			    (long long)n[SF_LAYER_CONV_CHANNELS],
			    (long long)most_repeats);
		layer->repeats = n[SF_LAYER_CONV_CHANNELS];
		layer->n[SF_LAYER_CONV_CHANNELS] = 1;
	}
	return true;
}

static bool
take_row(struct sf_topology *topology, const struct sf_str *fields, int n,
    struct sf_error *error)
{
	struct sf_topology_layer layer = { .name = fields[0], .repeats = 1 };
	int numbers =
	    topology->gemm ? SF_LAYER_GEMM_NUMBERS : SF_LAYER_CONV_NUMBERS;
	const char *const *names = topology->gemm ? gemm_names : conv_names;

	if (n != numbers + 1 && n != numbers + 2)
		return sf_fail(error,
		    "%d columns, expected a name, %d numbers and perhaps the "
		    "sparsity, as in the rows before",
		    n, numbers);
	if (!sf_utf8_valid(fields[0].p, fields[0].n))
		return sf_fail(error, "the name is not UTF-8");
	/* No stream has one. */
	if (sf_str_chr(fields[0], '\0') != NULL)
		return sf_fail(error, "a NUL in the name");
	for (int i = 0; i < numbers; i++)
		if (!take_number(names[i], fields[1 + i], &layer.n[i], error))
			return false;
	if (n == numbers + 2 && !check_dense(fields[n - 1], error))
		return false;
	if (!topology->gemm && !check_conv(&layer, error))
		return false;
	sf_buf_put(&topology->buf, &layer, sizeof layer);
	return true;
}

/* The first layer says what all are. */
static bool
decide(struct sf_topology *topology, int n, struct sf_error *error)
{
	topology->gemm = n == GEMM_FIELDS || n == GEMM_FIELDS + 1;
	return topology->gemm || n == CONV_FIELDS || n == CONV_FIELDS + 1 ||
	    sf_fail(error,
		"%d columns, expected %d of a matrix product (name, M, N, K) "
		"or %d of a convolution, and perhaps the sparsity",
		n, GEMM_FIELDS, CONV_FIELDS);
}

/* ---- the file ---- */

bool
sf_topology_parse(struct sf_topology *topology, const char *text, size_t len,
    struct sf_arena *arena, int64_t *line, struct sf_error *error)
{
	struct sf_str rest = { sf_arena_strndup(arena, text, len), len };
	struct sf_str fields[MOST_FIELDS + 1] = { { "", 0 } };

	*topology = (struct sf_topology){ .gemm = false };
	for (*line = 1; rest.n != 0; ++*line) {
		struct sf_str row = sf_str_cut(&rest, '\n');
		int n;

		/* The first line is for people. */
		if (*line == 1 || row.n == 0)
			continue;
		n = split(row, fields);
		if ((topology->buf.n == 0 && !decide(topology, n, error)) ||
		    !take_row(topology, fields, n, error))
			return false;
	}
	*line = 0;
	return topology->buf.n != 0 ||
	    sf_fail(error, "there is no layer behind the line of headings");
}

void
sf_topology_release(struct sf_topology *topology)
{
	sf_buf_release(&topology->buf);
}

int64_t
sf_topology_positions(int64_t in, int64_t filter, int64_t stride, int64_t *past)
{
	int64_t n = sf_ceil_div(in - filter + stride, stride);

	*past = (n - 1) * stride + filter - in;
	if (*past < 0)
		*past = 0;
	return n;
}
