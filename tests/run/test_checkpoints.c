/* Checkpoints of a seed by role: the last few are kept, files of other names are left alone, what stands
 * beyond the agreed one goes, and one of another session is another one. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "inside/nn.h"
#include "run/storage/checkpoints.h"

typedef struct fixture {
  sotto_i_checkpoints kept;
  sotto_params *params;
  double number;
  sotto_i_saved_state state;
} fixture;

static void begin(fixture *f, const char *folder, const char *role) {
  size_t number;
  sotto_key key;
  *f = (fixture){.kept = {.folder = folder, .every = 4}};
  (void)snprintf(f->kept.role, sizeof f->kept.role, "%s", role);
  (void)mkdir(folder, 0700);
  sotto_key_public(&key, 1);
  CHECK_OK(sotto_params_new(&f->params, &err));
  CHECK_OK(sotto_params_add(f->params, &number, "w", 2, 3, SOTTO_INIT_GLOROT, true, &key, &err));
  f->state = (sotto_i_saved_state){.sets = {f->params}, .count = 1, .numbers = &f->number, .number_count = 1};
}

static void save(fixture *f, uint32_t number, uint32_t token) {
  f->kept.token = token;
  f->number = number;
  CHECK_OK(sotto_i_checkpoint_save(&f->kept, number, &f->state, &err));
}

static void check_found(const fixture *f, const sotto_i_checkpoint *expected, size_t count) {
  sotto_i_checkpoint_list found;
  sotto_i_checkpoints_found(&found, f->kept.folder, f->kept.role);
  for (size_t i = 0; i < SOTTO_I_KEPT_CHECKPOINTS; i++) {
    const sotto_i_checkpoint wanted = i < count ? expected[i] : (sotto_i_checkpoint){0, 0};
    assert_int_equal(found.of[i].number, wanted.number);
    assert_int_equal(found.of[i].token, wanted.token);
  }
}

static void put(const fixture *f, const char *name) {
  char path[600];
  (void)snprintf(path, sizeof path, "%s/owner-only/stages", f->kept.folder);
  CHECK_OK(sotto_i_make_folder(path, &err));
  (void)snprintf(path, sizeof path, "%s/owner-only/stages/%s", f->kept.folder, name);
  CHECK_OK(sotto_i_write_file(path, "", 0, &err));
}

static bool has(const fixture *f, const char *name) {
  char path[600];
  (void)snprintf(path, sizeof path, "%s/owner-only/stages/%s", f->kept.folder, name);
  return access(path, F_OK) == 0;
}

static void the_last_three_are_kept(void **state) {
  (void)state;
  fixture f;
  static const char *const others[] = {"server-4-0000000x.safetensors", "server-4-07.safetensors",
                                       "server-04-00000007.safetensors", "other",
                                       "holder1-4-00000007.safetensors"};
  begin(&f, check_path("three"), "server");
  check_found(&f, NULL, 0);
  save(&f, 4, 7);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) put(&f, others[i]);
  put(&f, "server-4-00000007-layer-0.sotto");
  check_found(&f, (sotto_i_checkpoint[]){{4, 7}}, 1);
  save(&f, 8, 7);
  save(&f, 12, 7);
  assert_true(has(&f, "server-4-00000007-layer-0.sotto"));
  save(&f, 16, 7);
  check_found(&f, (sotto_i_checkpoint[]){{16, 7}, {12, 7}, {8, 7}}, 3);
  assert_false(has(&f, "server-4-00000007-layer-0.sotto")); /* what belongs to one goes with it */
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) assert_true(has(&f, others[i]));
  f.number = 0;
  f.kept.at = (sotto_i_checkpoint){12, 7};
  CHECK_OK(sotto_i_checkpoint_load(&f.kept, &f.state, &err));
  assert_true(f.number == 12);
  f.kept.at.token = 6; /* the same number of another session is not there */
  CHECK_FAILS(SOTTO_NOT_FOUND, "server-12-00000006", sotto_i_checkpoint_load(&f.kept, &f.state, &err));
  sotto_params_free(f.params);
}

