/* Pages of runs and ledgers: what is on them, what is not, and that no name from a file breaks them. */
#include <jansson.h>
#include <math.h>
#include <sys/stat.h>

#include "check.h"
#include "common/file.h"
#include "pages.h"
#include "report/page/page.h"
#include "report/page/parts.h"
#include "sotto/dp.h"
#include "sotto/guarantee.h"

enum { most = 400000 };

static json_t *bytes(int release, int exposed) {
  return json_pack("{s:i,s:i,s:i,s:i,s:i}", "public", 8, "release", release, "share", 0, "sealed", 0,
                   "exposed", exposed);
}

/* What the dataset's account protects at a level. */
static const char *subject(const char *adjacency) {
  static const char *const subjects[][2] = {{"transfer", "transfers of `data`"},
                                            {"node", "nodes, with features and edges, of `data`"},
                                            {"graph", "graphs of `data`"},
                                            {"client", "all data of `data`"},
                                            {"k-neighbour", "up to 3 edges of a node of `data`"}};
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
    if (strcmp(adjacency, subjects[i][0]) == 0) return subjects[i][1];
  return "edges of `data`";
}

static json_t *statement(const char *name, const char *adjacency, double epsilon, double delta) {
  json_t *pair = json_pack("[{s:s,s:o,s:o},{s:s,s:o,s:o}]", "role", "data", "sent_bytes",
                           bytes(7200, 133324800), "received_bytes", bytes(0, 5), "role", "label",
                           "sent_bytes", bytes(0, 5), "received_bytes", bytes(7200, 133324800));
  char text[200], guess[SOTTO_GUARANTEE_WORDS], words[SOTTO_EPSILON_WORDS];
  const sotto_guarantee_row *class = sotto_guarantee_describe(sotto_guarantee_of(epsilon, delta));
  sotto_guarantee_guess_words(guess, sizeof guess, sotto_guarantee_guess(epsilon, delta));
  sotto_epsilon_words(words, epsilon);
  (void)snprintf(text, sizeof text, "%s: epsilon %s, a guess is right %s (%s)", subject(adjacency), words,
                 guess, class->name);
  json_t *root = json_pack(
      "{s:{s:s,s:s},s:s,s:{s:s,s:s,s:s},s:{s:s,s:s,s:i,s:{s:s}},s:s,s:s,s:b,s:s,s:s,s:s,s:f,s:f,s:"
      "f,s:f,s:n,s:i,s:o}",
      "program", "name", "sotto", "version", "0.1.0", "date", "2026-05-04T03:02:01Z", "method", "name", name,
      "summary", name, "source", name, "dataset", "name", name, "digest", "00ff", "nodes", 1500, "account",
      "name", name, "verdict", text, "verdict_class", class->name, "sound", 1, "adjacency", adjacency,
      "adjacency_means", name, "adversary", name, "epsilon", epsilon, "total_epsilon", epsilon,
      "total_epsilon_planned", epsilon, "delta", delta, "mu", "repeats", 1, "parties", pair);
  json_object_set_new(root, "exposed",
                      json_pack("[{s:s,s:s,s:s}]", "party", name, "payload", name, "why", name));
  json_object_set_new(
      root, "mechanisms",
      json_pack("[{s:s,s:s,s:s,s:f}]", "mechanism", name, "what", name, "account", "data", "noise", 1.5));
  json_object_set_new(root, "not_covered", json_pack("[s,s]", name, "side channels"));
  json_object_set_new(root, "assumed_public", json_pack("[s]", name));
  json_object_set_new(root, "form", json_integer(2));
  json_object_set_new(root, "verdicts",
                      json_pack("[{s:s,s:s,s:b,s:s,s:s,s:s,s:f,s:f,s:f,s:s}]", "account", "data", "party",
                                "data", "own", 1, "of", subject(adjacency), "class", class->name, "colour",
                                class->colour, "epsilon", epsilon, "delta", delta, "guess",
                                sotto_guarantee_guess(epsilon, delta), "text", text));
  json_object_set_new(root, "ledger", json_null());
  return root;
}

static const char *folder_of(const char *name) {
  const char *path = check_path(name);
  (void)mkdir(path, 0700);
  return path;
}

static void put(const char *folder, const char *name, const char *text, size_t size) {
  char *path;
  CHECK_OK(app_join(&path, folder, name, &err));
  CHECK_OK(app_write_file(path, text, size, &err));
  free(path);
}

static void put_json(const char *folder, const char *name, json_t *root) {
  char *text = json_dumps(root, 0);
  assert_non_null(text);
  put(folder, name, text, strlen(text));
  free(text);
  json_decref(root);
}

