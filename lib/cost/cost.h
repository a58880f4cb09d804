/*
 * The analytic cost of a trace: a roofline on one kind of device, or the
 * offload of some categories to an accelerator beside a host.
 */
#ifndef SF_COST_COST_H
#define SF_COST_COST_H

#include "base/decl.h"
#include "cost/offload.h"
#include "cost/roofline.h"

SF_PUBLIC_BEGIN

/* Which type a product is of. */
enum sf_products_as {
	SF_PRODUCTS_DATA,     /* of the data's, see origin.h */
	SF_PRODUCTS_OPERANDS, /* of the operands as they are stored */
};

/* "data", "operands", NULL. */
extern const char *const sf_products_as_names[];

/* What the command line says; NULL and 0 where it does not. */
struct sf_cost_request {
	const char *device;  /* roofline */
	const char *offload; /* or offload, which needs the next two */
	const char *link;
	const char *supports;
	const char *host;        /* "host" unless said */
	struct sf_list settings; /* "KEY=VALUE", "host.KEY=", "link.KEY=" */
	int64_t devices;
	enum sf_memory_mode memory;
	double overhead_s; /* of each operator that is not free */
	enum sf_products_as products;
	bool tf32;   /* products of F32 are of TF32 */
	bool strict; /* a type without a peak is refused */
};

struct sf_cost;

/*
 * Loads devices and link, naming them in the stream's tool record; dies with
 * SF_EX_USAGE when the request cannot be meant.
 */
struct sf_cost *
sf_cost_new(struct sf_stream *stream, const struct sf_cost_request *request);
void sf_cost_free(struct sf_cost *cost);

/* Prints what the settings may be, and the devices and links there are. */
void sf_cost_print_keys(struct sf_buf *out);
void sf_cost_print_names(struct sf_arena *arena, struct sf_buf *out);

/* Handles the stream's current record, or the end of a header. */
void sf_cost_record(struct sf_cost *cost, enum sf_kind kind);

SF_PUBLIC_END

#endif
