/* Texts of tables: packed ones, UTF-16, and bytes that are not UTF-8. */
#include <zstd.h>

#include "base/file.h"
#include "base/reader.h"
#include "check.h"
#include "format_samples.h"
#include "graph/io/table_text.h"
#include "graph/tables/tables.h"
#include "sotto/graph.h"

enum { lists = 300, most_text = 1 << 12 };

static const char edges[] = "source,target\nann,J\xC3\xB6rg\nJ\xC3\xB6rg,\xF0\x9F\x90\x9D\n";
static const char nodes[] = "id,x,label\nann,1,u\nJ\xC3\xB6rg,2,v\n\xF0\x9F\x90\x9D,3,u\n";

static sample packed_zstd(const char *text, size_t size) {
  uint8_t room[1 << 12];
  sample out = {0};
  const size_t made = ZSTD_compress(room, sizeof room, text, size, 3);
  assert_false(ZSTD_isError(made));
  sample_add(&out, room, made);
  return out;
}

/* UTF-16 with a byte order mark, made of UTF-8 that is known to be good. */
static sample utf16(const char *text, bool little) {
  sample out = {0};
  const uint8_t mark[] = {little ? 0xFF : 0xFE, little ? 0xFE : 0xFF};
  sample_add(&out, mark, 2);
  for (const uint8_t *at = (const uint8_t *)text; *at != 0;) {
    const int more = *at < 0x80 ? 0 : *at < 0xE0 ? 1 : *at < 0xF0 ? 2 : 3;
    uint32_t code = *at++ & (more == 0 ? 0x7FU : 0x3FU >> more);
    for (int i = 0; i < more; i++) code = code << 6 | (*at++ & 0x3FU);
    const bool pair = code >= 0x10000;
    const uint32_t units[] = {pair ? 0xD800 + ((code - 0x10000) >> 10) : code,
                              0xDC00 + ((code - 0x10000) & 0x3FF)};
    for (int k = 0; k <= pair; k++) {
      const uint8_t bytes[] = {(uint8_t)(units[k] >> (little ? 0 : 8)),
                               (uint8_t)(units[k] >> (little ? 8 : 0))};
      sample_add(&out, bytes, 2);
    }
  }
  return out;
}

static const char *put(const char *name, const void *data, size_t size) {
  const char *path = check_path(name);
  CHECK_OK(sotto_i_write_file(path, data, size, &err));
  return path;
}

static void expect_the_graph(const char *path, const char *how) {
  sotto_dataset data;
  CHECK_OK(sotto_dataset_open(&data, path, NULL, &err));
  assert_int_equal(data.graph.nodes, 3);
  assert_int_equal(data.graph.entries, 4);
  assert_string_equal(sotto_name(&data.node_ids, 1), "J\xC3\xB6rg");
  assert_string_equal(sotto_name(&data.node_ids, 2), "\xF0\x9F\x90\x9D");
  assert_true(data.features.data[2] == 3);
  assert_string_equal(data.name, "list");
  if (strstr(data.reading->form, how) == NULL) fail_msg("'%s' lacks '%s'", data.reading->form, how);
  sotto_dataset_free(&data);
}

/* The list in every form, and its table of nodes in every form. */
static void packed_tables_and_utf16_are_read_and_said(void **state) {
  (void)state;
  static const char *const ends[] = {"", ".gz", ".zst", "", ""};
  static const char *const how[] = {"", "unpacked from gzip", "unpacked from zstd", "decoded from UTF-16",
                                    "decoded from UTF-16"};
  enum { forms = sizeof ends / sizeof *ends };
  sample made[2][forms];
  for (int t = 0; t < 2; t++) {
    const char *text = t == 0 ? edges : nodes;
    made[t][0] = (sample){0};
    sample_add(&made[t][0], text, strlen(text));
    made[t][1] = sample_gzip(text, strlen(text));
    made[t][2] = packed_zstd(text, strlen(text));
    made[t][3] = utf16(text, true);
    made[t][4] = utf16(text, false);
  }
  for (size_t i = 0; i < forms; i++)
    for (size_t j = 0; j < forms; j++) {
      char list[32], table[32], said[64];
      (void)snprintf(list, sizeof list, "list.csv%s", ends[i]);
      (void)snprintf(table, sizeof table, "list.nodes.csv%s", ends[j]);
      (void)snprintf(said, sizeof said, "%s%s", j == 0 ? "" : "the table of nodes ",
                     j == 0 ? how[i] : how[j]);
      const char *there = put(table, made[1][j].data, made[1][j].size);
      expect_the_graph(put(list, made[0][i].data, made[0][i].size), said);
      expect_the_graph(check_path(list), how[i]);
      assert_int_equal(remove(there), 0);
    }
  for (int t = 0; t < 2; t++)
    for (size_t i = 0; i < forms; i++) sample_free(&made[t][i]);
}

