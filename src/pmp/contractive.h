/* Contractive releases: shared code of plan and run. */
#ifndef SOTTO_SRC_PMP_CONTRACTIVE_H
#define SOTTO_SRC_PMP_CONTRACTIVE_H

#include "release.h"

/* Rows that enter an aggregate are multiples of 2^-30: sums of 2^32 of them fit 64 bits. */
#define SOTTO_I_CONTRACTIVE_STEP 0x1p-30

/* As sotto_i_pmp_plan_for. */
sotto_status sotto_i_contractive_plan_for(sotto_contractive_plan *out,
                                          const sotto_contractive_options *options, uint64_t nodes,
                                          size_t cols, double mu, sotto_error *err);

/* The plan of the one Gaussian release that a contractive one amounts to: of the same mu. */
sotto_pmp_plan sotto_i_contractive_shown(const sotto_contractive_plan *plan);

#endif
