/* safetensors: what is written comes back, and every malformed file is refused with nothing changed. */
#include "base/file.h"
#include "check.h"
#include "inside/nn.h"
#include "nn/params/safetensors.h"

/* Parameters "a" (1 x 2) and "b" (2 x 1), filled with `first`, `first` + 1, ... */
static sotto_params *new_params(float first) {
  sotto_params *params;
  size_t number;
  CHECK_OK(sotto_params_new(&params, &err));
  CHECK_OK(sotto_params_add(params, &number, "a", 1, 2, SOTTO_INIT_ZERO, true, NULL, &err));
  CHECK_OK(sotto_params_add(params, &number, "b", 2, 1, SOTTO_INIT_ZERO, false, NULL, &err));
  for (size_t i = 0; i < 4; i++) sotto_params_value(params, i / 2)->data[i % 2] = first + (float)i;
  return params;
}

static void check_values(sotto_params *params, float first) {
  for (size_t i = 0; i < 4; i++)
    assert_true(sotto_params_value(params, i / 2)->data[i % 2] == first + (float)i);
}

static void what_is_saved_is_loaded_again(void **state) {
  (void)state;
  sotto_params *from = new_params(10), *to = new_params(0), *extra, *extra_to;
  static const char *const metadata[] = {"format", "sotto", "odd \"name\"", "value\n"};
  const char *path = check_path("model.safetensors");
  size_t number;
  CHECK_OK(sotto_params_new(&extra, &err));
  CHECK_OK(sotto_params_add(extra, &number, "none", 0, 5, SOTTO_INIT_ZERO, true, NULL, &err));
  CHECK_OK(sotto_params_add(extra, &number, "also none", 3, 0, SOTTO_INIT_ZERO, true, NULL, &err));
  CHECK_OK(sotto_params_clone(&extra_to, extra, &err));
  const sotto_params *const sets[] = {extra, from};
  sotto_params *const turned[] = {to, extra_to}; /* names decide, not the order */
  CHECK_OK(sotto_params_save(sets, 2, path, metadata, 2, &err));
  CHECK_OK(sotto_params_load(turned, 2, path, &err));
  check_values(to, 10);
  sotto_i_map map;
  uint64_t length;
  CHECK_OK(sotto_i_map_open(&map, path, &err));
  memcpy(&length, map.data, sizeof length);
  assert_int_equal((8 + length) % 8, 0); /* values are aligned */
  assert_int_equal(map.size, 8 + length + 16);
  sotto_i_map_close(&map);
  CHECK_OK(sotto_params_save(sets, 2, path, NULL, 0, &err));
  CHECK_OK(sotto_params_load(turned, 2, path, &err));
  sotto_params_free(from);
  sotto_params_free(to);
  sotto_params_free(extra);
  sotto_params_free(extra_to);
}

static void what_would_not_load_is_not_written(void **state) {
  (void)state;
  sotto_params *params = new_params(1), *reserved;
  const char *path = check_path("twice.safetensors");
  const sotto_params *const twice[] = {params, params};
  static const char *const bad_value[] = {"key", "\xff"}, *const bad_key[] = {"\xff", "value"};
  static const char *const repeated[] = {"key", "1", "key", "2"};
  size_t number;
  CHECK_OK(sotto_params_new(&reserved, &err));
  CHECK_OK(sotto_params_add(reserved, &number, "__metadata__", 1, 1, SOTTO_INIT_ZERO, true, NULL, &err));
  const sotto_params *const names[] = {reserved};
  CHECK_FAILS(SOTTO_INVALID, "'a' would be twice", sotto_params_save(twice, 2, path, NULL, 0, &err));
  CHECK_FAILS(SOTTO_INVALID, "UTF-8", sotto_params_save(twice, 1, path, bad_value, 1, &err));
  CHECK_FAILS(SOTTO_INVALID, "UTF-8", sotto_params_save(twice, 1, path, bad_key, 1, &err));
  CHECK_FAILS(SOTTO_INVALID, "'key'", sotto_params_save(twice, 1, path, repeated, 2, &err));
  CHECK_FAILS(SOTTO_INVALID, "__metadata__", sotto_params_save(names, 1, path, NULL, 0, &err));
  assert_false(sotto_i_is_file(path));
  sotto_params_free(params);
  sotto_params_free(reserved);
}