static json_t *result_of(double accuracy) {
  return json_pack("{s:{s:{s:f,s:f,s:[f]}},s:{s:{s:f,s:f,s:[f]}},s:f}", "test", "accuracy", "mean", accuracy,
                   "std", 0.0, "runs", accuracy, "baseline", "accuracy", "mean", 0.5, "std", 0.0, "runs", 0.5,
                   "seconds", 2.0);
}

static void put_run(const char *folder, const char *name, const char *adjacency, double epsilon,
                    double delta) {
  static const char metrics[] =
      "{\"seed\":1,\"stage\":\"encoder\",\"epoch\":1,\"loss\":1.5,\"validation\":0.25}\n"
      "{\"seed\":1,\"stage\":\"encoder\",\"epoch\":2,\"loss\":1.25,\"validation\":0.5}\n"
      "{\"seed\":1,\"test\":{\"accuracy\":0.75}}\n";
  put_json(folder, "statement.json", statement(name, adjacency, epsilon, delta));
  put_json(folder, "result.json", result_of(0.75));
  put(folder, "metrics.jsonl", metrics, strlen(metrics));
}

static char *page_of(const page_ask *ask) {
  char path[PAGE_PATH], *text;
  size_t size;
  CHECK_OK(page_write(path, ask, &err));
  CHECK_OK(app_read_file(&text, &size, path, &err));
  assert_true(size <= most);
  assert_int_equal(strlen(text), size);
  return text;
}

static char *page_of_one(const char *folder) {
  return page_of(&(page_ask){.runs = &folder, .run_count = 1});
}

static size_t count_of(const char *text, const char *words) {
  size_t count = 0;
  for (; (text = strstr(text, words)) != NULL; text += strlen(words)) count++;
  return count;
}

/* At node level measures are for the owner. A run of an earlier version has them where anyone reads: they are
 * left out of the page all the same. */
static void private_measures_are_on_the_owners_page_alone(void **state) {
  const char *levels[] = {"node", "graph", "client"};
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    const char *folder = folder_of(levels[i]);
    put_run(folder, "sbm", levels[i], 4, 1e-6);
    char *text = page_of_one(folder);
    assert_null(strstr(text, "75.00 %"));
    assert_null(strstr(text, "Learning curves</h2>"));
    assert_non_null(strstr(text, "sotto report --owner"));
    free(text);
    text = page_of(&(page_ask){.runs = &folder, .run_count = 1, .owner = true});
    assert_non_null(strstr(text, "75.00 %"));
    free(text);
  }
  const char *folder = folder_of("edges");
  put_run(folder, "sbm", "edge", 4, 1e-6);
  char *text = page_of_one(folder);
  assert_non_null(strstr(text, "75.00 %"));
  assert_non_null(strstr(text, "Learning curves</h2>"));
  free(text);
}

/* Of many lines few are read: those of the same epochs of all seeds, so that each point is a mean of them. */
static void a_long_run_has_means_over_seeds(void **state) {
  const char *folder = folder_of("long");
  char *lines = NULL;
  size_t size = 0;
  (void)state;
  put_run(folder, "sbm", "edge", 4, 0);
  FILE *out = open_memstream(&lines, &size);
  for (int seed = 1; seed <= 5; seed++)
    for (int epoch = 1; epoch <= 1003; epoch++)
      (void)fprintf(out, "{\"seed\":%d,\"stage\":\"encoder\",\"epoch\":%d,\"loss\":%d.0}\n", seed, epoch,
                    seed);
  (void)fputs("{\"seed\":6,\"stage\":\"encoder\",\"epoch\":1,\"loss\":90", out); /* cut short by a crash */
  (void)fclose(out);
  put(folder, "metrics.jsonl", lines, size);
  free(lines);
  char *text = page_of_one(folder);
  const char *table = strstr(text, "Training loss by epoch</caption>"), *end;
  assert_non_null(table);
  end = strstr(table, "</table>");
  size_t rows = 0;
  for (const char *at = table; (at = strstr(at, "<td ")) != NULL && at < end; at += 4, rows++) {
    at = strstr(at + 4, "<td "); /* after the epoch, the value */
    assert_non_null(at);
    assert_memory_equal(at, "<td data-of=\"Value\">3</td>", 26);
  }
  assert_in_range(rows, 5, 20);
  free(text);
}