static void what_is_beyond_the_agreed_one_goes(void **state) {
  (void)state;
  fixture f, other;
  const sotto_i_checkpoint agreed = {8, 7};
  begin(&f, check_path("cut"), "holder1");
  begin(&other, check_path("cut"), "holder2");
  save(&f, 8, 7);
  save(&other, 12, 9);
  save(&f, 12, 9);
  put(&f, "holder1-12-00000009-decoder-40.safetensors");
  put(&f, "holder1-8-00000007-decoder-20.safetensors");
  sotto_i_checkpoints_cut(f.kept.folder, "holder1", agreed);
  check_found(&f, &agreed, 1);
  check_found(&other, (sotto_i_checkpoint[]){{12, 9}}, 1); /* another role's are its own affair */
  assert_true(has(&f, "holder1-8-00000007-decoder-20.safetensors"));
  assert_false(has(&f, "holder1-12-00000009-decoder-40.safetensors"));
  save(&f, 8, 5); /* of another session: not what was agreed on */
  sotto_i_checkpoints_cut(f.kept.folder, "holder1", agreed);
  check_found(&f, &agreed, 1);
  put(&f, "unrelated.safetensors");
  sotto_i_checkpoints_forget(f.kept.folder);
  check_found(&f, NULL, 0);
  check_found(&other, NULL, 0);
  assert_true(has(&f, "unrelated.safetensors"));
  sotto_params_free(f.params);
  sotto_params_free(other.params);
}

static void the_common_one_is_in_both_lists_whatever_the_other_says(void **state) {
  (void)state;
  const sotto_i_checkpoint_list own = {{{9, 1}, {5, 1}, {3, 1}}};
  sotto_i_checkpoint_list known = own, theirs = {{{0, 0}, {5, 1}, {UINT32_MAX, 1}}};
  sotto_i_checkpoints_join(&known, &theirs);
  assert_int_equal(sotto_i_checkpoints_latest(&known).number, 5);
  known = own;
  theirs = (sotto_i_checkpoint_list){{{9, 2}, {10, 1}, {4, 1}}};
  sotto_i_checkpoints_join(&known, &theirs);
  assert_int_equal(sotto_i_checkpoints_latest(&known).number, 0);
}

static void a_training_keeps_its_last_epoch_after_the_checkpoint_it_began_at(void **state) {
  (void)state;
  fixture f;
  sotto_params *best;
  sotto_i_watch watch = {.epoch = 20, .best_epoch = 3, .best = 0.5};
  begin(&f, check_path("training"), "owner");
  CHECK_OK(sotto_params_clone(&best, f.params, &err));
  const sotto_i_training_state training = {.params = f.params, .best = best, .watch = &watch};
  CHECK_OK(sotto_i_training_keep(&f.kept, "network", &training, &err));
  watch.epoch = 40;
  CHECK_OK(sotto_i_training_keep(&f.kept, "network", &training, &err));
  CHECK_OK(sotto_i_training_keep(&f.kept, "network-2", &training, &err));
  assert_false(has(&f, "owner-0-00000000-network-00000000-20.safetensors"));
  assert_true(has(&f, "owner-0-00000000-network-00000000-40.safetensors"));
  watch = (sotto_i_watch){0};
  CHECK_OK(sotto_i_training_find(&f.kept, "network", &training, &err));
  assert_true(watch.epoch == 40 && watch.best_epoch == 3 && watch.best == 0.5);
  watch = (sotto_i_watch){0};
  CHECK_OK(sotto_i_training_find(&f.kept, "networ", &training, &err));
  assert_int_equal(watch.epoch, 0);
  f.kept.at.number = 1; /* after another checkpoint it is another training */
  CHECK_OK(sotto_i_training_find(&f.kept, "network", &training, &err));
  assert_int_equal(watch.epoch, 0);
  sotto_params_free(best);
  sotto_params_free(f.params);
}

static void checkpoints_are_due_every_so_many_epochs(void **state) {
  (void)state;
  const sotto_i_checkpoints kept = {.every = 4}, none = {.every = 0};
  assert_true(sotto_i_checkpoint_due(&kept, 8));
  assert_false(sotto_i_checkpoint_due(&kept, 3));
  assert_false(sotto_i_checkpoint_due(&none, 8));
  assert_false(sotto_i_checkpoint_due(NULL, 8));
}

static void roles_are_read_and_written(void **state) {
  (void)state;
  static const char *const good[] = {"data", "label", "server", "holder2", "client1024", "helper"};
  static const char *const bad[] = {"",        "holder", "holder0", "holder-1", "client1025",
                                    "servers", "data1",  "helper1", "x"};
  sotto_party party = {.number = 0};
  char name[SOTTO_ROLE_SIZE];
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    CHECK_OK(sotto_party_role_read(&party, good[i], &err));
    sotto_party_role_name(name, &party);
    assert_string_equal(name, good[i]);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK_FAILS(SOTTO_INVALID, "; it is data or label", sotto_party_role_read(&party, bad[i], &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_three_are_kept),
      cmocka_unit_test(what_is_beyond_the_agreed_one_goes),
      cmocka_unit_test(the_common_one_is_in_both_lists_whatever_the_other_says),
      cmocka_unit_test(a_training_keeps_its_last_epoch_after_the_checkpoint_it_began_at),
      cmocka_unit_test(checkpoints_are_due_every_so_many_epochs),
      cmocka_unit_test(roles_are_read_and_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
