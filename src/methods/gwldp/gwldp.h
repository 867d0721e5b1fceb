/* Embeddings of graphs under local privacy, with federated averaging. */
#ifndef SOTTO_SRC_METHODS_GWLDP_GWLDP_H
#define SOTTO_SRC_METHODS_GWLDP_GWLDP_H

#include "methods/federated/federated.h"
#include "options.h"

/* The plan: embeddings of a client's graphs, so many times. */
sotto_status sotto_i_gwldp_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err);
struct sotto_i_canary;
sotto_status sotto_i_multibit_canary(struct sotto_i_canary *canary, const struct sotto_i_run *run,
                                     unsigned kind, sotto_error *err);
extern const sotto_i_fed_embedding sotto_i_gwldp_embedding;

#endif
