/* Who is unsure of which node: levels, the share that listens, and nodes that are known. */
#include <math.h>

#include "base/memory.h"
#include "check.h"
#include "protocols/unsure.h"

enum { nodes = 200, classes = 3 };

static uint8_t *levels_of(const sotto_matrix *scores, double share) {
  uint8_t *levels;
  double bound;
  CHECK_OK(sotto_i_unsure_bound(&bound, scores, share, &err));
  CHECK_OK(sotto_i_unsure_above(&levels, scores, bound, &err));
  return levels;
}

/* Rows of logarithms, each up to a constant of its own, whose chance to be wrong is given. */
static sotto_matrix rows_of(const double *wrong, sotto_i_random *random) {
  sotto_matrix x;
  CHECK_OK(sotto_matrix_new(&x, nodes, classes, &err));
  for (size_t v = 0; v < nodes; v++) {
    const size_t best = sotto_i_random_below(random, classes);
    const double constant = 4 * sotto_i_random_double(random) - 2;
    for (size_t j = 0; j < classes; j++)
      x.data[v * classes + j] = (float)(constant + log(j == best ? 1 - wrong[v] : wrong[v] / (classes - 1)));
  }
  return x;
}

static void a_level_is_one_more_for_three_times_the_chance_to_be_wrong(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  double wrong[nodes];
  uint8_t *levels;
  for (size_t v = 0; v < nodes; v++)
    wrong[v] = 0.66 * pow(1.0 / 3, (double)(v % 10)); /* far from the bounds */
  sotto_matrix x = rows_of(wrong, &random);
  levels = levels_of(&x, 1);
  for (size_t v = 0; v < nodes; v++) assert_int_equal(levels[v], SOTTO_I_MOST_LEVEL - v % 10);
  sotto_i_free(levels);
  sotto_matrix_free(&x);
}

static void the_least_sure_listen(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  double wrong[nodes];
  uint8_t *levels;
  for (size_t v = 0; v < nodes; v++) wrong[v] = 0.03 * (double)(v + 1) / nodes;
  sotto_matrix x = rows_of(wrong, &random);
  levels = levels_of(&x, 0.25);
  for (size_t v = 0; v < nodes; v++) assert_true((levels[v] != SOTTO_I_DEAF) == (v >= nodes * 3 / 4));
  sotto_i_free(levels);
  sotto_matrix_free(&x);
}

/* The bound of 1 / 27 is passed between nodes 73 and 74. */
static void whoever_is_unsure_listens_whatever_the_share(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  double wrong[nodes];
  uint8_t *levels;
  for (size_t v = 0; v < nodes; v++) wrong[v] = 0.1 * (double)(v + 1) / nodes;
  sotto_matrix x = rows_of(wrong, &random);
  levels = levels_of(&x, 0.25);
  for (size_t v = 0; v < nodes; v++) assert_true((levels[v] != SOTTO_I_DEAF) == (v >= 74));
  sotto_i_free(levels);
  sotto_matrix_free(&x);
}

static void known_nodes_listen_least_and_never_none_of_them(void **state) {
  (void)state;
  uint8_t levels[] = {4, SOTTO_I_DEAF, 9, SOTTO_I_DEAF};
  const uint32_t known[] = {0, 1}, deaf[] = {1, 3};
  sotto_i_sure_of(levels, known, 2);
  assert_true(levels[0] == 1 && levels[1] == SOTTO_I_DEAF && levels[2] == 9 && levels[3] == SOTTO_I_DEAF);
  sotto_i_sure_of(levels, deaf, 2);
  assert_true(levels[3] == SOTTO_I_DEAF);
  const uint32_t all_deaf[] = {3};
  sotto_i_some_listen(levels, known, 2);
  sotto_i_some_listen(levels, all_deaf, 1);
  assert_true(levels[1] == SOTTO_I_DEAF && levels[3] == 1 && levels[2] == 9);
}

static void levels_alike_say_nothing_of_confidence(void **state) {
  (void)state;
  uint8_t levels[] = {4, SOTTO_I_DEAF, 9, SOTTO_I_DEAF};
  const uint32_t sure[] = {0, 3};
  sotto_i_levels_alike(levels, 4, sure, 2);
  assert_true(levels[0] == levels[3] && levels[1] == levels[2]);
  assert_true(sotto_i_counts_weight(levels[1], levels[0]) == 2 &&
              sotto_i_counts_weight(levels[0], levels[1]) == 0);
  assert_true(sotto_i_counts_weight(levels[1], levels[2]) == 1 &&
              sotto_i_counts_weight(levels[0], levels[3]) == 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_level_is_one_more_for_three_times_the_chance_to_be_wrong),
      cmocka_unit_test(the_least_sure_listen),
      cmocka_unit_test(whoever_is_unsure_listens_whatever_the_share),
      cmocka_unit_test(known_nodes_listen_least_and_never_none_of_them),
      cmocka_unit_test(levels_alike_say_nothing_of_confidence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
