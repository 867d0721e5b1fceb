/* The thread pool. */
#include <pthread.h>
#include <stdatomic.h>

#include "base/threads.h"
#include "check.h"

typedef struct tally {
  _Atomic uint32_t hits[5000];
  _Atomic uint32_t wrong_ranges;
  size_t grain;
} tally;

static void count_items(void *context, size_t begin, size_t end) {
  tally *t = context;
  if (begin % t->grain != 0 || end - begin > t->grain) atomic_fetch_add(&t->wrong_ranges, 1);
  for (size_t i = begin; i < end; i++) atomic_fetch_add(&t->hits[i], 1);
}

static void every_item_is_done_once(void **state) {
  (void)state;
  for (unsigned threads = 1; threads <= 5; threads += 2) {
    CHECK_OK(sotto_threads_set(threads, &err));
    assert_int_equal(sotto_threads(), threads);
    for (size_t count = 0; count <= 5000; count += 1250) {
      static tally t;
      memset(&t, 0, sizeof t);
      t.grain = 17;
      sotto_i_parallel(count, t.grain, count_items, &t);
      for (size_t i = 0; i < 5000; i++) assert_int_equal(t.hits[i], i < count ? 1 : 0);
      assert_int_equal(t.wrong_ranges, 0);
    }
  }
}

static void nested_work(void *context, size_t begin, size_t end) {
  tally *t = context;
  for (size_t i = begin; i < end; i++) sotto_i_parallel(5000, 100, count_items, t);
}

static void a_call_from_inside_work_runs_inline(void **state) {
  (void)state;
  static tally t;
  memset(&t, 0, sizeof t);
  t.grain = 100;
  CHECK_OK(sotto_threads_set(3, &err));
  sotto_i_parallel(8, 1, nested_work, &t);
  for (size_t i = 0; i < 5000; i++) assert_int_equal(t.hits[i], 8);
}

static void *caller(void *unused) {
  (void)unused;
  static _Thread_local tally t;
  t.grain = 10;
  for (int round = 0; round < 200; round++) sotto_i_parallel(1000, t.grain, count_items, &t);
  uintptr_t wrong = 0;
  for (size_t i = 0; i < 1000; i++) wrong += t.hits[i] != 200;
  return (void *)wrong;
}

static void several_threads_may_call_at_once(void **state) {
  (void)state;
  CHECK_OK(sotto_threads_set(2, &err));
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, caller, NULL), 0);
  for (int i = 0; i < 4; i++) {
    void *wrong;
    pthread_join(threads[i], &wrong);
    assert_null(wrong);
  }
}

static void more_than_256_threads_are_refused(void **state) {
  (void)state;
  CHECK_FAILS(SOTTO_RANGE, "at most 256", sotto_threads_set(257, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_item_is_done_once),
      cmocka_unit_test(a_call_from_inside_work_runs_inline),
      cmocka_unit_test(several_threads_may_call_at_once),
      cmocka_unit_test(more_than_256_threads_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
