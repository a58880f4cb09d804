/* A device with what was found about it, as a file that sf-cost takes. */
#ifndef SF_CALIBRATE_DEVICE_FILE_H
#define SF_CALIBRATE_DEVICE_FILE_H

#include "calibrate/calibrate.h"

/*
 * Writes it to PATH: all that the base says, with its kinds and sources, and
 * what was found, of the kind "measured". Dies when it cannot.
 */
void sf_device_file_write(const struct sf_calibration *c, const char *path);

#endif
