/* A mesh: a party's wires to all of its peers, with one listening address, the roles, and the run's attempt.
 * docs/protocol.md shows that attempts converge. */
#ifndef SOTTO_SRC_PARTY_WIRE_MESH_H
#define SOTTO_SRC_PARTY_WIRE_MESH_H

#include "mesh_state.h"

/* Opens all wires. The options are borrowed while it is open. Errors: INVALID (the numbers of peers and roles
 * differ; a peer should connect, and there is no address to listen at), and those of sotto_wire_open. */
sotto_status sotto_i_mesh_open(sotto_i_mesh **out, const sotto_i_mesh_options *options, sotto_error *err);
/* Closes all connections without a message. */
void sotto_i_mesh_free(sotto_i_mesh *mesh);
/* Waits until there is a session of one attempt with every peer, and enters them. links[i], in fresh memory
 * of the caller, goes to the peer with role i; NULL where that peer left. Errors: those of
 * sotto_wire_meet. */
sotto_status sotto_i_mesh_meet(sotto_i_mesh *mesh, sotto_link **links, sotto_error *err);
/* Waits until the peer at `place` has a session, or has failed, independently of the others; for a mesh that
 * checks. `trouble` is the cause of a failure. */
sotto_status sotto_i_mesh_try(sotto_i_mesh *mesh, size_t place, sotto_trouble *trouble, sotto_error *err);
/* Did the last call on one of its links fail only because the run restarted? Then meet again. */
bool sotto_i_mesh_anew(const sotto_i_mesh *mesh);
/* Declares to all peers that this side needs nothing more, and waits until all have declared it. `last`:
 * declares it after all others. With one party as the last, nobody leaves while another may have to
 * restart. */
sotto_status sotto_i_mesh_finish(sotto_i_mesh *mesh, bool last, sotto_error *err);
/* sotto_wire_give_up for all peers; `goodbye` is what they hear of an interruption, NULL: nothing. */
void sotto_i_mesh_give_up(sotto_i_mesh *mesh, sotto_status status, const char *goodbye);

#endif
