/* One damaged sample for each error of the readers of text files: the status, and the words that name the
 * place. */
#include "graph/tables/tables.h"
#include "samples.h"

#include "check.h"

static void collection_faults_are_named_with_file_and_line(void **state) {
  (void)state;
  enum { EDGES, INDICATOR, GRAPH_LABELS, NODE_LABELS, ATTRIBUTES };
  static const sample_damage table[] = {
      {EDGES, SAMPLE_SWAP("2,3", "2 3"), SOTTO_PARSE, "file 0: line 3: needs two node numbers"},
      {EDGES, SAMPLE_SWAP("2,3", "2,nan"), SOTTO_PARSE, "file 0: line 3: needs two node numbers"},
      {EDGES, SAMPLE_SWAP("2,3", "2,3,4"), SOTTO_PARSE, "file 0: line 3: needs two node numbers"},
      {EDGES, SAMPLE_SWAP("2,3", "0,3"), SOTTO_RANGE, "file 0: line 3: a node number"},
      {EDGES, SAMPLE_SWAP("2,3", "2,6"), SOTTO_RANGE, "file 0: line 3: a node number"},
      {EDGES, SAMPLE_SWAP("2,3", "2,4"), SOTTO_CORRUPT, "file 0: line 3: the edge joins two graphs"},
      {INDICATOR, SAMPLE_SWAP("1\n2", "2\n1"), SOTTO_RANGE, "file 1: line 4: graph 1"},
      {INDICATOR, SAMPLE_SWAP("2\n2", "2\n3"), SOTTO_RANGE, "file 1: line 5: graph 3"},
      {INDICATOR, SAMPLE_SWAP("2\n2", "2\n4000000000"), SOTTO_RANGE, "file 1: line 5: graph 4000000000"},
      {INDICATOR, SAMPLE_SWAP("2\n2", "2\n\n2"), SOTTO_PARSE, "file 1: line 5: needs one whole number"},
      {GRAPH_LABELS, SAMPLE_SWAP("-1", "0.5"), SOTTO_PARSE, "file 2: line 2: needs one whole number"},
      {GRAPH_LABELS, SAMPLE_SWAP("1\n-1\n", ""), SOTTO_PARSE, "file 2: has no graph"},
      {NODE_LABELS, SAMPLE_SWAP("9\n", ""), SOTTO_PARSE, "file 3: 4 lines for 5 nodes"},
      {ATTRIBUTES, SAMPLE_SWAP("0\n", "nan\n"), SOTTO_PARSE, "file 4: line 4: needs as many finite numbers"},
      {ATTRIBUTES, SAMPLE_SWAP("0\n", "0,1\n"), SOTTO_PARSE, "file 4: line 4: needs as many finite numbers"},
      {ATTRIBUTES, SAMPLE_SWAP("0\n", "1e99\n"), SOTTO_PARSE, "file 4: line 4: needs as many finite numbers"},
      {ATTRIBUTES, SAMPLE_SWAP("0\n", "0\n0\n"), SOTTO_PARSE, "file 4: line 6: there are fewer nodes"},
      {ATTRIBUTES, SAMPLE_SWAP("1.5\n", ""), SOTTO_PARSE,
       "file 4: line 4: the file ends before the last node"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    sample files[SOTTO_I_TU_FILES];
    sotto_i_source sources[SOTTO_I_TU_FILES];
    sotto_i_parts parts = {0};
    sample_tu(files);
    sample_inflict(files, &table[i]);
    sample_sources(sources, files, SOTTO_I_TU_FILES);
    sources[NODE_LABELS].data = sources[NODE_LABELS].size == 0 ? NULL : sources[NODE_LABELS].data;
    CHECK_FAILS(table[i].status, table[i].words, sotto_i_read_tu(&parts, sources, &err));
    sotto_i_parts_free(&parts);
    sample_free_all(files, SOTTO_I_TU_FILES);
  }
}

static void table_faults_are_named_with_line_and_column(void **state) {
  (void)state;
  enum { EDGES, NODES };
  static const sample_damage table[] = {
      {EDGES, SAMPLE_SWAP("bob\n", "bob,1\n"), SOTTO_PARSE,
       "file 0: line 2: has 3 fields, but the first line has 2"},
      {EDGES, SAMPLE_SWAP("ann,bob\n", "ann\n"), SOTTO_PARSE,
       "file 0: line 2: has 1 field, but an edge needs two ids, separated by commas"},
      {EDGES, SAMPLE_SWAP("ann,bob\n", "ann,\n"), SOTTO_PARSE, "file 0: line 2, column 2: '' is an empty id"},
      {EDGES, SAMPLE_SWAP("ann,bob\n", "ann,Bob\n"), SOTTO_RANGE,
       "file 0: line 2, column 2: 'Bob' is not an id"},
      {EDGES, SAMPLE_SWAP("c\"\n", "c\n"), SOTTO_PARSE,
       "file 0: line 3, column 2: the quote that opens this field is not closed"},
      {EDGES, SAMPLE_SWAP("c\"\n", "c\"x\n"), SOTTO_PARSE,
       "file 0: line 3, column 2: the closing quote is not at the end"},
      {NODES, SAMPLE_SWAP("41.5", "nan"), SOTTO_PARSE,
       "file 1: line 2, column 2: 'nan' is not a value; give one, or have missing values filled"},
      {NODES, SAMPLE_SWAP("41.5", "1e39"), SOTTO_PARSE,
       "file 1: line 2, column 2: '1e39' is larger than 3.4e38"},
      {NODES, SAMPLE_SWAP("41.5", ""), SOTTO_PARSE, "file 1: line 2, column 2: '' is not a value"},
      {NODES, SAMPLE_SWAP("41.5", "x10"), SOTTO_PARSE,
       "file 1: line 3, column 2: '7' is a number or a date, and the first"},
      {NODES, SAMPLE_SWAP("41.5,", ""), SOTTO_PARSE, "file 1: line 2: has 2 fields, but the header has 3"},
      {NODES, SAMPLE_SWAP("bob,", ","), SOTTO_PARSE, "file 1: line 2, column 1: '' is an empty id"},
      {NODES, SAMPLE_SWAP("ann,-1", "bob,-1"), SOTTO_PARSE,
       "file 1: line 4, column 1: 'bob' is an id that stands"},
      {NODES, SAMPLE_SWAP("age", "label"), SOTTO_PARSE, "file 1: line 1, column 3: 'label' names a second"},
      {NODES, SAMPLE_SWAP("id,age,label", "label,age,x"), SOTTO_PARSE,
       "file 1: line 1, column 1: 'label' is the first"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    sample files[2];
    sotto_i_source sources[2];
    sotto_i_parts parts = {0};
    sample_edges(&files[EDGES], &files[NODES]);
    sample_inflict(files, &table[i]);
    sample_sources(sources, files, 2);
    CHECK_FAILS(table[i].status, table[i].words,
                sotto_i_read_edges(&parts, &sources[0], &sources[1], NULL, &err));
    sotto_i_parts_free(&parts);
    sample_free_all(files, 2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(collection_faults_are_named_with_file_and_line),
      cmocka_unit_test(table_faults_are_named_with_line_and_column),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
