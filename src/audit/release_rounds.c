/* Sums of the rounds of a federation: the result after the links and the server's step, minus the sum of
 * all parties' values before any noise. */
#include "base/error.h"
#include "base/memory.h"
#include "release.h"

void sotto_i_looked_rounds_free(sotto_i_looked_rounds *l) {
  sotto_i_residual_free(&l->residual);
  sotto_i_free(l->exact);
  *l = (sotto_i_looked_rounds){0};
}

/* One row a number: the bets are that a number has no noise in any round. */
static sotto_status begin_residual(sotto_i_looked_rounds *l, const sotto_i_round_sum *sum, sotto_error *err) {
  const sotto_i_residual like = {.law = SOTTO_I_RESIDUAL_NUMBERS,
                                 .mechanism = SOTTO_MECHANISM_GAUSSIAN,
                                 .unit = sum->sigma,
                                 .rows = sum->count,
                                 .cols = 1};
  sotto_status status = SOTTO_OK;
  if (l->exact != NULL && l->residual.rows == sum->count) return SOTTO_OK;
  sotto_i_looked_rounds_free(l);
  SOTTO_TRY(sotto_i_new(&l->exact, sum->count, sizeof *l->exact, err));
  SOTTO_TRY(sotto_i_residual_new(&l->residual, &like, err));
done:
  return status;
}

static sotto_status add_whole(sotto_i_looked_rounds *l, const sotto_i_round_sum *sum, sotto_error *err) {
  float *rest = NULL, *zeros = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&rest, sum->count, sizeof *rest, err));
  SOTTO_TRY(sotto_i_new(&zeros, sum->count, sizeof *zeros, err));
  for (size_t j = 0; j < sum->count; j++) {
    rest[j] = (float)(sum->whole[j] - l->exact[j]);
    l->exact[j] = 0;
  }
  if (l->rounds++ == 0) sotto_i_residual_centre(&l->residual, zeros);
  sotto_i_residual_add(&l->residual, rest);
  l->evidence = sotto_i_residual_evidence(&l->residual);
  l->all = l->rounds >= SOTTO_I_LOOKED_ROUNDS || sum->round == sum->rounds;
done:
  sotto_i_free(rest);
  sotto_i_free(zeros);
  return status;
}

sotto_status sotto_i_look_at_sum(sotto_i_looked_rounds *l, const sotto_i_round_sum *sum, sotto_error *err) {
  sotto_status status = begin_residual(l, sum, err);
  if (status != SOTTO_OK || sum->part == NULL) return status == SOTTO_OK ? add_whole(l, sum, err) : status;
  for (size_t j = 0; j < sum->count; j++) l->exact[j] += (double)sum->part[j] * sum->step;
  return SOTTO_OK;
}
