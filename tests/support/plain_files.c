#include "plain_files.h"

#include <string.h>

#include "base/file.h"
#include "check.h"

void check_write_text(const char *path, const char *text) {
  CHECK_OK(sotto_i_write_file(path, text, strlen(text), &err));
}

void check_same_files(const char *a, const char *b) {
  sotto_i_map one, two;
  CHECK_OK(sotto_i_map_open(&one, a, &err));
  CHECK_OK(sotto_i_map_open(&two, b, &err));
  assert_int_equal(one.size, two.size);
  assert_memory_equal(one.data, two.data, one.size);
  sotto_i_map_close(&one);
  sotto_i_map_close(&two);
}
