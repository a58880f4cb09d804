/* Reading a window of time. */
#include "plot/range.h"

#include <string.h>

#include "base/quantity.h"

bool
sf_range_parse(const char *text, struct sf_range *range, struct sf_error *error)
{
	const char *comma = strchr(text, ',');
	size_t n = comma != NULL ? (size_t)(comma - text) : 0;
	char from[64];

	if (comma == NULL || n >= sizeof from)
		return sf_fail(error,
		    "found '%s', expected two times with a comma between them",
		    text);
	memcpy(from, text, n);
	from[n] = '\0';
	if (!sf_quantity_parse(from, SF_UNIT_S, &range->from, error) ||
	    !sf_quantity_parse(comma + 1, SF_UNIT_S, &range->to, error))
		return false;
	if (range->from < 0 || range->from >= range->to)
		return sf_fail(
		    error, "found '%s', expected times >= 0 that rise", text);
	range->known = true;
	return true;
}
