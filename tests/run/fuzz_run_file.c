/* Fuzzes the reader of run files; libyaml with it. */
#include <stdlib.h>
#include <string.h>

#include "run/settings/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A refused file changes nothing; an accepted one keeps what was given by hand. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static sotto_options before, after;
  sotto_error err = {0};
  sotto_options_default(&before);
  if (sotto_options_set(&before, "epsilon", "3", &err) != SOTTO_OK) abort();
  memcpy(&after, &before, sizeof after);
  if (sotto_i_options_parse(&after, data, size, &err) != SOTTO_OK) {
    if (memcmp(&after, &before, sizeof after) != 0 || err.text[0] == '\0') abort();
  } else if (after.epsilon != 3 || after.resume || after.out[0] != '\0') {
    abort();
  }
  return 0;
}
