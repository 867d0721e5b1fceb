/* Generated neighbours as nodes of a client's graph. */
#include "mended_graph.h"

#include <string.h>

#include "base/memory.h"

/* Edges of the graph, and one from each node to each of its new neighbours. */
static sotto_status mend_edges(sotto_graph *out, const sotto_graph *graph, const uint32_t *made,
                               uint64_t added, sotto_error *err) {
  uint32_t *pairs[2] = {NULL, NULL};
  uint64_t count = 0, next = graph->nodes;
  sotto_status status;
  for (int i = 0; i < 2; i++)
    SOTTO_TRY(sotto_i_new_raw(&pairs[i], graph->entries / 2 + added, sizeof(uint32_t), err));
  for (uint64_t v = 0; v < graph->nodes; v++) {
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
      if (graph->targets[e] <= v) continue;
      pairs[0][count] = (uint32_t)v;
      pairs[1][count++] = graph->targets[e];
    }
    for (uint32_t p = 0; p < made[v]; p++) {
      pairs[0][count] = (uint32_t)v;
      pairs[1][count++] = (uint32_t)next++;
    }
  }
  SOTTO_TRY(sotto_graph_from_pairs(out, next, pairs[0], pairs[1], count, err));
done:
  for (int i = 0; i < 2; i++) sotto_i_free(pairs[i]);
  return status;
}

static sotto_status mend_features(sotto_matrix *out, const sotto_matrix *features, const uint32_t *made,
                                  const sotto_matrix *rows, uint64_t added, sotto_error *err) {
  size_t cols = features->cols, at = features->rows * cols;
  sotto_status status = sotto_matrix_new(out, features->rows + added, cols, err);
  if (status != SOTTO_OK) return status;
  memcpy(out->data, features->data, at * sizeof(float));
  for (size_t v = 0; v < features->rows; v++) {
    memcpy(out->data + at, rows->data + v * rows->cols, made[v] * cols * sizeof(float));
    at += made[v] * cols;
  }
  return SOTTO_OK;
}

/* Takes `features` and `mended` over. */
static sotto_status put_in_place(sotto_i_fed_client *c, sotto_matrix *features, sotto_graph *mended,
                                 sotto_error *err) {
  size_t layers = c->model.net.options.layers;
  sotto_status status;
  sotto_tape_free(c->tape); /* it may know the old features */
  c->tape = NULL;
  sotto_operator_free(c->spread);
  c->spread = NULL;
  sotto_matrix_free(&c->features);
  c->features = *features;
  *features = (sotto_matrix){0};
  c->mended = *mended;
  *mended = (sotto_graph){0};
  SOTTO_TRY(sotto_tape_new(&c->tape, err));
  SOTTO_TRY(sotto_i_graph_net_operator(&c->spread, &c->model.net.options, &c->mended, err));
  if (c->hops.count == 0) goto done;
  sotto_i_hops_free(&c->hops);
  SOTTO_TRY(sotto_i_hops_new(&c->hops, layers, (size_t)c->federation->options->fan_out, &c->mended, err));
done:
  return status;
}

sotto_status sotto_i_mend_client(sotto_i_fed_client *c, sotto_i_generator *generator,
                                 const sotto_i_generator_data *data, sotto_error *err) {
  uint32_t *made = NULL;
  uint64_t added = 0;
  sotto_matrix rows = {0}, features = {0};
  sotto_graph mended = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&made, data->graph->nodes, sizeof *made, err));
  SOTTO_TRY(sotto_i_generator_make(made, &rows, generator, data, err));
  for (uint64_t v = 0; v < data->graph->nodes; v++) added += made[v];
  SOTTO_TRY(mend_edges(&mended, data->graph, made, added, err));
  SOTTO_TRY(mend_features(&features, data->features, made, &rows, added, err));
  SOTTO_TRY(put_in_place(c, &features, &mended, err));
done:
  sotto_i_free(made);
  sotto_matrix_free(&rows);
  sotto_matrix_free(&features);
  sotto_graph_free(&mended);
  return status;
}
