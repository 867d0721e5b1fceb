/* A perceptron on features under node-level privacy, by DP-SGD (Abadi et al. 2016). A record is a training
 * node, its features and label. Batches are Poisson, drawn secretly; what is published is the model after the
 * last step: to keep the epoch that is best on validation nodes would be one more use of private labels. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "cost.h"
#include "networks.h"
#include "nn/dpsgd.h"

enum { most_steps = 1 << 24 };

typedef struct plan {
  sotto_dpsgd dpsgd;
  uint64_t steps;
  size_t parameters;
} plan;

static sotto_mlp_options network_options(const sotto_i_job *job) {
  return (sotto_mlp_options){.widths = {job->data->features.cols, job->options->hidden, job->data->classes},
                             .layers = 2,
                             .activation = sotto_i_job_activation(job->options->activation)};
}

/* The least noise: a multiplier from the accountant, times the sensitivity, which the grid's rounding makes
 * larger with the noise. */
static sotto_status calibrate(plan *p, const sotto_options *o, sotto_error *err) {
  sotto_mechanism ideal = sotto_mechanism_default(SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN);
  double multiplier = 0;
  ideal.rate = p->dpsgd.sampling.rate;
  ideal.count = p->steps;
  sotto_status status =
      sotto_account_noise(&multiplier, &ideal, 1, 0, o->epsilon, o->delta, SOTTO_ACCOUNTANT_PLD, err);
  if (status != SOTTO_OK) return status;
  double sigma = multiplier * o->clip, epsilon;
  for (int round = 0; round < 200; round++) {
    status = sotto_i_dpsgd_grid(&p->dpsgd.grid, sigma, err);
    if (status != SOTTO_OK) return status;
    const sotto_mechanism real = sotto_dpsgd_mechanism(&p->dpsgd, p->parameters, p->steps);
    double needed = multiplier * real.sensitivity;
    if (needed > sigma) {
      sigma = needed * (1 + 1e-12);
      continue;
    }
    /* The accountant is exact to 1e-3, and may find a little more than it did for sensitivity 1. */
    status = sotto_account_epsilon(&epsilon, &real, 1, o->delta, SOTTO_ACCOUNTANT_PLD, err);
    if (status != SOTTO_OK || epsilon <= o->epsilon) return status;
    multiplier *= 1 + 2e-4;
  }
  return sotto_i_fail(err, SOTTO_RANGE,
                      "%zu parameters are too many for the noise grid at noise multiplier %.3g; use a larger "
                      "epsilon, fewer steps or a smaller hidden",
                      p->parameters, multiplier);
}

static sotto_status plan_new(plan *p, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_status status;
  sotto_i_parted parted = {0};
  const sotto_mlp_options net = network_options(job);
  double steps = o->steps > 0 ? (double)o->steps : ceil((double)o->epochs / o->batch_rate);
  *p = (plan){.dpsgd = {.clip = o->clip, .sampling = {.rate = o->batch_rate}}};
  if (steps > most_steps)
    return sotto_i_fail(err, SOTTO_RANGE, "steps: epochs / batch-rate is %.0f; at most %d", steps,
                        most_steps);
  p->steps = (uint64_t)steps;
  for (size_t l = 0; l < net.layers; l++) p->parameters += (net.widths[l] + 1) * net.widths[l + 1];
  SOTTO_TRY(sotto_i_parted_new(&parted, job, err));
  p->dpsgd.sampling.population = parted.split.count[SOTTO_PART_TRAIN];
  SOTTO_TRY(calibrate(p, o, err));
done:
  sotto_i_parted_free(&parted);
  return status;
}

/* The ledger composes Gaussians. Charged is one whose curve lies above that of all steps at every delta from
 * 1e-2 to 1e-12, half a decade apart, with 1 % for what lies between; never more than the steps without
 * sampling, which are a Gaussian. So the ledger may over-count, and its epsilon is above the run's. */
static sotto_status gaussian_above(double *mu, const sotto_mechanism *mechanism, sotto_error *err) {
  double whole = mechanism->sensitivity / mechanism->noise * sqrt((double)mechanism->count);
  *mu = 0;
  for (int half = 4; half <= 24; half++) {
    double delta = pow(10, -half / 2.0), epsilon, at = 0;
    sotto_status status = sotto_account_epsilon(&epsilon, mechanism, 1, delta, SOTTO_ACCOUNTANT_PLD, err);
    if (status == SOTTO_OK && epsilon > 0) status = sotto_gdp_mu(&at, epsilon, delta, err);
    if (status != SOTTO_OK) return status;
    *mu = fmax(*mu, 1.01 * at);
  }
  if (!(*mu > 0) || *mu > whole) *mu = whole;
  return SOTTO_OK;
}