/* A file of this header, with four values 1, 2, 3, 4 unless `bytes` says how many bytes of them. */
static size_t make_file(uint8_t *out, const char *header, size_t bytes) {
  static const float values[6] = {1, 2, 3, 4, 5, 6};
  uint64_t length = strlen(header);
  memcpy(out, &length, sizeof length);
  for (uint64_t i = 0; i < length; i++) out[8 + i] = (uint8_t)header[i];
  memcpy(out + 8 + length, values, bytes);
  return 8 + length + bytes;
}

#define ENTRY(name, type, shape, offsets)                                                                    \
  "\"" name "\":{\"dtype\":\"" type "\",\"shape\":[" shape "],\"data_offsets\":[" offsets "]}"
#define A ENTRY("a", "F32", "1,2", "0,8")
#define B ENTRY("b", "F32", "2,1", "8,16")

/* Parses with ASan at the end of the bytes, and sees that a refusal changed nothing. */
static sotto_status parse(const uint8_t *bytes, size_t size, sotto_error *err) {
  uint8_t *tight = malloc(size > 0 ? size : 1);
  sotto_params *params = new_params(-50), *const sets[] = {params};
  memcpy(tight, bytes, size);
  sotto_status status = sotto_i_params_parse(sets, 1, tight, size, err);
  check_values(params, status == SOTTO_OK ? 1 : -50);
  sotto_params_free(params);
  free(tight);
  return status;
}

static void offsets_and_order_of_entries_are_free_of_each_other(void **state) {
  (void)state;
  uint8_t bytes[1000] = {0};
  CHECK_OK(parse(bytes, make_file(bytes, "{" A "," B "}", 16), &err));
  CHECK_OK(parse(bytes, make_file(bytes, "{" B "," A "}   ", 16), &err));
  CHECK_OK(parse(bytes, make_file(bytes, "{\"__metadata__\":{\"x\":\"y\"}," A "," B "}", 16), &err));
}

static void every_malformed_file_is_refused_and_changes_nothing(void **state) {
  (void)state;
  static const struct {
    const char *header;
    size_t bytes;
    sotto_status status;
    const char *words;
  } files[] = {
      {"{" A "," B "}", 15, SOTTO_PARSE, "within the file"},
      {"{" A "," B "}", 0, SOTTO_PARSE, "within the file"},
      {"{" A "," B "}", 17, SOTTO_PARSE, "bytes follow"},
      {"{" A "," ENTRY("b", "F32", "2,1", "0,8") "}", 8, SOTTO_PARSE, "overlap"},
      {"{" A "," ENTRY("b", "F32", "2,1", "4,12") "}", 12, SOTTO_PARSE, "overlap"},
      {"{" A "," ENTRY("b", "F32", "2,1", "12,20") "}", 20, SOTTO_PARSE, "gaps"},
      {"{" ENTRY("a", "F32", "1,2", "8,16") "," ENTRY("b", "F32", "2,1", "16,24") "}", 24, SOTTO_PARSE,
       "gaps"},
      {"{" A "," ENTRY("b", "F32", "2,1", "16,8") "}", 16, SOTTO_PARSE, "within the file"},
      {"{" A "," ENTRY("b", "F32", "2,1", "8,12") "}", 16, SOTTO_PARSE, "within the file"},
      {"{" A "," ENTRY("b", "F32", "2,1", "-8,0") "}", 16, SOTTO_PARSE, "whole numbers"},
      {"{" A "," ENTRY("b", "F32", "2,1", "9223372036854775807,9223372036854775807") "}", 16, SOTTO_PARSE,
       "within the file"},
      {"{" A "," ENTRY("b", "F32", "2,1", "8.0,16.0") "}", 16, SOTTO_PARSE, "whole numbers"},
      {"{" A "," ENTRY("b", "F32", "2,1", "8") "}", 16, SOTTO_PARSE, "whole numbers"},
      {"{" A "," ENTRY("b", "F64", "2,1", "8,16") "}", 16, SOTTO_PARSE, "F32"},
      {"{" A "," ENTRY("b", "f32", "2,1", "8,16") "}", 16, SOTTO_PARSE, "F32"},
      {"{" A ",\"b\":{\"dtype\":4,\"shape\":[2,1],\"data_offsets\":[8,16]}}", 16, SOTTO_PARSE, "F32"},
      {"{" A ",\"b\":{\"dtype\":\"F32\",\"data_offsets\":[8,16]}}", 16, SOTTO_PARSE, "whole numbers"},
      {"{" A ",\"b\":[1,2]}", 16, SOTTO_PARSE, "F32"},
      {"{" A "," ENTRY("b", "F32", "1,2", "8,16") "}", 16, SOTTO_INVALID, "1 x 2; this model has 2 x 1"},
      {"{" A "," ENTRY("b", "F32", "2", "8,16") "}", 16, SOTTO_PARSE, "whole numbers"},
      {"{" A "," ENTRY("b", "F32", "2,1,1", "8,16") "}", 16, SOTTO_PARSE, "whole numbers"},
      {"{" A "," ENTRY("c", "F32", "2,1", "8,16") "}", 16, SOTTO_INVALID, "'c'"},
      {"{" A "}", 8, SOTTO_INVALID, "1 of the model's 2"},
      {"{}", 0, SOTTO_INVALID, "0 of the model's 2"},
      {"{" A "," B "," ENTRY("c", "F32", "1,1", "16,20") "}", 20, SOTTO_INVALID, "'c'"},
      {"{" A "," A "," B "}", 16, SOTTO_PARSE, "duplicate"},
      {"[]", 16, SOTTO_PARSE, "JSON"},
      {"", 16, SOTTO_PARSE, "JSON"},
      {"{" A "," B "} x", 16, SOTTO_PARSE, "JSON"},
      {"{" A "," B, 16, SOTTO_PARSE, "JSON"},
      {"{\"\xff\":1}", 16, SOTTO_PARSE, "JSON"},
  };
  uint8_t bytes[1000] = {0};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    size_t size = make_file(bytes, files[i].header, files[i].bytes);
    CHECK_FAILS(files[i].status, files[i].words, parse(bytes, size, &err));
  }
}

