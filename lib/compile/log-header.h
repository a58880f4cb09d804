/* Headers of a structured log's records; for compile/log.c. */
#ifndef SF_COMPILE_LOG_HEADER_H
#define SF_COMPILE_LOG_HEADER_H

#include "compile/log.h"

/*
 * Reads the JSON at the end of the log's current line. False, with the place
 * and what was expected in *ERROR, when it is none.
 */
bool sf_log_header_read(struct sf_log *log, const char *json,
    struct sf_log_record *record, struct sf_error *error);

#endif
