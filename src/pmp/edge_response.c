/* Randomised response on the adjacency, and the release of the number of edges.
 *
 * A pair is reported as an edge with probability a when it is one and b when it is not. Neighbouring graphs
 * differ in one pair, so epsilon is the largest of log(a/b) and log((1 - b)/(1 - a)) (the inverses are below
 * 0, a >= b). b is rounded up to a form whose jumps can be sampled exactly. Then a is rounded down until both
 * conditions hold. */
#include <math.h>
#include <sodium.h>

#include "base/error.h"
#include "base/memory.h"
#include "dp/noise/exact.h"
#include "graph/csr.h"
#include "inside/pmp.h"
#include "pairs.h"

enum { count_bits = 30 };

uint64_t sotto_i_rate_of(double chance) {
  return (uint64_t)ceil(ldexp(-log1p(-chance) * (1 + 0x1p-40), SOTTO_I_RATE_BITS));
}

sotto_status sotto_i_check_adjacency_epsilon(double epsilon, sotto_error *err) {
  if (epsilon >= 1e-3 && epsilon <= 40) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE, "epsilon of an adjacency release is %g; it must be in [0.001, 40]",
                      epsilon);
}

bool sotto_i_pair_next(sotto_i_pair_walk *walk, uint64_t jump) {
  if (walk->nodes < 2) return false;
  uint64_t ahead = jump + 1;
  while (ahead > walk->nodes - 1 - walk->v) {
    ahead -= walk->nodes - 1 - walk->v;
    walk->v = ++walk->u;
    if (walk->u >= walk->nodes - 1) return false;
  }
  walk->v += ahead;
  return true;
}

static sotto_edge_response round_response(double stay, double add, double epsilon) {
  sotto_edge_response made = {.add = sotto_i_rate_of(add)};
  double b = -expm1(-ldexp((double)made.add, -SOTTO_I_RATE_BITS));
  double a = fmin(stay, fmin(exp(epsilon) * b, 1 - exp(-epsilon) * (1 - b))) * (1 - 0x1p-45);
  made.keep = (uint64_t)ldexp(a, 64);
  made.epsilon = fmin(epsilon, fmax(log(a / b), log((1 - b) / (1 - a))));
  return made;
}

sotto_status sotto_edge_response_symmetric(sotto_edge_response *out, double epsilon, sotto_error *err) {
  sotto_status status = sotto_i_check_adjacency_epsilon(epsilon, err);
  if (status != SOTTO_OK) return status;
  double flip = 1 / (exp(epsilon) + 1);
  *out = round_response(1 - flip, flip, epsilon);
  return SOTTO_OK;
}

sotto_status sotto_edge_response_asymmetric(sotto_edge_response *out, uint64_t nodes, uint64_t edges,
                                            double epsilon, sotto_error *err) {
  sotto_status status = sotto_i_check_adjacency_epsilon(epsilon, err);
  if (status != SOTTO_OK) return status;
  double pairs = sotto_i_pair_count(nodes), m = (double)edges;
  if (nodes < 2 || nodes > UINT32_MAX || edges < 1 || m > pairs)
    return sotto_i_fail(err, SOTTO_RANGE, "%llu edges between %llu nodes", (unsigned long long)edges,
                        (unsigned long long)nodes);
  /* m mu + (pairs - m) mu e^-epsilon = m, capped where the answers "no edge" reach epsilon too. */
  double mu = fmin(m / (m + (pairs - m) * exp(-epsilon)), 1 / (1 + exp(-epsilon)));
  *out = round_response(mu, mu * exp(-epsilon), epsilon);
  return SOTTO_OK;
}

