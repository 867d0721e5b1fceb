/* The noise of a canary's layers by the code of ranks: a single rank with all nodes makes what ranks of MPI
 * make together. */
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "canary.h"
#include "pmp/release_ranks.h"

enum { nodes = 16, own_key = 1 << 20 }; /* differs from the keys of releases of one process */

/* Receives layers and stores the first one with noise. */
typedef struct taking {
  sotto_matrix *out;
  size_t values, layer; /* values so far; values of a layer */
} taking;

static sotto_status store_layer(void *context, const float *values, size_t count, sotto_error *err) {
  taking *t = context;
  (void)err;
  for (size_t i = 0; i < count; i++, t->values++)
    if (t->values >= t->layer && t->values < 2 * t->layer) t->out->data[t->values - t->layer] = values[i];
  return SOTTO_OK;
}

/* A ring whose nodes all belong to the rank, so that a hop over it after the noise is detected. */
static sotto_status make_block(sotto_i_block *out, uint64_t none[2], sotto_error *err) {
  uint32_t ends[2 * nodes];
  sotto_status status;
  *out = (sotto_i_block){.nodes = nodes, .count = nodes, .halo_first = none, .send_first = none};
  for (uint32_t v = 0; v < nodes; v++) {
    ends[v] = v;
    ends[nodes + v] = (v + 1) % nodes;
  }
  SOTTO_TRY(sotto_graph_from_pairs(&out->graph, nodes, ends, ends + nodes, nodes, err));
  SOTTO_TRY(sotto_i_new_raw(&out->own, nodes, sizeof *out->own, err));
  for (uint32_t v = 0; v < nodes; v++) out->own[v] = v;
done:
  return status;
}

static bool is_supported(const sotto_i_canary *c) {
  const sotto_protection *p =
      c->is_contractive ? &c->world[1].contractive.options.protection : &c->world[1].plan.options.protection;
  const bool weighed = c->weight.data != NULL, last_alone = c->one_shot && !c->is_contractive;
  return p->level == SOTTO_LEVEL_EDGE && !p->nonnegative && !(p->row_clip > 0) && !weighed && !last_alone;
}

sotto_status sotto_i_canary_layer_of_ranks(sotto_matrix *out, const sotto_i_canary *c, const sotto_key *key,
                                           sotto_error *err) {
  const sotto_i_world *w = &c->world[1];
  const size_t cols = w->inputs.cols;
  uint64_t none[2] = {0, 0};
  sotto_i_block block = {.own = NULL};
  sotto_matrix zeros = {0};
  taking t = {.out = out, .layer = nodes * cols};
  const sotto_i_release_sink sink = {.take = store_layer, .context = &t};
  sotto_key own;
  sotto_status status = SOTTO_OK;
  if (!is_supported(c)) return SOTTO_OK;
  sotto_i_key_derive(&own, key, own_key);
  SOTTO_TRY(make_block(&block, none, err));
  SOTTO_TRY(sotto_matrix_new(out, nodes, cols, err));
  SOTTO_TRY(sotto_matrix_new(&zeros, nodes, cols, err));
  if (c->is_contractive)
    SOTTO_TRY(sotto_i_contractive_layers_ranks(&w->contractive, &block, &zeros, &own, &sink, NULL, err));
  else
    SOTTO_TRY(sotto_i_release_layers_ranks(&w->plan, &block, &zeros, &own, &sink, NULL, err));
done:
  sotto_key_wipe(&own);
  sotto_i_free(block.own);
  sotto_graph_free(&block.graph);
  sotto_matrix_free(&zeros);
  return status;
}
