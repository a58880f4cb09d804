/* Who reads the records, and members of an op, that a program does not. */
#include "records/records.h"

#include "accel/accel.h"
#include "accel/lower.h"
#include "accel/sim_record.h"
#include "accel/summary_record.h"
#include "accel/tile_record.h"
#include "cost/device_record.h"
#include "cost/op_cost.h"
#include "ep/record.h"
#include "sweep/point-record.h"
#include "trace/op.h"

/* ---- members of an op ---- */

static void
read_gemms(struct sf_stream *stream, const struct sf_op *op)
{
	const struct sf_place place = sf_op_place(op);
	struct sf_products products;

	sf_products_read(stream, op->gemms, &place, op->ninputs, &products);
}

static void
read_window(struct sf_stream *stream, const struct sf_op *op)
{
	const struct sf_place place = sf_op_place(op);
	struct sf_op_window window;

	sf_op_window_read(stream, op->window, &place,
	    sf_stream_record_arena(stream), &window);
}

static void
read_lower(struct sf_stream *stream, const struct sf_op *op)
{
	struct sf_lower lower;

	sf_lower_read(stream, op, &lower);
}

static void
read_cost(struct sf_stream *stream, const struct sf_op *op)
{
	struct sf_op_cost cost;

	sf_op_cost_read(stream, op, &cost);
}

static void
read_sim(struct sf_stream *stream, const struct sf_op *op)
{
	struct sf_sim sim;

	sf_sim_read(stream, op, &sim);
}

static void
read_ep(struct sf_stream *stream, const struct sf_op *op)
{
	struct sf_ep_op ep;

	sf_ep_op_read(stream, op, &ep);
}

static void
read_stages(struct sf_stream *stream, const struct sf_op *op)
{
	const struct {
		struct sf_str text;
		void (*read)(struct sf_stream *stream, const struct sf_op *op);
	} stages[] = {
		{ op->gemms, read_gemms },
		{ op->window, read_window },
		{ op->lower, read_lower },
		{ op->cost, read_cost },
		{ op->sim, read_sim },
		{ op->ep, read_ep },
	};

	for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
		if (stages[i].text.n != 0 &&
		    !sf_stream_part_was_read(stream, stages[i].text))
			stages[i].read(stream, op);
}

/* ---- records ---- */

static void
read_op(struct sf_stream *stream)
{
	struct sf_op op;

	sf_op_read(stream, &op);
}

static void
read_device(struct sf_stream *stream)
{
	struct sf_device_record device;

	sf_device_record_read(stream, NULL, &device);
}

static void
read_accel(struct sf_stream *stream)
{
	struct sf_accel accel;

	sf_accel_read(stream, NULL, &accel);
}

static void
read_tile(struct sf_stream *stream)
{
	struct sf_tile_record tile;

	sf_tile_read(stream, &tile);
}

static void
read_summary(struct sf_stream *stream)
{
	struct sf_summary summary;

	sf_summary_read(&summary, stream, NULL);
}

static void
read_partition(struct sf_stream *stream)
{
	struct sf_ep_result result;

	sf_ep_result_read(stream, NULL, &result);
}

static void
read_point(struct sf_stream *stream)
{
	struct sf_point point;

	sf_point_read(stream, &point);
	sf_point_numbers(stream, NULL, 0, NULL);
}

/* Those of the frame of a trace every program reads. */
const struct sf_records sf_every_record = {
	.read = {
		[SF_K_DEVICE] = read_device,
		[SF_K_ACCEL] = read_accel,
		[SF_K_OP] = read_op,
		[SF_K_TILE] = read_tile,
		[SF_K_SUMMARY] = read_summary,
		[SF_K_PARTITION] = read_partition,
		[SF_K_POINT] = read_point,
	},
	.stages = read_stages,
};
