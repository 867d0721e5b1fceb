/* Rows in blocks: messages and networks of vfgnn hold no more than a block of rows at once. With counts a
 * holder's network reads no edges, so that its rows are computed in blocks, too. */
#include <string.h>

#include "base/error.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "inside/tensor.h"
#include "tensor/columns.h"
#include "vfgnn.h"

const char sotto_i_vfgnn_features_reason[] =
    "functions of each node's own features, which edge-level adjacency does not protect";

sotto_status sotto_i_vfgnn_send_rows(sotto_link *link, const char *name, const char *reason,
                                     const sotto_matrix *rows, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (size_t begin = 0; status == SOTTO_OK && begin < rows->rows; begin += SOTTO_I_VFGNN_BLOCK) {
    const sotto_matrix block = sotto_i_vfgnn_block(rows, begin);
    status = sotto_link_send_exposed(link, name, reason, &block, err);
  }
  return status;
}

sotto_status sotto_i_vfgnn_receive_rows(sotto_matrix *out, sotto_link *link, const char *name, double norm,
                                        sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (size_t begin = 0; status == SOTTO_OK && begin < out->rows; begin += SOTTO_I_VFGNN_BLOCK) {
    sotto_matrix block = sotto_i_vfgnn_block(out, begin);
    const sotto_expectation expected = {name, SOTTO_WIRE_EXPOSED, block.rows, block.cols, norm};
    status = sotto_link_receive(link, &block, &expected, err);
  }
  return status;
}

/* A block on the tape. */
typedef struct encoded {
  sotto_matrix picked; /* its input, if that is not a piece of the whole; owned */
  sotto_var first, out;
} encoded;

static sotto_status encode(encoded *e, const sotto_i_vfgnn_holder *h, sotto_tape *tape,
                           const sotto_i_vfgnn_input *in, size_t begin, sotto_error *err) {
  const size_t count = sotto_i_vfgnn_block_rows(in->count, begin);
  sotto_matrix x = {in->from->data + begin * in->from->cols, count, in->from->cols};
  sotto_status status = SOTTO_OK;
  sotto_tape_reset(tape);
  *e = (encoded){.picked = {0}};
  if (in->rows != NULL) {
    SOTTO_TRY(sotto_i_take_rows(&e->picked, in->from, in->rows + begin, count, err));
    x = e->picked;
  }
  e->first = h->shared->collaborative
                 ? sotto_tape_input(tape, &x)
                 : sotto_tape_matmul(tape, sotto_tape_constant(tape, &x),
                                     sotto_params_var(h->local.params, h->local.first, tape));
  e->out = sotto_i_vfgnn_local_apply(&h->local, tape, e->first, false);
  SOTTO_TRY(sotto_tape_check(tape, err));
done:
  return status;
}

sotto_status sotto_i_vfgnn_send_encoded(const sotto_i_vfgnn_holder *h, sotto_tape *tape,
                                        const sotto_i_vfgnn_input *in, size_t begin, sotto_error *err) {
  encoded e;
  sotto_status status = encode(&e, h, tape, in, begin, err);
  if (status == SOTTO_OK) {
    const sotto_matrix rows = sotto_tape_value(tape, e.out);
    status =
        sotto_link_send_exposed(h->peers.dealer, "embeddings", sotto_i_vfgnn_features_reason, &rows, err);
  }
  sotto_tape_reset(tape);
  sotto_matrix_free(&e.picked);
  return status;
}

sotto_status sotto_i_vfgnn_encoded_backward(sotto_matrix *gradient, const sotto_i_vfgnn_holder *h,
                                            sotto_tape *tape, const sotto_i_vfgnn_input *in,
                                            sotto_error *err) {
  encoded e = {.picked = {0}};
  sotto_status status = SOTTO_OK;
  sotto_params_zero_gradients(h->local.params);
  for (size_t begin = 0; begin < in->count; begin += SOTTO_I_VFGNN_BLOCK) {
    sotto_matrix block = sotto_i_vfgnn_block(gradient, begin);
    SOTTO_TRY(encode(&e, h, tape, in, begin, err));
    SOTTO_TRY(sotto_tape_backward_from(tape, e.out, &block, err));
    if (h->shared->collaborative) {
      const sotto_matrix first = sotto_tape_gradient(tape, e.first);
      memcpy(block.data, first.data, block.rows * block.cols * sizeof(float));
    }
    sotto_matrix_free(&e.picked);
  }
done:
  sotto_tape_reset(tape);
  sotto_matrix_free(&e.picked);
  return status;
}
