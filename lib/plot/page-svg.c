/*
 * SVG, written here: text is text, which can be searched and read out, and the
 * file has no identifiers, so that several can stand in one HTML page.
 */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "plot/advance.h"
#include "plot/page-kind.h"
#include "text/xml.h"

/* A closed shape that may be hatched; a circle has no height. */
struct shape {
	double x, y, w, h; /* of a circle, its middle and, as W, its radius */
	bool round;
};

struct svg_page {
	struct sf_page page;
	double width, height, scale;
	char *name;
	struct sf_buf body;
	struct sf_buf path;   /* in the making */
	struct sf_buf shapes; /* of it, struct shape each */
};

static struct svg_page *
svg_of(struct sf_page *page)
{
	return (struct svg_page *)page;
}

/* ---- numbers ---- */

/* In hundredths, without zeros at the end. */
static void
put(struct sf_buf *out, double x)
{
	long long n = llround(fmin(fmax(x, -1e9), 1e9) * 100);

	if (n < 0)
		sf_buf_putc(out, '-');
	n = n < 0 ? -n : n;
	sf_buf_int(out, n / 100);
	n %= 100;
	if (n == 0)
		return;
	sf_buf_putc(out, '.');
	sf_buf_putc(out, (char)('0' + n / 10));
	if (n % 10 != 0)
		sf_buf_putc(out, (char)('0' + n % 10));
}

static void
put_pair(struct sf_buf *out, char letter, double x, double y)
{
	sf_buf_putc(out, letter);
	put(out, x);
	sf_buf_putc(out, ' ');
	put(out, y);
}

/* ' name="X"' */
static void
put_number(struct sf_buf *out, const char *attribute, double x)
{
	sf_buf_printf(out, " %s=\"", attribute);
	put(out, x);
	sf_buf_putc(out, '"');
}

/* ---- the path ---- */

static void
add_shape(struct svg_page *s, const struct shape *shape)
{
	sf_buf_put(&s->shapes, shape, sizeof *shape);
}

static void
rect(struct sf_page *page, double x, double y, double w, double h)
{
	struct svg_page *s = svg_of(page);

	put_pair(&s->path, 'M', x, y);
	sf_buf_putc(&s->path, 'h');
	put(&s->path, w);
	sf_buf_putc(&s->path, 'v');
	put(&s->path, h);
	sf_buf_putc(&s->path, 'h');
	put(&s->path, -w);
	sf_buf_putc(&s->path, 'z');
	add_shape(s, &(struct shape){ x, y, w, h, false });
}

/* Half a turn, from one end of a diameter to the other. */
static void
put_half(struct sf_buf *out, double r, double to)
{
	put_pair(out, 'a', r, r);
	SF_BUF_LIT(out, " 0 0 1 ");
	put(out, to);
	SF_BUF_LIT(out, " 0");
}

static void
circle(struct sf_page *page, double x, double y, double r)
{
	struct svg_page *s = svg_of(page);

	put_pair(&s->path, 'M', x - r, y);
	put_half(&s->path, r, 2 * r);
	put_half(&s->path, r, -2 * r);
	sf_buf_putc(&s->path, 'z');
	add_shape(s, &(struct shape){ x, y, r, 0, true });
}

static void
move(struct sf_page *page, double x, double y)
{
	put_pair(&svg_of(page)->path, 'M', x, y);
}

static void
line(struct sf_page *page, double x, double y)
{
	put_pair(&svg_of(page)->path, 'L', x, y);
}

static void
close_path(struct sf_page *page)
{
	sf_buf_putc(&svg_of(page)->path, 'z');
}

/* ---- using it up ---- */

