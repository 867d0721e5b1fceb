/* A line chart from text, for scripts of this folder.
 *
 *   bench_chart [linear-x] [round-x] [log-y] [narrow] [note=TEXT] TITLE X-LABEL Y-LABEL OUT.svg < points
 *
 * Each line is "x y spread series", by series; x may be inf where it is logarithmic. Its axis is labelled at
 * the points' x, or at round numbers.
 *
 *   bench_chart bars TITLE UNIT MARK OUT.svg < bars
 *
 * Each line is "value mark name"; a mark that is nan is not drawn. */
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

static int bars(char *const *words) {
  static double values[most], marks[most];
  static char names[most][64];
  const char *shown[most];
  size_t count = 0;
  sotto_error err = {0};
  while (count < most && scanf("%lf %lf %63[^\n]", &values[count], &marks[count], names[count]) == 3) {
    shown[count] = names[count];
    count++;
  }
  const app_bars chart = {.title = words[0],
                          .unit = words[1],
                          .mark_name = words[2],
                          .names = shown,
                          .values = values,
                          .marks = marks,
                          .count = count};
  if (app_bars_write(&chart, words[3], &err) == SOTTO_OK) return 0;
  (void)fprintf(stderr, "bench_chart: %s\n", err.text);
  return 1;
}

int main(int argc, char **argv) {
  if (argc == 6 && strcmp(argv[1], "bars") == 0) return bars(argv + 2);
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
    else if (strcmp(argv[1], "narrow") == 0)
      chart.narrow = true;
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
