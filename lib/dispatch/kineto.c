/* A profiler's trace: its first reading, and calls in calls. */
#include "dispatch/kineto.h"

#include <math.h>
#include <stdlib.h>

#include "base/die.h"
#include "dispatch/event.h"
#include "dispatch/kineto-op.h"

void
sf_kineto_init(
    struct sf_kineto *k, struct sf_arena *arena, struct sf_call_names *names)
{
	*k = (struct sf_kineto){
		.arena = arena, .names = names, .rank = -1, .world_size = -1
	};
	k->device = sf_str_of("");
	sf_launches_init(&k->launches);
	sf_modules_init(&k->modules, arena);
	k->derive = sf_derive_new(arena);
	sf_table_init(&k->threads, arena);
}

void
sf_kineto_release(struct sf_kineto *k)
{
	sf_derive_release(k->derive);
	sf_launches_release(&k->launches);
	sf_modules_release(&k->modules);
	sf_table_release(&k->threads);
}

/* The number of the thread that an event ran on. */
static int64_t
thread_of(struct sf_kineto *k, const struct sf_event *event, struct sf_buf *key)
{
	struct sf_entry *entry;

	key->n = 0;
	sf_buf_put(key, event->pid.p, event->pid.n);
	sf_buf_putc(key, '/');
	sf_buf_put(key, event->tid.p, event->tid.n);
	entry = sf_table_add(&k->threads, (struct sf_str){ key->p, key->n });
	if (entry->num == 0)
		entry->num = (int64_t)k->threads.n;
	return entry->num - 1;
}

static bool
event_error(const struct sf_pieces *pieces, int64_t number, const char *what,
    struct sf_error *error)
{
	return sf_fail(error, "%s:%lld: event %lld: %s",
	    sf_input_name(pieces->input), (long long)pieces->lineno,
	    (long long)number, what);
}

/* Whole microseconds first: a double does not hold so many nanoseconds. */
static int64_t
ns_of(double us)
{
	double whole = floor(us);

	return (int64_t)whole * 1000 + llround((us - whole) * 1000);
}

/* ---- the first reading ---- */

static void
add_device_event(struct sf_kineto *k, const struct sf_event *event,
    struct sf_arena *arena, struct sf_buf *key)
{
	int64_t correlation = sf_event_correlation(event, arena);
	struct sf_launch launch = { .correlation = correlation };

	if (event->sort == SF_EVENT_KERNEL) {
		sf_launches_add_kernel(
		    &k->launches, correlation, event->dur_us);
		return;
	}
	if (correlation < 0)
		return;
	launch.thread = thread_of(k, event, key);
	launch.start_us = event->start_us;
	launch.end_us = event->start_us + event->dur_us;
	sf_launches_add(&k->launches, &launch);
}

static void
add_event(struct sf_kineto *k, const struct sf_event *event,
    struct sf_arena *arena, struct sf_buf *key)
{
	int64_t start = ns_of(event->start_us);

	if (event->sort == SF_EVENT_MODULE)
		sf_modules_add(&k->modules, thread_of(k, event, key),
		    event->name, start, start + ns_of(event->dur_us));
	else
		add_device_event(k, event, arena, key);
}

bool
sf_kineto_read_events(
    struct sf_kineto *k, struct sf_pieces *pieces, struct sf_error *error)
{
	struct sf_arena *arena = sf_arena_new();
	struct sf_buf key = { 0 };
	struct sf_json scan;
	struct sf_event event;

	while (sf_pieces_element(pieces, &scan, arena, error)) {
		k->events++;
		if (sf_event_read(
			&scan, SF_EVENT_DEVICE | SF_EVENT_MODULES, &event))
			add_event(k, &event, arena, &key);
		if (scan.error != NULL) {
			event_error(pieces, k->events, scan.error, error);
			break;
		}
		if (sf_arena_used(arena) != 0)
			sf_arena_reset(arena);
	}
	sf_buf_release(&key);
	sf_arena_free(arena);
	return error->text[0] == '\0';
}

bool
sf_kineto_read_ranks(
    struct sf_kineto *k, struct sf_pieces *pieces, struct sf_error *error)
{
	struct sf_json scan;
	struct sf_str key;

	if (!sf_pieces_value(pieces, &scan, k->arena, error))
		return false;
	sf_json_enter(&scan, '{');
	while (sf_json_member(&scan, &key)) {
		if (SF_KEY(key, "rank"))
			k->rank = sf_json_int(&scan);
		else if (SF_KEY(key, "world_size"))
			k->world_size = sf_json_int(&scan);
		else
			sf_json_skip(&scan);
	}
	return scan.error == NULL ||
	    sf_fail(error, "%s:%lld: distributedInfo: %s",
		sf_input_name(pieces->input), (long long)pieces->lineno,
		scan.error);
}

