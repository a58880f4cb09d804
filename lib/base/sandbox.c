/* What a program can no longer do once its command line is read. */
#include "base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __linux__
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif
#include <sys/prctl.h>
#endif

#include "base/calls.h"
#include "base/die.h"
#include "base/link.h"
#include "base/place.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static bool
is_wanted(void)
{
	const char *text = getenv("SIMFRONT_SANDBOX");

	if (text == NULL || text[0] == '\0' || strcmp(text, "on") == 0)
		return !SANITIZED;
	if (strcmp(text, "off") != 0)
		sf_die(SF_EX_USAGE,
		    "SIMFRONT_SANDBOX: found '%s', expected on or off", text);
	return false;
}

#ifdef LANDLOCK_ACCESS_FS_EXECUTE

/* What the first version of Landlock knows, which all later ones do. */
#define READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITE                                                          \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG | \
	    LANDLOCK_ACCESS_FS_REMOVE_FILE)
#define NEVER                                                             \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_REMOVE_DIR |     \
	    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_CHAR |  \
	    LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | \
	    LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)
/* Of these, what a rule on a file that is no directory may say. */
#define OF_FILE (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE)

/* The files of a command line. */
struct files {
	const struct sf_tool *tool;
	const struct sf_cmdline *line;
	struct sf_arena *arena;
	uint64_t handled; /* what is held at all */
	int rules;
};

static bool
has_configs(const struct sf_tool *tool)
{
	const struct sf_opt *o = tool->opts;

	while (o->type != SF_OPT_TYPE_END && o->type != SF_OPT_TYPE_CONFIG)
		o++;
	return o->type == SF_OPT_TYPE_CONFIG || tool->operands_are_configs;
}

/* The value of an option that is a text; NULL without one. */
static const char *
text_of(const struct sf_opt *opt)
{
	return *(const char *const *)opt->value;
}

/*
 * A configuration that is no installed one may be based on any file, and says
 * so itself; fonts lie where the system has them.
 */
static bool
reads_anything(const struct files *f)
{
	const char *configs = getenv("SIMFRONT_CONFIGS");

	if ((f->tool->needs & (SF_NEEDS_READING | SF_NEEDS_DRAWING)) != 0)
		return true;
	if (!has_configs(f->tool))
		return false;
	if (configs != NULL && configs[0] != '\0')
		return true;
	for (const struct sf_opt *o = f->tool->opts; o->type != SF_OPT_TYPE_END;
	     o++)
		if (o->type == SF_OPT_TYPE_CONFIG && text_of(o) != NULL &&
		    sf_config_is_file(text_of(o)))
			return true;
	return f->tool->operands_are_configs && f->line->noperands != 0 &&
	    sf_config_is_file(f->line->operands[0]);
}

/*
 * What is not there cannot be let pass, and whoever opens it says so. What is
 * there must be, or a file could be made that can then not be written.
 */
