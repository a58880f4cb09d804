/* From programs to the records of traces. */
#include "export/export-source.h"

#include "export/walk.h"
#include "stream/foreign-file.h"
#include "stream/trace.h"

enum {
	NEWEST_MAJOR = 8
};

/* "net.pt2" is "net"; a program that the writer named follows. */
static struct sf_str
model_name(const char *path, struct sf_str program, struct sf_arena *arena)
{
	struct sf_str name = sf_str_of(sf_path_base(path));

	if (name.n > 4 && memcmp(name.p + name.n - 4, ".pt2", 4) == 0)
		name.n -= 4;
	else if (name.n > 5 && memcmp(name.p + name.n - 5, ".json", 5) == 0)
		name.n -= 5;
	if (sf_str_is(program, "model"))
		return name;
	return sf_str_of(sf_arena_printf(
	    arena, "%.*s/%.*s", SF_STR_ARG(name), SF_STR_ARG(program)));
}

/* The batch, which the first input shows, and the symbols that have a size. */
static int
workload_of(const struct sf_export_walk *walk, struct sf_workload_item *items)
{
	const struct sf_tensor *first = walk->first_input;
	const struct sf_table *names = &walk->symbols.names;
	int n = 0;

	if (first != NULL && first->rank > 0 &&
	    first->shape[0] != SF_DIM_UNKNOWN &&
	    sf_table_find(names, SF_STR("batch")) == NULL)
		items[n++] =
		    (struct sf_workload_item){ "batch", first->shape[0] };
	for (size_t i = 0; i < names->n; i++) {
		const struct sf_export_symbol *symbol = names->order[i]->ptr;

		if (symbol->known)
			items[n++] =
			    (struct sf_workload_item){ names->order[i]->name.p,
				    symbol->value };
	}
	return n;
}

/* Tells whoever reads the stream, and the user. */
static void
note(struct sf_stream *stream, const char *text)
{
	sf_stream_note(stream, "%s", text);
	sf_note("%s", text);
}

static void
put_notes(struct sf_stream *stream, const struct sf_export_walk *walk)
{
	struct sf_arena *arena = walk->arena;

	if (walk->choices->nassumed != 0)
		note(stream, sf_choices_note(walk->choices));
	if (walk->program->major > NEWEST_MAJOR)
		note(stream,
		    sf_arena_printf(arena,
			"the program is of schema %lld, and %d is the newest "
			"that is known",
			(long long)walk->program->major, NEWEST_MAJOR));
	if (walk->nshared != 0)
		note(stream,
		    sf_arena_printf(arena,
			"%lld of %lld parameters, which nothing reads and "
			"the file has no bytes of, are taken for other names "
			"of later ones; the first: %s",
			(long long)walk->nshared, (long long)walk->nparams,
			walk->shared));
	if (walk->nopen != 0)
		note(stream,
		    sf_arena_printf(arena,
			"%lld of %lld operators are not resolved; the first: "
			"%s",
			(long long)walk->nopen, (long long)walk->nops,
			walk->open));
}

static void
put_trace(struct sf_stream *stream, const struct sf_export_walk *walk,
    struct sf_str name)
{
	struct sf_workload_item *items = sf_arena_calloc(
	    walk->arena, walk->symbols.names.n + 2, sizeof *items);
	struct sf_trace trace = { .model = name,
		.route = SF_STR("export"),
		.workload = items,
		.params_count = walk->params_count,
		.params_bytes = walk->params_bytes };

	trace.nworkload = workload_of(walk, items);
	sf_trace_begin(stream, &trace);
	put_notes(stream, walk);
	for (int64_t i = 0; i < walk->nops; i++)
		sf_op_put(stream, &walk->ops[i]);
	sf_trace_end(stream);
}

/* Which PyTorch wrote the file, and in which schema. */
static void
add_provenance(struct sf_stream *stream, const char *path, uint32_t crc32,
    const struct sf_export_program *program)
{
	struct sf_arena *arena = sf_stream_arena(stream);
	struct sf_jsonw w = { .comma = false };

	sf_stream_add_input(stream, path, crc32);
	if (program->torch_version.n != 0) {
		sf_jsonw_str(&w, program->torch_version);
		sf_stream_add_tool_member(stream, "torch",
		    (struct sf_str){
			sf_arena_strndup(arena, w.buf.p, w.buf.n), w.buf.n });
	}
	sf_stream_add_tool_member(stream, "schema",
	    sf_str_of(program->minor < 0
		    ? sf_arena_printf(
			  arena, "\"%lld\"", (long long)program->major)
		    : sf_arena_printf(arena, "\"%lld.%lld\"",
			  (long long)program->major,
			  (long long)program->minor)));
	sf_buf_release(&w.buf);
}

void
sf_export_write(
    struct sf_stream *stream, const struct sf_export_request *request)
{
	struct sf_arena *arena = sf_stream_arena(stream);
	const char *path = request->path;
	struct sf_export_program *programs;
	struct sf_export_walk *walks;
	struct sf_export_file file;
	struct sf_choices choices;
	struct sf_error error;
	uint32_t crc32 = 0;
	bool io;

	if (!sf_choices_init(
		&choices, request->branches, request->trips, arena, &error))
		sf_die(SF_EX_USAGE, "%s", error.text);
	choices.nouns[SF_CHOICE_BRANCH] = "cond";
	if (!sf_export_open(&file, path, arena, &error, &io))
		sf_die(io ? SF_EX_IO : SF_EX_INPUT, "%s: %s%s", path,
		    error.text,
		    io ? "" : sf_foreign_file(path, "sf-export", arena));
	programs = sf_arena_calloc(arena, (size_t)file.n, sizeof *programs);
	walks = sf_arena_calloc(arena, (size_t)file.n, sizeof *walks);
	/* All are read before anything is written: one is wrong, all are. */
	for (int i = 0; i < file.n; i++) {
		if (!sf_export_read(&file, i, &programs[i], arena, &error))
			sf_die(SF_EX_INPUT, "%s: %s%s", path, error.text,
			    sf_foreign_file(path, "sf-export", arena));
		crc32 ^= programs[i].crc32;
		if (!sf_export_walk(&walks[i], &programs[i], &request->dims,
			&choices, arena, &error))
			sf_die(
			    walks[i].symbols.blame ? SF_EX_USAGE : SF_EX_INPUT,
			    "%s: %.*s%s%s", path,
			    SF_STR_ARG(programs[i].member),
			    programs[i].member.n != 0 ? ": " : "", error.text);
	}
	if (!sf_choices_check(&choices, &error))
		sf_die(SF_EX_USAGE, "%s: %s", path, error.text);
	add_provenance(stream, path, crc32, &programs[0]);
	sf_choices_record(&choices, stream);
	for (int i = 0; i < file.n; i++) {
		put_trace(stream, &walks[i],
		    model_name(path, programs[i].name, arena));
		sf_export_walk_release(&walks[i]);
		sf_export_release(&programs[i]);
	}
	sf_choices_release(&choices);
	sf_export_close(&file);
}
