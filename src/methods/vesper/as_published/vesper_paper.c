/* VESPER with --accounting paper: noise by the authors' own theorem, and what can be shown of it instead.
 *
 * Theorem 2.1 does not hold against the label party (docs/privacy.md, section 6), and gradients that go back
 * through private layers let one edge move every later row. What holds on every graph is only this: a row is
 * clipped to norm c before its noise, so it moves by 2c at most, and the releases compose whatever they
 * followed from. With m rows in all, mu = sqrt(m) 2c / theta: finite, vacuous, and what the ledger is
 * charged. */
#include "vesper_paper.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "dp/inside/dp.h"
#include "run/spending/artifact.h"
#include "sotto/claims.h"

static sotto_status claimed(double *epsilon, double noise, const sotto_paper_claim *c, const sotto_options *o,
                            sotto_error *err) {
  return sotto_paper_vesper(epsilon, noise, c->sensitivity, o->layers, o->fan_out, c->roots, c->batch,
                            c->steps, o->delta, err);
}

/* The least noise of which the theorem claims epsilon (the authors search so too). */
static sotto_status calibrate(sotto_paper_claim *c, const sotto_options *o, sotto_error *err) {
  double low = c->sensitivity * 1e-2, high = c->sensitivity, epsilon = INFINITY;
  sotto_error too_little = {0};
  sotto_status status = SOTTO_OK;
  for (int doublings = 0; doublings < 60; doublings++, high *= 2) {
    status = claimed(&epsilon, high, c, o, &too_little);
    if (status == SOTTO_OK && epsilon <= o->epsilon) break;
  }
  if (status != SOTTO_OK || !(epsilon <= o->epsilon))
    return sotto_i_fail(err, SOTTO_RANGE, "epsilon: no noise is claimed to give %g at delta %g", o->epsilon,
                        o->delta);
  while (high / low > 1 + 1e-6) {
    double middle = sqrt(low * high);
    bool enough = claimed(&epsilon, middle, c, o, &too_little) == SOTTO_OK && epsilon <= o->epsilon;
    *(enough ? &high : &low) = middle;
  }
  c->noise = high;
  return claimed(&c->epsilon, high, c, o, err);
}

static sotto_status claim_new(sotto_i_paper_plan *p, const sotto_options *o, sotto_error *err) {
  sotto_status status;
  sotto_paper_claim *c = &p->claim;
  c->sensitivity = sqrt(2); /* proposition 1 */
  if (o->aggregator == SOTTO_LAYER_GCN)
    SOTTO_TRY(sotto_paper_vesper_eta(&c->sensitivity, o->degree_floor, err));
  SOTTO_TRY(sotto_paper_vesper_gamma(&c->gamma, o->layers, o->fan_out, c->roots, c->batch, err));
  SOTTO_TRY(calibrate(c, o, err));
  SOTTO_TRY(sotto_grid_new(&p->grid, c->noise, err));
done:
  return status;
}

sotto_status sotto_i_paper_plan_new(sotto_i_paper_plan *out, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  const double longest = (double)o->fan_out + 1;
  sotto_status status;
  sotto_i_parted parted = {0};
  *out = (sotto_i_paper_plan){.batch = o->batch_size};
  SOTTO_TRY(sotto_i_parted_new(&parted, job, err));
  const size_t *count = parted.split.count;
  if (o->batch_size > count[SOTTO_PART_TRAIN]) {
    status = sotto_i_fail(err, SOTTO_RANGE, "batch-size: %llu of %zu training nodes",
                          (unsigned long long)o->batch_size, count[SOTTO_PART_TRAIN]);
    goto done;
  }
  out->epoch_steps = (count[SOTTO_PART_TRAIN] + o->batch_size - 1) / o->batch_size;
  out->steps = out->epoch_steps * o->epochs;
  out->rows = (double)o->layers * ((double)out->steps * (double)o->batch_size +
                                   (double)(count[SOTTO_PART_VALIDATION] + count[SOTTO_PART_TEST]));
  out->clip = o->aggregator == SOTTO_LAYER_GCN ? sqrt(longest) : longest;
  out->claim =
      (sotto_paper_claim){.steps = out->steps, .roots = count[SOTTO_PART_TRAIN], .batch = o->batch_size};
  if (!sotto_i_job_wants_privacy(o)) goto done;
  SOTTO_TRY(claim_new(out, o, err));
  out->row_sensitivity = sotto_grid_sensitivity(&out->grid, 2 * out->clip * (1 + 0x1p-20), (double)o->hidden);
done:
  sotto_i_parted_free(&parted);
  return status;
}

sotto_status sotto_i_vesper_paper_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  sotto_i_paper_plan p;
  *out = (sotto_cost){.adjacency = "edge"};
  sotto_status status = sotto_i_paper_plan_new(&p, job, err);
  if (status != SOTTO_OK || p.grid.sigma == 0) return status;
  sotto_mechanism gaussian = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
  gaussian.noise = p.grid.sigma;
  gaussian.sensitivity = p.row_sensitivity;
  gaussian.count = (uint64_t)p.rows;
  out->items[out->count++] = (sotto_cost_item){
      .what = "noisy rows of batches in every step, and of validation and test nodes once, each of which "
              "one edge may move to any place within its clip",
      .mechanism = gaussian,
      .mu = p.row_sensitivity / p.grid.sigma * sqrt(p.rows)};
  out->claim = p.claim;
  return SOTTO_OK;
}

static sotto_status write_mark(void *context, const char *path, const sotto_key *key, sotto_error *err) {
  (void)context;
  (void)key;
  return sotto_i_write_file(path, "", 0, err);
}

static sotto_status nothing_to_read(void *context, const char *path, const sotto_i_receipt *receipt,
                                    sotto_error *err) {
  (void)context;
  (void)path;
  (void)receipt;
  (void)err;
  return SOTTO_OK;
}

/* What is charged is the whole training, as one draw: the file only says that it began. A training that was
 * cut short cannot go on: noise drawn anew would be more releases under one charge. */
static sotto_status begin(const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  char *path = NULL;
  const sotto_i_artifact artifact = {.job = job,
                                     .item = sotto_i_cost_item_of(job->cost, SOTTO_ACCOUNT_DATA),
                                     .file = "begun",
                                     .made_with = "a training with accounting paper",
                                     .make = write_mark,
                                     .load = nothing_to_read};
  SOTTO_TRY(sotto_i_join(&path, job->folder, artifact.file, err));
  if (sotto_i_is_file(path)) {
    status = sotto_i_fail(err, SOTTO_INVALID,
                          "%s: training with accounting paper was cut short, and to go on would make more "
                          "releases than were charged; use a new run folder",
                          path);
    goto done;
  }
  SOTTO_TRY(sotto_i_artifact_use(&artifact, err));
done:
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_vesper_paper_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_i_paper_plan p;
  sotto_status status;
  SOTTO_TRY(sotto_i_paper_plan_new(&p, job, err));
  if (p.grid.sigma > 0) SOTTO_TRY(begin(job, err));
  SOTTO_TRY(sotto_i_paper_train(out, &p, job, err));
done:
  return status;
}
