/* What a data party takes of its peer when counts are published. */
#include <math.h>

#include "check.h"
#include "methods/vesper/vesper_halves.h"

/* Each class is a column of all nodes: a peer that names many would take the memory of the data party. */
static void classes_are_bounded(void **state) {
  static const float wrong[] = {0, 1, -3, 2.5f, SOTTO_I_MOST_CLUSTERS + 1, 65536, 4e9f, INFINITY, NAN};
  uint32_t classes = 7;
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    CHECK_FAILS(SOTTO_PROTOCOL, "there are 2 to 1024", sotto_i_counts_classes(&classes, wrong[i], &err));
  assert_int_equal(classes, 7);
  CHECK_OK(sotto_i_counts_classes(&classes, 2, &err));
  assert_int_equal(classes, 2);
  CHECK_OK(sotto_i_counts_classes(&classes, SOTTO_I_MOST_CLUSTERS, &err));
  assert_int_equal(classes, SOTTO_I_MOST_CLUSTERS);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(classes_are_bounded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
