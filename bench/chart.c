/* A line chart from text, for scripts of this folder.
 *
 *   bench_chart [linear-x] [round-x] [log-y] [note=TEXT] TITLE X-LABEL Y-LABEL OUT.svg < points
 *
 * Each line is "x y spread series", by series; x may be inf where it is logarithmic. Its axis is labelled at
 * the points' x, or at round numbers. */
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

static size_t read_series(app_series *series, double *x, double *y, double *spread, char (*names)[64],
                          size_t *count) {
  size_t lines = 0;
  while (*count < most &&
         scanf("%lf %lf %lf %63[^\n]", &x[*count], &y[*count], &spread[*count], names[*count]) == 4)
    ++*count;
  for (size_t i = 0; i < *count; i++) {
    if (i == 0 || strcmp(names[i], names[i - 1]) != 0) {
      if (lines == APP_CHART_SERIES) break;
      series[lines++] = (app_series){.name = names[i], .x = x + i, .y = y + i, .spread = spread + i};
    }
    series[lines - 1].count++;
  }
  return lines;
}

int main(int argc, char **argv) {
  static double x[most], y[most], spread[most], ticks[most];
  static char names[most][64];
  app_series series[APP_CHART_SERIES];
  size_t count = 0;
  bool round_x = false;
  sotto_error err = {0};
  app_chart chart = {.log_x = true, .series = series};
  for (; argc > 5; argc--, argv++) {
    if (strcmp(argv[1], "linear-x") == 0)
      round_x = !(chart.log_x = false);
    else if (strcmp(argv[1], "round-x") == 0)
      round_x = true;
    else if (strcmp(argv[1], "log-y") == 0)
      chart.log_y = true;
    else if (strncmp(argv[1], "note=", 5) == 0)
      chart.note = argv[1] + 5;
    else
      return 2;
  }
  if (argc != 5) return 2;
  chart.title = argv[1];
  chart.x_label = argv[2];
  chart.y_label = argv[3];
  chart.series_count = read_series(series, x, y, spread, names, &count);
  chart.x_ticks = ticks;
  chart.x_tick_count = round_x ? 0 : list_ticks(ticks, x, count);
  if (app_chart_write(&chart, argv[4], &err) == SOTTO_OK) return 0;
  (void)fprintf(stderr, "bench_chart: %s\n", err.text);
  return 1;
}
