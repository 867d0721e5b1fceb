/* Repeated runs of a pipeline on two inputs, and the resulting lower bounds. A trial is a cell: first those
 * on the first input, then those on the second. */
#include <math.h>
#include <sodium.h>
#include <string.h>

#include "audit.h"
#include "base/cancel.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "inside/audit.h"
#include "noise.h"

enum { most_statistics = 8, most_noise_draws = 512, turns = 64, most_block = 1024 };
/* The share of the risk for the test of noise. */
static const double noise_part = 2e-5;

typedef struct draws {
  double *values[2][most_statistics];
} draws;

/* Keys of trials on either input, and of the noise test. Rank 0 draws them, and they are stored with the
 * trials, so that a resumed audit equals an uninterrupted one. */
enum { noise_key = 2, keys = 3, key_bytes = 32 };
typedef struct trials_of {
  const sotto_canary *canary;
  uint64_t trials; /* on each input */
  uint8_t key[keys][key_bytes];
} trials_of;

static double risk_of(const sotto_canary *canary) {
  return canary->risk > 0 ? canary->risk : 0.05;
}

static sotto_status check(const sotto_canary *canary, uint64_t trials, sotto_error *err) {
  if (trials < 100 || trials > 1 << 23)
    return sotto_i_fail(err, SOTTO_RANGE, "trials: %llu is outside 100 to 8388608",
                        (unsigned long long)trials);
  if (!(canary->risk >= 0 && canary->risk < 1))
    return sotto_i_fail(err, SOTTO_RANGE, "a risk of %g is outside [0, 1)", canary->risk);
  if (canary->statistics < 1 || canary->statistics > most_statistics)
    return sotto_i_fail(err, SOTTO_RANGE, "%zu statistics are outside 1 to 8", canary->statistics);
  return SOTTO_OK;
}

static void draw_keys(trials_of *t) {
  sotto_key key;
  for (int i = 0; i < keys; i++) {
    sotto_key_system(&key);
    memcpy(t->key[i], key.bytes, key_bytes);
  }
  sotto_key_wipe(&key);
}

/* The key of a trial or of a draw of noise depends on its number alone, whichever rank makes it. */
static void derive_key(sotto_key *out, const trials_of *t, int which, uint64_t number) {
  sotto_key whole = {.origin = SOTTO_KEY_SYSTEM};
  memcpy(whole.bytes, t->key[which], key_bytes);
  sotto_i_key_derive(out, &whole, number);
  sotto_key_wipe(&whole);
}

static sotto_status make_trials(void *context, void *values, size_t first, size_t count, size_t *finished,
                                sotto_error *err) {
  const trials_of *t = context;
  const sotto_canary *canary = t->canary;
  sotto_status status = SOTTO_OK;
  sotto_key key = {.origin = SOTTO_KEY_NONE};
  double *to = values;
  SOTTO_TRY(sotto_i_check_interrupt(err));
  for (*finished = 0; *finished < count; ++*finished, to += canary->statistics) {
    const uint64_t number = first + *finished;
    const bool second = number >= t->trials;
    derive_key(&key, t, second ? 1 : 0, second ? number - t->trials : number);
    SOTTO_TRY(canary->draw(canary->context, to, second, &key, err));
  }
done:
  sotto_key_wipe(&key);
  return status;
}

static void split_values(draws *d, const double *values, const trials_of *t) {
  const size_t statistics = t->canary->statistics;
  for (uint64_t trial = 0; trial < t->trials; trial++)
    for (size_t s = 0; s < statistics; s++) {
      d->values[0][s][trial] = values[trial * statistics + s];
      d->values[1][s][trial] = values[(t->trials + trial) * statistics + s];
    }
}

/* Draws all trials, for all ranks. */
static sotto_status draw_all(draws *d, trials_of *t, const sotto_i_cells *like,
                             const sotto_observer *observer, sotto_error *err) {
  sotto_i_cells cells = *like;
  double *values = NULL;
  sotto_status status;
  cells.lead = t->key;
  cells.lead_bytes = sizeof t->key;
  cells.bytes = t->canary->statistics * sizeof *values;
  cells.total = 2 * t->trials;
  cells.block = cells.total / turns > most_block ? most_block : cells.total / turns + 1;
  SOTTO_TRY(sotto_i_new_raw(&values, cells.total, cells.bytes, err));
  cells.values = values;
  SOTTO_TRY(sotto_i_cells_open(&cells, err));
  SOTTO_TRY(sotto_i_cells_run(&cells, make_trials, t, "canary", observer, err));
  SOTTO_TRY(sotto_i_cells_share(&cells, err));
  split_values(d, values, t);
done:
  sotto_i_cells_close(&cells, false);
  sotto_i_free(values);
  return status;
}

static sotto_status find_bounds(sotto_canary_result *out, const draws *d, const sotto_canary *canary,
                                uint64_t trials, sotto_error *err) {
  const double risk =
      risk_of(canary) * (1 - noise_part) / (canary->mu > 0 ? 4 : 2) / (canary->share > 1 ? canary->share : 1);
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

/* Stops as soon as the evidence against the noise is sufficient. All ranks take the same branch: they have
 * one key. */
static sotto_status test_noise(sotto_canary_result *out, const trials_of *t, sotto_error *err) {
  const sotto_canary *canary = t->canary;
  sotto_status status = SOTTO_OK;
  sotto_key key = {.origin = SOTTO_KEY_NONE};
  sotto_i_noise_bets *bets = NULL;
  sotto_noise_draw *pair = NULL;
  const double enough = log((canary->share > 1 ? canary->share : 1) / (noise_part * risk_of(canary)));
  SOTTO_TRY(sotto_i_new(&pair, 2, sizeof *pair, err));
  SOTTO_TRY(sotto_i_new(&bets, 1, sizeof *bets, err));
  while (out->noise_holds && out->noise_draws < most_noise_draws) {
    for (int i = 0; i < 2; i++) {
      derive_key(&key, t, noise_key, out->noise_draws++);
      SOTTO_TRY(canary->noise(canary->context, &pair[i], &key, err));
    }
    sotto_i_noise_bet(bets, pair);
    out->noise_holds = sotto_i_noise_evidence(bets) < enough;
    SOTTO_TRY(sotto_i_check_interrupt(err));
  }
  out->holds = out->holds && out->noise_holds;
done:
  sotto_i_free(bets);
  sotto_i_free(pair);
  sotto_key_wipe(&key);
  return status;
}

sotto_status sotto_i_audit_canary(sotto_canary_result *out, const sotto_canary *canary, uint64_t trials,
                                  const sotto_i_cells *like, const sotto_observer *observer,
                                  sotto_error *err) {
  sotto_status status;
  draws d = {{{NULL}}};
  trials_of t = {.canary = canary, .trials = trials};
  *out = (sotto_canary_result){0};
  SOTTO_TRY(check(canary, trials, err));
  for (int input = 0; input < 2; input++)
    for (size_t s = 0; s < canary->statistics; s++)
      SOTTO_TRY(sotto_i_new_raw(&d.values[input][s], trials, sizeof(double), err));
  draw_keys(&t);
  SOTTO_TRY(draw_all(&d, &t, like, observer, err));
  SOTTO_TRY(find_bounds(out, &d, canary, trials, err));
  if (canary->noise != NULL) SOTTO_TRY(test_noise(out, &t, err));
done:
  sodium_memzero(t.key, sizeof t.key);
  for (int input = 0; input < 2; input++)
    for (size_t s = 0; s < most_statistics; s++) sotto_i_free(d.values[input][s]);
  return status;
}
