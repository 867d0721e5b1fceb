/* A holder's network: K hops of GraphSAGE over its own edges, unit-norm rows (algorithm 2, lines 3 to 8). */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "inside/graph.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "nn/params/params.h"
#include "vfgnn.h"

/* Attention scores stay within this bound: no neighbour weighs more than e^(2 reach) times another. */
static const double reach = 1;

typedef struct maker {
  sotto_i_vfgnn_local *local;
  size_t holder, width;
  float pace; /* learning rate of hops */
  const sotto_key *key;
} maker;

static sotto_status add_weight(size_t *number, const maker *m, const char *what, size_t hop, size_t cols,
                               sotto_error *err) {
  char name[64];
  (void)snprintf(name, sizeof name, "holder%zu.%s%zu", m->holder + 1, what, hop);
  sotto_status status =
      sotto_params_add(m->local->params, number, name, m->width, cols, SOTTO_INIT_ZERO, true, m->key, err);
  if (status == SOTTO_OK) sotto_i_params_pace(m->local->params, *number, m->pace);
  return status;
}

/* Hops begin as a plain mean, and learn slowly: few labels cannot choose well among hundreds of directions
 * for the rows (docs/vfgnn.md has figures). */
static void set_diagonal(const maker *m, size_t number, float diagonal) {
  sotto_matrix *weight = sotto_params_value(m->local->params, number);
  for (size_t j = 0; j < weight->cols; j++) weight->data[j * weight->cols + j] = diagonal;
}

static sotto_status add_hop(const maker *m, size_t k, sotto_error *err) {
  sotto_i_vfgnn_local *l = m->local;
  bool whole = l->gcn || l->gat; /* the own row is among the neighbours */
  sotto_status status;
  SOTTO_TRY(add_weight(&l->around[k], m, "around", k + 1, m->width, err));
  set_diagonal(m, l->around[k], whole ? 1 : 0.5F);
  if (!whole) {
    SOTTO_TRY(add_weight(&l->own[k], m, "own", k + 1, m->width, err));
    set_diagonal(m, l->own[k], 0.5F);
  }
  if (l->gat) {
    SOTTO_TRY(add_weight(&l->receiver[k], m, "receiver", k + 1, 1, err));
    SOTTO_TRY(add_weight(&l->sender[k], m, "sender", k + 1, 1, err));
  }
done:
  return status;
}

static sotto_status add_first(sotto_i_vfgnn_local *local, const maker *m, size_t columns, sotto_error *err) {
  char name[64];
  (void)snprintf(name, sizeof name, "holder%zu.first0", m->holder + 1);
  return sotto_params_add(local->params, &local->first, name, columns, m->width, SOTTO_INIT_GLOROT, true,
                          m->key, err);
}

sotto_status sotto_i_vfgnn_local_new(sotto_i_vfgnn_local *out, const sotto_i_vfgnn *shared, size_t index,
                                     const sotto_graph *graph, size_t columns, sotto_error *err) {
  const sotto_options *o = shared->job->options;
  sotto_key key;
  sotto_status status;
  *out = (sotto_i_vfgnn_local){.hops = shared->counts ? 0 : (size_t)o->layers,
                               .folds = sotto_i_vfgnn_folds(shared),
                               .kind = sotto_i_job_aggregator(o),
                               .activation = o->activation,
                               .gat = o->aggregator == SOTTO_LAYER_GAT};
  out->gcn = out->kind == SOTTO_AGGREGATOR_GCN;
  sotto_i_key_derive(&key, &shared->key, 100 + index);
  const maker m = {out, index, shared->width,
                   (float)(sotto_i_holder_settings_of(o)->hop_rate / o->learning_rate), &key};
  SOTTO_TRY(sotto_params_new(&out->params, err));
  SOTTO_TRY(sotto_i_vfgnn_local_move(out, graph, err));
  if (!shared->collaborative) SOTTO_TRY(add_first(out, &m, columns, err));
  for (size_t k = 0; k < out->hops; k++) SOTTO_TRY(add_hop(&m, k, err));
done:
  return status;
}

static sotto_var apply_weight(const sotto_i_vfgnn_local *l, sotto_tape *tape, sotto_var h, size_t number) {
  return sotto_tape_matmul(tape, h, sotto_params_var(l->params, number, tape));
}

/* Without the graph a row attends only to itself, with weight 1. */
static sotto_var attend(const sotto_i_vfgnn_local *l, sotto_tape *tape, sotto_var h, size_t k, bool graph) {
  sotto_var z = apply_weight(l, tape, h, l->around[k]);
  if (!graph) return z;
  return sotto_attention_var(l->graph, reach, tape, z, apply_weight(l, tape, z, l->receiver[k]),
                             apply_weight(l, tape, z, l->sender[k]));
}

static sotto_var aggregate(const sotto_i_vfgnn_local *l, sotto_tape *tape, sotto_var h, size_t k,
                           bool graph) {
  sotto_var around = graph ? sotto_operator_var(l->spread, tape, h) : h;
  around = apply_weight(l, tape, around, l->around[k]);
  return l->gcn ? around : sotto_tape_add(tape, around, apply_weight(l, tape, h, l->own[k]));
}

/* Normalises each fold's rows. */
static sotto_var normalise(const sotto_i_vfgnn_local *l, sotto_tape *tape, sotto_var h) {
  const size_t width = sotto_tape_value(tape, h).cols / l->folds;
  sotto_var all = {0};
  if (l->folds == 1) return sotto_tape_normalise_rows(tape, h);
  for (size_t k = 0; k < l->folds; k++) {
    sotto_var own = sotto_tape_normalise_rows(tape, sotto_tape_columns(tape, h, k * width, (k + 1) * width));
    all = k == 0 ? own : sotto_tape_concat(tape, all, own);
  }
  return all;
}

sotto_var sotto_i_vfgnn_local_apply(const sotto_i_vfgnn_local *local, sotto_tape *tape, sotto_var first,
                                    bool graph) {
  sotto_var h = first;
  for (size_t k = 0; k < local->hops; k++) {
    h = local->gat ? attend(local, tape, h, k, graph) : aggregate(local, tape, h, k, graph);
    h = sotto_activate(tape, h, local->activation);
  }
  return normalise(local, tape, h);
}

sotto_status sotto_i_vfgnn_local_move(sotto_i_vfgnn_local *local, const sotto_graph *graph,
                                      sotto_error *err) {
  sotto_operator *moved = NULL;
  sotto_status status = sotto_operator_new(&moved, graph, local->kind, 0, local->gcn, err);
  if (status != SOTTO_OK) return status;
  sotto_operator_free(local->spread);
  local->spread = moved;
  local->graph = graph;
  return SOTTO_OK;
}

void sotto_i_vfgnn_local_free(sotto_i_vfgnn_local *local) {
  sotto_params_free(local->params);
  sotto_operator_free(local->spread);
  *local = (sotto_i_vfgnn_local){0};
}
