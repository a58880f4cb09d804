/* Which kind of file it is, and the trace around its operators. */
#include "dispatch/dispatch.h"

#include "base/die.h"
#include "dispatch/et-op.h"
#include "dispatch/et.h"
#include "dispatch/kineto.h"
#include "stream/foreign-file.h"
#include "stream/trace.h"

struct source {
	struct sf_stream *stream;
	struct sf_arena *arena;
	struct sf_rulebook *book;
	struct sf_call_names *names;
	struct sf_et et;
	struct sf_kineto kineto;
	bool is_et, is_kineto;
	const char *name;
	uint32_t crc32;
	bool regular;
};

/* ---- the first reading ---- */

static bool
read_member(struct source *s, struct sf_pieces *pieces, struct sf_str key,
    struct sf_error *error)
{
	struct sf_json scan;

	if (SF_KEY(key, "schema"))
		return sf_et_read_version(&s->et, pieces, error);
	if (SF_KEY(key, "nodes")) {
		s->is_et = true;
		return sf_et_read_nodes(&s->et, pieces, error);
	}
	if (SF_KEY(key, "traceEvents")) {
		s->is_kineto = true;
		return sf_pieces_enter(pieces, error) &&
		    sf_kineto_read_events(&s->kineto, pieces, error);
	}
	if (SF_KEY(key, "distributedInfo"))
		return sf_kineto_read_ranks(&s->kineto, pieces, error);
	if (SF_KEY(key, "deviceProperties"))
		return sf_kineto_read_devices(&s->kineto, pieces, error);
	return sf_pieces_value(pieces, &scan, s->arena, error);
}

static bool
read_file(struct source *s, struct sf_pieces *pieces, struct sf_error *error)
{
	struct sf_str key;

	if (pieces->open == '[') {
		s->is_kineto = true;
		return sf_kineto_read_events(&s->kineto, pieces, error);
	}
	while (!s->et.cut && sf_pieces_member(pieces, &key, error))
		if (!read_member(s, pieces, key, error))
			return false;
	if (error->text[0] != '\0')
		return false;
	if (s->is_et != s->is_kineto)
		return true;
	return sf_fail(error,
	    "%s:%lld: found %s, expected an execution trace, "
	    "which has nodes, or a profiler's trace, which "
	    "has traceEvents",
	    s->name, (long long)pieces->line, s->is_et ? "both" : "neither");
}

static void
load(struct source *s, const char *path)
{
	struct sf_input *input = sf_input_open(path);
	struct sf_pieces pieces;
	struct sf_error error;
	bool fine;

	s->name = sf_arena_strdup(s->arena, sf_input_name(input));
	sf_input_sum(input);
	fine = sf_pieces_open(&pieces, input, &error) &&
	    read_file(s, &pieces, &error);
	if (fine && s->is_et)
		fine = sf_et_finish(&s->et, s->name, &error);
	if (!fine)
		sf_die(SF_EX_INPUT, "%s%s", error.text,
		    sf_foreign_file(path, "sf-dispatch", s->arena));
	s->crc32 = sf_input_crc32(input);
	s->regular = sf_input_file_bytes(input) >= 0 && strcmp(path, "-") != 0;
	sf_pieces_release(&pieces);
	sf_input_close(input);
}

/* ---- the trace ---- */

/* The file's name without directory, ".gz" and ".json". */
static struct sf_str
model_name(const char *path)
{
	static const char *const tails[] = { ".gz", ".json", ".pt.trace" };
	struct sf_str name =
	    sf_str_of(strcmp(path, "-") == 0 ? "stdin" : sf_path_base(path));

	for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
		size_t n = strlen(tails[i]);

		if (name.n > n && memcmp(name.p + name.n - n, tails[i], n) == 0)
			name.n -= n;
	}
	return name;
}

/* TEXT as JSON, for a member of the tool record. */
static struct sf_str
as_json(struct source *s, struct sf_str text)
{
	struct sf_jsonw w = { 0 };
	struct sf_str json;

	sf_jsonw_str(&w, text);
	json = sf_str_of(sf_arena_strndup(s->arena, w.buf.p, w.buf.n));
	sf_buf_release(&w.buf);
	return json;
}

