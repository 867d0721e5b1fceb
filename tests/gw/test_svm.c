/* The SVM on a table: penalties one after the other, and where that ends. */
#include <math.h>

#include "base/random.h"
#include "check.h"
#include "gw/folds.h"

enum { most = 700, ladder = 9 };

/* Points of a line with the squares of their distances, so that a kernel of a small gamma has few directions.
 * Labels are by place, or noise. */
typedef struct line {
  sotto_gw_table table;
  uint32_t items[most];
} line;

static void make_line(line *l, uint32_t count, bool clean) {
  sotto_i_random random;
  sotto_key key;
  sotto_key_public(&key, 5);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_INIT, 0, 0);
  double place[most];
  l->table = (sotto_gw_table){.count = count};
  l->table.distance = malloc((size_t)count * count * sizeof(double));
  l->table.labels = malloc(count * sizeof *l->table.labels);
  assert_true(l->table.distance != NULL && l->table.labels != NULL);
  for (uint32_t i = 0; i < count; i++) {
    place[i] = sotto_i_random_double(&random);
    l->items[i] = i;
    l->table.labels[i] = clean ? place[i] > 0.4 : (int32_t)sotto_i_random_below(&random, 2);
  }
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j <= i; j++)
      l->table.distance[i * count + j] = l->table.distance[j * count + i] =
          (place[i] - place[j]) * (place[i] - place[j]);
}

static void free_line(line *l) {
  free(l->table.distance);
  free(l->table.labels);
}

static sotto_i_gw_task task_of(const line *l, double gamma) {
  const uint32_t train = l->table.count / 2;
  return (sotto_i_gw_task){.table = &l->table,
                           .train = l->items,
                           .test = l->items + train,
                           .train_count = train,
                           .test_count = l->table.count - train,
                           .gamma = gamma};
}

static const double penalties[ladder] = {0.1, 1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7};

static void penalties_in_a_row_answer_as_each_alone(void **state) {
  (void)state;
  line l;
  double right[ladder], alone, best = 0;
  make_line(&l, 60, true);
  for (double gamma = 1.0 / 1024; gamma <= 1024; gamma *= 32) {
    const sotto_i_gw_task task = task_of(&l, gamma);
    CHECK_OK(sotto_i_gw_svm(right, &task, penalties, ladder, &err));
    for (size_t c = 0; c < ladder; c++) {
      CHECK_OK(sotto_i_gw_svm(&alone, &task, &penalties[c], 1, &err));
      assert_true(right[c] == alone);
      if (alone > best) best = alone;
    }
  }
  assert_true(best >= 28); /* of 30 */
  free_line(&l);
}

static void what_takes_too_long_ends_the_row(void **state) {
  (void)state;
  line l;
  double right[ladder], alone;
  make_line(&l, most, false);
  const sotto_i_gw_task task = task_of(&l, 1);
  CHECK_OK(sotto_i_gw_svm(right, &task, penalties, ladder, &err));
  CHECK_OK(sotto_i_gw_svm(&alone, &task, &penalties[ladder - 1], 1, &err));
  assert_true(right[ladder - 1] == right[ladder - 2]);
  assert_true(alone != right[ladder - 1]); /* the greatest was not tried in the row */
  free_line(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(penalties_in_a_row_answer_as_each_alone),
      cmocka_unit_test(what_takes_too_long_ends_the_row),
  };
  sotto_i_gw_svm_quiet();
  return cmocka_run_group_tests_name("gw.svm", tests, NULL, NULL);
}
