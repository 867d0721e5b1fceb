/* Files read in pieces, and spill files. */
#include <dirent.h>
#include <sodium.h>

#include "base/file.h"
#include "base/reader.h"
#include "check.h"

static void pieces_of_a_file_are_read_where_they_stand(void **state) {
  (void)state;
  uint8_t bytes[1000], back[100], digest[SOTTO_I_READER_DIGEST], expected[SOTTO_I_READER_DIGEST];
  for (int i = 0; i < 1000; i++) bytes[i] = (uint8_t)(i * 7);
  CHECK_OK(sotto_i_write_file(check_path("pieces"), bytes, sizeof bytes, &err));
  sotto_i_reader reader;
  CHECK_OK(sotto_i_reader_open(&reader, check_path("pieces"), &err));
  assert_int_equal(reader.size, sizeof bytes);
  CHECK_OK(sotto_i_reader_at(&reader, back, sizeof back, 321, &err));
  assert_memory_equal(back, bytes + 321, sizeof back);
  CHECK_OK(sotto_i_reader_digest(&reader, digest, 5, 900, &err));
  crypto_generichash(expected, sizeof expected, bytes + 5, 895, NULL, 0);
  assert_memory_equal(digest, expected, sizeof expected);
  CHECK_FAILS(SOTTO_IO, "cut short", sotto_i_reader_at(&reader, back, sizeof back, 950, &err));
  sotto_i_reader_close(&reader);
  sotto_i_reader_close(&reader);
  CHECK_FAILS(SOTTO_NOT_FOUND, "nowhere", sotto_i_reader_open(&reader, check_path("nowhere"), &err));
  CHECK_FAILS(SOTTO_IO, "regular", sotto_i_reader_open(&reader, check_folder(), &err));
}

static size_t files_in(const char *folder) {
  size_t count = 0;
  DIR *open = opendir(folder);
  assert_non_null(open);
  for (const struct dirent *e = readdir(open); e != NULL; e = readdir(open))
    count += e->d_name[0] != '.' || strlen(e->d_name) > 2;
  closedir(open);
  return count;
}

static void a_spill_file_has_no_name(void **state) {
  (void)state;
  const char *folder = check_path("spilled");
  CHECK_OK(sotto_i_make_folder(folder, &err));
  sotto_i_reader spill;
  uint8_t back[9];
  CHECK_OK(sotto_i_spill_new(&spill, folder, &err));
  CHECK_OK(sotto_i_spill_add(&spill, "some", 4, &err));
  CHECK_OK(sotto_i_spill_add(&spill, "bytes", 5, &err));
  assert_int_equal(files_in(folder), 0);
  CHECK_OK(sotto_i_reader_at(&spill, back, 9, 0, &err));
  assert_memory_equal(back, "somebytes", 9);
  sotto_i_reader_close(&spill);
  CHECK_FAILS(SOTTO_NOT_FOUND, "temporary file", sotto_i_spill_new(&spill, check_path("no/folder"), &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_of_a_file_are_read_where_they_stand),
      cmocka_unit_test(a_spill_file_has_no_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
