/* Pilots: who they are, how far one edge moves all their releases, and what they choose. */
#include "protocols/pilots.h"

#include <math.h>

#include "base/memory.h"
#include "check.h"
#include "inside/dp.h"
#include "protocols/counts.h"
#include "protocols/unsure.h"

enum { nodes = 4000, training = 3000 };

static sotto_i_job make_job(sotto_dataset *data, sotto_options *options) {
  sotto_options_default(options);
  *data = (sotto_dataset){.name = "made", .graph = {.nodes = nodes}};
  return (sotto_i_job){.options = options, .data = data, .seed = 5};
}

static void a_tenth_of_the_training_nodes_is_in_each_group(void **state) {
  static const sotto_i_cluster_choice choices[] = {{.features = true},
                                                   {.transfers = true},
                                                   {.features = true, .transfers = true},
                                                   {.transfers = true, .kinds = true},
                                                   {.features = true, .transfers = true, .kinds = true},
                                                   {.sums = true}};
  static const size_t groups[] = {2, 3, 4, 4, 5, 3};
  static uint32_t rows[training];
  sotto_dataset data;
  sotto_options o;
  const sotto_i_job job = make_job(&data, &o);
  sotto_i_parted parted = {
      .split = {.rows = {[SOTTO_PART_TRAIN] = rows}, .count = {[SOTTO_PART_TRAIN] = training}}};
  sotto_i_pilots p, again, few;
  (void)state;
  for (uint32_t i = 0; i < training; i++) rows[i] = i + 7;
  for (size_t c = 0; c < 6; c++) {
    size_t in[SOTTO_I_STAGES] = {0}, found = 0;
    CHECK_OK(sotto_i_pilots_draw(&p, &job, &parted, choices[c], &err));
    CHECK_OK(sotto_i_pilots_draw(&again, &job, &parted, choices[c], &err));
    assert_memory_equal(p.group, again.group, nodes);
    const size_t tenth = training / 10, smaller = tenth * (choices[c].kinds ? 3 : 4) / 5;
    assert_int_equal(p.count[SOTTO_I_STAGE_CLASS], choices[c].transfers ? smaller : tenth);
    if (choices[c].transfers) assert_int_equal(p.count[SOTTO_I_STAGE_TRANSFERS], smaller);
    if (choices[c].kinds) assert_int_equal(p.count[SOTTO_I_STAGE_KINDS], smaller);
    if (choices[c].features) assert_true(p.count[SOTTO_I_STAGE_FEATURES] >= (c == 0 ? tenth : tenth / 4));
    if (choices[c].sums) assert_int_equal(p.count[SOTTO_I_STAGE_DIRECTIONS], tenth);
    if (choices[c].sums) assert_int_equal(p.count[SOTTO_I_STAGE_SUMS], tenth * 2 / 5);
    for (size_t v = 0; v < nodes; v++) {
      in[p.group[v]]++;
      if (p.group[v] != 0) assert_true(v >= 7 && v < training + 7);
    }
    for (int stage = 1; stage < SOTTO_I_STAGES; stage++) {
      assert_true(in[stage] == (p.nodes[stage] == NULL ? 0 : p.count[stage]));
      found += in[stage] > 0;
    }
    assert_int_equal(found, groups[c]);
    sotto_i_pilots_free(&p);
    sotto_i_pilots_free(&again);
  }
  CHECK_OK(sotto_i_pilots_draw(&few, &job, &parted, (sotto_i_cluster_choice){.features = false}, &err));
  assert_null(few.group);                     /* classes are all */
  parted.split.count[SOTTO_PART_TRAIN] = 999; /* a group of 99 would decide nothing */
  CHECK_OK(sotto_i_pilots_draw(&few, &job, &parted, choices[2], &err));
  assert_null(few.group);
}

/* A survey comes before the pilots whose bins it makes, and all others come last. */
static void stages_have_an_order(void **state) {
  static const sotto_i_pilot_stage wanted[] = {
      SOTTO_I_STAGE_CLASS,  SOTTO_I_STAGE_FEATURES,  SOTTO_I_STAGE_DIRECTIONS, SOTTO_I_STAGE_SUMS,
      SOTTO_I_STAGE_SURVEY, SOTTO_I_STAGE_TRANSFERS, SOTTO_I_STAGE_KINDS,      SOTTO_I_STAGE_OTHERS};
  sotto_i_pilot_stage stages[SOTTO_I_STAGES];
  sotto_i_pilots p = {.group = NULL};
  (void)state;
  for (int stage = 1; stage < SOTTO_I_STAGES; stage++) p.count[stage] = 1;
  p.count[SOTTO_I_STAGE_OTHERS] = 0;
  assert_int_equal(sotto_i_pilots_stages(stages, &p), 8);
  assert_memory_equal(stages, wanted, sizeof wanted);
  for (sotto_i_cluster_kind kind = 0; kind < SOTTO_I_CLUSTER_KINDS; kind++)
    assert_int_equal(sotto_i_pilots_kind(sotto_i_pilots_stage(kind)), kind);
}

