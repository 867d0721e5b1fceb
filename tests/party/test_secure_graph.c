/* Means over graphs that one holder each knows, by holders and dealer in threads, against sums one element at
 * a time. */
#include <math.h>
#include <pthread.h>

#include "check.h"
#include "inside/party.h"
#include "party/shares/secure_graph.h"
#include "small_graph.h"

enum { nodes = 23, cols = 37, most = 3, bits = 20, wide = 70 };

typedef struct side {
  sotto_i_peers peers;
  sotto_link *links[most];
  size_t holders, entries;
  sotto_key key;            /* the dealer's */
  const sotto_graph *graph; /* this holder's */
  sotto_matrix x, features;
  sotto_i_secret mean, turned, first;
  uint64_t sent;
  sotto_status status;
  sotto_error error;
} side;

static const float part = 0.25F;
/* Columns of features of each holder: fewer and more than pass at a time. */
static const size_t own[most] = {40, 17, 13};

static sotto_status sum_all(side *d, sotto_i_secure *s, sotto_i_secure_graph *graphs, sotto_i_secret *x,
                            sotto_i_secret *features, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (size_t i = 0, first = 0; status == SOTTO_OK && i < d->holders; first += own[i++]) {
    const sotto_graph *known = !s->dealing && d->peers.self == i ? d->graph : NULL;
    SOTTO_TRY(sotto_i_secure_graph_new(&graphs[i], s, i, known, nodes, d->entries, part, err));
    SOTTO_TRY(sotto_i_secure_graph_add(&d->mean, s, &graphs[i], x, false, err));
    SOTTO_TRY(sotto_i_secure_graph_add(&d->turned, s, &graphs[i], x, true, err));
    SOTTO_TRY(sotto_i_secure_graph_add_features(&d->first, s, &graphs[i], features, first, own[i], err));
  }
done:
  return status;
}

static sotto_status compute(side *d, bool dealing, sotto_error *err) {
  sotto_i_secure s = {0};
  sotto_i_secret x = {0}, features = {0};
  sotto_i_secure_graph graphs[most] = {{.owner = 0}};
  sotto_status status;
  SOTTO_TRY(sotto_i_secure_begin(&s, dealing ? NULL : &d->peers, d->links, d->holders, bits, &d->key, err));
  SOTTO_TRY(sotto_i_secret_new(&x, &s, nodes, cols, err));
  SOTTO_TRY(sotto_i_secret_new(&features, &s, nodes, wide, err));
  SOTTO_TRY(sotto_i_secret_new(&d->mean, &s, nodes, cols, err));
  SOTTO_TRY(sotto_i_secret_new(&d->turned, &s, nodes, cols, err));
  SOTTO_TRY(sotto_i_secret_new(&d->first, &s, nodes, wide, err));
  if (!dealing) {
    SOTTO_TRY(sotto_i_secret_put(&x, &s, &d->x, 16, err));
    SOTTO_TRY(sotto_i_secret_put(&features, &s, &d->features, 16, err));
  }
  SOTTO_TRY(sum_all(d, &s, graphs, &x, &features, err));
done:
  for (size_t i = 0; i < most; i++) sotto_i_secure_graph_free(&graphs[i]);
  sotto_i_secret_free(&x);
  sotto_i_secret_free(&features);
  sotto_i_secure_free(&s);
  return status;
}

static void *holder_thread(void *context) {
  side *d = context;
  d->status = compute(d, false, &d->error);
  return NULL;
}

/* All sides but the dealer, d[holders], in threads. */
static void run_sides(side *d, size_t holders) {
  pthread_t threads[most];
  sotto_key_system(&d[holders].key);
  for (size_t i = 0; i < holders; i++) {
    d[i].peers.self = i;
    d[i].peers.count = holders;
    CHECK_OK(sotto_link_pair(&d[i].peers.dealer, &d[holders].links[i], &err));
    for (size_t j = i + 1; j < holders; j++)
      CHECK_OK(sotto_link_pair(&d[i].peers.holder[j], &d[j].peers.holder[i], &err));
  }
  for (size_t i = 0; i < holders; i++) pthread_create(&threads[i], NULL, holder_thread, &d[i]);
  CHECK_OK(compute(&d[holders], true, &err));
  for (size_t i = 0; i < holders; i++) pthread_join(threads[i], NULL);
  for (size_t i = 0; i < holders; i++)
    if (d[i].status != SOTTO_OK) fail_msg("holder %zu: %s", i, d[i].error.text);
}

static uint64_t sent_on(const sotto_link *link) {
  const sotto_traffic traffic = sotto_link_traffic(link);
  uint64_t bytes = 0;
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++) {
    if (kind != SOTTO_WIRE_SHARE) assert_true(traffic.sent[kind] == 0 || kind == SOTTO_WIRE_SEALED);
    bytes += traffic.sent[kind];
  }
  return bytes;
}

static void free_sides(side *d, size_t holders) {
  for (size_t i = 0; i < holders; i++) {
    d[i].sent = sent_on(d[i].peers.dealer);
    for (size_t j = 0; j < holders; j++)
      if (j != i) d[i].sent += sent_on(d[i].peers.holder[j]);
    d[holders].sent += sent_on(d[holders].links[i]);
  }
  for (size_t i = 0; i < holders; i++) {
    sotto_link_free(d[holders].links[i]);
    sotto_link_free(d[i].peers.dealer);
    for (size_t j = 0; j < holders; j++) sotto_link_free(d[i].peers.holder[j]);
    sotto_matrix_free(&d[i].x);
    sotto_matrix_free(&d[i].features);
    sotto_i_secret_free(&d[i].mean);
    sotto_i_secret_free(&d[i].turned);
    sotto_i_secret_free(&d[i].first);
  }
}

