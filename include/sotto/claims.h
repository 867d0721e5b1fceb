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
 * Thm 9, with *gamma = 1 - C(roots - a, batch) / C(roots, batch), a = 2 (D^L - 1) / (D - 1); NULL: not asked
 * for. (Eq. 6 as printed leaves the sum over j out of the logarithm and
 * e^epsilon(2) out of its second term; both are read as in its source.) Unsound against the label party, who
 * knows the batch. */
SOTTO_API sotto_status sotto_paper_vesper(double *epsilon, double *gamma, double theta, double sensitivity,
                                          uint64_t layers, uint64_t fanout, uint64_t roots, uint64_t batch,
                                          uint64_t steps, double delta, sotto_error *err);

#ifdef __cplusplus
}
#endif

#endif
