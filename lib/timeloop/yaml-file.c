/* YAML with lines in its errors. */
#include "timeloop/yaml-file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/crc32.h"
#include "base/die.h"
#include "base/map.h"
#include "base/num.h"
#include "stream/foreign-file.h"

static const char *
meant(const char *path)
{
	return sf_foreign_file(path, "sf-timeloop", sf_arena_new());
}

SF_NORETURN void
sf_yaml_die(
    const struct sf_yaml *y, const yaml_node_t *at, const char *format, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	sf_die(SF_EX_INPUT, "%s:%zu: %s%s", y->path, at->start_mark.line + 1,
	    text, meant(y->path));
}

const yaml_node_t *
sf_yaml_open(struct sf_yaml *y, struct sf_stream *stream, const char *path)
{
	const yaml_node_t *root;
	yaml_parser_t parser;
	struct sf_error error;
	struct sf_map map;
	bool io;

	y->path = path;
	if (!sf_map_open(&map, path, &error, &io))
		sf_die(io ? SF_EX_IO : SF_EX_INPUT, "%s: %s", path, error.text);
	if (!yaml_parser_initialize(&parser))
		sf_out_of_memory();
	yaml_parser_set_input_string(
	    &parser, (const unsigned char *)map.bytes, map.len);
	if (!yaml_parser_load(&parser, &y->document)) {
		/* All faults of the text have a name; that of memory has none. */
		if (parser.problem == NULL)
			sf_out_of_memory();
		sf_die(SF_EX_INPUT, "%s:%zu: no YAML: %s%s", path,
		    parser.problem_mark.line + 1, parser.problem, meant(path));
	}
	root = yaml_document_get_root_node(&y->document);
	if (root == NULL)
		sf_die(SF_EX_INPUT, "%s: an empty file, expected YAML", path);
	sf_yaml_map(y, root, "the file");
	if (stream != NULL)
		sf_stream_add_input(
		    stream, path, sf_crc32(0, map.bytes, map.len));
	yaml_parser_delete(&parser);
	sf_map_close(&map);
	return root;
}

void
sf_yaml_close(struct sf_yaml *y)
{
	yaml_document_delete(&y->document);
}

static bool
is_key(const yaml_node_t *node, const char *key)
{
	const char *text = (const char *)node->data.scalar.value;

	if (node->type != YAML_SCALAR_NODE)
		return false;
	while (
	    *key != '\0' && (*text == *key || (*key == '-' && *text == '_'))) {
		text++;
		key++;
	}
	return *key == '\0' && *text == '\0';
}

const yaml_node_t *
sf_yaml_find(struct sf_yaml *y, const yaml_node_t *map, const char *key)
{
	const yaml_node_t *found = NULL;

	for (const yaml_node_pair_t *p = map->data.mapping.pairs.start;
	     p < map->data.mapping.pairs.top; p++) {
		const yaml_node_t *name =
		    yaml_document_get_node(&y->document, p->key);

		if (is_key(name, "<<"))
			sf_yaml_die(y, name,
			    "a merge key, expected a file without one");
		if (!is_key(name, key))
			continue;
		if (found != NULL)
			sf_yaml_die(y, name, "'%s' is there twice", key);
		found = yaml_document_get_node(&y->document, p->value);
	}
	return found;
}

const yaml_node_t *
sf_yaml_need(struct sf_yaml *y, const yaml_node_t *map, const char *key)
{
	const yaml_node_t *found = sf_yaml_find(y, map, key);

	if (found == NULL)
		sf_yaml_die(y, map, "'%s' is missing", key);
	return found;
}

void
sf_yaml_note_others(struct sf_yaml *y, const yaml_node_t *root)
{
	struct sf_buf names = { 0 };

	for (const yaml_node_pair_t *p = root->data.mapping.pairs.start;
	     p < root->data.mapping.pairs.top; p++) {
		const yaml_node_t *name =
		    yaml_document_get_node(&y->document, p->key);

		if (!is_key(name, "problem") && !is_key(name, "architecture"))
			sf_buf_printf(&names, "%s%s", names.n != 0 ? ", " : "",
			    sf_yaml_text(y, name, "a key").p);
	}
	if (names.n != 0)
		sf_note("%s: not read: %.*s", y->path, (int)names.n, names.p);
	sf_buf_release(&names);
}

void
sf_yaml_list(const struct sf_yaml *y, const yaml_node_t *node, const char *what)
{
	if (node->type != YAML_SEQUENCE_NODE)
		sf_yaml_die(y, node, "%s is no list", what);
}

void
sf_yaml_map(const struct sf_yaml *y, const yaml_node_t *node, const char *what)
{
	if (node->type != YAML_MAPPING_NODE)
		sf_yaml_die(y, node, "%s is no mapping", what);
}

struct sf_str
sf_yaml_text(const struct sf_yaml *y, const yaml_node_t *node, const char *what)
{
	if (node->type != YAML_SCALAR_NODE || node->data.scalar.length == 0 ||
	    strlen((const char *)node->data.scalar.value) !=
		node->data.scalar.length)
		sf_yaml_die(y, node, "%s is no text", what);
	return (struct sf_str){ (const char *)node->data.scalar.value,
		node->data.scalar.length };
}

int64_t
sf_yaml_size(const struct sf_yaml *y, const yaml_node_t *node, const char *what)
{
	struct sf_str text = sf_yaml_text(y, node, what);
	int64_t x = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] < '0' || text.p[i] > '9' || !sf_mul(x, 10, &x) ||
		    !sf_add(x, text.p[i] - '0', &x)) {
			x = 0;
			break;
		}
	}
	if (x == 0)
		sf_yaml_die(y, node,
		    "%s is '%.*s', expected a whole number from 1", what,
		    (int)(text.n < 60 ? text.n : 60), text.p);
	return x;
}
