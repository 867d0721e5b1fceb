/* Embeddings of graphs under local privacy: what is charged, what is sent, what is kept. */
#include <math.h>

#include "check.h"
#include "graph/dataset.h"
#include "inside/graph.h"
#include "inside/run.h"
#include "ledgers.h"
#include "made_run.h"
#include "party/coded.h"
#include "party/wire/link/transport.h"
#include "sotto/gw.h"
#include "sotto/methods.h"
#include "sotto/split.h"
#include "sotto/statement.h"

enum { graphs = 24 };

/* Paths of 4 to 9 nodes, and circles; the feature is whether a node is the first. */
static void make_graphs(sotto_dataset *out) {
  sotto_i_parts parts = {.width = 2, .graph_count = graphs, .graph_classes = 2, .classes = 0};
  uint32_t *from, *to;
  uint64_t pairs = 0;
  sotto_graph graph;
  CHECK_OK(sotto_i_strdup(&parts.name, "paths-and-circles", &err));
  CHECK_OK(sotto_i_new(&parts.graph_first, graphs + 1, sizeof *parts.graph_first, &err));
  CHECK_OK(sotto_i_new(&parts.graph_labels, graphs, sizeof *parts.graph_labels, &err));
  for (int g = 0; g < graphs; g++) parts.graph_first[g + 1] = parts.graph_first[g] + 4 + (uint64_t)g % 6;
  parts.nodes = parts.graph_first[graphs];
  CHECK_OK(sotto_i_new(&parts.features, parts.nodes * 2, sizeof(float), &err));
  CHECK_OK(sotto_i_new(&from, parts.nodes, sizeof *from, &err));
  CHECK_OK(sotto_i_new(&to, parts.nodes, sizeof *to, &err));
  for (int g = 0; g < graphs; g++) {
    uint32_t first = (uint32_t)parts.graph_first[g], end = (uint32_t)parts.graph_first[g + 1];
    parts.graph_labels[g] = g % 2;
    for (uint32_t v = first; v < end; v++) {
      parts.features[2 * v + (v == first)] = 1;
      if (v + 1 == end && g % 2 == 0) continue;
      from[pairs] = v;
      to[pairs++] = v + 1 == end ? first : v + 1;
    }
  }
  CHECK_OK(sotto_graph_from_pairs(&graph, parts.nodes, from, to, pairs, &err));
  CHECK_OK(sotto_i_new(&parts.offsets, parts.nodes + 1, sizeof *parts.offsets, &err));
  CHECK_OK(sotto_i_new(&parts.targets, graph.entries, sizeof *parts.targets, &err));
  memcpy(parts.offsets, graph.offsets, (parts.nodes + 1) * sizeof *parts.offsets);
  memcpy(parts.targets, graph.targets, graph.entries * sizeof *parts.targets);
  CHECK_OK(sotto_i_dataset_assemble(out, &parts, &err));
  sotto_graph_free(&graph);
  sotto_i_free(from);
  sotto_i_free(to);
}

typedef struct fixture {
  sotto_dataset data;
  sotto_options options;
} fixture;

static fixture make(const char *folder) {
  fixture f;
  char ledger[32];
  make_graphs(&f.data);
  f.options = check_options("gwldp", folder);
  check_set(&f.options, "publication", "multibit");
  check_set(&f.options, "clients", "4");
  check_set(&f.options, "rounds", "6");
  check_set(&f.options, "hidden", "4");
  check_set(&f.options, "train-share", "0.5");
  check_set(&f.options, "validation-share", "0.2");
  (void)snprintf(ledger, sizeof ledger, "%.20s.db", folder);
  check_set(&f.options, "ledger", check_new_ledger(check_path(ledger)));
  return f;
}

static sotto_matrix embeddings(const fixture *f, const char *name) {
  char path[1200];
  sotto_matrix out;
  (void)snprintf(path, sizeof path, "%.1000s/seed-1/%s", f->options.out, name);
  CHECK_OK(sotto_gw_embeddings_open(&out, path, "embeddings", &err));
  assert_true(out.rows == f->data.graph.nodes && out.cols == 2);
  return out;
}

