/* Runs of the public interface: options, and queries after training. */
#include "handle.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "model.h"
#include "run/settings/options.h"
#include "scratch.h"

static const char no_file[] = "(in memory)"; /* value of the option `data` for a dataset without a file */

sotto_status sotto_i_run_new(sotto_run **out, sotto_error *err) {
  sotto_status status = sotto_i_new(out, 1, sizeof **out, err);
  if (status != SOTTO_OK) return status;
  sotto_i_options_default(&(*out)->asked);
  atomic_init(&(*out)->cancel, false);
  return SOTTO_OK;
}

void sotto_run_free(sotto_run *run) {
  if (run == NULL) return;
  sotto_result_free(&run->result);
  sotto_i_scratch_free(run->scratch);
  sotto_i_free(run->folder);
  sotto_i_free(run->statement);
  sotto_i_free(run->text);
  sotto_i_free(run->metrics);
  sotto_i_free(run);
}

static sotto_status check_open(const sotto_run *run, sotto_error *err) {
  if (run->phase == SOTTO_I_RUN_OPEN) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID, "training has begun, so the options are fixed; make another run");
}

sotto_status sotto_run_set(sotto_run *run, const char *key, const char *value, sotto_error *err) {
  sotto_status status = check_open(run, err);
  return status == SOTTO_OK ? sotto_options_set(&run->asked, key, value, err) : status;
}

sotto_status sotto_run_read(sotto_run *run, const char *path, sotto_error *err) {
  sotto_status status = check_open(run, err);
  return status == SOTTO_OK ? sotto_options_read(&run->asked, path, err) : status;
}

const sotto_options *sotto_run_options(sotto_run *run) {
  if (run->phase != SOTTO_I_RUN_OPEN) return &run->resolved;
  run->resolved = run->asked;
  sotto_options_resolve(&run->resolved);
  return &run->resolved;
}

sotto_status sotto_run_get(sotto_run *run, char *out, size_t size, const char *key, sotto_error *err) {
  char value[1024];
  size_t number;
  if (sotto_i_option_known(key, &number) == NULL)
    return sotto_i_fail(err, SOTTO_NOT_FOUND, "unknown option '%s'", key);
  sotto_option_text(sotto_run_options(run), number, value, sizeof value);
  if (strlen(value) >= size)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: its value has %zu bytes, and there is room for %zu", key,
                        strlen(value) + 1, size);
  memcpy(out, value, strlen(value) + 1);
  return SOTTO_OK;
}

/* Reads the options of the run that is resumed. A folder without a run is an error: resuming it would
 * charge a new run without a request for one. */
static sotto_status read_resumed(sotto_run *run, sotto_error *err) {
  char *path = NULL;
  if (!run->asked.resume) return SOTTO_OK;
  if (run->asked.out[0] == '\0')
    return sotto_i_fail(err, SOTTO_INVALID, "resume: needs out, the run folder to go on with");
  sotto_status status = sotto_i_join(&path, run->asked.out, "run.yaml", err);
  if (status == SOTTO_OK && !sotto_i_is_file(path))
    status = sotto_i_fail(err, SOTTO_INVALID,
                          "out: %.300s holds no run to go on with; correct the path, or leave resume out to "
                          "begin a new run",
                          run->asked.out);
  if (status == SOTTO_OK) status = sotto_options_read(&run->asked, path, err);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_run_resolve(sotto_run *run, sotto_error *err) {
  sotto_status status = read_resumed(run, err);
  if (status != SOTTO_OK) return status;
  (void)sotto_run_options(run);
  if (run->resolved.data[0] == '\0')
    (void)snprintf(run->resolved.data, sizeof run->resolved.data, "%s", no_file);
  return sotto_options_check(&run->resolved, err);
}

sotto_status sotto_run_check(sotto_run *run, sotto_error *err) {
  return run->phase == SOTTO_I_RUN_OPEN ? sotto_i_run_resolve(run, err) : SOTTO_OK;
}

void sotto_run_cancel(sotto_run *run) {
  atomic_store(&run->cancel, true);
}

size_t sotto_run_seeds(const sotto_run *run) {
  return run->phase == SOTTO_I_RUN_DONE ? run->result.seed_count : 0;
}

/* Checks that this seed exists. */
static sotto_status check_seed(const sotto_run *run, size_t seed_index, sotto_error *err) {
  if (run->phase != SOTTO_I_RUN_DONE)
    return sotto_i_fail(err, SOTTO_INVALID, "the run is not done; train it first");
  if (seed_index >= run->result.seed_count)
    return sotto_i_fail(err, SOTTO_RANGE, "seed_index: %zu, and the run has %zu seeds", seed_index,
                        run->result.seed_count);
  return SOTTO_OK;
}

sotto_status sotto_run_quality(const sotto_run *run, sotto_quality *out, size_t seed_index, sotto_part part,
                               bool baseline, sotto_error *err) {
  sotto_status status = check_seed(run, seed_index, err);
  if (status != SOTTO_OK) return status;
  const sotto_seed_result *seed = &run->result.seeds[seed_index];
  if (part == SOTTO_PART_TEST)
    *out = baseline ? seed->baseline_test : seed->test;
  else if (part == SOTTO_PART_VALIDATION)
    *out = baseline ? seed->baseline_validation : seed->validation;
  else
    return sotto_i_fail(err, SOTTO_RANGE, "part: quality is measured on the test and the validation part");
  return SOTTO_OK;
}

const char *sotto_run_statement(const sotto_run *run) {
  return run->statement;
}

const char *sotto_run_result(const sotto_run *run) {
  return run->text;
}

const char *sotto_run_metrics(const sotto_run *run) {
  return run->metrics;
}

const char *sotto_run_folder(const sotto_run *run) {
  return run->folder;
}

sotto_status sotto_run_model(const sotto_run *run, sotto_model **out, size_t seed_index, sotto_error *err) {
  *out = NULL;
  sotto_status status = check_seed(run, seed_index, err);
  if (status != SOTTO_OK) return status;
  const sotto_model_options options = {.seed = run->result.seeds[seed_index].seed};
  return sotto_i_model_open(out, run->folder, run->data, &options, err);
}
