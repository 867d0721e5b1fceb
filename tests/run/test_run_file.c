/* Run files: what is written comes back, what the hand gave wins, errors name file and line. */

#include "base/file.h"
#include "check.h"
#include "made_run.h"
#include "run/settings/options.h"

static sotto_status parse(sotto_options *options, const char *text, sotto_error *err) {
  return sotto_i_options_parse(options, (const uint8_t *)text, strlen(text), SOTTO_I_RUN_FILE_OWN, err);
}

static void what_is_written_comes_back(void **state) {
  (void)state;
  const char *path = check_path("run.yaml");
  sotto_options from, to;
  sotto_options_default(&from);
  check_set(&from, "method", "gap");
  check_set(&from, "data", "it's a 'path': # with {odd} \"signs\" \\n \xc3\xa4 ");
  check_set(&from, "nodes", "- yes");
  check_set(&from, "target", "");
  check_set(&from, "epsilon", "inf");
  check_set(&from, "delta", "1e-9");
  check_set(&from, "train-share", "0.30000000000000004");
  check_set(&from, "insecure-seed", "0");
  CHECK_OK(sotto_options_write(&from, path, &err));
  sotto_options_default(&to);
  CHECK_OK(sotto_options_read(&to, path, &err));
  size_t count;
  const sotto_option_info *infos = sotto_option_table(&count);
  for (size_t i = 0; i < count; i++) {
    char a[1024], b[1024];
    sotto_option_text(&from, i, a, sizeof a);
    sotto_option_text(&to, i, b, sizeof b);
    if (strcmp(a, b) != 0) fail_msg("%s: '%s' came back as '%s'", infos[i].key, a, b);
  }
}

/* It gives the options of the method's variant, each of them, and no other. */
static void the_file_that_a_run_leaves_passes_the_checks_of_the_run(void **state) {
  (void)state;
  static const char *const runs[][6] = {{"vesper", "adjacency", "node", "max-degree", "10", NULL},
                                        {"vesper", "accounting", "paper", NULL},
                                        {"gap", NULL},
                                        {"gap", "adjacency", "node", "max-degree", "10", NULL},
                                        {"mlp", NULL},
                                        {"gnn", NULL},
                                        {"feddep", NULL},
                                        {"gwldp", NULL},
                                        {"vfgnn", NULL}};
  size_t count;
  const sotto_option_info *infos = sotto_option_table(&count);
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    sotto_options options, again;
    sotto_options_default(&options);
    sotto_options_default(&again);
    CHECK_OK(sotto_options_set(&options, "data", "some", &err));
    CHECK_OK(sotto_options_set(&options, "method", runs[i][0], &err));
    for (size_t j = 1; runs[i][j] != NULL; j += 2)
      CHECK_OK(sotto_options_set(&options, runs[i][j], runs[i][j + 1], &err));
    sotto_options_resolve(&options);
    CHECK_OK(sotto_options_check(&options, &err));
    CHECK_OK(sotto_options_write(&options, check_path("left.yaml"), &err));
    CHECK_OK(sotto_options_read(&again, check_path("left.yaml"), &err));
    sotto_options_resolve(&again);
    CHECK_OK(sotto_options_check(&again, &err));
    for (size_t k = 0; k < count; k++) {
      sotto_i_option row;
      char a[1024], b[1024];
      const bool placed = strcmp(infos[k].key, "out") == 0 || strcmp(infos[k].key, "resume") == 0;
      const bool own = sotto_i_option_has(&row, &options, infos[k].key) && !placed;
      sotto_option_text(&options, k, a, sizeof a);
      sotto_option_text(&again, k, b, sizeof b);
      if (strcmp(a, b) != 0) fail_msg("%s, %s: '%s' came back as '%s'", runs[i][0], infos[k].key, a, b);
      if (sotto_i_option_given(&again, infos[k].key) != (own && (a[0] != '\0' || row.fallback[0] != '\0')))
        fail_msg("%s: the file %s %s", runs[i][0], own ? "lacks" : "has", infos[k].key);
    }
  }
}

