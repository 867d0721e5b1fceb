/* Reads a run folder for its page. */
#include "load.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "common/file.h"
#include "common/memory.h"
#include "report/later.h"

enum { most_lines = 600, most_epochs = 100000 };

double page_number(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *page_words(const json_t *object, const char *key) {
  const char *found = json_string_value(json_object_get(object, key));
  return found == NULL ? "" : found;
}

bool page_true(const json_t *object, const char *key) {
  return json_is_true(json_object_get(object, key));
}

/* Is a part of the dataset's account unprotected? */
static bool is_bare(const page_run *run) {
  const json_t *list = json_object_get(run->statement, "verdicts"), *v;
  bool any = false;
  size_t i;
  json_array_foreach(list, i, v) {
    if (strcmp(page_words(v, "account"), "data") != 0) continue;
    if (!isfinite(page_number(v, "epsilon"))) return true;
    any = true;
  }
  return !any;
}

bool page_guarantees(const page_run *run) {
  return isfinite(page_epsilon(run)) && page_true(run->statement, "sound") &&
         !page_true(run->statement, "insecure") && !is_bare(run) &&
         strcmp(page_words(run->statement, "adjacency"), "none") != 0;
}

double page_epsilon(const page_run *run) {
  return page_number(run->statement, "total_epsilon");
}

double page_delta(const page_run *run) {
  const double delta = page_number(run->statement, "delta");
  return isfinite(delta) ? delta : 0;
}

static sotto_status grow(page_stage *s, size_t epochs, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  size_t rooms[4] = {s->room, s->room, s->room, s->room};
  if (epochs > s->room) {
    SOTTO_TRY(app_grow(&s->loss, &rooms[0], epochs, sizeof *s->loss, err));
    SOTTO_TRY(app_grow(&s->validation, &rooms[1], epochs, sizeof *s->validation, err));
    SOTTO_TRY(app_grow(&s->losses, &rooms[2], epochs, sizeof *s->losses, err));
    SOTTO_TRY(app_grow(&s->validations, &rooms[3], epochs, sizeof *s->validations, err));
    s->room = rooms[3];
  }
  for (; s->epochs < epochs; s->epochs++) {
    s->loss[s->epochs] = s->validation[s->epochs] = 0;
    s->losses[s->epochs] = s->validations[s->epochs] = 0;
  }
done:
  return status;
}

static page_stage *find_or_add_stage(page_run *run, const char *name) {
  for (size_t i = 0; i < run->stage_count; i++)
    if (strncmp(run->stages[i].name, name, PAGE_STAGE_NAME - 1) == 0) return &run->stages[i];
  if (run->stage_count == PAGE_STAGES) return NULL;
  page_stage *stage = &run->stages[run->stage_count++];
  (void)snprintf(stage->name, sizeof stage->name, "%s", name);
  return stage;
}

static sotto_status add_line(page_run *run, const json_t *line, sotto_error *err) {
  const double epoch = page_number(line, "epoch"), loss = page_number(line, "loss"),
               score = page_number(line, "validation");
  const char *name = page_words(line, "stage");
  if (!(epoch >= 1 && epoch <= most_epochs) || name[0] == '\0') return SOTTO_OK;
  page_stage *stage = find_or_add_stage(run, name);
  const size_t at = (size_t)epoch - 1;
  if (stage == NULL) return SOTTO_OK;
  sotto_status status = grow(stage, at + 1, err);
  if (status != SOTTO_OK) return status;
  if (isfinite(loss)) stage->loss[at] += loss, stage->losses[at]++;
  if (isfinite(score)) stage->validation[at] += score, stage->validations[at]++;
  return SOTTO_OK;
}

/* The epoch number in a line, without parsing the line as JSON; 0: not found. */
static uint64_t epoch_of(const char *line, size_t size) {
  static const char key[] = "\"epoch\":";
  enum { rare = 2, length = sizeof key - 1 }; /* p is rarer than the other letters */
  const char *end = line + size, *at = line + rare;
  uint64_t epoch = 0;
  for (; at < end && (at = memchr(at, key[rare], (size_t)(end - at))) != NULL; at++) {
    if (end - at < length - rare || memcmp(at - rare, key, length) != 0) continue;
    for (at += length - rare; at < end && *at >= '0' && *at <= '9' && epoch <= most_epochs; at++)
      epoch = 10 * epoch + (uint64_t)(*at - '0');
    return epoch;
  }
  return 0;
}

/* Reads a long file only at every few epochs, which is enough for a curve and fast at the end of a run. All
 * seeds and stages use the same epochs, so that means over seeds stay means. A last line that a crash cut
 * off is ignored. */
static sotto_status add_lines(page_run *run, FILE *in, uint64_t bytes, const char *path, sotto_error *err) {
  char *line = NULL;
  size_t room = 0;
  ssize_t size;
  uint64_t each = 0;
  sotto_status status = SOTTO_OK;
  while (status == SOTTO_OK && (size = getline(&line, &room, in)) > 0 && line[size - 1] == '\n') {
    if (each == 0) each = bytes / (uint64_t)size / most_lines + 1;
    const uint64_t epoch = each == 1 ? 1 : epoch_of(line, (size_t)size);
    if (epoch == 0 || (epoch - 1) % each != 0) continue;
    json_t *object = json_loadb(line, (size_t)size, 0, NULL);
    status = add_line(run, object, err);
    json_decref(object);
  }
  if (status == SOTTO_OK && ferror(in) != 0)
    status = sotto_i_fail(err, SOTTO_IO, "%s: could not read it", path);
  if (status == SOTTO_OK && feof(in) == 0 && line == NULL)
    status = sotto_i_fail(err, SOTTO_NOMEM, "no memory for a line of %s", path);
  free(line);
  return status;
}

static sotto_status load_metrics(page_run *run, const char *file, const char *folder, sotto_error *err) {
  char *path = NULL;
  struct stat info;
  FILE *in = NULL;
  sotto_status status;
  SOTTO_TRY(app_join(&path, folder, file, err));
  if (!sotto_i_is_file(path)) goto done;
  in = fopen(path, "rbe");
  if (in == NULL || fstat(fileno(in), &info) != 0) {
    status = sotto_i_fail(err, SOTTO_IO, "%s: could not open it: %s", path, strerror(errno));
    goto done;
  }
  (void)setvbuf(in, NULL, _IOFBF, 1 << 16);
  SOTTO_TRY(add_lines(run, in, (uint64_t)info.st_size, path, err));
done:
  if (in != NULL) (void)fclose(in);
  free(path);
  return status;
}

static sotto_status load_role(page_run *run, const char *folder, sotto_error *err) {
  char *path = NULL, *text = NULL;
  size_t size = 0;
  sotto_status status;
  SOTTO_TRY(app_join(&path, folder, "role", err));
  if (!sotto_i_is_file(path)) goto done;
  SOTTO_TRY(app_read_file(&text, &size, path, err));
  (void)snprintf(run->role, sizeof run->role, "%.*s", (int)strcspn(text, "\n"), text);
done:
  free(path);
  free(text);
  return status;
}

/* Are measures private? By the options; without them by the level in the statement. */
static bool hides(const page_run *run) {
  static const char *const levels[] = {"node", "graph", "client"};
  const char *level = page_words(run->statement, "adjacency");
  bool found = json_is_object(json_object_get(run->statement, "labels"));
  sotto_options resolved = run->options;
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) found = found || strcmp(level, levels[i]) == 0;
  if (!run->has_options) return found;
  sotto_options_resolve(&resolved);
  return found || sotto_options_hide_measures(&resolved);
}

