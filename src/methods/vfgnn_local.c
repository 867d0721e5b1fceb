/* A holder's network: K hops of GraphSAGE over its own edges, rows scaled to norm 1 (algorithm 2, lines 3 to
 * 8). */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "vfgnn.h"

static sotto_status add_weight(size_t *number, const sotto_i_vfgnn_local *local, size_t holder,
                               const char *what, size_t hop, size_t rows, size_t cols, sotto_init init,
                               const sotto_key *key, sotto_error *err) {
  char name[64];
  (void)snprintf(name, sizeof name, "holder%zu.%s%zu", holder + 1, what, hop);
  return sotto_params_add(local->params, number, name, rows, cols, init, 0, true, key, err);
}

/* Hops begin as a plain mean: of all hundreds of directions in which they could turn rows, few labels choose
 * none well (docs/vfgnn.md has figures). */
static void begin_as(sotto_params *params, size_t number, float diagonal) {
  sotto_matrix *weight = sotto_params_value(params, number);
  for (size_t j = 0; j < weight->cols; j++) weight->data[j * weight->cols + j] = diagonal;
}

sotto_status sotto_i_vfgnn_local_new(sotto_i_vfgnn_local *out, const sotto_i_vfgnn *shared, size_t index,
                                     const sotto_graph *graph, size_t columns, sotto_error *err) {
  const sotto_options *o = shared->job->options;
  size_t width = shared->width;
  sotto_aggregator kind = sotto_i_job_aggregator(o);
  sotto_key key;
  sotto_status status;
  *out = (sotto_i_vfgnn_local){.hops = (size_t)o->layers,
                               .activation = sotto_i_job_activation(o->activation),
                               .gcn = kind == SOTTO_AGGREGATOR_GCN};
  sotto_i_key_derive(&key, &shared->key, 100 + index);
  SOTTO_TRY(sotto_params_new(&out->params, err));
  SOTTO_TRY(sotto_operator_new(&out->spread, graph, kind, 0, out->gcn, err));
  if (!shared->collaborative)
    SOTTO_TRY(add_weight(&out->first, out, index, "first", 0, columns, width, SOTTO_INIT_GLOROT, &key, err));
  for (size_t k = 0; k < out->hops; k++) {
    SOTTO_TRY(
        add_weight(&out->around[k], out, index, "around", k + 1, width, width, SOTTO_INIT_ZERO, &key, err));
    begin_as(out->params, out->around[k], out->gcn ? 1 : 0.5F);
    if (out->gcn) continue;
    SOTTO_TRY(add_weight(&out->own[k], out, index, "own", k + 1, width, width, SOTTO_INIT_ZERO, &key, err));
    begin_as(out->params, out->own[k], 0.5F);
  }
done:
  return status;
}

sotto_var sotto_i_vfgnn_local_apply(const sotto_i_vfgnn_local *local, sotto_tape *tape, sotto_var first,
                                    bool graph) {
  sotto_var h = first;
  for (size_t k = 0; k < local->hops; k++) {
    sotto_var around = graph ? sotto_operator_var(local->spread, tape, h) : h;
    around = sotto_tape_matmul(tape, around, sotto_params_var(local->params, local->around[k], tape));
    if (!local->gcn)
      around = sotto_tape_add(
          tape, around, sotto_tape_matmul(tape, h, sotto_params_var(local->params, local->own[k], tape)));
    h = sotto_activate(tape, around, local->activation);
  }
  return sotto_tape_normalise_rows(tape, h);
}

void sotto_i_vfgnn_local_free(sotto_i_vfgnn_local *local) {
  sotto_params_free(local->params);
  sotto_operator_free(local->spread);
  *local = (sotto_i_vfgnn_local){0};
}
