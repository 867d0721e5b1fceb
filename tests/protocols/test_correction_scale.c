/* correction.json: what is written is read, and a missing one is named. */
#include "protocols/correction_scale.h"

#include <stdio.h>

#include "check.h"

static void what_is_written_is_read(void **state) {
  double moments[] = {0.25, 1, -3, 2}, own[] = {1, 2, 3, 4, 5, 6};
  const sotto_i_correction_scale scale = {.moments = moments,
                                          .own_moments = own,
                                          .classes = 2,
                                          .own = 3,
                                          .chosen = true,
                                          .surest = 0.125,
                                          .training = true,
                                          .even = true,
                                          .pilots = true,
                                          .kind = SOTTO_I_BY_FEATURES,
                                          .expected = {0, 0.5, 1.5}};
  sotto_i_correction_scale read;
  const char *folder = check_folder();
  (void)state;
  CHECK_OK(sotto_i_correction_scale_save(&scale, folder, &err));
  CHECK_OK(sotto_i_correction_scale_load(&read, folder, 2, &err));
  for (int i = 0; i < 4; i++) assert_true(read.moments[i] == moments[i]);
  for (int i = 0; i < 6; i++) assert_true(read.own_moments[i] == own[i]);
  assert_true(read.chosen && read.training && read.surest == 0.125 && read.own == 3);
  assert_true(!read.sure && read.even && read.pilots && read.kind == SOTTO_I_BY_FEATURES);
  assert_true(read.choice.features && !read.choice.transfers && !read.choice.sums);
  for (int i = 0; i < SOTTO_I_KEPT_LEVELS; i++) assert_true(read.expected[i] == scale.expected[i]);
  sotto_i_correction_scale_free(&read);
  CHECK_FAILS(SOTTO_CORRUPT, "is not of 3 classes", sotto_i_correction_scale_load(&read, folder, 3, &err));
  sotto_i_correction_scale_free(&read);
}

/* What was a choice decides who the pilots were. */
static void every_choice_is_read(void **state) {
  double moments[] = {0.25, 1, -3, 2};
  (void)state;
  for (unsigned k = 0; k < 8; k++) {
    const sotto_i_cluster_choice choice = {
        .features = k % 2 == 1, .transfers = k / 2 % 2 == 1 || k > 3, .kinds = k > 3};
    const sotto_i_correction_scale scale = {.moments = moments,
                                            .classes = 2,
                                            .pilots = choice.features || choice.transfers,
                                            .choice = choice,
                                            .kind = choice.kinds ? SOTTO_I_BY_KINDS : SOTTO_I_BY_CLASS,
                                            .weighed = choice.kinds && choice.features,
                                            .cells = choice.kinds ? 32 : 0};
    sotto_i_correction_scale read;
    CHECK_OK(sotto_i_correction_scale_save(&scale, check_folder(), &err));
    CHECK_OK(sotto_i_correction_scale_load(&read, check_folder(), 2, &err));
    assert_true(read.choice.features == choice.features && read.choice.transfers == choice.transfers &&
                read.choice.kinds == choice.kinds);
    assert_true(read.kind == scale.kind && read.cells == scale.cells && read.weighed == scale.weighed);
    sotto_i_correction_scale_free(&read);
  }
}

/* Sums have a column for each direction. */
static void choices_of_sums_are_read(void **state) {
  double moments[] = {0, 1, 0, 1}, own[] = {1, 2, 3, 4, 5, 6};
  sotto_i_correction_scale scale = {
      .moments = moments, .own_moments = own, .classes = 2, .own = 3, .pilots = true};
  sotto_i_correction_scale read;
  (void)state;
  for (int alone = 0; alone < 2; alone++) {
    scale.choice = (sotto_i_cluster_choice){.sums = alone == 0, .alone = alone == 1};
    CHECK_OK(sotto_i_correction_scale_save(&scale, check_folder(), &err));
    CHECK_OK(sotto_i_correction_scale_load(&read, check_folder(), 2, &err));
    assert_true(read.choice.sums == scale.choice.sums && read.choice.alone == scale.choice.alone);
    assert_true(!read.choice.features && !read.choice.transfers && !read.choice.kinds);
    sotto_i_correction_scale_free(&read);
  }
  scale.kind = SOTTO_I_BY_SUMS;
  for (scale.cells = 1; scale.cells <= 2; scale.cells++) {
    CHECK_OK(sotto_i_correction_scale_save(&scale, check_folder(), &err));
    if (scale.cells == 2)
      CHECK_FAILS(SOTTO_CORRUPT, "is not of", sotto_i_correction_scale_load(&read, check_folder(), 2, &err));
    else
      CHECK_OK(sotto_i_correction_scale_load(&read, check_folder(), 2, &err));
    sotto_i_correction_scale_free(&read);
  }
}

/* Sums may be of more columns than a correction reads. */
static void own_columns_are_bounded(void **state) {
  double moments[] = {0, 1, 0, 1}, own[2 * (SOTTO_I_MOST_SUM_COLUMNS + 1)] = {0};
  sotto_i_correction_scale scale = {
      .moments = moments, .own_moments = own, .classes = 2, .own = SOTTO_I_MOST_SUM_COLUMNS};
  sotto_i_correction_scale read;
  (void)state;
  own[2 * SOTTO_I_MOST_SUM_COLUMNS - 1] = 3;
  CHECK_OK(sotto_i_correction_scale_save(&scale, check_folder(), &err));
  CHECK_OK(sotto_i_correction_scale_load(&read, check_folder(), 2, &err));
  assert_true(read.own == SOTTO_I_MOST_SUM_COLUMNS &&
              read.own_moments[2 * SOTTO_I_MOST_SUM_COLUMNS - 1] == 3);
  sotto_i_correction_scale_free(&read);
  scale.own++;
  CHECK_OK(sotto_i_correction_scale_save(&scale, check_folder(), &err));
  CHECK_FAILS(SOTTO_CORRUPT, "is not of", sotto_i_correction_scale_load(&read, check_folder(), 2, &err));
  sotto_i_correction_scale_free(&read);
}

static void a_missing_file_is_named(void **state) {
  sotto_i_correction_scale read;
  (void)state;
  (void)remove(check_path("correction.json"));
  CHECK_FAILS(SOTTO_NOT_FOUND, "correction.json: is not there",
              sotto_i_correction_scale_load(&read, check_folder(), 2, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read),  cmocka_unit_test(every_choice_is_read),
      cmocka_unit_test(choices_of_sums_are_read), cmocka_unit_test(own_columns_are_bounded),
      cmocka_unit_test(a_missing_file_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