static void names_of_packed_files_do_not_decide_what_they_are(void **state) {
  (void)state;
  sample gzip = sample_gzip(edges, strlen(edges));
  sotto_dataset data;
  CHECK_OK(sotto_dataset_open(&data, put("plain.csv", gzip.data, gzip.size), NULL, &err));
  assert_int_equal(data.graph.nodes, 3);
  sotto_dataset_free(&data);
  CHECK_FAILS(SOTTO_CORRUPT, "is neither gzip nor zstd, as its name says",
              sotto_dataset_open(&data, put("p.csv.gz", edges, strlen(edges)), NULL, &err));
  CHECK_FAILS(SOTTO_UNSUPPORTED, "its name does not say what is inside",
              sotto_dataset_open(&data, put("p.gz", gzip.data, gzip.size), NULL, &err));
  CHECK_FAILS(SOTTO_UNSUPPORTED, "is packed as bzip2; unpack it",
              sotto_dataset_open(&data, put("b.csv", "BZh91AY&SY....", 14), NULL, &err));
  CHECK_FAILS(SOTTO_UNSUPPORTED, "is packed as zip (as workbooks are)",
              sotto_dataset_open(&data, put("w.csv", "PK\3\4............", 16), NULL, &err));
  sample_free(&gzip);
}

static void a_packed_table_that_was_cut_short_is_refused(void **state) {
  (void)state;
  for (int zstd = 0; zstd < 2; zstd++) {
    sample whole = zstd ? packed_zstd(nodes, strlen(nodes)) : sample_gzip(nodes, strlen(nodes));
    for (size_t size = 4; size < whole.size; size++) {
      const sotto_i_source file = {"cut", whole.data, size};
      sotto_i_table_text text;
      CHECK_FAILS(SOTTO_CORRUPT, zstd ? "is not zstd, or was cut short" : "is not gzip, or was cut short",
                  sotto_i_table_text_open(&text, &file, &err));
      sotto_i_table_text_free(&text);
    }
    sample_free(&whole);
  }
}

static void packed_pieces_one_after_the_other_are_one_text(void **state) {
  (void)state;
  for (int zstd = 0; zstd < 2; zstd++) {
    sample both = {0}, one = zstd ? packed_zstd("a,b\n", 4) : sample_gzip("a,b\n", 4);
    for (int i = 0; i < 2; i++) sample_add(&both, one.data, one.size);
    const sotto_i_source file = {"both", both.data, both.size};
    sotto_i_table_text text;
    CHECK_OK(sotto_i_table_text_open(&text, &file, &err));
    assert_int_equal(text.source.size, 8);
    assert_memory_equal(text.source.data, "a,b\na,b\n", 8);
    sotto_i_table_text_free(&text);
    sample_free(&both);
    sample_free(&one);
  }
}

static void a_bomb_of_zstd_is_refused_at_64_times_its_size(void **state) {
  (void)state;
  enum { size = 64 << 20 };
  uint8_t *zeros = calloc(size, 1), *packed = malloc(ZSTD_compressBound(size));
  const sotto_i_source file = {"bomb.zst", packed,
                               ZSTD_compress(packed, ZSTD_compressBound(size), zeros, size, 1)};
  sotto_i_table_text text;
  CHECK_FAILS(SOTTO_RANGE, "bomb.zst: unpacks to more than", sotto_i_table_text_open(&text, &file, &err));
  sotto_i_table_text_free(&text);
  free(zeros);
  free(packed);
}