bool
sf_kineto_read_devices(
    struct sf_kineto *k, struct sf_pieces *pieces, struct sf_error *error)
{
	struct sf_json scan;
	struct sf_str key;

	if (!sf_pieces_value(pieces, &scan, k->arena, error))
		return false;
	sf_json_enter(&scan, '[');
	while (sf_json_element(&scan) && sf_json_enter(&scan, '{'))
		while (sf_json_member(&scan, &key)) {
			struct sf_str text;

			if (!SF_KEY(key, "name")) {
				sf_json_skip(&scan);
				continue;
			}
			text = sf_json_string(&scan);
			if (k->device.n == 0)
				k->device = sf_str_of(
				    sf_arena_strndup(k->arena, text.p, text.n));
		}
	return scan.error == NULL ||
	    sf_fail(error, "%s:%lld: deviceProperties: %s",
		sf_input_name(pieces->input), (long long)pieces->lineno,
		scan.error);
}

/* ---- the second: threads and what is open on them ---- */

struct thread {
	struct sf_arena *arena; /* of the tree */
	struct sf_profiled_call *root, *top;
	int64_t last_ns;
	size_t launch, launches_end; /* in the launches */
	struct sf_module_stack modules;
	struct sf_str module; /* kept in the tree; of so many changes */
	int64_t changes;
};

struct reading {
	struct sf_kineto *k;
	struct sf_kineto_out out;
	struct thread *threads;
	size_t nthreads;
	struct thread *last;
};

static struct thread *
find_thread(struct reading *r, int64_t number)
{
	size_t n = (size_t)number;

	if (n >= r->nthreads) {
		size_t room = n * 2 + 8;
		size_t last =
		    r->last == NULL ? 0 : (size_t)(r->last - r->threads);

		r->threads =
		    sf_reallocarray(r->threads, room, sizeof *r->threads);
		memset(r->threads + r->nthreads, 0,
		    (room - r->nthreads) * sizeof *r->threads);
		r->nthreads = room;
		if (r->last != NULL)
			r->last = r->threads + last;
	}
	if (r->threads[n].arena == NULL) {
		r->threads[n].arena = sf_arena_new();
		r->threads[n].last_ns = INT64_MIN;
		r->threads[n].changes = -1;
		r->threads[n].launch =
		    sf_launches_first(&r->k->launches, number);
		r->threads[n].launches_end =
		    sf_launches_first(&r->k->launches, number + 1);
		sf_module_stack_init(
		    &r->threads[n].modules, &r->k->modules, number);
	}
	return &r->threads[n];
}

/* A launch whose call of the runtime ended, or, failing that, began in CALL. */
static struct sf_profiled_call *
call_of(struct sf_profiled_call *top, int64_t start, int64_t end)
{
	struct sf_profiled_call *first = NULL;

	for (; top != NULL; top = (struct sf_profiled_call *)top->call.up) {
		if (top->start_ns > start || top->end_ns < start)
			continue;
		if (top->end_ns >= end)
			return top;
		if (first == NULL)
			first = top;
	}
	return first;
}

/* Gives the launches before BEFORE to the calls that were open then. */
static void
give_launches(struct reading *r, struct thread *t, int64_t before)
{
	for (; t->launch < t->launches_end; t->launch++) {
		struct sf_profiled_call *call;
		struct sf_launch l;
		int64_t start;

		sf_sorted_get(r->k->launches.v, t->launch, &l);
		start = ns_of(l.start_us);
		if (start >= before)
			break;
		call = call_of(t->top, start, ns_of(l.end_us));
		if (call == NULL)
			continue;
		call->call.launches += l.kernels;
		call->call.launched_s += l.device_us * 1e-6;
	}
}

static void
close_tree(struct reading *r, struct thread *t, int64_t before)
{
	give_launches(r, t, before);
	if (t->root == NULL)
		return;
	sf_kineto_put_tree(&r->out, t->root);
	t->root = t->top = NULL;
	t->changes = -1;
	sf_arena_reset(t->arena);
}

/*
 * Whether an event began inside of CALL. Times in whole microseconds are cut
 * off: what began in the last of them and took none ran inside.
 */
static bool
holds(const struct sf_profiled_call *call, int64_t start, int64_t dur)
{
	return start < call->end_ns ||
	    (start == call->end_ns && dur == 0 && start % 1000 == 0);
}

static struct sf_str
copy(struct sf_arena *arena, struct sf_str text)
{
	return text.n == 0 ? text : sf_json_keep(arena, text);
}

