/* The label holder's part of vfgnn: the output layer and the loss (algorithm 2, lines 14 and 15). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "inside/tensor.h"
#include "party/wire/link/transport.h"
#include "protocols/counts.h"
#include "protocols/cross_fit.h"
#include "protocols/rounds.h"
#include "protocols/table.h"
#include "release/plan.h"
#include "run/parties/party_split.h"
#include "tensor/columns.h"
#include "vfgnn.h"
#include "vfgnn_choice.h"
#include "vfgnn_counts.h"

static const char *const clusters_reason = "the predicted class of each node and its "
                                           "confidence; neighbours are counted by class";

static const char *const kind_reason = "whether neighbours are counted by class or by clusters of each "
                                       "holder's columns, which pilots' labels and "
                                       "noisy counts decide";

typedef struct reader {
  sotto_i_vfgnn_holder *holder;
  sotto_matrix first; /* log-probabilities from features alone */
  sotto_i_told told;
  sotto_i_rounds rounds;
} reader;

static sotto_status keep_scores(sotto_i_vfgnn_labels *l, const sotto_matrix *scores, sotto_error *err) {
  sotto_matrix_free(&l->scores);
  return sotto_i_table_join(&l->scores, scores, &(sotto_matrix){0}, err);
}

/* Scores from features alone, by the best epoch. */
static sotto_status receive_first(reader *r, sotto_error *err) {
  sotto_i_vfgnn_labels *l = r->holder->labels;
  sotto_status status;
  SOTTO_TRY(sotto_i_vfgnn_all_hold(&r->first, r->holder, err));
  SOTTO_TRY(keep_scores(l, &r->first, err));
  SOTTO_TRY(sotto_i_scores_measure(&l->baseline_validation, &l->baseline_test, &r->first,
                                   r->holder->shared->job, &l->parted, err));
done:
  return status;
}

static sotto_status send_clusters(sotto_i_told *told, const sotto_i_peers *peers,
                                  const sotto_i_clusters *clusters, const uint8_t *levels, sotto_error *err) {
  sotto_matrix message = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_clusters_tell(&message, clusters, levels, err));
  SOTTO_TRY(sotto_i_clusters_take(&told->clusters, told->levels, &message, err));
  for (size_t i = 0; i < peers->count; i++)
    if (i != peers->self)
      SOTTO_TRY(
          sotto_link_send_exposed(peers->holder[i], SOTTO_I_CLUSTERS_NAME, clusters_reason, &message, err));
done:
  sotto_matrix_free(&message);
  return status;
}

sotto_status sotto_i_vfgnn_counts_tell(sotto_i_told *told, const sotto_i_vfgnn_holder *h,
                                       const sotto_i_clusters *clusters, const uint8_t *levels,
                                       sotto_error *err) {
  return send_clusters(told, &h->peers, clusters, levels, err);
}

/* The server, and the other holders. */
static sotto_status send_kind(const sotto_i_vfgnn_holder *h, const sotto_i_vfgnn_stage *stage,
                              sotto_error *err) {
  const uint32_t kind = stage->kind;
  const sotto_words words = {SOTTO_I_KIND_NAME, SOTTO_WIRE_EXPOSED, kind_reason, &kind, 1, 1};
  sotto_status status;
  if (!stage->after_pilots) return SOTTO_OK;
  SOTTO_TRY(sotto_link_send_words(h->peers.dealer, &words, err));
  for (size_t i = 0; i < h->peers.count; i++)
    if (i != h->peers.self) SOTTO_TRY(sotto_link_send_words(h->peers.holder[i], &words, err));
done:
  return status;
}

