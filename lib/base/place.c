/* Where configurations are found. */
#include "base/place.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
sf_config_is_file(const char *name)
{
	size_t n = strlen(name);

	return strchr(name, '/') != NULL ||
	    (n > 5 && strcmp(name + n - 5, ".json") == 0);
}

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
