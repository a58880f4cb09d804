/* Growing runs of bytes. */
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/die.h"
#include "base/num.h"

void
sf_buf_release(struct sf_buf *buf)
{
	free(buf->p);
	*buf = (struct sf_buf){ 0 };
}

void
sf_buf_grow(struct sf_buf *buf, size_t n)
{
	size_t room = buf->room != 0 ? buf->room : 256;

	if (n > SIZE_MAX / 4 - buf->n)
		sf_out_of_memory();
	while (room - buf->n < n)
		room *= 2;
	buf->p = sf_realloc(buf->p, room);
	buf->room = room;
}

void
sf_buf_int(struct sf_buf *buf, int64_t x)
{
	sf_buf_need(buf, 20);
	buf->n += sf_int_format(x, buf->p + buf->n);
}

void
sf_buf_double(struct sf_buf *buf, double x)
{
	sf_buf_need(buf, SF_DOUBLE_MAX);
	buf->n += sf_double_format(x, buf->p + buf->n);
}

void
sf_buf_vprintf(struct sf_buf *buf, const char *format, va_list ap)
{
	va_list again;
	size_t room;
	int len;

	/* Most texts fit, and are formatted once. */
	sf_buf_need(buf, 64);
	room = buf->room - buf->n;
	va_copy(again, ap);
	len = vsnprintf(buf->p + buf->n, room, format, again);
	va_end(again);
	if (len < 0)
		sf_bug("bad format '%s'", format);
	if ((size_t)len >= room) {
		sf_buf_need(buf, (size_t)len + 1);
		vsnprintf(buf->p + buf->n, (size_t)len + 1, format, ap);
	}
	buf->n += (size_t)len;
}

void
sf_buf_printf(struct sf_buf *buf, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	sf_buf_vprintf(buf, format, ap);
	va_end(ap);
}
