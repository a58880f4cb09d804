/* Operators and modules over time. */
#include "plot/op-lane.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "plot/palette.h"
#include "report/rows.h"

static const struct sf_font module_font = { 10, SF_INK, false };

void
sf_op_lane_init(struct sf_op_lane *l, int columns, const struct sf_range *range)
{
	*l = (struct sf_op_lane){ 0 };
	sf_strip_init(&l->strip, columns, SF_CAT_COUNT, range);
}

void
sf_op_lane_release(struct sf_op_lane *l)
{
	free(l->parts);
	sf_strip_release(&l->strip);
}

static struct sf_op_part *
part_of(struct sf_op_lane *l, const struct sf_timed_op *op)
{
	double end = l->n != 0 ? l->parts[l->n - 1].to : 0;

	if (l->n != 0 && l->parts[l->n - 1].op == op->i)
		return &l->parts[l->n - 1];
	if (l->n == l->room) {
		l->room = 2 * l->room + 64;
		l->parts = sf_reallocarray(l->parts, l->room, sizeof *l->parts);
	}
	l->parts[l->n] = (struct sf_op_part){ op->i, end, end, op->category,
		op->name, op->node, sf_str_of(op->module) };
	return &l->parts[l->n++];
}

void
sf_op_lane_add(struct sf_op_lane *l, const struct sf_timed_tile *tile)
{
	struct sf_op_part *part = part_of(l, tile->op);

	part->to = fmax(part->to, tile->t.store_end);
}

/* ---- modules ---- */

/* A run of operators whose modules begin with the same parts. */
struct group {
	struct sf_str name;
	double from, to; /* places */
};

/*
 * The group that begins with the operator *AT, which is moved behind it, as far
 * as it is in sight; its place is empty where it is not.
 */
static struct group
next_group(const struct sf_op_lane *l, size_t *at, int depth,
    const struct sf_axis *axis)
{
	size_t i = *at;
	struct group g = { .name = l->parts[i].module };
	double right = axis->at + axis->size;

	g.name.n = sf_module_depth(g.name, depth);
	g.from = sf_axis_place(axis, l->parts[i].from);
	for (; i < l->n; i++) {
		struct sf_str name = l->parts[i].module;

		name.n = sf_module_depth(name, depth);
		if (!sf_str_eq(name, g.name))
			break;
		g.to = sf_axis_place(axis, l->parts[i].to);
	}
	g.from = fmin(fmax(g.from, axis->at), right);
	g.to = fmin(fmax(g.to, axis->at), right);
	*at = i;
	return g;
}

/* The last part of the name, and the one before it where that is a number. */
static const char *
last_parts(const char *name)
{
	const char *last = strrchr(name, '.'), *before = last;

	if (last == NULL)
		return name;
	if (last[1] < '0' || last[1] > '9')
		return last + 1;
	while (before != name && before[-1] != '.')
		before--;
	return before;
}

/*
 * What is written of NAME, a copy, in W pixels: its last parts, the last alone,
 * or NULL.
 */
static const char *
fit_module(struct sf_page *page, const char *name, double w)
{
	const char *parts = last_parts(name), *last = strrchr(parts, '.');

	if (sf_page_text_width(page, module_font, parts) <= w)
		return parts;
	if (last == NULL || sf_page_text_width(page, module_font, last + 1) > w)
		return NULL;
	return last + 1;
}

enum {
	BESIDE = 5 /* pixels that a name leaves free */
};

/* The length of what is in sight and has a name that has room. */
static double
named_length(const struct sf_op_lane *l, struct sf_page *page,
    const struct sf_axis *axis, int depth, int *groups)
{
	double length = 0;

	*groups = 0;
	for (size_t i = 0; i < l->n;) {
		struct group g = next_group(l, &i, depth, axis);
		struct sf_buf name = { 0 };

		if (g.to <= g.from || g.name.n == 0)
			continue;
		++*groups;
		sf_buf_put(&name, g.name.p, g.name.n);
		sf_buf_putc(&name, '\0');
		if (fit_module(page, name.p, g.to - g.from - BESIDE) != NULL)
			length += g.to - g.from;
		sf_buf_release(&name);
	}
	return length;
}

int
sf_op_lane_groups(
    const struct sf_op_lane *l, const struct sf_axis *axis, int depth)
{
	int n = 0;

	for (size_t i = 0; i < l->n;) {
		struct group g = next_group(l, &i, depth, axis);

		n += g.to > g.from && g.name.n != 0;
	}
	return n;
}

int
sf_op_lane_depth(const struct sf_op_lane *l, struct sf_page *page,
    const struct sf_axis *axis)
{
	enum {
		DEEPEST = 8
	};
	int best = 0, most = 1;

	for (int depth = 1; depth <= DEEPEST; depth++) {
		int groups;
		double length = named_length(l, page, axis, depth, &groups);

		/* Deeper ones say more, but not when few are named. */
		if (groups > most && (best == 0 || length > 0.6 * axis->size)) {
			best = depth;
			most = groups;
		}
	}
	return best;
}

