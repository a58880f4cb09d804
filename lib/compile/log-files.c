/* The logs in a directory. */
#include "compile/log-files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/die.h"
#include "base/opt.h"

/* "dedicated_log_torch_trace_rank_3_abcdefgh.log" is of rank 3. */
static long
rank_of(const char *path)
{
	const char *rank = strstr(sf_path_base(path), "rank_");

	return rank != NULL ? strtol(rank + 5, NULL, 10) : -1;
}

static int
by_rank_and_name(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;
	long i = rank_of(x), k = rank_of(y);

	return i != k ? (i > k) - (i < k) : strcmp(x, y);
}

static bool
ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && strcmp(name + n - m, end) == 0;
}

/* TRACED: by the name that TORCH_TRACE gives. */
static bool
is_log(const char *name, bool traced)
{
	if (traced)
		return strncmp(name, "dedicated_log_torch_trace", 25) == 0;
	return ends_with(name, ".log") || ends_with(name, ".log.gz") ||
	    ends_with(name, ".txt") || ends_with(name, ".txt.gz");
}

static void
list(struct sf_log_files *files, const char *path, bool traced,
    struct sf_arena *arena)
{
	DIR *directory = opendir(path);
	const struct dirent *d;
	const char **wider;
	struct stat st;
	int room = 0;

	if (directory == NULL)
		sf_die(SF_EX_IO, "%s: cannot open: %s", path, strerror(errno));
	while ((d = readdir(directory)) != NULL) {
		const char *file =
		    sf_arena_printf(arena, "%s/%s", path, d->d_name);

		if (!is_log(d->d_name, traced) || stat(file, &st) != 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		if (files->n == room) {
			room = room != 0 ? room * 2 : 16;
			wider =
			    sf_arena_calloc(arena, (size_t)room, sizeof *wider);
			if (files->n != 0)
				memcpy(wider, files->paths,
				    (size_t)files->n * sizeof *wider);
			files->paths = wider;
		}
		files->paths[files->n++] = file;
	}
	closedir(directory);
	if (files->n != 0)
		qsort(files->paths, (size_t)files->n, sizeof *files->paths,
		    by_rank_and_name);
}

struct sf_log_files
sf_log_files_find(const char *path, struct sf_arena *arena)
{
	struct sf_log_files files = { .n = 0 };
	struct stat st;

	if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
		files.paths = sf_arena_calloc(arena, 1, sizeof *files.paths);
		files.paths[files.n++] = path;
		return files;
	}
	list(&files, path, true, arena);
	if (files.n == 0)
		list(&files, path, false, arena);
	if (files.n == 0)
		sf_die(SF_EX_INPUT,
		    "%s: found no log, expected dedicated_log_torch_trace*.log "
		    "or other files that end in .log or .txt",
		    path);
	return files;
}
