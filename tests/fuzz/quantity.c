/* A number with a unit, alone and as the value of --set. */
#include "harness.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/quantity.h"

/* What is taken is a number that is written and read back as it is. */
static void
parse_all(const char *text)
{
	struct sf_error error;
	char digits[SF_DOUBLE_MAX];

	for (int unit = SF_UNIT_NONE; unit <= SF_UNIT_FLOPS; unit++) {
		double x, back;
		size_t n;

		if (!sf_quantity_parse(text, (enum sf_unit)unit, &x, &error))
			continue;
		must(isfinite(x), "a quantity is finite");
		n = sf_double_format(x, digits);
		must(sf_double_parse(digits, n, &back) && back == x,
		    "a number is read back");
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = counted_trace;
	char text[256];
	struct run lowered, run;

	if (size >= sizeof text || memchr(data, '\0', size) != NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	parse_all(strchr(text, '=') != NULL ? strchr(text, '=') + 1 : text);
	run = RUN(cost, in, DONE | USAGE | REFUSED, "--device", "h100",
	    "--op-overhead", text, );
	run_free(&run);
	lowered = RUN(lower, in, DONE | USAGE | REFUSED, "--preset", "edge-npu",
	    "--set", text, );
	if (lowered.status == 0) {
		run = RUN(sim, lowered.out, DONE | REFUSED, NULL, );
		run_free(&run);
	}
	run_free(&lowered);
	return 0;
}
