/* Fields in quotes: separators, line feeds and quotes inside them, from memory and in pieces, and quotes that
 * are not closed. */
#include "base/file.h"
#include "base/reader.h"
#include "check.h"
#include "graph/tables/tables.h"
#include "table_texts.h"

enum { tables = 200, most_rows = 30, most_columns = 4, most_field = 24, most_text = 1 << 14 };

typedef struct said {
  size_t rows, columns;
  char cells[most_rows][most_columns][most_field];
  char text[most_text];
  size_t lines[most_rows]; /* where each row begins */
} said;

static uint64_t below(sotto_i_random *random, uint64_t bound) {
  return sotto_i_random_below(random, bound);
}

/* A field in quotes where it needs them, and sometimes where it does not. */
static void put_field(said *s, const char *cell, char separator, sotto_i_random *random) {
  char special[] = {'"', '\n', '\r', ' ', separator, '\0'}, *at = s->text + strlen(s->text);
  if (strpbrk(cell, special) == NULL && below(random, 4) != 0) {
    (void)stpcpy(at, cell);
    return;
  }
  if (below(random, 4) == 0) *at++ = ' ';
  *at++ = '"';
  for (; *cell != '\0'; cell++) {
    if (*cell == '"') *at++ = '"';
    *at++ = *cell;
  }
  *at++ = '"';
  if (below(random, 4) == 0) *at++ = ' ';
  *at = '\0';
}

static void draw(said *s, char separator, sotto_i_random *random) {
  static const char *const ends[] = {"\n", "\r\n", "\n\n"};
  const char *const pieces[] = {"a",  "\"", "\n",       "\r\n", separator == ';' ? ";" : ",",
                                "b ", " c", "\xC3\xA9", "#"};
  const char between[] = {separator, '\0'};
  size_t line = 1;
  *s = (said){.rows = 1 + below(random, most_rows), .columns = 1 + below(random, most_columns)};
  for (size_t i = 0; i < s->rows; i++) {
    s->lines[i] = line;
    for (size_t j = 0; j < s->columns; j++) {
      char *cell = s->cells[i][j];
      if (s->columns == 1) (void)strcpy(cell, "x");
      for (uint64_t k = below(random, 8); k > 0; k--)
        (void)strcat(cell, pieces[below(random, sizeof pieces / sizeof *pieces)]);
      if (j > 0) (void)strcat(s->text, between);
      put_field(s, cell, separator, random);
      for (const char *c = cell; *c != '\0'; c++) line += *c == '\n';
    }
    const char *end = ends[below(random, 3)];
    (void)strcat(s->text, end);
    for (; *end != '\0'; end++) line += *end == '\n';
  }
}

static void expect_rows(const said *s, sotto_i_csv *csv) {
  sotto_i_texts texts = {0};
  for (size_t i = 0; i < s->rows; i++) {
    CHECK_OK(sotto_i_csv_next(csv, &err));
    if (csv->count != s->columns)
      fail_msg("row %zu has %zu fields of %zu in: %s", i, csv->count, s->columns, s->text);
    assert_int_equal(csv->lines.line, s->lines[i]);
    for (size_t j = 0; j < s->columns; j++) {
      const sotto_i_field *field = &csv->fields[j];
      sotto_i_field wanted = {(const uint8_t *)s->cells[i][j], strlen(s->cells[i][j])};
      bool changed = false;
      CHECK_OK(sotto_i_word_settle(&wanted, &texts, &changed, &err));
      if (field->size != wanted.size || memcmp(field->text, wanted.text, field->size) != 0)
        fail_msg("row %zu, column %zu: '%.*s' for '%s'", i, j, (int)field->size, (const char *)field->text,
                 s->cells[i][j]);
    }
  }
  CHECK_OK(sotto_i_csv_next(csv, &err));
  assert_int_equal(csv->count, 0);
  sotto_i_texts_free(&texts);
}

static void a_table_in_quotes_is_read_as_it_was_written_from_memory_and_in_pieces(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  const char *path = check_path("table.csv");
  for (int t = 0; t < tables; t++) {
    said s;
    sotto_i_csv csv;
    sotto_i_reader reader = {.descriptor = -1};
    const char separator = below(&random, 2) == 0 ? ';' : ',';
    draw(&s, separator, &random);
    const sotto_i_source source = {"table.csv", (const uint8_t *)s.text, strlen(s.text)};
    CHECK_OK(sotto_i_csv_open(&csv, &source, separator, &err));
    csv.trim = true;
    expect_rows(&s, &csv);
    sotto_i_csv_free(&csv);
    CHECK_OK(sotto_i_write_file(path, s.text, strlen(s.text), &err));
    CHECK_OK(sotto_i_reader_open(&reader, path, &err));
    CHECK_OK(sotto_i_csv_open_pieces(&csv, &reader, 1 + below(&random, 40), &err));
    csv.separator = separator;
    csv.trim = true;
    expect_rows(&s, &csv);
    sotto_i_csv_free(&csv);
    sotto_i_reader_close(&reader);
  }
}

