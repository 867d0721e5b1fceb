/* One code of each graph: what is charged, what is exposed, what the server learns, and what a canary shows.
 */
#include <math.h>
#include <string.h>

#include "audit/canary.h"
#include "audit/statistics/audit.h"
#include "check.h"
#include "graph/dataset.h"
#include "inside/audit.h"
#include "inside/graph.h"
#include "inside/run.h"
#include "ledgers.h"
#include "made_run.h"
#include "sotto/generate.h"
#include "sotto/gw.h"
#include "sotto/methods.h"
#include "sotto/statement.h"

enum { graphs = 120, clients = 4 };

/* Paths of 9 to 12 nodes, and complete graphs of 9 to 12 nodes. */
static void make_graphs(sotto_dataset *out) {
  sotto_i_parts parts = {.graph_count = graphs, .graph_classes = 2};
  uint32_t *from, *to;
  uint64_t pairs = 0;
  sotto_graph graph;
  CHECK_OK(sotto_i_strdup(&parts.name, "paths-and-cliques", &err));
  CHECK_OK(sotto_i_new(&parts.graph_first, graphs + 1, sizeof *parts.graph_first, &err));
  CHECK_OK(sotto_i_new(&parts.graph_labels, graphs, sizeof *parts.graph_labels, &err));
  for (int g = 0; g < graphs; g++)
    parts.graph_first[g + 1] = parts.graph_first[g] + 9 + (uint64_t)(g / 2) % 4;
  parts.nodes = parts.graph_first[graphs];
  CHECK_OK(sotto_i_new(&from, parts.nodes * 12, sizeof *from, &err));
  CHECK_OK(sotto_i_new(&to, parts.nodes * 12, sizeof *to, &err));
  for (int g = 0; g < graphs; g++) {
    const uint32_t first = (uint32_t)parts.graph_first[g], end = (uint32_t)parts.graph_first[g + 1];
    parts.graph_labels[g] = g % 2;
    for (uint32_t u = first; u < end; u++)
      for (uint32_t v = u + 1; v < end && (g % 2 == 1 || v == u + 1); v++) {
        from[pairs] = u;
        to[pairs++] = v;
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
  check_set(&f.options, "clients", "4");
  check_set(&f.options, "train-share", "0.5");
  check_set(&f.options, "validation-share", "0.2");
  (void)snprintf(ledger, sizeof ledger, "%.20s.db", folder);
  check_set(&f.options, "ledger", check_new_ledger(check_path(ledger)));
  return f;
}

static void split_as_the_run_does(sotto_dataset *parts, const sotto_dataset *data) {
  uint32_t owner[graphs];
  sotto_key key;
  sotto_key_public(&key, 1);
  CHECK_OK(sotto_deal_iid(owner, data, clients, &key, &err));
  CHECK_OK(sotto_split_horizontal(parts, data, owner, clients, &err));
}

static void each_graph_reports_once_and_is_charged_once(void **state) {
  (void)state;
  fixture f = make("once");
  sotto_dataset parts[clients];
  sotto_spent spent;
  char *text;
  sotto_result result;
  CHECK_OK(sotto_train(&result, &f.options, &f.data, NULL, NULL, &err));
  CHECK_NEAR(result.epsilon, 4, 0);
  sotto_ledger *ledger = check_ledger_at(f.options.ledger);
  split_as_the_run_does(parts, &f.data);
  for (int c = -1; c < clients; c++) { /* the whole, and the account of each client */
    CHECK_OK(sotto_ledger_spent(ledger, &spent, c < 0 ? f.data.account : parts[c].account, "node", &err));
    assert_int_equal(spent.charges, 1);
    CHECK_NEAR(spent.pure_epsilon, 4, 1e-12);
    if (c >= 0) sotto_dataset_free(&parts[c]);
  }
  sotto_ledger_close(ledger);
  assert_int_equal(result.exposure_count, 1);
  assert_string_equal(result.exposures[0].name, "graphs");
  /* One number a graph, of 4 bytes, whatever its size. */
  assert_int_equal(result.data_party.sent[SOTTO_WIRE_RELEASE], graphs * 4);
  CHECK_OK(sotto_statement_json(&text, &f.options, &f.data, &result, &err));
  assert_non_null(strstr(text, "\"sound\": true"));
  assert_non_null(strstr(text, "any other graph, of any size, with any label"));
  sotto_statement_free(text);
  sotto_result_free(&result);
  sotto_dataset_free(&f.data);
}

static double accuracy(const char *folder, const char *anchors, const char *epsilon) {
  fixture f = make(folder);
  double sum = 0;
  check_set(&f.options, "anchors", anchors);
  check_set(&f.options, "epsilon", epsilon);
  check_set(&f.options, "seeds", "4");
  sotto_result result = check_run(&f.options, &f.data);
  for (size_t s = 0; s < 4; s++) sum += result.seeds[s].test.of[SOTTO_MEASURE_ACCURACY] / 4;
  sotto_result_free(&result);
  sotto_dataset_free(&f.data);
  return sum;
}

/* A planted fault: where sizes are all that is reported, nothing can be learnt of these. */
static void shapes_are_told_apart_and_sizes_alone_are_not(void **state) {
  (void)state;
  const double noisy = accuracy("noisy", "shape", "4"), exact = accuracy("exact", "shape", "inf"),
               size = accuracy("size", "size", "4");
  (void)printf("  shapes %.3f, without noise %.3f, sizes %.3f\n", noisy, exact, size);
  assert_true(noisy > 0.9 && exact == 1 && size < 0.75);
}

static void the_table_of_codes_is_in_the_order_of_the_data(void **state) {
  (void)state;
  fixture f = make("order");
  sotto_gw_codes codes;
  char path[1200];
  check_set(&f.options, "epsilon", "inf");
  sotto_result result = check_run(&f.options, &f.data);
  (void)snprintf(path, sizeof path, "%.1000s/seed-1/codes.npz", f.options.out);
  CHECK_OK(sotto_gw_codes_open(&codes, path, &err));
  assert_int_equal(codes.posterior.rows, graphs);
  assert_int_equal(codes.posterior.cols, 27);
  const sotto_gw_plan plan = {.by = SOTTO_GW_BY_CODES, .codes = &codes};
  sotto_gw_table t;
  CHECK_OK(sotto_gw_compare(&t, &f.data, &plan, NULL, &err));
  double same = 0, other = 0; /* 3,600 pairs of one shape and one of the other, a little fewer of the same */
  for (size_t g = 0; g < graphs; g++)
    for (size_t h = 0; h < g; h++) *(g % 2 == h % 2 ? &same : &other) += t.distance[g * graphs + h];
  assert_true(other > 5 * same);
  sotto_gw_table_free(&t);
  sotto_gw_codes_free(&codes);
  sotto_result_free(&result);
  sotto_dataset_free(&f.data);
}

static void budgets_of_clients_and_of_the_whole_refuse_before_anything_is_sent(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    fixture f = make(i == 0 ? "refuse-whole" : "refuse-client");
    sotto_dataset parts[clients];
    sotto_result result;
    sotto_spent spent;
    const sotto_budget budget = {.epsilon = 3.9};
    split_as_the_run_does(parts, &f.data);
    const sotto_dataset *held = i == 0 ? &f.data : &parts[2];
    sotto_ledger *ledger = check_ledger_at(f.options.ledger);
    CHECK_OK(sotto_ledger_set_budget(ledger, held->account, held->name, "node", &budget, "", &err));
    CHECK_FAILS(SOTTO_REFUSED, "budget", sotto_train(&result, &f.options, &f.data, NULL, NULL, &err));
    for (int c = 0; c < clients; c++) {
      CHECK_OK(sotto_ledger_spent(ledger, &spent, parts[c].account, "node", &err));
      assert_int_equal(spent.charges, 0);
      sotto_dataset_free(&parts[c]);
    }
    sotto_ledger_close(ledger);
    sotto_dataset_free(&f.data);
  }
}

static sotto_canary_result shown(const fixture *f, bool planted) {
  sotto_i_canary canary;
  sotto_canary_result r;
  sotto_options o = f->options;
  sotto_options_resolve(&o);
  CHECK_OK(sotto_i_canary_new(&canary, &o, &f->data, SOTTO_I_CANARY_GRAPH, o.epsilon, 0, &err));
  if (planted) canary.subset.flip /= 2;
  CHECK_OK(sotto_i_audit_canary(&r, &canary.stated, 40000, &(sotto_i_cells){0}, NULL, &err));
  (void)printf("  %s: at least %.3f of %.3f\n", planted ? "half the noise" : "honest", r.lower, r.stated);
  sotto_i_canary_free(&canary);
  return r;
}

static void a_canary_shows_most_of_what_is_stated_and_finds_half_the_noise(void **state) {
  (void)state;
  static const char *const epsilons[] = {"4", "1"};
  for (int i = 0; i < 2; i++) {
    fixture f = make(i == 0 ? "canary-4" : "canary-1");
    check_set(&f.options, "epsilon", epsilons[i]);
    sotto_canary_result honest = shown(&f, false);
    if (!honest.holds) honest = shown(&f, false);
    assert_true(honest.holds && honest.lower >= 0.7 * honest.stated);
    assert_false(shown(&f, true).holds);
    sotto_dataset_free(&f.data);
  }
}

static void what_codes_do_not_read_or_cannot_be_is_refused(void **state) {
  (void)state;
  fixture f = make("refused");
  sotto_result result;
  check_set(&f.options, "anchors", check_path("nowhere.sotto"));
  CHECK_FAILS(SOTTO_NOT_FOUND, "nowhere", sotto_train(&result, &f.options, &f.data, NULL, NULL, &err));
  sotto_dataset_free(&f.data);
  f = make("nodes");
  const sotto_sbm_options sbm = {.nodes = 60, .classes = 2, .features = 3, .degree_inside = 4};
  sotto_dataset nodes = check_communities(&sbm);
  CHECK_FAILS(SOTTO_INVALID, "collection of graphs",
              sotto_train(&result, &f.options, &nodes, NULL, NULL, &err));
  sotto_dataset_free(&nodes);
  sotto_dataset_free(&f.data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_graph_reports_once_and_is_charged_once),
      cmocka_unit_test(shapes_are_told_apart_and_sizes_alone_are_not),
      cmocka_unit_test(the_table_of_codes_is_in_the_order_of_the_data),
      cmocka_unit_test(budgets_of_clients_and_of_the_whole_refuse_before_anything_is_sent),
      cmocka_unit_test(a_canary_shows_most_of_what_is_stated_and_finds_half_the_noise),
      cmocka_unit_test(what_codes_do_not_read_or_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
