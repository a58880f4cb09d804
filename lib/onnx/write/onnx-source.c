/* The stages of sf-onnx, one after the other. */
#include "onnx/write/onnx-source.h"

#include "base/error.h"
#include "onnx/infer/bind.h"
#include "onnx/read/model.h"
#include "onnx/run/params.h"
#include "onnx/run/run.h"
#include "onnx/write/emit.h"
#include "onnx/write/inputs.h"

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
    struct sf_onnx_params *params, struct sf_onnx_run *run)
{
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
	if (!sf_onnx_run(run, model, params, arena, &error))
		sf_die(SF_EX_INPUT, "%s: %s%s%s%s%s%s%s", request->path,
		    error.text, bind->changed != NULL ? "; " : "",
		    bind->changed != NULL ? bind->changed_by : "",
		    bind->changed != NULL ? " changes " : "",
		    bind->changed != NULL ? bind->changed : "",
		    bind->given != NULL ? "; with --value " : "",
		    bind->given != NULL ? bind->given : "");
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
	struct sf_onnx_params params;
	struct sf_onnx_bind bind;
	struct sf_onnx_run run;
	struct sf_onnx_model *model = load(request, arena);

	run_model(request, arena, model, &bind, &params, &run);
	sf_stream_add_input(stream, request->path, model->crc32);
	if (request->params != NULL)
		sf_stream_add_input(stream, request->params, params.crc32);
	sf_onnx_emit(stream, &run, &bind, model_name(request->path));
	sf_onnx_run_release(&run);
	sf_onnx_bind_release(&bind);
	sf_onnx_params_release(&params);
}

int
sf_onnx_write_inputs(
    struct sf_stream *stream, const struct sf_onnx_request *request)
{
	struct sf_arena *arena = sf_stream_arena(stream);
	struct sf_onnx_params params;
	struct sf_onnx_bind bind;
	struct sf_onnx_run run;
	struct sf_buf text = { 0 };

	run_model(request, arena, load(request, arena), &bind, &params, &run);
	sf_onnx_put_inputs(&text, &run);
	sf_onnx_run_release(&run);
	sf_onnx_bind_release(&bind);
	sf_onnx_params_release(&params);
	return sf_stream_answer(stream, &text);
}
