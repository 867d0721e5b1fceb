/* Answers about data that a run was not trained on: each call makes a release, which is charged and stated,
 * and the caller's word alone repeats one. */
#include <string.h>

#include "base/file.h"
#include "check.h"
#include "made_run.h"
#include "run_files.h"
#include "small_graph.h"
#include "sotto/generate.h"
#include "sotto/model.h"
#include "spending.h"

static const char *const cases[][10] = {
    {"gap"},
    {"caribou"},
    {"progap", "layers", "2"},
    {"lpgnet", "layers", "2"},
    {"best", "layers", "2"},
    {"vfgnn", "layers", "2"},
    {"vfgnn", "publication", "rows", "layers", "1"},
    {"vfgnn", "accounting", "paper", "layers", "2"},
    {"vesper", "layers", "1"},
    {"vesper", "publication", "layers", "releases", "2"},
};
enum { case_count = sizeof cases / sizeof *cases };

static sotto_dataset blocks(uint64_t nodes, double inside) {
  return check_communities(&(sotto_sbm_options){.nodes = nodes,
                                                .classes = 3,
                                                .features = 12,
                                                .degree_inside = inside,
                                                .degree_outside = 1,
                                                .feature_signal = 1});
}

/* In a folder of its own each time. */
static sotto_options trained(size_t k, const sotto_dataset *data) {
  static unsigned folders;
  static const char *const shared[] = {"encoder-epochs", "6",    "epochs", "6", "hidden", "8",
                                       "delta",          "1e-4", NULL};
  char folder[32];
  (void)snprintf(folder, sizeof folder, "other-%u", folders++);
  sotto_options options = check_options(cases[k][0], folder);
  check_set(&options, "epsilon", "8");
  for (size_t i = 1; i + 1 < 10 && cases[k][i] != NULL; i += 2)
    check_set(&options, cases[k][i], cases[k][i + 1]);
  check_set_own(&options, shared);
  sotto_result result = check_run(&options, data);
  sotto_result_free(&result);
  return options;
}

/* What was said before anything was charged. */
typedef struct listener {
  const sotto_options *options;
  uint64_t charges_then;
  int prices;
} listener;

static void listen(void *context, sotto_log_level level, const char *text) {
  listener *l = context;
  (void)level;
  if (strstr(text, "will be charged") == NULL) return;
  l->prices++;
  l->charges_then = check_charges_in(l->options);
}

/* With an epsilon, or the number of a release that is repeated. */
static sotto_matrix answers(char folder[1200], const sotto_options *o, const sotto_dataset *data,
                            double epsilon, uint64_t again, listener *heard) {
  sotto_model *model;
  sotto_matrix out;
  *heard = (listener){.options = o};
  const sotto_observer observer = {.context = heard, .log = listen};
  const sotto_model_options as = {
      .seed = SOTTO_UNSET, .epsilon = epsilon, .again = again, .observer = &observer};
  CHECK_OK(sotto_model_open(&model, o->out, data, &as, &err));
  CHECK_OK(sotto_model_query(&out, model, &(sotto_query){0}, &err));
  folder[0] = '\0';
  if (sotto_model_release_folder(model) != NULL)
    (void)snprintf(folder, 1200, "%s", sotto_model_release_folder(model));
  sotto_model_free(model);
  return out;
}

static bool same(const sotto_matrix *a, const sotto_matrix *b) {
  return a->rows == b->rows && a->cols == b->cols &&
         memcmp(a->data, b->data, a->rows * a->cols * sizeof(float)) == 0;
}

/* Charges of a release that was made, which is number `number`; 0: the model reads none. */
static uint64_t check_made(const sotto_options *o, const sotto_dataset *data, uint64_t number,
                           sotto_matrix *out) {
  char folder[1200], wanted[24];
  listener heard;
  const uint64_t before = check_charges_in(o);
  *out = answers(folder, o, data, 4, 0, &heard);
  const uint64_t charges = check_charges_in(o) - before;
  if (folder[0] == '\0') {
    assert_int_equal(charges, 0);
    return 0;
  }
  (void)snprintf(wanted, sizeof wanted, "/predictions/%llu", (unsigned long long)number);
  assert_true(strlen(folder) > strlen(wanted) && charges > 0 && heard.prices == 1);
  assert_string_equal(folder + strlen(folder) - strlen(wanted), wanted);
  assert_int_equal(heard.charges_then, before);
  return charges;
}

static void check_repeats(const sotto_options *o, const sotto_dataset *data, uint64_t number,
                          const sotto_matrix *wanted) {
  char folder[1200];
  listener heard;
  const uint64_t before = check_charges_in(o);
  sotto_matrix found = answers(folder, o, data, 0, number, &heard);
  assert_true(same(&found, wanted) && heard.prices == 0);
  assert_int_equal(check_charges_in(o), before);
  sotto_matrix_free(&found);
}

/* The same data, data with an edge less, and the run's own: each call is a draw. A release that is named
 * answers with its bytes for all graphs of these nodes. */