static void a_file_cut_anywhere_or_with_a_wild_length_is_refused(void **state) {
  (void)state;
  uint8_t bytes[1000] = {0};
  size_t size = make_file(bytes, "{" A "," B "}", 16);
  for (size_t cut = 0; cut < size; cut++) {
    CHECK_FAILS(SOTTO_PARSE, "", parse(bytes, cut, &err));
  }
  static const uint64_t lengths[] = {1000, UINT64_MAX, UINT64_MAX - 7, (uint64_t)1 << 63};
  for (int i = 0; i < 4; i++) {
    memcpy(bytes, &lengths[i], 8);
    CHECK_FAILS(SOTTO_PARSE, "claims a header", parse(bytes, size, &err));
  }
}

static void errors_of_a_file_name_it(void **state) {
  (void)state;
  sotto_params *params = new_params(0), *const sets[] = {params};
  const char *path = check_path("cut.safetensors");
  CHECK_OK(sotto_i_write_file(path, "abc", 3, &err));
  CHECK_FAILS(SOTTO_PARSE, "cut.safetensors: is cut short", sotto_params_load(sets, 1, path, &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "absent", sotto_params_load(sets, 1, check_path("absent"), &err));
  sotto_params_free(params);
}

static void failed_allocations_are_reported_by_save_and_load(void **state) {
  (void)state;
  sotto_params *params = new_params(0), *const sets[] = {params};
  const sotto_params *const saved[] = {params};
  const char *path = check_path("memory.safetensors");
  sotto_status status;
  uint64_t nth = 0;
  do {
    (void)sotto_i_memory_fail_at(++nth);
    status = sotto_params_save(saved, 1, path, NULL, 0, NULL);
    (void)sotto_i_memory_fail_at(0);
    assert_true(status == SOTTO_OK || (status == SOTTO_NOMEM && !sotto_i_is_file(path)));
  } while (status != SOTTO_OK);
  nth = 0;
  do {
    (void)sotto_i_memory_fail_at(++nth);
    status = sotto_params_load(sets, 1, path, NULL);
    (void)sotto_i_memory_fail_at(0);
    assert_true(status == SOTTO_OK || status == SOTTO_NOMEM);
  } while (status != SOTTO_OK);
  assert_true(nth > 1);
  sotto_params_free(params);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_saved_is_loaded_again),
      cmocka_unit_test(what_would_not_load_is_not_written),
      cmocka_unit_test(offsets_and_order_of_entries_are_free_of_each_other),
      cmocka_unit_test(every_malformed_file_is_refused_and_changes_nothing),
      cmocka_unit_test(a_file_cut_anywhere_or_with_a_wild_length_is_refused),
      cmocka_unit_test(errors_of_a_file_name_it),
      cmocka_unit_test(failed_allocations_are_reported_by_save_and_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
