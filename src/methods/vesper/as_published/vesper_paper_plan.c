/* VESPER with --accounting paper: noise by the authors' own theorem, and the guarantee that this noise
 * really gives.
 *
 * Theorem 2.1 does not hold against the label party (docs/privacy/papers.md), and gradients through
 * private layers let one edge change every later row. Only this holds on every graph: a row is clipped to
 * norm c before its noise, so it changes by at most 2c, and the releases compose, whatever they depend on.
 * With m rows in total, mu = sqrt(m) 2c / theta: finite but vacuous. The ledger is charged for this. */
#include "vesper_paper_plan.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "release/plan.h"
#include "sotto/claims.h"

static sotto_status claimed_epsilon(double *epsilon, double noise, const sotto_paper_claim *c,
                                    const sotto_options *o, sotto_error *err) {
  return sotto_paper_vesper(epsilon, NULL, noise, c->sensitivity, o->layers, o->fan_out, c->roots, c->batch,
                            c->steps, o->delta, err);
}

/* The least noise for which the theorem claims epsilon (the authors search too). */
static sotto_status find_noise(sotto_paper_claim *c, const sotto_options *o, sotto_error *err) {
  double low = c->sensitivity * 1e-2, high = c->sensitivity, epsilon = INFINITY;
  sotto_error too_little = {0};
  sotto_status status = SOTTO_OK;
  for (int doublings = 0; doublings < 60; doublings++, high *= 2) {
    status = claimed_epsilon(&epsilon, high, c, o, &too_little);
    if (status == SOTTO_OK && epsilon <= o->epsilon) break;
  }
  if (status != SOTTO_OK || !(epsilon <= o->epsilon))
    return sotto_i_fail(err, SOTTO_RANGE, "epsilon: no noise is claimed to give %g at delta %g", o->epsilon,
                        o->delta);
  while (high / low > 1 + 1e-6) {
    double middle = sqrt(low * high);
    bool enough = claimed_epsilon(&epsilon, middle, c, o, &too_little) == SOTTO_OK && epsilon <= o->epsilon;
    *(enough ? &high : &low) = middle;
  }
  c->noise = high;
  return claimed_epsilon(&c->epsilon, high, c, o, err);
}

static sotto_status claim_new(sotto_i_paper_plan *p, const sotto_options *o, sotto_error *err) {
  sotto_status status;
  sotto_paper_claim *c = &p->claim;
  c->sensitivity = sqrt(2); /* proposition 1 */
  if (o->aggregator == SOTTO_LAYER_GCN)
    SOTTO_TRY(sotto_paper_vesper_eta(&c->sensitivity, o->degree_floor, err));
  SOTTO_TRY(sotto_paper_vesper_gamma(&c->gamma, o->layers, o->fan_out, c->roots, c->batch, err));
  SOTTO_TRY(find_noise(c, o, err));
  SOTTO_TRY(sotto_grid_new(&p->grid, c->noise, err));
done:
  return status;
}

/* Training nodes of the job's split. */
static sotto_status count_split(size_t *out, const sotto_i_job *job, sotto_error *err) {
  sotto_i_parted parted = {0};
  const sotto_status status = sotto_i_parted_new(&parted, job, err);
  *out = parted.split.count[SOTTO_PART_TRAIN];
  sotto_i_parted_free(&parted);
  return status;
}

/* The same as if every node had a label. */
static sotto_status count_all_labelled(size_t *out, const sotto_i_job *job, sotto_error *err) {
  sotto_dataset data = {.name = job->data->name, .graph.nodes = job->data->graph.nodes, .classes = 1};
  sotto_i_job all = *job;
  int32_t *labels = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&labels, data.graph.nodes, sizeof *labels, err));
  data.labels = labels;
  all.data = &data;
  SOTTO_TRY(count_split(out, &all, err));
done:
  sotto_i_free(labels);
  return status;
}

