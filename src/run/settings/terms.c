/* What parties must agree on: the public options, in one order, as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "options.h"

bool sotto_option_is_shared(const char *key) {
  return !sotto_i_word_among(key, "data nodes ids ledger out encoder-cache record-wire threads resume");
}

typedef struct row {
  size_t option;
  const char *key;
} row;

static int by_key(const void *a, const void *b) {
  return strcmp(((const row *)a)->key, ((const row *)b)->key);
}

sotto_status sotto_options_terms(char **out, const sotto_options *options, sotto_error *err) {
  size_t count, kept = 0, size = 0;
  const sotto_option_info *infos = sotto_option_table(&count);
  row rows[SOTTO_MOST_OPTIONS] = {{0, NULL}};
  char value[1024];
  for (size_t i = 0; i < count; i++)
    if (sotto_option_is_shared(infos[i].key)) rows[kept++] = (row){i, infos[i].key};
  qsort(rows, kept, sizeof *rows, by_key);
  sotto_status status = sotto_i_new(out, kept * 1200 + 1, 1, err);
  for (size_t i = 0; status == SOTTO_OK && i < kept; i++) {
    sotto_option_text(options, rows[i].option, value, sizeof value);
    size += (size_t)snprintf(*out + size, 1200, "%s: %s\n", rows[i].key, value);
  }
  return status;
}

void sotto_options_free_text(char *text) {
  sotto_i_free(text);
}