/* Earlier versions wrote private measures next to the statement: these are ignored too. */
static sotto_status load_measures(page_run *run, const char *folder, bool owner, sotto_error *err) {
  static const char *const results[] = {"result.json", "owner-only/result.json"},
                           *const metrics[] = {"metrics.jsonl", "owner-only/metrics.jsonl"};
  sotto_status status = SOTTO_OK;
  if (run->hides && !owner) goto done;
  if (run->hides) SOTTO_TRY(page_load_json(&run->result, folder, results[1], err));
  const int place = run->result != NULL;
  if (!place) SOTTO_TRY(page_load_json(&run->result, folder, results[0], err));
  SOTTO_TRY(load_metrics(run, metrics[place], folder, err));
done:
  return status;
}

static void name_after(page_run *run, const char *folder) {
  size_t end = strlen(folder);
  while (end > 1 && folder[end - 1] == '/') end--;
  size_t start = end;
  while (start > 0 && folder[start - 1] != '/') start--;
  (void)snprintf(run->name, sizeof run->name, "%.*s", (int)(end - start < 255 ? end - start : 255),
                 folder + start);
}

/* Adds one statement, if there is one; it must be signed and complete like the run's own. The ledger's
 * total is that of the account. */
static sotto_status add_later(void *together, const char *path, const char *name, sotto_error *err) {
  page_together *t = together;
  const sotto_statement_ask ask = {.no_ledger = true};
  sotto_statement_check check;
  sotto_error why = {0};
  json_t *statement = NULL;
  sotto_status status;
  SOTTO_TRY(page_load_json(&statement, path, "statement.json", err));
  if (statement == NULL) goto done;
  status = sotto_statement_verify(&check, path, &ask, &why);
  if (status != SOTTO_OK) {
    (void)sotto_i_fail(err, status, "%s: %s", path, why.text);
    goto done;
  }
  const double epsilon = page_number(statement, "total_epsilon"), delta = page_number(statement, "delta");
  const bool charged = json_array_size(json_object_get(statement, "mechanisms")) > 0;
  if (charged && t->count < PAGE_TOGETHER) {
    page_later *later = &t->list[t->count];
    (void)snprintf(later->name, sizeof later->name, "%s", name);
    later->epsilon = epsilon;
    later->delta = delta;
  }
  if (charged) {
    t->count++;
    t->epsilon += isfinite(epsilon) ? epsilon : INFINITY;
    t->delta += isfinite(delta) ? delta : 0;
  }
done:
  json_decref(statement);
  return status;
}

