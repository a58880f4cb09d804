/* Points as tables. */
#include "sweep/point-table.h"

#include <string.h>

#include "stream/json.h"
#include "text/csv.h"
#include "text/markdown.h"

/* What a cell is of: its path, and its value as JSON. */
struct cell {
	struct sf_str object, key, json;
};

typedef void visit(void *to, const struct cell *cell);

static void
walk_members(struct sf_json *scan, struct sf_str object, visit *call, void *to)
{
	struct sf_str key;

	while (sf_json_member(scan, &key)) {
		struct cell cell = { .object = object, .key = key };

		if (object.n == 0 && sf_json_peek(scan) == '{') {
			sf_json_enter(scan, '{');
			walk_members(scan, key, call, to);
			continue;
		}
		cell.json = sf_json_skip(scan);
		if (object.n != 0 || !SF_KEY(key, "kind"))
			call(to, &cell);
	}
}

/* Each value of a record in its order. */
static void
walk(const struct sf_front_point *point, struct sf_arena *arena, visit *call,
    void *to)
{
	struct sf_str kept =
	    sf_json_keep(arena, (struct sf_str){ point->text, point->n });
	struct sf_json scan = { .p = kept.p, .start = kept.p, .arena = arena };

	sf_json_enter(&scan, '{');
	walk_members(&scan, SF_STR(""), call, to);
}

/* A parameter stands by its name alone. */
static bool
is_set(const struct cell *cell)
{
	return SF_KEY(cell->object, "set");
}

/* ---- CSV ---- */

struct csv {
	struct sf_buf *out;
	struct sf_arena *arena;
	const char *comma;
};

static void
put_path(void *to, const struct cell *cell)
{
	struct csv *c = to;

	sf_buf_printf(c->out, "%s", c->comma);
	if (cell->object.n != 0 && !is_set(cell))
		sf_buf_printf(c->out, "%.*s.", SF_STR_ARG(cell->object));
	sf_buf_printf(c->out, "%.*s", SF_STR_ARG(cell->key));
	c->comma = ",";
}

/* Words with a + between them, as --grid and --points take them. */
static void
put_plain(struct sf_buf *out, struct sf_str json, struct sf_arena *arena)
{
	struct sf_json scan;
	const char *plus = "";

	json = sf_json_keep(arena, json);
	scan = (struct sf_json){ .p = json.p, .start = json.p, .arena = arena };
	if (json.p[0] == '"') {
		sf_csv_field(out, sf_json_string(&scan));
		return;
	}
	if (json.p[0] != '[') {
		sf_buf_put(out, json.p, json.n);
		return;
	}
	sf_json_enter(&scan, '[');
	while (sf_json_element(&scan)) {
		struct sf_str word = sf_json_string(&scan);

		sf_buf_printf(out, "%s%.*s", plus, SF_STR_ARG(word));
		plus = "+";
	}
}

static void
put_value(void *to, const struct cell *cell)
{
	struct csv *c = to;

	sf_buf_printf(c->out, "%s", c->comma);
	put_plain(c->out, cell->json, c->arena);
	c->comma = ",";
}

void
sf_points_csv(struct sf_buf *out, const struct sf_front_point *points, size_t n)
{
	struct sf_arena *arena = sf_arena_new();

	for (size_t k = 0; k < n; k++) {
		struct csv c = { out, arena, "" };

		if (k == 0) {
			walk(&points[k], arena, put_path, &c);
			sf_buf_putc(out, '\n');
			c.comma = "";
		}
		walk(&points[k], arena, put_value, &c);
		sf_buf_putc(out, '\n');
		sf_arena_reset(arena);
	}
	sf_arena_free(arena);
}

/* ---- Markdown ---- */

struct md {
	struct sf_buf *out;
	struct sf_arena *arena;
	bool heading;
	int columns;
};

static void
put_cell(void *to, const struct cell *cell)
{
	struct md *m = to;

	if (cell->object.n == 0 ? !SF_KEY(cell->key, "i") : !is_set(cell))
		return;
	sf_buf_printf(m->out, "| ");
	if (m->heading)
		sf_md_text(m->out, cell->key);
	else
		put_plain(m->out, cell->json, m->arena);
	sf_buf_putc(m->out, ' ');
	m->columns++;
}

void
sf_points_markdown(struct sf_buf *out, const struct sf_front_point *points,
    size_t npoints, const char *const *columns, const double *signs, int n)
{
	struct sf_arena *arena = sf_arena_new();
	struct md m = { out, arena, true, 0 };

	for (size_t k = 0; k < npoints; k++) {
		if (m.heading) {
			walk(&points[k], arena, put_cell, &m);
			for (int i = 0; i < n; i++) {
				sf_buf_printf(out, "| ");
				sf_md_text(out,
				    sf_str_of(columns[i] + (signs[i] < 0)));
				sf_buf_putc(out, ' ');
			}
			sf_buf_printf(out, "|\n");
			for (int i = 0; i < m.columns + n; i++)
				sf_buf_printf(out, "|---:");
			sf_buf_printf(out, "|\n");
			m.heading = false;
		}
		walk(&points[k], arena, put_cell, &m);
		for (int i = 0; i < n; i++) {
			sf_buf_printf(out, "| ");
			sf_buf_double(out, signs[i] * points[k].v[i]);
			sf_buf_putc(out, ' ');
		}
		sf_buf_printf(out, "|\n");
		sf_arena_reset(arena);
	}
	sf_arena_free(arena);
}
