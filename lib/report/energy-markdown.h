/* What a run takes of energy, and the accelerator of area, in a report. */
#ifndef SF_REPORT_ENERGY_MARKDOWN_H
#define SF_REPORT_ENERGY_MARKDOWN_H

#include "accel/accel.h"
#include "accel/summary_record.h"
#include "base/buf.h"

/* Nothing where the summary has neither. */
void sf_energy_markdown(struct sf_buf *out, const struct sf_summary *summary,
    const struct sf_accel *accel);

#endif
