/* The first layer in the clear, for tests.
 *
 * Locking rule: `turn` is a barrier of all holders. Between two barriers each holder uses only its own
 * columns or its own part of the gradient; only holder 0 uses the common members. */
#include "vfgnn_clear.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

struct sotto_i_vfgnn_clear {
  size_t holders;
  pthread_barrier_t turn;
  sotto_i_shared_shape shape;
  const sotto_matrix *features[SOTTO_MOST_HOLDERS], *start[SOTTO_MOST_HOLDERS], *gradient[SOTTO_MOST_HOLDERS];
  double *x, *w, *v, *best;
  sotto_matrix out;
  sotto_status status;
};

static atomic_bool planted;

void sotto_i_plant_clear_first(bool on) {
  atomic_store(&planted, on);
}

sotto_status sotto_i_vfgnn_clear_new(sotto_i_vfgnn_clear **out, size_t holders, sotto_error *err) {
  *out = NULL;
  if (!atomic_load(&planted)) return SOTTO_OK;
  sotto_status status = sotto_i_new(out, 1, sizeof **out, err);
  if (status != SOTTO_OK) return status;
  (*out)->holders = holders;
  pthread_barrier_init(&(*out)->turn, NULL, (unsigned)holders);
  return SOTTO_OK;
}

void sotto_i_vfgnn_clear_free(sotto_i_vfgnn_clear *c) {
  if (c == NULL) return;
  pthread_barrier_destroy(&c->turn);
  sotto_i_free(c->x);
  sotto_i_free(c->w);
  sotto_i_free(c->v);
  sotto_i_free(c->best);
  sotto_matrix_free(&c->out);
  sotto_i_free(c);
}

static void wait_all(sotto_i_vfgnn_clear *c) {
  (void)pthread_barrier_wait(&c->turn);
}

static sotto_status concatenate_features(sotto_i_vfgnn_clear *c, const sotto_i_shared_shape *shape,
                                         sotto_error *err) {
  size_t inner = sotto_i_shared_inner(shape), first = 0;
  sotto_status status;
  c->shape = *shape;
  SOTTO_TRY(sotto_i_new(&c->x, shape->rows * inner, sizeof *c->x, err));
  SOTTO_TRY(sotto_i_new(&c->w, inner * shape->width, sizeof *c->w, err));
  SOTTO_TRY(sotto_i_new(&c->v, inner * shape->width, sizeof *c->v, err));
  SOTTO_TRY(sotto_i_new(&c->best, inner * shape->width, sizeof *c->best, err));
  SOTTO_TRY(sotto_matrix_new(&c->out, shape->rows, shape->width, err));
  for (size_t h = 0; h < c->holders; first += shape->cols[h++]) {
    for (size_t i = 0; i < shape->rows; i++)
      for (size_t j = 0; j < shape->cols[h]; j++)
        c->x[i * inner + first + j] = c->features[h]->data[i * shape->cols[h] + j];
    for (size_t i = 0; i < inner * shape->width; i++) c->w[i] += c->start[h]->data[i];
  }
done:
  return status;
}

sotto_status sotto_i_vfgnn_clear_begin(sotto_i_vfgnn_clear *c, const sotto_i_shared_shape *shape,
                                       size_t holder, const sotto_matrix *features, const sotto_matrix *start,
                                       sotto_error *err) {
  c->features[holder] = features;
  c->start[holder] = start;
  wait_all(c);
  if (holder == 0) c->status = concatenate_features(c, shape, err);
  wait_all(c);
  return c->status;
}

sotto_status sotto_i_vfgnn_clear_forward(sotto_i_vfgnn_clear *c, size_t holder, sotto_matrix *out,
                                         sotto_error *err) {
  size_t rows = c->shape.rows, inner = sotto_i_shared_inner(&c->shape), width = c->shape.width;
  (void)err;
  wait_all(c);
  if (holder == 0)
    for (size_t i = 0; i < rows; i++) {
      double sum[512] = {0};
      SOTTO_I_CHECK(width <= 512);
      for (size_t k = 0; k < inner; k++)
        if (c->x[i * inner + k] != 0)
          for (size_t j = 0; j < width; j++) sum[j] += c->x[i * inner + k] * c->w[k * width + j];
      for (size_t j = 0; j < width; j++) c->out.data[i * width + j] = (float)sum[j];
    }
  wait_all(c);
  for (size_t i = 0; i < rows * width; i++) out->data[i] = c->out.data[i];
  return SOTTO_OK;
}

static void update_weights(sotto_i_vfgnn_clear *c) {
  size_t rows = c->shape.rows, inner = sotto_i_shared_inner(&c->shape), width = c->shape.width;
  const sotto_i_shared_shape *s = &c->shape;
  for (size_t i = 0; i < inner * width; i++) c->v[i] = s->momentum * c->v[i] + s->decay * c->w[i];
  for (size_t i = 0; i < rows; i++) {
    double sum[512] = {0};
    for (size_t h = 0; h < c->holders; h++)
      for (size_t j = 0; j < width; j++) sum[j] += c->gradient[h]->data[i * width + j];
    for (size_t k = 0; k < inner; k++)
      if (c->x[i * inner + k] != 0)
        for (size_t j = 0; j < width; j++) c->v[k * width + j] += c->x[i * inner + k] * sum[j];
  }
  for (size_t i = 0; i < inner * width; i++) c->w[i] -= s->rate * c->v[i];
}

sotto_status sotto_i_vfgnn_clear_backward(sotto_i_vfgnn_clear *c, size_t holder, const sotto_matrix *gradient,
                                          sotto_error *err) {
  (void)err;
  c->gradient[holder] = gradient;
  wait_all(c);
  if (holder == 0) update_weights(c);
  wait_all(c);
  return SOTTO_OK;
}

void sotto_i_vfgnn_clear_keep(sotto_i_vfgnn_clear *c, size_t holder) {
  if (holder == 0) memcpy(c->best, c->w, sotto_i_shared_inner(&c->shape) * c->shape.width * sizeof *c->w);
}

void sotto_i_vfgnn_clear_export(const sotto_i_vfgnn_clear *c, sotto_matrix *out) {
  for (size_t i = 0; i < out->rows * out->cols; i++) out->data[i] = (float)c->best[i];
}
