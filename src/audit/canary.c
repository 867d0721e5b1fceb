/* Canaries of releases: the run's own mechanism in two worlds, and statistics that distinguish the worlds. */
#include "canary.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "graph_less.h"
#include "inside/graph.h"
#include "inside/pmp.h"
#include "pmp/release.h"

enum { likelihood, closeness, strength, statistics };

static sotto_i_job job_of(const sotto_i_canary *c, int which, sotto_dataset *data) {
  const sotto_i_world *w = &c->world[which];
  *data = (sotto_dataset){.name = "canary", .graph = w->graph};
  return (sotto_i_job){.options = &c->options,
                       .data = data,
                       .plan = &w->plan,
                       .contractive = c->is_contractive ? &w->contractive : NULL};
}

sotto_status sotto_i_canary_release(sotto_release **out, const sotto_i_canary *c, int which,
                                    const sotto_key *key, sotto_error *err) {
  sotto_dataset data;
  const sotto_i_job job = job_of(c, which, &data);
  const sotto_matrix *weights[SOTTO_I_MOST_LAYERS];
  for (int k = 0; k < SOTTO_I_MOST_LAYERS; k++) weights[k] = &c->weight;
  const sotto_i_release_request request = {.inputs = &c->world[which].inputs,
                                           .weights = c->weight.data == NULL ? NULL : weights};
  return sotto_i_job_compute(out, &job, &request, key, "audit", "audit", err);
}

void sotto_i_canary_unit(sotto_matrix *to, const sotto_matrix *from, bool nonnegative) {
  const float least = nonnegative ? 0 : -INFINITY;
  for (size_t i = 0; i < from->rows; i++) {
    const float *row = from->data + i * from->cols;
    double square = 0;
    for (size_t j = 0; j < from->cols; j++) square += (double)fmaxf(row[j], least) * fmaxf(row[j], least);
    double factor = square > 1e-24 ? 1 / sqrt(square) : 0;
    for (size_t j = 0; j < from->cols; j++)
      to->data[i * from->cols + j] = (float)(fmaxf(row[j], least) * factor);
  }
}

static double square_gap(const sotto_matrix *a, const sotto_matrix *b) {
  double sum = 0;
  for (size_t i = 0; i < a->rows * a->cols; i++) {
    double gap = (double)a->data[i] - (double)b->data[i];
    sum += gap * gap;
  }
  return sum;
}

static double inner(const sotto_matrix *a, const sotto_matrix *b) {
  double sum = 0;
  for (size_t i = 0; i < a->rows * a->cols; i++) sum += (double)a->data[i] * (double)b->data[i];
  return sum;
}

static void clip_rows(sotto_matrix *rows, double clip) {
  for (size_t i = 0; clip > 0 && i < rows->rows; i++) {
    float *row = rows->data + i * rows->cols;
    double square = 0;
    for (size_t j = 0; j < rows->cols; j++) square += (double)row[j] * row[j];
    double factor = sotto_i_clip_factor(square, clip);
    for (size_t j = 0; j < rows->cols; j++) row[j] = (float)(row[j] * factor);
  }
}

/* The log likelihood ratio of noisy layers, each given the one before, which was released. */
static sotto_status layers_ratio(double *ratio, sotto_i_canary *c, const sotto_release *release,
                                 sotto_error *err) {
  const double sigma = c->world[0].plan.grid.sigma;
  sotto_status status = SOTTO_OK;
  *ratio = 0;
  for (uint32_t k = 1; k <= c->world[0].plan.options.layers; k++) {
    const bool weighed = c->weight.data != NULL;
    if (weighed)
      SOTTO_TRY(sotto_i_weigh(&c->unit, sotto_release_layer(release, k - 1), &c->weight, err));
    else
      sotto_i_canary_unit(&c->unit, sotto_release_layer(release, k - 1),
                          c->world[0].plan.options.protection.nonnegative);
    for (int which = 0; which < 2; which++) {
      /* inputs have norm 1 or 0 */
      const sotto_matrix *read = k == 1 && !weighed ? &c->world[which].inputs : &c->unit;
      SOTTO_TRY(sotto_operator_apply(c->world[which].spread, &c->made[which], read, err));
      clip_rows(&c->made[which], c->world[which].plan.options.protection.row_clip);
    }
    const sotto_matrix *shown = sotto_release_layer(release, k);
    *ratio += (square_gap(shown, &c->made[0]) - square_gap(shown, &c->made[1])) / (2 * sigma * sigma);
  }
done:
  return status;
}

static double pair_distance(const sotto_i_canary *c, const sotto_matrix *layer) {
  double sum = 0;
  for (size_t j = 0; j < layer->cols; j++) {
    double gap =
        (double)layer->data[c->pair[0] * layer->cols + j] - (double)layer->data[c->pair[1] * layer->cols + j];
    sum += gap * gap;
  }
  return sqrt(sum);
}

