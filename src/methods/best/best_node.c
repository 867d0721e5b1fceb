/* BEST at node level. A perceptron on features is fitted by DP-SGD. It assigns every node to the cluster of
 * its predicted class. Then a table is released once, with Gaussian noise: the number of neighbours in each
 * cluster of the training nodes of each class. The model is both. It predicts a node by Bayes' rule, from the
 * perceptron's probabilities and from the table's entries for its neighbours' clusters. Neighbours of one
 * node are correlated, so n of them count as sqrt(n) independent ones. Nothing is chosen by validation. */
#include "best_node.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "inside/dp.h"
#include "inside/nn.h"
#include "protocols/networks/networks.h"
#include "protocols/node_budget.h"
#include "protocols/options.h"
#include "protocols/table.h"
#include "release/artifact.h"
#include "release/plan.h"
#include "run/files/job_file.h"

enum { network_item, table_item, uses_count };
static const char network_name[] = "network", table_name[] = "neighbours";

typedef struct plans {
  sotto_i_sgd_plan sgd;
  sotto_i_budget_use uses[uses_count];
  sotto_grid grid;
  double sensitivity;
} plans;

/* Counts are whole numbers, which lie on a grid with a step of 1 or less. A wider step changes them by
 * rounding, and needs that much more noise. */
static sotto_status find_noise(plans *p, double multiplier, const sotto_i_job *job, sotto_error *err) {
  const double whole = sotto_i_class_table_sensitivity(job->options->max_degree);
  const double cells = (double)job->data->classes * job->data->classes;
  double sigma = multiplier * whole;
  for (int round = 0; round < 100; round++) {
    sotto_status status = sotto_grid_new(&p->grid, sigma, err);
    if (status != SOTTO_OK) return status;
    const double differing = p->grid.step <= 1 ? 0 : fmin(4 * (double)job->options->max_degree, cells);
    p->sensitivity = sotto_grid_sensitivity(&p->grid, whole, differing);
    if (multiplier * p->sensitivity <= sigma) return SOTTO_OK;
    sigma = multiplier * p->sensitivity * (1 + 1e-12);
  }
  return sotto_i_fail(err, SOTTO_RANGE,
                      "the noise of the table is too much for its grid; use a larger epsilon or a "
                      "smaller max-degree");
}

static sotto_status plans_new(plans *p, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_status status = sotto_i_sgd_plan_new(&p->sgd, job, job->data->features.cols, o->epochs, 1, err);
  if (status != SOTTO_OK) return status;
  p->uses[network_item] = (sotto_i_budget_use){
      .what = "DP-SGD: noisy sums of clipped gradients of secret batches of training nodes",
      .share = sotto_i_node_settings_of(o)->encoder_share,
      .sgd = &p->sgd};
  p->uses[table_item] = (sotto_i_budget_use){
      .what = "how many neighbours in each cluster the training nodes of each class have",
      .share = 1 - sotto_i_node_settings_of(o)->encoder_share,
      .kind = SOTTO_MECHANISM_GAUSSIAN};
  status = sotto_i_node_budget(p->uses, uses_count, o->epsilon, o->delta, err);
  if (status != SOTTO_OK) return status;
  return find_noise(p, p->uses[table_item].noise, job, err);
}

sotto_status sotto_i_best_node_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  plans p;
  *out = (sotto_cost){.adjacency = "node"};
  if (job->data->features.cols == 0 || job->data->labels == NULL)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has no features or no labels to learn", job->data->name);
  sotto_status status = plans_new(&p, job, err);
  if (status != SOTTO_OK) return status;
  sotto_i_node_cost_sgd(out, &p.uses[network_item]);
  sotto_mechanism gaussian = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
  gaussian.noise = p.grid.sigma;
  gaussian.sensitivity = p.sensitivity;
  out->items[out->count++] = (sotto_cost_item){
      .what = p.uses[table_item].what, .mechanism = gaussian, .mu = p.sensitivity / p.grid.sigma};
  return SOTTO_OK;
}

