/* Which graphs of a log are written. */
#include "compile/log-index.h"

#include <stdlib.h>
#include <string.h>

static struct sf_log_compilation *
compilation_of(struct sf_log_index *index, struct sf_str id)
{
	struct sf_entry *e = sf_table_add(&index->compilations, id);

	if (e->ptr == NULL)
		e->ptr = sf_arena_calloc(
		    index->arena, 1, sizeof(struct sf_log_compilation));
	return e->ptr;
}

static struct sf_log_entry *
add_entry(struct sf_log_index *index, const struct sf_log_record *record)
{
	struct sf_log_entry *entry;

	if (index->n == index->room) {
		index->room = index->room != 0 ? index->room * 2 : 64;
		index->entries = sf_reallocarray(index->entries,
		    (size_t)index->room, sizeof *index->entries);
	}
	entry = &index->entries[index->n++];
	*entry = (struct sf_log_entry){ .line = record->line,
		.graph = record->graph,
		.id = sf_table_add(&index->compilations, record->id)->name,
		.attempt = record->attempt };
	return entry;
}

/* ---- graph breaks ---- */

/* The text behind LABEL in the first line of TEXT that begins with it. */
static struct sf_str
find_line(struct sf_str text, const char *label)
{
	while (text.n != 0) {
		struct sf_str line = sf_str_cut(&text, '\n');

		if (sf_str_starts(line, label))
			return sf_str_trim((struct sf_str){
			    line.p + strlen(label), line.n - strlen(label) });
	}
	return SF_STR("");
}

/* The first line that is not empty behind the one that has LINE. */
static struct sf_str
line_behind(struct sf_str text, struct sf_str line)
{
	struct sf_str rest = { line.p + line.n, 0 }, next;

	rest.n = (size_t)(text.p + text.n - rest.p);
	do
		next = sf_str_cut(&rest, '\n');
	while (next.n == 0 && rest.n != 0);
	return next;
}

/* The place without its directory. */
static struct sf_str
place_of(struct sf_str text)
{
	struct sf_str line = sf_str_cut(&text, '\n');
	static const char mark[] = "user code at ";
	const char *at = sf_str_find(line, mark), *slash;

	if (at == NULL)
		return SF_STR("");
	at += sizeof mark - 1;
	line.n = (size_t)(line.p + line.n - at);
	line.p = at;
	slash = sf_str_rchr(line, '/');
	if (slash == NULL)
		return line;
	line.n -= (size_t)(slash + 1 - line.p);
	line.p = slash + 1;
	return line;
}

/* "graph break in 0/0 at f.py:20: REASON: EXPLANATION" */
static const char *
describe_break(struct sf_arena *arena, struct sf_str id, struct sf_str text)
{
	struct sf_str place = place_of(text), reason, why;

	reason = find_line(text, "Graph Break Reason: ");
	if (reason.n == 0)
		reason = find_line(text, "Reason: ");
	if (reason.n != 0 && reason.p[reason.n - 1] == ':')
		reason = line_behind(text, reason);
	why = find_line(text, "Explanation: ");
	return sf_arena_printf(arena, "graph break%s%.*s%s%.*s%s%.*s%s%.*s",
	    id.n != 0 ? " in " : "", SF_STR_ARG(id), place.n != 0 ? " at " : "",
	    (int)(place.n < 200 ? place.n : 200), place.p,
	    reason.n != 0 ? ": " : "", (int)(reason.n < 200 ? reason.n : 200),
	    reason.p, why.n != 0 ? ": " : "", (int)(why.n < 200 ? why.n : 200),
	    why.p);
}

/* A break is told with a graph of its compilation, or with the next graph. */
struct breaks {
	struct broken {
		const char *text;
		struct sf_str id;
		int next; /* the entry behind it */
	} * v;
	int n, room;
};

static void
add_break(struct sf_log_index *index, struct breaks *breaks,
    const struct sf_log_record *record, struct sf_str text)
{
	if (breaks->n == breaks->room) {
		breaks->room = breaks->room != 0 ? breaks->room * 2 : 16;
		breaks->v = sf_reallocarray(
		    breaks->v, (size_t)breaks->room, sizeof *breaks->v);
	}
	breaks->v[breaks->n++] =
	    (struct broken){ describe_break(index->arena, record->id, text),
		    sf_table_add(&index->compilations, record->id)->name,
		    index->n };
	index->breaks++;
}

static void
add_note(
    struct sf_log_index *index, struct sf_log_entry *entry, const char *text)
{
	if (entry->nnotes == entry->note_room) {
		const char **wider;

		entry->note_room =
		    entry->note_room != 0 ? entry->note_room * 2 : 2;
		wider = sf_arena_calloc(
		    index->arena, (size_t)entry->note_room, sizeof *wider);
		if (entry->nnotes != 0)
			memcpy(wider, entry->notes,
			    (size_t)entry->nnotes * sizeof *wider);
		entry->notes = wider;
	}
	entry->notes[entry->nnotes++] = text;
}

