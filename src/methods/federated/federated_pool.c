/* Sums of vectors over all clients, between the two trainings at edge level. With secure-aggregation the
 * server gets the sum alone; else each client's vector. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "cells.h"
#include "federated.h"
#include "inside/party.h"

/* Numbered after the sums of the rounds and of the measures. */
static uint64_t round_of(const sotto_i_federation *f, const sotto_i_fed_pooled *of) {
  return f->rounds + 1 + SOTTO_I_FED_MODELS + of->step;
}

static sotto_status sum_new(sotto_i_fed_sum *out, const sotto_i_federation *f, const sotto_i_fed_pooled *of,
                            const uint32_t *all, const sotto_matrix *model, sotto_error *err) {
  const sotto_i_fed_summed summed = {
      .round = round_of(f, of), .taking = all, .count = f->clients, .values = of->count};
  return sotto_i_fed_sum_new(out, f, &summed, model, err);
}

/* An error would tell the server whose features are so large. */
static sotto_status encode(uint64_t *out, const float *values, const sotto_i_fed_client *c,
                           const sotto_i_fed_pooled *of, const sotto_sum_plan *plan, sotto_error *err) {
  sotto_error problem = {0};
  const sotto_status status = sotto_sum_encode(out, values, of->count, SOTTO_I_FED_BITS, 1, plan, &problem);
  if (status == SOTTO_OK) return status;
  if (status != SOTTO_NUMERIC && status != SOTTO_RANGE) return sotto_i_fail(err, status, "%s", problem.text);
  sotto_i_log(c->federation->job->observer, SOTTO_LOG_INFO, "client %u: its part of %s counts as zero (%s)",
              (unsigned)c->number + 1, of->name, problem.text);
  return SOTTO_OK;
}

static sotto_status send_masked(sotto_i_fed_client *c, const sotto_i_fed_pooled *of, const float *values,
                                sotto_error *err) {
  uint32_t *all = NULL;
  uint64_t *words = NULL;
  sotto_i_fed_sum sum = {.signers = NULL};
  sotto_status status;
  SOTTO_TRY(sotto_i_fed_all_clients(&all, c->federation, err));
  SOTTO_TRY(sum_new(&sum, c->federation, of, all, &c->global, err));
  SOTTO_TRY(sotto_i_new(&words, of->count, sizeof *words, err));
  SOTTO_TRY(encode(words, values, c, of, &sum.plan, err));
  SOTTO_TRY(sotto_i_fed_sum_take_part(c, &sum, all, words, NULL, err));
done:
  sotto_i_fed_sum_free(&sum);
  sotto_i_free(words);
  sotto_i_free(all);
  return status;
}

sotto_status sotto_i_fed_pool_send(sotto_i_fed_client *c, const sotto_i_fed_pooled *of, const float *values,
                                   sotto_error *err) {
  if (c->federation->settings->secure_aggregation) return send_masked(c, of, values, err);
  sotto_matrix copy = {0};
  sotto_status status = sotto_matrix_new(&copy, 1, of->count, err);
  for (size_t j = 0; status == SOTTO_OK && j < of->count; j++) copy.data[j] = values[j];
  if (status == SOTTO_OK) status = sotto_link_send_exposed(c->link, of->name, of->reason, &copy, err);
  sotto_matrix_free(&copy);
  return status;
}

static sotto_status gather_masked(double *out, sotto_i_fed_server *s, const sotto_i_fed_pooled *of,
                                  sotto_error *err) {
  const sotto_i_federation *f = s->federation;
  uint32_t *all = NULL;
  uint64_t *words = NULL;
  sotto_i_fed_sum sum = {.signers = NULL};
  sotto_status status;
  SOTTO_TRY(sotto_i_fed_all_clients(&all, f, err));
  SOTTO_TRY(sum_new(&sum, f, of, all, &s->best, err));
  SOTTO_TRY(sotto_i_new(&words, of->count, sizeof *words, err));
  SOTTO_TRY(sotto_i_fed_sum_gather(words, s, &sum, f->cluster_rounds + 1, all, f->clients, NULL, err));
  for (size_t j = 0; j < of->count; j++) out[j] = ldexp((double)(int64_t)words[j], -SOTTO_I_FED_BITS);
done:
  sotto_i_fed_sum_free(&sum);
  sotto_i_free(words);
  sotto_i_free(all);
  return status;
}

static sotto_status gather_plain(double *out, sotto_i_fed_server *s, const sotto_i_fed_pooled *of,
                                 sotto_error *err) {
  const sotto_i_federation *f = s->federation;
  const sotto_expectation expected = {
      .name = of->name, .kind = SOTTO_WIRE_EXPOSED, .rows = 1, .cols = of->count};
  sotto_matrix one = {0};
  sotto_status status = sotto_matrix_new(&one, 1, of->count, err);
  if (status != SOTTO_OK) return status;
  for (uint32_t i = 0; i < f->clients; i++) {
    sotto_error problem = {0};
    if (!sotto_i_fed_is_here(s, i)) continue;
    status = sotto_link_receive(s->links[i], &one, &expected, &problem);
    const bool came = status == SOTTO_OK;
    SOTTO_TRY(sotto_i_fed_left(s, i, f->cluster_rounds + 1, status, &problem, err));
    for (size_t j = 0; came && j < of->count; j++) out[j] += (double)one.data[j];
  }
done:
  sotto_matrix_free(&one);
  return status;
}

sotto_status sotto_i_fed_pool_gather(double *sum, sotto_i_fed_server *s, const sotto_i_fed_pooled *of,
                                     sotto_error *err) {
  for (size_t j = 0; j < of->count; j++) sum[j] = 0;
  return s->federation->settings->secure_aggregation ? gather_masked(sum, s, of, err)
                                                     : gather_plain(sum, s, of, err);
}

sotto_status sotto_i_fed_pool_tell(sotto_i_fed_server *s, const char *name, const char *reason,
                                   const sotto_matrix *row, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint32_t i = 0; i < s->federation->clients; i++) {
    sotto_error problem = {0};
    if (!sotto_i_fed_is_here(s, i)) continue;
    sotto_i_fed_give_time(s, i);
    status = sotto_link_send_exposed(s->links[i], name, reason, row, &problem);
    SOTTO_TRY(sotto_i_fed_left(s, i, s->federation->cluster_rounds + 1, status, &problem, err));
  }
done:
  return status;
}

sotto_status sotto_i_fed_pool_hear(const sotto_i_fed_client *c, const char *name, sotto_matrix *row,
                                   sotto_error *err) {
  const sotto_expectation expected = {
      .name = name, .kind = SOTTO_WIRE_EXPOSED, .rows = row->rows, .cols = row->cols};
  return sotto_link_receive(c->link, row, &expected, err);
}