sotto_status sotto_i_vfgnn_counts_ask(sotto_matrix *all, sotto_i_vfgnn_holder *h, const sotto_i_told *told,
                                      const sotto_i_vfgnn_stage *stage, sotto_error *err) {
  const sotto_i_vfgnn *c = h->shared;
  sotto_status status;
  const sotto_expectation expected = {.name = SOTTO_I_SUM_NAME,
                                      .kind = sotto_i_price_asked(c->job->options) ? SOTTO_WIRE_RELEASE
                                                                                   : SOTTO_WIRE_EXPOSED,
                                      .rows = sotto_i_vfgnn_stage_rows(stage, c, &h->cells),
                                      .cols = sotto_i_vfgnn_kind_cols_of_all(stage->kind, c)};
  SOTTO_TRY(send_kind(h, stage, err));
  if (sotto_i_vfgnn_has_columns(h)) SOTTO_TRY(sotto_i_vfgnn_counts_publish(h, told, stage, err));
  SOTTO_TRY(sotto_matrix_new(all, expected.rows, expected.cols, err));
  SOTTO_TRY(sotto_link_receive(h->peers.dealer, all, &expected, err));
done:
  return status;
}

static sotto_status run_stage(reader *r, sotto_i_vfgnn_stage *stage, uint32_t number, sotto_error *err) {
  sotto_matrix all = {0};
  sotto_status status;
  if (stage->after_pilots) stage->kind = r->holder->cells.kind = r->rounds.kind;
  SOTTO_TRY(sotto_i_vfgnn_counts_ask(&all, r->holder, &r->told, stage, err));
  const sotto_i_row_source rows = sotto_i_row_source_of(&all);
  SOTTO_TRY(sotto_i_rounds_read(&r->rounds, &rows, stage->round, number, err));
done:
  sotto_matrix_free(&all);
  return status;
}

static sotto_status run_round(reader *r, uint32_t round, sotto_error *err) {
  sotto_i_vfgnn_stage stages[SOTTO_I_STAGES];
  const size_t count = sotto_i_vfgnn_stages(stages, &r->holder->cells, round);
  sotto_i_clusters clusters = {.of = NULL};
  sotto_status status;
  SOTTO_TRY(sotto_i_rounds_clusters(&clusters, &r->rounds, err));
  SOTTO_TRY(sotto_i_vfgnn_counts_tell(&r->told, r->holder, &clusters, r->rounds.levels, err));
  for (uint32_t i = 0; i < count; i++) SOTTO_TRY(run_stage(r, &stages[i], i, err));
  SOTTO_TRY(sotto_i_rounds_correct(&r->rounds, round, err));
  if (r->rounds.kept == round + 1) SOTTO_TRY(keep_scores(r->holder->labels, &r->rounds.latest, err));
done:
  sotto_i_clusters_free(&clusters);
  return status;
}

/* Rounds after the best one do not affect its scores, so they are left out. */
static sotto_status add_corrections(reader *r, sotto_error *err) {
  sotto_i_vfgnn_labels *l = r->holder->labels;
  sotto_status status = SOTTO_OK;
  for (uint32_t round = 0; round < r->rounds.kept; round++)
    SOTTO_TRY(sotto_i_hand_over(l->params, r->rounds.params[round], &r->holder->shared->key, err));
  l->validation = r->rounds.validation;
  l->test = r->rounds.test;
done:
  return status;
}

static sotto_status vfgnn_counts_label(sotto_i_vfgnn_holder *h, sotto_error *err) {
  const sotto_i_vfgnn *c = h->shared;
  sotto_i_vfgnn_labels *l = h->labels;
  reader r = {.holder = h};
  sotto_status status;
  SOTTO_TRY(sotto_i_told_new(&r.told, c, err));
  SOTTO_TRY(receive_first(&r, err));
  r.rounds = (sotto_i_rounds){.job = c->job,
                              .parted = &l->parted,
                              .shown = &l->parted,
                              .first = &r.first,
                              .reads_last = true,
                              .weighted = true,
                              .alike = true,
                              .owners = c->holders,
                              .choice = h->cells.choice,
                              .validation = l->baseline_validation,
                              .test = l->baseline_test};
  SOTTO_TRY(sotto_i_rounds_begin(&r.rounds, err));
  for (uint32_t round = 0; round < c->job->options->layers; round++) SOTTO_TRY(run_round(&r, round, err));
  SOTTO_TRY(add_corrections(&r, err));
done:
  sotto_i_rounds_free(&r.rounds);
  sotto_i_told_free(&r.told);
  sotto_matrix_free(&r.first);
  return status;
}

