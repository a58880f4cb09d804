/* The option parser: what it takes, what it records, what it refuses. */
#include "base/opt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/die.h"
#include "check.h"

static const char *const formats[] = { "md", "json", "csv", NULL };

static struct {
	bool strict;
	const char *preset, *rules;
	struct sf_list sets;
	int64_t top;
	int format;
	unsigned engines;
	struct sf_int_list depths;
	double time_s, mean;
	struct sf_span window;
} got;

struct call {
	bool one_name; /* the program wants exactly one operand, a name */
	const char *argv[24];
	struct sf_arena *arena;
	struct sf_cmdline line;
};

static void
parse(void *arg)
{
	const struct sf_opt opts[] = {
		SF_OPT_FLAG('s', "strict", &got.strict, "be strict"),
		SF_OPT_STR('p', "preset", &got.preset, "P", "the preset"),
		SF_OPT_PATH('r', "rules", &got.rules, "FILE", "more rules"),
		SF_OPT_LIST(0, "set", &got.sets, "KEY=VALUE", "set one"),
		SF_OPT_INT('n', "top", &got.top, 0, 100, "N", "how many"),
		SF_OPT_CHOICE(0, "format", &got.format, formats, "F", "form"),
		SF_OPT_SET('e', "engine", &got.engines, formats, "F", "these"),
		SF_OPT_INTS('d', "depth", &got.depths, 1, 9, "N", "depth"),
		SF_OPT_QUANTITY('t', "time", &got.time_s, SF_UNIT_S, 0, 1e6,
		    "TIME", "the time"),
		SF_OPT_QUANTITY('m', "mean", &got.mean, SF_UNIT_NONE, 0.5, 2,
		    "X", "the mean"),
		SF_OPT_SPAN('w', "window", &got.window, SF_UNIT_S, 0, INFINITY,
		    "FROM,TO", "the window"),
		SF_OPT_END,
	};
	struct call *call = arg;
	const struct sf_tool any = { .name = "sf-test",
		.summary = "Test.",
		.opts = opts,
		.operands = "[FILE...]",
		.max_operands = -1,
		.operands_are_paths = true };
	const struct sf_tool one = { .name = "sf-test",
		.summary = "Test.",
		.opts = opts,
		.operands = "NAME",
		.min_operands = 1,
		.max_operands = 1 };
	int argc = 0;

	memset(&got, 0, sizeof got);
	while (call->argv[argc] != NULL)
		argc++;
	call->line = sf_opt_parse(call->one_name ? &one : &any, argc,
	    (char **)call->argv, call->arena);
}

/* The recorded arguments, each with a blank behind it. */
static const char *
recorded(const struct call *call)
{
	const char *text = "";

	for (int i = 0; i < call->line.nargs; i++)
		text = sf_arena_printf(
		    call->arena, "%s%s ", text, call->line.args[i]);
	return text;
}

/* clang-format off */
#define ANY(...)                                                              \
	{ .arena = arena, .argv = { "sf-test", __VA_ARGS__ } }
#define ONE(...)                                                              \
	{ .one_name = true, .arena = arena, .argv = { "sf-test", __VA_ARGS__ } }
/* clang-format on */

static void
takes(struct sf_arena *arena)
{
	struct call call =
	    ANY("-sp", "edge", "--set", "a=1", "--set=b=2", "--top=7",
		"--format", "csv", "-r", "dir/x.rules", "some/in", "-", NULL);

	parse(&call);
	CHECK(got.strict && strcmp(got.preset, "edge") == 0);
	CHECK(got.sets.n == 2 && strcmp(got.sets.v[0], "a=1") == 0);
	CHECK(strcmp(got.sets.v[1], "b=2") == 0);
	CHECK(got.top == 7 && got.format == 2);
	CHECK(strcmp(got.rules, "dir/x.rules") == 0);
	CHECK(call.line.noperands == 2);
	CHECK(strcmp(call.line.operands[0], "some/in") == 0);
	CHECK(strcmp(call.line.operands[1], "-") == 0);
	CHECK(strcmp(recorded(&call),
		  "--strict --preset edge --set a=1 --set b=2 --top 7 "
		  "--format csv --rules x.rules in - ") == 0);
}