static void every_drawing_has_a_name_a_description_and_a_table(void **state) {
  const char *folder = folder_of("plain");
  (void)state;
  put_run(folder, "sbm", "edge", 4, 0);
  char *text = page_of_one(folder);
  const size_t drawings = count_of(text, "<svg ");
  expect_well_formed(text);
  assert_int_equal(drawings, 6); /* result, two curves, neighbours, trade-off, parties */
  assert_int_equal(count_of(text, "<title id="), drawings);
  assert_int_equal(count_of(text, "<desc id="), drawings);
  assert_int_equal(count_of(text, "<figure>"), drawings);
  assert_int_equal(count_of(text, "As a table: "), drawings);
  expect_words(text, "is right at most 99 times of 100");
  expect_words(text, "exposed 133 MB");
  expect_words(text, "side channels");
  expect_words(text, "75.00 %");
  expect_words(text, "prefers-color-scheme:dark");
  expect_words(text, "@page{size:A4");
  free(text);
}

static void a_page_loads_nothing_and_runs_nothing(void **state) {
  const char *folder = folder_of("loads");
  (void)state;
  put_run(folder, "sbm", "edge", 4, 0);
  char *text = page_of_one(folder);
  expect_words(text, "default-src 'none'");
  static const char *const never[] = {"<script", "<link", "<img", "<iframe", "<object",
                                      "@import", "url(",  " on",  "src="};
  const char *body = strstr(text, "<body>");
  for (size_t i = 0; i < sizeof never / sizeof *never; i++)
    if (strcmp(never[i], " on") != 0) refuse_words(body, never[i]);
  assert_int_equal(count_of(text, "http"),
                   count_of(text, "http://www.w3.org/") + 1); /* name spaces; http-equiv */
  free(text);
}

static void hostile_names_stay_text(void **state) {
  char name[80];
  const char *folder = folder_of("hostile \"<b>' &");
  (void)state;
  put_run(folder, hostile, "node", 4, 1e-6);
  char *text = page_of_one(folder);
  expect_well_formed(text);
  refuse_words(text, "<script");
  refuse_words(text, "<img");
  refuse_words(text, "\xe2\x80\xae");
  refuse_words(text, "\x01");
  expect_words(text, "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&lt;img src=x "
                     "onerror=&#39;x()&#39;&gt; &amp; ]]&gt;");
  expect_words(text, "\xc3\xa9\xe4\xb8\xad"); /* letters of any language stay */
  expect_words(text, "hostile &quot;&lt;b&gt;&#39; &amp;");
  free(text);
  const char *both[] = {folder, folder};
  (void)snprintf(name, sizeof name, "%s", "several.html");
  const char *out = check_path(name);
  text = page_of(&(page_ask){.runs = both, .run_count = 2, .out = out});
  expect_well_formed(text);
  refuse_words(text, "<script");
  free(text);
}

/* What may be handed on has nothing of the owner's. */
static void a_page_to_hand_on_has_nothing_of_the_owners(void **state) {
  static const char key[] = "c755529be98f11567839e3e8da7a3ad52d79798818dfc26f19661b2dbadb601066";
  const char *folder = folder_of("handed"), *own = folder_of("handed/owner-only");
  (void)state;
  put_run(folder, "sbm", "edge", 4, 0);
  put(own, "account.key", key, strlen(key));
  put_json(own, "audit.json",
           json_pack("{s:b,s:f,s:[{s:s,s:s,s:s,s:f,s:b,s:b}]}", "holds", 1, "stated_epsilon", 4.0, "findings",
                     "attack", "canary", "variant", "a pair of nodes", "sees", "all", "epsilon_lower_bound",
                     3.875, "decides", 1, "holds", 1));
  char *text = page_of_one(folder);
  refuse_words(text, "/secret/place");
  refuse_words(text, "c755529b");
  refuse_words(text, "a pair of nodes");
  refuse_words(text, "3.875");
  refuse_words(text, "For the owner alone");
  free(text);
  text = page_of(&(page_ask){.runs = &folder, .run_count = 1, .owner = true});
  expect_well_formed(text);
  expect_words(text, "For the owner alone");
  expect_words(text, "a pair of nodes");
  expect_words(text, "3.875");
  expect_words(text, "gave no answers for this page"); /* there is no model in this folder */
  free(text);
  struct stat info;
  assert_int_equal(stat(check_path("handed/owner-only/report.html"), &info), 0);
  assert_int_equal(info.st_mode & 0777, 0600);
}

