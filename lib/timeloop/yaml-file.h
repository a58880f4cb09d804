/*
 * A YAML file as Timeloop's are: libyaml's document, whose nodes know their
 * lines. Whatever is not as it must be ends the program with the file's name and
 * the line.
 */
#ifndef SF_TIMELOOP_YAML_FILE_H
#define SF_TIMELOOP_YAML_FILE_H

#include <stdint.h>
#include <yaml.h>

#include "base/decl.h"
#include "base/str.h"
#include "stream/stream.h"

struct sf_yaml {
	const char *path;
	yaml_document_t document;
};

/*
 * Reads the one document of PATH ("-": standard input), which must be a mapping,
 * and returns it; the stream says that it was read.
 */
const yaml_node_t *
sf_yaml_open(struct sf_yaml *yaml, struct sf_stream *stream, const char *path);
void sf_yaml_close(struct sf_yaml *yaml);

SF_NORETURN void sf_yaml_die(const struct sf_yaml *yaml, const yaml_node_t *at,
    const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
 * The value of KEY in a mapping, NULL when it has none; a hyphen in KEY may be an
 * underscore in the file. A key that is there twice is refused.
 */
const yaml_node_t *
sf_yaml_find(struct sf_yaml *yaml, const yaml_node_t *map, const char *key);
/* The same, which must be there. */
const yaml_node_t *
sf_yaml_need(struct sf_yaml *yaml, const yaml_node_t *map, const char *key);

/* Names, in a note, what ROOT has besides `problem` and `architecture`. */
void sf_yaml_note_others(struct sf_yaml *yaml, const yaml_node_t *root);

/* Refuses a node that is no list, or no mapping; WHAT names it. */
void sf_yaml_list(
    const struct sf_yaml *yaml, const yaml_node_t *node, const char *what);
void sf_yaml_map(
    const struct sf_yaml *yaml, const yaml_node_t *node, const char *what);

/* The items of a list. */
static inline int
sf_yaml_count(const yaml_node_t *list)
{
	return (int)(list->data.sequence.items.top -
	    list->data.sequence.items.start);
}

static inline const yaml_node_t *
sf_yaml_item(struct sf_yaml *yaml, const yaml_node_t *list, int i)
{
	return yaml_document_get_node(
	    &yaml->document, list->data.sequence.items.start[i]);
}

/* Text; a whole number from 1 on; either refuses what is none. */
struct sf_str sf_yaml_text(
    const struct sf_yaml *yaml, const yaml_node_t *node, const char *what);
int64_t sf_yaml_size(
    const struct sf_yaml *yaml, const yaml_node_t *node, const char *what);

#endif
