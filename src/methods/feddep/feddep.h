/* FedDEP (Zhang et al. 2024): before a federation's rounds, each client learns embeddings of its nodes, shows
 * prototypes of them once, and trains a generator of missing neighbours against those of the others. */
#ifndef SOTTO_SRC_METHODS_FEDDEP_FEDDEP_H
#define SOTTO_SRC_METHODS_FEDDEP_FEDDEP_H

#include "generator.h"
#include "methods/federated/federated.h"
#include "methods/federated/recipe.h"
#include "options.h"

/* Columns of what is fused into convolutions; 0: nothing is. */
size_t sotto_i_feddep_width(const sotto_options *options, size_t inputs);
/* A client's part before the first round: fills client->beside. */
sotto_status sotto_i_feddep_prepare(sotto_i_fed_client *client, sotto_error *err);
/* The server's: hands each client the prototypes of the others. */
sotto_status sotto_i_feddep_exchange(sotto_i_fed_server *server, sotto_error *err);

/* What the generator of a client learns with and from, also for fedsage+; `targets` has a row a node. */
sotto_i_generator_options sotto_i_feddep_generator(const sotto_i_federation *federation, size_t width);
sotto_i_generator_data sotto_i_feddep_data(const sotto_i_fed_client *client, const sotto_matrix *targets);

#endif
