/* Audits of mechanisms: an adversary's lower bound on epsilon, compared with the stated epsilon. */
#ifndef SOTTO_AUDIT_H
#define SOTTO_AUDIT_H

#include "sotto/pmp.h"
#include "sotto/ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* A whole pipeline, run again and again on two neighbouring inputs. `draw` runs it once, from the given key
 * of the system, on the first input or the second one, and fills `statistics` numbers (1 to 8) that may
 * distinguish them. Stated is epsilon at delta; where the statement is one of Gaussian differential privacy,
 * mu > 0 too. `noise`, if there is one, draws the noise of one release alone. */
typedef struct sotto_canary_result {
  double stated, lower;       /* epsilon at delta; the bound holds whatever the mechanism is */
  double mu_stated, mu_lower; /* 0: the statement says nothing of mu */
  uint64_t trials;            /* on each input */
  uint64_t noise_draws;       /* draws of noise alone, until the evidence decided; 0: not tested */
  bool noise_holds;           /* no test found noise that is narrower than stated, absent or drawn twice */
  bool holds;                 /* neither bound is above what is stated, and noise_holds */
} sotto_canary_result;

/* One run with many canaries, each of which was in the data or not by a fair coin of its own; the coins are
 * independent. scores[i] is any function of what the run shows and of public numbers, larger where canary i
 * is likely to be in. Each canary by itself makes two neighbouring inputs. Stated is epsilon at delta;
 * where the statement is one of Gaussian differential privacy, mu > 0 too. */
typedef struct sotto_one_run_result {
  double stated, lower;       /* epsilon at delta; the bound holds whatever the mechanism is */
  double mu_stated, mu_lower; /* 0: the statement says nothing of mu */
  uint64_t canaries, guesses, correct;
  bool holds; /* neither bound is above what is stated */
} sotto_one_run_result;

/* How well a score separates members (edges, training nodes) from others.
 *   auc            ties count half; 95% interval by DeLong, DeLong and Clarke-Pearson 1988
 *   tpr_1, tpr_01  share of members above a threshold that at most 1%, 0.1% of the others are above
 *   implied        lower bound on epsilon at 95% (Clopper and Pearson) that these probabilities would imply.
 *                  It is a bound on the privacy of membership only where membership was drawn at random, and
 *                  each draw stands for itself: otherwise members may differ from others by more than that.
 */
typedef struct sotto_attack_result {
  double auc, auc_low, auc_high, tpr_1, tpr_01, implied;
  size_t members, others;
  double precision, recall; /* linkteller: of the pairs that the density belief names; NAN elsewhere */
  uint64_t queries;
} sotto_attack_result;
/* Errors: INVALID without 10 of each, NUMERIC (a score is not a number), RANGE (delta), NOMEM. */
SOTTO_API sotto_status sotto_attack_measure(sotto_attack_result *out, const double *members,
                                            size_t member_count, const double *others, size_t other_count,
                                            double delta, sotto_error *err);

typedef enum sotto_degrees { SOTTO_DEGREES_ALL, SOTTO_DEGREES_LOW, SOTTO_DEGREES_HIGH } sotto_degrees;
typedef struct sotto_link_options {
  uint64_t nodes; /* in the sample; 10 to 5000 */
  sotto_degrees
      degrees;    /* LOW, HIGH: of the quarter of the nodes (that have neighbours) with the fewest, most */
  double belief;  /* density belief k: the attack names k times as many pairs as there are edges */
  double step;    /* features of a node are multiplied by 1 + step */
  uint64_t pairs; /* link stealing: largest number of edges, and of other pairs, in the test */
  uint64_t seed;  /* of the sample */
  double delta;   /* of `implied` */
} sotto_link_options;

#ifdef __cplusplus
}
#endif

#endif
