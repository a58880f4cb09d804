/* Tells parameters from other constants. */
#include "onnx/run/params.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"
#include "base/num.h"
#include "base/opt.h"

/* ---- the list of names ---- */

static bool
take_line(struct sf_onnx_params *params, char *line, size_t n, int64_t number,
    struct sf_error *error)
{
	while (n != 0 && strchr(" \t\r\n", line[n - 1]) != NULL)
		n--;
	while (n != 0 && (*line == ' ' || *line == '\t')) {
		line++;
		n--;
	}
	if (n == 0 || *line == '#')
		return true;
	if (!sf_utf8_valid(line, n) || memchr(line, '\0', n) != NULL)
		return sf_fail(error,
		    "%s:%lld: found bytes that are no UTF-8, expected a name",
		    params->path, (long long)number);
	sf_table_add(&params->listed, (struct sf_str){ line, n })->num = number;
	return true;
}

static bool
read_list(struct sf_onnx_params *params, struct sf_error *error, bool *io)
{
	FILE *file = fopen(params->path, "re");
	char *line = NULL;
	size_t room = 0;
	ssize_t n = 0;
	bool ok = true;

	*io = file == NULL;
	if (*io)
		return sf_fail(error, "%s: %s", params->path, strerror(errno));
	for (int64_t i = 1; ok; i++) {
		n = getline(&line, &room, file);
		if (n < 0)
			break;
		params->crc32 = sf_crc32(params->crc32, line, (size_t)n);
		ok = take_line(params, line, (size_t)n, i, error);
	}
	*io = n < 0 && !feof(file);
	if (*io)
		ok = sf_fail(error, "%s: %s", params->path, strerror(errno));
	free(line);
	fclose(file);
	return ok;
}

/* The value is in the list, and has now been met. */
static bool
listed(struct sf_onnx_params *params, struct sf_str name)
{
	struct sf_entry *e = sf_table_find(&params->listed, name);

	if (e != NULL && e->num > 0)
		e->num = -e->num;
	return e != NULL;
}

/* ---- what PyTorch says ---- */

static enum sf_onnx_role
role_of(struct sf_str kind)
{
	if (sf_str_is(kind, "PARAMETER"))
		return SF_ONNX_ROLE_PARAMETER;
	if (sf_str_is(kind, "BUFFER") || sf_str_is(kind, "CONSTANT_TENSOR"))
		return SF_ONNX_ROLE_BUFFER;
	return kind.n != 0 ? SF_ONNX_ROLE_INPUT : SF_ONNX_ROLE_NONE;
}

static void
set_role(
    struct sf_onnx_params *params, struct sf_str name, enum sf_onnx_role role)
{
	if (role == SF_ONNX_ROLE_NONE)
		return;
	sf_table_add(&params->roles, name)->num = role;
	/* Tools that rewrite a graph keep the kind of its inputs alone. */
	if (role != SF_ONNX_ROLE_INPUT)
		params->metadata = true;
}

static struct sf_str
cut(struct sf_str *rest, const char *at, size_t gap)
{
	struct sf_str head = { rest->p, (size_t)(at - rest->p) };

	rest->n -= head.n + gap;
	rest->p = at + gap;
	return head;
}

/* One line of the signature: p_conv1_weight: PARAMETER target='conv1.weight' */
static void
take_signature_line(struct sf_onnx_params *params, struct sf_str line)
{
	const char *at = sf_str_find(line, ": ");
	struct sf_str kind, name;

	if (at == NULL)
		return;
	cut(&line, at, 2);
	at = sf_str_find(line, " target='");
	if (at == NULL)
		return;
	kind = cut(&line, at, 9);
	at = sf_str_chr(line, '\'');
	if (at == NULL)
		return;
	name = cut(&line, at, 1);
	set_role(params, name, role_of(kind));
}

static void
read_signature(struct sf_onnx_params *params, struct sf_str text)
{
	if (text.n != 0)
		params->metadata = true;
	while (text.n != 0) {
		const char *lf = sf_str_chr(text, '\n');
		struct sf_str line = lf != NULL
		    ? cut(&text, lf, 1)
		    : cut(&text, text.p + text.n, 0);

		/* Outputs come last and repeat buffers that are changed. */
		if (sf_str_is(line, "# outputs"))
			return;
		take_signature_line(params, line);
	}
}

static void
read_infos(
    struct sf_onnx_params *params, const struct sf_onnx_info *infos, int n)
{
	for (int i = 0; i < n; i++) {
		sf_table_add(&params->infos, infos[i].name)->ptr =
		    (void *)(uintptr_t)&infos[i];
		if (sf_str_is(infos[i].spec_kind, "USER_INPUT"))
			params->user_inputs = true;
		set_role(params, infos[i].name, role_of(infos[i].spec_kind));
	}
}

bool
sf_onnx_params_init(struct sf_onnx_params *params,
    const struct sf_onnx_model *model, const char *path, struct sf_arena *arena,
    struct sf_error *error, bool *io)
{
	const struct sf_onnx_graph *graph = &model->graph;

	*params = (struct sf_onnx_params){ .arena = arena, .path = path };
	*io = false;
	sf_table_init(&params->listed, arena);
	sf_table_init(&params->roles, arena);
	sf_table_init(&params->infos, arena);
	sf_table_init(&params->counted, arena);
	params->no_initializers = graph->ninits == 0;
	read_signature(params, graph->signature);
	read_infos(params, graph->inputs, graph->ninputs);
	read_infos(params, graph->infos, graph->ninfos);
	return path == NULL || read_list(params, error, io);
}

