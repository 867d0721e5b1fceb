/* Accounting hears cancellation, and no transaction of the ledger waits for it. The observer's question
 * whether to stop is asked on the thread that composes: here it also stands for what others do meanwhile. */
#include <math.h>
#include <time.h>

#include "base/cancel.h"
#include "check.h"
#include "inside/dp.h"
#include "ledgers.h"
#include "sotto/dp.h"
#include "sotto/ledger.h"

static double processor_seconds(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What is asked of a composition, and how it goes on: seconds of this thread alone, whatever else runs. */
typedef struct listener {
  uint64_t asked, stop_at; /* 0: never */
  double last, longest, stopped;
} listener;

static bool is_cancelled(void *context) {
  listener *l = context;
  const double now = processor_seconds();
  if (l->asked++ > 0) l->longest = fmax(l->longest, now - l->last);
  l->last = now;
  if (l->stop_at == 0 || l->asked < l->stop_at) return false;
  l->stopped = now;
  return true;
}

/* Lists that take long, each in another part of the accountant. */
static const char *const long_ones[] = {
    "subsampled-gaussian rate=0.0001 noise=0.05 count=10000000",
    "sampled-subgraphs rate=0.01 noise=2 degree=20 sample=10 count=1000",
    "sampled-subgraphs rate=0.00002 noise=3 degree=1000000 sample=1000 count=5",
    "discrete-gaussian noise=3000 count=100000\nlaplace noise=0.3 count=1000",
    "poisson-sum rate=0.5 noise=0.35 count=100",
    "replaced-gaussian rate=0.3 noise=0.01 count=1000",
};

/* The sanitizers' build takes some times as long. */
#if !defined(__has_feature)
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
static const double most_seconds = 1;
#else
static const double most_seconds = 0.2;
#endif

static sotto_status compose(const char *text, listener *l) {
  const sotto_observer observer = {.cancelled = is_cancelled, .context = l};
  sotto_mechanism *list = NULL;
  size_t count = 0;
  double epsilon;
  sotto_error why = {0};
  CHECK_OK(sotto_mechanisms_parse(&list, &count, text, strlen(text), &err));
  SOTTO_I_CANCELLED_BY(&observer);
  l->last = processor_seconds();
  const sotto_status status = sotto_account_epsilon(&epsilon, list, count, 1e-6, SOTTO_ACCOUNTANT_PLD, &why);
  l->longest = fmax(l->longest, processor_seconds() - l->last);
  sotto_mechanisms_free(list);
  return status;
}

static void whoever_cancels_is_asked_five_times_a_second(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof long_ones / sizeof *long_ones; i++) {
    listener l = {.asked = 0};
    const sotto_status status = compose(long_ones[i], &l);
    assert_true(status == SOTTO_OK || status == SOTTO_UNSUPPORTED);
    if (!(l.longest < most_seconds)) fail_msg("%s: silent for %.3f s", long_ones[i], l.longest);
  }
}

static void a_cancelled_account_is_no_answer(void **unused) {
  (void)unused;
  for (uint64_t at = 1; at < 3000; at *= 7) {
    listener l = {.stop_at = at};
    /* Another noise for each, so that none is remembered. */
    char text[120];
    (void)snprintf(text, sizeof text, "subsampled-gaussian rate=0.001 noise=%.17g count=100000",
                   0.3 + 1e-9 * (double)at);
    const sotto_status status = compose(text, &l);
    if (l.asked < at) break;
    assert_int_equal(status, SOTTO_INTERRUPTED);
    assert_true(processor_seconds() - l.stopped < most_seconds);
  }
}

static void a_search_for_noise_hears_it(void **unused) {
  (void)unused;
  listener l = {.stop_at = 40};
  const sotto_observer observer = {.cancelled = is_cancelled, .context = &l};
  sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_REPLACED_GAUSSIAN);
  double noise = NAN;
  m.rate = 0.013;
  m.count = 100;
  SOTTO_I_CANCELLED_BY(&observer);
  CHECK_FAILS(SOTTO_INTERRUPTED, "",
              sotto_account_noise(&noise, &m, 1, 0, 20000, 1e-6, SOTTO_ACCOUNTANT_PLD, &err));
  assert_true(isnan(noise));
}

