/* Corrections of a finished run: their networks, input scales and scores. */
#include "corrections.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "inside/nn.h"
#include "nn/readings.h"
#include "protocols/correction.h"
#include "protocols/networks/networks.h"
#include "protocols/table.h"
#include "protocols/unsure.h"

sotto_status sotto_i_networks_named(uint32_t *out, const char *file, const char *prefix, uint64_t most,
                                    sotto_error *err) {
  sotto_i_map map;
  sotto_status status = sotto_i_map_open(&map, file, err);
  if (status != SOTTO_OK) return status;
  for (*out = 0; *out < most; ++*out) {
    char name[40];
    (void)snprintf(name, sizeof name, "\"%s%u.", prefix, *out);
    if (memmem(map.data, map.size, name, strlen(name)) == NULL) break;
  }
  sotto_i_map_close(&map);
  return SOTTO_OK;
}

/* A model has the corrections up to the best one on validation nodes. Their number follows from the names
 * in its file. */
sotto_status sotto_i_corrections_open(sotto_i_corrections *out, sotto_params **sets, size_t *count,
                                      const sotto_i_job *job, const char *file, sotto_error *err) {
  const size_t classes = job->data->classes;
  sotto_status status;
  *out = (sotto_i_corrections){.job = job};
  SOTTO_TRY(sotto_i_networks_named(&out->kept, file, "correction", job->options->layers, err));
  for (uint32_t k = 0; k < out->kept; k++) {
    const sotto_i_correction correction = {.job = job, .round = k};
    SOTTO_TRY(sotto_params_new(&out->params[k], err));
    SOTTO_TRY(sotto_i_correction_new(&out->mlp[k], out->params[k], classes * (2 * k + 3), classes,
                                     &correction, err));
    sets[(*count)++] = out->params[k];
  }
  if (out->kept > 0) SOTTO_TRY(sotto_i_correction_scale_load(&out->scale, job->folder, classes, err));
done:
  return status;
}

void sotto_i_corrections_free(sotto_i_corrections *c) {
  for (size_t i = 0; i < SOTTO_MOST_COSTS; i++) sotto_params_free(c->params[i]);
  sotto_i_correction_scale_free(&c->scale);
  *c = (sotto_i_corrections){.job = NULL};
}

sotto_status sotto_i_corrections_levels(uint8_t **levels, const sotto_i_corrections *c,
                                        const sotto_matrix *base, const uint8_t *trains, sotto_error *err) {
  *levels = NULL;
  if (!c->scale.chosen) return SOTTO_OK;
  sotto_status status = sotto_i_unsure_above(levels, base, c->scale.surest, err);
  for (size_t i = 0; status == SOTTO_OK && c->scale.training && trains != NULL && i < base->rows; i++)
    if (trains[i] != 0) (*levels)[i] = SOTTO_I_DEAF + 1;
  return status;
}

sotto_status sotto_i_corrections_scores(sotto_matrix *out, const sotto_i_corrections *c, uint32_t rounds,
                                        const sotto_matrix *base, const sotto_matrix *read,
                                        const uint8_t *levels, sotto_error *err) {
  sotto_status status;
  sotto_matrix centred = {0}, inputs = {0};
  const sotto_i_correction correction = {.job = c->job, .levels = levels, .round = rounds - 1};
  if (rounds == 0) return sotto_i_table_join(out, base, &(sotto_matrix){0}, err);
  SOTTO_TRY(sotto_matrix_new(&centred, base->rows, base->cols, err));
  sotto_i_rows_less_mean(&centred, base);
  sotto_i_columns_by_moments(&centred, c->scale.moments);
  SOTTO_TRY(sotto_i_table_join(&inputs, &centred, read, err));
  SOTTO_TRY(sotto_i_correction_scores(out, &c->mlp[rounds - 1], c->params[rounds - 1], base, &inputs,
                                      &correction, NULL, err));
done:
  sotto_matrix_free(&centred);
  sotto_matrix_free(&inputs);
  return status;
}

sotto_status sotto_i_corrections_read(sotto_matrix *read, const sotto_matrix *counts,
                                      const sotto_laplace_grid *noise, sotto_error *err) {
  sotto_status status;
  sotto_matrix own = {0}, wider = {0};
  SOTTO_TRY(sotto_i_readings(&own, counts, noise, 1, err));
  if (read->cols == 0) {
    *read = own;
    return SOTTO_OK;
  }
  SOTTO_TRY(sotto_i_table_join(&wider, read, &own, err));
  sotto_matrix_free(read);
  *read = wider;
done:
  sotto_matrix_free(&own);
  return status;
}
