/* Command lines: parsing and help from one table. */
#include "base/opt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/die.h"
#include "base/limit.h"
#include "base/near.h"
#include "base/num.h"
#include "base/progress.h"
#include "base/sandbox.h"
#include "base/str.h"
#include "base/write.h"

#ifndef SF_VERSION
#error "SF_VERSION comes from the Makefile"
#endif

/* The commit that was built, "" where it is a release. */
#ifndef SF_DESCRIBE
#define SF_DESCRIBE ""
#endif

const char sf_version[] = SF_VERSION;

/* The options that every program has. */
static const struct sf_opt common[] = {
	{ .type = SF_OPT_TYPE_FLAG,
	    .letter = 'h',
	    .name = "help",
	    .help = "print this help and exit" },
	{ .type = SF_OPT_TYPE_FLAG,
	    .letter = 'V',
	    .name = "version",
	    .help = "print the version and exit" },
	SF_OPT_END,
};

enum {
	WIDE = 80,   /* columns of help */
	HELP_AT = 31 /* where what an option does begins */
};

struct parse {
	const struct sf_tool *tool;
	struct sf_arena *arena;
	int argc, at;
	char **argv;
	struct sf_cmdline line;
	bool *given; /* of the tool's options, by their place */
};

const char *
sf_path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* "event, fast, cycle". */
static void
put_choices(struct sf_buf *out, const struct sf_opt *opt)
{
	for (size_t i = 0; opt->choices[i] != NULL; i++)
		sf_buf_printf(out, "%s%s", i == 0 ? "" : ", ", opt->choices[i]);
}

static void
put_quantity(struct sf_buf *out, double x, enum sf_unit unit)
{
	sf_buf_double(out, x);
	if (unit != SF_UNIT_NONE)
		sf_buf_printf(out, " %s", sf_unit_name(unit));
}

/* What a row's type knows of the values it takes, and the usual one. */
static void
help_values(struct sf_buf *out, const struct sf_opt *opt)
{
	if (opt->choices != NULL) {
		SF_BUF_LIT(out, ": ");
		put_choices(out, opt);
	}
	if (opt->unit != SF_UNIT_NONE) {
		SF_BUF_LIT(out, ", in ");
		sf_unit_list(opt->unit, " ", out);
	}
	if (opt->type == SF_OPT_TYPE_CHOICE && *(int *)opt->value >= 0) {
		sf_buf_printf(
		    out, " (default %s)", opt->choices[*(int *)opt->value]);
	} else if (opt->type == SF_OPT_TYPE_QUANTITY &&
	    !isnan(*(double *)opt->value)) {
		SF_BUF_LIT(out, " (default ");
		put_quantity(out, *(double *)opt->value, opt->unit);
		sf_buf_putc(out, ')');
	}
}

/*
 * Appends TEXT, whose lines begin at column INDENT and fit WIDE; it goes on
 * behind what stands in the line from column AT.
 */
