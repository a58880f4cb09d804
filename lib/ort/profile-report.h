/* Which provider ran each node, for people and for programs. */
#ifndef SF_ORT_PROFILE_REPORT_H
#define SF_ORT_PROFILE_REPORT_H

#include "ort/profile.h"
#include "text/format.h"

/*
 * Reads the profile at PATH, "-" for standard input, and writes what it says to
 * OUT. Dies when it cannot.
 */
void
sf_profile_report(const char *path, enum sf_format format, struct sf_buf *out);

#endif
