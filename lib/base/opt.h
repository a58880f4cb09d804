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

#include "base/decl.h"
#include "base/quantity.h"

SF_PUBLIC_BEGIN

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
	SF_OPT_TYPE_CONFIG, /* the same, or a configuration's name */
	SF_OPT_TYPE_LIST,   /* struct sf_list */
	SF_OPT_TYPE_PATHS,  /* the same; recorded without their directories */
	SF_OPT_TYPE_INT,    /* int64_t in [min, max] */
	SF_OPT_TYPE_INTS,   /* struct sf_int_list, each of them that */
	SF_OPT_TYPE_CHOICE, /* int: the index in a list of names; -1: none */
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
	/* Not recorded: what is written does not depend on it. */
	bool unsaid;
	bool writes; /* a PATH that is written, and not read */
};

/* V, which must point to a TYPE: anything else does not compile. */
#ifdef __cplusplus
#define SF_OPT_TO(type, v) static_cast<type *>(v)
#else
#define SF_OPT_TO(type, v) \
	(type *)           \
	{                  \
		v          \
	}
#endif
#define SF_OPT_ROW_OF(kind, l, n, v, m, h, lo, hi, c, u, low, high)         \
	{                                                                   \
		SF_OPT_TYPE_##kind, l, n, v, m, h, lo, hi, c, u, low, high, \
		    false, false                                            \
	}
#define SF_OPT_ROW(kind, l, n, v, m, h, lo, hi, c) \
	SF_OPT_ROW_OF(kind, l, n, v, m, h, lo, hi, c, SF_UNIT_NONE, 0, 0)

#define SF_OPT_FLAG(l, n, v, h) \
	SF_OPT_ROW(FLAG, l, n, SF_OPT_TO(bool, v), NULL, h, 0, 0, NULL)
#define SF_OPT_STR(l, n, v, m, h) \
	SF_OPT_ROW(STR, l, n, SF_OPT_TO(const char *, v), m, h, 0, 0, NULL)
#define SF_OPT_PATH(l, n, v, m, h) \
	SF_OPT_ROW(PATH, l, n, SF_OPT_TO(const char *, v), m, h, 0, 0, NULL)
#define SF_OPT_CONFIG(l, n, v, m, h) \
	SF_OPT_ROW(CONFIG, l, n, SF_OPT_TO(const char *, v), m, h, 0, 0, NULL)
#define SF_OPT_LIST(l, n, v, m, h) \
	SF_OPT_ROW(LIST, l, n, SF_OPT_TO(struct sf_list, v), m, h, 0, 0, NULL)
#define SF_OPT_PATHS(l, n, v, m, h) \
	SF_OPT_ROW(PATHS, l, n, SF_OPT_TO(struct sf_list, v), m, h, 0, 0, NULL)
#define SF_OPT_INT(l, n, v, lo, hi, m, h) \
	SF_OPT_ROW(INT, l, n, SF_OPT_TO(int64_t, v), m, h, lo, hi, NULL)
#define SF_OPT_CHOICE(l, n, v, c, m, h) \
	SF_OPT_ROW(CHOICE, l, n, SF_OPT_TO(int, v), m, h, 0, 0, c)
#define SF_OPT_INTS(l, n, v, lo, hi, m, h) \
	SF_OPT_ROW(                        \
	    INTS, l, n, SF_OPT_TO(struct sf_int_list, v), m, h, lo, hi, NULL)
#define SF_OPT_SET(l, n, v, c, m, h) \
	SF_OPT_ROW(SET, l, n, SF_OPT_TO(unsigned, v), m, h, 0, 0, c)
#define SF_OPT_QUANTITY(l, n, v, u, lo, hi, m, h) \
	SF_OPT_ROW_OF(                            \
	    QUANTITY, l, n, SF_OPT_TO(double, v), m, h, 0, 0, NULL, u, lo, hi)
#define SF_OPT_SPAN(l, n, v, u, lo, hi, m, h)                               \
	SF_OPT_ROW_OF(SPAN, l, n, SF_OPT_TO(struct sf_span, v), m, h, 0, 0, \
	    NULL, u, lo, hi)
/* Of where the output goes and how far it is, and of no more. */
#define SF_OPT_UNSAID(kind, l, n, v, m, h)                                   \
	{                                                                    \
		SF_OPT_TYPE_##kind, l, n, v, m, h, 0, 0, NULL, SF_UNIT_NONE, \
		    0, 0, true, false                                        \
	}
/* A file that is written, of which only the end is recorded, or nothing. */
#define SF_OPT_OUTPUT(l, n, v, m, h, unsaid)                                 \
	{                                                                    \
		SF_OPT_TYPE_PATH, l, n, SF_OPT_TO(const char *, v), m, h, 0, \
		    0, NULL, SF_UNIT_NONE, 0, 0, unsaid, true                \
	}
#define SF_OPT_END SF_OPT_ROW(END, 0, NULL, NULL, NULL, NULL, 0, 0, NULL)

/*
 * What a program needs besides the files of its options and operands, without
 * which it is held off it where it is sandboxed.
 */
enum sf_needs {
	SF_NEEDS_TEMPORARY = 1, /* files in TMPDIR */
	SF_NEEDS_READING = 2,   /* files that are named in other ways */
	SF_NEEDS_DRAWING = 4    /* until it reads: fonts, and a process */
};

struct sf_records;

/* What a program says of itself. */
struct sf_tool {
	const char *name;
	const char *summary;       /* one sentence */
	const struct sf_opt *opts; /* ends with SF_OPT_END */
	const char *operands;      /* "FILE", "[FILE...]"; NULL: none */
	int min_operands;
	int max_operands;          /* -1: any number */
	bool operands_are_paths;   /* recorded without their directories */
	bool operands_are_configs; /* the same, or configurations' names */
	bool operands_are_streams; /* not recorded */
	bool sandboxed; /* from then on; without it nothing is held off it */
	unsigned needs; /* of enum sf_needs */
	/* Of a filter or sink: what reads the records that it does not, see
	   records/records.h. */
	const struct sf_records *records;
};

/* The command line, taken apart. */
struct sf_cmdline {
	const char **operands;
	int noperands;
	/*
	 * The arguments as they are recorded in the stream: in the order in
	 * which they were given, directories of paths left out, so that the
	 * same job gives the same bytes on every machine. "./" stands before
	 * what would else be taken for an option or a configuration's name.
	 * Files that the stream is read from are not recorded: a pipe does.
	 */
	const char **args;
	int nargs;
};

struct sf_arena;

/*
 * Parses ARGV, answers --help and --version and exits, or dies with
 * SF_EX_USAGE. It also names the program for messages, holds it to what memory
 * its user allows, and, on Linux, off all that it does not need; and it starts the
 * clock of base/progress.h.
 */
struct sf_cmdline sf_opt_parse(
    const struct sf_tool *tool, int argc, char *argv[], struct sf_arena *arena);

/* PATH without its directory. */
const char *sf_path_base(const char *path);

/* The version of simfront, "0.1.0". */
extern const char sf_version[];

SF_PUBLIC_END

#endif
