/* Names of parameters, in the list of sf-onnx --params. */
#include "harness.h"

/* z = x w + b, ONNX, of which x, w and b are inputs. */
static const char model[] =
    "\010\010\072\166\012\021\012\001\170\012\001\167\022\001\171\042"
    "\006\115\141\164\115\165\154\012\016\012\001\171\012\001\142\022"
    "\001\172\042\003\101\144\144\022\001\147\132\023\012\001\170\022"
    "\016\012\014\010\001\022\010\012\002\010\002\012\002\010\003\132"
    "\023\012\001\167\022\016\012\014\010\001\022\010\012\002\010\003"
    "\012\002\010\004\132\017\012\001\142\022\012\012\010\010\001\022"
    "\004\012\002\010\004\142\023\012\001\172\022\016\012\014\010\001"
    "\022\010\012\002\010\002\012\002\010\004\102\004\012\000\020\021";

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct bytes graph = { model, sizeof model - 1 };
	struct bytes in = { (const char *)data, size };
	struct run run = RUN(onnx, graph, DONE | USAGE | REFUSED, "--params",
	    file_of(in), "-", );
	struct run counted;

	if (run.status == 0) {
		counted = RUN(rules, run.out, DONE, NULL, );
		run_free(&counted);
	}
	run_free(&run);
	return 0;
}
