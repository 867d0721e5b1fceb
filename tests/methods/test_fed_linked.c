/* Edges between clients at edge level: what is counted, sealed, charged and revealed. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "federation.h"
#include "inside/graph.h"
#include "ledgers.h"
#include "methods/federated/linked.h"
#include "protocols/counts.h"
#include "spending.h"

enum { clients = 4, nodes = 90, cluster_rounds = 4, rounds = 9 };

static check_federation linked_new(const char *folder, const char *epsilon) {
  char ledger[60];
  check_federation f = check_federation_new(folder);
  (void)snprintf(ledger, sizeof ledger, "%.40s.db", folder);
  check_set(&f.options, "adjacency", "edge");
  check_set(&f.options, "epsilon", epsilon);
  check_set(&f.options, "partition", "linked:alike");
  check_set(&f.options, "encoder-epochs", "4");
  check_set(&f.options, "rounds", "5");
  check_set(&f.options, "insecure-seed", "3");
  check_set(&f.options, "ledger", check_new_ledger(check_path(ledger)));
  return f;
}

static void owners(uint32_t owner[nodes], const check_federation *f) {
  sotto_key key;
  sotto_key_public(&key, 1);
  CHECK_OK(sotto_deal_iid(owner, &f->data, clients, &key, &err));
}

static void open_table(sotto_dataset *out, const sotto_options *o, const char *file) {
  char path[1200];
  (void)snprintf(path, sizeof path, "%.1000s/seed-1/%s", o->out, file);
  CHECK_OK(sotto_dataset_open(out, path, NULL, &err));
}

/* With next to no noise a row of counts adds up to all neighbours of a node, wherever they are. */
static void counts_are_of_the_neighbours_at_all_clients(void **state) {
  (void)state;
  uint32_t owner[nodes], at = 0;
  check_federation f = linked_new("degrees", "1000");
  owners(owner, &f);
  sotto_result result = check_run(&f.options, &f.data);
  sotto_dataset counts;
  open_table(&counts, &f.options, "counts-2.sotto");
  for (uint32_t v = 0; v < nodes; v++) {
    double sum = 0;
    if (owner[v] != 1) continue;
    for (size_t j = 0; j < 3; j++) sum += counts.features.data[at * 3 + j];
    CHECK_NEAR(sum, (double)sotto_graph_degree(&f.data.graph, v), 0);
    at++;
  }
  assert_int_equal(at, counts.features.rows);
  sotto_dataset_free(&counts);
  sotto_result_free(&result);
  sotto_dataset_free(&f.data);
}

/* The first edge between two clients, taken out. */
static void without_an_edge(sotto_graph *less, const sotto_graph *g, const uint32_t *owner) {
  uint32_t *pairs[2], left[2] = {UINT32_MAX, UINT32_MAX};
  uint64_t count = 0;
  for (int i = 0; i < 2; i++) assert_non_null(pairs[i] = calloc(g->entries, sizeof(uint32_t)));
  for (uint32_t v = 0; v < g->nodes; v++)
    for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
      const uint32_t u = g->targets[e];
      if (left[0] == UINT32_MAX && owner[u] != owner[v]) left[0] = u, left[1] = v;
      if ((u == left[0] && v == left[1]) || (u == left[1] && v == left[0])) continue;
      pairs[0][count] = v;
      pairs[1][count++] = u;
    }
  assert_int_equal(count, g->entries - 2);
  CHECK_OK(sotto_graph_from_pairs(less, g->nodes, pairs[0], pairs[1], count, &err));
  for (int i = 0; i < 2; i++) free(pairs[i]);
}

/* Reported clusters and the rounds before them are the same for any edges; the counts are not. Without
 * privacy of a fixed seed, two cells move by one. */