static void
let(const struct files *f, const char *path, uint64_t access)
{
	struct landlock_path_beneath_attr rule = { .allowed_access =
						       access & f->handled,
		.parent_fd = open(path, O_PATH | O_CLOEXEC) };

	if (rule.parent_fd < 0 &&
	    (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
		sf_die(SF_EX_IO, "%s: cannot open: %s", path, strerror(errno));
	if (rule.parent_fd < 0)
		return;
	if (syscall(__NR_landlock_add_rule, f->rules,
		LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0 &&
	    errno == EINVAL) {
		rule.allowed_access &= OF_FILE;
		syscall(__NR_landlock_add_rule, f->rules,
		    LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	}
	close(rule.parent_fd);
}

/* The directory of an output whose name may hold a number, "%d". */
static const char *
directory_of(const char *path, struct sf_arena *arena)
{
	size_t n = strcspn(path, "%");

	while (n != 0 && path[n - 1] != '/')
		n--;
	return n == 0 ? "." : sf_arena_strndup(arena, path, n);
}

static void
let_write(const struct files *f, const char *path)
{
	char *end = sf_link_end(path);

	let(f, directory_of(end, f->arena),
	    LANDLOCK_ACCESS_FS_READ_FILE | WRITE);
	free(end);
	/* It may be a device. */
	let(f, path, OF_FILE);
}

/* What is called as no configuration is may be a file that is none. */
static void
let_named(const struct files *f, const char *name)
{
	struct stat st;

	if (stat(name, &st) == 0 && S_ISREG(st.st_mode))
		let(f, name, READ);
}

static void
let_options(const struct files *f, bool anything)
{
	for (const struct sf_opt *o = f->tool->opts; o->type != SF_OPT_TYPE_END;
	     o++) {
		if (o->type == SF_OPT_TYPE_PATHS && !anything) {
			const struct sf_list *list = o->value;

			for (size_t i = 0; i < list->n; i++)
				let(f, list->v[i], READ);
		} else if (o->type == SF_OPT_TYPE_PATH && text_of(o) != NULL) {
			if (o->writes)
				let_write(f, text_of(o));
			else if (!anything)
				let(f, text_of(o), READ);
		} else if (o->type == SF_OPT_TYPE_CONFIG &&
		    text_of(o) != NULL && !anything) {
			let_named(f, text_of(o));
		}
	}
}

static void
let_all(const struct files *f, bool anything)
{
	const char *temporary = getenv("TMPDIR");

	let_options(f, anything);
	if ((f->tool->needs & SF_NEEDS_TEMPORARY) != 0)
		let(f,
		    temporary != NULL && temporary[0] != '\0' ? temporary
							      : "/tmp",
		    LANDLOCK_ACCESS_FS_READ_FILE | WRITE);
	if (anything)
		return;
	if (has_configs(f->tool))
		let(f, sf_config_dir("", f->arena), READ);
	for (int i = 0; i < f->line->noperands; i++) {
		if (f->tool->operands_are_configs)
			let_named(f, f->line->operands[i]);
		else
			let(f, f->line->operands[i], READ);
	}
}

/* Holds HANDLED but for what the command line names, or ANYTHING is read. */
static void
hold(struct files *f, uint64_t handled, bool anything)
{
	struct landlock_ruleset_attr attr = { .handled_access_fs = handled };

	f->handled = handled;
	f->rules = (int)syscall(__NR_landlock_create_ruleset, &attr,
	    sizeof attr.handled_access_fs, 0);
	if (f->rules < 0)
		return;
	let_all(f, anything);
	syscall(__NR_landlock_restrict_self, f->rules, 0);
	close(f->rules);
}

static void
hold_files(const struct sf_tool *tool, const struct sf_cmdline *line,
    struct sf_arena *arena)
{
	struct files f = { .tool = tool, .line = line, .arena = arena };
	bool anything = reads_anything(&f);

	hold(&f, NEVER | WRITE | (anything ? 0 : READ), anything);
}

static void
settle_files(const struct sf_tool *tool, const struct sf_cmdline *line,
    struct sf_arena *arena)
{
	struct files f = { .tool = tool, .line = line, .arena = arena };

	if (reads_anything(&f))
		hold(&f, READ, false);
}

#else

static void
hold_files(const struct sf_tool *tool, const struct sf_cmdline *line,
    struct sf_arena *arena)
{
	(void)tool;
	(void)line;
	(void)arena;
}

static void
settle_files(const struct sf_tool *tool, const struct sf_cmdline *line,
    struct sf_arena *arena)
{
	hold_files(tool, line, arena);
}

#endif

void
sf_sandbox_enter(const struct sf_tool *tool, const struct sf_cmdline *line,
    struct sf_arena *arena)
{
	if (!tool->sandboxed || !is_wanted())
		return;
#ifdef __linux__
	/* Both ask for it: nobody gains rights by a program that is held. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return;
#endif
	hold_files(tool, line, arena);
	sf_calls_refuse((tool->needs & SF_NEEDS_DRAWING) != 0);
}

void
sf_sandbox_settle(const struct sf_tool *tool, const struct sf_cmdline *line,
    struct sf_arena *arena)
{
	if (!tool->sandboxed || !is_wanted())
		return;
	settle_files(tool, line, arena);
	if ((tool->needs & SF_NEEDS_DRAWING) != 0)
		sf_calls_refuse(false);
}
