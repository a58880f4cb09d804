/* A field of comma-separated values. */
#include "text/csv.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/visible.h"

/*
 * Whether a spreadsheet would take TEXT for a formula. A number and an option of
 * a program begin with '-', too, and are none.
 */
static bool
is_formula(struct sf_str text)
{
	if (text.n == 0 || strchr("=+-@", text.p[0]) == NULL)
		return false;
	if (text.p[0] != '-')
		return true;
	for (size_t i = 1; i < text.n; i++)
		if (!isalnum((unsigned char)text.p[i]) &&
		    strchr("-._", text.p[i]) == NULL)
			return true;
	return false;
}

void
sf_csv_field(struct sf_buf *out, struct sf_str text)
{
	char seen[SF_VISIBLE_ROOM];
	bool plain = true, hidden;

	for (size_t i = 0; i < text.n; i++)
		plain = plain && strchr(",\"", text.p[i]) == NULL;
	if (!plain)
		sf_buf_putc(out, '"');
	if (is_formula(text))
		sf_buf_putc(out, '\'');
	for (size_t i = 0; i < text.n;) {
		size_t n = sf_visible(text, &i, seen, &hidden);

		if (*seen == '"')
			sf_buf_putc(out, '"');
		sf_buf_put(out, seen, n);
	}
	if (!plain)
		sf_buf_putc(out, '"');
}