static void each_graph_gets_one_over_its_nodes_and_its_client_is_charged(void **state) {
  (void)state;
  fixture f = make("default");
  sotto_result result;
  sotto_ledger *ledger;
  sotto_spent spent;
  check_set(&f.options, "embed-every", "3");
  CHECK_OK(sotto_train(&result, &f.options, &f.data, NULL, NULL, &err));
  CHECK_NEAR(result.graph_epsilon.least, 1.0 / 9, 1e-9);
  CHECK_NEAR(result.graph_epsilon.most, 1.0 / 4, 1e-9);
  assert_int_equal(result.graph_epsilon.releases, 3); /* after rounds 3 and 6, and at the end */
  ledger = check_ledger_at(f.options.ledger);
  for (int i = 0; i < 2; i++) {
    CHECK_OK(sotto_ledger_spent(ledger, &spent, f.data.account, i == 0 ? "node" : "edge", &err));
    assert_int_equal(spent.charges, 3);
    CHECK_NEAR(spent.pure_epsilon, 3 * result.graph_epsilon.most, 1e-12);
  }
  uint32_t owner[graphs];
  sotto_dataset parts[4];
  sotto_key key;
  sotto_key_public(&key, 1);
  CHECK_OK(sotto_deal_iid(owner, &f.data, 4, &key, &err));
  CHECK_OK(sotto_split_horizontal(parts, &f.data, owner, 4, &err));
  for (int c = 0; c < 4; c++) {
    CHECK_OK(sotto_ledger_spent(ledger, &spent, parts[c].account, "node", &err));
    assert_int_equal(spent.charges, 3);
    sotto_dataset_free(&parts[c]);
  }
  sotto_ledger_close(ledger);
  static const char *const files[] = {"embeddings.npz", "embeddings-3.npz", "embeddings-6.npz"};
  for (int i = 0; i < 3; i++) {
    sotto_matrix rows = embeddings(&f, files[i]);
    for (size_t v = 0; v < rows.rows; v++) { /* one column of a row is a bit, the other 0 */
      float a = rows.data[2 * v], b = rows.data[2 * v + 1];
      assert_true((fabsf(a) == 1 && b == 0) || (a == 0 && fabsf(b) == 1));
    }
    sotto_matrix_free(&rows);
  }
  sotto_result_free(&result);
  sotto_dataset_free(&f.data);
}

static void clients_expose_updates_and_sizes_and_no_embedding(void **state) {
  (void)state;
  fixture f = make("exposed");
  sotto_result result;
  check_set(&f.options, "secure-aggregation", "true");
  CHECK_OK(sotto_train(&result, &f.options, &f.data, NULL, NULL, &err));
  for (size_t i = 0; i < result.exposure_count; i++)
    assert_true(strcmp(result.exposures[i].name, "embeddings") != 0 &&
                strcmp(result.exposures[i].name, "update") != 0);
  assert_int_equal(result.data_party.sent[SOTTO_WIRE_RELEASE], f.data.graph.nodes * 2 * 4);
  char *text;
  CHECK_OK(sotto_statement_json(&text, &f.options, &f.data, &result, &err));
  assert_non_null(strstr(text, "\"adjacency\": \"graph\""));
  assert_non_null(strstr(text, "the server and all clients receive models without noise"));
  assert_non_null(strstr(text, "\"sound\": false"));
  sotto_statement_free(text);
  sotto_result_free(&result);
  sotto_dataset_free(&f.data);
}