static void
place_break(struct sf_log_index *index, const struct broken *broken)
{
	struct sf_log_entry *last = NULL, *next = NULL;

	for (int i = 0; i < index->n; i++) {
		struct sf_log_entry *entry = &index->entries[i];

		if (!entry->chosen)
			continue;
		last = entry;
		if (next == NULL && i >= broken->next)
			next = entry;
		if (i >= broken->next && broken->id.n != 0 &&
		    sf_str_eq(entry->id, broken->id)) {
			next = entry;
			break;
		}
	}
	if (next == NULL)
		next = last;
	if (next != NULL)
		add_note(index, next, broken->text);
}

/* ---- the choice ---- */

/* The first of a stage's names for it that the compilation has. */
static bool
is_first(const struct sf_log_compilation *c, enum sf_log_graph graph)
{
	for (int i = SF_LOG_POST_GRAD; i < (int)graph; i++)
		if (c->has[i])
			return false;
	return true;
}

/* A joint graph is the forward and the backward one before they are parted. */
static bool
is_parted(const struct sf_log_compilation *c)
{
	return c->has[SF_LOG_FORWARD] || c->has[SF_LOG_BACKWARD] ||
	    c->has[SF_LOG_INFERENCE];
}

static bool
is_wanted(
    const struct sf_log_compilation *c, enum sf_log_graph graph, int stage)
{
	bool aten =
	    is_parted(c) || c->has[SF_LOG_JOINT] || c->has[SF_LOG_EXPORTED];

	if (stage >= 0 && sf_log_graphs[graph].stage != (unsigned)stage)
		return false;
	switch (graph) {
	case SF_LOG_DYNAMO:
		return stage >= 0 || !aten;
	case SF_LOG_JOINT:
		return !is_parted(c);
	case SF_LOG_POST_GRAD:
	case SF_LOG_POST_GRAD_RECOMPILED:
	case SF_LOG_POST_GRAD_CACHED:
		return (stage >= 0 || (!aten && !c->has[SF_LOG_DYNAMO])) &&
		    is_first(c, graph);
	default:
		return true;
	}
}

static void
choose(struct sf_log_index *index, int stage)
{
	for (int i = 0; i < index->n; i++) {
		struct sf_log_entry *entry = &index->entries[i];
		struct sf_log_compilation *c = compilation_of(index, entry->id);
		bool late =
		    sf_log_graphs[entry->graph].stage == SF_LOG_STAGE_POST_GRAD;

		index->stages[sf_log_graphs[entry->graph].stage]++;
		/* What Inductor makes later does not count attempts. */
		if (!late && entry->attempt < c->attempt)
			continue;
		if (!is_wanted(c, entry->graph, stage))
			continue;
		entry->chosen = true;
		entry->direction = sf_log_graphs[entry->graph].direction;
		if (entry->graph == SF_LOG_FORWARD &&
		    !c->has[SF_LOG_BACKWARD] && !c->has[SF_LOG_JOINT])
			entry->direction = "";
		if (stage < 0 && entry->graph == SF_LOG_DYNAMO)
			add_note(index, entry,
			    "the log has no graph of ATen operators for this "
			    "compilation; this is Dynamo's");
		c->left++;
		index->chosen++;
	}
}

static void
take_record(struct sf_log_index *index, struct sf_log *log,
    struct breaks *breaks, struct sf_log_record *record)
{
	struct sf_log_compilation *c = compilation_of(index, record->id);

	if (record->kind == SF_LOG_BREAK)
		add_break(index, breaks, record, sf_log_payload(log).text);
	if (record->kind == SF_LOG_GRAPH && record->plain)
		record->graph = sf_log_guess(sf_log_payload(log).text);
	if (record->attempt > c->attempt && record->id.n != 0)
		c->attempt = record->attempt;
	if (record->kind != SF_LOG_GRAPH)
		return;
	/* Graphs of an attempt that was given up say nothing of what is. */
	add_entry(index, record);
}

bool
sf_log_index_make(struct sf_log_index *index, struct sf_log *log, int stage,
    struct sf_error *error)
{
	struct sf_log_record record;
	struct breaks breaks = { 0 };

	*index = (struct sf_log_index){ .arena = sf_arena_new() };
	sf_table_init(&index->compilations, index->arena);
	while (sf_log_next(log, &record, error))
		take_record(index, log, &breaks, &record);
	for (int i = 0; i < index->n; i++) {
		const struct sf_log_entry *entry = &index->entries[i];
		struct sf_log_compilation *c = compilation_of(index, entry->id);

		if (entry->attempt >= c->attempt ||
		    sf_log_graphs[entry->graph].stage == SF_LOG_STAGE_POST_GRAD)
			c->has[entry->graph] = true;
	}
	choose(index, stage);
	for (int i = 0; i < breaks.n; i++)
		place_break(index, &breaks.v[i]);
	free(breaks.v);
	return error->text[0] == '\0';
}

void
sf_log_index_release(struct sf_log_index *index)
{
	sf_table_release(&index->compilations);
	free(index->entries);
	sf_arena_free(index->arena);
}
