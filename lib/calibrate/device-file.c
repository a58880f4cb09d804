/* A device as a file. */
#include "calibrate/device-file.h"

#include "base/whole.h"

/* What the base, or what that is based on, says of a parameter. */
static const struct sf_config_value *
said(const struct sf_config *config, const char *key)
{
	for (; config != NULL; config = config->base) {
		const struct sf_config_value *v = sf_config_find(config, key);

		if (v != NULL)
			return v;
	}
	return NULL;
}

static const struct sf_config_value *
item(const struct sf_config_value *of, const char *key)
{
	for (size_t i = 0; i < of->nitems; i++)
		if (strcmp(of->items[i].key, key) == 0)
			return &of->items[i];
	return NULL;
}

static void
put_member(struct sf_jsonw *w, const char *key, const struct sf_config_value *v)
{
	if (v == NULL || v->text == NULL)
		return;
	sf_jsonw_key(w, key);
	if (v->type == SF_CONFIG_STR)
		sf_jsonw_cstr(w, v->text);
	else
		sf_jsonw_raw(w, sf_str_of(v->text));
}

static void
put_said(struct sf_jsonw *w, const char *key, const struct sf_config_value *v)
{
	sf_buf_put(&w->buf, w->comma ? ",\n\t" : "\n\t", w->comma ? 3 : 2);
	w->comma = false;
	sf_jsonw_key(w, key);
	sf_jsonw_open(w, '{');
	put_member(w, "value", item(v, "value"));
	put_member(w, "kind", item(v, "kind"));
	put_member(w, "source", item(v, "source"));
	sf_jsonw_close(w, '}');
}

static void
put_found(const struct sf_calibration *c, struct sf_jsonw *w, const char *key,
    double value, const struct sf_calibrated_category *cat)
{
	sf_buf_put(&w->buf, w->comma ? ",\n\t" : "\n\t", w->comma ? 3 : 2);
	w->comma = false;
	sf_jsonw_key(w, key);
	sf_jsonw_open(w, '{');
	sf_jsonw_kdouble(w, "value", value);
	sf_jsonw_kcstr(w, "kind", "measured");
	sf_jsonw_kcstr(w, "source",
	    sf_arena_printf(c->arena,
		"sf-calibrate: %lld calls of %zu sizes, mean deviation %.1f %%",
		(long long)cat->calls, cat->sizes.n,
		100 * sf_off_mean(&cat->after)));
	sf_jsonw_close(w, '}');
}

/* The category whose parameter KEY is and that was fitted with it. */
static const struct sf_calibrated_category *
finder(const struct sf_calibration *c, const struct sf_key *key)
{
	double now = *(const double *)(const void *)((const char *)&c->device +
	    key->offset);
	double was = *(
	    const double *)(const void *)((const char *)c->base + key->offset);

	for (int i = 0; i < SF_CAT_COUNT && now != was; i++) {
		const char *name = sf_category_name((enum sf_category)i);
		size_t n = strlen(name);

		if (strncmp(key->name, name, n) == 0 && key->name[n] == '_')
			return &c->categories[i];
	}
	return NULL;
}

static void
put_keys(const struct sf_calibration *c, struct sf_jsonw *w)
{
	for (size_t i = 0; i < sf_device_keys.n; i++) {
		const struct sf_key *key = &sf_device_keys.rows[i];
		const struct sf_calibrated_category *cat = finder(c, key);
		const struct sf_config_value *v =
		    said(c->base->config, key->name);

		if (cat != NULL)
			put_found(c, w, key->name,
			    *(const double *)(const void
				    *)((const char *)&c->device + key->offset),
			    cat);
		else if (v != NULL)
			put_said(w, key->name, v);
	}
}

void
sf_device_file_write(const struct sf_calibration *c, const char *path)
{
	struct sf_jsonw w = { 0 };

	sf_jsonw_open(&w, '{');
	SF_BUF_LIT(&w.buf, "\n\t");
	sf_jsonw_kcstr(&w, "about",
	    sf_arena_printf(
		c->arena, "%s, as sf-calibrate found it", c->base->name));
	put_keys(c, &w);
	SF_BUF_LIT(&w.buf, "\n}\n");
	sf_write_whole(path, &w.buf);
	sf_buf_release(&w.buf);
}
