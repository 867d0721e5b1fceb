/* With counts, rows of all nodes by finished networks: after the training, and about other data. They pass in
 * blocks from the holders to the server, whose hidden rows go to the label holder. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "inside/tensor.h"
#include "vfgnn.h"

const char sotto_i_vfgnn_hidden_reason[] =
    "the last hidden layer, a function of what holders published; the label holder learns from it";

/* Receives the hidden rows of one block, and scores them. */
static sotto_status score_block(sotto_matrix *scores, sotto_i_vfgnn_holder *h, size_t begin,
                                sotto_error *err) {
  const size_t count = sotto_i_vfgnn_block_rows(scores->rows, begin);
  sotto_matrix hidden = {0}, own = {0};
  uint32_t *nodes = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&hidden, count, h->shared->width, err));
  SOTTO_TRY(sotto_i_new(&nodes, count, sizeof *nodes, err));
  for (size_t i = 0; i < count; i++) nodes[i] = (uint32_t)(begin + i);
  SOTTO_TRY(sotto_i_vfgnn_receive_rows(&hidden, h->peers.dealer, SOTTO_I_VFGNN_ALL_NAME, 0, err));
  SOTTO_TRY(sotto_i_vfgnn_labels_score(&own, h, &hidden, nodes, err));
  memcpy(scores->data + begin * scores->cols, own.data, count * own.cols * sizeof(float));
done:
  sotto_tape_reset(h->labels->tape); /* it borrows the rows */
  sotto_matrix_free(&hidden);
  sotto_matrix_free(&own);
  sotto_i_free(nodes);
  return status;
}

sotto_status sotto_i_vfgnn_all_hold(sotto_matrix *scores, sotto_i_vfgnn_holder *h, sotto_error *err) {
  const sotto_i_vfgnn *c = h->shared;
  const bool has = sotto_i_vfgnn_has_columns(h), sends = has && sotto_i_vfgnn_sends(c, h->index);
  sotto_matrix opened = {0};
  sotto_tape *tape = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_tape_new(&tape, err));
  if (has && sotto_i_vfgnn_shares_first(c)) {
    sotto_i_shared_take_rows(&h->first, NULL, 0);
    if (sends) SOTTO_TRY(sotto_matrix_new(&opened, c->nodes, c->width, err));
    SOTTO_TRY(sotto_i_shared_forward(&h->first, &opened, err));
  }
  const sotto_matrix *first = c->opened != NULL ? c->opened : &opened;
  const sotto_i_vfgnn_input all = {c->collaborative ? first : &h->features, NULL, c->nodes};
  if (scores != NULL) SOTTO_TRY(sotto_matrix_new(scores, c->nodes, c->classes, err));
  for (size_t begin = 0; begin < c->nodes; begin += SOTTO_I_VFGNN_BLOCK) {
    if (sends) SOTTO_TRY(sotto_i_vfgnn_send_encoded(h, tape, &all, begin, err));
    if (scores != NULL) SOTTO_TRY(score_block(scores, h, begin, err));
  }
done:
  sotto_tape_free(tape);
  sotto_matrix_free(&opened);
  return status;
}

/* Joins one block. `came` has room for a block of each holder's rows. */
static sotto_status join_block(sotto_i_vfgnn_server *s, sotto_tape *tape, sotto_matrix *came,
                               const uint32_t *zeros, size_t count, sotto_error *err) {
  const sotto_i_vfgnn *c = s->shared;
  sotto_var rows[SOTTO_MOST_HOLDERS] = {{0}};
  sotto_status status = SOTTO_OK;
  sotto_tape_reset(tape);
  for (size_t i = 0; i < c->holders; i++) {
    if (!sotto_i_vfgnn_sends(c, i)) continue;
    came[i].rows = count;
    SOTTO_TRY(sotto_i_vfgnn_receive_rows(&came[i], s->links[i], "embeddings",
                                         sqrt((double)sotto_i_vfgnn_folds(c)), err));
    rows[i] = sotto_tape_constant(tape, &came[i]);
  }
  for (size_t i = 0; i < c->holders; i++)
    if (!sotto_i_vfgnn_sends(c, i)) rows[i] = rows[sotto_i_vfgnn_reader(c)];
  const sotto_var z = sotto_i_vfgnn_join(s, tape, rows, zeros, count, 0, false);
  SOTTO_TRY(sotto_tape_check(tape, err));
  const sotto_matrix hidden = sotto_tape_value(tape, z);
  SOTTO_TRY(sotto_i_vfgnn_send_rows(s->links[c->label_holder], SOTTO_I_VFGNN_ALL_NAME,
                                    sotto_i_vfgnn_hidden_reason, &hidden, err));
done:
  return status;
}

sotto_status sotto_i_vfgnn_all_join(sotto_i_vfgnn_server *s, sotto_error *err) {
  const sotto_i_vfgnn *c = s->shared;
  const size_t most = sotto_i_vfgnn_block_rows(c->nodes, 0);
  sotto_matrix came[SOTTO_MOST_HOLDERS] = {{0}};
  uint32_t *zeros = NULL;
  sotto_tape *tape = NULL;
  sotto_status status;
  if (sotto_i_vfgnn_shares_first(c)) {
    sotto_i_shared_deal_rows(&s->dealer, NULL, 0);
    SOTTO_TRY(sotto_i_shared_deal_forward(&s->dealer, err));
  }
  SOTTO_TRY(sotto_tape_new(&tape, err));
  SOTTO_TRY(sotto_i_new(&zeros, most, sizeof *zeros, err));
  for (size_t i = 0; i < c->holders; i++)
    if (sotto_i_vfgnn_sends(c, i)) SOTTO_TRY(sotto_matrix_new(&came[i], most, c->width, err));
  for (size_t begin = 0; begin < c->nodes; begin += SOTTO_I_VFGNN_BLOCK)
    SOTTO_TRY(join_block(s, tape, came, zeros, sotto_i_vfgnn_block_rows(c->nodes, begin), err));
done:
  sotto_tape_free(tape);
  sotto_i_free(zeros);
  for (size_t i = 0; i < c->holders; i++) sotto_matrix_free(&came[i]);
  return status;
}
