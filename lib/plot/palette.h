/* Colours and hatching that everybody can tell apart. */
#ifndef SF_PLOT_PALETTE_H
#define SF_PLOT_PALETTE_H

#include <stdint.h>

#include "plot/page.h"
#include "trace/category.h"

/* What is no category. */
#define SF_INK   0x222222 /* text and axes */
#define SF_FAINT 0x666666 /* what explains */
#define SF_GRID  0xe4e4e4
#define SF_BAND  0xc9d3da /* areas below a curve */
#define SF_RANGE 0xe6ecef /* where a curve comes within a pixel */
#define SF_CURVE 0x33475b
#define SF_LIMIT 0xd55e00

struct sf_look {
	uint32_t colour;
	enum sf_hatch hatch;
	uint32_t ink; /* of text on it */
};

/* Of a category. */
struct sf_look sf_look_of(int category);

/* What compute units wait for, in the order of a summary. */
enum sf_wait {
#define SF_WAIT(id, name, colour) SF_WAIT_##id,
#include "plot/wait.def"
#undef SF_WAIT
	SF_WAITS
};

/* "load bandwidth". */
const char *sf_wait_name(int wait);
struct sf_look sf_look_of_wait(int wait);

#endif
