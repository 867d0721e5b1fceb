/* A run answers for the nodes and features that its releases were made of, and edges decide nothing. */
#include <dirent.h>
#include <sodium.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "check.h"
#include "made_run.h"
#include "run_files.h"
#include "small_graph.h"
#include "sotto/generate.h"
#include "sotto/ledger.h"
#include "sotto/model.h"

static const sotto_sbm_options sbm = {
    .nodes = 90, .classes = 3, .features = 6, .degree_inside = 6, .degree_outside = 1, .feature_signal = 2};

static sotto_options options_of(const char *method, const char *folder) {
  static const char *const settings[] = {"hidden", "4", "epochs", "30", "delta", "1e-4", NULL};
  sotto_options options = check_options(method, folder);
  check_set_own(&options, settings);
  check_set(&options, "epsilon", "40");
  return options;
}

static void check_refused(const char *run, const sotto_dataset *other) {
  sotto_model *model;
  sotto_error err = {0};
  if (sotto_model_open(&model, run, other, NULL, &err) == SOTTO_OK)
    fail_msg("%s answers for other data", run);
  assert_int_equal(err.status, SOTTO_INVALID);
  assert_non_null(strstr(err.text, "another release"));
}

static sotto_matrix check_answers(const char *run, const sotto_dataset *data) {
  sotto_model *model;
  sotto_matrix out;
  CHECK_OK(sotto_model_open(&model, run, data, NULL, &err));
  CHECK_OK(sotto_model_query(&out, model, &(sotto_query){.wanted = NULL}, &err));
  sotto_model_free(model);
  return out;
}

/* Without what is the owner's, it goes by features, which are public at edge level. */
static void a_folder_that_was_handed_on_goes_by_features(void **state) {
  (void)state;
  sotto_dataset data = check_communities(&sbm), both = check_with_one_edge(&data, true);
  const sotto_options options = options_of("gap", "handed");
  sotto_result r = check_run(&options, &data);
  check_remove_folder(check_path("handed/owner-only"));
  sotto_matrix own = check_answers(options.out, &data);
  check_refused(options.out, &both);
  sotto_matrix_free(&own);
  sotto_result_free(&r);
  sotto_dataset_free(&data);
  sotto_dataset_free(&both);
}

static uint64_t charges_of(const char *path, const sotto_dataset *data) {
  sotto_ledger *ledger;
  sotto_spent spent;
  CHECK_OK(sotto_ledger_open(&ledger, path, &err));
  CHECK_OK(sotto_ledger_spent(ledger, &spent, data->account, "edge", &err));
  sotto_ledger_close(ledger);
  return spent.charges;
}

/* What was released before is used, and what is released now is paid by the account that the run began with:
 * the epsilon of its statement is that of all its charges. */
static void a_run_goes_on_with_its_account_whatever_the_edges_are(void **state) {
  (void)state;
  sotto_dataset data = check_communities(&sbm), edges = check_with_one_edge(&data, false),
                both = check_with_one_edge(&data, true);
  sotto_options options = options_of("gap", "resumed");
  sotto_result r = check_run(&options, &data), again;
  const uint64_t charges = charges_of(options.ledger, &data);
  check_set(&options, "resume", "true");
  CHECK_FAILS(SOTTO_INVALID, "was begun on other data",
              sotto_train(&again, &options, &both, NULL, NULL, &err));
  assert_int_equal(remove(check_path("resumed/seed-1/result.json")), 0);
  assert_int_equal(remove(check_path("resumed/seed-1/release.bin")), 0);
  CHECK_OK(sotto_train(&again, &options, &edges, NULL, NULL, &err));
  assert_int_equal(charges_of(options.ledger, &data), charges + 1);
  assert_int_equal(charges_of(options.ledger, &edges), 0);
  assert_true(again.total_epsilon > 1.2 * r.total_epsilon);
  sotto_result_free(&r);
  sotto_result_free(&again);
  sotto_dataset_free(&data);
  sotto_dataset_free(&edges);
  sotto_dataset_free(&both);
}

static void check_lacks(const char *folder, const char *file, const uint8_t digest[32]) {
  char path[2400], hex[65];
  sotto_i_map map;
  (void)snprintf(path, sizeof path, "%s/%s", folder, file);
  if (!sotto_i_is_file(path)) return;
  sotto_i_hex(hex, digest, 32);
  CHECK_OK(sotto_i_map_open(&map, path, &err));
  if (memmem(map.data, map.size, hex, 64) != NULL) fail_msg("%s names the edges by a digest", path);
  sotto_i_map_close(&map);
}

/* Who knows all but one edge could try a digest of both graphs. */
static void what_is_handed_on_has_no_digest_of_edges(void **state) {
  (void)state;
  static const char *const levels[] = {"edge", "node"};
  for (int l = 0; l < 2; l++) {
    sotto_dataset data = check_communities(&sbm);
    sotto_options options = options_of("gap", levels[l]);
    check_set(&options, "adjacency", levels[l]);
    if (l == 1) check_set(&options, "max-degree", "89");
    sotto_result r = check_run(&options, &data);
    DIR *open = opendir(options.out);
    assert_non_null(open);
    for (struct dirent *entry = NULL; (entry = readdir(open)) != NULL;) {
      check_lacks(options.out, entry->d_name, data.digest);
      check_lacks(options.out, entry->d_name, data.account);
      if (l == 1) check_lacks(options.out, entry->d_name, data.features_digest);
    }
    (void)closedir(open);
    sotto_result_free(&r);
    sotto_dataset_free(&data);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_folder_that_was_handed_on_goes_by_features),
      cmocka_unit_test(a_run_goes_on_with_its_account_whatever_the_edges_are),
      cmocka_unit_test(what_is_handed_on_has_no_digest_of_edges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
