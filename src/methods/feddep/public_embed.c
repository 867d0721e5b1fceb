/* Embeddings by a public projection and means of neighbours; their sensitivity to a node is bounded. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "inside/graph.h"
#include "noisy_prototypes.h"
#include "pmp/release.h"

enum { stream_projection = 65 };

void sotto_i_cut_rows(sotto_matrix *x) {
  for (size_t v = 0; v < x->rows; v++) {
    double square = 0;
    float *row = x->data + v * x->cols;
    for (size_t j = 0; j < x->cols; j++) square += (double)row[j] * row[j];
    double factor = sotto_i_clip_factor(square, 1 - 0x1p-20);
    for (size_t j = 0; j < x->cols; j++) row[j] = (float)(row[j] * factor);
  }
}

static sotto_status project_rows(sotto_matrix *out, const sotto_matrix *x, size_t width, uint64_t seed,
                                 sotto_error *err) {
  sotto_i_random random;
  sotto_key key;
  double *weights = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&weights, x->cols * width, sizeof *weights, err));
  SOTTO_TRY(sotto_matrix_new(out, x->rows, width, err));
  sotto_key_public(&key, seed);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_GENERATE, stream_projection, 0);
  for (size_t i = 0; i < x->cols * width; i++)
    weights[i] = sotto_i_random_normal(&random) / sqrt((double)width);
  for (size_t v = 0; v < x->rows; v++)
    for (size_t i = 0; i < x->cols; i++) {
      float value = x->data[v * x->cols + i];
      for (size_t j = 0; value != 0 && j < width; j++)
        out->data[v * width + j] += (float)(value * weights[i * width + j]);
    }
  sotto_i_cut_rows(out);
done:
  sotto_i_free(weights);
  return status;
}

sotto_status sotto_i_public_embed(sotto_matrix *own, sotto_matrix *deep, const sotto_i_fed_client *c,
                                  size_t width, sotto_error *err) {
  const sotto_options *o = c->federation->options;
  sotto_operator *mean = NULL;
  sotto_matrix next = {0};
  sotto_status status;
  SOTTO_TRY(sotto_graph_check_degrees(&c->data.graph, o->max_degree, err));
  SOTTO_TRY(project_rows(own, &c->features, width, c->federation->seed, err));
  SOTTO_TRY(sotto_matrix_new(deep, own->rows, width, err));
  SOTTO_TRY(sotto_matrix_new(&next, own->rows, width, err));
  SOTTO_TRY(sotto_operator_new(&mean, &c->data.graph, SOTTO_AGGREGATOR_MEAN, o->max_degree, true, err));
  memcpy(deep->data, own->data, own->rows * width * sizeof(float));
  for (uint64_t layer = 0; layer < sotto_i_part_settings_of(o)->embed_layers; layer++) {
    SOTTO_TRY(sotto_operator_apply(mean, &next, deep, err));
    memcpy(deep->data, next.data, own->rows * width * sizeof(float));
  }
done:
  sotto_operator_free(mean);
  sotto_matrix_free(&next);
  return status;
}
