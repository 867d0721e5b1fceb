/* Trainings of VESPER as published: in each step the label party sees noisy rows of a batch, and gradients go
 * back through the private layers. */
#include "vesper_paper.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "inside/dp.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "release/artifact.h"
#include "release/plan.h"
#include "run/files/job_file.h"
#include "tensor/columns.h"
#include "vesper_paper_plan.h"
#include "vesper_paper_rows.h"

typedef struct training {
  const sotto_i_paper_plan *plan;
  bool again, loaded; /* of an audit, with the releases that a run keeps; with the run's model too */
  sotto_i_paper_network net;
  sotto_key secret; /* of noise and samples */
  sotto_i_parted parted;
  sotto_i_sampler sampler;
  sotto_i_noising noising[SOTTO_I_PAPER_LAYERS];
  sotto_matrix features; /* of a batch */
  uint32_t *roots;
  int32_t *labels;
  sotto_tape *tape;
  uint64_t passes; /* forward passes so far: each has its own samples and noise */
} training;

static sotto_status training_new(training *t, sotto_error *err) {
  const sotto_i_job *job = t->net.job;
  sotto_status status;
  sotto_i_job_noise_key(&t->secret, job);
  SOTTO_TRY(sotto_i_parted_new(&t->parted, job, err));
  SOTTO_TRY(sotto_i_paper_network_new(&t->net, err));
  if (!t->net.alone) SOTTO_TRY(sotto_i_sampler_new(&t->sampler, job->options, &job->data->graph, err));
  SOTTO_TRY(sotto_i_new(&t->roots, t->parted.split.count[SOTTO_PART_TRAIN], sizeof *t->roots, err));
  SOTTO_TRY(sotto_i_new(&t->labels, t->plan->batch, sizeof *t->labels, err));
  for (size_t i = 0; i < t->parted.split.count[SOTTO_PART_TRAIN]; i++) t->roots[i] = (uint32_t)i;
  SOTTO_TRY(sotto_tape_new(&t->tape, err));
done:
  return status;
}

static void training_free(training *t) {
  for (uint32_t l = 0; l < SOTTO_I_PAPER_LAYERS; l++) sotto_key_wipe(&t->noising[l].key);
  sotto_i_sampler_free(&t->sampler);
  sotto_matrix_free(&t->features);
  sotto_tape_free(t->tape);
  sotto_i_paper_network_free(&t->net);
  sotto_i_parted_free(&t->parted);
  sotto_i_free(t->roots);
  sotto_i_free(t->labels);
  sotto_key_wipe(&t->secret);
}

/* Logits of the roots by the baseline of the paper: the network without its message passing. */
static sotto_status forward_alone(sotto_var *logits, training *t, const uint32_t *roots, size_t count,
                                  sotto_error *err) {
  sotto_i_paper_network *n = &t->net;
  const sotto_pass pass = {.tape = t->tape, .key = &n->key, .step = t->passes, .training = true};
  sotto_status status;
  t->passes++;
  sotto_tape_reset(t->tape);
  sotto_matrix_free(&t->features);
  SOTTO_TRY(sotto_i_take_rows(&t->features, n->job->features, roots, count, err));
  const sotto_var x = sotto_i_paper_encode(n, &pass, sotto_tape_constant(t->tape, &t->features));
  *logits = sotto_i_paper_decode(n, &pass, x);
  status = sotto_tape_check(t->tape, err);
done:
  return status;
}

/* Logits of `count` roots, in order; the label party sees the roots' rows of each layer. */
static sotto_status forward(sotto_var *logits, training *t, const uint32_t *roots, size_t count,
                            sotto_error *err) {
  sotto_i_paper_network *n = &t->net;
  const sotto_pass pass = {.tape = t->tape, .key = &n->key, .step = t->passes, .training = true};
  sotto_key key;
  sotto_status status;
  sotto_var joined = {0};
  if (n->alone) return forward_alone(logits, t, roots, count, err);
  sotto_i_key_derive(&key, &t->secret, ++t->passes);
  sotto_tape_reset(t->tape);
  SOTTO_TRY(sotto_i_sampler_draw(&t->sampler, roots, count, &key, err));
  sotto_matrix_free(&t->features);
  SOTTO_TRY(sotto_i_take_rows(&t->features, n->job->features, t->sampler.list, t->sampler.count, err));
  sotto_var x = sotto_i_paper_encode(n, &pass, sotto_tape_constant(t->tape, &t->features));
  for (uint32_t l = 0; l < n->job->options->layers; l++) {
    sotto_i_spectral_step(&n->layers[l].spectral, sotto_params_value(n->params, n->layers[l].weight));
    t->noising[l] = (sotto_i_noising){.grid = t->plan->grid, .clip = t->plan->clip, .key = key, .layer = l};
    SOTTO_TRY(sotto_i_paper_update(&x, n, t->tape, l, &t->sampler.block[l], t->sampler.own, x, err));
    x = sotto_i_paper_shown(t->tape, sotto_i_noising_var(&t->noising[l], t->tape, x));
    sotto_var seen = sotto_tape_gather_rows(t->tape, x, t->sampler.own, count);
    joined = l == 0 ? seen : sotto_tape_concat(t->tape, joined, seen);
  }
  *logits = sotto_i_paper_decode(n, &pass, joined);
  status = sotto_tape_check(t->tape, err);
done:
  sotto_key_wipe(&key);
  return status;
}

