/* Encoders and the decoders that read them. */
#include "model/pair.h"

#include "base/die.h"
#include "base/num.h"

int64_t
sf_pair_source(const struct sf_build *b)
{
	if (b->arch->pair.source != 0)
		return b->arch->pair.source;
	if (b->work.source != 0)
		return b->work.source;
	return b->work.context != 0 ? b->work.context : b->work.tokens;
}

/* Its parameters are the model's, and nothing of it runs. */
static void
count(struct sf_build *b, struct sf_val *(*encode)(struct sf_build *, void *),
    void *data)
{
	struct sf_build scratch = *b;

	scratch.graph = (struct sf_graph){ .arena = b->graph.arena,
		.source = b->graph.source };
	scratch.work.context = 0;
	scratch.work.tokens = scratch.work.source = 1;
	encode(&scratch, data);
	if (!sf_add(b->graph.param_elements, scratch.graph.param_elements,
		&b->graph.param_elements) ||
	    !sf_add(b->graph.param_bytes, scratch.graph.param_bytes,
		&b->graph.param_bytes))
		sf_die(SF_EX_INPUT,
		    "%s: the parameters have more than 2^63-1 bytes",
		    b->graph.source);
}

struct sf_val *
sf_pair_encode(struct sf_build *b,
    struct sf_val *(*encode)(struct sf_build *b, void *data), void *data)
{
	int64_t tokens = b->work.tokens;
	struct sf_val *x;

	if (b->work.context != 0) {
		count(b, encode, data);
		return NULL;
	}
	b->work.tokens = sf_pair_source(b);
	x = encode(b, data);
	b->work.tokens = tokens;
	return x;
}
