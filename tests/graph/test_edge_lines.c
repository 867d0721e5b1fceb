/* Edge lists whose lines are read many at a time are read as line by line: a list says the same with its
 * fields in quotes, and those are never read at once. */
#include <stdio.h>

#include "base/memory.h"
#include "base/random.h"
#include "graph/tables/tables.h"
#include "samples.h"

#include "check.h"

enum { lists = 400, most_text = 1 << 15 };

typedef struct text {
  char bytes[most_text];
  size_t size;
} text;

static void put(text *t, const char *what, size_t size) {
  assert_true(t->size + size < most_text);
  memcpy(t->bytes + t->size, what, size);
  t->size += size;
}

/* Mostly one of few small numbers; sometimes what is no small number, or no number. Nothing at all is no
 * field where blanks stand between. */
static const char *draw_id(char room[32], sotto_i_random *random, uint64_t odd, uint64_t ids, bool blanks) {
  static const char *const others[] = {"007",
                                       "0",
                                       "00",
                                       "7",
                                       "07",
                                       "+7",
                                       "-7",
                                       "-0",
                                       "7.0",
                                       "12345678",
                                       "123456789",
                                       "1234567890",
                                       "4294967295",
                                       "4294967296",
                                       "99999999999999999999999",
                                       "ann",
                                       "7a",
                                       "7:",
                                       "7/",
                                       ("\xC3\xA9"
                                        "7"),
                                       "7\xC3\xA9",
                                       "7\xC2\xB7",
                                       "7\x01",
                                       "12345678a",
                                       "1e3",
                                       ""};
  if (sotto_i_random_below(random, odd) == 0)
    return others[sotto_i_random_below(random, sizeof others / sizeof *others - blanks)];
  (void)snprintf(room, 32, "%llu", (unsigned long long)sotto_i_random_below(random, ids));
  return room;
}

/* One field in both lists: as it is, and in quotes. */
static void put_field(text *plain, text *quoted, const char *field) {
  put(plain, field, strlen(field));
  put(quoted, "\"", 1);
  put(quoted, field, strlen(field));
  put(quoted, "\"", 1);
}

static void put_both(text *plain, text *quoted, const char *what) {
  put(plain, what, strlen(what));
  put(quoted, what, strlen(what));
}

static void put_end(text *plain, text *quoted, sotto_i_random *random, uint64_t odd) {
  static const char *const others[] = {"\r\n", "\n\n", "\n# 1,2\n", "\n%\n", "\r\n\r\n", "\n#\"\n", "\r\r\n"};
  const bool usual = sotto_i_random_below(random, odd) != 0;
  put_both(plain, quoted,
           usual ? "\n" : others[sotto_i_random_below(random, sizeof others / sizeof *others - 1)]);
}

static void draw_list(text *plain, text *quoted, char separator, sotto_i_random *random) {
  static const uint64_t odds[] = {3, 20, 200, 1000000};
  const uint64_t odd = odds[sotto_i_random_below(random, 4)], lines = 1 + sotto_i_random_below(random, 400);
  const uint64_t columns = sotto_i_random_below(random, 4) == 0 ? 3 : 2;
  const uint64_t ids = sotto_i_random_below(random, 2) == 0 ? 40 : 3000;
  const char between[2] = {separator, '\0'};
  char room[32];
  plain->size = quoted->size = 0;
  if (sotto_i_random_below(random, 2) == 0) {
    static const char *const names[] = {"source", "target", "w"};
    for (uint64_t j = 0; j < columns; j++) {
      if (j > 0) put_both(plain, quoted, between);
      put_both(plain, quoted, names[j]);
    }
    put_both(plain, quoted, "\n");
  }
  for (uint64_t i = 0; i < lines; i++) {
    const bool wrong = sotto_i_random_below(random, 20 * odd) == 0;
    for (uint64_t j = 0; j < columns + wrong; j++) {
      if (j > 0) put_both(plain, quoted, between);
      put_field(plain, quoted, draw_id(room, random, odd, ids, separator == ' '));
    }
    if (i + 1 < lines || sotto_i_random_below(random, 2) == 0) put_end(plain, quoted, random, odd);
  }
}

