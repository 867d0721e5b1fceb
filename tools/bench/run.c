/* The bench at work: as many processes as asked for, a line in the file as each ends. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/progress.h"
#include "bench.h"
#include "common/memory.h"
#include "inside/dp.h"
#include "worker.h"

enum { most_jobs = 64 };

typedef struct slot {
  app_bench_worker worker;
  app_bench_task task;
  sotto_options options;
  const char *measure; /* a name of sotto_measure_name */
  const sotto_dataset *data;
  unsigned threads;
} slot;

typedef struct crew {
  app_bench *bench;
  slot *slots; /* bench->jobs */
  char scratch[1100];
  double told;
} crew;

/* In the worker's process. */
static double measured(const sotto_quality *quality, const char *measure) {
  for (int m = 0; m < SOTTO_MEASURES; m++)
    if (strcmp(measure, sotto_measure_name((sotto_measure)m)) == 0) return quality->of[m];
  return NAN;
}

static sotto_status train(app_bench_trial *out, void *context, sotto_error *err) {
  slot *s = context;
  sotto_result result = {0};
  sotto_status status;
  SOTTO_TRY(sotto_threads_set(s->threads, err));
  SOTTO_TRY(sotto_i_make_folder(s->options.out, err));
  SOTTO_TRY(sotto_ledger_init_scratch(s->options.ledger, err));
  SOTTO_TRY(sotto_train(&result, &s->options, s->data, NULL, NULL, err));
  out->test = measured(&result.seeds[0].test, s->measure);
  out->validation = measured(&result.seeds[0].validation, s->measure);
  out->epsilon = result.epsilon;
done:
  sotto_result_free(&result);
  return status;
}

/* Removes a folder of run folders; they are two deep and have no links. */
static void clear_folder(const char *path, int depth) {
  DIR *folder = depth > 3 ? NULL : opendir(path);
  if (folder == NULL) return;
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    char inner[2400];
    struct stat what;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    (void)snprintf(inner, sizeof inner, "%.1500s/%.255s", path, entry->d_name);
    if (lstat(inner, &what) == 0 && S_ISDIR(what.st_mode))
      clear_folder(inner, depth + 1);
    else
      (void)unlink(inner);
  }
  (void)closedir(folder);
  (void)rmdir(path);
}

/* Places of one slot: its run folder, with a ledger of its own that goes with it. */
static void place(const crew *c, size_t i, slot *s) {
  sotto_options *o = &s->options;
  (void)snprintf(o->out, sizeof o->out, "%.900s/work-%s/%zu", c->bench->out, c->bench->name, i);
  (void)snprintf(o->ledger, sizeof o->ledger, "%.900s/work-%s/%zu/ledger.db", c->bench->out, c->bench->name,
                 i);
  (void)snprintf(o->encoder_cache, sizeof o->encoder_cache, "%.900s/encoders-%s", c->bench->out,
                 c->bench->name);
  o->account[0] = '\0';
  o->anyway = SOTTO_ANYWAY_GAIN; /* tables have runs without a gain, too */
  clear_folder(o->out, 0);
}

static size_t running_keys(const crew *c, char (*keys)[APP_BENCH_KEY]) {
  size_t count = 0;
  for (size_t i = 0; i < c->bench->jobs; i++)
    if (c->slots[i].worker.process != 0)
      app_bench_key(keys[count++], &c->slots[i].options, c->slots[i].data->digest);
  return count;
}

/* Gives every free slot a training, while there is one. */
static sotto_status fill(crew *c, size_t *busy, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  *busy = 0;
  for (size_t i = 0; i < c->bench->jobs; i++) *busy += c->slots[i].worker.process != 0;
  for (size_t i = 0; status == SOTTO_OK && i < c->bench->jobs; i++) {
    slot *s = &c->slots[i];
    char key[APP_BENCH_KEY], running[most_jobs][APP_BENCH_KEY];
    if (s->worker.process != 0) continue;
    size_t count = running_keys(c, running);
    if (!app_bench_next(c->bench, &s->task, &s->options, key, (const char(*)[APP_BENCH_KEY])running, count))
      break;
    size_t dataset = c->bench->cells.items[s->task.cell].dataset;
    s->measure = app_bench_measure(c->bench, dataset);
    s->data = &c->bench->data[dataset];
    s->threads = c->bench->threads;
    place(c, i, s);
    status = app_bench_worker_start(&s->worker, train, s, err);
    *busy += 1;
  }
  return status;
}

