/* Fuzzes the reader of bench files; libyaml with it. */
#include <stdlib.h>

#include "bench/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A refused file says why; an accepted one has grids within bounds. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static app_bench_plan plan;
  sotto_error err = {0};
  if (app_bench_parse(&plan, data, size, &err) != SOTTO_OK) {
    if (err.text[0] == '\0') abort();
    return 0;
  }
  for (size_t i = 0; i < plan.method_count; i++)
    if (app_bench_points(&plan.methods[i].grid) > APP_BENCH_POINTS) abort();
  return 0;
}
