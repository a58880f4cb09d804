/* One operator while it is put together. */
#include "dispatch/call.h"

void
sf_call_init(struct sf_made_op *call)
{
	*call = (struct sf_made_op){ .arena = sf_arena_new() };
}

void
sf_call_release(struct sf_made_op *call)
{
	sf_arena_free(call->arena);
	sf_buf_release(&call->inputs);
	sf_buf_release(&call->outputs);
	sf_buf_release(&call->attrs.buf);
}

void
sf_call_begin(struct sf_made_op *call, struct sf_str name)
{
	sf_arena_reset(call->arena);
	call->inputs.n = call->outputs.n = call->attrs.buf.n = 0;
	call->attrs.comma = false;
	call->name = name;
	call->module = SF_STR("");
	call->measured = false;
	call->measured_s = 0;
}

bool
sf_call_add(struct sf_buf *to, struct sf_tensor tensor)
{
	bool fits = sf_tensor_measure(&tensor);

	sf_buf_put(to, &tensor, sizeof tensor);
	return fits;
}

void
sf_call_add_absent(struct sf_buf *to)
{
	struct sf_tensor tensor = { .tid = SF_STR_INIT(""), .absent = true };

	sf_buf_put(to, &tensor, sizeof tensor);
}

int
sf_call_count(const struct sf_buf *list)
{
	return (int)(list->n / sizeof(struct sf_tensor));
}

struct sf_tensor *
sf_call_tensor(const struct sf_buf *list, int i)
{
	if (list->p == NULL)
		return NULL;
	return (struct sf_tensor *)(void *)list->p + i;
}

bool
sf_call_copy(struct sf_json *scan, struct sf_jsonw *w)
{
	int depth = 0;

	do {
		char c = sf_json_peek(scan);

		if (c == '[' && depth < 64) {
			sf_json_enter(scan, '[');
			sf_jsonw_open(w, '[');
			depth++;
		} else if (c == '"') {
			sf_jsonw_str(w, sf_json_string(scan));
		} else if (c == '[' || c == '{') {
			sf_json_fail(scan,
			    "expected a number, a text, true, "
			    "false or an array of them");
		} else {
			sf_jsonw_raw(w, sf_json_skip(scan));
		}
		while (depth != 0 && !sf_json_element(scan)) {
			if (scan->error != NULL)
				return false;
			sf_jsonw_close(w, ']');
			depth--;
		}
	} while (depth != 0 && scan->error == NULL);
	return scan->error == NULL;
}

bool
sf_call_shape(
    struct sf_json *scan, struct sf_arena *arena, struct sf_tensor *tensor)
{
	int64_t sizes[SF_MAX_RANK], *shape;
	int rank = 0;

	if (!sf_json_enter(scan, '['))
		return false;
	while (sf_json_element(scan)) {
		if (rank == SF_MAX_RANK)
			return sf_json_fail(scan, "a rank above 64");
		sizes[rank] = sf_json_int(scan);
		if (scan->error == NULL && sizes[rank] < 0)
			return sf_json_fail(scan, "a size below 0");
		rank++;
	}
	if (scan->error != NULL)
		return false;
	shape = sf_arena_calloc(arena, (size_t)rank + 1, sizeof *shape);
	memcpy(shape, sizes, (size_t)rank * sizeof *shape);
	tensor->shape = shape;
	tensor->rank = rank;
	tensor->rank_known = true;
	return true;
}

static bool
is_resolved(const struct sf_buf *list)
{
	for (int i = 0; i < sf_call_count(list); i++) {
		const struct sf_tensor *t = sf_call_tensor(list, i);

		if (!t->absent && !t->resolved)
			return false;
	}
	return true;
}

void
sf_call_put(struct sf_made_op *call, struct sf_stream *stream, bool free,
    const char *lacks, const char *why)
{
	struct sf_jsonw attrs = { 0 };
	struct sf_op op = { .name = call->name,
		.module = call->module,
		.measured = call->measured,
		.measured_s = call->measured_s };

	while (call->inputs.n != 0 &&
	    sf_call_tensor(&call->inputs, sf_call_count(&call->inputs) - 1)
		->absent)
		call->inputs.n -= sizeof(struct sf_tensor);
	op.inputs = sf_call_tensor(&call->inputs, 0);
	op.ninputs = sf_call_count(&call->inputs);
	op.outputs = sf_call_tensor(&call->outputs, 0);
	op.noutputs = sf_call_count(&call->outputs);
	op.unresolved = SF_STR("");
	op.attrs = op.node = SF_STR("");
	if (!free && lacks != NULL)
		op.unresolved = sf_str_of(lacks);
	else if (!free &&
	    !(is_resolved(&call->inputs) && is_resolved(&call->outputs)))
		op.unresolved = sf_str_of(why);
	if (call->attrs.buf.n != 0) {
		sf_jsonw_open(&attrs, '{');
		sf_buf_put(&attrs.buf, call->attrs.buf.p, call->attrs.buf.n);
		sf_jsonw_close(&attrs, '}');
		op.attrs = (struct sf_str){ attrs.buf.p, attrs.buf.n };
	}
	sf_op_put(stream, &op);
	sf_buf_release(&attrs.buf);
}