static sotto_status add_statistic_of_release(double *values, sotto_i_canary *c, bool second,
                                             const sotto_key *key, sotto_error *err) {
  sotto_status status;
  sotto_release *release = NULL;
  double ratio;
  SOTTO_TRY(sotto_i_canary_release(&release, c, second ? 1 : 0, key, err));
  const sotto_matrix *last = sotto_release_layer(release, sotto_release_plan(release)->options.layers);
  double without = inner(last, &c->world[0].expected), with = inner(last, &c->world[1].expected);
  ratio = with - without;
  if (!c->one_shot) SOTTO_TRY(layers_ratio(&ratio, c, release, err));
  values[likelihood] += ratio;
  values[closeness] -= pair_distance(c, last);
  values[strength] += with + without;
done:
  sotto_release_free(release);
  return status;
}

static sotto_status draw_layers(void *context, double *values, bool second, const sotto_key *key,
                                sotto_error *err) {
  sotto_i_canary *c = context;
  sotto_status status = SOTTO_OK;
  sotto_key each = {.origin = SOTTO_KEY_NONE};
  for (int s = 0; s < statistics; s++) values[s] = 0;
  for (uint64_t r = 0; r < c->releases; r++) {
    sotto_i_key_derive(&each, key, r);
    SOTTO_TRY(add_statistic_of_release(values, c, second, &each, err));
  }
  if (c->beside != NULL) {
    sotto_i_key_derive(&each, key, c->releases);
    SOTTO_TRY(add_statistic_of_release(values, c->beside, second, &each, err));
  }
done:
  sotto_key_wipe(&each);
  return status;
}

/* Rows with +1 or -1 in the first column: the side of each node. */
static sotto_status set_opposite_rows(sotto_matrix *out, const sotto_graph *graph, uint32_t other,
                                      uint32_t leaves, size_t cols, sotto_error *err) {
  sotto_status status = sotto_matrix_new(out, graph->nodes, cols, err);
  if (status != SOTTO_OK) return status;
  for (uint64_t v = 0; v < graph->nodes; v++) out->data[v * cols] = 1;
  out->data[other * cols] = -1;
  for (uint32_t i = 0; i < leaves; i++) out->data[(graph->nodes - 1 - i) * cols] = -1;
  return SOTTO_OK;
}

sotto_status sotto_i_canary_build_stars(sotto_i_canary *c, uint32_t leaves, size_t cols, sotto_error *err) {
  const uint64_t nodes = 2 + 2 * (uint64_t)leaves;
  sotto_status status;
  uint32_t *ends = NULL;
  SOTTO_TRY(sotto_i_new_raw(&ends, 2 * nodes, sizeof *ends, err));
  ends[0] = 0;
  ends[nodes] = 1;
  for (uint32_t i = 0; i < 2 * leaves; i++) {
    ends[1 + i] = i < leaves ? 0 : 1;
    ends[nodes + 1 + i] = 2 + i;
  }
  for (int which = 0; which < 2; which++) {
    uint32_t from = which == 0 ? 1 : 0; /* the first pair is the edge that only one world has */
    SOTTO_TRY(sotto_graph_from_pairs(&c->world[which].graph, nodes, ends + from, ends + nodes + from,
                                     2 * (uint64_t)leaves + 1 - from, err));
    SOTTO_TRY(set_opposite_rows(&c->world[which].inputs, &c->world[which].graph, 1, leaves, cols, err));
  }
  c->pair[1] = 1;
done:
  sotto_i_free(ends);
  return status;
}

/* The node with the fewest neighbours above 0, and its first neighbour. */
static bool least_linked(uint32_t pair[2], const sotto_graph *graph) {
  uint64_t least = UINT64_MAX;
  for (uint32_t v = 0; v < graph->nodes; v++) {
    uint64_t degree = sotto_graph_degree(graph, v);
    if (degree == 0 || degree >= least) continue;
    least = degree;
    pair[0] = v;
  }
  if (least == UINT64_MAX) return false;
  pair[1] = graph->targets[graph->offsets[pair[0]]];
  return true;
}

/* The run's own graph, with and without an edge of the node with the fewest neighbours. */
static sotto_status build_own(sotto_i_canary *c, const sotto_dataset *data, size_t cols, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (!least_linked(c->pair, &data->graph))
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has no edge to leave out", data->name);
  for (int which = 0; which < 2; which++) {
    sotto_i_edge edge = {c->pair[0], c->pair[1]};
    SOTTO_TRY(sotto_i_graph_less(&c->world[which].graph, &data->graph, &edge, which == 0 ? 1 : 0, err));
    SOTTO_TRY(set_opposite_rows(&c->world[which].inputs, &data->graph, c->pair[1], 0, cols, err));
  }
done:
  return status;
}

