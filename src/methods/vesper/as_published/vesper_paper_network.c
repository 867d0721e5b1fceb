#include "vesper_paper_network.h"

#include <stdio.h>

#include "base/error.h"
#include "base/random.h"
#include "inside/tensor.h"
#include "protocols/networks/networks.h"

/* Steps of power iteration after which the estimate of a norm hardly changes. */
enum { decoder_streams = 32, reader_key = 63, layer_keys = 64, settling_steps = 100 };

static sotto_status layer_new(sotto_i_paper_network *n, uint32_t l, sotto_error *err) {
  const size_t width = n->job->options->hidden;
  sotto_i_paper_layer *layer = &n->layers[l];
  char name[32];
  sotto_key key;
  sotto_status status;
  sotto_i_key_derive(&key, &n->key, layer_keys + l);
  (void)snprintf(name, sizeof name, "layer%u.weight", l + 1);
  SOTTO_TRY(
      sotto_params_add(n->params, &layer->weight, name, width, width, SOTTO_INIT_GLOROT, true, &n->key, err));
  SOTTO_TRY(sotto_i_spectral_new(&layer->spectral, width, width, &key, err));
  if (!n->gcn) goto done;
  (void)snprintf(name, sizeof name, "layer%u.low", l + 1);
  SOTTO_TRY(sotto_linear_new(&layer->low, n->params, name, width, width, &n->key, err));
done:
  return status;
}

sotto_status sotto_i_paper_extractor_new(sotto_i_paper_network *n, sotto_error *err) {
  const sotto_options *o = n->job->options;
  sotto_status status;
  n->gcn = o->aggregator == SOTTO_LAYER_GCN;
  sotto_i_job_key(&n->key, n->job);
  SOTTO_TRY(sotto_params_new(&n->params, err));
  SOTTO_TRY(sotto_i_encoder_new(&n->encoder, n->params, "encoder", o, n->job->features->cols, &n->key, err));
  for (uint32_t l = 0; l < o->layers && !n->alone; l++) SOTTO_TRY(layer_new(n, l, err));
done:
  return status;
}

sotto_status sotto_i_paper_reader_new(sotto_i_paper_network *n, sotto_error *err) {
  const sotto_options *o = n->job->options;
  sotto_mlp_options decoder = {.widths = {o->hidden, o->hidden, n->job->data->classes},
                               .layers = 2,
                               .activation = sotto_i_head_activation(o),
                               .dropout = (float)o->dropout};
  sotto_key key;
  sotto_status status;
  sotto_i_job_key(&n->key, n->job);
  sotto_i_key_derive(&key, &n->key, reader_key);
  SOTTO_TRY(sotto_params_new(&n->reader, err));
  if (!n->alone) {
    SOTTO_TRY(sotto_i_combiner_new(&n->combiner, n->reader, sotto_i_combination_named(o->combine),
                                   (uint32_t)o->layers, o->hidden, decoder.activation, &key, err));
    decoder.widths[0] = sotto_i_combiner_width(&n->combiner);
  }
  SOTTO_TRY(sotto_mlp_new(&n->decoder, n->reader, "decoder", &decoder, decoder_streams, &key, err));
done:
  return status;
}

sotto_status sotto_i_paper_network_new(sotto_i_paper_network *n, sotto_error *err) {
  const sotto_status status = sotto_i_paper_extractor_new(n, err);
  return status == SOTTO_OK ? sotto_i_paper_reader_new(n, err) : status;
}

void sotto_i_paper_network_free(sotto_i_paper_network *n) {
  for (uint32_t l = 0; l < SOTTO_I_PAPER_LAYERS; l++) {
    sotto_i_spectral_free(&n->layers[l].spectral);
    for (int i = 0; i < 2; i++) sotto_matrix_free(&n->layers[l].shown[i]);
  }
  sotto_i_combiner_free(&n->combiner);
  sotto_params_free(n->params);
  sotto_params_free(n->reader);
  *n = (sotto_i_paper_network){.job = NULL};
}

