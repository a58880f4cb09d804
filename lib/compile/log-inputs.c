/* What a log says of a compilation's inputs. */
#include "compile/log-inputs.h"

#include <string.h>

#include "base/num.h"
#include "stream/json.h"

struct described {
	struct sf_str sizes; /* as JSON */
	bool param;
};

struct sf_log_inputs *
sf_log_inputs_new(void)
{
	struct sf_arena *arena = sf_arena_new();
	struct sf_log_inputs *inputs =
	    sf_arena_calloc(arena, 1, sizeof *inputs);

	*inputs = (struct sf_log_inputs){ .arena = arena, .n = -1 };
	sf_table_init(&inputs->symbols, arena);
	sf_table_init(&inputs->tensors, arena);
	sf_table_init(&inputs->names, arena);
	sf_table_init(&inputs->params, arena);
	return inputs;
}

void
sf_log_inputs_free(struct sf_log_inputs *inputs)
{
	if (inputs == NULL)
		return;
	sf_table_release(&inputs->symbols);
	sf_table_release(&inputs->tensors);
	sf_table_release(&inputs->names);
	sf_table_release(&inputs->params);
	sf_arena_free(inputs->arena);
}

/*
 * Dynamo's name of an input: each run of what is no letter or digit is one
 * "_". L['self']._modules['fc'] is L_self_modules_fc_.
 */
static struct sf_str
input_name(struct sf_arena *arena, struct sf_str source)
{
	char *name = sf_arena_alloc(arena, source.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < source.n; i++) {
		char c = source.p[i];
		bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		    (c >= '0' && c <= '9');

		if (word)
			name[n++] = c;
		else if (n == 0 || name[n - 1] != '_')
			name[n++] = '_';
	}
	return (struct sf_str){ name, n };
}

void
sf_log_inputs_describe(
    struct sf_log_inputs *inputs, const struct sf_log_record *record)
{
	struct sf_entry *e;
	struct described *d;
	int64_t value;

	if (record->kind == SF_LOG_SYMBOL) {
		if (sf_int_parse(record->value.p, record->value.n, &value) &&
		    value >= 0)
			sf_table_add(&inputs->symbols, record->name)->num =
			    value;
		return;
	}
	e = sf_table_add(&inputs->tensors, record->name);
	if (record->kind == SF_LOG_TENSOR) {
		e->ptr = d = sf_arena_calloc(inputs->arena, 1, sizeof *d);
		d->sizes = sf_json_keep(inputs->arena, record->value);
		d->param = record->param;
	} else if (e->ptr != NULL) {
		sf_table_add(
		    &inputs->names, input_name(inputs->arena, record->value))
		    ->ptr = e->ptr;
	}
}

/* "f32[s0, 4]" of a type, "" of what is no tensor. */
static struct sf_str
core_of(struct sf_str type)
{
	const char *end = type.n == 0 ? NULL : sf_str_chr(type, ']');

	if (end == NULL || sf_str_chr(type, '[') == NULL)
		return SF_STR("");
	type.n = (size_t)(end + 1 - type.p);
	return type;
}

/* A size that is a symbol alone stands for what the tensor really has. */
static void
take_sizes(
    struct sf_log_inputs *inputs, struct sf_str core, const struct described *d)
{
	struct sf_json s = {
		.p = d->sizes.p, .start = d->sizes.p, .arena = inputs->arena
	};
	const char *open = sf_str_chr(core, '[');
	struct sf_str rest;

	if (d->sizes.n == 0 || open == NULL || *d->sizes.p != '[')
		return;
	rest =
	    (struct sf_str){ open + 1, (size_t)(core.p + core.n - open - 2) };
	sf_json_enter(&s, '[');
	while (sf_json_element(&s)) {
		struct sf_str size = sf_str_cut(&rest, ',');
		bool number =
		    sf_json_peek(&s) >= '0' && sf_json_peek(&s) <= '9';
		int64_t value = number ? sf_json_int(&s) : -1;

		if (!number)
			sf_json_skip(&s);
		if (value < 0 || size.n < 2 || size.p[0] != 's' ||
		    strspn(size.p + 1, "0123456789") < size.n - 1 ||
		    sf_table_find(&inputs->symbols, size) != NULL)
			continue;
		sf_table_add(&inputs->symbols, size)->num = value;
	}
}

