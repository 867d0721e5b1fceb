/* Accounting for a list of mechanisms: epsilon, delta and curves under each accountant. */
#include "account.h"

#include <math.h>

#include "answers.h"
#include "base/memory.h"
#include "base/progress.h"
#include "bounds.h"
#include "inside/dp.h"
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
                                         sotto_error *err) {
  if (!(delta >= 0 && delta < 1))
    return sotto_i_fail(err, SOTTO_RANGE, "delta is %g; it must be above 0 and below 1", delta);
  if (delta == 0 && !isfinite(pure_sum(list, count)))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "delta is 0, at which this list has no finite epsilon; ask for a "
                        "delta above 0");
  return SOTTO_OK;
}

static sotto_status fail_gdp(sotto_error *err) {
  return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                      "gdp is exact for gaussian and contractive and takes no other "
                      "mechanism; use pld or rdp");
}

static sotto_status paper_form(const sotto_mechanism *list, size_t count, double *epsilon, double *delta,
                               sotto_error *err) {
  if (count != 1 || sotto_i_descriptor_of(list->kind)->published == NULL || list->count != 1)
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

/* May the mechanism need more points than a grid has? */
static bool may_exceed_grid(const sotto_mechanism *m) {
  bool (*const may_exceed)(const sotto_mechanism *) = sotto_i_descriptor_of(m->kind)->may_exceed_grid;
  return may_exceed != NULL && may_exceed(m);
}

/* Partitions a list into the mechanisms for which `selects` is true, *first of them, and the others, both
 * in one array of the caller's. Errors: NOMEM. */
static sotto_status partition_list(sotto_mechanism **out, size_t *first, const sotto_mechanism *list,
                                   size_t count, bool (*selects)(const sotto_mechanism *m),
                                   sotto_error *err) {
  size_t rest = 0;
  *first = 0;
  for (size_t i = 0; i < count; i++) *first += selects(&list[i]);
  sotto_status status = sotto_i_new(out, count, sizeof **out, err);
  for (size_t i = 0, at = 0; status == SOTTO_OK && i < count; i++)
    (*out)[selects(&list[i]) ? at++ : *first + rest++] = list[i];
  return status;
}

/* Below this delta, tails vanish next to the masses of a grid: the upper bound is the answer. */
static const double least_delta = 1e-100;

static sotto_status pld_list_epsilon(double *epsilon, sotto_i_pld_answer *guess, const sotto_mechanism *list,
                                     size_t count, double delta, sotto_error *err) {
  sotto_i_pld_answer answer;
  const sotto_i_pld_query query = {.delta = delta};
  double mu, pure = pure_sum(list, count);
  if (sotto_i_account_mu(&mu, list, count)) return sotto_i_gdp_epsilon(epsilon, mu, delta, err);
  *epsilon = pure == 0 ? 0 : INFINITY;
  if (pure == 0 || delta < least_delta) return SOTTO_OK;
  sotto_status status = sotto_i_pld_solve(&answer, guess, list, count, &query, err);
  if (status != SOTTO_OK) return status;
  *epsilon = answer.epsilon < pure ? answer.epsilon : pure;
  return SOTTO_OK;
}

/* For lists with mechanisms that have Renyi divergences alone: the smaller of two bounds. One is the upper
 * bound of the whole list. The other adds the epsilons of these by Renyi divergences and of the others by
 * pld, at half of delta each (Dwork et al. 2006). */
static sotto_status pld_epsilon(double *epsilon, sotto_i_pld_answer *guess, const sotto_mechanism *list,
                                size_t count, double delta, sotto_error *err) {
  sotto_mechanism *parted = NULL;
  const sotto_i_bounds_query query = {.delta = delta};
  sotto_i_rdp rdp;
  size_t sums = 0;
  double others;
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < count; i++) sums += sotto_i_mechanism_by_renyi(&list[i]);
  if (sums == 0) return pld_list_epsilon(epsilon, guess, list, count, delta, err);
  SOTTO_TRY(partition_list(&parted, &sums, list, count, sotto_i_mechanism_by_renyi, err));
  SOTTO_TRY(sotto_i_bounds_upper(epsilon, NULL, list, count, &query, true, err));
  if (sums == count) goto done;
  SOTTO_TRY(pld_list_epsilon(&others, guess, parted + sums, count - sums, delta / 2, err));
  SOTTO_TRY(rdp_sum(&rdp, parted, sums, err));
  *epsilon = fmin(*epsilon, others + sotto_i_rdp_epsilon(&rdp, delta / 2));
done:
  sotto_i_free(parted);
  return status;
}

/* *epsilon = value, if that is finite and between the bounds. */
static sotto_status accept_epsilon(double *epsilon, double value, const sotto_mechanism *list, size_t count,
                                   double delta, sotto_accountant accountant, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (accountant != SOTTO_ACCOUNTANT_PAPER && delta > 0) {
    const sotto_i_bounds_query query = {.delta = delta};
    SOTTO_TRY(sotto_i_bounds_within(&value, list, count, &query, accountant, err));
  }
  if (!(value >= 0 && isfinite(value)))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "no finite epsilon holds at delta %g: more than that is lost outright, "
                        "or the noise is too small to account for",
                        delta);
  *epsilon = value;
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
    if (!sotto_i_account_mu(&other, list, count)) return fail_gdp(err);
    value = INFINITY;
    if (isfinite(other)) SOTTO_TRY(sotto_i_gdp_epsilon(&value, other, delta, err));
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
    SOTTO_TRY(paper_form(list, count, &value, &other, err));
    if (other > delta)
      return sotto_i_fail(err, SOTTO_RANGE, "the paper states its epsilon at delta %g, which is above %g",
                          other, delta);
    break;
  default:
    return sotto_i_fail(err, SOTTO_INVALID, "%d is no accountant", (int)accountant);
  }
  status = accept_epsilon(epsilon, value, list, count, delta, accountant, err);
