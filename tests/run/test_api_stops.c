/* Runs of the public interface that are cancelled, refused, or out of memory, and several at once. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "api_runs.h"
#include "base/file.h"
#include "check.h"
#include "ledgers.h"
#include "sotto/ledger.h"

/* A training, and a thread that cancels it at a given call of progress. */
typedef struct stopping {
  sotto_run *run;
  atomic_int calls;
  int stop_at;
  bool by_itself;
  sem_t reached, stopped;
} stopping;

static void progress(void *context, const char *stage, uint64_t done, uint64_t total, const char *note) {
  stopping *s = context;
  (void)stage, (void)done, (void)total, (void)note;
  if (atomic_fetch_add(&s->calls, 1) + 1 != s->stop_at) return;
  if (s->by_itself) {
    sotto_run_cancel(s->run);
    return;
  }
  (void)sem_post(&s->reached);
  (void)sem_wait(&s->stopped);
}

static void *stop(void *context) {
  stopping *s = context;
  (void)sem_wait(&s->reached);
  sotto_run_cancel(s->run);
  (void)sem_post(&s->stopped);
  return NULL;
}

/* The run is interrupted at that call. */
static void interrupt(sotto_run *run, const sotto_dataset *data, int stop_at, bool by_itself) {
  stopping s = {.run = run, .stop_at = stop_at, .by_itself = by_itself};
  const sotto_observer observer = {.context = &s, .progress = progress};
  pthread_t thread;
  assert_int_equal(sem_init(&s.reached, 0, 0), 0);
  assert_int_equal(sem_init(&s.stopped, 0, 0), 0);
  if (!by_itself) assert_int_equal(pthread_create(&thread, NULL, stop, &s), 0);
  CHECK_FAILS(SOTTO_INTERRUPTED, "stopped on request", sotto_run_train(run, data, &observer, &err));
  if (!by_itself) assert_int_equal(pthread_join(thread, NULL), 0);
  assert_int_equal(sotto_run_seeds(run), 0);
  assert_null(sotto_run_statement(run));
}

static void a_cancelled_run_goes_on_to_the_same_model(void **state) {
  (void)state;
  const char *parent = check_temporary("cancelled");
  sotto_dataset data = check_blocks(), other = check_blocks();
  sotto_run *whole = check_short_run("gap"), *cut = check_short_run("gap");
  other.features_digest[0] ^= 1;
  CHECK_OK(sotto_run_train(whole, &data, NULL, &err));
  interrupt(cut, &data, 3, false);
  assert_non_null(sotto_run_folder(cut));
  CHECK_FAILS(SOTTO_INVALID, "options are fixed", sotto_run_set(cut, "epochs", "7", &err));
  CHECK_FAILS(SOTTO_INVALID, "other data", sotto_run_train(cut, &other, NULL, &err));
  interrupt(cut, &data, 2, true);
  CHECK_OK(sotto_run_train(cut, &data, NULL, &err));
  check_same_model(whole, cut);
  assert_int_equal(check_lines(sotto_run_metrics(cut)), check_lines(sotto_run_metrics(whole)));
  sotto_run_free(cut);
  sotto_run_free(whole);
  assert_int_equal(check_entries(parent), 0);
  sotto_dataset_free(&other);
  sotto_dataset_free(&data);
}

static void a_cancel_before_training_stops_one_call(void **state) {
  (void)state;
  const char *parent = check_temporary("early");
  sotto_dataset data = check_blocks();
  sotto_run *run = check_short_run("gap");
  sotto_run_cancel(run);
  CHECK_FAILS(SOTTO_INTERRUPTED, "stopped", sotto_run_train(run, &data, NULL, &err));
  CHECK_OK(sotto_run_train(run, &data, NULL, &err));
  sotto_run_cancel(run); /* of a run that is done: nothing */
  assert_int_equal(sotto_run_seeds(run), 1);
  sotto_run_free(run);
  assert_int_equal(check_entries(parent), 0);
  sotto_dataset_free(&data);
}

static void a_run_over_the_budget_is_refused_and_can_be_changed(void **state) {
  (void)state;
  const char *parent = check_temporary("refused"), *path = check_path("budget.db");
  const sotto_budget budget = {.epsilon = 3, .delta = 1e-6};
  sotto_dataset data = check_blocks();
  sotto_ledger *ledger = NULL;
  sotto_run *run = check_short_run("gap");
  ledger = check_ledger_at(path);
  CHECK_OK(sotto_ledger_set_budget(ledger, data.account, "blocks", "edge", &budget, "", &err));
  sotto_ledger_close(ledger);
  check_run_set(run, "ledger", check_new_ledger(path));
  CHECK_FAILS(SOTTO_REFUSED, "budget", sotto_run_train(run, &data, NULL, &err));
  assert_null(sotto_run_folder(run));
  assert_int_equal(check_entries(parent), 0);
  check_run_set(run, "epsilon", "2");
  CHECK_OK(sotto_run_train(run, &data, NULL, &err));
  sotto_run_free(run);
  sotto_dataset_free(&data);
}

