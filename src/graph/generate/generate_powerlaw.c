/* Graphs whose degrees have a power-law tail, for measuring speed: Chung and Lu (2002), by drawing both ends
 * of every edge with probability proportional to a weight. The weight of rank r is (r + r0)^-a, a = 1 /
 * (exponent
 * - 1), which gives degrees the tail k^-exponent; r0 keeps the largest expected degree at sqrt(2 edges),
 * above which simple graphs cannot follow the law (two hubs would want several edges). Ids are shuffled, so
 * that they say nothing about the rank. */
#include <math.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "base/threads.h"
#include "generate.h"
#include "sotto/generate.h"

enum { edges_a_stream = 1 << 15, labels_a_stream = 1 << 12 };

typedef struct powerlaw {
  const sotto_key *key;
  uint64_t nodes;
  double low, span, power, shift; /* rank = (low + U span)^power - shift */
  uint32_t *order;                /* id of each rank */
  sotto_i_edge_arrays pairs;
  sotto_i_parts *parts;
} powerlaw;

/* Expected degree of rank 0, all weights together holding 2 edges. */
static double hub_degree(double nodes, double edges, double a, double shift) {
  return 2 * edges * (1 - a) * pow(shift, -a) / (pow(nodes + shift, 1 - a) - pow(shift, 1 - a));
}

static void fit(powerlaw *p, const sotto_powerlaw_options *o) {
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

static void draw_edges(void *context, size_t begin, size_t end) {
  powerlaw *p = context;
  sotto_i_random random;
  if (sotto_i_stopped()) return; /* sotto_i_generate_finish says so */
  sotto_i_random_init(&random, p->key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_POWERLAW_EDGES,
                      begin / edges_a_stream);
  for (size_t i = begin; i < end; i++) {
    p->pairs.sources[i] = draw_node(p, &random);
    p->pairs.targets[i] = draw_node(p, &random);
  }
}

/* Uniform labels; the feature whose number is the label (mod the width) is one higher. */
static void draw_labels(void *context, size_t begin, size_t end) {
  powerlaw *p = context;
  sotto_i_random random;
  sotto_i_random_init(&random, p->key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_POWERLAW_LABELS,
                      begin / labels_a_stream);
  for (size_t v = begin; v < end; v++) {
    uint64_t label = sotto_i_random_below(&random, p->parts->classes);
    p->parts->labels[v] = (int32_t)label;
    if (p->parts->width > 0) p->parts->features[v * p->parts->width + label % p->parts->width] += 1;
  }
}

static sotto_status check_options(const sotto_powerlaw_options *o, sotto_error *err) {
  if (!(o->exponent > 2) || !(o->exponent <= 100))
    return sotto_i_fail(err, SOTTO_RANGE, "powerlaw: an exponent of %g; it must be above 2, at most 100",
                        o->exponent);
  /* Past a quarter of all pairs, repeats would take away too many of the edges drawn. */
  if ((double)o->edges > (double)o->nodes * ((double)o->nodes - 1) / 8)
    return sotto_i_fail(err, SOTTO_RANGE,
                        "powerlaw: %llu edges among %llu nodes; at most a quarter of the pairs can be joined",
                        (unsigned long long)o->edges, (unsigned long long)o->nodes);
  return SOTTO_OK;
}

sotto_status sotto_generate_powerlaw(sotto_dataset *out, const sotto_powerlaw_options *options,
                                     const sotto_key *key, sotto_error *err) {
  sotto_status status;
  sotto_i_parts parts = {0};
  sotto_i_random random;
  powerlaw p = {.key = key, .nodes = options->nodes, .parts = &parts};
  *out = (sotto_dataset){0};
  SOTTO_TRY(check_options(options, err));
  SOTTO_TRY(sotto_i_generate_begin(&parts, "powerlaw", options->nodes, options->features, options->classes,
                                   key, err));
  sotto_i_generate_noise(&parts, key);
  if (parts.labels != NULL) sotto_i_parallel(p.nodes, labels_a_stream, draw_labels, &p);
  SOTTO_TRY(sotto_i_new_raw(&p.order, p.nodes, sizeof *p.order, err));
  for (uint64_t v = 0; v < p.nodes; v++) p.order[v] = (uint32_t)v;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_POWERLAW_ORDER, 0);
  sotto_i_random_shuffle(&random, p.order, p.nodes);
  SOTTO_TRY(sotto_i_edge_arrays_new(&p.pairs, options->edges, err));
  if (options->edges > 0) fit(&p, options);
  sotto_i_parallel(options->edges, edges_a_stream, draw_edges, &p);
  SOTTO_TRY(sotto_i_generate_finish(out, &parts, &p.pairs, err));
done:
  sotto_i_edge_arrays_free(&p.pairs);
  sotto_i_free(p.order);
  sotto_i_parts_free(&parts);
  return status;
}
