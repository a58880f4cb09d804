/* The stages of sf-onnx, one after the other. */
#include "onnx/write/onnx-source.h"

#include "base/error.h"
#include "onnx/infer/bind.h"
#include "onnx/read/model.h"
#include "onnx/run/params.h"
#include "onnx/run/run.h"
#include "onnx/write/emit.h"
#include "onnx/write/inputs.h"
#include "onnx/write/price.h"

static struct sf_onnx_model *
load(const struct sf_onnx_request *request, struct sf_arena *arena)
{
	struct sf_onnx_model *model;
	struct sf_error error;
	bool io;

	model = sf_onnx_load(request->path, arena, &error, &io);
	if (model == NULL)
		sf_die(io ? SF_EX_IO : SF_EX_INPUT, "%s: %s", request->path,
		    error.text);
	return model;
}

static void
run_model(const struct sf_onnx_request *request, struct sf_arena *arena,
    struct sf_onnx_model *model, struct sf_onnx_bind *bind,
    struct sf_onnx_params *params, struct sf_onnx_choices *choices,
    struct sf_onnx_run *run)
{
	struct sf_onnx_pricer pricer;
	struct sf_onnx_plan plan = { .choices = choices,
		.price = sf_onnx_pricer_price,
		.context = &pricer };
	struct sf_onnx_wants wants = { .dims = request->dims,
		.shapes = request->shapes,
		.values = request->values,
		.batch = request->batch };
	struct sf_error error;
	bool io;

	if (!sf_onnx_bind(bind, model, &wants, arena, &error))
		sf_die(SF_EX_USAGE, "%s: %s", request->path, error.text);
	if (!sf_onnx_params_init(
		params, model, request->params, arena, &error, &io))
		sf_die(io ? SF_EX_IO : SF_EX_INPUT, "%s", error.text);
	if (!sf_onnx_choices_init(
		choices, request->branches, request->trips, arena, &error))
		sf_die(SF_EX_USAGE, "%s", error.text);
	sf_onnx_pricer_init(&pricer);
	if (!sf_onnx_run(run, model, params, &plan, arena, &error))
		sf_die(SF_EX_INPUT, "%s: %s%s%s%s%s%s%s", request->path,
		    error.text, bind->changed != NULL ? "; " : "",
		    bind->changed != NULL ? bind->changed_by : "",
		    bind->changed != NULL ? " changes " : "",
		    bind->changed != NULL ? bind->changed : "",
		    bind->given != NULL ? "; with --value " : "",
		    bind->given != NULL ? bind->given : "");
	sf_onnx_pricer_release(&pricer);
	if (!sf_onnx_choices_check(choices, &error))
		sf_die(SF_EX_USAGE, "%s: %s", request->path, error.text);
	run->plan = NULL; /* it ends here */
}

/* What the user decided, and that it was the user. */
static void
add_assumed(struct sf_stream *stream, const struct sf_onnx_choices *choices)
{
	struct sf_jsonw w = { .comma = false };

	if (choices->nassumed == 0)
		return;
	sf_onnx_choices_put(choices, &w);
	sf_stream_add_tool_member(stream, "assumed",
	    sf_str_of(
		sf_arena_strndup(sf_stream_arena(stream), w.buf.p, w.buf.n)));
	sf_buf_release(&w.buf);
}

/* The file's name without directory and ".onnx". */
static struct sf_str
model_name(const char *path)
{
	struct sf_str name = sf_str_of(sf_path_base(path));

	if (name.n > 5 && memcmp(name.p + name.n - 5, ".onnx", 5) == 0)
		name.n -= 5;
	return name;
}

void
sf_onnx_write(struct sf_stream *stream, const struct sf_onnx_request *request)
{
	struct sf_arena *arena = sf_stream_arena(stream);
	struct sf_onnx_choices choices;
	struct sf_onnx_params params;
	struct sf_onnx_bind bind;
	struct sf_onnx_run run;
	struct sf_onnx_model *model = load(request, arena);

	run_model(request, arena, model, &bind, &params, &choices, &run);
	add_assumed(stream, &choices);
	sf_stream_add_input(stream, request->path, model->crc32);
	if (request->params != NULL)
		sf_stream_add_input(stream, request->params, params.crc32);
	sf_onnx_emit(stream, &run, &bind, &choices, model_name(request->path));
	sf_onnx_run_release(&run);
	sf_onnx_bind_release(&bind);
	sf_onnx_params_release(&params);
	sf_onnx_choices_release(&choices);
}

int
sf_onnx_write_inputs(
    struct sf_stream *stream, const struct sf_onnx_request *request)
{
	struct sf_arena *arena = sf_stream_arena(stream);
	struct sf_onnx_choices choices;
	struct sf_onnx_params params;
	struct sf_onnx_bind bind;
	struct sf_onnx_run run;
	struct sf_buf text = { 0 };

	run_model(request, arena, load(request, arena), &bind, &params,
	    &choices, &run);
	sf_onnx_put_inputs(&text, &run);
	sf_onnx_run_release(&run);
	sf_onnx_bind_release(&bind);
	sf_onnx_params_release(&params);
	sf_onnx_choices_release(&choices);
	return sf_stream_answer(stream, &text);
}
