/* One holder of vfgnn that publishes counts, against a server and a label holder that play a script: what an
 * edge moves, how often it can be made to publish, what a restart sends. */
#include <math.h>
#include <pthread.h>

#include "check.h"
#include "inside/party.h"
#include "ledgers.h"
#include "made_run.h"
#include "methods/vfgnn/vfgnn_counts.h"
#include "protocols/counts.h"
#include "release/plan.h"
#include "run/parties/party_split.h"
#include "sotto/generate.h"

enum { ring = 60, wide = 8, columns = SOTTO_I_MOST_FOLDS * wide, classes = 3, epochs = 4, rounds = 2 };

/* Both others. The label holder tells one round of clusters too many; the server may never stop the training.
 */
typedef struct script {
  sotto_link *server, *label;
  const sotto_split *split;
  bool endless;
  float wrong;        /* the cluster of node 7 in the second round, unless 0 */
  size_t seen, known; /* epochs; rounds of counts */
  sotto_matrix embeddings, counts[rounds + 1];
} script;

static void train(script *s) {
  float number = 0, gradient[ring * columns];
  sotto_matrix told = {&number, 1, 1}, back = {gradient, s->split->count[SOTTO_PART_TRAIN], columns};
  float both[2] = {0, 0};
  sotto_matrix all = {both, 1, 2};
  const sotto_expectation want_columns = {"columns", SOTTO_WIRE_PUBLIC, 1, 1, 0};
  const size_t learnt = back.rows + s->split->count[SOTTO_PART_VALIDATION];
  const sotto_expectation want_rows = {"embeddings", SOTTO_WIRE_EXPOSED, learnt, columns, 0};
  const sotto_expectation want_all = {"embeddings", SOTTO_WIRE_EXPOSED, ring, columns, 0};
  sotto_matrix some = {s->embeddings.data, learnt, columns};
  for (size_t i = 0; i < back.rows * columns; i++) gradient[i] = (float)((double)(i * 7 % 11) - 5) / 10;
  (void)sotto_i_send_split(s->server, s->split, ring, NULL);
  (void)sotto_link_receive(s->server, &told, &want_columns, NULL);
  both[0] = 1;
  both[1] = number;
  (void)sotto_link_send_public(s->server, "columns.all", &all, NULL);
  while (sotto_link_receive(s->server, &some, &want_rows, NULL) == SOTTO_OK) {
    const bool stop = ++s->seen == epochs && !s->endless;
    (void)sotto_i_vfgnn_send_decision(s->server, (sotto_i_decision){.better = true, .stop = stop}, NULL);
    (void)sotto_link_send_exposed(s->server, "gradients.embeddings", "a test", &back, NULL);
    if (stop) break;
  }
  (void)sotto_link_receive(s->server, &s->embeddings, &want_all, NULL);
}

static void *play(void *context) {
  script *s = context;
  float cells[ring * SOTTO_I_CLUSTER_COLUMNS];
  const sotto_matrix told = {cells, ring, SOTTO_I_CLUSTER_COLUMNS};
  const sotto_expectation want = {SOTTO_I_COUNTS_NAME, SOTTO_WIRE_RELEASE, ring, classes, 0};
  train(s);
  for (size_t round = 0; round <= rounds; round++) {
    for (size_t v = 0; v < ring; v++) {
      cells[2 * v] = (float)((v + round) % classes);
      cells[2 * v + 1] = (float)(v % 4);
    }
    if (round == 1 && s->wrong != 0) cells[14] = s->wrong;
    if (sotto_link_send_exposed(s->label, SOTTO_I_CLUSTERS_NAME, "a test", &told, NULL) != SOTTO_OK) break;
    if (sotto_link_receive(s->server, &s->counts[round], &want, NULL) != SOTTO_OK) break;
    s->known++;
  }
  return NULL;
}

/* The second of two holders, of a ring with or without its last edge; the noise is the same each time. */
typedef struct lone {
  char run[32];
  sotto_options options;
  sotto_dataset data;
  sotto_graph own;
  sotto_cost cost;
  sotto_split split;
  sotto_key key;
  sotto_ledger *ledger;
  sotto_spent before; /* all tests share the account */
  script s;
} lone;

