/* The logs in a directory. */
#ifndef SF_COMPILE_LOG_FILES_H
#define SF_COMPILE_LOG_FILES_H

#include "base/arena.h"

struct sf_log_files {
	const char **paths; /* by rank, then by name */
	int n;
};

/*
 * PATH alone when it is no directory; else the logs that TORCH_TRACE wrote into
 * it, and where there is none all files with the names of logs. Dies when there
 * are none, or it cannot be read.
 */
struct sf_log_files sf_log_files_find(const char *path, struct sf_arena *arena);

#endif
