/*
 * Shape rules, each line of the files given against what is written there:
 *
 *	TYPE OPSET: INPUT... | ATTRIBUTE=VALUE... -> OUTPUT...
 *	TYPE OPSET: INPUT... | ATTRIBUTE=VALUE... -> error: TEXT
 *
 * TYPE may be DOMAIN.TYPE. A value is f32[2,N,?], with {3,?,N} behind it when
 * contents are known; f32* when its rank is not; _ when it is left out;
 * seq{VALUE;...} or opt{VALUE}. N is the name of a size that is not known. An
 * attribute is 1, 1.0, 'text', [1,2], [1.0,2.0] or a value. TEXT is part of
 * the message. A line may end with "because: TEXT", a part of the reason why
 * the first output is not known.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "onnx/ops/rules.h"

enum {
	MAX = 32,
	MAX_SIZES = 128
};

/* ---- reading a line ---- */

struct reader {
	struct sf_arena *arena;
	const char *at;
	const char *place;
};

static void
die(const struct reader *r, const char *what)
{
	fprintf(stderr, "%s: %s at '%s'\n", r->place, what, r->at);
	exit(2);
}

static void
skip_blanks(struct reader *r)
{
	while (*r->at == ' ')
		r->at++;
}

static bool
take(struct reader *r, const char *token)
{
	size_t n = strlen(token);

	skip_blanks(r);
	if (strncmp(r->at, token, n) != 0)
		return false;
	r->at += n;
	return true;
}

/* Up to one of the bytes in STOP. */
static struct sf_str
word(struct reader *r, const char *stop)
{
	struct sf_str w = { r->at, strcspn(r->at, stop) };

	r->at += w.n;
	return w;
}

/* 3, ? or a name. */
static struct sf_onnx_dim
read_size(struct reader *r)
{
	struct sf_str w = word(r, ",]}");
	struct sf_onnx_dim d = { .size = SF_DIM_UNKNOWN };

	if (!sf_int_parse(w.p, w.n, &d.size) && !sf_str_is(w, "?"))
		d.name = w;
	return d;
}

static int
read_sizes(struct reader *r, const char *end, struct sf_onnx_dim *sizes)
{
	int n = 0;

	while (!take(r, end)) {
		if (n == MAX_SIZES)
			die(r, "too many sizes");
		if (n > 0 && !take(r, ","))
			die(r, "no ','");
		sizes[n++] = read_size(r);
	}
	return n;
}

static bool
is_float(enum sf_dtype dtype)
{
	return dtype == SF_DT_F32 || dtype == SF_DT_F64 || dtype == SF_DT_F16 ||
	    dtype == SF_DT_BF16;
}

/* {3,?,N} behind a shape. */
static void
read_contents(struct reader *r, struct sf_value *v)
{
	size_t room = MAX_SIZES;
	int64_t *ints = sf_arena_calloc(r->arena, room, sizeof *ints);
	double *floats = sf_arena_calloc(r->arena, room, sizeof *floats);
	uint8_t *known = sf_arena_calloc(r->arena, room, 1);
	struct sf_str *names = sf_arena_calloc(r->arena, room, sizeof *names);
	int n = 0, nknown = 0;

	while (!take(r, "}")) {
		struct sf_str w;

		if (n > 0 && !take(r, ","))
			die(r, "no ','");
		w = word(r, ",}");
		known[n] = is_float(v->dtype)
		    ? sf_double_parse(w.p, w.n, &floats[n])
		    : sf_int_parse(w.p, w.n, &ints[n]);
		if (!known[n] && !sf_str_is(w, "?"))
			names[n] = w;
		nknown += known[n++];
	}
	if (is_float(v->dtype))
		v->floats = sf_reals_of(floats);
	else
		v->ints = ints;
	v->known = nknown == n ? NULL : known;
	v->names = nknown == n ? NULL : names;
}

