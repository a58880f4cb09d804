/* Finds, reads and names configurations. */
#include "config/config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/crc32.h"
#include "base/die.h"
#include "base/opt.h"

/* A configuration is written by hand; what is larger is something else. */
enum {
	LARGEST_FILE = 1 << 20
};

/* The whole file; dies when it cannot be read. */
static struct sf_buf
read_file(const char *path)
{
	struct sf_buf buf = { 0 };
	FILE *file = fopen(path, "rbe");
	size_t got = 0;

	if (file == NULL)
		sf_die(SF_EX_IO, "%s: cannot open: %s", path, strerror(errno));
	do {
		buf.n += got;
		sf_buf_need(&buf, 4096);
		got = fread(buf.p + buf.n, 1, 4096, file);
	} while (got != 0 && buf.n <= LARGEST_FILE);
	if (ferror(file))
		sf_die(SF_EX_IO, "%s: read failed: %s", path, strerror(errno));
	fclose(file);
	if (buf.n > LARGEST_FILE)
		sf_die(SF_EX_INPUT,
		    "%s: larger than %d bytes, expected a configuration", path,
		    LARGEST_FILE);
	return buf;
}

static const char *
find(const char *kind, const char *name, struct sf_arena *arena)
{
	size_t n = strlen(name);
	const char *path;
	FILE *file;

	if (strchr(name, '/') != NULL ||
	    (n > 5 && strcmp(name + n - 5, ".json") == 0))
		return name;
	path = sf_arena_printf(
	    arena, "%s/%s.json", sf_config_dir(kind, arena), name);
	file = fopen(path, "rbe");
	if (file == NULL && errno != ENOENT)
		sf_die(SF_EX_IO, "%s: cannot open: %s", path, strerror(errno));
	if (file == NULL)
		sf_die(SF_EX_USAGE,
		    "no configuration '%s' in %s, which has: %s", name,
		    sf_config_dir(kind, arena), sf_config_names(kind, arena));
	fclose(file);
	return path;
}

struct sf_config *
sf_config_load(const char *kind, const char *name, struct sf_arena *arena)
{
	struct sf_config *config = sf_arena_calloc(arena, 1, sizeof *config);
	struct sf_error error;
	struct sf_buf text;
	size_t n;

	config->path = find(kind, name, arena);
	n = strlen(sf_path_base(config->path));
	if (n > 5 && strcmp(sf_path_base(config->path) + n - 5, ".json") == 0)
		n -= 5;
	config->name = sf_arena_strndup(arena, sf_path_base(config->path), n);
	text = read_file(config->path);
	config->crc32 = sf_crc32(0, text.p, text.n);
	if (!sf_config_parse(config, text.p, text.n, arena, &error))
		sf_die(SF_EX_INPUT, "%s", error.text);
	sf_buf_release(&text);
	return config;
}

void
sf_config_die(const struct sf_config *config,
    const struct sf_config_value *value, const char *format, ...)
{
	struct sf_error error;
	va_list ap;

	va_start(ap, format);
	vsnprintf(error.text, sizeof error.text, format, ap);
	va_end(ap);
	sf_die(SF_EX_INPUT, "%s:%d: %s", config->path, value->line, error.text);
}
