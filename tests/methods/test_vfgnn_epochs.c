/* One holder of vfgnn and a server that plays a script: what an edge moves in a later epoch, with all that
 * was published before held fixed; how often a server can make a holder publish; what a restart sends. */
#include <math.h>
#include <pthread.h>

#include "check.h"
#include "inside/party.h"
#include "ledgers.h"
#include "made_run.h"
#include "methods/vfgnn/vfgnn.h"
#include "release/plan.h"
#include "run/parties/party_split.h"
#include "sotto/generate.h"

/* A server that answers every holder alike, whatever it gets: what was published before is held fixed. */
typedef struct script {
  sotto_link *link;
  const sotto_split *split;
  uint64_t stop;          /* epochs after which it says so; 0: never */
  uint64_t seen;          /* epochs of which rows arrived */
  sotto_matrix published; /* of the last one */
} script;

enum { ring = 60, wide = 8 };

static void *scripted_server(void *context) {
  script *s = context;
  float columns = 0, gradient[ring * wide];
  sotto_matrix told = {&columns, 1, 1}, back = {gradient, s->split->count[SOTTO_PART_TRAIN], wide};
  const sotto_expectation want_columns = {"columns", SOTTO_WIRE_PUBLIC, 1, 1, 0};
  const sotto_expectation want_rows = {"embeddings", SOTTO_WIRE_RELEASE, ring, wide, 0};
  for (size_t i = 0; i < back.rows * wide; i++) gradient[i] = (float)((double)(i * 7 % 11) - 5) / 10;
  (void)sotto_i_send_split(s->link, s->split, ring, NULL);
  (void)sotto_link_receive(s->link, &told, &want_columns, NULL);
  (void)sotto_link_send_public(s->link, "columns.all", &told, NULL);
  while (sotto_link_receive(s->link, &s->published, &want_rows, NULL) == SOTTO_OK) {
    bool stop = ++s->seen == s->stop;
    (void)sotto_i_vfgnn_send_decision(s->link, (sotto_i_decision){.stop = stop}, NULL);
    (void)sotto_link_send_exposed(s->link, "gradients.embeddings", "a test", &back, NULL);
    if (stop) break;
  }
  return NULL;
}

/* A holder of a ring, with or without its last edge; the noise is the same each time. */
typedef struct lone {
  sotto_options options;
  sotto_dataset data;
  sotto_graph own;
  sotto_pmp_plan plan;
  sotto_cost cost;
  sotto_split split;
  sotto_key key;
  sotto_ledger *ledger;
} lone;

static void lone_new(lone *l, const char *folder, const char *accounting, bool edge) {
  const sotto_sbm_options sbm = {.nodes = ring,
                                 .classes = 3,
                                 .features = 12,
                                 .degree_inside = 8,
                                 .degree_outside = 2,
                                 .feature_signal = 1.5};
  uint32_t sources[ring], targets[ring];
  sotto_options *o = &l->options;
  *l = (lone){.options = check_options("vfgnn", folder), .data = check_communities(&sbm)};
  for (uint32_t v = 0; v < ring; v++) {
    sources[v] = v;
    targets[v] = (v + 1) % ring;
  }
  CHECK_OK(sotto_graph_from_pairs(&l->own, ring, sources, targets, edge ? ring : ring - 1, &err));
  check_set(o, "hidden", "8");
  check_set(o, "insecure-seed", "5");
  check_set(o, "epsilon", "4");
  check_set(o, "layers", "2");
  check_set(o, "max-degree", "2");
  check_set(o, "initial", "individually");
  if (strcmp(accounting, "sound") == 0) check_set(o, "publication", "rows");
  check_set(o, "accounting", accounting);
  check_set(o, "learning-rate", "0.05");
  check_set(o, "epochs", "5");
  sotto_options_resolve(o);
  sotto_key_public(&l->key, 3);
  CHECK_OK(sotto_split_random(&l->split, &l->data, 0.5, 0.2, &l->key, &err));
  sotto_i_release_plan planned = {.what = NULL};
  CHECK_OK(sotto_i_vfgnn_plan(&planned, o, &l->data.graph, &err));
  l->plan = planned.layers;
  const sotto_mechanism gaussian = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
  l->cost = (sotto_cost){.adjacency = "edge", .by_mu = true};
  sotto_i_cost_add(&l->cost, "rows", &gaussian, l->plan.mu, 0)->times = o->epochs;
  sotto_i_cost_account(&l->cost, SOTTO_ACCOUNT_DATA, l->data.account, l->data.name);
  sotto_i_cost_complete(&l->cost);
  l->ledger = check_ledger_at(o->ledger);
}

static void lone_free(lone *l) {
  sotto_ledger_close(l->ledger);
  sotto_split_free(&l->split);
  sotto_graph_free(&l->own);
  sotto_dataset_free(&l->data);
}

