/* Reading SCALE-Sim's configuration and writing what it means. */
#include "scalesim/scalesim-config.h"

#include <strings.h>

#include "accel/config-write.h"
#include "base/num.h"
#include "scalesim/scalesim-file.h"

enum need {
	NEEDED,
	OPTIONAL,
	IGNORED,
	OFF
};

enum key {
#define SCALESIM_KEY(id, section, name, need) KEY_##id,
#include "scalesim/scalesim-key.def"
#undef SCALESIM_KEY
	NKEYS
};

static const struct {
	const char *section, *name;
	enum need need;
} keys[NKEYS] = {
#define SCALESIM_KEY(id, section, name, need) { section, name, need },
#include "scalesim/scalesim-key.def"
#undef SCALESIM_KEY
};

/* What the file says, and where. */
struct reader {
	struct sf_str section;
	struct sf_str value[NKEYS];
	int64_t line[NKEYS]; /* 0: the file does not have the key */
	int64_t at;
	struct sf_error *error;
};

static bool
is_word(struct sf_str s, const char *word)
{
	return s.n == strlen(word) && strncasecmp(s.p, word, s.n) == 0;
}

/* ---- lines ---- */

static bool
take_section(struct reader *r, struct sf_str line)
{
	if (line.p[line.n - 1] != ']')
		return sf_fail(r->error, "a section without its ']'");
	r->section = sf_str_trim((struct sf_str){ line.p + 1, line.n - 2 });
	for (int i = 0; i < NKEYS; i++)
		if (is_word(r->section, keys[i].section))
			return true;
	return sf_fail(r->error, "section '%.*s', expected one of SCALE-Sim's",
	    SF_STR_ARG(r->section));
}

/* A feature that is on and that nothing here computes is refused. */
static bool
check_off(struct reader *r, int key)
{
	return keys[key].need != OFF || is_word(r->value[key], "false") ||
	    sf_fail(r->error,
		"%s is '%.*s', expected False: it has no model here",
		keys[key].name, SF_STR_ARG(r->value[key]));
}

static bool
take_setting(struct reader *r, struct sf_str line)
{
	struct sf_str rest = line;
	struct sf_str name =
	    sf_str_cut(&rest, sf_str_chr(line, '=') != NULL ? '=' : ':');

	for (int i = 0; i < NKEYS; i++) {
		if (!is_word(name, keys[i].name) ||
		    !is_word(r->section, keys[i].section))
			continue;
		if (r->line[i] != 0)
			return sf_fail(r->error, "%s stands in line %lld, too",
			    keys[i].name, (long long)r->line[i]);
		r->line[i] = r->at;
		r->value[i] = sf_str_trim(rest);
		return check_off(r, i);
	}
	return sf_fail(r->error,
	    "'%.*s' is no key of section '%.*s' that is known",
	    SF_STR_ARG(name), SF_STR_ARG(r->section));
}

static bool
take_lines(struct reader *r, struct sf_str text)
{
	for (r->at = 1; text.n != 0; r->at++) {
		struct sf_str line = sf_str_cut(&text, '\n');

		if (line.n == 0 || *line.p == '#' || *line.p == ';')
			continue;
		if (*line.p == '[' ? !take_section(r, line)
				   : !take_setting(r, line))
			return false;
	}
	r->at = 0;
	for (int i = 0; i < NKEYS; i++)
		if (r->line[i] == 0 && keys[i].need == NEEDED)
			return sf_fail(r->error,
			    "there is no %s in section '%s'", keys[i].name,
			    keys[i].section);
	return true;
}

/* ---- values ---- */

static bool
take_int(struct reader *r, int key, int64_t most, int64_t *out)
{
	struct sf_str v = r->value[key];

	r->at = r->line[key];
	return (sf_int_parse(v.p, v.n, out) && *out >= 1 && *out <= most) ||
	    sf_fail(r->error, "%s is '%.*s', expected a number from 1 to %lld",
		keys[key].name, SF_STR_ARG(v), (long long)most);
}

static bool
take_dataflow(struct reader *r, struct sf_scalesim_config *config)
{
	struct sf_str v = r->value[KEY_DATAFLOW];

	config->dataflow = v;
	r->at = r->line[KEY_DATAFLOW];
	return sf_str_is(v, "os") || sf_str_is(v, "ws") || sf_str_is(v, "is") ||
	    sf_fail(r->error, "dataflow is '%.*s', expected os, ws or is",
		SF_STR_ARG(v));
}

static bool
take_mode(struct reader *r, struct sf_scalesim_config *config)
{
	struct sf_str v = r->value[KEY_MODE];

	r->at = r->line[KEY_MODE];
	config->limited = is_word(v, "USER");
	return v.n == 0 || config->limited || is_word(v, "CALC") ||
	    sf_fail(r->error,
		"interfacebandwidth is '%.*s', expected CALC or USER",
		SF_STR_ARG(v));
}

/* Of an interface that has none of its own the first of the list. */
static bool
take_rate(struct reader *r, int key, int64_t first, int64_t *sum)
{
	int64_t rate = first;

	if (r->line[key] != 0 && !take_int(r, key, 1000000, &rate))
		return false;
	*sum += rate;
	return true;
}

