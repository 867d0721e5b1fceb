/* Figures of benchmarks as lines of JSON, for bench/run.py. */
#ifndef SOTTO_BENCH_RECORD_H
#define SOTTO_BENCH_RECORD_H

#include <stdio.h>
#include <stdlib.h>

/* What a figure is held against, measured in the same run and in the same unit; value 0: nothing. */
typedef struct bench_bound {
  double value;
  const char *what;
} bench_bound;

/* Appends a line to the file that SOTTO_BENCH_RECORD names; does nothing without it. `unit` ends in "/s"
 * where more is better; else less is. Texts have no characters that JSON escapes. */
static inline void bench_record(const char *name, double value, const char *unit, bench_bound bound) {
  const char *path = getenv("SOTTO_BENCH_RECORD");
  FILE *out = path == NULL ? NULL : fopen(path, "a");
  if (out == NULL) return;
  (void)fprintf(out, "{\"name\": \"%s\", \"value\": %.9g, \"unit\": \"%s\"", name, value, unit);
  if (bound.value > 0) (void)fprintf(out, ", \"bound\": %.9g, \"against\": \"%s\"", bound.value, bound.what);
  (void)fputs("}\n", out);
  (void)fclose(out);
}

#endif