static sotto_status finish(crew *c, slot *s, bool late, sotto_error *err) {
  app_bench_trial trial;
  char options[256];
  app_bench *bench = c->bench;
  const app_bench_plan *plan = bench->plan;
  const app_bench_cell *cell = &bench->cells.items[s->task.cell];
  if (late) {
    double begin = s->worker.begin;
    app_bench_worker_kill(&s->worker);
    trial = (app_bench_trial){.failed = true, .seconds = sotto_i_seconds() - begin};
    (void)snprintf(trial.reason, sizeof trial.reason, "took longer than the limit of %llu s",
                   (unsigned long long)plan->limit);
  } else {
    sotto_status status = app_bench_worker_end(&s->worker, &trial, err);
    if (status != SOTTO_OK) return status;
  }
  clear_folder(s->options.out, 0);
  app_bench_key(trial.key, &s->options, s->data->digest);
  app_bench_point_text(options, sizeof options, &cell->grid, s->task.point);
  if (cell->series != NULL) (void)snprintf(options, sizeof options, "%s=%s", cell->series->vary, cell->value);
  const app_bench_label label = {plan->datasets[cell->dataset].name,
                                 plan->methods[cell->method].name,
                                 app_bench_levels[cell->level],
                                 cell->epsilon,
                                 options,
                                 s->task.seed};
  if (trial.failed)
    sotto_i_log(bench->observer, SOTTO_LOG_WARNING, "%s, %s, level %s, epsilon %s, seed %llu: %s",
                label.dataset, label.method, label.level, label.epsilon, (unsigned long long)label.seed,
                trial.reason);
  return app_bench_state_add(&bench->state, &trial, &label, err);
}

static void tell(crew *c, bool at_once) {
  if (!at_once && sotto_i_seconds() - c->told < 1) return;
  c->told = sotto_i_seconds();
  app_bench_count count = app_bench_counted(c->bench);
  char note[64];
  (void)snprintf(note, sizeof note, "%.0f", count.seconds_left / c->bench->jobs);
  const sotto_observer *observer = c->bench->observer;
  if (observer != NULL && observer->progress != NULL)
    observer->progress(observer->context, "trainings", count.done, count.all, note);
}

/* Waits until a worker has an answer, has died, or 200 ms are over; takes in what is there. */
static sotto_status collect(crew *c, sotto_error *err) {
  struct pollfd polled[most_jobs];
  slot *of[most_jobs];
  nfds_t count = 0;
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < c->bench->jobs; i++) {
    if (c->slots[i].worker.process == 0) continue;
    of[count] = &c->slots[i];
    polled[count++] = (struct pollfd){.fd = c->slots[i].worker.pipe, .events = POLLIN};
  }
  if (poll(polled, count, 200) < 0 && errno != EINTR)
    return sotto_i_fail(err, SOTTO_IO, "waiting for workers: %s", strerror(errno));
  for (nfds_t i = 0; status == SOTTO_OK && i < count; i++) {
    uint64_t limit = c->bench->plan->limit;
    bool late = limit > 0 && sotto_i_seconds() - of[i]->worker.begin > (double)limit;
    if (polled[i].revents != 0 || late) status = finish(c, of[i], polled[i].revents == 0, err);
  }
  return status;
}

sotto_status app_bench_run(app_bench *bench, sotto_error *err) {
  crew c = {.bench = bench};
  size_t busy = 0;
  sotto_status status;
  SOTTO_I_CHECK(bench->jobs >= 1 && bench->jobs <= most_jobs);
  SOTTO_TRY(sotto_threads_set(1, err)); /* a process that forks has no threads of the library */
  SOTTO_TRY(app_new(&c.slots, bench->jobs, sizeof *c.slots, err));
  (void)snprintf(c.scratch, sizeof c.scratch, "%.1000s/work-%s", bench->out, bench->name);
  clear_folder(c.scratch, 0);
  tell(&c, true);
  do {
    if (sotto_interrupted()) SOTTO_TRY(sotto_i_fail(err, SOTTO_INTERRUPTED, "stopped on request"));
    SOTTO_TRY(fill(&c, &busy, err));
    if (busy > 0) SOTTO_TRY(collect(&c, err));
    tell(&c, busy == 0);
  } while (busy > 0);
done:
  for (size_t i = 0; c.slots != NULL && i < bench->jobs; i++) app_bench_worker_kill(&c.slots[i].worker);
  clear_folder(c.scratch, 0);
  if (status == SOTTO_OK) { /* all is done; a later start would use them */
    (void)snprintf(c.scratch, sizeof c.scratch, "%.1000s/encoders-%s", bench->out, bench->name);
    clear_folder(c.scratch, 0);
  }
  free(c.slots);
  return status;
}