static bool
take_bandwidth(struct reader *r, struct sf_scalesim_config *config)
{
	struct sf_str list = r->value[KEY_BANDWIDTH];
	int64_t first, *sum = &config->bytes_per_cycle;

	if (r->line[KEY_BANDWIDTH] == 0) {
		r->at = 0;
		return sf_fail(r->error,
		    "interfacebandwidth is USER, and there is no bandwidth");
	}
	r->value[KEY_BANDWIDTH] = sf_str_cut(&list, ',');
	if (!take_int(r, KEY_BANDWIDTH, 1000000, &first))
		return false;
	*sum = first;
	return take_rate(r, KEY_INPUT_RATE, first, sum) &&
	    take_rate(r, KEY_FILTER_RATE, first, sum);
}

bool
sf_scalesim_config_parse(struct sf_scalesim_config *config, const char *text,
    size_t len, struct sf_arena *arena, int64_t *line, struct sf_error *error)
{
	struct reader r = { .error = error };
	struct sf_str all = { sf_arena_strndup(arena, text, len), len };
	bool good;

	*config = (struct sf_scalesim_config){ .rows = 0 };
	good = sf_utf8_valid(all.p, all.n)
	    ? take_lines(&r, all) && take_mode(&r, config) &&
		take_dataflow(&r, config) &&
		take_int(&r, KEY_ROWS, 1048576, &config->rows) &&
		take_int(&r, KEY_COLS, 1048576, &config->cols) &&
		take_int(&r, KEY_INPUT, 1 << 30, &config->input_kib) &&
		take_int(&r, KEY_FILTER, 1 << 30, &config->filter_kib) &&
		take_int(&r, KEY_OUTPUT, 1 << 30, &config->output_kib) &&
		(!config->limited || take_bandwidth(&r, config))
	    : sf_fail(error, "the file is not UTF-8");
	config->name = r.value[KEY_NAME];
	*line = r.at;
	return good;
}

/* ---- what it means ---- */

static void
put_about(struct sf_jsonw *w, const struct sf_scalesim_config *c)
{
	struct sf_buf about = { 0 };

	sf_buf_printf(&about, "%s%.*s, from its configuration, ",
	    c->name.n != 0 ? "SCALE-Sim's " : "A run of SCALE-Sim",
	    SF_STR_ARG(c->name));
	if (c->limited)
		sf_buf_printf(&about,
		    "whose three interfaces of %lld bytes a cycle together are "
		    "one memory here.",
		    (long long)c->bytes_per_cycle);
	else
		SF_BUF_LIT(&about,
		    "in which the memory never makes the array wait: buffer "
		    "and bandwidth are as good as endless.");
	SF_BUF_LIT(&about, " A cycle is a nanosecond and a word a byte.");
	sf_config_put_about(w, (struct sf_str){ about.p, about.n });
	sf_buf_release(&about);
}

/* The array, which is the same whatever the memory is. */
static void
put_array(struct sf_jsonw *w, const struct sf_scalesim_config *c)
{
	sf_config_put_int(w, "clock_hz", 1000000000);
	sf_config_put_int(w, "array_rows", c->rows);
	sf_config_put_int(w, "array_cols", c->cols);
	sf_config_put_word(w, "dataflow", c->dataflow);
	sf_config_put_word(w, "array_fill", SF_STR("fold"));
	sf_config_put_word(w, "conv", SF_STR("implicit"));
	sf_config_put_int(w, "vector_lanes", c->cols);
}

static void
put_memory(struct sf_jsonw *w, const struct sf_scalesim_config *c)
{
	static const int64_t endless = INT64_C(1000000000000000000);
	int64_t rate = c->limited ? c->bytes_per_cycle * 1000000000 : endless;

	sf_config_put_int(w, "buffer_bytes",
	    c->limited ? (c->input_kib + c->filter_kib) * 1024
		       : INT64_C(1) << 50);
	sf_config_put_word(
	    w, "tile_fraction", c->limited ? SF_STR("0.5") : SF_STR("1"));
	if (c->limited) {
		sf_config_put_int(w, "acc_bytes", c->output_kib * 1024);
		sf_config_put_word(w, "reuse", SF_STR("on"));
		sf_config_put_word(w, "blocks", SF_STR("time"));
		sf_config_put_word(w, "dram_interleave", SF_STR("on"));
	}
	sf_config_put_int(w, "dram_bw", rate);
	sf_config_put_int(w, "dram_channels", 2);
	sf_config_put_int(w, "dram_latency", 0);
	sf_config_put_int(w, "noc_bw", rate);
	sf_config_put_int(w, "noc_latency", 0);
	sf_config_put_word(w, "quantise", SF_STR("on"));
}

void
sf_scalesim_config_write(
    const struct sf_scalesim_config *config, struct sf_buf *out)
{
	struct sf_jsonw w = { .comma = false };

	put_about(&w, config);
	put_array(&w, config);
	put_memory(&w, config);
	sf_config_put_end(&w, out);
}

void
sf_scalesim_config_convert(
    const char *path, struct sf_arena *arena, struct sf_buf *out)
{
	struct sf_scalesim_config config;
	struct sf_error error;
	struct sf_map map;
	int64_t line;

	sf_scalesim_open(&map, path);
	if (!sf_scalesim_config_parse(
		&config, map.bytes, map.len, arena, &line, &error))
		sf_scalesim_die(path, line, &error);
	sf_scalesim_config_write(&config, out);
	sf_map_close(&map);
}
