/* Workers: what they give, and every way in which they can end without an answer. */
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/worker.h"
#include "check.h"

static sotto_status answers(app_bench_trial *out, void *context, sotto_error *err) {
  (void)err;
  out->test = *(double *)context;
  return SOTTO_OK;
}
static sotto_status fails(app_bench_trial *out, void *context, sotto_error *err) {
  (void)out, (void)context;
  return sotto_i_fail(err, SOTTO_NUMERIC, "a loss is not finite");
}
static sotto_status stops(app_bench_trial *out, void *context, sotto_error *err) {
  (void)out, (void)context;
  return sotto_i_fail(err, SOTTO_INTERRUPTED, "stopped on request");
}
static sotto_status crashes(app_bench_trial *out, void *context, sotto_error *err) {
  (void)out, (void)context, (void)err;
  const struct rlimit none = {0, 0};
  (void)setrlimit(RLIMIT_CORE, &none);
  (void)signal(SIGKILL, SIG_DFL);
  (void)raise(SIGKILL);
  return SOTTO_OK;
}
static sotto_status leaves(app_bench_trial *out, void *context, sotto_error *err) {
  (void)out, (void)context, (void)err;
  _exit(9);
}
static sotto_status sleeps(app_bench_trial *out, void *context, sotto_error *err) {
  (void)out, (void)context, (void)err;
  (void)pause(); /* until it is ended */
  return SOTTO_OK;
}

static app_bench_trial outcome(app_bench_body body, void *context) {
  app_bench_worker worker;
  app_bench_trial trial;
  CHECK_OK(app_bench_worker_start(&worker, body, context, &err));
  CHECK_OK(app_bench_worker_end(&worker, &trial, &err));
  assert_int_equal(worker.process, 0);
  return trial;
}

static void an_answer_comes_back(void **state) {
  (void)state;
  double value = 0.625;
  app_bench_trial trial = outcome(answers, &value);
  assert_true(!trial.failed && trial.test == 0.625 && trial.seconds >= 0);
}

static void each_way_to_fail_is_named(void **state) {
  (void)state;
  app_bench_trial trial = outcome(fails, NULL);
  assert_true(trial.failed);
  assert_string_equal(trial.reason, "a loss is not finite");
  trial = outcome(crashes, NULL);
  assert_true(trial.failed && strstr(trial.reason, "signal 9") != NULL);
  trial = outcome(leaves, NULL);
  assert_true(trial.failed && strstr(trial.reason, "status 9 and no answer") != NULL);
}

static void what_was_stopped_is_no_result(void **state) {
  (void)state;
  app_bench_worker worker;
  app_bench_trial trial;
  CHECK_OK(app_bench_worker_start(&worker, stops, NULL, &err));
  CHECK_FAILS(SOTTO_INTERRUPTED, "stopped", app_bench_worker_end(&worker, &trial, &err));
}

static void a_worker_can_be_ended(void **state) {
  (void)state;
  app_bench_worker worker;
  CHECK_OK(app_bench_worker_start(&worker, sleeps, NULL, &err));
  app_bench_worker_kill(&worker);
  assert_int_equal(worker.process, 0);
  app_bench_worker_kill(&worker); /* harmless */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_answer_comes_back),
      cmocka_unit_test(each_way_to_fail_is_named),
      cmocka_unit_test(what_was_stopped_is_no_result),
      cmocka_unit_test(a_worker_can_be_ended),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
