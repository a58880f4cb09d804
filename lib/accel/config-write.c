/* A configuration as a file. */
#include "accel/config-write.h"

static void
begin_line(struct sf_jsonw *w)
{
	SF_BUF_LIT(&w->buf, ",\n\t");
	w->comma = false;
}

void
sf_config_put_about(struct sf_jsonw *w, struct sf_str about)
{
	SF_BUF_LIT(&w->buf, "{\n\t");
	sf_jsonw_kstr(w, "about", about);
}

void
sf_config_put_int(struct sf_jsonw *w, const char *key, int64_t x)
{
	begin_line(w);
	sf_jsonw_kint(w, key, x);
}

void
sf_config_put_word(struct sf_jsonw *w, const char *key, struct sf_str x)
{
	begin_line(w);
	sf_jsonw_kstr(w, key, x);
}

void
sf_config_put_end(struct sf_jsonw *w, struct sf_buf *out)
{
	SF_BUF_LIT(&w->buf, "\n}\n");
	sf_buf_put(out, w->buf.p, w->buf.n);
	sf_buf_release(&w->buf);
}
