/* LinkTeller (Wu et al. 2022): the influence of a node's features on other nodes' predictions. A query is a
 * cell. */
#include <math.h>
#include <stdlib.h>

#include "audit.h"
#include "base/cancel.h"
#include "base/memory.h"
#include "base/progress.h"
#include "graph/csr.h"
#include "inside/audit.h"
#include "pairs.h"

typedef struct sample {
  uint32_t *nodes;
  size_t count;
  sotto_matrix before; /* predictions without a change, queried like the others */
  double *influence;   /* [v * count + u]: of v on u */
  const sotto_target *target;
  double step;
} sample;

enum { block_queries = 16 };

static const float least = 1e-30F; /* lower limit of a probability, so that its logarithm is finite */

/* The change of the log-probabilities of each node of the sample when node v's features grow. */
static sotto_status influence_of(double *out, const sample *s, size_t v, sotto_error *err) {
  const sotto_target *target = s->target;
  const double step = s->step;
  sotto_status status;
  sotto_matrix x = {0}, after = {0};
  size_t cols = target->features->cols, classes = s->before.cols;
  SOTTO_TRY(sotto_matrix_new(&x, 1, cols, err));
  for (size_t j = 0; j < cols; j++)
    x.data[j] = (float)((1 + step) * (double)target->features->data[s->nodes[v] * cols + j]);
  SOTTO_TRY(target->ask(target->context, &after, s->nodes[v], &x, s->nodes, s->count, err));
  for (size_t u = 0; u < s->count; u++) {
    const float *was = s->before.data + u * classes, *is = after.data + u * classes;
    double square = 0;
    for (size_t j = 0; j < classes; j++)
      square += pow(log((double)fmaxf(is[j], least)) - log((double)fmaxf(was[j], least)), 2);
    out[u] = sqrt(square) / step;
  }
done:
  sotto_matrix_free(&x);
  sotto_matrix_free(&after);
  return status;
}

typedef struct scores {
  double *edges, *others;
  size_t edge_count, other_count;
} scores;

static void collect_scores(scores *out, const sample *s, const sotto_graph *graph) {
  for (size_t a = 0; a < s->count; a++)
    for (size_t b = a + 1; b < s->count; b++) {
      double both = s->influence[a * s->count + b] + s->influence[b * s->count + a];
      if (sotto_i_graph_has(graph, s->nodes[a], s->nodes[b]))
        out->edges[out->edge_count++] = both;
      else
        out->others[out->other_count++] = both;
    }
}

static int descending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

/* The pairs with the largest influence, as many as the density belief says. Of equal pairs at the end of
 * the list, edges count in proportion to their number. */
static void measure_belief(sotto_attack_result *out, scores *s, double belief) {
  qsort(s->edges, s->edge_count, sizeof(double), descending);
  qsort(s->others, s->other_count, sizeof(double), descending);
  double named = fmin(ceil(belief * (double)s->edge_count), (double)(s->edge_count + s->other_count));
  double left = named, right = 0;
  for (size_t e = 0, o = 0; left > 0;) {
    bool more = e < s->edge_count, others = o < s->other_count;
    double value = more && (!others || s->edges[e] >= s->others[o]) ? s->edges[e] : s->others[o];
    size_t edges = 0, rest = 0;
    while (e + edges < s->edge_count && s->edges[e + edges] == value) edges++;
    while (o + rest < s->other_count && s->others[o + rest] == value) rest++;
    double all = (double)(edges + rest), taken = fmin(left, all);
    right += taken * (double)edges / all;
    left -= taken;
    e += edges;
    o += rest;
  }
  out->precision = right / named;
  out->recall = right / (double)s->edge_count;
}

static sotto_status measure_scores(sotto_attack_result *out, const sample *s, const sotto_graph *graph,
                                   const sotto_link_options *options, sotto_error *err) {
  sotto_status status;
  scores found = {0};
  size_t pairs = s->count * (s->count - 1) / 2;
  SOTTO_TRY(sotto_i_new_raw(&found.edges, pairs, sizeof(double), err));
  SOTTO_TRY(sotto_i_new_raw(&found.others, pairs, sizeof(double), err));
  collect_scores(&found, s, graph);
  if (found.edge_count < 10) {
    status = sotto_i_fail(err, SOTTO_INVALID,
                          "sample: %zu nodes have %zu edges among them, and 10 are the least; "
                          "take more nodes, or other degrees",
                          s->count, found.edge_count);
    goto done;
  }
  SOTTO_TRY(sotto_attack_measure(out, found.edges, found.edge_count, found.others, found.other_count,
                                 options->delta, err));
  measure_belief(out, &found, options->belief);
  out->queries = s->count + 1;
done:
  sotto_i_free(found.edges);
  sotto_i_free(found.others);
  return status;
}

static sotto_status make_queries(void *context, void *values, size_t first, size_t count, size_t *finished,
                                 sotto_error *err) {
  const sample *s = context;
  sotto_status status = SOTTO_OK;
  for (*finished = 0; *finished < count; ++*finished) {
    SOTTO_TRY(sotto_i_check_interrupt(err));
    SOTTO_TRY(influence_of((double *)values + *finished * s->count, s, first + *finished, err));
  }
done:
  return status;
}

static sotto_status run_queries(sample *s, const sotto_i_cells *like, const sotto_observer *observer,
                                sotto_error *err) {
  sotto_i_cells cells = *like;
  sotto_status status;
  cells.lead = s->before.data;
  cells.lead_bytes = s->before.rows * s->before.cols * sizeof *s->before.data;
  cells.values = s->influence;
  cells.bytes = s->count * sizeof *s->influence;
  cells.total = s->count;
  cells.block = block_queries;
  SOTTO_TRY(sotto_i_cells_open(&cells, err));
  SOTTO_TRY(sotto_i_cells_run(&cells, make_queries, s, "queries", observer, err));
  SOTTO_TRY(sotto_i_cells_share(&cells, err));
done:
  sotto_i_cells_close(&cells, false);
  return status;
}

sotto_status sotto_i_attack_linkteller(sotto_attack_result *out, const sotto_target *target,
                                       const sotto_link_options *options, const sotto_i_cells *like,
                                       const sotto_observer *observer, sotto_error *err) {
  sotto_status status;
  sample s = {.target = target, .step = options->step};
  SOTTO_TRY(sotto_i_link_check(options, err));
  SOTTO_TRY(sotto_i_sample_nodes(&s.nodes, &s.count, target->graph, options, err));
  SOTTO_TRY(sotto_i_new_raw(&s.influence, s.count * s.count, sizeof(double), err));
  SOTTO_TRY(target->ask(target->context, &s.before, 0, NULL, s.nodes, s.count, err));
  SOTTO_TRY(run_queries(&s, like, observer, err));
  SOTTO_TRY(measure_scores(out, &s, target->graph, options, err));
done:
  sotto_i_free(s.nodes);
  sotto_matrix_free(&s.before);
  sotto_i_free(s.influence);
  return status;
}
