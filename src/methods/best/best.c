/* BEST: noisy counts of neighbours by cluster, and a correction learnt from them. Cluster assignment:
 * training nodes by label, other nodes by predicted class of cross-fitted perceptrons on features. Counts of
 * neighbours by cluster are released (counts.c), and a correction to the log-probabilities reads them. With
 * several rounds the corrected probabilities make the next clusters. Under noise an edge is counted twice at
 * the end with the less confident prediction. With --read-share below 1 the most confident nodes have no
 * counts, and keep their predictions from features alone. A node's own label is not in its own first counts,
 * since a simple graph has no loops; labels of validation and test nodes enter none. */
#include "best.h"

#include "base/error.h"
#include "nn/inside/nn.h"
#include "recipes/answers/predict_counts.h"
#include "recipes/counts.h"
#include "recipes/cross_fit.h"
#include "recipes/nights/night_answers.h"
#include "recipes/rounds.h"
#include "run/files/job_file.h"

typedef struct state {
  const sotto_i_job *job;
  sotto_i_parted parted;
  sotto_matrix first; /* log-probabilities from features alone */
  sotto_params *perceptrons;
  sotto_i_rounds rounds;
} state;

static bool noisy(const state *s) {
  return s->job->cost->count > 0;
}

static sotto_status begin(state *s, sotto_i_outcome *out, sotto_error *err) {
  sotto_seed_result *q = &out->quality;
  sotto_status status;
  SOTTO_TRY(sotto_i_parted_new(&s->parted, s->job, err));
  SOTTO_TRY(sotto_params_new(&s->perceptrons, err));
  SOTTO_TRY(sotto_i_cross_fit(&s->first, &q->baseline_validation, &q->baseline_test, s->perceptrons, s->job,
                              &s->parted, err));
  s->rounds = (sotto_i_rounds){.job = s->job,
                               .parted = &s->parted,
                               .shown = &s->parted,
                               .told = true,
                               .exactly = true,
                               .first = &s->first,
                               .validation = q->baseline_validation,
                               .test = q->baseline_test};
  SOTTO_TRY(sotto_i_rounds_begin(&s->rounds, err));
done:
  return status;
}

static sotto_status play_round(state *s, uint32_t round, sotto_error *err) {
  sotto_status status;
  sotto_matrix clusters = {0};
  sotto_dataset released = {0};
  sotto_laplace_grid grid;
  const sotto_i_counts counts = {.job = s->job,
                                 .scores = &clusters,
                                 .levels = s->rounds.levels,
                                 .noise = noisy(s) ? &grid : NULL,
                                 .round = round,
                                 .item = round};
  if (noisy(s)) SOTTO_TRY(sotto_i_counts_grid(&grid, s->job->options, err));
  SOTTO_TRY(sotto_i_rounds_clusters(&clusters, &s->rounds, err));
  SOTTO_TRY(sotto_i_counts_release(&released, NULL, &counts, err));
  sotto_matrix_free(&clusters);
  SOTTO_TRY(sotto_i_rounds_read(&s->rounds, &released.features, err));
  sotto_dataset_free(&released);
  SOTTO_TRY(sotto_i_rounds_correct(&s->rounds, round, err));
done:
  sotto_matrix_free(&clusters);
  sotto_dataset_free(&released);
  return status;
}

/* Rounds after the one kept have no part in its scores. */
static sotto_status save(const state *s, sotto_error *err) {
  const sotto_params *sets[SOTTO_MOST_COSTS + 1] = {s->perceptrons};
  for (uint32_t i = 0; i < s->rounds.kept; i++) sets[i + 1] = s->rounds.params[i];
  return sotto_i_job_save_model(s->job, sets, s->rounds.kept + 1, err);
}

sotto_status sotto_i_best_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  state s = {.job = job};
  out->quality.seed = job->seed;
  SOTTO_TRY(begin(&s, out, err));
  for (uint32_t round = 0; round < job->options->layers; round++) SOTTO_TRY(play_round(&s, round, err));
  SOTTO_TRY(save(&s, err));
  out->quality.validation = s.rounds.validation;
  out->quality.test = s.rounds.test;
done:
  sotto_i_rounds_free(&s.rounds);
  sotto_i_parted_free(&s.parted);
  sotto_matrix_free(&s.first);
  sotto_params_free(s.perceptrons);
  return status;
}

/* The perceptrons as they answer. */
typedef struct perceptrons {
  sotto_params *params;
  sotto_i_cross_fitted fitted;
} perceptrons;

static sotto_status first_of(const void *self, sotto_matrix *out, const sotto_matrix *x,
                             const uint32_t *nodes, sotto_error *err) {
  const perceptrons *p = self;
  return sotto_i_cross_fit_scores(out, &p->fitted, x, nodes, err);
}

static sotto_status open_first(void *self, sotto_params **sets, size_t *count, const sotto_i_opening *from,
                               sotto_error *err) {
  perceptrons *p = self;
  sotto_i_folds folds;
  sotto_status status;
  SOTTO_TRY(sotto_params_new(&p->params, err));
  SOTTO_TRY(sotto_i_folds_of_answers(&folds, from, "perceptron", err));
  SOTTO_TRY(sotto_i_cross_fit_new(&p->fitted, p->params, from->job, &folds, err));
  sets[(*count)++] = p->params;
done:
  return status;
}

static void free_first(void *self) {
  perceptrons *p = self;
  sotto_i_folds_free(&p->fitted.folds);
  sotto_params_free(p->params);
}

sotto_status sotto_i_best_open(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  static const sotto_i_first_stage first = {
      .size = sizeof(perceptrons), .open = open_first, .scores = first_of, .free = free_first, .told = true};
  if (from->night != NULL) return sotto_i_predict_night(out, from, &first, err);
  return sotto_i_predict_counts(out, from, &first, err);
}
