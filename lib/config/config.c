/* Finds, reads and names configurations. */
#include "config/config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/crc32.h"
#include "base/die.h"
#include "base/foreign.h"
#include "base/opt.h"

/* A configuration is written by hand; what is larger is something else. */
enum {
	LARGEST_FILE = 1 << 20
};

/* The whole file, which is open, as far as one may be large; closes it. */
static struct sf_buf
read_open(FILE *file, const char *path)
{
	struct sf_buf buf = { 0 };
	size_t got = 0;

	do {
		buf.n += got;
		sf_buf_need(&buf, 4096);
		got = fread(buf.p + buf.n, 1, 4096, file);
	} while (got != 0 && buf.n <= LARGEST_FILE);
	if (ferror(file))
		sf_die(SF_EX_IO, "%s: read failed: %s", path, strerror(errno));
	fclose(file);
	return buf;
}

/* The same; dies when it cannot be opened. */
static struct sf_buf
read_file(const char *path)
{
	FILE *file = fopen(path, "rbe");

	if (file == NULL)
		sf_die(SF_EX_IO, "%s: cannot open: %s", path, strerror(errno));
	return read_open(file, path);
}

/* The file of the configuration NAME of KIND; NULL when there is none. */
static const char *
find(const char *kind, const char *name, struct sf_arena *arena)
{
	const char *path = sf_arena_printf(
	    arena, "%s/%s.json", sf_config_dir(kind, arena), name);
	FILE *file = fopen(path, "rbe");

	if (file == NULL && errno != ENOENT)
		sf_die(SF_EX_IO, "%s: cannot open: %s", path, strerror(errno));
	if (file == NULL)
		return NULL;
	fclose(file);
	return path;
}

/* A file that is known and is of another kind. */
static void
refuse_other(const char *kind, const char *path, struct sf_str text,
    struct sf_arena *arena)
{
	static const struct {
		const char *kind, *takes, *expected;
	} rows[] = {
		{ "models", "which sf-model reads", "a model's configuration" },
		{ "accel", "sf-lower --preset", "an accelerator" },
		{ "devices", "sf-cost --device", "a device" },
		{ "links", "sf-cost --link", "a link" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const char *meant;

		if (strcmp(rows[i].kind, kind) != 0)
			continue;
		meant = sf_foreign_meant(text, rows[i].takes, arena);
		if (meant[0] != '\0')
			sf_die(SF_EX_INPUT, "%s: expected %s%s", path,
			    rows[i].expected, meant);
	}
}

/* What no configuration is called may be a file that is none. */
static void
refuse_file(const char *kind, const char *name, struct sf_arena *arena)
{
	struct sf_buf text;
	struct stat st;
	FILE *file;

	if (stat(name, &st) != 0 || !S_ISREG(st.st_mode) ||
	    (file = fopen(name, "rbe")) == NULL)
		return;
	text = read_open(file, name);
	refuse_other(kind, name, (struct sf_str){ text.p, text.n }, arena);
	sf_buf_release(&text);
}

static struct sf_config *
load(const char *kind, const char *path, struct sf_arena *arena)
{
	struct sf_config *config = sf_arena_calloc(arena, 1, sizeof *config);
	const char *base = sf_path_base(path);
	size_t n = strlen(base);
	struct sf_error error;
	struct sf_buf text;

	config->path = path;
	/* Those of models are written by Python. */
	config->python = strcmp(kind, "models") == 0;
	if (n > 5 && strcmp(base + n - 5, ".json") == 0)
		n -= 5;
	config->name = sf_arena_strndup(arena, base, n);
	text = read_file(path);
	refuse_other(kind, path, (struct sf_str){ text.p, text.n }, arena);
	if (text.n > LARGEST_FILE)
		sf_die(SF_EX_INPUT,
		    "%s: larger than %d bytes, expected a configuration", path,
		    LARGEST_FILE);
	config->crc32 = sf_crc32(0, text.p, text.n);
	if (!sf_config_parse(config, text.p, text.n, arena, &error))
		sf_die(SF_EX_INPUT, "%s", error.text);
	sf_buf_release(&text);
	return config;
}

struct sf_config *
sf_config_load(const char *kind, const char *name, struct sf_arena *arena)
{
	const char *path =
	    sf_config_is_file(name) ? name : find(kind, name, arena);

	if (path == NULL)
		refuse_file(kind, name, arena);
	if (path == NULL)
		sf_die(SF_EX_USAGE,
		    "no configuration '%s' in %s, which has: %s%s", name,
		    sf_config_dir(kind, arena), sf_config_names(kind, arena),
		    sf_config_meant(kind, name, arena));
	return load(kind, path, arena);
}

const struct sf_config_value *
sf_config_find(const struct sf_config *config, const char *key)
{
	for (size_t i = 0; i < config->root.nitems; i++)
		if (strcmp(config->root.items[i].key, key) == 0)
			return &config->root.items[i];
	return NULL;
}

/* ---- what it is based on ---- */

/* The file that the member BASE of CONFIG means. */
static const char *
base_path(const char *kind, const struct sf_config *config,
    const struct sf_config_value *base, struct sf_arena *arena)
{
	const char *path;

	if (base->type != SF_CONFIG_STR || base->text[0] == '\0')
		sf_config_die(config, base,
		    "'base' is no text, expected a name or a file");
	if (!sf_config_is_file(base->text)) {
		path = find(kind, base->text, arena);
		if (path == NULL)
			sf_config_die(config, base,
			    "'base': no configuration '%s' in %s, which has: "
			    "%s%s",
			    base->text, sf_config_dir(kind, arena),
			    sf_config_names(kind, arena),
			    sf_config_meant(kind, base->text, arena));
		return path;
	}
	path = base->text;
	if (path[0] != '/' && sf_path_base(config->path) != config->path)
		path = sf_arena_printf(arena, "%.*s%s",
		    (int)(sf_path_base(config->path) - config->path),
		    config->path, path);
	if (access(path, R_OK) != 0)
		sf_config_die(config, base, "'base': cannot open %s: %s", path,
		    strerror(errno));
	return path;
}

static bool
is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
	    x.st_ino == y.st_ino;
}

