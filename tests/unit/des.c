/*
 * The event kernel: what happens at one instant, and in which order. Scripts
 * of small processes write a log, which is compared with what the headers say.
 */
#include "des/kernel.h"

#include <string.h>

#include "check.h"
#include "des/container.h"
#include "des/queue.h"
#include "des/resource.h"

/* A process that notes its name and the time, and may then do one thing. */
struct actor {
	struct sf_process process; /* first, so that one is the other */
	char name;
	void (*then)(struct actor *actor);
	int64_t n;
};

static struct sf_kernel kernel;
static char text[400];

static void
note(const char *what, double now)
{
	size_t n = strlen(text);

	snprintf(text + n, sizeof text - n, "%s%g ", what, now);
}

static void
resume(struct sf_process *process)
{
	struct actor *a = (struct actor *)process;

	note((char[]){ a->name, '\0' }, kernel.now);
	if (a->then != NULL)
		a->then(a);
}

static struct actor
actor(char name, void (*then)(struct actor *))
{
	return (
	    struct actor){ .process = { resume }, .name = name, .then = then };
}

static void
begin(void)
{
	sf_kernel_init(&kernel);
	text[0] = '\0';
}

/* Runs until nothing is left, and compares the log. */
static void
expect(const char *want)
{
	CHECK(!sf_kernel_run(&kernel));
	CHECK_FOR(text, strcmp(text, want) == 0);
	sf_kernel_release(&kernel);
}

/* ---- the kernel ---- */

static void
events_of_one_instant_come_in_the_order_of_scheduling(void)
{
	struct actor a = actor('a', NULL), b = actor('b', NULL);

	begin();
	sf_schedule(&kernel, &b.process);
	sf_schedule(&kernel, &a.process);
	sf_schedule(&kernel, &b.process);
	expect("b0 a0 b0 ");
}

static void
timers_come_by_time_then_by_the_order_in_which_they_were_set(void)
{
	struct actor a = actor('a', NULL), b = actor('b', NULL);
	struct actor c = actor('c', NULL);

	begin();
	sf_timeout(&kernel, &c.process, 2);
	sf_timeout(&kernel, &b.process, 1);
	sf_timeout(&kernel, &a.process, 2);
	sf_timeout(&kernel, &b.process, 2);
	sf_schedule(&kernel, &a.process);
	expect("a0 b1 c2 a2 b2 ");
}

static void
again(struct actor *a)
{
	if (--a->n > 0)
		sf_timeout(&kernel, &a->process, 1e-20);
}

static void
time_that_is_too_short_to_be_seen_does_not_end_the_instant(void)
{
	struct actor a = actor('a', again), b = actor('b', NULL);

	begin();
	a.n = 3;
	sf_timeout(&kernel, &a.process, 1);
	sf_timeout(&kernel, &b.process, 1);
	expect("a1 b1 a1 a1 ");
}

enum {
	MANY = 1000
};

static struct actor many[MANY];
static int last_of_many;

/* Timers come by time, N, and equal ones by their place in the array. */
static void
follows(struct actor *a)
{
	struct actor *before = &many[last_of_many];

	CHECK(kernel.now == (double)a->n);
	CHECK(before->n < a->n || (before->n == a->n && before <= a));
	last_of_many = (int)(a - many);
	text[0] = '\0';
}

static void
a_thousand_timers_come_out_sorted(void)
{
	unsigned long long seed = 5;

	begin();
	many[0].n = 0;
	for (int i = 1; i < MANY; i++) {
		many[i] = actor('x', follows);
		many[i].n = (int64_t)(check_random(&seed) % 50 + 1);
		sf_timeout(&kernel, &many[i].process, (double)many[i].n);
	}
	CHECK(!sf_kernel_run(&kernel) && kernel.events == MANY - 1);
	sf_kernel_release(&kernel);
}

static void
stop(struct actor *a)
{
	(void)a;
	kernel.stop = true;
}

