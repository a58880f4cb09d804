/*
 * What a sweep is asked for: a letter of an option and its value, a line each,
 * or, where it is neither, the designs themselves.
 */
#include <stdlib.h>
#include <string.h>

#include "harness.h"

enum {
	MOST_LINES = 8,
	MOST_POINTS = 32
};

/* The options that lines make; NULL-terminated. */
struct words {
	char *text;
	const char *v[2 * MOST_LINES + 8];
	int n;
};

static void
add(struct words *w, const char *word)
{
	w->v[w->n++] = word;
	w->v[w->n] = NULL;
}

static void
split(struct words *w, struct bytes in)
{
	static const char *const names[] = { "-g", "-t", "-w", "-k", "-c", "-F",
		"-s", "--random", "--lhs" };
	char *rest, *line;

	w->text = malloc(in.n + 1);
	must(w->text != NULL, "there is memory");
	if (in.n != 0)
		memcpy(w->text, in.p, in.n);
	w->text[in.n] = '\0';
	rest = w->text;
	add(w, "--preset");
	add(w, "edge-npu");
	for (int i = 0; i < MOST_LINES; i++) {
		line = strsep(&rest, "\n");
		if (line == NULL || line[0] == '\0')
			break;
		add(w, names[(unsigned char)line[0] % 9]);
		add(w, line + 1);
	}
}

/* The points that the options make; -1 when they make none. */
static long
count_points(struct words *w)
{
	struct run run;
	long n = -1;

	add(w, "--count");
	run = run_program("sweep", sf_sweep_main, counted_trace,
	    DONE | USAGE | REFUSED, w->v);
	if (run.status == 0 && run.out.n != 0)
		n = strtol(run.out.p, NULL, 10);
	run_free(&run);
	w->v[--w->n] = NULL;
	return n;
}

/* Reads points in each way there is. */
static void
read_points(struct bytes points, int may)
{
	struct run run, again;

	run = RUN(front, points, may, "--front", "makespan_s", );
	again = RUN(front, run.out, DONE | REFUSED, "--front", "makespan_s", );
	if (run.status == 0 && may == DONE)
		must(again.status == 0, "a front has a front");
	run_free(&again);
	run_free(&run);
	run = RUN(front, points, may | REFUSED, "--all", );
	run_free(&run);
	run = RUN(front, points, may | REFUSED | USAGE, "--sort", "index",
	    "--top", "3", "--format", "md", );
	run_free(&run);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = { (const char *)data, size };
	struct words w = { .n = 0 };
	struct run run, again;
	long n;

	if (holds(in, "\"kind\"") || holds(in, ",")) {
		read_points(in, DONE | USAGE | REFUSED);
		if (size < 4096) {
			run = RUN(sweep, counted_trace, DONE | USAGE | REFUSED,
			    "--preset", "edge-npu", "--max-tiles", "10000",
			    "--points", file_of(in), );
			run_free(&run);
		}
	}
	split(&w, in);
	add(&w, "--max-tiles");
	add(&w, "10000");
	n = count_points(&w);
	if (n >= 0 && n <= MOST_POINTS) {
		run = run_program("sweep", sf_sweep_main, counted_trace,
		    DONE | USAGE | REFUSED, w.v);
		again = run_program("sweep", sf_sweep_main, counted_trace,
		    DONE | USAGE | REFUSED, w.v);
		must(run.status == again.status && same(run.out, again.out),
		    "two sweeps are one");
		if (run.status == 0)
			read_points(run.out, DONE | USAGE | REFUSED);
		run_free(&again);
		run_free(&run);
	}
	free(w.text);
	return 0;
}
