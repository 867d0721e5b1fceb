/* A file of a run folder lies where its reader may be. */
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "run/files/folder_file.h"

/* Where a file of this reader is written at a level, below the folder. */
static void lies_at(const char *wanted, sotto_i_file_reader reader, const sotto_options *options) {
  const sotto_i_folder_file file = {"seed-*/part/x-*.bin", reader, "nothing"};
  char *path = NULL;
  CHECK_OK(sotto_i_folder_path(&path, check_folder(), &file, "x-3.bin", options, &err));
  assert_string_equal(path + strlen(check_folder()) + 1, wanted);
  sotto_i_free(path);
}

static void measures_are_the_owners_where_items_are_private(void **state) {
  static const struct {
    sotto_adjacency level;
    double label_epsilon;
    bool own;
  } cases[] = {{SOTTO_ADJACENCY_NONE, 0, false},       {SOTTO_ADJACENCY_EDGE, 0, false},
               {SOTTO_ADJACENCY_NEIGHBOURS, 0, false}, {SOTTO_ADJACENCY_NODE, 0, true},
               {SOTTO_ADJACENCY_GRAPH, 0, true},       {SOTTO_ADJACENCY_CLIENT, 0, true},
               {SOTTO_ADJACENCY_EDGE, 1, true},        {SOTTO_ADJACENCY_NONE, 1, true}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const sotto_options options = {.adjacency = cases[i].level, .label_epsilon = cases[i].label_epsilon};
    lies_at(cases[i].own ? "owner-only/x-3.bin" : "x-3.bin", SOTTO_I_FOR_MEASURES, &options);
    const bool sizes =
        options.adjacency == SOTTO_ADJACENCY_GRAPH || options.adjacency == SOTTO_ADJACENCY_CLIENT;
    lies_at(sizes ? "owner-only/x-3.bin" : "x-3.bin", SOTTO_I_FOR_SIZES, &options);
    lies_at("x-3.bin", SOTTO_I_FOR_ANYONE, &options);
    lies_at("owner-only/x-3.bin", SOTTO_I_FOR_PARTY, &options);
    lies_at("owner-only/x-3.bin", SOTTO_I_FOR_OWNER, &options);
  }
  lies_at("owner-only/x-3.bin", SOTTO_I_FOR_MEASURES, NULL); /* of a level that nobody named */
}

/* A model that is fitted to labels which the run does not reveal. */
static void models_of_labels_are_their_owners(void **state) {
  static const struct {
    const char *method;
    sotto_adjacency level;
    double label_epsilon;
    bool own;
  } cases[] = {{"vesper", SOTTO_ADJACENCY_NODE, 0, true}, {"vesper", SOTTO_ADJACENCY_EDGE, 0, false},
               {"vesper", SOTTO_ADJACENCY_EDGE, 2, true}, {"vesper", SOTTO_ADJACENCY_NONE, 0, false},
               {"mlp", SOTTO_ADJACENCY_NODE, 0, false}, /* of one owner, with noise on what reads labels */
               {"best", SOTTO_ADJACENCY_NODE, 0, false}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sotto_options options;
    sotto_options_default(&options);
    CHECK_OK(sotto_options_set(&options, "method", cases[i].method, &err));
    options.adjacency = cases[i].level;
    options.label_epsilon = cases[i].label_epsilon;
    lies_at(cases[i].own ? "owner-only/x-3.bin" : "x-3.bin", SOTTO_I_FOR_LABELS, &options);
  }
  lies_at("owner-only/x-3.bin", SOTTO_I_FOR_LABELS, NULL);
}

static void a_file_is_found_where_it_lies(void **state) {
  static const sotto_i_folder_file owners = {"found", SOTTO_I_FOR_OWNER, "nothing"},
                                   anyones = {"found", SOTTO_I_FOR_ANYONE, "nothing"};
  char *path = NULL;
  (void)state;
  CHECK_OK(sotto_i_folder_write(check_folder(), &anyones, NULL, NULL, "old", 3, &err));
  CHECK_OK(sotto_i_folder_find(&path, check_folder(), "found", &err));
  assert_null(strstr(path, "owner-only"));
  sotto_i_free(path);
  CHECK_OK(sotto_i_folder_write(check_folder(), &owners, NULL, NULL, "new", 3, &err));
  CHECK_OK(sotto_i_folder_find(&path, check_folder(), "found", &err));
  assert_non_null(strstr(path, "owner-only/found"));
  sotto_i_free(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(measures_are_the_owners_where_items_are_private),
                                     cmocka_unit_test(models_of_labels_are_their_owners),
                                     cmocka_unit_test(a_file_is_found_where_it_lies)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
