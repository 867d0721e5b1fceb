/* LapGraph: Laplace noise on every pair, and the largest values become edges.
 *
 * In steps of 1/1024 the noise is +-(g + 1/2), with g geometric of ratio q = exp(-r) and r = epsilon / 1024
 * rounded down. So Pr[x] is proportional to exp(-r |x|). An edge moves its pair by 1024 steps, so epsilon
 * holds for the whole vector of noisy values and for its post-processing.
 *
 * Pairs below a public threshold t + 1/2 are dropped. A pair without an edge passes with probability q^t / 2,
 * and is then t + 1/2 + g above 0, with g geometric again; so passing pairs are found in jumps. The jump's
 * probability is q^t / 2, rounded up by a factor below e^r where an edge has the smaller density (t < 1024,
 * values below 1024). The half step below 0 leaves room for that factor. */
#include <math.h>
#include <sodium.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "dp/noise/exact.h"
#include "graph/csr.h"
#include "inside/pmp.h"
#include "pairs.h"

enum { steps = 1024 };

/* A pair above the threshold: its value in steps, and a random number for ties. */
typedef struct candidate {
  int64_t value;
  uint64_t tie;
  uint32_t u, v;
} candidate;

typedef struct search {
  const sotto_graph *graph;
  uint64_t rate; /* r 2^40 */
  int64_t threshold;
  sotto_i_random random;
  candidate *found;
  size_t room, count;
} search;

static sotto_status add_candidate(search *s, int64_t value, uint64_t u, uint64_t v, sotto_error *err) {
  sotto_status status = sotto_i_grow(&s->found, &s->room, s->count + 1, sizeof *s->found, err);
  if (status != SOTTO_OK) return status;
  s->found[s->count++] =
      (candidate){.value = value, .tie = sotto_i_random_u64(&s->random), .u = (uint32_t)u, .v = (uint32_t)v};
  return SOTTO_OK;
}

static int64_t draw_excess(search *s) {
  return (int64_t)sotto_i_geometric(&s->random, s->rate, (uint64_t)1 << SOTTO_I_RATE_BITS);
}

static sotto_status search_edges(search *s, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint64_t u = 0; u < s->graph->nodes; u++)
    for (uint64_t e = s->graph->offsets[u]; e < s->graph->offsets[u + 1]; e++) {
      if (s->graph->targets[e] <= u) continue;
      int64_t g = draw_excess(s);
      int64_t value = sotto_i_coin(&s->random, (uint64_t)1 << 63) ? steps + g : steps - 1 - g;
      if (value >= s->threshold) SOTTO_TRY(add_candidate(s, value, u, s->graph->targets[e], err));
    }
done:
  return status;
}

static sotto_status search_others(search *s, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  double r = ldexp((double)s->rate, -SOTTO_I_RATE_BITS);
  uint64_t chance = sotto_i_rate_of(exp(-r * (double)s->threshold) / 2);
  sotto_i_pair_walk walk = {.nodes = s->graph->nodes};
  while (sotto_i_pair_next(&walk, sotto_i_geometric(&s->random, chance, (uint64_t)1 << SOTTO_I_RATE_BITS)))
    if (!sotto_i_graph_has(s->graph, walk.u, (uint32_t)walk.v))
      SOTTO_TRY(add_candidate(s, s->threshold + draw_excess(s), walk.u, walk.v, err));
done:
  return status;
}

static int larger_first(const void *a, const void *b) {
  const candidate *x = a, *y = b;
  if (x->value != y->value) return x->value > y->value ? -1 : 1;
  return x->tie > y->tie ? -1 : x->tie < y->tie;
}

/* Depends on public numbers alone. Of `pairs` without an edge, at least edges + 10 sqrt(edges) + 100 are
 * expected to pass; fewer than `edges` pass with probability below e^-50 (Chernoff). */
static int64_t public_threshold(double pairs, double edges, double r) {
  double expected = edges + 10 * sqrt(edges) + 100;
  return expected >= pairs / 2 ? 0 : (int64_t)(log(pairs / 2 / expected) / r);
}

static sotto_status keep_largest(sotto_graph *out, search *s, size_t edges, sotto_error *err) {
  sotto_status status;
  uint32_t *sources = NULL, *targets = NULL;
  size_t kept = s->count < edges ? s->count : edges;
  if (s->count > 0) qsort(s->found, s->count, sizeof *s->found, larger_first);
  SOTTO_TRY(sotto_i_new_raw(&sources, kept, sizeof *sources, err));
  SOTTO_TRY(sotto_i_new_raw(&targets, kept, sizeof *targets, err));
  for (size_t i = 0; i < kept; i++) {
    sources[i] = s->found[i].u;
    targets[i] = s->found[i].v;
  }
  SOTTO_TRY(sotto_graph_from_pairs(out, s->graph->nodes, sources, targets, kept, err));
done:
  sotto_i_free(sources);
  sotto_i_free(targets);
  return status;
}

sotto_status sotto_lapgraph(sotto_graph *out, const sotto_graph *graph, uint64_t edges, double epsilon,
                            const sotto_key *key, uint32_t sub, sotto_error *err) {
  sotto_status status;
  double pairs = sotto_i_pair_count(graph->nodes);
  search s = {.graph = graph};
  *out = (sotto_graph){0};
  SOTTO_TRY(sotto_i_check_secret(key, sub, err));
  SOTTO_TRY(sotto_i_check_adjacency_epsilon(epsilon, err));
  if (edges < 1 || (double)edges > pairs / 4)
    return sotto_i_fail(err, SOTTO_RANGE,
                        "%llu edges asked of a graph of %llu nodes; between 1 and a quarter "
                        "of all pairs can be",
                        (unsigned long long)edges, (unsigned long long)graph->nodes);
  s.rate = (uint64_t)ldexp(epsilon / steps, SOTTO_I_RATE_BITS);
  s.threshold = public_threshold(pairs, (double)edges, epsilon / steps);
  sotto_i_random_init(&s.random, key, SOTTO_I_PURPOSE_ADJACENCY, sub, 0);
  SOTTO_TRY(search_edges(&s, err));
  sotto_i_random_init(&s.random, key, SOTTO_I_PURPOSE_ADJACENCY, sub, 1);
  SOTTO_TRY(search_others(&s, err));
  SOTTO_TRY(keep_largest(out, &s, edges, err));
done:
  sodium_memzero(&s.random, sizeof s.random);
  if (s.found != NULL) sodium_memzero(s.found, s.room * sizeof *s.found);
  sotto_i_free(s.found);
  return status;
}

sotto_mechanism sotto_lapgraph_mechanism(double epsilon) {
  sotto_mechanism mechanism = sotto_mechanism_default(SOTTO_MECHANISM_LAPLACE);
  mechanism.noise = 1 / epsilon;
  return mechanism;
}
