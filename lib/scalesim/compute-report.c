/*
 * Cycles from tiles. SCALE-Sim numbers the cycles of a layer from 0 and prints
 * the number of the last one, which is one less than there are; so does this.
 */
#include "scalesim/compute-report.h"

#include <stdlib.h>

#include "accel/accel.h"
#include "accel/lower.h"
#include "accel/tile_record.h"
#include "base/num.h"
#include "trace/op.h"
#include "trace/product.h"

/* Of the operator whose tiles go by. */
struct layer {
	bool open; /* it has a row */
	int64_t op;
	struct sf_products products;
	bool met; /* a tile of it */
	double alloc, first, last, stored;
	double computing;
};

struct sf_compute_report {
	struct sf_stream *stream;
	bool lowered;
	struct sf_accel accel;
	int64_t rows; /* of this trace that are written */
	struct layer layer;
};

struct sf_compute_report *
sf_compute_report_new(struct sf_stream *stream)
{
	struct sf_compute_report *r = sf_malloc(sizeof *r);

	*r = (struct sf_compute_report){ .stream = stream };
	return r;
}

void
sf_compute_report_free(struct sf_compute_report *r)
{
	free(r);
}

/* ---- how well products map ---- */

/* A side of a product. */
enum side {
	M,
	N,
	K
};

/*
 * SCALE-Sim's dataflows: which sides lie on rows and columns of the array, so
 * that it is filled ceil(rows / R) ceil(columns / C) times, and which streams
 * by.
 */
static const struct mapping {
	const char *name;
	enum side rows, cols, stream;
} mappings[] = {
	{ "os", M, N, K },
	{ "ws", K, N, M },
	{ "is", K, M, N },
};

static const struct mapping *
mapping_of(struct sf_compute_report *r)
{
	const char *name = sf_dataflow_names[r->accel.dataflow];

	for (size_t i = 0; i < sizeof mappings / sizeof mappings[0]; i++)
		if (strcmp(mappings[i].name, name) == 0)
			return &mappings[i];
	sf_stream_die(r->stream, "SCALE-Sim has no dataflow '%s'", name);
}

/*
 * Means over folds: the share of the array that has something to do, and the
 * same by time. SCALE-Sim takes C - 1 cycles more for the latter than a fold
 * has, but in the output-stationary array.
 */
static void
utilise(const struct sf_accel *a, const struct mapping *mapping,
    const struct sf_products *products, double *mapped, double *busy)
{
	double rows = (double)a->array_rows, cols = (double)a->array_cols;
	double all = 0, sum_mapped = 0, sum_busy = 0;
	double fill =
	    mapping->stream == K ? rows + cols - 2 : 2 * rows + 2 * cols - 3;

	for (int i = 0; i < products->n; i++) {
		const struct sf_product *p = &products->v[i];
		const int64_t sides[] = { [M] = p->m, [N] = p->n, [K] = p->k };
		int64_t on_rows = sides[mapping->rows];
		int64_t on_cols = sides[mapping->cols];
		double batch = (double)p->batch;
		double stream = (double)sides[mapping->stream];
		double held =
		    batch * (double)on_rows * (double)on_cols / (rows * cols);

		all += batch * (double)sf_ceil_div(on_rows, a->array_rows) *
		    (double)sf_ceil_div(on_cols, a->array_cols);
		sum_mapped += held;
		sum_busy += held * stream / (stream + fill);
	}
	*mapped = sum_mapped / all * 100;
	*busy = sum_busy / all * 100;
}

/* ---- rows ---- */

static void
put_heads(struct sf_compute_report *r)
{
	SF_BUF_LIT(sf_stream_text(r->stream),
	    "LayerID, Total Cycles (incl. prefetch), Total Cycles, Stall "
	    "Cycles, Overall Util %, Mapping Efficiency %, Compute Util %,\n");
}

static void
put_number(struct sf_buf *out, double x)
{
	SF_BUF_LIT(out, ", ");
	sf_buf_double(out, x);
}

static void
finish_layer(struct sf_compute_report *r)
{
	struct sf_buf *out = sf_stream_text(r->stream);
	struct layer *layer = &r->layer;
	double pes = (double)r->accel.arrays * (double)r->accel.array_rows *
	    (double)r->accel.array_cols;
	double all = layer->last - layer->first, total = all - 1;
	double mapped, busy;

	if (!layer->open)
		return;
	if (!layer->met)
		sf_stream_die(r->stream,
		    "op %lld has no tiles, expected a trace from sf-sim "
		    "--tiles",
		    (long long)layer->op);
	layer->open = false;
	utilise(&r->accel, mapping_of(r), &layer->products, &mapped, &busy);
	sf_buf_int(out, r->rows++);
	put_number(out, layer->stored - layer->alloc - 1);
	put_number(out, total);
	put_number(out, all - layer->computing);
	put_number(out,
	    total > 0 ? (double)layer->products.macs * 100 / (total * pes) : 0);
	put_number(out, mapped);
	put_number(out, busy);
	SF_BUF_LIT(out, ",\n");
}

static void
take_accel(struct sf_compute_report *r)
{
	r->lowered = true;
	sf_accel_read(r->stream, NULL, &r->accel);
	if (!r->accel.quantise)
		sf_stream_die(r->stream,
		    "the accelerator is not quantised, expected whole cycles: "
		    "sf-lower --quantise");
}

static void
take_op(struct sf_compute_report *r)
{
	struct sf_place place;
	struct sf_lower lower;
	struct sf_op op;

	finish_layer(r);
	sf_op_read(r->stream, &op);
	if (!r->lowered || op.lower.n == 0)
		sf_op_die(r->stream, &op,
		    "is not lowered, expected a trace from sf-sim --tiles");
	sf_lower_read(r->stream, &op, &lower);
	if (lower.where != SF_ON_ARRAY || op.gemms.n == 0 || lower.tiles == 0)
		return;
	r->layer = (struct layer){ .open = true, .op = op.i };
	place = sf_op_place(&op);
	sf_products_read(
	    r->stream, op.gemms, &place, op.ninputs, &r->layer.products);
	r->layer.products.macs = op.counts.macs;
	r->layer.open = r->layer.products.n != 0;
}

static void
take_tile(struct sf_compute_report *r)
{
	struct layer *layer = &r->layer;
	struct sf_tile_record tile;

	sf_tile_read(r->stream, &tile);
	if (!layer->open || tile.place.op != layer->op)
		return;
	if (!layer->met) {
		layer->met = true;
		layer->alloc = tile.t[2];
		layer->first = tile.t[4];
	}
	layer->computing += tile.t[5] - tile.t[4];
	layer->last = tile.t[5];
	if (tile.t[7] > layer->stored)
		layer->stored = tile.t[7];
}

void
sf_compute_report_record(struct sf_compute_report *r, enum sf_kind kind)
{
	switch (kind) {
	case SF_K_TRACE:
		r->lowered = false;
		r->rows = 0;
		put_heads(r);
		break;
	case SF_K_ACCEL:
		take_accel(r);
		break;
	case SF_K_OP:
		take_op(r);
		break;
	case SF_K_TILE:
		take_tile(r);
		break;
	case SF_K_END:
		finish_layer(r);
		break;
	default:
		break;
	}
}
