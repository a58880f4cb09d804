/* The stages of sf-compile, one after the other. */
#include "compile/compile-source.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "compile/compile-emit.h"
#include "compile/log-files.h"
#include "compile/log-index.h"
#include "compile/log-inputs.h"
#include "stream/foreign-file.h"

/* A log, or the lines of one rank in it. */
struct part {
	const char *path;
	int64_t rank; /* of its lines; -1: those without */
	uint32_t crc32;
	struct sf_log_index index;
};

struct source {
	struct sf_stream *stream;
	const struct sf_compile_request *request;
	struct sf_arena *arena, *graph_arena;
	struct sf_rulebook *rules;
	struct sf_table dims;  /* as given */
	struct sf_table asked; /* symbols that sizes are made of */
	struct sf_str model;
	struct part *parts;
	int nparts, room;
	/* While a part is written. */
	struct part *part;
	struct sf_log log;
	struct sf_table inputs; /* struct sf_log_inputs by compilation */
	int64_t rank;
	struct sf_compile_open open;
};

/* ---- what is asked ---- */

static void
take_dims(struct source *s)
{
	for (size_t i = 0; i < s->request->dims.n; i++) {
		const char *text = s->request->dims.v[i];
		const char *equals = strrchr(text, '=');
		int64_t size;

		if (equals == NULL || equals == text ||
		    !sf_int_parse(equals + 1, strlen(equals + 1), &size) ||
		    size < 0)
			sf_die(SF_EX_USAGE,
			    "option '--dim': found '%s', expected NAME=N with "
			    "N >= 0",
			    text);
		sf_table_add(
		    &s->dims, (struct sf_str){ text, (size_t)(equals - text) })
		    ->num = size;
	}
}

/* A file's name without what says that it is a log. */
static struct sf_str
model_name(const char *path)
{
	static const char *const ends[] = { "/", ".gz", ".log", ".txt", ".py" };
	struct sf_str name = sf_str_of(path);

	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		size_t n = strlen(ends[i]);

		while (
		    name.n > n && memcmp(name.p + name.n - n, ends[i], n) == 0)
			name.n -= n;
	}
	for (size_t i = name.n; i > 0; i--)
		if (name.p[i - 1] == '/') {
			name.p += i;
			name.n -= i;
			break;
		}
	return name.n == 1 && name.p[0] == '-' ? SF_STR("stdin") : name;
}

/* ---- which graphs ---- */

static struct part *
add_part(struct source *s, const char *path, int64_t rank)
{
	if (s->nparts == s->room) {
		s->room = s->room != 0 ? s->room * 2 : 8;
		s->parts = sf_reallocarray(
		    s->parts, (size_t)s->room, sizeof *s->parts);
	}
	s->parts[s->nparts] = (struct part){ .path = path, .rank = rank };
	return &s->parts[s->nparts++];
}

static void
index_part(struct source *s, struct sf_log *log, struct part *part)
{
	struct sf_error error;

	if (!sf_log_index_make(&part->index, log, s->request->stage, &error))
		sf_die(SF_EX_INPUT, "%s", error.text);
	part->crc32 = log->crc32;
}

/* The lines of several processes may be mixed in one log for people. */
static void
index_file(struct source *s, const char *path)
{
	struct sf_log *log = &s->log;
	bool tabular;
	int64_t line;

	sf_log_open(log, path);
	index_part(s, log, add_part(s, path, -1));
	tabular = log->tabular;
	line = log->tabular_line;
	for (int64_t rank = 0; rank < 256; rank++) {
		if ((log->ranks[rank / 64] >> (rank % 64) & 1) == 0)
			continue;
		sf_log_rewind(log, rank);
		index_part(s, log, add_part(s, path, rank));
	}
	if (!tabular && log->tabular) {
		tabular = true;
		line = log->tabular_line;
	}
	for (int i = 0; i < s->nparts; i++)
		tabular = tabular && s->parts[i].index.n == 0;
	if (tabular)
		sf_die(SF_EX_INPUT,
		    "%s:%lld: found a graph as a table, which has no shapes, "
		    "expected one as Python (TORCH_LOGS=graph_code, "
		    "aot_graphs)",
		    log->path, (long long)line);
}