/* A charge of the other process, made while the first one composes. */
typedef struct neighbour {
  sotto_ledger *ledger;
  const uint8_t *digest;
  const char *id;
  double epsilon;
  bool done;
  sotto_status status;
} neighbour;

static sotto_mechanism response_of(double epsilon) {
  sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_RANDOMIZED_RESPONSE);
  m.epsilon = epsilon;
  return m;
}

static sotto_charge charge_of(const char *id, const sotto_mechanism *release, double epsilon) {
  sotto_charge c = check_laplace_charge(id, epsilon);
  c.release = release;
  return c;
}

static bool charges_meanwhile(void *context) {
  neighbour *n = context;
  if (n->done) return false;
  n->done = true;
  const sotto_mechanism m = response_of(n->epsilon);
  const sotto_charge c = charge_of(n->id, &m, n->epsilon);
  sotto_error err = {0};
  n->status = sotto_ledger_charge(n->ledger, n->digest, "data", &c, 1, &err);
  return false;
}

/* Many answers of epsilon 0.1 to one dataset, whose sum passes the budget and whose composition does not; the
 * neighbour's charge in between. Another number each time, since answers are remembered. */
static sotto_status charge_many(sotto_ledger *ledger, const uint8_t digest[32], uint64_t answers,
                                neighbour *n, sotto_error *err) {
  const sotto_observer observer = {.cancelled = charges_meanwhile, .context = n};
  sotto_mechanism m = response_of(0.1);
  m.count = answers;
  sotto_charge c = charge_of("many", &m, 0.1 * (double)answers);
  SOTTO_I_CANCELLED_BY(&observer);
  return sotto_ledger_charge(ledger, digest, "data", &c, 1, err);
}

static void set_budget(sotto_ledger *ledger, const uint8_t digest[32], double epsilon) {
  const sotto_budget budget = {.epsilon = epsilon, .delta = 1e-6};
  CHECK_OK(sotto_ledger_set_budget(ledger, digest, "data", "edge", &budget, "test", &err));
}

static void others_charge_while_one_composes(void **unused) {
  (void)unused;
  static const uint8_t one[32] = {1}, two[32] = {2};
  const char *path = check_ledger_path();
  sotto_ledger *ledger = check_ledger_at(path);
  neighbour n = {.ledger = check_ledger_at(path), .digest = two, .id = "two", .epsilon = 0.7};
  set_budget(ledger, one, 6);
  CHECK_OK(charge_many(ledger, one, 100, &n, &err));
  assert_true(n.done);
  assert_int_equal(n.status, SOTTO_OK);
  assert_int_equal(check_ledger_rows(path), 2);
  sotto_ledger_close(n.ledger);
  sotto_ledger_close(ledger);
}

/* What was composed before the other charge is not what is decided by: both together pass the budget. */
static void a_charge_meanwhile_counts(void **unused) {
  (void)unused;
  static const uint8_t one[32] = {3};
  const char *path = check_ledger_path();
  sotto_ledger *ledger = check_ledger_at(path);
  neighbour n = {.ledger = check_ledger_at(path), .digest = one, .id = "other", .epsilon = 3};
  sotto_error err = {0};
  set_budget(ledger, one, 6);
  assert_int_equal(charge_many(ledger, one, 101, &n, &err), SOTTO_REFUSED);
  assert_true(n.done);
  assert_int_equal(n.status, SOTTO_OK);
  assert_true(fabs(err.spent - 3) < 1e-2 && err.asked > 6);
  assert_int_equal(check_ledger_rows(path), 1);
  sotto_ledger_close(n.ledger);
  sotto_ledger_close(ledger);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whoever_cancels_is_asked_five_times_a_second),
      cmocka_unit_test(a_cancelled_account_is_no_answer),
      cmocka_unit_test(a_search_for_noise_hears_it),
      cmocka_unit_test(others_charge_while_one_composes),
      cmocka_unit_test(a_charge_meanwhile_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
