/*
 * Lines from a file or from standard input, plain or gzip, in a buffer that
 * grows only to hold the longest line.
 */
#ifndef SF_STREAM_INPUT_H
#define SF_STREAM_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct sf_input;

/* Opens PATH, or standard input for "-". Dies when it cannot. */
struct sf_input *sf_input_open(const char *path);
void sf_input_close(struct sf_input *input);

/*
 * The next line without its LF, which follows it in the buffer even where the
 * file lacks its last one; false at the end. The text is gone at the next call.
 * Dies when reading fails or gzip data is damaged.
 */
bool sf_input_line(struct sf_input *input, struct sf_str *line);

/* For messages: "<stdin>" or the path as it was given. */
const char *sf_input_name(const struct sf_input *input);

/* The number of the line that was read last, from 1. */
int64_t sf_input_lineno(const struct sf_input *input);

#endif
