/* Privacy claims of papers, for comparison: none of them enters an account. */
#ifndef SOTTO_CLAIMS_H
#define SOTTO_CLAIMS_H

#include "sotto/dp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the papers state for themselves, for comparison only: each is unsound as stated, or holds only under
 * an assumption that its comment names. All give epsilon at delta in (0, 1) by Renyi orders and the
 * conversion of Balle et al. 2020 unless said otherwise. Errors: RANGE. */

/* VESPER Thm 2.1: `steps` releases of `layers` noisy layers of edge sensitivity `sensitivity` each, with
 * noise `theta`, on batches of `batch` roots out of `roots`, fan-out `fanout`; amplified as Wang et al. 2019,
 * Thm 9, with sotto_paper_vesper_gamma. (Eq. 6 as printed leaves the sum over j out of the logarithm and
 * e^epsilon(2) out of its second term; both are read as in its source.) Unsound against the label party, who
 * knows the batch. */
SOTTO_API sotto_status sotto_paper_vesper(double *epsilon, double theta, double sensitivity, uint64_t layers,
                                          uint64_t fanout, uint64_t roots, uint64_t batch, uint64_t steps,
                                          double delta, sotto_error *err);
/* gamma = 1 - C(roots - a, batch) / C(roots, batch), a = 2 (D^L - 1) / (D - 1). */
SOTTO_API sotto_status sotto_paper_vesper_gamma(double *gamma, uint64_t layers, uint64_t fanout,
                                                uint64_t roots, uint64_t batch, sotto_error *err);
/* eta of VESPER's Prop. 2 for weights of operator norm 1: what it claims for GCN layers on graphs of least
 * degree `least_degree`, at least 2 (and, in Alg. 2, on every graph, which is not so: docs/privacy.md,
 * section 6). */
SOTTO_API sotto_status sotto_paper_vesper_eta(double *eta, uint64_t least_degree, sotto_error *err);
/* CARIBOU Thm 4: the edge sensitivity of a contractive layer on a graph of least degree `least_degree` (d):
 * sqrt 2 C_L a_1 (1/((d+1)(d+2)) + C(d)/sqrt(d+1) + 1/(d+2)), C(d) = d (1/sqrt(d+1) - 1/sqrt(d+2)) for d
 * above 3 and C(3) below; read off the theorem's proof, since its formula is lost. Unsound, since
 * the least degree is a function of the private graph. contraction in [0, 1), graph_weight in [0, 1]. */
SOTTO_API sotto_status sotto_paper_caribou(double *sensitivity, double contraction, double graph_weight,
                                           uint64_t least_degree, sotto_error *err);
/* FedDEP Thm 1 (appendix, Lemmas 2 and 3) for a noise-free-sampling mechanism: epsilon and delta together.
 * Without `corrected`, delta-tilde = (1-delta)^{LN} (1-delta') as printed, which is one minus the right
 * value; with it, 1 - (1-delta)^{LN} (1-delta'), near 1 and vacuous for most parameters. mechanism->count
 * is 1. */
SOTTO_API sotto_status sotto_paper_feddep(double *epsilon, double *delta, const sotto_mechanism *mechanism,
                                          bool corrected, sotto_error *err);
#ifdef __cplusplus
}
#endif

#endif
