/* The data party of VESPER as published: in each step rows of a batch through noisy layers, which are sent,
 * and their gradients, which go back through the private layers; then noisy rows of all nodes. */
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "inside/dp.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "inside/tensor.h"
#include "party/wire/link/transport.h"
#include "release/artifact.h"
#include "release/plan.h"
#include "run/parties/party_split.h"
#include "run/parties/traffic.h"
#include "tensor/columns.h"
#include "vesper_paper_batches.h"
#include "vesper_paper_roles.h"
#include "vesper_paper_rows.h"

const char sotto_i_paper_no_noise[] = "no privacy was asked for: aggregates of the graph without noise";

typedef struct training {
  sotto_i_paper_data *party;
  sotto_i_paper_network *net;
  const sotto_i_paper_plan *plan;
  sotto_key secret; /* of noise and of sampled neighbours */
  sotto_split split;
  sotto_i_paper_batches batches;
  sotto_i_sampler sampler;
  sotto_i_noising noising[SOTTO_I_PAPER_LAYERS];
  sotto_i_receipt receipt;          /* for the rows of all steps */
  sotto_matrix features, gradients; /* of a batch */
  uint32_t *roots;
  sotto_tape *tape;
} training;

/* The noise was charged by the number of training nodes, which the split must have. */
static sotto_status receive_split(training *t, sotto_error *err) {
  const size_t *count = t->split.count;
  sotto_status status;
  SOTTO_TRY(sotto_i_receive_split(&t->split, t->party->link, t->net->job->data->graph.nodes, err));
  if (count[SOTTO_PART_TRAIN] != t->plan->claim.roots)
    status = sotto_i_fail(err, SOTTO_PROTOCOL,
                          "the split that came has %zu training nodes, and the noise is planned for %llu: "
                          "every node of the label party needs a label",
                          count[SOTTO_PART_TRAIN], (unsigned long long)t->plan->claim.roots);
done:
  return status;
}

static sotto_status training_new(training *t, sotto_error *err) {
  const sotto_i_job *job = t->net->job;
  const size_t batch = t->plan->batch;
  sotto_status status;
  sotto_i_job_noise_key(&t->secret, job);
  SOTTO_TRY(sotto_i_paper_batches_new(&t->batches, job, t->split.count[SOTTO_PART_TRAIN], batch, err));
  SOTTO_TRY(sotto_i_sampler_new(&t->sampler, job->options, &job->data->graph, err));
  SOTTO_TRY(sotto_matrix_new(&t->gradients, batch, job->options->layers * job->options->hidden, err));
  SOTTO_TRY(sotto_i_new(&t->roots, batch, sizeof *t->roots, err));
  SOTTO_TRY(sotto_tape_new(&t->tape, err));
done:
  return status;
}

static void training_free(training *t) {
  for (uint32_t l = 0; l < SOTTO_I_PAPER_LAYERS; l++) sotto_key_wipe(&t->noising[l].key);
  sotto_i_paper_batches_free(&t->batches);
  sotto_i_sampler_free(&t->sampler);
  sotto_matrix_free(&t->features);
  sotto_matrix_free(&t->gradients);
  sotto_tape_free(t->tape);
  sotto_split_free(&t->split);
  sotto_i_free(t->roots);
  sotto_key_wipe(&t->secret);
}

static sotto_status write_mark(void *context, const char *path, const sotto_key *key, sotto_error *err) {
  (void)context;
  (void)key;
  return sotto_i_write_file(path, "", 0, err);
}

static sotto_status take_receipt(void *context, const char *path, const sotto_i_receipt *receipt,
                                 sotto_error *err) {
  (void)path;
  (void)err;
  *(sotto_i_receipt *)context = *receipt;
  return SOTTO_OK;
}

/* The charge is for all steps of the training, as one draw: the file only records that it began. An
 * interrupted training cannot continue: new noise would be more releases under one charge. */
