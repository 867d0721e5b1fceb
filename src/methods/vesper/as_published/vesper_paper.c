/* VESPER with --accounting paper: noise by the authors' own theorem, and the guarantee that this noise
 * really gives.
 *
 * Theorem 2.1 does not hold against the label party (docs/privacy.md, section 6), and gradients through
 * private layers let one edge change every later row. Only this holds on every graph: a row is clipped to
 * norm c before its noise, so it changes by at most 2c, and the releases compose, whatever they depend on.
 * With m rows in total, mu = sqrt(m) 2c / theta: finite but vacuous. The ledger is charged for this. */
#include "vesper_paper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "inside/dp.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "protocols/networks/networks.h"
#include "release/artifact.h"
#include "release/plan.h"
#include "run/files/job_file.h"
#include "sotto/claims.h"

enum { decoder_streams = 32, evaluation_rows = 1024 };

typedef struct paper_layer {
  size_t weight;
  sotto_linear low; /* GCN: for rows without messages */
  sotto_i_spectral spectral;
  sotto_i_noising noising;
  sotto_matrix shown[2]; /* GCN: 1 where a row got messages; then 1 where it did not */
} paper_layer;

typedef struct training {
  const sotto_i_job *job;
  bool alone; /* without edges: the decoder reads the encoder's rows, and nothing is released */
  const sotto_i_paper_plan *plan;
  sotto_key key, secret; /* of weights and dropout; of noise and samples */
  sotto_i_parted parted;
  sotto_i_sampler sampler;
  sotto_params *params;
  sotto_mlp encoder, decoder;
  sotto_i_combiner combiner;
  paper_layer layers[SOTTO_I_PAPER_LAYERS];
  sotto_matrix features; /* of a batch */
  uint32_t *roots;
  int32_t *labels;
  sotto_tape *tape;
  uint64_t passes; /* forward passes so far: each has its own samples and noise */
} training;

static sotto_status layer_new(training *t, uint32_t l, sotto_error *err) {
  const size_t width = t->job->options->hidden;
  paper_layer *layer = &t->layers[l];
  char name[32];
  sotto_key key;
  sotto_status status;
  sotto_i_key_derive(&key, &t->key, 64 + l);
  (void)snprintf(name, sizeof name, "layer%u.weight", l + 1);
  SOTTO_TRY(sotto_params_add(t->params, &layer->weight, name, width, width, SOTTO_INIT_GLOROT, 0, true,
                             &t->key, err));
  SOTTO_TRY(sotto_i_spectral_new(&layer->spectral, width, width, &key, err));
  if (!t->sampler.gcn) goto done;
  (void)snprintf(name, sizeof name, "layer%u.low", l + 1);
  SOTTO_TRY(sotto_linear_new(&layer->low, t->params, name, width, width, &t->key, err));
done:
  return status;
}

/* What stands between encoder and decoder. */
static sotto_status extractor_new(training *t, sotto_activation activation, sotto_error *err) {
  const sotto_options *o = t->job->options;
  sotto_status status;
  SOTTO_TRY(sotto_i_sampler_new(&t->sampler, o, &t->job->data->graph, err));
  for (uint32_t l = 0; l < o->layers; l++) SOTTO_TRY(layer_new(t, l, err));
  SOTTO_TRY(sotto_i_combiner_new(&t->combiner, t->params, sotto_i_combination_named(o->combine),
                                 (uint32_t)o->layers, o->hidden, activation, &t->key, err));
done:
  return status;
}

static sotto_status training_new(training *t, sotto_error *err) {
  const sotto_options *o = t->job->options;
  sotto_mlp_options decoder = {.widths = {0, o->hidden, t->job->data->classes},
                               .layers = 2,
                               .activation = sotto_i_head_activation(o),
                               .dropout = (float)o->dropout};
  sotto_status status;
  sotto_i_job_key(&t->key, t->job);
  sotto_i_job_noise_key(&t->secret, t->job);
  SOTTO_TRY(sotto_i_parted_new(&t->parted, t->job, err));
  SOTTO_TRY(sotto_params_new(&t->params, err));
  SOTTO_TRY(sotto_i_encoder_new(&t->encoder, t->params, "encoder", o, t->job->features->cols, &t->key, err));
  if (!t->alone) SOTTO_TRY(extractor_new(t, decoder.activation, err));
  decoder.widths[0] = t->alone ? o->hidden : sotto_i_combiner_width(&t->combiner);
  SOTTO_TRY(sotto_mlp_new(&t->decoder, t->params, "decoder", &decoder, decoder_streams, &t->key, err));
  SOTTO_TRY(sotto_i_new(&t->roots, t->parted.split.count[SOTTO_PART_TRAIN], sizeof *t->roots, err));
  SOTTO_TRY(sotto_i_new(&t->labels, t->plan->batch, sizeof *t->labels, err));
  for (size_t i = 0; i < t->parted.split.count[SOTTO_PART_TRAIN]; i++) t->roots[i] = (uint32_t)i;
  SOTTO_TRY(sotto_tape_new(&t->tape, err));
done:
  return status;
}