static void
takes_quantities(struct sf_arena *arena)
{
	struct call call =
	    ANY("--time=2ms", "-m", "1.5", "-w", "10us,2", "-e", "csv",
		"--engine", "md", "-e", "csv", "-d", "3", "-d9", "-d1", NULL);
	struct call ends = ANY("-t", "1000000s", "-m.5", NULL);

	parse(&call);
	CHECK(got.time_s == 0.002 && got.mean == 1.5);
	CHECK(got.window.from == 1e-5 && got.window.to == 2);
	CHECK(got.engines == 5);
	CHECK(got.depths.n == 3 && got.depths.v[0] == 3);
	CHECK(got.depths.v[1] == 9 && got.depths.v[2] == 1);
	/* Recorded as they were written. */
	CHECK(strcmp(recorded(&call),
		  "--time 2ms --mean 1.5 --window 10us,2 --engine csv "
		  "--engine md --engine csv --depth 3 --depth 9 "
		  "--depth 1 ") == 0);
	parse(&ends);
	CHECK(got.time_s == 1e6 && got.mean == 0.5);
}

static void
takes_more(struct sf_arena *arena)
{
	struct call joined = ANY("-n5", "-pedge", NULL);
	struct call ended = ANY("--", "--strict", "-x", NULL);
	struct call empty = ANY("--preset=", NULL);
	struct call name = ONE("dir/name", NULL);

	parse(&joined);
	CHECK(got.top == 5 && strcmp(got.preset, "edge") == 0);
	parse(&ended);
	CHECK(!got.strict && ended.line.noperands == 2);
	parse(&empty);
	CHECK(strcmp(got.preset, "") == 0);
	/* What is no path is recorded whole. */
	parse(&name);
	CHECK(strcmp(recorded(&name), "dir/name ") == 0);
}

static void
refuses(struct sf_arena *arena)
{
	struct call calls[] = {
		ANY("--nosuch", NULL),
		ANY("-x", NULL),
		ANY("--stric", NULL),
		ANY("--strict=yes", NULL),
		ANY("--help=yes", NULL),
		ANY("--preset", NULL),
		ANY("-p", NULL),
		ANY("--top=101", NULL),
		ANY("--top=-1", NULL),
		ANY("--top=", NULL),
		ANY("--top=1x", NULL),
		ANY("--top=99999999999999999999", NULL),
		ANY("--format=xml", NULL),
		ANY("--format=", NULL),
		ANY("--engine=xml", NULL),
		ANY("--engine=md,csv", NULL),
		ANY("--depth=0", NULL),
		ANY("--depth=10", NULL),
		ANY("--depth=1,2", NULL),
		ANY("--time=-1us", NULL),
		ANY("--time=1000001", NULL),
		ANY("--time=1GHz", NULL),
		ANY("--time=1 s", NULL),
		ANY("--time=", NULL),
		ANY("--time=nan", NULL),
		ANY("--mean=1s", NULL),
		ANY("--mean=0.49", NULL),
		ANY("--mean=inf", NULL),
		ANY("--window=1us", NULL),
		ANY("--window=2us,1us", NULL),
		ANY("--window=1us,1us", NULL),
		ANY("--window=-1us,1us", NULL),
		ANY("--window=1us,2us,3us", NULL),
		ANY("--window=,1us", NULL),
		ONE(NULL),
		ONE("a", "b", NULL),
		ONE("--", NULL),
	};

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		const char *first = calls[i].argv[1];

		CHECK_FOR(first != NULL ? first : "no operand",
		    check_exit_of(parse, &calls[i]) == SF_EX_USAGE);
	}
}

static void
answers(struct sf_arena *arena)
{
	struct call calls[] = {
		ONE("--help", NULL),
		ONE("-h", NULL),
		ONE("--version", NULL),
		ONE("-sh", NULL),
	};

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		CHECK_FOR(calls[i].argv[1],
		    check_exit_of(parse, &calls[i]) == SF_EX_OK);
}

static void
path_bases(void)
{
	CHECK(strcmp(sf_path_base("a/b/c.onnx"), "c.onnx") == 0);
	CHECK(strcmp(sf_path_base("/c"), "c") == 0);
	CHECK(strcmp(sf_path_base("c"), "c") == 0);
}

int
main(void)
{
	struct sf_arena *arena = sf_arena_new();

	/* Command lines are read in this process, which goes on after them. */
	setenv("SIMFRONT_SANDBOX", "off", 1);
	takes(arena);
	takes_quantities(arena);
	takes_more(arena);
	refuses(arena);
	answers(arena);
	path_bases();
	sf_arena_free(arena);
	return 0;
}