static const char *const gradient_reason =
    "the server's training signal; it depends on labels and can reveal them";
static const char *const decision_reason =
    "picks the best epoch, and ends training; it depends on validation labels";
static const char decision_name[] = "decision", gradient_name[] = "gradients.hidden";

enum { better_flag = 1, stop_flag = 2 };

sotto_status sotto_i_vfgnn_send_decision(sotto_link *link, sotto_i_decision decision, sotto_error *err) {
  float flags = (float)((decision.better ? better_flag : 0) + (decision.stop ? stop_flag : 0));
  const sotto_matrix sent = {&flags, 1, 1};
  return sotto_link_send_exposed(link, decision_name, decision_reason, &sent, err);
}

sotto_status sotto_i_vfgnn_note_decision(sotto_link *link, sotto_error *err) {
  return sotto_i_link_note(link, decision_name, decision_reason, err);
}

sotto_status sotto_i_vfgnn_note_gradient(sotto_link *link, sotto_error *err) {
  return sotto_i_link_note(link, gradient_name, gradient_reason, err);
}

sotto_status sotto_i_vfgnn_receive_decision(sotto_i_decision *decision, sotto_link *link, sotto_error *err) {
  float flags = 0;
  sotto_matrix received = {&flags, 1, 1};
  const sotto_expectation expected = {decision_name, SOTTO_WIRE_EXPOSED, 1, 1, 0};
  sotto_status status = sotto_link_receive(link, &received, &expected, err);
  if (status != SOTTO_OK) return status;
  if (flags != 0 && flags != 1 && flags != 2 && flags != 3)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "the decision %g is none that this protocol knows", flags);
  unsigned bits = (unsigned)flags;
  *decision = (sotto_i_decision){.better = (bits & better_flag) != 0, .stop = (bits & stop_flag) != 0};
  return SOTTO_OK;
}

static sotto_status folds_new(sotto_i_vfgnn_labels *l, const sotto_i_vfgnn *c, sotto_error *err) {
  const size_t rows = l->parted.split.count[SOTTO_PART_TRAIN];
  sotto_status status;
  if (!c->counts) return SOTTO_OK;
  if (rows < SOTTO_I_MOST_FOLDS)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: cross-fitting needs %d training nodes, and there are %zu",
                        c->job->data->name, SOTTO_I_MOST_FOLDS, rows);
  SOTTO_TRY(sotto_i_folds_deal(&l->folds, c->job, &l->parted, err));
  SOTTO_TRY(sotto_i_new(&l->rest, SOTTO_I_MOST_FOLDS * rows, sizeof *l->rest, err));
done:
  return status;
}

sotto_status sotto_i_vfgnn_labels_begin(sotto_i_vfgnn_holder *holder, sotto_error *err) {
  const sotto_i_vfgnn *c = holder->shared;
  sotto_i_vfgnn_labels *l = holder->labels;
  const sotto_split *split = &l->parted.split;
  sotto_status status;
  SOTTO_TRY(folds_new(l, c, err));
  SOTTO_TRY(sotto_tape_new(&l->tape, err));
  SOTTO_TRY(sotto_params_new(&l->params, err));
  SOTTO_TRY(sotto_i_vfgnn_outputs_new(l, c, err));
  SOTTO_TRY(sotto_params_clone(&l->best, l->params, err));
  SOTTO_TRY(sotto_matrix_new(&l->train, split->count[SOTTO_PART_TRAIN], c->width, err));
  SOTTO_TRY(sotto_matrix_new(&l->validate, split->count[SOTTO_PART_VALIDATION], c->width, err));
  SOTTO_TRY(sotto_matrix_new(&l->tested, c->counts ? 0 : split->count[SOTTO_PART_TEST], c->width, err));
  SOTTO_TRY(sotto_i_new(&l->step_labels, l->train.rows, sizeof *l->step_labels, err));
  SOTTO_TRY(sotto_i_send_split(holder->peers.dealer, split, c->nodes, err));
done:
  return status;
}

