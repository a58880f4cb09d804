/* The operators of a profiler's trace. */
#include "dispatch/kineto-op.h"

#include "base/die.h"
#include "torch/dtype.h"

void
sf_kineto_out_init(struct sf_kineto_out *out, struct sf_kineto *kineto,
    const char *path, struct sf_stream *stream)
{
	*out = (struct sf_kineto_out){ .kineto = kineto,
		.path = path,
		.stream = stream,
		.device = kineto->launches.nkernels != 0 };
	sf_call_init(&out->call);
}

void
sf_kineto_out_release(struct sf_kineto_out *out)
{
	sf_call_release(&out->call);
}

SF_NORETURN static void
call_die(const struct sf_kineto_out *out, const struct sf_profiled_call *call,
    const char *what)
{
	sf_die(SF_EX_INPUT, "%s:%lld: '%.*s': %s", out->path,
	    (long long)call->lineno, SF_STR_ARG(call->call.kind->name), what);
}

/* ---- what a call says ---- */

enum {
	MOST_ARGS = 64
};

/* The members of its args that matter; scanners where there are arrays. */
struct said {
	struct sf_json dims, types, concrete;
	bool has_dims, has_types, has_concrete;
	/* Of a collective; -1 and empty where it does not say. */
	struct sf_str collective, dtype, group, description;
	int64_t in_elements, out_elements, group_size;
};

static void
scan_array(struct sf_json *scan, struct sf_json *array, bool *has)
{
	*has = sf_json_peek(scan) == '[';
	*array = *scan;
	sf_json_skip(scan);
}

static void
read_said(const struct sf_kineto_out *out, const struct sf_profiled_call *call,
    struct said *s)
{
	struct sf_json scan = { .p = call->args.p,
		.start = call->args.p,
		.arena = out->call.arena };
	struct sf_str key;

	*s = (struct said){
		.in_elements = -1, .out_elements = -1, .group_size = -1
	};
	s->collective = s->dtype = s->group = s->description = sf_str_of("");
	if (call->args.n == 0)
		return;
	sf_json_enter(&scan, '{');
	while (sf_json_member(&scan, &key)) {
		bool text = sf_json_peek(&scan) == '"';

		if (SF_KEY(key, "Input Dims"))
			scan_array(&scan, &s->dims, &s->has_dims);
		else if (SF_KEY(key, "Input type"))
			scan_array(&scan, &s->types, &s->has_types);
		else if (SF_KEY(key, "Concrete Inputs"))
			scan_array(&scan, &s->concrete, &s->has_concrete);
		else if (SF_KEY(key, "Collective name") && text)
			s->collective = sf_json_string(&scan);
		else if (SF_KEY(key, "dtype") && text)
			s->dtype = sf_json_string(&scan);
		else if (SF_KEY(key, "Process Group Name") && text)
			s->group = sf_json_string(&scan);
		else if (SF_KEY(key, "Process Group Description") && text)
			s->description = sf_json_string(&scan);
		else if (SF_KEY(key, "In msg nelems"))
			s->in_elements = sf_json_int(&scan);
		else if (SF_KEY(key, "Out msg nelems"))
			s->out_elements = sf_json_int(&scan);
		else if (SF_KEY(key, "Group size"))
			s->group_size = sf_json_int(&scan);
		else
			sf_json_skip(&scan);
	}
	if (scan.error != NULL)
		call_die(out, call, scan.error);
}

/* ---- tensors ---- */

/* No value is known to be another one: each has a name of its own. */
static struct sf_str
tid(struct sf_kineto_out *out, char side)
{
	struct sf_buf *list =
	    side == 'i' ? &out->call.inputs : &out->call.outputs;

	return sf_str_of(sf_arena_printf(out->call.arena, "%lld.%c%d",
	    (long long)out->kineto->ops, side, sf_call_count(list)));
}

/* One tensor by its sizes. */
static void
add_tensor(struct sf_kineto_out *out, const struct sf_profiled_call *call,
    struct sf_json *dims, enum sf_dtype dtype)
{
	struct sf_tensor t = { .dtype = dtype };

	if (!sf_call_shape(dims, out->call.arena, &t))
		return;
	t.tid = tid(out, 'i');
	if (!sf_call_add(&out->call.inputs, t))
		call_die(out, call, "a tensor of more than 2^63 - 1 bytes");
}

