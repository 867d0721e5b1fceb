/* Pages of runs: loaded, composed, written. */
#include "page.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "common/file.h"
#include "common/folder.h"
#include "common/memory.h"
#include "owner.h"
#include "parts.h"
#include "report/chart.h"
#include "several.h"
#include "write.h"

_Static_assert((int)PAGE_MOST_RUNS <= (int)APP_CHART_SERIES, "each run has a colour and a mark");

static const char owner_note[] = "For the owner alone. This page has figures that follow from true labels, "
                                 "from true edges and from the ledger. "
                                 "Do not hand it on.";

static const page_link one_run[] = {{"run", "The run"},
                                    {"results", "Results"},
                                    {"privacy", "Privacy in plain words"},
                                    {"exposed", "What was shown to whom"},
                                    {"limits", "What is not covered"},
                                    {"evidence", "Evidence"},
                                    {NULL, NULL}};
static const page_link owners_run[] = {{"run", "The run"},
                                       {"results", "Results"},
                                       {"quality", "Quality by class and degree"},
                                       {"privacy", "Privacy in plain words"},
                                       {"exposed", "What was shown to whom"},
                                       {"limits", "What is not covered"},
                                       {"evidence", "Evidence"},
                                       {"audits", "Audits"},
                                       {"account", "The ledger's account"},
                                       {NULL, NULL}};
static const page_link several_runs[] = {
    {"side", "Side by side"}, {"pictures", "Pictures"}, {"each", "Run by run"}, {NULL, NULL}};

static sotto_status draw_one(page *p, const page_run *run, const page_ask *ask, sotto_error *err) {
  char title[400];
  json_t *audit = NULL;
  page_answers *answers = NULL;
  const char *folder = ask->runs[0];
  sotto_status status = SOTTO_OK;
  (void)snprintf(title, sizeof title, "Report of a run: %.60s on %.200s",
                 page_words(json_object_get(run->statement, "method"), "name"),
                 page_words(json_object_get(run->statement, "dataset"), "name"));
  if (ask->owner) {
    SOTTO_TRY(app_new(&answers, 1, sizeof *answers, err));
    SOTTO_TRY(page_answers_get(answers, run, folder, ask->data, err));
    SOTTO_TRY(page_load_json(&audit, folder, "owner-only/audit.json", err));
  }
  page_begin(p, title, ask->owner ? owner_note : NULL, ask->owner ? owners_run : one_run);
  page_verdict(p, run);
  SOTTO_TRY(page_glance(p, run, folder, err));
  page_identity(p, run);
  page_results(p, run);
  page_curves(p, run);
  if (ask->owner) page_quality(p, answers);
  page_privacy(p, run);
  page_parties(p, run);
  page_limits(p, run);
  page_evidence(p, run);
  if (ask->owner) {
    page_audits(p, audit);
    SOTTO_TRY(page_account(p, run, folder, err));
  }
  SOTTO_TRY(page_settings(p, run, err));
  page_end(p);
done:
  free(answers);
  json_decref(audit);
  return status;
}

static sotto_status draw_page(page *p, const page_run *runs, const page_ask *ask, sotto_error *err) {
  char title[80];
  if (ask->run_count == 1) return draw_one(p, &runs[0], ask, err);
  (void)snprintf(title, sizeof title, "Comparison of %zu runs", ask->run_count);
  page_begin(p, title, NULL, several_runs);
  page_several(p, runs, ask->run_count);
  page_end(p);
  return SOTTO_OK;
}

static const app_folder_file page_of_run = {
    "report.html", APP_FOR_ANYONE, "the statement, the options, and the measures that are for anyone"};
static const app_folder_file owners_page = {"report.html", APP_FOR_OWNER, "private data and the ledger"};

static sotto_status name_file(char *path, const page_ask *ask, sotto_error *err) {
  char *own = NULL;
  sotto_status status = SOTTO_OK;
  if (ask->out != NULL)
    (void)snprintf(path, PAGE_PATH, "%.1190s", ask->out);
  else if (ask->run_count > 1)
    (void)snprintf(path, PAGE_PATH, "report.html");
  else
    status = app_folder_path(&own, ask->runs[0], ask->owner ? &owners_page : &page_of_run, err);
  if (own != NULL) (void)snprintf(path, PAGE_PATH, "%.1190s", own);
  free(own);
  return status;
}

/* Builds the text of a page from the run folders. */
static sotto_status build_page(page *p, char **text, size_t *size, const page_ask *ask, sotto_error *err) {
  page_run *runs = NULL;
  sotto_status status;
  *p = (page){.owner = ask->owner, .files = ask->files};
  if (ask->run_count < 1 || ask->run_count > PAGE_MOST_RUNS)
    return sotto_i_fail(err, SOTTO_INVALID, "a page has 1 to %d runs", PAGE_MOST_RUNS);
  if (ask->owner && ask->run_count > 1)
    return sotto_i_fail(err, SOTTO_INVALID, "the owner's page is of one run; name one folder");
  SOTTO_TRY(app_new(&runs, ask->run_count, sizeof *runs, err));
  for (size_t i = 0; i < ask->run_count; i++)
    SOTTO_TRY(page_run_load(&runs[i], ask->runs[i], ask->owner, ask->ledger, err));
  SOTTO_TRY(page_open(p, text, size, err));
  SOTTO_TRY(draw_page(p, runs, ask, err));
done:
  for (size_t i = 0; runs != NULL && i < ask->run_count; i++) page_run_free(&runs[i]);
  free(runs);
  return status;
}

sotto_status page_write(char *path, const page_ask *ask, sotto_error *err) {
  page p;
  char *text = NULL;
  size_t size = 0;
  sotto_status status;
  SOTTO_TRY(build_page(&p, &text, &size, ask, err));
  SOTTO_TRY(name_file(path, ask, err));
  SOTTO_TRY(page_close(&p, &text, &size, path, err));
done:
  page_abandon(&p, &text);
  return status;
}

sotto_status page_text_run(char **out, const char *folder, const char *files, sotto_error *err) {
  page p;
  char *text = NULL;
  size_t size = 0;
  sotto_status status;
  *out = NULL;
  SOTTO_TRY(build_page(&p, &text, &size, &(page_ask){.runs = &folder, .run_count = 1, .files = files}, err));
  SOTTO_TRY(page_finish(&p, err));
  *out = text;
  return SOTTO_OK;
done:
  page_abandon(&p, &text);
  return status;
}

sotto_status page_write_run(const char *folder, sotto_error *err) {
  char path[PAGE_PATH];
  return page_write(path, &(page_ask){.runs = &folder, .run_count = 1}, err);
}
