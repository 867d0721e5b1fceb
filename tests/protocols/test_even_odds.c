/* Clusters of two classes, one of them rare. */
#include <math.h>

#include "check.h"
#include "protocols/rounds.h"

enum { nodes = 1000 };

/* No node is more likely of the rare class than not; weighed, as many nodes as the class has are above even
 * odds and no order changes. */
static void a_rare_class_has_a_cluster(void **state) {
  (void)state;
  sotto_matrix scores;
  CHECK_OK(sotto_matrix_new(&scores, nodes, 2, &err));
  size_t before = 0, after = 0;
  for (size_t v = 0; v < nodes; v++) {
    const double chance = 0.01 + 0.3 * pow((double)v / nodes, 3);
    scores.data[2 * v] = (float)log(1 - chance);
    scores.data[2 * v + 1] = (float)log(chance);
    before += scores.data[2 * v + 1] > scores.data[2 * v];
  }
  sotto_i_rounds_even_odds(&scores);
  for (size_t v = 0; v < nodes; v++) {
    const float odds = scores.data[2 * v + 1] - scores.data[2 * v];
    after += odds > 0;
    if (v > 0) assert_true(odds >= scores.data[2 * v - 1] - scores.data[2 * v - 2]);
  }
  assert_int_equal(before, 0);
  assert_true(after > nodes / 5 && after < nodes / 2);
  sotto_matrix_free(&scores);
}

/* Where both are as many, nothing changes. */
static void even_classes_stay(void **state) {
  (void)state;
  float values[] = {-0.1F, -2, -2, -0.1F}, same[4];
  sotto_matrix scores = {values, 2, 2};
  memcpy(same, values, sizeof same);
  sotto_i_rounds_even_odds(&scores);
  for (int i = 0; i < 4; i += 2) CHECK_NEAR(values[i] - values[i + 1], same[i] - same[i + 1], 1e-5);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_rare_class_has_a_cluster),
                                     cmocka_unit_test(even_classes_stay)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