/* The levels of a release: of one group, or of all other nodes. */
static void levels_of(uint8_t *out, const uint8_t *usual, const sotto_i_pilots *p, size_t count,
                      sotto_i_pilot_stage stage) {
  if (stage != SOTTO_I_STAGE_OTHERS) {
    sotto_i_pilots_levels(out, count, p, stage);
    return;
  }
  memcpy(out, usual, count);
  sotto_i_pilots_spent(out, count, p);
}

/* These count a neighbour twice, and no node of another group counts them. */
static bool is_of_sums(uint8_t group) {
  return group == SOTTO_I_STAGE_DIRECTIONS || group == SOTTO_I_STAGE_SUMS;
}

/* All pairs of groups and levels: all releases together, and the most is reached. */
static void an_edge_moves_all_releases_by_two_at_most(void **state) {
  static const uint8_t groups[] = {0,
                                   SOTTO_I_STAGE_CLASS,
                                   SOTTO_I_STAGE_FEATURES,
                                   SOTTO_I_STAGE_TRANSFERS,
                                   SOTTO_I_STAGE_SURVEY,
                                   SOTTO_I_STAGE_KINDS,
                                   SOTTO_I_STAGE_DIRECTIONS,
                                   SOTTO_I_STAGE_SUMS};
  enum { group_count = sizeof groups, kinds = group_count * (SOTTO_I_MOST_LEVEL + 1) };
  uint8_t group[kinds], usual[kinds], levels[kinds];
  const sotto_i_pilots p = {.group = group};
  static float moved[kinds][kinds];
  float most = 0;
  (void)state;
  for (int i = 0; i < kinds; i++) {
    group[i] = groups[i % group_count];
    usual[i] = (uint8_t)(i / group_count);
  }
  for (sotto_i_pilot_stage stage = SOTTO_I_STAGE_CLASS; stage < SOTTO_I_STAGES; stage++) {
    levels_of(levels, usual, &p, kinds, stage);
    for (int u = 0; u < kinds; u++)
      for (int v = 0; v < kinds; v++)
        moved[u][v] +=
            sotto_i_counts_weight(levels[u], levels[v]) + sotto_i_counts_weight(levels[v], levels[u]);
  }
  for (int u = 0; u < kinds; u++)
    for (int v = 0; v < kinds; v++) {
      assert_true(moved[u][v] <= 2);
      const bool apart = group[u] != group[v] && is_of_sums(group[u]) && is_of_sums(group[v]);
      if (group[u] != 0 && group[v] != 0) assert_true(moved[u][v] == (apart ? 0 : 2));
      most = fmaxf(most, moved[u][v]);
    }
  assert_true(most == 2);
}

static void the_expected_count_is_the_mean_of_a_plain_loop(void **state) {
  sotto_i_random random = check_random();
  uint8_t levels[200];
  double expected[SOTTO_I_LEVELS];
  (void)state;
  for (int v = 0; v < 200; v++) levels[v] = (uint8_t)sotto_i_random_below(&random, SOTTO_I_LEVELS);
  sotto_i_counts_expected(expected, levels, 200);
  for (int own = 0; own < SOTTO_I_LEVELS; own++) {
    double sum = 0;
    for (int v = 0; v < 200; v++) sum += (double)sotto_i_counts_weight((uint8_t)own, levels[v]);
    CHECK_NEAR(expected[own], sum / 200, 1e-9);
  }
}

/* Pilots whose counts tell the class, or nothing. */
static void measure(sotto_i_pilots *p, sotto_i_cluster_kind kind, double signal, sotto_i_random *random) {
  static uint32_t rows[nodes];
  static int32_t labels[nodes];
  sotto_matrix base, read;
  const sotto_i_parted parted = {
      .split = {.rows = {[SOTTO_PART_TRAIN] = rows}, .count = {[SOTTO_PART_TRAIN] = nodes}},
      .labels = {[SOTTO_PART_TRAIN] = labels}};
  const size_t count = p->count[sotto_i_pilots_stage(kind)];
  CHECK_OK(sotto_matrix_new(&base, count, 2, &err));
  CHECK_OK(sotto_matrix_new(&read, count, 5, &err));
  for (uint32_t v = 0; v < nodes; v++) {
    rows[v] = v;
    labels[v] = sotto_i_random_double(random) < 0.3;
  }
  for (size_t i = 0; i < 2 * count; i++) base.data[i] = (float)sotto_i_random_normal(random);
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < 5; j++)
      read.data[5 * i + j] = (float)(sotto_i_random_normal(random) +
                                     (j == 0 ? signal * labels[p->nodes[sotto_i_pilots_stage(kind)][i]] : 0));
  CHECK_OK(sotto_i_pilots_measure(p, kind, &base, &read, &parted, &err));
  sotto_matrix_free(&base);
  sotto_matrix_free(&read);
}

