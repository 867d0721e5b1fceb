/* DP-SGD (Abadi et al. 2016) at node level. The network after the last step is published. Picking the best
 * epoch on validation nodes would be one more use of private labels. */
#include "private_fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "inside/base.h"
#include "inside/dp.h"
#include "inside/nn.h"
#include "networks/networks.h"
#include "options.h"
#include "release/artifact.h"
#include "run/files/job_file.h"
#include "table.h"

enum { most_steps = 1 << 24, first_key = 1000 };

sotto_status sotto_i_sgd_plan_new(sotto_i_sgd_plan *out, const sotto_i_job *job, size_t in, uint64_t epochs,
                                  uint64_t group, sotto_error *err) {
  const sotto_options *o = job->options;
  const sotto_i_node_settings *own = sotto_i_node_settings_of(o);
  sotto_i_parted parted = {0};
  sotto_status status;
  double rate = group > 1 ? 1 : own->batch_rate;
  double steps = own->steps > 0 ? (double)own->steps : ceil((double)epochs / rate);
  *out = (sotto_i_sgd_plan){.dpsgd = {.clip = own->clip}, .group = group};
  if (steps > most_steps)
    return sotto_i_fail(err, SOTTO_RANGE, "steps: epochs / batch-rate is %.0f; at most %d", steps,
                        most_steps);
  out->steps = (uint64_t)steps;
  out->parameters = (in + 1) * o->hidden + (o->hidden + 1) * job->data->classes;
  SOTTO_TRY(sotto_i_parted_new(&parted, job, err));
  out->dpsgd.sampling = (sotto_sampling){.population = parted.split.count[SOTTO_PART_TRAIN], .rate = rate};
done:
  sotto_i_parted_free(&parted);
  return status;
}

static sotto_mechanism with_sampling(sotto_mechanism mechanism, const sotto_i_sgd_plan *plan) {
  if (plan->sample == 0) return mechanism;
  mechanism.kind = SOTTO_MECHANISM_SAMPLED_SUBGRAPHS;
  mechanism.sample = plan->sample;
  mechanism.degree = plan->degree;
  return mechanism;
}

/* A group of m examples changes the sum by at most m times the clip. */
sotto_mechanism sotto_i_sgd_mechanism(const sotto_i_sgd_plan *plan) {
  sotto_dpsgd whole = plan->dpsgd;
  whole.clip *= (double)plan->group;
  const sotto_mechanism sampled = sotto_dpsgd_mechanism(&whole, plan->parameters, plan->steps);
  return with_sampling(sotto_replaced_gaussian_mechanism(&sampled), plan);
}

sotto_mechanism sotto_i_sgd_ideal(const sotto_i_sgd_plan *plan, double multiplier) {
  sotto_mechanism ideal = sotto_mechanism_default(SOTTO_MECHANISM_REPLACED_GAUSSIAN);
  ideal.rate = plan->dpsgd.sampling.rate;
  ideal.count = plan->steps;
  ideal.noise = multiplier;
  return with_sampling(ideal, plan);
}

/* Iterates, since rounding to the grid makes the sensitivity larger with the noise. */
sotto_status sotto_i_sgd_plan_noise(sotto_i_sgd_plan *plan, double multiplier, sotto_error *err) {
  double sigma = multiplier * plan->dpsgd.clip * (double)plan->group;
  for (int round = 0; round < 100; round++) {
    sotto_status status = sotto_i_dpsgd_grid(&plan->dpsgd.grid, sigma, err);
    if (status != SOTTO_OK) return status;
    double needed = multiplier * sotto_i_sgd_mechanism(plan).sensitivity;
    if (needed <= sigma) return SOTTO_OK;
    sigma = needed * (1 + 1e-12);
  }
  return sotto_i_fail(err, SOTTO_RANGE,
                      "%zu parameters are too many for the noise grid at noise multiplier %.3g; use a larger "
                      "epsilon, fewer steps or a smaller hidden",
                      plan->parameters, multiplier);
}