static sotto_status count_roots(size_t *out, const sotto_i_job *job, sotto_error *err) {
  const sotto_splitting split = job->options->split;
  size_t own;
  sotto_status status;
  if (job->seat == NULL) return count_split(out, job, err);
  if (split != SOTTO_SPLITTING_RANDOM && split != SOTTO_SPLITTING_KFOLD)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "split: as published two parties plan their noise by the number of training nodes, "
                        "which the data party knows of random and kfold alone; take one of these");
  SOTTO_TRY(count_all_labelled(out, job, err));
  if (job->seat->role == SOTTO_ROLE_DATA) goto done;
  SOTTO_TRY(count_split(&own, job, err));
  if (own != *out)
    status = sotto_i_fail(err, SOTTO_INVALID,
                          "%s: has nodes without a label, which leave %zu of %zu training nodes; as "
                          "published the data party plans its noise by the number of nodes, so that each "
                          "needs a label: add them, or give the data to sotto train",
                          job->data->name, own, *out);
done:
  return status;
}

sotto_status sotto_i_paper_plan_new(sotto_i_paper_plan *out, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  const double longest = (double)o->fan_out + 1;
  size_t roots;
  sotto_status status;
  *out = (sotto_i_paper_plan){.batch = o->batch_size};
  SOTTO_TRY(count_roots(&roots, job, err));
  if (o->batch_size > roots) {
    status = sotto_i_fail(err, SOTTO_RANGE, "batch-size: %llu of %zu training nodes",
                          (unsigned long long)o->batch_size, roots);
    goto done;
  }
  out->epoch_steps = (roots + o->batch_size - 1) / o->batch_size;
  out->steps = out->epoch_steps * o->epochs;
  out->rows = (double)o->layers * (double)out->steps * (double)o->batch_size;
  out->answers = (double)o->layers * (double)job->data->graph.nodes;
  out->claim = (sotto_paper_claim){.steps = out->steps, .roots = roots, .batch = o->batch_size};
  if (!sotto_i_job_wants_privacy(o)) goto done;
  out->clip = o->aggregator == SOTTO_LAYER_GCN ? sqrt(longest) : longest;
  SOTTO_TRY(claim_new(out, o, err));
  out->row_sensitivity = sotto_grid_sensitivity(&out->grid, 2 * out->clip * (1 + 0x1p-20), (double)o->hidden);
done:
  return status;
}

/* The release of `rows` rows, each of which one edge may move to any place within its clip. */
static void add_item(sotto_cost *out, const char *what, const sotto_i_paper_plan *p, double rows) {
  sotto_mechanism gaussian = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
  gaussian.noise = p->grid.sigma;
  gaussian.sensitivity = p->row_sensitivity;
  gaussian.count = (uint64_t)rows;
  (void)sotto_i_cost_add(out, what, &gaussian, p->row_sensitivity / p->grid.sigma * sqrt(rows), 0);
}

/* One price is charged for each seed: trainings of other folds must have as many training nodes. */
static sotto_status check_folds(const sotto_i_paper_plan *p, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_i_job other = *job;
  size_t roots;
  for (uint64_t i = 1; o->split == SOTTO_SPLITTING_KFOLD && i < o->seeds; i++) {
    other.seed = o->seed + i;
    const sotto_status status = count_roots(&roots, &other, err);
    if (status != SOTTO_OK) return status;
    if (roots != p->claim.roots)
      return sotto_i_fail(err, SOTTO_INVALID,
                          "folds: as published all trainings have the same noise and steps, and %llu folds "
                          "differ in their training nodes; take a number that divides that of labelled nodes",
                          (unsigned long long)o->folds);
  }
  return SOTTO_OK;
}

sotto_status sotto_i_vesper_paper_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  sotto_i_paper_plan p;
  *out = (sotto_cost){.adjacency = "edge"};
  if (!sotto_i_job_wants_privacy(job->options)) return SOTTO_OK;
  sotto_status status = sotto_i_paper_plan_new(&p, job, err);
  if (status == SOTTO_OK) status = check_folds(&p, job, err);
  if (status != SOTTO_OK) return status;
  add_item(out,
           "noisy rows of batches in every step, each of which one edge may move to any place within its "
           "clip",
           &p, p.rows);
  add_item(out,
           "noisy rows of all nodes, once in each layer, from which nodes are classified; each of them may "
           "move as far",
           &p, p.answers);
  out->claim = p.claim;
  return SOTTO_OK;
}
