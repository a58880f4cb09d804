/* Configurations: every value has its line, whatever stands in the texts. */
#include "config/config.h"

#include <string.h>

#include "check.h"

static bool
parse(struct sf_config *config, const char *text, struct sf_error *error)
{
	static struct sf_arena *arena;

	if (arena == NULL)
		arena = sf_arena_new();
	sf_arena_reset(arena);
	*config = (struct sf_config){ .path = "c.json" };
	return sf_config_parse(config, text, strlen(text), arena, error);
}

static const struct sf_config_value *
at(const struct sf_config_value *value, size_t i)
{
	CHECK(i < value->nitems);
	return &value->items[i];
}

static void
lines(void)
{
	struct sf_config c;
	struct sf_error error;
	const struct sf_config_value *list;

	CHECK(parse(&c,
	    "\n{ \"a\" :\n 1.50e3 , \"b{[\\\"\\\\\" : \"x\\n}]\\\"\",\r\n"
	    "\"list\":[\n\n1,\n{\"in\":null},[],\"\",\n-0]\n,\"t\":\ntrue,"
	    "\"o\":{},\n\"f\":false}\n",
	    &error));
	CHECK(c.root.type == SF_CONFIG_OBJECT && c.root.nitems == 6);
	CHECK(c.root.line == 2);
	CHECK(strcmp(at(&c.root, 0)->key, "a") == 0);
	CHECK(at(&c.root, 0)->type == SF_CONFIG_NUMBER);
	CHECK(strcmp(at(&c.root, 0)->text, "1.50e3") == 0);
	CHECK(at(&c.root, 0)->line == 3);
	CHECK(strcmp(at(&c.root, 1)->key, "b{[\"\\") == 0);
	CHECK(strcmp(at(&c.root, 1)->text, "x\n}]\"") == 0);
	CHECK(at(&c.root, 1)->line == 3);
	list = at(&c.root, 2);
	CHECK(list->type == SF_CONFIG_LIST && list->nitems == 5);
	CHECK(list->line == 4 && at(list, 0)->line == 6);
	CHECK(at(list, 1)->line == 7);
	CHECK(at(at(list, 1), 0)->type == SF_CONFIG_NULL);
	CHECK(at(list, 2)->type == SF_CONFIG_LIST);
	CHECK(strcmp(at(list, 3)->text, "") == 0);
	CHECK(strcmp(at(list, 4)->text, "-0") == 0 && at(list, 4)->line == 8);
	CHECK(
	    at(&c.root, 3)->type == SF_CONFIG_BOOL && at(&c.root, 3)->boolean);
	CHECK(at(&c.root, 3)->line == 10);
	CHECK(at(&c.root, 4)->nitems == 0);
	CHECK(!at(&c.root, 5)->boolean && at(&c.root, 5)->line == 11);
}

static void
numbers_keep_their_digits(void)
{
	struct sf_config c;
	struct sf_error error;

	CHECK(parse(&c, "{\"n\":9223372036854775807}", &error));
	CHECK(strcmp(at(&c.root, 0)->text, "9223372036854775807") == 0);
	CHECK(!parse(&c, "{\"n\":9223372036854775808}", &error));
	CHECK(!parse(&c, "{\"n\":1e999}", &error));
}

static void
refused(void)
{
	static const char *const texts[] = { "", "{", "[1]", "1", "{\"a\":1,}",
		"{\"a\":1,\"a\":2}", "{\"a\":1}x", "{\"a\":nan}",
		"{\"a\":\"\\u0000\"}", "{\"a\":\"\xff\"}" };
	char deep[2001] = "";
	struct sf_config c;
	struct sf_error error;

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		CHECK_FOR(texts[i], !parse(&c, texts[i], &error));
		CHECK_FOR(texts[i], strncmp(error.text, "c.json:", 7) == 0);
	}
	memset(deep, '[', 2000);
	CHECK(!parse(&c, deep, &error));
	CHECK(strstr(error.text, "nested") != NULL);
}

int
main(void)
{
	lines();
	numbers_keep_their_digits();
	refused();
	return 0;
}
