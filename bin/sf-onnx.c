/* sf-onnx - an ONNX model as a trace. */
#include "simfront.h"

#include "onnx/write/emit.h"

struct job {
	struct sf_list dims, shapes;
	const char *params;
	const char *path;
	struct sf_arena *arena;
};

static struct sf_onnx_model *
load(const struct job *job)
{
	struct sf_onnx_model *model;
	struct sf_error error;
	bool io;

	model = sf_onnx_load(job->path, job->arena, &error, &io);
	if (model == NULL)
		sf_die(io ? SF_EX_IO : SF_EX_INPUT, "%s: %s", job->path,
		    error.text);
	return model;
}

static void
run_model(const struct job *job, struct sf_onnx_model *model,
    struct sf_onnx_bind *bind, struct sf_onnx_params *params,
    struct sf_onnx_run *run)
{
	struct sf_error error;
	bool io;

	if (!sf_onnx_bind(
		bind, model, &job->dims, &job->shapes, job->arena, &error))
		sf_die(SF_EX_USAGE, "%s: %s", job->path, error.text);
	if (!sf_onnx_params_init(
		params, model, job->params, job->arena, &error, &io))
		sf_die(io ? SF_EX_IO : SF_EX_INPUT, "%s", error.text);
	if (!sf_onnx_run(run, model, params, job->arena, &error))
		sf_die(SF_EX_INPUT, "%s: %s%s%s", job->path, error.text,
		    bind->changed != NULL ? "; --shape changes " : "",
		    bind->changed != NULL ? bind->changed : "");
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

int
main(int argc, char *argv[])
{
	struct job job = { 0 };
	const struct sf_opt opts[] = {
		SF_OPT_LIST('d', "dim", &job.dims, "NAME=N",
		    "give a symbolic dimension its size"),
		SF_OPT_LIST('s', "shape", &job.shapes, "INPUT=1x3x224x224",
		    "give an input its shape"),
		SF_OPT_PATH('p', "params", &job.params, "FILE",
		    "take the values named in FILE as the parameters"),
		SF_OPT_END,
	};
	struct sf_stream *stream = sf_source_open(
	    &(struct sf_tool){ .name = "sf-onnx",
		.summary = "Turn an ONNX model into a trace, without reading "
			   "its weights.",
		.opts = opts,
		.operands = "FILE",
		.min_operands = 1,
		.max_operands = 1,
		.operands_are_paths = true },
	    argc, argv);
	struct sf_onnx_params params;
	struct sf_onnx_bind bind;
	struct sf_onnx_run run;
	struct sf_onnx_model *model;

	job.path = sf_stream_cmdline(stream)->operands[0];
	job.arena = sf_stream_arena(stream);
	model = load(&job);
	run_model(&job, model, &bind, &params, &run);
	sf_stream_add_input(stream, job.path, model->crc32);
	if (job.params != NULL)
		sf_stream_add_input(stream, job.params, params.crc32);
	sf_onnx_emit(stream, &run, &bind, model_name(job.path));
	sf_onnx_run_release(&run);
	sf_onnx_bind_release(&bind);
	sf_onnx_params_release(&params);
	return sf_stream_close(stream);
}
