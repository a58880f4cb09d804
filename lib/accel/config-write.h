/* An accelerator as a configuration for people: JSON, a member a line. */
#ifndef SF_ACCEL_CONFIG_WRITE_H
#define SF_ACCEL_CONFIG_WRITE_H

#include "stream/jsonw.h"

/* Opens it with ABOUT, what it is and where its numbers come from. */
void sf_config_put_about(struct sf_jsonw *w, struct sf_str about);

/* The next member, on a line of its own. */
void sf_config_put_int(struct sf_jsonw *w, const char *key, int64_t x);
void sf_config_put_word(struct sf_jsonw *w, const char *key, struct sf_str x);

/* Closes it and moves its text to OUT. */
void sf_config_put_end(struct sf_jsonw *w, struct sf_buf *out);

#endif