static void where_a_run_goes_and_that_it_resumes_is_not_written(void **state) {
  (void)state;
  const char *path = check_path("placed.yaml");
  sotto_options from, to;
  sotto_options_default(&from);
  check_set(&from, "out", "folder");
  check_set(&from, "resume", "true");
  CHECK_OK(sotto_options_write(&from, path, &err));
  sotto_options_default(&to);
  CHECK_OK(sotto_options_read(&to, path, &err));
  assert_string_equal(to.out, "");
  assert_false(to.resume || sotto_i_option_given(&to, "out"));
}

static void what_the_hand_gave_wins_over_the_file(void **state) {
  (void)state;
  sotto_options o;
  sotto_options_default(&o);
  check_set(&o, "layers", "5");
  CHECK_OK(parse(&o, "layers: 7\nhidden: 9\n", &err));
  assert_int_equal(o.layers, 5);
  assert_int_equal(o.hidden, 9);
  assert_true(sotto_i_option_given(&o, "hidden"));
  CHECK_OK(parse(&o, "hidden: 10\nseed: 3\n", &err)); /* the first file wins over a second */
  assert_int_equal(o.hidden, 9);
  assert_int_equal(o.seed, 3);
  /* A value that loses must still be a value. */
  CHECK_FAILS(SOTTO_RANGE, "line 1: layers", parse(&o, "layers: 99\n", &err));
}

static void files_of_any_yaml_style_are_read(void **state) {
  (void)state;
  static const char *const same[] = {"layers: 7\ndata: a b\n", "layers: '7'\ndata: \"a b\"\n",
                                     "--- # a comment\n{layers: 7, data: a b}\n...\n",
                                     "\xef\xbb\xbflayers:   7\r\ndata:\r\n  a\r\n  b\r\n",
                                     "? layers\n: 7\n? data\n: >-\n  a\n  b\n"};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
    sotto_options o;
    sotto_options_default(&o);
    CHECK_OK(parse(&o, same[i], &err));
    assert_int_equal(o.layers, 7);
    assert_string_equal(o.data, "a b");
  }
}

static void empty_files_and_texts_give_nothing(void **state) {
  (void)state;
  sotto_options o;
  sotto_options_default(&o);
  CHECK_OK(parse(&o, "", &err));
  CHECK_OK(parse(&o, "# nothing but a comment\n", &err));
  CHECK_OK(parse(&o, "---\n", &err));
  CHECK_OK(sotto_i_options_parse(&o, NULL, 0, SOTTO_I_RUN_FILE_OWN, &err));
  CHECK_OK(parse(&o, "target: ''\n", &err));
  assert_true(o.target[0] == '\0' && sotto_i_option_given(&o, "target"));
}

