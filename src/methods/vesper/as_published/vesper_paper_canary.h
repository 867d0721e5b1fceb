/* The canary of VESPER as published: what the paper's claim is worth. */
#ifndef SOTTO_SRC_METHODS_VESPER_AS_PUBLISHED_VESPER_PAPER_CANARY_H
#define SOTTO_SRC_METHODS_VESPER_AS_PUBLISHED_VESPER_PAPER_CANARY_H

#include "run/method/method.h"

struct sotto_i_canary;
/* The hook `canary` of the variant. */
sotto_status sotto_i_vesper_paper_canary(struct sotto_i_canary *canary, const struct sotto_i_run *run,
                                         unsigned kind, sotto_error *err);

#endif
