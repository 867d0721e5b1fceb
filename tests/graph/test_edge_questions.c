/* Lists of edges whose first lines can be read in two ways. */
#include "check.h"
#include "table_texts.h"

static void headers_of_edges_are_known_by_their_names(void **state) {
  static const char *const headers[] = {"acct_from,acct_to,amount",
                                        "payer,payee,amount",
                                        "nameOrig,nameDest,amount",
                                        "sender,receiver,day",
                                        "amount,src_id,dst_id",
                                        "From,To,when",
                                        "source_node,target_node,w",
                                        "id1,id2,w",
                                        "node_a,node_b,w",
                                        "u,v,w",
                                        "debtor,creditor,sum",
                                        "originAccount,destinationAccount,x",
                                        "Sender ID,Recipient ID,amount",
                                        "customer,merchant,amount"};
  sotto_dataset data;
  (void)state;
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
    char text[200];
    const bool last = strncmp(headers[i], "amount", 6) == 0;
    (void)snprintf(text, sizeof text, "%s\n%s\n%s\n", headers[i], last ? "5,ann,bob" : "ann,bob,5",
                   last ? "6,bob,eve" : "bob,eve,6");
    sotto_error error = {0};
    if (check_read_texts(&data, text, NULL, NULL, &error) != SOTTO_OK)
      fail_msg("%s: %s", headers[i], error.text);
    if (data.graph.nodes != 3) fail_msg("%s: %d nodes", headers[i], (int)data.graph.nodes);
    sotto_dataset_free(&data);
  }
}

static void first_lines_that_may_be_names_are_asked_about(void **state) {
  const sotto_import_options with = {.header = SOTTO_HEADER_YES}, without = {.header = SOTTO_HEADER_NO};
  static const char text[] = "customer,merchant\nann,bob\nbob,eve\n";
  sotto_dataset data;
  (void)state;
  CHECK_FAILS(SOTTO_INVALID, "its first line may name the columns, or be an edge",
              check_read_texts(&data, text, NULL, NULL, &err));
  CHECK_OK(check_read_texts(&data, text, NULL, &with, &err));
  assert_int_equal(data.graph.nodes, 3);
  sotto_dataset_free(&data);
  CHECK_OK(check_read_texts(&data, text, NULL, &without, &err));
  assert_int_equal(data.graph.nodes, 5);
  sotto_dataset_free(&data);
  static const char customers[] = "id,x\ncustomer,1\nmerchant,2\nann,1\nbob,1\neve,2\n";
  static const char nobody[] = "id,x\nann,1\nbob,1\neve,2\n";
  for (int i = 0; i < 2; i++) { /* the table has the two words, or has not */
    CHECK_OK(check_read_texts(&data, text, i == 0 ? customers : nobody, NULL, &err));
    assert_int_equal(data.reading->pairs, i == 0 ? 3 : 2);
    sotto_dataset_free(&data);
  }
  static const char *const edges[] = {"ann,bob\nbob,eve\n", "a,b\nb,c\n", "C-1,C-2\nC-3,C-4\n", "1,2\n3,4\n",
                                      "u,v\nv,w\n"};
  for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
    CHECK_OK(check_read_texts(&data, edges[i], NULL, NULL, &err));
    assert_int_equal(data.reading->pairs, 2);
    sotto_dataset_free(&data);
  }
}

static void a_matrix_and_an_empty_file_are_no_lists(void **state) {
  const sotto_import_options list = {.header = SOTTO_HEADER_NO};
  sotto_dataset data;
  (void)state;
  CHECK_FAILS(SOTTO_INVALID, "may be a square matrix of 0 and 1",
              check_read_texts(&data, "0,1,1\n1,0,1\n1,1,0\n", NULL, NULL, &err));
  CHECK_OK(check_read_texts(&data, "0,1,1\n1,0,1\n1,1,0\n", NULL, &list, &err));
  sotto_dataset_free(&data);
  static const char *const nothing[] = {"", "\n\n", "# no more\n", "source,target\n"};
  for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
    CHECK_FAILS(SOTTO_PARSE, "edges.csv: has no edge and no node",
                check_read_texts(&data, nothing[i], NULL, NULL, &err));
}

static void a_first_line_that_is_not_parted_is_asked_about(void **state) {
  (void)state;
  static const char *const bad[][2] = {{"id|x\na|1\n", "line 1, column 1: 'id|x' is the only name"},
                                       {"id x\na 1\n", "'id x' is the only name"},
                                       {"id:x\na:1\n", "'id:x' is the only name"},
                                       {"id,x\ra,1\r", "line 1 has a carriage return inside"}};
  sotto_dataset data;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK_FAILS(i < 3 ? SOTTO_INVALID : SOTTO_PARSE, bad[i][1],
                check_read_texts(&data, NULL, bad[i][0], NULL, &err));
  CHECK_FAILS(SOTTO_PARSE, "line 1 has a carriage return",
              check_read_texts(&data, "1,2\r2,3\r", NULL, NULL, &err));
  CHECK_OK(check_read_texts(&data, NULL, "id\na\nb\n", NULL, &err));
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(headers_of_edges_are_known_by_their_names),
      cmocka_unit_test(first_lines_that_may_be_names_are_asked_about),
      cmocka_unit_test(a_matrix_and_an_empty_file_are_no_lists),
      cmocka_unit_test(a_first_line_that_is_not_parted_is_asked_about),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