/* A batch: the first places of a shuffle that continues from step to step. */
static void draw_batch(training *t, uint32_t *batch) {
  const sotto_split *split = &t->parted.split;
  size_t roots = split->count[SOTTO_PART_TRAIN];
  sotto_i_random random;
  sotto_i_random_init(&random, &t->secret, SOTTO_I_PURPOSE_SAMPLING, 0, t->passes);
  for (size_t i = 0; i < t->plan->batch; i++) {
    size_t other = i + (size_t)sotto_i_random_below(&random, roots - i);
    uint32_t kept = t->roots[i];
    t->roots[i] = t->roots[other];
    t->roots[other] = kept;
    batch[i] = split->rows[SOTTO_PART_TRAIN][t->roots[i]];
    t->labels[i] = t->parted.labels[SOTTO_PART_TRAIN][t->roots[i]];
  }
}

static sotto_status train_network(training *t, sotto_error *err) {
  const sotto_options *o = t->net.job->options;
  const sotto_adam adam = sotto_i_job_training(o, 1).adam;
  const sotto_i_paper_plan *p = t->plan;
  sotto_i_stage stage = {
      .job = t->net.job, .name = t->net.alone ? "encoder" : "network", .epochs = o->epochs};
  sotto_status status;
  uint32_t *batch = NULL;
  double loss = 0;
  SOTTO_TRY(sotto_i_new(&batch, p->batch, sizeof *batch, err));
  for (uint64_t step = 1; step <= p->steps; step++) {
    sotto_var logits;
    SOTTO_TRY(sotto_i_check_interrupt(err));
    sotto_params_zero_gradients(t->net.params);
    draw_batch(t, batch);
    SOTTO_TRY(forward(&logits, t, batch, p->batch, err));
    sotto_var total = sotto_tape_cross_entropy(t->tape, logits, t->labels, NULL, p->batch);
    SOTTO_TRY(sotto_tape_backward(t->tape, total, err));
    SOTTO_TRY(sotto_adam_step(t->net.params, &adam, err));
    loss += (double)sotto_tape_value(t->tape, total).data[0];
    if (step % p->epoch_steps > 0) continue;
    sotto_i_stage_epoch(&stage, step / p->epoch_steps, loss / (double)p->epoch_steps, NAN);
    loss = 0;
  }
done:
  sotto_i_free(batch);
  return status;
}

/* Rows that nodes are classified from; with noise those of the release. */
static sotto_status rows_to_read(sotto_matrix *out, training *t, sotto_error *err) {
  sotto_matrix encoded = {0};
  sotto_dataset released = {0};
  sotto_status status;
  const sotto_i_paper_rows rows = {
      .network = &t->net, .plan = t->plan, .encoded = &encoded, .unlike = t->again && !t->loaded};
  SOTTO_TRY(sotto_i_paper_encode_all(&encoded, &t->net, t->net.job->features, err));
  if (t->net.alone) {
    *out = encoded;
    encoded = (sotto_matrix){0};
  } else if (t->plan->grid.sigma > 0) {
    SOTTO_TRY(sotto_i_paper_rows_release(&released, &rows, err));
    SOTTO_TRY(sotto_i_take_columns(out, &released.features, 0, released.features.cols, err));
  } else {
    SOTTO_TRY(sotto_i_paper_rows_compute(out, &rows, (uint32_t)t->net.job->options->layers, NULL, err));
  }
done:
  sotto_dataset_free(&released);
  sotto_matrix_free(&encoded);
  return status;
}

static sotto_status measure_part(sotto_quality *out, training *t, const sotto_matrix *rows, sotto_part part,
                                 sotto_error *err) {
  const size_t count = t->parted.split.count[part];
  sotto_matrix scores = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_paper_logits(&scores, &t->net, rows, t->parted.split.rows[part], count, err));
  SOTTO_TRY(sotto_quality_measure(out, &scores, t->parted.labels[part], NULL, count, err));
