/* A level over time. */
#include "timeline/level.h"

void
sf_level_init(struct sf_level *level,
    void (*tell)(void *to, double from, double until, int64_t value), void *to)
{
	*level = (struct sf_level){ .tell = tell, .to = to };
	for (int i = 0; i < SF_LEVEL_DOWNS; i++)
		sf_frees_init(&level->down[i]);
}

void
sf_level_release(struct sf_level *level)
{
	for (int i = 0; i < SF_LEVEL_DOWNS; i++)
		sf_frees_release(&level->down[i]);
}

/* All changes at NOW are known. */
static void
settle(struct sf_level *level)
{
	if (level->value == level->told)
		return;
	if (level->now > level->since)
		level->tell(level->to, level->since, level->now, level->told);
	level->since = level->now;
	level->told = level->value;
}

static void
change(struct sf_level *level, double time, int64_t by)
{
	if (time > level->now) {
		settle(level);
		level->now = time;
	}
	level->value += by;
}

/* The queue whose next change comes first. */
static struct sf_frees *
earliest(struct sf_level *level)
{
	struct sf_frees *first = &level->down[0];

	for (int i = 1; i < SF_LEVEL_DOWNS; i++)
		if (level->down[i].head->time < first->head->time)
			first = &level->down[i];
	return first;
}

static void
drain(struct sf_level *level, double until)
{
	struct sf_frees *next;

	while ((next = earliest(level))->head->time <= until &&
	    next->head != next->tail) {
		change(level, next->head->time, -next->head->bytes);
		next->head++;
	}
}

void
sf_level_up(struct sf_level *level, double time, int64_t n)
{
	drain(level, time);
	change(level, time, n);
}

void
sf_level_down(struct sf_level *level, int queue, double time, int64_t n)
{
	sf_frees_reserve(&level->down[queue], 1);
	sf_frees_put(&level->down[queue], time, n);
}

void
sf_level_tile(struct sf_level *buffer, struct sf_level *ready,
    const struct sf_timed_tile *tile)
{
	const struct sf_times *t = &tile->t;

	sf_level_up(buffer, t->alloc, tile->granted);
	sf_level_down(buffer, 0, t->comp_end, tile->at_compute);
	if (tile->stores)
		sf_level_down(buffer, 1, t->store_end, tile->at_store);
	sf_level_up(ready, t->load_end, 1);
	sf_level_down(ready, 0, t->comp_start, 1);
}

void
sf_level_end(struct sf_level *level)
{
	drain(level, INFINITY);
	settle(level);
	if (level->now > level->since)
		level->tell(level->to, level->since, level->now, level->told);
}
