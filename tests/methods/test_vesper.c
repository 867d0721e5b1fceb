/* What the data party sees of labels: the told ones alone. */
#include "base/file.h"
#include "check.h"
#include "ledgers.h"
#include "made_run.h"
#include "run_files.h"
#include "small_graph.h"
#include "sotto/methods.h"

/* Trains into a folder; the last release of the data party, which followed from what it was sent. */
static sotto_release *train(const sotto_dataset *data, const char *folder, const char *label_epsilon) {
  static const char *const settings[][2] = {{"data", "d"},          {"publication", "layers"},
                                            {"releases", "2"},      {"hidden", "6"},
                                            {"epochs", "6"},        {"encoder-epochs", "5"},
                                            {"epsilon", "4"},       {"layer-weights", "true"},
                                            {"insecure-seed", "9"}, {"layers", "1"}};
  sotto_options o;
  sotto_result result;
  sotto_release *release;
  char path[300];
  sotto_options_default(&o);
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    check_set(&o, settings[i][0], settings[i][1]);
  check_set(&o, "label-epsilon", label_epsilon);
  check_set(&o, "ledger", check_new_ledger(check_path("ledger.db")));
  check_set(&o, "out", folder);
  CHECK_OK(sotto_i_make_folder(folder, &err));
  CHECK_OK(sotto_train(&result, &o, data, NULL, NULL, &err));
  (void)snprintf(path, sizeof path, "%s/seed-1/release-2.bin", folder);
  CHECK_OK(sotto_release_load(&release, path, &err));
  sotto_result_free(&result);
  return release;
}

static bool same(const sotto_release *a, const sotto_release *b) {
  bool equal = true;
  for (uint32_t k = 0; k <= 1; k++) {
    const sotto_matrix *x = sotto_release_layer(a, k), *y = sotto_release_layer(b, k);
    equal = equal && memcmp(x->data, y->data, x->rows * x->cols * sizeof(float)) == 0;
  }
  return equal;
}

/* Another truth, and the labels told for the first one. */
static bool sees_only_told_labels(const char *name, const char *label_epsilon) {
  char first[200], second[240], from[300], to[300];
  sotto_dataset data = check_labelled_graph(), other = check_labelled_graph();
  int32_t turned[120];
  for (uint64_t v = 0; v < 120; v++) turned[v] = (other.labels[v] + 1) % 3;
  sotto_dataset seen = other;
  seen.labels = turned;
  (void)snprintf(first, sizeof first, "%s", check_path(name));
  (void)snprintf(second, sizeof second, "%s-other", first);
  sotto_release *a = train(&data, first, label_epsilon);
  CHECK_OK(sotto_i_make_folder(second, &err));
  (void)snprintf(from, sizeof from, "%s/reported-labels.sotto", first);
  (void)snprintf(to, sizeof to, "%s/reported-labels.sotto", second);
  if (sotto_i_is_file(from)) check_copy_artifact(from, to);
  sotto_release *b = train(&seen, second, label_epsilon);
  bool equal = same(a, b);
  sotto_release_free(a);
  sotto_release_free(b);
  sotto_dataset_free(&data);
  sotto_dataset_free(&other);
  return equal;
}

static void what_the_data_party_releases_follows_from_told_labels(void **state) {
  (void)state;
  assert_true(sees_only_told_labels("told", "2"));
}

/* The check can fail: without randomised response the truth does show. */
static void without_telling_the_true_labels_show(void **state) {
  (void)state;
  assert_false(sees_only_told_labels("true", "0"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_the_data_party_releases_follows_from_told_labels),
      cmocka_unit_test(without_telling_the_true_labels_show),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
