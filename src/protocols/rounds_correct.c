/* Fitting of the corrections of rounds, by what was read of their counts. */
#include "base/error.h"
#include "correction.h"
#include "inside/nn.h"
#include "options.h"
#include "rounds.h"

/* What a correction is added to, of the rows that this process holds. */
static const sotto_matrix *base_of(const sotto_i_rounds *r) {
  return sotto_i_rounds_hold_some(r) ? &r->base : r->first;
}

/* A correction that was fitted. */
typedef struct fitted {
  sotto_params *params;
  sotto_matrix scores;
  sotto_quality validation, test;
} fitted;

static void free_fitted(fitted *f) {
  sotto_matrix_free(&f->scores);
  sotto_params_free(f->params);
  *f = (fitted){.params = NULL};
}

/* Replaces `best` by `other` if that is better on validation nodes, or, with `ties`, as good. */
static bool keep_better(fitted *best, fitted *other, sotto_measure by, bool ties) {
  const double had = sotto_i_quality_value(&best->validation, by);
  const double has = sotto_i_quality_value(&other->validation, by);
  if (!(has > had || (ties && has == had))) return false;
  const fitted moved = *best;
  *best = *other;
  *other = moved;
  return true;
}

/* A correction of few weights. */
static sotto_status try_weights(fitted *best, const sotto_i_rounds *r, const sotto_i_correction *correction,
                                sotto_error *err) {
  fitted other = {.params = NULL};
  sotto_status status;
  SOTTO_TRY(sotto_params_new(&other.params, err));
  SOTTO_TRY(sotto_i_weighted_fit(&other.validation, &other.test, &other.scores, other.params, r->first,
                                 &r->inputs, correction, err));
  (void)keep_better(best, &other, r->job->options->select_by, true);
done:
  free_fitted(&other);
  return status;
}

/* One that reads a node's own features too. With two classes AUC decides: if one class is rare, accuracy is
 * that of the larger class for both. */
static sotto_status try_own(fitted *best, sotto_i_rounds *r, const sotto_i_correction *correction,
                            sotto_error *err) {
  const sotto_measure by = r->first->cols == 2 ? SOTTO_MEASURE_AUC : r->job->options->select_by;
  sotto_i_correction second = *correction;
  fitted other = {.params = NULL};
  sotto_status status;
  sotto_matrix *scores = best->scores.cols > 0 ? &other.scores : NULL;
  second.own = &r->own_rows.source;
  SOTTO_TRY(sotto_params_new(&other.params, err));
  SOTTO_TRY(sotto_i_correction_fit(&other.validation, &other.test, scores, other.params, base_of(r),
                                   &r->inputs, &second, err));
  if (!keep_better(best, &other, by, false)) goto done;
  SOTTO_TRY(sotto_i_correction_mark_own(best->params, correction->round, err));
done:
  free_fitted(&other);
  return status;
}

/* A correction whose scores make clusters that others see is fitted to the labels in `shown`. If these are
 * not the true labels, this correction is never the final one. */
sotto_status sotto_i_rounds_correct(sotto_i_rounds *r, uint32_t round, sotto_error *err) {
  const sotto_options *o = r->job->options;
  const bool last = round + 1 == o->layers, shows = !last && r->shown != r->parted;
  const sotto_i_correction correction = {.job = r->job,
                                         .parted = shows ? &r->guided : &r->fitted,
                                         .levels = r->levels,
                                         .held = sotto_i_rounds_hold_some(r) ? &r->held : NULL,
                                         .round = round,
                                         .labels_hidden = r->shown != r->parted};
  fitted best = {.params = NULL};
  sotto_matrix *scores = !last || r->reads_last ? &best.scores : NULL;
  sotto_status status;
  sotto_matrix_free(&r->latest);
  SOTTO_TRY(sotto_params_new(&best.params, err));
  SOTTO_TRY(sotto_i_correction_fit(&best.validation, &best.test, scores, best.params, base_of(r), &r->inputs,
                                   &correction, err));
  if (r->weighted && r->kind == SOTTO_I_BY_CLASS) SOTTO_TRY(try_weights(&best, r, &correction, err));
  if (r->scale.own > 0 && r->scale.own <= SOTTO_I_MOST_OWN_COLUMNS && !shows)
    SOTTO_TRY(try_own(&best, r, &correction, err));
  r->latest = best.scores;
  r->params[round] = best.params;
  if (!shows && sotto_i_quality_value(&best.validation, o->select_by) >
                    sotto_i_quality_value(&r->validation, o->select_by)) {
    r->validation = best.validation;
    r->test = best.test;
    r->kept = round + 1;
  }
  best = (fitted){.params = NULL};
done:
  free_fitted(&best);
  return status;
}
