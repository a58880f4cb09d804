/* sf-ntt - the trace of polynomial products by number-theoretic transforms. */
#include "simfront.h"

#include "ntt/ntt-trace.h"

int
main(int argc, char *argv[])
{
	struct sf_ntt_workload workload = {
		.log_n = 16, .limbs = 24, .products = 1
	};
	const struct sf_opt opts[] = {
		SF_OPT_INT('n', "log-n", &workload.log_n, 1, 40, "N",
		    "2^N coefficients a polynomial (default 16)"),
		SF_OPT_INT('l', "limbs", &workload.limbs, 1, 1000000, "N",
		    "primes a polynomial is held in (default 24)"),
		SF_OPT_INT('p', "products", &workload.products, 1, 1000000, "N",
		    "products, independent of each other (default 1)"),
		SF_OPT_END,
	};
	struct sf_stream *stream = sf_source_open(
	    &(struct sf_tool){ .name = "sf-ntt",
		.sandboxed = true,
		.summary = "Write the trace of polynomial products by "
			   "number-theoretic transforms.",
		.opts = opts },
	    argc, argv);

	sf_ntt_trace(stream, &workload);
	return sf_stream_close(stream);
}
