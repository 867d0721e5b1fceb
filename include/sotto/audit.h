/* Audits: what an adversary can show about a mechanism by running it, against what is stated. */
#ifndef SOTTO_AUDIT_H
#define SOTTO_AUDIT_H

#include "sotto/pmp.h"

/* A lower bound on epsilon that holds with 95% confidence, from `trials` values of a statistic on a first
 * input and as many on a neighbouring second one: for an event E, (epsilon, delta)-DP needs Pr_2[E] <=
 * e^epsilon Pr_1[E] + delta, and the other way round. The event, one side of a threshold, is chosen on the
 * first half of the values; both probabilities are bounded on the second half (Clopper and Pearson 1934,
 * at 97.5% each). The values of one array are independent draws; larger ones speak for the second input,
 * which matters for how good the bound is, not for whether it holds. 0 when nothing is shown. O(trials log
 * trials). Errors: RANGE (fewer than 100 trials, delta outside [0, 1)), NUMERIC (a value is not a number),
 * NOMEM. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_audit_bound(double *epsilon, const double *first,
                                                        const double *second, size_t trials, double delta,
                                                        sotto_error *err);

typedef struct sotto_audit_options {
  double epsilon, delta; /* what the mechanism is calibrated to; epsilon in [0.1, 20], delta in [1e-6, 0.5] */
  uint64_t trials;       /* on each of the two inputs; 1000 to 2^23 */
  uint32_t layers;       /* release and contractive: K, 1 to 16; the others ignore it */
} sotto_audit_options;

typedef struct sotto_audit_result {
  double stated; /* epsilon at delta that the mechanism as run states, by the tightest accountant */
  double lower;  /* shown with 95% confidence */
  bool holds;    /* lower <= stated */
} sotto_audit_result;

/* The mechanisms that can be audited, ending with NULL: static strings. */
SOTTO_API const char *const *sotto_audit_names(void);

/* Runs a mechanism through its public functions, with keys of the system, on two neighbouring inputs that are
 * the worst for it, and applies the likelihood-ratio test (for releases: of each layer given the one before).
 * An audit that holds proves nothing; one that fails is wrong by chance at most once in twenty. Errors:
 * NOT_FOUND (name, with the nearest), RANGE (options), those of the mechanism, NOMEM, INTERRUPTED. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_audit_mechanism(sotto_audit_result *out, const char *name,
                                                            const sotto_audit_options *options,
                                                            const sotto_observer *observer, sotto_error *err);

#endif
