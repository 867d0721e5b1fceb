/* LPGNet at edge and at node level, and the inputs of its predictions. */
#ifndef SOTTO_SRC_METHODS_LPGNET_LPGNET_H
#define SOTTO_SRC_METHODS_LPGNET_LPGNET_H

#include "recipes/counts.h"
#include "run/train/predict.h"

sotto_status sotto_i_lpgnet_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
sotto_status sotto_i_lpgnet_node_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
sotto_status sotto_i_lpgnet_node_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err);
/* Of a node: the counts alone, without the networks. */
struct sotto_i_canary;
struct sotto_i_run;
sotto_status sotto_i_lpgnet_node_canary(struct sotto_i_canary *canary, const struct sotto_i_run *run,
                                        unsigned kind, sotto_error *err);
sotto_status sotto_i_lpgnet_open(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err);

/* All of its counts are read (method.h, narrow). */
sotto_status sotto_i_lpgnet_narrow(sotto_options *options, const char *file, sotto_error *err);
/* What it makes of released counts: rows at norm 1; of one shape. */
void sotto_i_lpgnet_scale(sotto_matrix *to, const sotto_matrix *counts);
/* Releases counts and puts them beside the table, each row scaled to norm 1. */
SOTTO_MUST_USE sotto_status sotto_i_lpgnet_widen(sotto_matrix *table, const sotto_i_counts *counts,
                                                 sotto_error *err);

#endif
