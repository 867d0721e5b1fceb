/* Canaries of perturbed graphs: an edge in a small graph; answers about the edges of a complete graph; and
 * the number of released edges from a graph of one edge, which depends on the noise of the edge count. All
 * graphs are perturbed by the function for the run's graph. */
#include "audit/canary.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "graph/csr.h"
#include "inside/audit.h"
#include "pertgraph.h"
#include "run/train/run.h"

enum { bounds = 39 }; /* a stream of the audit's key */
enum { nodes = 64, pairs = nodes * (nodes - 1) / 2, most_count = 400, answers = 64 };

static sotto_status perturb(sotto_graph *out, const sotto_i_canary *c, const sotto_graph *graph,
                            const sotto_key *key, sotto_error *err) {
  const sotto_dataset data = {.name = "canary", .graph = *graph};
  sotto_i_job job = {.options = &c->options, .data = &data};
  *out = (sotto_graph){0};
  return sotto_i_pertgraph_make(&job, out, NULL, key, err);
}

/* Is the edge in the perturbed graph? */
static sotto_status draw_edge(void *context, double *value, bool second, const sotto_key *key,
                              sotto_error *err) {
  const sotto_i_canary *c = context;
  sotto_graph out = {0};
  sotto_status status = perturb(&out, c, &c->world[second ? 1 : 0].graph, key, err);
  *value = status == SOTTO_OK && sotto_i_graph_has(&out, 0, 1) ? 1 : 0;
  sotto_graph_free(&out);
  return status;
}

/* A graph whose first nodes are all joined. If the number of edges is released, it is large compared with
 * its noise, and most pairs have no edge, so that many edges are lost. */
typedef struct clique {
  uint32_t joined, nodes;
} clique;

static clique clique_of(double count) {
  return count > 0 ? (clique){nodes, 400} : (clique){16, 16};
}

static uint64_t edges_of(clique k) {
  return (uint64_t)k.joined * (k.joined - 1) / 2;
}

/* The edges that a clique loses. */
static sotto_status draw_noise(void *context, sotto_noise_draw *out, const sotto_key *key, sotto_error *err) {
  const sotto_i_canary *c = context;
  sotto_graph left = {0};
  sotto_status status = perturb(&left, c, &c->complete, key, err);
  *out = (sotto_noise_draw){.cols = 1, .flip = c->chance};
  for (uint32_t u = 0; status == SOTTO_OK && u < c->joined; u++)
    for (uint32_t v = u + 1; v < c->joined; v++)
      out->values[out->rows++] = sotto_i_graph_has(&left, u, v) ? 0 : 1;
  sotto_graph_free(&left);
  return status;
}

/* The event for a graph of one edge: the edge is lost, or at least `least` edges are released. */
static bool event_occurs(const sotto_i_canary *c, const sotto_graph *out) {
  return c->least == 0 ? !sotto_i_graph_has(out, 0, 1) : out->entries / 2 >= c->least;
}

/* The edges of a perturbed graph that noise made, and those of them that the other graph has too. */
static uint64_t made_by_noise(uint64_t *shared, const sotto_graph *g, const sotto_graph *other) {
  uint64_t made = 0;
  *shared = 0;
  for (uint32_t u = 0; u < g->nodes; u++)
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
      const uint32_t v = g->targets[e];
      if (v <= u || (u == 0 && v == 1)) continue;
      made++;
      *shared += sotto_i_graph_has(other, u, v);
    }
  return made;
}

