/* The label holder, once the networks of features alone are trained: clusters of all nodes, and a correction
 * learnt from the sum of what all holders count, its own release among them. */
#include "base/error.h"
#include "party/inside/party.h"
#include "party/wire/link/transport.h"
#include "recipes/counts.h"
#include "recipes/cross_fit.h"
#include "recipes/rounds.h"
#include "recipes/table.h"
#include "run/spending/cost.h"
#include "vfgnn_counts.h"

static const char *const clusters_reason = "the predicted class of each node and its "
                                           "confidence; neighbours are counted by class";

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

/* From hidden rows of all nodes, by the best epoch. */
static sotto_status receive_first(reader *r, sotto_error *err) {
  const sotto_i_vfgnn *c = r->holder->shared;
  sotto_i_vfgnn_labels *l = r->holder->labels;
  sotto_matrix hidden = {0};
  sotto_status status;
  const sotto_expectation expected = {
      .name = SOTTO_I_VFGNN_ALL_NAME, .kind = SOTTO_WIRE_EXPOSED, .rows = c->nodes, .cols = c->width};
  SOTTO_TRY(sotto_matrix_new(&hidden, expected.rows, expected.cols, err));
  SOTTO_TRY(sotto_link_receive(r->holder->peers.dealer, &hidden, &expected, err));
  SOTTO_TRY(sotto_i_vfgnn_labels_score(&r->first, r->holder, &hidden, NULL, err));
  SOTTO_TRY(keep_scores(l, &r->first, err));
  SOTTO_TRY(
      sotto_i_scores_measure(&l->baseline_validation, &l->baseline_test, &r->first, c->job, &l->parted, err));
done:
  sotto_tape_reset(l->tape); /* it borrows the rows */
  sotto_matrix_free(&hidden);
  return status;
}

static sotto_status tell(reader *r, sotto_error *err) {
  const sotto_i_peers *peers = &r->holder->peers;
  sotto_matrix scores = {0}, told = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_rounds_clusters(&scores, &r->rounds, err));
  SOTTO_TRY(sotto_i_clusters_tell(&told, &scores, r->rounds.levels, err));
  SOTTO_TRY(sotto_i_clusters_take(&r->told.clusters, r->told.levels, &told, err));
  for (size_t i = 0; i < peers->count; i++)
    if (i != peers->self)
      SOTTO_TRY(
          sotto_link_send_exposed(peers->holder[i], SOTTO_I_CLUSTERS_NAME, clusters_reason, &told, err));
done:
  sotto_matrix_free(&scores);
  sotto_matrix_free(&told);
  return status;
}

static sotto_status play_round(reader *r, uint32_t round, sotto_error *err) {
  const sotto_i_vfgnn *c = r->holder->shared;
  sotto_matrix sum = {0};
  sotto_status status;
  const sotto_expectation expected = {.name = SOTTO_I_SUM_NAME,
                                      .kind = sotto_i_price_asked(c->job->options) ? SOTTO_WIRE_RELEASE
                                                                                   : SOTTO_WIRE_EXPOSED,
                                      .rows = c->nodes,
                                      .cols = c->classes};
  SOTTO_TRY(tell(r, err));
  SOTTO_TRY(sotto_i_vfgnn_counts_publish(r->holder, &r->told.clusters, r->told.levels, round, err));
  SOTTO_TRY(sotto_matrix_new(&sum, expected.rows, expected.cols, err));
  SOTTO_TRY(sotto_link_receive(r->holder->peers.dealer, &sum, &expected, err));
  SOTTO_TRY(sotto_i_rounds_read(&r->rounds, &sum, err));
  SOTTO_TRY(sotto_i_rounds_correct(&r->rounds, round, err));
  if (r->rounds.kept == round + 1) SOTTO_TRY(keep_scores(r->holder->labels, &r->rounds.latest, err));
done:
  sotto_matrix_free(&sum);
  return status;
}

/* Rounds after the one kept have no part in its scores. */
static sotto_status hand_over(reader *r, sotto_error *err) {
  sotto_i_vfgnn_labels *l = r->holder->labels;
  sotto_status status = SOTTO_OK;
  for (uint32_t round = 0; round < r->rounds.kept; round++)
    SOTTO_TRY(sotto_i_hand_over(l->params, r->rounds.params[round], &r->holder->shared->key, err));
  l->validation = r->rounds.validation;
  l->test = r->rounds.test;
done:
  return status;
}

sotto_status sotto_i_vfgnn_counts_label(sotto_i_vfgnn_holder *h, sotto_error *err) {
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
                              .weighted = true,
                              .owners = c->holders,
                              .validation = l->baseline_validation,
                              .test = l->baseline_test};
  SOTTO_TRY(sotto_i_rounds_begin(&r.rounds, err));
  for (uint32_t round = 0; round < c->job->options->layers; round++) SOTTO_TRY(play_round(&r, round, err));
  SOTTO_TRY(hand_over(&r, err));
done:
  sotto_i_rounds_free(&r.rounds);
  sotto_i_told_free(&r.told);
  sotto_matrix_free(&r.first);
  return status;
}
