/* The statement of a run folder of the version before: privacy.json, as that version wrote it. */
#include "check.h"
#include "common/file.h"
#include "report/report.h"

/* A run of vesper, with lists left shorter. */
static const char vesper[] =
    "{\n  \"epsilon\": 4.0,\n  \"total_epsilon\": 7.25,\n  \"delta\": 1e-6,\n  \"repeats\": 3,\n"
    "  \"mu\": 0.8378587571,\n  \"delta_times_nodes\": 0.013752,\n  \"adjacency\": \"edge\",\n"
    "  \"sound\": true,\n  \"accountant\": \"gdp\",\n"
    "  \"adversary\": \"the label party, semi-honest, which knows the nodes, their features and all "
    "labels\",\n"
    "  \"verdict\": \"private at the stated epsilon and delta\",\n  \"mechanisms\": [\n    {\n"
    "      \"mechanism\": \"gaussian\",\n"
    "      \"what\": \"noisy layers of message passing over the whole graph\",\n      \"layers\": 2,\n"
    "      \"sensitivity\": 1.414214237,\n      \"noise\": 2.387038313,\n"
    "      \"grid_step\": 5.960464478e-8,\n      \"mu\": 0.8378587571,\n      \"releases\": 1,\n"
    "      \"aggregator\": \"gin\"\n    }\n  ],\n"
    "  \"assumed_public\": [\n    \"node ids and their number\"\n  ],\n  \"exposed\": [],\n"
    "  \"not_covered\": [\n    \"node features against the label party\"\n  ],\n"
    "  \"labels\": null,\n  \"label_edges\": null,\n  \"ledger\": {\n    \"path\": \"/home/a/ledger.db\",\n"
    "    \"charges\": 18,\n    \"epsilon_spent\": 41.41872736,\n    \"at_delta\": 1e-6,\n"
    "    \"budget_epsilon\": null\n  },\n  \"insecure\": false\n}";
static const char vesper_result[] =
    "{\"method\":\"vesper\",\"data\":\"computers\",\"run\":\"runs/a\",\"test\":{},\"baseline\":{}}";

/* Edges without noise have no epsilon. */
static const char gnn[] =
    "{\n  \"epsilon\": null,\n  \"total_epsilon\": null,\n  \"delta\": 1e-6,\n  \"repeats\": 1,\n"
    "  \"mu\": null,\n  \"adjacency\": \"edge\",\n  \"sound\": false,\n  \"accountant\": \"gdp\",\n"
    "  \"verdict\": \"NOT PRIVATE: edges were used without noise\",\n  \"insecure\": false\n}";

/* A fresh folder with these files; NULL: without the file. */
static const char *folder_of(const char *name, const char *privacy, const char *result,
                             const char *statement) {
  const char *const files[][2] = {
      {"privacy.json", privacy}, {"result.json", result}, {"statement.json", statement}};
  const char *folder = check_path(name);
  CHECK_OK(app_make_folder(folder, &err));
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char *path;
    if (files[i][1] == NULL) continue;
    CHECK_OK(app_join(&path, folder, files[i][0], &err));
    CHECK_OK(app_write_file(path, files[i][1], strlen(files[i][1]), &err));
    free(path);
  }
  return folder;
}

static void expect_lines(const char *folder, const char *const *lines) {
  char *text = NULL;
  CHECK_OK(sotto_report_old_statement(&text, folder, &err));
  assert_non_null(text);
  for (size_t i = 0; lines[i] != NULL; i++)
    if (strstr(text, lines[i]) == NULL) fail_msg("'%s' lacks '%s'", text, lines[i]);
  sotto_report_free_text(text);
}

static void an_old_statement_is_shown_with_where_it_comes_from(void **state) {
  (void)state;
  static const char *const private_lines[] = {
      ": an older version of sotto wrote this statement (privacy.json); the next version will not read it\n",
      "  method    vesper\n",
      "  dataset   computers\n",
      "  privacy   epsilon 4 at delta 1e-06 for each training (epsilon 7.25 for all), adjacency edge\n",
      "  verdict   private at the stated epsilon and delta\n",
      "  sound     yes\n",
      NULL};
  static const char *const clear_lines[] = {"  privacy   no guarantee, adjacency edge\n",
                                            "  verdict   NOT PRIVATE: edges were used without noise\n",
                                            "  sound     no\n", NULL};
  expect_lines(folder_of("vesper", vesper, vesper_result, NULL), private_lines);
  expect_lines(folder_of("gnn", gnn, vesper_result, NULL), clear_lines);
}

static void what_the_files_lack_is_said(void **state) {
  (void)state;
  static const char *const alone[] = {"  method    (not in the file)\n", "  dataset   (not in the file)\n",
                                      "  verdict   private at the stated epsilon and delta\n", NULL};
  static const char *const nothing[] = {"  privacy   no guarantee, adjacency (not in the file)\n",
                                        "  verdict   (not in the file)\n", "  sound     (not in the file)\n",
                                        NULL};
  expect_lines(folder_of("alone", vesper, NULL, NULL), alone);
  expect_lines(folder_of("nothing", "{}", "{\"method\": 3}", NULL), nothing);
}

static void a_folder_of_this_version_or_of_no_run_has_none(void **state) {
  (void)state;
  const char *const folders[] = {folder_of("both", vesper, vesper_result, "{}"),
                                 folder_of("new", NULL, vesper_result, "{}"),
                                 folder_of("empty", NULL, NULL, NULL), check_path("missing")};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    char *text = NULL;
    CHECK_OK(sotto_report_old_statement(&text, folders[i], &err));
    assert_null(text);
  }
}

static void a_damaged_file_is_named(void **state) {
  (void)state;
  char *text;
  CHECK_FAILS(SOTTO_PARSE, "cut/privacy.json: line 2 is not JSON",
              sotto_report_old_statement(&text, folder_of("cut", "{\n  \"epsilon\": 4", NULL, NULL), &err));
  assert_null(text);
  CHECK_FAILS(SOTTO_PARSE, "list/privacy.json: is not a JSON object",
              sotto_report_old_statement(&text, folder_of("list", "[4]", NULL, NULL), &err));
  CHECK_FAILS(SOTTO_PARSE, "result/result.json: line 1",
              sotto_report_old_statement(&text, folder_of("result", vesper, "", NULL), &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_old_statement_is_shown_with_where_it_comes_from),
      cmocka_unit_test(what_the_files_lack_is_said),
      cmocka_unit_test(a_folder_of_this_version_or_of_no_run_has_none),
      cmocka_unit_test(a_damaged_file_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
