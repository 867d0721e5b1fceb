/* Cancelling one call of several: which threads learn of it, and which do not. */
#include <pthread.h>
#include <stdatomic.h>

#include "base/cancel.h"
#include "base/progress.h"
#include "base/threads.h"
#include "check.h"
#include "inside/base.h"
#include "sotto/cancel.h"

typedef struct caller {
  atomic_bool cancelled;
  atomic_int asked;
} caller;

static bool cancelled(void *context) {
  caller *c = context;
  atomic_fetch_add(&c->asked, 1);
  return atomic_load(&c->cancelled);
}

static sotto_observer observer_of(caller *c) {
  return (sotto_observer){.context = c, .cancelled = cancelled};
}

static void a_call_stops_when_its_observer_says_so_and_not_after_it(void **state) {
  (void)state;
  caller c = {.cancelled = false};
  const sotto_observer observer = observer_of(&c);
  {
    SOTTO_I_CANCELLED_BY(&observer);
    CHECK_OK(sotto_i_check_interrupt(&err));
    atomic_store(&c.cancelled, true);
    CHECK_FAILS(SOTTO_INTERRUPTED, "stopped on request", sotto_i_check_interrupt(&err));
  }
  CHECK_OK(sotto_i_check_interrupt(&err));
  assert_false(sotto_interrupted());
}

static void the_answer_true_is_kept(void **state) {
  (void)state;
  caller c = {.cancelled = true};
  const sotto_observer observer = observer_of(&c);
  SOTTO_I_CANCELLED_BY(&observer);
  assert_true(sotto_i_stopped());
  atomic_store(&c.cancelled, false);
  assert_true(sotto_i_stopped());
  assert_int_equal(atomic_load(&c.asked), 1);
}

static void an_outer_call_stops_the_inner_one_and_not_the_other_way_round(void **state) {
  (void)state;
  caller outer = {.cancelled = false}, inner = {.cancelled = true};
  const sotto_observer first = observer_of(&outer), second = observer_of(&inner), silent = {.context = NULL};
  SOTTO_I_CANCELLED_BY(&first);
  {
    sotto_i_scope below;
    sotto_i_scope_begin(&below, &second);
    assert_true(sotto_i_stopped());
    sotto_i_scope_end(&below);
  }
  assert_false(sotto_i_stopped());
  atomic_store(&outer.cancelled, true);
  const sotto_observer *const others[] = {NULL, &silent, &first};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    sotto_i_scope below;
    sotto_i_scope_begin(&below, others[i]);
    assert_true(sotto_i_stopped());
    sotto_i_scope_end(&below);
  }
  assert_true(sotto_i_stopped());
}

static void the_global_request_stops_every_call(void **state) {
  (void)state;
  caller c = {.cancelled = false};
  const sotto_observer observer = observer_of(&c);
  SOTTO_I_CANCELLED_BY(&observer);
  sotto_interrupt();
  assert_true(sotto_i_stopped());
  sotto_interrupt_clear();
  assert_false(sotto_i_stopped());
}

static void a_guarded_observer_can_be_cancelled(void **state) {
  (void)state;
  caller c = {.cancelled = true};
  const sotto_observer observer = observer_of(&c), silent = {.context = NULL};
  sotto_i_guard guard;
  sotto_observer guarded = sotto_i_guard_begin(&guard, &observer);
  assert_true(guarded.cancelled(guarded.context));
  sotto_i_guard_end(&guard);
  guarded = sotto_i_guard_begin(&guard, &silent);
  assert_null(guarded.cancelled);
  sotto_i_guard_end(&guard);
  guarded = sotto_i_guard_begin(&guard, NULL);
  assert_null(guarded.cancelled);
  sotto_i_guard_end(&guard);
}

static void *ask(void *context) {
  *(bool *)context = sotto_i_stopped();
  return NULL;
}

static void a_thread_of_the_call_carries_it_and_another_thread_does_not(void **state) {
  (void)state;
  caller c = {.cancelled = true};
  const sotto_observer observer = observer_of(&c);
  bool own = false, other = true;
  pthread_t thread;
  SOTTO_I_CANCELLED_BY(&observer);
  assert_true(sotto_i_thread_start(&thread, ask, &own));
  pthread_join(thread, NULL);
  assert_int_equal(pthread_create(&thread, NULL, ask, &other), 0);
  pthread_join(thread, NULL);
  assert_true(own);
  assert_false(other);
}

