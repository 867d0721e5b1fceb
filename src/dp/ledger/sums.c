/* Sums of charges, and the epsilon to which they compose. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dp/account/account.h"
#include "state.h"

void sotto_i_sums_free(sotto_i_sums *sums) {
  sotto_i_free(sums->uses);
  *sums = (sotto_i_sums){0};
}

static bool is_same_mechanism(const sotto_mechanism *a, const sotto_mechanism *b) {
  return a->kind == b->kind && a->noise == b->noise && a->sensitivity == b->sensitivity &&
         a->rate == b->rate && a->population == b->population && a->batch == b->batch &&
         a->layers == b->layers && a->lipschitz == b->lipschitz && a->epsilon == b->epsilon &&
         a->choices == b->choices && a->sampled == b->sampled && a->epochs == b->epochs &&
         a->sample == b->sample && a->degree == b->degree && a->slack == b->slack;
}

bool sotto_i_sums_equal(const sotto_i_sums *a, const sotto_i_sums *b) {
  bool equal = a->use_count == b->use_count && a->gaussian == b->gaussian;
  for (size_t i = 0; equal && i < a->use_count; i++)
    equal = a->uses[i].count == b->uses[i].count &&
            is_same_mechanism(&a->uses[i].mechanism, &b->uses[i].mechanism);
  return equal;
}

static sotto_status add_runs(sotto_i_sums *sums, const sotto_mechanism *mechanism, uint64_t count,
                             sotto_error *err) {
  for (size_t i = 0; i < sums->use_count; i++)
    if (is_same_mechanism(&sums->uses[i].mechanism, mechanism)) {
      sums->uses[i].count += count;
      return SOTTO_OK;
    }
  if (sums->use_count == sums->use_room) {
    size_t room = sums->use_room == 0 ? 4 : 2 * sums->use_room;
    sotto_i_use *uses;
    sotto_status status = sotto_i_new(&uses, room, sizeof *uses, err);
    if (status != SOTTO_OK) return status;
    if (sums->use_count > 0) memcpy(uses, sums->uses, sums->use_count * sizeof *uses);
    sotto_i_free(sums->uses);
    sums->uses = uses;
    sums->use_room = room;
  }
  sotto_i_use *use = &sums->uses[sums->use_count++];
  *use = (sotto_i_use){*mechanism, count};
  use->mechanism.count = 1;
  return SOTTO_OK;
}

/* A charge without a mechanism is the worst one with its mu and its epsilon: a Gaussian, and a randomised
 * response, of which every epsilon-private mechanism is post-processing (Kairouz, Oh and Viswanath 2015). */
static sotto_status add_pure(sotto_i_sums *sums, double epsilon, uint64_t count, sotto_error *err) {
  sotto_mechanism pure = sotto_mechanism_default(SOTTO_MECHANISM_RANDOMIZED_RESPONSE);
  pure.epsilon = epsilon;
  return epsilon > 0 ? add_runs(sums, &pure, count, err) : SOTTO_OK;
}

/* A mechanism whose inputs differ `moves` times. Noise on a sum: the sum moves as many times its sensitivity.
 * Else epsilon is as many times a pure one, and without it nothing is known. */
static sotto_status add_moved(sotto_i_sums *sums, const sotto_mechanism *mechanism, unsigned moves,
                              sotto_error *err) {
  sotto_mechanism one = *mechanism, moved = *mechanism;
  one.count = 1;
  moved.sensitivity *= moves;
  const double pure = sotto_i_mechanism_runs(&one) * sotto_i_mechanism_pure(&one);
  if (moves == 1 || moved.kind == SOTTO_MECHANISM_LAPLACE || moved.kind == SOTTO_MECHANISM_DISCRETE_GAUSSIAN)
    return add_runs(sums, &moved, moved.count, err);
  if (isfinite(pure)) return add_pure(sums, moves * pure, moved.count, err);
  sums->gaussian = INFINITY;
  return SOTTO_OK;
}

