/* The layers of VESPER as published: sampled blocks, spectral normalisation, noise; each on a tape. */
#include <math.h>
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "inside/tensor.h"
#include "vesper_paper_layers.h"

enum { rows_per_range = 64 };

sotto_status sotto_i_sampler_new(sotto_i_sampler *out, const sotto_options *o, const sotto_graph *graph,
                                 sotto_error *err) {
  sotto_status status;
  *out = (sotto_i_sampler){.graph = graph,
                           .cap = (uint32_t)o->fan_out,
                           .layers = (uint32_t)o->layers,
                           .gcn = o->aggregator == SOTTO_LAYER_GCN,
                           .least = o->degree_floor};
  SOTTO_TRY(sotto_i_new(&out->list, graph->nodes, sizeof *out->list, err));
  SOTTO_TRY(sotto_i_new(&out->place, graph->nodes, sizeof *out->place, err));
  SOTTO_TRY(sotto_i_new(&out->own, graph->nodes, sizeof *out->own, err));
  for (uint32_t i = 0; i < graph->nodes; i++) out->own[i] = i;
done:
  return status;
}

/* out[0..sample): a uniform sample of row[0..degree) without replacement, in order: neighbour i is taken
 * with probability wanted / left. */
static void choose_neighbours(uint32_t *out, const uint32_t *row, uint64_t degree, uint32_t sample,
                              sotto_i_random *random) {
  uint32_t taken = 0;
  for (uint64_t i = 0; taken < sample; i++)
    if (sotto_i_random_below(random, degree - i) < sample - taken) out[taken++] = row[i];
}

static void blocks_free(sotto_i_sampler *s) {
  for (uint32_t l = 0; l < s->layers; l++) {
    sotto_i_free(s->block[l].offsets);
    sotto_i_free(s->block[l].source);
    sotto_i_free(s->block[l].weight);
    sotto_i_free(s->block[l].low);
    s->block[l] = (sotto_i_paper_block){0};
  }
}

void sotto_i_sampler_free(sotto_i_sampler *s) {
  blocks_free(s);
  sotto_i_free(s->list);
  sotto_i_free(s->place);
  sotto_i_free(s->own);
  *s = (sotto_i_sampler){0};
}

/* The position of a node in the list, where it is added if missing. `place` has the position plus one. */
static uint32_t place_of(sotto_i_sampler *s, uint32_t node) {
  if (s->place[node] == 0) {
    s->list[s->count++] = node;
    s->place[node] = (uint32_t)s->count;
  }
  return s->place[node] - 1;
}

static double capped_degree(const sotto_i_sampler *s, uint32_t node) {
  return fmin((double)sotto_graph_degree(s->graph, node), (double)s->cap);
}

static float weight_of(const sotto_i_sampler *s, double degree, uint32_t other) {
  return s->gcn ? (float)(1 / sqrt((degree + 1) * (capped_degree(s, other) + 1))) : 1;
}

/* Row i: the node itself, then its neighbours. */
static void draw_row(sotto_i_sampler *s, sotto_i_paper_block *block, size_t i, uint32_t *chosen,
                     sotto_i_random *random) {
  const uint32_t node = s->list[i];
  const uint32_t *near = s->graph->targets + s->graph->offsets[node];
  uint64_t degree = sotto_graph_degree(s->graph, node), at = block->offsets[i];
  uint32_t count = degree < s->cap ? (uint32_t)degree : s->cap;
  block->low[i] = s->gcn && count < s->least;
  if (!block->low[i]) {
    block->source[at] = (uint32_t)i;
    block->weight[at++] = s->gcn ? (float)(1 / ((double)count + 1)) : 1;
    choose_neighbours(chosen, near, degree, count, random);
    for (uint32_t k = 0; k < count; k++) {
      block->weight[at] = weight_of(s, count, chosen[k]);
      block->source[at++] = place_of(s, chosen[k]);
    }
  }
  block->offsets[i + 1] = at;
}

static sotto_status draw_block(sotto_i_sampler *s, uint32_t layer, uint32_t *chosen, const sotto_key *key,
                               sotto_error *err) {
  sotto_i_paper_block *block = &s->block[layer];
  sotto_status status = SOTTO_OK;
  sotto_i_random random;
  uint64_t most = 0;
  block->rows = s->count;
  for (size_t i = 0; i < block->rows; i++) most += (uint64_t)capped_degree(s, s->list[i]) + 1;
  SOTTO_TRY(sotto_i_new(&block->offsets, block->rows + 1, sizeof *block->offsets, err));
  SOTTO_TRY(sotto_i_new(&block->low, block->rows, sizeof *block->low, err));
  SOTTO_TRY(sotto_i_new_raw(&block->source, most, sizeof *block->source, err));
  SOTTO_TRY(sotto_i_new_raw(&block->weight, most, sizeof *block->weight, err));
  for (size_t i = 0; i < block->rows; i++) {
    sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_NEIGHBOUR, layer, i);
    draw_row(s, block, i, chosen, &random);
  }
  block->inputs = s->count;
