/* Federated DP-SGD at node level: what is charged, what is sent, what the sum's noise is, and that a round is
 * summed once. */
#include <math.h>

#include "base/file.h"
#include "check.h"
#include "federation.h"
#include "inside/party.h"
#include "ledgers.h"
#include "release/plan.h"
#include "run_files.h"
#include "sotto/generate.h"
#include "spending.h"

enum { rounds = 6, many = 200 };

static check_federation node_new(const char *folder, const char *noise) {
  const sotto_sbm_options sbm = {
      .nodes = 90, .classes = 3, .features = 5, .degree_inside = 6, .degree_outside = 1, .feature_signal = 2};
  char ledger[60];
  check_federation f = {check_communities(&sbm), check_options("fedavg", folder)};
  (void)snprintf(ledger, sizeof ledger, "%.40s.db", folder);
  check_set(&f.options, "adjacency", "node");
  check_set(&f.options, "noise", noise);
  check_set(&f.options, "epsilon", "4");
  check_set(&f.options, "hidden", "4");
  check_set(&f.options, "clients", "4");
  check_set(&f.options, "rounds", "6");
  check_set(&f.options, "batch-rate", "0.5");
  check_set(&f.options, "ledger", check_new_ledger(check_path(ledger)));
  return f;
}

static void federation_free(check_federation *f, sotto_result *r) {
  sotto_result_free(r);
  sotto_dataset_free(&f->data);
}

static const char *const kinds[] = {"distributed", "central", "local"};

/* One charge for all rounds: to each client's account, and once to that of the whole. */
static void all_rounds_are_one_charge_to_each_client_and_to_the_whole(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    check_federation f = node_new(kinds[k], kinds[k]);
    sotto_result r = check_run(&f.options, &f.data);
    assert_int_equal(check_charges_in(&f.options), 5);
    assert_int_equal(r.cost.count, 1);
    assert_int_equal(r.cost.items[0].mechanism.count, rounds);
    assert_true(r.epsilon <= 4 && r.epsilon > 3.99);
    sotto_ledger *ledger = check_ledger_at(f.options.ledger);
    CHECK_NEAR(check_spent_on(ledger, f.data.account, "node").epsilon, r.epsilon, 1e-6);
    sotto_ledger_close(ledger);
    assert_true(isfinite(r.seeds[0].test.of[SOTTO_MEASURE_ACCURACY]) &&
                r.seeds[0].test.of[SOTTO_MEASURE_ACCURACY] > 0);
    federation_free(&f, &r);
  }
}

/* What clients expose, and in which rounds anything of theirs goes out without noise. */
static void only_a_trusted_server_sees_sums_without_noise(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    char folder[40];
    (void)snprintf(folder, sizeof folder, "seen-%s", kinds[k]);
    check_federation f = node_new(folder, kinds[k]);
    sotto_result r = check_run(&f.options, &f.data);
    assert_int_equal(r.exposure_count, k == 1 ? 1 : 0);
    if (k == 1) assert_string_equal(r.exposures[0].name, "clipped sum");
    federation_free(&f, &r);
  }
}

/* The clients of such a federation. */
typedef struct clients {
  check_federation f;
  check_clients all;
} clients;

static sotto_i_federation *shared(const clients *c) {
  return check_clients_shared(&c->all);
}

static void clients_new(clients *c, const char *folder, const char *noise) {
  *c = (clients){.f = node_new(folder, noise)};
  check_clients_new(&c->all, &c->f.options, &c->f.data);
}

static void clients_free(clients *c) {
  check_clients_free(&c->all);
  sotto_dataset_free(&c->f.data);
}

/* Fills sum with one client's part of a round, with its noise or without. */
static void part_of(int64_t *sum, const clients *c, uint32_t i, uint64_t round, bool noise) {
  const sotto_i_noise_by by = shared(c)->noise.by;
  if (!noise) shared(c)->noise.by = SOTTO_I_NOISE_CENTRAL;
  CHECK_OK(sotto_i_fed_noisy_sum(sum, &c->all.of[i], round, &err));
  shared(c)->noise.by = by;
}

/* The noise of the sum of all clients over many rounds, against what is charged: sum of squares as a z-score.
 * `silent` adds none, `half` adds half (numbers from 0; -1: nobody). */
static double noise_score(const clients *c, int silent, int half) {
  const size_t size = c->all.of[0].model.size;
  const double sigma = shared(c)->noise.grid.sigma;
  double squares = 0, number = 0;
  for (uint64_t round = 1; round <= many; round++) {
    int64_t *with = calloc(size, sizeof *with), *without = calloc(size, sizeof *without);
    assert_true(with != NULL && without != NULL);
    for (uint32_t i = 0; i < c->all.count; i++) {
      if ((int)i == half) shared(c)->noise.grid.each.shift++;
      if ((int)i == half) shared(c)->noise.grid.each.sigma /= 2;
      part_of(with, c, i, round, (int)i != silent);
      if ((int)i == half) shared(c)->noise.grid.each.shift--;
      if ((int)i == half) shared(c)->noise.grid.each.sigma *= 2;
      part_of(without, c, i, round, false);
    }
    for (size_t j = 0; j < size; j++) squares += pow((double)(with[j] - without[j]) / sigma, 2);
    number += (double)size;
    free(with);
    free(without);
  }
  return (squares - number) / sqrt(2 * number);
}

