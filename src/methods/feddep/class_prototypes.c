/* Means of embeddings by class and by the class of neighbours. */
#include "class_prototypes.h"

#include <string.h>

#include "base/memory.h"

sotto_status sotto_i_labelled_flags(bool **out, const sotto_i_labelled *of, sotto_error *err) {
  sotto_status status = sotto_i_new(out, of->graph->nodes, sizeof **out, err);
  for (size_t i = 0; status == SOTTO_OK && i < of->count; i++) (*out)[of->rows[i]] = true;
  return status;
}

sotto_status sotto_i_neighbour_classes(uint32_t *out, const sotto_i_labelled *of, sotto_error *err) {
  const sotto_graph *graph = of->graph;
  uint64_t *seen = NULL;
  bool *labelled = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&seen, of->classes, sizeof *seen, err));
  SOTTO_TRY(sotto_i_labelled_flags(&labelled, of, err));
  for (uint64_t v = 0; v < graph->nodes; v++) {
    memset(seen, 0, of->classes * sizeof *seen);
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
      if (labelled[graph->targets[e]]) seen[of->labels[graph->targets[e]]]++;
    uint64_t most = 0;
    out[v] = of->classes;
    for (uint32_t c = 0; c < of->classes; c++)
      if (seen[c] > most) {
        most = seen[c];
        out[v] = c;
      }
  }
done:
  sotto_i_free(seen);
  sotto_i_free(labelled);
  return status;
}

sotto_status sotto_i_likely_classes(uint32_t *out, const sotto_i_labelled *of, sotto_error *err) {
  sotto_status status = sotto_i_neighbour_classes(out, of, err);
  for (size_t i = 0; status == SOTTO_OK && i < of->count; i++)
    out[of->rows[i]] = (uint32_t)of->labels[of->rows[i]];
  return status;
}

size_t sotto_i_class_buckets(uint32_t classes, bool structure) {
  return structure ? (size_t)classes + 1 : 1;
}

sotto_status sotto_i_class_sums(sotto_matrix *out, const sotto_matrix *x, double weight, size_t buckets,
                                const sotto_i_labelled *of, sotto_error *err) {
  size_t cols = x->cols + 1;
  uint32_t *bucket = NULL;
  double *sums = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&sums, of->classes * buckets * cols, sizeof *sums, err));
  SOTTO_TRY(sotto_i_new(&bucket, of->graph->nodes, sizeof *bucket, err));
  if (buckets > 1) SOTTO_TRY(sotto_i_neighbour_classes(bucket, of, err));
  for (size_t i = 0; i < of->count; i++) {
    uint32_t v = of->rows[i];
    double *to = sums + ((size_t)of->labels[v] * buckets + bucket[v]) * cols;
    for (size_t j = 0; j < x->cols; j++) to[j] += x->data[v * x->cols + j];
    to[x->cols] += weight;
  }
  for (size_t i = 0; i < out->rows * cols; i++) out->data[i] = (float)sums[i];
done:
  sotto_i_free(sums);
  sotto_i_free(bucket);
  return status;
}

sotto_status sotto_i_class_prototypes(sotto_matrix *out, const sotto_matrix *x, size_t buckets,
                                      const sotto_i_labelled *of, sotto_error *err) {
  sotto_matrix sums;
  sotto_status status = sotto_matrix_new(&sums, out->rows, x->cols + 1, err);
  if (status != SOTTO_OK) return status;
  SOTTO_TRY(sotto_i_class_sums(&sums, x, 1, buckets, of, err));
  for (size_t r = 0; r < out->rows; r++) {
    const float *row = sums.data + r * sums.cols;
    for (size_t j = 0; j < x->cols; j++)
      out->data[r * x->cols + j] = row[x->cols] > 0 ? row[j] / row[x->cols] : 0;
  }
done:
  sotto_matrix_free(&sums);
  return status;
}