void
sf_op_lane_draw_modules(const struct sf_op_lane *l, struct sf_page *page,
    const struct sf_axis *axis, double y, double height, int depth)
{
	int n = 0;

	for (size_t i = 0; i < l->n;) {
		struct group g = next_group(l, &i, depth, axis);
		struct sf_buf name = { 0 };
		const char *shown;

		if (g.to <= g.from || g.name.n == 0)
			continue;
		/* Wide ones have a gap behind them. */
		sf_page_rect(page, g.from, y,
		    g.to - g.from - (g.to - g.from >= 3 ? 0.6 : 0), height);
		sf_page_fill(page, n++ % 2 == 0 ? SF_BAND : SF_RANGE);
		sf_buf_put(&name, g.name.p, g.name.n);
		sf_buf_putc(&name, '\0');
		shown = fit_module(page, name.p, g.to - g.from - BESIDE);
		if (shown != NULL)
			sf_page_text(page, module_font, SF_ALIGN_CENTRE,
			    (g.from + g.to) / 2, y + height / 2 + 3.5, shown);
		sf_buf_release(&name);
	}
}

/* ---- operators ---- */

/* The name without its namespace. */
static const char *
type_of(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot != NULL && dot[1] != '\0' ? dot + 1 : name;
}

/* Where the last part of a path begins that ends before END. */
static const char *
last_part(const char *path, const char *end)
{
	while (end != path && end[-1] != '/' && end[-1] != '.')
		end--;
	return end;
}

/*
 * The longest end of the operator's own name that has room, else the whole of
 * its last part, to be cut; its type where it has no name. It is looked for from
 * its end: a name may be a million breaks.
 */
static const char *
fit_op(struct sf_page *page, struct sf_font font, const struct sf_op_part *part,
    double w)
{
	const char *name =
	    part->node[0] != '\0' ? part->node : type_of(part->name);
	const char *best, *next;

	/* What torch.onnx puts before all of them. */
	if (strncmp(name, "node_", 5) == 0 && name[5] != '\0')
		name += 5;
	if (*name == '/')
		name++;
	if (*name == '\0')
		return name;
	/* A break at the very end has nothing behind it. */
	best = next = last_part(name, name + strlen(name) - 1);
	while (sf_page_text_width(page, font, next) <= w) {
		best = next;
		if (next == name)
			break;
		next = last_part(name, next - 1);
	}
	return best;
}

static void
draw_name(struct sf_page *page, const struct sf_axis *axis,
    const struct sf_op_part *part, double y, double height)
{
	enum {
		LEAST = 26, /* pixels for a name that is cut */
	};
	double right = axis->at + axis->size;
	double from =
	    fmin(fmax(sf_axis_place(axis, part->from), axis->at), right);
	double to = fmin(fmax(sf_axis_place(axis, part->to), axis->at), right);
	double room = to - from - BESIDE;
	struct sf_look look = sf_look_of(part->category);
	struct sf_font font = { .size = 10, .colour = look.ink };
	const char *name;

	/* Hatching would strike it through. */
	if (look.hatch != SF_HATCH_NONE || room < 6 || height < 12)
		return;
	name = fit_op(page, font, part, room);
	if (room >= LEAST || sf_page_text_width(page, font, name) <= room)
		sf_page_text_within(page, font, SF_ALIGN_CENTRE,
		    (from + to) / 2, y + height / 2 + 3.5, room, name);
}

/*
 * An operator of which nothing says its module lies in the one that holds those
 * before and behind it.
 */
static void
set_modules(struct sf_op_lane *l)
{
	struct sf_str before = SF_STR("");
	size_t last = 0;

	for (size_t i = 0; i <= l->n; i++) {
		struct sf_str behind =
		    i < l->n ? l->parts[i].module : SF_STR("");

		if (i < l->n && behind.n == 0)
			continue;
		before.n = sf_module_common(before, behind);
		for (; last < i; last++)
			l->parts[last].module = before;
		before = behind;
		last = i + 1;
	}
}

void
sf_op_lane_end(struct sf_op_lane *l)
{
	set_modules(l);
	for (size_t i = 0; i < l->n; i++) {
		const struct sf_op_part *part = &l->parts[i];

		if (part->to > part->from)
			sf_strip_add(&l->strip,
			    &(struct sf_bar){ part->from, part->to,
				(int)part->category, NULL });
	}
}

void
sf_op_lane_draw(struct sf_op_lane *l, struct sf_page *page,
    const struct sf_axis *axis, double y, double height)
{
	sf_strip_draw(&l->strip, page, axis, y, height, sf_look_of);
	for (size_t i = 0; i < l->n; i++)
		draw_name(page, axis, &l->parts[i], y, height);
}