static void lone_new(lone *l, const char *folder, bool edge) {
  const sotto_sbm_options sbm = {.nodes = ring,
                                 .classes = classes,
                                 .features = 12,
                                 .degree_inside = 8,
                                 .degree_outside = 2,
                                 .feature_signal = 1.5};
  uint32_t sources[ring], targets[ring];
  sotto_options *o = &l->options;
  *l = (lone){.options = check_options("vfgnn", folder), .data = check_communities(&sbm)};
  (void)snprintf(l->run, sizeof l->run, "run %s", folder);
  for (uint32_t v = 0; v < ring; v++) {
    sources[v] = v;
    targets[v] = (v + 1) % ring;
  }
  CHECK_OK(sotto_graph_from_pairs(&l->own, ring, sources, targets, edge ? ring : ring - 1, &err));
  check_set(o, "hidden", "8");
  check_set(o, "insecure-seed", "5");
  check_set(o, "epsilon", "4");
  check_set(o, "layers", "2");
  check_set(o, "initial", "individually");
  check_set(o, "encoder-epochs", "4");
  sotto_options_resolve(o);
  sotto_key_public(&l->key, 3);
  CHECK_OK(sotto_split_random(&l->split, &l->data, 0.5, 0.2, &l->key, &err));
  const sotto_i_job job = {.options = o, .data = &l->data, .seed = 1};
  CHECK_OK(sotto_i_counts_price(&l->cost, &job, &err));
  sotto_i_cost_account(&l->cost, SOTTO_ACCOUNT_DATA, l->data.account, l->data.name);
  sotto_i_cost_complete(&l->cost);
  l->ledger = check_ledger_at(o->ledger);
  l->before = check_spent_on(l->ledger, l->data.account, "edge");
  l->s.split = &l->split;
  CHECK_OK(sotto_matrix_new(&l->s.embeddings, ring, columns, &err));
  for (size_t round = 0; round <= rounds; round++)
    CHECK_OK(sotto_matrix_new(&l->s.counts[round], ring, classes, &err));
}

static void lone_free(lone *l) {
  sotto_matrix_free(&l->s.embeddings);
  for (size_t round = 0; round <= rounds; round++) sotto_matrix_free(&l->s.counts[round]);
  sotto_ledger_close(l->ledger);
  sotto_split_free(&l->split);
  sotto_graph_free(&l->own);
  sotto_dataset_free(&l->data);
}

/* The holder's protocol against the script, until one of them ends. */
static sotto_status lone_train(lone *l, sotto_error *problem) {
  const sotto_i_seat seat = {.role = SOTTO_ROLE_HOLDER, .number = 2};
  const sotto_i_job job = {.options = &l->options,
                           .data = &l->data,
                           .cost = &l->cost,
                           .ledger = l->ledger,
                           .folder = l->options.out,
                           .run_id = l->run,
                           .seat = &seat,
                           .seed = 1};
  const sotto_i_vfgnn shared = {.job = &job,
                                .holders = 2,
                                .nodes = ring,
                                .width = columns,
                                .classes = classes,
                                .counts = true,
                                .key = l->key};
  pthread_t thread;
  sotto_dataset mine = l->data;
  mine.graph = l->own;
  sotto_i_vfgnn_holder h = {.shared = &shared, .index = 1, .data = &mine, .peers = {.self = 1, .count = 2}};
  CHECK_OK(sotto_i_scaled_features(&h.features, &l->options, &l->data, &err));
  CHECK_OK(sotto_link_pair(&h.peers.dealer, &l->s.server, &err));
  CHECK_OK(sotto_link_pair(&h.peers.holder[0], &l->s.label, &err));
  l->s.seen = l->s.known = 0;
  pthread_create(&thread, NULL, play, &l->s);
  sotto_status status = sotto_i_vfgnn_holder_protocol(&h, problem);
  sotto_link_close(h.peers.dealer, "the holder stopped");
  sotto_link_close(h.peers.holder[0], "the holder stopped");
  pthread_join(thread, NULL);
  sotto_link_free(h.peers.dealer);
  sotto_link_free(h.peers.holder[0]);
  sotto_link_free(l->s.server);
  sotto_link_free(l->s.label);
  sotto_i_vfgnn_holder_free(&h);
  return status;
}