static void training_free(training *t) {
  for (uint32_t l = 0; l < SOTTO_I_PAPER_LAYERS; l++) {
    sotto_i_spectral_free(&t->layers[l].spectral);
    for (int i = 0; i < 2; i++) sotto_matrix_free(&t->layers[l].shown[i]);
    sotto_key_wipe(&t->layers[l].noising.key);
  }
  sotto_i_sampler_free(&t->sampler);
  sotto_i_combiner_free(&t->combiner);
  sotto_matrix_free(&t->features);
  sotto_tape_free(t->tape);
  sotto_params_free(t->params);
  sotto_i_parted_free(&t->parted);
  sotto_i_free(t->roots);
  sotto_i_free(t->labels);
  sotto_key_wipe(&t->secret);
}

/* Masks of the rows with messages, and of those without. */
static sotto_status set_masks(paper_layer *layer, const sotto_i_paper_block *block, size_t width,
                              sotto_error *err) {
  for (int low = 0; low < 2; low++) {
    sotto_matrix_free(&layer->shown[low]);
    sotto_status status = sotto_matrix_new(&layer->shown[low], block->rows, width, err);
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < block->rows * width; i++)
      layer->shown[low].data[i] = block->low[i / width] == (low == 1) ? 1 : 0;
  }
  return SOTTO_OK;
}

/* Sampled sums times the weight; in GCN, algorithm 2's other branch for rows below the least degree. */
static sotto_var linear_update(training *t, uint32_t l, sotto_var x) {
  paper_layer *layer = &t->layers[l];
  const sotto_i_paper_block *block = &t->sampler.block[l];
  sotto_tape *tape = t->tape;
  sotto_var weight =
      sotto_i_spectral_var(&layer->spectral, tape, sotto_params_var(t->params, layer->weight, tape));
  sotto_var y = sotto_tape_matmul(tape, sotto_i_block_var(block, tape, x), weight);
  if (!t->sampler.gcn) return y;
  sotto_var own = sotto_tape_gather_rows(tape, x, t->sampler.own, block->rows);
  sotto_var low = sotto_linear_apply(&layer->low, t->params, tape, own);
  return sotto_tape_add(tape, sotto_tape_multiply(tape, y, sotto_tape_constant(tape, &layer->shown[0])),
                        sotto_tape_multiply(tape, low, sotto_tape_constant(tape, &layer->shown[1])));
}

/* Logits of the roots by the baseline of the paper: the network without its message passing. */
static sotto_status forward_alone(sotto_var *logits, training *t, const uint32_t *roots, size_t count,
                                  bool train, sotto_error *err) {
  const sotto_pass pass = {.tape = t->tape, .key = &t->key, .step = t->passes, .training = train};
  sotto_status status;
  t->passes++;
  sotto_tape_reset(t->tape);
  sotto_matrix_free(&t->features);
  SOTTO_TRY(sotto_i_take_rows(&t->features, t->job->features, roots, count, err));
  const sotto_var x =
      sotto_mlp_apply(&t->encoder, t->params, &pass, sotto_tape_constant(t->tape, &t->features));
  *logits = sotto_mlp_apply(&t->decoder, t->params, &pass, x);
  status = sotto_tape_check(t->tape, err);
done:
  return status;
}