static sotto_status charge_steps(training *t, sotto_error *err) {
  const sotto_i_job *job = t->net->job;
  sotto_status status;
  char *path = NULL;
  const sotto_i_artifact artifact = {.owner = sotto_i_job_owner(job),
                                     .item = SOTTO_I_PAPER_ITEM_OF_STEPS,
                                     .file = SOTTO_I_PAPER_MARK,
                                     .made_with = "a training with accounting paper",
                                     .context = &t->receipt,
                                     .make = write_mark,
                                     .load = take_receipt};
  SOTTO_TRY(sotto_i_join(&path, job->folder, artifact.file, err));
  if (!t->party->shared->again && sotto_i_is_file(path)) {
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

/* The roots' shown rows of each layer, [layer 1 | layer 2 | ...], on the tape. */
static sotto_status forward(sotto_var *joined, training *t, uint64_t step, sotto_error *err) {
  sotto_i_paper_network *n = t->net;
  const sotto_pass pass = {.tape = t->tape, .key = &n->key, .step = step, .training = true};
  const size_t count = t->plan->batch;
  sotto_key key;
  sotto_status status;
  sotto_i_key_derive(&key, &t->secret, step);
  sotto_tape_reset(t->tape);
  SOTTO_TRY(sotto_i_sampler_draw(&t->sampler, t->roots, count, &key, err));
  sotto_matrix_free(&t->features);
  SOTTO_TRY(sotto_i_take_rows(&t->features, n->job->features, t->sampler.list, t->sampler.count, err));
  const sotto_var x = sotto_i_paper_encode(n, &pass, sotto_tape_constant(t->tape, &t->features));
  for (uint32_t l = 0; l < n->job->options->layers; l++)
    t->noising[l] = (sotto_i_noising){.grid = t->plan->grid, .clip = t->plan->clip, .key = key, .layer = l};
  SOTTO_TRY(sotto_i_paper_show_roots(joined, n, t->tape, &t->sampler, t->noising, count, x, err));
  status = sotto_tape_check(t->tape, err);
done:
  sotto_key_wipe(&key);
  return status;
}

static sotto_status send_rows(const training *t, const sotto_matrix *rows, const sotto_i_receipt *receipt,
                              sotto_error *err) {
  sotto_link *link = t->party->link;
  return t->plan->grid.sigma > 0
             ? sotto_i_link_send_charged(link, SOTTO_I_PAPER_ROWS_NAME, rows, receipt, err)
             : sotto_link_send_exposed(link, SOTTO_I_PAPER_ROWS_NAME, sotto_i_paper_no_noise, rows, err);
}

/* With noise a gradient that is not finite counts as zero: it follows from what the label party sent and from
 * private edges, and a failure would show these. */
static sotto_status take_step(training *t, sotto_error *err) {
  const sotto_adam adam = sotto_i_job_training(t->net->job->options, 1).adam;
  sotto_error problem = {0};
  const sotto_status status = sotto_adam_step(t->net->params, &adam, &problem);
  if (status == SOTTO_OK || (status == SOTTO_NUMERIC && t->plan->grid.sigma > 0)) return SOTTO_OK;
  return sotto_i_fail(err, status, "%s", problem.text);
}

static sotto_status train_step(training *t, uint64_t step, sotto_error *err) {
  const sotto_expectation expected = {SOTTO_I_PAPER_GRADIENTS_NAME, SOTTO_WIRE_EXPOSED, t->gradients.rows,
                                      t->gradients.cols, 0};
  sotto_var joined = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_check_interrupt(err));
  sotto_i_paper_batches_draw(&t->batches, step);
  for (size_t i = 0; i < t->plan->batch; i++)
    t->roots[i] = t->split.rows[SOTTO_PART_TRAIN][t->batches.place[i]];
  sotto_params_zero_gradients(t->net->params);
  SOTTO_TRY(forward(&joined, t, step, err));
  const sotto_matrix rows = sotto_tape_value(t->tape, joined);
  SOTTO_TRY(send_rows(t, &rows, &t->receipt, err));
  SOTTO_TRY(sotto_link_receive(t->party->link, &t->gradients, &expected, err));
  SOTTO_TRY(sotto_tape_backward_from(t->tape, joined, &t->gradients, err));
  SOTTO_TRY(take_step(t, err));
done:
  return status;
}

/* Rows of all nodes, from which the label party classifies; with noise those of the release. */
static sotto_status send_all(training *t, sotto_error *err) {
  const sotto_i_paper_shared *c = t->party->shared;
  sotto_matrix encoded = {0}, computed = {0};
  sotto_dataset released = {0};
  sotto_i_receipt receipt = {{0}};
  sotto_status status;
  const sotto_i_paper_rows rows = {
      .network = t->net, .plan = t->plan, .encoded = &encoded, .unlike = c->again && !c->loaded};
  SOTTO_TRY(sotto_i_paper_encode_all(&encoded, t->net, c->job->features, err));
  if (t->plan->grid.sigma > 0)
    SOTTO_TRY(sotto_i_paper_rows_release(&released, &receipt, &rows, err));
  else
    SOTTO_TRY(sotto_i_paper_rows_compute(&computed, &rows, (uint32_t)c->job->options->layers, NULL, err));
  SOTTO_TRY(send_rows(t, t->plan->grid.sigma > 0 ? &released.features : &computed, &receipt, err));
done:
  sotto_dataset_free(&released);
  sotto_matrix_free(&encoded);
  sotto_matrix_free(&computed);
  return status;
}

sotto_status sotto_i_paper_data_run(sotto_i_paper_data *party, sotto_error *err) {
  const sotto_i_paper_plan *plan = party->shared->plan;
  training t = {.party = party, .net = &party->net, .plan = plan};
  sotto_status status;
  SOTTO_TRY(receive_split(&t, err));
  const sotto_i_exchange_shape shape = sotto_i_traffic_shape(party->shared->job, &t.split, 0);
  sotto_i_traffic_tell(party->shared->job, party->link, &shape);
  if (plan->grid.sigma > 0) SOTTO_TRY(charge_steps(&t, err));
  SOTTO_TRY(training_new(&t, err));
  for (uint64_t step = 1; !party->shared->loaded && step <= plan->steps; step++)
    SOTTO_TRY(train_step(&t, step, err));
  sotto_i_paper_settle(&party->net);
  SOTTO_TRY(send_all(&t, err));
done:
  training_free(&t);
  return status;
}