static void an_edge_between_clients_moves_two_counts_by_one_and_no_answer(void **state) {
  (void)state;
  double losses[2][rounds], moved = 0;
  sotto_dataset reported[2][clients], counts[2][clients];
  for (int i = 0; i < 2; i++) {
    uint32_t owner[nodes];
    check_federation f = linked_new(i == 0 ? "with" : "without", "1000");
    owners(owner, &f);
    const sotto_graph whole = f.data.graph;
    sotto_graph less;
    without_an_edge(&less, &whole, owner);
    if (i == 1) f.data.graph = less;
    sotto_result result = check_run(&f.options, &f.data);
    check_losses(losses[i], rounds, &f.options, NULL);
    for (int c = 0; c < clients; c++) {
      char file[64];
      (void)snprintf(file, sizeof file, "reported-%d.sotto", c + 1);
      open_table(&reported[i][c], &f.options, file);
      (void)snprintf(file, sizeof file, "counts-%d.sotto", c + 1);
      open_table(&counts[i][c], &f.options, file);
    }
    f.data.graph = whole;
    sotto_graph_free(&less);
    sotto_result_free(&result);
    sotto_dataset_free(&f.data);
  }
  for (int c = 0; c < clients; c++) {
    const size_t rows = reported[0][c].features.rows, cells = rows * counts[0][c].features.cols;
    assert_memory_equal(reported[0][c].features.data, reported[1][c].features.data, rows * sizeof(float));
    for (size_t j = 0; j < cells; j++)
      moved += fabs((double)counts[0][c].features.data[j] - (double)counts[1][c].features.data[j]);
    for (int i = 0; i < 2; i++) {
      sotto_dataset_free(&reported[i][c]);
      sotto_dataset_free(&counts[i][c]);
    }
  }
  CHECK_NEAR(moved, 2, 0);
  assert_memory_equal(losses[0], losses[1], cluster_rounds * sizeof(double));
}

/* Edges: each client's account, and the whole's once. Clusters: the same on the accounts of labels. */
static void counts_and_answers_are_charged_to_accounts_of_their_own(void **state) {
  (void)state;
  check_federation f = linked_new("charged", "4");
  sotto_result result = check_run(&f.options, &f.data);
  assert_int_equal(check_charges_in(&f.options), 2 * (clients + 1));
  CHECK_NEAR(result.epsilon, 4, 1e-6);
  CHECK_NEAR(result.label_epsilon, 4, 1e-6);
  assert_true(result.label_epsilon <= 4);
  sotto_ledger *ledger = check_ledger_at(f.options.ledger);
  CHECK_NEAR(check_spent_on(ledger, f.data.account, "edge").epsilon, 4, 1e-6);
  CHECK_NEAR(check_spent_on(ledger, result.cost.accounts[SOTTO_ACCOUNT_LABELS].digest, "node").epsilon, 4,
             1e-6);
  sotto_ledger_close(ledger);
  sotto_result_free(&result);
  sotto_dataset_free(&f.data);
}

static void what_has_no_noise_between_clients_is_refused(void **state) {
  (void)state;
  sotto_result result;
  check_federation bare = linked_new("bare", "inf"), none = check_federation_new("none"),
                   few = linked_new("few", "4");
  check_set(&none.options, "partition", "linked:alike");
  check_set(&few.options, "least-clients", "3");
  CHECK_FAILS(SOTTO_INVALID, "needs a finite epsilon",
              sotto_train(&result, &bare.options, &bare.data, NULL, NULL, &err));
  CHECK_FAILS(SOTTO_INVALID, "set adjacency to edge",
              sotto_train(&result, &none.options, &none.data, NULL, NULL, &err));
  CHECK_FAILS(SOTTO_INVALID, "every client has to send",
              sotto_train(&result, &few.options, &few.data, NULL, NULL, &err));
  sotto_dataset_free(&bare.data);
  sotto_dataset_free(&none.data);
  sotto_dataset_free(&few.data);
}

/* Their number is private, and what it is compared with is public. */
static void a_list_that_is_longer_than_its_padding_is_refused(void **state) {
  (void)state;
  const uint32_t nodes[1] = {0};
  sotto_dataset data = {.name = "bank", .graph = {.nodes = 2}};
  check_federation f = linked_new("padded", "4");
  CHECK_FAILS(SOTTO_INVALID, "has no list of them", sotto_i_fed_linked_list_check(&f.options, &data, &err));
  data.foreign = (sotto_foreign){nodes, {.count = 32}};
  CHECK_OK(sotto_i_fed_linked_list_check(&f.options, &data, &err));
  data.foreign.ids.count = 33;
  CHECK_FAILS(SOTTO_RANGE, "set max-degree to 17 or more",
              sotto_i_fed_linked_list_check(&f.options, &data, &err));
  check_set(&f.options, "max-degree", "17");
  CHECK_OK(sotto_i_fed_linked_list_check(&f.options, &data, &err));
  check_set(&f.options, "max-degree", "1");
  CHECK_FAILS(SOTTO_RANGE, "more edges to other clients than 1",
              sotto_i_fed_linked_list_check(&f.options, &data, &err));
  sotto_dataset_free(&f.data);
}

