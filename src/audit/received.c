/* Edges from what was released: an edge adds a row to another. */
#include <math.h>

#include "base/memory.h"
#include "pairs.h"

/* <y_u, z_v> / |z_v|: along the other row at norm 1. */
static double along(const sotto_matrix *made, uint32_t u, const sotto_matrix *of, uint32_t v) {
  const float *y = made->data + u * made->cols, *z = of->data + v * of->cols;
  double both = 0, square = 0;
  for (size_t j = 0; j < of->cols; j++) {
    both += (double)y[j] * (double)z[j];
    square += (double)z[j] * (double)z[j];
  }
  return square > 0 ? both / sqrt(square) : 0;
}

static sotto_status check(const sotto_matrix *layers, size_t count, const sotto_graph *graph,
                          sotto_error *err) {
  if (count < 1) return sotto_i_fail(err, SOTTO_INVALID, "no layer was received");
  for (size_t k = 0; k < count; k++)
    if (layers[k].rows != graph->nodes || layers[k].cols != layers[0].cols)
      return sotto_i_fail(err, SOTTO_INVALID, "layer %zu is %zu x %zu, for %llu nodes and %zu columns", k,
                          layers[k].rows, layers[k].cols, (unsigned long long)graph->nodes, layers[0].cols);
  return SOTTO_OK;
}

sotto_status sotto_attack_received(sotto_attack_result *out, const sotto_matrix *layers, size_t count,
                                   const sotto_graph *graph, const sotto_link_options *options,
                                   sotto_error *err) {
  sotto_status status;
  sotto_i_pair *pairs = NULL;
  double *scores = NULL;
  size_t each;
  SOTTO_TRY(sotto_i_link_check(options, err));
  SOTTO_TRY(check(layers, count, graph, err));
  SOTTO_TRY(sotto_i_sample_pairs(&pairs, &each, graph, options, err));
  SOTTO_TRY(sotto_i_new(&scores, 2 * each, sizeof *scores, err));
  const size_t first = count > 1 ? 1 : 0; /* a layer alone stands for both sides */
  for (size_t i = 0; i < 2 * each; i++)
    for (size_t k = first; k < count; k++)
      scores[i] += along(&layers[k], pairs[i].u, &layers[k - first], pairs[i].v) +
                   along(&layers[k], pairs[i].v, &layers[k - first], pairs[i].u);
  SOTTO_TRY(sotto_attack_measure(out, scores, each, scores + each, each, options->delta, err));
done:
  sotto_i_free(pairs);
  sotto_i_free(scores);
  return status;
}
