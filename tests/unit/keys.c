/*
 * The mechanism of parameters on a table of its own that has each type: what a
 * row takes as text and as a member of a record, and what it has without.
 */
#include "config/key.h"

#include <stddef.h>
#include <string.h>

#include "check.h"
#include "trace/keyrecord.h"

static const char *const colours[] = { "red", "green", "blue", NULL };

struct thing {
	double real, off, maybe, delay;
	int64_t whole;
	int word;
	uint32_t words;
	bool flag;
	const char *text;
};

#define ROW(name, type, unit, range, fallback)                            \
	{                                                                 \
		SF_KEY_ROW(thing, name, type, unit, fallback, "meaning"), \
		    range                                                 \
	}

static const struct sf_key rows[] = {
	ROW(real, REAL, BYTES_PER_S, SF_KEY_RANGE(1, 1e6), NULL),
	ROW(whole, INT, BYTES, SF_KEY_RANGE(0, 9007199254740992), "4KiB"),
	ROW(off, OFF, HZ, SF_KEY_RANGE(2, 8), "off"),
	ROW(maybe, MAYBE, NONE, SF_KEY_RANGE(1, 9), "unknown"),
	ROW(delay, REAL, S, SF_KEY_RANGE(0, 1), "10ms"),
	ROW(word, WORD, NONE, SF_KEY_CHOICES(colours), "green"),
	ROW(words, WORDS, NONE, SF_KEY_CHOICES(colours), "blue,red"),
	ROW(flag, FLAG, NONE, SF_KEY_ANY, "on"),
	ROW(text, TEXT, NONE, SF_KEY_ANY, "a \"text\""),
};

enum {
	NROWS = sizeof rows / sizeof rows[0]
};

static const struct sf_keys keys = {
	.dir = "things", .rows = rows, .n = NROWS, .seconds = "_s"
};

static bool
set(struct thing *t, const char *name, const char *text, struct sf_arena *arena,
    struct sf_error *error)
{
	const struct sf_key *key = sf_keys_find(&keys, sf_str_of(name));

	CHECK_FOR(name, key != NULL);
	return sf_key_set(key, t, text, arena, error);
}

static bool
is_default(const struct thing *t)
{
	return t->whole == 4096 && t->off == 0 && t->maybe == 0 &&
	    t->delay == 0.01 && t->word == 1 && t->words == 5 && t->flag &&
	    strcmp(t->text, "a \"text\"") == 0;
}

static void
defaults(void)
{
	struct thing t = { .real = 7 };

	sf_keys_init(&keys, &t);
	CHECK(is_default(&t));
	/* One that is required has none and keeps what it is. */
	CHECK(t.real == 7);
	CHECK(sf_keys_find(&keys, sf_str_of("delay_s")) == NULL);
	CHECK(sf_keys_find(&keys, sf_str_of("")) == NULL);
}

static void
texts(struct sf_arena *arena)
{
	struct thing t = { 0 };
	struct sf_error error;
	char own[] = "own";

	sf_keys_init(&keys, &t);
	CHECK(set(&t, "real", "1KB/s", arena, &error) && t.real == 1000);
	CHECK(set(&t, "whole", "9007199254740992", arena, &error));
	CHECK(t.whole == INT64_C(9007199254740992));
	CHECK(set(&t, "off", "8Hz", arena, &error) && t.off == 8);
	CHECK(set(&t, "off", "off", arena, &error) && t.off == 0);
	CHECK(set(&t, "maybe", "1", arena, &error) && t.maybe == 1);
	CHECK(set(&t, "maybe", "unknown", arena, &error) && t.maybe == 0);
	CHECK(set(&t, "word", "red", arena, &error) && t.word == 0);
	CHECK(set(&t, "words", "", arena, &error) && t.words == 0);
	CHECK(set(&t, "words", "green,green", arena, &error) && t.words == 2);
	CHECK(set(&t, "flag", "off", arena, &error) && !t.flag);
	CHECK(set(&t, "text", own, arena, &error));
	own[0] = 'x';
	CHECK(strcmp(t.text, "own") == 0);
}

static void
refused(struct sf_arena *arena)
{
	static const char *const wrong[][3] = {
		{ "real", "0.5B/s", "from 1 to 1000000 bytes/s" },
		{ "real", "unknown", "expected a number" },
		{ "real", "off", "expected a number" },
		{ "whole", "1.5", "a whole number from 0" },
		{ "whole", "1e30", "a whole number from 0" },
		{ "off", "1Hz", "from 2 to 8 Hz, or 'off'" },
		{ "off", "unknown", "or 'off'" },
		{ "maybe", "0", "from 1 to 9, or 'unknown'" },
		{ "delay", "2s", "from 0 to 1 s" },
		{ "word", "red,green", "one of: red, green, blue" },
		{ "word", "", "one of: red, green, blue" },
		{ "words", "red,", "some of: red, green, blue" },
		{ "words", "rd", "some of: red, green, blue" },
		{ "flag", "yes", "on or off" },
		{ "text", "", "expected a text" },
	};
	struct sf_error error;
	struct thing t, before;

	sf_keys_init(&keys, memset(&t, 0, sizeof t));
	before = t;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		CHECK_FOR(wrong[i][1],
		    !set(&t, wrong[i][0], wrong[i][1], arena, &error));
		CHECK_FOR(error.text, strstr(error.text, wrong[i][2]) != NULL);
		CHECK_FOR(error.text, strstr(error.text, wrong[i][0]) != NULL);
		CHECK_FOR(wrong[i][1], memcmp(&t, &before, sizeof t) == 0);
	}
}

/* ---- records ---- */

