/* Begin and end of a bench: datasets, cells, the file of trainings. */
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/progress.h"
#include "bench.h"
#include "common/memory.h"
#include "sotto/generate.h"
#include "sotto/model.h"

bool app_bench_wants(const app_bench_plan *plan, const char *name) {
  return !plan->is_quick || plan->quick.datasets.count == 0 || app_bench_listed(&plan->quick.datasets, name);
}

static sotto_status generate(sotto_dataset *out, const app_bench_dataset *from, sotto_error *err) {
  sotto_key key;
  sotto_key_public(&key, from->key);
  if (strcmp(from->generate, "chains") == 0) return sotto_generate_chains(out, &from->chains, &key, err);
  if (strcmp(from->generate, "transactions") == 0)
    return sotto_generate_transactions(out, &from->transactions, &key, err);
  return sotto_generate_sbm(out, &from->sbm, &key, err);
}

/* A Planetoid path is FOLDER:NAME; its folder says whether it is there. */
static bool is_there(const char *path) {
  char folder[2200];
  (void)snprintf(folder, sizeof folder, "%s", path);
  char *colon = strrchr(folder, ':');
  if (colon != NULL) *colon = '\0';
  return sotto_i_is_file(path) || sotto_i_is_folder(folder);
}

static sotto_status open_data(app_bench *bench, size_t i, sotto_error *err) {
  const app_bench_dataset *from = &bench->plan->datasets[i];
  sotto_import_options import;
  sotto_options options;
  char path[2200];
  sotto_status status;
  if (!app_bench_wants(bench->plan, from->name)) return SOTTO_OK;
  if (from->path[0] == '\0') {
    SOTTO_TRY(generate(&bench->data[i], from, err));
  } else {
    (void)snprintf(path, sizeof path, "%.1000s%s%s", bench->data_folder, bench->data_folder[0] ? "/" : "",
                   from->path);
    if (!is_there(path)) {
      sotto_i_log(bench->observer, SOTTO_LOG_WARNING, "left out: dataset %s: %s is not there (--data-dir?)",
                  from->name, path);
      return SOTTO_OK;
    }
    sotto_options_default(&options);
    for (size_t s = 0; s < from->options.count; s++)
      SOTTO_TRY(sotto_options_set(&options, from->options.items[s].key, from->options.items[s].value, err));
    SOTTO_TRY(sotto_table_options(&import, &options, err));
    SOTTO_TRY(sotto_dataset_open(&bench->data[i], path, &import, err));
  }
  bench->there[i] = true;
done:
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "%s", from->name);
  return status;
}

sotto_status app_bench_begin(app_bench *bench, sotto_error *err) {
  char *path = NULL;
  sotto_status status;
  bench->state.descriptor = -1;
  SOTTO_TRY(sotto_i_make_folder(bench->out, err));
  SOTTO_TRY(app_bench_file(&path, bench, NULL, "jsonl", err));
  SOTTO_TRY(app_bench_state_open(&bench->state, path, err));
  for (size_t i = 0; i < bench->plan->dataset_count; i++) SOTTO_TRY(open_data(bench, i, err));
  SOTTO_TRY(app_bench_cells_new(&bench->cells, bench->plan, bench->there, bench->observer, err));
  if (bench->shards > 0) app_bench_cells_share(&bench->cells, bench->shard, bench->shards);
  if (bench->cells.count == 0) status = sotto_i_fail(err, SOTTO_INVALID, "there is nothing to train");
done:
  free(path);
  if (status == SOTTO_OK) app_bench_match(bench);
  return status;
}

sotto_status app_bench_gather(app_bench *bench, size_t *files, sotto_error *err) {
  char pattern[1400];
  glob_t found = {0};
  sotto_status status = SOTTO_OK;
  (void)snprintf(pattern, sizeof pattern, "%.1200s/%s.[0-9]*-of-[0-9]*.jsonl", bench->out, bench->name);
  if (glob(pattern, 0, NULL, &found) == GLOB_NOSPACE)
    status = sotto_i_fail(err, SOTTO_NOMEM, "no memory for names");
  *files = found.gl_pathc;
  for (size_t i = 0; status == SOTTO_OK && i < found.gl_pathc; i++)
    status = app_bench_state_take(&bench->state, found.gl_pathv[i], err);
  globfree(&found);
  if (status == SOTTO_OK) app_bench_match(bench);
  return status;
}

void app_bench_end(app_bench *bench) {
  for (size_t i = 0; i < APP_BENCH_ENTRIES; i++)
    if (bench->there[i]) sotto_dataset_free(&bench->data[i]);
  app_bench_cells_free(&bench->cells);
  app_bench_state_close(&bench->state);
  free(bench->drawn);
}
