/* Lists of edges whose first lines can be read in two ways. */
#include "check.h"
#include "table_texts.h"

static void headers_of_edges_are_known_by_their_names(void **state) {
  static const char *const headers[] = {"acct_from,acct_to,amount",
                                        "payer,payee,amount",
                                        "nameOrig,nameDest,amount",
                                        "sender,receiver,w",
                                        "amount,src_id,dst_id",
                                        "From,To,when",
                                        "source_node,target_node,w",
                                        "id1,id2,w",
                                        "node_a,node_b,w",
                                        "u,v,w",
                                        "debtor,creditor,sum",
                                        "originAccount,destinationAccount,x",
                                        "Sender ID,Recipient ID,amount",
                                        "customer,merchant,w"};
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

/* Which two columns are ends is never the first that fits of several. */
static void ends_that_two_pairs_may_be_are_asked_about(void **state) {
  static const struct {
    const char *text, *error; /* NULL: read */
  } lists[] = {
      {"from_date,from,to,w\n2025-01-01,ann,bob,5\n2025-01-02,bob,eve,6\n", NULL},
      {"nr,source_country,target_country,source,target\n9,DE,FR,ann,bob\n8,DE,IT,bob,eve\n", NULL},
      {"nameOrig,newbalanceOrig,nameDest\nann,0.5,bob\nbob,1.5,eve\n", NULL},
      {"iban_from,iban_to,amount_from\nann,bob,5\nbob,eve,6\n", NULL},
      {"from_bank,from_account,to_bank,to_account,w\nX,ann,Y,bob,5\nY,bob,Y,eve,6\n",
       "from 'from_bank' to 'to_bank', or from 'from_account' to 'to_account'"},
      {"sender_name,sender_id,receiver,w\nAnn,ann,bob,5\nBob,bob,eve,6\n",
       "from 'sender_name' to 'receiver', or from 'sender_id' to 'receiver'"},
      {"from,account,to,account\nX,ann,Y,bob\nX,bob,Z,eve\n", "columns 2 and 4 have the name 'account'"},
      {"source,source,target\nann,bob,eve\nbob,eve,ann\n", "columns 1 and 2 have the name 'source'"},
      {"nr,customer,merchant,amount\nT1,ann,bob,5\nT2,bob,eve,6\n", "do not say which two are the ends"},
      {"customer,merchant,amount\nann,bob,5\nbob,eve,6\n", "do not say which two are the ends"}};
  const sotto_import_options named = {.source = "customer", .target = "merchant"};
  sotto_dataset data;
  (void)state;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    sotto_error error = {0};
    const sotto_status status = check_read_texts(&data, lists[i].text, NULL, NULL, &error);
    if ((status == SOTTO_OK) != (lists[i].error == NULL) ||
        (status != SOTTO_OK && strstr(error.text, lists[i].error) == NULL))
      fail_msg("%s: %s", lists[i].text, error.text);
    if (status == SOTTO_OK) assert_int_equal(data.graph.nodes, 3);
    if (status == SOTTO_OK) sotto_dataset_free(&data);
  }
  CHECK_OK(check_read_texts(&data, lists[9].text, NULL, &named, &err));
  assert_int_equal(data.transfers.count, 2);
  sotto_dataset_free(&data);
}

/* A column is an amount or a time by its name. One row, which may be private, never decides that it is not.
 */
static void a_first_row_leaves_no_column_out(void **state) {
  static const char *const firsts[][2] = {
      {"amount\na,b,\nb,c,1", "'' is no amount"},
      {"amount\na,b,NA\nb,c,1", "'NA' is no amount"},
      {"amount\na,b,$5\nb,c,1", "'$5' is no amount"},
      {"amount\na,b,1e39\nb,c,1", "'1e39' is no amount"},
      {"amount\na,b,-\nb,c,1", "'-' is no amount"},
      {"amount,value\na,b,,2\nb,c,1,2", "may be in column 'amount' or in 'value'"},
      {"time\na,b,\nb,c,2025-01-01", "'' is no time: a date as"},
      {"time\na,b,31/01/2025\nb,c,01/02/2025", "'31/01/2025' is no time: a date as"},
      {"time\na,b,2025-02-30\nb,c,2025-02-02", "'2025-02-30' is no time: a date as"},
      {"date,time\na,b,2025-01-01,10:30\nb,c,2025-01-02,11:30", "may be in column 'date' or in 'time'"},
      {"time\na,b,20250131\nb,c,20250201", "has the name of a time and '20250131' in its first row"}};
  const sotto_import_options days = {.time = "time"}, both = {.amount = "time", .time = "time"};
  sotto_dataset data;
  char text[200];
  (void)state;
  for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
    sotto_error error = {0};
    (void)snprintf(text, sizeof text, "source,target,%s\n", firsts[i][0]);
    if (check_read_texts(&data, text, NULL, NULL, &error) == SOTTO_OK ||
        strstr(error.text, firsts[i][1]) == NULL)
      fail_msg("%s: %s", text, error.text);
  }
  static const char counted[] = "source,target,time\na,b,1\nb,c,20250131\n";
  CHECK_FAILS(SOTTO_RANGE, "'20250131' is a day before the year 1 or after 9999",
              check_read_texts(&data, counted, NULL, &days, &err));
  CHECK_FAILS(SOTTO_INVALID, "one column is named as amount and as time",
              check_read_texts(&data, counted, NULL, &both, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(headers_of_edges_are_known_by_their_names),
      cmocka_unit_test(first_lines_that_may_be_names_are_asked_about),
      cmocka_unit_test(a_matrix_and_an_empty_file_are_no_lists),
      cmocka_unit_test(a_first_line_that_is_not_parted_is_asked_about),
      cmocka_unit_test(ends_that_two_pairs_may_be_are_asked_about),
      cmocka_unit_test(a_first_row_leaves_no_column_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
