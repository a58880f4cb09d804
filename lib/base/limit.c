/* SIMFRONT_MEMORY, by the system's own limit. */
#include "base/limit.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "base/die.h"
#include "base/quantity.h"

/* What is needed to say what is wrong. */
#define LEAST_BYTES 1048576.0

void
sf_limit_memory(void)
{
	const char *text = getenv("SIMFRONT_MEMORY");
	struct sf_error error;
	struct rlimit limit;
	double bytes;

	if (text == NULL || text[0] == '\0')
		return;
	if (!sf_quantity_parse(text, SF_UNIT_BYTES, &bytes, &error))
		sf_die(SF_EX_USAGE, "SIMFRONT_MEMORY: %s", error.text);
	if (!(bytes >= LEAST_BYTES && bytes < 0x1p62))
		sf_die(SF_EX_USAGE,
		    "SIMFRONT_MEMORY: found '%s', expected a size from 1 MiB "
		    "to 4 EiB",
		    text);
	if (getrlimit(RLIMIT_DATA, &limit) != 0)
		sf_die(SF_EX_IO, "SIMFRONT_MEMORY: no limit can be set");
	if (limit.rlim_max == RLIM_INFINITY || (rlim_t)bytes < limit.rlim_max)
		limit.rlim_max = (rlim_t)bytes;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_DATA, &limit) != 0)
		sf_die(SF_EX_IO, "SIMFRONT_MEMORY: no limit can be set");
}
