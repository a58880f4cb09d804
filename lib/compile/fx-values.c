/* Values and names of a graph that is walked. */
#include "compile/fx-values.h"

#include <string.h>

#include "base/num.h"
#include "torch/dtype.h"

struct sf_fx_val *
sf_fx_val_new(struct sf_fx_walk *w, enum sf_fx_val_kind kind)
{
	struct sf_fx_val *v = sf_arena_calloc(w->program->arena, 1, sizeof *v);

	v->kind = kind;
	return v;
}

struct sf_str
sf_fx_full_name(struct sf_fx_walk *w, struct sf_str name)
{
	if (w->scope->prefix.n == 0)
		return name;
	return sf_str_of(sf_arena_printf(w->program->arena, "%.*s%.*s",
	    SF_STR_ARG(w->scope->prefix), SF_STR_ARG(name)));
}

struct sf_fx_val *
sf_fx_lookup(struct sf_fx_walk *w, struct sf_str name)
{
	const char *dot = sf_str_chr(name, '.');
	const struct sf_entry *e;

	if (dot != NULL)
		name.n = (size_t)(dot - name.p);
	e = sf_table_find(&w->scope->names, name);
	return e != NULL ? e->ptr : NULL;
}

static struct sf_fx_val *
val_of_word(struct sf_fx_walk *w, const struct sf_fx_value *value)
{
	struct sf_fx_val *v;

	if (sf_fx_value_is(value, "None"))
		return sf_fx_val_new(w, SF_FX_VAL_NONE);
	v = sf_fx_lookup(w, value->text);
	if (v != NULL && sf_str_chr(value->text, '.') == NULL)
		return v;
	v = sf_fx_val_new(w, SF_FX_VAL_SCALAR);
	if (!sf_str_starts(value->text, "self."))
		return v;
	v->module = sf_fx_module_find(w->scope->module,
	    (struct sf_str){ value->text.p + 5, value->text.n - 5 });
	if (v->module != NULL)
		v->kind = SF_FX_VAL_MODULE;
	return v;
}

struct sf_fx_val *
sf_fx_val_of(struct sf_fx_walk *w, const struct sf_fx_value *value)
{
	struct sf_fx_val *v;
	int first = value->kind == SF_FX_CALL;

	if (value->kind == SF_FX_WORD)
		return val_of_word(w, value);
	if (value->nitems <= first &&
	    (value->kind == SF_FX_CALL || value->kind < SF_FX_LIST ||
		value->kind == SF_FX_OBJECT))
		return sf_fx_val_new(w, SF_FX_VAL_SCALAR);
	v = sf_fx_val_new(w, SF_FX_VAL_ITEMS);
	v->items = sf_arena_calloc(w->program->arena,
	    (size_t)(value->nitems - first) + 1, sizeof(*v->items));
	for (int i = first; i < value->nitems; i++) {
		struct sf_fx_val *item = sf_fx_val_of(w, value->items[i]);

		v->items[v->nitems++] = item;
		v->leaves += item->kind == SF_FX_VAL_ITEMS ? item->leaves : 1;
		if (v->leaves > SF_FX_MAX_ITEMS) {
			w->too_long = true;
			v->kind = SF_FX_VAL_SCALAR;
			break;
		}
	}
	return v;
}

static bool
may_be_tensor(const struct sf_fx_val *v)
{
	return v->kind == SF_FX_VAL_TENSOR || v->kind == SF_FX_VAL_UNTYPED ||
	    (v->kind == SF_FX_VAL_RESULTS && !v->picked);
}

bool
sf_fx_val_has_tensor(const struct sf_fx_val *v)
{
	if (v->kind != SF_FX_VAL_ITEMS)
		return may_be_tensor(v);
	for (int i = 0; i < v->nitems; i++)
		if (sf_fx_val_has_tensor(v->items[i]))
			return true;
	return false;
}

bool
sf_fx_touches_tensor(struct sf_fx_walk *w, const struct sf_fx_value *value)
{
	for (int i = 0; i < value->nitems; i++)
		if (sf_fx_val_has_tensor(sf_fx_val_of(w, value->items[i])))
			return true;
	return false;
}

bool
sf_fx_gathers(struct sf_fx_walk *w, const struct sf_fx_value *index)
{
	if (index->kind == SF_FX_LIST ||
	    sf_fx_val_has_tensor(sf_fx_val_of(w, index)))
		return true;
	for (int i = 0; i < index->nitems; i++)
		if (index->items[i]->kind == SF_FX_LIST)
			return true;
	return false;
}

/* ---- as attributes ---- */

static bool
put_word(struct sf_jsonw *json, struct sf_str word)
{
	enum sf_dtype dtype;

	if (sf_str_is(word, "True") || sf_str_is(word, "False")) {
		sf_jsonw_bool(json, word.p[0] == 'T');
		return true;
	}
	/* JSON has no word for infinities. */
	if (sf_str_is(word, "inf") || sf_str_is(word, "nan")) {
		sf_jsonw_str(json, word);
		return true;
	}
	dtype = sf_str_starts(word, "torch.") ? sf_torch_dtype_of_name(word)
					      : SF_DT_UNKNOWN;
	if (dtype == SF_DT_UNKNOWN)
		return false;
	sf_jsonw_cstr(json, sf_dtype_name(dtype));
	return true;
}

static bool
put_number(struct sf_jsonw *json, const struct sf_fx_value *value)
{
	double x;
	int64_t n;

	if (value->kind == SF_FX_INT) {
		if (!sf_int_parse(value->text.p, value->text.n, &n))
			return false;
		sf_jsonw_int(json, n);
		return true;
	}
	if (!sf_double_parse(value->text.p, value->text.n, &x))
		return false;
	sf_jsonw_double(json, x);
	return true;
}

bool
sf_fx_put_value(struct sf_fx_walk *w, struct sf_jsonw *json,
    const struct sf_fx_value *value)
{
	switch (value->kind) {
	case SF_FX_INT:
	case SF_FX_FLOAT:
		return put_number(json, value);
	case SF_FX_WORD:
		return put_word(json, value->text);
	case SF_FX_TEXT:
		if (sf_str_chr(value->text, '\\') != NULL)
			return false;
		sf_jsonw_str(json, value->text);
		return true;
	case SF_FX_UNARY:
		if (!sf_str_is(value->text, "-") ||
		    !sf_fx_value_is(value->items[0], "inf"))
			return false;
		sf_jsonw_cstr(json, "-inf");
		return true;
	case SF_FX_LIST:
	case SF_FX_TUPLE:
		sf_jsonw_open(json, '[');
		for (int i = 0; i < value->nitems; i++)
			if (!sf_fx_put_value(w, json, value->items[i]))
				return false;
		sf_jsonw_close(json, ']');
		return true;
	default:
		return false;
	}
}
