/*
 * Lines of PyTorch's logs. In a structured log (TORCH_TRACE) a record is a
 * header, which ends in a JSON object, and lines that begin with a tab. In a
 * log for people (TORCH_LOGS) each line has a prefix, of which any part may
 * have been cut off:
 *
 *	[rank0]:V1130 10:09:08.924000 24400 torch/a.py:413] [0/0_1] [__aot_graphs] text
 */
#ifndef SF_COMPILE_LOG_LINE_H
#define SF_COMPILE_LOG_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* Of a header: where its JSON begins; NULL when the line is none. */
const char *sf_log_header(struct sf_str line);

struct sf_log_prefix {
	struct sf_str all;      /* as it stands in the line; empty: none */
	int64_t rank;           /* -1: not said */
	struct sf_str id;       /* of the compilation: "0/0"; empty: not said */
	int64_t attempt;        /* 0 unless it says otherwise */
	struct sf_str artifact; /* "aot_graphs"; empty: not said */
	struct sf_str text;     /* what is behind it */
};

void sf_log_prefix_read(struct sf_str line, struct sf_log_prefix *prefix);

/*
 * Where the line of a class begins in TEXT, which may have a file's name
 * before it; NULL when it is none.
 */
const char *sf_log_class(struct sf_str text);

/* "===== NAME =====": NAME; empty when TEXT is none. */
struct sf_str sf_log_title(struct sf_str text);

#endif
