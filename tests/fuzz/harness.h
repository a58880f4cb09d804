/*
 * What the fuzz targets share. A target is one file with
 * LLVMFuzzerTestOneInput; it runs the programs' own mains in the process, one
 * after the other, and aborts when one of them ends as it must not.
 *
 * The library ends a program in one place, sf_die, and writes standard output
 * in one place, sf_write_all. The harness is linked in the place of the two
 * files that hold them, base/die.c and base/write.c (paper.c is for
 * pictures), so a run that dies comes
 * back here by longjmp, and what it wrote is kept in memory. The memory and the
 * files that it left behind are taken back: under a sanitizer its hooks say
 * what was allocated, elsewhere (the replay of a few files) memory is left.
 * That is sound as long as nothing dies between fopen and fclose, as the C
 * library keeps a list of open files.
 */
#ifndef SF_TESTS_FUZZ_HARNESS_H
#define SF_TESTS_FUZZ_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef int main_of(int argc, char *argv[]);

/* The mains of bin/, compiled under these names. */
main_of sf_calibrate_main, sf_check_main, sf_chrome_main, sf_compare_main,
    sf_compile_main, sf_cost_main, sf_diff_main, sf_dispatch_main, sf_ep_main,
    sf_export_main, sf_fifo_main, sf_front_main, sf_lower_main, sf_model_main,
    sf_ntt_main, sf_onnx_main, sf_ort_main, sf_plot_main, sf_report_main,
    sf_rules_main, sf_scalesim_main, sf_sim_main, sf_sweep_main,
    sf_timeloop_main;

struct bytes {
	const char *p;
	size_t n;
};

/* A trace of one operator, as sf-rules writes it. */
extern const struct bytes counted_trace;

/* How a run may end, as a set of statuses. */
enum {
	DONE = 1 << 0,
	NO = 1 << 1,
	USAGE = 1 << 2,
	REFUSED = 1 << 3,
	FAILED = 1 << 4
};

enum {
	MOST_OUTPUT = 8 << 20, /* a run that writes more is given up */
	GIVEN_UP = -1
};

struct run {
	int status;       /* 0 to 4, or GIVEN_UP */
	struct bytes out; /* until run_free */
	char message[512];
};

/*
 * Runs PROGRAM, named NAME in reports, on IN as its standard input, with the
 * arguments up to NULL. Aborts when its status is not in MAY, when it died of
 * a system that failed it, and when it left a file open.
 */
struct run run_program(const char *name, main_of *main, struct bytes in,
    int may, const char *const args[]);
#define RUN(name, in, may, ...)                       \
	run_program(#name, sf_##name##_main, in, may, \
	    (const char *const[]){ __VA_ARGS__ NULL })
void run_free(struct run *run);

/*
 * Calls BODY, which calls the library itself; false when it died. Aborts when
 * it did so with a status that is not in MAY.
 */
bool run_guarded(
    const char *name, int may, void (*body)(void *context), void *context);

/* The path of a file that holds IN until the next call. */
const char *file_of(struct bytes in);

/* Aborts, saying what does not hold. */
void must(bool holds, const char *what);
bool same(struct bytes a, struct bytes b);
bool holds(struct bytes text, const char *word);

#endif
