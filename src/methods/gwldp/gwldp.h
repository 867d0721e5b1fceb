/* Embeddings of graphs under local privacy, with federated averaging. */
#ifndef SOTTO_SRC_METHODS_GWLDP_GWLDP_H
#define SOTTO_SRC_METHODS_GWLDP_GWLDP_H

#include "methods/federated/federated.h"
#include "options.h"

/* The cost: several releases of embeddings of a client's graphs. */
sotto_status sotto_i_gwldp_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err);
struct sotto_i_canary;
sotto_status sotto_i_multibit_canary(struct sotto_i_canary *canary, const struct sotto_i_run *run,
                                     unsigned kind, sotto_error *err);
/* A client's release of its graphs in a round: `rows` of graph i are first[i] .. first[i + 1]. */
typedef struct sotto_i_gwldp_coding {
  const sotto_i_fed_client *client;
  const sotto_matrix *rows;
  const uint64_t *first;
  size_t graphs;
  uint64_t round;
} sotto_i_gwldp_coding;
/* The `make` of this release; context is a coding. */
sotto_status sotto_i_gwldp_encode(void *context, sotto_graph *graph, sotto_matrix *table,
                                  const sotto_key *whole, sotto_error *err);
extern const sotto_i_fed_embedding sotto_i_gwldp_embedding;

#endif
