/* The schema of an operator. */
#include "dispatch/schema.h"

/* Up to a ',' or ')' outside of brackets; *AT is then at it. */
static struct sf_str
take_arg(struct sf_str text, size_t *at)
{
	size_t start = *at;
	int depth = 0;

	for (; *at < text.n; (*at)++) {
		char c = text.p[*at];

		if (depth == 0 && (c == ',' || c == ')'))
			break;
		if (c == '(' || c == '[')
			depth++;
		else if (c == ')' || c == ']')
			depth--;
	}
	return sf_str_trim((struct sf_str){ text.p + start, *at - start });
}

/* "Tensor(a!) self", "int[2] stride=1": the type is before the last blank. */
static struct sf_schema_arg
parse_arg(struct sf_str text, bool keyword)
{
	struct sf_str left = text;
	struct sf_schema_arg arg = { .type = text };
	const char *equals = sf_str_chr(text, '=');
	size_t blank;

	if (equals != NULL)
		left.n = (size_t)(equals - text.p);
	blank = left.n;
	while (blank != 0 && left.p[blank - 1] != ' ')
		blank--;
	arg.name = (struct sf_str){ left.p + blank, left.n - blank };
	arg.type.n = blank == 0 ? 0 : blank - 1;
	arg.out = keyword && sf_str_chr(arg.type, '!') != NULL;
	return arg;
}

bool
sf_schema_parse(
    struct sf_str text, struct sf_arena *arena, struct sf_schema *schema)
{
	const char *open = sf_str_chr(text, '(');
	size_t at, most = 1;
	bool keyword = false;

	*schema = (struct sf_schema){ .name = text };
	if (open == NULL || open == text.p)
		return false;
	schema->name.n = (size_t)(open - text.p);
	for (size_t i = 0; i < text.n; i++)
		most += text.p[i] == ',';
	schema->args = sf_arena_calloc(arena, most, sizeof *schema->args);
	for (at = schema->name.n + 1; at < text.n; at++) {
		struct sf_str arg = take_arg(text, &at);

		if (at == text.n)
			return false;
		if (sf_str_is(arg, "*"))
			keyword = true;
		else if (arg.n != 0)
			schema->args[schema->n++] = parse_arg(arg, keyword);
		if (text.p[at] == ')')
			return true;
	}
	return false;
}

bool
sf_schema_is_tensor(const struct sf_schema_arg *arg)
{
	return sf_str_starts(arg->type, "Tensor");
}
