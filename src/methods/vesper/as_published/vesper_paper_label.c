/* The label party of VESPER as published: it classifies the rows of each batch that it receives and sends
 * their gradients; then it classifies all nodes. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "inside/tensor.h"
#include "party/wire/link/transport.h"
#include "run/parties/party_split.h"
#include "run/parties/traffic.h"
#include "vesper_paper_batches.h"
#include "vesper_paper_roles.h"
#include "vesper_paper_rows.h"

static const char *const gradients_reason =
    "the training signal of the encoder and the layers in every step; "
    "it depends on labels and can reveal them to the data party";

typedef struct training {
  sotto_i_paper_label *party;
  sotto_i_paper_network *net;
  sotto_i_paper_batches batches;
  sotto_matrix rows; /* of a batch */
  int32_t *labels;
  sotto_tape *tape;
} training;

static sotto_status training_new(training *t, sotto_error *err) {
  const sotto_i_job *job = t->net->job;
  const size_t batch = t->party->shared->plan->batch;
  const size_t roots = t->party->parted.split.count[SOTTO_PART_TRAIN];
  sotto_status status;
  SOTTO_TRY(sotto_i_paper_batches_new(&t->batches, job, roots, batch, err));
  SOTTO_TRY(sotto_matrix_new(&t->rows, batch, job->options->layers * job->options->hidden, err));
  SOTTO_TRY(sotto_i_new(&t->labels, batch, sizeof *t->labels, err));
  SOTTO_TRY(sotto_tape_new(&t->tape, err));
done:
  return status;
}

static void training_free(training *t) {
  sotto_i_paper_batches_free(&t->batches);
  sotto_matrix_free(&t->rows);
  sotto_i_free(t->labels);
  sotto_tape_free(t->tape);
}

/* Rows that are scaled have norm 1 in each layer at most. */
static sotto_status receive_rows(sotto_matrix *rows, const training *t, bool scaled, sotto_error *err) {
  const bool noisy = t->party->shared->plan->grid.sigma > 0;
  const sotto_expectation expected = {.name = SOTTO_I_PAPER_ROWS_NAME,
                                      .kind = noisy ? SOTTO_WIRE_RELEASE : SOTTO_WIRE_EXPOSED,
                                      .rows = rows->rows,
                                      .cols = rows->cols,
                                      .row_norm =
                                          scaled ? (float)sqrt((double)t->net->job->options->layers) : 0};
  return sotto_link_receive(t->party->link, rows, &expected, err);
}

static sotto_status train_step(double *loss, training *t, uint64_t step, sotto_error *err) {
  sotto_i_paper_network *n = t->net;
  const sotto_i_job *job = n->job;
  const sotto_adam adam = sotto_i_job_training(job->options, 1).adam;
  const sotto_pass pass = {.tape = t->tape, .key = &n->key, .step = step, .training = true};
  sotto_status status;
  SOTTO_TRY(sotto_i_check_interrupt(err));
  sotto_i_paper_batches_draw(&t->batches, step);
  for (size_t i = 0; i < t->rows.rows; i++)
    t->labels[i] = t->party->parted.labels[SOTTO_PART_TRAIN][t->batches.place[i]];
  SOTTO_TRY(receive_rows(&t->rows, t, true, err));
  sotto_tape_reset(t->tape);
  sotto_params_zero_gradients(n->reader);
  const sotto_var joined = sotto_tape_input(t->tape, &t->rows);
  const sotto_var logits = sotto_i_paper_decode(n, &pass, joined);
  const sotto_var total = sotto_tape_cross_entropy(t->tape, logits, t->labels, NULL, t->rows.rows);
  SOTTO_TRY(sotto_tape_backward(t->tape, total, err));
  const sotto_matrix gradients = sotto_tape_gradient(t->tape, joined);
  SOTTO_TRY(sotto_link_send_exposed(t->party->link, SOTTO_I_PAPER_GRADIENTS_NAME, gradients_reason,
                                    &gradients, err));
  SOTTO_TRY(sotto_adam_step(n->reader, &adam, err));
  *loss += (double)sotto_tape_value(t->tape, total).data[0];
done:
  return status;
}

static sotto_status train_steps(training *t, sotto_error *err) {
  const sotto_i_paper_plan *plan = t->party->shared->plan;
  sotto_i_stage stage = {.job = t->net->job, .name = "network", .epochs = t->net->job->options->epochs};
  sotto_status status = SOTTO_OK;
  double loss = 0;
  for (uint64_t step = 1; step <= plan->steps; step++) {
    SOTTO_TRY(train_step(&loss, t, step, err));
    if (step % plan->epoch_steps > 0) continue;
    sotto_i_stage_epoch(&stage, step / plan->epoch_steps, loss / (double)plan->epoch_steps, NAN);
    loss = 0;
  }
done:
  return status;
}

sotto_status sotto_i_paper_measure(sotto_quality *out, sotto_i_paper_network *network,
                                   const sotto_i_parted *parted, const sotto_matrix *rows, sotto_part part,
                                   sotto_error *err) {
  const size_t count = parted->split.count[part];
  sotto_matrix scores = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_paper_logits(&scores, network, rows, parted->split.rows[part], count, err));
  SOTTO_TRY(sotto_quality_measure(out, &scores, parted->labels[part], NULL, count, err));
done:
  sotto_matrix_free(&scores);
  return status;
}

static sotto_status classify_all(training *t, sotto_error *err) {
  sotto_i_paper_label *p = t->party;
  const sotto_i_job *job = t->net->job;
  sotto_matrix rows = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&rows, job->data->graph.nodes, t->rows.cols, err));
  SOTTO_TRY(receive_rows(&rows, t, false, err));
  SOTTO_TRY(sotto_i_paper_measure(&p->validation, t->net, &p->parted, &rows, SOTTO_PART_VALIDATION, err));
  SOTTO_TRY(sotto_i_paper_measure(&p->test, t->net, &p->parted, &rows, SOTTO_PART_TEST, err));
done:
  sotto_matrix_free(&rows);
  return status;
}

sotto_status sotto_i_paper_label_run(sotto_i_paper_label *party, sotto_error *err) {
  const sotto_i_job *job = party->shared->job;
  training t = {.party = party, .net = &party->net};
  sotto_status status;
  SOTTO_TRY(sotto_i_send_split(party->link, &party->parted.split, job->data->graph.nodes, err));
  const sotto_i_exchange_shape shape = sotto_i_traffic_shape(job, &party->parted.split, job->data->classes);
  sotto_i_traffic_tell(job, party->link, &shape);
  SOTTO_TRY(training_new(&t, err));
  if (!party->shared->loaded) SOTTO_TRY(train_steps(&t, err));
  SOTTO_TRY(classify_all(&t, err));
done:
  training_free(&t);
  return status;
}