static double log_choose(double n, double k) {
  return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

static const double few_shared = 0.9;

/* LapGraph: two graphs share few of the edges that noise made. All other pairs are alike, so that of given
 * numbers of such edges each set is as likely, and the shared ones are hypergeometric. The answer is 1, few,
 * with probability few_shared whatever the numbers are: at the bound `part`, uniform in [0, 1), decides. The
 * same noise in both always shares the smaller set. Adds no answer where that is empty. */
static void compare_noise(sotto_noise_draw *out, const sotto_graph *a, const sotto_graph *b, double part) {
  const double others = pairs - 1;
  uint64_t shared, unused;
  const double from = (double)made_by_noise(&shared, a, b), other = (double)made_by_noise(&unused, b, a);
  double below = 0, at = 0, bound = 0;
  if (fmin(from, other) == 0) return;
  for (;; bound++) {
    at = from - bound > others - other
             ? 0
             : exp(log_choose(other, bound) + log_choose(others - other, from - bound) -
                   log_choose(others, from));
    if (below + at >= few_shared || bound >= fmin(from, other)) break;
    below += at;
  }
  const bool few = (double)shared < bound || ((double)shared == bound && part * at < few_shared - below);
  out->values[out->rows++] = few ? 1 : 0;
}

/* Answers about pairs of graphs, each with noise of its own, after those about single ones. */
static sotto_status draw_shared(sotto_noise_draw *out, const sotto_i_canary *c, const sotto_key *key,
                                sotto_error *err) {
  sotto_key each = {.origin = SOTTO_KEY_NONE};
  sotto_graph shown[2] = {{0}, {0}};
  sotto_i_random random;
  sotto_status status = SOTTO_OK;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_NEGATIVE, bounds, 0);
  out->others = out->rows;
  out->flip_there = few_shared;
  for (uint64_t i = 0; c->shares && i < answers; i++) {
    sotto_i_key_derive(&each, key, answers + i);
    SOTTO_TRY(perturb(&shown[i % 2], c, &c->world[1].graph, &each, err));
    if (i % 2 == 0) continue;
    compare_noise(out, &shown[0], &shown[1], sotto_i_random_double(&random));
    for (size_t k = 0; k < 2; k++) sotto_graph_free(&shown[k]);
  }
done:
  sotto_key_wipe(&each);
  for (size_t k = 0; k < 2; k++) sotto_graph_free(&shown[k]);
  return status;
}

static sotto_status draw_event(void *context, sotto_noise_draw *out, const sotto_key *key, sotto_error *err) {
  const sotto_i_canary *c = context;
  sotto_key each = {.origin = SOTTO_KEY_NONE};
  sotto_graph shown = {0};
  sotto_status status = SOTTO_OK;
  *out = (sotto_noise_draw){.cols = 1, .flip = c->chance};
  for (uint64_t i = 0; i < answers; i++) {
    sotto_i_key_derive(&each, key, i);
    SOTTO_TRY(perturb(&shown, c, &c->world[1].graph, &each, err));
    out->values[out->rows++] = event_occurs(c, &shown) ? 1 : 0;
    sotto_graph_free(&shown);
  }
  status = draw_shared(out, c, key, err);
done:
  sotto_key_wipe(&each);
  sotto_graph_free(&shown);
  return status;
}

/* The probability that the noisy number of edges is m, for a graph of one edge. */
static double count_probability(uint64_t m, double epsilon, uint64_t most) {
  const double a = exp(-epsilon), at = (1 - a) / (1 + a), gap = (double)m - 1;
  if (m == 1) return 1 / (1 + a);                             /* values of 0 and below count as 1 */
  return m < most ? at * pow(a, gap) : pow(a, gap) / (1 + a); /* larger values count as the largest */
}

/* Pr[Poisson(mean) >= least]. */
static double poisson_at_least(double mean, uint64_t least) {
  double below = 0, term = exp(-mean);
  for (uint64_t k = 0; k < least; k++, term *= mean / (double)k) below += term;
  return fmax(0, 1 - below);
}

/* The probability of at least this many edges, if the noisy number is m. Randomised response gives a sum of
 * independent answers, near Poisson from below: the margin of the test covers the rest. LapGraph gives m. */
static double conditional_probability(uint64_t m, uint64_t least, bool lapgraph, double epsilon) {
  if (lapgraph) return m >= least ? 1 : 0;
  const double keep =
      fmin((double)m / ((double)m + (pairs - (double)m) * exp(-epsilon)), 1 / (1 + exp(-epsilon)));
  const double others = (pairs - 1) * keep * exp(-epsilon);
  return keep * poisson_at_least(others, least - 1) + (1 - keep) * poisson_at_least(others, least);
}