static sotto_status read_list(sotto_dataset *out, const text *edges, const text *nodes, sotto_error *err) {
  sotto_i_parts parts = {0};
  uint8_t *alone = NULL; /* so that a byte read beyond the end is seen */
  *out = (sotto_dataset){0};
  *err = (sotto_error){0};
  sotto_status status = sotto_i_new_raw(&alone, edges->size, 1, err);
  memcpy(alone, edges->bytes, edges->size);
  const sotto_i_source files[2] = {
      {"edges", alone, edges->size},
      {"nodes", nodes == NULL ? NULL : (const uint8_t *)nodes->bytes, nodes == NULL ? 0 : nodes->size}};
  if (status == SOTTO_OK) status = sotto_i_read_edges(&parts, &files[0], &files[1], NULL, err);
  if (status == SOTTO_OK) status = sotto_i_dataset_assemble(out, &parts, err);
  sotto_i_parts_free(&parts);
  sotto_i_free(alone);
  return status;
}

static void expect_same(const text *plain, const text *quoted, const text *nodes, size_t *good) {
  sotto_dataset read, expected;
  sotto_error err, wanted;
  const sotto_status status = read_list(&read, plain, nodes, &err);
  const sotto_status was = read_list(&expected, quoted, nodes, &wanted);
  if (status != was) fail_msg("read as '%s', and in quotes as '%s'", err.text, wanted.text);
  assert_string_equal(err.text, wanted.text);
  if (status == SOTTO_OK) {
    *good += 1;
    assert_memory_equal(read.digest, expected.digest, sizeof read.digest);
    assert_int_equal(read.node_ids.count, expected.node_ids.count);
    for (uint64_t i = 0; i < read.node_ids.count; i++)
      assert_string_equal(sotto_name(&read.node_ids, i), sotto_name(&expected.node_ids, i));
    assert_int_equal(read.reading->pairs, expected.reading->pairs);
    assert_string_equal(read.reading->form, expected.reading->form);
  }
  sotto_dataset_free(&read);
  sotto_dataset_free(&expected);
}

static void lists_are_read_as_their_lines_are(void **state) {
  static text plain, quoted, nodes;
  sotto_i_random random = check_random();
  char room[32];
  size_t good = 0;
  (void)state;
  for (size_t i = 0; i < lists; i++) {
    nodes.size = 0;
    put(&nodes, "id\n", 3);
    for (size_t j = 0; j < 3000 - i % 3; j++)
      put(&nodes, room, (size_t)snprintf(room, sizeof room, "%zu\n", (j * 7) % 3000));
    draw_list(&plain, &quoted, ",\t "[i % 4 % 3], &random);
    expect_same(&plain, &quoted, i % 3 == 0 ? &nodes : NULL, &good);
  }
  assert_in_range(good, lists / 4, lists - 10);
}

/* Numbers that are no plain ones are ids of their own. */
static void ways_to_write_a_number_are_different_ids(void **state) {
  static const char list[] = "1,007\n1,7\n1,07\n1,7\n7,1\n00,0\n";
  static const char *const wanted[] = {"1", "007", "7", "07", "00", "0"};
  static text edges;
  sotto_dataset data;
  (void)state;
  put(&edges, list, sizeof list - 1);
  CHECK_OK(read_list(&data, &edges, NULL, &err));
  assert_int_equal(data.graph.nodes, 6);
  for (size_t i = 0; i < 6; i++) assert_string_equal(sotto_name(&data.node_ids, i), wanted[i]);
  assert_int_equal(data.reading->repeats, 2);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lists_are_read_as_their_lines_are),
                                     cmocka_unit_test(ways_to_write_a_number_are_different_ids)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
