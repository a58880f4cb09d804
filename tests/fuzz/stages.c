/* Stages and what must hold between them. */
#include "stages.h"

#include <stdlib.h>
#include <string.h>

enum {
	MOST_CYCLES = 100000, /* that the cycle engine is asked for */
	MOST_TILES = 20000    /* that are simulated */
};

/* One of N for each input, whatever its length. */
static unsigned
pick(struct bytes in, unsigned n)
{
	unsigned sum = 0;

	for (size_t i = 0; i < in.n; i++)
		sum = sum * 31 + (unsigned char)in.p[i];
	return (sum >> 8) % n;
}

bool
is_plain(struct bytes in)
{
	/* An escape may spell any of them another way. */
	static const char *const later[] = { "\\u", "\"category\"", "\"flops\"",
		"\"bytes_read\"", "\"bytes_written\"", "\"weight_bytes\"",
		"\"cost\"", "\"lower\"", "\"sim\"", "\"device\"", "\"accel\"",
		"\"tile\"", "\"summary\"", "\"ep\"", "\"partition\"",
		"\x1f\x8b" };

	for (size_t i = 0; i < sizeof later / sizeof later[0]; i++)
		if (holds(in, later[i]))
			return false;
	return true;
}

bool
is_tall(struct bytes in)
{
	static const char *const keys[] = { "num_hidden_layers", "n_layer" };

	for (int i = 0; i < 2; i++) {
		const char *at = in.n == 0
		    ? NULL
		    : memmem(in.p, in.n, keys[i], strlen(keys[i]));
		size_t left = at == NULL ? 0 : (size_t)(in.p + in.n - at);

		for (size_t n = 0, j = 0; j < left && at[j] != '\n'; j++) {
			n = at[j] >= '0' && at[j] <= '9' ? n + 1 : 0;
			if (n > 2)
				return true;
		}
	}
	return false;
}

void
stage_sinks(struct bytes in, int may)
{
	static const char *const formats[] = { "md", "json", "csv" };
	const char *format = formats[pick(in, 3)];
	struct run run = RUN(report, in, may, "--format", format, );
	struct run again;

	if (pick(in, 4) == 0) {
		again = RUN(report, in, may, "--format", format, );
		must(run.status == again.status && same(run.out, again.out),
		    "two reports are one");
		run_free(&again);
	}
	run_free(&run);
}

struct run
stage_count(struct bytes trace)
{
	struct run run = RUN(rules, trace, DONE | REFUSED, NULL, ), copy;

	if (pick(trace, 4) == 0) {
		copy = stage_copy(trace, DONE);
		must(copy.status != 0 || same_ops(trace, copy.out),
		    "what is written and read is written the same");
		run_free(&copy);
	}
	must(run.status == 0 || run.status == GIVEN_UP ||
		holds((struct bytes){ run.message, strlen(run.message) },
		    " 2^63 - 1"),
	    "what one filter writes the next one takes");
	return run;
}

/* The first number behind KEY, 0 for none. */
static double
number_behind(struct bytes text, const char *key)
{
	const char *at =
	    text.n == 0 ? NULL : memmem(text.p, text.n, key, strlen(key));

	return at == NULL ? 0 : strtod(at + strlen(key), NULL);
}

/* Of all operators; more often than not twice, as GEMMs have theirs. */
static double
tiles_of(struct bytes lowered)
{
	static const char key[] = "\"tiles\":";
	double sum = 0;

	while (holds(lowered, key)) {
		const char *at =
		    memmem(lowered.p, lowered.n, key, sizeof key - 1);

		sum += strtod(at + sizeof key - 1, NULL);
		lowered.n -= (size_t)(at + 1 - lowered.p);
		lowered.p = at + 1;
	}
	return sum;
}

/* Two runs with --tiles: from the first op, all but what the summary costs. */
static bool
same_times(struct bytes a, struct bytes b)
{
	while (a.n != 0 && b.n != 0) {
		const char *la = memchr(a.p, '\n', a.n);
		const char *lb = memchr(b.p, '\n', b.n);
		struct bytes line_a = { a.p, (size_t)(la - a.p) };
		struct bytes line_b = { b.p, (size_t)(lb - b.p) };

		if (!same(line_a, line_b) &&
		    !holds(line_a, "{\"kind\":\"tool\"") &&
		    !holds(line_a, "{\"kind\":\"summary\""))
			return false;
		a = (struct bytes){ la + 1, a.n - line_a.n - 1 };
		b = (struct bytes){ lb + 1, b.n - line_b.n - 1 };
	}
	return a.n == b.n;
}

static void
check_engines(struct bytes lowered, const struct run *fast, bool plain)
{
	struct run event =
	    RUN(sim, lowered, DONE | REFUSED, "--engine", "event", "--tiles", );
	struct run run;
	double cycles = number_behind(lowered, "\"clock_hz\":") *
	    number_behind(fast->out, "\"makespan_s\":");

	if (fast->status == 0 && event.status == 0)
		must(same_times(fast->out, event.out),
		    "fast and event give the same times");
	if (plain)
		must(fast->status == 3 || event.status != 3,
		    "event takes what fast takes");
	run_free(&event);
	if (fast->status != 0 ||
	    (holds(lowered, "\"quantise\":true") && cycles > MOST_CYCLES))
		return;
	run = RUN(check, lowered, plain ? DONE : DONE | REFUSED, NULL, );
	run_free(&run);
}

