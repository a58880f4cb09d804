/* Cutting the text of a field. */
#include "rules/cut.h"

#include <string.h>

const char *
sf_cut_find(struct sf_str text, const char *word)
{
	size_t n = strlen(word);
	int depth = 0;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		depth += (c == '(' || c == '[') - (c == ')' || c == ']');
		if (depth == 0 && i > 0 && i + n < text.n &&
		    memcmp(text.p + i, word, n) == 0 && text.p[i - 1] == ' ' &&
		    text.p[i + n] == ' ')
			return text.p + i;
	}
	return NULL;
}

struct sf_str
sf_cut_word(struct sf_str *text, const char *word)
{
	const char *at = sf_cut_find(*text, word);
	struct sf_str behind = { NULL, 0 };

	if (at == NULL)
		return behind;
	behind.p = at + strlen(word);
	behind.n = (size_t)(text->p + text->n - behind.p);
	text->n = (size_t)(at - text->p);
	*text = sf_str_trim(*text);
	return sf_str_trim(behind);
}

struct sf_str
sf_cut_item(struct sf_str *text, char separator)
{
	size_t i = 0;
	int depth = 0;
	struct sf_str piece;

	for (; i < text->n; i++) {
		char c = text->p[i];

		depth += (c == '(' || c == '[') - (c == ')' || c == ']');
		if (c == separator && depth == 0)
			break;
	}
	piece = (struct sf_str){ text->p, i };
	i += i < text->n;
	*text = (struct sf_str){ text->p + i, text->n - i };
	return sf_str_trim(piece);
}

bool
sf_cut_closed(struct sf_str text, char separator, struct sf_error *error)
{
	text = sf_str_trim(text);
	return text.n == 0 || text.p[text.n - 1] != separator ||
	    sf_fail(error, "found nothing behind the last '%c' of '%.*s'",
		separator, SF_STR_ARG(text));
}

struct sf_str
sf_cut_where(struct sf_str *text)
{
	const char *at = sf_cut_find(*text, "where");
	struct sf_str where = { "", 0 };

	if (at == NULL)
		return where;
	where.p = at;
	where.n = (size_t)(text->p + text->n - at);
	text->n -= where.n;
	return where;
}

const struct sf_expr *
sf_cut_formula(struct sf_str text, struct sf_str where, struct sf_roles roles,
    struct sf_arena *arena, struct sf_error *error)
{
	struct sf_buf all = { 0 };
	struct sf_str kept;

	sf_buf_put(&all, text.p, text.n);
	if (where.n != 0) {
		sf_buf_putc(&all, ' ');
		sf_buf_put(&all, where.p, where.n);
	}
	kept = (struct sf_str){
		sf_arena_strndup(arena, all.n != 0 ? all.p : "", all.n), all.n
	};
	sf_buf_release(&all);
	return sf_expr_parse(kept, roles, arena, error);
}
