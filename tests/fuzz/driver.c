/* The replay: runs a target on files, and on the files of directories. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "harness.h"

static long replayed;

static void
replay_file(const char *path, bool found)
{
	FILE *file = fopen(path, "rbe");
	struct stat st;
	uint8_t *data;

	/* A fuzzer takes files out of its corpus. */
	if (file == NULL && found && errno == ENOENT)
		return;
	if (file == NULL || fstat(fileno(file), &st) != 0) {
		perror(path);
		exit(4);
	}
	/* Exactly as large as the input, so that a sanitizer sees its end. */
	data = malloc((size_t)st.st_size + (st.st_size == 0));
	if (data == NULL ||
	    fread(data, 1, (size_t)st.st_size, file) != (size_t)st.st_size) {
		perror(path);
		exit(4);
	}
	fclose(file);
	/* The last line, when the target does not come back. */
	printf("%s\n", path);
	fflush(stdout);
	LLVMFuzzerTestOneInput(data, (size_t)st.st_size);
	free(data);
	replayed++;
}

/* FOUND is in a directory, and not the user's word. */
static void
replay(const char *path, bool found)
{
	struct dirent **names;
	int n = scandir(path, &names, NULL, alphasort);

	if (n < 0) {
		replay_file(path, found);
		return;
	}
	for (int i = 0; i < n; i++) {
		char inner[4096];

		snprintf(inner, sizeof inner, "%s/%s", path, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			replay(inner, true);
		free(names[i]);
	}
	free(names);
}

int
main(int argc, char *argv[])
{
	for (int i = 1; i < argc; i++)
		replay(argv[i], false);
	printf("%ld replayed\n", replayed);
	return 0;
}
