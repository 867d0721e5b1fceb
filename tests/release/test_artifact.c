/* Artifacts by themselves: what is found, what is drawn again, what is charged, what is refused. */
#include "release/artifact.h"

#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "ledgers.h"
#include "made_run.h"
#include "run/method/method.h"
#include "run_files.h"

/* A job with two items: 0 of three releases, 1 of one. */
typedef struct world {
  sotto_options options;
  sotto_dataset data;
  sotto_cost cost;
  sotto_i_job job;
  int made, loaded;
  bool paid; /* when it was loaded */
  uint8_t bytes[8];
} world;

static void world_new(world *w, const char *folder) {
  const sotto_mechanism gaussian = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
  *w = (world){.options = check_options("gap", folder), .data = {.name = "made", .account = {7}}};
  w->cost = (sotto_cost){.adjacency = "edge", .by_mu = true};
  sotto_i_cost_add(&w->cost, "three", &gaussian, 0.5, 0)->times = 3;
  (void)sotto_i_cost_add(&w->cost, "one", &gaussian, 0.25, 0);
  w->cost.items[1].adjacency = "node";
  sotto_i_cost_account(&w->cost, SOTTO_ACCOUNT_DATA, w->data.account, w->data.name);
  sotto_i_cost_complete(&w->cost);
  w->job = (sotto_i_job){.options = &w->options,
                         .data = &w->data,
                         .cost = &w->cost,
                         .ledger = check_ledger_at(check_ledger_path()),
                         .run_id = "0123456789abcdef0123456789abcdef",
                         .folder = w->options.out,
                         .seed = w->options.seed};
}

static uint64_t charges(const world *w, const char *adjacency) {
  return check_spent_on(w->job.ledger, w->data.account, adjacency).charges;
}

static sotto_status make(void *context, const char *path, const sotto_key *key, sotto_error *err) {
  world *w = context;
  w->made++;
  return sotto_i_write_file(path, key->bytes, sizeof w->bytes, err);
}

static sotto_status load(void *context, const char *path, const sotto_i_receipt *receipt, sotto_error *err) {
  world *w = context;
  sotto_i_map map;
  sotto_status status = sotto_i_map_open(&map, path, err);
  if (status != SOTTO_OK) return status;
  memcpy(w->bytes, map.data, sizeof w->bytes);
  sotto_i_map_close(&map);
  w->loaded++;
  w->paid = sotto_i_receipt_holds(receipt);
  return SOTTO_OK;
}

static sotto_i_artifact first_of(world *w) {
  return (sotto_i_artifact){.owner = sotto_i_job_owner(&w->job),
                            .file = "a.bin",
                            .made_with = "a test",
                            .context = w,
                            .make = make,
                            .load = load};
}

static void what_was_drawn_is_found_and_charged_once(void **state) {
  (void)state;
  world w;
  uint8_t bytes[8];
  world_new(&w, "found");
  sotto_i_artifact a = first_of(&w);
  CHECK_OK(sotto_i_artifact_use(&a, &err));
  assert_true(w.paid && w.made == 1 && charges(&w, "edge") == 1);
  memcpy(bytes, w.bytes, sizeof bytes);
  CHECK_OK(sotto_i_artifact_use(&a, &err));
  assert_true(w.paid && w.made == 1 && w.loaded == 2 && charges(&w, "edge") == 1);
  assert_memory_equal(bytes, w.bytes, sizeof bytes);
  a.item = 1;
  a.file = "b.bin";
  CHECK_OK(sotto_i_artifact_use(&a, &err));
  assert_true(charges(&w, "node") == 1 && charges(&w, "edge") == 2); /* at both levels */
  sotto_ledger_close(w.job.ledger);
}

/* Each of these leaves something that is not what the first charge was for. */
static void what_is_lost_or_changed_is_a_new_draw(void **state) {
  (void)state;
  static const char *const lost[] = {"a.bin", "a.bin.made"};
  for (int which = 0; which < 2; which++)
    for (int change = 0; change < 2; change++) {
      world w;
      uint8_t bytes[8];
      char folder[16], path[1200];
      (void)snprintf(folder, sizeof folder, "lost-%d-%d", which, change);
      world_new(&w, folder);
      const sotto_i_artifact a = first_of(&w);
      CHECK_OK(sotto_i_artifact_use(&a, &err));
      memcpy(bytes, w.bytes, sizeof bytes);
      (void)snprintf(path, sizeof path, "%.1000s/%s", w.options.out, lost[which]);
      if (change == 0)
        assert_int_equal(unlink(path), 0);
      else
        check_turn_a_bit(path);
      CHECK_OK(sotto_i_artifact_use(&a, &err));
      assert_true(w.paid && w.made == 2 && charges(&w, "edge") == 2);
      assert_memory_not_equal(bytes, w.bytes, sizeof bytes);
      sotto_ledger_close(w.job.ledger);
    }
}

