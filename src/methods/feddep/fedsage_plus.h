/* FedSage+ (Zhang et al. 2021): a client's generator of missing neighbours is trained with gradients from
 * all other clients, which compare generated rows with features of theirs. Then its graph is completed with
 * generated nodes, and models are averaged as in fedsage. */
#ifndef SOTTO_SRC_METHODS_FEDDEP_FEDSAGE_PLUS_H
#define SOTTO_SRC_METHODS_FEDDEP_FEDSAGE_PLUS_H

#include "methods/federated/federated.h"

/* A client's part before the first round. Its graph, features and samples are then those of the completed
 * graph, in which its own nodes come first. */
sotto_status sotto_i_fedsage_plus_prepare(sotto_i_fed_client *client, sotto_error *err);
/* The same for other data of the client, by the generator in the seed's folder. Called again after the first
 * rows of client->features changed, it completes the graph anew. Errors: those of sotto_i_generator_load. */
sotto_status sotto_i_fedsage_plus_complete(sotto_i_fed_client *client, const char *folder, sotto_error *err);
/* The server's part: passes generators and gradients on. */
sotto_status sotto_i_fedsage_plus_serve(sotto_i_fed_server *server, sotto_error *err);

#endif