static uint64_t charges(lone *l) {
  return check_spent_on(l->ledger, l->data.account, "edge").charges - l->before.charges;
}

/* With all that a holder was told held fixed. */
static void an_edge_moves_no_row_and_counts_by_two(void **state) {
  (void)state;
  lone with, without;
  lone_new(&with, "with", true);
  lone_new(&without, "without", false);
  CHECK_OK(lone_train(&with, &err));
  CHECK_OK(lone_train(&without, &err));
  assert_int_equal(with.s.seen, epochs);
  assert_memory_equal(with.s.embeddings.data, without.s.embeddings.data, ring * columns * sizeof(float));
  for (size_t round = 0; round < rounds; round++) {
    double moved = 0, size = 0;
    for (size_t i = 0; i < ring * classes; i++) {
      moved += fabs((double)with.s.counts[round].data[i] - without.s.counts[round].data[i]);
      size += fabs((double)with.s.counts[round].data[i]);
    }
    assert_true(moved == 2 && size > ring);
  }
  assert_memory_not_equal(with.s.counts[0].data, with.s.counts[1].data, ring * classes * sizeof(float));
  lone_free(&with);
  lone_free(&without);
}

/* The number of releases is the holder's own: the script tells a round of clusters too many. */
static void others_get_the_planned_rounds_and_no_more(void **state) {
  (void)state;
  lone l;
  lone_new(&l, "rounds", true);
  CHECK_OK(lone_train(&l, &err));
  assert_int_equal(l.s.known, rounds);
  assert_int_equal(charges(&l), rounds);
  const double epsilon = check_spent_on(l.ledger, l.data.account, "edge").epsilon - l.before.epsilon;
  if (fabs(epsilon - 4) > 1e-6) fail_msg("%g was charged of 4", epsilon);
  lone_free(&l);
}

/* A server that goes on for ever, and a label holder that names a cluster that is not there. */
static void nothing_is_published_for_those_who_break_the_protocol(void **state) {
  (void)state;
  static const float wrong[] = {classes, -1, 0.5F};
  lone l;
  lone_new(&l, "endless", true);
  l.s.endless = true;
  CHECK_FAILS(SOTTO_PROTOCOL, "the server asks for epoch 5, and the run has 4", lone_train(&l, &err));
  assert_int_equal(charges(&l), 0);
  lone_free(&l);
  for (size_t i = 0; i < 3; i++) {
    char folder[32];
    (void)snprintf(folder, sizeof folder, "wrong-%zu", i);
    lone_new(&l, folder, true);
    l.s.wrong = wrong[i];
    CHECK_FAILS(SOTTO_PROTOCOL, "clusters: node 7 is in cluster", lone_train(&l, &err));
    assert_int_equal(charges(&l), 1);
    lone_free(&l);
  }
}

/* Without an insecure seed: kept counts go out once more, whatever clusters are told now; lost ones are a new
 * draw. */
static void a_restart_sends_the_counts_that_were_published(void **state) {
  (void)state;
  lone l;
  float first[ring * classes];
  lone_new(&l, "restart", true);
  l.options.insecure_seed = SOTTO_UNSET;
  CHECK_OK(lone_train(&l, &err));
  memcpy(first, l.s.counts[0].data, sizeof first);
  CHECK_OK(lone_train(&l, &err));
  assert_memory_equal(first, l.s.counts[0].data, sizeof first);
  assert_int_equal(charges(&l), rounds);
  assert_int_equal(remove(check_path("restart/counts-2-0.sotto")), 0);
  CHECK_OK(lone_train(&l, &err));
  assert_memory_not_equal(first, l.s.counts[0].data, sizeof first);
  assert_int_equal(charges(&l), rounds + 1);
  lone_free(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_edge_moves_no_row_and_counts_by_two),
      cmocka_unit_test(others_get_the_planned_rounds_and_no_more),
      cmocka_unit_test(nothing_is_published_for_those_who_break_the_protocol),
      cmocka_unit_test(a_restart_sends_the_counts_that_were_published),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