/* A list of sizes for each tensor, in newer files; their type is not said. */
static void
add_list(struct sf_kineto_out *out, const struct sf_profiled_call *call,
    struct sf_json *dims)
{
	struct sf_tensor unknown = { .dtype = SF_DT_UNKNOWN };
	int n = 0;

	sf_json_enter(dims, '[');
	for (; sf_json_element(dims); n++)
		add_tensor(out, call, dims, SF_DT_UNKNOWN);
	if (n != 0)
		return;
	/* Old files say [] whatever was in it. */
	unknown.tid = tid(out, 'i');
	sf_call_add(&out->call.inputs, unknown);
}

static struct sf_str
next_text(struct sf_json *scan, bool has)
{
	if (!has || !sf_json_element(scan))
		return sf_str_of("");
	if (sf_json_peek(scan) == '"')
		return sf_json_string(scan);
	sf_json_skip(scan);
	return sf_str_of("");
}

static int
read_args(struct sf_kineto_out *out, const struct sf_profiled_call *call,
    struct said *s, struct sf_profiled_arg *args)
{
	int n = 0;

	sf_json_enter(&s->types, '[');
	sf_json_enter(&s->dims, '[');
	if (s->has_concrete)
		sf_json_enter(&s->concrete, '[');
	while (sf_json_element(&s->types) && sf_json_element(&s->dims)) {
		struct sf_str type = sf_json_string(&s->types);
		enum sf_dtype dtype = sf_torch_dtype_of_cpp(type);
		struct sf_profiled_arg arg = { type, sf_str_of(""), -1 };

		arg.concrete = next_text(&s->concrete, s->has_concrete);
		if (n == MOST_ARGS)
			call_die(out, call, "more than 64 arguments");
		if (sf_str_is(type, "TensorList")) {
			add_list(out, call, &s->dims);
		} else if (dtype != SF_DT_UNKNOWN ||
		    sf_str_starts(type, "c10::")) {
			arg.tensor = sf_call_count(&out->call.inputs);
			add_tensor(out, call, &s->dims, dtype);
		} else {
			if (type.n == 0 && arg.concrete.n == 0)
				sf_call_add_absent(&out->call.inputs);
			sf_json_skip(&s->dims);
		}
		args[n++] = arg;
	}
	if (s->types.error != NULL || s->dims.error != NULL ||
	    s->concrete.error != NULL)
		call_die(out, call,
		    s->types.error != NULL      ? s->types.error
			: s->dims.error != NULL ? s->dims.error
						: s->concrete.error);
	return n;
}

/* ---- results ---- */

static void
name_outputs(struct sf_kineto_out *out)
{
	for (int i = 0; i < sf_call_count(&out->call.outputs); i++) {
		struct sf_tensor *t = sf_call_tensor(&out->call.outputs, i);

		if (!t->absent)
			t->tid = sf_str_of(sf_arena_printf(out->call.arena,
			    "%lld.o%d", (long long)out->kineto->ops, i));
	}
}

static void
add_unknown(struct sf_kineto_out *out)
{
	struct sf_tensor t = { .dtype = SF_DT_UNKNOWN };

	t.tid = sf_str_of("");
	sf_call_add(&out->call.outputs, t);
}

static const char *
read_tensors(struct sf_kineto_out *out, const struct sf_profiled_call *call,
    struct said *s)
{
	struct sf_profiled_arg args[MOST_ARGS];
	struct sf_str name = call->call.kind->name;
	int n;

	if (!s->has_dims || !s->has_types) {
		out->kineto->shapeless++;
		add_unknown(out);
		return "it was recorded without shapes";
	}
	n = read_args(out, call, s, args);
	/* Collectives have names like those of ATen: what is written is first. */
	if (sf_str_starts(name, "aten.") || call->call.kind->comms)
		sf_str_cut(&name, '.');
	else
		name = sf_str_of("");
	if (!sf_derive_outputs(out->kineto->derive, name, args, n,
		s->has_concrete, &out->call))
		call_die(out, call, "it gives more than 2^63 - 1 bytes");
	return "a profiler's trace does not say all that it takes or gives";
}

/* ---- collectives ---- */

