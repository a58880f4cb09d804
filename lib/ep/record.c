/* The partition in the stream: both records by one table of members. */
#include "ep/record.h"

#include <float.h>

const char *const sf_ep_sides[] = { "none", "device", "host", NULL };

enum type {
	TEXT,
	TEXTS,
	CATEGORIES, /* a set of bits */
	SIDE,       /* enum sf_ep_side */
	ENGINE,     /* enum sf_engine_id */
	COUNT,
	SECONDS, /* >= 0 */
	RATE,    /* > 0 */
};

/* A member, in the record itself or in an object of it. */
struct row {
	const char *object, *name;
	enum type type;
	bool optional;
	size_t offset;
};

#define OF_OP(name, type, optional)                                        \
	{                                                                  \
		"", #name, type, optional, offsetof(struct sf_ep_op, name) \
	}

static const struct row op_rows[] = {
	OF_OP(side, SIDE, false),
	OF_OP(subgraph, COUNT, true),
	OF_OP(crossings, COUNT, false),
	OF_OP(crossing_bytes, COUNT, false),
};

#define OF_RESULT(name, type, optional)                                        \
	{                                                                      \
		"", #name, type, optional, offsetof(struct sf_ep_result, name) \
	}
#define OF_PART(object, name, type)                            \
	{                                                      \
#object, #name, type, false,                   \
		    offsetof(struct sf_ep_result, object.name) \
	}

static const struct row result_rows[] = {
	OF_RESULT(claim, TEXTS, false),
	OF_RESULT(not_in_trace, TEXTS, false),
	OF_RESULT(categories, CATEGORIES, true),
	OF_RESULT(preset, TEXT, false),
	OF_RESULT(settings, TEXTS, false),
	OF_RESULT(engine, ENGINE, false),
	OF_PART(host, name, TEXT),
	OF_PART(host, flops_per_s, RATE),
	OF_PART(host, bytes_per_s, RATE),
	OF_PART(link, name, TEXT),
	OF_PART(link, bytes_per_s, RATE),
	OF_PART(link, latency_s, SECONDS),
	OF_RESULT(claimed, COUNT, false),
	OF_RESULT(subgraphs, COUNT, false),
	OF_RESULT(cut_edges, COUNT, false),
	OF_RESULT(crossings, COUNT, false),
	OF_RESULT(crossing_bytes, COUNT, false),
	OF_RESULT(tiles, COUNT, false),
	OF_RESULT(device_s, SECONDS, false),
	OF_RESULT(host_s, SECONDS, false),
	OF_RESULT(link_s, SECONDS, false),
};

struct rows {
	const struct row *v;
	int n;
};

static const struct rows of_op = { op_rows,
	sizeof op_rows / sizeof op_rows[0] };
static const struct rows of_result = { result_rows,
	sizeof result_rows / sizeof result_rows[0] };

/* ---- writing ---- */

static void
write_texts(struct sf_jsonw *w, const struct sf_texts *texts)
{
	sf_jsonw_open(w, '[');
	for (size_t i = 0; i < texts->n; i++)
		sf_jsonw_str(w, texts->v[i]);
	sf_jsonw_close(w, ']');
}

static void
write_categories(struct sf_jsonw *w, uint32_t set)
{
	sf_jsonw_open(w, '[');
	for (int c = 0; c < SF_CAT_COUNT; c++)
		if ((set >> c & 1) != 0)
			sf_jsonw_cstr(w, sf_category_name((enum sf_category)c));
	sf_jsonw_close(w, ']');
}

static void
write_value(struct sf_jsonw *w, enum type type, const void *field)
{
	switch (type) {
	case TEXT:
		sf_jsonw_str(w, *(const struct sf_str *)field);
		break;
	case TEXTS:
		write_texts(w, field);
		break;
	case CATEGORIES:
		write_categories(w, *(const uint32_t *)field);
		break;
	case SIDE:
		sf_jsonw_cstr(w, sf_ep_sides[*(const enum sf_ep_side *)field]);
		break;
	case ENGINE:
		sf_jsonw_cstr(
		    w, sf_engine_names[*(const enum sf_engine_id *)field]);
		break;
	case COUNT:
		sf_jsonw_int(w, *(const int64_t *)field);
		break;
	case SECONDS:
	case RATE:
		sf_jsonw_double(w, *(const double *)field);
		break;
	}
}

