/* Answers about data that a run was not trained on: one charged release, kept, stated, and never drawn twice.
 */
#include <string.h>

#include "base/file.h"
#include "check.h"
#include "made_run.h"
#include "run_files.h"
#include "sotto/generate.h"
#include "sotto/model.h"
#include "spending.h"

static const char *const cases[][10] = {
    {"gap"},
    {"caribou"},
    {"progap", "layers", "2"},
    {"lpgnet", "layers", "2"},
    {"best", "layers", "2"},
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

static sotto_matrix answers(char folder[1200], const sotto_options *o, const sotto_dataset *data,
                            double epsilon, listener *heard) {
  sotto_model *model;
  sotto_matrix out;
  *heard = (listener){.options = o};
  const sotto_observer observer = {.context = heard, .log = listen};
  const sotto_model_options as = {.seed = SOTTO_UNSET, .epsilon = epsilon, .observer = &observer};
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

static void one_release_is_charged_once(void **state) {
  (void)state;
  sotto_dataset data = blocks(240, 9), other = blocks(200, 8), unlabelled = other;
  unlabelled.labels = NULL;
  unlabelled.classes = 0;
  size_t released = 0;
  for (size_t k = 0; k < case_count; k++) {
    char folder[1200], again[1200];
    listener heard;
    const sotto_options o = trained(k, &data);
    const uint64_t before = check_charges_in(&o);
    sotto_matrix first = answers(folder, &o, &unlabelled, 4, &heard);
    const uint64_t after = check_charges_in(&o);
    if (folder[0] == '\0') { /* validation liked features alone best: there is nothing to release */
      assert_int_equal(after, before);
    } else {
      released++;
      assert_true(after > before && heard.prices == 1);
      assert_int_equal(heard.charges_then, before);
      sotto_matrix second = answers(again, &o, &other, 4, &heard);
      assert_true(same(&first, &second) && heard.prices == 0);
      assert_string_equal(folder, again);
      assert_int_equal(check_charges_in(&o), after);
      sotto_matrix_free(&second);
      second = answers(again, &o, &other, 2, &heard);
      assert_true(heard.prices == 1 && strcmp(folder, again) != 0);
      assert_true(check_charges_in(&o) > after);
      sotto_matrix_free(&second);
    }
    sotto_matrix_free(&first);
  }
  /* Noise decides what validation likes: one of these methods now and then prefers features alone. */
  assert_true(2 * released >= case_count);
  sotto_dataset_free(&data);
  sotto_dataset_free(&other);
}

/* As in training: other bytes than those that were charged are another draw. */
static void a_release_that_was_changed_is_drawn_and_charged_again(void **state) {
  (void)state;
  sotto_dataset data = blocks(240, 9), other = blocks(200, 8);
  char folder[1200], path[1400];
  listener heard;
  const sotto_options o = trained(0, &data);
  sotto_matrix first = answers(folder, &o, &other, 4, &heard);
  const uint64_t charges = check_charges_in(&o);
  (void)snprintf(path, sizeof path, "%s/seed-%llu/release.bin", folder, (unsigned long long)o.seed);
  check_turn_a_bit(path);
  sotto_matrix second = answers(folder, &o, &other, 4, &heard);
  assert_int_equal(check_charges_in(&o), charges + 1);
  assert_false(same(&first, &second));
  sotto_matrix_free(&first);
  sotto_matrix_free(&second);
  sotto_dataset_free(&data);
  sotto_dataset_free(&other);
}

/* What another model asked for is not what this one reads. */
static void a_release_is_kept_for_one_model(void **state) {
  (void)state;
  sotto_dataset data = blocks(240, 9), other = blocks(200, 8);
  char first[1200], second[1200], path[1400];
  listener heard;
  const sotto_options o = trained(0, &data);
  sotto_matrix rows = answers(first, &o, &other, 4, &heard);
  sotto_matrix_free(&rows);
  (void)snprintf(path, sizeof path, "%s/seed-%llu/model.safetensors", o.out, (unsigned long long)o.seed);
  check_turn_a_bit(path);
  rows = answers(second, &o, &other, 4, &heard);
  assert_true(heard.prices == 1 && strcmp(first, second) != 0);
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
  CHECK_FAILS(SOTTO_INVALID, "leave epsilon out", sotto_model_open(&model, o.out, &data, &as, &err));
  sotto_dataset_free(&data);
  sotto_dataset_free(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_release_is_charged_once),
      cmocka_unit_test(a_release_that_was_changed_is_drawn_and_charged_again),
      cmocka_unit_test(a_release_is_kept_for_one_model),
      cmocka_unit_test(a_budget_is_asked_before_anything_is_made),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
