/* The networks that methods are made of: encoder, head, decoder. */
#ifndef SOTTO_SRC_METHODS_NETWORKS_H
#define SOTTO_SRC_METHODS_NETWORKS_H

#include "combine.h"

/* The data party's encoder: features -> hidden. */
sotto_status sotto_i_encoder_new(sotto_mlp *out, sotto_params *params, const sotto_options *options,
                                 size_t in, const sotto_key *key, sotto_error *err);
/* Embeddings of all nodes, by a trained encoder. */
sotto_status sotto_i_embed_all(sotto_matrix *out, const sotto_mlp *encoder, sotto_params *params,
                               const sotto_matrix *features, const sotto_key *key, sotto_error *err);
/* A copy of the embeddings, with one more column of `value` unless that is 0. */
sotto_status sotto_i_add_constant(sotto_matrix *out, const sotto_matrix *from, double value,
                                  sotto_error *err);
/* The label party's head for the first stage: hidden -> classes. */
sotto_status sotto_i_head_new(sotto_mlp *out, sotto_params *params, const sotto_options *options,
                              uint32_t classes, const sotto_key *key, sotto_error *err);

/* The decoder, or classifier: all layers batch-normalised, combined (side by side but in central methods that
 * ask for another combination), through a perceptron. */
typedef struct sotto_i_decoder {
  sotto_i_combiner combiner;
  sotto_mlp mlp;
  size_t norm[4]; /* gamma, beta, running mean, running variance */
  sotto_params *params;
  sotto_matrix inputs[4]; /* by part: rows of [layer 0 | layer 1 | ...] */
} sotto_i_decoder;
sotto_status sotto_i_decoder_new(sotto_i_decoder *out, sotto_params *params, const sotto_options *options,
                                 const sotto_matrix *layers, uint32_t count, const sotto_i_parted *parted,
                                 uint32_t classes, const sotto_key *key, sotto_error *err);
void sotto_i_decoder_free(sotto_i_decoder *decoder);
sotto_i_task sotto_i_decoder_task(sotto_i_decoder *decoder, sotto_params *params,
                                  const sotto_i_parted *parted, const sotto_key *key);

/* Fits, then measures the validation and test parts. */
sotto_status sotto_i_fit_and_measure(sotto_quality *validation, sotto_quality *test, const sotto_i_task *task,
                                     const sotto_i_training *training, const sotto_i_epoch_hook *hook,
                                     sotto_error *err);

#endif
