/* DPDGC's release and joint network, for the fit and for predictions. */
#ifndef SOTTO_SRC_METHODS_DPDGC_DPDGC_H
#define SOTTO_SRC_METHODS_DPDGC_DPDGC_H

#include "inside/nn.h"
#include "options.h"
#include "run/train/predict.h"

sotto_status sotto_i_dpdgc_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
sotto_status sotto_i_dpdgc_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err);

/* The canary of an edge: the sums of both ends' rows. */
struct sotto_i_canary;
struct sotto_i_run;
sotto_status sotto_i_dpdgc_canary(struct sotto_i_canary *canary, const struct sotto_i_run *run, unsigned kind,
                                  sotto_error *err);

/* The file of the sums in a seed's folder. */
#define SOTTO_I_SUMS_FILE "sums.sotto"

/* Sums over neighbours of rows (one a node), with noise by this key if the options have noise; fresh. */
sotto_status sotto_i_dpdgc_sums(sotto_matrix *out, const sotto_i_job *job, const sotto_matrix *rows,
                                const sotto_key *key, sotto_error *err);

typedef struct sotto_i_dpdgc_networks {
  const sotto_i_job *job;
  sotto_params *params;
  sotto_mlp features, head;
  sotto_linear adjacency;
} sotto_i_dpdgc_networks;
/* Its networks, in joint->params, which exists and is empty, for sums of `sum_cols` columns. */
sotto_status sotto_i_dpdgc_networks_new(sotto_i_dpdgc_networks *joint, size_t sum_cols,
                                        const sotto_key *seed_key, sotto_error *err);
/* The layer on features for each row, and logits from that and the row's sums. */
sotto_var sotto_i_dpdgc_features(const sotto_i_dpdgc_networks *joint, const sotto_pass *pass, sotto_var x);
sotto_var sotto_i_dpdgc_logits(const sotto_i_dpdgc_networks *joint, const sotto_pass *pass,
                               sotto_var features, sotto_var sums);

#endif
