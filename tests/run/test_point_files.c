/* The files of a seed's points: which there are, which both parties have, which go. */
#include "base/file.h"
#include "check.h"
#include "run/point_files.h"

static void put(const char *folder, const char *name) {
  char path[400];
  (void)snprintf(path, sizeof path, "%s/stages", folder);
  CHECK_OK(sotto_i_make_folder(path, &err));
  (void)snprintf(path, sizeof path, "%s/stages/%s", folder, name);
  CHECK_OK(sotto_i_write_file(path, "", 0, &err));
}

static bool has(const char *folder, const char *name) {
  char path[400];
  (void)snprintf(path, sizeof path, "%s/stages/%s", folder, name);
  return sotto_i_is_file(path);
}

static bool lists(const sotto_i_points *points, uint32_t phase, uint32_t step) {
  uint32_t number = sotto_i_point_number((sotto_i_point){phase, step});
  for (size_t i = 0; i < points->count; i++)
    if (points->numbers[i] == number) return true;
  return false;
}

static void a_folder_that_is_not_there_reaches_the_beginning(void **state) {
  (void)state;
  sotto_i_points points;
  sotto_i_points_found(&points, check_path("nothing"), SOTTO_ROLE_DATA);
  assert_int_equal(points.count + points.last, 0);
}

static void numbers_grow_with_points(void **state) {
  (void)state;
  const sotto_i_point ascending[] = {{0, 0}, {0, 1}, {0, 1000000}, {1, 0}, {1, 1}, {2, 0}, {64, 1}};
  for (size_t i = 0; i < sizeof ascending / sizeof *ascending; i++) {
    uint32_t number = sotto_i_point_number(ascending[i]);
    const sotto_i_point back = sotto_i_point_of(number);
    assert_true(back.phase == ascending[i].phase && back.step == ascending[i].step);
    if (i > 0) assert_true(number > sotto_i_point_number(ascending[i - 1]));
  }
}

static void each_party_lists_what_it_can_go_on_from(void **state) {
  (void)state;
  const char *folder = check_path("lists");
  static const char *const files[] = {"encoder-20.safetensors",
                                      "encoder-40.safetensors",
                                      "round-0.safetensors",
                                      "round-1.safetensors",
                                      "layers-1.done",
                                      "layers-2.done", /* without the state before it */
                                      "decoder-1.safetensors",
                                      "encoder-.safetensors",
                                      "encoder-9999999999.safetensors",
                                      "encoder--1.safetensors",
                                      "round-0.safetensors.partial.77",
                                      "other"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) put(folder, files[i]);
  sotto_i_points label, data;
  sotto_i_points_found(&label, folder, SOTTO_ROLE_LABEL);
  assert_true(lists(&label, 0, 20) && lists(&label, 0, 40) && lists(&label, 1, 0) && lists(&label, 2, 0) &&
              lists(&label, 2, 1));
  assert_false(lists(&label, 1, 1) || lists(&label, 3, 1) || lists(&label, 0, 9999));
  assert_int_equal(label.last, sotto_i_point_number((sotto_i_point){2, 1}));
  sotto_i_points_found(&data, folder, SOTTO_ROLE_DATA);
  assert_true(lists(&data, 1, 1) && lists(&data, 2, 1)); /* it has the release, or makes it */
}

static void the_common_point_is_in_both_lists_whatever_the_other_says(void **state) {
  (void)state;
  const sotto_i_points own = {.numbers = {3, 9, 5}, .count = 3, .last = 9};
  sotto_i_points theirs = {.numbers = {[159] = 5}};
  assert_int_equal(sotto_i_points_common(&own, &theirs), 5);
  for (size_t i = 0; i < SOTTO_I_MOST_POINTS; i++) theirs.numbers[i] = UINT32_MAX - (uint32_t)i;
  assert_int_equal(sotto_i_points_common(&own, &theirs), 0);
  theirs.numbers[7] = 9;
  assert_int_equal(sotto_i_points_common(&own, &theirs), 9);
}

/* A decoder's training rests on layers that came in another life of the run; so they go together. */
static void what_is_beyond_a_point_is_removed(void **state) {
  (void)state;
  const char *folder = check_path("cut");
  static const char *const files[] = {"encoder-20.safetensors", "round-0.safetensors",  "layers-0.done",
                                      "decoder-0.safetensors",  "round-1.safetensors",  "layers-1.done",
                                      "decoder-1.safetensors",  "unrelated.safetensors"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) put(folder, files[i]);
  sotto_i_points_cut(folder, (sotto_i_point){2, 0});
  assert_true(has(folder, "round-1.safetensors") && has(folder, "decoder-0.safetensors"));
  assert_false(has(folder, "layers-1.done") || has(folder, "decoder-1.safetensors"));
  sotto_i_points_cut(folder, (sotto_i_point){1, 0});
  assert_true(has(folder, "round-0.safetensors") && has(folder, "encoder-20.safetensors"));
  assert_false(has(folder, "layers-0.done") || has(folder, "decoder-0.safetensors") ||
               has(folder, "round-1.safetensors"));
  sotto_i_points_cut(folder, (sotto_i_point){0, 0});
  assert_false(has(folder, "round-0.safetensors") || has(folder, "encoder-20.safetensors"));
  assert_true(has(folder, "unrelated.safetensors"));
}

static void the_last_two_epochs_stay_and_earlier_layers_go(void **state) {
  (void)state;
  const char *folder = check_path("forget");
  static const char *const files[] = {
      "encoder-20.safetensors", "encoder-40.safetensors", "encoder-60.safetensors", "layers-0.done",
      "layer-0-0.sotto",        "layer-0-1.sotto",        "decoder-0.safetensors",  "layer-1-0.sotto"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) put(folder, files[i]);
  sotto_i_encoders_forget(folder, 60, 20);
  assert_true(has(folder, "encoder-40.safetensors") && has(folder, "encoder-60.safetensors"));
  assert_false(has(folder, "encoder-20.safetensors"));
  sotto_i_layers_forget(folder, 0, 2);
  assert_false(has(folder, "layers-0.done") || has(folder, "layer-0-0.sotto") ||
               has(folder, "layer-0-1.sotto") || has(folder, "decoder-0.safetensors"));
  assert_true(has(folder, "layer-1-0.sotto"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_folder_that_is_not_there_reaches_the_beginning),
      cmocka_unit_test(numbers_grow_with_points),
      cmocka_unit_test(each_party_lists_what_it_can_go_on_from),
      cmocka_unit_test(the_common_point_is_in_both_lists_whatever_the_other_says),
      cmocka_unit_test(what_is_beyond_a_point_is_removed),
      cmocka_unit_test(the_last_two_epochs_stay_and_earlier_layers_go),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
