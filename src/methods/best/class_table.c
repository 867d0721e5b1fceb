/* Counts over the training nodes: how many neighbours in each cluster the nodes of each class have.
 *
 * Sensitivity at node level. Clusters follow from each node's own features and a network that was released
 * before. A node v with at most D neighbours contributes its own neighbours to the table, at most D, and is
 * itself counted by each of its neighbours, at most D times. Together this is a table M >= 0 of l1 norm at
 * most 2 D, and so of l2 norm at most 2 D. A replaced node contributes M' instead. |M' - M|^2 <= |M|^2 +
 * |M'|^2, since neither has an entry below 0: at most 8 D^2. */
#include <math.h>

#include "base/error.h"
#include "best_node.h"
#include "protocols/table.h"

double sotto_i_class_table_sensitivity(uint64_t most) {
  return sqrt(8) * (double)most;
}

static size_t cluster_of(const sotto_matrix *scores, uint64_t node) {
  const float *row = scores->data + node * scores->cols;
  size_t best = 0;
  for (size_t j = 1; j < scores->cols; j++)
    if (row[j] > row[best]) best = j;
  return best;
}

void sotto_i_class_table_fill(sotto_matrix *table, const sotto_graph *graph, const sotto_matrix *scores,
                              const sotto_i_parted *parted) {
  const uint32_t *rows = parted->split.rows[SOTTO_PART_TRAIN];
  for (size_t i = 0; i < parted->split.count[SOTTO_PART_TRAIN]; i++) {
    float *counts = table->data + (size_t)parted->labels[SOTTO_PART_TRAIN][i] * table->cols;
    for (uint64_t e = graph->offsets[rows[i]]; e < graph->offsets[rows[i] + 1]; e++)
      counts[cluster_of(scores, graph->targets[e])]++;
  }
}

void sotto_i_class_table_logs(sotto_matrix *table, double least) {
  for (size_t c = 0; c < table->rows; c++) {
    float *row = table->data + c * table->cols;
    double sum = 0;
    for (size_t j = 0; j < table->cols; j++) sum += fmax(row[j], least);
    for (size_t j = 0; j < table->cols; j++) row[j] = (float)log(fmax(row[j], least) / sum);
  }
}

sotto_status sotto_i_class_table_read(sotto_matrix *out, const sotto_matrix *base, const sotto_graph *graph,
                                      const sotto_matrix *table, sotto_error *err) {
  sotto_status status = sotto_i_table_join(out, base, &(sotto_matrix){0}, err);
  if (status != SOTTO_OK) return status;
  for (uint64_t v = 0; v < graph->nodes; v++) {
    const uint64_t degree = graph->offsets[v + 1] - graph->offsets[v];
    const float weight = degree == 0 ? 0 : (float)(1 / sqrt((double)degree));
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
      const size_t cluster = cluster_of(base, graph->targets[e]);
      for (size_t c = 0; c < table->rows; c++)
        out->data[v * out->cols + c] += weight * table->data[c * table->cols + cluster];
    }
  }
  return SOTTO_OK;
}