/* The verdict says that nothing is protected, and the figures stay. */
static void leave_bare(json_t *root) {
  static const char text[] = "edges of `data`: NOT protected";
  json_t *v = json_array_get(json_object_get(root, "verdicts"), 0);
  json_object_set_new(v, "of", json_string("edges of `data`"));
  json_object_set_new(v, "class", json_string("not protected"));
  json_object_set_new(v, "colour", json_string("red"));
  json_object_set_new(v, "epsilon", json_null());
  json_object_set_new(v, "guess", json_null());
  json_object_set_new(v, "text", json_string(text));
  json_object_set_new(root, "verdict", json_string(text));
  json_object_set_new(root, "verdict_class", json_string("not protected"));
}

/* A count that was charged is on the page, where measures are the owner's alone. */
static void a_published_count_is_on_the_page(void **state) {
  const char *folder = folder_of("counted");
  (void)state;
  json_t *root = statement("sbm", "node", 4, 1e-6);
  json_object_set_new(root, "published",
                      json_pack("[{s:i,s:f,s:i,s:f,s:f,s:f,s:f}]", "seed", 3, "right", 41.0, "test_nodes", 60,
                                "accuracy", 41.0 / 60, "half_width_95", 0.125, "epsilon", 0.75, "sensitivity",
                                1.0));
  put_json(folder, "statement.json", root);
  char *text = page_of_one(folder);
  expect_well_formed(text);
  expect_words(text, "Published accuracy");
  expect_words(text, "68.33 %");
  expect_words(text, "12.50 %");
  free(text);
}

/* Without a proof there is no number, whatever the file says beside it. */
static void no_bound_is_shown_without_a_proof(void **state) {
  const char *folder = folder_of("unproven");
  (void)state;
  for (int what = 0; what < 3; what++) {
    json_t *root = statement("sbm", "edge", 4, 0);
    if (what == 0) json_object_set_new(root, "sound", json_false());
    if (what == 1) json_object_set_new(root, "insecure", json_true());
    if (what > 0) leave_bare(root);
    put_json(folder, "statement.json", root);
    char *text = page_of_one(folder);
    expect_words(text, "There is no proven bound");
    refuse_words(text, "Somebody sees all that this run released");
    free(text);
  }
}

static void levels_have_their_drawings(void **state) {
  static const char *const levels[] = {"transfer", "edge", "k-neighbour", "node", "graph", "client"};
  static const char *const titles[] = {"differ in one transfer",      "differ in one edge",
                                       "differ in edges of one node", "differ in one node",
                                       "differ in one graph",         "differ in one client"};
  const char *folder = folder_of("levels");
  (void)state;
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
    put_run(folder, "sbm", levels[i], 2, 1e-6);
    char *text = page_of_one(folder);
    expect_well_formed(text);
    expect_words(text, titles[i]);
    free(text);
  }
}

/* Randomised response reaches the bound, Gaussian noise stays below it; the words round up. */
static void the_chance_of_a_guess_is_a_bound(void **state) {
  char words[80];
  (void)state;
  CHECK_NEAR(sotto_guarantee_guess(0, 0), 0.5, 1e-15);
  CHECK_NEAR(sotto_guarantee_guess(log(3), 0), 0.75, 1e-15);
  CHECK_NEAR(sotto_guarantee_guess(0, 1), 1, 1e-15);
  CHECK_NEAR(sotto_guarantee_guess(800, 0), 1, 1e-15);
  for (double mu = 0.1; mu < 6; mu += 0.1) {
    const double exact = 0.5 * erfc(-mu / 2 / sqrt(2)); /* the best guess under mu */
    double least = 1;
    for (double epsilon = 0; epsilon < 12; epsilon += 0.25) {
      const double bound = sotto_guarantee_guess(epsilon, sotto_gdp_delta(mu, epsilon));
      assert_true(bound >= exact - 1e-12);
      least = fmin(least, bound);
    }
    CHECK_NEAR(least, exact, 1e-9); /* at epsilon 0 delta is the total variation distance */
  }
  page_coin(words, sizeof words, 0, 0);
  assert_string_equal(words, "at most 50 times of 100");
  page_coin(words, sizeof words, 1, 0); /* 73.1 */
  assert_string_equal(words, "at most 74 times of 100");
  page_coin(words, sizeof words, 8, 0); /* 0.999665 */
  assert_string_equal(words, "at most 9,997 times of 10,000");
  page_coin(words, sizeof words, 40, 0);
  assert_string_equal(words, "nearly always");
}

