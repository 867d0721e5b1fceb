/* Edge lists written in many ways are the graph of the pairs that they were written from, whether they are in
 * memory or read in pieces, however small. */
#include "base/file.h"
#include "base/reader.h"
#include "check.h"
#include "graph/tables/tables.h"

enum { lists = 120, most_ids = 60, most_pairs = 200, most_text = 1 << 15 };

/* What a list says: ids of a pool, by their places there. */
typedef struct said {
  char ids[most_ids][24];
  size_t id_count, pairs, from[most_pairs], to[most_pairs];
} said;

typedef struct text {
  char bytes[most_text];
  size_t size;
} text;

static uint64_t below(sotto_i_random *random, uint64_t bound) {
  return sotto_i_random_below(random, bound);
}

static void put(text *t, const char *what) {
  assert_true(t->size + strlen(what) < most_text);
  memcpy(t->bytes + t->size, what, strlen(what));
  t->size += strlen(what);
}

/* Numbers with gaps between, and texts: some that need quotes, some that look like other numbers. */
static void draw_ids(said *s, sotto_i_random *random) {
  static const char *const forms[] = {"%llu",      "n%llu",        "0%llu", "node %llu", "a \"%llu\" b",
                                      "x,%llu; y", "\xC3\xA9%llu", "-%llu", "%llu.5",    "b %llu"};
  const uint64_t kinds = below(random, 2) == 0 ? 1 : sizeof forms / sizeof *forms;
  const uint64_t gap = below(random, 2) == 0 ? 1 : 1 + below(random, 100000);
  s->id_count = 2 + below(random, most_ids - 2);
  for (size_t i = 0; i < s->id_count; i++)
    (void)snprintf(s->ids[i], sizeof s->ids[i], forms[i == 0 ? 0 : below(random, kinds)],
                   (unsigned long long)i * gap);
}

/* Many pairs stand twice, or the other way round, or join an id with itself. */
static void draw_pairs(said *s, sotto_i_random *random) {
  s->pairs = 1 + below(random, most_pairs);
  for (size_t i = 0; i < s->pairs; i++) {
    s->from[i] = i == 0 ? 0 : below(random, s->id_count); /* the first line begins with a number: no header */
    s->to[i] = below(random, s->id_count);
    const uint64_t as = below(random, i + 1);
    if (i == 0 || below(random, 3) != 0) continue;
    s->from[i] = s->to[as];
    s->to[i] = s->from[as];
  }
}

static void put_field(text *t, const char *field, char separator, sotto_i_random *random) {
  const bool quotes = strpbrk(field, ",;\t\"") != NULL || below(random, 6) == 0;
  if (!quotes) {
    if (below(random, 8) == 0) put(t, " ");
    put(t, field);
    if (below(random, 8) == 0) put(t, separator == '\t' ? "  " : " \t");
    return;
  }
  put(t, below(random, 8) == 0 ? " \"" : below(random, 8) == 0 ? "\" " : "\"");
  for (const char *at = field; *at != '\0'; at++) put(t, *at == '"' ? "\"\"" : (const char[2]){*at, '\0'});
  put(t, below(random, 8) == 0 ? " \"" : "\"");
}

static void write_list(text *t, const said *s, sotto_i_random *random) {
  static const char *const between[] = {"# a comment, 1\n", "\n", "%\r\n", "\r\n"};
  const char separator[2] = {",;\t"[below(random, 3)], '\0'};
  const bool third = below(random, 3) == 0, windows = below(random, 3) == 0;
  t->size = 0;
  if (below(random, 4) == 0) put(t, "\xEF\xBB\xBF");
  if (below(random, 2) == 0) {
    put(t, "source");
    put(t, separator);
    put(t, "target");
    if (third) put(t, separator), put(t, "\"w\"");
    put(t, "\n");
  }
  for (size_t i = 0; i < s->pairs; i++) {
    put_field(t, s->ids[s->from[i]], separator[0], random);
    put(t, separator);
    put_field(t, s->ids[s->to[i]], separator[0], random);
    if (third) put(t, separator), put(t, below(random, 2) == 0 ? "0.5" : "\"a b\"");
    if (i + 1 < s->pairs || below(random, 2) == 0) put(t, windows ? "\r\n" : "\n");
    if (i + 1 < s->pairs && below(random, 9) == 0) put(t, between[below(random, 4)]);
  }
}

