/* One front for the accountants: epsilon, delta and curves of a list. */
#include "account.h"

#include <math.h>

#include "answers.h"
#include "base/memory.h"
#include "base/progress.h"
#include "bounds.h"
#include "rdp.h"
#include "sotto/claims.h"

bool sotto_i_account_mu(double *mu, const sotto_mechanism *list, size_t count) {
  double square = 0;
  for (size_t i = 0; i < count; i++) {
    if (!sotto_i_mechanism_is_gaussian(&list[i])) return false;
    double one = sotto_i_mechanism_mu(&list[i]);
    square += (double)list[i].count * one * one;
  }
  *mu = sqrt(square);
  return true;
}

static double pure_sum(const sotto_mechanism *list, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += sotto_i_mechanism_runs(&list[i]) * sotto_i_mechanism_pure(&list[i]);
  return sum;
}

sotto_status sotto_i_account_check_delta(double delta, const sotto_mechanism *list, size_t count,
                                         sotto_accountant accountant, sotto_error *err) {
  if (!(delta >= 0 && delta < 1))
    return sotto_i_fail(err, SOTTO_RANGE, "delta is %g; it must be above 0 and below 1", delta);
  if (delta == 0 && !isfinite(pure_sum(list, count)))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "delta is 0, at which this list has no finite epsilon; ask for a "
                        "delta above 0");
  if (accountant == SOTTO_ACCOUNTANT_PLD && delta > 0 && delta < 1e-100)
    return sotto_i_fail(err, SOTTO_RANGE, "delta is %g; pld takes 1e-100 and above", delta);
  return SOTTO_OK;
}

static sotto_status gdp_only(sotto_error *err) {
  return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                      "gdp is exact for gaussian and contractive and takes no other "
                      "mechanism; use pld or rdp");
}

static sotto_status paper_only(const sotto_mechanism *list, size_t count, double *epsilon, double *delta,
                               sotto_error *err) {
  if (count != 1 || list->kind != SOTTO_MECHANISM_NOISE_FREE_SAMPLING || list->count != 1)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "paper has a form for one run of noise-free-sampling alone");
  return sotto_paper_feddep(epsilon, delta, list, false, err);
}

static sotto_status rdp_sum(sotto_i_rdp *rdp, const sotto_mechanism *list, size_t count, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_i_rdp_init(rdp);
  for (size_t i = 0; i < count; i++) {
    SOTTO_TRY(sotto_i_check_interrupt(err));
    SOTTO_TRY(sotto_i_rdp_add(rdp, &list[i], err));
  }
done:
  return status;
}

static bool is_sum(const sotto_mechanism *m) {
  return m->kind == SOTTO_MECHANISM_POISSON_SUM;
}

/* Divides a list in sums over Poisson samples, of which Renyi divergences alone are known, and the others;
 * both in one array, which is the caller's. Errors: NOMEM. */
static sotto_status part_sums(sotto_mechanism **out, size_t *sums, const sotto_mechanism *list, size_t count,
                              sotto_error *err) {
  size_t rest = 0;
  *sums = 0;
  for (size_t i = 0; i < count; i++) *sums += is_sum(&list[i]);
  sotto_status status = sotto_i_new(out, count, sizeof **out, err);
  for (size_t i = 0, at = 0; status == SOTTO_OK && i < count; i++)
    (*out)[is_sum(&list[i]) ? at++ : *sums + rest++] = list[i];
  return status;
}

static sotto_status pld_alone(double *epsilon, sotto_i_pld_answer *guess, const sotto_mechanism *list,
                              size_t count, double delta, sotto_error *err) {
  sotto_i_pld_answer answer;
  const sotto_i_pld_query query = {.delta = delta};
  double mu, pure = pure_sum(list, count);
  if (sotto_i_account_mu(&mu, list, count)) return sotto_gdp_epsilon(epsilon, mu, delta, err);
  *epsilon = 0;
  if (pure == 0) return SOTTO_OK;
  sotto_status status = sotto_i_pld_solve(&answer, guess, list, count, &query, err);
  if (status != SOTTO_OK) return status;
  *epsilon = answer.epsilon < pure ? answer.epsilon : pure;
  return SOTTO_OK;
}

/* Where there are sums over Poisson samples: the least of all by Renyi divergences, and of these by Renyi
 * divergences and the others by pld at half of delta each, whose epsilons add up (Dwork et al. 2006). */