/* A row that does not add up to the own edges is not used, and nothing fails. */
static void a_row_of_another_sum_counts_as_zero(void **state) {
  (void)state;
  uint32_t own[] = {0, 0, 1}, client[] = {1, 1, 1}, theirs[] = {0, 1, 0};
  const sotto_i_fed_linked linked = {own, client, theirs, 3};
  const uint32_t table[] = {1, 1, 7, 0, 0, 5};
  sotto_matrix foreign;
  CHECK_OK(sotto_matrix_new(&foreign, 3, 2, &err));
  CHECK_OK(sotto_i_fed_linked_add(&foreign, table, &linked, 1, &err));
  const float expected[] = {1, 1, 0, 0, 0, 0};
  assert_memory_equal(foreign.data, expected, sizeof expected);
  sotto_matrix_free(&foreign);
}

/* What the server carries opens at its receiver alone, as it was sent. */
static void boxes_open_at_their_receiver_alone(void **state) {
  (void)state;
  uint8_t public_key[3][SOTTO_SUM_PUBLIC], secret[3][SOTTO_SUM_SECRET], run[SOTTO_SUM_DIGEST] = {7},
                                                                        other[SOTTO_SUM_DIGEST] = {8};
  const uint32_t text[4] = {1, 0, 2, 5};
  uint32_t opened[4];
  uint8_t box[sizeof text + SOTTO_I_FED_SEAL], again[sizeof box];
  for (int i = 0; i < 3; i++) sotto_sum_signer_new(public_key[i], secret[i]);
  const sotto_i_fed_seal sent = {secret[0], public_key[1], run, 0, 1, "counts", NULL};
  sotto_i_fed_seal taken = {secret[1], public_key[0], run, 0, 1, "counts", NULL};
  CHECK_OK(sotto_i_fed_seal_close(box, text, sizeof text, &sent, &err));
  CHECK_OK(sotto_i_fed_seal_close(again, text, sizeof text, &sent, &err));
  assert_memory_not_equal(box, again, sizeof box); /* a nonce of its own */
  CHECK_OK(sotto_i_fed_seal_open(opened, box, sizeof text, &taken, &err));
  assert_memory_equal(opened, text, sizeof text);
  const sotto_i_fed_seal wrong[] = {{secret[2], public_key[0], run, 0, 1, "counts", NULL},
                                    {secret[1], public_key[2], run, 0, 1, "counts", NULL},
                                    {secret[1], public_key[0], other, 0, 1, "counts", NULL},
                                    {secret[1], public_key[0], run, 1, 0, "counts", NULL},
                                    {secret[1], public_key[0], run, 0, 1, "tags", NULL},
                                    {secret[1], public_key[0], run, 0, 1, "counts", other}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    CHECK_FAILS(SOTTO_PROTOCOL, "changed on their way",
                sotto_i_fed_seal_open(opened, box, sizeof text, &wrong[i], &err));
  for (size_t i = 0; i < sizeof box; i++) {
    box[i] ^= 1;
    CHECK_FAILS(SOTTO_PROTOCOL, "changed on their way",
                sotto_i_fed_seal_open(opened, box, sizeof text, &taken, &err));
    box[i] ^= 1;
  }
}

/* The search: six nodes at three clients, three clusters. */
enum { small = 6, banks = 3, kinds = 3 };
static const uint32_t bank_of[small] = {0, 0, 1, 1, 2, 2}, place_of[small] = {0, 1, 0, 1, 0, 1};

static void graph_of(sotto_graph *out, uint32_t mask) {
  uint32_t from[15], to[15];
  uint64_t count = 0;
  for (uint32_t u = 0, bit = 0; u < small; u++)
    for (uint32_t v = u + 1; v < small; v++, bit++)
      if (mask >> bit & 1) from[count] = u, to[count++] = v;
  CHECK_OK(sotto_graph_from_pairs(out, small, from, to, count, &err));
}

/* What one bank sends to all others, after one another: 2 rows each. */
static void messages(uint32_t table[banks][2 * kinds], const sotto_graph *g, uint32_t from,
                     const float *reported) {
  sotto_i_fed_linked linked;
  CHECK_OK(sotto_i_fed_linked_find(&linked, g, bank_of, place_of, from, &err));
  memset(table, 0, banks * sizeof *table);
  for (uint32_t to = 0; to < banks; to++)
    sotto_i_fed_linked_rows(table[to], kinds, &linked, to, reported + 2 * (size_t)from);
  sotto_i_fed_linked_free(&linked);
}

/* The tables of all banks before their noise, by the code of a run. */
static void tables(float out[small * kinds], const sotto_graph *g, const uint32_t *cluster,
                   const float *reported) {
  for (uint32_t b = 0; b < banks; b++) {
    sotto_i_clusters known;
    sotto_matrix foreign, table;
    sotto_i_fed_linked linked;
    sotto_graph part;
    const uint32_t from = 0, to = 1;
    bool joined = false;
    for (uint64_t e = g->offsets[2 * b]; e < g->offsets[2 * b + 1]; e++)
      joined = joined || g->targets[e] == 2 * b + 1;
    CHECK_OK(sotto_graph_from_pairs(&part, 2, &from, &to, joined, &err));
    CHECK_OK(sotto_i_clusters_new(&known, 2, kinds, &err));
    CHECK_OK(sotto_matrix_new(&foreign, 2, kinds, &err));
    CHECK_OK(sotto_i_fed_linked_find(&linked, g, bank_of, place_of, b, &err));
    for (uint32_t i = 0; i < 2; i++) known.of[i] = (uint16_t)cluster[2 * b + i];
    for (uint32_t other = 0; other < banks; other++) {
      uint32_t sent[banks][2 * kinds];
      if (other == b) continue;
      messages(sent, g, other, reported);
      CHECK_OK(sotto_i_fed_linked_add(&foreign, sent[b], &linked, other, &err));
    }
    sotto_i_federation federation = {.seed = 1};
    const sotto_i_fed_client client = {.federation = &federation, .data = {.graph = part}};
    sotto_i_fed_counting counting = {.client = &client, .known = &known, .foreign = &foreign};
    sotto_key key;
    sotto_key_public(&key, 1);
    CHECK_OK(sotto_i_fed_counts_make(&counting, NULL, &table, &key, &err));
    memcpy(out + (size_t)b * 2 * kinds, table.data, 2 * kinds * sizeof *out);
    sotto_i_clusters_free(&known);
    sotto_matrix_free(&foreign);
    sotto_matrix_free(&table);
    sotto_i_fed_linked_free(&linked);
    sotto_graph_free(&part);
  }
}

/* All graphs with an edge more or less, at drawn clusters and answers: the l1 norm of what moves is 2. */
static void no_edge_moves_the_tables_of_all_banks_by_more_than_two(void **state) {
  (void)state;
  double most = 0;
  sotto_i_random random;
  sotto_key key;
  sotto_key_public(&key, 11);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_GENERATE, 0, 0);
  for (uint32_t mask = 0; mask < 1U << 15; mask += 37) {
    uint32_t cluster[small];
    float reported[small], with[small * kinds], without[small * kinds];
    sotto_graph first, second;
    for (int v = 0; v < small; v++) {
      cluster[v] = (uint32_t)sotto_i_random_below(&random, kinds);
      reported[v] = (float)sotto_i_random_below(&random, kinds);
    }
    const uint32_t bit = (uint32_t)sotto_i_random_below(&random, 15);
    graph_of(&first, mask);
    graph_of(&second, mask ^ 1U << bit);
    tables(with, &first, cluster, reported);
    tables(without, &second, cluster, reported);
    double moved = 0;
    for (int i = 0; i < small * kinds; i++) moved += fabs((double)with[i] - (double)without[i]);
    assert_true(moved <= 2);
    most = fmax(most, moved);
    sotto_graph_free(&first);
    sotto_graph_free(&second);
  }
  (void)printf("  l1 sensitivity of all tables: stated 2, found %.4f\n", most);
  assert_true(most >= 2 * 0.85);
}

