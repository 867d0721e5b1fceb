/* Likelihood ratio attack: the method is trained many times, each time with a random half of the targets. A
 * training is a cell. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "attack.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "graph_less.h"
#include "inside/audit.h"
#include "shadow.h"

enum { members_stream = 35, targets_stream = 34, most_targets = 500 };

static const char sees_shadows[] = "class probabilities of all nodes; features, labels and graph but for the "
                                   "targets, to train shadow models on";

/* Targets of lira: nodes, or edges by their ends. */
typedef struct targets {
  uint32_t *nodes, *others; /* others: edges alone */
  size_t count;
  double *confidence;
  uint8_t *members;
} targets;

static void targets_free(targets *t) {
  sotto_i_free(t->nodes);
  sotto_i_free(t->others);
  sotto_i_free(t->confidence);
  sotto_i_free(t->members);
}

/* Every labelled training node, or edges drawn with equal probability. */
static sotto_status choose_nodes(targets *t, const sotto_i_attacked *a, const sotto_i_parted *parted,
                                 sotto_error *err) {
  sotto_i_random random;
  size_t rows = parted->split.count[SOTTO_PART_TRAIN];
  sotto_status status = sotto_i_new_raw(&t->nodes, rows, sizeof *t->nodes, err);
  if (status != SOTTO_OK) return status;
  memcpy(t->nodes, parted->split.rows[SOTTO_PART_TRAIN], rows * sizeof *t->nodes);
  sotto_i_attack_stream(&random, a, targets_stream, 0);
  sotto_i_random_shuffle(&random, t->nodes, rows);
  t->count = rows < most_targets ? rows : most_targets;
  return SOTTO_OK;
}

static sotto_status choose_edges(targets *t, const sotto_i_attacked *a, sotto_error *err) {
  const sotto_graph *g = &a->data->graph;
  sotto_i_random random;
  sotto_status status;
  uint64_t seen = 0;
  SOTTO_TRY(sotto_i_new_raw(&t->nodes, most_targets, sizeof *t->nodes, err));
  SOTTO_TRY(sotto_i_new_raw(&t->others, most_targets, sizeof *t->others, err));
  sotto_i_attack_stream(&random, a, targets_stream, 1);
  for (uint32_t v = 0; v < g->nodes; v++)
    for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
      if (g->targets[e] < v) continue;
      uint64_t place = t->count < most_targets ? t->count++ : sotto_i_random_below(&random, seen + 1);
      seen++;
      if (place >= most_targets) continue;
      t->nodes[place] = v;
      t->others[place] = g->targets[e];
    }
done:
  return status;
}

/* The data with a random half of the targets: `split` has the training nodes, or `graph` lacks edges. */
typedef struct half_data {
  sotto_dataset data;
  sotto_graph graph;
  uint8_t *split;
} half_data;

static sotto_status without_edges(half_data *out, const targets *t, const uint8_t *members,
                                  const sotto_graph *graph, sotto_error *err) {
  sotto_i_edge *gone = NULL;
  size_t count = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&gone, t->count, sizeof *gone, err));
  for (size_t i = 0; i < t->count; i++)
    if (members[i] == 0) gone[count++] = (sotto_i_edge){t->nodes[i], t->others[i]};
  SOTTO_TRY(sotto_i_graph_less(&out->graph, graph, gone, count, err));
  out->data.graph = out->graph;
done:
  sotto_i_free(gone);
  return status;
}

static sotto_status make_half(half_data *out, const sotto_i_attacked *a, const targets *t,
                              const uint8_t *members, const sotto_i_parted *parted, sotto_error *err) {
  out->data = *a->data;
  if (a->ask.of_edges) return without_edges(out, t, members, &a->data->graph, err);
  sotto_status status = sotto_i_new(&out->split, a->data->graph.nodes, 1, err);
  if (status != SOTTO_OK) return status;
  for (sotto_part p = SOTTO_PART_TRAIN; p <= SOTTO_PART_TEST; p++)
    for (size_t i = 0; i < parted->split.count[p]; i++) out->split[parted->split.rows[p][i]] = (uint8_t)p;
  for (size_t i = 0; i < t->count; i++)
    if (members[i] == 0) out->split[t->nodes[i]] = SOTTO_PART_NONE;
  out->data.split = out->split;
  return SOTTO_OK;
}

/* log(p / (1 - p)) of the label's probability. */
static double confidence_in(const sotto_matrix *posteriors, const int32_t *labels, uint32_t node) {
  const double least = 1e-6;
  if (labels[node] < 0) return 0;
  double p = posteriors->data[node * posteriors->cols + (size_t)labels[node]];
  p = fmin(1 - least, fmax(least, p));
  return log(p / (1 - p));
}