static sotto_status pld_epsilon(double *epsilon, sotto_i_pld_answer *guess, const sotto_mechanism *list,
                                size_t count, double delta, sotto_error *err) {
  sotto_mechanism *parted = NULL;
  sotto_i_rdp rdp;
  size_t sums = 0;
  double others;
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < count; i++) sums += is_sum(&list[i]);
  if (sums == 0) return pld_alone(epsilon, guess, list, count, delta, err);
  SOTTO_TRY(part_sums(&parted, &sums, list, count, err));
  *epsilon = INFINITY;
  if (rdp_sum(&rdp, list, count, NULL) == SOTTO_OK) *epsilon = sotto_i_rdp_epsilon(&rdp, delta);
  SOTTO_TRY(sotto_i_check_interrupt(err));
  if (sums == count) goto done;
  SOTTO_TRY(pld_alone(&others, guess, parted + sums, count - sums, delta / 2, err));
  SOTTO_TRY(rdp_sum(&rdp, parted, sums, err));
  *epsilon = fmin(*epsilon, others + sotto_i_rdp_epsilon(&rdp, delta / 2));
done:
  sotto_i_free(parted);
  return status;
}

/* What separates rounding from a fault: a distribution on a grid lies above the truth by some of this, and
 * the bounds below it are off by as little. */
static const double rounding_below = 1e-6, rounding_above = 0.5, small_epsilon = 0.02;
/* Where losses are large a grid is coarse, and every order is asked. */
static const double large_epsilon = 100;

/* The answer, or the upper bound where that is the tighter by what rounding to a grid explains. Outside of
 * the bounds: NUMERIC, which is a fault of the accountant and never an answer. */
static sotto_status within_bounds(double *value, const sotto_mechanism *list, size_t count,
                                  const sotto_i_bounds_query *query, sotto_accountant accountant,
                                  sotto_error *err) {
  sotto_status status = SOTTO_OK;
  const bool of_delta = !(query->delta > 0);
  const double slack = of_delta ? 1e-300 : rounding_below;
  const double lower = sotto_i_bounds_lower(list, count, query);
  double upper = INFINITY;
  SOTTO_TRY(sotto_i_bounds_upper(&upper, list, count, query, false, err));
  if (!(*value <= upper) || (!of_delta && *value > large_epsilon)) {
    SOTTO_TRY(sotto_i_bounds_upper(&upper, list, count, query, true, err));
    const double most = upper * (1 + rounding_above) + (of_delta ? 1 : small_epsilon);
    if (*value <= most || *value == INFINITY) *value = fmin(*value, upper);
  }
  if (*value >= lower * (1 - rounding_below) - slack && *value <= upper) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_NUMERIC,
      "the accountant %s gives %s %g, and the truth lies between %g and %g: this is a fault of "
      "the accountant; take another one, and report these mechanisms",
      sotto_accountant_name(accountant), of_delta ? "delta" : "epsilon", *value, lower, upper);
done:
  return status;
}

sotto_status sotto_i_account_epsilon(double *epsilon, sotto_i_pld_answer *guess, const sotto_mechanism *list,
                                     size_t count, double delta, sotto_accountant accountant,
                                     sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_i_rdp rdp;
  double value = 0, other = INFINITY;
  switch (accountant) {
  case SOTTO_ACCOUNTANT_GDP:
    if (!sotto_i_account_mu(&other, list, count)) return gdp_only(err);
    value = INFINITY;
    if (isfinite(other)) SOTTO_TRY(sotto_gdp_epsilon(&value, other, delta, err));
    break;
  case SOTTO_ACCOUNTANT_RDP:
    SOTTO_TRY(rdp_sum(&rdp, list, count, err));
    value = delta > 0 ? fmin(sotto_i_rdp_epsilon(&rdp, delta), pure_sum(list, count)) : pure_sum(list, count);
    break;
  case SOTTO_ACCOUNTANT_PLD:
    if (delta > 0)
      SOTTO_TRY(pld_epsilon(&value, guess, list, count, delta, err));
    else
      value = pure_sum(list, count);
    break;
  case SOTTO_ACCOUNTANT_PAPER:
    SOTTO_TRY(paper_only(list, count, &value, &other, err));
    if (other > delta)
      return sotto_i_fail(err, SOTTO_RANGE, "the paper states its epsilon at delta %g, which is above %g",
                          other, delta);
    break;
  default:
    return sotto_i_fail(err, SOTTO_INVALID, "%d is no accountant", (int)accountant);
  }
  if (accountant != SOTTO_ACCOUNTANT_PAPER && delta > 0) {
    const sotto_i_bounds_query query = {.delta = delta};
    SOTTO_TRY(within_bounds(&value, list, count, &query, accountant, err));
  }
  if (!isfinite(value))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "no finite epsilon holds at delta %g: more than that is lost outright, "
                        "or the noise is too small to account for",
                        delta);
  *epsilon = value;
