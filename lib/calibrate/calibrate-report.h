/* What a calibration found, for people and for programs. */
#ifndef SF_CALIBRATE_CALIBRATE_REPORT_H
#define SF_CALIBRATE_CALIBRATE_REPORT_H

#include "calibrate/calibrate.h"
#include "text/format.h"

void sf_calibration_report(
    const struct sf_calibration *c, enum sf_format format, struct sf_buf *out);

#endif