static void budgets_of_clients_and_of_the_whole_refuse_before_anything_is_sent(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    fixture f = make(i == 0 ? "refuse-whole" : "refuse-client");
    uint32_t owner[graphs];
    sotto_dataset parts[4];
    sotto_result result;
    sotto_ledger *ledger;
    sotto_spent spent;
    sotto_key key;
    const sotto_budget budget = {.epsilon = 0.01};
    sotto_key_public(&key, 1);
    CHECK_OK(sotto_deal_iid(owner, &f.data, 4, &key, &err));
    CHECK_OK(sotto_split_horizontal(parts, &f.data, owner, 4, &err));
    const sotto_dataset *held = i == 0 ? &f.data : &parts[2];
    ledger = check_ledger_at(f.options.ledger);
    CHECK_OK(sotto_ledger_set_budget(ledger, held->account, held->name, "node", &budget, "", &err));
    CHECK_FAILS(SOTTO_REFUSED, "budget", sotto_train(&result, &f.options, &f.data, NULL, NULL, &err));
    for (int c = 0; c < 4; c++) {
      CHECK_OK(sotto_ledger_spent(ledger, &spent, parts[c].account, "node", &err));
      assert_int_equal(spent.charges, 0);
      sotto_dataset_free(&parts[c]);
    }
    sotto_ledger_close(ledger);
    sotto_dataset_free(&f.data);
  }
}

static void inf_sends_softmax_rows_and_names_them_exposed(void **state) {
  (void)state;
  fixture f = make("inf");
  sotto_result result;
  bool named = false;
  check_set(&f.options, "epsilon", "inf");
  CHECK_OK(sotto_train(&result, &f.options, &f.data, NULL, NULL, &err));
  for (size_t i = 0; i < result.data_exposures; i++)
    named |= strcmp(result.exposures[i].name, "embeddings") == 0;
  assert_true(named && result.graph_epsilon.releases == 0);
  assert_int_equal(result.data_party.sent[SOTTO_WIRE_RELEASE], 0);
  sotto_matrix rows = embeddings(&f, "embeddings.npz");
  for (size_t v = 0; v < rows.rows; v++) CHECK_NEAR(rows.data[2 * v] + rows.data[2 * v + 1], 1, 1e-6);
  /* Rows stand in the order of the data: two layers do not carry the first node's feature further than two
   * steps round a circle of 9. */
  const float *circle = rows.data + 2 * f.data.graph_first[5];
  for (size_t v = 3; v < 6; v++) CHECK_NEAR(circle[2 * v], circle[2 * (v + 1)], 1e-6);
  assert_true(fabsf(circle[0] - circle[8]) > 1e-4);
  sotto_matrix_free(&rows);
  sotto_result_free(&result);
  sotto_dataset_free(&f.data);
}

/* With much epsilon, unbiased estimates are right on average over many releases. */
static void unbiased_estimates_have_the_right_mean(void **state) {
  (void)state;
  enum { rows = 5, cols = 3, repeats = 4000 };
  float values[rows * cols];
  double sums[rows * cols] = {0};
  const uint64_t first[] = {0, 2, 5};
  sotto_matrix x = {values, rows, cols}, codes;
  const double epsilon = 20;
  sotto_link *a, *b;
  sotto_ledger *ledger;
  uint8_t digest[32] = {1};
  for (int i = 0; i < rows * cols; i++) values[i] = (float)(i % 4) / 3;
  CHECK_OK(sotto_matrix_new(&codes, rows, cols, &err));
  CHECK_OK(sotto_link_pair(&a, &b, &err));
  ledger = check_ledger_at(check_path("unbiased.db"));
  for (uint64_t i = 0; i < repeats; i++) {
    const sotto_charge charge = {.id = "same",
                                 .run = "run",
                                 .mechanism = "multibit",
                                 .adjacency = "node",
                                 .description = "codes",
                                 .epsilon = epsilon};
    sotto_i_receipt receipt = {{0}};
    sotto_matrix coded;
    sotto_key key;
    sotto_key_insecure(&key, i);
    CHECK_OK(sotto_i_coded_rows(&coded, &x, first, 2, epsilon, &key, &err));
    if (i == 0) {
      CHECK_FAILS(SOTTO_CORRUPT, "no charge", sotto_i_receipt_of(&receipt, ledger, &charge, 1, &err));
      CHECK_FAILS(SOTTO_INVALID, "not charged", sotto_i_link_send_charged(a, "e", &coded, &receipt, &err));
    }
    CHECK_OK(sotto_ledger_charge(ledger, digest, "made", &charge, 1, &err));
    CHECK_OK(sotto_i_receipt_of(&receipt, ledger, &charge, 1, &err));
    CHECK_OK(sotto_i_link_send_charged(a, "e", &coded, &receipt, &err));
    CHECK_OK(sotto_i_coded_receive(&codes, b, "e", &err));
    CHECK_OK(sotto_i_coded_decode(&codes, first, 2, epsilon, &err));
    for (int j = 0; j < rows * cols; j++) sums[j] += codes.data[j];
    sotto_matrix_free(&coded);
  }
  /* 20 / 2.18: all 3 columns; a bit of the larger graph has 20 / 9, and a deviation below 0.7. */
  for (int j = 0; j < rows * cols; j++) CHECK_NEAR(sums[j] / repeats, values[j], 5 * 0.7 / sqrt(repeats));
  sotto_matrix_free(&codes);
  sotto_ledger_close(ledger);
  sotto_link_free(a);
  sotto_link_free(b);
}

