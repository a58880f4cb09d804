/* Which configurations there are. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/near.h"
#include "config/config.h"

static int
is_json(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return n > 5 && entry->d_name[0] != '.' &&
	    strcmp(entry->d_name + n - 5, ".json") == 0;
}

/* In byte order, which no locale changes. */
static int
by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* The names, an array of *N in the arena. */
static const char **
names_of(const char *kind, struct sf_arena *arena, size_t *n)
{
	struct dirent **entries;
	const char **names;
	int found =
	    scandir(sf_config_dir(kind, arena), &entries, is_json, by_name);

	*n = found > 0 ? (size_t)found : 0;
	names = sf_arena_calloc(arena, *n + 1, sizeof *names);
	for (size_t i = 0; i < *n; i++) {
		names[i] = sf_arena_strndup(
		    arena, entries[i]->d_name, strlen(entries[i]->d_name) - 5);
		free(entries[i]);
	}
	if (found >= 0)
		free(entries);
	return names;
}

const char *
sf_config_names(const char *kind, struct sf_arena *arena)
{
	size_t n;
	const char **names = names_of(kind, arena, &n);
	struct sf_buf list = { 0 };
	const char *out;

	for (size_t i = 0; i < n; i++)
		sf_buf_printf(&list, "%s%s", i == 0 ? "" : ", ", names[i]);
	out = n > 0 ? sf_arena_strndup(arena, list.p, list.n) : "none";
	sf_buf_release(&list);
	return out;
}

const char *
sf_config_meant(const char *kind, const char *name, struct sf_arena *arena)
{
	size_t n;
	const char **names = names_of(kind, arena, &n);
	struct sf_near near;

	sf_near_init(&near, sf_str_of(name));
	for (size_t i = 0; i < n; i++)
		sf_near_try(&near, sf_str_of(names[i]));
	return near.best.n == 0
	    ? ""
	    : sf_arena_printf(
		  arena, "; did you mean '%.*s'?", SF_STR_ARG(near.best));
}

/* On one line, whatever stands in it; "" when nothing does. */
static void
put_about(struct sf_buf *out, const struct sf_config *config)
{
	const struct sf_config_value *about = NULL;

	for (; config != NULL && about == NULL; config = config->base)
		about = sf_config_find(config, "about");
	if (about == NULL || about->type != SF_CONFIG_STR)
		return;
	for (const char *p = about->text; *p != '\0'; p++)
		sf_buf_putc(out, (unsigned char)*p < 0x20 ? ' ' : *p);
}

void
sf_config_list(const char *kind, const char *what, struct sf_arena *arena,
    struct sf_buf *out)
{
	size_t n;
	const char **names = names_of(kind, arena, &n);

	for (size_t i = 0; i < n; i++) {
		sf_buf_printf(out, "%s\t", names[i]);
		put_about(out, sf_config_load_based(kind, names[i], arena));
		if (what != NULL)
			sf_buf_printf(out, "\t%s", what);
		else if (out->p[out->n - 1] == '\t')
			out->n--;
		sf_buf_putc(out, '\n');
	}
}
