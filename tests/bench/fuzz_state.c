/* Any bytes as the state of a bench: what is taken can be found again, and what is refused names its line. */
#include <stdlib.h>
#include <string.h>

#include "bench/state.h"
#include "input_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  app_bench_state state;
  sotto_error err = {0};
  if (app_bench_state_open(&state, fuzz_put("state.jsonl", data, size), &err) != SOTTO_OK) {
    if (err.text[0] == '\0') abort();
    return 0;
  }
  for (size_t i = 0; i < state.count; i++) {
    if (memchr(state.items[i].key, '\0', sizeof state.items[i].key) == NULL) abort();
    if (app_bench_state_find(&state, state.items[i].key) == APP_BENCH_MISSING) abort();
  }
  app_bench_state_close(&state);
  return 0;
}