static void values_that_are_no_codes_are_refused(void **state) {
  (void)state;
  sotto_link *a, *b;
  float good[] = {1, 0, -1, 0}, bad[] = {1, 0, 0.5F, 0};
  sotto_matrix codes, x = {good, 2, 2};
  CHECK_OK(sotto_matrix_new(&codes, 2, 2, &err));
  CHECK_OK(sotto_link_pair(&a, &b, &err));
  CHECK_OK(sotto_i_link_pass_on(a, "e", &x, &err));
  CHECK_OK(sotto_i_coded_receive(&codes, b, "e", &err));
  x.data = bad;
  CHECK_OK(sotto_i_link_pass_on(a, "e", &x, &err));
  CHECK_FAILS(SOTTO_RANGE, "is not a code", sotto_i_coded_receive(&codes, b, "e", &err));
  sotto_matrix_free(&codes);
  sotto_link_free(a);
  sotto_link_free(b);
}

/* m = max(1, min(d, floor(epsilon / 2.18))). */
static void columns_follow_the_papers_rule(void **state) {
  (void)state;
  static const struct {
    double epsilon;
    size_t rows, cols, sampled;
  } rows[] = {{0, 10, 7, 1}, {2.17, 3, 7, 1}, {4.4, 3, 7, 2}, {100, 3, 7, 7}, {6.6, 1, 2, 2}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sotto_multibit encoder;
    CHECK_OK(sotto_i_coded_encoder(&encoder, rows[i].rows, rows[i].cols, rows[i].epsilon, &err));
    assert_int_equal(encoder.sampled, rows[i].sampled);
    double asked = rows[i].epsilon > 0 ? rows[i].epsilon : 1 / (double)rows[i].rows;
    assert_true(encoder.epsilon <= asked && encoder.epsilon > asked * (1 - 1e-6));
  }
  sotto_multibit encoder;
  CHECK_FAILS(SOTTO_RANGE, "a graph of 40000 nodes", sotto_i_coded_encoder(&encoder, 40000, 2, 0, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_graph_gets_one_over_its_nodes_and_its_client_is_charged),
      cmocka_unit_test(clients_expose_updates_and_sizes_and_no_embedding),
      cmocka_unit_test(budgets_of_clients_and_of_the_whole_refuse_before_anything_is_sent),
      cmocka_unit_test(inf_sends_softmax_rows_and_names_them_exposed),
      cmocka_unit_test(unbiased_estimates_have_the_right_mean),
      cmocka_unit_test(values_that_are_no_codes_are_refused),
      cmocka_unit_test(columns_follow_the_papers_rule),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
