/* The server of a federation with noisy sums: it receives sums, adds its own noise if it is trusted with
 * that, and updates the model by the noisy mean gradient. Everything after the noise is post-processing. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "inside/party.h"
#include "methods/federated/federated.h"
#include "party/wire/link/transport.h"
#include "release/artifact.h"

sotto_status sotto_i_fed_noisy_send(sotto_i_fed_server *s, uint32_t client, const sotto_matrix *model,
                                    sotto_error *err) {
  return sotto_i_link_pass_on(s->links[client], "model", model, err);
}

static sotto_status receive_clipped(double *totals, const sotto_i_fed_server *s, uint32_t client,
                                    int64_t *sum, sotto_error *err) {
  const size_t size = s->model.size;
  const sotto_expectation expected = {
      .name = "clipped sum", .kind = SOTTO_WIRE_EXPOSED, .rows = 1, .cols = 2 * (size + 1)};
  sotto_status status = sotto_link_receive_words(s->links[client], sum, &expected, err);
  if (status != SOTTO_OK) return status;
  for (size_t j = 0; j < size; j++) totals[j] += (double)sum[j] * s->federation->noise.grid.step;
  totals[size + SOTTO_I_FED_EXAMPLES] += (double)sum[size];
  return SOTTO_OK;
}

static sotto_status receive_noisy(double *totals, const sotto_i_fed_server *s, uint32_t client,
                                  sotto_matrix *rows, sotto_error *err) {
  const size_t size = s->model.size;
  const sotto_expectation expected = {
      .name = "noisy sum", .kind = SOTTO_WIRE_RELEASE, .rows = 1, .cols = size + 1};
  sotto_status status = sotto_link_receive(s->links[client], rows, &expected, err);
  if (status != SOTTO_OK) return status;
  for (size_t j = 0; j < size; j++) totals[j] += rows->data[j];
  totals[size + SOTTO_I_FED_EXAMPLES] += rows->data[size];
  return SOTTO_OK;
}

sotto_status sotto_i_fed_noisy_gather(sotto_i_fed_server *s, const uint32_t *taking, uint64_t round,
                                      sotto_error *err) {
  const bool bare = s->federation->noise.by == SOTTO_I_NOISE_CENTRAL;
  sotto_matrix rows = {0};
  int64_t *sum = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&rows, 1, s->model.size + 1, err));
  SOTTO_TRY(sotto_i_new(&sum, s->model.size + 1, sizeof *sum, err));
  for (uint32_t i = 0; i < s->federation->taking; i++) {
    sotto_error problem = {0};
    if (!sotto_i_fed_is_here(s, taking[i])) continue;
    status = bare ? receive_clipped(s->totals, s, taking[i], sum, &problem)
                  : receive_noisy(s->totals, s, taking[i], &rows, &problem);
    SOTTO_TRY(sotto_i_fed_left(s, taking[i], round, status, &problem, err));
  }
done:
  sotto_matrix_free(&rows);
  sotto_i_free(sum);
  return status;
}

/* The noise of a trusted server, by a stored key: a repeated round has the same noise. */
static sotto_status add_noise(sotto_i_fed_server *s, uint64_t round, sotto_error *err) {
  const sotto_i_fed_noise *noise = &s->federation->noise;
  const size_t size = s->model.size;
  const sotto_i_fed_noise_key of = {.job = s->job, .item = SOTTO_I_NO_ITEM, .noise = noise};
  int64_t *draws = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&draws, size, sizeof *draws, err));
  if (s->drawn.key.origin == SOTTO_KEY_NONE) SOTTO_TRY(sotto_i_fed_noise_key_use(&s->drawn, &of, err));
  sotto_i_fed_add_rounded(draws, size, noise->grid.each.sigma, &s->drawn.key, round);
  for (size_t j = 0; j < size; j++) s->totals[j] += (double)draws[j] * noise->grid.step;
done:
  sotto_i_free(draws);
  return status;
}

sotto_status sotto_i_fed_show_sum(const sotto_i_federation *f, uint64_t round, size_t count,
                                  const int64_t *part, const double *whole, sotto_error *err) {
  const sotto_i_probe *probe = f->job == NULL ? NULL : f->job->probe;
  const sotto_i_round_sum shown = {.round = round,
                                   .rounds = f->rounds,
                                   .count = count,
                                   .step = f->noise.grid.step,
                                   .sigma = f->noise.grid.sigma * f->noise.grid.step,
                                   .part = part,
                                   .whole = whole};
  return probe == NULL || probe->sum == NULL ? SOTTO_OK : probe->sum(probe->context, &shown, err);
}

sotto_status sotto_i_fed_noisy_move(sotto_i_fed_server *s, uint64_t round, sotto_error *err) {
  const sotto_i_fed_noise *noise = &s->federation->noise;
  const double examples = s->totals[s->model.size + SOTTO_I_FED_EXAMPLES];
  sotto_status status = SOTTO_OK;
  if (noise->by == SOTTO_I_NOISE_CENTRAL) SOTTO_TRY(add_noise(s, round, err));
  if (!(examples >= 1 && examples < 0x1p53))
    return sotto_i_fail(err, SOTTO_RANGE, "a sum over %g records", examples);
  SOTTO_TRY(sotto_i_fed_adam(s, 1 / (noise->rate * examples), err));
done:
  return status;
}