static void the_noise_of_the_sum_is_what_is_charged_and_less_shows(void **state) {
  clients c;
  (void)state;
  clients_new(&c, "noise", "distributed");
  assert_true(fabs(noise_score(&c, -1, -1)) < 5);
  assert_true(noise_score(&c, 2, -1) < -5);
  assert_true(noise_score(&c, -1, 1) < -5);
  clients_free(&c);
}

/* Each client's sum lies on whole steps, and one example moves it by no more than is accounted. */
static void an_example_moves_a_sum_by_its_own_whole_vector(void **state) {
  clients c;
  (void)state;
  clients_new(&c, "moves", "central");
  sotto_i_federation *f = shared(&c);
  const size_t size = c.all.of[0].model.size;
  f->noise.rate = 1;                                          /* all are in the sample */
  f->noise.grid.most = (uint64_t)(1e-3 / f->noise.grid.step); /* shorter than most gradients */
  double most = 0;
  for (uint32_t i = 0; i < c.all.count; i++)
    for (size_t left = 0; left < c.all.of[i].count[SOTTO_PART_TRAIN]; left++) {
      int64_t *all = calloc(size, sizeof *all), *less = calloc(size, sizeof *less);
      assert_true(all != NULL && less != NULL);
      part_of(all, &c, i, 1, false);
      uint32_t *rows = c.all.of[i].rows[SOTTO_PART_TRAIN], kept = rows[left];
      const size_t last = --c.all.of[i].count[SOTTO_PART_TRAIN];
      rows[left] = rows[last];
      part_of(less, &c, i, 1, false);
      rows[left] = kept;
      c.all.of[i].count[SOTTO_PART_TRAIN]++;
      uint64_t square = 0;
      for (size_t j = 0; j < size; j++) square += (uint64_t)((all[j] - less[j]) * (all[j] - less[j]));
      assert_true(square <= f->noise.grid.most * f->noise.grid.most);
      most = fmax(most, sqrt((double)square) / (double)f->noise.grid.most);
      free(all);
      free(less);
    }
  assert_true(most <= 1 && most > 0.99);
  clients_free(&c);
}

/* The same key gives the same sum, another round another sample and other noise. */
static void a_round_that_is_done_again_has_the_same_sum(void **state) {
  clients c;
  (void)state;
  clients_new(&c, "again", "distributed");
  const size_t size = c.all.of[0].model.size;
  int64_t *sums[3];
  for (int i = 0; i < 3; i++) {
    assert_non_null(sums[i] = calloc(size, sizeof **sums));
    part_of(sums[i], &c, 0, i == 2 ? 8 : 7, true);
  }
  assert_memory_equal(sums[0], sums[1], size * sizeof **sums);
  assert_true(memcmp(sums[0], sums[2], size * sizeof **sums) != 0);
  for (int i = 0; i < 3; i++) free(sums[i]);
  clients_free(&c);
}

/* Another model in a round that went out gets nothing, and the same one the same words. */
static void a_round_is_summed_for_one_model_alone(void **state) {
  clients c;
  sotto_link *here, *there;
  int64_t *words[2];
  (void)state;
  clients_new(&c, "once", "central");
  CHECK_OK(sotto_i_make_folder(check_path("once-seed"), &err));
  c.all.job.folder = check_path("once-seed");
  shared(&c)->job = &c.all.job;
  CHECK_OK(sotto_link_pair(&here, &there, &err));
  c.all.of[0].link = here;
  const size_t size = c.all.of[0].model.size + 1;
  const sotto_expectation expected = {
      .name = "clipped sum", .kind = SOTTO_WIRE_EXPOSED, .rows = 1, .cols = 2 * size};
  for (int i = 0; i < 2; i++) {
    assert_non_null(words[i] = calloc(size, sizeof **words));
    CHECK_OK(sotto_i_fed_noisy_turn(&c.all.of[0], 3, NULL, &err));
    CHECK_OK(sotto_link_receive_words(there, words[i], &expected, &err));
  }
  assert_memory_equal(words[0], words[1], size * sizeof **words);
  c.all.of[0].global.data[0] += 1;
  CHECK_FAILS(SOTTO_PROTOCOL, "another model", sotto_i_fed_noisy_turn(&c.all.of[0], 3, NULL, &err));
  CHECK_OK(sotto_i_fed_noisy_turn(&c.all.of[0], 4, NULL, &err));
  for (int i = 0; i < 2; i++) free(words[i]);
  sotto_link_free(here);
  sotto_link_free(there);
  clients_free(&c);
}