static void
check_chosen(const struct source *s)
{
	int64_t chosen = 0, breaks = 0, stages[SF_LOG_STAGES] = { 0 };

	for (int i = 0; i < s->nparts; i++) {
		const struct sf_log_index *index = &s->parts[i].index;

		chosen += index->chosen;
		breaks += index->breaks;
		for (int k = 0; k < SF_LOG_STAGES; k++)
			stages[k] += index->stages[k];
	}
	if (chosen != 0)
		return;
	if (stages[0] + stages[1] + stages[2] != 0)
		sf_die(SF_EX_INPUT,
		    "%s: found no graph of %s%s; it has %lld of dynamo, %lld "
		    "of aot, %lld of post-grad",
		    s->request->path,
		    s->request->stage < 0 ? "a whole compilation"
					  : "the stage ",
		    s->request->stage < 0 ? ""
					  : sf_log_stages[s->request->stage],
		    (long long)stages[0], (long long)stages[1],
		    (long long)stages[2]);
	if (breaks != 0)
		sf_die(SF_EX_INPUT, "%s: found %lld graph breaks and no graph",
		    s->request->path, (long long)breaks);
	sf_die(SF_EX_INPUT,
	    "%s: found no graph, expected a log of TORCH_TRACE or TORCH_LOGS, "
	    "or what print_readable writes%s",
	    s->request->path,
	    sf_foreign_file(s->request->path, "sf-compile", s->arena));
}

/* ---- writing them ---- */

SF_NORETURN static void
die_at(const struct source *s, const struct sf_fx_text *text, int64_t line,
    const struct sf_log_entry *entry, const struct sf_error *error)
{
	int64_t at = text->nlines == 0
	    ? entry->line
	    : text->lines[line < text->nlines ? line : text->nlines - 1];

	sf_die(SF_EX_INPUT, "%s:%lld: graph%s%.*s: %s", s->log.path,
	    (long long)at, entry->id.n != 0 ? " " : "", SF_STR_ARG(entry->id),
	    error->text);
}

static struct sf_log_inputs *
inputs_of(struct source *s, struct sf_str id)
{
	struct sf_entry *e = sf_table_add(&s->inputs, id);

	if (e->ptr == NULL)
		e->ptr = sf_log_inputs_new();
	return e->ptr;
}

/* Dynamo's graph tells of the inputs of those that are written. */
static void
take_inputs(struct source *s, const struct sf_log_entry *entry)
{
	struct sf_fx_text text = sf_log_payload(&s->log);
	struct sf_fx_graph graph;
	struct sf_error error;
	int64_t line;

	if (!sf_fx_graph_parse_inputs(
		&graph, text.text, s->graph_arena, &line, &error))
		die_at(s, &text, line, entry, &error);
	sf_log_inputs_take(inputs_of(s, entry->id), &graph);
}

static void
keep_asked(struct source *s, const struct sf_fx_symbols *symbols)
{
	const struct sf_table *from[] = { &symbols->used, &symbols->open };

	for (int i = 0; i < 2; i++)
		for (size_t k = 0; k < from[i]->n; k++)
			sf_table_add(&s->asked, from[i]->order[k]->name);
}

static void
write_parsed(struct source *s, const struct sf_log_entry *entry,
    const struct sf_fx_text *text, const struct sf_fx_graph *graph)
{
	struct sf_log_inputs *inputs = inputs_of(s, entry->id);
	struct sf_fx_symbols symbols = { &s->dims, &inputs->symbols,
		{ .arena = NULL }, { .arena = NULL } };
	struct sf_fx_program program = {
		.arena = s->graph_arena, .rules = s->rules, .symbols = &symbols
	};
	bool *params = sf_arena_calloc(
	    s->graph_arena, (size_t)graph->top->ninputs + 1, sizeof *params);
	struct sf_error error;
	int64_t line = 0;
	bool said;

	if (entry->graph == SF_LOG_DYNAMO)
		sf_log_inputs_take(inputs, graph);
	sf_table_init(&symbols.used, s->graph_arena);
	sf_table_init(&symbols.open, s->graph_arena);
	if (!sf_fx_program_inputs(&program, graph, &error))
		die_at(s, text, 0, entry, &error);
	said = sf_log_inputs_mark(
	    inputs, entry->graph, graph, program.inputs, params);
	if (!sf_fx_program_make(&program, graph, params, &line, &error))
		die_at(s, text, line, entry, &error);
	sf_log_inputs_keep(inputs, &program);
	sf_compile_emit(s->stream,
	    &(struct sf_compile_graph){
		s->model, entry, s->rank, graph, &program, params, said },
	    &s->open);
	keep_asked(s, &symbols);
	sf_fx_program_release(&program);
	sf_table_release(&symbols.used);
	sf_table_release(&symbols.open);
}