/* The module that runs at that time, kept for as long as the tree. */
static struct sf_str
module_at(struct reading *r, struct thread *t, int64_t start)
{
	struct sf_str module =
	    sf_module_stack_at(&t->modules, &r->k->modules, start);

	if (t->changes != t->modules.changes) {
		t->changes = t->modules.changes;
		t->module =
		    sf_str_of(sf_arena_strndup(t->arena, module.p, module.n));
	}
	return t->module;
}

static void
push(struct reading *r, struct thread *t, const struct sf_event *event,
    const struct sf_call_kind *kind, int64_t lineno)
{
	struct sf_profiled_call *call =
	    sf_arena_calloc(t->arena, 1, sizeof *call);

	call->call.kind = kind;
	call->start_ns = ns_of(event->start_us);
	call->end_ns = call->start_ns + ns_of(event->dur_us);
	call->lineno = lineno;
	call->module = module_at(r, t, call->start_ns);
	if (kind->sort != SF_CALL_OTHER)
		call->args = copy(t->arena, event->args);
	if (t->top != NULL)
		sf_call_node_add(&t->top->call, &call->call);
	else
		t->root = call;
	t->top = call;
}

static bool
add_call(struct reading *r, const struct sf_event *event,
    const struct sf_pieces *pieces, struct sf_buf *key, const char **why)
{
	const struct sf_call_kind *kind =
	    sf_call_names_find(r->k->names, event->name);
	struct thread *t = find_thread(r, thread_of(r->k, event, key));
	int64_t start = ns_of(event->start_us), dur = ns_of(event->dur_us);

	if (start < t->last_ns) {
		*why = "it begins before the one before it on its thread";
		return false;
	}
	t->last_ns = start;
	/* What is over on the thread before has its place before this. */
	if (r->last != NULL && r->last != t && r->last->root != NULL &&
	    r->last->root->end_ns <= start)
		close_tree(r, r->last, r->last->root->end_ns + 1);
	r->last = t;
	if (t->root != NULL && !holds(t->root, start, dur))
		close_tree(r, t, start);
	give_launches(r, t, start);
	while (t->top != NULL && !holds(t->top, start, dur))
		t->top = (struct sf_profiled_call *)t->top->call.up;
	/* Only what is inside of a call is part of a tree. */
	if (t->top != NULL || kind->sort != SF_CALL_OTHER)
		push(r, t, event, kind, pieces->lineno);
	return true;
}

static void
read_calls(struct reading *r, struct sf_pieces *pieces, struct sf_error *error)
{
	struct sf_arena *arena = sf_arena_new();
	struct sf_buf key = { 0 };
	struct sf_json scan;
	struct sf_event event;
	int64_t number = 0;

	while (sf_pieces_element(pieces, &scan, arena, error)) {
		const char *why = NULL;

		number++;
		if (sf_event_read(&scan, SF_EVENT_CALLS, &event))
			add_call(r, &event, pieces, &key, &why);
		if (scan.error != NULL || why != NULL) {
			event_error(pieces, number,
			    why != NULL ? why : scan.error, error);
			break;
		}
		if (sf_arena_used(arena) != 0)
			sf_arena_reset(arena);
	}
	sf_buf_release(&key);
	sf_arena_free(arena);
}

/* All that holds the calls; what is beside them was read the first time. */
static void
read_again(struct reading *r, struct sf_pieces *pieces, struct sf_error *error)
{
	struct sf_json scan;
	struct sf_str key;

	if (pieces->open == '[') {
		read_calls(r, pieces, error);
		return;
	}
	while (sf_pieces_member(pieces, &key, error)) {
		if (SF_KEY(key, "traceEvents")) {
			if (sf_pieces_enter(pieces, error))
				read_calls(r, pieces, error);
		} else {
			sf_pieces_value(pieces, &scan, r->k->arena, error);
		}
		if (error->text[0] != '\0')
			return;
	}
}

void
sf_kineto_write(struct sf_kineto *k, const char *path, struct sf_stream *stream)
{
	struct sf_input *input = sf_input_open(path);
	struct reading r = { .k = k };
	struct sf_pieces pieces;
	struct sf_error error;

	/* A file may have its events in several members. */
	sf_launches_finish(&k->launches);
	sf_modules_finish(&k->modules);
	sf_kineto_out_init(&r.out, k, path, stream);
	if (sf_pieces_open(&pieces, input, &error))
		read_again(&r, &pieces, &error);
	if (error.text[0] != '\0')
		sf_die(SF_EX_INPUT, "%s", error.text);
	for (size_t i = 0; i < r.nthreads; i++) {
		if (r.threads[i].arena == NULL)
			continue;
		close_tree(&r, &r.threads[i], INT64_MAX);
		sf_module_stack_release(&r.threads[i].modules);
		sf_arena_free(r.threads[i].arena);
	}
	free(r.threads);
	sf_kineto_out_release(&r.out);
	sf_pieces_release(&pieces);
	sf_input_close(input);
}
