/* What runs spend when their files are lost, restored or changed: a charge for every draw, and a statement of
 * the charges that were made. */
#include "base/file.h"
#include "check.h"
#include "ledgers.h"
#include "made_run.h"
#include "run/statement/statement.h"
#include "run_files.h"
#include "sotto/generate.h"

/* A private run of one release a seed, and the file of that. */
typedef struct kind {
  const char *method, *adjacency, *file;
  bool sum; /* epsilons of its releases add up */
} kind;

static const kind kinds[] = {{"vesper", "edge", "counts-0.sotto", true},
                             {"gap", "edge", "release.bin", false},
                             {"best", "edge", "counts-0.sotto", true},
                             {"mlp", "node", "model.safetensors", false}};
enum { kind_count = sizeof kinds / sizeof *kinds };

typedef struct fixture {
  sotto_options options;
  sotto_dataset data;
  char seed[1200], file[1300];
} fixture;

static void fixture_new(fixture *f, const kind *k, const char *name) {
  const sotto_sbm_options sbm = {
      .nodes = 90, .classes = 3, .features = 6, .degree_inside = 6, .degree_outside = 1, .feature_signal = 2};
  char folder[40], ledger[60];
  (void)snprintf(folder, sizeof folder, "%s-%s", name, k->method);
  (void)snprintf(ledger, sizeof ledger, "%s.db", folder);
  *f = (fixture){.options = check_options(k->method, folder), .data = check_communities(&sbm)};
  check_set(&f->options, "adjacency", k->adjacency);
  check_set(&f->options, "hidden", "4");
  check_set(&f->options, "epochs", "4");
  check_set_own(&f->options, (const char *const[]){"encoder-epochs", "4", NULL});
  check_set(&f->options, "ledger", check_new_ledger(check_path(ledger)));
  if (strcmp(k->adjacency, "node") == 0) check_set(&f->options, "steps", "5");
  if (strcmp(k->method, "best") == 0) check_set(&f->options, "layers", "1");
  (void)snprintf(f->seed, sizeof f->seed, "%.1000s/seed-1", f->options.out);
  (void)snprintf(f->file, sizeof f->file, "%s/%s", f->seed, k->file);
}

static sotto_result resumed(fixture *f) {
  f->options.resume = true;
  return check_run(&f->options, &f->data);
}

static void set_budget(const fixture *f, const kind *k, double epsilon) {
  sotto_ledger *ledger;
  const sotto_budget budget = {.epsilon = epsilon, .delta = f->options.delta};
  ledger = check_ledger_at(f->options.ledger);
  CHECK_OK(sotto_ledger_set_budget(ledger, f->data.account, f->data.name, k->adjacency, &budget, "", &err));
  sotto_ledger_close(ledger);
}

/* Does the statement say this epsilon, the planned one, and so many charges? */
static void check_statement(const fixture *f, const sotto_result *result, uint64_t charges, bool sound) {
  const sotto_report report = {&f->options, &f->data, result};
  json_t *s = sotto_i_statement(&report);
  assert_non_null(s);
  assert_true(json_number_value(json_object_get(s, "epsilon")) == (sound ? result->made.epsilon : 0));
  assert_true(json_number_value(json_object_get(s, "epsilon_planned")) == result->epsilon_planned);
  assert_int_equal(json_integer_value(json_object_get(s, "charges_made")), charges);
  assert_int_equal(json_is_true(json_object_get(s, "sound")), sound);
  json_decref(s);
}

static void an_honest_run_states_what_was_planned(void **state) {
  (void)state;
  for (size_t i = 0; i < kind_count; i++) {
    fixture f;
    fixture_new(&f, &kinds[i], "honest");
    check_set(&f.options, "seeds", "2");
    sotto_result r = check_run(&f.options, &f.data);
    assert_true(r.epsilon == r.epsilon_planned && r.total_epsilon == r.total_planned);
    assert_true(r.spent.charges == 2 && r.made.count[0] == 2);
    check_statement(&f, &r, 2, true);
    sotto_result_free(&r);
    sotto_dataset_free(&f.data);
  }
}

static void a_removed_seed_folder_is_a_second_charge(void **state) {
  (void)state;
  for (size_t i = 0; i < kind_count; i++) {
    fixture f;
    fixture_new(&f, &kinds[i], "removed");
    sotto_result first = check_run(&f.options, &f.data);
    check_remove_folder(f.seed);
    sotto_result second = resumed(&f);
    assert_int_equal(first.spent.charges, 1);
    assert_int_equal(second.spent.charges, 2);
    assert_true(second.epsilon > second.epsilon_planned && second.epsilon_planned == first.epsilon);
    if (kinds[i].sum) CHECK_NEAR(second.epsilon, 2 * first.epsilon, 1e-12);
    check_statement(&f, &second, 2, true);
    sotto_result_free(&first);
    sotto_result_free(&second);
    sotto_dataset_free(&f.data);
  }
}

static void on_a_full_budget_it_is_refused_before_any_work(void **state) {
  (void)state;
  for (size_t i = 0; i < kind_count; i++) {
    fixture f;
    sotto_result none;
    fixture_new(&f, &kinds[i], "full");
    sotto_result first = check_run(&f.options, &f.data);
    set_budget(&f, &kinds[i], first.spent.epsilon * 1.01);
    check_remove_folder(f.seed);
    f.options.resume = true;
    CHECK_FAILS(SOTTO_REFUSED, "budget", sotto_train(&none, &f.options, &f.data, NULL, NULL, &err));
    assert_false(sotto_i_is_folder(f.seed));
    sotto_result_free(&first);
    sotto_dataset_free(&f.data);
  }
}

