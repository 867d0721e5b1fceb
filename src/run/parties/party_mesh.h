/* A party's seeds in a run of several: what all agree on before they go on. */
#ifndef SOTTO_SRC_RUN_PARTIES_PARTY_MESH_H
#define SOTTO_SRC_RUN_PARTIES_PARTY_MESH_H

#include "party_seeds.h"

/* Meets all other parties and does all seeds; begins again from common points whenever one of them did. */
sotto_status sotto_i_party_mesh(const sotto_i_party_run *run, const char *terms, sotto_error *err);
/* Asks every peer whether it would come to this run, and calls `line` for each. Errors: INVALID, IO, NOMEM
 * (nobody could be asked), INTERRUPTED. */
typedef void (*sotto_i_peer_line)(void *context, const sotto_peer *peer, sotto_trouble trouble,
                                  const char *text);
sotto_status sotto_i_party_mesh_check(const sotto_options *options, const sotto_party *party,
                                      const uint8_t nodes[32], const sotto_observer *observer,
                                      sotto_i_peer_line line, void *context, sotto_error *err);

#endif
