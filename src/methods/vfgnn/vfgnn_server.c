/* The server of vfgnn: distributes triples, combines the holders' rows, and computes the network up to the
 * last hidden layer (algorithm 2, lines 9 to 13). It sees neither features nor labels. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "inside/dp.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "inside/tensor.h"
#include "party/wire/link/transport.h"
#include "run/parties/party_split.h"
#include "tensor/columns.h"
#include "vfgnn.h"

const char sotto_i_vfgnn_hidden_reason[] =
    "the last hidden layer, a function of what holders published; the label holder learns from it";
static const char *const gradients_reason =
    "a holder's training signal; it depends on labels and on what the others published";

/* Buffers of every epoch, allocated once. */
typedef struct workspace {
  sotto_tape *tape;
  sotto_matrix published[SOTTO_MOST_HOLDERS]; /* all nodes */
  sotto_matrix rows[SOTTO_MOST_HOLDERS];      /* of training nodes */
  sotto_matrix latest, gradient;              /* hidden rows of this epoch, in the form of `tested` */
  uint32_t *zeros;                            /* row 0, repeated at least once for each training row */
} workspace;

uint64_t sotto_i_vfgnn_sent_by_server(const sotto_i_vfgnn_server *s) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < sotto_i_vfgnn_members(s->shared); i++) bytes += sotto_i_vfgnn_sent(s->links[i]);
  return bytes;
}

static bool has_shared_layer(const sotto_i_vfgnn_server *s) {
  return s->shared->collaborative && s->shared->clear == NULL;
}

sotto_status sotto_i_vfgnn_tell_columns(const sotto_i_vfgnn_server *s, size_t *cols, sotto_error *err) {
  float all[SOTTO_MOST_HOLDERS] = {0};
  const sotto_matrix told = {all, 1, s->shared->holders};
  const sotto_expectation expected = {"columns", SOTTO_WIRE_PUBLIC, 1, 1, 0};
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < s->shared->holders; i++) {
    sotto_matrix one = {&all[i], 1, 1};
    SOTTO_TRY(sotto_link_receive(s->links[i], &one, &expected, err));
    if (!(all[i] >= 1 && all[i] <= 16777216))
      return sotto_i_fail(err, SOTTO_PROTOCOL, "holder %zu says it has %g columns", i + 1, all[i]);
    cols[i] = (size_t)all[i];
  }
  for (size_t i = 0; i < s->shared->holders; i++)
    SOTTO_TRY(sotto_link_send_public(s->links[i], "columns.all", &told, err));
done:
  return status;
}

/* Hidden rows of one part, without dropout; borrowed until the tape is reset. NONE: of all nodes. */
static sotto_status evaluate(sotto_matrix *out, sotto_i_vfgnn_server *s, workspace *w, sotto_part part,
                             sotto_error *err) {
  sotto_var rows[SOTTO_MOST_HOLDERS] = {{0}};
  const bool all = part == SOTTO_PART_NONE;
  const size_t count = all ? s->shared->nodes : s->batch.members[part];
  sotto_tape_reset(w->tape);
  for (size_t i = 0; i < s->shared->holders; i++) {
    rows[i] = sotto_tape_constant(w->tape, &w->published[i]);
    if (!all) rows[i] = sotto_tape_gather_rows(w->tape, rows[i], s->batch.at[part], count);
  }
  sotto_var z = sotto_i_vfgnn_join(s, w->tape, rows, w->zeros, count, 0, false);
  sotto_status status = sotto_tape_check(w->tape, err);
  *out = sotto_tape_value(w->tape, z);
  return status;
}

static sotto_status receive_published(sotto_i_vfgnn_server *s, workspace *w, sotto_error *err) {
  const sotto_i_vfgnn *c = s->shared;
  const sotto_options *o = c->job->options;
  sotto_status status = SOTTO_OK;
  const sotto_expectation expected = {"embeddings", c->noisy ? SOTTO_WIRE_RELEASE : SOTTO_WIRE_EXPOSED,
                                      s->batch.count, c->width,
                                      c->noisy ? 0 : sqrt((double)sotto_i_vfgnn_folds(c))};
  w->gradient.rows = s->batch.members[SOTTO_PART_TRAIN];
  for (size_t i = 0; i < c->holders; i++) {
    w->published[i].rows = s->batch.count;
    w->rows[i].rows = s->batch.members[SOTTO_PART_TRAIN];
    SOTTO_TRY(sotto_link_receive(s->links[i], &w->published[i], &expected, err));
    if (c->noisy && sotto_i_estimator_of(o) == SOTTO_I_ESTIMATOR_JAMES_STEIN)
      SOTTO_TRY(sotto_james_stein(&w->published[i], c->job->plan->grid.sigma, true, err));
    for (size_t r = 0; r < w->rows[i].rows; r++)
      memcpy(w->rows[i].data + r * c->width,
             w->published[i].data + s->batch.at[SOTTO_PART_TRAIN][r] * c->width, c->width * sizeof(float));
  }
done:
  return status;
}

