/* A client's graph with generated nodes in it. */
#ifndef SOTTO_SRC_METHODS_FEDDEP_MENDED_GRAPH_H
#define SOTTO_SRC_METHODS_FEDDEP_MENDED_GRAPH_H

#include "mender.h"
#include "methods/federated/federated.h"

/* Gives each node of the client as many new neighbours as the generator says, with the features that it
 * makes: client->features, spread and hops are then over own nodes first, generated ones after. */
sotto_status sotto_i_mend_client(sotto_i_fed_client *client, sotto_i_mender *mender,
                                 const sotto_i_mender_data *data, sotto_error *err);

#endif