/* Bytes of somebody's own with a digest that fits them do not pass for what was charged. */
static void a_digest_that_was_made_to_fit_is_a_new_charge(void **state) {
  (void)state;
  world w, other;
  char from[1200], to[1200];
  world_new(&w, "fits");
  world_new(&other, "fits-other");
  const sotto_i_artifact a = first_of(&w), b = first_of(&other);
  CHECK_OK(sotto_i_artifact_use(&a, &err));
  CHECK_OK(sotto_i_artifact_use(&b, &err));
  (void)snprintf(from, sizeof from, "%.1000s/a.bin", other.options.out);
  (void)snprintf(to, sizeof to, "%.1000s/a.bin", w.options.out);
  check_copy_artifact(from, to);
  CHECK_OK(sotto_i_artifact_use(&a, &err));
  assert_true(w.made == 1 && charges(&w, "edge") == 2);
  sotto_ledger_close(w.job.ledger);
  sotto_ledger_close(other.job.ledger);
}

static void an_old_backup_finds_its_old_charge(void **state) {
  (void)state;
  world w;
  char path[1200], backup[1200];
  uint8_t bytes[8];
  world_new(&w, "backup");
  const sotto_i_artifact a = first_of(&w);
  CHECK_OK(sotto_i_artifact_use(&a, &err));
  memcpy(bytes, w.bytes, sizeof bytes);
  (void)snprintf(path, sizeof path, "%.1000s/a.bin", w.options.out);
  (void)snprintf(backup, sizeof backup, "%.1000s/old", w.options.out);
  check_copy_artifact(path, backup);
  assert_int_equal(unlink(path), 0);
  CHECK_OK(sotto_i_artifact_use(&a, &err));
  check_copy_artifact(backup, path);
  CHECK_OK(sotto_i_artifact_use(&a, &err));
  assert_true(w.made == 2 && charges(&w, "edge") == 2);
  assert_memory_equal(bytes, w.bytes, sizeof bytes);
  sotto_ledger_close(w.job.ledger);
}

/* Also where a peer, and not the plan, said how many there are. */
static void a_number_beyond_the_plan_is_refused_and_nothing_is_drawn(void **state) {
  (void)state;
  world w;
  world_new(&w, "beyond");
  sotto_i_artifact a = first_of(&w);
  for (a.number = 0; a.number < 3; a.number++) {
    char file[8];
    (void)snprintf(file, sizeof file, "%d", (int)a.number);
    a.file = file;
    CHECK_OK(sotto_i_artifact_use(&a, &err));
  }
  a.file = "fourth";
  CHECK_FAILS(SOTTO_PROTOCOL, "release 4 was requested, and the plan has 3", sotto_i_artifact_use(&a, &err));
  assert_true(w.made == 3 && w.loaded == 3 && charges(&w, "edge") == 3);
  sotto_ledger_close(w.job.ledger);
}

static void a_full_budget_refuses_before_anything_is_read(void **state) {
  (void)state;
  world w;
  const sotto_budget budget = {.epsilon = 0.1, .delta = 1e-6};
  world_new(&w, "refused");
  const sotto_i_artifact a = first_of(&w);
  CHECK_OK(sotto_ledger_set_budget(w.job.ledger, w.data.account, w.data.name, "edge", &budget, "", &err));
  CHECK_FAILS(SOTTO_REFUSED, "budget", sotto_i_artifact_use(&a, &err));
  assert_true(w.loaded == 0 && charges(&w, "edge") == 0);
  sotto_ledger_close(w.job.ledger);
}

static void other_options_need_another_folder(void **state) {
  (void)state;
  world w;
  world_new(&w, "options");
  sotto_i_artifact a = first_of(&w);
  CHECK_OK(sotto_i_artifact_use(&a, &err));
  a.made_with = "another test";
  CHECK_FAILS(SOTTO_INVALID, "made with other options; use a new run folder", sotto_i_artifact_use(&a, &err));
  assert_int_equal(charges(&w, "edge"), 1);
  sotto_ledger_close(w.job.ledger);
}

static void without_an_item_there_is_no_charge_and_no_receipt(void **state) {
  (void)state;
  world w;
  world_new(&w, "free");
  sotto_i_artifact a = first_of(&w);
  a.item = SOTTO_I_NO_ITEM;
  CHECK_OK(sotto_i_artifact_use(&a, &err));
  assert_true(w.loaded == 1 && !w.paid && charges(&w, "edge") == 0);
  sotto_ledger_close(w.job.ledger);
}

/* Three parts of one number cost one release; the second draw of a part is the number's second charge, and so
 * far the others' second draws are covered by it. */
