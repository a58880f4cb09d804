/* The device record. */
#include "cost/device_record.h"

#include "trace/keyrecord.h"

static const char *const modes[] = {
	[SF_MODE_ROOFLINE] = "roofline",
	[SF_MODE_OFFLOAD] = "offload",
	NULL,
};

/* ---- writing ---- */

/* A device or link, as members of the object that is open. */
static void
put_parameters(struct sf_jsonw *w, const char *name, const struct sf_keys *keys,
    const void *of)
{
	sf_jsonw_kcstr(w, "name", name);
	sf_keys_put(w, keys, of);
}

static void
put_part(struct sf_jsonw *w, const char *key, const char *name,
    const struct sf_keys *keys, const void *of)
{
	sf_jsonw_key(w, key);
	sf_jsonw_open(w, '{');
	put_parameters(w, name, keys, of);
	sf_jsonw_close(w, '}');
}

static void
put_true(struct sf_jsonw *w, const char *key, bool value)
{
	if (!value)
		return;
	sf_jsonw_key(w, key);
	sf_jsonw_bool(w, true);
}

void
sf_device_record_put(struct sf_stream *stream, const struct sf_device_record *d)
{
	struct sf_jsonw *w = sf_stream_record(stream, SF_K_DEVICE);

	sf_jsonw_kcstr(w, "mode", modes[d->mode]);
	put_parameters(w, d->device.name, &sf_device_keys, &d->device);
	sf_jsonw_kint(w, "devices", d->devices);
	sf_jsonw_kdouble(w, "flops_per_s", d->rates.flops_per_s);
	sf_jsonw_kdouble(w, "bytes_per_s", d->rates.bytes_per_s);
	sf_jsonw_kcstr(w, "memory", sf_memory_modes[d->memory]);
	sf_jsonw_kdouble(w, "op_overhead_s", d->overhead_s);
	put_true(w, "ideal", d->ideal);
	put_true(w, "operands", d->operands);
	put_true(w, "tf32", d->tf32);
	if (d->mode == SF_MODE_OFFLOAD) {
		put_part(w, "host", d->host.name, &sf_device_keys, &d->host);
		put_part(w, "link", d->link.name, &sf_link_keys, &d->link);
		sf_jsonw_kstr(w, "supports", d->supports);
	}
	sf_stream_put(stream);
}

/* ---- reading ---- */

/* An offload has the last three. */
static const struct sf_member own_rows[] = {
	SF_MEMBER_WORD("mode", struct sf_device_record, mode, SF_ALWAYS, modes),
	SF_MEMBER_INT(
	    "devices", struct sf_device_record, devices, SF_ALWAYS, 1, 1000000),
	SF_MEMBER_DOUBLE("flops_per_s", struct sf_device_record,
	    rates.flops_per_s, SF_ALWAYS, SF_RATE_LEAST, SF_RATE_MOST),
	SF_MEMBER_DOUBLE("bytes_per_s", struct sf_device_record,
	    rates.bytes_per_s, SF_ALWAYS, SF_RATE_LEAST, SF_RATE_MOST),
	SF_MEMBER_WORD("memory", struct sf_device_record, memory, SF_ALWAYS,
	    sf_memory_modes),
	SF_MEMBER_DOUBLE("op_overhead_s", struct sf_device_record, overhead_s,
	    SF_ALWAYS, 0, 1e6),
	SF_MEMBER_TRUE("ideal", struct sf_device_record, ideal, SF_OPTIONAL),
	SF_MEMBER_TRUE(
	    "operands", struct sf_device_record, operands, SF_OPTIONAL),
	SF_MEMBER_TRUE("tf32", struct sf_device_record, tf32, SF_OPTIONAL),
	SF_MEMBER_TEXT("supports", struct sf_device_record, supports, SF_GROUP),
};

enum {
	OWN = sizeof own_rows / sizeof own_rows[0]
};

/* The name of a configuration, and its parameters; their struct is at AT. */
static struct sf_members *
part_of(const char *what, const struct sf_keys *keys, size_t at, size_t name,
    struct sf_arena *arena)
{
	static const struct sf_key key = { .name = "name",
		.type = SF_KEY_TEXT };
	const struct sf_keys name_keys = { .rows = &key, .n = 1 };
	struct sf_members *part = sf_arena_calloc(arena, 1, sizeof *part);
	int n = (int)keys->n + 1;
	struct sf_member *rows =
	    sf_arena_calloc(arena, (size_t)n, sizeof *rows);

	sf_keys_rows(&name_keys, at + name, arena, rows);
	sf_keys_rows(keys, at, arena, rows + 1);
	*part = (struct sf_members){ what, rows, n };
	return part;
}

#define PART_OF(what, keys, field, type, arena)                       \
	part_of(what, keys, offsetof(struct sf_device_record, field), \
	    offsetof(struct type, name), arena)

/* The whole record: the device's parameters are members of it itself. */
static struct sf_members
all_members(struct sf_arena *arena)
{
	const struct sf_members *device =
	    PART_OF("device", &sf_device_keys, device, sf_device, arena);
	const struct sf_members *host =
	    PART_OF("host", &sf_device_keys, host, sf_device, arena);
	const struct sf_members *link =
	    PART_OF("link", &sf_link_keys, link, sf_link, arena);
	const struct sf_member parts[] = {
		SF_MEMBER_PART("host", SF_GROUP, host),
		SF_MEMBER_PART("link", SF_GROUP, link),
	};
	int n = OWN + device->n + 2;
	struct sf_member *rows =
	    sf_arena_calloc(arena, (size_t)n, sizeof *rows);

	memcpy(rows, own_rows, sizeof own_rows);
	memcpy(rows + OWN, device->rows, (size_t)device->n * sizeof *rows);
	memcpy(rows + OWN + device->n, parts, sizeof parts);
	return (struct sf_members){ "device", rows, n };
}

void
sf_device_record_read(
    struct sf_stream *stream, struct sf_arena *keep, struct sf_device_record *d)
{
	const struct sf_members members =
	    all_members(sf_stream_record_arena(stream));

	*d = (struct sf_device_record){ .supports = SF_STR("") };
	sf_keys_init(&sf_device_keys, &d->device);
	sf_keys_init(&sf_device_keys, &d->host);
	sf_keys_init(&sf_link_keys, &d->link);
	sf_record_read(stream, &members, keep, d);
	if (d->mode == SF_MODE_OFFLOAD && d->supports.n == 0)
		sf_stream_die(stream,
		    "device: 'supports' is missing, expected it with 'host' "
		    "and 'link' in an offload");
}
