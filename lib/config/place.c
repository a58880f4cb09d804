/* Where configurations are found and which there are. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "config/config.h"

/* The directory of the program, "." when the system does not tell. */
static const char *
program_dir(struct sf_arena *arena)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	char *slash;

	if (n <= 0)
		return ".";
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (slash == NULL)
		return ".";
	return sf_arena_strndup(arena, path, (size_t)(slash - path));
}

const char *
sf_config_dir(const char *kind, struct sf_arena *arena)
{
	const char *set = getenv("SIMFRONT_CONFIGS");
	const char *here, *installed;
	struct stat st;

	if (set != NULL && set[0] != '\0')
		return sf_arena_printf(arena, "%s/%s", set, kind);
	here = program_dir(arena);
	installed = sf_arena_printf(
	    arena, "%s/../share/simfront/configs/%s", here, kind);
	if (stat(installed, &st) == 0)
		return installed;
	return sf_arena_printf(arena, "%s/../../configs/%s", here, kind);
}

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

const char *
sf_config_names(const char *kind, struct sf_arena *arena)
{
	struct dirent **entries;
	struct sf_buf names = { 0 };
	const char *out;
	int n = scandir(sf_config_dir(kind, arena), &entries, is_json, by_name);

	for (int i = 0; i < n; i++) {
		sf_buf_printf(&names, "%s%.*s", i == 0 ? "" : ", ",
		    (int)strlen(entries[i]->d_name) - 5, entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	out = n > 0 ? sf_arena_strndup(arena, names.p, names.n) : "none";
	sf_buf_release(&names);
	return out;
}
