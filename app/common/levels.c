/* Levels of the ledger, and which are shown. */
#include "common/levels.h"

#include <stdio.h>
#include <string.h>

const char *const app_levels[APP_LEVELS] = {"transfer", "edge", "node"};

bool app_is_level(const char *name) {
  for (int i = 0; i < APP_LEVELS; i++)
    if (strcmp(name, app_levels[i]) == 0) return true;
  return false;
}

enum { TRANSFER, EDGE, NODE };

const char *app_level_of(const char *adjacency) {
  if (strcmp(adjacency, "graph") == 0 || strcmp(adjacency, "client") == 0) return app_levels[NODE];
  for (int i = 0; i < APP_LEVELS; i++)
    if (strcmp(adjacency, app_levels[i]) == 0) return app_levels[i];
  return app_levels[EDGE];
}

static bool has_entries(const sotto_spent spent[APP_LEVELS], int level) {
  const uint64_t larger = level == TRANSFER ? spent[EDGE].charges : 0;
  return spent[level].budget.epsilon > 0 || spent[level].charges > larger;
}

bool app_level_is_shown(const sotto_spent spent[APP_LEVELS], int level) {
  return has_entries(spent, level) ||
         (level == EDGE && !has_entries(spent, TRANSFER) && !has_entries(spent, NODE));
}

sotto_status app_levels_spent(sotto_spent out[APP_LEVELS], sotto_ledger *ledger, const uint8_t key[32],
                              sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (int i = 0; status == SOTTO_OK && i < APP_LEVELS; i++)
    status = sotto_ledger_spent(ledger, &out[i], key, app_levels[i], err);
  return status;
}

void app_unprotected_words(char out[APP_UNPROTECTED_WORDS], uint64_t unprotected) {
  out[0] = '\0';
  if (unprotected == 0) return;
  (void)snprintf(out, APP_UNPROTECTED_WORDS,
                 "NOT protected: %llu charge%s of the account protect%s nothing at this level",
                 (unsigned long long)unprotected, unprotected == 1 ? " or run" : "s or runs",
                 unprotected == 1 ? "s" : "");
}
