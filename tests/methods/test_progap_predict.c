/* Predictions of method progap: the run's own quality again, what a query moves, and which stage answers. */
#include "check.h"
#include "inside/run.h"
#include "ledgers.h"
#include "made_run.h"
#include "progap_runs.h"
#include "sotto/model.h"

/* A run of 300 nodes, written down as predictions read it. */
static double trained(const sotto_options *asked, const sotto_dataset *data) {
  sotto_options o = *asked;
  char path[1400];
  sotto_options_resolve(&o);
  (void)snprintf(path, sizeof path, "%.1000s/run.yaml", o.out);
  CHECK_OK(sotto_options_write(&o, path, &err));
  sotto_result result = check_run(&o, data);
  const double accuracy = result.seeds[0].test.of[SOTTO_MEASURE_ACCURACY];
  sotto_result_free(&result);
  return accuracy;
}

static double accuracy_of(sotto_model *model, const sotto_matrix *answers) {
  const int32_t *labels = sotto_model_data(model)->labels;
  size_t count, right = 0;
  const uint32_t *nodes = sotto_model_part(model, SOTTO_PART_TEST, &count);
  for (size_t i = 0; i < count; i++) {
    const float *row = answers->data + nodes[i] * answers->cols;
    size_t best = 0;
    for (size_t j = 1; j < answers->cols; j++)
      if (row[j] > row[best]) best = j;
    right += (int32_t)best == labels[nodes[i]];
  }
  return (double)right / (double)count;
}

/* How many nodes answer otherwise when the features of node 7 are turned round. */
static size_t moved(sotto_model *model, const sotto_matrix *before) {
  const sotto_matrix *features = sotto_model_features(model);
  const uint32_t node = 7;
  sotto_matrix x, after;
  size_t count = 0;
  CHECK_OK(sotto_matrix_new(&x, 1, features->cols, &err));
  for (size_t j = 0; j < x.cols; j++) x.data[j] = -features->data[node * x.cols + j];
  const sotto_query query = {.changed = &node, .changed_count = 1, .x = &x};
  CHECK_OK(sotto_model_query(&after, model, &query, &err));
  for (size_t v = 0; v < after.rows; v++)
    count +=
        memcmp(after.data + v * after.cols, before->data + v * after.cols, after.cols * sizeof(float)) != 0;
  sotto_matrix_free(&after);
  sotto_matrix_free(&x);
  return count;
}

static void a_model_answers_with_the_quality_its_run_reported(void **state) {
  (void)state;
  static const struct {
    const char *name, *epsilon, *layers, *combine, *epochs;
    bool fixed;
  } rows[] = {{"noisy", "16", "2", "cat", "12", true},
              {"noisy-max", "16", "2", "max", "12", true},
              {"noisy-three", "32", "3", "cat", "12", true},
              {"clear", "inf", "2", "cat", "12", false},
              {"clear-one", "inf", "1", "attention", "12", false}};
  sotto_dataset data = check_progap_data(300, 1);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const sotto_model_options usual = {.seed = SOTTO_UNSET}, fresh = {.seed = SOTTO_UNSET, .fresh = true};
    sotto_options o = check_progap_options(rows[i].name, rows[i].layers);
    sotto_model *model;
    sotto_matrix answers, others;
    check_set(&o, "epsilon", rows[i].epsilon);
    check_set(&o, "combine", rows[i].combine);
    if (rows[i].fixed) check_set(&o, "insecure-seed", "5"); /* a release is the model, not the stage before */
    const double said = trained(&o, &data);
    CHECK_OK(sotto_model_open(&model, o.out, &data, &usual, &err));
    CHECK_OK(sotto_model_query(&answers, model, &(sotto_query){0}, &err));
    assert_true(accuracy_of(model, &answers) == said);
    assert_true(sotto_model_is_fixed(model) == rows[i].fixed);
    assert_true(rows[i].fixed ? moved(model, &answers) == 1 : moved(model, &answers) > 1);
    sotto_model_free(model);
    CHECK_OK(sotto_model_open(&model, o.out, &data, &fresh, &err));
    CHECK_OK(sotto_model_query(&others, model, &(sotto_query){0}, &err));
    assert_false(sotto_model_is_fixed(model));
    assert_true((memcmp(answers.data, others.data, sizeof(float) * 300 * 3) == 0) == !rows[i].fixed);
    sotto_matrix_free(&answers);
    sotto_matrix_free(&others);
    sotto_model_free(model);
  }
  sotto_dataset_free(&data);
}

static void other_data_needs_another_release(void **state) {
  (void)state;
  sotto_dataset data = check_progap_data(300, 1), other = check_progap_data(200, 1);
  const sotto_model_options usual = {.seed = SOTTO_UNSET};
  sotto_options o = check_progap_options("other", "1");
  sotto_model *model;
  check_set(&o, "epsilon", "16");
  check_set(&o, "insecure-seed", "5"); /* with other noise, the stage without edges may validate best */
  (void)trained(&o, &data);
  CHECK_FAILS(SOTTO_INVALID, "another release", sotto_model_open(&model, o.out, &other, &usual, &err));
  o = check_progap_options("other-clear", "1");
  check_set(&o, "adjacency", "none");
  (void)trained(&o, &data);
  CHECK_OK(sotto_model_open(&model, o.out, &other, &usual, &err));
  sotto_model_free(model);
  sotto_dataset_free(&data);
  sotto_dataset_free(&other);
}

/* At an epsilon where the sums are noise alone, the stage without edges may be the model, and answers too. */
static void no_run_validates_below_features_alone(void **state) {
  (void)state;
  sotto_dataset data = check_progap_data(120, 4);
  const sotto_model_options usual = {.seed = SOTTO_UNSET};
  int first = 0;
  for (int i = 0; i < 8; i++) {
    char folder[32], seed[8];
    (void)snprintf(folder, sizeof folder, "floor-%d", i);
    (void)snprintf(seed, sizeof seed, "%d", i + 1);
    sotto_options o = check_progap_options(folder, "1");
    check_set(&o, "epsilon", "0.01");
    check_set(&o, "seed", seed);
    check_set(&o, "epochs", "1");
    (void)trained(&o, &data);
    o.resume = true; /* reads what the run gave */
    sotto_result result = check_run(&o, &data);
    const sotto_seed_result *s = &result.seeds[0];
    assert_true(s->validation.of[SOTTO_MEASURE_ACCURACY] >=
                s->baseline_validation.of[SOTTO_MEASURE_ACCURACY]);
    if (s->validation.of[SOTTO_MEASURE_ACCURACY] == s->baseline_validation.of[SOTTO_MEASURE_ACCURACY]) {
      sotto_model *model;
      sotto_matrix answers;
      assert_true(s->test.of[SOTTO_MEASURE_ACCURACY] == s->baseline_test.of[SOTTO_MEASURE_ACCURACY]);
      CHECK_OK(sotto_model_open(&model, o.out, &data, &usual, &err));
      CHECK_OK(sotto_model_query(&answers, model, &(sotto_query){0}, &err));
      assert_true(accuracy_of(model, &answers) == s->test.of[SOTTO_MEASURE_ACCURACY] &&
                  sotto_model_is_fixed(model));
      sotto_matrix_free(&answers);
      sotto_model_free(model);
      first++;
    }
    sotto_result_free(&result);
  }
  assert_true(first > 0); /* it did fall back */
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_model_answers_with_the_quality_its_run_reported),
      cmocka_unit_test(other_data_needs_another_release),
      cmocka_unit_test(no_run_validates_below_features_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