static void
put_stroke(struct svg_page *s, uint32_t colour, double width, bool dashed)
{
	struct sf_buf *out = &s->body;

	if (s->path.n != 0) {
		SF_BUF_LIT(out, "<path d=\"");
		sf_buf_put(out, s->path.p, s->path.n);
		sf_buf_printf(out, "\" stroke=\"#%06x\"", (unsigned)colour);
		put_number(out, "stroke-width", width);
		if (dashed)
			SF_BUF_LIT(out, " stroke-dasharray=\"5 3\"");
		SF_BUF_LIT(out, "/>\n");
	}
	s->path.n = s->shapes.n = 0;
}

/* The part of the line x - SIGN y = AT that lies in a rectangle. */
static bool
cross_rect(const struct shape *of, double at, double sign, double ends[2])
{
	/* Where the line meets the left and the right edge. */
	double y0 = (of->x - at) / sign, y1 = (of->x + of->w - at) / sign;

	ends[0] = fmax(of->y, fmin(y0, y1));
	ends[1] = fmin(of->y + of->h, fmax(y0, y1));
	return ends[0] < ends[1];
}

/* The same of a circle: the ends are those of Y. */
static bool
cross_circle(const struct shape *of, double at, double sign, double ends[2])
{
	double far = (of->x - sign * of->y - at) / 2;
	double half = of->w * of->w / 2 - far * far;
	double middle = of->y + sign * far;

	if (half <= 0)
		return false;
	ends[0] = middle - sqrt(half);
	ends[1] = middle + sqrt(half);
	return true;
}

/* Lines at 45 degrees over a shape, SIGN 1 falling and -1 rising. */
static void
rule(struct svg_page *s, const struct shape *of, double sign)
{
	double x0 = of->x, x1 = of->x + of->w, y0 = of->y, y1 = of->y + of->h;
	double ends[2];

	if (of->round) {
		x0 -= of->w;
		y0 -= of->w;
		y1 += of->w;
	}
	for (double i = floor((x0 - (sign > 0 ? y1 : -y0)) / SF_HATCH_APART);
	     i <= ceil((x1 - (sign > 0 ? y0 : -y1)) / SF_HATCH_APART); i++) {
		double at = i * SF_HATCH_APART;

		if (!(of->round ? cross_circle(of, at, sign, ends)
				: cross_rect(of, at, sign, ends)))
			continue;
		put_pair(&s->path, 'M', at + sign * ends[0], ends[0]);
		put_pair(&s->path, 'L', at + sign * ends[1], ends[1]);
	}
}

static void
put_hatches(struct svg_page *s, enum sf_hatch hatch)
{
	const struct shape *shapes = (const void *)s->shapes.p;
	size_t n = s->shapes.n / sizeof *shapes;

	s->path.n = 0;
	for (size_t i = 0; i < n; i++) {
		if (hatch == SF_HATCH_RISING || hatch == SF_HATCH_CROSSED)
			rule(s, &shapes[i], -1);
		if (hatch == SF_HATCH_FALLING || hatch == SF_HATCH_CROSSED)
			rule(s, &shapes[i], 1);
	}
	put_stroke(s, 0xffffff, SF_HATCH_WIDTH, false);
}

static void
fill(struct sf_page *page, uint32_t colour, enum sf_hatch hatch)
{
	struct svg_page *s = svg_of(page);

	if (s->path.n != 0) {
		SF_BUF_LIT(&s->body, "<path d=\"");
		sf_buf_put(&s->body, s->path.p, s->path.n);
		sf_buf_printf(
		    &s->body, "\" fill=\"#%06x\"/>\n", (unsigned)colour);
		if (hatch != SF_HATCH_NONE)
			put_hatches(s, hatch);
	}
	s->path.n = s->shapes.n = 0;
}

static void
stroke(struct sf_page *page, uint32_t colour, double width, bool dashed)
{
	put_stroke(svg_of(page), colour, width, dashed);
}

/* ---- clipping: an inner picture, outside of which nothing is seen ---- */

