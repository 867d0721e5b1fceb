/* Loads a run that is to be served. */
#include "run.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/progress.h"
#include "common/file.h"
#include "common/levels.h"
#include "common/memory.h"
#include "report/page/load.h"
#include "report/page/page.h"
#include "report/report.h"
#include "sotto/guarantee.h"
#include "sotto/ledger.h"
#include "sotto/statement.h"

/* A number; null in the file means infinity, no bound. */
static double number_at(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : INFINITY;
}

/* Adds to the verdict who signed it and the account's further spending. */
static void add_check(serve_run *run, const sotto_statement_check *c) {
  char more[160] = "";
  size_t used = strlen(run->verdict);
  if (c->by == SOTTO_SIGNED_BY_NOBODY)
    (void)snprintf(more, sizeof more, "; NOT SIGNED");
  else if (!c->key_known)
    (void)snprintf(more, sizeof more, "; signed by a key that is NOT known here");
  (void)snprintf(run->verdict + used, sizeof run->verdict - used, "%s", more);
  used = strlen(run->verdict);
  if (!c->account_known || c->account_alone) return;
  if (c->account_unprotected > 0) {
    (void)snprintf(run->verdict + used, sizeof run->verdict - used,
                   "; of this run alone, whose account is NOT protected in all");
    return;
  }
  const sotto_guarantee of = sotto_guarantee_of(c->account_epsilon, c->account_delta);
  char words[SOTTO_EPSILON_WORDS];
  sotto_epsilon_words(words, c->account_epsilon);
  (void)snprintf(run->verdict + used, sizeof run->verdict - used,
                 "; of this run alone, whose account has spent epsilon %s in all (%s)", words,
                 sotto_guarantee_describe(of)->name);
}

static void read_verdict(serve_run *run, const json_t *statement, const sotto_statement_check *check) {
  const json_t *list = json_object_get(statement, "verdicts"), *v;
  size_t i;
  (void)snprintf(run->verdict, sizeof run->verdict, "%.3599s", page_words(statement, "verdict"));
  run->is_signed = check->by != SOTTO_SIGNED_BY_NOBODY;
  run->is_private = json_array_size(list) > 0;
  add_check(run, check);
  json_array_foreach(list, i, v) {
    const bool bare = strcmp(page_words(v, "class"), "vacuous") == 0 ||
                      strcmp(page_words(v, "class"), "not protected") == 0;
    if (strcmp(page_words(v, "account"), "data") == 0 && bare) run->is_private = false;
  }
  run->epsilon = number_at(statement, "total_epsilon");
  run->delta = number_at(statement, "delta");
}

/* Opens the ledger in the run's settings, else the user's own. */
static sotto_status find_ledger(serve_run *run, const char *folder, sotto_error *err) {
  sotto_options options;
  char *path = NULL;
  sotto_status status;
  sotto_options_default(&options);
  SOTTO_TRY(app_join(&path, folder, "run.yaml", err));
  if (sotto_i_is_file(path)) SOTTO_TRY(sotto_options_read(&options, path, err));
  (void)snprintf(run->ledger, sizeof run->ledger, "%.1023s", options.ledger);
done:
  free(path);
  return status;
}

static sotto_status read_statement(serve_run *run, const char *folder, sotto_error *err) {
  char *path = NULL;
  size_t size;
  json_t *statement = NULL;
  sotto_statement_check check;
  sotto_status status;
  SOTTO_TRY(sotto_statement_verify(&check, folder, NULL, err));
  SOTTO_TRY(app_join(&path, folder, "statement.json", err));
  SOTTO_TRY(app_read_file(&run->statement, &size, path, err));
  statement = json_loads(run->statement, JSON_REJECT_DUPLICATES, NULL);
  if (!json_is_object(statement)) {
    status = sotto_i_fail(err, SOTTO_PARSE, "%s: is not a privacy statement", path);
    goto done;
  }
  read_verdict(run, statement, &check);
  SOTTO_TRY(find_ledger(run, folder, err));
done:
  json_decref(statement);
  free(path);
  return status;
}

sotto_status serve_run_open(serve_run **out, const char *path, uint64_t seed, const serve_joint *joint,
                            bool board, sotto_error *err) {
  serve_run *run = NULL;
  const double begin = sotto_i_seconds();
  sotto_status status;
  *out = NULL;
  char *folder = realpath(path, NULL); /* resolved once: a link that changes does not mix two runs */
  if (folder == NULL)
    return sotto_i_fail(err, errno == ENOENT ? SOTTO_NOT_FOUND : SOTTO_IO, "%s: no run folder: %s", path,
                        strerror(errno));
  SOTTO_TRY(app_new(&run, 1, sizeof *run, err));
  SOTTO_TRY(read_statement(run, folder, err));
  SOTTO_TRY(sotto_report_account_key(run->account, &run->has_account, folder, err));
  if (board) SOTTO_TRY(page_text_run(&run->board, folder, NULL, err));
  SOTTO_TRY(joint == NULL ? serve_table_open(&run->source, &run->facts, folder, seed, err)
                          : serve_joint_open(&run->source, &run->facts, joint, err));
  run->loaded = (int64_t)time(NULL);
  run->seconds = sotto_i_seconds() - begin;
  *out = run;
  run = NULL;
done:
  serve_run_free(run);
  free(folder);
  return status;
}

void serve_run_free(serve_run *run) {
  if (run == NULL) return;
  if (run->source.free != NULL) run->source.free(run->source.context);
  serve_names_free(&run->source.ids);
  serve_names_free(&run->source.class_names);
  free(run->statement);
  free(run->board);
  free(run);
}

static bool ask_ledger(serve_spent *out, const serve_run *run) {
  sotto_ledger *ledger;
  sotto_spent spent;
  const char *path = run->ledger[0] == '\0' ? NULL : run->ledger;
  if (!run->has_account) return false;
  if ((path == NULL && sotto_ledger_is_missing(NULL)) || sotto_ledger_open(&ledger, path, NULL) != SOTTO_OK)
    return false;
  const char *level = app_level_of(run->facts.adjacency);
  const bool read = sotto_ledger_spent(ledger, &spent, run->account, level, NULL) == SOTTO_OK;
  sotto_ledger_close(ledger);
  if (read) *out = (serve_spent){true, spent.epsilon, spent.delta, spent.budget.epsilon};
  return read;
}

serve_spent serve_run_spent(const serve_run *run) {
  serve_spent out = {.known = false};
  (void)ask_ledger(&out, run);
  return out;
}
