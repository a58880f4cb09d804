/*
 * Lines from a file or from standard input, plain or gzip, in a buffer that
 * grows only to hold the longest line.
 */
#ifndef SF_STREAM_INPUT_H
#define SF_STREAM_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decl.h"
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

/*
 * For a reader that cuts the text itself, which may write to it: the *N bytes
 * that are there and not taken, with SF_JSON_PADDING more behind them that may
 * be read. sf_input_more adds some behind them and may move them all; false at
 * the end of the file. sf_input_take steps over N of them. Lines are then not
 * counted, and sf_input_line must not be used beside.
 */
char *sf_input_text(struct sf_input *input, size_t *n);
bool sf_input_more(struct sf_input *input);
void sf_input_take(struct sf_input *input, size_t n);

/*
 * The CRC-32 of the file's bytes, as they stand in it, up to where it was read;
 * only of an input that was asked to compute it before anything was read.
 */
void sf_input_sum(struct sf_input *input);
uint32_t sf_input_crc32(const struct sf_input *input);

/* The bytes that are there from P in the line that was read last on. */
struct sf_str sf_input_from(const struct sf_input *input, const char *p);

/* The bytes of a file that can be read twice; -1 of what is none. */
int64_t sf_input_file_bytes(const struct sf_input *input);

/* For messages: "<stdin>" or the path as it was given. */
const char *sf_input_name(const struct sf_input *input);

/*
 * Ends the program, as INPUT held no trace. A pipe that brought nothing at all is
 * nearly always the silence of a program that failed and said so: who writes a
 * stream into the next pipe, OUT, hands the silence on and says nothing. The last
 * of a pipeline always says it.
 */
SF_NORETURN void sf_input_no_trace(const struct sf_input *input, int out);

/* The number of the line that was read last, from 1. */
int64_t sf_input_lineno(const struct sf_input *input);

#endif