sotto_status sotto_i_sums_add(sotto_i_sums *sums, const sotto_i_entry *charge, unsigned moves,
                              sotto_error *err) {
  double mu = charge->mu;
  if (moves == 0 || charge->insecure) sums->bare++;
  if (moves == 0) return SOTTO_OK;
  sums->charges++;
  sums->mu_squared += moves * mu * moves * mu;
  sums->pure_epsilon += moves * charge->epsilon;
  if (charge->has_release && !sotto_i_account_mu(&mu, &charge->release, 1))
    return add_moved(sums, &charge->release, moves, err);
  sums->gaussian += moves * mu * moves * mu;
  return charge->has_release ? SOTTO_OK : add_pure(sums, moves * charge->epsilon, 1, err);
}

sotto_status sotto_i_sums_join(sotto_i_sums *sums, const sotto_i_sums *more, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sums->charges += more->charges;
  sums->bare += more->bare;
  sums->mu_squared += more->mu_squared;
  sums->pure_epsilon += more->pure_epsilon;
  sums->gaussian += more->gaussian;
  for (size_t i = 0; i < more->use_count; i++)
    SOTTO_TRY(add_runs(sums, &more->uses[i].mechanism, more->uses[i].count, err));
done:
  return status;
}

double sotto_i_sums_pure(const sotto_i_sums *sums) {
  double pure = sums->gaussian == 0 ? 0 : INFINITY;
  for (size_t i = 0; i < sums->use_count; i++) {
    const sotto_i_use *use = &sums->uses[i];
    pure += (double)use->count * sotto_i_mechanism_runs(&use->mechanism) *
            sotto_i_mechanism_pure(&use->mechanism);
  }
  return pure;
}

/* Failures that do not depend on the charges. */
static bool is_unrelated_to_charges(sotto_status status) {
  return status == SOTTO_NOMEM || status == SOTTO_INTERRUPTED;
}

/* Any other failure is an infinite epsilon: nothing is known of the charges. */
static sotto_status infinite_on_failure(double *epsilon, sotto_status status, sotto_error *err) {
  if (is_unrelated_to_charges(status))
    return sotto_i_fail(err, status, "the ledger's charges were not composed: %s", sotto_status_text(status));
  if (status != SOTTO_OK) *epsilon = INFINITY;
  return SOTTO_OK;
}

/* All Gaussian releases as one, of any mu. */
static double gaussian_mu(const sotto_i_sums *sums) {
  return sqrt(sums->gaussian);
}

enum { most_together = 512 }; /* different mechanisms, of which one composition takes a second */

/* More mechanisms are composed in groups, whose epsilons and deltas add up (Dwork et al. 2006). */
sotto_status sotto_i_sums_epsilon(double *epsilon, const sotto_i_sums *sums, double delta, sotto_error *err) {
  sotto_mechanism *list = NULL;
  size_t groups = sums->use_count / (most_together - 1) + 1;
  sotto_status status;
  *epsilon = 0;
  if (sums->use_count == 0 && sums->gaussian == 0) return SOTTO_OK;
  if (sums->use_count == 0)
    return infinite_on_failure(epsilon, sotto_gdp_epsilon(epsilon, gaussian_mu(sums), delta, NULL), err);
  SOTTO_TRY(sotto_i_new(&list, most_together, sizeof *list, err));
  for (size_t g = 0; g < groups; g++) {
    double group = INFINITY;
    size_t count = 0;
    for (size_t i = g; i < sums->use_count; i += groups) {
      list[count] = sums->uses[i].mechanism;
      list[count++].count = sums->uses[i].count;
    }
    if (g == 0 && sums->gaussian != 0) {
      list[count] = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
      list[count].noise = 1;
      list[count++].sensitivity = gaussian_mu(sums);
    }
    status = sotto_account_epsilon(&group, list, count, delta / (double)groups, SOTTO_ACCOUNTANT_PLD, NULL);
    SOTTO_TRY(infinite_on_failure(&group, status, err));
    *epsilon += group;
  }
done:
  sotto_i_free(list);
  return status;
}