/* Probability of each message of bank 0 to both others, over its two nodes' answers, as a list of distinct
 * messages. */
typedef struct law {
  uint32_t message[kinds * kinds][banks][2 * kinds];
  double chance[kinds * kinds];
  int count;
} law;

static void law_of(law *out, const sotto_graph *g, const uint32_t cluster[2],
                   const sotto_response *response) {
  const double flip = (double)response->flip * 0x1p-64;
  out->count = 0;
  for (uint32_t a = 0; a < kinds; a++)
    for (uint32_t b = 0; b < kinds; b++) {
      const float reported[2] = {(float)a, (float)b};
      const double chance = (a == cluster[0] ? 1 - flip : flip / (kinds - 1)) *
                            (b == cluster[1] ? 1 - flip : flip / (kinds - 1));
      int at = 0;
      messages(out->message[out->count], g, 0, reported);
      while (memcmp(out->message[at], out->message[out->count], sizeof out->message[at]) != 0) at++;
      if (at == out->count) out->chance[out->count++] = 0;
      out->chance[at] += chance;
    }
}

static double largest_loss(const law *p, const law *q) {
  double most = 0;
  for (int i = 0; i < p->count; i++)
    for (int j = 0; j < q->count; j++)
      if (memcmp(p->message[i], q->message[j], sizeof p->message[i]) == 0)
        most = fmax(most, log(p->chance[i] / q->chance[j]));
  return most;
}