sotto_status sotto_i_mlp_node_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  plan p;
  sotto_status status;
  *out = (sotto_cost){.adjacency = "node"};
  if (job->data->features.cols == 0 || job->data->labels == NULL)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has no features or no labels to learn", job->data->name);
  SOTTO_TRY(plan_new(&p, job, err));
  sotto_cost_item *item = &out->items[0];
  *item = (sotto_cost_item){
      .what = "DP-SGD: noisy sums of the clipped gradients of Poisson batches of training nodes",
      .mechanism = sotto_dpsgd_mechanism(&p.dpsgd, p.parameters, p.steps)};
  SOTTO_TRY(gaussian_above(&item->mu, &item->mechanism, err));
  out->count = 1;
done:
  return status;
}

typedef struct network {
  sotto_mlp mlp;
  sotto_params *params;
  const sotto_i_parted *parted;
  sotto_matrix inputs[4]; /* validation and test alone */
} network;

static sotto_var forward(void *model, const sotto_pass *pass, sotto_part part) {
  const network *n = model;
  return sotto_mlp_apply(&n->mlp, n->params, pass, sotto_tape_constant(pass->tape, &n->inputs[part]));
}

static sotto_status train(const network *n, const sotto_i_job *job, const plan *p, sotto_error *err) {
  const sotto_adam adam = sotto_i_job_training(job->options, 1).adam;
  const uint64_t epoch_steps = (uint64_t)ceil(1 / job->options->batch_rate);
  sotto_i_stage stage = {job, "network", (p->steps + epoch_steps - 1) / epoch_steps};
  sotto_key key;
  sotto_status status = SOTTO_OK;
  sotto_i_job_noise_key(&key, job);
  for (uint64_t step = 0; step < p->steps; step++) {
    SOTTO_TRY(sotto_i_check_interrupt(err));
    SOTTO_TRY(sotto_dpsgd_gradient(&n->mlp, n->params, job->features, job->data->labels,
                                   n->parted->split.rows[SOTTO_PART_TRAIN], &p->dpsgd, &key, (uint32_t)step,
                                   err));
    SOTTO_TRY(sotto_adam_step(n->params, &adam, err));
    if ((step + 1) % epoch_steps == 0 || step + 1 == p->steps)
      sotto_i_stage_epoch(&stage, step / epoch_steps + 1, NAN, NAN);
  }
done:
  sotto_key_wipe(&key);
  return status;
}

static sotto_status measure(sotto_i_outcome *out, network *n, const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  sotto_tape *tape = NULL;
  sotto_key key;
  sotto_i_job_key(&key, job);
  sotto_i_task task = {.model = n, .params = n->params, .forward = forward, .key = &key};
  SOTTO_TRY(sotto_tape_new(&tape, err));
  for (sotto_part part = SOTTO_PART_VALIDATION; part <= SOTTO_PART_TEST; part++) {
    task.labels[part] = n->parted->labels[part];
    task.count[part] = n->parted->split.count[part];
    SOTTO_TRY(sotto_i_take_rows(&n->inputs[part], job->features, n->parted->split.rows[part],
                                task.count[part], err));
  }
  SOTTO_TRY(sotto_i_evaluate(&out->quality.validation, NULL, &task, tape, SOTTO_PART_VALIDATION, err));
  SOTTO_TRY(sotto_i_evaluate(&out->quality.test, NULL, &task, tape, SOTTO_PART_TEST, err));
  out->quality.seed = job->seed;
  out->quality.baseline_test = out->quality.baseline_validation = (sotto_quality){NAN, NAN, NAN};
done:
  sotto_tape_free(tape);
  return status;
}

sotto_status sotto_i_mlp_node_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  plan p;
  sotto_i_parted parted = {0};
  network n = {.parted = &parted};
  char *path = NULL;
  sotto_key key;
  const sotto_mlp_options options = network_options(job);
  sotto_i_job_key(&key, job);
  SOTTO_TRY(sotto_i_join(&path, job->folder, "model.safetensors", err));
  SOTTO_TRY(plan_new(&p, job, err));
  SOTTO_TRY(sotto_i_parted_new(&parted, job, err));
  SOTTO_TRY(sotto_params_new(&n.params, err));
  SOTTO_TRY(sotto_mlp_new(&n.mlp, n.params, "mlp", &options, 0, &key, err));
  SOTTO_TRY(sotto_i_cost_charge(job, 0, 1, err));
  if (sotto_i_is_file(path)) { /* an earlier start got this far: another model would be another release */
    sotto_params *const sets[] = {n.params};
    SOTTO_TRY(sotto_params_load(sets, 1, path, err));
  } else {
    const sotto_params *sets[] = {n.params};
    SOTTO_TRY(train(&n, job, &p, err));
    SOTTO_TRY(sotto_i_job_save_model(job, sets, 1, err));
  }
  SOTTO_TRY(measure(out, &n, job, err));
done:
  for (int part = 0; part < 4; part++) sotto_matrix_free(&n.inputs[part]);
  sotto_params_free(n.params);
  sotto_i_parted_free(&parted);
  sotto_i_free(path);
  return status;
}