static void
a_stopped_kernel_goes_on_where_it_stopped(void)
{
	struct actor a = actor('a', stop), b = actor('b', NULL);

	begin();
	sf_schedule(&kernel, &a.process);
	sf_schedule(&kernel, &b.process);
	sf_timeout(&kernel, &a.process, 1);
	CHECK(sf_kernel_run(&kernel) && strcmp(text, "a0 ") == 0);
	CHECK(sf_kernel_run(&kernel) && strcmp(text, "a0 b0 a1 ") == 0);
	CHECK(kernel.events == 3);
	expect("a0 b0 a1 ");
}

static void
say_over(void *to)
{
	(void)to;
	note("|", kernel.now);
}

static void
say_end(struct sf_at_end *what)
{
	(void)what;
	note("end", kernel.now);
}

static struct sf_at_end at_end = { .end = say_end };

static void
ask(struct actor *a)
{
	sf_ask_at_end(&kernel, &at_end);
	sf_ask_at_end(&kernel, &at_end);
	if (--a->n >= 0)
		sf_schedule(&kernel, &a->process);
}

static void
the_end_of_an_instant_comes_once_behind_all_that_happens_at_it(void)
{
	struct actor a = actor('a', ask), b = actor('b', NULL);

	begin();
	kernel.instant_over = say_over;
	a.n = 1;
	sf_schedule(&kernel, &a.process);
	sf_schedule(&kernel, &b.process);
	sf_timeout(&kernel, &b.process, 2);
	sf_timeout(&kernel, &a.process, 2);
	expect("a0 b0 a0 end0 |0 b2 a2 end2 ");
}

static void
a_hundred_events_of_one_instant_keep_their_order(void)
{
	struct actor actors[100];

	begin();
	for (int i = 0; i < 100; i++)
		actors[i] = actor((char)('!' + i % 90), NULL);
	for (int i = 0; i < 100; i++)
		sf_schedule(&kernel, &actors[i].process);
	CHECK(!sf_kernel_run(&kernel));
	for (int i = 0; i < 100; i++)
		CHECK(text[3 * i] == actors[i].name);
	sf_kernel_release(&kernel);
}

/* ---- resources ---- */

static struct sf_resource resource;

static void
give_back(struct actor *a)
{
	(void)a;
	sf_resource_release(&resource);
}

static void
a_unit_goes_to_the_lower_rank_of_those_that_ask_at_one_instant(void)
{
	struct actor a = actor('a', give_back), b = actor('b', give_back);
	struct actor c = actor('c', give_back);

	begin();
	sf_resource_init(&resource, &kernel, 1);
	sf_resource_request(&resource, &c.process, 2);
	sf_resource_request(&resource, &a.process, 0);
	sf_resource_request(&resource, &b.process, 1);
	expect("a0 b0 c0 ");
	/* Equal ranks in the order of asking. */
	begin();
	sf_resource_init(&resource, &kernel, 1);
	sf_resource_request(&resource, &c.process, 1);
	sf_resource_request(&resource, &a.process, 0);
	sf_resource_request(&resource, &b.process, 1);
	expect("a0 c0 b0 ");
}

static void
ask_for_unit(struct actor *a)
{
	a->then = give_back;
	sf_resource_request(&resource, &a->process, (int)a->n);
}

static void
a_unit_goes_to_the_earlier_instant_whatever_the_rank(void)
{
	struct actor a = actor('a', ask_for_unit), b = actor('b', ask_for_unit);
	struct actor c = actor('c', give_back), d = actor('d', NULL);

	begin();
	sf_resource_init(&resource, &kernel, 1);
	sf_resource_request(&resource, &d.process, 0);
	b.n = 5;
	sf_timeout(&kernel, &b.process, 1); /* asks at 1 */
	sf_timeout(&kernel, &a.process, 2); /* and 2, with the better rank */
	sf_timeout(&kernel, &c.process, 3); /* gives d's unit back */
	expect("d0 b1 a2 c3 b3 a3 ");
}

static void
a_unit_given_back_at_an_instant_serves_those_that_ask_later_at_it(void)
{
	struct actor a = actor('a', ask_for_unit), b = actor('b', ask_for_unit);
	struct actor c = actor('c', give_back), d = actor('d', NULL);

	begin();
	sf_resource_init(&resource, &kernel, 1);
	sf_resource_request(&resource, &d.process, 0);
	a.n = 1;
	sf_timeout(&kernel, &c.process, 1); /* gives back first */
	sf_timeout(&kernel, &a.process, 1); /* then a asks, then b */
	sf_timeout(&kernel, &b.process, 1);
	expect("d0 c1 a1 b1 b1 a1 ");
}

