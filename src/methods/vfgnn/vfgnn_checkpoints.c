/* Checkpoints of vfgnn: the state with which each role continues after an epoch. Shares of a holder's
 * weights belong to one session. Masks continue from their last position, so that a run with an insecure
 * seed gives the same numbers. In all other runs the dealer's seeds are new with each start, and no mask is
 * used again. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "inside/mpc.h"
#include "inside/nn.h"
#include "vfgnn.h"

/* Numbers of a holder: masks, the label holder's watch, and with counts whether the training has ended. */
enum { pieces = 4, watch_numbers = 5 + SOTTO_MEASURES, most_numbers = watch_numbers + 1 };

/* Stores a matrix over Z_2^64 as one of floats with 16 bits each, since a state holds floats. */
sotto_status sotto_i_vfgnn_add_ring(sotto_params *to, const char *name, const sotto_ring *ring,
                                    sotto_error *err) {
  size_t number;
  sotto_status status =
      sotto_params_add(to, &number, name, ring->rows, ring->cols * pieces, SOTTO_INIT_ZERO, false, NULL, err);
  if (status != SOTTO_OK) return status;
  float *out = sotto_params_value(to, number)->data;
  for (size_t i = 0; i < ring->rows * ring->cols; i++)
    for (size_t k = 0; k < pieces; k++) out[i * pieces + k] = (float)(ring->data[i] >> (16 * k) & 0xffff);
  return SOTTO_OK;
}

void sotto_i_vfgnn_read_ring(sotto_ring *ring, sotto_params *from, size_t number) {
  const float *in = sotto_params_value(from, number)->data;
  for (size_t i = 0; i < ring->rows * ring->cols; i++) {
    ring->data[i] = 0;
    for (size_t k = 0; k < pieces; k++) {
      float piece = in[i * pieces + k];
      ring->data[i] |= (uint64_t)(piece >= 0 && piece < 0x1p16F ? piece : 0) << (16 * k);
    }
  }
}

static sotto_status check_count(double value, const char *what, sotto_error *err) {
  if (value >= 0 && value < 0x1p53 && value == floor(value)) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_CORRUPT, "a checkpoint holds %g as its %s", value, what);
}

/* Has it a share of the first layer? */
static bool has_first(const sotto_i_vfgnn_holder *h) {
  return h->shared->collaborative && sotto_i_vfgnn_has_columns(h);
}

/* The state of a holder: networks, numbers, and the shares in `shares`. */
static sotto_i_saved_state holder_state(const sotto_i_vfgnn_holder *h, sotto_params *shares,
                                        double *numbers) {
  sotto_i_saved_state state = {.sets = {h->local.params, h->best},
                               .count = 2,
                               .values = shares,
                               .numbers = numbers,
                               .number_count = h->shared->counts ? 2 : 1};
  if (h->labels == NULL) return state;
  state.sets[2] = h->labels->params;
  state.sets[3] = h->labels->best;
  state.count = 4;
  state.number_count += watch_numbers - 1;
  return state;
}

static sotto_status shares_new(sotto_params **out, const sotto_i_vfgnn_holder *h, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_params_new(out, err));
  if (!has_first(h)) return SOTTO_OK;
  SOTTO_TRY(sotto_i_vfgnn_add_ring(*out, "weight", &h->first.weight, err));
  SOTTO_TRY(sotto_i_vfgnn_add_ring(*out, "velocity", &h->first.velocity, err));
  SOTTO_TRY(sotto_i_vfgnn_add_ring(*out, "best", &h->best_first, err));
done:
  return status;
}

/* The end of a training is stored if something comes after it. */
static bool is_due(const sotto_i_vfgnn *c, const sotto_i_checkpoints *checkpoints, uint64_t epoch,
                   bool stop) {
  return stop ? c->counts : sotto_i_checkpoint_due(checkpoints, epoch);
}

sotto_status sotto_i_vfgnn_holder_save(sotto_i_vfgnn_holder *h, uint64_t epoch, bool stop, sotto_error *err) {
  sotto_i_checkpoints *c = h->checkpoints;
  const sotto_i_vfgnn_labels *l = h->labels;
  double numbers[most_numbers] = {(double)h->first.party.next};
  sotto_params *shares = NULL;
  sotto_status status;
  if (!is_due(h->shared, c, epoch, stop)) return SOTTO_OK;
  if (l != NULL) {
    const double watch[] = {(double)l->watch.epoch, (double)l->watch.best_epoch, l->watch.best,
                            l->watch.best_loss};
    memcpy(numbers + 1, watch, sizeof watch);
    memcpy(numbers + 5, l->validation.of, sizeof l->validation.of);
  }
  SOTTO_TRY(shares_new(&shares, h, err));
  const sotto_i_saved_state state = holder_state(h, shares, numbers);
  if (h->shared->counts) numbers[state.number_count - 1] = stop;
  SOTTO_TRY(sotto_i_checkpoint_save(c, (uint32_t)epoch, &state, err));
done:
  sotto_params_free(shares);
  return status;
}

