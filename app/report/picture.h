/* Path and format of a picture: SVG, or PNG by the program rsvg-convert. */
#ifndef SOTTO_APP_REPORT_PICTURE_H
#define SOTTO_APP_REPORT_PICTURE_H

#include "sotto/base.h"

enum { APP_PICTURE_PATH = 4096 };

/* Converts a path given by a person ("-": standard output) and a format ("svg", "png"; NULL: by the file's
 * extension, SVG on standard output) to the path for the functions of chart.h. Errors: INVALID (another
 * format or extension, two that contradict, or too long a path). */
sotto_status app_picture_path(char out[APP_PICTURE_PATH], const char *path, const char *format,
                              sotto_error *err);

/* Is the format NULL, "svg" or "png"? Errors: INVALID. */
sotto_status app_picture_format(const char *format, sotto_error *err);

/* Writes a drawing, as PNG if the path ends in ".png". Errors: UNSUPPORTED (PNG without rsvg-convert), IO,
 * NOMEM. */
sotto_status app_picture_write(const char *path, const char *svg, size_t size, sotto_error *err);

/* Writes drawings as the sheets of one PDF. *made: false, and nothing is written, without rsvg-convert.
 * Errors: IO, NOMEM. */
enum { APP_MOST_SHEETS = 64 };
sotto_status app_sheets_write(bool *made, const char *path, const char *const *svg, const size_t *size,
                              size_t count, sotto_error *err);

#endif