/* A chain of configurations while it is made. */
struct chain {
	const char *kind;
	struct sf_arena *arena;
	struct sf_config *first, *last;
	int n; /* behind the first */
};

/* A configuration, and what asked for it. */
struct asked {
	const struct sf_config *config;
	const struct asked *by;
};

static void add_bases(
    struct chain *chain, struct sf_config *config, const struct asked *by);

static void
add_base(
    struct chain *chain, const struct sf_config_value *base, struct asked *by)
{
	const char *path =
	    base_path(chain->kind, by->config, base, chain->arena);
	struct sf_config *next;

	for (const struct asked *a = by; a != NULL; a = a->by)
		if (is_same_file(a->config->path, path))
			sf_config_die(by->config, base,
			    "'base': '%s' leads back to %s", base->text,
			    a->config->path);
	if (chain->n == SF_CONFIG_DEEPEST)
		sf_config_die(by->config, base,
		    "'base': '%s' is number %d behind %s, expected at most %d",
		    base->text, chain->n + 1, chain->first->path,
		    SF_CONFIG_DEEPEST);
	next = load(chain->kind, path, chain->arena);
	chain->last->base = next;
	chain->last = next;
	chain->n++;
	add_bases(chain, next, by);
}

/* Of several the last counts most, so it comes first. */
static void
add_bases(struct chain *chain, struct sf_config *config, const struct asked *by)
{
	const struct sf_config_value *base = sf_config_find(config, "base");
	struct asked here = { config, by };

	if (base == NULL)
		return;
	if (base->type != SF_CONFIG_LIST) {
		add_base(chain, base, &here);
		return;
	}
	for (size_t i = base->nitems; i > 0; i--)
		add_base(chain, &base->items[i - 1], &here);
}

struct sf_config *
sf_config_load_based(const char *kind, const char *name, struct sf_arena *arena)
{
	struct chain chain = { .kind = kind,
		.arena = arena,
		.first = sf_config_load(kind, name, arena) };

	chain.last = chain.first;
	add_bases(&chain, chain.first, NULL);
	return chain.first;
}

void
sf_config_die(const struct sf_config *config,
    const struct sf_config_value *value, const char *format, ...)
{
	char *text;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		sf_out_of_memory();
	va_end(ap);
	if (value == NULL)
		value = &config->root;
	sf_die(SF_EX_INPUT, "%s:%d: %s", config->path, value->line, text);
}
