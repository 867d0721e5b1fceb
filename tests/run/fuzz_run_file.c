/* Fuzzes the reader of run files; libyaml with it. */
#include <stdlib.h>
#include <string.h>

#include "run/settings/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file of another party takes no more than an own one, nothing of this machine, and no privacy. */
static void read_shared(const uint8_t *data, size_t size, bool own_is_read) {
  static sotto_options shared;
  size_t count;
  sotto_error err = {0};
  sotto_options_default(&shared);
  if (sotto_i_options_parse(&shared, data, size, SOTTO_I_RUN_FILE_SHARED, &err) != SOTTO_OK) {
    if (err.text[0] == '\0') abort();
    return;
  }
  if (!own_is_read || shared.insecure_seed != SOTTO_UNSET || sotto_options_warning(&shared) != NULL) abort();
  const sotto_option_info *infos = sotto_option_table(&count);
  for (size_t i = 0; i < count; i++)
    if (shared.given[i] && !sotto_option_is_shared(infos[i].key)) abort();
}

/* A refused file changes nothing; an accepted one keeps what was given by hand. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static sotto_options before, after;
  sotto_error err = {0};
  sotto_options_default(&before);
  if (sotto_options_set(&before, "epsilon", "3", &err) != SOTTO_OK) abort();
  memcpy(&after, &before, sizeof after);
  const bool read = sotto_i_options_parse(&after, data, size, SOTTO_I_RUN_FILE_OWN, &err) == SOTTO_OK;
  read_shared(data, size, read);
  if (!read) {
    if (memcmp(&after, &before, sizeof after) != 0 || err.text[0] == '\0') abort();
  } else if (after.epsilon != 3 || after.resume || after.out[0] != '\0') {
    abort();
  }
  return 0;
}
