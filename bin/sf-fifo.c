/* sf-fifo - a bounded FIFO between two random servers, and Little's law. */
#include <math.h>

#include "simfront.h"

#include "base/num.h"
#include "base/write.h"
#include "fifo/fifo-table.h"
#include "plot/fifo-plot.h"
#include "plot/guard.h"

static const int64_t default_depths[] = { 1, 2, 4, 8, 16 };
enum {
	NDEFAULTS = sizeof default_depths / sizeof default_depths[0]
};

/* What the command line asks for. */
struct job {
	double produce, consume; /* NAN: not given */
	int64_t burst;           /* 0: not given */
	int64_t items, seed;
	struct sf_int_list depths;
	int format;
	struct sf_picture picture; /* without a path: none */
};

/* The case that the options describe, if they describe one. */
static bool
own_case(const struct job *job, struct sf_fifo_case *own)
{
	if (isnan(job->produce) && isnan(job->consume) && job->burst == 0)
		return false;
	*own = (struct sf_fifo_case){ "own",
		isnan(job->produce) ? 1 : job->produce,
		isnan(job->consume) ? 1 : job->consume,
		job->burst != 0 ? job->burst : 1 };
	if (own->produce + own->consume == 0)
		sf_die(SF_EX_USAGE,
		    "'--produce' and '--consume' are both 0, expected one of "
		    "them to take time");
	return true;
}

/* What is run: each case with each depth. */
struct runs {
	const struct sf_fifo_case *cases;
	struct sf_fifo_case own;
	const int64_t *depths;
	size_t ncases, ndepths;
};

static void
choose_runs(const struct job *job, struct runs *runs)
{
	*runs = (struct runs){ .cases = sf_fifo_cases,
		.ncases = 2,
		.depths = job->depths.n != 0 ? job->depths.v : default_depths,
		.ndepths = job->depths.n != 0 ? job->depths.n : NDEFAULTS };
	if (own_case(job, &runs->own)) {
		runs->cases = &runs->own;
		runs->ncases = 1;
	}
}

static void
run(const struct job *job, const struct runs *runs, struct sf_buf *out,
    struct sf_fifo_plot *plot)
{
	enum sf_format format = (enum sf_format)job->format;
	size_t n = runs->ncases * runs->ndepths;
	struct sf_progress progress;
	int64_t items;

	sf_fifo_table_begin(out, format);
	sf_progress_begin(&progress, "items",
	    sf_mul(job->items, (int64_t)n, &items) ? items : -1);
	for (size_t i = 0; i < n; i++) {
		const struct sf_fifo_case *c = &runs->cases[i / runs->ndepths];
		int64_t depth = runs->depths[i % runs->ndepths];
		struct sf_fifo_watch watch;
		struct sf_fifo_run figures;

		if (plot != NULL)
			watch = sf_fifo_plot_watch(plot, c, depth);
		figures =
		    sf_fifo_simulate(c, depth, job->items, (uint64_t)job->seed,
			plot != NULL ? &watch : NULL, &progress);
		if (plot != NULL)
			sf_fifo_plot_ran(plot, &figures);
		sf_fifo_table_row(out, format, c, depth, &figures);
	}
	sf_progress_end(&progress);
}

/* The table to OUT, the picture to its file. */
static void
do_job(struct job *job, struct sf_buf *out)
{
	struct sf_fifo_plot *plot = NULL;
	struct runs runs;

	choose_runs(job, &runs);
	if (job->picture.path != NULL) {
		sf_picture_check(&job->picture, "plot");
		sf_guard();
		plot = sf_fifo_plot_new(
		    &job->picture, (int)runs.ncases, runs.ndepths);
	}
	run(job, &runs, out, plot);
	if (plot != NULL)
		sf_fifo_plot_write(plot);
}

int
main(int argc, char *argv[])
{
	struct job job = { .produce = NAN,
		.consume = NAN,
		.items = 2000,
		.seed = 1,
		.format = SF_FORMAT_MD };
	const struct sf_opt opts[] = {
		SF_OPT_INTS('d', "depth", &job.depths, 1, 1000000, "N",
		    "the queue's depth, repeatable (default 1 2 4 8 16)"),
		SF_OPT_QUANTITY('p', "produce", &job.produce, SF_UNIT_NONE, 0,
		    1e12, "TIME", "mean time to produce an item (default 1)"),
		SF_OPT_QUANTITY('c', "consume", &job.consume, SF_UNIT_NONE, 0,
		    1e12, "TIME", "mean time to consume an item (default 1)"),
		SF_OPT_INT('b', "burst", &job.burst, 1, 1000000, "N",
		    "items produced at a time (default 1)"),
		SF_OPT_INT('n', "items", &job.items, 1, 1000000000, "N",
		    "items in a run (default 2000)"),
		SF_OPT_INT('s', "seed", &job.seed, 0, INT64_MAX - 1000, "N",
		    "the producer's seed, the consumer's is 1000 more "
		    "(default 1)"),
		SF_OPT_CHOICE(
		    'f', "format", &job.format, sf_formats, "FORMAT", "write"),
		SF_OPT_OUTPUT('o', "plot", &job.picture.path, "FILE",
		    "draw the queue over time, *.png, *.svg or *.pdf", false),
		SF_OPT_END,
	};
	struct sf_arena *arena = sf_arena_new();
	struct sf_buf out = { 0 };

	sf_opt_parse(&(struct sf_tool){ .name = "sf-fifo",
			 .sandboxed = true,
			 .summary = "Run items through a bounded FIFO and "
				    "check Little's law on it.",
			 .opts = opts,
			 .needs = SF_NEEDS_DRAWING },
	    argc, argv, arena);
	do_job(&job, &out);
	sf_write_all(1, out.p, out.n);
	sf_close_stdout();
	sf_buf_release(&out);
	sf_arena_free(arena);
	return SF_EX_OK;
}
