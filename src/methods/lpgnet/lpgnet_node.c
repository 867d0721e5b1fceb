/* LPGNet at node level. A node v whose cluster and edges change moves its own counts by 2 D_max at most in
 * the l1 norm, those of each neighbour it keeps by 2, of each it leaves or gains by 1: 4 D_max at most
 * together. The clusters of others follow from a network that was fitted by DP-SGD, so they do not move. */
#include <math.h>
#include <stdio.h>

#include "attacks/canary.h"
#include "base/error.h"
#include "base/memory.h"
#include "dp/inside/dp.h"
#include "lpgnet.h"
#include "recipes/node_budget.h"
#include "recipes/table.h"
#include "run/spending/cost.h"
#include "run/train/run.h"

/* Networks 0 to K, and before network k > 0 release k - 1: uses 0, then 2k - 1 and 2k. */
typedef struct plans {
  sotto_i_sgd_plan *sgd;
  sotto_i_budget_use *uses;
  size_t count;
  sotto_laplace_grid *grids;
} plans;

static void plans_free(plans *p) {
  sotto_i_free(p->sgd);
  sotto_i_free(p->uses);
  sotto_i_free(p->grids);
}

/* Counts are whole: they lie on any grid with a step of 1 or less. A wider one would move each of the values
 * that differ, so whole numbers take its place. */
static sotto_status find_grid(sotto_laplace_grid *out, double noise, const sotto_options *o,
                              sotto_error *err) {
  const double scale = noise * 4 * (double)o->max_degree * (1 + 0x1p-12);
  sotto_status status = sotto_laplace_grid_new(out, scale, err);
  if (status != SOTTO_OK || out->step <= 1) return status;
  if (!(scale <= 1e5))
    return sotto_i_fail(
        err, SOTTO_RANGE,
        "max-degree: %llu neighbours at epsilon %g need noise of scale %.3g on each count, at "
        "most 1e5; use a smaller max-degree or a larger epsilon",
        (unsigned long long)o->max_degree, o->epsilon, scale);
  return sotto_laplace_grid_whole(out, scale, err);
}

static sotto_status plans_new(plans *p, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  size_t stacks = o->layers, features = job->data->features.cols;
  double each = 1 / (double)stacks, last = 1 - o->encoder_share - o->release_share;
  sotto_status status;
  if (2 * stacks + 1 > SOTTO_MOST_COSTS)
    return sotto_i_fail(err, SOTTO_RANGE, "layers: at most %d at node level", (SOTTO_MOST_COSTS - 1) / 2);
  SOTTO_TRY(sotto_i_new(&p->sgd, stacks + 1, sizeof *p->sgd, err));
  SOTTO_TRY(sotto_i_new(&p->uses, 2 * stacks + 1, sizeof *p->uses, err));
  SOTTO_TRY(sotto_i_new(&p->grids, stacks, sizeof *p->grids, err));
  p->count = 2 * stacks + 1;
  for (size_t k = 0; k <= stacks; k++) {
    SOTTO_TRY(sotto_i_sgd_plan_new(&p->sgd[k], job, features + k * job->data->classes,
                                   k == 0 ? o->encoder_epochs : o->epochs, 1, err));
    p->uses[2 * k] =
        (sotto_i_budget_use){.what = "DP-SGD: noisy sums of clipped gradients of secret batches of nodes",
                             .share = k == 0 ? o->encoder_share : last * each,
                             .sgd = &p->sgd[k]};
    if (k == 0) continue;
    p->uses[2 * k - 1] = (sotto_i_budget_use){.what = "how many neighbours of each node lie in each cluster",
                                              .share = o->release_share * each,
                                              .kind = SOTTO_MECHANISM_LAPLACE};
  }
  SOTTO_TRY(sotto_i_node_budget(p->uses, p->count, o->epsilon, o->delta, err));
  for (size_t k = 0; k < stacks; k++) SOTTO_TRY(find_grid(&p->grids[k], p->uses[2 * k + 1].noise, o, err));
done:
  return status;
}

static sotto_mechanism mechanism_of(const sotto_laplace_grid *grid, const sotto_options *o) {
  return sotto_laplace_grid_mechanism(grid, 4 * (double)o->max_degree, 0);
}

sotto_status sotto_i_lpgnet_node_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  plans p = {.count = 0};
  *out = (sotto_cost){.adjacency = "node"};
  SOTTO_TRY(plans_new(&p, job, err));
  for (size_t i = 0; i < p.count; i++) {
    if (p.uses[i].sgd != NULL) {
      sotto_i_node_cost_sgd(out, &p.uses[i]);
      continue;
    }
    const sotto_mechanism laplace = mechanism_of(&p.grids[i / 2], job->options);
    sotto_i_cost_add_pure(out, p.uses[i].what, &laplace, laplace.sensitivity / laplace.noise);
  }
