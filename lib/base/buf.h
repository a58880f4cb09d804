/* A growing run of bytes. Zero-initialise it, sf_buf_release when done. */
#ifndef SF_BASE_BUF_H
#define SF_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/decl.h"

SF_PUBLIC_BEGIN

struct sf_buf {
	char *p;
	size_t n;    /* bytes in use */
	size_t room; /* bytes allocated */
};

void sf_buf_release(struct sf_buf *buf);

/* Makes room for N more bytes behind those in use. */
void sf_buf_grow(struct sf_buf *buf, size_t n);

static inline void
sf_buf_need(struct sf_buf *buf, size_t n)
{
	if (buf->room - buf->n < n)
		sf_buf_grow(buf, n);
}

static inline void
sf_buf_put(struct sf_buf *buf, const void *bytes, size_t n)
{
	sf_buf_need(buf, n);
	if (n != 0)
		memcpy(buf->p + buf->n, bytes, n);
	buf->n += n;
}

static inline void
sf_buf_putc(struct sf_buf *buf, char c)
{
	sf_buf_need(buf, 1);
	buf->p[buf->n++] = c;
}

#define SF_BUF_LIT(buf, literal) sf_buf_put(buf, literal, sizeof(literal) - 1)

void sf_buf_int(struct sf_buf *buf, int64_t x);
void sf_buf_double(struct sf_buf *buf, double x);
void sf_buf_printf(struct sf_buf *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void sf_buf_vprintf(struct sf_buf *buf, const char *format, va_list ap)
    __attribute__((format(printf, 2, 0)));

SF_PUBLIC_END

#endif
