/* Days of the Gregorian calendar. */
#ifndef SOTTO_SRC_GRAPH_DAYS_H
#define SOTTO_SRC_GRAPH_DAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Days from 2000-01-01 to the day YYYY-MM-DD that the first SOTTO_I_DAY_SIZE bytes of the text are; false:
 * they are none. */
enum { SOTTO_I_DAY_SIZE = 10 };
bool sotto_i_day_parse(double *out, const uint8_t *text, size_t size);

#endif
