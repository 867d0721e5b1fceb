/* A client's graph with generated nodes in it. */
#ifndef SOTTO_SRC_METHODS_FEDDEP_MENDED_GRAPH_H
#define SOTTO_SRC_METHODS_FEDDEP_MENDED_GRAPH_H

#include "generator.h"
#include "methods/federated/federated.h"
#include "options.h"

/* Gives each node of the client as many new neighbours as the generator says, with the features that it
 * makes: client->features, spread and hops are then over own nodes first, generated ones after. */
sotto_status sotto_i_mend_client(sotto_i_fed_client *client, sotto_i_generator *generator,
                                 const sotto_i_generator_data *data, sotto_error *err);

#endif
