/* Tiles that come mixed. */
#include "accel/mixed.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/die.h"

struct sf_mixed_op {
	int64_t op;
	struct sf_buf *cores; /* the times of each one's tiles */
};

enum {
	FIRST_ROOM = 16
}; /* a power of two */

void
sf_mixed_init(struct sf_mixed *m, int ncores)
{
	*m = (struct sf_mixed){ .ncores = ncores, .room = FIRST_ROOM };
	m->ops = sf_calloc(FIRST_ROOM, sizeof *m->ops);
}

void
sf_mixed_release(struct sf_mixed *m)
{
	for (int64_t i = 0; i < m->room; i++) {
		for (int k = 0; m->ops[i].cores != NULL && k < m->ncores; k++)
			sf_buf_release(&m->ops[i].cores[k]);
		free(m->ops[i].cores);
	}
	free(m->ops);
	*m = (struct sf_mixed){ 0 };
}

static struct sf_mixed_op *
slot(const struct sf_mixed *m, int64_t number)
{
	return &m->ops[number & (m->room - 1)];
}

static void
grow(struct sf_mixed *m)
{
	struct sf_mixed old = *m;

	m->room *= 2;
	m->ops = sf_calloc((size_t)m->room, sizeof *m->ops);
	for (int64_t i = m->begin; i < m->end; i++)
		*slot(m, i) = *slot(&old, i);
	free(old.ops);
}

void
sf_mixed_add(struct sf_mixed *m, int64_t op)
{
	struct sf_mixed_op *o;

	if (m->end - m->begin == m->room)
		grow(m);
	o = slot(m, m->end++);
	o->op = op;
	if (o->cores == NULL)
		o->cores = sf_calloc((size_t)m->ncores, sizeof *o->cores);
}

void
sf_mixed_put(
    struct sf_mixed *m, int64_t op, int core, const struct sf_times *times)
{
	int64_t i = m->begin;

	while (i < m->end && slot(m, i)->op != op)
		i++;
	if (i == m->end)
		sf_bug(
		    "a tile of op %lld, which is not under way", (long long)op);
	sf_buf_put(&slot(m, i)->cores[core], times, sizeof *times);
}

void
sf_mixed_take(struct sf_mixed *m,
    void (*tell)(void *to, int64_t op, int core, const struct sf_times *times),
    void *to)
{
	struct sf_mixed_op *o = slot(m, m->begin++);

	for (int core = 0; core < m->ncores; core++) {
		struct sf_buf *buf = &o->cores[core];

		for (size_t at = 0; at < buf->n;
		     at += sizeof(struct sf_times)) {
			struct sf_times t;

			memcpy(&t, buf->p + at, sizeof t);
			tell(to, o->op, core, &t);
		}
		buf->n = 0;
	}
}
