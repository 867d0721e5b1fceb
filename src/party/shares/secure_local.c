/* Arithmetic on shared matrices: the local steps of each holder. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "inside/mpc.h"
#include "secure.h"

sotto_status sotto_i_secret_new(sotto_i_secret *out, const sotto_i_secure *s, size_t rows, size_t cols,
                                sotto_error *err) {
  *out = (sotto_i_secret){.rows = rows, .cols = cols};
  return s->dealing ? SOTTO_OK : sotto_ring_new(&out->share, rows, cols, err);
}

void sotto_i_secret_free(sotto_i_secret *secret) {
  sotto_ring_free(&secret->share);
  *secret = (sotto_i_secret){.rows = 0};
}

void sotto_i_factor_free(sotto_i_factor *factor) {
  sotto_operand_free(&factor->operand);
  sotto_ring_free(&factor->whole);
}

sotto_status sotto_i_secret_put(sotto_i_secret *secret, const sotto_i_secure *s, const sotto_matrix *values,
                                double bound, sotto_error *err) {
  sotto_ring fixed = {0};
  sotto_status status;
  SOTTO_I_CHECK(!s->dealing);
  SOTTO_TRY(sotto_ring_new(&fixed, values->rows, values->cols, err));
  SOTTO_TRY(sotto_fixed_encode(&fixed, values, s->bits, bound, err));
  sotto_ring_add(&secret->share, &secret->share, &fixed);
done:
  sotto_ring_free(&fixed);
  return status;
}

void sotto_i_secure_add_constant(sotto_i_secret *to, const sotto_i_secure *s, double constant) {
  if (s->dealing || s->peers->self != 0) return;
  uint64_t whole = (uint64_t)llrint(ldexp(constant, (int)s->bits));
  for (size_t i = 0; i < to->rows * to->cols; i++) to->share.data[i] += whole;
}

void sotto_i_secure_add(sotto_i_secret *to, const sotto_i_secret *from) {
  if (to->share.data != NULL) sotto_ring_add(&to->share, &to->share, &from->share);
}

sotto_status sotto_i_secure_gather(sotto_i_secret *out, const sotto_i_secure *s, const sotto_i_secret *from,
                                   const uint32_t *rows, size_t count, sotto_error *err) {
  *out = (sotto_i_secret){.rows = count, .cols = from->cols};
  return s->dealing ? SOTTO_OK : sotto_i_ring_take(&out->share, &from->share, rows, count, err);
}

sotto_status sotto_i_secure_take(sotto_i_factor *out, const sotto_i_secure *s, const sotto_i_factor *from,
                                 const uint32_t *rows, size_t count, sotto_error *err) {
  sotto_ring made = {0};
  const sotto_ring *whole = &from->whole;
  sotto_status status = SOTTO_OK;
  *out = (sotto_i_factor){.rows = count, .cols = from->cols, .number = from->number};
  if (!s->dealing) {
    out->operand.number = from->operand.number;
    SOTTO_TRY(sotto_i_ring_take(&out->operand.mask, &from->operand.mask, rows, count, err));
    SOTTO_TRY(sotto_i_ring_take(&out->operand.opened, &from->operand.opened, rows, count, err));
    goto done;
  }
  if (whole->data == NULL) {
    SOTTO_TRY(sotto_dealer_whole_mask(&made, &s->dealer, from->number, from->rows, from->cols, err));
    whole = &made;
  }
  SOTTO_TRY(sotto_i_ring_take(&out->whole, whole, rows, count, err));
done:
  sotto_ring_free(&made);
  return status;
}

void sotto_i_secure_scatter(sotto_i_secret *to, const sotto_i_secret *from, const uint32_t *rows) {
  if (to->share.data == NULL) return;
  for (size_t i = 0; i < from->rows; i++)
    for (size_t j = 0; j < from->cols; j++)
      to->share.data[rows[i] * to->cols + j] += from->share.data[i * from->cols + j];
}

sotto_status sotto_i_secret_transpose(sotto_i_secret *out, const sotto_i_secure *s,
                                      const sotto_i_secret *from, sotto_error *err) {
  sotto_status status = sotto_i_secret_new(out, s, from->cols, from->rows, err);
  if (status == SOTTO_OK && !s->dealing) sotto_ring_transpose(&out->share, &from->share);
  return status;
}

sotto_status sotto_i_secure_keep(sotto_i_factor *factor, const sotto_i_secure *s, sotto_error *err) {
  if (!s->dealing) return SOTTO_OK;
  return sotto_dealer_whole_mask(&factor->whole, &s->dealer, factor->number, factor->rows, factor->cols, err);
}