static double edges_probability(uint64_t least, bool lapgraph, double count, double graph) {
  const uint64_t most = lapgraph ? pairs / 4 : pairs;
  double chance = 0;
  for (uint64_t m = 1; m <= most && m <= most_count; m++)
    chance += count_probability(m, count, m < most_count ? most : m) *
              conditional_probability(m, least, lapgraph, graph);
  return chance;
}

/* The smallest number of edges that is much less frequent without noise, but not rare with it. */
static void choose_event(sotto_i_canary *c, bool lapgraph, double count, double graph) {
  const double margin = 0.97;
  for (c->least = 2; c->least < most_count; c->least++) {
    c->chance = margin * edges_probability(c->least, lapgraph, count, graph);
    if (conditional_probability(1, c->least, lapgraph, graph) < c->chance / 8) return;
  }
}

/* LapGraph keeps the m largest of all pairs: the probability that fewer than m others exceed the edge's
 * noisy value, which is 1 plus Laplace noise. */
static double loss_probability(double count, double graph) {
  enum { points = 4000 };
  double lost = 0;
  for (uint64_t m = 1; m <= pairs / 4; m++) {
    double kept = 0;
    for (int i = 0; i < points; i++) { /* the middle of equal parts of the noise's distribution */
      const double p = (i + 0.5) / points, sign = p < 0.5 ? -1 : 1;
      const double value = 1 - sign * log(2 * fmin(p, 1 - p)) / graph;
      const double above = value > 0 ? exp(-graph * value) / 2 : 1 - exp(graph * value) / 2;
      kept += 1 - poisson_at_least((pairs - 1) * above, m);
    }
    const double weight = count_probability(m, count, pairs / 4);
    lost += weight * (1 - kept / points);
    if (weight < 1e-12) break;
  }
  return lost;
}

static sotto_status make_graphs(sotto_i_canary *c, clique k, uint64_t small, sotto_error *err) {
  const uint64_t room = edges_of(k);
  uint32_t *ends = NULL;
  uint64_t count = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&ends, 2 * (size_t)room, sizeof *ends, err));
  for (uint32_t u = 0; u < k.joined; u++)
    for (uint32_t v = u + 1; v < k.joined; v++) {
      ends[count] = u;
      ends[room + count++] = v;
    }
  SOTTO_TRY(sotto_graph_from_pairs(&c->complete, k.nodes, ends, ends + room, room, err));
  for (uint64_t with = 0; with < 2; with++)
    SOTTO_TRY(sotto_graph_from_pairs(&c->world[with].graph, small, ends, ends + room, with, err));
done:
  sotto_i_free(ends);
  return status;
}

/* The number of edges has its own noise, if it is released. */
sotto_status sotto_i_pertgraph_canary(sotto_i_canary *c, const sotto_i_run *run, unsigned kind,
                                      sotto_error *err) {
  const double margin = 0.998; /* for the noise of the number of edges */
  const bool of_count = kind == SOTTO_I_CANARY_COUNT;
  bool lapgraph;
  double count, graph;
  sotto_status status;
  (void)run;
  sotto_i_pertgraph_parts(&count, &graph, &lapgraph, &c->options);
  const clique k = clique_of(count);
  SOTTO_TRY(make_graphs(c, k, of_count || lapgraph ? nodes : 2, err));
  c->joined = k.joined;
  c->stated.delta = c->stated.mu = 0; /* the release is pure */
  c->stated.context = c;
  c->stated.statistics = 1;
  c->stated.draw = draw_edge;
  c->stated.noise = of_count || lapgraph ? draw_event : draw_noise;
  if (of_count) {
    choose_event(c, lapgraph, count, graph);
  } else if (lapgraph) {
    c->chance = 0.97 * loss_probability(count, graph);
    c->shares = true;
  } else {
    SOTTO_TRY(sotto_i_pertgraph_response(&c->response, &c->options, k.nodes, edges_of(k), err));
    c->chance = margin * (1 - ldexp((double)c->response.keep, -64));
  }
done:
  return status;
}
