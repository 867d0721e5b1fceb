/* Files made to hurt: archives that unpack to far more than they are, and files that are cut short while they
 * are in use. */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "samples.h"
#include "sotto/generate.h"

enum { ADJ_DATA, ADJ_INDICES, ADJ_INDPTR };

/* An array of `count` zeros of four bytes: deflate makes a thousandth of it. */
static void zeros(sample *out, const char *type, size_t count) {
  char header[128];
  const int length = snprintf(header, sizeof header,
                              "{'descr': '%s', 'fortran_order': False, 'shape': (%zu,), }\n", type, count);
  const uint8_t size[2] = {(uint8_t)length, 0};
  sample_free(out);
  sample_add(out, "\x93NUMPY\1\0", 8);
  sample_add(out, size, 2);
  sample_text(out, header);
  void *nothing = calloc(count, 4);
  sample_add(out, nothing, 4 * count);
  free(nothing);
}

static void read_fails(const sample *arrays, sotto_status status, const char *words) {
  sample archive;
  sotto_i_source source;
  sotto_i_parts parts = {0};
  sample_npz(&archive, arrays, true);
  sample_sources(&source, &archive, 1);
  CHECK_FAILS(status, words, sotto_i_read_npz(&parts, &source, &err));
  sotto_i_parts_free(&parts);
  sample_free(&archive);
}

enum { bomb = 12 << 20 }; /* elements: 48 MB, packed into some 50 KB */

static void sizes_that_contradict_each_other_are_refused_before_unpacking(void **state) {
  (void)state;
  sample arrays[SAMPLE_ARRAYS];
  sample_npz_arrays(arrays);
  zeros(&arrays[ADJ_INDICES], "<i4", bomb);
  read_fails(arrays, SOTTO_PARSE, "12582912 indices in adj_indices, but 5 values in adj_data");
  sample_free_all(arrays, SAMPLE_ARRAYS);
  sample_npz_arrays(arrays);
  zeros(&arrays[ADJ_INDPTR], "<i4", bomb);
  read_fails(arrays, SOTTO_PARSE, "different numbers of rows");
  sample_free_all(arrays, SAMPLE_ARRAYS);
}

static void an_archive_unpacks_to_64_times_its_size_at_most(void **state) {
  (void)state;
  sample arrays[SAMPLE_ARRAYS];
  sample_npz_arrays(arrays);
  zeros(&arrays[ADJ_INDICES], "<i4", bomb);
  zeros(&arrays[ADJ_DATA], "<f4", bomb);
  read_fails(arrays, SOTTO_RANGE, "this file may unpack to");
  sample_free_all(arrays, SAMPLE_ARRAYS);
}

/* A dataset of some pages, opened; then its file is cut short, and all of it is read. */
static void read_after_the_cut(const char *path) {
  sotto_dataset data;
  sotto_error err = {0};
  if (sotto_dataset_open(&data, path, NULL, &err) != SOTTO_OK || truncate(path, 0) != 0) _exit(2);
  double sum = 0;
  for (size_t i = 0; i < data.features.rows * data.features.cols; i++)
    sum += fabs((double)data.features.data[i]);
  sotto_dataset_free(&data);
  _exit(sum > 0 ? 0 : 3);
}

/* How a process ends that does that. */
static int end_of_reader(uint64_t most_read) {
  sotto_dataset data;
  sotto_key key;
  int ended = 0;
  const sotto_sbm_options sbm = {
      .nodes = 4000, .classes = 2, .features = 16, .degree_inside = 4, .feature_signal = 1};
  const char *path = check_path("cut.sotto");
  sotto_key_public(&key, 1);
  CHECK_OK(sotto_generate_sbm(&data, &sbm, &key, &err));
  CHECK_OK(sotto_dataset_save(&data, path, &err));
  sotto_dataset_free(&data);
  sotto_i_map_most_read(most_read);
  const pid_t child = fork();
  if (child == 0) {
    (void)signal(SIGBUS, SIG_DFL);
    read_after_the_cut(path);
  }
  sotto_i_map_most_read(0);
  assert_int_equal(waitpid(child, &ended, 0), child);
  return ended;
}

static void a_file_that_is_cut_short_while_it_is_in_use_does_no_harm(void **state) {
  (void)state;
  int ended = end_of_reader(0);
  assert_true(WIFEXITED(ended));
  assert_int_equal(WEXITSTATUS(ended), 0);
  /* What a mapped file does: the test could see it. */
  ended = end_of_reader(1);
  assert_true(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGBUS);
}

static void a_pipe_is_refused_without_waiting_for_it(void **state) {
  (void)state;
  sotto_i_map map;
  assert_int_equal(mkfifo(check_path("pipe"), 0600), 0);
  CHECK_FAILS(SOTTO_IO, "is not a regular file", sotto_i_map_open(&map, check_path("pipe"), &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_that_contradict_each_other_are_refused_before_unpacking),
      cmocka_unit_test(an_archive_unpacks_to_64_times_its_size_at_most),
      cmocka_unit_test(a_file_that_is_cut_short_while_it_is_in_use_does_no_harm),
      cmocka_unit_test(a_pipe_is_refused_without_waiting_for_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