static void a_thread_that_has_no_memory_is_not_started(void **state) {
  (void)state;
  pthread_t thread;
  bool asked = false;
  (void)sotto_i_memory_fail_at(1);
  assert_false(sotto_i_thread_start(&thread, ask, &asked));
  (void)sotto_i_memory_fail_at(0);
}

enum { items = 4000, callers = 4 };

static void count_stopped(void *context, size_t begin, size_t end) {
  atomic_size_t *stopped = context;
  for (size_t i = begin; i < end; i++)
    if (sotto_i_stopped()) atomic_fetch_add(stopped, 1);
}

/* Half of the callers are cancelled; the pool works for all of them. */
static void *work(void *context) {
  const sotto_observer *observer = context;
  uintptr_t wrong = 0;
  SOTTO_I_CANCELLED_BY(observer);
  const size_t wanted = atomic_load(&((caller *)observer->context)->cancelled) ? items : 0;
  for (int round = 0; round < 50; round++) {
    atomic_size_t stopped = 0;
    sotto_i_parallel(items, 16, count_stopped, &stopped);
    wrong += atomic_load(&stopped) != wanted;
  }
  return (void *)wrong; /* NOLINT(performance-no-int-to-ptr) */
}

static void the_pool_asks_for_the_call_that_it_works_for(void **state) {
  (void)state;
  caller c[callers];
  sotto_observer observers[callers];
  pthread_t threads[callers];
  CHECK_OK(sotto_threads_set(3, &err));
  for (int i = 0; i < callers; i++) {
    atomic_init(&c[i].cancelled, i % 2 == 1);
    atomic_init(&c[i].asked, 0);
    observers[i] = observer_of(&c[i]);
    assert_int_equal(pthread_create(&threads[i], NULL, work, &observers[i]), 0);
  }
  for (int i = 0; i < callers; i++) {
    void *wrong;
    pthread_join(threads[i], &wrong);
    assert_null(wrong);
  }
  assert_false(sotto_i_stopped());
}

static void *ask_apart(void *context) {
  *(bool *)context = sotto_i_stopped();
  return NULL;
}

/* Also calls that take no observer, on this thread and on those that work for it; and no other thread. */
static void a_thread_is_cancelled_by_whom_it_said(void **state) {
  (void)state;
  caller first = {.cancelled = false}, other = {.cancelled = false};
  const sotto_observer observer = observer_of(&first), inner = observer_of(&other),
                       silent = {.context = NULL};
  bool apart = true, for_it = false;
  pthread_t thread;
  sotto_cancelled_by(&observer);
  CHECK_OK(sotto_i_check_interrupt(&err));
  atomic_store(&first.cancelled, true);
  CHECK_FAILS(SOTTO_INTERRUPTED, "stopped on request", sotto_i_check_interrupt(&err));
  {
    SOTTO_I_CANCELLED_BY(&inner); /* a call with an observer of its own */
    assert_true(sotto_i_stopped());
  }
  assert_int_equal(pthread_create(&thread, NULL, ask_apart, &apart), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_false(apart);
  assert_true(sotto_i_thread_start(&thread, ask_apart, &for_it));
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_true(for_it);
  sotto_cancelled_by(&inner); /* in its place */
  assert_false(sotto_i_stopped());
  sotto_cancelled_by(&silent); /* it never cancels */
  assert_false(sotto_i_stopped());
  sotto_cancelled_by(NULL);
  assert_null(sotto_i_scope_current());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_call_stops_when_its_observer_says_so_and_not_after_it),
      cmocka_unit_test(the_answer_true_is_kept),
      cmocka_unit_test(an_outer_call_stops_the_inner_one_and_not_the_other_way_round),
      cmocka_unit_test(the_global_request_stops_every_call),
      cmocka_unit_test(a_guarded_observer_can_be_cancelled),
      cmocka_unit_test(a_thread_of_the_call_carries_it_and_another_thread_does_not),
      cmocka_unit_test(a_thread_that_has_no_memory_is_not_started),
      cmocka_unit_test(the_pool_asks_for_the_call_that_it_works_for),
      cmocka_unit_test(a_thread_is_cancelled_by_whom_it_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