/* All graphs between bank 0 and the others, up to eight edges: a customer of another cluster is told from
 * the rows at epsilon, whatever the number of its edges, and no better. */
static void rows_reveal_of_a_cluster_what_one_answer_does(void **state) {
  (void)state;
  const double epsilon = 2;
  double most = 0, at_most_edges = 0;
  sotto_response response;
  CHECK_OK(sotto_response_new(&response, kinds, epsilon, &err));
  for (uint32_t set = 0; set < 256; set++) { /* edges of nodes 0 and 1 to nodes 2 to 5 */
    sotto_graph g;
    uint32_t from[8], to[8];
    uint64_t count = 0;
    for (uint32_t bit = 0; bit < 8; bit++)
      if (set >> bit & 1) from[count] = bit / 4, to[count++] = 2 + bit % 4;
    CHECK_OK(sotto_graph_from_pairs(&g, small, from, to, count, &err));
    for (uint32_t c = 0; c < kinds; c++)
      for (uint32_t changed = 1; changed < kinds; changed++) {
        law p, q;
        law_of(&p, &g, (const uint32_t[2]){0, c}, &response);
        law_of(&q, &g, (const uint32_t[2]){changed, c}, &response);
        const double loss = largest_loss(&p, &q);
        assert_true(loss <= epsilon * (1 + 1e-9));
        most = fmax(most, loss);
        if (count == 8) at_most_edges = fmax(at_most_edges, loss);
      }
    sotto_graph_free(&g);
  }
  (void)printf("  epsilon of a cluster: stated %.4f, found %.4f; with four edges %.4f\n", epsilon, most,
               at_most_edges);
  assert_true(most >= epsilon * 0.85);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_are_of_the_neighbours_at_all_clients),
      cmocka_unit_test(an_edge_between_clients_moves_two_counts_by_one_and_no_answer),
      cmocka_unit_test(counts_and_answers_are_charged_to_accounts_of_their_own),
      cmocka_unit_test(a_list_that_is_longer_than_its_padding_is_refused),
      cmocka_unit_test(what_has_no_noise_between_clients_is_refused),
      cmocka_unit_test(a_row_of_another_sum_counts_as_zero),
      cmocka_unit_test(boxes_open_at_their_receiver_alone),
      cmocka_unit_test(no_edge_moves_the_tables_of_all_banks_by_more_than_two),
      cmocka_unit_test(rows_reveal_of_a_cluster_what_one_answer_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