static sotto_status receive_hidden(sotto_matrix *out, sotto_i_vfgnn_holder *holder, const char *name,
                                   sotto_error *err) {
  return sotto_i_vfgnn_receive_rows(out, holder->peers.dealer, name, 0, err);
}

/* The quality of hidden rows against one part's labels. */
static sotto_status measure_hidden(sotto_quality *out, double *loss, sotto_i_vfgnn_holder *holder,
                                   const sotto_matrix *hidden, sotto_part part, sotto_error *err) {
  const sotto_i_parted *parted = &holder->labels->parted;
  sotto_matrix scores = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_vfgnn_labels_score(&scores, holder, hidden, parted->split.rows[part], err));
  const sotto_i_targets targets = sotto_i_parted_targets(parted, part);
  SOTTO_TRY(sotto_i_targets_quality(out, &scores, &targets, err));
  *loss = sotto_i_targets_mean_loss(&scores, &targets);
done:
  sotto_matrix_free(&scores);
  return status;
}

/* The loss of one fold's network: over the training nodes of a step outside the fold. */
static sotto_var loss_of(sotto_i_vfgnn_holder *holder, size_t fold, sotto_var hidden) {
  const sotto_i_vfgnn *c = holder->shared;
  sotto_i_vfgnn_labels *l = holder->labels;
  const uint32_t *member = holder->batch.member[SOTTO_PART_TRAIN];
  const uint32_t *nodes = l->parted.split.rows[SOTTO_PART_TRAIN];
  sotto_var own = sotto_i_vfgnn_of_fold(c, l->tape, hidden, fold);
  sotto_var scores = sotto_linear_apply(&l->output[fold], l->params, l->tape, own);
  const size_t rows = l->train.rows;
  size_t count = 0;
  if (!c->counts) return sotto_tape_cross_entropy(l->tape, scores, l->step_labels, NULL, rows);
  uint32_t *rest = l->rest + fold * rows;
  for (size_t i = 0; i < rows; i++)
    if (l->folds.of[nodes[member[i]]] != fold) rest[count++] = (uint32_t)i;
  return sotto_tape_cross_entropy(l->tape, scores, l->step_labels, rest, count);
}

/* One step of the output layers; the gradient for the hidden rows is sent back. */
static sotto_status train_step(double *loss, sotto_i_vfgnn_holder *holder, sotto_error *err) {
  sotto_i_vfgnn_labels *l = holder->labels;
  const uint32_t *member = holder->batch.member[SOTTO_PART_TRAIN];
  const sotto_options *o = holder->shared->job->options;
  const sotto_adam adam = sotto_i_job_training(o, 1).adam;
  sotto_var total = {0};
  sotto_status status;
  for (size_t i = 0; i < l->train.rows; i++)
    l->step_labels[i] = l->parted.labels[SOTTO_PART_TRAIN][member[i]];
  sotto_tape_reset(l->tape);
  sotto_params_zero_gradients(l->params);
  sotto_var hidden = sotto_tape_input(l->tape, &l->train);
  for (size_t k = 0; k < sotto_i_vfgnn_folds(holder->shared); k++) {
    sotto_var own = loss_of(holder, k, hidden);
    total = k == 0 ? own : sotto_tape_add(l->tape, total, own);
  }
  SOTTO_TRY(sotto_tape_backward(l->tape, total, err));
  *loss = sotto_tape_value(l->tape, total).data[0];
  const sotto_matrix gradient = sotto_tape_gradient(l->tape, hidden);
  SOTTO_TRY(sotto_link_send_exposed(holder->peers.dealer, gradient_name, gradient_reason, &gradient, err));
  SOTTO_TRY(sotto_adam_step(l->params, &adam, err));
done:
  return status;
}