sotto_status page_run_load(page_run *out, const char *folder, bool owner, bool with_ledger,
                           sotto_error *err) {
  const sotto_statement_ask ask = {.no_ledger = !with_ledger};
  char *path = NULL;
  sotto_status status;
  *out = (page_run){.statement = NULL};
  name_after(out, folder);
  SOTTO_TRY(sotto_statement_verify(&out->check, folder, &ask, err));
  out->asked = with_ledger;
  SOTTO_TRY(page_load_json(&out->statement, folder, "statement.json", err));
  SOTTO_TRY(later_each(folder, add_later, &out->together, err));
  SOTTO_TRY(load_role(out, folder, err));
  SOTTO_TRY(app_join(&path, folder, "run.yaml", err));
  sotto_options_default(&out->options);
  if (sotto_i_is_file(path)) {
    SOTTO_TRY(sotto_options_read(&out->options, path, err));
    out->has_options = true;
  }
  out->hides = hides(out);
  SOTTO_TRY(load_measures(out, folder, owner, err));
done:
  free(path);
  if (status != SOTTO_OK) page_run_free(out);
  return status;
}

void page_run_free(page_run *run) {
  json_decref(run->statement);
  json_decref(run->result);
  for (size_t i = 0; i < run->stage_count; i++) {
    free(run->stages[i].loss);
    free(run->stages[i].validation);
    free(run->stages[i].losses);
    free(run->stages[i].validations);
  }
  *run = (page_run){.statement = NULL};
}