/* The exact result of the mechanism, and the operators of single layers. */
static sotto_status compute_expected(sotto_i_canary *c, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_release *release = NULL;
  sotto_key key;
  sotto_key_system(&key);
  for (int which = 0; which < 2; which++) {
    sotto_i_world *w = &c->world[which];
    const sotto_i_world noisy = *w;
    w->plan.grid.sigma = w->contractive.grid.sigma = 0;
    status = sotto_i_canary_release(&release, c, which, &key, err);
    w->plan = noisy.plan;
    w->contractive = noisy.contractive;
    if (status != SOTTO_OK) goto done;
    const sotto_matrix *last = sotto_release_layer(release, sotto_release_plan(release)->options.layers);
    SOTTO_TRY(sotto_matrix_new(&w->expected, last->rows, last->cols, err));
    memcpy(w->expected.data, last->data, last->rows * last->cols * sizeof(float));
    sotto_release_free(release);
    release = NULL;
    SOTTO_TRY(sotto_matrix_new(&c->made[which], w->expected.rows, w->expected.cols, err));
    const sotto_pmp_options *o = &w->plan.options;
    SOTTO_TRY(sotto_operator_new(&w->spread, &w->graph, o->aggregator, o->degree_floor, o->self, err));
  }
  SOTTO_TRY(sotto_matrix_new(&c->unit, c->world[0].inputs.rows, c->world[0].inputs.cols, err));
done:
  sotto_release_free(release);
  return status;
}

/* Node 0's row changes its sign, or, where values must not be below 0, becomes one that is orthogonal to
 * it. */
static sotto_status build_node_worlds(sotto_i_canary *c, uint32_t leaves, bool joined, size_t cols,
                                      bool nonnegative, sotto_error *err) {
  sotto_status status;
  uint32_t *ends = NULL;
  SOTTO_TRY(sotto_i_new(&ends, 2 * (size_t)leaves, sizeof *ends, err)); /* all edges begin at node 0 */
  for (uint32_t i = 0; i < leaves; i++) ends[leaves + i] = i + 1;
  for (int which = 0; which < 2; which++) {
    sotto_i_world *w = &c->world[which];
    SOTTO_TRY(sotto_graph_from_pairs(&w->graph, leaves + 1, ends, ends + leaves, joined ? leaves : 0, err));
    SOTTO_TRY(sotto_matrix_new(&w->inputs, leaves + 1, cols, err));
    if (!nonnegative)
      w->inputs.data[0] = which == 0 ? -1 : 1;
    else if (which == 0 || cols > 1)
      w->inputs.data[which] = 1;
  }
  c->pair[1] = 1;
done:
  sotto_i_free(ends);
  return status;
}

static sotto_status set_one_plan(sotto_i_canary *c, const sotto_i_world *planned, sotto_error *err) {
  for (int which = 0; which < 2; which++) {
    c->world[which].plan = planned->plan;
    c->world[which].contractive = planned->contractive;
  }
  return compute_expected(c, err);
}

sotto_status sotto_i_canary_node(sotto_i_canary *c, const sotto_i_world *planned, uint32_t leaves,
                                 bool joined, size_t cols, sotto_error *err) {
  const bool nonnegative = planned->plan.options.protection.nonnegative;
  sotto_status status = build_node_worlds(c, leaves, joined, cols, nonnegative, err);
  return status == SOTTO_OK ? set_one_plan(c, planned, err) : status;
}

sotto_status sotto_i_canary_stars(sotto_i_canary *c, const sotto_i_world *planned, uint32_t leaves,
                                  size_t cols, sotto_error *err) {
  sotto_status status = sotto_i_canary_build_stars(c, leaves, cols, err);
  return status == SOTTO_OK ? set_one_plan(c, planned, err) : status;
}

sotto_status sotto_i_canary_own(sotto_i_canary *c, const sotto_dataset *data, size_t cols,
                                sotto_i_canary_plan plan, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(build_own(c, data, cols, err));
  for (int which = 0; which < 2; which++) SOTTO_TRY(plan(&c->world[which], &c->options, err));
  SOTTO_TRY(compute_expected(c, err));
done:
  return status;
}

void sotto_i_canary_layers(sotto_i_canary *c) {
  c->stated.context = c;
  c->stated.statistics = statistics;
  c->stated.draw = draw_layers;
  c->stated.noise = sotto_i_canary_noise_of_layers;
}

void sotto_i_canary_free(sotto_i_canary *c) {
  if (c->forget != NULL) c->forget(c);
  for (int which = 0; which < 2; which++) {
    sotto_i_world *w = &c->world[which];
    sotto_graph_free(&w->graph);
    sotto_matrix_free(&w->inputs);
    sotto_matrix_free(&w->expected);
    sotto_operator_free(w->spread);
    sotto_matrix_free(&c->made[which]);
    sotto_matrix_free(&c->clean[which]);
  }
  sotto_matrix_free(&c->unit);
  sotto_matrix_free(&c->weight);
  sotto_i_canary_steps_free(c->steps);
  sotto_i_canary_nights_free(c->nights);
  sotto_graph_free(&c->complete);
  if (c->beside != NULL) sotto_i_canary_free(c->beside);
  sotto_i_free(c->beside);
}
