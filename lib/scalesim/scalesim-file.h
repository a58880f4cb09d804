/* SCALE-Sim's files: opened, or what is wrong with them told. */
#ifndef SF_SCALESIM_SCALESIM_FILE_H
#define SF_SCALESIM_SCALESIM_FILE_H

#include <stdint.h>

#include "base/die.h"
#include "base/error.h"
#include "base/map.h"

/* Dies when there is none; "-" is standard input. */
void sf_scalesim_open(struct sf_map *map, const char *path);

/* LINE, from 1, has ERROR; 0: the whole file has. */
SF_NORETURN void
sf_scalesim_die(const char *path, int64_t line, const struct sf_error *error);

#endif