/* mu is a closer figure, where it is that of all charges. */
static void gaussian_noise_alone_has_its_exact_figure(void **state) {
  const char *folder = folder_of("gaussian");
  double epsilon;
  (void)state;
  CHECK_OK(sotto_gdp_epsilon(&epsilon, 0.5, 1e-6, &err));
  for (int what = 0; what < 3; what++) { /* as it is; more was charged than mu says; two trainings */
    json_t *root = statement("sbm", "edge", what == 1 ? 1.25 * epsilon : epsilon, 1e-6);
    json_object_set_new(root, "mu", json_real(0.5));
    if (what == 2) json_object_set_new(root, "repeats", json_integer(2));
    put_json(folder, "statement.json", root);
    char *text = page_of_one(folder);
    expect_well_formed(text);
    if (what == 0) {
      expect_words(text, "the exact figure is known: at most 60 times of 100"); /* Phi(0.25) = 0.5987 */
      expect_words(text, "exact curve of this run");
    } else {
      refuse_words(text, "exact figure");
      refuse_words(text, "exact curve");
    }
    free(text);
  }
}

static void long_files_give_pages_of_bounded_size(void **state) {
  const char *folder = folder_of("long");
  char *lines = NULL, *text, name[4000];
  size_t size;
  (void)state;
  memset(name, '\'', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  put_run(folder, hostile, "edge", 4, 0);
  json_t *root = statement(name, "edge", 4, 0), *many = json_array();
  for (int i = 0; i < 2000; i++) json_array_append_new(many, json_string(name));
  json_object_set_new(root, "not_covered", many);
  put_json(folder, "statement.json", root);
  FILE *out = open_memstream(&lines, &size);
  for (int i = 1; i <= 30000; i++)
    (void)fprintf(out, "{\"seed\":1,\"stage\":\"stage %d\",\"epoch\":%d,\"loss\":%d,\"validation\":0.5}\n",
                  i % 20, i, i);
  (void)fclose(out);
  put(folder, "metrics.jsonl", lines, size);
  free(lines);
  text = page_of_one(folder);
  expect_well_formed(text);
  expect_words(text, "are shown; the page would be too large with all");
  free(text);
}

static void what_is_no_run_is_refused_by_name(void **state) {
  char path[PAGE_PATH];
  const char *folder = folder_of("empty"), *broken = folder_of("broken"), *two[] = {folder, broken};
  (void)state;
  CHECK_FAILS(SOTTO_NOT_FOUND, "has no statement.json", page_write_run(folder, &err));
  put(broken, "statement.json", "{\"date\":", 8);
  CHECK_FAILS(SOTTO_PARSE, "statement.json", page_write_run(broken, &err));
  put(broken, "statement.json", "[1]", 3);
  CHECK_FAILS(SOTTO_PARSE, "not a JSON object", page_write_run(broken, &err));
  put(broken, "statement.json", "{\"parties\":7,\"exposed\":{},\"dataset\":[]}", 39);
  CHECK_FAILS(SOTTO_UNSUPPORTED, "this version reads form 2", page_write_run(broken, &err));
  json_t *root = statement("sbm", "edge", 4, 0);
  json_object_set_new(root, "parties", json_integer(7));
  json_object_set_new(root, "exposed", json_object());
  json_object_set_new(root, "dataset", json_array());
  put_json(broken, "statement.json", root);
  CHECK_OK(page_write_run(broken, &err)); /* whatever else is in it */
  root = statement("sbm", "edge", 4, 0);
  json_object_set_new(root, "total_epsilon", json_real(1));
  put_json(broken, "statement.json", root);
  CHECK_FAILS(SOTTO_CORRUPT, "verdicts[0].epsilon is 4, total_epsilon is 1", page_write_run(broken, &err));
  CHECK_FAILS(SOTTO_INVALID, "one folder",
              page_write(path, &(page_ask){.runs = two, .run_count = 2, .owner = true}, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(private_measures_are_on_the_owners_page_alone),
                                     cmocka_unit_test(a_long_run_has_means_over_seeds),
                                     cmocka_unit_test(every_drawing_has_a_name_a_description_and_a_table),
                                     cmocka_unit_test(a_page_loads_nothing_and_runs_nothing),
                                     cmocka_unit_test(hostile_names_stay_text),
                                     cmocka_unit_test(a_page_to_hand_on_has_nothing_of_the_owners),
                                     cmocka_unit_test(a_published_count_is_on_the_page),
                                     cmocka_unit_test(no_bound_is_shown_without_a_proof),
                                     cmocka_unit_test(levels_have_their_drawings),
                                     cmocka_unit_test(the_chance_of_a_guess_is_a_bound),
                                     cmocka_unit_test(gaussian_noise_alone_has_its_exact_figure),
                                     cmocka_unit_test(long_files_give_pages_of_bounded_size),
                                     cmocka_unit_test(what_is_no_run_is_refused_by_name)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
