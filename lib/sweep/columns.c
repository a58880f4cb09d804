/* Columns by name or expression. */
#include "sweep/columns.h"

#include <string.h>

#include "base/die.h"

struct sf_axes_list
sf_front_columns(const char *text, struct sf_arena *arena)
{
	size_t room = 1;
	struct sf_axes_list list = { .n = 0 };

	for (const char *p = text; *p != '\0'; p++)
		room += *p == ',';
	list.said = sf_arena_calloc(arena, room, sizeof *list.said);
	list.texts = sf_arena_calloc(arena, room, sizeof *list.texts);
	list.signs = sf_arena_calloc(arena, room, sizeof *list.signs);
	for (const char *p = text;;) {
		const char *end = p;
		const char *said;

		for (int depth = 0; *end != '\0'; end++) {
			if (*end == ',' && depth == 0)
				break;
			depth += (*end == '(') - (*end == ')');
		}
		said = sf_arena_strndup(arena, p, (size_t)(end - p));
		list.said[list.n] = said;
		list.signs[list.n] = said[0] == '-' ? -1 : 1;
		list.texts[list.n] = said + (said[0] == '-');
		if (list.texts[list.n][0] == '\0')
			sf_die(SF_EX_USAGE,
			    "found the columns '%s', expected names or "
			    "expressions with commas between",
			    text);
		list.n++;
		if (*end == '\0')
			return list;
		p = end + 1;
	}
}