static void every_call_makes_a_release_and_a_number_repeats_it(void **state) {
  (void)state;
  sotto_dataset data = blocks(240, 9), other = blocks(200, 8), unlabelled = other,
                less = check_without_edge(&other);
  unlabelled.labels = NULL;
  unlabelled.classes = 0;
  size_t released = 0;
  for (size_t k = 0; k < case_count; k++) {
    const sotto_options o = trained(k, &data);
    const sotto_dataset *const of[] = {&unlabelled, &unlabelled, &less, &data};
    sotto_matrix rows[4];
    uint64_t charges[4];
    for (uint64_t i = 0; i < 4; i++) charges[i] = check_made(&o, of[i], i + 1, &rows[i]);
    assert_true(charges[0] == charges[1] && charges[0] == charges[2] && charges[0] == charges[3]);
    if (charges[0] > 0) { /* else validation liked features alone best: there is nothing to release */
      released++;
      assert_false(same(&rows[0], &rows[1]));
      check_repeats(&o, &other, 1, &rows[0]);
      check_repeats(&o, &less, 1, &rows[0]);
      check_repeats(&o, &less, 2, &rows[1]);
      check_repeats(&o, &other, 3, &rows[2]);
    }
    for (int i = 0; i < 4; i++) sotto_matrix_free(&rows[i]);
  }
  /* Noise decides what validation likes: one of these methods now and then prefers features alone. */
  assert_true(2 * released >= case_count);
  sotto_dataset_free(&data);
  sotto_dataset_free(&other);
  sotto_dataset_free(&less);
}

static void check_no_repeat(sotto_status status, const char *words, const sotto_options *o,
                            const sotto_dataset *data, const sotto_model_options *as) {
  const uint64_t before = check_charges_in(o);
  sotto_model *model;
  CHECK_FAILS(status, words, sotto_model_open(&model, o->out, data, as, &err));
  assert_int_equal(check_charges_in(o), before);
}

/* Nothing is drawn in its place: the caller asked for what there is. */
static void what_cannot_be_repeated_is_refused_and_nothing_is_drawn(void **state) {
  (void)state;
  sotto_dataset data = blocks(240, 9), other = blocks(200, 8);
  char folder[1200], path[1400], model[1400];
  listener heard;
  const sotto_options o = trained(0, &data);
  sotto_model_options first = {.seed = SOTTO_UNSET, .again = 1}, both = {.seed = SOTTO_UNSET, .again = 1};
  both.epsilon = 4;
  check_no_repeat(SOTTO_INVALID, "no finished release 1", &o, &other, &first);
  sotto_matrix rows = answers(folder, &o, &other, 4, 0, &heard);
  check_no_repeat(SOTTO_INVALID, "leave epsilon out", &o, &other, &both);
  check_no_repeat(SOTTO_INVALID, "other nodes or features", &o, &data, &first);
  check_no_repeat(SOTTO_INVALID, "name the data", &o, NULL, &first);
  (void)snprintf(model, sizeof model, "%s/seed-%llu/model.safetensors", o.out, (unsigned long long)o.seed);
  check_turn_a_bit(model);
  check_no_repeat(SOTTO_CORRUPT, "is not the file of the training", &o, &other, &first);
  (void)snprintf(path, sizeof path, "%s", check_in(&o, "evidence.json"));
  assert_int_equal(rename(path, check_in(&o, "evidence.away")), 0);
  check_no_repeat(SOTTO_INVALID, "another model", &o, &other, &first);
  assert_int_equal(rename(check_in(&o, "evidence.away"), path), 0);
  check_turn_a_bit(model);
  (void)snprintf(path, sizeof path, "%s/seed-%llu/release.bin", folder, (unsigned long long)o.seed);
  check_turn_a_bit(path);
  check_no_repeat(SOTTO_NOT_FOUND, "its bytes were changed", &o, &other, &first);
  check_turn_a_bit(path);
  check_repeats(&o, &other, 1, &rows);
  assert_int_equal(remove(check_in(&o, "predictions/1/statement.json")), 0);
  check_no_repeat(SOTTO_INVALID, "no finished release 1", &o, &other, &first);
  sotto_matrix_free(&rows);
  sotto_dataset_free(&data);
  sotto_dataset_free(&other);
}

static void a_budget_is_asked_before_anything_is_made(void **state) {
  (void)state;
  sotto_dataset data = blocks(240, 9), other = blocks(200, 8);
  sotto_ledger *ledger;
  sotto_model *model;
  const sotto_options o = trained(0, &data);
  const sotto_budget budget = {.epsilon = 1, .delta = 1e-6};
  CHECK_OK(sotto_ledger_open(&ledger, o.ledger, &err));
  CHECK_OK(sotto_ledger_set_budget(ledger, other.account, other.name, "edge", &budget, "a test", &err));
  sotto_ledger_close(ledger);
  const sotto_model_options as = {.seed = SOTTO_UNSET, .epsilon = 4};
  CHECK_FAILS(SOTTO_REFUSED, "budget", sotto_model_open(&model, o.out, &other, &as, &err));
  assert_false(sotto_i_is_folder(check_in(&o, "predictions")));
  const sotto_model_options wrong[] = {{.seed = SOTTO_UNSET, .epsilon = -1},
                                       {.seed = SOTTO_UNSET, .epsilon = 1e4}};
  for (size_t i = 0; i < 2; i++)
    CHECK_FAILS(SOTTO_RANGE, "epsilon", sotto_model_open(&model, o.out, &other, &wrong[i], &err));
  CHECK_FAILS(SOTTO_INVALID, "name the data", sotto_model_open(&model, o.out, NULL, &as, &err));
  sotto_dataset_free(&data);
  sotto_dataset_free(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_call_makes_a_release_and_a_number_repeats_it),
      cmocka_unit_test(what_cannot_be_repeated_is_refused_and_nothing_is_drawn),
      cmocka_unit_test(a_budget_is_asked_before_anything_is_made),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
