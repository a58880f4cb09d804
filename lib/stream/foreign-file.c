/* The beginning of a file that was no good. */
#include "stream/foreign-file.h"

#include <string.h>
#include <sys/stat.h>

#include "base/foreign.h"
#include "stream/input.h"

const char *
sf_foreign_file(const char *path, const char *reader, struct sf_arena *arena)
{
	struct sf_input *input;
	struct sf_str head;
	const char *meant;
	struct stat st;

	if (strcmp(path, "-") == 0 || stat(path, &st) != 0 ||
	    !S_ISREG(st.st_mode) || st.st_size == 0)
		return "";
	input = sf_input_open(path);
	sf_input_more(input);
	head.p = sf_input_text(input, &head.n);
	meant = sf_foreign_meant(head, reader, arena);
	sf_input_close(input);
	return meant;
}
