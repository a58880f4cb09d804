/* What compare.c gathers and the writers write. */
#ifndef SF_COMPARE_PART_H
#define SF_COMPARE_PART_H

#include "accel/summary_record.h"
#include "base/buf.h"
#include "base/str.h"
#include "compare/compare.h"

/* Why time moved; an operator may have several. */
enum sf_cause {
	SF_CAUSE_NEW,  /* the first trace has none */
	SF_CAUSE_GONE, /* this one has none */
	SF_CAUSE_CALLS,
	SF_CAUSE_FLOPS,
	SF_CAUSE_BYTES,
	SF_CAUSE_TYPE, /* of the elements */
	SF_CAUSE_UNIT,
	SF_CAUSE_BOUND,
	SF_CAUSE_STALL, /* a wait moved further than computing did */
	SF_CAUSE_RATE,  /* none of these: the same work at another speed */
	SF_CAUSE_COUNT
};

/* What compute units wait for, as report/rows.h has it. */
enum sf_waiting {
	SF_WAITING_LOAD,
	SF_WAITING_BUFFER,
	SF_WAITING_DEPENDENCY,
	SF_WAITING_STORE,
	SF_WAITING_COUNT
};

/* What one node, module or type took in the first trace and in this one. */
struct sf_beside_first {
	int64_t calls, flops, bytes;
	double time_s;
	/* Empty where its operators differ. */
	struct sf_str dtype, unit, bound;
	bool stalled; /* the simulation tells these */
	double compute_s, waits_s[SF_WAITING_COUNT];
};

struct sf_move {
	struct sf_str name; /* of the node, module or type */
	struct sf_beside_first was, is;
	unsigned causes;      /* bit c: cause c */
	enum sf_waiting wait; /* of the cause STALL */
};

/* One trace. Texts are in the comparison's arena. */
struct sf_compared {
	struct sf_str model, route, workload;
	struct sf_str on; /* device, accelerator or "": no times */
	/* By sf-sim, or else sf-cost, or else measured; -1: nothing says. */
	double latency_s;
	struct sf_str bound; /* the hot-spot, or what bounds most time */
	double bound_share;  /* of the latency; -1 of a hot-spot */
	int64_t uncounted;   /* operators that are in none of the figures */
	int64_t ops, flops, bytes; /* the last two -1 when not counted */
	int64_t memory; /* weights and the peak beside them; -1: not known */
	double has;     /* memory of the device; 0: not known */
	bool simulated;
	struct sf_summary summary;
	const struct sf_move *moves; /* the largest, of all that moved */
	size_t nmoves, moved;
	bool beside; /* the first one's times could be held against these */
};

struct sf_comparison {
	const struct sf_compared *const *traces;
	size_t n;
	enum sf_rows_by by;
	struct sf_arena *arena;
};

/* "calls", "FLOPs". */
const char *sf_cause_name(enum sf_cause cause);
/* "load_bandwidth", as sf-sim's summary has them. */
const char *sf_waiting_name(enum sf_waiting wait);

void sf_comparison_markdown(const struct sf_comparison *c, struct sf_buf *out);
void sf_comparison_csv(const struct sf_comparison *c, struct sf_buf *out);
void sf_comparison_json(const struct sf_comparison *c, struct sf_buf *out);

#endif