/* All members of OWNER but SKIP. */
static void
write_rows(struct sf_jsonw *w, const struct rows *rows, const void *owner,
    const char *skip)
{
	const char *object = "";

	for (int i = 0; i < rows->n; i++) {
		const struct row *row = &rows->v[i];

		if (skip != NULL && strcmp(row->name, skip) == 0)
			continue;
		if (strcmp(row->object, object) != 0) {
			if (*object != '\0')
				sf_jsonw_close(w, '}');
			object = row->object;
			if (*object != '\0') {
				sf_jsonw_key(w, object);
				sf_jsonw_open(w, '{');
			}
		}
		sf_jsonw_key(w, row->name);
		write_value(w, row->type, (const char *)owner + row->offset);
	}
}

void
sf_ep_op_write(struct sf_jsonw *w, const struct sf_ep_op *ep)
{
	sf_jsonw_key(w, "ep");
	sf_jsonw_open(w, '{');
	write_rows(w, &of_op, ep, ep->subgraph < 0 ? "subgraph" : NULL);
	sf_jsonw_close(w, '}');
}

void
sf_ep_result_put(struct sf_stream *stream, const struct sf_ep_result *result)
{
	struct sf_jsonw *w = sf_stream_record(stream, SF_K_PARTITION);

	write_rows(
	    w, &of_result, result, result->by_node ? "categories" : NULL);
	sf_stream_put(stream);
}

/* ---- reading ---- */

/* What a reader goes by. */
struct reading {
	struct sf_json *scan;
	struct sf_arena *arena; /* takes text */
	const struct rows *rows;
	void *owner;
	uint32_t seen; /* one bit a row */
};

static struct sf_str
keep(struct reading *r, struct sf_str text)
{
	return (struct sf_str){ sf_arena_strndup(r->arena, text.p, text.n),
		text.n };
}

static void
read_texts(struct reading *r, struct sf_texts *texts)
{
	struct sf_buf all = { 0 };

	sf_json_enter(r->scan, '[');
	while (sf_json_element(r->scan)) {
		struct sf_str text = keep(r, sf_json_string(r->scan));

		sf_buf_put(&all, &text, sizeof text);
	}
	texts->n = all.n / sizeof *texts->v;
	texts->v = sf_arena_calloc(r->arena, texts->n + 1, sizeof *texts->v);
	if (texts->n != 0)
		memcpy(texts->v, all.p, all.n);
	sf_buf_release(&all);
}

static uint32_t
read_categories(struct reading *r)
{
	uint32_t set = 0;

	sf_json_enter(r->scan, '[');
	while (sf_json_element(r->scan)) {
		enum sf_category c = sf_category_parse(sf_json_string(r->scan));

		if (c == SF_CAT_COUNT)
			sf_json_fail(r->scan, "a word that is no category");
		else
			set |= UINT32_C(1) << c;
	}
	return set;
}

static int
read_word(struct reading *r, const char *const *words)
{
	struct sf_str word = sf_json_string(r->scan);

	for (int i = 0; words[i] != NULL; i++)
		if (sf_str_is(word, words[i]))
			return i;
	sf_json_fail(r->scan, "a word that this version does not know");
	return 0;
}

static void
read_number(struct reading *r, enum type type, double *x)
{
	*x = sf_json_double(r->scan);
	if (type == RATE && !(*x > 0 && *x <= DBL_MAX))
		sf_json_fail(r->scan, "expected a number above 0");
	else if (!(*x >= 0 && *x <= DBL_MAX))
		sf_json_fail(r->scan, "expected a number >= 0");
}

