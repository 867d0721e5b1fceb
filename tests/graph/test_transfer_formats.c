/* Transfers in formats of graphs: the same rows as in a list of edges, or refused by name. */
#include "check.h"
#include "inside/graph.h"
#include "sotto/schema.h"

static const char *const csv =
    "source,target,amount,day,type\na,b,10,2024-01-05,cash\nb,a,3,2024-01-07,wire\na,b,7,2024-02-01,cash\n"
    "c,a,2.5,2024-02-02,card\n";
static const char *const graphml =
    "<graphml><key id='k0' for='edge' attr.name='amount'/><key id='k1' for='edge' attr.name='day'>"
    "<default>2024-02-01</default></key><key id='k2' for='edge' attr.name='note'/>"
    "<key id='k3' for='edge' attr.name='type'><default>cash</default></key>"
    "<graph edgedefault='DIRECTION'><node id='a'/><node id='b'/><node id='c'/>"
    "<edge source='a' target='b'><data key='k0'>10</data><data key='k1'>2024-01-05</data></edge>"
    "<edge source='b' target='a'><data key='k2'>x</data><data key='k3'>wire</data><data "
    "key='k1'>2024-01-07</data><data "
    "key='k0'>3</data></edge>"
    "<edge source='a' target='b'><data key='k0'>7</data></edge>"
    "<edge source='c' target='a'><data key='k0'>2.5</data><data key='k1'>2024-02-02</data><data "
    "key='k3'>card</data></edge>"
    "</graph></graphml>";
static const char *const gml = "graph [ directed DIRECTION node [ id a ] node [ id b ] node [ id c ]\n"
                               "edge [ source a target b amount 10 day \"2024-01-05\" type \"cash\" ] edge [ "
                               "source b target a amount 3 day "
                               "\"2024-01-07\" type \"wire\" ]\n"
                               "edge [ source a target b amount 7 day \"2024-02-01\" type \"cash\" ] edge [ "
                               "source c target a amount 2.5 day "
                               "\"2024-02-02\" type \"card\" ] ]\n";
static const char *const json =
    "{\"directed\": DIRECTION, \"nodes\": [{\"id\": \"a\"}, {\"id\": \"b\"}, {\"id\": \"c\"}], \"links\": ["
    "{\"source\": \"a\", \"target\": \"b\", \"key\": 0, \"amount\": 10, \"day\": \"2024-01-05\", \"type\": "
    "\"cash\"},"
    "{\"source\": \"b\", \"target\": \"a\", \"key\": 0, \"amount\": 3, \"day\": \"2024-01-07\", \"type\": "
    "\"wire\"},"
    "{\"source\": \"a\", \"target\": \"b\", \"key\": 1, \"amount\": 7, \"day\": \"2024-02-01\", \"type\": "
    "\"cash\"},"
    "{\"source\": \"c\", \"target\": \"a\", \"key\": 0, \"amount\": 2.5, \"day\": \"2024-02-02\", \"type\": "
    "\"card\"}]}";

/* Writes the text with `word` in place of DIRECTION. */
static const char *file_of(const char *name, const char *text, const char *word) {
  const char *path = check_path(name), *mark = strstr(text, "DIRECTION");
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  if (mark == NULL)
    (void)fputs(text, out);
  else
    (void)fprintf(out, "%.*s%s%s", (int)(mark - text), text, word, mark + strlen("DIRECTION"));
  assert_int_equal(fclose(out), 0);
  return path;
}

/* Kinds are those that a schema lists. */
static sotto_import_options with_kinds(const char *list) {
  static const char columns[] = "sotto-schema: 1\ncolumns: []\n";
  char text[200];
  sotto_schema *schema = NULL;
  (void)snprintf(text, sizeof text, "%skinds: %s\n", columns, list);
  CHECK_OK(sotto_schema_parse(&schema, "kinds", text, strlen(text), &err));
  return (sotto_import_options){.schema = schema};
}

static void check_same(const char *path, const sotto_transfers *wanted, const sotto_import_options *options) {
  sotto_dataset data;
  CHECK_OK(sotto_dataset_open(&data, path, options, &err));
  const sotto_transfers *t = &data.transfers;
  assert_int_equal(t->count, wanted->count);
  assert_non_null(t->amounts);
  assert_non_null(t->times);
  for (uint64_t i = 0; i < t->count; i++) {
    assert_int_equal(t->sources[i], wanted->sources[i]);
    assert_int_equal(t->targets[i], wanted->targets[i]);
    assert_true(t->amounts[i] == wanted->amounts[i]);
    assert_true(t->times[i] == wanted->times[i]);
    if (options != NULL) assert_int_equal(t->kinds[i], wanted->kinds[i]);
  }
  assert_int_equal(t->kind_names.count, options != NULL ? 3 : 0);
  assert_int_equal(data.graph.entries, 4);
  sotto_dataset_free(&data);
}

