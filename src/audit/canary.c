/* Repeated runs of a pipeline on two inputs, and the lower bounds that follow. */
#include <math.h>

#include "audit.h"
#include "base/cancel.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "noise.h"
#include "ranks/ranks.h"

enum { most_statistics = 8, most_noise_draws = 512 };
static const double noise_risk = 1e-6;

typedef struct draws {
  double *values[2][most_statistics];
} draws;

static sotto_status check(const sotto_canary *canary, uint64_t trials, sotto_error *err) {
  if (trials < 100 || trials > 1 << 23)
    return sotto_i_fail(err, SOTTO_RANGE, "trials: %llu is outside 100 to 8388608",
                        (unsigned long long)trials);
  if (canary->statistics < 1 || canary->statistics > most_statistics)
    return sotto_i_fail(err, SOTTO_RANGE, "%zu statistics are outside 1 to 8", canary->statistics);
  return SOTTO_OK;
}

/* The first trial of a rank; those of a number beyond the last one begin at the end. */
static uint64_t first_of(const sotto_ranks *ranks, uint64_t rank, uint64_t trials) {
  return ranks == NULL ? rank * trials : trials * rank / sotto_ranks_count(ranks);
}

/* All trials of one statistic, in all ranks. */
static sotto_status share(double *values, uint64_t trials, sotto_ranks *ranks, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  const uint32_t number = ranks == NULL ? 0 : sotto_ranks_number(ranks);
  for (uint32_t r = 1; ranks != NULL && r < sotto_ranks_count(ranks); r++) {
    const uint64_t first = first_of(ranks, r, trials), count = first_of(ranks, r + 1, trials) - first;
    const sotto_i_parcel parcel = {.peer = number == 0 ? r : 0,
                                   .take = number == 0,
                                   .data = values + first,
                                   .bytes = count * sizeof *values};
    if (number == 0 || number == r) SOTTO_TRY(sotto_i_ranks_pass(ranks, &parcel, 1, err));
  }
  status = sotto_i_ranks_give(ranks, values, trials * sizeof *values, err);
done:
  return status;
}

/* The key of a trial is that of its number, whichever rank makes it. */
static sotto_status draw_input(draws *d, const sotto_canary *canary, bool second, uint64_t trials,
                               const sotto_observer *observer, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_key whole, key = {.origin = SOTTO_KEY_NONE};
  double values[most_statistics];
  const uint64_t number = canary->ranks == NULL ? 0 : sotto_ranks_number(canary->ranks);
  const uint64_t first = first_of(canary->ranks, number, trials),
                 end = first_of(canary->ranks, number + 1, trials);
  sotto_key_system(&whole);
  SOTTO_TRY(sotto_i_ranks_give(canary->ranks, &whole, sizeof whole, err));
  for (uint64_t trial = first; trial < end; trial++) {
    if ((trial - first) % 1024 == 0) {
      sotto_i_progress(observer, second ? "canary, with" : "canary, without", trial, trials, NULL);
      SOTTO_TRY(sotto_i_check_interrupt(err));
    }
    sotto_i_key_derive(&key, &whole, trial);
    SOTTO_TRY(canary->draw(canary->context, values, second, &key, err));
    for (size_t s = 0; s < canary->statistics; s++) d->values[second][s][trial] = values[s];
  }
  for (size_t s = 0; s < canary->statistics; s++)
    SOTTO_TRY(share(d->values[second][s], trials, canary->ranks, err));
done:
  sotto_key_wipe(&whole);
  sotto_key_wipe(&key);
  return status;
}

static sotto_status judge(sotto_canary_result *out, const draws *d, const sotto_canary *canary,
                          uint64_t trials, sotto_error *err) {
  const double risk =
      (0.05 - noise_risk) / (canary->mu > 0 ? 4 : 2) / (canary->share > 1 ? canary->share : 1);
  sotto_i_shown shown;
  const sotto_i_draws all = {
      .values = {(const double *const *)d->values[0], (const double *const *)d->values[1]},
      .count = {trials, trials},
      .statistics = canary->statistics};
  sotto_status status = sotto_i_show(&shown, &all, canary->delta, risk, err);
  if (status != SOTTO_OK) return status;
  *out = (sotto_canary_result){.stated = canary->epsilon,
                               .lower = shown.epsilon,
                               .mu_stated = canary->mu,
                               .mu_lower = canary->mu > 0 ? shown.mu : 0,
                               .trials = trials};
  out->noise_holds = true;
  out->holds = out->lower <= out->stated && out->mu_lower <= out->mu_stated;
  return SOTTO_OK;
}

/* Ends as soon as there is enough against the noise. With ranks all go the same way: one key is given. */
static sotto_status test_noise(sotto_canary_result *out, const sotto_canary *canary, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_key whole, key = {.origin = SOTTO_KEY_NONE};
  sotto_i_noise_bets bets = {{0}};
  sotto_noise_draw *pair = NULL;
  const double enough = log((canary->share > 1 ? canary->share : 1) / noise_risk);
  sotto_key_system(&whole);
  SOTTO_TRY(sotto_i_ranks_give(canary->ranks, &whole, sizeof whole, err));
  SOTTO_TRY(sotto_i_new(&pair, 2, sizeof *pair, err));
  while (out->noise_holds && out->noise_draws < most_noise_draws) {
    for (int i = 0; i < 2; i++) {
      sotto_i_key_derive(&key, &whole, out->noise_draws++);
      SOTTO_TRY(canary->noise(canary->context, &pair[i], &key, err));
    }
    sotto_i_noise_bet(&bets, pair);
    out->noise_holds = sotto_i_noise_evidence(&bets) < enough;
    SOTTO_TRY(sotto_i_check_interrupt(err));
  }
  out->holds = out->holds && out->noise_holds;
done:
  sotto_i_free(pair);
  sotto_key_wipe(&whole);
  sotto_key_wipe(&key);
  return status;
}

sotto_status sotto_audit_canary(sotto_canary_result *out, const sotto_canary *canary, uint64_t trials,
                                const sotto_observer *observer, sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  sotto_status status;
  draws d = {{{NULL}}};
  *out = (sotto_canary_result){0};
  SOTTO_TRY(check(canary, trials, err));
  for (int input = 0; input < 2; input++)
    for (size_t s = 0; s < canary->statistics; s++)
      SOTTO_TRY(sotto_i_new_raw(&d.values[input][s], trials, sizeof(double), err));
  SOTTO_TRY(draw_input(&d, canary, false, trials, observer, err));
  SOTTO_TRY(draw_input(&d, canary, true, trials, observer, err));
  SOTTO_TRY(judge(out, &d, canary, trials, err));
  if (canary->noise != NULL) SOTTO_TRY(test_noise(out, canary, err));
done:
  for (int input = 0; input < 2; input++)
    for (size_t s = 0; s < most_statistics; s++) sotto_i_free(d.values[input][s]);
  return status;
}
