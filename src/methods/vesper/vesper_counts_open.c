/* Answers of a run that published counts, where one process has both halves. */
#include "base/error.h"
#include "nn/inside/nn.h"
#include "recipes/answers/predict_counts.h"
#include "vesper_halves.h"

typedef struct networks {
  const sotto_i_job *job;
  sotto_i_folds folds;
  sotto_i_halves encoders, heads;
} networks;

static sotto_status open_networks(void *self, sotto_params **sets, size_t *count, const sotto_i_opening *from,
                                  sotto_error *err) {
  networks *n = self;
  sotto_status status;
  n->job = from->job;
  SOTTO_TRY(sotto_i_folds_of_answers(&n->folds, from, "encoder", err));
  SOTTO_TRY(sotto_i_halves_encoders(&n->encoders, n->folds.count, from->job, from->job->features->cols, err));
  SOTTO_TRY(sotto_i_halves_heads(&n->heads, n->folds.count, from->job, 0, err));
  for (uint32_t k = 0; k < n->folds.count; k++) {
    sets[(*count)++] = n->encoders.params[k];
    sets[(*count)++] = n->heads.params[k];
  }
done:
  return status;
}

static sotto_status scores_of(const void *self, sotto_matrix *out, const sotto_matrix *x,
                              const uint32_t *nodes, sotto_error *err) {
  const networks *n = self;
  sotto_matrix rows = {0}, own = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(out, x->rows, n->job->data->classes, err));
  for (uint32_t k = 0; k < n->folds.count; k++) {
    SOTTO_TRY(
        sotto_i_embed_all(&rows, &n->encoders.mlp[k], n->encoders.params[k], x, &n->encoders.key[k], err));
    SOTTO_TRY(sotto_i_embed_all(&own, &n->heads.mlp[k], n->heads.params[k], &rows, &n->heads.key[k], err));
    sotto_i_rows_to_softmax(&own);
    sotto_i_folds_add(out, &own, &n->folds, k, nodes);
    sotto_matrix_free(&rows);
    sotto_matrix_free(&own);
  }
  sotto_i_to_logarithms(out);
done:
  sotto_matrix_free(&rows);
  sotto_matrix_free(&own);
  return status;
}

static void free_networks(void *self) {
  networks *n = self;
  sotto_i_folds_free(&n->folds);
  sotto_i_halves_free(&n->encoders);
  sotto_i_halves_free(&n->heads);
}

sotto_status sotto_i_vesper_counts_open(sotto_i_predictor *out, const sotto_i_opening *from,
                                        sotto_error *err) {
  static const sotto_i_first_stage stages[2] = {
      {.size = sizeof(networks), .open = open_networks, .scores = scores_of, .free = free_networks},
      {.size = sizeof(networks),
       .open = open_networks,
       .scores = scores_of,
       .free = free_networks,
       .told = true}};
  const bool told = sotto_i_vesper_settings_of(from->job->options)->clusters == SOTTO_I_CLUSTERS_LABELS;
  return sotto_i_predict_counts(out, from, &stages[told], err);
}
