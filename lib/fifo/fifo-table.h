/* The table that sf-fifo prints. */
#ifndef SF_FIFO_FIFO_TABLE_H
#define SF_FIFO_FIFO_TABLE_H

#include <stdint.h>

#include "base/buf.h"
#include "fifo/fifo.h"
#include "text/format.h"

/* What comes before the rows, one row, and what comes behind them. */
void sf_fifo_table_begin(struct sf_buf *out, enum sf_format format);
void sf_fifo_table_row(struct sf_buf *out, enum sf_format format,
    const struct sf_fifo_case *c, int64_t depth, const struct sf_fifo_run *run);

#endif