static void
begin(struct source *s, const char *path)
{
	struct sf_workload_item items[2];
	struct sf_trace trace = { .model = model_name(path),
		.route = SF_STR("dispatch"),
		.workload = items,
		.params_count = -1 };

	if (s->kineto.rank >= 0)
		items[trace.nworkload++] =
		    (struct sf_workload_item){ "rank", s->kineto.rank };
	if (s->kineto.world_size >= 0)
		items[trace.nworkload++] =
		    (struct sf_workload_item){ "world_size",
			    s->kineto.world_size };
	if (strcmp(path, "-") != 0)
		sf_stream_add_input(s->stream, path, s->crc32);
	sf_stream_add_tool_member(s->stream, "source",
	    s->is_et ? SF_STR("\"execution trace\"") : SF_STR("\"profiler\""));
	if (s->is_et && s->et.version.n != 0)
		sf_stream_add_tool_member(
		    s->stream, "schema", as_json(s, s->et.version));
	if (s->is_kineto)
		sf_stream_add_tool_member(s->stream, "measured",
		    s->kineto.launches.nkernels != 0 ? SF_STR("\"device\"")
						     : SF_STR("\"host\""));
	if (s->kineto.device.n != 0)
		sf_stream_add_tool_member(
		    s->stream, "device", as_json(s, s->kineto.device));
	sf_trace_begin(s->stream, &trace);
}

static void
note_et(struct source *s)
{
	if (s->et.cut) {
		sf_stream_note(s->stream,
		    "the file ends behind a node: the process died, and what "
		    "had not ended by then is missing");
		sf_note("%s: the file ends behind node %zu: the process died",
		    s->name, s->et.n);
	}
	if (s->et.regions != 0)
		sf_stream_note(s->stream,
		    "kernels that a compiler fused on the CPU leave no node: "
		    "the %lld compiled regions may have done more than is here",
		    (long long)s->et.regions);
	sf_stream_note(s->stream,
	    "an execution trace does not say which tensors are parameters");
}

static void
note_kineto(struct source *s)
{
	const struct sf_kineto *k = &s->kineto;
	int64_t lone = (int64_t)k->launches.nkernels - k->kernels;

	sf_stream_note(s->stream,
	    "a profiler's trace says neither what operators give nor which "
	    "tensor is which, nor which are parameters: a result is there "
	    "where it follows from the operator and what it was given, and "
	    "every tensor has a name of its own");
	if (k->shapeless != 0)
		sf_stream_note(s->stream,
		    "%lld operators were recorded without shapes",
		    (long long)k->shapeless);
	if (k->threads.n > 1)
		sf_stream_note(s->stream,
		    "operators of different threads stand as the file has "
		    "them, which may be one thread after the other");
	if (lone != 0)
		sf_stream_note(s->stream,
		    "%lld of %zu kernels and copies, %.6g of %.6g s, ran for "
		    "no operator",
		    (long long)lone, k->launches.nkernels,
		    k->launches.all_us * 1e-6 - k->kernels_s,
		    k->launches.all_us * 1e-6);
}

void
sf_dispatch_write(struct sf_stream *stream, const char *path)
{
	struct source s = { .stream = stream, .arena = sf_arena_new() };

	s.book = sf_rulebook_new(s.arena);
	s.names = sf_call_names_new(s.arena, s.book);
	sf_et_init(&s.et, s.arena, s.names);
	sf_kineto_init(&s.kineto, s.arena, s.names);
	load(&s, path);
	if (s.is_kineto && !s.regular)
		sf_die(SF_EX_INPUT,
		    "%s: a profiler's trace is read twice, expected a file",
		    s.name);
	begin(&s, path);
	if (s.is_et) {
		sf_et_write(&s.et, s.name, stream);
		note_et(&s);
	} else {
		sf_kineto_write(&s.kineto, path, stream);
		note_kineto(&s);
	}
	sf_trace_end(stream);
	sf_stream_forget(stream);
	sf_kineto_release(&s.kineto);
	sf_et_release(&s.et);
	sf_call_names_release(s.names);
	sf_rulebook_release(s.book);
	sf_arena_free(s.arena);
}