/* A finished run goes on being its own, however full the budget is. */
static void a_finished_run_needs_no_budget(void **state) {
  (void)state;
  fixture f;
  fixture_new(&f, &kinds[0], "finished");
  sotto_result first = check_run(&f.options, &f.data);
  set_budget(&f, &kinds[0], first.spent.epsilon * 1.01);
  sotto_result second = resumed(&f);
  assert_int_equal(second.spent.charges, 1);
  sotto_result_free(&first);
  sotto_result_free(&second);
  sotto_dataset_free(&f.data);
}

static void an_old_backup_is_sent_again_under_its_old_charge(void **state) {
  (void)state;
  for (size_t i = 0; i < kind_count; i++) {
    fixture f;
    char backup[1200];
    sotto_i_map before;
    fixture_new(&f, &kinds[i], "backup");
    sotto_result r = check_run(&f.options, &f.data);
    sotto_result_free(&r);
    (void)snprintf(backup, sizeof backup, "%.1000s-backup", f.options.out);
    check_copy_folder(f.options.out, backup);
    check_remove_folder(f.seed);
    r = resumed(&f); /* another draw */
    sotto_result_free(&r);
    check_remove_folder(f.options.out);
    check_copy_folder(backup, f.options.out);
    check_forget_result(&f.options);
    CHECK_OK(sotto_i_map_open(&before, f.file, &err));
    r = resumed(&f);
    assert_int_equal(r.spent.charges, 2);
    check_same_file(f.file, &before);
    sotto_i_map_close(&before);
    check_statement(&f, &r, 2, true); /* both draws were this run's */
    sotto_result_free(&r);
    sotto_dataset_free(&f.data);
  }
}

static void a_changed_release_is_drawn_again(void **state) {
  (void)state;
  for (size_t i = 0; i < kind_count; i++) {
    fixture f;
    fixture_new(&f, &kinds[i], "changed");
    sotto_result r = check_run(&f.options, &f.data);
    sotto_result_free(&r);
    check_forget_result(&f.options);
    check_turn_a_bit(f.file);
    r = resumed(&f);
    assert_int_equal(r.spent.charges, 2);
    sotto_result_free(&r);
    sotto_dataset_free(&f.data);
  }
}

/* Another ledger does not know of what was sent. */
static void without_the_charges_nothing_is_called_sound(void **state) {
  (void)state;
  for (size_t i = 0; i < kind_count; i++) {
    fixture f;
    char other[60];
    fixture_new(&f, &kinds[i], "elsewhere");
    sotto_result r = check_run(&f.options, &f.data);
    sotto_result_free(&r);
    (void)snprintf(other, sizeof other, "elsewhere-%s-other.db", kinds[i].method);
    sotto_ledger *ledger = check_ledger_at(check_path(other));
    CHECK_OK(sotto_ledger_move(ledger, f.options.out, "a test", &err)); /* unsaid, it is refused */
    check_set(&f.options, "ledger", sotto_ledger_path(ledger));
    sotto_ledger_close(ledger);
    r = resumed(&f);
    assert_true(r.made.missing);
    check_statement(&f, &r, 0, false);
    sotto_result_free(&r);
    sotto_dataset_free(&f.data);
  }
}

/* Labels are told once a run; the file that keeps them gone, they are told again. */
static void labels_that_are_told_twice_are_charged_twice(void **state) {
  (void)state;
  fixture f;
  char path[1200];
  fixture_new(&f, &kinds[0], "labels");
  check_set(&f.options, "label-epsilon", "1");
  sotto_result r = check_run(&f.options, &f.data);
  assert_true(r.label_spent.charges == 1 && r.label_epsilon == r.label_epsilon_planned);
  sotto_result_free(&r);
  check_remove_folder(f.seed);
  (void)snprintf(path, sizeof path, "%.1000s/reported-labels.sotto", f.options.out);
  assert_int_equal(remove(path), 0);
  r = resumed(&f);
  assert_int_equal(r.label_spent.charges, 2);
  CHECK_NEAR(r.label_epsilon, 2 * r.label_epsilon_planned, 1e-12);
  sotto_result_free(&r);
  sotto_dataset_free(&f.data);
}

/* What a node-level release starts from stays out of the file that is kept. */
static void node_level_files_have_no_rows_without_noise(void **state) {
  (void)state;
  const kind gap = {"gap", "node", "release.bin", false};
  fixture f;
  sotto_release *release;
  fixture_new(&f, &gap, "rows");
  check_set(&f.options, "max-degree", "89");
  sotto_result r = check_run(&f.options, &f.data);
  CHECK_OK(sotto_release_load(&release, f.file, &err));
  const sotto_matrix *rows = sotto_release_layer(release, 0);
  for (size_t j = 0; j < rows->rows * rows->cols; j++) assert_true(rows->data[j] == 0);
  sotto_release_free(release);
  sotto_result_free(&r);
  sotto_dataset_free(&f.data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_honest_run_states_what_was_planned),
      cmocka_unit_test(a_removed_seed_folder_is_a_second_charge),
      cmocka_unit_test(on_a_full_budget_it_is_refused_before_any_work),
      cmocka_unit_test(a_finished_run_needs_no_budget),
      cmocka_unit_test(an_old_backup_is_sent_again_under_its_old_charge),
      cmocka_unit_test(a_changed_release_is_drawn_again),
      cmocka_unit_test(without_the_charges_nothing_is_called_sound),
      cmocka_unit_test(labels_that_are_told_twice_are_charged_twice),
      cmocka_unit_test(node_level_files_have_no_rows_without_noise),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