sotto_status sotto_i_sgd_steps(const sotto_i_sgd_loop *loop, const sotto_key *key, uint64_t first,
                               uint64_t end, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint64_t step = first; step < end; step++) {
    SOTTO_TRY(sotto_i_check_interrupt(err));
    SOTTO_TRY(sotto_i_dpsgd_gradient(loop->mlp, loop->params, &loop->examples, loop->dpsgd, key,
                                     (uint32_t)step, err));
    SOTTO_TRY(sotto_adam_step(loop->params, &loop->adam, err));
    if (loop->after != NULL) loop->after(loop->context, step);
  }
done:
  return status;
}

typedef struct epoch_report {
  sotto_i_stage stage;
  uint64_t steps, each; /* steps in total, and in one epoch */
} epoch_report;

static void report_epoch(void *context, uint64_t step) {
  epoch_report *t = context;
  if ((step + 1) % t->each == 0 || step + 1 == t->steps)
    sotto_i_stage_epoch(&t->stage, step / t->each + 1, NAN, NAN);
}

static sotto_status train_by_sgd(const sotto_i_private_net *net, const sotto_i_private_fit *fit,
                                 const sotto_key *seed_key, sotto_error *err) {
  const sotto_i_job *job = fit->job;
  const uint64_t each = (uint64_t)ceil(1 / fit->plan->dpsgd.sampling.rate), steps = fit->plan->steps;
  epoch_report report = {
      .stage = {.job = job, .name = fit->stage, .epochs = (steps + each - 1) / each, .part = fit->part},
      .steps = steps,
      .each = each};
  const sotto_i_sgd_loop loop = {.mlp = &net->mlp,
                                 .params = net->params,
                                 .examples = {.x = fit->table,
                                              .labels = job->data->labels,
                                              .rows = fit->parted->split.rows[SOTTO_PART_TRAIN],
                                              .make = fit->subgraphs == NULL ? NULL : sotto_i_subgraph_rows,
                                              .context = (void *)(uintptr_t)fit->subgraphs},
                                 .dpsgd = &fit->plan->dpsgd,
                                 .adam = sotto_i_job_training(job->options, 1).adam,
                                 .after = report_epoch,
                                 .context = &report};
  sotto_key key;
  sotto_i_key_derive(&key, seed_key, first_key + fit->number);
  const sotto_status status = sotto_i_sgd_steps(&loop, &key, 0, steps, err);
  sotto_key_wipe(&key);
  return status;
}

typedef struct measured {
  const sotto_i_private_net *net;
  sotto_matrix inputs[4]; /* validation and test parts only */
} measured;

static sotto_var forward(void *model, const sotto_pass *pass, const sotto_i_batch *batch) {
  const measured *m = model;
  return sotto_mlp_apply(&m->net->mlp, m->net->params, pass,
                         sotto_tape_constant(pass->tape, &m->inputs[batch->part]));
}

static sotto_status measure_net(sotto_quality *validation, sotto_quality *test,
                                const sotto_i_private_net *net, const sotto_i_private_fit *fit,
                                sotto_error *err) {
  sotto_quality *const to[4] = {[SOTTO_PART_VALIDATION] = validation, [SOTTO_PART_TEST] = test};
  sotto_status status;
  sotto_tape *tape = NULL;
  measured m = {.net = net};
  sotto_key key;
  sotto_i_job_key(&key, fit->job);
  sotto_i_task task = {.model = &m, .params = net->params, .forward = forward, .key = &key};
  sotto_i_parted_learn(&task, fit->parted);
  SOTTO_TRY(sotto_tape_new(&tape, err));
  for (sotto_part part = SOTTO_PART_VALIDATION; part <= SOTTO_PART_TEST; part++) {
    SOTTO_TRY(sotto_i_take_rows(&m.inputs[part], fit->table, fit->parted->split.rows[part],
                                task.targets[part].count, err));
    SOTTO_TRY(sotto_i_evaluate(to[part], &task, tape, part, err));
  }
done:
  for (int part = 0; part < 4; part++) sotto_matrix_free(&m.inputs[part]);
  sotto_tape_free(tape);
  return status;
}

typedef struct fitting {
  sotto_i_private_net *net;
  const sotto_i_private_fit *fit;
} fitting;