/* Numbers by first appearance, and an adjacency matrix. */
static void expect_said(const sotto_dataset *data, const said *s) {
  static bool joined[most_ids][most_ids];
  size_t number[most_ids], place[most_ids], nodes = 0, loops = 0, edges = 0;
  bool named = false;
  assert_non_null(data->graph.offsets);
  assert_non_null(data->graph.targets);
  assert_non_null(data->reading);
  memset(number, 0xFF, sizeof number);
  memset(place, 0, sizeof place);
  memset(joined, 0, sizeof joined);
  for (size_t i = 0; i < 2 * s->pairs; i++) {
    const size_t id = i % 2 == 0 ? s->from[i / 2] : s->to[i / 2];
    if (number[id] == SIZE_MAX) place[number[id] = nodes++] = id;
  }
  for (size_t i = 0; i < s->pairs; i++) {
    const size_t u = number[s->from[i]], v = number[s->to[i]];
    loops += u == v;
    edges += u != v && !joined[u][v];
    joined[u][v] = joined[v][u] = u != v;
  }
  assert_int_equal(data->graph.nodes, nodes);
  for (uint64_t v = 0, e = 0; v < nodes; v++) {
    char plain[24];
    (void)snprintf(plain, sizeof plain, "%llu", (unsigned long long)v);
    named = named || strcmp(plain, s->ids[place[v]]) != 0;
    for (uint32_t u = 0; u < nodes; u++)
      if (joined[v][u]) assert_int_equal(data->graph.targets[e++], u);
    assert_int_equal(data->graph.offsets[v + 1], e);
  }
  assert_int_equal(data->node_ids.count, named ? nodes : 0);
  for (uint64_t v = 0; v < data->node_ids.count; v++)
    assert_string_equal(sotto_name(&data->node_ids, v), s->ids[place[v]]);
  assert_int_equal(data->reading->pairs, s->pairs);
  assert_int_equal(data->reading->self_loops, loops);
  assert_int_equal(data->reading->repeats, s->pairs - loops - edges);
}

/* `window` 0: from memory; else from the file, which has the same bytes. */
static sotto_status read_list(sotto_dataset *out, const text *t, size_t window, sotto_error *why) {
  static const sotto_i_source none = {.file = "nodes"};
  sotto_i_parts parts = {0};
  sotto_i_reader reader = {.descriptor = -1};
  sotto_status status;
  *out = (sotto_dataset){0};
  if (window == 0) {
    const sotto_i_source source = {check_path("edges.csv"), (const uint8_t *)t->bytes, t->size};
    status = sotto_i_read_edges(&parts, &source, &none, NULL, why);
  } else {
    CHECK_OK(sotto_i_reader_open(&reader, check_path("edges.csv"), &err));
    status = sotto_i_read_edges_in_pieces(&parts, &reader, window, &none, NULL, why);
  }
  if (status == SOTTO_OK) status = sotto_i_dataset_assemble(out, &parts, why);
  sotto_i_reader_close(&reader);
  sotto_i_parts_free(&parts);
  return status;
}

static void lists_are_the_graphs_that_they_were_written_from(void **state) {
  static const size_t windows[] = {0, 1, 7, 64, 1000, SOTTO_I_EDGES_WINDOW};
  static said s;
  static text t;
  sotto_i_random random = check_random();
  (void)state;
  for (size_t i = 0; i < lists; i++) {
    draw_ids(&s, &random);
    draw_pairs(&s, &random);
    write_list(&t, &s, &random);
    CHECK_OK(sotto_i_write_file(check_path("edges.csv"), t.bytes, t.size, &err));
    for (size_t k = 0; k < sizeof windows / sizeof *windows; k++) {
      sotto_dataset data;
      CHECK_OK(read_list(&data, &t, windows[k], &err));
      expect_said(&data, &s);
      sotto_dataset_free(&data);
    }
  }
}

/* Numbers above a quarter of the bytes of a list have no place in the array of small ones. */
static void large_numbers_beside_small_ones_are_ids(void **state) {
  static const char *const wanted[] = {"4000000000", "1", "99999999999", "0"};
  static text t;
  sotto_dataset data;
  (void)state;
  put(&t, "4000000000,1\n1,99999999999\n0,4000000000\n");
  CHECK_OK(sotto_i_write_file(check_path("edges.csv"), t.bytes, t.size, &err));
  CHECK_OK(read_list(&data, &t, 16, &err));
  assert_int_equal(data.node_ids.count, 4);
  for (size_t i = 0; i < 4; i++) assert_string_equal(sotto_name(&data.node_ids, i), wanted[i]);
  sotto_dataset_free(&data);
}

/* Faults far behind the first window are said with their lines, in the same words as from memory. */
static void faults_are_named_alike_from_memory_and_in_pieces(void **state) {
  static const char *const faults[] = {"1\n", "\"7,8\n", "7,8,9\n", "7,\n", "7,a\x01z\n", "7,\xFF\n"};
  static text t;
  (void)state;
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    sotto_error errors[2] = {{0}, {0}};
    sotto_dataset data;
    t.size = 0;
    for (size_t line = 0; line < 500; line++) put(&t, "1,2\n");
    put(&t, faults[i]);
    put(&t, "3,4\n");
    CHECK_OK(sotto_i_write_file(check_path("edges.csv"), t.bytes, t.size, &err));
    for (size_t k = 0; k < 2; k++) assert_int_equal(read_list(&data, &t, k * 64, &errors[k]), SOTTO_PARSE);
    assert_string_equal(errors[0].text, errors[1].text);
    assert_non_null(strstr(errors[0].text, "line 501"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lists_are_the_graphs_that_they_were_written_from),
                                     cmocka_unit_test(large_numbers_beside_small_ones_are_ids),
                                     cmocka_unit_test(faults_are_named_alike_from_memory_and_in_pieces)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