static uint64_t fixed(double value) {
  return (uint64_t)llrint(ldexp(value, bits));
}

/* (share D^-1 A)[v][u] of one graph. */
static uint64_t weight(const sotto_graph *g, uint32_t v, uint32_t u) {
  return check_has_edge(g, v, u) ? fixed((double)(part / (float)sotto_graph_degree(g, v))) : 0;
}

/* What the shares add up to against the sum over all graphs and nodes. */
static void check_sum(const side *d, const sotto_graph *graphs, size_t width, const sotto_ring *x,
                      const sotto_ring *const *shares, bool turned) {
  for (uint32_t v = 0; v < nodes; v++)
    for (size_t j = 0; j < width; j++) {
      uint64_t got = 0, wanted = 0;
      for (size_t i = 0; i < d->holders; i++) {
        got += shares[i]->data[v * width + j];
        for (uint32_t u = 0; u < nodes; u++)
          wanted += (turned ? weight(&graphs[i], u, v) : weight(&graphs[i], v, u)) * x->data[u * width + j];
      }
      if (got != wanted) fail_msg("%zu holders: (%u, %zu) differs", d->holders, v, j);
    }
}

static sotto_ring sum_fixed(const side *d, size_t width, bool features) {
  sotto_ring out;
  CHECK_OK(sotto_ring_new(&out, nodes, width, &err));
  for (size_t i = 0; i < d->holders; i++)
    for (size_t k = 0; k < nodes * width; k++)
      out.data[k] += fixed((double)(features ? d[i].features : d[i].x).data[k]);
  return out;
}

static void make_sides(side *d, size_t holders, sotto_graph *graphs, size_t edges, size_t entries,
                       sotto_i_random *random) {
  for (size_t i = 0, first = 0; i <= holders; i++) {
    d[i] = (side){.holders = holders, .entries = entries};
    if (i == holders) break;
    graphs[i] = check_hub_graph(random, nodes, (uint32_t)edges);
    d[i].graph = &graphs[i];
    d[i].x = check_random_matrix(random, nodes, cols);
    d[i].features = check_random_matrix(random, nodes, wide);
    for (size_t k = 0; k < nodes * wide; k++) /* each holder has its own columns */
      if (k % wide < first || k % wide >= first + own[i]) d[i].features.data[k] = 0;
    first += own[i];
  }
}

static void sums_over_all_graphs_are_exact(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (size_t holders = 2; holders <= most; holders++)
    for (size_t edges = 0; edges <= 60; edges += 30) { /* at first none: all nodes are alone */
      side d[most + 1];
      sotto_graph graphs[most];
      make_sides(d, holders, graphs, edges, 2 * edges + 5 * (edges % 4), &random);
      run_sides(d, holders);
      sotto_ring x = sum_fixed(d, cols, false), features = sum_fixed(d, wide, true);
      const sotto_ring *mean[most], *turned[most], *first[most];
      for (size_t i = 0; i < holders; i++) {
        mean[i] = &d[i].mean.share;
        turned[i] = &d[i].turned.share;
        first[i] = &d[i].first.share;
      }
      check_sum(d, graphs, cols, &x, mean, false);
      check_sum(d, graphs, cols, &x, turned, true);
      check_sum(d, graphs, wide, &features, first, false);
      sotto_ring_free(&x);
      sotto_ring_free(&features);
      free_sides(d, holders);
      for (size_t i = 0; i < holders; i++) sotto_graph_free(&graphs[i]);
    }
}

/* Of two holders: what each sends as the owner once, and for the other's graph; and what the dealer sends. */
static void formula(double bytes[3], size_t entries) {
  const double rows = nodes + entries, word = 8, seed = 32;
  const double shown = 4 * (3 * rows) + word * nodes; /* three orders of 32-bit words, and factors */
  for (size_t i = 0; i < 2; i++) {
    const double through = cols + cols + (double)(wide - own[1 - i]); /* columns; not the owner's features */
    bytes[i] = shown + word * through * (2 * nodes + 2 * rows);
  }
  bytes[2] = 2 * seed;
  for (size_t i = 0; i < 2; i++)
    bytes[2] += word * (cols + cols + (double)(wide - own[i])) * (2 * nodes + 2 * rows);
}

/* Bytes follow from nodes, columns and declared entries alone. */
static void bytes_do_not_depend_on_the_edges(void **state) {
  double wanted[3];
  (void)state;
  sotto_i_random random = check_random();
  uint64_t sent[2][most];
  for (size_t world = 0; world < 2; world++) {
    side d[most];
    sotto_graph graphs[most];
    make_sides(d, 2, graphs, world == 0 ? 3 : 50, 120, &random);
    run_sides(d, 2);
    free_sides(d, 2);
    for (size_t i = 0; i < 3; i++) sent[world][i] = d[i].sent;
    for (size_t i = 0; i < 2; i++) sotto_graph_free(&graphs[i]);
  }
  formula(wanted, 120);
  for (size_t i = 0; i < 3; i++) {
    CHECK_NEAR((double)sent[0][i], wanted[i], 1e-3);
    assert_int_equal(sent[0][i], sent[1][i]);
  }
}

static void more_edges_than_declared_are_refused(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_hub_graph(&random, nodes, 30);
  sotto_i_secure s = {.bits = bits};
  sotto_i_secure_graph out;
  CHECK_FAILS(SOTTO_RANGE, "more edges than were declared",
              sotto_i_secure_graph_new(&out, &s, 0, &graph, nodes, (size_t)graph.entries - 1, part, &err));
  sotto_graph_free(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_over_all_graphs_are_exact),
      cmocka_unit_test(bytes_do_not_depend_on_the_edges),
      cmocka_unit_test(more_edges_than_declared_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
