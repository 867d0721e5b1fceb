/* What a data party takes of its peer when counts are published. */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "check.h"
#include "inside/party.h"
#include "made_run.h"
#include "methods/vesper/vesper_features_once.h"
#include "party/wire/link/transport.h"

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

/* The label party sets memory aside for so many columns. */
static void columns_of_shared_features_are_bounded(void **state) {
  static const struct {
    float columns;
    uint64_t fits; /* bytes of memory; 0: those of the machine */
    sotto_status status;
    const char *text;
  } wrong[] = {{0, 0, SOTTO_PROTOCOL, "there are 1 to 65536"},
               {-1, 0, SOTTO_PROTOCOL, "there are 1 to 65536"},
               {1.5F, 0, SOTTO_PROTOCOL, "there are 1 to 65536"},
               {65537, 0, SOTTO_PROTOCOL, "there are 1 to 65536"},
               {4e9F, 0, SOTTO_PROTOCOL, "there are 1 to 65536"},
               {65536, 65536, SOTTO_NOMEM, "half of this machine's memory"}};
  const sotto_dataset data = {.graph = {.nodes = 3}};
  const sotto_i_job job = {.data = &data};
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    sotto_link *theirs, *own;
    sotto_i_features_once *received = NULL;
    float number = wrong[i].columns;
    const sotto_matrix sent = {&number, 1, 1};
    CHECK_OK(sotto_link_pair(&theirs, &own, &err));
    CHECK_OK(sotto_link_send_public(theirs, "features.columns", &sent, &err));
    sotto_i_map_most_read(wrong[i].fits);
    CHECK_FAILS(wrong[i].status, wrong[i].text, sotto_i_features_once_new(&received, &job, own, &err));
    sotto_i_map_most_read(0);
    sotto_i_features_once_free(received);
    sotto_link_free(theirs);
    sotto_link_free(own);
  }
}

/* What the data party shows is what the label party computes with, whatever window a row lies in. */
static void shared_features_arrive_in_their_order(void **state) {
  enum { rows = SOTTO_I_WINDOW_ROWS + 7, cols = 3 };
  const sotto_dataset data = {.graph = {.nodes = rows}};
  const sotto_i_job job = {.data = &data};
  sotto_matrix sent, expected, found;
  sotto_link *theirs, *own;
  sotto_i_features_once *received = NULL;
  (void)state;
  CHECK_OK(sotto_matrix_new(&sent, rows, cols, &err));
  CHECK_OK(sotto_matrix_new(&expected, rows, cols, &err));
  CHECK_OK(sotto_matrix_new(&found, rows, cols, &err));
  for (size_t i = 0; i < (size_t)rows * cols; i++) sent.data[i] = sinf((float)i);
  memcpy(expected.data, sent.data, (size_t)rows * cols * sizeof(float));
  CHECK_OK(sotto_i_round_rows(&expected, SOTTO_I_ROUNDED, &err));
  const sotto_i_row_source source = sotto_i_row_source_of(&sent);
  CHECK_OK(sotto_link_pair(&theirs, &own, &err));
  CHECK_OK(sotto_i_features_send(theirs, &source, &err));
  CHECK_OK(sotto_i_features_once_new(&received, &job, own, &err));
  const sotto_i_row_source *rows_of = sotto_i_features_once_rows(received);
  assert_int_equal(rows_of->cols, cols);
  CHECK_OK(rows_of->read(rows_of->context, found.data, 0, rows, &err));
  assert_memory_equal(found.data, expected.data, (size_t)rows * cols * sizeof(float));
  sotto_i_features_once_free(received);
  sotto_link_free(theirs);
  sotto_link_free(own);
  sotto_matrix_free(&sent);
  sotto_matrix_free(&expected);
  sotto_matrix_free(&found);
}

/* The list of exposures has the features and nothing that follows from them, and the account is as ever. */
static void features_are_shown_once_and_named(void **state) {
  sotto_dataset data = check_communities(&(sotto_sbm_options){.nodes = 1500,
                                                              .classes = 3,
                                                              .features = 12,
                                                              .degree_inside = 6,
                                                              .degree_outside = 2,
                                                              .feature_signal = 1});
  sotto_result result[2];
  (void)state;
  for (int once = 0; once < 2; once++) {
    sotto_options o = check_options("vesper", once ? "once" : "no");
    check_set(&o, "epsilon", "4");
    check_set(&o, "encoder-epochs", "40");
    check_set(&o, "epochs", "40");
    check_set(&o, "share-features", once ? "once" : "no");
    sotto_options_resolve(&o);
    result[once] = check_run(&o, &data);
  }
  const sotto_result *r = &result[1];
  assert_int_equal(r->data_exposures, 1);
  assert_string_equal(r->exposures[0].name, "features");
  for (size_t i = r->data_exposures; i < r->exposure_count; i++) {
    assert_null(strstr(r->exposures[i].name, "gradients"));
    assert_string_not_equal(r->exposures[i].name, "decision");
  }
  assert_string_equal(r->exposures[r->data_exposures].name, "encoder.weights");
  assert_int_equal(r->data_party.sent[SOTTO_WIRE_EXPOSED], 1500 * (12 + 4));
  CHECK_NEAR(r->epsilon, result[0].epsilon, 1e-12);
  CHECK_NEAR(r->seeds[0].test.of[SOTTO_MEASURE_ACCURACY], result[0].seeds[0].test.of[SOTTO_MEASURE_ACCURACY],
             0.03);
  for (int once = 0; once < 2; once++) sotto_result_free(&result[once]);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(classes_are_bounded),
                                     cmocka_unit_test(columns_of_shared_features_are_bounded),
                                     cmocka_unit_test(shared_features_arrive_in_their_order),
                                     cmocka_unit_test(features_are_shown_once_and_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
