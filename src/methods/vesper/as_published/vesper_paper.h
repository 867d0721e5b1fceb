/* VESPER as published (Wu et al. 2023, algorithms 1 to 3): mini-batches of roots with sampled neighbours, one
 * network trained through noisy layers. For comparison only: its claim does not hold (docs/privacy.md). */
#ifndef SOTTO_SRC_METHODS_VESPER_AS_PUBLISHED_VESPER_PAPER_H
#define SOTTO_SRC_METHODS_VESPER_AS_PUBLISHED_VESPER_PAPER_H

#include "run/method/method.h"

/* The hook `run` of the variant. */
sotto_status sotto_i_vesper_paper_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);

#endif
