/* Layers in windows. Rows to norm 1: what is far along a release is smaller by orders of magnitude than what
 * is near, and tells as much by its direction. Then columns to one scale. Post-processing of the released
 * rows. */
#include "central_layers.h"

#include <string.h>

#include "base/memory.h"
#include "models/centre.h"
#include "pmp/release.h"

/* A batch of the embeddings, the same as when they were made. */
static sotto_status embed(sotto_i_central_layer *l, size_t batch, sotto_error *err) {
  sotto_i_central *c = l->c;
  const sotto_i_row_source *features = c->job->rows;
  const sotto_i_batch rows = sotto_i_batch_at(SOTTO_PART_NONE, features->rows, batch);
  const sotto_status status = sotto_i_embed_rows(&l->embedded, &l->room, l->tape, &c->encoder,
                                                 c->encoder_params, features, &rows, &c->key, err);
  l->batch = status == SOTTO_OK ? batch : SIZE_MAX;
  return status;
}

static sotto_status read_embeddings(sotto_i_central_layer *l, float *out, size_t first, size_t count,
                                    sotto_error *err) {
  const size_t most = sotto_i_batch_rows();
  for (size_t end; count > 0; first = end) {
    const size_t batch = first / most;
    if (batch != l->batch) {
      const sotto_status status = embed(l, batch, err);
      if (status != SOTTO_OK) return status;
    }
    end = first + count < (batch + 1) * most ? first + count : (batch + 1) * most;
    const size_t values = (end - first) * l->embedded.cols;
    memcpy(out, l->embedded.data + (first - batch * most) * l->embedded.cols, values * sizeof *out);
    out += values;
    count -= end - first;
  }
  return SOTTO_OK;
}

static sotto_status read_rows(void *context, float *out, size_t first, size_t count, sotto_error *err) {
  sotto_i_central_layer *l = context;
  sotto_matrix rows = {out, count, sotto_i_embedding_width(l->c->job->options)};
  const sotto_status status = l->k == 0 ? read_embeddings(l, out, first, count, err)
                                        : sotto_i_release_read(l->c->release, l->k, out, first, count, err);
  if (status != SOTTO_OK) return status;
  if (l->k > 0) sotto_i_rows_to_unit(&rows);
  if (l->moments != NULL) sotto_i_columns_by_moments(&rows, l->moments);
  return SOTTO_OK;
}

static sotto_status find_moments(sotto_i_central_layer *l, const sotto_i_row_source *source, float *window,
                                 sotto_error *err) {
  const size_t nodes = l->c->job->data->graph.nodes;
  double *moments = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&moments, 2 * source->cols, sizeof *moments, err));
  sotto_ranks *ranks = sotto_i_job_ranks(l->c->job);
  for (int squares = 0; sotto_i_ranks_first(ranks) && squares < 2; squares++)
    for (size_t first = 0; first < nodes; first += SOTTO_I_WINDOW_ROWS) {
      const size_t count = nodes - first < SOTTO_I_WINDOW_ROWS ? nodes - first : SOTTO_I_WINDOW_ROWS;
      const sotto_matrix rows = {window, count, source->cols};
      SOTTO_TRY(source->read(source->context, window, first, count, err));
      sotto_i_column_moments_add(moments, &rows, (double)nodes, squares == 1);
    }
  SOTTO_TRY(sotto_i_ranks_give(ranks, moments, 2 * source->cols * sizeof *moments, err));
  l->moments = moments;
  moments = NULL;
done:
  sotto_i_free(moments);
  return status;
}

sotto_status sotto_i_central_layers_new(sotto_i_central_layers *out, sotto_i_central *c, uint32_t count,
                                        sotto_error *err) {
  const size_t width = sotto_i_embedding_width(c->job->options);
  float *window = NULL;
  sotto_status status;
  *out = (sotto_i_central_layers){.count = count};
  SOTTO_TRY(sotto_i_new(&out->layers, count, sizeof *out->layers, err));
  SOTTO_TRY(sotto_i_new(&out->sources, count, sizeof *out->sources, err));
  SOTTO_TRY(sotto_i_new_raw(&window, width * SOTTO_I_WINDOW_ROWS, sizeof *window, err));
  for (uint32_t k = 0; k < count; k++) {
    sotto_i_central_layer *l = &out->layers[k];
    *l = (sotto_i_central_layer){.c = c, .k = k, .batch = SIZE_MAX};
    if (k == 0) SOTTO_TRY(sotto_tape_new(&l->tape, err));
    out->sources[k] =
        (sotto_i_row_source){.rows = c->job->rows->rows, .cols = width, .read = read_rows, .context = l};
    SOTTO_TRY(find_moments(l, &out->sources[k], window, err));
  }
done:
  sotto_i_free(window);
  return status;
}

void sotto_i_central_layers_free(sotto_i_central_layers *layers) {
  for (uint32_t k = 0; layers->layers != NULL && k < layers->count; k++) {
    sotto_i_free(layers->layers[k].moments);
    sotto_tape_free(layers->layers[k].tape);
    sotto_i_row_room_free(&layers->layers[k].room);
  }
  sotto_i_free(layers->layers);
  sotto_i_free(layers->sources);
}