/* Puts hidden rows of this step's nodes into their places among this epoch's. Test nodes are evaluated
 * separately, since they are measured. */
static sotto_status collect_hidden(sotto_i_vfgnn_server *s, workspace *w, sotto_error *err) {
  const sotto_i_vfgnn_batch *b = &s->batch;
  const bool whole = sotto_i_vfgnn_batch_whole(b);
  const size_t cols = s->shared->width, tested = s->shared->counts ? 0 : b->members[SOTTO_PART_TEST];
  sotto_matrix z;
  sotto_status status;
  SOTTO_TRY(evaluate(&z, s, w, SOTTO_PART_NONE, err));
  for (size_t i = 0; i < z.rows; i++)
    memcpy(w->latest.data + (whole ? i : b->rows[i]) * cols, z.data + i * cols, cols * sizeof(float));
  if (tested == 0) goto done;
  SOTTO_TRY(evaluate(&z, s, w, SOTTO_PART_TEST, err));
  for (size_t i = 0; i < tested; i++) {
    const size_t at = b->at[SOTTO_PART_TEST][i];
    memcpy(w->latest.data + (whole ? at : b->rows[at]) * cols, z.data + i * cols, cols * sizeof(float));
  }
done:
  return status;
}

/* Sends validation rows of this step to the label holder. */
static sotto_status send_validation(sotto_i_vfgnn_server *s, workspace *w, sotto_error *err) {
  sotto_link *label = s->links[s->shared->label_holder];
  const sotto_i_vfgnn_batch *b = &s->batch;
  sotto_status status = SOTTO_OK;
  sotto_matrix z;
  if (b->members[SOTTO_PART_VALIDATION] > 0) {
    SOTTO_TRY(evaluate(&z, s, w, SOTTO_PART_VALIDATION, err));
    SOTTO_TRY(sotto_link_send_exposed(label, "hidden.validation", sotto_i_vfgnn_hidden_reason, &z, err));
  }
  if (!sotto_i_vfgnn_batch_whole(b))
    SOTTO_TRY(collect_hidden(s, w, err)); /* otherwise only if this is the best epoch */
done:
  return status;
}

/* Receives the label holder's validation decision on an epoch and passes it on; stores the best epoch's
 * hidden rows. */
static sotto_status pass_decision(sotto_i_decision *decision, sotto_i_vfgnn_server *s, workspace *w,
                                  sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_vfgnn_receive_decision(decision, s->links[s->shared->label_holder], err));
  for (size_t i = 0; i < sotto_i_vfgnn_members(s->shared); i++)
    SOTTO_TRY(sotto_i_vfgnn_send_decision(s->links[i], *decision, err));
  if (!decision->better) goto done;
  SOTTO_TRY(sotto_params_copy(s->best, s->params, err));
  if (sotto_i_vfgnn_batch_whole(&s->batch)) SOTTO_TRY(collect_hidden(s, w, err));
  memcpy(s->tested.data, w->latest.data, s->tested.rows * s->tested.cols * sizeof(float));
done:
  return status;
}

static sotto_var training_rows(sotto_i_vfgnn_server *s, workspace *w, sotto_var *rows) {
  sotto_tape_reset(w->tape);
  for (size_t i = 0; i < s->shared->holders; i++) rows[i] = sotto_tape_input(w->tape, &w->rows[i]);
  return sotto_i_vfgnn_join(s, w->tape, rows, w->zeros, s->batch.members[SOTTO_PART_TRAIN], s->batch.number,
                            true);
}

