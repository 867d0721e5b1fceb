/* A line chart from text, for scripts of this folder.
 *
 *   bench_chart TITLE X-LABEL Y-LABEL OUT.svg < points   each line "x y spread series", by series; x is
 *                                                        logarithmic, and may be inf */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/chart.h"

enum { most = 1000 };

/* The distinct x, ascending. */
static size_t list_ticks(double *ticks, const double *x, size_t count) {
  size_t held = 0;
  for (size_t i = 0; i < count; i++) {
    size_t at = held;
    while (at > 0 && ticks[at - 1] >= x[i]) at--;
    if (at < held && ticks[at] == x[i]) continue;
    memmove(ticks + at + 1, ticks + at, (held - at) * sizeof *ticks);
    ticks[at] = x[i];
    held++;
  }
  return held;
}

int main(int argc, char **argv) {
  static double x[most], y[most], spread[most], ticks[most];
  static char names[most][64];
  app_series series[APP_CHART_SERIES];
  size_t count = 0, lines = 0;
  sotto_error err = {0};
  if (argc != 5) return 2;
  while (count < most &&
         scanf("%lf %lf %lf %63[^\n]", &x[count], &y[count], &spread[count], names[count]) == 4)
    count++;
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || strcmp(names[i], names[i - 1]) != 0) {
      if (lines == APP_CHART_SERIES) break;
      series[lines++] = (app_series){.name = names[i], .x = x + i, .y = y + i, .spread = spread + i};
    }
    series[lines - 1].count++;
  }
  const app_chart chart = {.title = argv[1],
                           .x_label = argv[2],
                           .y_label = argv[3],
                           .log_x = true,
                           .x_ticks = ticks,
                           .x_tick_count = list_ticks(ticks, x, count),
                           .series = series,
                           .series_count = lines};
  if (app_chart_write(&chart, argv[4], &err) == SOTTO_OK) return 0;
  (void)fprintf(stderr, "bench_chart: %s\n", err.text);
  return 1;
}