sotto_status sotto_i_best_node_noise(sotto_grid *grid, double *mu, const sotto_i_job *job, sotto_error *err) {
  plans p;
  sotto_status status = plans_new(&p, job, err);
  if (status != SOTTO_OK) return status;
  *grid = p.grid;
  *mu = p.sensitivity / p.grid.sigma;
  return SOTTO_OK;
}

sotto_status sotto_i_best_table_make(void *context, sotto_graph *unused, sotto_matrix *table,
                                     const sotto_key *key, sotto_error *err) {
  const sotto_i_best_table *r = context;
  const size_t classes = r->job->data->classes;
  sotto_status status = sotto_matrix_new(table, classes, classes, err);
  (void)unused;
  if (status != SOTTO_OK) return status;
  sotto_i_class_table_fill(table, &r->job->data->graph, r->scores, r->parted);
  return sotto_grid_add_noise(table, r->grid, key, 0, err);
}

static sotto_status add_table(size_t *number, sotto_params *params, size_t classes, sotto_error *err) {
  const sotto_key none = {{0}, SOTTO_KEY_NONE};
  return sotto_params_add(params, number, table_name, classes, classes, SOTTO_INIT_ZERO, false, &none, err);
}

/* Adds logarithms to `params`. These no longer reveal the number of training nodes of a class. */
static sotto_status release_table(sotto_params *params, const sotto_i_best_table *r, sotto_error *err) {
  sotto_dataset released = {0};
  sotto_status status;
  char made_with[160];
  size_t number;
  (void)snprintf(made_with, sizeof made_with,
                 "best, neighbours by class and cluster: max degree %llu, noise %.17g",
                 (unsigned long long)r->job->options->max_degree, r->grid->sigma);
  sotto_i_best_table context = *r;
  const sotto_i_table_artifact table = {.artifact = {.owner = sotto_i_job_owner(r->job),
                                                     .item = table_item,
                                                     .file = "neighbours.sotto",
                                                     .made_with = made_with},
                                        .rows = r->job->data->classes,
                                        .context = &context,
                                        .make = sotto_i_best_table_make};
  SOTTO_TRY(sotto_i_table_use(&released, NULL, &table, err));
  sotto_i_class_table_logs(&released.features, r->grid->sigma);
  SOTTO_TRY(add_table(&number, params, r->job->data->classes, err));
  memcpy(sotto_params_value(params, number)->data, released.features.data,
         released.features.rows * released.features.cols * sizeof(float));
done:
  sotto_dataset_free(&released);
  return status;
}

typedef struct measured {
  sotto_matrix scores[4]; /* validation and test only */
} measured;

static sotto_var forward(void *model, const sotto_pass *pass, const sotto_i_batch *batch) {
  const measured *m = model;
  return sotto_tape_constant(pass->tape, &m->scores[batch->part]);
}

static sotto_status measure_scores(sotto_i_outcome *out, const sotto_matrix *scores, sotto_params *params,
                                   const sotto_i_best_table *r, sotto_error *err) {
  sotto_quality *const to[4] = {
      [SOTTO_PART_VALIDATION] = &out->quality.validation, [SOTTO_PART_TEST] = &out->quality.test};
  sotto_status status;
  sotto_tape *tape = NULL;
  measured m = {.scores = {{0}}};
  sotto_key key;
  sotto_i_job_key(&key, r->job);
  sotto_i_task task = {.model = &m, .params = params, .forward = forward, .key = &key};
  sotto_i_parted_learn(&task, r->parted);
  SOTTO_TRY(sotto_tape_new(&tape, err));
  for (sotto_part part = SOTTO_PART_VALIDATION; part <= SOTTO_PART_TEST; part++) {
    SOTTO_TRY(sotto_i_take_rows(&m.scores[part], scores, r->parted->split.rows[part],
                                task.targets[part].count, err));
    SOTTO_TRY(sotto_i_evaluate(to[part], &task, tape, part, err));
  }
done:
  for (int part = 0; part < 4; part++) sotto_matrix_free(&m.scores[part]);
  sotto_tape_free(tape);
  return status;
}

