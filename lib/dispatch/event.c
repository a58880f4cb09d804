/* One event of a Chrome trace. */
#include "dispatch/event.h"

/* Nanoseconds of it fit 64 bits. */
#define MOST_US 9e15

static bool
ends_with(struct sf_str text, const char *tail)
{
	size_t n = strlen(tail);

	return text.n >= n && memcmp(text.p + text.n - n, tail, n) == 0;
}

/* By its category; profilers of earlier years had other words. */
static enum sf_event_sort
sort_of(struct sf_str cat)
{
	if (sf_str_is(cat, "cpu_op") || sf_str_is(cat, "Operator"))
		return SF_EVENT_CALL;
	if (sf_str_is(cat, "kernel") || sf_str_is(cat, "Kernel") ||
	    sf_str_is(cat, "gpu_memcpy") || sf_str_is(cat, "Memcpy") ||
	    sf_str_is(cat, "gpu_memset") || sf_str_is(cat, "Memset"))
		return SF_EVENT_KERNEL;
	if (ends_with(cat, "_runtime") || ends_with(cat, "_driver") ||
	    sf_str_is(cat, "Runtime"))
		return SF_EVENT_LAUNCH;
	if (sf_str_is(cat, "python_function"))
		return SF_EVENT_MODULE;
	return SF_EVENT_OTHER;
}

/* Cuts what stands before the class of a module; false when NAME is of none. */
static bool
cut_module(struct sf_str *name)
{
	static const char before[] = "nn.Module: ";

	if (!sf_str_starts(*name, before))
		return false;
	name->p += sizeof before - 1;
	name->n -= sizeof before - 1;
	return name->n != 0;
}

/* Most calls of a runtime ask something: only these put work on the device. */
static bool
launches(struct sf_str name)
{
	static const char *const words[] = { "aunch", "emcpy", "emset",
		"nqueue" };

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (sf_str_find(name, words[i]) != NULL)
			return true;
	return false;
}

bool
sf_event_read(struct sf_json *scan, unsigned wanted, struct sf_event *event)
{
	struct sf_str key, cat = { "", 0 };
	bool complete = false, has_start = false;

	*event = (struct sf_event){ .sort = SF_EVENT_OTHER };
	event->name = event->args = sf_str_of("");
	if (!sf_json_enter(scan, '{'))
		return false;
	while (sf_json_member(scan, &key)) {
		if (SF_KEY(key, "ph")) {
			complete = sf_str_is(sf_json_string(scan), "X");
			if (!complete)
				return false;
		} else if (SF_KEY(key, "cat")) {
			cat = sf_json_string(scan);
			event->sort = sort_of(cat);
			if ((wanted & 1u << event->sort) == 0)
				return false;
		} else if (SF_KEY(key, "name")) {
			event->name = sf_json_string(scan);
		} else if (SF_KEY(key, "pid")) {
			event->pid = sf_json_skip(scan);
		} else if (SF_KEY(key, "tid")) {
			event->tid = sf_json_skip(scan);
		} else if (SF_KEY(key, "ts")) {
			event->start_us = sf_json_double(scan);
			has_start = true;
		} else if (SF_KEY(key, "dur")) {
			event->dur_us = sf_json_double(scan);
		} else if (SF_KEY(key, "args")) {
			event->args = sf_json_skip(scan);
		} else {
			sf_json_skip(scan);
		}
		/* The rest of a call that only asks is not looked at. */
		if (event->sort == SF_EVENT_LAUNCH && event->name.n != 0 &&
		    !launches(event->name))
			return false;
	}
	if (event->sort == SF_EVENT_MODULE && scan->error == NULL &&
	    !cut_module(&event->name))
		return false;
	sf_json_end_line(scan);
	if (scan->error == NULL && complete && !has_start)
		sf_json_fail(scan, "expected 'ts'");
	if (scan->error == NULL &&
	    (event->dur_us < 0 || event->dur_us > MOST_US ||
		event->start_us < -MOST_US || event->start_us > MOST_US))
		sf_json_fail(scan, "a time below 0 or beyond 285 years");
	return scan->error == NULL && complete &&
	    (wanted & 1u << event->sort) != 0;
}

int64_t
sf_event_correlation(const struct sf_event *event, struct sf_arena *arena)
{
	struct sf_json scan = {
		.p = event->args.p, .start = event->args.p, .arena = arena
	};
	struct sf_str key;

	if (event->args.n == 0 || !sf_json_enter(&scan, '{'))
		return -1;
	while (sf_json_member(&scan, &key)) {
		if (SF_KEY(key, "correlation"))
			return sf_json_int(&scan);
		sf_json_skip(&scan);
	}
	return -1;
}