static void disjoint_parts_cost_what_one_of_them_does(void **state) {
  (void)state;
  world w;
  char path[1200];
  world_new(&w, "parts");
  const sotto_dataset own = {.name = "own", .account = {9}};
  for (int round = 0; round < 3; round++) {
    for (uint32_t part = 1; part <= 3; part++) {
      char file[8];
      sotto_i_artifact a = first_of(&w);
      (void)snprintf(file, sizeof file, "p%u", (unsigned)part);
      a.file = file;
      a.part = part;
      a.part_data = part == 2 ? &own : NULL;
      CHECK_OK(sotto_i_artifact_use(&a, &err));
      assert_true(w.paid);
      assert_int_equal(charges(&w, "edge"), round == 0 ? 1 : 2);
    }
    assert_int_equal(w.made, round == 0 ? 3 : round == 1 ? 5 : 5);
    if (round == 0)
      for (int part = 1; part < 3; part++) {
        (void)snprintf(path, sizeof path, "%.1000s/p%d", w.options.out, part);
        assert_int_equal(unlink(path), 0);
      }
  }
  assert_int_equal(check_spent_on(w.job.ledger, own.account, "edge").charges, 2);
  sotto_ledger_close(w.job.ledger);
}

/* As many releases as the run was planned to make, and one more that was lost. */
static void what_happened_is_composed_from_charges(void **state) {
  (void)state;
  world w;
  sotto_made made;
  char path[1200];
  double planned, more;
  world_new(&w, "made");
  w.cost.count = 1;
  for (uint64_t number = 0; number < 3; number++) {
    char file[8];
    sotto_i_artifact a = first_of(&w);
    (void)snprintf(file, sizeof file, "%d", (int)number);
    a.number = number;
    a.file = file;
    CHECK_OK(sotto_i_artifact_use(&a, &err));
  }
  CHECK_OK(sotto_i_made_read(&made, w.job.ledger, &w.cost, &w.options, w.job.run_id, 1, &err));
  CHECK_OK(sotto_i_cost_epsilon(&planned, &w.cost, 1, w.options.delta, &err));
  assert_true(made.known && !made.missing && made.charges == 3 && made.epsilon == planned);
  sotto_i_artifact a = first_of(&w);
  a.file = "0";
  (void)snprintf(path, sizeof path, "%.1000s/0", w.options.out);
  assert_int_equal(unlink(path), 0);
  CHECK_OK(sotto_i_artifact_use(&a, &err));
  CHECK_OK(sotto_i_made_read(&made, w.job.ledger, &w.cost, &w.options, w.job.run_id, 1, &err));
  CHECK_OK(sotto_gdp_epsilon(&more, 0.5 * 2, w.options.delta, &err)); /* four of mu 0.5 */
  assert_true(made.charges == 4 && made.epsilon > planned);
  CHECK_NEAR(made.epsilon, more, 1e-9);
  CHECK_OK(sotto_i_made_read(&made, w.job.ledger, &w.cost, &w.options, "another run", 1, &err));
  assert_true(made.missing && made.charges == 0);
  sotto_ledger_close(w.job.ledger);
}

/* With an insecure seed the same bytes come out under the same charge. */
static void an_insecure_seed_repeats_draw_and_charge(void **state) {
  (void)state;
  world w;
  char path[1200];
  world_new(&w, "insecure");
  w.options.insecure_seed = 4;
  const sotto_i_artifact a = first_of(&w);
  CHECK_OK(sotto_i_artifact_use(&a, &err));
  (void)snprintf(path, sizeof path, "%.1000s/a.bin", w.options.out);
  assert_int_equal(unlink(path), 0);
  CHECK_OK(sotto_i_artifact_use(&a, &err));
  assert_true(w.made == 2 && charges(&w, "edge") == 1);
  sotto_ledger_close(w.job.ledger);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_drawn_is_found_and_charged_once),
      cmocka_unit_test(what_is_lost_or_changed_is_a_new_draw),
      cmocka_unit_test(a_digest_that_was_made_to_fit_is_a_new_charge),
      cmocka_unit_test(an_old_backup_finds_its_old_charge),
      cmocka_unit_test(a_number_beyond_the_plan_is_refused_and_nothing_is_drawn),
      cmocka_unit_test(a_full_budget_refuses_before_anything_is_read),
      cmocka_unit_test(other_options_need_another_folder),
      cmocka_unit_test(without_an_item_there_is_no_charge_and_no_receipt),
      cmocka_unit_test(disjoint_parts_cost_what_one_of_them_does),
      cmocka_unit_test(what_happened_is_composed_from_charges),
      cmocka_unit_test(an_insecure_seed_repeats_draw_and_charge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