/* The log-probabilities of all nodes from the network alone. */
static sotto_status own_scores(sotto_matrix *out, const sotto_i_private_net *net,
                               const sotto_matrix *features, sotto_error *err) {
  sotto_status status = sotto_i_private_net_rows(out, net, features, false, err);
  for (size_t i = 0; status == SOTTO_OK && i < out->rows * out->cols; i++)
    out->data[i] = logf(fmaxf(out->data[i], 1e-20F));
  return status;
}

sotto_status sotto_i_best_node_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  plans p;
  sotto_i_parted parted = {0};
  sotto_i_private_net net = {.params = NULL};
  sotto_matrix own = {0}, scores = {0};
  SOTTO_TRY(plans_new(&p, job, err));
  SOTTO_TRY(sotto_i_parted_new(&parted, job, err));
  const sotto_i_private_fit fit = {.job = job,
                                   .parted = &parted,
                                   .table = job->features,
                                   .plan = &p.sgd,
                                   .name = network_name,
                                   .stage = "network",
                                   .file = "network.safetensors",
                                   .item = network_item};
  SOTTO_TRY(sotto_i_private_fit_run(&net, &out->quality.baseline_validation, &out->quality.baseline_test,
                                    &fit, err));
  SOTTO_TRY(own_scores(&own, &net, job->features, err));
  const sotto_i_best_table r = {job, &parted, &own, &p.grid};
  SOTTO_TRY(release_table(net.params, &r, err));
  const sotto_matrix *table = sotto_params_value(net.params, sotto_params_count(net.params) - 1);
  SOTTO_TRY(sotto_i_class_table_read(&scores, &own, &job->data->graph, table, err));
  SOTTO_TRY(measure_scores(out, &scores, net.params, &r, err));
  const sotto_params *sets[] = {net.params};
  SOTTO_TRY(sotto_i_job_save_model(job, sets, 1, err));
  out->quality.seed = job->seed;
done:
  sotto_i_private_net_free(&net);
  sotto_i_parted_free(&parted);
  sotto_matrix_free(&own);
  sotto_matrix_free(&scores);
  return status;
}

typedef struct predictor {
  const sotto_graph *graph;
  sotto_i_private_net net;
  size_t table; /* number of its parameter */
} predictor;

static sotto_status network_scores(void *self, sotto_matrix *out, const sotto_matrix *x,
                                   const uint32_t *nodes, sotto_error *err) {
  const predictor *p = self;
  (void)nodes;
  return own_scores(out, &p->net, x, err);
}

static sotto_status table_scores(void *self, sotto_matrix *out, const sotto_matrix *rows,
                                 const uint32_t *nodes, size_t count, sotto_error *err) {
  const predictor *p = self;
  sotto_matrix all = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_class_table_read(&all, rows, p->graph, sotto_params_value(p->net.params, p->table), err));
  SOTTO_TRY(sotto_i_take_rows(out, &all, nodes, count, err));
done:
  sotto_matrix_free(&all);
  return status;
}

static void free_all(void *self) {
  predictor *p = self;
  sotto_i_private_net_free(&p->net);
  sotto_i_free(p);
}

sotto_status sotto_i_best_node_open(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  const sotto_i_job *job = from->job;
  sotto_status status;
  predictor *p = NULL;
  SOTTO_TRY(sotto_i_new(&p, 1, sizeof *p, err));
  *out = (sotto_i_predictor){.self = p, .rows = network_scores, .scores = table_scores, .free = free_all};
  SOTTO_TRY(sotto_i_private_net_new(&p->net, job, job->features->cols, network_name, 0, err));
  p->graph = &job->data->graph;
  SOTTO_TRY(add_table(&p->table, p->net.params, job->data->classes, err));
  SOTTO_TRY(sotto_params_load(&p->net.params, 1, from->file, err));
done:
  return status;
}
