/* A stream that nobody has counted yet, through every stage. */
#include "stages.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	stage_rules((struct bytes){ (const char *)data, size });
	return 0;
}