void
sf_onnx_params_release(struct sf_onnx_params *params)
{
	sf_table_release(&params->listed);
	sf_table_release(&params->roles);
	sf_table_release(&params->infos);
	sf_table_release(&params->counted);
}

/* ---- questions ---- */

/* The parameter that a text like ['val_0', 'prelu.weight'] names, if any. */
static struct sf_str
folded_parameter(const struct sf_onnx_params *params, struct sf_str text)
{
	const char *quote;

	while ((quote = sf_str_chr(text, '\'')) != NULL) {
		const struct sf_entry *e;
		const char *end;

		cut(&text, quote, 1);
		end = sf_str_chr(text, '\'');
		if (end == NULL)
			break;
		e = sf_table_find(&params->roles, cut(&text, end, 1));
		if (e != NULL && e->num == SF_ONNX_ROLE_PARAMETER)
			return e->name;
	}
	return SF_STR("");
}

static struct sf_str
folded_from(const struct sf_onnx_params *params, struct sf_str name)
{
	const struct sf_entry *e = sf_table_find(&params->infos, name);
	const struct sf_onnx_info *info = e != NULL ? e->ptr : NULL;

	return info != NULL ? info->folded_from : SF_STR("");
}

/* What the file says of NAME. */
static enum sf_onnx_role
declared_role(const struct sf_onnx_params *params, struct sf_str name)
{
	const struct sf_entry *e = sf_table_find(&params->roles, name);
	struct sf_str from = folded_from(params, name);

	if (e != NULL)
		return (enum sf_onnx_role)e->num;
	if (from.n == 0 || !params->metadata)
		return SF_ONNX_ROLE_NONE;
	return folded_parameter(params, from).n != 0 ? SF_ONNX_ROLE_PARAMETER
						     : SF_ONNX_ROLE_BUFFER;
}

/* With a list, what PyTorch calls a parameter is still constant. */
static enum sf_onnx_role
under_list(
    struct sf_onnx_params *params, struct sf_str name, enum sf_onnx_role role)
{
	if (params->path == NULL)
		return role;
	if (listed(params, name))
		return SF_ONNX_ROLE_PARAMETER;
	return role == SF_ONNX_ROLE_PARAMETER ? SF_ONNX_ROLE_BUFFER : role;
}

enum sf_onnx_role
sf_onnx_params_input(struct sf_onnx_params *params, struct sf_str name)
{
	enum sf_onnx_role role = declared_role(params, name);

	if (role == SF_ONNX_ROLE_NONE && params->metadata &&
	    params->user_inputs)
		role = SF_ONNX_ROLE_BUFFER;
	return under_list(params, name, role);
}

enum sf_onnx_role
sf_onnx_params_undefined(struct sf_onnx_params *params, struct sf_str name)
{
	enum sf_onnx_role role = declared_role(params, name);

	if (role == SF_ONNX_ROLE_NONE && params->metadata &&
	    params->no_initializers)
		role = SF_ONNX_ROLE_BUFFER;
	/* An input that the graph does not have comes from nowhere. */
	if (role == SF_ONNX_ROLE_NONE || role == SF_ONNX_ROLE_INPUT)
		return SF_ONNX_ROLE_NONE;
	return under_list(params, name, role);
}

enum sf_onnx_leaf
sf_onnx_params_initializer(struct sf_onnx_params *params, struct sf_str name)
{
	if (params->path == NULL && params->metadata)
		return declared_role(params, name) == SF_ONNX_ROLE_PARAMETER
		    ? SF_ONNX_LEAF_SURE
		    : SF_ONNX_LEAF_NOT;
	return sf_onnx_params_constant(params, name);
}

enum sf_onnx_leaf
sf_onnx_params_constant(struct sf_onnx_params *params, struct sf_str name)
{
	if (params->path != NULL)
		return listed(params, name) ? SF_ONNX_LEAF_SURE
					    : SF_ONNX_LEAF_NOT;
	return params->metadata ? SF_ONNX_LEAF_NOT : SF_ONNX_LEAF_READ;
}

bool
sf_onnx_params_listed(struct sf_onnx_params *params, struct sf_str name)
{
	return params->path != NULL && listed(params, name);
}

/* It is the first of its name, or of its source and size. */
static bool
is_new(struct sf_onnx_params *params, const struct sf_value *value, int64_t n,
    const void *source)
{
	struct sf_str name =
	    folded_parameter(params, folded_from(params, value->name));
	struct sf_entry *e;

	if (source != NULL)
		name = sf_str_of(sf_arena_printf(params->arena, "%p", source));
	else if (name.n == 0)
		name = value->name;
	e = sf_table_add(&params->counted, name);
	if (e->num == n + 1)
		return false;
	e->num = n + 1;
	return true;
}

bool
sf_onnx_params_add(struct sf_onnx_params *params, const struct sf_value *value,
    int64_t n, const void *source, struct sf_error *error)
{
	if (!is_new(params, value, n, source))
		return true;
	if (!sf_add(params->count, n, &params->count) ||
	    !sf_add(params->bytes, value->stored, &params->bytes))
		return sf_fail(error,
		    "parameter '%.*s': all parameters together pass 2^63 - 1",
		    SF_STR_ARG(value->name));
	return true;
}

bool
sf_onnx_params_check(
    const struct sf_onnx_params *params, struct sf_error *error)
{
	for (size_t i = 0; i < params->listed.n; i++) {
		const struct sf_entry *e = params->listed.order[i];

		if (e->num > 0)
			return sf_fail(error,
			    "%s:%lld: the model has no value named '%.*s'",
			    params->path, (long long)e->num,
			    SF_STR_ARG(e->name));
	}
	return true;
}
