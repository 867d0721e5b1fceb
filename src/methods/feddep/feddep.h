/* FedDEP (Zhang et al. 2024): before a federation's rounds, each client learns embeddings of its nodes, sends
 * prototypes of them once, and trains a generator of missing neighbours against the others' prototypes. */
#ifndef SOTTO_SRC_METHODS_FEDDEP_FEDDEP_H
#define SOTTO_SRC_METHODS_FEDDEP_FEDDEP_H

#include "generator.h"
#include "methods/federated/federated.h"
#include "methods/federated/protocol.h"
#include "options.h"

/* Columns of the rows that are fused into convolutions; 0: none. */
size_t sotto_i_feddep_width(const sotto_options *options, size_t inputs);
/* A client's part before the first round: fills client->beside. */
sotto_status sotto_i_feddep_prepare(sotto_i_fed_client *client, sotto_error *err);
/* A client's generator with its first weights, which are equal at all clients, as those of embeddings. */
sotto_status sotto_i_feddep_generator_new(sotto_i_generator *out, const sotto_i_fed_client *client,
                                          size_t width, sotto_error *err);
/* Of generated embeddings before they are fused in: a tenth begins no worse than without them. */
void sotto_i_feddep_soften(sotto_matrix *rows);
/* For other data of the client: fills client->beside by the generators in the seed's folder; no node counts
 * as one of the training. Errors: those of sotto_i_generator_load. */
sotto_status sotto_i_feddep_complete(sotto_i_fed_client *client, const char *folder, sotto_error *err);
/* The server's part: sends each client the prototypes of the others. */
sotto_status sotto_i_feddep_exchange(sotto_i_fed_server *server, sotto_error *err);

/* Options and data of a client's generator, also for fedsage+; `targets` has a row a node. */
sotto_i_generator_options sotto_i_feddep_generator(const sotto_i_federation *federation, size_t width);
sotto_i_generator_data sotto_i_feddep_data(const sotto_i_fed_client *client, const sotto_matrix *targets);

#endif
