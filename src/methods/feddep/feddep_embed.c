/* Embeddings of a client's nodes: what a GraphSAGE that it trains alone, by mini-batches with drawn
 * neighbours, makes of L hops. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "feddep.h"
#include "nn/inside/nn.h"
#include "tensor/inside/tensor.h"

enum { embedding_streams = 1 << 15 };

static void rows_to_unit(sotto_matrix *x) {
  for (size_t v = 0; v < x->rows; v++) {
    double square = 0;
    for (size_t j = 0; j < x->cols; j++)
      square += (double)x->data[v * x->cols + j] * x->data[v * x->cols + j];
    for (size_t j = 0; square > 0 && j < x->cols; j++)
      x->data[v * x->cols + j] = (float)(x->data[v * x->cols + j] / sqrt(square));
  }
}

static sotto_status network(sotto_i_fed_model *out, const sotto_i_fed_client *c, sotto_error *err) {
  const sotto_options *o = c->federation->options;
  const sotto_i_graph_net_options options = {.mean = true,
                                             .layers = (size_t)sotto_i_part_settings_of(o)->embed_layers,
                                             .in = c->federation->inputs,
                                             .hidden = (size_t)o->hidden,
                                             .out = c->federation->classes,
                                             .embeds = true,
                                             .fixed_last = true,
                                             .dropout = (float)o->dropout};
  sotto_key
      key; /* all clients begin with the same weights, or their embeddings would have nothing in common */
  sotto_status status;
  sotto_key_public(&key, c->federation->seed);
  *out = (sotto_i_fed_model){.params = NULL};
  SOTTO_TRY(sotto_params_new(&out->params, err));
  SOTTO_TRY(sotto_i_graph_net_new(&out->net, out->params, &options, embedding_streams, &key, err));
done:
  if (status != SOTTO_OK) sotto_i_fed_model_free(out);
  return status;
}

static sotto_status read_out(sotto_matrix *out, const sotto_i_fed_client *c, sotto_error *err) {
  const sotto_i_graph_batch all = {
      .features = &c->features, .entries = c->entries, .fixed = true, .spread = c->spread};
  const sotto_pass pass = {.tape = c->tape, .key = &c->key};
  sotto_status status;
  sotto_tape_reset(c->tape);
  sotto_var z = sotto_i_graph_net_embed(&c->model.net, c->model.params, &pass, &all);
  SOTTO_TRY(sotto_tape_copy(out, c->tape, z, err));
  rows_to_unit(out);
done:
  return status;
}

sotto_status sotto_i_feddep_embed(sotto_matrix *out, sotto_i_fed_client *c, uint32_t *rows, size_t count,
                                  sotto_error *err) {
  const sotto_i_federation *shared = c->federation;
  const sotto_i_fed_model model = c->model;
  sotto_i_fed_model own;
  sotto_i_client_settings settings = *shared->settings;
  sotto_i_federation alone = *shared;
  uint32_t *all = c->rows[SOTTO_PART_TRAIN];
  size_t all_count = c->count[SOTTO_PART_TRAIN];
  double loss;
  sotto_status status = network(&own, c, err);
  if (status != SOTTO_OK) return status;
  settings.local_epochs = sotto_i_part_settings_of(shared->options)->embed_epochs;
  settings.prox_mu = 0;
  alone.settings = &settings;
  c->model = own;
  c->federation = &alone;
  c->rows[SOTTO_PART_TRAIN] = rows;
  c->count[SOTTO_PART_TRAIN] = count;
  SOTTO_TRY(sotto_i_fed_train(c, &loss, err)); /* without a labelled node: the first weights */
  SOTTO_TRY(read_out(out, c, err));
done:
  sotto_tape_reset(c->tape);
  c->model = model;
  c->federation = shared;
  c->rows[SOTTO_PART_TRAIN] = all;
  c->count[SOTTO_PART_TRAIN] = all_count;
  sotto_i_fed_model_free(&own);
  return status;
}