sotto_status sotto_edge_count(uint64_t *edges, const sotto_graph *graph, double epsilon, const sotto_key *key,
                              uint32_t sub, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_check_secret(key, sub, err));
  SOTTO_TRY(sotto_i_check_adjacency_epsilon(epsilon, err));
  if (graph->nodes < 2)
    return sotto_i_fail(err, SOTTO_RANGE, "a graph of %llu nodes has no pairs",
                        (unsigned long long)graph->nodes);
  sotto_i_random random;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_LAPLACE, sub, 0);
  /* One edge changes the count by one. The rate is rounded down: never less noise than stated. */
  uint64_t rate = (uint64_t)ldexp(epsilon, count_bits);
  int64_t count = (int64_t)(graph->entries / 2);
  count += sotto_i_discrete_laplace(&random, rate, (uint64_t)1 << count_bits);
  sodium_memzero(&random, sizeof random);
  int64_t most = (int64_t)(graph->nodes * (graph->nodes - 1) / 2);
  *edges = (uint64_t)(count < 1 ? 1 : count > most ? most : count);
done:
  return status;
}

typedef struct pair_list {
  uint32_t *sources, *targets;
  size_t source_room, target_room, count;
} pair_list;

static sotto_status add_pair(pair_list *list, uint64_t u, uint64_t v, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_grow(&list->sources, &list->source_room, list->count + 1, sizeof(uint32_t), err));
  SOTTO_TRY(sotto_i_grow(&list->targets, &list->target_room, list->count + 1, sizeof(uint32_t), err));
  list->sources[list->count] = (uint32_t)u;
  list->targets[list->count++] = (uint32_t)v;
done:
  return status;
}

static sotto_status keep_edges(pair_list *list, const sotto_graph *graph, uint64_t keep,
                               sotto_i_random *random, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint64_t u = 0; u < graph->nodes; u++)
    for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++)
      if (graph->targets[e] > u && sotto_i_coin(random, keep))
        SOTTO_TRY(add_pair(list, u, graph->targets[e], err));
done:
  return status;
}

/* Every pair is walked, so that the jumps do not depend on the graph; edges of the graph are skipped. */
static sotto_status add_edges(pair_list *list, const sotto_graph *graph, uint64_t rate,
                              sotto_i_random *random, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_i_pair_walk walk = {.nodes = graph->nodes};
  while (sotto_i_pair_next(&walk, sotto_i_geometric(random, rate, (uint64_t)1 << SOTTO_I_RATE_BITS)))
    if (!sotto_i_graph_has(graph, walk.u, (uint32_t)walk.v)) SOTTO_TRY(add_pair(list, walk.u, walk.v, err));
done:
  return status;
}

sotto_status sotto_edge_response_apply(sotto_graph *out, const sotto_graph *graph,
                                       const sotto_edge_response *response, const sotto_key *key,
                                       uint32_t sub, sotto_error *err) {
  sotto_status status;
  pair_list list = {0};
  sotto_i_random random = {0};
  *out = (sotto_graph){0};
  SOTTO_TRY(sotto_i_check_secret(key, sub, err));
  if (response->add < 1 || response->add > (uint64_t)1 << SOTTO_I_RATE_BITS)
    return sotto_i_fail(err, SOTTO_INVALID, "a response that was not made by sotto_edge_response_...");
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_ADJACENCY, sub, 0);
  SOTTO_TRY(keep_edges(&list, graph, response->keep, &random, err));
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_ADJACENCY, sub, 1);
  SOTTO_TRY(add_edges(&list, graph, response->add, &random, err));
  SOTTO_TRY(sotto_graph_from_pairs(out, graph->nodes, list.sources, list.targets, list.count, err));
done:
  sodium_memzero(&random, sizeof random);
  sotto_i_free(list.sources);
  sotto_i_free(list.targets);
  return status;
}

sotto_mechanism sotto_edge_response_mechanism(const sotto_edge_response *response) {
  sotto_mechanism mechanism = sotto_mechanism_default(SOTTO_MECHANISM_RANDOMIZED_RESPONSE);
  mechanism.epsilon = response->epsilon;
  return mechanism;
}