static void
read_tensor(struct reader *r, struct sf_value *v)
{
	struct sf_onnx_dim sizes[MAX_SIZES];
	int64_t *dims = sf_arena_calloc(r->arena, MAX_SIZES, sizeof *dims);
	struct sf_str *names =
	    sf_arena_calloc(r->arena, MAX_SIZES, sizeof *names);

	v->kind = SF_ONNX_TYPE_TENSOR;
	v->dtype = sf_dtype_parse(word(r, "[*"));
	if (take(r, "*"))
		return;
	if (v->dtype == SF_DT_UNKNOWN || !take(r, "["))
		die(r, "no tensor");
	v->rank_known = true;
	v->rank = read_sizes(r, "]", sizes);
	v->dims = dims;
	v->dim_names = names;
	for (int i = 0; i < v->rank; i++) {
		dims[i] = sizes[i].size;
		names[i] = sizes[i].name;
	}
	if (*r->at == '{' && take(r, "{"))
		read_contents(r, v);
}

static struct sf_value *
read_value(struct reader *r, const char *name)
{
	struct sf_value *v = sf_arena_calloc(r->arena, 1, sizeof *v);
	bool optional = take(r, "opt{");

	v->name = sf_str_of(sf_arena_strdup(r->arena, name));
	v->dtype = SF_DT_UNKNOWN;
	if (!optional && !take(r, "seq{")) {
		read_tensor(r, v);
		return v;
	}
	v->kind = optional ? SF_ONNX_TYPE_OPTIONAL : SF_ONNX_TYPE_SEQUENCE;
	if (take(r, "?}")) {
		v->nitems = -1;
		return v;
	}
	struct sf_value **items = sf_arena_calloc(r->arena, MAX, sizeof *items);

	while (!take(r, "}")) {
		take(r, ";");
		items[v->nitems++] = read_value(r, "item");
		v->dtype = items[0]->dtype;
	}
	v->items = items;
	return v;
}

static struct sf_onnx_tensor *
tensor_of(struct reader *r, const struct sf_value *v)
{
	struct sf_onnx_tensor *t = sf_arena_calloc(r->arena, 1, sizeof *t);
	int64_t *dims = sf_arena_calloc(r->arena, MAX_SIZES, sizeof *dims);

	t->dtype = v->dtype;
	t->rank = v->rank;
	for (int i = 0; i < v->rank; i++)
		dims[i] = v->dims[i];
	t->dims = dims;
	t->numel = sf_value_numel(v);
	t->ints = v->ints;
	t->floats = v->floats;
	return t;
}

/* [1,2] or [1.0,2.0]; [] are integers. */
static void
read_list(struct reader *r, struct sf_onnx_attr *attr)
{
	int64_t *ints = sf_arena_calloc(r->arena, MAX_SIZES, sizeof *ints);
	double *floats = sf_arena_calloc(r->arena, MAX_SIZES, sizeof *floats);

	attr->type = SF_ONNX_ATTR_INTS;
	while (!take(r, "]")) {
		struct sf_str w;

		take(r, ",");
		w = word(r, ",]");
		if (!sf_int_parse(w.p, w.n, &ints[attr->n])) {
			attr->type = SF_ONNX_ATTR_FLOATS;
			if (!sf_double_parse(w.p, w.n, &floats[attr->n]))
				die(r, "no number");
		}
		attr->n++;
	}
	if (attr->type == SF_ONNX_ATTR_INTS)
		attr->ints = ints;
	else
		attr->floats = floats;
}

static void
read_attr(struct reader *r, struct sf_onnx_attr *attr)
{
	const char *start;
	struct sf_str w;

	attr->name = word(r, "=");
	if (!take(r, "="))
		die(r, "no '='");
	start = r->at;
	if (take(r, "[")) {
		read_list(r, attr);
		return;
	}
	if (take(r, "'")) {
		attr->type = SF_ONNX_ATTR_STRING;
		attr->s = word(r, "'");
		r->at++;
		return;
	}
	w = word(r, " ");
	if (sf_int_parse(w.p, w.n, &attr->i)) {
		attr->type = SF_ONNX_ATTR_INT;
	} else if (sf_double_parse(w.p, w.n, &attr->f)) {
		attr->type = SF_ONNX_ATTR_FLOAT;
	} else {
		r->at = start;
		attr->type = SF_ONNX_ATTR_TENSOR;
		attr->tensor = tensor_of(r, read_value(r, "attribute"));
	}
}