static void a_separator_is_looked_for_outside_of_quotes(void **state) {
  (void)state;
  static const struct {
    const char *text;
    char separator;
  } table[] = {{"\"a,b\";c\n", ';'},  {"\"a\nb,c\";d\n", ';'},    {"\"a\"\"b,\";d\n", ';'},
               {"5\" pipe;x\n", ';'}, {"5\"\" pipe,\"a;\n", ','}, {"\n\n\"a,b\"\tc\n", '\t'},
               {"alone\n", ','}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const sotto_i_source source = {"t.csv", (const uint8_t *)table[i].text, strlen(table[i].text)};
    sotto_i_csv csv;
    assert_int_equal(sotto_i_csv_guess(&source, ",;\t", false), table[i].separator);
    CHECK_OK(sotto_i_csv_open(&csv, &source, ',', &err));
    CHECK_OK(sotto_i_csv_choose(&csv, ",;\t", &err));
    assert_int_equal(csv.separator, table[i].separator);
    sotto_i_csv_free(&csv);
  }
}

static void notes_of_several_lines_do_not_move_the_rows_behind_them(void **state) {
  (void)state;
  static const char nodes[] = "id,note,x\na,\"first\r\nsecond, \"\"third\"\"\",1\nb,\"\n\n\",2\nc,plain,3\n";
  const sotto_import_options options = {.types = "note=drop"};
  sotto_dataset data;
  CHECK_OK(check_read_texts(&data, "a,b,\"why,\nand\nhow\"\nb,c,none\n", nodes, &options, &err));
  assert_int_equal(data.graph.nodes, 3);
  assert_int_equal(data.reading->pairs, 2);
  for (size_t v = 0; v < 3; v++) assert_true(data.features.data[v] == (float)(v + 1));
  sotto_dataset_free(&data);
}

static void a_fault_behind_a_tall_row_is_named_with_its_line(void **state) {
  (void)state;
  const sotto_import_options options = {.types = "note=drop"};
  sotto_dataset data;
  CHECK_FAILS(SOTTO_PARSE, "nodes.csv: line 4, column 3: 'two'",
              check_read_texts(&data, NULL, "id,note,x\na,\"u\nv\",1\nb,\"\n\",two\n", &options, &err));
  CHECK_FAILS(SOTTO_PARSE, "nodes.csv: line 6, column 1: 'a' is an id that stands",
              check_read_texts(&data, NULL, "id,note,x\na,\"u\nv\",1\nb,\"\n\",2\na,w,3\n", &options, &err));
  CHECK_FAILS(SOTTO_PARSE, "edges.csv: line 5: has 2 fields",
              check_read_texts(&data, "1,2,\"a\nb\"\n3,4,c\n5,6,d\n7,8\n", NULL, NULL, &err));
}

static void a_quote_that_is_not_closed_is_named_with_its_first_line(void **state) {
  (void)state;
  static const char *const bad[][2] = {
      {"id,x\na,1\n\"b,2\nc,3\nd,4\n",
       "nodes.csv: line 3, column 1: the quote that opens this field is not closed"},
      {"id,x\na,1\nb,\"2", "nodes.csv: line 3, column 2: the quote that opens"},
      {"id,x\na,1\n\"b,2\n\"c\",3\n", "nodes.csv: line 3, column 1: the closing quote is not at the end"},
      {"id,\"x\na,1\n", "nodes.csv: line 1, column 2: the quote that opens"},
      {"id,x\na,\"1\" 2\n", "nodes.csv: line 2, column 2: the closing quote is not at the end"}};
  sotto_dataset data;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK_FAILS(SOTTO_PARSE, bad[i][1], check_read_texts(&data, NULL, bad[i][0], NULL, &err));
}

/* A quote that is never closed does not bring the rest of a large file into memory. */
static void a_quote_that_is_not_closed_is_found_within_a_megabyte(void **state) {
  (void)state;
  const size_t size = 5U << 20;
  const char *path = check_path("open.csv");
  sotto_i_reader reader = {.descriptor = -1};
  sotto_i_csv csv;
  char *text = NULL;
  CHECK_OK(sotto_i_new_raw(&text, size, 1, &err));
  for (size_t i = 0; i < size; i++) text[i] = i % 4 == 3 ? '\n' : i % 4 == 1 ? ',' : '7';
  text[8] = '"';
  CHECK_OK(sotto_i_write_file(path, text, size, &err));
  sotto_i_free(text);
  CHECK_OK(sotto_i_reader_open(&reader, path, &err));
  CHECK_OK(sotto_i_csv_open_pieces(&csv, &reader, 1 << 16, &err));
  for (int i = 0; i < 2; i++) CHECK_OK(sotto_i_csv_next(&csv, &err));
  CHECK_FAILS(SOTTO_PARSE, "open.csv: line 3, column 1: the quote that opens this field is not closed",
              sotto_i_csv_next(&csv, &err));
  assert_true(csv.window <= 4U << 20);
  sotto_i_csv_free(&csv);
  sotto_i_reader_close(&reader);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_table_in_quotes_is_read_as_it_was_written_from_memory_and_in_pieces),
      cmocka_unit_test(a_separator_is_looked_for_outside_of_quotes),
      cmocka_unit_test(notes_of_several_lines_do_not_move_the_rows_behind_them),
      cmocka_unit_test(a_fault_behind_a_tall_row_is_named_with_its_line),
      cmocka_unit_test(a_quote_that_is_not_closed_is_named_with_its_first_line),
      cmocka_unit_test(a_quote_that_is_not_closed_is_found_within_a_megabyte),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
