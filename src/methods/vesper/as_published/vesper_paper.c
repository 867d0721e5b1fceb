/* Trainings of VESPER as published: the two parties over a link; and in one process, before them, the
 * network without message passing to which theirs is compared. */
#include "vesper_paper.h"

#include <math.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "run/files/job_file.h"
#include "tensor/columns.h"
#include "vesper_paper_batches.h"
#include "vesper_paper_roles.h"
#include "vesper_paper_rows.h"

/* The baseline of the paper: the network without its message passing. Both halves are here. */
typedef struct baseline {
  const sotto_i_paper_plan *plan;
  sotto_i_paper_network net;
  sotto_i_parted parted;
  sotto_i_paper_batches batches;
  sotto_matrix features; /* of a batch */
  uint32_t *roots;
  int32_t *labels;
  sotto_tape *tape;
} baseline;

static sotto_status baseline_new(baseline *b, sotto_error *err) {
  const sotto_i_job *job = b->net.job;
  sotto_status status;
  SOTTO_TRY(sotto_i_parted_new(&b->parted, job, err));
  SOTTO_TRY(sotto_i_paper_network_new(&b->net, err));
  SOTTO_TRY(sotto_i_paper_batches_new(&b->batches, job, b->plan->claim.roots, b->plan->batch, err));
  SOTTO_TRY(sotto_i_new(&b->roots, b->plan->batch, sizeof *b->roots, err));
  SOTTO_TRY(sotto_i_new(&b->labels, b->plan->batch, sizeof *b->labels, err));
  SOTTO_TRY(sotto_tape_new(&b->tape, err));
done:
  return status;
}

static void baseline_free(baseline *b) {
  sotto_i_paper_batches_free(&b->batches);
  sotto_i_paper_network_free(&b->net);
  sotto_i_parted_free(&b->parted);
  sotto_matrix_free(&b->features);
  sotto_tape_free(b->tape);
  sotto_i_free(b->roots);
  sotto_i_free(b->labels);
}

static sotto_status baseline_step(double *loss, baseline *b, uint64_t step, sotto_error *err) {
  sotto_i_paper_network *n = &b->net;
  const sotto_adam adam = sotto_i_job_training(n->job->options, 1).adam;
  const sotto_pass pass = {.tape = b->tape, .key = &n->key, .step = step, .training = true};
  sotto_status status;
  SOTTO_TRY(sotto_i_check_interrupt(err));
  sotto_i_paper_batches_draw(&b->batches, step);
  for (size_t i = 0; i < b->plan->batch; i++) {
    b->roots[i] = b->parted.split.rows[SOTTO_PART_TRAIN][b->batches.place[i]];
    b->labels[i] = b->parted.labels[SOTTO_PART_TRAIN][b->batches.place[i]];
  }
  sotto_tape_reset(b->tape);
  sotto_matrix_free(&b->features);
  sotto_params_zero_gradients(n->params);
  sotto_params_zero_gradients(n->reader);
  SOTTO_TRY(sotto_i_take_rows(&b->features, n->job->features, b->roots, b->plan->batch, err));
  const sotto_var x = sotto_i_paper_encode(n, &pass, sotto_tape_constant(b->tape, &b->features));
  const sotto_var logits = sotto_i_paper_decode(n, &pass, x);
  const sotto_var total = sotto_tape_cross_entropy(b->tape, logits, b->labels, NULL, b->plan->batch);
  SOTTO_TRY(sotto_tape_backward(b->tape, total, err));
  SOTTO_TRY(sotto_adam_step(n->params, &adam, err));
  SOTTO_TRY(sotto_adam_step(n->reader, &adam, err));
  *loss += (double)sotto_tape_value(b->tape, total).data[0];
done:
  return status;
}

static sotto_status baseline_train(baseline *b, sotto_error *err) {
  const sotto_i_paper_plan *plan = b->plan;
  sotto_i_stage stage = {.job = b->net.job, .name = "encoder", .epochs = b->net.job->options->epochs};
  sotto_status status = SOTTO_OK;
  double loss = 0;
  for (uint64_t step = 1; step <= plan->steps; step++) {
    SOTTO_TRY(baseline_step(&loss, b, step, err));
    if (step % plan->epoch_steps > 0) continue;
    sotto_i_stage_epoch(&stage, step / plan->epoch_steps, loss / (double)plan->epoch_steps, NAN);
    loss = 0;
  }
done:
  return status;
}

static sotto_status measure_baseline(sotto_seed_result *out, const sotto_i_paper_plan *plan,
                                     const sotto_i_job *job, sotto_error *err) {
  baseline b = {.plan = plan, .net = {.job = job, .alone = true}};
  sotto_matrix rows = {0};
  sotto_status status;
  SOTTO_TRY(baseline_new(&b, err));
  SOTTO_TRY(baseline_train(&b, err));
  SOTTO_TRY(sotto_i_paper_encode_all(&rows, &b.net, job->features, err));
  SOTTO_TRY(
      sotto_i_paper_measure(&out->baseline_validation, &b.net, &b.parted, &rows, SOTTO_PART_VALIDATION, err));
  SOTTO_TRY(sotto_i_paper_measure(&out->baseline_test, &b.net, &b.parted, &rows, SOTTO_PART_TEST, err));
done:
  sotto_matrix_free(&rows);
  baseline_free(&b);
  return status;
}

