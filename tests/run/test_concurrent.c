/* Several trainings in one process: the same bytes as one after the other, and each cancelled by itself. */
#include <pthread.h>
#include <stdatomic.h>

#include "api_runs.h"
#include "base/file.h"
#include "check.h"
#include "made_run.h"

enum { most_settings = 16 };

typedef struct kind {
  const char *method;
  const char *settings[most_settings]; /* key, value, ... */
} kind;

static const kind kinds[] = {
    {"vesper", {"epsilon", "8"}},
    {"gap", {"epsilon", "8"}},
    {"vfgnn", {"epsilon", "8", "holders", "2"}},
    {"fedavg", {"clients", "3", "rounds", "4"}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* One training: on a thread of its own, or not. */
typedef struct training {
  sotto_options options;
  const sotto_dataset *data;
  sotto_observer observer;
  atomic_int steps;
  int stop_at; /* after so many progress calls; 0: never */
  atomic_bool stopped;
  sotto_status status;
  sotto_error err;
} training;

static void progress(void *context, const char *stage, uint64_t done, uint64_t total, const char *note) {
  training *t = context;
  (void)stage, (void)done, (void)total, (void)note;
  if (atomic_fetch_add(&t->steps, 1) + 1 == t->stop_at) atomic_store(&t->stopped, true);
}

static bool cancelled(void *context) {
  return atomic_load(&((training *)context)->stopped);
}

static void *train(void *context) {
  training *t = context;
  sotto_result result;
  t->status = sotto_train(&result, &t->options, t->data, &t->observer, NULL, &t->err);
  if (t->status == SOTTO_OK) sotto_result_free(&result);
  return NULL;
}

static void prepare(training *t, const kind *k, const char *folder, const char *seed,
                    const sotto_dataset *data) {
  static const char *const shared[] = {"encoder-epochs", "8",    "epochs", "8", "hidden", "8",
                                       "delta",          "1e-4", NULL};
  memset(t, 0, sizeof *t);
  t->options = check_options(k->method, folder);
  check_set_own(&t->options, shared);
  for (size_t i = 0; i + 1 < most_settings && k->settings[i] != NULL; i += 2)
    check_set(&t->options, k->settings[i], k->settings[i + 1]);
  check_set(&t->options, "seed", seed);
  check_set(&t->options, "insecure-seed", seed);
  t->data = data;
  t->observer = (sotto_observer){.context = t, .progress = progress, .cancelled = cancelled};
}

static void expect_same_file(const training *a, const training *b, const char *seed, const char *name) {
  char folder[64], *one = NULL, *other = NULL;
  sotto_i_map left, right;
  (void)snprintf(folder, sizeof folder, "seed-%s/%s", seed, name);
  CHECK_OK(sotto_i_join(&one, a->options.out, folder, &err));
  CHECK_OK(sotto_i_join(&other, b->options.out, folder, &err));
  CHECK_OK(sotto_i_map_open(&left, one, &err));
  CHECK_OK(sotto_i_map_open(&right, other, &err));
  assert_int_equal(left.size, right.size);
  assert_true(left.size > 100);
  assert_memory_equal(left.data, right.data, left.size);
  sotto_i_map_close(&left);
  sotto_i_map_close(&right);
  sotto_i_free(one);
  sotto_i_free(other);
}

static void expect_done(const training *t) {
  if (t->status != SOTTO_OK) fail_msg("%s: %s", t->options.method, t->err.text);
}

static void together(training *a, training *b) {
  pthread_t threads[2];
  assert_int_equal(pthread_create(&threads[0], NULL, train, a), 0);
  assert_int_equal(pthread_create(&threads[1], NULL, train, b), 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}

static void two_at_once_write_the_bytes_of_one_after_the_other(void **state) {
  (void)state;
  static training alone[KINDS], both[2];
  sotto_dataset data = check_blocks();
  char name[64];
  for (size_t k = 0; k < KINDS; k++) {
    (void)snprintf(name, sizeof name, "alone-%zu", k);
    prepare(&alone[k], &kinds[k], name, "7", &data);
    (void)train(&alone[k]);
    expect_done(&alone[k]);
  }
  for (size_t k = 0; k < KINDS; k++) { /* each beside the next kind */
    const size_t pair[2] = {k, (k + 1) % KINDS};
    for (int i = 0; i < 2; i++) {
      (void)snprintf(name, sizeof name, "both-%zu-%d", k, i);
      prepare(&both[i], &kinds[pair[i]], name, "7", &data);
    }
    together(&both[0], &both[1]);
    for (int i = 0; i < 2; i++) {
      expect_done(&both[i]);
      expect_same_file(&both[i], &alone[pair[i]], "7", "model.safetensors");
    }
  }
  sotto_dataset_free(&data);
}

static void one_is_cancelled_and_the_other_completes(void **state) {
  (void)state;
  static training alone, both[2];
  sotto_dataset data = check_blocks();
  char name[64];
  for (size_t k = 0; k < KINDS; k++) {
    (void)snprintf(name, sizeof name, "whole-%zu", k);
    prepare(&alone, &kinds[k], name, "7", &data);
    (void)train(&alone);
    expect_done(&alone);
    for (int i = 0; i < 2; i++) {
      (void)snprintf(name, sizeof name, "cut-%zu-%d", k, i);
      prepare(&both[i], &kinds[k], name, "7", &data);
    }
    both[0].stop_at = 2;
    together(&both[0], &both[1]);
    assert_int_equal(both[0].status, SOTTO_INTERRUPTED);
    assert_non_null(strstr(both[0].err.text, "stopped on request"));
    expect_done(&both[1]);
    expect_same_file(&both[1], &alone, "7", "model.safetensors");
    assert_false(sotto_interrupted());
    both[0].stop_at = 0; /* and it can be resumed */
    atomic_store(&both[0].stopped, false);
    both[0].err = (sotto_error){.status = SOTTO_OK};
    check_set(&both[0].options, "resume", "true");
    (void)train(&both[0]);
    expect_done(&both[0]);
    expect_same_file(&both[0], &alone, "7", "model.safetensors");
  }
  sotto_dataset_free(&data);
}

static void a_training_that_is_cancelled_before_it_begins_ends_at_once(void **state) {
  (void)state;
  static training t;
  sotto_dataset data = check_blocks();
  char name[64];
  for (size_t k = 0; k < KINDS; k++) {
    (void)snprintf(name, sizeof name, "never-%zu", k);
    prepare(&t, &kinds[k], name, "7", &data);
    atomic_store(&t.stopped, true);
    (void)train(&t);
    assert_int_equal(t.status, SOTTO_INTERRUPTED);
  }
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_at_once_write_the_bytes_of_one_after_the_other),
      cmocka_unit_test(one_is_cancelled_and_the_other_completes),
      cmocka_unit_test(a_training_that_is_cancelled_before_it_begins_ends_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
