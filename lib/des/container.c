/* Levels. */
#include "des/container.h"

static void
serve(struct sf_container *c)
{
	if (c->waiting == NULL || c->level < c->wanted)
		return;
	c->level -= c->wanted;
	sf_schedule(c->kernel, c->waiting);
	c->waiting = NULL;
}

void
sf_container_init(
    struct sf_container *c, struct sf_kernel *kernel, int64_t level)
{
	*c = (struct sf_container){ .kernel = kernel, .level = level };
}

void
sf_container_get(
    struct sf_container *c, struct sf_process *process, int64_t amount)
{
	c->waiting = process;
	c->wanted = amount;
	serve(c);
}

void
sf_container_put(struct sf_container *c, int64_t amount)
{
	c->level += amount;
	serve(c);
}