done:
  return status;
}

sotto_status sotto_account_epsilon(double *epsilon, const sotto_mechanism *list, size_t count, double delta,
                                   sotto_accountant accountant, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_i_pld_answer guess = {0};
  SOTTO_TRY(sotto_i_mechanisms_check(list, count, err));
  SOTTO_TRY(sotto_i_account_check_delta(delta, list, count, accountant, err));
  if (accountant != SOTTO_ACCOUNTANT_PLD)
    return sotto_i_account_epsilon(epsilon, &guess, list, count, delta, accountant, err);
  const sotto_i_question question = sotto_i_question_of(list, count, SIZE_MAX, 0, delta);
  if (sotto_i_answer_find(epsilon, &question)) return SOTTO_OK;
  SOTTO_TRY(sotto_i_account_epsilon(epsilon, &guess, list, count, delta, accountant, err));
  sotto_i_answer_keep(*epsilon, &question);
done:
  return status;
}

static sotto_status pld_delta(double *delta, const sotto_mechanism *list, size_t count, double epsilon,
                              sotto_error *err) {
  sotto_i_pld_answer answer, guess = {0};
  const sotto_i_pld_query query = {.epsilon = epsilon};
  sotto_i_rdp rdp;
  double mu;
  if (sotto_i_account_mu(&mu, list, count)) {
    *delta = sotto_gdp_delta(mu, epsilon);
    return SOTTO_OK;
  }
  for (size_t i = 0; i < count; i++)
    if (is_sum(&list[i])) { /* all by Renyi divergences */
      sotto_status failed = rdp_sum(&rdp, list, count, err);
      if (failed == SOTTO_OK) *delta = fmin(sotto_i_rdp_delta(&rdp, epsilon), 1);
      return failed;
    }
  *delta = 0;
  if (epsilon >= pure_sum(list, count)) return SOTTO_OK;
  sotto_status status = sotto_i_pld_solve(&answer, &guess, list, count, &query, err);
  if (status == SOTTO_OK) *delta = fmin(answer.delta, 1);
  return status;
}

sotto_status sotto_account_delta(double *delta, const sotto_mechanism *list, size_t count, double epsilon,
                                 sotto_accountant accountant, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_i_rdp rdp;
  double other = INFINITY, at = INFINITY;
  SOTTO_TRY(sotto_i_mechanisms_check(list, count, err));
  if (!(epsilon >= 0 && isfinite(epsilon)))
    return sotto_i_fail(err, SOTTO_RANGE, "epsilon is %g; it must be finite and at least 0", epsilon);
  switch (accountant) {
  case SOTTO_ACCOUNTANT_GDP:
    if (!sotto_i_account_mu(&other, list, count)) return gdp_only(err);
    *delta = sotto_gdp_delta(other, epsilon);
    break;
  case SOTTO_ACCOUNTANT_RDP:
    SOTTO_TRY(rdp_sum(&rdp, list, count, err));
    *delta = sotto_i_rdp_delta(&rdp, epsilon);
    break;
  case SOTTO_ACCOUNTANT_PLD:
    SOTTO_TRY(pld_delta(delta, list, count, epsilon, err));
    break;
  case SOTTO_ACCOUNTANT_PAPER:
    SOTTO_TRY(paper_only(list, count, &at, &other, err));
    if (at > epsilon)
      return sotto_i_fail(err, SOTTO_RANGE, "the paper states its delta at epsilon %g, which is above %g", at,
                          epsilon);
    *delta = other;
    break;
  default:
    return sotto_i_fail(err, SOTTO_INVALID, "%d is no accountant", (int)accountant);
  }
  if (accountant != SOTTO_ACCOUNTANT_PAPER) {
    const sotto_i_bounds_query query = {.epsilon = epsilon};
    SOTTO_TRY(within_bounds(delta, list, count, &query, accountant, err));
  }
done:
  return status;
}

sotto_status sotto_account_curve(double *deltas, const double *epsilons, size_t points,
                                 const sotto_mechanism *list, size_t count, sotto_accountant accountant,
                                 sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < points; i++)
    SOTTO_TRY(sotto_account_delta(&deltas[i], list, count, epsilons[i], accountant, err));
done:
  return status;
}
