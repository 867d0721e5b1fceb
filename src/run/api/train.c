/* Training of a run of the public interface: its folder, its observer, and its output texts. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "graph/blocks/block.h"
#include "handle.h"
#include "run/files/folder_file.h"
#include "run/settings/alert_rule.h"
#include "run/settings/options.h"
#include "run/settings/suit.h"
#include "run/storage/begun.h"
#include "run/storage/data_file.h"
#include "run/train/run.h"
#include "scratch.h"

static void forget_texts(sotto_run *run) {
  char **const texts[] = {&run->statement, &run->text, &run->metrics};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    sotto_i_free(*texts[i]);
    *texts[i] = NULL;
  }
}

static void forget_folder(sotto_run *run) {
  sotto_i_scratch_free(run->scratch);
  sotto_i_free(run->folder);
  run->scratch = run->folder = NULL;
}

/* Does the folder hold a run that was begun? */
static sotto_status holds_run(bool *out, const char *folder, sotto_error *err) {
  char *path = NULL;
  sotto_status status = sotto_i_join(&path, folder, "run.yaml", err);
  *out = status != SOTTO_OK || sotto_i_is_file(path);
  sotto_i_free(path);
  return status;
}

/* The named folder, or a private one. */
static sotto_status choose_folder(sotto_run *run, sotto_error *err) {
  sotto_options *o = &run->resolved;
  sotto_status status;
  bool taken;
  if (o->out[0] == '\0') {
    SOTTO_TRY(sotto_i_scratch_new(&run->scratch, err));
    if (strlen(run->scratch) >= sizeof o->out) {
      status = sotto_i_fail(err, SOTTO_IO, "TMPDIR: its path is too long");
      goto done;
    }
    (void)snprintf(o->out, sizeof o->out, "%s", run->scratch);
  }
  SOTTO_TRY(holds_run(&taken, o->out, err));
  if (taken && !o->resume) {
    sotto_options resolved = *o;
    sotto_options_resolve(&resolved);
    SOTTO_TRY(sotto_i_begun_answered(&o->resume, &resolved, o->out, err));
  }
  if (taken && !o->resume) {
    status =
        sotto_i_fail(err, SOTTO_INVALID,
                     "out: %.300s holds a run already; set resume to go on with it, or name another", o->out);
    goto done;
  }
  SOTTO_TRY(sotto_i_strdup(&run->folder, o->out, err));
done:
  if (status != SOTTO_OK) forget_folder(run);
  return status;
}

/* Is this a rank other than rank 0, which writes the folder? */
static bool is_helper(const sotto_dataset *data) {
  const sotto_i_block *block = sotto_i_block_of(data);
  return block != NULL && !sotto_i_ranks_first(block->ranks);
}

static sotto_status share_folder(sotto_run *run, sotto_error *err) {
  if (run->resolved.out[0] == '\0')
    return sotto_i_fail(err, SOTTO_INVALID, "out: ranks share a folder that all of them see; name it");
  return sotto_i_strdup(&run->folder, run->resolved.out, err);
}

static sotto_status begin_training(sotto_run *run, const sotto_dataset *data, const sotto_observer *observer,
                                   sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (run->phase == SOTTO_I_RUN_DONE)
    return sotto_i_fail(err, SOTTO_INVALID, "the run is done; make another one to train again");
  if (run->phase == SOTTO_I_RUN_BEGUN) {
    run->resolved.resume = true;
    bool alike;
    SOTTO_TRY(sotto_i_data_is_alike(&alike, run->data, data, &run->resolved, err));
    if (!alike)
      return sotto_i_fail(err, SOTTO_INVALID, "the run was begun on other data; go on with the same");
  } else {
    SOTTO_TRY(sotto_i_run_resolve(run, err));
    sotto_options_settle(&run->resolved, data->graph.nodes);
    SOTTO_TRY(sotto_i_suit_measure(&run->resolved, data, err));
    if (!sotto_i_option_given(&run->asked, "feature-scale"))
      SOTTO_TRY(sotto_i_suit_scaling(&run->resolved, data, observer, err));
    SOTTO_TRY(is_helper(data) ? share_folder(run, err) : choose_folder(run, err));
  }
  run->data = data;
  run->phase = SOTTO_I_RUN_BEGUN;
done:
  return status;
}

static void progress(void *context, const char *stage, uint64_t done, uint64_t total, const char *note) {
  const sotto_observer *to = &((sotto_run *)context)->observer;
  to->progress(to->context, stage, done, total, note);
}

