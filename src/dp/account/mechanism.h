/* Limits and closed-form quantities of mechanisms, shared by the accountants. */
#ifndef SOTTO_SRC_DP_ACCOUNT_MECHANISM_H
#define SOTTO_SRC_DP_ACCOUNT_MECHANISM_H

#include "base/error.h"
#include "sotto/dp.h"

/* Checks every mechanism of the list, naming the place of the one that fails. */
sotto_status sotto_i_mechanisms_check(const sotto_mechanism *list, size_t count, sotto_error *err);

/* mu of one run of gaussian or contractive; of nothing else. */
double sotto_i_mechanism_mu(const sotto_mechanism *m);

/* The pure epsilon of one run, INFINITY for a kind that has none. For multibit: of one bit. */
double sotto_i_mechanism_pure(const sotto_mechanism *m);

/* How often the unit that sotto_i_mechanism_pure speaks of is run: count, times `sampled` for multibit, times
 * layers and epochs for noise-free sampling without the prototypes' sampler. May pass 2^62: a double. */
double sotto_i_mechanism_runs(const sotto_mechanism *m);

/* (epsilon, delta) of the unit of noise-free sampling: Lemma 2 of FedDEP's appendix for one layer and epoch
 * when nothing amplifies it, else the corrected Theorem 1 for the whole run. */
void sotto_i_mechanism_noise_free(double *epsilon, double *delta, const sotto_mechanism *m);

/* Lemma 2: one layer, one epoch. */
void sotto_i_noise_free_hop(double *epsilon, double *delta, const sotto_mechanism *m);

/* Theorem 1 with Lemma 3's delta-tilde as printed or as corrected. */
void sotto_i_noise_free_theorem(double *epsilon, double *delta, const sotto_mechanism *m, bool corrected);

static inline bool sotto_i_mechanism_is_gaussian(const sotto_mechanism *m) {
  return m->kind == SOTTO_MECHANISM_GAUSSIAN || m->kind == SOTTO_MECHANISM_CONTRACTIVE;
}

/* Whether a run reads a secret sample of the records, with Gaussian noise. */
static inline bool sotto_i_mechanism_is_sampled(const sotto_mechanism *m) {
  return m->kind == SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN || m->kind == SOTTO_MECHANISM_REPLACED_GAUSSIAN ||
         m->kind == SOTTO_MECHANISM_SAMPLED_SUBGRAPHS;
}

/* How far apart the means are where a record is in the sample, over the noise: of a record replaced, both of
 * its vectors. */
static inline double sotto_i_mechanism_sampled_mu(const sotto_mechanism *m) {
  return (m->kind == SOTTO_MECHANISM_REPLACED_GAUSSIAN ? 2 : 1) * m->sensitivity / m->noise;
}

/* rate of Poisson sampling or fraction of sampling without replacement, 1 for none. */
static inline double sotto_i_mechanism_rate(const sotto_mechanism *m) {
  if (m->population > 0) return (double)m->batch / (double)m->population;
  return m->rate > 0 ? m->rate : 1;
}

#endif