static sotto_status train_step(sotto_i_vfgnn_server *s, workspace *w, const sotto_adam *adam,
                               sotto_error *err) {
  const sotto_i_vfgnn *c = s->shared;
  sotto_var rows[SOTTO_MOST_HOLDERS] = {{0}};
  const sotto_expectation expected = {"gradients.hidden", SOTTO_WIRE_EXPOSED, w->gradient.rows,
                                      w->gradient.cols, 0};
  sotto_status status;
  SOTTO_TRY(sotto_link_receive(s->links[c->label_holder], &w->gradient, &expected, err));
  sotto_var z = training_rows(s, w, rows);
  sotto_params_zero_gradients(s->params);
  SOTTO_TRY(sotto_tape_backward_from(w->tape, z, &w->gradient, err));
  for (size_t i = 0; i < c->holders; i++) {
    const sotto_matrix gradient = sotto_tape_gradient(w->tape, rows[i]);
    SOTTO_TRY(sotto_link_send_exposed(s->links[i], "gradients.embeddings", gradients_reason, &gradient, err));
  }
  SOTTO_TRY(sotto_adam_step(s->params, adam, err));
done:
  return status;
}

/* The last step of an epoch receives the validation decision. */
static sotto_status server_step(sotto_i_vfgnn_server *s, workspace *w, const sotto_adam *adam, bool *stop,
                                sotto_error *err) {
  const sotto_i_vfgnn *c = s->shared;
  sotto_var rows[SOTTO_MOST_HOLDERS] = {{0}};
  sotto_i_decision decision = {.better = false};
  sotto_status status;
  if (has_shared_layer(s)) SOTTO_TRY(sotto_i_shared_deal_forward(&s->dealer, err));
  SOTTO_TRY(receive_published(s, w, err));
  sotto_var z = training_rows(s, w, rows);
  SOTTO_TRY(sotto_tape_check(w->tape, err));
  const sotto_matrix shown = sotto_tape_value(w->tape, z);
  SOTTO_TRY(sotto_link_send_exposed(s->links[c->label_holder], "hidden.train", sotto_i_vfgnn_hidden_reason,
                                    &shown, err));
  SOTTO_TRY(send_validation(s, w, err));
  if (sotto_i_vfgnn_batch_last(&s->batch)) SOTTO_TRY(pass_decision(&decision, s, w, err));
  SOTTO_TRY(train_step(s, w, adam, err));
  if (has_shared_layer(s)) SOTTO_TRY(sotto_i_shared_deal_backward(&s->dealer, err));
  *stop = decision.stop;
done:
  return status;
}

static sotto_status server_epoch(sotto_i_vfgnn_server *s, workspace *w, const sotto_adam *adam,
                                 uint64_t epoch, bool *stop, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (size_t step = 0; step < s->batch.steps; step++) {
    sotto_i_vfgnn_server_step(s, epoch, step);
    SOTTO_TRY(server_step(s, w, adam, stop, err));
  }
  s->epochs++;
  SOTTO_TRY(sotto_i_vfgnn_server_save(s, epoch + 1, *stop, err));
done:
  return status;
}

static sotto_status begin_training(sotto_i_vfgnn_server *s, sotto_split *split, sotto_error *err) {
  const sotto_i_vfgnn *c = s->shared;
  size_t cols[SOTTO_MOST_HOLDERS] = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_vfgnn_join_new(s, err));
  SOTTO_TRY(sotto_i_receive_split(split, s->links[c->label_holder], c->nodes, err));
  for (size_t i = 0; i < sotto_i_vfgnn_members(c); i++)
    SOTTO_TRY(sotto_i_send_split(s->links[i], split, c->nodes, err));
  SOTTO_TRY(sotto_i_vfgnn_batches(&s->batch, c, split, err));
  SOTTO_TRY(sotto_i_vfgnn_tell_columns(s, cols, err));
  if (has_shared_layer(s)) {
    const sotto_i_shared_shape shape = sotto_i_vfgnn_shape(c, cols);
    SOTTO_TRY(sotto_i_shared_deal_begin(&s->dealer, &shape, s->links, &c->first_key, err));
  }
  s->setup_bytes = sotto_i_vfgnn_sent_by_server(s);
done:
  return status;
}

