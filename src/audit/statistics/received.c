/* Edge attacks on released layers: an edge adds one endpoint's row to the other's. */
#include <math.h>

#include "base/memory.h"
#include "inside/audit.h"
#include "pairs.h"

/* <y_u, z_v> / |z_v|: the projection on the other node's normalised row. */
static double projection(const sotto_matrix *made, uint32_t u, const sotto_matrix *of, uint32_t v) {
  const float *y = made->data + u * made->cols, *z = of->data + v * of->cols;
  double both = 0, square = 0;
  for (size_t j = 0; j < of->cols; j++) {
    both += (double)y[j] * (double)z[j];
    square += (double)z[j] * (double)z[j];
  }
  return square > 0 ? both / sqrt(square) : 0;
}

static sotto_status check(const sotto_received *from, sotto_error *err) {
  const sotto_matrix *layers = from->layers;
  if (from->count < 1) return sotto_i_fail(err, SOTTO_INVALID, "no layer was received");
  for (size_t k = 0; k < from->count; k++)
    if (layers[k].rows != from->graph->nodes || layers[k].cols != layers[0].cols)
      return sotto_i_fail(err, SOTTO_INVALID, "layer %zu is %zu x %zu, for %llu nodes and %zu columns", k,
                          layers[k].rows, layers[k].cols, (unsigned long long)from->graph->nodes,
                          layers[0].cols);
  return SOTTO_OK;
}

static double score_of(const sotto_received *from, sotto_i_pair pair) {
  const size_t first = from->count > 1 ? 1 : 0; /* a single layer is used for both sides */
  double sum = 0;
  for (size_t k = first; k < from->count; k++)
    sum += projection(&from->layers[k], pair.u, &from->layers[k - first], pair.v) +
           projection(&from->layers[k], pair.v, &from->layers[k - first], pair.u);
  return sum;
}

/* Scores of edges, and of as many pairs without an edge. */
typedef struct scores {
  double *of[2];
  size_t count, capacity[2];
} scores;

static sotto_status add_scores(scores *s, const sotto_received *from, const sotto_link_options *options,
                               sotto_error *err) {
  sotto_status status;
  sotto_i_pair *pairs = NULL;
  size_t each;
  SOTTO_TRY(check(from, err));
  SOTTO_TRY(sotto_i_sample_pairs(&pairs, &each, from->graph, options, err));
  for (int side = 0; side < 2; side++) {
    SOTTO_TRY(sotto_i_grow(&s->of[side], &s->capacity[side], s->count + each, sizeof(double), err));
    for (size_t i = 0; i < each; i++)
      s->of[side][s->count + i] = score_of(from, pairs[(size_t)side * each + i]);
  }
  s->count += each;
done:
  sotto_i_free(pairs);
  return status;
}

sotto_status sotto_attack_received(sotto_attack_result *out, const sotto_received *from, size_t from_count,
                                   const sotto_link_options *options, sotto_error *err) {
  sotto_status status;
  scores s = {.count = 0};
  SOTTO_TRY(sotto_i_link_check(options, err));
  if (from_count == 0) {
    status = sotto_i_fail(err, SOTTO_INVALID, "no layer was received");
    goto done;
  }
  for (size_t i = 0; i < from_count; i++) SOTTO_TRY(add_scores(&s, &from[i], options, err));
  SOTTO_TRY(sotto_attack_measure(out, s.of[0], s.count, s.of[1], s.count, options->delta, err));
done:
  sotto_i_free(s.of[0]);
  sotto_i_free(s.of[1]);
  return status;
}