done:
  sodium_memzero(&random, sizeof random);
  return status;
}

sotto_status sotto_i_sampler_draw(sotto_i_sampler *s, const uint32_t *roots, size_t count,
                                  const sotto_key *key, sotto_error *err) {
  sotto_status status;
  uint32_t *chosen = NULL;
  blocks_free(s);
  for (size_t i = 0; i < s->count; i++) s->place[s->list[i]] = 0;
  s->count = 0;
  SOTTO_TRY(sotto_i_new_raw(&chosen, s->cap, sizeof *chosen, err));
  for (size_t i = 0; i < count; i++) (void)place_of(s, roots[i]);
  for (uint32_t l = s->layers; l > 0; l--) SOTTO_TRY(draw_block(s, l - 1, chosen, key, err));
done:
  sotto_i_free(chosen);
  return status;
}

typedef struct summing {
  const sotto_i_paper_block *block;
  const sotto_matrix *from;
  sotto_matrix *to;
} summing;

static void sum_rows(void *context, size_t begin, size_t end) {
  const summing *job = context;
  const sotto_i_paper_block *b = job->block;
  size_t cols = job->from->cols;
  for (size_t i = begin; i < end; i++) {
    float *y = job->to->data + i * cols;
    memset(y, 0, cols * sizeof *y);
    for (uint64_t e = b->offsets[i]; e < b->offsets[i + 1]; e++) {
      const float *x = job->from->data + b->source[e] * cols;
      for (size_t j = 0; j < cols; j++) y[j] += b->weight[e] * x[j];
    }
  }
}

static sotto_status block_forward(const void *context, sotto_matrix *y, const sotto_matrix *x,
                                  sotto_error *err) {
  summing job = {context, x, y};
  if (x->rows != job.block->inputs)
    return sotto_i_fail(err, SOTTO_INVALID, "%zu rows for a block of %zu", x->rows, job.block->inputs);
  sotto_i_parallel(y->rows, rows_per_range, sum_rows, &job);
  return SOTTO_OK;
}

static sotto_status block_backward(const void *context, sotto_matrix *dx, const sotto_matrix *dy,
                                   const sotto_matrix *x, const sotto_matrix *y, sotto_error *err) {
  const sotto_i_paper_block *b = context;
  (void)x, (void)y, (void)err;
  for (size_t i = 0; i < b->rows; i++) {
    const float *above = dy->data + i * dy->cols;
    for (uint64_t e = b->offsets[i]; e < b->offsets[i + 1]; e++) {
      float *below = dx->data + b->source[e] * dx->cols;
      for (size_t j = 0; j < dx->cols; j++) below[j] += b->weight[e] * above[j];
    }
  }
  return SOTTO_OK;
}

sotto_var sotto_i_block_var(const sotto_i_paper_block *block, sotto_tape *tape, sotto_var x) {
  static const sotto_tape_op op = {"sampled neighbours", block_forward, block_backward};
  return sotto_tape_custom(tape, x, block->rows, sotto_tape_value(tape, x).cols, &op, block);
}

static void to_unit(double *x, size_t count) {
  double square = 0;
  for (size_t i = 0; i < count; i++) square += x[i] * x[i];
  for (size_t i = 0; i < count && square > 0; i++) x[i] /= sqrt(square);
}

sotto_status sotto_i_spectral_new(sotto_i_spectral *out, size_t rows, size_t cols, const sotto_key *key,
                                  sotto_error *err) {
  sotto_status status;
  *out = (sotto_i_spectral){.rows = rows, .cols = cols};
  SOTTO_TRY(sotto_i_new(&out->u, rows, sizeof *out->u, err));
  SOTTO_TRY(sotto_i_new(&out->v, cols, sizeof *out->v, err));
  sotto_i_spectral_restart(out, key);
done:
  return status;
}

void sotto_i_spectral_restart(sotto_i_spectral *s, const sotto_key *key) {
  sotto_i_random random;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_INIT, 2, 0);
  for (size_t i = 0; i < s->rows; i++) s->u[i] = sotto_i_random_normal(&random);
  to_unit(s->u, s->rows);
}