/* ---- writing what was found ---- */

static void
put_size(struct sf_buf *buf, int64_t size, const struct sf_str *name)
{
	if (size >= 0)
		sf_buf_int(buf, size);
	else if (name != NULL && name->n != 0)
		sf_buf_put(buf, name->p, name->n);
	else
		sf_buf_putc(buf, '?');
}

static void
put_contents(struct sf_buf *buf, const struct sf_value *v)
{
	int64_t n = sf_value_numel(v);

	SF_BUF_LIT(buf, "{");
	for (int64_t i = 0; i < n; i++) {
		if (i > 0)
			SF_BUF_LIT(buf, ",");
		if (v->known != NULL && !v->known[i])
			put_size(
			    buf, -1, v->names == NULL ? NULL : &v->names[i]);
		else if (v->ints != NULL)
			sf_buf_int(buf, v->ints[i]);
		else
			sf_buf_printf(buf, "%g", sf_reals_get(v->floats, i));
	}
	SF_BUF_LIT(buf, "}");
}

static void
put_value(struct sf_buf *buf, const struct sf_value *v)
{
	const char *dtype = sf_dtype_name(v->dtype);

	if (v->kind == SF_ONNX_TYPE_SEQUENCE ||
	    v->kind == SF_ONNX_TYPE_OPTIONAL) {
		sf_buf_printf(buf, "%s{",
		    v->kind == SF_ONNX_TYPE_SEQUENCE ? "seq" : "opt");
		if (v->nitems < 0)
			SF_BUF_LIT(buf, "?");
		for (int i = 0; i < v->nitems; i++) {
			if (i > 0)
				SF_BUF_LIT(buf, ";");
			put_value(buf, v->items[i]);
		}
		SF_BUF_LIT(buf, "}");
		return;
	}
	sf_buf_printf(buf, "%s", dtype == NULL ? "?" : dtype);
	if (!v->rank_known) {
		SF_BUF_LIT(buf, "*");
		return;
	}
	SF_BUF_LIT(buf, "[");
	for (int i = 0; i < v->rank; i++) {
		if (i > 0)
			SF_BUF_LIT(buf, ",");
		put_size(buf, v->dims[i],
		    v->dim_names == NULL ? NULL : &v->dim_names[i]);
	}
	SF_BUF_LIT(buf, "]");
	if (v->ints != NULL || v->floats.at != NULL)
		put_contents(buf, v);
}

/* ---- one line ---- */

struct line {
	struct sf_onnx_node node;
	struct sf_onnx_attr attrs[MAX];
	struct sf_value *inputs[MAX];
	int64_t opset;
	const char *expected; /* the outputs, or what the error has in it */
	const char *because;
	bool error;
	int noutputs;
};

/* "a b": as many as there are blanks outside of braces, and one. */
static int
count_values(const char *text)
{
	int n = *text != '\0';

	for (; *text != '\0'; text++)
		n += *text == ' ';
	return n;
}

static void
read_type(struct reader *r, struct line *line)
{
	struct sf_str type = word(r, " ");
	struct sf_str opset;
	const char *dot = NULL;

	for (size_t i = 0; i < type.n; i++)
		if (type.p[i] == '.')
			dot = type.p + i;
	if (dot != NULL) {
		line->node.domain =
		    (struct sf_str){ type.p, (size_t)(dot - type.p) };
		type.n -= line->node.domain.n + 1;
		type.p = dot + 1;
	}
	line->node.op_type = type;
	skip_blanks(r);
	opset = word(r, ":");
	if (!sf_int_parse(opset.p, opset.n, &line->opset) || !take(r, ":"))
		die(r, "no opset");
}

