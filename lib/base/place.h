/* Where configurations are found. */
#ifndef SF_BASE_PLACE_H
#define SF_BASE_PLACE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/decl.h"

SF_PUBLIC_BEGIN

/* Whether NAME is the path of a configuration and not the name of one. */
bool sf_config_is_file(const char *name);

/*
 * Where configurations of KIND are looked for: $SIMFRONT_CONFIGS/KIND when
 * that variable is set and not empty, else ../share/simfront/configs/KIND,
 * else ../../configs/KIND, both seen from the directory of the program. All
 * kinds lie in that of "".
 */
const char *sf_config_dir(const char *kind, struct sf_arena *arena);

SF_PUBLIC_END

#endif
