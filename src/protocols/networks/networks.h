/* The networks of methods: encoder, head, decoder. */
#ifndef SOTTO_SRC_PROTOCOLS_NETWORKS_NETWORKS_H
#define SOTTO_SRC_PROTOCOLS_NETWORKS_NETWORKS_H

#include "inside/nn.h"
#include "nn/combine.h"
#include "run/method/method.h"

/* The data party's encoder: features -> hidden. */
sotto_status sotto_i_encoder_new(sotto_mlp *out, sotto_params *params, const char *name,
                                 const sotto_options *options, size_t in, const sotto_key *key,
                                 sotto_error *err);
/* Embeddings of some nodes by a trained encoder; borrowed from the tape until its next reset. */
sotto_status sotto_i_embed_batch(sotto_matrix *out, sotto_tape *tape, const sotto_mlp *encoder,
                                 sotto_params *params, const sotto_matrix *rows, const sotto_key *key,
                                 sotto_error *err);
/* The same for the rows of a source in `batch`. */
sotto_status sotto_i_embed_rows(sotto_matrix *out, sotto_i_row_room *room, sotto_tape *tape,
                                const sotto_mlp *encoder, sotto_params *params,
                                const sotto_i_row_source *features, const sotto_i_batch *batch,
                                const sotto_key *key, sotto_error *err);
/* Embeddings of all nodes, batch by batch, of features that a source reads or that are in memory. */
sotto_status sotto_i_embed_source(sotto_matrix *out, const sotto_mlp *encoder, sotto_params *params,
                                  const sotto_i_row_source *features, const sotto_key *key, sotto_error *err);
sotto_status sotto_i_embed_all(sotto_matrix *out, const sotto_mlp *encoder, sotto_params *params,
                               const sotto_matrix *features, const sotto_key *key, sotto_error *err);
/* Takes rows `first` and on of the embeddings, which it may change. */
typedef struct sotto_i_embedded {
  sotto_status (*call)(void *context, sotto_matrix *rows, size_t first, sotto_error *err);
  void *context;
  bool at_first; /* over ranks only rank 0 takes them; else all do */
} sotto_i_embedded;
/* Copies them into a table of all nodes, which is borrowed. */
sotto_i_embedded sotto_i_embedded_into(sotto_matrix *all);
/* The same in over_ranks.c, where the ranks of a job share the work: each batch is handed on, in the order of
 * nodes, and no more than a batch is held. Errors: those of the call as well. */
sotto_status sotto_i_embed_each(const sotto_i_embedded *each, const sotto_mlp *encoder, sotto_params *params,
                                const sotto_i_row_source *features, const sotto_key *key,
                                const sotto_i_job *job, sotto_error *err);
/* The same, and each rank gets all rows. */
sotto_status sotto_i_embed_job(sotto_matrix *out, const sotto_mlp *encoder, sotto_params *params,
                               const sotto_i_row_source *features, const sotto_key *key,
                               const sotto_i_job *job, sotto_error *err);
/* A copy of the embeddings, with one more column of `value` unless `value` is 0. */
sotto_status sotto_i_add_constant(sotto_matrix *out, const sotto_matrix *from, double value,
                                  sotto_error *err);
/* The name of the weight before layer k, from 0, with layer-weights. */
enum { SOTTO_I_WEIGHT_NAME = 40 };
void sotto_i_layer_weight_name(char out[SOTTO_I_WEIGHT_NAME], uint64_t k);
/* The label party's head for the first stage: embeddings, concatenated with its `own` feature columns ->
 * classes, or a number. */
sotto_status sotto_i_head_new(sotto_mlp *out, sotto_params *params, const char *name,
                              const sotto_options *options, size_t own, size_t outputs, const sotto_key *key,
                              sotto_error *err);

/* The decoder, or classifier: all layers batch-normalised, combined, concatenated with own features,
 * through a perceptron. Layers are concatenated unless a central method asks for another combination, or
 * vesper for its GRU decoder. */
typedef struct sotto_i_decoder {
  sotto_i_combiner combiner;
  sotto_mlp mlp;
  size_t norm[4]; /* gamma, beta, running mean, running variance */
  sotto_params *params;
  size_t joined, own;        /* columns of the concatenated layers, and of own features after them */
  sotto_i_split_rows inputs; /* rows of [layer 0 | layer 1 | ... | own features] */
  sotto_i_row_source *sources;
  float *moments; /* of the columns of training rows, where these exceed a batch; or NULL */
  sotto_matrix of_all[2];
  bool wants_gradient; /* of the inputs */
  sotto_var input;
} sotto_i_decoder;
/* For `count` layers of `width` columns, and `own` feature columns of the party itself. */
sotto_status sotto_i_decoder_new(sotto_i_decoder *out, sotto_params *params, const sotto_options *options,
                                 uint32_t count, size_t width, size_t own, size_t outputs,
                                 const sotto_key *key, sotto_error *err);
/* Replaces the inputs by the parts' rows of layers of all nodes; `own` is by part ([4]), or NULL. All are
 * borrowed. */
void sotto_i_decoder_read_from(sotto_i_decoder *decoder, const sotto_i_row_source *layers,
                               const sotto_matrix *own, const sotto_i_parted *parted);
sotto_status sotto_i_decoder_read(sotto_i_decoder *decoder, const sotto_matrix *layers,
                                  const sotto_matrix *own, const sotto_i_parted *parted, sotto_error *err);
/* Computes the moments of all training rows for batch normalisation, where ranks share these rows in
 * batches: rank 0 reads them. Does nothing in one process, which computes them when needed. */
sotto_status sotto_i_decoder_moments(sotto_i_decoder *decoder, sotto_ranks *ranks, sotto_error *err);
/* Makes *out, training rows x cols: the gradient of the task's loss for the first columns of the
 * concatenated layers. */
sotto_status sotto_i_decoder_gradient(sotto_matrix *out, sotto_i_decoder *decoder, const sotto_i_task *task,
                                      size_t cols, sotto_error *err);
void sotto_i_decoder_free(sotto_i_decoder *decoder);
sotto_i_task sotto_i_decoder_task(sotto_i_decoder *decoder, sotto_params *params,
                                  const sotto_i_parted *parted, const sotto_key *key);

/* Fits a stage, then measures the validation and test parts. Where one of two classes is rare and measures
 * may be known (stage_fit.c), it fits a second time with weights of classes, and keeps the fit that is better
 * on validation rows: by average precision of the rare class where select-by is auc, else by select-by. */
sotto_status sotto_i_fit_and_measure(sotto_quality *validation, sotto_quality *test, const sotto_i_task *task,
                                     sotto_i_stage *stage, sotto_error *err);

#endif