/* The holder's protocol against the script, until one of them ends. */
static sotto_status lone_train(lone *l, script *s, sotto_error *problem) {
  const sotto_i_job job = {.options = &l->options,
                           .data = &l->data,
                           .plan = &l->plan,
                           .cost = &l->cost,
                           .ledger = l->ledger,
                           .folder = l->options.out,
                           .run_id = "a run",
                           .seed = 1};
  const sotto_i_vfgnn shared = {.job = &job,
                                .holders = 1,
                                .nodes = ring,
                                .width = wide,
                                .noisy = true,
                                .sound = l->options.accounting == SOTTO_ACCOUNTING_SOUND,
                                .key = l->key};
  pthread_t thread;
  sotto_dataset mine = l->data;
  mine.graph = l->own;
  sotto_i_vfgnn_holder h = {.shared = &shared, .data = &mine, .peers = {.count = 1}};
  s->split = &l->split;
  CHECK_OK(sotto_i_scaled_features(&h.features, &l->options, &l->data, &err));
  CHECK_OK(sotto_link_pair(&h.peers.dealer, &s->link, &err));
  pthread_create(&thread, NULL, scripted_server, s);
  sotto_status status = sotto_i_vfgnn_holder_protocol(&h, problem);
  if (status != SOTTO_OK) sotto_link_close(h.peers.dealer, "the holder stopped");
  pthread_join(thread, NULL);
  sotto_link_free(h.peers.dealer);
  sotto_link_free(s->link);
  sotto_i_vfgnn_holder_free(&h);
  return status;
}

/* What a holder publishes in the second epoch. */
static void second_epoch(sotto_matrix *out, const char *accounting, bool edge) {
  lone l;
  char folder[32];
  (void)snprintf(folder, sizeof folder, "%s-%d", accounting, edge);
  lone_new(&l, folder, accounting, edge);
  script s = {.stop = 2, .published = *out};
  CHECK_OK(lone_train(&l, &s, &err));
  lone_free(&l);
}

static sotto_spent spent_by(lone *l) {
  sotto_spent spent;
  CHECK_OK(sotto_ledger_spent(l->ledger, &spent, l->data.account, "edge", &err));
  return spent;
}

/* The number of releases is the holder's own: a server can end a run, and cannot make it longer. */
static void a_server_that_never_stops_gets_what_was_planned_and_no_more(void **state) {
  (void)state;
  lone l;
  sotto_matrix rows;
  CHECK_OK(sotto_matrix_new(&rows, ring, wide, &err));
  lone_new(&l, "endless", "sound", true);
  const uint64_t before = spent_by(&l).charges;
  script s = {.stop = 0, .published = rows};
  CHECK_FAILS(SOTTO_PROTOCOL, "the server asks for epoch 6, and the run has 5", lone_train(&l, &s, &err));
  assert_int_equal(s.seen, 5);
  assert_int_equal(spent_by(&l).charges - before, 5);
  sotto_matrix_free(&rows);
  lone_free(&l);
}

/* A holder that is started again from the beginning, without an insecure seed: the kept rows go out once
 * more, and nothing is charged; an epoch whose rows are gone is a new draw, and is charged. */
static void a_restart_sends_what_was_published_before(void **state) {
  (void)state;
  lone l;
  sotto_matrix rows[3];
  lone_new(&l, "restart", "sound", true);
  l.options.insecure_seed = SOTTO_UNSET;
  const uint64_t before = spent_by(&l).charges;
  for (int start = 0; start < 3; start++) {
    CHECK_OK(sotto_matrix_new(&rows[start], ring, wide, &err));
    script s = {.stop = start == 0 ? 3 : 5, .published = rows[start]};
    if (start == 2) assert_int_equal(remove(check_path("restart/published-1-5-1.sotto")), 0);
    CHECK_OK(lone_train(&l, &s, &err));
    assert_int_equal(spent_by(&l).charges - before, start == 0 ? 3 : start == 1 ? 5 : 6);
  }
  assert_memory_not_equal(rows[1].data, rows[2].data, ring * wide * sizeof(float));
  script again = {.stop = 5, .published = rows[1]};
  CHECK_OK(lone_train(&l, &again, &err));
  assert_memory_equal(rows[1].data, rows[2].data, ring * wide * sizeof(float));
  assert_int_equal(spent_by(&l).charges - before, 6);
  for (int start = 0; start < 3; start++) sotto_matrix_free(&rows[start]);
  lone_free(&l);
}

/* With all that was published before held fixed, an edge moves the rows near its ends in a sound run; where a
 * holder learns through its edges, as in the paper, it moves them all. */
static void an_edge_moves_only_rows_near_its_ends_in_later_epochs(void **state) {
  (void)state;
  static const char *const accountings[] = {"sound", "paper"};
  for (size_t a = 0; a < 2; a++) {
    sotto_matrix with, without;
    size_t near = 0, far = 0;
    CHECK_OK(sotto_matrix_new(&with, ring, wide, &err));
    CHECK_OK(sotto_matrix_new(&without, ring, wide, &err));
    second_epoch(&with, accountings[a], true);
    second_epoch(&without, accountings[a], false);
    for (size_t v = 0; v < ring; v++) {
      double gap = 0;
      for (size_t j = 0; j < wide; j++)
        gap = fmax(gap, fabs((double)with.data[v * wide + j] - without.data[v * wide + j]));
      *(v <= 1 || v >= ring - 2 ? &near : &far) += gap > 1e-4;
    }
    print_message("%s: %zu of 4 rows near the edge moved, %zu of the others\n", accountings[a], near, far);
    assert_true(near > 0);
    assert_true(a == 0 ? far == 0 : far > ring / 2);
    sotto_matrix_free(&with);
    sotto_matrix_free(&without);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_server_that_never_stops_gets_what_was_planned_and_no_more),
      cmocka_unit_test(a_restart_sends_what_was_published_before),
      cmocka_unit_test(an_edge_moves_only_rows_near_its_ends_in_later_epochs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
