/* Points that several parties go on from: the last two are kept, files of other names are left alone, what
 * stands beyond the agreed point goes, and a point of another session is another point. */
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "run/party_mesh.h"

typedef struct fixture {
  sotto_options options;
  sotto_i_seat seat;
  sotto_i_job job;
  sotto_params *params;
  double number;
  sotto_i_state state;
} fixture;

static void begin(fixture *f, const char *folder) {
  size_t number;
  sotto_key key;
  *f = (fixture){.seat = {.token = 0xabcd}};
  sotto_options_default(&f->options);
  f->options.checkpoint_every = 4;
  (void)mkdir(folder, 0700);
  f->job = (sotto_i_job){.options = &f->options, .folder = folder, .seat = &f->seat};
  sotto_key_public(&key, 1);
  CHECK_OK(sotto_params_new(&f->params, &err));
  CHECK_OK(sotto_params_add(f->params, &number, "w", 2, 3, SOTTO_INIT_GLOROT, 0, true, &key, &err));
  f->state = (sotto_i_state){.sets = {f->params}, .count = 1, .numbers = &f->number, .number_count = 1};
}

static void save(fixture *f, uint32_t epoch, uint32_t token) {
  f->seat.token = token;
  f->number = epoch;
  CHECK_OK(sotto_i_mesh_point_save(&f->job, epoch, &f->state, &err));
}

static void check_points(const fixture *f, uint32_t first, uint32_t first_token, uint32_t second,
                         uint32_t second_token) {
  uint32_t found[2 * SOTTO_I_KEPT_POINTS];
  sotto_i_mesh_points(found, f->job.folder);
  const uint32_t expected[2 * SOTTO_I_KEPT_POINTS] = {first, first_token, second, second_token};
  for (size_t i = 0; i < 2 * SOTTO_I_KEPT_POINTS; i++) assert_int_equal(found[i], expected[i]);
}

static void the_last_two_are_kept(void **state) {
  (void)state;
  fixture f;
  char other[600];
  begin(&f, check_path("two"));
  check_points(&f, 0, 0, 0, 0);
  assert_false(sotto_i_mesh_point_due(&f.job, 3));
  assert_true(sotto_i_mesh_point_due(&f.job, 8));
  save(&f, 4, 7);
  check_points(&f, 4, 7, 0, 0);
  (void)snprintf(other, sizeof other, "%s/stages/point-99-0000000x.safetensors", f.job.folder);
  FILE *stream = fopen(other, "w");
  assert_non_null(stream);
  (void)fclose(stream);
  save(&f, 8, 7);
  save(&f, 12, 7);
  check_points(&f, 12, 7, 8, 7);
  assert_int_equal(access(other, F_OK), 0);
  f.seat.point[0] = 8;
  f.seat.point[1] = 7;
  f.number = 0;
  CHECK_OK(sotto_i_mesh_point_load(&f.job, &f.state, &err));
  assert_true(f.number == 8);
  f.seat.point[1] = 6; /* the same epoch of another session is not there */
  CHECK_FAILS(SOTTO_NOT_FOUND, "point-8-00000006", sotto_i_mesh_point_load(&f.job, &f.state, &err));
  sotto_params_free(f.params);
}

static void what_is_beyond_the_agreed_point_goes(void **state) {
  (void)state;
  fixture f;
  const uint32_t agreed[2] = {8, 7};
  begin(&f, check_path("cut"));
  save(&f, 8, 7);
  save(&f, 12, 9);
  sotto_i_mesh_points_cut(f.job.folder, agreed);
  check_points(&f, 8, 7, 0, 0);
  save(&f, 8, 5); /* of another session: not what was agreed on */
  sotto_i_mesh_points_cut(f.job.folder, agreed);
  check_points(&f, 8, 7, 0, 0);
  sotto_i_mesh_points_forget(f.job.folder);
  check_points(&f, 0, 0, 0, 0);
  sotto_params_free(f.params);
}

static void one_process_keeps_none(void **state) {
  (void)state;
  fixture f;
  begin(&f, check_path("one"));
  f.job.seat = NULL;
  assert_false(sotto_i_mesh_point_due(&f.job, 8));
  f.job.seat = &f.seat;
  f.options.checkpoint_every = 0;
  assert_false(sotto_i_mesh_point_due(&f.job, 8));
  sotto_params_free(f.params);
}

static void roles_are_read_and_written(void **state) {
  (void)state;
  static const char *const good[] = {"data", "label", "server", "holder2", "client1024"};
  static const char *const bad[] = {"",           "holder",  "holder0", "holder-1",
                                    "client1025", "servers", "data1",   "x"};
  sotto_party party = {.number = 0};
  char name[SOTTO_ROLE_SIZE];
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    CHECK_OK(sotto_party_role_read(&party, good[i], &err));
    sotto_party_role_name(name, &party);
    assert_string_equal(name, good[i]);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK_FAILS(SOTTO_INVALID, "--role is data or label", sotto_party_role_read(&party, bad[i], &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_two_are_kept),
      cmocka_unit_test(what_is_beyond_the_agreed_point_goes),
      cmocka_unit_test(one_process_keeps_none),
      cmocka_unit_test(roles_are_read_and_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
