/* Opening a file of SCALE-Sim's. */
#include "scalesim/scalesim-file.h"

#include "stream/foreign-file.h"

void
sf_scalesim_open(struct sf_map *map, const char *path)
{
	struct sf_error error;
	bool io;

	if (!sf_map_open(map, path, &error, &io))
		sf_die(io ? SF_EX_IO : SF_EX_INPUT, "%s: %s", path, error.text);
}

void
sf_scalesim_die(const char *path, int64_t line, const struct sf_error *error)
{
	const char *meant =
	    sf_foreign_file(path, "sf-scalesim", sf_arena_new());

	if (line == 0)
		sf_die(SF_EX_INPUT, "%s: %s%s", path, error->text, meant);
	sf_die(SF_EX_INPUT, "%s:%lld: %s%s", path, (long long)line, error->text,
	    meant);
}
