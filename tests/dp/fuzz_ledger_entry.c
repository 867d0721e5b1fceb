/* Any text as an entry of a ledger: what is accepted is written as a text that reads back the same, and adds
 * up to accounts whose epsilons are numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dp/ledger/state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_up(const sotto_i_entry *entry) {
  sotto_i_state state = {.count = 0};
  if (sotto_i_state_add(&state, entry, NULL) == SOTTO_OK)
    for (size_t i = 0; i < state.count; i++)
      for (int level = 0; level < SOTTO_I_LEDGER_LEVELS; level++)
        if (isnan(sotto_i_sums_pure(&state.accounts[i].sums[level]))) abort();
  sotto_i_state_free(&state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sotto_i_entry entry, again;
  char *text = malloc(size + 1), *first = NULL, *second = NULL;
  if (text == NULL) return 0;
  memcpy(text, data, size);
  text[size] = '\0';
  if (sotto_i_entry_read(&entry, text, NULL) == SOTTO_OK) {
    if (sotto_i_entry_write(&first, &entry, NULL) != SOTTO_OK) abort();
    if (sotto_i_entry_read(&again, first, NULL) != SOTTO_OK) abort();
    if (sotto_i_entry_write(&second, &again, NULL) != SOTTO_OK || strcmp(first, second) != 0) abort();
    add_up(&entry);
    sotto_i_entry_free(&again);
    sotto_i_entry_free(&entry);
  } else if (entry.storage != NULL) {
    abort();
  }
  free(first);
  free(second);
  free(text);
  return 0;
}
