/* Where symbolic links lead. */
#ifndef SF_BASE_LINK_H
#define SF_BASE_LINK_H

#include "base/decl.h"

SF_PUBLIC_BEGIN

/*
 * The path at the end of the symbolic links that begin with PATH, whether there
 * is something or not; to be freed. PATH itself where it is no link, and where
 * they do not end.
 */
char *sf_link_end(const char *path);

SF_PUBLIC_END

#endif