/* The members of a model follow from its number. */
static void draw_members(targets *t, const sotto_i_attacked *a) {
  sotto_i_random random;
  for (size_t model = 0; model < a->ask.shadows; model++) {
    sotto_i_attack_stream(&random, a, members_stream, model + 1);
    for (size_t i = 0; i < t->count; i++)
      t->members[model * t->count + i] = (uint8_t)sotto_i_random_below(&random, 2);
  }
}

typedef struct trainings {
  const targets *targets;
  const sotto_i_attacked *attacked;
  sotto_options options;
  const sotto_i_parted *parted;
} trainings;

static sotto_status train_half(double *out, const trainings *of, size_t model, sotto_error *err) {
  const targets *t = of->targets;
  const sotto_i_attacked *a = of->attacked;
  sotto_status status;
  half_data h = {.split = NULL};
  sotto_model *made = NULL;
  sotto_matrix posteriors = {0};
  SOTTO_TRY(make_half(&h, a, t, t->members + model * t->count, of->parted, err));
  SOTTO_TRY(sotto_i_shadow(&made, &of->options, &h.data, of->options.seed, NULL, err));
  SOTTO_TRY(sotto_model_query(&posteriors, made, &(sotto_query){0}, err));
  for (size_t i = 0; i < t->count; i++) {
    out[i] = confidence_in(&posteriors, a->data->labels, t->nodes[i]);
    if (t->others != NULL) out[i] += confidence_in(&posteriors, a->data->labels, t->others[i]);
  }
done:
  sotto_model_free(made);
  sotto_matrix_free(&posteriors);
  sotto_graph_free(&h.graph);
  sotto_i_free(h.split);
  return status;
}

static sotto_status make_models(void *context, void *values, size_t first, size_t count, size_t *finished,
                                sotto_error *err) {
  const trainings *of = context;
  sotto_status status = SOTTO_OK;
  for (*finished = 0; *finished < count; ++*finished) {
    SOTTO_TRY(sotto_i_check_interrupt(err));
    SOTTO_TRY(train_half((double *)values + *finished * of->targets->count, of, first + *finished, err));
  }
done:
  return status;
}

static sotto_status train_models(targets *t, const sotto_i_attacked *a, const sotto_i_parted *parted,
                                 sotto_error *err) {
  trainings of = {.targets = t, .attacked = a, .options = *a->options, .parted = parted};
  sotto_i_attack_cells cells = {.path = NULL};
  sotto_status status;
  if (!a->ask.of_edges) of.options.split = SOTTO_SPLITTING_PLANETOID;
  SOTTO_TRY(sotto_i_new(&t->confidence, a->ask.shadows * t->count, sizeof *t->confidence, err));
  SOTTO_TRY(sotto_i_new(&t->members, a->ask.shadows * t->count, 1, err));
  draw_members(t, a);
  SOTTO_TRY(sotto_i_attack_cells_of(&cells, a, "lira", err));
  cells.like.values = t->confidence;
  cells.like.bytes = t->count * sizeof *t->confidence;
  cells.like.total = a->ask.shadows;
  cells.like.block = 1;
  SOTTO_TRY(sotto_i_cells_open(&cells.like, err));
  SOTTO_TRY(sotto_i_cells_run(&cells.like, make_models, &of, "shadow models", a->observer, err));
  SOTTO_TRY(sotto_i_cells_share(&cells.like, err));
done:
  sotto_i_cells_close(&cells.like, false);
  sotto_i_free(cells.path);
  return status;
}

/* For edges, only membership changes between the models, so lira on edges tests edge level. For nodes it
 * changes who trains, while every node stays in the graph. */
sotto_status sotto_i_attack_lira(sotto_i_attacked *a, sotto_error *err) {
  sotto_status status;
  targets t = {.nodes = NULL};
  sotto_i_parted parted = {0};
  const sotto_i_job job = {.options = a->options, .data = a->data, .seed = a->options->seed};
  if (a->ask.shadows < 4 || a->ask.shadows > 1000)
    return sotto_i_fail(err, SOTTO_RANGE, "shadows: %llu are outside 4 to 1000",
                        (unsigned long long)a->ask.shadows);
  SOTTO_TRY(sotto_i_parted_new(&parted, &job, err));
  SOTTO_TRY(a->ask.of_edges ? choose_edges(&t, a, err) : choose_nodes(&t, a, &parted, err));
  SOTTO_TRY(train_models(&t, a, &parted, err));
  sotto_finding *f =
      sotto_i_finding(a, "lira", a->ask.of_edges ? "edges" : "training nodes", sees_shadows, err);
  if (f == NULL) {
    status = SOTTO_RANGE;
    goto done;
  }
  SOTTO_TRY(sotto_attack_lira(&f->attacked, t.confidence, t.members, a->ask.shadows, t.count,
                              a->options->delta, err));
  f->decides = a->ask.of_edges && a->options->adjacency == SOTTO_ADJACENCY_EDGE;
  f->holds = !f->decides || f->attacked.implied <= a->out->stated;
done:
  targets_free(&t);
  sotto_i_parted_free(&parted);
  return status;
}