/* Logits of `count` roots, in order; the label party sees the roots' rows of each layer. */
static sotto_status forward(sotto_var *logits, training *t, const uint32_t *roots, size_t count, bool train,
                            sotto_error *err) {
  const sotto_options *o = t->job->options;
  const sotto_pass pass = {.tape = t->tape, .key = &t->key, .step = t->passes, .training = train};
  sotto_key key;
  sotto_status status;
  sotto_var joined = {0};
  if (t->alone) return forward_alone(logits, t, roots, count, train, err);
  sotto_i_key_derive(&key, &t->secret, ++t->passes);
  sotto_tape_reset(t->tape);
  SOTTO_TRY(sotto_i_sampler_draw(&t->sampler, roots, count, &key, err));
  sotto_matrix_free(&t->features);
  SOTTO_TRY(sotto_i_take_rows(&t->features, t->job->features, t->sampler.list, t->sampler.count, err));
  sotto_var x = sotto_mlp_apply(&t->encoder, t->params, &pass, sotto_tape_constant(t->tape, &t->features));
  x = sotto_tape_normalise_rows(t->tape, x);
  for (uint32_t l = 0; l < o->layers; l++) {
    paper_layer *layer = &t->layers[l];
    if (t->sampler.gcn) SOTTO_TRY(set_masks(layer, &t->sampler.block[l], o->hidden, err));
    if (train) sotto_i_spectral_step(&layer->spectral, sotto_params_value(t->params, layer->weight));
    layer->noising = (sotto_i_noising){.grid = t->plan->grid, .clip = t->plan->clip, .key = key, .layer = l};
    x = sotto_i_noising_var(&layer->noising, t->tape, linear_update(t, l, x));
    x = sotto_tape_normalise_rows(t->tape, sotto_tape_relu(t->tape, x));
    sotto_var seen = sotto_tape_gather_rows(t->tape, x, t->sampler.own, count);
    joined = l == 0 ? seen : sotto_tape_concat(t->tape, joined, seen);
  }
  *logits = sotto_mlp_apply(&t->decoder, t->params, &pass,
                            sotto_i_combiner_apply(&t->combiner, t->params, t->tape, joined));
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
  const sotto_options *o = t->job->options;
  const sotto_adam adam = sotto_i_job_training(o, 1).adam;
  const sotto_i_paper_plan *p = t->plan;
  sotto_i_stage stage = {.job = t->job, .name = t->alone ? "encoder" : "network", .epochs = o->epochs};
  sotto_status status;
  uint32_t *batch = NULL;
  double loss = 0;
  SOTTO_TRY(sotto_i_new(&batch, p->batch, sizeof *batch, err));
  for (uint64_t step = 1; step <= p->steps; step++) {
    sotto_var logits;
    SOTTO_TRY(sotto_i_check_interrupt(err));
    sotto_params_zero_gradients(t->params);
    draw_batch(t, batch);
    SOTTO_TRY(forward(&logits, t, batch, p->batch, true, err));
    sotto_var total = sotto_tape_cross_entropy(t->tape, logits, t->labels, NULL, p->batch);
    SOTTO_TRY(sotto_tape_backward(t->tape, total, err));
    SOTTO_TRY(sotto_adam_step(t->params, &adam, err));
    loss += (double)sotto_tape_value(t->tape, total).data[0];
    if (step % p->epoch_steps > 0) continue;
    sotto_i_stage_epoch(&stage, step / p->epoch_steps, loss / (double)p->epoch_steps, NAN);
    loss = 0;
  }
done:
  sotto_i_free(batch);
  return status;
}

static sotto_status measure_part(sotto_quality *out, training *t, sotto_part part, sotto_error *err) {
  size_t count = t->parted.split.count[part], classes = t->job->data->classes;
  sotto_matrix scores = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&scores, count, classes, err));
  for (size_t begin = 0; begin < count; begin += evaluation_rows) {
    size_t here = count - begin < evaluation_rows ? count - begin : evaluation_rows;
    sotto_var logits;
    SOTTO_TRY(sotto_i_check_interrupt(err));
    SOTTO_TRY(forward(&logits, t, t->parted.split.rows[part] + begin, here, false, err));
    memcpy(scores.data + begin * classes, sotto_tape_value(t->tape, logits).data,
           here * classes * sizeof(float));
  }
  SOTTO_TRY(sotto_quality_measure(out, &scores, t->parted.labels[part], NULL, count, err));
done:
  sotto_matrix_free(&scores);
  return status;
}

/* Trains and measures one network, and saves the one with edges as the model. */
static sotto_status train_and_measure(sotto_quality *validation, sotto_quality *test, bool alone,
                                      const sotto_i_paper_plan *plan, const sotto_i_job *job,
                                      sotto_error *err) {
  training t = {.job = job, .alone = alone, .plan = plan};
  sotto_status status;
  SOTTO_TRY(training_new(&t, err));
  SOTTO_TRY(train_network(&t, err));
  SOTTO_TRY(measure_part(validation, &t, SOTTO_PART_VALIDATION, err));
  SOTTO_TRY(measure_part(test, &t, SOTTO_PART_TEST, err));
  const sotto_params *sets[] = {t.params};
  if (!alone) SOTTO_TRY(sotto_i_job_save_model(job, sets, 1, err));
done:
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

static sotto_status paper_train(sotto_i_outcome *out, const sotto_i_paper_plan *plan, const sotto_i_job *job,
                                sotto_error *err) {
  sotto_seed_result *q = &out->quality;
  sotto_status status;
  q->seed = job->seed;
  SOTTO_TRY(train_and_measure(&q->baseline_validation, &q->baseline_test, true, plan, job, err));
  SOTTO_TRY(train_and_measure(&q->validation, &q->test, false, plan, job, err));
done:
  return status;
}

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

/* The charge is for the whole training, as one draw: the file only records that it began. An interrupted
 * training cannot continue: new noise would be more releases under one charge. */
static sotto_status charge_training(const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  char *path = NULL;
  const sotto_i_artifact artifact = {.owner = sotto_i_job_owner(job),
                                     .item = sotto_i_cost_item_of(job->cost, SOTTO_ACCOUNT_DATA),
                                     .file = "begun",
                                     .made_with = "a training with accounting paper",
                                     .make = write_mark,
                                     .load = nothing_to_read};
  SOTTO_TRY(sotto_i_join(&path, job->folder, artifact.file, err));
  if (sotto_i_is_file(path)) {
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
  sotto_status status;
  SOTTO_TRY(sotto_i_paper_plan_new(&p, job, err));
  warn_of_noise(&p, job);
  if (p.grid.sigma > 0) SOTTO_TRY(charge_training(job, err));
  SOTTO_TRY(paper_train(out, &p, job, err));
done:
  return status;
}