static void
read_expected(struct reader *r, struct line *line)
{
	char *because = strstr(r->at, " because: ");

	if (because != NULL) {
		*because = '\0';
		line->because = because + strlen(" because: ");
	}
	line->error = take(r, "error: ");
	skip_blanks(r);
	line->expected = r->at;
	line->noutputs = line->error ? 1 : count_values(r->at);
}

static void
read_line(struct reader *r, struct line *line)
{
	read_type(r, line);
	while (!take(r, "->") && !take(r, "|")) {
		if (line->node.ninputs == MAX)
			die(r, "too many inputs");
		line->inputs[line->node.ninputs] = take(r, "_")
		    ? NULL
		    : read_value(r,
			  sf_arena_printf(
			      r->arena, "in%d", line->node.ninputs));
		line->node.ninputs++;
	}
	while (r->at[-1] != '>') {
		if (take(r, "->"))
			break;
		skip_blanks(r);
		read_attr(r, &line->attrs[line->node.nattrs++]);
	}
	line->node.attrs = line->attrs;
	read_expected(r, line);
}

static bool
complain(const struct reader *r, const char *found, const char *expected)
{
	fprintf(
	    stderr, "%s: found %s, expected %s\n", r->place, found, expected);
	return false;
}

static bool
check_outputs(const struct reader *r, const struct line *line,
    const struct sf_value *outputs)
{
	struct sf_buf buf = { 0 };
	bool same;

	for (int i = 0; i < line->noutputs; i++) {
		if (i > 0)
			sf_buf_putc(&buf, ' ');
		put_value(&buf, &outputs[i]);
	}
	sf_buf_putc(&buf, '\0');
	same = strcmp(buf.p, line->expected) == 0;
	if (!same)
		complain(r, buf.p, line->expected);
	sf_buf_release(&buf);
	if (line->because == NULL)
		return same;
	if (outputs[0].why == NULL ||
	    strstr(outputs[0].why, line->because) == NULL)
		return complain(r,
		    outputs[0].why == NULL ? "no reason" : outputs[0].why,
		    line->because);
	return same;
}

static bool
check_line(struct reader *r)
{
	struct line *line = sf_arena_calloc(r->arena, 1, sizeof *line);
	struct sf_value outputs[MAX] = { 0 };
	const struct sf_infer_entry *entry;
	struct sf_error error = { "" };
	struct sf_infer infer = { .arena = r->arena, .error = &error };

	read_line(r, line);
	entry =
	    sf_infer_find(line->node.domain, line->node.op_type, line->opset);
	if (entry == NULL)
		die(r, "no rule");
	infer.node = &line->node;
	infer.opset = line->opset;
	infer.inputs = line->inputs;
	infer.ninputs = line->node.ninputs;
	infer.outputs = outputs;
	infer.noutputs = line->noutputs;
	for (int i = 0; i < line->noutputs; i++)
		outputs[i].dtype = SF_DT_UNKNOWN;
	if (sf_infer_run(&infer, entry))
		return line->error ? complain(r, "no error", line->expected)
				   : check_outputs(r, line, outputs);
	if (!line->error)
		return complain(r, error.text, line->expected);
	return strstr(error.text, line->expected) != NULL ||
	    complain(r, error.text, line->expected);
}

static int
check_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char text[2000];
	int number = 0, wrong = 0;

	if (f == NULL) {
		fprintf(stderr, "%s: cannot be read\n", path);
		return 1;
	}
	while (fgets(text, sizeof text, f) != NULL) {
		struct reader r = { .arena = sf_arena_new() };

		text[strcspn(text, "\n")] = '\0';
		r.at = sf_arena_strdup(r.arena, text);
		r.place = sf_arena_printf(r.arena, "%s:%d", path, ++number);
		if (*r.at != '\0' && *r.at != '#')
			wrong += !check_line(&r);
		sf_arena_free(r.arena);
	}
	fclose(f);
	return wrong;
}

int
main(int argc, char *argv[])
{
	int wrong = 0;

	for (int i = 1; i < argc; i++)
		wrong += check_file(argv[i]);
	return wrong > 0 || argc < 2;
}