static sotto_status workspace_new(workspace *w, sotto_i_vfgnn_server *s, const size_t *count,
                                  sotto_error *err) {
  const sotto_i_vfgnn *c = s->shared;
  sotto_status status;
  SOTTO_TRY(sotto_tape_new(&w->tape, err));
  SOTTO_TRY(sotto_params_clone(&s->best, s->params, err));
  for (size_t i = 0; i < c->holders; i++) {
    SOTTO_TRY(sotto_matrix_new(&w->published[i], c->nodes, c->width, err));
    SOTTO_TRY(sotto_matrix_new(&w->rows[i], count[SOTTO_PART_TRAIN], c->width, err));
  }
  SOTTO_TRY(sotto_matrix_new(&s->tested, c->nodes, c->width, err));
  SOTTO_TRY(sotto_matrix_new(&w->latest, c->nodes, c->width, err));
  SOTTO_TRY(sotto_matrix_new(&w->gradient, count[SOTTO_PART_TRAIN], c->width, err));
  SOTTO_TRY(sotto_i_new(&w->zeros, c->nodes, sizeof *w->zeros, err));
done:
  return status;
}

static void workspace_free(workspace *w, size_t holders) {
  sotto_tape_free(w->tape);
  for (size_t i = 0; i < holders; i++) {
    sotto_matrix_free(&w->published[i]);
    sotto_matrix_free(&w->rows[i]);
  }
  sotto_matrix_free(&w->latest);
  sotto_matrix_free(&w->gradient);
  sotto_i_free(w->zeros);
}

/* For a start without an epoch left to train: the statement must name what earlier starts exposed. */
static sotto_status note_exposed(sotto_i_vfgnn_server *s, sotto_error *err) {
  static const char *const hidden[] = {"hidden.train", "hidden.validation"};
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < 2; i++)
    SOTTO_TRY(
        sotto_i_link_note(s->links[s->shared->label_holder], hidden[i], sotto_i_vfgnn_hidden_reason, err));
  for (size_t i = 0; i < s->shared->holders; i++)
    SOTTO_TRY(sotto_i_link_note(s->links[i], "gradients.embeddings", gradients_reason, err));
  for (size_t i = 0; i < sotto_i_vfgnn_members(s->shared); i++)
    SOTTO_TRY(sotto_i_vfgnn_note_decision(s->links[i], err));
done:
  return status;
}

static sotto_status train_epochs(sotto_i_vfgnn_server *s, workspace *w, sotto_error *err) {
  const sotto_adam adam = sotto_i_job_training(s->shared->job->options, 1).adam;
  bool stop = false;
  uint64_t first;
  sotto_status status;
  SOTTO_TRY(sotto_i_vfgnn_server_load(&first, &stop, s, err));
  if (stop) SOTTO_TRY(note_exposed(s, err));
  double start = sotto_i_seconds();
  for (uint64_t epoch = first; !stop; epoch++) SOTTO_TRY(server_epoch(s, w, &adam, epoch, &stop, err));
  s->seconds = sotto_i_seconds() - start;
  s->trained_bytes = sotto_i_vfgnn_sent_by_server(s);
  SOTTO_TRY(sotto_params_copy(s->params, s->best, err));
done:
  return status;
}

sotto_status sotto_i_vfgnn_server_recipe(sotto_i_vfgnn_server *s, sotto_error *err) {
  const sotto_i_vfgnn *c = s->shared;
  workspace w = {.tape = NULL};
  sotto_split split = {0};
  sotto_matrix tested = {0};
  sotto_status status;
  SOTTO_TRY(begin_training(s, &split, err));
  SOTTO_TRY(workspace_new(&w, s, split.count, err));
  SOTTO_TRY(train_epochs(s, &w, err));
  if (c->counts) {
    SOTTO_TRY(sotto_link_send_exposed(s->links[c->label_holder], SOTTO_I_VFGNN_ALL_NAME,
                                      sotto_i_vfgnn_hidden_reason, &s->tested, err));
    SOTTO_TRY(sotto_i_vfgnn_counts_join(s, (uint32_t)c->job->options->layers, err));
    goto done;
  }
  SOTTO_TRY(
      sotto_i_take_rows(&tested, &s->tested, split.rows[SOTTO_PART_TEST], split.count[SOTTO_PART_TEST], err));
  SOTTO_TRY(sotto_link_send_exposed(s->links[c->label_holder], "hidden.test", sotto_i_vfgnn_hidden_reason,
                                    &tested, err));
done:
  sotto_matrix_free(&tested);
  sotto_split_free(&split);
  workspace_free(&w, c->holders);
  return status;
}

void sotto_i_vfgnn_server_free(sotto_i_vfgnn_server *s) {
  sotto_params_free(s->params);
  sotto_i_vfgnn_batch_free(&s->batch);
  sotto_params_free(s->best);
  sotto_matrix_free(&s->tested);
  sotto_i_shared_deal_free(&s->dealer);
}