static void
as_many_units_are_given_as_there_are(void)
{
	struct actor a = actor('a', NULL), b = actor('b', NULL);
	struct actor c = actor('c', NULL);

	begin();
	sf_resource_init(&resource, &kernel, 2);
	sf_resource_request(&resource, &a.process, 0);
	sf_resource_request(&resource, &b.process, 0);
	sf_resource_request(&resource, &c.process, 0);
	expect("a0 b0 ");
	CHECK(resource.available == 0 && resource.nwaiting == 1);
}

/* ---- containers ---- */

static struct sf_container container;

static void
put_amount(struct actor *a)
{
	sf_container_put(&container, a->n);
}

static void
who_wants_more_than_the_level_waits_until_it_is_there(void)
{
	struct actor a = actor('a', NULL), p = actor('p', put_amount);

	begin();
	sf_container_init(&container, &kernel, 10);
	sf_container_get(&container, &a.process, 10);
	CHECK(container.level == 0);
	sf_container_get(&container, &a.process, 0);
	sf_container_get(&container, &a.process, 6);
	p.n = 3;
	sf_timeout(&kernel, &p.process, 1);
	sf_timeout(&kernel, &p.process, 4);
	sf_timeout(&kernel, &p.process, 5);
	expect("a0 a0 p1 p4 a4 p5 ");
	CHECK(container.level == 3 && container.waiting == NULL);
}

/* ---- queues ---- */

static struct sf_queue queue;

static void
take(struct actor *a)
{
	CHECK(sf_queue_take(&queue) == a->n++);
	sf_queue_get(&queue, &a->process);
}

static void
put_items(struct actor *a)
{
	for (int i = 0; i < 50; i++)
		sf_queue_put(&queue, a->n++);
	if (a->n < 200)
		sf_timeout(&kernel, &a->process, 1);
}

/* Growth moves items that lie across the end of the ring. */
static void
items_come_out_in_the_order_in_which_they_went_in(void)
{
	struct actor a = actor('a', take), p = actor('p', put_items);

	begin();
	sf_queue_init(&queue, &kernel);
	for (int i = 0; i < 10; i++)
		sf_queue_put(&queue, i);
	for (int i = 0; i < 8; i++)
		CHECK(sf_queue_take(&queue) == i);
	a.n = 8;
	p.n = 10;
	sf_queue_get(&queue, &a.process);
	sf_timeout(&kernel, &p.process, 1);
	CHECK(!sf_kernel_run(&kernel) && a.n == 210 && queue.n == 0);
	sf_queue_release(&queue);
	sf_kernel_release(&kernel);
}

static void
who_gets_from_an_empty_queue_waits(void)
{
	struct actor a = actor('a', NULL);

	begin();
	sf_queue_init(&queue, &kernel);
	sf_queue_get(&queue, &a.process);
	CHECK(!sf_kernel_run(&kernel) && text[0] == '\0');
	sf_queue_put(&queue, 7);
	expect("a0 ");
	CHECK(sf_queue_take(&queue) == 7);
	sf_queue_release(&queue);
}

int
main(void)
{
	events_of_one_instant_come_in_the_order_of_scheduling();
	timers_come_by_time_then_by_the_order_in_which_they_were_set();
	time_that_is_too_short_to_be_seen_does_not_end_the_instant();
	a_thousand_timers_come_out_sorted();
	a_stopped_kernel_goes_on_where_it_stopped();
	the_end_of_an_instant_comes_once_behind_all_that_happens_at_it();
	a_hundred_events_of_one_instant_keep_their_order();
	a_unit_goes_to_the_lower_rank_of_those_that_ask_at_one_instant();
	a_unit_goes_to_the_earlier_instant_whatever_the_rank();
	a_unit_given_back_at_an_instant_serves_those_that_ask_later_at_it();
	as_many_units_are_given_as_there_are();
	who_wants_more_than_the_level_waits_until_it_is_there();
	items_come_out_in_the_order_in_which_they_went_in();
	who_gets_from_an_empty_queue_waits();
	return 0;
}
