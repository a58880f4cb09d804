/* The figures of the summary record of a simulation. */
#ifndef SF_REPORT_SUMMARY_H
#define SF_REPORT_SUMMARY_H

#include "accel/summary_record.h"
#include "text/figures.h"

/* Every member that is there, grouped as in the record. */
void sf_summary_figures(
    const struct sf_summary *summary, struct sf_figures *figures);

#endif