/* Receives the validation rows of a step into their places among all. */
static sotto_status receive_validation(sotto_i_vfgnn_holder *holder, sotto_error *err) {
  sotto_i_vfgnn_labels *l = holder->labels;
  const sotto_i_vfgnn_batch *b = &holder->batch;
  size_t count = b->members[SOTTO_PART_VALIDATION], cols = l->validate.cols;
  sotto_matrix came = {0};
  sotto_status status = SOTTO_OK;
  if (count == 0) return SOTTO_OK;
  SOTTO_TRY(sotto_matrix_new(&came, count, cols, err));
  SOTTO_TRY(receive_hidden(&came, holder, "hidden.validation", err));
  for (size_t i = 0; i < count; i++)
    memcpy(l->validate.data + b->member[SOTTO_PART_VALIDATION][i] * cols, came.data + i * cols,
           cols * sizeof(float));
done:
  sotto_matrix_free(&came);
  return status;
}

/* The validation decision on an epoch, once all of its validation rows are there. */
static sotto_status decide_epoch(double *value, sotto_i_vfgnn_holder *holder, sotto_error *err) {
  sotto_i_vfgnn_labels *l = holder->labels;
  const sotto_i_training training =
      sotto_i_job_training(holder->shared->job->options, sotto_i_vfgnn_epochs(holder->shared));
  sotto_quality quality;
  double loss;
  sotto_status status;
  SOTTO_TRY(measure_hidden(&quality, &loss, holder, &l->validate, SOTTO_PART_VALIDATION, err));
  *value = sotto_i_quality_value(&quality, training.select_by);
  sotto_i_decision decision = sotto_i_watch_next(&l->watch, *value, loss, &training);
  if (decision.better) {
    l->validation = quality;
    SOTTO_TRY(sotto_params_copy(l->best, l->params, err));
  }
  SOTTO_TRY(sotto_i_vfgnn_send_decision(holder->peers.dealer, decision, err));
done:
  return status;
}

sotto_status sotto_i_vfgnn_labels_step(sotto_i_vfgnn_holder *holder, uint64_t epoch, sotto_error *err) {
  sotto_i_vfgnn_labels *l = holder->labels;
  const sotto_i_job *job = holder->shared->job;
  bool last = sotto_i_vfgnn_batch_last(&holder->batch);
  double loss, value = 0;
  sotto_status status;
  sotto_i_stage stage = {.job = job,
                         .name = holder->shared->counts ? "encoder" : "network",
                         .epochs = sotto_i_vfgnn_epochs(holder->shared)};
  l->train.rows = holder->batch.members[SOTTO_PART_TRAIN];
  SOTTO_TRY(receive_hidden(&l->train, holder, "hidden.train", err));
  SOTTO_TRY(receive_validation(holder, err));
  if (last) SOTTO_TRY(decide_epoch(&value, holder, err));
  SOTTO_TRY(train_step(&loss, holder, err));
  if (last) sotto_i_stage_epoch(&stage, epoch + 1, loss, value);
done:
  return status;
}

sotto_status sotto_i_vfgnn_labels_end(sotto_i_vfgnn_holder *holder, sotto_error *err) {
  sotto_i_vfgnn_labels *l = holder->labels;
  double loss;
  sotto_status status;
  SOTTO_TRY(sotto_params_copy(l->params, l->best, err));
  if (holder->shared->counts) return vfgnn_counts_label(holder, err);
  SOTTO_TRY(receive_hidden(&l->tested, holder, "hidden.test", err));
  SOTTO_TRY(measure_hidden(&l->test, &loss, holder, &l->tested, SOTTO_PART_TEST, err));
done:
  return status;
}

void sotto_i_vfgnn_labels_free(sotto_i_vfgnn_labels *l) {
  sotto_i_parted_free(&l->parted);
  sotto_i_folds_free(&l->folds);
  sotto_i_free(l->rest);
  sotto_params_free(l->params);
  sotto_params_free(l->best);
  sotto_tape_free(l->tape);
  sotto_matrix_free(&l->train);
  sotto_matrix_free(&l->validate);
  sotto_matrix_free(&l->tested);
  sotto_matrix_free(&l->scores);
  sotto_i_free(l->step_labels);
}