void
stage_sim(struct bytes lowered, bool plain)
{
	struct run fast, run;

	/* Time grows with tiles, and so does the memory of --tiles. */
	if (!(tiles_of(lowered) <= MOST_TILES))
		return;
	fast = RUN(sim, lowered, DONE | REFUSED, "--tiles", );
	if (pick(lowered, 2) == 0) {
		check_engines(lowered, &fast, plain);
	} else if (fast.status == 0 && pick(fast.out, 2) == 0) {
		stage_sinks(fast.out, DONE);
	} else if (fast.status == 0) {
		run = RUN(
		    chrome, fast.out, plain ? DONE : DONE | REFUSED, NULL, );
		run_free(&run);
	}
	run_free(&fast);
}

void
stage_engines(struct bytes lowered)
{
	struct run fast;

	if (!(tiles_of(lowered) <= MOST_TILES))
		return;
	fast = RUN(sim, lowered, DONE | REFUSED, "--tiles", );
	check_engines(lowered, &fast, true);
	run_free(&fast);
}

void
stage_lower(struct bytes counted, int kind, bool plain)
{
	static const char *const sets[] = { "dram_bw=1GB/s", "dram_channels=1",
		"buffer_bytes=4KiB", "array_rows=1", "transit_ops_per_byte=2",
		"vector_lanes=1", "dram_latency=0", "tile_fraction=1" };
	const char *set = sets[kind & 7];
	const char *preset = (kind & 8) != 0 ? "edge-npu" : "dc-npu";
	struct run lowered;

	if ((kind & 16) != 0)
		lowered = RUN(lower, counted, DONE | REFUSED, "--preset",
		    preset, "--set", set, "--quantise", );
	else
		lowered = RUN(lower, counted, DONE | REFUSED, "--preset",
		    preset, "--set", set, );
	if (lowered.status == 0)
		stage_sim(lowered.out, plain);
	run_free(&lowered);
}

void
stage_layers(struct bytes trace, int kind)
{
	struct run counted = stage_count(trace);

	if (counted.status == 0)
		stage_lower(counted.out, kind, true);
	run_free(&counted);
}

static void
stage_cost(struct bytes counted)
{
	struct run run;

	if (pick(counted, 2) == 0)
		run = RUN(cost, counted, DONE | REFUSED, "--device", "h100",
		    "--memory", "fused", "--op-overhead", "1us", );
	else
		run = RUN(cost, counted, DONE | REFUSED, "--offload", "optical",
		    "--link", "pcie5", "--supports", "matmul", );
	if (run.status == 0)
		stage_sinks(run.out, DONE);
	run_free(&run);
}

/* Counting again is refused, and what two runs count is the same. */
static void
count_again(struct bytes in, const struct run *counted)
{
	struct run run = RUN(rules, in, DONE | REFUSED, "--why", );

	must(counted->status == run.status && same(counted->out, run.out),
	    "two counts are one");
	run_free(&run);
	if (counted->status != 0)
		return;
	run = RUN(rules, counted->out, DONE | REFUSED, NULL, );
	must(run.status == 3 || !holds(counted->out, "\n{\"kind\":\"op\""),
	    "a counted trace is not counted again");
	run_free(&run);
}

/*
 * What was counted is read by others, too; what is written of it is written the
 * same once more, and comes to the same counts.
 */
static void
write_again(struct bytes in, const struct run *counted, bool plain)
{
	struct run copy = stage_copy(in, plain ? DONE : DONE | REFUSED), run;

	if (copy.status == 0) {
		run = stage_copy(copy.out, DONE);
		must(run.status != 0 || same_ops(copy.out, run.out),
		    "what is written and read is written the same");
		run_free(&run);
		run = RUN(
		    rules, copy.out, plain ? DONE : DONE | REFUSED, "--why", );
		must(!plain || run.status != 0 ||
			same_counts(counted->out, run.out),
		    "what is written again counts the same");
		run_free(&run);
	}
	run_free(&copy);
}

static void
stage_ep(struct bytes counted)
{
	struct run run =
	    RUN(ep, counted, DONE | REFUSED, "--claim", "Conv,Gemm,MatMul", );

	if (run.status == 0)
		stage_sinks(run.out, DONE);
	run_free(&run);
}

/* Each input takes one way: ten programs a run would be few runs. */
void
stage_rules(struct bytes in)
{
	bool plain = is_plain(in);
	struct run counted = RUN(rules, in, DONE | REFUSED, "--why", );

	if (pick(in, 8) == 0)
		count_again(in, &counted);
	if (counted.status == 0)
		switch (pick(counted.out, 5)) {
		case 0:
			stage_sinks(counted.out, DONE);
			break;
		case 1:
			stage_cost(counted.out);
			break;
		case 2:
			stage_lower(counted.out, (int)pick(in, 32), plain);
			break;
		case 3:
			write_again(in, &counted, plain);
			break;
		default:
			stage_ep(counted.out);
		}
	run_free(&counted);
}