static void sums_that_might_wrap_are_refused_before_anything_leaves(void **state) {
  clients c;
  (void)state;
  clients_new(&c, "wrap", "distributed");
  shared(&c)->job = &c.all.job;
  const size_t count = c.all.of[0].count[SOTTO_PART_TRAIN];
  c.all.of[0].count[SOTTO_PART_TRAIN] = (size_t)1 << 44;
  CHECK_FAILS(SOTTO_RANGE, "might wrap", sotto_i_fed_noisy_begin(&c.all.of[0], &err));
  c.all.of[0].count[SOTTO_PART_TRAIN] = count;
  clients_free(&c);
}

/* With whom the noise is shared decides how much each adds. */
static void those_who_leave_or_collude_are_made_up_for(void **state) {
  sotto_i_fed_noise all, some;
  (void)state;
  check_federation f = node_new("shares", "distributed");
  sotto_options_resolve(&f.options);
  CHECK_OK(sotto_i_fed_noise_new(&all, &f.options, 10, &err));
  check_set(&f.options, "leaving-share", "0.2");
  check_set(&f.options, "colluding-share", "0.3");
  CHECK_OK(sotto_i_fed_noise_new(&some, &f.options, 10, &err));
  assert_int_equal(all.grid.counted, 10);
  assert_int_equal(all.least, 10);
  assert_int_equal(some.grid.counted, 5);
  assert_int_equal(some.least, 8);
  CHECK_NEAR(some.grid.each.sigma * some.grid.step / (all.grid.each.sigma * all.grid.step), sqrt(2), 1e-3);
  check_set(&f.options, "colluding-share", "0.9");
  CHECK_FAILS(SOTTO_RANGE, "nobody whose noise counts", sotto_i_fed_noise_new(&some, &f.options, 10, &err));
  sotto_dataset_free(&f.data);
}

static void refuse(const char *folder, const char *noise, const char *key, const char *value,
                   sotto_status status, const char *words) {
  sotto_result r;
  check_federation f = node_new(folder, noise);
  check_set(&f.options, key, value);
  CHECK_FAILS(status, words, sotto_train(&r, &f.options, &f.data, NULL, NULL, &err));
  assert_int_equal(check_charges_in(&f.options), 0);
  sotto_dataset_free(&f.data);
}

static void what_would_not_be_private_is_refused(void **state) {
  (void)state;
  refuse("bare", "distributed", "secure-aggregation", "false", SOTTO_INVALID, "needs secure-aggregation");
  refuse("twice", "local", "secure-aggregation", "true", SOTTO_INVALID, "by itself");
  refuse("least", "distributed", "least-clients", "3", SOTTO_INVALID, "leaving-share");
  refuse("inf", "distributed", "epsilon", "inf", SOTTO_RANGE, "finite");
  refuse("few", "distributed", "clients", "2", SOTTO_INVALID, "fewer than 3");
  refuse("share", "central", "leaving-share", "0.2", SOTTO_INVALID, "distributed");
}

/* A run that is taken up again, and one that was not stopped, with a fixed seed of noise: the same bytes. */
static void a_fixed_seed_gives_the_same_model(void **state) {
  char path[2][1200];
  (void)state;
  for (int i = 0; i < 2; i++) {
    check_federation f = node_new(i == 0 ? "fixed-1" : "fixed-2", "distributed");
    check_set(&f.options, "insecure-seed", "7");
    check_set(&f.options, "threads", i == 0 ? "1" : "2");
    sotto_result r = check_run(&f.options, &f.data);
    (void)snprintf(path[i], sizeof path[i], "%.1000s/seed-1/model.safetensors", f.options.out);
    federation_free(&f, &r);
  }
  sotto_i_map first;
  CHECK_OK(sotto_i_map_open(&first, path[0], &err));
  check_same_file(path[1], &first);
  sotto_i_map_close(&first);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_rounds_are_one_charge_to_each_client_and_to_the_whole),
      cmocka_unit_test(only_a_trusted_server_sees_sums_without_noise),
      cmocka_unit_test(the_noise_of_the_sum_is_what_is_charged_and_less_shows),
      cmocka_unit_test(an_example_moves_a_sum_by_its_own_whole_vector),
      cmocka_unit_test(a_round_that_is_done_again_has_the_same_sum),
      cmocka_unit_test(a_round_is_summed_for_one_model_alone),
      cmocka_unit_test(sums_that_might_wrap_are_refused_before_anything_leaves),
      cmocka_unit_test(those_who_leave_or_collude_are_made_up_for),
      cmocka_unit_test(what_would_not_be_private_is_refused),
      cmocka_unit_test(a_fixed_seed_gives_the_same_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
