/*
 * A command line, a word of one of the programs and its options, and behind its
 * LF the input: standard input, and the file that a word @ stands for.
 */
#include <stdlib.h>
#include <string.h>

#include "stages.h"

enum {
	MOST_LINE = 256,
	MOST_WORDS = 20,
	MOST_DIGITS = 4 /* of a number: time grows with sizes and counts */
};

static const struct program {
	const char *name;
	main_of *main;
	bool source; /* what it writes is counted */
} programs[] = {
	{ "calibrate", sf_calibrate_main, false },
	{ "check", sf_check_main, false },
	{ "chrome", sf_chrome_main, false },
	{ "compare", sf_compare_main, false },
	{ "compile", sf_compile_main, true },
	{ "cost", sf_cost_main, false },
	{ "diff", sf_diff_main, false },
	{ "dispatch", sf_dispatch_main, true },
	{ "ep", sf_ep_main, false },
	{ "export", sf_export_main, true },
	{ "fifo", sf_fifo_main, false },
	{ "front", sf_front_main, false },
	{ "lower", sf_lower_main, false },
	{ "model", sf_model_main, true },
	{ "ntt", sf_ntt_main, true },
	{ "onnx", sf_onnx_main, true },
	{ "ort", sf_ort_main, false },
	{ "plot", sf_plot_main, false },
	{ "report", sf_report_main, false },
	{ "rules", sf_rules_main, false },
	{ "scalesim", sf_scalesim_main, true },
	{ "sim", sf_sim_main, false },
	{ "sweep", sf_sweep_main, false },
	{ "timeloop", sf_timeloop_main, true },
};

struct line {
	char text[MOST_LINE];
	const char *words[MOST_WORDS + 1];
	int n;
	const struct program *program;
};

/* Whether a word is an option that a file is written for. */
static bool
writes(const char *word)
{
	static const char *const names[] = { "--output", "--plot", "--resume" };
	size_t n = strcspn(word, "=");

	if (word[0] != '-')
		return false;
	if (word[1] != '-')
		return strchr(word, 'o') != NULL || strchr(word, 'r') != NULL;
	for (int i = 0; i < 3; i++)
		if (n > 2 && strncmp(names[i], word, n) == 0)
			return true;
	return false;
}

/* But for what paper.c takes, a picture or a device, nothing is written. */
static bool
is_meant(const struct line *line, int i)
{
	const char *file = i + 1 < line->n ? line->words[i + 1] : "";

	if (strcmp(line->words[i], "-r") == 0 &&
	    strcmp(line->program->name, "sweep") != 0)
		return true;
	return (strcmp(line->words[i], "-o") == 0 ||
		   strcmp(line->words[i], "--plot") == 0) &&
	    (strcmp(file, "%d.svg") == 0 || strcmp(file, "d.json") == 0) &&
	    strcmp(line->program->name, "sweep") != 0;
}

/* A file of the system may never end. */
static bool
is_safe(const struct line *line)
{
	int digits = 0;

	for (int i = 0; i < line->n; i++) {
		const char *word = line->words[i];

		if (writes(word) && !is_meant(line, i))
			return false;
		if (strstr(word, "/dev") != NULL ||
		    strstr(word, "/proc") != NULL ||
		    strstr(word, "/sys") != NULL || strstr(word, "..") != NULL)
			return false;
		for (digits = 0; *word != '\0'; word++) {
			digits = *word >= '0' && *word <= '9' ? digits + 1 : 0;
			if (digits > MOST_DIGITS)
				return false;
		}
	}
	return true;
}

/* The words of the first line of IN, which is cut off it. */
static bool
split(struct line *line, struct bytes *in)
{
	const char *lf = in->n == 0 ? NULL : memchr(in->p, '\n', in->n);
	size_t n = lf == NULL ? in->n : (size_t)(lf - in->p);
	char *rest = line->text, *word;

	if (n < 4 || n >= sizeof line->text || memcmp(in->p, "sf-", 3) != 0 ||
	    memchr(in->p, '\0', n) != NULL)
		return false;
	memcpy(line->text, in->p, n);
	line->text[n] = '\0';
	in->p += lf == NULL ? n : n + 1;
	in->n -= lf == NULL ? n : n + 1;
	while ((word = strsep(&rest, " ")) != NULL && line->n < MOST_WORDS)
		line->words[line->n++] = word;
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		if (strcmp(line->words[0] + 3, programs[i].name) == 0)
			line->program = &programs[i];
	return line->program != NULL && is_safe(line);
}

static struct run
run_line(const struct line *line, struct bytes in)
{
	const char *args[MOST_WORDS + 1] = { NULL };
	const char *file = file_of(in);
	struct run run;

	for (int i = 1; i < line->n; i++)
		args[i - 1] =
		    strcmp(line->words[i], "@") == 0 ? file : line->words[i];
	run = run_program(line->program->name, line->program->main, in,
	    DONE | NO | USAGE | REFUSED | FAILED, args);
	must(run.status != 4 || strstr(run.message, "out of memory") == NULL,
	    "nothing fails but a file that cannot be read");
	return run;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char trace[] = "{\"kind\":\"trace\"";
	struct bytes in = { (const char *)data, size };
	struct line line = { .n = 0 };
	struct run run, again;

	if (!split(&line, &in) || is_tall(in))
		return 0;
	run = run_line(&line, in);
	if (size % 8 == 0) {
		again = run_line(&line, in);
		must(run.status == again.status && same(run.out, again.out),
		    "two runs give the same bytes");
		run_free(&again);
	}
	if (line.program->source && run.status == 0 &&
	    holds((struct bytes){ run.out.p,
		      run.out.n < sizeof trace ? run.out.n : sizeof trace },
		trace)) {
		again = stage_count(run.out);
		run_free(&again);
	}
	run_free(&run);
	return 0;
}