/* A training on a thread of its own. */
typedef struct training {
  sotto_run *run;
  const sotto_dataset *data;
  sotto_status status;
} training;

static void *train(void *context) {
  training *t = context;
  t->status = sotto_run_train(t->run, t->data, NULL, NULL);
  return NULL;
}

static void two_runs_at_once_are_as_one_after_the_other(void **state) {
  (void)state;
  static const char *const methods[] = {"gap", "vesper"};
  sotto_dataset data = check_blocks();
  training alone[2], both[2];
  pthread_t threads[2];
  (void)check_temporary("both");
  for (int i = 0; i < 2; i++) {
    alone[i] = (training){.run = check_short_run(methods[i]), .data = &data};
    both[i] = (training){.run = check_short_run(methods[i]), .data = &data};
    (void)train(&alone[i]);
  }
  for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, train, &both[i]), 0);
  for (int i = 0; i < 2; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(alone[i].status, SOTTO_OK);
    assert_int_equal(both[i].status, SOTTO_OK);
    check_same_model(alone[i].run, both[i].run);
    assert_string_equal(sotto_run_metrics(alone[i].run), sotto_run_metrics(both[i].run));
    sotto_run_free(alone[i].run);
    sotto_run_free(both[i].run);
  }
  sotto_dataset_free(&data);
}

static void a_run_settles_delta_before_it_trains(void **state) {
  (void)state;
  const uint64_t nodes = 100001;
  float *features = calloc(nodes, sizeof *features);
  int32_t *labels = calloc(nodes, sizeof *labels);
  sotto_dataset data;
  sotto_run *run = check_short_run("mlp");
  char path[1200];
  sotto_options written;
  (void)check_temporary("large");
  for (uint64_t v = 0; v < nodes; v++) labels[v] = v % 2;
  const sotto_arrays arrays = {
      .nodes = nodes, .features = features, .feature_columns = 1, .labels = labels, .classes = 2};
  CHECK_OK(sotto_dataset_from_arrays(&data, &arrays, &err));
  check_run_set(run, "adjacency", "node");
  interrupt(run, &data, 1, true);
  assert_string_equal(check_run_value(run, "delta"), "1e-7");
  (void)snprintf(path, sizeof path, "%s/run.yaml", sotto_run_folder(run));
  sotto_options_default(&written);
  CHECK_OK(sotto_options_read(&written, path, &err));
  CHECK_NEAR(written.delta / 1e-7, 1, 1e-9);
  sotto_run_free(run);
  sotto_dataset_free(&data);
  free(features);
  free(labels);
}

/* A training of one epoch without noise. */
static sotto_run *one_epoch(void) {
  sotto_run *run = NULL;
  CHECK_OK(sotto_run_new(&run, &err));
  check_run_set(run, "method", "mlp");
  check_run_set(run, "encoder-epochs", "1");
  return run;
}

/* Some allocations of a training fail, each by itself; then the run is trained to its end. */
static void no_memory_is_an_error_and_the_run_goes_on(void **state) {
  (void)state;
  enum { failures = 30 };
  const char *parent = check_temporary("memory");
  sotto_dataset data = check_blocks();
  sotto_run *run = one_epoch();
  size_t failed = 0;
  CHECK_OK(sotto_threads_set(1, &err));
  (void)sotto_i_memory_fail_at(0);
  CHECK_OK(sotto_run_train(run, &data, NULL, &err));
  const uint64_t all = sotto_i_memory_fail_at(0);
  sotto_run_free(run);
  for (uint64_t i = 0; i < failures; i++) {
    run = one_epoch();
    (void)sotto_i_memory_fail_at(1 + i * all / failures);
    sotto_status got = sotto_run_train(run, &data, NULL, NULL);
    (void)sotto_i_memory_fail_at(0);
    if (got != SOTTO_OK) {
      failed++;
      assert_int_equal(got, SOTTO_NOMEM);
      CHECK_OK(sotto_run_train(run, &data, NULL, &err));
    }
    assert_int_equal(sotto_run_seeds(run), 1);
    sotto_run_free(run);
  }
  assert_true(failed > failures / 2);
  assert_int_equal(check_entries(parent), 0);
  (void)sotto_i_memory_fail_at(1);
  assert_int_equal(sotto_run_new(&run, NULL), SOTTO_NOMEM);
  assert_null(run);
  (void)sotto_i_memory_fail_at(0);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cancelled_run_goes_on_to_the_same_model),
      cmocka_unit_test(a_cancel_before_training_stops_one_call),
      cmocka_unit_test(a_run_over_the_budget_is_refused_and_can_be_changed),
      cmocka_unit_test(two_runs_at_once_are_as_one_after_the_other),
      cmocka_unit_test(a_run_settles_delta_before_it_trains),
      cmocka_unit_test(no_memory_is_an_error_and_the_run_goes_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
