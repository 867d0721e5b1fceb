/* Spending of the account that paid for a run: a line for its owner, from the ledger. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "common/file.h"
#include "common/levels.h"
#include "object.h"
#include "report.h"
#include "sotto/guarantee.h"
#include "sotto/options.h"

/* Reads 64 hexadecimal digits. */
static bool read_hex(uint8_t out[32], const char *text) {
  for (size_t i = 0; i < 32; i++) {
    unsigned value;
    if (strspn(text + 2 * i, "0123456789abcdef") < 2 || sscanf(text + 2 * i, "%2x", &value) != 1)
      return false;
    out[i] = (uint8_t)value;
  }
  return true;
}

sotto_status sotto_report_account_key(uint8_t out[32], bool *found, const char *run, sotto_error *err) {
  char *path = NULL, *text = NULL;
  size_t size = 0;
  sotto_status status;
  *found = false;
  SOTTO_TRY(app_join(&path, run, "owner-only/account.key", err));
  if (!sotto_i_is_file(path)) goto done;
  SOTTO_TRY(app_read_file(&text, &size, path, err));
  *found = size >= 64 && read_hex(out, text);
done:
  free(path);
  free(text);
  return status;
}

sotto_status sotto_report_open_ledger(sotto_ledger **out, const char *run, sotto_error *err) {
  sotto_options options;
  char *path = NULL;
  sotto_status status;
  sotto_options_default(&options);
  SOTTO_TRY(app_join(&path, run, "run.yaml", err));
  if (sotto_i_is_file(path)) SOTTO_TRY(sotto_options_read(&options, path, err));
  const char *named = options.ledger[0] == '\0' ? NULL : options.ledger;
  if (named == NULL && sotto_ledger_is_missing(NULL))
    status =
        sotto_i_fail(err, SOTTO_NOT_FOUND, "there is no ledger on this machine; name it in SOTTO_LEDGER");
  else
    status = sotto_ledger_open(out, named, err);
done:
  free(path);
  return status;
}

/* Level of the run's charges. NULL: the run made no charges. */
static sotto_status read_level(const char **out, const char *run, sotto_error *err) {
  json_t *statement = NULL;
  const sotto_status status = page_load_json(&statement, run, "statement.json", err);
  const char *adjacency = json_string_value(json_object_get(statement, "adjacency"));
  const bool charged = json_is_object(json_object_get(statement, "ledger"));
  *out = charged ? app_level_of(adjacency == NULL ? "" : adjacency) : NULL;
  json_decref(statement);
  return status;
}

static char *line_of(const char *path, const char *level, const sotto_spent *s) {
  char delta[SOTTO_DELTA_WORDS], epsilon[SOTTO_EPSILON_WORDS], budget[48] = "no budget set", *out = NULL;
  char bare[APP_UNPROTECTED_WORDS];
  app_unprotected_words(bare, s->unprotected);
  sotto_delta_words(delta, s->delta);
  sotto_epsilon_words(epsilon, s->epsilon);
  if (s->budget.epsilon > 0) (void)snprintf(budget, sizeof budget, "budget %.4g", s->budget.epsilon);
  return asprintf(&out, "%s, %s level: %llu charges, epsilon %s at delta %s, %s%s%s", path, level,
                  (unsigned long long)s->charges, epsilon, delta, budget, bare[0] == '\0' ? "" : "; ",
                  bare) < 0
             ? NULL
             : out;
}

sotto_status sotto_report_spent(char **out, const char *run, sotto_error *err) {
  sotto_ledger *ledger = NULL;
  sotto_error why = {0};
  sotto_spent spent;
  const char *level;
  uint8_t key[32];
  bool found;
  sotto_status status;
  *out = NULL;
  SOTTO_TRY(sotto_report_account_key(key, &found, run, &why));
  if (!found) goto done;
  SOTTO_TRY(read_level(&level, run, &why));
  if (level == NULL) goto done;
  SOTTO_TRY(sotto_report_open_ledger(&ledger, run, &why));
  SOTTO_TRY(sotto_ledger_spent(ledger, &spent, key, level, &why));
  *out = line_of(sotto_ledger_path(ledger), level, &spent);
  if (*out == NULL) status = sotto_i_fail(&why, SOTTO_NOMEM, "no memory for a line about the ledger");
done:
  sotto_ledger_close(ledger);
  if (status != SOTTO_NOMEM) return SOTTO_OK; /* an unreadable ledger gives no line, without an error */
  *err = why;
  return status;
}
