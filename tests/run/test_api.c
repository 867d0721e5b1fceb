/* Runs of the public interface: their life, and what can be asked of them in each part of it. */
#include <math.h>
#include <sys/stat.h>

#include "api_runs.h"
#include "base/file.h"
#include "check.h"

static void a_new_run_has_options_and_no_results(void **state) {
  (void)state;
  sotto_run *run = NULL;
  sotto_quality quality;
  sotto_model *model = (sotto_model *)1;
  CHECK_OK(sotto_run_new(&run, &err));
  assert_string_equal(check_run_value(run, "method"), "vesper");
  assert_int_equal(sotto_run_seeds(run), 0);
  assert_null(sotto_run_statement(run));
  assert_null(sotto_run_result(run));
  assert_null(sotto_run_metrics(run));
  assert_null(sotto_run_folder(run));
  CHECK_FAILS(SOTTO_INVALID, "not done", sotto_run_quality(run, &quality, 0, SOTTO_PART_TEST, false, &err));
  CHECK_FAILS(SOTTO_INVALID, "not done", sotto_run_model(run, &model, 0, &err));
  assert_null(model);
  sotto_run_free(run);
  sotto_run_free(NULL);
}

static void options_are_texts_with_the_defaults_of_the_method(void **state) {
  (void)state;
  sotto_run *run = NULL;
  char value[4];
  CHECK_OK(sotto_run_new(&run, &err));
  check_run_set(run, "method", "gap");
  assert_string_equal(check_run_value(run, "layers"), "1");
  check_run_set(run, "adjacency", "none");
  assert_string_equal(check_run_value(run, "layers"), "2");
  assert_int_equal(sotto_run_options(run)->layers, 2);
  check_run_set(run, "method", "vesper");
  check_run_set(run, "out", "some/folder");
  assert_string_equal(check_run_value(run, "out"), "some/folder");
  CHECK_FAILS(SOTTO_RANGE, "12 bytes", sotto_run_get(run, value, sizeof value, "out", &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "speed", sotto_run_get(run, value, sizeof value, "speed", &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "did you mean 'epsilon'", sotto_run_set(run, "epsilom", "1", &err));
  CHECK_FAILS(SOTTO_INVALID, "did you mean 'caribou'", sotto_run_set(run, "method", "caribu", &err));
  CHECK_FAILS(SOTTO_PARSE, "epochs", sotto_run_set(run, "epochs", "many", &err));
  CHECK_FAILS(SOTTO_RANGE, "dropout", sotto_run_set(run, "dropout", "2", &err));
  sotto_run_free(run);
}

static void a_run_file_sets_what_was_not_set(void **state) {
  (void)state;
  static const char file[] = "method: gap\nepochs: 9\nhidden: 5\n", wrong[] = "epochs: 7\nhiden: 5\n";
  sotto_run *run = NULL;
  CHECK_OK(sotto_i_write_file(check_path("run.yaml"), file, sizeof file - 1, &err));
  CHECK_OK(sotto_i_write_file(check_path("wrong.yaml"), wrong, sizeof wrong - 1, &err));
  CHECK_OK(sotto_run_new(&run, &err));
  check_run_set(run, "epochs", "11");
  CHECK_OK(sotto_run_read(run, check_path("run.yaml"), &err));
  assert_string_equal(check_run_value(run, "method"), "gap");
  assert_string_equal(check_run_value(run, "epochs"), "11");
  assert_string_equal(check_run_value(run, "hidden"), "5");
  CHECK_FAILS(SOTTO_NOT_FOUND, "hiden", sotto_run_read(run, check_path("wrong.yaml"), &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "absent.yaml", sotto_run_read(run, check_path("absent.yaml"), &err));
  sotto_run_free(run);
}

static void checks_name_options_and_methods(void **state) {
  (void)state;
  sotto_run *run = check_short_run("gap");
  sotto_dataset data = check_blocks();
  CHECK_OK(sotto_run_check(run, &err));
  check_run_set(run, "clients", "3");
  CHECK_FAILS(SOTTO_INVALID, "clients: method gap has no such option", sotto_run_check(run, &err));
  CHECK_FAILS(SOTTO_INVALID, "fedavg", sotto_run_train(run, &data, NULL, &err));
  assert_null(sotto_run_folder(run));
  check_run_set(run, "method", "fedavg");
  CHECK_FAILS(SOTTO_INVALID, "epsilon: has no meaning with adjacency none", sotto_run_check(run, &err));
  check_run_set(run, "adjacency", "edge");
  check_run_set(run, "contraction", "0.5");
  CHECK_FAILS(SOTTO_INVALID, "contraction: method fedavg", sotto_run_check(run, &err));
  sotto_run_free(run);
  run = check_short_run("gap");
  check_run_set(run, "resume", "true");
  CHECK_FAILS(SOTTO_INVALID, "resume: needs out", sotto_run_check(run, &err));
  sotto_run_free(run);
  sotto_dataset_free(&data);
}

static void a_run_without_a_folder_answers_and_leaves_no_file(void **state) {
  (void)state;
  const char *parent = check_temporary("private");
  sotto_dataset data = check_blocks();
  sotto_run *run = check_short_run("gap");
  sotto_quality test, baseline, other;
  struct stat info;
  check_run_set(run, "seeds", "2");
  CHECK_OK(sotto_run_train(run, &data, NULL, &err));
  assert_int_equal(check_entries(parent), 1);
  assert_memory_equal(sotto_run_folder(run), parent, strlen(parent));
  assert_int_equal(stat(sotto_run_folder(run), &info), 0);
  assert_int_equal(info.st_mode & 0777, 0700);
  assert_int_equal(sotto_run_seeds(run), 2);
  CHECK_OK(sotto_run_quality(run, &test, 0, SOTTO_PART_TEST, false, &err));
  CHECK_OK(sotto_run_quality(run, &other, 1, SOTTO_PART_VALIDATION, false, &err));
  CHECK_OK(sotto_run_quality(run, &baseline, 1, SOTTO_PART_TEST, true, &err));
  assert_true(test.of[SOTTO_MEASURE_ACCURACY] > 0.3 && test.of[SOTTO_MEASURE_ACCURACY] <= 1 &&
              other.of[SOTTO_MEASURE_ACCURACY] > 0.3);
  assert_true(isnan(baseline.of[SOTTO_MEASURE_ACCURACY]) || baseline.of[SOTTO_MEASURE_ACCURACY] <= 1);
  CHECK_FAILS(SOTTO_RANGE, "2 seeds", sotto_run_quality(run, &test, 2, SOTTO_PART_TEST, false, &err));
  CHECK_FAILS(SOTTO_RANGE, "part", sotto_run_quality(run, &test, 0, SOTTO_PART_TRAIN, false, &err));
  assert_non_null(strstr(sotto_run_statement(run), "\"epsilon_planned\": 8"));
  assert_non_null(strstr(sotto_run_result(run), "\"macro_f1\""));
  assert_non_null(strstr(sotto_run_metrics(run), "{\"seed\":2,\"test\""));
  assert_true(check_lines(sotto_run_metrics(run)) >= 2 * 6 + 2);
  assert_string_equal(check_run_value(run, "data"), "(in memory)");
  CHECK_FAILS(SOTTO_INVALID, "the run is done", sotto_run_train(run, &data, NULL, &err));
  CHECK_FAILS(SOTTO_INVALID, "options are fixed", sotto_run_set(run, "epochs", "7", &err));
  CHECK_FAILS(SOTTO_INVALID, "options are fixed", sotto_run_read(run, "any.yaml", &err));
  CHECK_OK(sotto_run_check(run, &err));
  assert_int_equal(sotto_run_seeds(run), 2);
  sotto_run_free(run);
  assert_int_equal(check_entries(parent), 0);
  sotto_dataset_free(&data);
}

static void a_run_folder_that_was_named_stays(void **state) {
  (void)state;
  static const char *const files[] = {"run.yaml",       "run.id",      "metrics.jsonl",
                                      "statement.json", "result.json", "model.safetensors"};
  sotto_dataset data = check_blocks();
  const char *parent = check_temporary("unused");
  sotto_run *run = check_short_run("gap");
  sotto_quality first, again;
  char path[1200];
  check_run_set(run, "out", check_path("kept"));
  CHECK_OK(sotto_run_train(run, &data, NULL, &err));
  CHECK_OK(sotto_run_quality(run, &first, 0, SOTTO_PART_TEST, false, &err));
  assert_string_equal(sotto_run_folder(run), check_path("kept"));
  sotto_run_free(run);
  assert_int_equal(check_entries(parent), 0);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    (void)snprintf(path, sizeof path, "%s/%s", check_path("kept"), files[i]);
    assert_true(sotto_i_is_file(path));
  }
  run = check_short_run("gap");
  check_run_set(run, "out", check_path("kept"));
  CHECK_FAILS(SOTTO_INVALID, "holds a run already; set resume", sotto_run_train(run, &data, NULL, &err));
  check_run_set(run, "resume", "true");
  CHECK_OK(sotto_run_train(run, &data, NULL, &err));
  CHECK_OK(sotto_run_quality(run, &again, 0, SOTTO_PART_TEST, false, &err));
  assert_true(first.of[SOTTO_MEASURE_ACCURACY] == again.of[SOTTO_MEASURE_ACCURACY]);
  sotto_run_free(run);
  sotto_dataset_free(&data);
}

static void models_answer_as_they_were_measured(void **state) {
  (void)state;
  sotto_dataset data = check_blocks();
  sotto_run *run = check_short_run("best");
  sotto_model *model = NULL;
  sotto_quality quality;
  float scores[120 * 3];
  (void)check_temporary("models");
  check_run_set(run, "seeds", "2");
  CHECK_OK(sotto_run_train(run, &data, NULL, &err));
  for (size_t seed = 0; seed < 2; seed++) {
    size_t count, right = 0;
    CHECK_OK(sotto_run_model(run, &model, seed, &err));
    CHECK_OK(sotto_model_predict(model, scores, 120 * 3, NULL, 120, &err));
    const uint32_t *test = sotto_model_part(model, SOTTO_PART_TEST, &count);
    for (size_t i = 0; i < count; i++) {
      const float *s = &scores[3 * test[i]];
      const int best = s[1] > s[0] ? (s[2] > s[1] ? 2 : 1) : (s[2] > s[0] ? 2 : 0);
      right += best == data.labels[test[i]];
    }
    CHECK_OK(sotto_run_quality(run, &quality, seed, SOTTO_PART_TEST, false, &err));
    CHECK_NEAR((double)right / (double)count, quality.of[SOTTO_MEASURE_ACCURACY], 1e-9);
    sotto_model_free(model);
  }
  CHECK_FAILS(SOTTO_RANGE, "2 seeds", sotto_run_model(run, &model, 2, &err));
  sotto_run_free(run);
  sotto_dataset_free(&data);
}

static void delta_follows_from_the_number_of_nodes(void **state) {
  (void)state;
  static const struct {
    const char *method, *adjacency, *given;
    uint64_t nodes;
    double delta;
  } rows[] = {
      {"gap", "edge", "", 100, 1e-6},         {"gap", "edge", "", 100000, 1e-6},
      {"gap", "edge", "", 100001, 1e-7},      {"gap", "edge", "", 2000000, 1e-8},
      {"gap", "edge", "1e-3", 2000000, 1e-3}, {"gap", "node", "", 100, 1e-6},
      {"gap", "node", "", 2000000, 1e-8},     {"fedavg", "none", "", 100, 1e-6},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sotto_options o;
    sotto_options_default(&o);
    check_set(&o, "method", rows[i].method);
    check_set(&o, "adjacency", rows[i].adjacency);
    if (rows[i].given[0] != '\0') check_set(&o, "delta", rows[i].given);
    for (int twice = 0; twice < 2; twice++) {
      sotto_options_settle(&o, rows[i].nodes);
      CHECK_NEAR(o.delta / rows[i].delta, 1, 1e-9);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_new_run_has_options_and_no_results),
      cmocka_unit_test(options_are_texts_with_the_defaults_of_the_method),
      cmocka_unit_test(a_run_file_sets_what_was_not_set),
      cmocka_unit_test(checks_name_options_and_methods),
      cmocka_unit_test(a_run_without_a_folder_answers_and_leaves_no_file),
      cmocka_unit_test(a_run_folder_that_was_named_stays),
      cmocka_unit_test(models_answer_as_they_were_measured),
      cmocka_unit_test(delta_follows_from_the_number_of_nodes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
