/* Generated payments: each pattern where it belongs, none at dial 0, the same graph for all. */
#include <math.h>

#include "check.h"
#include "sotto/generate.h"

enum { nodes = 3000 };
static sotto_key key;

static int make_key(void **state) {
  (void)state;
  sotto_key_public(&key, 11);
  return 0;
}

static sotto_dataset made(sotto_payments_pattern pattern, double dial, double salaries) {
  const sotto_payments_options options = {
      .nodes = nodes, .dial = dial, .pattern = pattern, .salaries = salaries};
  sotto_dataset data;
  CHECK_OK(sotto_generate_payments(&data, &options, &key, &err));
  return data;
}

/* One payment and what came before it. */
typedef bool seen_in(const sotto_transfers *t, uint64_t i);

static bool under_limit(const sotto_transfers *t, uint64_t i) {
  return t->amounts[i] >= 800 && t->amounts[i] <= 1000;
}

/* Nine tenths of what the sender received within the two days before. */
static bool passed_on(const sotto_transfers *t, uint64_t i) {
  for (uint64_t k = 0; k < t->count; k++)
    if (t->targets[k] == t->sources[i] && t->times[i] >= t->times[k] && t->times[i] <= t->times[k] + 2 &&
        fabs(0.9 * (double)t->amounts[k] - (double)t->amounts[i]) <= 0.02)
      return true;
  return false;
}

/* The same amount came back, or had gone out, within a week. */
static bool comes_back(const sotto_transfers *t, uint64_t i) {
  for (uint64_t k = i > 200 ? i - 200 : 0; k < t->count && k < i + 200; k++)
    if (t->sources[k] == t->targets[i] && t->targets[k] == t->sources[i] && t->amounts[k] == t->amounts[i] &&
        fabs(t->times[k] - t->times[i]) <= 7)
      return true;
  return false;
}

/* Shares of the payments of mules, and of those of others alone, in which the pattern is seen. */
static void shares(double out[2], const sotto_dataset *data, seen_in *seen) {
  double count[2] = {0, 0}, found[2] = {0, 0};
  const sotto_transfers *t = &data->transfers;
  for (uint64_t i = 0; i < t->count; i++) {
    const int others = data->labels[t->sources[i]] == 0 && data->labels[t->targets[i]] == 0;
    count[others]++;
    found[others] += seen(t, i);
  }
  for (int k = 0; k < 2; k++) out[k] = found[k] / count[k];
}

static void mules_have_the_pattern_and_others_do_not(void **state) {
  static const struct {
    sotto_payments_pattern pattern;
    seen_in *seen;
    double least; /* of mules' payments */
  } rows[] = {{SOTTO_PAYMENTS_LIMIT, under_limit, 0.3},
              {SOTTO_PAYMENTS_PASSING, passed_on, 0.1},
              {SOTTO_PAYMENTS_CYCLES, comes_back, 0.5}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double with[2], without[2];
    sotto_dataset on = made(rows[i].pattern, 1, 0), off = made(rows[i].pattern, 0, 0);
    shares(with, &on, rows[i].seen);
    shares(without, &off, rows[i].seen);
    if (!(with[0] > rows[i].least && with[1] < 0.04 && without[0] < 0.04))
      fail_msg("pattern %zu: %g of mules, %g of others, %g at dial 0", i, with[0], with[1], without[0]);
    assert_memory_equal(on.account, off.account, 32);
    sotto_dataset_free(&on);
    sotto_dataset_free(&off);
  }
}

static void salaries_are_monthly_and_of_one_amount(void **state) {
  (void)state;
  sotto_dataset data = made(SOTTO_PAYMENTS_LIMIT, 0, 0.3);
  const sotto_transfers *t = &data.transfers;
  uint64_t relations = 0, salaries = 0;
  for (uint64_t i = 0, end; i < t->count; i = end) {
    bool alike = true;
    for (end = i; end < t->count && (t->sources[end] == t->sources[i] || t->sources[end] == t->targets[i]) &&
                  (t->targets[end] == t->targets[i] || t->targets[end] == t->sources[i]);
         end++)
      alike =
          alike && t->sources[end] == t->sources[i] && t->amounts[end] == t->amounts[i] &&
          (end == i || (t->times[end] - t->times[end - 1] >= 28 && t->times[end] - t->times[end - 1] <= 33));
    relations++;
    salaries += alike && end - i == 12;
  }
  CHECK_NEAR((double)salaries / (double)relations, 0.3, 0.03);
  sotto_dataset_free(&data);
}

