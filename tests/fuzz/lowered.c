/* A stream of counted or lowered traces, which somebody may have edited. */
#include "stages.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = { (const char *)data, size };

	if (holds(in, "\"lower\""))
		stage_sim(in, false);
	else
		stage_lower(in, (int)(size & 31), false);
	return 0;
}