static void formats_of_graphs_keep_what_lists_of_edges_keep(void **state) {
  sotto_import_options kinds = with_kinds("[card, cash, wire]");
  const sotto_import_options *const both[] = {NULL, &kinds};
  sotto_dataset data;
  (void)state;
  for (int i = 0; i < 2; i++) {
    CHECK_OK(sotto_dataset_open(&data, file_of("t.csv", csv, ""), both[i], &err));
    assert_int_equal(data.transfers.count, 4);
    if (i == 1) assert_memory_equal(data.transfers.kinds, ((const uint8_t[]){1, 2, 1, 0}), 4);
    check_same(file_of("t.graphml", graphml, "directed"), &data.transfers, both[i]);
    check_same(file_of("t.gml", gml, "1"), &data.transfers, both[i]);
    check_same(file_of("t.json", json, "true"), &data.transfers, both[i]);
    sotto_dataset_free(&data);
  }
  sotto_schema_free((sotto_schema *)(uintptr_t)kinds.schema);
}

/* A row of another kind, and kinds without a declaration. */
static void kinds_are_as_declared(void **state) {
  sotto_import_options kinds = with_kinds("[card, cash]"), other = {.kind = "type"};
  sotto_dataset data;
  (void)state;
  const char *const paths[] = {file_of("k.csv", csv, ""), file_of("k.graphml", graphml, "directed"),
                               file_of("k.gml", gml, "1"), file_of("k.json", json, "true")};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    CHECK_FAILS(SOTTO_PARSE, "'wire' is none of the kinds",
                sotto_dataset_open(&data, paths[i], &kinds, &err));
    CHECK_FAILS(SOTTO_INVALID, "no declared names", sotto_dataset_open(&data, paths[i], &other, &err));
  }
  CHECK_FAILS(
      SOTTO_PARSE, "'' is none of the kinds",
      sotto_dataset_open(&data, file_of("e.csv", "source,target,kind\na,b,cash\nb,c,\n", ""), &kinds, &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "edges have none",
              sotto_dataset_open(&data, file_of("n.csv", "source,target\na,b\n", ""), &kinds, &err));
  sotto_schema_free((sotto_schema *)(uintptr_t)kinds.schema);
}

static void check_plain(const char *path, const sotto_import_options *options) {
  sotto_dataset data;
  CHECK_OK(sotto_dataset_open(&data, path, options, &err));
  assert_int_equal(data.graph.entries, 4);
  assert_null(data.transfers.sources);
  sotto_dataset_free(&data);
}

static void undirected_files_have_edges_alone(void **state) {
  static const sotto_import_options keep = {.directed = true}, drop = {.undirected = true};
  static const char words[] = "the file says that its edges are undirected";
  sotto_dataset data;
  (void)state;
  const char *const paths[] = {file_of("u.graphml", graphml, "undirected"), file_of("u.gml", gml, "0"),
                               file_of("u.json", json, "false")};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    check_plain(paths[i], NULL);
    CHECK_FAILS(SOTTO_INVALID, words, sotto_dataset_open(&data, paths[i], &keep, &err));
  }
  check_plain(file_of("d.graphml", graphml, "directed"), &drop);
}

static void what_is_no_transfer_is_refused_by_name(void **state) {
  static const sotto_import_options other = {.amount = "sum"}, note = {.amount = "note"};
  sotto_dataset data;
  (void)state;
  const char *path = file_of("r.graphml", graphml, "directed");
  CHECK_FAILS(SOTTO_NOT_FOUND, "'sum' for its amount", sotto_dataset_open(&data, path, &other, &err));
  CHECK_FAILS(SOTTO_PARSE, "line 1: '' is no amount", sotto_dataset_open(&data, path, &note, &err));
  path = file_of("two.gml",
                 "graph [ directed 1 node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 amount 1 sum 2 ] ]",
                 "");
  CHECK_FAILS(SOTTO_INVALID, "may be attribute 'amount' or 'sum'",
              sotto_dataset_open(&data, path, NULL, &err));
  path = file_of("less.gml",
                 "graph [ directed 1 node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 amount 1 ]\n"
                 "edge [ source 1 target 0 amount -2 ] ]",
                 "");
  CHECK_FAILS(SOTTO_RANGE, "line 2: '-2' is an amount below 0", sotto_dataset_open(&data, path, NULL, &err));
}

static void entries_of_a_matrix_are_transfers_where_the_caller_says_so(void **state) {
  static const char *const matrix =
      "%%MatrixMarket matrix coordinate real DIRECTION\n3 3 3\n1 2 5\n2 1 2.5\n3 1 1\n";
  static const sotto_import_options amounts = {.amount = "value"}, time = {.time = "day"};
  sotto_dataset data;
  (void)state;
  const char *path = file_of("m.mtx", matrix, "general");
  check_plain(path, NULL);
  CHECK_OK(sotto_dataset_open(&data, path, &amounts, &err));
  assert_int_equal(data.transfers.count, 3);
  assert_null(data.transfers.times);
  assert_true(data.transfers.amounts[0] + data.transfers.amounts[1] == 7.5F);
  assert_int_equal(data.transfers.sources[2], 2);
  sotto_dataset_free(&data);
  CHECK_FAILS(SOTTO_NOT_FOUND, "entries have no time", sotto_dataset_open(&data, path, &time, &err));
  path = file_of("s.mtx", matrix, "symmetric");
  CHECK_FAILS(SOTTO_INVALID, "undirected edges", sotto_dataset_open(&data, path, &amounts, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(formats_of_graphs_keep_what_lists_of_edges_keep),
      cmocka_unit_test(kinds_are_as_declared),
      cmocka_unit_test(undirected_files_have_edges_alone),
      cmocka_unit_test(what_is_no_transfer_is_refused_by_name),
      cmocka_unit_test(entries_of_a_matrix_are_transfers_where_the_caller_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