static void pilots_choose_what_lowers_the_loss(void **state) {
  static uint32_t rows[nodes];
  sotto_i_random random = check_random();
  sotto_dataset data;
  sotto_options o;
  const sotto_i_job job = make_job(&data, &o);
  const sotto_i_parted parted = {
      .split = {.rows = {[SOTTO_PART_TRAIN] = rows}, .count = {[SOTTO_PART_TRAIN] = nodes}}};
  sotto_i_pilots p;
  (void)state;
  for (uint32_t i = 0; i < nodes; i++) rows[i] = i;
  CHECK_OK(sotto_i_pilots_draw(&p, &job, &parted,
                               (sotto_i_cluster_choice){.features = true, .transfers = true}, &err));
  measure(&p, SOTTO_I_BY_CLASS, 0, &random);
  sotto_matrix_free(&p.read[SOTTO_I_BY_FEATURES]);
  measure(&p, SOTTO_I_BY_FEATURES, 2, &random);
  print_message("gain %.3f +- %.3f, %.3f +- %.3f\n", p.gain[0], p.deviation[0], p.gain[1], p.deviation[1]);
  assert_true(fabs(p.gain[SOTTO_I_BY_CLASS]) < 0.05 && p.gain[SOTTO_I_BY_FEATURES] > 0.15);
  assert_int_equal(sotto_i_pilots_choose(&p), SOTTO_I_BY_FEATURES);
  p.gain[SOTTO_I_BY_CLASS] = p.gain[SOTTO_I_BY_FEATURES]; /* no better is not enough */
  assert_int_equal(sotto_i_pilots_choose(&p), SOTTO_I_BY_CLASS);
  p.gain[SOTTO_I_BY_CLASS] = -1;
  p.gain[SOTTO_I_BY_FEATURES] = -0.1; /* nor is harm */
  assert_int_equal(sotto_i_pilots_choose(&p), SOTTO_I_BY_CLASS);
  p.gain[SOTTO_I_BY_FEATURES] = NAN;
  assert_int_equal(sotto_i_pilots_choose(&p), SOTTO_I_BY_CLASS);
  p.deviation[SOTTO_I_BY_CLASS] = p.deviation[SOTTO_I_BY_FEATURES] = p.deviation[SOTTO_I_BY_TRANSFERS] = 0.1;
  p.deviation[SOTTO_I_BY_KINDS] = 0.1;
  p.gain[SOTTO_I_BY_CLASS] = 0;
  p.gain[SOTTO_I_BY_TRANSFERS] = -0.1;
  p.gain[SOTTO_I_BY_FEATURES] = 0.27; /* features by two errors of the difference, which is 0.14 */
  assert_int_equal(sotto_i_pilots_choose(&p), SOTTO_I_BY_CLASS);
  p.gain[SOTTO_I_BY_FEATURES] = 0.29;
  assert_int_equal(sotto_i_pilots_choose(&p), SOTTO_I_BY_FEATURES);
  p.gain[SOTTO_I_BY_FEATURES] = 0.1;
  p.gain[SOTTO_I_BY_TRANSFERS] = 0.06; /* transfers by half of one */
  assert_int_equal(sotto_i_pilots_choose(&p), SOTTO_I_BY_CLASS);
  p.gain[SOTTO_I_BY_TRANSFERS] = 0.08;
  assert_int_equal(sotto_i_pilots_choose(&p), SOTTO_I_BY_TRANSFERS);
  p.gain[SOTTO_I_BY_CLASS] = -1;
  p.gain[SOTTO_I_BY_FEATURES] = 0.2; /* of two that are better, the best */
  p.gain[SOTTO_I_BY_TRANSFERS] = 0.3;
  assert_int_equal(sotto_i_pilots_choose(&p), SOTTO_I_BY_TRANSFERS);
  p.gain[SOTTO_I_BY_KINDS] = 0.4;
  assert_int_equal(sotto_i_pilots_choose(&p), SOTTO_I_BY_KINDS);
  p.gain[SOTTO_I_BY_KINDS] = p.gain[SOTTO_I_BY_TRANSFERS] = 0.1;
  assert_int_equal(sotto_i_pilots_choose(&p), SOTTO_I_BY_FEATURES);
  p.deviation[SOTTO_I_BY_SUMS] = 0.1;
  p.gain[SOTTO_I_BY_CLASS] = 0;
  p.gain[SOTTO_I_BY_FEATURES] = 0;
  p.gain[SOTTO_I_BY_TRANSFERS] = p.gain[SOTTO_I_BY_KINDS] = 0;
  p.gain[SOTTO_I_BY_SUMS] = 0.13; /* sums by one error of the difference */
  assert_int_equal(sotto_i_pilots_choose(&p), SOTTO_I_BY_CLASS);
  p.gain[SOTTO_I_BY_SUMS] = 0.15;
  assert_int_equal(sotto_i_pilots_choose(&p), SOTTO_I_BY_SUMS);
  p.gain[SOTTO_I_BY_SUMS] = 0;
  p.gain[SOTTO_I_BY_FEATURES] =
      p.gain[SOTTO_I_BY_CLASS] + 1.5 * hypot(p.deviation[SOTTO_I_BY_CLASS], p.deviation[SOTTO_I_BY_FEATURES]);
  assert_int_equal(sotto_i_pilots_choose(&p), SOTTO_I_BY_CLASS);
  p.apart = true; /* one error is enough for these */
  assert_int_equal(sotto_i_pilots_choose(&p), SOTTO_I_BY_FEATURES);
  assert_int_equal(sotto_i_kind_of_round(SOTTO_I_BY_SUMS, 1), SOTTO_I_BY_SUMS);
  assert_int_equal(sotto_i_kind_of_round(SOTTO_I_BY_FEATURES, 1), SOTTO_I_BY_CLASS);
  sotto_i_pilots_free(&p);
}