/* Names alone tell parameters where the log has no record of the tensor. */
static bool
is_param_by_name(struct sf_str name)
{
	return sf_str_find(name, "_parameters_") != NULL;
}

void
sf_log_inputs_take(
    struct sf_log_inputs *inputs, const struct sf_fx_graph *graph)
{
	int n = graph->top->ninputs;

	inputs->inputs = sf_arena_calloc(
	    inputs->arena, (size_t)n + 1, sizeof *inputs->inputs);
	inputs->n = n;
	for (int i = 0; i < n; i++) {
		const struct sf_fx_input *from = &graph->top->inputs[i];
		struct sf_log_input *to = &inputs->inputs[i];
		struct sf_str core = core_of(from->type);
		const struct sf_entry *e =
		    sf_table_find(&inputs->names, from->name);
		const struct described *d = e != NULL ? e->ptr : NULL;

		to->core.p = sf_arena_strndup(inputs->arena, core.p, core.n);
		to->core.n = core.n;
		to->param = d != NULL ? d->param : is_param_by_name(from->name);
		if (d != NULL)
			take_sizes(inputs, core, d);
	}
}

/* The number at the end of NAME, behind PREFIX: "primals_12"; -1: none. */
static int64_t
number_in(struct sf_str name, const char *prefix, const char *suffix)
{
	size_t n = strlen(prefix), m = strlen(suffix);
	int64_t number;

	if (!sf_str_starts(name, prefix) || name.n <= n + m ||
	    memcmp(name.p + name.n - m, suffix, m) != 0 ||
	    !sf_int_parse(name.p + n, name.n - n - m, &number))
		return -1;
	return number;
}

/* Which of Dynamo's inputs one of ATen's graph is; -1: none, or not said. */
static int64_t
place_of(const struct sf_fx_input *input)
{
	int64_t place = number_in(input->comment, "PlainAOTInput(idx=", ")");

	if (place >= 0)
		return place;
	if (input->comment.n != 0 && !sf_str_is(input->comment, "None"))
		return -1;
	place = number_in(input->name, "primals_", "");
	return place > 0 ? place - 1 : number_in(input->name, "arg", "_1");
}

/* The signature behind an exported program, in its two spellings. */
static bool
is_exported_param(
    struct sf_str tail, struct sf_str name, struct sf_arena *arena)
{
	const char *forms[] = { sf_arena_printf(arena, "%.*s: PARAMETER ",
				    SF_STR_ARG(name)),
		sf_arena_printf(arena,
		    "kind=<InputKind.PARAMETER: 2>, "
		    "arg=TensorArgument(name='%.*s')",
		    SF_STR_ARG(name)) };

	for (int i = 0; i < 2; i++)
		if (sf_str_find(tail, forms[i]) != NULL)
			return true;
	return false;
}

bool
sf_log_inputs_mark(const struct sf_log_inputs *inputs, enum sf_log_graph kind,
    const struct sf_fx_graph *graph, const struct sf_fx_type *types,
    bool *params)
{
	bool said = inputs->n >= 0;

	for (int i = 0; i < graph->top->ninputs; i++) {
		const struct sf_fx_input *input = &graph->top->inputs[i];
		int64_t place = place_of(input);

		if (kind == SF_LOG_DYNAMO) {
			params[i] = inputs->inputs[i].param;
		} else if (kind == SF_LOG_EXPORTED) {
			params[i] = is_exported_param(
			    graph->tail, input->name, inputs->arena);
			said = said || graph->tail.n != 0;
		} else if (sf_str_starts(input->comment, "ParamAOTInput(")) {
			params[i] = said = true;
		} else if (place >= 0) {
			params[i] = place < inputs->n &&
			    sf_str_eq(
				inputs->inputs[place].core, types[i].core) &&
			    inputs->inputs[place].param;
		} else {
			params[i] =
			    sf_table_find(&inputs->params, input->name) != NULL;
		}
		params[i] = params[i] && types[i].kind == SF_FX_TENSOR;
	}
	return said;
}

void
sf_log_inputs_keep(
    struct sf_log_inputs *inputs, const struct sf_fx_program *program)
{
	for (size_t i = 0; i < program->params.n; i++)
		sf_table_add(&inputs->params, program->params.order[i]->name);
}