static void
read_value(struct reading *r, enum type type, void *field)
{
	switch (type) {
	case TEXT:
		*(struct sf_str *)field = keep(r, sf_json_string(r->scan));
		break;
	case TEXTS:
		read_texts(r, field);
		break;
	case CATEGORIES:
		*(uint32_t *)field = read_categories(r);
		break;
	case SIDE:
		*(enum sf_ep_side *)field =
		    (enum sf_ep_side)read_word(r, sf_ep_sides);
		break;
	case ENGINE:
		*(enum sf_engine_id *)field =
		    (enum sf_engine_id)read_word(r, sf_engine_names);
		break;
	case COUNT:
		*(int64_t *)field = sf_json_int(r->scan);
		if (*(int64_t *)field < 0)
			sf_json_fail(r->scan, "expected an integer >= 0");
		break;
	case SECONDS:
	case RATE:
		read_number(r, type, field);
		break;
	}
}

/* True when some row of the record is a member of that object. */
static bool
is_object(const struct reading *r, struct sf_str key)
{
	for (int i = 0; i < r->rows->n; i++)
		if (key.n != 0 && sf_str_is(key, r->rows->v[i].object))
			return true;
	return false;
}

static void
read_row(struct reading *r, int i)
{
	const struct row *row = &r->rows->v[i];

	if ((r->seen >> i & 1) != 0)
		sf_json_fail(r->scan, "a member that was there already");
	r->seen |= UINT32_C(1) << i;
	read_value(r, row->type, (char *)r->owner + row->offset);
}

/* The members of an object of the record; others are passed over. */
static void
read_members(struct reading *r, struct sf_str object)
{
	struct sf_str key;
	int i;

	while (sf_json_member(r->scan, &key)) {
		for (i = 0; i < r->rows->n; i++)
			if (sf_str_is(key, r->rows->v[i].name) &&
			    sf_str_is(object, r->rows->v[i].object))
				break;
		if (i < r->rows->n) {
			read_row(r, i);
		} else if (object.n == 0 && is_object(r, key)) {
			sf_json_enter(r->scan, '{');
			read_members(r, key);
		} else {
			sf_json_skip(r->scan);
		}
	}
}

/* The first row that must be there and is not; NULL when all are. */
static const struct row *
first_missing(const struct reading *r)
{
	for (int i = 0; i < r->rows->n; i++)
		if (!r->rows->v[i].optional && (r->seen >> i & 1) == 0)
			return &r->rows->v[i];
	return NULL;
}

static bool
has(const struct reading *r, const char *name)
{
	for (int i = 0; i < r->rows->n; i++)
		if (strcmp(r->rows->v[i].name, name) == 0)
			return (r->seen >> i & 1) != 0;
	return false;
}

void
sf_ep_op_read(
    struct sf_stream *stream, const struct sf_op *op, struct sf_ep_op *ep)
{
	struct sf_json scan = { .p = op->ep.p,
		.start = op->ep.p,
		.arena = sf_stream_record_arena(stream) };
	struct reading r = {
		.scan = &scan, .arena = scan.arena, .rows = &of_op, .owner = ep
	};
	const struct row *missing;

	*ep = (struct sf_ep_op){ .subgraph = -1 };
	sf_json_enter(&scan, '{');
	read_members(&r, SF_STR(""));
	if (scan.error != NULL)
		sf_op_die(stream, op, "ep: %s", scan.error);
	missing = first_missing(&r);
	if (missing != NULL)
		sf_op_die(stream, op, "ep: no '%s'", missing->name);
}

void
sf_ep_result_read(struct sf_stream *stream, struct sf_arena *arena,
    struct sf_ep_result *result)
{
	struct sf_json scan = sf_stream_scan(stream);
	struct reading r = { .scan = &scan,
		.arena = arena,
		.rows = &of_result,
		.owner = result };
	const struct row *missing;

	*result = (struct sf_ep_result){ 0 };
	read_members(&r, SF_STR(""));
	sf_stream_check(stream, &scan);
	missing = first_missing(&r);
	if (missing != NULL)
		sf_stream_die(stream, "partition: no '%s%s%s'", missing->object,
		    *missing->object != '\0' ? "." : "", missing->name);
	result->by_node = !has(&r, "categories");
}

double
sf_ep_total_s(const struct sf_ep_result *r)
{
	return r->device_s + r->host_s + r->link_s;
}