static sotto_status train_and_save(void *context, const char *path, const sotto_key *key, sotto_error *err) {
  const fitting *f = context;
  const sotto_params *saved[] = {f->net->params, f->fit->earlier};
  (void)path;
  sotto_status status = train_by_sgd(f->net, f->fit, key, err);
  if (status != SOTTO_OK) return status;
  return sotto_i_job_save_params(f->fit->job, f->fit->file, saved, f->fit->earlier == NULL ? 1 : 2, err);
}

/* Also used after a fit: the file has the same numbers. */
static sotto_status load_trained(void *context, const char *path, const sotto_i_receipt *receipt,
                                 sotto_error *err) {
  const fitting *f = context;
  sotto_params *sets[] = {f->net->params, f->fit->earlier};
  (void)receipt;
  return sotto_params_load(sets, f->fit->earlier == NULL ? 1 : 2, path, err);
}

static sotto_status find_or_train(sotto_i_private_net *net, const sotto_i_private_fit *fit,
                                  sotto_error *err) {
  const sotto_dpsgd *d = &fit->plan->dpsgd;
  const sotto_options *o = fit->job->options;
  fitting f = {net, fit};
  char made_with[400], sampled[64] = "";
  if (fit->plan->sample > 0)
    (void)snprintf(sampled, sizeof sampled, ", %llu of %llu neighbours",
                   (unsigned long long)fit->plan->sample, (unsigned long long)fit->plan->degree);
  (void)snprintf(made_with, sizeof made_with,
                 "%s of %s by DP-SGD: steps %llu, rate %.17g of %llu, group %llu, clip %.17g, noise %.17g, "
                 "parameters %zu, activation %s, learning rate %.17g, decay %.17g%s",
                 fit->name, o->method, (unsigned long long)fit->plan->steps, d->sampling.rate,
                 (unsigned long long)d->sampling.population, (unsigned long long)fit->plan->group, d->clip,
                 d->grid.sigma, fit->plan->parameters, sotto_activation_name(o->activation), o->learning_rate,
                 o->weight_decay, sampled);
  const sotto_i_artifact artifact = {.owner = sotto_i_job_owner(fit->job),
                                     .item = fit->item,
                                     .file = fit->file,
                                     .made_with = made_with,
                                     .context = &f,
                                     .make = train_and_save,
                                     .load = load_trained};
  return sotto_i_artifact_use(&artifact, err);
}

sotto_status sotto_i_private_net_new(sotto_i_private_net *out, const sotto_i_job *job, size_t in,
                                     const char *name, uint32_t number, sotto_error *err) {
  const sotto_options *o = job->options;
  const sotto_mlp_options options = {
      .widths = {in, o->hidden, job->data->classes}, .layers = 2, .activation = o->activation};
  sotto_key seed_key, key;
  *out = (sotto_i_private_net){.params = NULL};
  sotto_i_job_key(&seed_key, job);
  sotto_i_key_derive(&key, &seed_key, first_key + number);
  sotto_status status = sotto_params_new(&out->params, err);
  return status == SOTTO_OK ? sotto_mlp_new(&out->mlp, out->params, name, &options, 0, &key, err) : status;
}

sotto_status sotto_i_private_fit_run(sotto_i_private_net *out, sotto_quality *validation, sotto_quality *test,
                                     const sotto_i_private_fit *fit, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_private_net_new(out, fit->job, fit->table->cols, fit->name, fit->number, err));
  SOTTO_TRY(find_or_train(out, fit, err));
  SOTTO_TRY(measure_net(validation, test, out, fit, err));
done:
  return status;
}

void sotto_i_private_net_free(sotto_i_private_net *net) {
  sotto_params_free(net->params);
  net->params = NULL;
}

sotto_status sotto_i_private_net_rows(sotto_matrix *out, const sotto_i_private_net *net,
                                      const sotto_matrix *table, bool hidden, sotto_error *err) {
  sotto_mlp mlp = net->mlp;
  sotto_status status;
  sotto_key none = {{0}, SOTTO_KEY_NONE}; /* not read: there is no dropout */
  if (hidden) {
    mlp.options.layers = 1;
    mlp.options.activate_last = true;
  }
  SOTTO_TRY(sotto_i_embed_all(out, &mlp, net->params, table, &none, err));
  if (!hidden) sotto_i_rows_to_softmax(out);
done:
  return status;
}
