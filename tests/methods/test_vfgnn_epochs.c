/* What an edge moves in a later epoch of vfgnn, with all that was published before held fixed. */
#include <math.h>
#include <pthread.h>

#include "check.h"
#include "made_run.h"
#include "methods/vfgnn/vfgnn.h"
#include "run/party_split.h"

/* A server that answers every holder alike, whatever it gets: what was published before is held fixed. */
typedef struct script {
  sotto_link *link;
  const sotto_split *split;
  sotto_matrix published; /* of the second epoch */
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
  for (int epoch = 0; epoch < 2; epoch++) {
    (void)sotto_link_receive(s->link, &s->published, &want_rows, NULL);
    (void)sotto_i_vfgnn_send_verdict(s->link, (sotto_i_verdict){.stop = epoch == 1}, NULL);
    (void)sotto_link_send_exposed(s->link, "gradients.embeddings", "a test", &back, NULL);
  }
  return NULL;
}

/* What a holder of a ring, with or without its last edge, publishes in the second epoch; the noise is the
 * same each time. */
static void second_epoch(sotto_matrix *out, const char *accounting, bool edge) {
  const sotto_sbm_options sbm = {.nodes = ring,
                                 .classes = 3,
                                 .features = 12,
                                 .degree_inside = 8,
                                 .degree_outside = 2,
                                 .feature_signal = 1.5};
  sotto_options o = check_options("vfgnn", "second");
  sotto_dataset data = check_communities(&sbm);
  sotto_graph own;
  sotto_pmp_plan plan;
  sotto_split split;
  sotto_key key;
  uint32_t sources[ring], targets[ring];
  pthread_t thread;
  for (uint32_t v = 0; v < ring; v++) {
    sources[v] = v;
    targets[v] = (v + 1) % ring;
  }
  CHECK_OK(sotto_graph_from_pairs(&own, ring, sources, targets, edge ? ring : ring - 1, &err));
  check_set(&o, "hidden", "8");
  check_set(&o, "insecure-seed", "5");
  check_set(&o, "epsilon", "4");
  check_set(&o, "layers", "2");
  check_set(&o, "max-degree", "2");
  check_set(&o, "initial", "individually");
  check_set(&o, "accounting", accounting);
  check_set(&o, "learning-rate", "0.05");
  sotto_options_resolve(&o);
  sotto_key_public(&key, 3);
  CHECK_OK(sotto_split_random(&split, &data, 0.5, 0.2, &key, &err));
  CHECK_OK(sotto_i_vfgnn_plan(&plan, &o, ring, &err));
  const sotto_i_job job = {.options = &o, .data = &data, .plan = &plan, .run_id = accounting, .seed = 1};
  const sotto_i_vfgnn shared = {.job = &job,
                                .holders = 1,
                                .nodes = ring,
                                .width = wide,
                                .noisy = true,
                                .sound = strcmp(accounting, "sound") == 0,
                                .attempt = edge ? "with" : "without",
                                .key = key};
  sotto_dataset mine = data;
  mine.graph = own;
  sotto_i_vfgnn_holder h = {.shared = &shared, .data = &mine, .charged = &data, .peers = {.count = 1}};
  script s = {.split = &split, .published = *out};
  CHECK_OK(sotto_i_scaled_features(&h.features, &o, &data, &err));
  CHECK_OK(sotto_ledger_open(&h.ledger, o.ledger, &err));
  CHECK_OK(sotto_link_pair(&h.peers.dealer, &s.link, &err));
  pthread_create(&thread, NULL, scripted_server, &s);
  CHECK_OK(sotto_i_vfgnn_holder_recipe(&h, &err));
  pthread_join(thread, NULL);
  sotto_link_free(h.peers.dealer);
  sotto_link_free(s.link);
  sotto_i_vfgnn_holder_free(&h);
  sotto_split_free(&split);
  sotto_graph_free(&own);
  sotto_dataset_free(&data);
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
      cmocka_unit_test(an_edge_moves_only_rows_near_its_ends_in_later_epochs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