/* "Float", "BFloat16", as c10 prints a type. */
static enum sf_dtype
comms_type(struct sf_str text)
{
	char upper[24];

	if (text.n >= sizeof upper)
		return SF_DT_UNKNOWN;
	for (size_t i = 0; i < text.n; i++)
		upper[i] = text.p[i] >= 'a' && text.p[i] <= 'z'
		    ? (char)(text.p[i] - 'a' + 'A')
		    : text.p[i];
	return sf_torch_dtype_of_name((struct sf_str){ upper, text.n });
}

static void
add_elements(struct sf_kineto_out *out, struct sf_buf *to, char side,
    int64_t elements, enum sf_dtype dtype)
{
	int64_t *shape = sf_arena_calloc(out->call.arena, 1, sizeof *shape);
	struct sf_tensor t = {
		.dtype = dtype, .rank = 1, .shape = shape, .rank_known = true
	};

	*shape = elements;
	t.tid = tid(out, side);
	if (!sf_call_add(to, t))
		sf_die(SF_EX_INPUT,
		    "%s: a collective of more than 2^63 - 1 bytes", out->path);
}

static void
put_comms(struct sf_kineto_out *out, const struct said *s)
{
	struct sf_jsonw *w = &out->call.attrs;

	if (s->collective.n != 0)
		sf_jsonw_kstr(w, "collective", s->collective);
	if (s->group.n != 0)
		sf_jsonw_kstr(w, "group", s->group);
	if (s->description.n != 0)
		sf_jsonw_kstr(w, "group_description", s->description);
	if (s->group_size >= 0)
		sf_jsonw_kint(w, "group_size", s->group_size);
}

/*
 * Sizes and group of the collective that CALL is or that ran inside of it:
 * what its record says of sizes is more than the arguments do. False when there
 * is none, or it says nothing.
 */
static bool
read_comms(struct sf_kineto_out *out, struct sf_profiled_call *call)
{
	const struct sf_profiled_call *record =
	    (struct sf_profiled_call *)sf_call_node_collective(&call->call);
	enum sf_dtype dtype;
	struct said s;

	if (record == NULL)
		return false;
	read_said(out, record, &s);
	if (s.collective.n == 0)
		return false;
	put_comms(out, &s);
	if (out->call.name.n == 0)
		out->call.name = sf_str_of(sf_arena_printf(
		    out->call.arena, "c10d.%.*s", SF_STR_ARG(s.collective)));
	if (s.in_elements < 0 || s.out_elements < 0)
		return false;
	dtype = comms_type(s.dtype);
	out->call.inputs.n = out->call.outputs.n = 0;
	add_elements(out, &out->call.inputs, 'i', s.in_elements, dtype);
	add_elements(out, &out->call.outputs, 'o', s.out_elements, dtype);
	return true;
}

/* ---- one operator ---- */

static void
measure(struct sf_kineto_out *out, const struct sf_profiled_call *call)
{
	double launched_s;
	int64_t launches = sf_call_node_launches(&call->call, &launched_s);

	out->call.measured = !out->device || launches != 0;
	if (!out->device)
		out->call.measured_s =
		    (double)(call->end_ns - call->start_ns) / 1e9;
	else
		out->call.measured_s = launched_s;
	out->kineto->kernels += launches;
	out->kineto->kernels_s += launched_s;
}

static void
take(void *context, struct sf_call_node *node)
{
	struct sf_kineto_out *out = context;
	struct sf_profiled_call *call = (struct sf_profiled_call *)node;
	const char *why = "the file does not say how much is sent";
	struct said said;

	sf_call_begin(&out->call, node->kind->name);
	out->call.module = call->module;
	read_said(out, call, &said);
	if (node->kind->sort != SF_CALL_COLLECTIVE)
		why = read_tensors(out, call, &said);
	if (node->kind->sort == SF_CALL_COLLECTIVE || node->kind->comms)
		read_comms(out, call);
	/* The record of one that is said nothing of, as of waiting. */
	if (out->call.name.n == 0 || sf_str_is(out->call.name, "c10d.wait") ||
	    sf_str_is(out->call.name, "c10d.init"))
		return;
	name_outputs(out);
	measure(out, call);
	sf_call_put(&out->call, out->stream, node->kind->free, NULL, why);
	out->kineto->ops++;
}

void
sf_kineto_put_tree(struct sf_kineto_out *out, struct sf_profiled_call *root)
{
	sf_call_node_walk(&root->call, take, out);
}
