/* Where a picture goes, and as what: SVG, or PNG by the program rsvg-convert. */
#ifndef SOTTO_APP_REPORT_PICTURE_H
#define SOTTO_APP_REPORT_PICTURE_H

#include "sotto/base.h"

enum { APP_PICTURE_PATH = 4096 };

/* The path that the functions of chart.h take, for a file that a person named ("-": standard output) and the
 * form asked for: "svg", "png", or NULL for what the file's ending says (SVG on standard output). Errors:
 * INVALID (another form or ending, or two that do not agree, or too long a path). */
sotto_status app_picture_path(char out[APP_PICTURE_PATH], const char *path, const char *format,
                              sotto_error *err);

/* Is the form one of those: NULL, "svg", "png"? Errors: INVALID. */
sotto_status app_picture_format(const char *format, sotto_error *err);

/* Writes what was drawn, as PNG where the path ends in ".png". Errors: UNSUPPORTED (a PNG, and there is no
 * rsvg-convert), IO, NOMEM. */
sotto_status app_picture_write(const char *path, const char *svg, size_t size, sotto_error *err);

#endif