static void pass_event(void *context, const sotto_event *event) {
  const sotto_observer *to = &((sotto_run *)context)->observer;
  to->event(to->context, event);
}

static void log_line(void *context, sotto_log_level level, const char *text) {
  const sotto_observer *to = &((sotto_run *)context)->observer;
  to->log(to->context, level, text);
}

static bool cancelled(void *context) {
  sotto_run *run = context;
  const sotto_observer *to = &run->observer;
  return atomic_load(&run->cancel) || (to->cancelled != NULL && to->cancelled(to->context));
}

/* Reads a file of the run folder or its owner-only/ as text; *out stays NULL if it does not exist. */
static sotto_status read_text(char **out, const sotto_run *run, const char *name, sotto_error *err) {
  char *path = NULL;
  sotto_i_map map = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_folder_find(&path, run->folder, name, err));
  if (!sotto_i_is_file(path)) goto done;
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  SOTTO_TRY(sotto_i_new(out, map.size + 1, 1, err));
  if (map.size > 0) memcpy(*out, map.data, map.size);
done:
  sotto_i_map_close(&map);
  sotto_i_free(path);
  return status;
}

/* Adds the memory that the run took. It is private to the owner; the caller of this interface is the owner.
 */
static sotto_status add_memory(sotto_run *run, sotto_error *err) {
  char *text = NULL, *whole = NULL;
  json_t *root = NULL, *memory = NULL;
  sotto_status status;
  SOTTO_TRY(read_text(&text, run, "memory.json", err));
  if (text == NULL || run->text == NULL) goto done;
  root = json_loads(run->text, 0, NULL);
  memory = json_loads(text, 0, NULL);
  if (json_object_update(root, memory) == 0) whole = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(10));
  if (whole == NULL) {
    status =
        sotto_i_fail(err, SOTTO_CORRUPT, "%s/owner-only/memory.json: does not fit result.json", run->folder);
    goto done;
  }
  sotto_i_free(run->text);
  run->text = NULL;
  SOTTO_TRY(sotto_i_new(&run->text, strlen(whole) + 1, 1, err));
  memcpy(run->text, whole, strlen(whole));
done:
  json_decref(root);
  json_decref(memory);
  free(whole);
  sotto_i_free(text);
  return status;
}

static sotto_status read_texts(sotto_run *run, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(read_text(&run->statement, run, "statement.json", err));
  SOTTO_TRY(read_text(&run->text, run, "result.json", err));
  SOTTO_TRY(add_memory(run, err));
  SOTTO_TRY(read_text(&run->metrics, run, "metrics.jsonl", err));
done:
  return status;
}

/* After a refusal the options may be changed. A run that has begun can only be resumed, with the releases
 * that it paid for. */
static void end_failed(sotto_run *run, sotto_status status) {
  bool begun;
  forget_texts(run);
  sotto_result_free(&run->result);
  if (status == SOTTO_INTERRUPTED) atomic_store(&run->cancel, false);
  if (holds_run(&begun, run->folder, NULL) == SOTTO_OK && !begun) {
    forget_folder(run);
    run->phase = SOTTO_I_RUN_OPEN;
  } else {
    (void)read_text(&run->metrics, run, "metrics.jsonl", NULL);
  }
}

sotto_status sotto_run_train(sotto_run *run, const sotto_dataset *data, const sotto_observer *observer,
                             sotto_error *err) {
  sotto_status status = begin_training(run, data, observer, err);
  if (status != SOTTO_OK) return status;
  run->observer = observer == NULL ? (sotto_observer){0} : *observer;
  const sotto_observer own = {.context = run,
                              .progress = run->observer.progress == NULL ? NULL : progress,
                              .log = run->observer.log == NULL ? NULL : log_line,
                              .event = run->observer.event == NULL ? NULL : pass_event,
                              .cancelled = cancelled};
  sotto_options resolved = run->resolved;
  sotto_options_resolve(&resolved);
  sotto_i_run trained = {.options = &resolved, .data = data};
  forget_texts(run);
  status = sotto_i_run_train(&run->result, &trained, &own, NULL, err);
  run->observer = (sotto_observer){0};
  if (status == SOTTO_OK && !is_helper(data)) status = read_texts(run, err);
  if (status == SOTTO_OK)
    run->phase = SOTTO_I_RUN_DONE;
  else
    end_failed(run, status);
  return status;
}
