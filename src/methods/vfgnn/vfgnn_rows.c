/* Rows about other data, of a run that published rows: each holder publishes those of all nodes once, over
 * its new edges, with noise where the run has some. The server joins them, and the label holder scores the
 * requested nodes. Weights are those of the training, so that an edge moves the rows near its ends alone. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "inside/dp.h"
#include "inside/mpc.h"
#include "inside/party.h"
#include "inside/tensor.h"
#include "run/settings/options.h"
#include "vfgnn_others.h"

sotto_status sotto_i_vfgnn_rows_hold(sotto_i_vfgnn_others *o, sotto_i_vfgnn_holder *h, sotto_error *err) {
  const sotto_i_vfgnn *c = h->shared;
  sotto_matrix opened = {0};
  sotto_tape *tape = NULL;
  sotto_var first, rows;
  sotto_status status;
  if (sotto_i_vfgnn_shares_first(c)) {
    sotto_i_shared_take_rows(&h->first, NULL, 0);
    SOTTO_TRY(sotto_matrix_new(&opened, c->nodes, c->width, err));
    SOTTO_TRY(sotto_i_shared_forward(&h->first, &opened, err));
  }
  SOTTO_TRY(sotto_tape_new(&tape, err));
  SOTTO_TRY(sotto_i_vfgnn_others_release(o, h, err));
  SOTTO_TRY(sotto_i_vfgnn_show_rows(h, tape, c->opened != NULL ? c->opened : &opened, 0, &first, &rows, err));
done:
  sotto_tape_free(tape);
  sotto_matrix_free(&opened);
  return status;
}

/* The noise of the release, which follows from its epsilon. */
static sotto_status noise_of(double *sigma, const sotto_i_vfgnn_others *o, sotto_error *err) {
  const sotto_i_vfgnn *c = &o->shared;
  const sotto_graph shape = {.nodes = c->nodes};
  sotto_options once = *c->job->options;
  sotto_i_release_plan plan = {.what = NULL};
  once.epochs = 1;
  once.epsilon = o->joint->epsilon;
  const sotto_status status = sotto_i_vfgnn_plan(&plan, &once, &shape, err);
  *sigma = plan.layers.grid.sigma;
  return status;
}

/* All holders' rows, of all nodes. */
static sotto_status receive_rows(sotto_matrix *rows, const sotto_i_vfgnn_others *o,
                                 const sotto_i_vfgnn_server *s, sotto_error *err) {
  const sotto_i_vfgnn *c = s->shared;
  const sotto_expectation expected = {"embeddings", c->noisy ? SOTTO_WIRE_RELEASE : SOTTO_WIRE_EXPOSED,
                                      c->nodes, c->width, c->noisy ? 0 : 1};
  const bool shrinks = sotto_i_estimator_of(c->job->options) == SOTTO_I_ESTIMATOR_JAMES_STEIN;
  double sigma = 0;
  sotto_status status = SOTTO_OK;
  if (c->noisy) SOTTO_TRY(noise_of(&sigma, o, err));
  for (size_t i = 0; i < c->holders; i++) {
    SOTTO_TRY(sotto_matrix_new(&rows[i], c->nodes, c->width, err));
    SOTTO_TRY(sotto_link_receive(s->links[i], &rows[i], &expected, err));
    if (c->noisy && shrinks) SOTTO_TRY(sotto_james_stein(&rows[i], sigma, true, err));
  }
done:
  return status;
}

/* Hidden rows of the block that begins with `begin`. */
static sotto_status join_block(sotto_matrix *hidden, sotto_i_vfgnn_server *s, sotto_tape *tape,
                               const sotto_matrix *rows, const uint32_t *zeros, size_t begin,
                               sotto_error *err) {
  const sotto_i_vfgnn *c = s->shared;
  sotto_var of[SOTTO_MOST_HOLDERS] = {{0}};
  sotto_matrix block;
  sotto_tape_reset(tape);
  for (size_t i = 0; i < c->holders; i++) {
    block = sotto_i_vfgnn_block(&rows[i], begin);
    of[i] = sotto_tape_constant(tape, &block);
  }
  const sotto_var z =
      sotto_i_vfgnn_join(s, tape, of, zeros, sotto_i_vfgnn_block_rows(c->nodes, begin), 0, false);
  const sotto_status status = sotto_tape_check(tape, err);
  if (status != SOTTO_OK) return status;
  block = sotto_tape_value(tape, z);
  memcpy(hidden->data + begin * c->width, block.data, block.rows * c->width * sizeof(float));
  return SOTTO_OK;
}

sotto_status sotto_i_vfgnn_rows_join(sotto_i_vfgnn_others *o, sotto_i_vfgnn_server *s, sotto_error *err) {
  const sotto_i_vfgnn *c = s->shared;
  sotto_matrix rows[SOTTO_MOST_HOLDERS] = {{0}}, hidden = {0};
  uint32_t *zeros = NULL;
  sotto_tape *tape = NULL;
  sotto_status status = SOTTO_OK;
  if (sotto_i_vfgnn_shares_first(c)) {
    sotto_i_shared_deal_rows(&s->dealer, NULL, 0);
    SOTTO_TRY(sotto_i_shared_deal_forward(&s->dealer, err));
  }
  SOTTO_TRY(receive_rows(rows, o, s, err));
  SOTTO_TRY(sotto_tape_new(&tape, err));
  SOTTO_TRY(sotto_i_new(&zeros, sotto_i_vfgnn_block_rows(c->nodes, 0), sizeof *zeros, err));
  SOTTO_TRY(sotto_matrix_new(&hidden, c->nodes, c->width, err));
  for (size_t begin = 0; begin < c->nodes; begin += SOTTO_I_VFGNN_BLOCK)
    SOTTO_TRY(join_block(&hidden, s, tape, rows, zeros, begin, err));
  SOTTO_TRY(sotto_i_vfgnn_send_asked(c, o->joint, &hidden, err));
done:
  sotto_tape_free(tape);
  for (size_t i = 0; i < c->holders; i++) sotto_matrix_free(&rows[i]);
  sotto_matrix_free(&hidden);
  sotto_i_free(zeros);
  return status;
}
