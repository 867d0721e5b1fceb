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
#include "tensor/tape.h"
#include "vfgnn.h"
#include "vfgnn_choice.h"
#include "vfgnn_memory.h"

static const char *const gradients_reason =
    "a holder's training signal; it depends on labels and on what the others published";

/* Buffers of every epoch, allocated once. */
typedef struct workspace {
  sotto_tape *tape;
  sotto_matrix published[SOTTO_MOST_HOLDERS]; /* all nodes of a step; empty: those of the label holder */
  sotto_matrix picked[SOTTO_MOST_HOLDERS];    /* a block of these */
  sotto_matrix latest, gradient;              /* hidden rows of this epoch, in the form of `tested` */
  uint32_t *zeros;                            /* row 0, once for each row of a block */
} workspace;

uint64_t sotto_i_vfgnn_sent_by_server(const sotto_i_vfgnn_server *s) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < sotto_i_vfgnn_members(s->shared); i++) bytes += sotto_i_vfgnn_sent(s->links[i]);
  return bytes;
}

static bool has_shared_layer(const sotto_i_vfgnn_server *s) {
  return s->shared->collaborative && s->shared->clear == NULL;
}

/* Puts a block of nodes on the tape: rows at[begin] on (NULL: begin on) of what each holder published, as
 * variables whose gradients are computed if `wanted`. Without edges one holder sends for all. */
static void put_block(sotto_var *rows, sotto_i_vfgnn_server *s, workspace *w, const uint32_t *at,
                      size_t begin, size_t count, bool wanted) {
  const sotto_i_vfgnn *c = s->shared;
  sotto_tape_reset(w->tape);
  for (size_t i = 0; i < c->holders; i++) {
    if (!sotto_i_vfgnn_sends(c, i)) continue;
    const sotto_matrix *from = &w->published[i];
    sotto_matrix block = {from->data + begin * from->cols, count, c->width};
    if (at != NULL) {
      block.data = w->picked[i].data;
      for (size_t r = 0; r < count; r++)
        memcpy(block.data + r * c->width, from->data + at[begin + r] * c->width, c->width * sizeof(float));
    }
    rows[i] = wanted ? sotto_tape_input(w->tape, &block) : sotto_tape_constant(w->tape, &block);
  }
  for (size_t i = 0; i < c->holders; i++)
    if (!sotto_i_vfgnn_sends(c, i)) rows[i] = rows[sotto_i_vfgnn_reader(c)];
}

/* Hidden rows of a block, without dropout; borrowed until the tape is reset. */
static sotto_status evaluate(sotto_matrix *out, sotto_i_vfgnn_server *s, workspace *w, const uint32_t *at,
                             size_t begin, size_t count, sotto_error *err) {
  sotto_var rows[SOTTO_MOST_HOLDERS] = {{0}};
  put_block(rows, s, w, at, begin, count, false);
  sotto_var z = sotto_i_vfgnn_join(s, w->tape, rows, w->zeros, count, 0, false);
  sotto_status status = sotto_tape_check(w->tape, err);
  *out = sotto_tape_value(w->tape, z);
  return status;
}

/* The same of a block of training nodes, with dropout, whose masks do not depend on blocks. */
static sotto_var train_block(sotto_var *rows, sotto_i_vfgnn_server *s, workspace *w, size_t begin) {
  const size_t count = sotto_i_vfgnn_block_rows(s->batch.members[SOTTO_PART_TRAIN], begin);
  put_block(rows, s, w, s->batch.at[SOTTO_PART_TRAIN], begin, count, true);
  sotto_i_tape_begin_at(w->tape, begin);
  return sotto_i_vfgnn_join(s, w->tape, rows, w->zeros, count, s->batch.number, true);
}

