/* Lists what a model takes and gives, and how to bind it. */
#include "onnx/write/inputs.h"

#include <string.h>

#include "onnx/infer/declared.h"
#include "onnx/infer/listed.h"
#include "onnx/run/values.h"

/* Appends TEXT as a field: nothing in it is taken for a tab or a line's end. */
static void
put_field(struct sf_buf *text, const char *p, size_t n)
{
	if (text->n != 0 && text->p[text->n - 1] != '\n')
		sf_buf_putc(text, '\t');
	if (n == 0)
		sf_buf_putc(text, '-');
	for (size_t i = 0; i < n; i++)
		sf_buf_putc(text, (unsigned char)p[i] < ' ' ? '?' : p[i]);
}

static void
put_type(struct sf_buf *text, struct sf_onnx_run *run, const struct sf_value *v)
{
	static const char *const around[] = {
		[SF_ONNX_TYPE_SPARSE] = "sparse",
		[SF_ONNX_TYPE_SEQUENCE] = "seq",
		[SF_ONNX_TYPE_OPTIONAL] = "optional",
		[SF_ONNX_TYPE_MAP] = "map",
	};
	const char *type = sf_onnx_type_text(v, run->arena);

	if (v->kind != SF_ONNX_TYPE_NONE && v->kind != SF_ONNX_TYPE_TENSOR)
		type = sf_arena_printf(
		    run->arena, "%s(%s)", around[v->kind], type);
	put_field(text, type, strlen(type));
}

static struct sf_str
name_of(const struct sf_value *v, int i)
{
	return v->dim_names != NULL ? v->dim_names[i] : SF_STR("");
}

/* A name that an earlier dimension has, too, is there once. */
static bool
is_new(const struct sf_value *v, int i)
{
	for (int k = 0; k < i; k++)
		if (v->dims[k] == SF_DIM_UNKNOWN &&
		    sf_str_eq(name_of(v, k), name_of(v, i)))
			return false;
	return true;
}

static void
put_symbolic(struct sf_buf *text, const struct sf_value *v)
{
	struct sf_buf names = { 0 };

	for (int i = 0; i < v->rank; i++) {
		struct sf_str name = name_of(v, i);

		if (v->dims[i] == SF_DIM_UNKNOWN && is_new(v, i))
			sf_buf_printf(&names, "%s%.*s", names.n != 0 ? "," : "",
			    name.n != 0 ? (int)name.n : 1,
			    name.n != 0 ? name.p : "?");
	}
	if (!v->rank_known)
		SF_BUF_LIT(&names, "...");
	put_field(text, names.p, names.n);
	sf_buf_release(&names);
}

static void
add_option(struct sf_buf *options, const char *option, const char *argument)
{
	sf_buf_printf(
	    options, "%s%s %s", options->n != 0 ? " " : "", option, argument);
}

/* Only inputs take --shape and --value; a name is bound wherever it is. */
static void
put_options(struct sf_buf *text, struct sf_onnx_run *run, struct sf_value *v,
    bool input)
{
	struct sf_onnx_type type = { .kind = v->kind, .item = v->item };
	bool lists = sf_onnx_holds_items(&type);
	bool whole = lists ? v->nitems < 0
			   : v->kind <= SF_ONNX_TYPE_TENSOR && !v->rank_known;
	struct sf_buf options = { 0 };

	for (int i = 0; i < v->rank && !lists; i++) {
		struct sf_str name = name_of(v, i);

		if (v->dims[i] != SF_DIM_UNKNOWN || !is_new(v, i))
			continue;
		if (name.n == 0)
			whole = true;
		else
			add_option(&options, "--dim",
			    sf_onnx_value_argument(run, name, "N"));
	}
	if (input && whole)
		add_option(&options, "--shape",
		    sf_onnx_value_argument(run, v->name, "..."));
	if (input && sf_onnx_value_of(v)->decides)
		add_option(&options, "--value",
		    sf_onnx_value_argument(run, v->name, "..."));
	put_field(text, options.p, options.n);
	sf_buf_release(&options);
}

static void
put_line(struct sf_buf *text, struct sf_onnx_run *run, const char *kind,
    struct sf_str name, struct sf_value *v)
{
	put_field(text, kind, strlen(kind));
	put_field(text, name.p, name.n);
	put_type(text, run, v);
	put_symbolic(text, v);
	put_options(text, run, v, strcmp(kind, "output") != 0);
	sf_buf_putc(text, '\n');
}

void
sf_onnx_put_inputs(struct sf_buf *text, struct sf_onnx_run *run)
{
	const struct sf_onnx_graph *graph = &run->model->graph;

	for (int i = 0; i < graph->ninputs; i++) {
		struct sf_entry *e =
		    sf_table_find(&run->root.values, graph->inputs[i].name);
		struct sf_value *v = e->ptr;

		if (sf_onnx_value_of(v)->input)
			put_line(text, run, v->constant ? "constant" : "input",
			    v->name, v);
	}
	for (int i = 0; i < run->noutputs; i++)
		if (run->outputs[i] != NULL)
			put_line(text, run, "output", graph->outputs[i].name,
			    run->outputs[i]);
}
