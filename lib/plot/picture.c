/* What a picture is drawn on, and what it is called. */
#include "plot/picture.h"

#include <math.h>
#include <string.h>

#include "text/human.h"

static double
scale_of(const struct sf_picture *picture)
{
	return picture->scale > 0 ? picture->scale : 1;
}

struct sf_page *
sf_picture_open(const struct sf_picture *picture)
{
	return picture->open(picture);
}

void
sf_picture_ready(const struct sf_picture *picture)
{
	struct sf_picture small = *picture;
	struct sf_buf out = { 0 };
	struct sf_page *page;

	if (picture->format == SF_PAGE_SVG)
		return;
	small.width = small.height = 8;
	page = sf_picture_open(&small);
	for (int bold = 0; bold < 2; bold++)
		sf_page_text(page, (struct sf_font){ .size = 8, .bold = bold },
		    SF_ALIGN_LEFT, 0, 8, "x");
	sf_page_finish(page, &out);
	sf_buf_release(&out);
}

struct sf_page *
sf_picture_svg(const struct sf_picture *picture)
{
	return sf_page_svg(
	    (double)picture->width, (double)picture->height, scale_of(picture));
}

/* That size of the workload, or -1. */
static int64_t
size_of(const struct sf_trace *trace, const char *name)
{
	for (int i = 0; i < trace->nworkload; i++)
		if (strcmp(trace->workload[i].name, name) == 0)
			return trace->workload[i].value;
	return -1;
}

static void
put_count(struct sf_buf *out, int64_t n)
{
	sf_human_int(out, n);
	sf_buf_printf(out, n == 1 ? " token" : " tokens");
}

/* What is computed at once, and what is in the cache before it. */
static void
put_tokens(struct sf_buf *out, int64_t tokens, int64_t context)
{
	if (context <= 0) {
		SF_BUF_LIT(out, ", prefill of ");
		put_count(out, tokens);
		return;
	}
	SF_BUF_LIT(out, ", ");
	if (tokens == 1)
		SF_BUF_LIT(out, "decode");
	else
		put_count(out, tokens);
	SF_BUF_LIT(out, " behind ");
	put_count(out, context);
}

void
sf_picture_workload(const struct sf_trace *trace, struct sf_buf *out)
{
	int64_t tokens = size_of(trace, "tokens");
	int64_t context = size_of(trace, "context");

	for (int i = 0; i < trace->nworkload; i++) {
		const struct sf_workload_item *item = &trace->workload[i];

		if (tokens > 0 && strcmp(item->name, "tokens") == 0) {
			put_tokens(out, tokens, context);
		} else if (tokens <= 0 || strcmp(item->name, "context") != 0) {
			sf_buf_printf(out, ", %s ", item->name);
			sf_human_int(out, item->value);
		}
	}
}

void
sf_picture_time(struct sf_buf *out, double time_s, double longest_s)
{
	/* A scale is of many times; one needs no more than its decimals. */
	if (longest_s >= 1e-3)
		longest_s = fmax(longest_s, 0.1);
	sf_human_scaled(out, time_s, sf_scale_time(longest_s));
}

char *
sf_picture_title(const struct sf_picture *picture, const struct sf_trace *trace,
    const char *on)
{
	struct sf_buf title = { 0 };

	if (picture->title != NULL) {
		sf_buf_put(&title, picture->title, strlen(picture->title));
	} else {
		sf_buf_printf(&title, "%.*s (%.*s)", SF_STR_ARG(trace->model),
		    SF_STR_ARG(trace->route));
		sf_picture_workload(trace, &title);
		if (*on != '\0')
			sf_buf_printf(&title, ", on %s", on);
	}
	sf_buf_putc(&title, '\0');
	return title.p;
}