static sotto_status receive_published(sotto_i_vfgnn_server *s, workspace *w, sotto_error *err) {
  const sotto_i_vfgnn *c = s->shared;
  const sotto_options *o = c->job->options;
  const double norm = c->noisy ? 0 : sqrt((double)sotto_i_vfgnn_folds(c));
  sotto_status status = SOTTO_OK;
  const sotto_expectation expected = {"embeddings", c->noisy ? SOTTO_WIRE_RELEASE : SOTTO_WIRE_EXPOSED,
                                      s->batch.count, c->width, norm};
  w->gradient.rows = s->batch.members[SOTTO_PART_TRAIN];
  for (size_t i = 0; i < c->holders; i++) {
    if (!sotto_i_vfgnn_sends(c, i)) continue;
    w->published[i].rows = s->batch.count;
    if (c->counts)
      SOTTO_TRY(sotto_i_vfgnn_receive_rows(&w->published[i], s->links[i], expected.name, norm, err));
    else
      SOTTO_TRY(sotto_link_receive(s->links[i], &w->published[i], &expected, err));
    if (c->noisy && sotto_i_estimator_of(o) == SOTTO_I_ESTIMATOR_JAMES_STEIN)
      SOTTO_TRY(sotto_james_stein(&w->published[i], c->job->plan->grid.sigma, true, err));
  }
done:
  return status;
}

/* Puts hidden rows of this step's nodes, or of its test nodes, into their places among this epoch's. */
static sotto_status collect_part(sotto_i_vfgnn_server *s, workspace *w, const uint32_t *at, size_t count,
                                 sotto_error *err) {
  const sotto_i_vfgnn_batch *b = &s->batch;
  const size_t cols = s->shared->width;
  sotto_matrix z;
  sotto_status status = SOTTO_OK;
  for (size_t begin = 0; begin < count; begin += SOTTO_I_VFGNN_BLOCK) {
    SOTTO_TRY(evaluate(&z, s, w, at, begin, sotto_i_vfgnn_block_rows(count, begin), err));
    for (size_t i = 0; i < z.rows; i++) {
      const size_t place = at == NULL ? begin + i : at[begin + i];
      memcpy(w->latest.data + (sotto_i_vfgnn_batch_whole(b) ? place : b->rows[place]) * cols,
             z.data + i * cols, cols * sizeof(float));
    }
  }
done:
  return status;
}

/* Test nodes are evaluated separately, since they are measured. With counts all nodes are evaluated at the
 * end. */
static sotto_status collect_hidden(sotto_i_vfgnn_server *s, workspace *w, sotto_error *err) {
  const sotto_i_vfgnn_batch *b = &s->batch;
  sotto_status status = SOTTO_OK;
  if (s->shared->counts) return SOTTO_OK;
  SOTTO_TRY(collect_part(s, w, NULL, b->count, err));
  SOTTO_TRY(collect_part(s, w, b->at[SOTTO_PART_TEST], b->members[SOTTO_PART_TEST], err));
done:
  return status;
}