static void halves_of_characters_of_utf16_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t size;
    const char *words;
  } bad[] = {{"\xFF\xFE"
              "a\0,",
              5, "offset 4: half of a character"},
             {"\xFF\xFE"
              "a\0\x00\xD8",
              6, "offset 4: half"},
             {"\xFF\xFE"
              "\x00\xD8"
              "b\0",
              6, "offset 2: half"},
             {"\xFE\xFF"
              "\xDC\x00"
              "\0b",
              6, "offset 2: half"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const sotto_i_source file = {"half", (const uint8_t *)bad[i].bytes, bad[i].size};
    sotto_i_table_text text;
    CHECK_FAILS(SOTTO_PARSE, bad[i].words, sotto_i_table_text_open(&text, &file, &err));
    sotto_i_table_text_free(&text);
  }
}

/* One byte of a list is replaced. Whatever it is, the list is refused with its place, or is UTF-8 still. */
static void a_byte_that_is_not_utf8_is_named_with_line_and_offset(void **state) {
  (void)state;
  static const uint8_t bytes[] = {0x80, 0xBF, 0xC0, 0xC3, 0xE2, 0xED, 0xF0, 0xF5, 0xFF, 0x00};
  sotto_i_random random = check_random();
  const sotto_i_source none = {.file = "none"};
  for (int t = 0; t < lists; t++) {
    char text[most_text] = "", wanted[100];
    for (uint64_t k = 1 + sotto_i_random_below(&random, 60); k > 0; k--)
      (void)strcat(text, k % 7 == 0 ? "\"7\",J\xC3\xB6rg\n" : k % 11 == 0 ? "# \xE2\x82\xAC\n" : "12,345\n");
    const size_t size = strlen(text), at = sotto_i_random_below(&random, size);
    if (((uint8_t)text[at] & 0x80) != 0 || (at + 1 < size && ((uint8_t)text[at + 1] & 0xC0) == 0x80))
      continue;
    const uint8_t byte = bytes[sotto_i_random_below(&random, sizeof bytes)];
    size_t line = 1;
    for (size_t i = 0; i < at; i++) line += text[i] == '\n';
    text[at] = (char)byte;
    (void)snprintf(wanted, sizeof wanted, "line %zu, offset %zu: %s", line, at,
                   byte == 0 ? "a zero byte" : "byte 0x");
    const sotto_i_source list = {"list.csv", (const uint8_t *)text, size};
    const char *path = put("list.csv", text, size);
    sotto_i_reader reader = {.descriptor = -1};
    sotto_i_parts parts = {0};
    CHECK_FAILS(SOTTO_PARSE, wanted, sotto_i_read_edges(&parts, &list, &none, NULL, &err));
    sotto_i_parts_free(&parts);
    CHECK_OK(sotto_i_reader_open(&reader, path, &err));
    CHECK_FAILS(SOTTO_PARSE, wanted,
                sotto_i_read_edges_in_pieces(&parts, &reader, 1 + sotto_i_random_below(&random, 64), &none,
                                             NULL, &err));
    sotto_i_parts_free(&parts);
    sotto_i_reader_close(&reader);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(packed_tables_and_utf16_are_read_and_said),
      cmocka_unit_test(names_of_packed_files_do_not_decide_what_they_are),
      cmocka_unit_test(a_packed_table_that_was_cut_short_is_refused),
      cmocka_unit_test(packed_pieces_one_after_the_other_are_one_text),
      cmocka_unit_test(a_bomb_of_zstd_is_refused_at_64_times_its_size),
      cmocka_unit_test(halves_of_characters_of_utf16_are_refused),
      cmocka_unit_test(a_byte_that_is_not_utf8_is_named_with_line_and_offset),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
