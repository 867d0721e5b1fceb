/* Every method in every variant: a run that is stopped, after an epoch or as an artifact lies in its folder,
 * and resumed leaves the model of a run that was never stopped, and is charged no more. */
#include <dirent.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "inside/base.h"
#include "ledgers.h"
#include "matrix_cells.h"
#include "registry_cases.h"
#include "run_files.h"

enum { most_files = 40, name_size = 120 };

/* What a run without a stop shows: how many epochs it records, and the files of its artifacts that lie in the
 * folder after some epoch, or at the end; names are relative to the run folder. */
typedef struct course {
  const char *out;
  size_t epochs, stop_after; /* stop_after 0: no stop */
  char files[most_files][name_size];
  size_t file_count;
} course;

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), other = strlen(end);
  return length >= other && strcmp(text + length - other, end) == 0;
}

static void note(course *c, const char *name) {
  for (size_t i = 0; i < c->file_count; i++)
    if (strcmp(c->files[i], name) == 0) return;
  if (c->file_count < most_files) (void)snprintf(c->files[c->file_count++], name_size, "%s", name);
}

/* Files of artifacts in a folder of the run: each FILE that has a FILE.made beside it, and that one. */
static void note_artifacts(course *c, const char *inner) {
  char path[1200];
  (void)snprintf(path, sizeof path, "%.1000s/%s", c->out, inner);
  DIR *open = opendir(path);
  if (open == NULL) return;
  for (struct dirent *entry = NULL; (entry = readdir(open)) != NULL;) {
    char name[name_size];
    if (!ends_with(entry->d_name, ".made") || strlen(entry->d_name) > 80) continue;
    (void)snprintf(name, sizeof name, "%s%.80s", inner, entry->d_name);
    note(c, name);
    name[strlen(name) - strlen(".made")] = '\0';
    note(c, name);
  }
  (void)closedir(open);
}

static void take_epoch(void *context, const sotto_epoch *epoch) {
  course *c = context;
  (void)epoch;
  note_artifacts(c, "");
  note_artifacts(c, "seed-1/");
  if (++c->epochs == c->stop_after) sotto_interrupt();
}

/* Where a run is stopped; all 0: nowhere. */
typedef struct stop {
  size_t epochs;         /* after so many */
  const char *file;      /* once it is in the run folder */
  size_t asks;           /* when it asks whether it is cancelled for the time of this number */
  bool fresh;            /* with noise of the system's, which no second draw repeats */
  char path[1200];       /* of the file */
  _Atomic size_t number; /* of asks so far */
} stop;

static bool is_cancelled(void *context) {
  stop *s = context;
  size_t number = ++s->number;
  return (s->file != NULL && access(s->path, F_OK) == 0) || (s->asks > 0 && number >= s->asks);
}

static sotto_status run(sotto_result *result, const sotto_options *o, const sotto_dataset *data, course *c,
                        stop *at, sotto_error *err) {
  const sotto_recorder recorder = {.context = c, .epoch = take_epoch};
  const sotto_observer observer = {.context = at, .cancelled = is_cancelled};
  c->out = o->out;
  c->stop_after = at->epochs;
  (void)snprintf(at->path, sizeof at->path, "%.1000s/%s", o->out, at->file == NULL ? "" : at->file);
  sotto_status status = sotto_train(result, o, data, &observer, &recorder, err);
  note_artifacts(c, "");
  note_artifacts(c, "seed-1/");
  return status;
}

typedef struct whole {
  const check_case *c;
  const check_case_data *data;
  sotto_result result;
  course course;
  size_t asks; /* how often it asks whether it is cancelled */
  sotto_i_map model;
  uint64_t charges; /* in the run's own ledger, of all accounts */
  size_t *refused;  /* how often the resumed run was refused */
} whole;

static int count_row(void *context, const sotto_ledger_row *row) {
  (void)row;
  (*(uint64_t *)context)++;
  return 0;
}

static uint64_t charges_in(const sotto_options *o) {
  uint64_t count = 0;
  if (!sotto_i_is_file(o->ledger)) return 0;
  sotto_ledger *ledger = check_ledger_at(o->ledger);
  CHECK_OK(sotto_ledger_visit(ledger, NULL, count_row, &count, &err));
  sotto_ledger_close(ledger);
  return count;
}

static sotto_options options_of(const check_case *c, const check_case_data *data, const char *folder,
                                bool repeatable) {
  sotto_options o = check_case_options(c, data, folder);
  if (repeatable) check_set(&o, "insecure-seed", "5");
  return o;
}

static void whole_new(whole *w, const check_case *c, const check_case_data *data) {
  char folder[140];
  (void)snprintf(folder, sizeof folder, "%s-whole", c->name);
  *w = (whole){.c = c, .data = data};
  const sotto_options o = options_of(c, data, folder, true);
  stop nowhere = {.epochs = 0};
  CHECK_OK(run(&w->result, &o, check_data_of(c, data), &w->course, &nowhere, &err));
  w->asks = nowhere.number;
  CHECK_OK(sotto_i_map_open(&w->model, w->result.model, &err));
  w->charges = charges_in(&o);
}

static void whole_free(whole *w) {
  sotto_i_map_close(&w->model);
  sotto_result_free(&w->result);
}

/* The resumed run against the whole one. With noise of the system's, a second draw would be a second charge.
 */