/* Sends validation rows of this step to the label holder. */
static sotto_status send_validation(sotto_i_vfgnn_server *s, workspace *w, sotto_error *err) {
  sotto_link *label = s->links[s->shared->label_holder];
  const sotto_i_vfgnn_batch *b = &s->batch;
  const size_t count = b->members[SOTTO_PART_VALIDATION];
  sotto_status status = SOTTO_OK;
  sotto_matrix z;
  for (size_t begin = 0; begin < count; begin += SOTTO_I_VFGNN_BLOCK) {
    SOTTO_TRY(
        evaluate(&z, s, w, b->at[SOTTO_PART_VALIDATION], begin, sotto_i_vfgnn_block_rows(count, begin), err));
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
  if (s->shared->counts) goto done;
  memcpy(s->tested.data, w->latest.data, s->tested.rows * s->tested.cols * sizeof(float));
done:
  return status;
}

static sotto_status send_training(sotto_i_vfgnn_server *s, workspace *w, sotto_error *err) {
  sotto_var rows[SOTTO_MOST_HOLDERS] = {{0}};
  sotto_status status = SOTTO_OK;
  for (size_t begin = 0; begin < s->batch.members[SOTTO_PART_TRAIN]; begin += SOTTO_I_VFGNN_BLOCK) {
    const sotto_var z = train_block(rows, s, w, begin);
    SOTTO_TRY(sotto_tape_check(w->tape, err));
    const sotto_matrix shown = sotto_tape_value(w->tape, z);
    SOTTO_TRY(sotto_link_send_exposed(s->links[s->shared->label_holder], "hidden.train",
                                      sotto_i_vfgnn_hidden_reason, &shown, err));
  }
done:
  return status;
}

/* The gradient of the rows of one block, back to those who sent them. */
static sotto_status return_block(sotto_i_vfgnn_server *s, workspace *w, size_t begin, sotto_error *err) {
  sotto_var rows[SOTTO_MOST_HOLDERS] = {{0}};
  const sotto_matrix block = sotto_i_vfgnn_block(&w->gradient, begin);
  sotto_status status;
  const sotto_var z = train_block(rows, s, w, begin);
  SOTTO_TRY(sotto_tape_backward_from(w->tape, z, &block, err));
  for (size_t i = 0; i < s->shared->holders; i++) {
    if (!sotto_i_vfgnn_sends(s->shared, i)) continue;
    const sotto_matrix gradient = sotto_tape_gradient(w->tape, rows[i]);
    SOTTO_TRY(sotto_link_send_exposed(s->links[i], "gradients.embeddings", gradients_reason, &gradient, err));
  }
done:
  return status;
}

static sotto_status train_step(sotto_i_vfgnn_server *s, workspace *w, const sotto_adam *adam,
                               sotto_error *err) {
  const sotto_expectation expected = {"gradients.hidden", SOTTO_WIRE_EXPOSED, w->gradient.rows,
                                      w->gradient.cols, 0};
  sotto_status status;
  SOTTO_TRY(sotto_link_receive(s->links[s->shared->label_holder], &w->gradient, &expected, err));
  sotto_params_zero_gradients(s->params);
  for (size_t begin = 0; begin < w->gradient.rows; begin += SOTTO_I_VFGNN_BLOCK)
    SOTTO_TRY(return_block(s, w, begin, err));
  SOTTO_TRY(sotto_adam_step(s->params, adam, err));
done:
  return status;
}

static sotto_status deal_backward(sotto_i_vfgnn_server *s, sotto_error *err) {
  const sotto_i_vfgnn_batch *b = &s->batch;
  const bool alone = sotto_i_vfgnn_trains_alone(s->shared);
  sotto_status status;
  if (alone) sotto_i_shared_deal_rows(&s->dealer, b->trained, b->members[SOTTO_PART_TRAIN]);
  status = sotto_i_shared_deal_backward(&s->dealer, err);
  if (alone) sotto_i_shared_deal_rows(&s->dealer, sotto_i_vfgnn_batch_whole(b) ? NULL : b->rows, b->count);
  return status;
}

/* The last step of an epoch receives the validation decision. */
static sotto_status server_step(sotto_i_vfgnn_server *s, workspace *w, const sotto_adam *adam, bool *stop,
                                sotto_error *err) {
  sotto_i_decision decision = {.better = false};
  sotto_status status;
  if (has_shared_layer(s)) SOTTO_TRY(sotto_i_shared_deal_forward(&s->dealer, err));
  SOTTO_TRY(receive_published(s, w, err));
  SOTTO_TRY(send_training(s, w, err));
  SOTTO_TRY(send_validation(s, w, err));
  if (sotto_i_vfgnn_batch_last(&s->batch)) SOTTO_TRY(pass_decision(&decision, s, w, err));
  SOTTO_TRY(train_step(s, w, adam, err));
  if (has_shared_layer(s)) SOTTO_TRY(deal_backward(s, err));
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
  const sotto_i_vfgnn_size size = sotto_i_vfgnn_size_of(c->job->options, c->nodes, 0);
  SOTTO_TRY(sotto_i_vfgnn_check_memory("the server", size.nodes, sotto_i_vfgnn_server_bytes(&size),
                                       sotto_i_vfgnn_machine_bytes(), err));
  SOTTO_TRY(sotto_i_vfgnn_join_new(s, err));
  SOTTO_TRY(sotto_i_receive_split(split, s->links[c->label_holder], c->nodes, err));
  for (size_t i = 0; i < sotto_i_vfgnn_members(c); i++)
    SOTTO_TRY(sotto_i_send_split(s->links[i], split, c->nodes, err));
  SOTTO_TRY(sotto_i_vfgnn_batches(&s->batch, c, split, err));
  SOTTO_TRY(sotto_i_vfgnn_tell_columns(s, cols, c->counts ? sotto_i_vfgnn_members(c) : c->holders, err));
  sotto_i_vfgnn_cells_settle(s, cols, split->count[SOTTO_PART_TRAIN]);
  if (has_shared_layer(s)) {
    const sotto_i_shared_shape shape = sotto_i_vfgnn_shape(c, cols, split->count[SOTTO_PART_TRAIN]);
    SOTTO_TRY(sotto_i_shared_deal_begin(&s->dealer, &shape, s->links, &c->first_key, err));
  }
  s->setup_bytes = sotto_i_vfgnn_sent_by_server(s);
done:
  return status;
}

static sotto_status workspace_new(workspace *w, sotto_i_vfgnn_server *s, const size_t *count,
                                  sotto_error *err) {
  const sotto_i_vfgnn *c = s->shared;
  const size_t rows = c->counts ? count[SOTTO_PART_TRAIN] + count[SOTTO_PART_VALIDATION] : c->nodes;
  const size_t block = sotto_i_vfgnn_block_rows(rows, 0), hidden = c->counts ? 0 : c->nodes;
  sotto_status status;
  SOTTO_TRY(sotto_tape_new(&w->tape, err));
  SOTTO_TRY(sotto_params_clone(&s->best, s->params, err));
  for (size_t i = 0; i < c->holders; i++) {
    if (!sotto_i_vfgnn_sends(c, i)) continue;
    SOTTO_TRY(sotto_matrix_new(&w->published[i], rows, c->width, err));
    SOTTO_TRY(sotto_matrix_new(&w->picked[i], block, c->width, err));
  }
  SOTTO_TRY(sotto_matrix_new(&s->tested, hidden, c->width, err));
  SOTTO_TRY(sotto_matrix_new(&w->latest, hidden, c->width, err));
  SOTTO_TRY(sotto_matrix_new(&w->gradient, count[SOTTO_PART_TRAIN], c->width, err));
  SOTTO_TRY(sotto_i_new(&w->zeros, block, sizeof *w->zeros, err));
done:
  return status;
}

static void workspace_free(workspace *w, size_t holders) {
  sotto_tape_free(w->tape);
  w->tape = NULL;
  for (size_t i = 0; i < holders; i++) {
    sotto_matrix_free(&w->published[i]);
    sotto_matrix_free(&w->picked[i]);
  }
  sotto_matrix_free(&w->latest);
  sotto_matrix_free(&w->gradient);
  sotto_i_free(w->zeros);
  w->zeros = NULL;
}

/* For a start without an epoch left to train: the statement must name what earlier starts exposed. */
static sotto_status note_exposed(sotto_i_vfgnn_server *s, sotto_error *err) {
  static const char *const hidden[] = {"hidden.train", "hidden.validation"};
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < 2; i++)
    SOTTO_TRY(
        sotto_i_link_note(s->links[s->shared->label_holder], hidden[i], sotto_i_vfgnn_hidden_reason, err));
  for (size_t i = 0; i < s->shared->holders; i++)
    if (sotto_i_vfgnn_sends(s->shared, i))
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

sotto_status sotto_i_vfgnn_server_protocol(sotto_i_vfgnn_server *s, sotto_error *err) {
  const sotto_i_vfgnn *c = s->shared;
  workspace w = {.tape = NULL};
  sotto_split split = {0};
  sotto_matrix tested = {0};
  sotto_status status;
  SOTTO_TRY(begin_training(s, &split, err));
  SOTTO_TRY(workspace_new(&w, s, split.count, err));
  SOTTO_TRY(train_epochs(s, &w, err));
  if (c->counts) {
    workspace_free(&w, c->holders);
    SOTTO_TRY(sotto_i_vfgnn_all_join(s, err));
    SOTTO_TRY(sotto_i_vfgnn_counts_join(s, (uint32_t)c->job->options->layers, err));
    goto done;
  }
  SOTTO_TRY(
      sotto_i_take_rows(&tested, &s->tested, split.rows[SOTTO_PART_TEST], split.count[SOTTO_PART_TEST], err));
  SOTTO_TRY(sotto_i_vfgnn_send_rows(s->links[c->label_holder], "hidden.test", sotto_i_vfgnn_hidden_reason,
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
  sotto_i_vfgnn_cells_free(&s->cells);
}
