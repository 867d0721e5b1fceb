/* Encoder and head. Each network has its own dropout streams (decoder.c has 32 and up). */
#include "networks.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "tensor/tape.h"

enum { encoder_streams = 0, head_streams = 16 };

sotto_status sotto_i_encoder_new(sotto_mlp *out, sotto_params *params, const char *name,
                                 const sotto_options *options, size_t in, const sotto_key *key,
                                 sotto_error *err) {
  size_t width = sotto_i_embedding_width(options);
  bool narrow = width != options->hidden;
  const sotto_mlp_options network = {.widths = {in, options->hidden, narrow ? width : 0},
                                     .layers = narrow ? 2 : 1,
                                     .activation = options->activation,
                                     .dropout = (float)options->dropout,
                                     .activate_last = true};
  return sotto_mlp_new(out, params, name, &network, encoder_streams, key, err);
}

sotto_status sotto_i_embed_batch(sotto_matrix *out, sotto_tape *tape, const sotto_mlp *encoder,
                                 sotto_params *params, const sotto_matrix *rows, const sotto_key *key,
                                 sotto_error *err) {
  const sotto_pass pass = {.tape = tape, .key = key};
  sotto_tape_reset(tape);
  sotto_i_tape_forget(tape, rows->data);
  const sotto_var embeddings = sotto_mlp_apply(encoder, params, &pass, sotto_tape_fixed(tape, rows));
  *out = sotto_tape_value(tape, embeddings);
  return sotto_tape_check(tape, err);
}

sotto_status sotto_i_embed_rows(sotto_matrix *out, sotto_i_row_room *room, sotto_tape *tape,
                                const sotto_mlp *encoder, sotto_params *params,
                                const sotto_i_row_source *features, const sotto_i_batch *batch,
                                const sotto_key *key, sotto_error *err) {
  const sotto_pass pass = {.tape = tape, .key = key};
  sotto_tape_reset(tape);
  const sotto_var rows = sotto_i_row_source_var(room, tape, features, batch->begin, batch->count);
  *out = sotto_tape_value(tape, sotto_mlp_apply(encoder, params, &pass, rows));
  return sotto_tape_check(tape, err);
}

sotto_status sotto_i_embed_all(sotto_matrix *out, const sotto_mlp *encoder, sotto_params *params,
                               const sotto_matrix *features, const sotto_key *key, sotto_error *err) {
  const sotto_i_row_source source = sotto_i_row_source_of(features);
  return sotto_i_embed_source(out, encoder, params, &source, key, err);
}

sotto_status sotto_i_embed_source(sotto_matrix *out, const sotto_mlp *encoder, sotto_params *params,
                                  const sotto_i_row_source *features, const sotto_key *key,
                                  sotto_error *err) {
  sotto_status status;
  sotto_tape *tape = NULL;
  sotto_i_row_room room = {0};
  SOTTO_TRY(sotto_tape_new(&tape, err));
  for (size_t i = 0; i < sotto_i_batch_count(features->rows); i++) {
    const sotto_i_batch batch = sotto_i_batch_at(SOTTO_PART_NONE, features->rows, i);
    sotto_matrix made;
    SOTTO_TRY(sotto_i_embed_rows(&made, &room, tape, encoder, params, features, &batch, key, err));
    if (i == 0) SOTTO_TRY(sotto_matrix_new(out, features->rows, made.cols, err));
    if (batch.count > 0)
      memcpy(out->data + batch.begin * out->cols, made.data, batch.count * out->cols * sizeof(float));
  }
done:
  sotto_i_row_room_free(&room);
  sotto_tape_free(tape);
  return status;
}

void sotto_i_layer_weight_name(char out[SOTTO_I_WEIGHT_NAME], uint64_t k) {
  (void)snprintf(out, SOTTO_I_WEIGHT_NAME, "layer%llu.weight", (unsigned long long)(k + 1));
}

sotto_status sotto_i_head_new(sotto_mlp *out, sotto_params *params, const char *name,
                              const sotto_options *options, size_t own, size_t outputs, const sotto_key *key,
                              sotto_error *err) {
  sotto_key derived;
  sotto_i_key_derive(&derived, key, head_streams);
  const sotto_mlp_options network = {.widths = {sotto_i_embedding_width(options) + own, outputs},
                                     .layers = 1,
                                     .activation = options->activation,
                                     .input_dropout = (float)options->dropout,
                                     .numbers = sotto_i_learns_numbers(options)};
  return sotto_mlp_new(out, params, name, &network, head_streams, &derived, err);
}

sotto_status sotto_i_add_constant(sotto_matrix *out, const sotto_matrix *from, double value,
                                  sotto_error *err) {
  size_t extra = value > 0 ? 1 : 0, width = from->cols + extra;
  sotto_status status = sotto_matrix_new(out, from->rows, width, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < from->rows; i++) {
    memcpy(out->data + i * width, from->data + i * from->cols, from->cols * sizeof(float));
    if (extra > 0) out->data[i * width + from->cols] = (float)value;
  }
  return SOTTO_OK;
}