static bool
read_record(struct thing *t, const char *json, struct sf_arena *arena,
    struct sf_error *error)
{
	struct sf_member members[NROWS];
	const struct sf_members table = { "thing", members, NROWS };
	const struct sf_place place = { NULL, "thing", -1, NULL };
	struct sf_str text = sf_json_keep(arena, sf_str_of(json));
	struct sf_reading r = {
		.scan = { .p = text.p, .start = text.p, .arena = arena },
		.error = error,
		.place = &place
	};

	sf_keys_init(&keys, memset(t, 0, sizeof *t));
	sf_keys_rows(&keys, 0, arena, members);
	sf_json_enter(&r.scan, '{');
	sf_members_read(&r, &table, t, 0);
	return !r.failed && r.scan.error == NULL;
}

static void
records(struct sf_arena *arena)
{
	static const char want[] =
	    "{\"real\":3,\"whole\":4096,\"off\":0,\"delay_s\":0.01,"
	    "\"word\":\"green\",\"words\":[\"red\",\"blue\"],\"flag\":true,"
	    "\"text\":\"a \\\"text\\\"\"}";
	struct sf_jsonw w = { 0 };
	struct sf_error error;
	struct thing t, back;

	sf_keys_init(&keys, memset(&t, 0, sizeof t));
	t.real = 3;
	sf_jsonw_open(&w, '{');
	sf_keys_put(&w, &keys, &t);
	sf_jsonw_close(&w, '}');
	CHECK(w.buf.n == sizeof want - 1);
	CHECK(memcmp(w.buf.p, want, w.buf.n) == 0);
	sf_buf_release(&w.buf);
	CHECK_FOR(error.text, read_record(&back, want, arena, &error));
	CHECK(is_default(&back) && back.real == 3);
	CHECK(read_record(&back, "{\"more\":[{}],\"real\":3}", arena, &error));
	CHECK(is_default(&back) && back.real == 3);
	CHECK(read_record(&back,
	    "{\"text\":\"\\u0041\",\"flag\":false,\"words\":[],\"word\":"
	    "\"blue\",\"maybe\":9,\"off\":2,\"whole\":0,\"real\":1e6}",
	    arena, &error));
	CHECK(strcmp(back.text, "A") == 0 && !back.flag && back.words == 0);
	CHECK(back.word == 2 && back.maybe == 9 && back.off == 2);
	CHECK(back.whole == 0 && back.real == 1e6);
}

static void
wrong_records(struct sf_arena *arena)
{
	static const char *const wrong[][2] = {
		{ "{}", "thing: 'real' is missing" },
		{ "{\"real\":1,\"real\":1}", "thing: 'real' is there twice" },
		{ "{\"real\":0}", "thing: 'real' is 0" },
		{ "{\"real\":\"1\"}", "thing: 'real' is \"1\"" },
		{ "{\"real\":1,\"whole\":1.0}", "thing: 'whole' is 1.0" },
		{ "{\"real\":1,\"off\":1}",
		    "thing: 'off' is 1, expected a number from 2 to 8, or 0" },
		{ "{\"real\":1,\"off\":\"off\"}", "thing: 'off' is" },
		{ "{\"real\":1,\"maybe\":0}", "thing: 'maybe' is 0" },
		{ "{\"real\":1,\"word\":\"gold\"}",
		    "'word' is \"gold\", expected one of: red, green, blue" },
		{ "{\"real\":1,\"word\":1}", "thing: 'word' is 1" },
		{ "{\"real\":1,\"words\":[\"red,blue\"]}",
		    "expected an array of some of: red, green, blue" },
		{ "{\"real\":1,\"words\":[\"\"]}", "thing: 'words' is" },
		{ "{\"real\":1,\"words\":\"red\"}", "thing: 'words' is" },
		{ "{\"real\":1,\"flag\":1}", "thing: 'flag' is 1" },
		{ "{\"real\":1,\"text\":\"\"}",
		    "expected a string that is not empty" },
		{ "{\"real\":1,\"text\":null}", "thing: 'text' is null" },
		{ "{\"real\":1,\"delay_s\":2}", "thing: 'delay_s' is 2" },
	};
	struct sf_error error;
	struct thing t;

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		CHECK_FOR(
		    wrong[i][0], !read_record(&t, wrong[i][0], arena, &error));
		CHECK_FOR(error.text, strstr(error.text, wrong[i][1]) != NULL);
	}
	/* A time is a member by its name with the unit only. */
	CHECK(read_record(&t, "{\"real\":1,\"delay\":2}", arena, &error));
}

/* ---- the list ---- */

static void
printed(void)
{
	static const char want[] =
	    "x.real\tbytes/s\t1..1000000\t-\tmeaning\n"
	    "x.whole\tbytes\twhole 0..9007199254740992\t4KiB\tmeaning\n"
	    "x.off\tHz\toff or 2..8\toff\tmeaning\n"
	    "x.maybe\t-\t1..9\tunknown\tmeaning\n"
	    "x.delay\ts\t0..1\t10ms\tmeaning\n"
	    "x.word\t-\tone of red,green,blue\tgreen\tmeaning\n"
	    "x.words\t-\tsome of red,green,blue\tblue,red\tmeaning\n"
	    "x.flag\t-\ton or off\ton\tmeaning\n"
	    "x.text\t-\ta text\ta \"text\"\tmeaning\n";
	const struct sf_key_scope scope = { "x.", &keys, NULL, NULL };
	struct sf_buf out = { 0 };

	sf_keys_print(&scope, 1, &out);
	CHECK(out.n == sizeof want - 1 && memcmp(out.p, want, out.n) == 0);
	sf_buf_release(&out);
}

int
main(void)
{
	struct sf_arena *arena = sf_arena_new();

	defaults();
	texts(arena);
	refused(arena);
	records(arena);
	wrong_records(arena);
	printed();
	sf_arena_free(arena);
	return 0;
}