sotto_var sotto_i_paper_encode(sotto_i_paper_network *n, const sotto_pass *pass, sotto_var x) {
  const sotto_var rows = sotto_mlp_apply(&n->encoder, n->params, pass, x);
  return n->alone ? rows : sotto_tape_normalise_rows(pass->tape, rows);
}

/* Masks of the rows with messages, and of those without. */
static sotto_status set_masks(sotto_i_paper_layer *layer, const sotto_i_paper_block *block, size_t width,
                              sotto_error *err) {
  for (int low = 0; low < 2; low++) {
    sotto_matrix_free(&layer->shown[low]);
    sotto_status status = sotto_matrix_new(&layer->shown[low], block->rows, width, err);
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < block->rows * width; i++)
      layer->shown[low].data[i] = block->low[i / width] == (low == 1) ? 1 : 0;
  }
  return SOTTO_OK;
}

/* Sampled sums times the weight; in GCN, algorithm 2's other branch for rows below the least degree. */
sotto_status sotto_i_paper_update(sotto_var *out, sotto_i_paper_network *n, sotto_tape *tape, uint32_t l,
                                  const sotto_i_paper_block *block, const uint32_t *own, sotto_var x,
                                  sotto_error *err) {
  sotto_i_paper_layer *layer = &n->layers[l];
  const sotto_var weight =
      sotto_i_spectral_var(&layer->spectral, tape, sotto_params_var(n->params, layer->weight, tape));
  *out = sotto_tape_matmul(tape, sotto_i_block_var(block, tape, x), weight);
  if (!n->gcn) return SOTTO_OK;
  const sotto_status status = set_masks(layer, block, n->job->options->hidden, err);
  if (status != SOTTO_OK) return status;
  const sotto_var rows = sotto_tape_gather_rows(tape, x, own, block->rows);
  const sotto_var low = sotto_linear_apply(&layer->low, n->params, tape, rows);
  *out = sotto_tape_add(tape, sotto_tape_multiply(tape, *out, sotto_tape_constant(tape, &layer->shown[0])),
                        sotto_tape_multiply(tape, low, sotto_tape_constant(tape, &layer->shown[1])));
  return SOTTO_OK;
}

sotto_var sotto_i_paper_shown(sotto_tape *tape, sotto_var noisy) {
  return sotto_tape_normalise_rows(tape, sotto_tape_relu(tape, noisy));
}

sotto_status sotto_i_paper_show_roots(sotto_var *joined, sotto_i_paper_network *n, sotto_tape *tape,
                                      const sotto_i_sampler *sampler, const sotto_i_noising *noising,
                                      size_t roots, sotto_var x, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint32_t l = 0; l < sampler->layers; l++) {
    sotto_i_spectral_step(&n->layers[l].spectral, sotto_params_value(n->params, n->layers[l].weight));
    SOTTO_TRY(sotto_i_paper_update(&x, n, tape, l, &sampler->block[l], sampler->own, x, err));
    x = sotto_i_paper_shown(tape, sotto_i_noising_var(&noising[l], tape, x));
    const sotto_var seen = sotto_tape_gather_rows(tape, x, sampler->own, roots);
    *joined = l == 0 ? seen : sotto_tape_concat(tape, *joined, seen);
  }
done:
  return status;
}

sotto_var sotto_i_paper_decode(sotto_i_paper_network *n, const sotto_pass *pass, sotto_var joined) {
  if (!n->alone) joined = sotto_i_combiner_apply(&n->combiner, n->reader, pass->tape, joined);
  return sotto_mlp_apply(&n->decoder, n->reader, pass, joined);
}

void sotto_i_paper_settle(sotto_i_paper_network *n) {
  for (uint32_t l = 0; !n->alone && l < n->job->options->layers; l++) {
    sotto_i_paper_layer *layer = &n->layers[l];
    sotto_key key;
    sotto_i_key_derive(&key, &n->key, layer_keys + l);
    sotto_i_spectral_restart(&layer->spectral, &key);
    for (int step = 0; step < settling_steps; step++)
      sotto_i_spectral_step(&layer->spectral, sotto_params_value(n->params, layer->weight));
  }
}
