/* Brings together what a model declares and what follows from its inputs. */
#include "onnx/infer/declared.h"

#include "base/buf.h"

/* Rank and sizes as declared, over those in KNOWN where it has them. */
static void
set_dims(struct sf_value *value, const struct sf_onnx_type *type,
    const int64_t *known, const struct sf_str *known_names,
    struct sf_arena *arena)
{
	size_t rank = (size_t)type->rank;
	int64_t *dims = sf_arena_calloc(arena, rank, sizeof *dims);
	struct sf_str *names = sf_arena_calloc(arena, rank, sizeof *names);
	bool named = false;

	for (size_t i = 0; i < rank; i++) {
		dims[i] = type->dims[i].size;
		names[i] = type->dims[i].name;
		if (known != NULL && known[i] != SF_DIM_UNKNOWN)
			dims[i] = known[i];
		else if (known_names != NULL && known_names[i].n != 0)
			names[i] = known_names[i];
		if (dims[i] != SF_DIM_UNKNOWN)
			names[i] = SF_STR("");
		named = named || names[i].n != 0;
	}
	value->rank_known = true;
	value->rank = type->rank;
	value->dims = dims;
	value->dim_names = named ? names : NULL;
}

void
sf_onnx_declare(struct sf_value *value, const struct sf_onnx_type *type,
    struct sf_arena *arena)
{
	value->kind = type->kind;
	value->item = type->item;
	value->dtype = type->dtype;
	value->nitems = -1;
	if (type->rank_known)
		set_dims(value, type, NULL, NULL, arena);
}

static bool
contradicts(const struct sf_value *value, const struct sf_onnx_type *type)
{
	if (type->dtype != SF_DT_UNKNOWN && value->dtype != SF_DT_UNKNOWN &&
	    type->dtype != value->dtype)
		return true;
	if (!type->rank_known || !value->rank_known)
		return false;
	if (type->rank != value->rank)
		return true;
	for (int i = 0; i < type->rank; i++)
		if (type->dims[i].size != SF_DIM_UNKNOWN &&
		    value->dims[i] != SF_DIM_UNKNOWN &&
		    type->dims[i].size != value->dims[i])
			return true;
	return false;
}

/* The declaration has a size or a name where the value has none. */
static bool
knows_more(const struct sf_value *value, const struct sf_onnx_type *type)
{
	if (!type->rank_known)
		return false;
	if (!value->rank_known)
		return true;
	for (int i = 0; i < type->rank; i++)
		if (value->dims[i] == SF_DIM_UNKNOWN &&
		    (type->dims[i].size != SF_DIM_UNKNOWN ||
			(type->dims[i].name.n != 0 &&
			    (value->dim_names == NULL ||
				value->dim_names[i].n == 0))))
			return true;
	return false;
}

const char *
sf_onnx_type_text(const struct sf_value *value, struct sf_arena *arena)
{
	const char *dtype = sf_dtype_name(value->dtype), *text;
	struct sf_buf buf = { 0 };

	sf_buf_printf(&buf, "%s[", dtype != NULL ? dtype : "?");
	for (int i = 0; i < value->rank; i++) {
		if (i != 0)
			sf_buf_putc(&buf, ',');
		if (value->dims[i] != SF_DIM_UNKNOWN)
			sf_buf_int(&buf, value->dims[i]);
		else if (value->dim_names != NULL && value->dim_names[i].n != 0)
			sf_buf_put(
			    &buf, value->dim_names[i].p, value->dim_names[i].n);
		else
			sf_buf_putc(&buf, '?');
	}
	if (!value->rank_known)
		SF_BUF_LIT(&buf, "...");
	sf_buf_putc(&buf, ']');
	text = sf_arena_strndup(arena, buf.p, buf.n);
	sf_buf_release(&buf);
	return text;
}

const char *
sf_onnx_declare_more(struct sf_value *value, const struct sf_onnx_type *type,
    struct sf_arena *arena)
{
	if (type->kind == SF_ONNX_TYPE_NONE)
		return NULL;
	if (value->kind == SF_ONNX_TYPE_NONE)
		value->kind = type->kind;
	if (value->kind != type->kind)
		return NULL;
	if (contradicts(value, type)) {
		struct sf_value declared = { .name = value->name };

		sf_onnx_declare(&declared, type, arena);
		return sf_arena_printf(arena, "'%.*s': declared %s, found %s",
		    SF_STR_ARG(value->name),
		    sf_onnx_type_text(&declared, arena),
		    sf_onnx_type_text(value, arena));
	}
	if (value->dtype == SF_DT_UNKNOWN)
		value->dtype = type->dtype;
	if (knows_more(value, type))
		set_dims(value, type, value->rank_known ? value->dims : NULL,
		    value->dim_names, arena);
	return NULL;
}
