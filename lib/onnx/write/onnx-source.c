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
#include "rules/record.h"
#include "stream/foreign-file.h"

static struct sf_onnx_model *
load(const struct sf_onnx_request *request, struct sf_arena *arena)
{
	struct sf_onnx_model *model;
	struct sf_error error;
	bool io;

	model = sf_onnx_load(request->path, arena, &error, &io);
	if (model == NULL)
		sf_die(io ? SF_EX_IO : SF_EX_INPUT, "%s: %s%s", request->path,
		    error.text,
		    io ? "" : sf_foreign_file(request->path, "sf-onnx", arena));
	return model;
}

static void
load_rules(struct sf_stream *stream, const struct sf_onnx_request *request,
    struct sf_onnx_stated *stated)
{
	struct sf_arena *arena = sf_stream_arena(stream);
	struct sf_table twice;

	sf_table_init(&stated->replaced, arena);
	if (request->rules.n == 0)
		return;
	stated->rules = sf_rulebook_new_bare(arena);
	sf_table_init(&twice, arena);
	sf_rules_load(stream, stated->rules, &request->rules, &twice);
	sf_table_release(&twice);
}

/* What a run needs and leaves. */
struct job {
	struct sf_onnx_params params;
	struct sf_onnx_bind bind;
	struct sf_onnx_stated stated;
	struct sf_choices choices;
	struct sf_onnx_pricer pricer;
	struct sf_onnx_plan plan;
	struct sf_onnx_run run;
};

static void
make_plan(const struct sf_onnx_request *request, struct sf_arena *arena,
    struct job *job)
{
	struct sf_error error;

	if (!sf_choices_init(&job->choices, request->branches, request->trips,
		arena, &error))
		sf_die(SF_EX_USAGE, "%s", error.text);
	sf_onnx_pricer_init(&job->pricer);
	job->plan = (struct sf_onnx_plan){ .choices = &job->choices,
		.stated = &job->stated,
		.price = sf_onnx_pricer_price,
		.context = &job->pricer };
}

static void
check_choices(const struct sf_onnx_request *request, const struct job *job)
{
	struct sf_error error;

	if (!sf_choices_check(&job->choices, &error))
		sf_die(SF_EX_USAGE, "%s: %s", request->path, error.text);
}

static void
run_model(struct sf_stream *stream, const struct sf_onnx_request *request,
    struct sf_onnx_model *model, struct job *job)
{
	struct sf_arena *arena = sf_stream_arena(stream);
	struct sf_onnx_wants wants = { .dims = request->dims,
		.shapes = request->shapes,
		.values = request->values,
		.batch = request->batch };
	struct sf_onnx_bind *bind = &job->bind;
	struct sf_error error;
	bool io;

	if (!sf_onnx_bind(bind, model, &wants, arena, &error))
		sf_die(SF_EX_USAGE, "%s: %s", request->path, error.text);
	if (!sf_onnx_params_init(
		&job->params, model, request->params, arena, &error, &io))
		sf_die(io ? SF_EX_IO : SF_EX_INPUT, "%s", error.text);
	job->stated = (struct sf_onnx_stated){ .shapes = &bind->shapes,
		.inputs = bind->inputs };
	load_rules(stream, request, &job->stated);
	make_plan(request, arena, job);
	if (sf_onnx_run(
		&job->run, model, &job->params, &job->plan, arena, &error)) {
		check_choices(request, job);
		return;
	}
	sf_die(job->run.misstated ? SF_EX_USAGE : SF_EX_INPUT,
	    "%s: %s%s%s%s%s%s%s", request->path, error.text,
	    bind->changed != NULL ? "; " : "",
	    bind->changed != NULL ? bind->changed_by : "",
	    bind->changed != NULL ? " changes " : "",
	    bind->changed != NULL ? bind->changed : "",
	    bind->given != NULL ? "; with --value " : "",
	    bind->given != NULL ? bind->given : "");
}

static void
release(struct job *job)
{
	sf_onnx_run_release(&job->run);
	if (job->stated.rules != NULL)
		sf_rulebook_release(job->stated.rules);
	sf_table_release(&job->stated.replaced);
	sf_buf_release(&job->stated.name);
	sf_onnx_bind_release(&job->bind);
	sf_onnx_params_release(&job->params);
	sf_choices_release(&job->choices);
	sf_onnx_pricer_release(&job->pricer);
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
	struct sf_onnx_model *model = load(request, arena);
	struct job job;

	sf_stream_add_input(stream, request->path, model->crc32);
	run_model(stream, request, model, &job);
	if (request->params != NULL)
		sf_stream_add_input(stream, request->params, job.params.crc32);
	sf_rules_put_replaced(stream, &job.stated.replaced);
	sf_choices_record(&job.choices, stream);
	sf_onnx_emit(stream, &job.run, &job.bind, &job.choices,
	    model_name(request->path));
	release(&job);
	sf_onnx_unload(model);
}

int
sf_onnx_write_inputs(
    struct sf_stream *stream, const struct sf_onnx_request *request)
{
	struct sf_onnx_model *model = load(request, sf_stream_arena(stream));
	struct sf_buf text = { 0 };
	struct job job;

	run_model(stream, request, model, &job);
	sf_onnx_put_inputs(&text, &job.run);
	release(&job);
	sf_onnx_unload(model);
	return sf_stream_answer(stream, &text);
}