/* Sums of three columns, of which the second is larger in the first class. */
static void directions_follow_what_tells_the_class(void **state) {
  static uint32_t rows[nodes];
  static int32_t labels[nodes];
  sotto_i_random random = check_random();
  sotto_dataset data;
  sotto_options o;
  const sotto_i_job job = make_job(&data, &o);
  const sotto_i_parted parted = {
      .split = {.rows = {[SOTTO_PART_TRAIN] = rows}, .count = {[SOTTO_PART_TRAIN] = nodes}},
      .labels = {[SOTTO_PART_TRAIN] = labels}};
  sotto_i_pilots p;
  sotto_matrix base, sums, out;
  (void)state;
  for (uint32_t v = 0; v < nodes; v++) rows[v] = v;
  for (uint32_t v = 0; v < nodes; v++) labels[v] = v % 40 == 0;
  assert_false(sotto_i_can_learn_directions(&parted, 2)); /* 10 of the rare class in 400 */
  for (uint32_t v = 0; v < nodes; v++) labels[v] = sotto_i_random_double(&random) < 0.3;
  assert_true(sotto_i_can_learn_directions(&parted, 2));
  CHECK_OK(sotto_i_pilots_draw(&p, &job, &parted, (sotto_i_cluster_choice){.sums = true}, &err));
  const size_t count = p.count[SOTTO_I_STAGE_DIRECTIONS];
  CHECK_OK(sotto_matrix_new(&base, count, 2, &err));
  CHECK_OK(sotto_matrix_new(&sums, count, 3, &err));
  CHECK_OK(sotto_matrix_new(&out, 3, 1, &err));
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < 3; j++)
      sums.data[3 * i + j] = (float)(100 * (sotto_i_random_normal(&random) -
                                            (j == 1 ? 2 * labels[p.nodes[SOTTO_I_STAGE_DIRECTIONS][i]] : 0)));
  CHECK_OK(sotto_i_pilots_directions(&out, &p, SOTTO_I_STAGE_DIRECTIONS, &base, &sums, &parted, &err));
  print_message("directions %g %g %g\n", (double)out.data[0], (double)out.data[1], (double)out.data[2]);
  assert_true(out.data[1] > 3 * fabsf(out.data[0]) && out.data[1] > 3 * fabsf(out.data[2]));
  p.deviation[SOTTO_I_BY_CLASS] = 0.1; /* classes suffice by two errors */
  p.gain[SOTTO_I_BY_CLASS] = 0.19;
  assert_false(sotto_i_pilots_suffice(&p));
  p.gain[SOTTO_I_BY_CLASS] = 0.21;
  assert_true(sotto_i_pilots_suffice(&p));
  sotto_i_pilots_free(&p);
  sotto_matrix_free(&base);
  sotto_matrix_free(&sums);
  sotto_matrix_free(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tenth_of_the_training_nodes_is_in_each_group),
      cmocka_unit_test(stages_have_an_order),
      cmocka_unit_test(an_edge_moves_all_releases_by_two_at_most),
      cmocka_unit_test(the_expected_count_is_the_mean_of_a_plain_loop),
      cmocka_unit_test(pilots_choose_what_lowers_the_loss),
      cmocka_unit_test(directions_follow_what_tells_the_class),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
