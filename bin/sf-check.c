/* sf-check - hold the engines of sf-sim against each other. */
#include "simfront.h"

#include <string.h>

#include "accel/check.h"

/* The first one that runs is the reference. */
static const struct sf_engine_type *const engines[] = { &sf_engine_event,
	&sf_engine_fast, &sf_engine_cycle };

enum {
	ENGINES = sizeof engines / sizeof engines[0]
};

static bool
is_named(const struct sf_engine_type *engine, const struct sf_list *names)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(engine->name, names->v[i]) == 0)
			return true;
	return false;
}

/* Those of NAMES, in the order above; all when nothing is named. */
static int
choose(const struct sf_list *names, const struct sf_engine_type *chosen[])
{
	static const struct sf_engine_type *const *const end =
	    engines + ENGINES;
	int n = 0;

	for (size_t i = 0; i < names->n; i++) {
		const struct sf_engine_type *const *e = engines;

		while (e < end && strcmp((*e)->name, names->v[i]) != 0)
			e++;
		if (e == end)
			sf_die(SF_EX_USAGE,
			    "option '--engine': found '%s', expected one of: "
			    "event, fast, cycle",
			    names->v[i]);
	}
	for (int i = 0; i < ENGINES; i++)
		if (names->n == 0 || is_named(engines[i], names))
			chosen[n++] = engines[i];
	if (n == 1)
		sf_die(SF_EX_USAGE,
		    "option '--engine': found %s alone, expected two or more "
		    "to hold against each other",
		    chosen[0]->name);
	return n;
}

int
main(int argc, char *argv[])
{
	struct sf_list names = { 0 };
	const struct sf_opt opts[] = {
		SF_OPT_LIST('e', "engine", &names, "NAME",
		    "run event, fast or cycle (default all that apply)"),
		SF_OPT_END,
	};
	struct sf_stream *stream = sf_sink_open(
	    &(struct sf_tool){ .name = "sf-check",
		.summary = "Check that the engines of sf-sim agree.",
		.opts = opts },
	    argc, argv);
	const struct sf_engine_type *chosen[ENGINES];
	int n = choose(&names, chosen);
	struct sf_program program;
	enum sf_kind kind;

	sf_program_init(&program);
	while ((kind = sf_stream_next(stream)) != SF_K_EOF)
		sf_check_record(
		    &program, stream, kind, chosen, n, names.n != 0);
	sf_program_release(&program);
	return sf_stream_close(stream);
}