static void every_fault_is_refused_with_its_line_and_changes_nothing(void **state) {
  (void)state;
  static const struct {
    const char *text, *words;
    sotto_status status;
  } files[] = {
      {"seed: 9\nlayerz: 3\n", "line 2: unknown option 'layerz'; did you mean 'layers'?", SOTTO_NOT_FOUND},
      {"seed: 9\nlayerz:\n", "line 2: unknown option 'layerz'", SOTTO_NOT_FOUND},
      {"seed: 9\n\nlayers: many\n", "line 3: layers", SOTTO_PARSE},
      {"seed: 9\nlayers: 100\n", "line 2: layers: 100 is outside", SOTTO_RANGE},
      {"seed: 9\nmethod: vesper gnn\n", "line 2: method", SOTTO_INVALID},
      {"seed: 9\nseed: 10\n", "line 2: 'seed' stands twice", SOTTO_PARSE},
      {"seed: 9\nepsilon:\n", "line 2: 'epsilon' has no value", SOTTO_PARSE},
      {"seed: 9\n\nmethod: # vesper\n", "line 3: 'method' has no value", SOTTO_PARSE},
      {"{seed: 9, target: }\n", "line 1: 'target' has no value", SOTTO_PARSE},
      {"seed: 9\ninsecure-seed:\n", "line 2: 'insecure-seed' has no value", SOTTO_PARSE},
      {"seed: 9\nepsilon: ''\n", "line 2: epsilon", SOTTO_PARSE},
      {"seed: 9\nout: here\n", "line 2: 'out' belongs on the command line", SOTTO_INVALID},
      {"seed: 9\nresume: true\n", "line 2: 'resume' belongs on the command line", SOTTO_INVALID},
      {"seed: 9\nlayers: [1, 2]\n", "line 2: a run file is `key: value` lines", SOTTO_PARSE},
      {"seed: 9\nlayers:\n  deep: 2\n", "line 3: a run file is `key: value` lines", SOTTO_PARSE},
      {"seed: &a 9\nlayers: *a\n", "line 2: a run file is `key: value` lines", SOTTO_PARSE},
      {"seed: 9\n---\nlayers: 3\n", "line 3: a run file is one mapping", SOTTO_PARSE},
      {"- seed\n", "line 1: a run file is one mapping", SOTTO_PARSE},
      {"seed\n", "line 1: a run file is one mapping", SOTTO_PARSE},
      {"seed: 9\ndata: 'open\n", "line", SOTTO_PARSE},
      {"seed: 9\n  layers: 3\n", "line", SOTTO_PARSE},
      {"seed: 9\ndata: \"a\\0b\"\n", "line 2: a zero byte", SOTTO_PARSE},
      {"seed: 9\ndata: \"a\\nb\"\n", "line 2: data: the value has a control character", SOTTO_INVALID},
      {"seed: 9\ndata: \xff\xfe\n", "line", SOTTO_PARSE},
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    sotto_options o;
    sotto_options_default(&o);
    CHECK_FAILS(files[i].status, files[i].words, parse(&o, files[i].text, &err));
    assert_int_equal(o.seed, 1);
    assert_false(sotto_i_option_given(&o, "seed"));
  }
}

static void keys_and_files_that_are_too_long_are_refused(void **state) {
  (void)state;
  static char text[(1 << 20) + 2];
  sotto_options o;
  sotto_options_default(&o);
  memset(text, 'k', sizeof text - 1);
  memcpy(text + 200, ": 1\n", 5);
  CHECK_FAILS(SOTTO_PARSE, "line 1: a key of 200 bytes", parse(&o, text, &err));
  CHECK_FAILS(SOTTO_PARSE, "1 MB",
              sotto_i_options_parse(&o, (const uint8_t *)text, sizeof text, SOTTO_I_RUN_FILE_OWN, &err));
}

static void errors_of_a_file_name_it(void **state) {
  (void)state;
  const char *path = check_path("bad.yaml");
  sotto_options o;
  sotto_options_default(&o);
  CHECK_OK(sotto_i_write_file(path, "layers: 0\n", 10, &err));
  CHECK_FAILS(SOTTO_RANGE, "bad.yaml: line 1: layers", sotto_options_read(&o, path, &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "absent.yaml", sotto_options_read(&o, check_path("absent.yaml"), &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "folder.yaml", sotto_options_write(&o, check_path("no/folder.yaml"), &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_comes_back),
      cmocka_unit_test(the_file_that_a_run_leaves_passes_the_checks_of_the_run),
      cmocka_unit_test(where_a_run_goes_and_that_it_resumes_is_not_written),
      cmocka_unit_test(what_the_hand_gave_wins_over_the_file),
      cmocka_unit_test(files_of_any_yaml_style_are_read),
      cmocka_unit_test(empty_files_and_texts_give_nothing),
      cmocka_unit_test(every_fault_is_refused_with_its_line_and_changes_nothing),
      cmocka_unit_test(keys_and_files_that_are_too_long_are_refused),
      cmocka_unit_test(errors_of_a_file_name_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
