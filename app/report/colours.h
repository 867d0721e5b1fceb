/* The colours of pages and drawings, light and dark, and the pairs that may overlap. */
#ifndef SOTTO_APP_REPORT_COLOURS_H
#define SOTTO_APP_REPORT_COLOURS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Hues of series. They differ under every colour blindness; tests/app/test_colours.c computes by how much.
 * Further series reuse them with a broken line and hollow marks. */
enum { APP_HUES = 6 };

typedef struct app_colour {
  const char *name; /* of the custom property in style sheets, without the two dashes */
  const char *light, *dark;
} app_colour;
extern const app_colour app_colours[];
extern const size_t app_colour_count;

/* `above` is drawn on `below`, with at least this contrast (WCAG 2.1: 4.5 for text, 3 for marks). */
typedef struct app_colour_pair {
  const char *above, *below;
  double least;
} app_colour_pair;
extern const app_colour_pair app_colour_pairs[];
extern const size_t app_colour_pair_count;

/* Writes "--paper:#ffffff;...". */
void app_colours_write(FILE *out, bool dark);

#endif
