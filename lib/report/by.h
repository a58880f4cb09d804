/* What has a row in a report. */
#ifndef SF_REPORT_BY_H
#define SF_REPORT_BY_H

#include "base/decl.h"

SF_PUBLIC_BEGIN

enum sf_rows_by {
	SF_ROWS_NONE = -1, /* nothing: the report is of the whole trace */
	SF_ROWS_OP,
	SF_ROWS_NODE,
	SF_ROWS_MODULE,
	SF_ROWS_TYPE
};

/* "op", "node", "module", "type", NULL. */
extern const char *const sf_rows_words[];

SF_PUBLIC_END

#endif