static sotto_status read_watch(sotto_i_vfgnn_labels *l, const double *numbers, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(check_count(numbers[0], "epoch", err));
  SOTTO_TRY(check_count(numbers[1], "best epoch", err));
  l->watch = (sotto_i_watch){(uint64_t)numbers[0], (uint64_t)numbers[1], numbers[2], numbers[3]};
  memcpy(l->validation.of, numbers + 4, sizeof l->validation.of);
done:
  return status;
}

sotto_status sotto_i_vfgnn_holder_load(uint64_t *epoch, bool *stop, sotto_i_vfgnn_holder *h,
                                       sotto_error *err) {
  sotto_i_checkpoints *c = h->checkpoints;
  double numbers[most_numbers] = {0};
  sotto_params *shares = NULL;
  sotto_status status;
  *epoch = c == NULL ? 0 : c->at.number;
  if (*epoch == 0) return SOTTO_OK;
  SOTTO_TRY(shares_new(&shares, h, err));
  const sotto_i_saved_state state = holder_state(h, shares, numbers);
  SOTTO_TRY(sotto_i_checkpoint_load(c, &state, err));
  SOTTO_TRY(check_count(numbers[0], "number of masks", err));
  if (h->labels != NULL) SOTTO_TRY(read_watch(h->labels, numbers + 1, err));
  *stop = h->shared->counts && numbers[state.number_count - 1] > 0;
  if (!has_first(h)) goto done;
  h->first.party.next = (uint64_t)numbers[0];
  sotto_i_vfgnn_read_ring(&h->first.weight, shares, 0);
  sotto_i_vfgnn_read_ring(&h->first.velocity, shares, 1);
  sotto_i_vfgnn_read_ring(&h->best_first, shares, 2);
done:
  sotto_params_free(shares);
  return status;
}

/* `tested` as a separate set: rows that the server has yet to send. Empty with counts. */
static sotto_status tested_new(sotto_params **out, const sotto_i_vfgnn_server *s, sotto_error *err) {
  size_t number;
  sotto_status status;
  SOTTO_TRY(sotto_params_new(out, err));
  if (s->shared->counts) return SOTTO_OK;
  SOTTO_TRY(sotto_params_add(*out, &number, "tested", s->tested.rows, s->tested.cols, SOTTO_INIT_ZERO, false,
                             NULL, err));
  memcpy(sotto_params_value(*out, number)->data, s->tested.data,
         s->tested.rows * s->tested.cols * sizeof(float));
done:
  return status;
}

static sotto_i_saved_state server_state(const sotto_i_vfgnn_server *s, sotto_params *tested,
                                        double *numbers) {
  return (sotto_i_saved_state){.sets = {s->params, s->best},
                               .count = 2,
                               .values = tested,
                               .numbers = numbers,
                               .number_count = s->shared->counts ? 2 : 1};
}

sotto_status sotto_i_vfgnn_server_save(sotto_i_vfgnn_server *s, uint64_t epoch, bool stop, sotto_error *err) {
  sotto_i_checkpoints *c = s->checkpoints;
  double numbers[2] = {(double)s->dealer.dealer.next, stop};
  sotto_params *tested = NULL;
  sotto_status status;
  if (!is_due(s->shared, c, epoch, stop)) return SOTTO_OK;
  SOTTO_TRY(tested_new(&tested, s, err));
  const sotto_i_saved_state state = server_state(s, tested, numbers);
  SOTTO_TRY(sotto_i_checkpoint_save(c, (uint32_t)epoch, &state, err));
done:
  sotto_params_free(tested);
  return status;
}

sotto_status sotto_i_vfgnn_server_load(uint64_t *epoch, bool *stop, sotto_i_vfgnn_server *s,
                                       sotto_error *err) {
  sotto_i_checkpoints *c = s->checkpoints;
  double numbers[2] = {0};
  sotto_params *tested = NULL;
  sotto_status status;
  *epoch = c == NULL ? 0 : c->at.number;
  if (*epoch == 0) return SOTTO_OK;
  SOTTO_TRY(tested_new(&tested, s, err));
  const sotto_i_saved_state state = server_state(s, tested, numbers);
  SOTTO_TRY(sotto_i_checkpoint_load(c, &state, err));
  SOTTO_TRY(check_count(numbers[0], "number of masks", err));
  s->dealer.dealer.next = (uint64_t)numbers[0];
  *stop = s->shared->counts && numbers[1] > 0;
  if (s->shared->counts) goto done;
  memcpy(s->tested.data, sotto_params_value(tested, 0)->data,
         s->tested.rows * s->tested.cols * sizeof(float));
done:
  sotto_params_free(tested);
  return status;
}
