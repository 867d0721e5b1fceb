/* Generators that a client keeps, so that its model answers about other data of the client: missing
 * neighbours of new nodes are generated as those of the training were. The file is the owner's, and nothing
 * of it is sent. */
#ifndef SOTTO_SRC_METHODS_FEDDEP_KEPT_GENERATOR_H
#define SOTTO_SRC_METHODS_FEDDEP_KEPT_GENERATOR_H

#include "generator.h"
#include "methods/federated/federated.h"

/* Writes the client's generator of this fold, from 0, into owner-only of the seed's folder. Errors: NOMEM,
 * IO. */
sotto_status sotto_i_generator_keep(const sotto_i_generator *generator, const sotto_i_fed_client *client,
                                    size_t fold, sotto_error *err);
/* Fills *out, which has fresh weights of the same options, from the seed's folder. Errors: NOT_FOUND (the
 * folder has none), CORRUPT, NOMEM, IO. */
sotto_status sotto_i_generator_load(sotto_i_generator *out, const sotto_i_fed_client *client, size_t fold,
                                    const char *folder, sotto_error *err);

#endif