/* What the parties of this process share. */
typedef struct parties {
  sotto_i_paper_shared shared;
  sotto_i_paper_plan plan;
  sotto_i_paper_data data;
  sotto_i_paper_label label;
} parties;

/* An audit trains again in the folder of a run; the run's model, if it is there, stands for the training. */
static sotto_status find_earlier(parties *p, sotto_error *err) {
  const sotto_i_job *job = p->shared.job;
  sotto_params *const sets[] = {p->data.net.params, p->label.net.reader};
  char *path = NULL;
  sotto_status status = SOTTO_OK;
  if (job->probe == NULL || !(p->plan.grid.sigma > 0)) return SOTTO_OK;
  SOTTO_TRY(sotto_i_join(&path, job->folder, SOTTO_I_PAPER_MARK, err));
  p->shared.again = sotto_i_is_file(path);
  sotto_i_free(path);
  path = NULL;
  if (!p->shared.again) goto done;
  SOTTO_TRY(sotto_i_job_find_model(&path, job->folder, job->options, err));
  p->shared.loaded = sotto_i_is_file(path);
  if (p->shared.loaded) SOTTO_TRY(sotto_params_load(sets, 2, path, err));
done:
  sotto_i_free(path);
  return status;
}

static sotto_status prepare(void *shared, const sotto_i_job *job, sotto_i_session *sessions, size_t count,
                            sotto_error *err) {
  parties *p = shared;
  sotto_status status;
  SOTTO_TRY(sotto_i_paper_plan_new(&p->plan, job, err));
  p->shared = (sotto_i_paper_shared){.job = job, .plan = &p->plan};
  p->data = (sotto_i_paper_data){.shared = &p->shared, .net = {.job = job}};
  p->label = (sotto_i_paper_label){.shared = &p->shared, .net = {.job = job}};
  for (size_t i = 0; i < count; i++) {
    const bool is_data = sessions[i].role == SOTTO_ROLE_DATA;
    *(is_data ? &p->data.link : &p->label.link) = sessions[i].links[0];
    sessions[i].own = is_data ? (void *)&p->data : &p->label;
  }
  if (p->data.link != NULL) SOTTO_TRY(sotto_i_paper_extractor_new(&p->data.net, err));
  if (p->label.link != NULL) {
    SOTTO_TRY(sotto_i_parted_new(&p->label.parted, job, err));
    SOTTO_TRY(sotto_i_paper_reader_new(&p->label.net, err));
  }
  SOTTO_TRY(find_earlier(p, err));
done:
  return status;
}

static sotto_status run_data(sotto_i_session *session, sotto_error *err) {
  return sotto_i_paper_data_run(session->own, err);
}

static sotto_status run_label(sotto_i_session *session, sotto_error *err) {
  return sotto_i_paper_label_run(session->own, err);
}

static sotto_status finish(sotto_i_outcome *out, void *shared, sotto_error *err) {
  parties *p = shared;
  const sotto_params *sets[2];
  size_t count = 0;
  out->quality.validation = p->label.link == NULL ? sotto_i_quality_none() : p->label.validation;
  out->quality.test = p->label.link == NULL ? sotto_i_quality_none() : p->label.test;
  sotto_i_outcome_exchange(out, p->data.link, p->label.link);
  if (p->data.link != NULL) sets[count++] = p->data.net.params;
  if (p->label.link != NULL) sets[count++] = p->label.net.reader;
  return sotto_i_job_save_model(p->shared.job, sets, count, err);
}

static void release(void *shared) {
  parties *p = shared;
  sotto_i_paper_network_free(&p->data.net);
  sotto_i_paper_network_free(&p->label.net);
  sotto_i_parted_free(&p->label.parted);
}

static const sotto_i_roles roles = {.member = SOTTO_ROLE_DATA,
                                    .size = sizeof(parties),
                                    .prepare = prepare,
                                    .run = {[SOTTO_ROLE_DATA] = run_data, [SOTTO_ROLE_LABEL] = run_label},
                                    .finish = finish,
                                    .release = release};

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

/* Between processes the baseline would show embeddings of features, which the publication does not send. */
sotto_status sotto_i_vesper_paper_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  const sotto_quality none = sotto_i_quality_none();
  sotto_i_paper_plan plan;
  sotto_status status;
  SOTTO_TRY(sotto_i_paper_plan_new(&plan, job, err));
  warn_of_noise(&plan, job);
  out->quality = (sotto_seed_result){.seed = job->seed, .baseline_validation = none, .baseline_test = none};
  if (job->seat == NULL) SOTTO_TRY(measure_baseline(&out->quality, &plan, job, err));
  SOTTO_TRY(sotto_i_roles_run(out, job, &roles, err));
done:
  return status;
}