done:
  sotto_matrix_free(&scores);
  return status;
}

/* The network of the run that an audit looks at, whose rows are kept; not loaded where it is gone. */
static sotto_status load_network(training *t, sotto_error *err) {
  const sotto_i_job *job = t->net.job;
  char *path = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_job_find_model(&path, job->folder, job->options, err));
  if (!sotto_i_is_file(path)) goto done;
  SOTTO_TRY(sotto_params_load(&t->net.params, 1, path, err));
  t->loaded = true;
done:
  sotto_i_free(path);
  return status;
}

/* Trains and measures one network, and saves the one with edges as the model. */
static sotto_status train_and_measure(sotto_quality *validation, sotto_quality *test, bool alone, bool again,
                                      const sotto_i_paper_plan *plan, const sotto_i_job *job,
                                      sotto_error *err) {
  training t = {.plan = plan, .again = again && !alone, .net = {.job = job, .alone = alone}};
  sotto_matrix rows = {0};
  sotto_status status;
  SOTTO_TRY(training_new(&t, err));
  if (t.again) SOTTO_TRY(load_network(&t, err));
  if (!t.loaded) SOTTO_TRY(train_network(&t, err));
  sotto_i_paper_settle(&t.net);
  SOTTO_TRY(rows_to_read(&rows, &t, err));
  SOTTO_TRY(measure_part(validation, &t, &rows, SOTTO_PART_VALIDATION, err));
  SOTTO_TRY(measure_part(test, &t, &rows, SOTTO_PART_TEST, err));
  const sotto_params *sets[] = {t.net.params};
  if (!alone) SOTTO_TRY(sotto_i_job_save_model(job, sets, 1, err));
done:
  sotto_matrix_free(&rows);
  training_free(&t);
  return status;
}

/* By public numbers alone: noise that is longer than the longest row leaves nothing to learn from edges. */
static void warn_of_noise(const sotto_i_paper_plan *plan, const sotto_i_job *job) {
  const sotto_options *o = job->options;
  const double times = plan->grid.sigma * sqrt((double)o->hidden) / plan->clip;
  if (!(times > 1) || job->seed != o->seed) return;
  sotto_i_log(
      job->observer, SOTTO_LOG_WARNING,
      "noise as published is %.3g times as long as the longest row of a layer: the model guesses. The "
      "noise is less with layers 1, a smaller batch-size or fan-out, more training nodes, or a larger "
      "epsilon",
      times);
}

static sotto_status paper_train(sotto_i_outcome *out, bool again, const sotto_i_paper_plan *plan,
                                const sotto_i_job *job, sotto_error *err) {
  sotto_seed_result *q = &out->quality;
  sotto_status status;
  q->seed = job->seed;
  SOTTO_TRY(train_and_measure(&q->baseline_validation, &q->baseline_test, true, again, plan, job, err));
  SOTTO_TRY(train_and_measure(&q->validation, &q->test, false, again, plan, job, err));
done:
  return status;
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

/* The charge is for all steps of the training, as one draw: the file only records that it began. An
 * interrupted training cannot continue: new noise would be more releases under one charge. An audit trains
 * again in a folder of its own, which nothing leaves. */
static sotto_status charge_training(bool *again, const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  char *path = NULL;
  const sotto_i_artifact artifact = {.owner = sotto_i_job_owner(job),
                                     .item = SOTTO_I_PAPER_ITEM_OF_STEPS,
                                     .file = "begun",
                                     .made_with = "a training with accounting paper",
                                     .make = write_mark,
                                     .load = nothing_to_read};
  SOTTO_TRY(sotto_i_join(&path, job->folder, artifact.file, err));
  *again = sotto_i_is_file(path);
  if (*again && job->probe == NULL) {
    status = sotto_i_fail(err, SOTTO_INVALID,
                          "%s: training with accounting paper was cut short, and %s; use a new run folder",
                          path, sotto_i_variant_of(job->options)->begins_anew);
    goto done;
  }
  SOTTO_TRY(sotto_i_artifact_use(&artifact, err));
done:
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_vesper_paper_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_i_paper_plan p;
  bool again = false;
  sotto_status status;
  SOTTO_TRY(sotto_i_paper_plan_new(&p, job, err));
  warn_of_noise(&p, job);
  if (p.grid.sigma > 0) SOTTO_TRY(charge_training(&again, job, err));
  SOTTO_TRY(paper_train(out, again, &p, job, err));
done:
  return status;
}
