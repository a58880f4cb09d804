/*
 * The nearest name, by how many letters must be put in, taken away, changed or
 * exchanged with their neighbour (Damerau, CACM 7(3), 1964).
 */
#include "base/near.h"

#include <string.h>

enum {
	LONGEST = 64 /* letters of a name that may be meant */
};

void
sf_near_init(struct sf_near *near, struct sf_str text)
{
	*near = (struct sf_near){ .text = text,
		.best = SF_STR(""),
		.distance = text.n < 3 ? 1 : text.n / 3 + 1 };
}

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Names differ in no case. */
static char
lower(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Whether all of A, and no less than three letters, stands at P. */
static bool
stands_at(struct sf_str a, const char *p)
{
	for (size_t i = 0; i < a.n; i++)
		if (lower(a.p[i]) != lower(p[i]))
			return false;
	return a.n > 2;
}

/* Anywhere in it, as "4090" is in "rtx4090". */
static bool
is_part(struct sf_str a, struct sf_str of)
{
	for (size_t i = 0; i + a.n <= of.n; i++)
		if (stands_at(a, of.p + i))
			return true;
	return false;
}

/* Both are at most LONGEST. */
static size_t
distance(struct sf_str a, struct sf_str b)
{
	size_t rows[3][LONGEST + 1]; /* of A's last three letters */

	for (size_t j = 0; j <= b.n; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a.n; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3];

		row[0] = i;
		for (size_t j = 1; j <= b.n; j++) {
			bool same = lower(a.p[i - 1]) == lower(b.p[j - 1]);

			row[j] = least(above[j - 1] + !same,
			    least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 &&
			    lower(a.p[i - 1]) == lower(b.p[j - 2]) &&
			    lower(a.p[i - 2]) == lower(b.p[j - 1]))
				row[j] = least(
				    row[j], rows[(i + 1) % 3][j - 2] + !same);
		}
	}
	return rows[a.n % 3][b.n];
}

void
sf_near_try(struct sf_near *near, struct sf_str name)
{
	size_t far;

	if (near->text.n > LONGEST || name.n > LONGEST)
		return;
	far = distance(near->text, name);
	/* A word that was cut short, or has more behind it than there is. */
	if (far > 1 &&
	    (is_part(near->text, name) ||
		(name.n < near->text.n && stands_at(name, near->text.p))))
		far = 1;
	if (far > near->distance ||
	    (far == near->distance &&
		(near->best.n == 0 || name.n >= near->best.n)))
		return;
	near->distance = far;
	near->best = name;
}

void
sf_near_put(const struct sf_near *near, const char *dashes, struct sf_buf *out)
{
	if (near->best.n != 0)
		sf_buf_printf(out, "; did you mean '%s%.*s'?", dashes,
		    SF_STR_ARG(near->best));
}

void
sf_near_put_of(struct sf_buf *list, struct sf_str text)
{
	const char *p = list->p, *end;
	char best[LONGEST];
	struct sf_near near;

	if (list->n == 0)
		return;
	end = p + list->n;
	sf_near_init(&near, text);
	while (p < end) {
		const char *name = p;

		while (p < end && *p != ',')
			p++;
		sf_near_try(&near, (struct sf_str){ name, (size_t)(p - name) });
		while (p < end && (*p == ',' || *p == ' '))
			p++;
	}
	if (near.best.n == 0)
		return;
	/* It lies in the list, which moves as it grows. */
	memcpy(best, near.best.p, near.best.n);
	near.best.p = best;
	sf_near_put(&near, "", list);
}
