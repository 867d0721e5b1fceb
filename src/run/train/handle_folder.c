/* The folder of a run of the public interface, and the texts that its training leaves there. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "handle.h"
#include "run/files/folder_file.h"
#include "run/settings/options.h"
#include "run/storage/begun.h"
#include "scratch.h"

void sotto_i_handle_forget_texts(sotto_run *run) {
  char **const texts[] = {&run->statement, &run->text, &run->metrics};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    sotto_i_free(*texts[i]);
    *texts[i] = NULL;
  }
}

void sotto_i_handle_forget_folder(sotto_run *run) {
  sotto_i_scratch_free(run->scratch);
  sotto_i_free(run->folder);
  run->scratch = run->folder = NULL;
}

sotto_status sotto_i_holds_run(bool *out, const char *folder, sotto_error *err) {
  char *path = NULL;
  sotto_status status = sotto_i_join(&path, folder, "run.yaml", err);
  *out = status != SOTTO_OK || sotto_i_is_file(path);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_handle_choose_folder(sotto_run *run, sotto_error *err) {
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
  SOTTO_TRY(sotto_i_holds_run(&taken, o->out, err));
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
  if (status != SOTTO_OK) sotto_i_handle_forget_folder(run);
  return status;
}

sotto_status sotto_i_handle_share_folder(sotto_run *run, sotto_error *err) {
  if (run->resolved.out[0] == '\0')
    return sotto_i_fail(err, SOTTO_INVALID, "out: ranks share a folder that all of them see; name it");
  return sotto_i_strdup(&run->folder, run->resolved.out, err);
}

sotto_status sotto_i_handle_read(char **out, const sotto_run *run, const char *name, sotto_error *err) {
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
  SOTTO_TRY(sotto_i_handle_read(&text, run, "memory.json", err));
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

sotto_status sotto_i_handle_read_texts(sotto_run *run, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_handle_read(&run->statement, run, "statement.json", err));
  SOTTO_TRY(sotto_i_handle_read(&run->text, run, "result.json", err));
  SOTTO_TRY(add_memory(run, err));
  SOTTO_TRY(sotto_i_handle_read(&run->metrics, run, "metrics.jsonl", err));
done:
  return status;
}
