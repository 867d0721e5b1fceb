/* Graphs with power-law degrees, for measuring speed (Chung and Lu 2002): both ends of every edge are
 * drawn with probability proportional to a weight. The weight of rank r is (r + r0)^-a with a = 1 /
 * (exponent - 1), which gives degrees the tail k^-exponent. r0 keeps the largest expected degree at sqrt(2
 * edges); above it, simple graphs cannot follow the law, because two hubs would need several edges. Ids
 * are shuffled, so they reveal nothing about the rank. */
#include <math.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "base/threads.h"
#include "generate.h"
#include "sotto/generate.h"

enum { edges_a_stream = 1 << 15, labels_a_stream = SOTTO_I_MADE_ROWS };

typedef struct powerlaw {
  const sotto_key *key;
  uint64_t nodes, edges;
  size_t width;
  uint32_t classes;
  double low, span, power, shift; /* rank = (low + U span)^power - shift */
  uint32_t *order;                /* id of each rank */
  sotto_i_edge_arrays pairs;      /* edges from `first` on */
  uint64_t first;
} powerlaw;

/* Expected degree of rank 0 when all weights together give 2 edges. */
static double hub_degree(double nodes, double edges, double a, double shift) {
  return 2 * edges * (1 - a) * pow(shift, -a) / (pow(nodes + shift, 1 - a) - pow(shift, 1 - a));
}

static void fit_weights(powerlaw *p, const sotto_powerlaw_options *o) {
  const double nodes = (double)o->nodes, edges = (double)o->edges, a = 1 / (o->exponent - 1);
  const double most = sqrt(2 * edges);
  double low = 1e-3, high = 1e3 * nodes;
  for (int i = 0; i < 100; i++) {
    double middle = sqrt(low * high);
    if (hub_degree(nodes, edges, a, middle) > most)
      low = middle;
    else
      high = middle;
  }
  p->shift = high;
  p->low = pow(p->shift, 1 - a);
  p->span = pow(nodes + p->shift, 1 - a) - p->low;
  p->power = 1 / (1 - a);
}

static uint32_t draw_node(const powerlaw *p, sotto_i_random *random) {
  double rank = pow(p->low + p->span * sotto_i_random_double(random), p->power) - p->shift;
  uint64_t whole = rank > 0 ? (uint64_t)rank : 0;
  return p->order[whole < p->nodes ? whole : p->nodes - 1];
}

/* A range is within one stream. */
static void draw_edges(void *context, size_t begin, size_t end) {
  powerlaw *p = context;
  sotto_i_random random;
  if (sotto_i_stopped()) return; /* the caller reports it */
  sotto_i_random_init(&random, p->key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_POWERLAW_EDGES,
                      (p->first + begin) / edges_a_stream);
  for (size_t i = begin; i < end; i++) {
    p->pairs.sources[i] = draw_node(p, &random);
    p->pairs.targets[i] = draw_node(p, &random);
  }
}

static sotto_status find_edges(void *context, sotto_i_edge_arrays *out, uint64_t first, uint64_t end,
                               sotto_error *err) {
  powerlaw *p = context;
  p->first = first * edges_a_stream;
  const uint64_t last = end * edges_a_stream < p->edges ? end * edges_a_stream : p->edges;
  const sotto_status status = sotto_i_edge_arrays_new(&p->pairs, last - p->first, err);
  if (status == SOTTO_OK) sotto_i_parallel(last - p->first, edges_a_stream, draw_edges, p);
  *out = p->pairs;
  return status;
}

/* Noise and uniform labels; the feature with the index of the label (modulo the width) is increased by
 * one. */
static void make_rows(const void *context, float *features, int32_t *labels, uint64_t first, uint64_t end) {
  const powerlaw *p = context;
  sotto_i_random random;
  sotto_i_generate_noise_rows(features, p->width, first, end, p->key);
  for (uint64_t v = first; v < end && labels != NULL; v++) {
    if (v % labels_a_stream == 0)
      sotto_i_random_init(&random, p->key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_POWERLAW_LABELS,
                          v / labels_a_stream);
    const uint64_t label = sotto_i_random_below(&random, p->classes);
    labels[v - first] = (int32_t)label;
    if (p->width > 0) features[(v - first) * p->width + label % p->width] += 1;
  }
}

static sotto_status check_options(const sotto_powerlaw_options *o, sotto_error *err) {
  if (!(o->exponent > 2) || !(o->exponent <= 100))
    return sotto_i_fail(err, SOTTO_RANGE, "powerlaw: exponent %g; it must be above 2 and at most 100",
                        o->exponent);
  /* Above a quarter of all pairs, repeats would remove too many of the drawn edges. */
  if ((double)o->edges > (double)o->nodes * ((double)o->nodes - 1) / 8)
    return sotto_i_fail(err, SOTTO_RANGE,
                        "powerlaw: %llu edges among %llu nodes; at most a quarter of the pairs can be joined",
                        (unsigned long long)o->edges, (unsigned long long)o->nodes);
  return SOTTO_OK;
}

/* Generates into *out, or by ranks into a file. */
static sotto_status generate(sotto_dataset *out, sotto_figures *figures, sotto_ranks *ranks, const char *path,
                             const sotto_powerlaw_options *options, const sotto_key *key, sotto_error *err) {
  enum { streams_at_once = 8 };
  sotto_status status;
  sotto_i_random random;
  powerlaw p = {.key = key,
                .nodes = options->nodes,
                .edges = options->edges,
                .width = options->features,
                .classes = options->classes};
  const sotto_i_made made = {.name = "powerlaw",
                             .key = key,
                             .nodes = options->nodes,
                             .width = options->features,
                             .classes = options->classes,
                             .streams = (options->edges + edges_a_stream - 1) / edges_a_stream,
                             .at_once = streams_at_once,
                             .context = &p,
                             .rows = make_rows,
                             .edges = find_edges};
  *out = (sotto_dataset){0};
  SOTTO_TRY(check_options(options, err));
  SOTTO_TRY(sotto_i_generate_check(options->nodes, options->classes, key, err));
  SOTTO_TRY(sotto_i_new_raw(&p.order, p.nodes, sizeof *p.order, err));
  for (uint64_t v = 0; v < p.nodes; v++) p.order[v] = (uint32_t)v;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_POWERLAW_ORDER, 0);
  sotto_i_random_shuffle(&random, p.order, p.nodes);
  if (options->edges > 0) fit_weights(&p, options);
  if (path == NULL)
    status = sotto_i_made_whole(out, &made, err);
  else
    status = sotto_i_made_ranks(out, figures, ranks, &made, path, err);
done:
  sotto_i_free(p.order);
  return status;
}

sotto_status sotto_generate_powerlaw(sotto_dataset *out, const sotto_powerlaw_options *options,
                                     const sotto_key *key, sotto_error *err) {
  return generate(out, NULL, NULL, NULL, options, key, err);
}

sotto_status sotto_generate_powerlaw_ranks(sotto_dataset *out, sotto_figures *figures, sotto_ranks *ranks,
                                           const sotto_powerlaw_options *options, const sotto_key *key,
                                           const char *path, sotto_error *err) {
  return generate(out, figures, ranks, path, options, key, err);
}