static void check_same(const whole *w, const sotto_result *r, const sotto_options *o, const char *what) {
  sotto_i_map model;
  if (charges_in(o) != w->charges)
    fail_msg("%s, stopped %s: %llu charges, and %llu without a stop", w->c->name, what,
             (unsigned long long)charges_in(o), (unsigned long long)w->charges);
  assert_true(r->epsilon == w->result.epsilon && r->total_epsilon == w->result.total_epsilon);
  if (o->insecure_seed == SOTTO_UNSET) return;
  CHECK_OK(sotto_i_map_open(&model, r->model, &err));
  if (model.size != w->model.size || memcmp(model.data, w->model.data, model.size) != 0)
    fail_msg("%s, stopped %s: another model", w->c->name, what);
  sotto_i_map_close(&model);
  assert_memory_equal(&r->seeds[0].test, &w->result.seeds[0].test, sizeof r->seeds[0].test);
}

/* False: the matrix says why the training must begin anew, in another folder, and so does the refusal. */
static bool resume(sotto_result *result, const whole *w, const sotto_options *o, const sotto_dataset *data,
                   const char *what) {
  sotto_error err = {0};
  course rest = {.epochs = 0};
  stop nowhere = {.epochs = 0};
  sotto_status status = run(result, o, data, &rest, &nowhere, &err);
  if (status == SOTTO_OK) return true;
  const char *why = check_standing(w->c, SOTTO_STEP_RESUME, SOTTO_PLACE_ONE_PROCESS).why;
  if (why == NULL || status != SOTTO_INVALID || strstr(err.text, why) == NULL ||
      strstr(err.text, "use a new run folder") == NULL)
    fail_msg("%s, stopped %s and resumed: %s", w->c->name, what, err.text);
  if (charges_in(o) > w->charges) fail_msg("%s, stopped %s: charged again", w->c->name, what);
  return false;
}

static void name_stop(char out[180], const stop *at, const whole *w) {
  const char *noise = at->fresh ? ", fresh noise" : "";
  if (at->file != NULL)
    (void)snprintf(out, 180, "with %s%s", at->file, noise);
  else if (at->epochs > 0)
    (void)snprintf(out, 180, "after epoch %zu of %zu%s", at->epochs, w->course.epochs, noise);
  else
    (void)snprintf(out, 180, "at ask %zu of %zu%s", at->asks, w->asks, noise);
}

/* Stops a run and resumes it. Was it stopped? It may end before it asks again. */
static bool stop_and_resume(const whole *w, size_t number, stop *at) {
  char folder[140], what[180];
  sotto_error err = {0};
  sotto_result result;
  course cut = {.epochs = 0};
  const sotto_dataset *data = check_data_of(w->c, w->data);
  (void)snprintf(folder, sizeof folder, "%s-%zu", w->c->name, number);
  sotto_options o = options_of(w->c, w->data, folder, !at->fresh);
  name_stop(what, at, w);
  sotto_status status = run(&result, &o, data, &cut, at, &err);
  sotto_interrupt_clear();
  if (status != SOTTO_OK && status != SOTTO_INTERRUPTED)
    fail_msg("%s, stopped %s: '%s' (%s)", w->c->name, what, sotto_status_text(status), err.text);
  bool ends = status == SOTTO_OK;
  if (!ends) {
    o.resume = true;
    ends = resume(&result, w, &o, data, what);
    *w->refused += !ends;
  }
  if (ends) {
    check_same(w, &result, &o, what);
    sotto_result_free(&result);
  }
  if (sotto_i_is_folder(o.out)) check_remove_folder(o.out);
  return status == SOTTO_INTERRUPTED;
}

/* Half-way to the end, or earlier: who waits asks more often, and another run may wait less. */
static size_t stop_half_way(const whole *w, size_t *number) {
  for (size_t asks = (w->asks + 1) / 2; asks > 0; asks /= 2)
    if (stop_and_resume(w, (*number)++, &(stop){.asks = asks})) return 1;
  return 0;
}

/* Stops at the first, the middle and the last epoch, half-way to the end, and with files of artifacts; with
 * fresh noise, where only charges are compared, at fewer places. Returns how many there were. */
static size_t stop_everywhere(const whole *w, size_t *stopped, bool fresh) {
  const size_t first = fresh ? 100 : 0, all = w->course.epochs, files = fresh ? 3 : 6;
  const size_t epochs[] = {all > 0, (all + 1) / 2, all};
  const size_t step = (w->course.file_count + files - 1) / files;
  size_t number = first;
  for (size_t k = fresh ? 2 : 0; k < 3; k++)
    if (k == 0 ? epochs[k] > 0 : epochs[k] != epochs[k - 1])
      *stopped += stop_and_resume(w, number++, &(stop){.epochs = epochs[k], .fresh = fresh});
  if (!fresh) *stopped += stop_half_way(w, &number);
  for (size_t k = 0; k < w->course.file_count; k += step)
    *stopped += stop_and_resume(w, number++, &(stop){.file = w->course.files[k], .fresh = fresh});
  return number - first;
}

static void a_run_that_was_stopped_goes_on_and_ends_the_same(void **state) {
  size_t count;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t i = 0; i < count; i++) {
    static whole w;
    size_t stopped = 0, refused = 0, stops;
    whole_new(&w, &cases[i], &data);
    w.refused = &refused;
    stops = stop_everywhere(&w, &stopped, false);
    if (stopped == 0) fail_msg("%s: does not stop", cases[i].name);
    if (w.charges > 0) stops += stop_everywhere(&w, &stopped, true);
    if (refused == 0 && check_standing(&cases[i], SOTTO_STEP_RESUME, SOTTO_PLACE_ONE_PROCESS).why != NULL)
      fail_msg("%s: always goes on, and the matrix says that it does not", cases[i].name);
    (void)printf("  %-28s %3zu epochs, %2zu files of artifacts, %2zu stops of %2zu\n", cases[i].name,
                 w.course.epochs, w.course.file_count, stopped, stops);
    whole_free(&w);
  }
  check_case_data_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_that_was_stopped_goes_on_and_ends_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