done:
  return status;
}

/* For a list that no grid holds: the smaller of two bounds. One is the upper bound of the whole list. Where
 * only the wide mechanisms do not fit, the other is their upper bound at a share of delta, plus that of the
 * others by pld at the rest. */
static sotto_status epsilon_without_grid(double *epsilon, const sotto_mechanism *list, size_t count,
                                         double delta, sotto_error *err) {
  static const double shares[] = {0.5, 1e-3};
  sotto_mechanism *parted = NULL;
  sotto_i_pld_answer guess = {0};
  size_t wide = 0;
  const sotto_i_bounds_query whole = {.delta = delta};
  double value = INFINITY, others, wide_epsilon;
  sotto_status status = SOTTO_OK;
  SOTTO_TRY(sotto_i_bounds_upper(&value, NULL, list, count, &whole, true, err));
  SOTTO_TRY(partition_list(&parted, &wide, list, count, may_exceed_grid, err));
  for (size_t i = 0; wide > 0 && wide < count && i < sizeof shares / sizeof *shares; i++) {
    const sotto_i_bounds_query query = {.delta = shares[i] * delta};
    if (pld_epsilon(&others, &guess, parted + wide, count - wide, (1 - shares[i]) * delta, NULL) != SOTTO_OK)
      break;
    SOTTO_TRY(sotto_i_bounds_upper(&wide_epsilon, NULL, parted, wide, &query, true, err));
    if (others + wide_epsilon < value) value = others + wide_epsilon;
  }
  SOTTO_TRY(accept_epsilon(epsilon, value, list, count, delta, SOTTO_ACCOUNTANT_PLD, err));
done:
  sotto_i_free(parted);
  return status;
}

sotto_status sotto_account_epsilon(double *epsilon, const sotto_mechanism *list, size_t count, double delta,
                                   sotto_accountant accountant, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_i_pld_answer guess = {0};
  SOTTO_TRY(sotto_i_mechanisms_check(list, count, err));
  SOTTO_TRY(sotto_i_account_check_delta(delta, list, count, err));
  if (accountant != SOTTO_ACCOUNTANT_PLD)
    return sotto_i_account_epsilon(epsilon, &guess, list, count, delta, accountant, err);
  const sotto_i_question question = sotto_i_question_of(list, count, SIZE_MAX, 0, delta);
  if (sotto_i_answer_find(epsilon, &question)) return SOTTO_OK;
  status = sotto_i_account_epsilon(epsilon, &guess, list, count, delta, accountant, err);
  if (status == SOTTO_UNSUPPORTED) {
    if (err != NULL) *err = (sotto_error){0};
    status = epsilon_without_grid(epsilon, list, count, delta, err);
  }
  if (status != SOTTO_OK) goto done;
  sotto_i_answer_keep(*epsilon, &question);
done:
  return status;
}

static sotto_status pld_delta(double *delta, const sotto_mechanism *list, size_t count, double epsilon,
                              sotto_error *err) {
  sotto_i_pld_answer answer, guess = {0};
  const sotto_i_pld_query query = {.epsilon = epsilon};
  double mu;
  if (sotto_i_account_mu(&mu, list, count)) {
    *delta = sotto_i_gdp_delta(mu, epsilon);
    return SOTTO_OK;
  }
  for (size_t i = 0; i < count; i++)
    if (sotto_i_mechanism_by_renyi(&list[i])) /* all by Renyi divergences */
      return sotto_i_bounds_upper(delta, NULL, list, count, &(sotto_i_bounds_query){.epsilon = epsilon}, true,
                                  err);
  *delta = 0;
  if (epsilon >= pure_sum(list, count)) return SOTTO_OK;
  sotto_status status = sotto_i_pld_solve(&answer, &guess, list, count, &query, err);
  if (status == SOTTO_OK) *delta = answer.delta < 1 ? answer.delta : 1;
  if (status != SOTTO_UNSUPPORTED) return status;
  if (err != NULL) *err = (sotto_error){0};
  *delta = 1; /* the upper bound is the answer */
  return SOTTO_OK;
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
    if (!sotto_i_account_mu(&other, list, count)) return fail_gdp(err);
    *delta = sotto_i_gdp_delta(other, epsilon);
    break;
  case SOTTO_ACCOUNTANT_RDP:
    SOTTO_TRY(rdp_sum(&rdp, list, count, err));
    *delta = sotto_i_rdp_delta(&rdp, epsilon);
    break;
  case SOTTO_ACCOUNTANT_PLD:
    SOTTO_TRY(pld_delta(delta, list, count, epsilon, err));
    break;
  case SOTTO_ACCOUNTANT_PAPER:
    SOTTO_TRY(paper_form(list, count, &at, &other, err));
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
    SOTTO_TRY(sotto_i_bounds_within(delta, list, count, &query, accountant, err));
  }
done:
  return status;
}