done:
  plans_free(&p);
  return status;
}

/* A node whose neighbours are all of its own cluster, and the node as another one: of the other cluster, with
 * as many neighbours there. No node can move the counts further. */
sotto_status sotto_i_lpgnet_node_canary(sotto_i_canary *c, const sotto_i_run *run, unsigned kind,
                                        sotto_error *err) {
  const sotto_i_job job = {.options = &c->options, .data = run->data, .seed = c->options.seed};
  const uint32_t leaves = sotto_i_canary_leaves(&c->options), nodes = 1 + 2 * leaves;
  uint32_t *from = NULL, *to = NULL;
  plans p = {.count = 0};
  sotto_matrix clusters = {0};
  sotto_status status;
  (void)kind;
  SOTTO_TRY(plans_new(&p, &job, err));
  SOTTO_TRY(sotto_i_new(&from, leaves, sizeof *from, err)); /* all begin at node 0 */
  SOTTO_TRY(sotto_i_new(&to, leaves, sizeof *to, err));
  c->grid = p.grids[0]; /* rounds share alike */
  for (uint32_t which = 0; which < 2; which++) {
    SOTTO_TRY(sotto_matrix_new(&clusters, nodes, 2, err));
    for (uint32_t v = 1; v < nodes; v++) clusters.data[2 * v + (v > leaves)] = 1;
    clusters.data[which] = 1;
    for (uint32_t k = 0; k < leaves; k++) to[k] = 1 + k + which * leaves;
    SOTTO_TRY(sotto_graph_from_pairs(&c->world[which].graph, nodes, from, to, leaves, err));
    SOTTO_TRY(sotto_i_canary_counted(c, (int)which, &clusters, NULL, err));
  }
  const sotto_mechanism laplace = mechanism_of(&c->grid, &c->options);
  c->stated.epsilon = (double)c->options.layers * laplace.sensitivity / laplace.noise;
  c->stated.delta = 0; /* the counts alone are pure */
  c->stated.mu = 0;
  sotto_i_canary_counts(c);
done:
  sotto_matrix_free(&clusters);
  sotto_i_free(from);
  sotto_i_free(to);
  plans_free(&p);
  return status;
}

/* Fits network k on the table. */
static sotto_status fit_network(sotto_i_private_net *net, sotto_i_outcome *out, const plans *p,
                                const sotto_matrix *table, size_t k, const sotto_i_private_fit *like,
                                sotto_error *err) {
  char name[32], file[48];
  sotto_i_private_fit fit = *like;
  (void)snprintf(name, sizeof name, "stack%zu", k);
  (void)snprintf(file, sizeof file,
                 k == fit.job->options->layers ? "model.safetensors" : "stack%zu.safetensors", k);
  fit.table = table;
  fit.plan = &p->sgd[k];
  fit.name = name;
  fit.stage = k == 0 ? "encoder" : "network";
  fit.file = file;
  fit.item = 2 * k;
  fit.number = (uint32_t)k;
  fit.part = k == 0 ? 0 : (uint32_t)k - 1;
  sotto_quality *validation = k == 0 ? &out->quality.baseline_validation : &out->quality.validation;
  sotto_quality *test = k == 0 ? &out->quality.baseline_test : &out->quality.test;
  return sotto_i_private_fit_run(net, validation, test, &fit, err);
}

sotto_status sotto_i_lpgnet_node_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  plans p = {.count = 0};
  sotto_i_parted parted = {0};
  sotto_matrix table = {0}, scores = {0};
  sotto_i_private_net net = {.params = NULL};
  SOTTO_TRY(plans_new(&p, job, err));
  SOTTO_TRY(sotto_i_parted_new(&parted, job, err));
  SOTTO_TRY(sotto_i_table_join(&table, job->features, &(sotto_matrix){0}, err));
  const sotto_i_private_fit fit = {.job = job, .parted = &parted};
  for (size_t k = 0; k <= job->options->layers; k++) {
    if (k > 0) {
      SOTTO_TRY(sotto_i_private_net_rows(&scores, &net, &table, false, err));
      const sotto_i_counts counts = {.job = job,
                                     .scores = &scores,
                                     .noise = &p.grids[k - 1],
                                     .round = (uint32_t)k - 1,
                                     .item = 2 * k - 1};
      SOTTO_TRY(sotto_i_lpgnet_widen(&table, &counts, err));
      sotto_matrix_free(&scores);
      sotto_i_private_net_free(&net);
    }
    SOTTO_TRY(fit_network(&net, out, &p, &table, k, &fit, err));
  }
  out->quality.seed = job->seed;
done:
  sotto_i_private_net_free(&net);
  sotto_matrix_free(&scores);
  sotto_matrix_free(&table);
  sotto_i_parted_free(&parted);
  plans_free(&p);
  return status;
}
