/* Finding segments. */
#include "accel/segment.h"

#include <stdlib.h>

#include "base/buf.h"

static bool
begins_drained(const struct sf_classes *c, int64_t i)
{
	const struct sf_class_op *op = &c->ops[i];

	return i == 0 || (op->ndeps != 0 && op->deps[op->ndeps - 1] == i - 1);
}

/*
 * All that tells the segment of N operators from FIRST on from others, as
 * bytes: classes and the dependencies inside. What comes before it is stored by
 * then.
 */
static void
put_shape(
    struct sf_buf *out, const struct sf_classes *c, int64_t first, int64_t n)
{
	for (int64_t i = first; i < first + n; i++) {
		const struct sf_class_op *op = &c->ops[i];
		int64_t end = -1;

		sf_buf_put(out, &op->which, sizeof op->which);
		for (int d = 0; d < op->ndeps; d++) {
			int64_t back = i - op->deps[d];

			if (op->deps[d] >= first)
				sf_buf_put(out, &back, sizeof back);
		}
		sf_buf_put(out, &end, sizeof end);
	}
}

void
sf_segments_find(struct sf_segments *s, const struct sf_classes *c)
{
	size_t room = (size_t)c->nops + 1;
	struct sf_arena *arena = sf_arena_new();
	struct sf_buf shape = { 0 };
	struct sf_table shapes;

	sf_table_init(&shapes, arena);
	*s = (struct sf_segments){
		.v = sf_reallocarray(NULL, room, sizeof *s->v),
		.seq = sf_reallocarray(NULL, room, sizeof *s->seq),
	};
	for (int64_t first = 0, n; first < c->nops; first += n) {
		struct sf_entry *e;

		for (n = 1; first + n < c->nops; n++)
			if (begins_drained(c, first + n))
				break;
		shape.n = 0;
		put_shape(&shape, c, first, n);
		e = sf_table_add(&shapes, (struct sf_str){ shape.p, shape.n });
		if (e->num == 0) {
			s->v[s->n] =
			    (struct sf_program_segment){ .first = first,
				    .n = n };
			e->num = ++s->n;
		}
		s->seq[s->nseq++] = e->num - 1;
	}
	sf_buf_release(&shape);
	sf_table_release(&shapes);
	sf_arena_free(arena);
}

void
sf_segments_release(struct sf_segments *s)
{
	free(s->v);
	free(s->seq);
	*s = (struct sf_segments){ 0 };
}
