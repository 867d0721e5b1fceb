/* Corrections of a finished run of vfgnn with counts, applied to the counts of other data. */
#include "vfgnn_corrected.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "inside/nn.h"
#include "nn/readings.h"
#include "protocols/correction.h"
#include "protocols/unsure.h"
#include "vfgnn_choice.h"

/* Of round k: "weightsK" (protocols/weighted.c), or a perceptron "correctionK". */
static sotto_status find_round(bool *found, bool *weighted, const char *file, uint32_t round,
                               sotto_error *err) {
  char name[40];
  sotto_status status;
  (void)snprintf(name, sizeof name, "weights%u", round);
  SOTTO_TRY(sotto_i_model_names(weighted, file, name, err));
  (void)snprintf(name, sizeof name, "correction%u.1.weight", round);
  SOTTO_TRY(sotto_i_model_names(found, file, name, err));
  *found = *found || *weighted;
done:
  return status;
}

sotto_status sotto_i_vfgnn_corrected_kept(uint32_t *kept, bool *weighted, const char *file, uint64_t rounds,
                                          sotto_error *err) {
  sotto_status status = SOTTO_OK;
  bool found = true;
  for (*kept = 0; *kept < rounds; ++*kept) {
    SOTTO_TRY(find_round(&found, &weighted[*kept], file, *kept, err));
    if (!found) break;
  }
done:
  return status;
}

/* Columns of the inputs after this round: log-probabilities, and what is read of each round's counts. */
static size_t width_of(const sotto_i_vfgnn_corrected *c, uint32_t round) {
  size_t width = c->of.job->data->classes;
  for (uint32_t k = 0; k <= round; k++) {
    const sotto_i_cluster_kind kind = sotto_i_corrections_kind(&c->of, k);
    width += sotto_i_readings_width(sotto_i_vfgnn_kind_cols_of_all(kind, c->shared),
                                    sotto_i_cells_are_whole(kind));
  }
  return width;
}

static sotto_status add_round(sotto_i_vfgnn_corrected *c, uint32_t round, sotto_error *err) {
  const size_t classes = c->of.job->data->classes, width = width_of(c, round);
  const sotto_i_correction correction = {.job = c->of.job, .round = round};
  char name[32];
  size_t number;
  sotto_status status = sotto_params_new(&c->of.params[round], err);
  if (status != SOTTO_OK) return status;
  if (!c->weighted[round])
    return sotto_i_correction_new(&c->of.mlp[round], c->of.params[round], width, classes, &correction, err);
  (void)snprintf(name, sizeof name, "weights%u", round);
  return sotto_params_add(c->of.params[round], &number, name, 1, round + 2, SOTTO_INIT_ZERO, false, NULL,
                          err);
}

sotto_status sotto_i_vfgnn_corrected_open(sotto_i_vfgnn_corrected *out, sotto_params **sets, size_t *count,
                                          const sotto_i_vfgnn *shared, const char *file, sotto_error *err) {
  const sotto_i_job *job = shared->job;
  sotto_status status;
  uint32_t kept;
  *out = (sotto_i_vfgnn_corrected){.shared = shared, .of = {.job = job}};
  SOTTO_TRY(sotto_i_vfgnn_corrected_kept(&kept, out->weighted, file, job->options->layers, err));
  if (kept > 0)
    SOTTO_TRY(sotto_i_correction_scale_load(&out->of.scale, job->folder, job->data->classes, err));
  while (out->of.kept < kept) {
    SOTTO_TRY(add_round(out, out->of.kept, err));
    sets[(*count)++] = out->of.params[out->of.kept++];
  }
done:
  return status;
}

void sotto_i_vfgnn_corrected_free(sotto_i_vfgnn_corrected *c) {
  sotto_i_corrections_free(&c->of);
  sotto_matrix_free(&c->read);
}

/* A weight for the base, and one for the centred counts of each round, whose asinh is in `read`. Nodes
 * without counts keep the base. */
static sotto_status weigh(sotto_matrix *out, const sotto_i_vfgnn_corrected *c, uint32_t round,
                          const sotto_matrix *base, const uint8_t *levels, sotto_error *err) {
  const float *w = sotto_params_value(c->of.params[round], 0)->data;
  const size_t classes = base->cols, each = sotto_i_readings_width(classes, false);
  const sotto_status status = sotto_matrix_new(out, base->rows, classes, err);
  for (size_t v = 0; status == SOTTO_OK && v < base->rows; v++)
    for (size_t j = 0; j < classes; j++) {
      const bool hears = levels == NULL || levels[v] != SOTTO_I_DEAF;
      double score = (hears ? (double)w[0] : 1) * base->data[v * classes + j];
      for (uint32_t k = 0; hears && k <= round; k++)
        score += (double)w[k + 1] * sinh((double)c->read.data[v * c->read.cols + k * each + j]);
      out->data[v * classes + j] = (float)score;
    }
  return status;
}

sotto_status sotto_i_vfgnn_corrected_scores(sotto_matrix *out, sotto_i_vfgnn_corrected *c, uint32_t round,
                                            const sotto_matrix *all, const sotto_laplace_grid *noise,
                                            const sotto_matrix *base, const uint8_t *levels,
                                            sotto_error *err) {
  const sotto_i_cluster_kind kind = sotto_i_corrections_kind(&c->of, round);
  const bool by_class = kind == SOTTO_I_BY_CLASS;
  const sotto_i_counted of = {
      .noise = noise, .releases = by_class ? c->shared->holders : 0, .whole = sotto_i_cells_are_whole(kind)};
  const sotto_status status = sotto_i_readings_append(&c->read, all, &of, err);
  if (status != SOTTO_OK) return status;
  if (c->weighted[round]) return weigh(out, c, round, base, levels, err);
  return sotto_i_corrections_scores(out, &c->of, round + 1, base, &c->read, levels, err);
}
