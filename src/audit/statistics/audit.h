/* Internals of audits: binomial confidence bounds, and one row for each mechanism. */
#ifndef SOTTO_SRC_AUDIT_STATISTICS_AUDIT_H
#define SOTTO_SRC_AUDIT_STATISTICS_AUDIT_H

#include "inside/audit.h"
#include "inside/dp.h"
#include "inside/pmp.h"
#include "ranks/cells.h"
#include "sotto/audit.h"

/* Regularised incomplete beta function I_x(a, b), a, b > 0, 0 <= x <= 1, to 1e-12. */
double sotto_i_beta(double x, double a, double b);
/* Bounds on a probability from `hits` of `trials`, each wrong with probability at most `risk`. */
double sotto_i_at_least(uint64_t hits, uint64_t trials, double risk);
double sotto_i_at_most(uint64_t hits, uint64_t trials, double risk);

/* The z with Pr[N(0, 1) <= z] = p, 0 < p < 1. */
double sotto_i_normal_quantile(double p);

/* Values of statistics on a first and a second input: values[input][statistic][draw]. */
typedef struct sotto_i_draws {
  const double *const *values[2];
  size_t count[2], statistics;
} sotto_i_draws;
/* Lower bounds on epsilon at delta, and on mu of Gaussian differential privacy. Statistic and threshold are
 * chosen on the first half of the draws and evaluated on the second. Each of two probabilities is outside
 * its bound with at most the given risk; for epsilon and mu together the risks add up. Errors: RANGE
 * (delta), NUMERIC, NOMEM. */
typedef struct sotto_i_shown {
  double epsilon, mu;
} sotto_i_shown;
sotto_status sotto_i_show(sotto_i_shown *out, const sotto_i_draws *draws, double delta, double risk,
                          sotto_error *err);

/* Both bounds hold together with probability 1 - risk, together with those of all canaries that share the
 * risk. The first half of the trials chooses the statistic and the event, the second half tests them. At risk
 * 0.05 the Clopper-Pearson level is 97.5% for each of two probabilities, and 98.75% for each of four when mu
 * is stated. The bound on mu uses Dong, Roth and Su 2022: no test has a larger gap between the normal
 * quantiles of its two probabilities. The noise is tested by bets that may end at any time (Ville 1939), with
 * a 50,000th of the risk, on up to 512 draws. `like` has the ranks that share the trials as cells, and the
 * path and identity of their file. Errors: RANGE (trials outside 100 to 2^23, statistics, delta), NUMERIC,
 * those of draw, those of another rank, NOMEM, INTERRUPTED. */
SOTTO_MUST_USE sotto_status sotto_i_audit_canary(sotto_canary_result *out, const sotto_canary *canary,
                                                 uint64_t trials, const sotto_i_cells *like,
                                                 const sotto_observer *observer, sotto_error *err);
/* LinkTeller (Wu et al. 2022): one query for each node of a sample. The influence of a node on another is the
 * change of the other's log-probabilities, and pairs are ranked by the sum of both influences. `like`
 * has the ranks that share the queries as cells, and the path and identity of their file. Errors: RANGE
 * (options), INVALID (fewer than 10 edges in the sample), those of ask, NOMEM, INTERRUPTED. */
sotto_status sotto_i_attack_linkteller(sotto_attack_result *out, const sotto_target *target,
                                       const sotto_link_options *options, const sotto_i_cells *like,
                                       const sotto_observer *observer, sotto_error *err);

typedef struct sotto_i_audit {
  sotto_audit_options options;
  const sotto_observer *observer;
  sotto_key key; /* of the current input; trials differ by row, sub or derived keys */
  double stated;
  union {
    sotto_grid grid;
    sotto_discrete_gaussian discrete;
    sotto_laplace_grid laplace;
    sotto_response response;
    sotto_subset subset;
    sotto_multibit multibit;
    struct {
      sotto_sampling sampling;
      sotto_grid grid;
    } sampled;
    sotto_pmp_plan plan;
    sotto_contractive_plan contractive;
    sotto_edge_response edges;
  } with;
} sotto_i_audit;

/* `setup` calibrates and fills `stated`; `draw` fills one statistic for each trial on the first or second
 * input. */
typedef struct sotto_i_audited {
  const char *name;
  sotto_status (*setup)(sotto_i_audit *audit, sotto_error *err);
  sotto_status (*draw)(const sotto_i_audit *audit, double *values, bool second, sotto_error *err);
} sotto_i_audited;

extern const sotto_i_audited sotto_i_audited_noise[], sotto_i_audited_graph[];
enum { SOTTO_I_AUDITED_NOISE = 8, SOTTO_I_AUDITED_GRAPH = 4 };

/* Every 1024 trials: reports progress, and stops on request. */
sotto_status sotto_i_audit_tick(const sotto_i_audit *audit, uint64_t trial, bool second, sotto_error *err);

/* Epsilon of one run at the audit's delta by the privacy loss distribution. */
sotto_status sotto_i_audit_state(sotto_i_audit *audit, const sotto_mechanism *mechanism, sotto_error *err);

#endif
