/* correction.json: what is written is read, and a file of an earlier version is named as one. */
#include "recipes/correction_scale.h"

#include <stdio.h>

#include "check.h"

static void what_is_written_is_read(void **state) {
  double moments[] = {0.25, 1, -3, 2};
  const sotto_i_correction_scale scale = {moments, 2, true, 0.125, true};
  sotto_i_correction_scale read;
  const char *folder = check_folder();
  (void)state;
  CHECK_OK(sotto_i_correction_scale_save(&scale, folder, &err));
  CHECK_OK(sotto_i_correction_scale_load(&read, folder, 2, &err));
  for (int i = 0; i < 4; i++) assert_true(read.moments[i] == moments[i]);
  assert_true(read.chosen && read.training && read.surest == 0.125);
  sotto_i_correction_scale_free(&read);
  CHECK_FAILS(SOTTO_CORRUPT, "is not of 3 classes", sotto_i_correction_scale_load(&read, folder, 3, &err));
  sotto_i_correction_scale_free(&read);
}

static void write_file(const char *text) {
  FILE *file = fopen(check_path("correction.json"), "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

/* Counts of two classes were read in another way; of more in the same way. */
static void a_file_of_an_earlier_version_is_named(void **state) {
  static const char two[] = "{\"moments\":[0,1,0,1],\"chosen\":false,\"surest\":0,\"training\":false}";
  static const char three[] = "{\"moments\":[0,1,0,1,0,1],\"chosen\":false,\"surest\":0,\"training\":false}";
  sotto_i_correction_scale read;
  const char *folder = check_folder();
  (void)state;
  (void)remove(check_path("correction.json"));
  CHECK_FAILS(SOTTO_NOT_FOUND, "Train again", sotto_i_correction_scale_load(&read, folder, 2, &err));
  write_file(two);
  CHECK_FAILS(SOTTO_NOT_FOUND, "a version before this one trained the run",
              sotto_i_correction_scale_load(&read, folder, 2, &err));
  sotto_i_correction_scale_free(&read);
  write_file(three);
  CHECK_OK(sotto_i_correction_scale_load(&read, folder, 3, &err));
  sotto_i_correction_scale_free(&read);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read),
      cmocka_unit_test(a_file_of_an_earlier_version_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