static void
put_filled(struct sf_buf *out, struct sf_str text, size_t at, size_t indent)
{
	const char *p = text.p, *end = p + text.n;

	while (p < end) {
		const char *word = p;

		while (p < end && *p != ' ')
			p++;
		if (word != text.p && at + 1 + (size_t)(p - word) > WIDE) {
			sf_buf_printf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (word != text.p) {
			sf_buf_putc(out, ' ');
			at++;
		}
		sf_buf_put(out, word, (size_t)(p - word));
		at += (size_t)(p - word);
		while (p < end && *p == ' ')
			p++;
	}
	sf_buf_putc(out, '\n');
}

static void
help_row(struct sf_buf *out, const struct sf_opt *opt)
{
	struct sf_buf text = { 0 };
	char left[64];

	snprintf(left, sizeof left, "%c%c%s--%s%s%s",
	    opt->letter != 0 ? '-' : ' ', opt->letter != 0 ? opt->letter : ' ',
	    opt->letter != 0 ? ", " : "  ", opt->name,
	    opt->metavar != NULL ? " " : "",
	    opt->metavar != NULL ? opt->metavar : "");
	sf_buf_printf(&text, "%s", opt->help);
	help_values(&text, opt);
	if (strlen(left) < HELP_AT - 2)
		sf_buf_printf(out, "  %-*s", HELP_AT - 2, left);
	else
		sf_buf_printf(out, "  %s\n%*s", left, HELP_AT, "");
	put_filled(out, (struct sf_str){ text.p, text.n }, HELP_AT, HELP_AT);
	sf_buf_release(&text);
}

static _Noreturn void
print_help(const struct sf_tool *tool)
{
	struct sf_buf out = { 0 };

	sf_buf_printf(&out, "usage: %s [option...]%s%s\n\n", tool->name,
	    tool->operands != NULL ? " " : "",
	    tool->operands != NULL ? tool->operands : "");
	put_filled(&out, sf_str_of(tool->summary), 0, 0);
	SF_BUF_LIT(&out, "\noptions:\n");
	for (const struct sf_opt *o = tool->opts; o->type != SF_OPT_TYPE_END;
	     o++)
		help_row(&out, o);
	for (const struct sf_opt *o = common; o->type != SF_OPT_TYPE_END; o++)
		help_row(&out, o);
	sf_write_all(1, out.p, out.n);
	sf_buf_release(&out);
	exit(SF_EX_OK);
}

static _Noreturn void
print_version(const struct sf_tool *tool)
{
	struct sf_buf out = { 0 };

	sf_buf_printf(&out, "%s (simfront) %s", tool->name, sf_version);
	if (sizeof SF_DESCRIBE > 1)
		sf_buf_printf(&out, " (%s)", SF_DESCRIBE);
	sf_buf_putc(&out, '\n');
	sf_write_all(1, out.p, out.n);
	sf_buf_release(&out);
	exit(SF_EX_OK);
}

/* What has one value, so that a second one would undo the first in silence. */
static bool
is_single(const struct sf_opt *opt)
{
	return opt->type != SF_OPT_TYPE_FLAG && opt->type != SF_OPT_TYPE_LIST &&
	    opt->type != SF_OPT_TYPE_PATHS && opt->type != SF_OPT_TYPE_INTS &&
	    opt->type != SF_OPT_TYPE_SET;
}

static const struct sf_opt *
find(const struct sf_opt *opts, const char *name, size_t len, char letter)
{
	for (; opts->type != SF_OPT_TYPE_END; opts++)
		if (letter != 0 ? opts->letter == letter
				: strlen(opts->name) == len &&
			    memcmp(opts->name, name, len) == 0)
			return opts;
	return NULL;
}

static void
record(struct parse *p, const char *arg)
{
	p->line.args[p->line.nargs++] = arg;
}

/* A path without its directory that still means a file where it did. */
static void
record_path(struct parse *p, const char *path, bool operand, bool config)
{
	const char *base = sf_path_base(path);
	size_t n = strlen(base);
	bool named = base == path;
	bool json = n >= 5 && strcmp(base + n - 5, ".json") == 0;

	if ((base[0] == '-' && (named ? operand && n > 1 : true)) ||
	    (config && !named && !json))
		base = sf_arena_printf(p->arena, "./%s", base);
	record(p, base);
}

static void
append(struct parse *p, struct sf_list *list, const char *text)
{
	const char **longer =
	    sf_arena_alloc(p->arena, (list->n + 1) * sizeof *longer);

	if (list->n != 0)
		memcpy(longer, list->v, list->n * sizeof *longer);
	longer[list->n++] = text;
	list->v = longer;
}

static int64_t
int_of(const struct sf_opt *opt, const char *text)
{
	int64_t x;

	if (!sf_int_parse(text, strlen(text), &x) || x < opt->min ||
	    x > opt->max)
		sf_die(SF_EX_USAGE,
		    "option '--%s': found '%s', expected an integer from %lld "
		    "to %lld",
		    opt->name, text, (long long)opt->min, (long long)opt->max);
	return x;
}

static void
append_int(struct parse *p, struct sf_int_list *list, int64_t x)
{
	int64_t *longer =
	    sf_arena_alloc(p->arena, (list->n + 1) * sizeof *longer);

	if (list->n != 0)
		memcpy(longer, list->v, list->n * sizeof *longer);
	longer[list->n++] = x;
	list->v = longer;
}

static int
choice_of(const struct sf_opt *opt, const char *text)
{
	struct sf_buf names = { 0 };
	struct sf_near near;

	sf_near_init(&near, sf_str_of(text));
	for (int i = 0; opt->choices[i] != NULL; i++) {
		if (strcmp(opt->choices[i], text) == 0)
			return i;
		sf_near_try(&near, sf_str_of(opt->choices[i]));
	}
	put_choices(&names, opt);
	sf_near_put(&near, "", &names);
	sf_die(SF_EX_USAGE, "option '--%s': found '%s', expected one of: %.*s",
	    opt->name, text, (int)names.n, names.p);
}

static _Noreturn void
die_of_range(const struct sf_opt *opt, const char *text)
{
	struct sf_buf range = { 0 };

	if (isinf(opt->high)) {
		SF_BUF_LIT(&range, ">= ");
		put_quantity(&range, opt->low, opt->unit);
	} else {
		SF_BUF_LIT(&range, "from ");
		sf_buf_double(&range, opt->low);
		SF_BUF_LIT(&range, " to ");
		put_quantity(&range, opt->high, opt->unit);
	}
	sf_die(SF_EX_USAGE, "option '--%s': found '%s', expected %s %.*s",
	    opt->name, text,
	    opt->type == SF_OPT_TYPE_SPAN ? "numbers" : "a number",
	    (int)range.n, range.p);
}

static double
quantity_of(const struct sf_opt *opt, const char *text)
{
	struct sf_error error;
	double x;

	if (!sf_quantity_parse(text, opt->unit, &x, &error))
		sf_die(SF_EX_USAGE, "option '--%s': %s", opt->name, error.text);
	if (!(x >= opt->low && x <= opt->high))
		die_of_range(opt, text);
	return x;
}

static struct sf_span
span_of(const struct sf_opt *opt, const char *text)
{
	struct sf_error error;
	struct sf_span span;

	if (!sf_span_parse(text, opt->unit, &span, &error))
		sf_die(SF_EX_USAGE, "option '--%s': %s", opt->name, error.text);
	if (!(span.from >= opt->low && span.to <= opt->high))
		die_of_range(opt, text);
	return span;
}

static void
set(struct parse *p, const struct sf_opt *opt, const char *text)
{
	switch (opt->type) {
	case SF_OPT_TYPE_FLAG:
		*(bool *)opt->value = true;
		break;
	case SF_OPT_TYPE_STR:
	case SF_OPT_TYPE_PATH:
	case SF_OPT_TYPE_CONFIG:
		*(const char **)opt->value = text;
		break;
	case SF_OPT_TYPE_LIST:
	case SF_OPT_TYPE_PATHS:
		append(p, opt->value, text);
		break;
	case SF_OPT_TYPE_INT:
		*(int64_t *)opt->value = int_of(opt, text);
		break;
	case SF_OPT_TYPE_INTS:
		append_int(p, opt->value, int_of(opt, text));
		break;
	case SF_OPT_TYPE_CHOICE:
		*(int *)opt->value = choice_of(opt, text);
		break;
	case SF_OPT_TYPE_SET:
		*(unsigned *)opt->value |= 1u << choice_of(opt, text);
		break;
	case SF_OPT_TYPE_QUANTITY:
		*(double *)opt->value = quantity_of(opt, text);
		break;
	case SF_OPT_TYPE_SPAN:
		*(struct sf_span *)opt->value = span_of(opt, text);
		break;
	case SF_OPT_TYPE_END:
		sf_bug("an option without a type");
	}
}

static bool
is_path(const struct sf_opt *opt)
{
	return opt->type == SF_OPT_TYPE_PATH ||
	    opt->type == SF_OPT_TYPE_PATHS || opt->type == SF_OPT_TYPE_CONFIG;
}

/*
 * Takes one option and, when it wants one, its value: INLINE_VALUE, or the
 * next argument.
 */
static void
take(struct parse *p, const struct sf_opt *opt, const char *inline_value)
{
	const char *text = inline_value;
	bool *given = &p->given[opt - p->tool->opts];

	if (*given && is_single(opt))
		sf_die(SF_EX_USAGE, "option '--%s' is given twice", opt->name);
	*given = true;
	if (!opt->unsaid)
		record(p, sf_arena_printf(p->arena, "--%s", opt->name));
	if (opt->type == SF_OPT_TYPE_FLAG) {
		if (text != NULL)
			sf_die(SF_EX_USAGE,
			    "option '--%s' takes no value, found '%s'",
			    opt->name, text);
		set(p, opt, NULL);
		return;
	}
	if (text == NULL && p->at < p->argc)
		text = p->argv[p->at++];
	if (text == NULL)
		sf_die(SF_EX_USAGE, "option '--%s' needs a value: %s",
		    opt->name, opt->metavar);
	if (is_path(opt) && !opt->unsaid)
		record_path(p, text, false, opt->type == SF_OPT_TYPE_CONFIG);
	else if (!opt->unsaid)
		record(p, text);
	set(p, opt, text);
}

static _Noreturn void
die_of_name(const struct sf_tool *tool, struct sf_str name)
{
	struct sf_buf meant = { 0 };
	struct sf_near near;

	sf_near_init(&near, name);
	for (const struct sf_opt *o = tool->opts; o->type != SF_OPT_TYPE_END;
	     o++)
		sf_near_try(&near, sf_str_of(o->name));
	sf_near_put(&near, "--", &meant);
	sf_die(SF_EX_USAGE,
	    "unknown option '--%.*s'; '%s --help' lists the options%.*s",
	    SF_STR_ARG(name), tool->name, (int)meant.n, meant.p);
}

static const struct sf_opt *
lookup(struct parse *p, const char *name, size_t len, char letter)
{
	const struct sf_opt *opt = find(common, name, len, letter);

	if (opt != NULL) {
		if (opt->letter == 'h')
			print_help(p->tool);
		print_version(p->tool);
	}
	opt = find(p->tool->opts, name, len, letter);
	if (opt == NULL && letter != 0)
		sf_die(SF_EX_USAGE,
		    "unknown option '-%c'; '%s --help' lists the options",
		    letter, p->tool->name);
	if (opt == NULL)
		die_of_name(p->tool, (struct sf_str){ name, len });
	return opt;
}

static void
take_long(struct parse *p, const char *arg)
{
	const char *equals = strchr(arg, '=');
	size_t len = equals != NULL ? (size_t)(equals - arg) : strlen(arg);

	if (equals != NULL && find(common, arg, len, 0) != NULL)
		sf_die(SF_EX_USAGE,
		    "option '--%.*s' takes no value, found '%s'", (int)len, arg,
		    equals + 1);
	take(p, lookup(p, arg, len, 0), equals != NULL ? equals + 1 : NULL);
}

/* "-sv" is -s -v; the rest behind an option with a value is its value. */
static void
take_short(struct parse *p, const char *letters)
{
	while (*letters != '\0') {
		const struct sf_opt *opt = lookup(p, NULL, 0, *letters++);
		bool flag = opt->type == SF_OPT_TYPE_FLAG;

		take(p, opt, flag || *letters == '\0' ? NULL : letters);
		if (!flag)
			return;
	}
}

static void
take_operand(struct parse *p, const char *arg)
{
	const struct sf_tool *tool = p->tool;

	if (tool->max_operands >= 0 && p->line.noperands == tool->max_operands)
		sf_die(SF_EX_USAGE, "unexpected operand '%s'; usage: %s%s%s",
		    arg, tool->name, tool->operands != NULL ? " " : "",
		    tool->operands != NULL ? tool->operands : "");
	p->line.operands[p->line.noperands++] = arg;
	if (tool->operands_are_paths || tool->operands_are_configs)
		record_path(p, arg, true, tool->operands_are_configs);
	else if (!tool->operands_are_streams)
		record(p, arg);
}

struct sf_cmdline
sf_opt_parse(
    const struct sf_tool *tool, int argc, char *argv[], struct sf_arena *arena)
{
	struct parse p = { .tool = tool,
		.arena = arena,
		.argc = argc,
		.argv = argv,
		.at = 1 };
	bool options = true;
	size_t options_in_table = 1;
	size_t most = (size_t)(argc > 0 ? argc : 1);

	sf_set_program(tool->name);
	sf_limit_memory();
	for (const struct sf_opt *o = tool->opts; o->type != SF_OPT_TYPE_END;
	     o++)
		options_in_table++;
	p.given = sf_arena_calloc(arena, options_in_table, sizeof *p.given);
	p.line.operands = sf_arena_calloc(arena, most, sizeof(char *));
	/* "-abc" makes three of one. */
	for (int i = 1; i < argc; i++)
		most += strlen(argv[i]) + 1;
	p.line.args = sf_arena_calloc(arena, most, sizeof(char *));
	while (p.at < argc) {
		const char *arg = argv[p.at++];

		if (options && strcmp(arg, "--") == 0)
			options = false;
		else if (options && strncmp(arg, "--", 2) == 0)
			take_long(&p, arg + 2);
		else if (options && arg[0] == '-' && arg[1] != '\0')
			take_short(&p, arg + 1);
		else
			take_operand(&p, arg);
	}
	if (p.line.noperands < tool->min_operands)
		sf_die(SF_EX_USAGE, "missing operand; usage: %s [option...] %s",
		    tool->name, tool->operands);
	sf_sandbox_enter(tool, &p.line, arena);
	sf_progress_start();
	return p.line;
}