/* Kinds leave all else as it is, and tell mules at their dial alone. */
static void kinds_tell_mules_by_a_dial_of_their_own(void **state) {
  const sotto_payments_options plain = {.nodes = nodes, .dial = 1};
  sotto_dataset without, with;
  (void)state;
  CHECK_OK(sotto_generate_payments(&without, &plain, &key, &err));
  assert_null(without.transfers.kinds);
  for (int dial = 0; dial < 2; dial++) {
    sotto_payments_options o = plain;
    double cash[2] = {0, 0}, all[2] = {0, 0};
    o.kinds = true;
    o.kind_dial = dial;
    CHECK_OK(sotto_generate_payments(&with, &o, &key, &err));
    const sotto_transfers *t = &with.transfers;
    assert_int_equal(t->count, without.transfers.count);
    assert_memory_equal(t->amounts, without.transfers.amounts, t->count * sizeof *t->amounts);
    assert_memory_equal(t->times, without.transfers.times, t->count * sizeof *t->times);
    assert_string_equal(sotto_name(&t->kind_names, 1), "cash");
    for (uint64_t i = 0; i < t->count; i++) {
      const bool mule = with.labels[t->sources[i]] == 1 || with.labels[t->targets[i]] == 1;
      cash[mule] += t->kinds[i] == 1;
      all[mule]++;
    }
    CHECK_NEAR(cash[0] / all[0], 0.1, 0.02);
    CHECK_NEAR(cash[1] / all[1], dial == 0 ? 0.1 : 0.55, 0.05);
    sotto_dataset_free(&with);
  }
  sotto_dataset_free(&without);
}

static void so_many_accounts_are_mules(void **state) {
  static const struct { double given, share; } rows[] = {{0, 0.08}, {0.03, 0.03}, {0.3, 0.3}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const sotto_payments_options o = {.nodes = nodes, .dial = 1, .share = rows[i].given};
    sotto_dataset data;
    double mules = 0;
    CHECK_OK(sotto_generate_payments(&data, &o, &key, &err));
    for (size_t v = 0; v < nodes; v++) mules += data.labels[v];
    CHECK_NEAR(mules / nodes, rows[i].share, 0.03);
    sotto_dataset_free(&data);
  }
}

static void what_is_out_of_range_is_refused(void **state) {
  static const struct {
    sotto_payments_options options;
    const char *words;
  } rows[] = {{{.nodes = 399, .dial = 1}, "399 nodes"},
              {{.nodes = nodes, .dial = 1.5}, "dial 1.5"},
              {{.nodes = nodes, .dial = NAN}, "dial nan"},
              {{.nodes = nodes, .salaries = -0.1}, "salaries -0.1"},
              {{.nodes = nodes, .kind_dial = 2}, "kind dial 2"},
              {{.nodes = nodes, .share = 0.6}, "share 0.6"},
              {{.nodes = nodes, .share = NAN}, "share nan"},
              {{.nodes = nodes, .pattern = (sotto_payments_pattern)3}, "pattern 3"}};
  sotto_dataset data;
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    CHECK_FAILS(SOTTO_RANGE, rows[i].words, sotto_generate_payments(&data, &rows[i].options, &key, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mules_have_the_pattern_and_others_do_not),
      cmocka_unit_test(salaries_are_monthly_and_of_one_amount),
      cmocka_unit_test(kinds_tell_mules_by_a_dial_of_their_own),
      cmocka_unit_test(so_many_accounts_are_mules),
      cmocka_unit_test(what_is_out_of_range_is_refused),
  };
  return cmocka_run_group_tests(tests, make_key, NULL);
}