static void
clip(struct sf_page *page, double x, double y, double w, double h)
{
	struct sf_buf *out = &svg_of(page)->body;

	SF_BUF_LIT(out, "<svg");
	put_number(out, "x", x);
	put_number(out, "y", y);
	put_number(out, "width", w);
	put_number(out, "height", h);
	SF_BUF_LIT(out, " viewBox=\"");
	put_pair(out, ' ', x, y);
	put_pair(out, ' ', w, h);
	SF_BUF_LIT(out, "\">\n");
}

static void
unclip(struct sf_page *page)
{
	SF_BUF_LIT(&svg_of(page)->body, "</svg>\n");
}

/* ---- text ---- */

static double
text_width(struct sf_page *page, struct sf_font font, const char *text)
{
	(void)page;
	return font.size * sf_advance(text, font.bold);
}

static void
put_text(struct sf_page *page, struct sf_font font,
    const struct sf_text_place *place, const char *text)
{
	struct sf_buf *out = &svg_of(page)->body;

	if (*text == '\0')
		return;
	SF_BUF_LIT(out, "<text");
	put_number(out, "x", place->x);
	put_number(out, "y", place->y);
	put_number(out, "font-size", font.size);
	sf_buf_printf(out, " fill=\"#%06x\"", (unsigned)font.colour);
	if (font.bold)
		SF_BUF_LIT(out, " font-weight=\"bold\"");
	if (place->align != SF_ALIGN_LEFT)
		sf_buf_printf(out, " text-anchor=\"%s\"",
		    place->align == SF_ALIGN_RIGHT ? "end" : "middle");
	if (place->degrees != 0) {
		SF_BUF_LIT(out, " transform=\"rotate(");
		put(out, -place->degrees);
		put_pair(out, ' ', place->x, place->y);
		SF_BUF_LIT(out, ")\"");
	}
	sf_buf_putc(out, '>');
	sf_xml_text(out, sf_str_of(text));
	SF_BUF_LIT(out, "</text>\n");
}

/* ---- a page's beginning and end ---- */

static void
name(struct sf_page *page, const char *text)
{
	struct svg_page *s = svg_of(page);
	size_t n = strlen(text) + 1;

	free(s->name);
	s->name = memcpy(sf_malloc(n), text, n);
}

static void
finish(struct sf_page *page, struct sf_buf *out)
{
	struct svg_page *s = svg_of(page);

	SF_BUF_LIT(out, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
	put_number(out, "width", s->width * s->scale);
	put_number(out, "height", s->height * s->scale);
	SF_BUF_LIT(out, " viewBox=\"0 0");
	put_pair(out, ' ', s->width, s->height);
	SF_BUF_LIT(out,
	    "\" font-family=\"DejaVu Sans, Verdana, sans-serif\" fill=\"none\" "
	    "stroke-linejoin=\"round\"");
	if (s->name != NULL) {
		SF_BUF_LIT(out, " role=\"img\" aria-label=\"");
		sf_xml_text(out, sf_str_of(s->name));
		sf_buf_putc(out, '"');
	}
	SF_BUF_LIT(out, ">\n");
	sf_buf_put(out, s->body.p, s->body.n);
	SF_BUF_LIT(out, "</svg>\n");
	sf_buf_release(&s->body);
	sf_buf_release(&s->path);
	sf_buf_release(&s->shapes);
	free(s->name);
	free(s);
}

static const struct sf_page_kind kind = {
	.finish = finish,
	.name = name,
	.rect = rect,
	.circle = circle,
	.move = move,
	.line = line,
	.close = close_path,
	.fill = fill,
	.stroke = stroke,
	.clip = clip,
	.unclip = unclip,
	.text_width = text_width,
	.text = put_text,
};

struct sf_page *
sf_page_svg(double width, double height, double scale)
{
	struct svg_page *s = sf_malloc(sizeof *s);

	*s = (struct svg_page){ .page = { &kind },
		.width = width,
		.height = height,
		.scale = scale };
	rect(&s->page, 0, 0, width, height);
	fill(&s->page, 0xffffff, SF_HATCH_NONE);
	return &s->page;
}