void sotto_i_spectral_free(sotto_i_spectral *s) {
  sotto_i_free(s->u);
  sotto_i_free(s->v);
  *s = (sotto_i_spectral){0};
}

void sotto_i_spectral_step(sotto_i_spectral *s, const sotto_matrix *weight) {
  memset(s->v, 0, s->cols * sizeof *s->v);
  for (size_t i = 0; i < s->rows; i++)
    for (size_t j = 0; j < s->cols; j++) s->v[j] += s->u[i] * (double)weight->data[i * s->cols + j];
  to_unit(s->v, s->cols);
  memset(s->u, 0, s->rows * sizeof *s->u);
  for (size_t i = 0; i < s->rows; i++)
    for (size_t j = 0; j < s->cols; j++) s->u[i] += s->v[j] * (double)weight->data[i * s->cols + j];
  to_unit(s->u, s->rows);
}

static double divisor_of(const sotto_i_spectral *s, const sotto_matrix *x) {
  double sum = 0;
  for (size_t i = 0; i < s->rows; i++)
    for (size_t j = 0; j < s->cols; j++) sum += s->u[i] * (double)x->data[i * s->cols + j] * s->v[j];
  return sum > 1e-12 ? sum : 1;
}

static sotto_status spectral_forward(const void *context, sotto_matrix *y, const sotto_matrix *x,
                                     sotto_error *err) {
  const double norm = divisor_of(context, x);
  (void)err;
  for (size_t i = 0; i < x->rows * x->cols; i++) y->data[i] = (float)((double)x->data[i] / norm);
  return SOTTO_OK;
}

/* With s = u' W v: dW += dY / s - <dY, W> / s^2 u v'. */
static sotto_status spectral_backward(const void *context, sotto_matrix *dx, const sotto_matrix *dy,
                                      const sotto_matrix *x, const sotto_matrix *y, sotto_error *err) {
  const sotto_i_spectral *s = context;
  double norm = divisor_of(s, x), inner = 0;
  (void)y, (void)err;
  for (size_t i = 0; i < x->rows * x->cols; i++) inner += (double)dy->data[i] * (double)x->data[i];
  for (size_t i = 0; i < s->rows; i++)
    for (size_t j = 0; j < s->cols; j++)
      dx->data[i * s->cols + j] +=
          (float)((double)dy->data[i * s->cols + j] / norm - inner / (norm * norm) * s->u[i] * s->v[j]);
  return SOTTO_OK;
}

sotto_var sotto_i_spectral_var(const sotto_i_spectral *spectral, sotto_tape *tape, sotto_var weight) {
  static const sotto_tape_op op = {"spectral normalisation", spectral_forward, spectral_backward};
  return sotto_tape_custom(tape, weight, spectral->rows, spectral->cols, &op, spectral);
}

static sotto_status noising_forward(const void *context, sotto_matrix *y, const sotto_matrix *x,
                                    sotto_error *err) {
  const sotto_i_noising *n = context;
  memcpy(y->data, x->data, x->rows * x->cols * sizeof(float));
  for (size_t i = 0; i < y->rows && n->clip > 0; i++) {
    float *row = y->data + i * y->cols;
    double square = 0;
    for (size_t j = 0; j < y->cols; j++) square += (double)row[j] * row[j];
    if (square <= n->clip * n->clip) continue;
    const bool finite = isfinite(square);
    for (size_t j = 0; j < y->cols; j++) row[j] = finite ? (float)(row[j] * (n->clip / sqrt(square))) : 0;
  }
  if (n->grid.sigma == 0) return SOTTO_OK;
  return sotto_grid_add_noise(y, &n->grid, &n->key, n->layer, err);
}

static sotto_status noising_backward(const void *context, sotto_matrix *dx, const sotto_matrix *dy,
                                     const sotto_matrix *x, const sotto_matrix *y, sotto_error *err) {
  (void)context, (void)x, (void)y, (void)err;
  for (size_t i = 0; i < dx->rows * dx->cols; i++) dx->data[i] += dy->data[i];
  return SOTTO_OK;
}

sotto_var sotto_i_noising_var(const sotto_i_noising *noising, sotto_tape *tape, sotto_var x) {
  static const sotto_tape_op op = {"noise", noising_forward, noising_backward};
  const sotto_matrix value = sotto_tape_value(tape, x);
  return sotto_tape_custom(tape, x, value.rows, value.cols, &op, noising);
}
