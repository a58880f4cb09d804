/*
 * One table of options gives parsing, the help text and the check against the
 * man page. Long options take their value as --name=VALUE or --name VALUE,
 * short ones as -n VALUE or -nVALUE; "--" ends the options. There are no
 * abbreviations.
 */
#ifndef SF_BASE_OPT_H
#define SF_BASE_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/quantity.h"

/* Values of an option that may be given several times, in order. */
struct sf_list {
	const char **v;
	size_t n;
};

struct sf_int_list {
	int64_t *v;
	size_t n;
};

enum sf_opt_type {
	SF_OPT_TYPE_END,
	SF_OPT_TYPE_FLAG,   /* bool */
	SF_OPT_TYPE_STR,    /* const char * */
	SF_OPT_TYPE_PATH,   /* const char *; recorded without its directory */
	SF_OPT_TYPE_LIST,   /* struct sf_list */
	SF_OPT_TYPE_PATHS,  /* the same; recorded without their directories */
	SF_OPT_TYPE_INT,    /* int64_t in [min, max] */
	SF_OPT_TYPE_INTS,   /* struct sf_int_list, each of them that */
	SF_OPT_TYPE_CHOICE, /* int: the index in a list of names */
	SF_OPT_TYPE_SET,    /* unsigned: a bit for each that is given */
	/*
	 * double in [low, high], in the base unit of UNIT. One that is NAN
	 * without the option has no default for --help to print.
	 */
	SF_OPT_TYPE_QUANTITY,
	SF_OPT_TYPE_SPAN, /* struct sf_span: two of these that rise */
};

struct sf_opt {
	enum sf_opt_type type;
	char letter;      /* 0 when the option has no short form */
	const char *name; /* without the dashes */
	void *value;      /* keeps what it holds when the option is absent */
	const char *metavar;
	const char *help;
	int64_t min, max;           /* of an INT or INTS */
	const char *const *choices; /* of a CHOICE or SET, NULL-terminated */
	enum sf_unit unit;          /* of a QUANTITY or SPAN */
	double low, high;           /* HIGH may be INFINITY */
};

#define SF_OPT_FLAG(l, n, v, h)                                   \
	{                                                         \
		.type = SF_OPT_TYPE_FLAG, .letter = l, .name = n, \
		.value = (bool *){ v }, .help = h                 \
	}
#define SF_OPT_STR(l, n, v, m, h)                                      \
	{                                                              \
		.type = SF_OPT_TYPE_STR, .letter = l, .name = n,       \
		.value = (const char **){ v }, .metavar = m, .help = h \
	}
#define SF_OPT_PATH(l, n, v, m, h)                                     \
	{                                                              \
		.type = SF_OPT_TYPE_PATH, .letter = l, .name = n,      \
		.value = (const char **){ v }, .metavar = m, .help = h \
	}
#define SF_OPT_LIST(l, n, v, m, h)                                        \
	{                                                                 \
		.type = SF_OPT_TYPE_LIST, .letter = l, .name = n,         \
		.value = (struct sf_list *){ v }, .metavar = m, .help = h \
	}
#define SF_OPT_PATHS(l, n, v, m, h)                                       \
	{                                                                 \
		.type = SF_OPT_TYPE_PATHS, .letter = l, .name = n,        \
		.value = (struct sf_list *){ v }, .metavar = m, .help = h \
	}
#define SF_OPT_INT(l, n, v, lo, hi, m, h)                                      \
	{                                                                      \
		.type = SF_OPT_TYPE_INT, .letter = l, .name = n,               \
		.value = (int64_t *){ v }, .min = lo, .max = hi, .metavar = m, \
		.help = h                                                      \
	}
#define SF_OPT_CHOICE(l, n, v, c, m, h)                                      \
	{                                                                    \
		.type = SF_OPT_TYPE_CHOICE, .letter = l, .name = n,          \
		.value = (int *){ v }, .choices = c, .metavar = m, .help = h \
	}
#define SF_OPT_INTS(l, n, v, lo, hi, m, h)                                  \
	{                                                                   \
		.type = SF_OPT_TYPE_INTS, .letter = l, .name = n,           \
		.value = (struct sf_int_list *){ v }, .min = lo, .max = hi, \
		.metavar = m, .help = h                                     \
	}
#define SF_OPT_SET(l, n, v, c, m, h)                                    \
	{                                                               \
		.type = SF_OPT_TYPE_SET, .letter = l, .name = n,        \
		.value = (unsigned *){ v }, .choices = c, .metavar = m, \
		.help = h                                               \
	}
#define SF_OPT_QUANTITY(l, n, v, u, lo, hi, m, h)                           \
	{                                                                   \
		.type = SF_OPT_TYPE_QUANTITY, .letter = l, .name = n,       \
		.value = (double *){ v }, .unit = u, .low = lo, .high = hi, \
		.metavar = m, .help = h                                     \
	}
#define SF_OPT_SPAN(l, n, v, u, lo, hi, m, h)                           \
	{                                                               \
		.type = SF_OPT_TYPE_SPAN, .letter = l, .name = n,       \
		.value = (struct sf_span *){ v }, .unit = u, .low = lo, \
		.high = hi, .metavar = m, .help = h                     \
	}
#define SF_OPT_END                      \
	{                               \
		.type = SF_OPT_TYPE_END \
	}

/* What a program says of itself. */
struct sf_tool {
	const char *name;
	const char *summary;       /* one sentence */
	const struct sf_opt *opts; /* ends with SF_OPT_END */
	const char *operands;      /* "FILE", "[FILE...]"; NULL: none */
	int min_operands;
	int max_operands;        /* -1: any number */
	bool operands_are_paths; /* recorded without their directories */
};

/* The command line, taken apart. */
struct sf_cmdline {
	const char **operands;
	int noperands;
	/*
	 * The arguments as they are recorded in the stream: in the order in
	 * which they were given, directories of paths left out, so that the
	 * same job gives the same bytes on every machine.
	 */
	const char **args;
	int nargs;
};

struct sf_arena;

/*
 * Parses ARGV, answers --help and --version and exits, or dies with
 * SF_EX_USAGE. It also names the program for messages.
 */
struct sf_cmdline sf_opt_parse(
    const struct sf_tool *tool, int argc, char *argv[], struct sf_arena *arena);

/* PATH without its directory. */
const char *sf_path_base(const char *path);

/* The version of simfront, "0.1.0". */
extern const char sf_version[];

#endif