static void
write_graph(struct source *s, const struct sf_log_entry *entry)
{
	struct sf_fx_text text = sf_log_payload(&s->log);
	struct sf_entry *e =
	    sf_table_find(&s->part->index.compilations, entry->id);
	struct sf_log_compilation *c = e->ptr;
	struct sf_fx_graph graph;
	struct sf_error error;
	int64_t line;

	if (!sf_fx_graph_parse(
		&graph, text.text, s->graph_arena, &line, &error))
		die_at(s, &text, line, entry, &error);
	write_parsed(s, entry, &text, &graph);
	if (--c->left == 0) {
		e = sf_table_find(&s->inputs, entry->id);
		sf_log_inputs_free(e->ptr);
		e->ptr = NULL;
	}
}

/* One record of the second reading. */
static void
write_record(struct source *s, const struct sf_log_record *record, int *next)
{
	const struct sf_log_index *index = &s->part->index;
	const struct sf_entry *e =
	    sf_table_find(&index->compilations, record->id);
	const struct sf_log_compilation *c = e != NULL ? e->ptr : NULL;

	if (record->rank >= 0)
		s->rank = record->rank;
	if (record->kind == SF_LOG_GRAPH) {
		const struct sf_log_entry *entry;

		if (*next == index->n)
			sf_die(SF_EX_IO, "%s: changed while it was read",
			    s->log.path);
		entry = &index->entries[(*next)++];
		if (entry->chosen)
			write_graph(s, entry);
		else if (entry->graph == SF_LOG_DYNAMO && c != NULL &&
		    c->left > 0 && entry->attempt >= c->attempt)
			take_inputs(s, entry);
		sf_arena_reset(s->graph_arena);
	} else if (record->kind >= SF_LOG_TENSOR && c != NULL && c->left > 0) {
		sf_log_inputs_describe(inputs_of(s, record->id), record);
	}
}

static void
write_part(struct source *s, struct part *part)
{
	struct sf_log_record record;
	struct sf_error error;
	int next = 0;

	if (part->index.chosen == 0)
		return;
	s->part = part;
	s->rank = part->rank;
	sf_stream_forget(s->stream);
	sf_stream_add_input(s->stream, s->log.path, part->crc32);
	sf_table_init(&s->inputs, part->index.arena);
	sf_log_rewind(&s->log, part->rank);
	while (sf_log_next(&s->log, &record, &error))
		write_record(s, &record, &next);
	for (size_t i = 0; i < s->inputs.n; i++)
		sf_log_inputs_free(s->inputs.order[i]->ptr);
	sf_table_release(&s->inputs);
}

static void
write_parts(struct source *s, const struct sf_log_files *files)
{
	for (int i = 0; i < s->nparts; i++) {
		bool open = i > 0 && s->parts[i].path == s->parts[i - 1].path;

		/* A log that is one alone is open, and perhaps held. */
		if (!open && files->n > 1)
			sf_log_open(&s->log, s->parts[i].path);
		write_part(s, &s->parts[i]);
		sf_log_index_release(&s->parts[i].index);
		if (i + 1 == s->nparts ||
		    s->parts[i + 1].path != s->parts[i].path)
			sf_log_close(&s->log);
	}
}

/* A symbol that is nowhere is a mistake. */
static void
check_dims(const struct source *s)
{
	for (size_t i = 0; i < s->dims.n; i++) {
		struct sf_str name = s->dims.order[i]->name;

		if (sf_table_find(&s->asked, name) == NULL)
			sf_die(SF_EX_USAGE,
			    "option '--dim': no size in the graphs is made of "
			    "'%.*s'",
			    SF_STR_ARG(name));
	}
}

void
sf_compile_write(
    struct sf_stream *stream, const struct sf_compile_request *request)
{
	struct sf_arena *arena = sf_stream_arena(stream);
	struct source s = { .stream = stream,
		.request = request,
		.arena = arena,
		.graph_arena = sf_arena_new(),
		.rules = sf_rulebook_new(arena),
		.model = request->model != NULL ? sf_str_of(request->model)
						: model_name(request->path) };
	struct sf_log_files files = sf_log_files_find(request->path, arena);

	sf_table_init(&s.dims, arena);
	sf_table_init(&s.asked, arena);
	take_dims(&s);
	for (int i = 0; i < files.n; i++) {
		index_file(&s, files.paths[i]);
		if (files.n > 1)
			sf_log_close(&s.log);
	}
	check_chosen(&s);
	write_parts(&s, &files);
	check_dims(&s);
	if (s.open.open != 0)
		sf_note("%lld of %lld operators are not resolved; the first: "
			"%s",
		    (long long)s.open.open, (long long)s.open.ops,
		    s.open.first);
	free(s.parts);
	sf_table_release(&s.dims);
	sf_table_release(&s.asked);
	sf_rulebook_release(s.rules);
	sf_arena_free(s.graph_arena);
}
