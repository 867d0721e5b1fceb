/* A party's wires to all of its peers, and what is common to them: one listening address, the roles, and the
 * attempt that the run is at. docs/protocol.md says why attempts converge. */
#ifndef SOTTO_SRC_PARTY_WIRE_MESH_H
#define SOTTO_SRC_PARTY_WIRE_MESH_H

#include "mesh_state.h"

/* Opens all wires. The options are borrowed while it is open. Errors: INVALID (peers that are not as many as
 * roles; a peer that is to come, and no address to listen at), and those of sotto_wire_open. */
sotto_status sotto_i_mesh_open(sotto_i_mesh **out, const sotto_i_mesh_options *options, sotto_error *err);
/* Hangs up without a word. */
void sotto_i_mesh_free(sotto_i_mesh *mesh);
/* Waits until a session of one attempt stands with every peer, and enters them. links[i], in fresh memory of
 * the caller, goes to the peer with role i; NULL where that one left. Errors: those of sotto_wire_meet. */
sotto_status sotto_i_mesh_meet(sotto_i_mesh *mesh, sotto_link **links, sotto_error *err);
/* Waits until the peer at `place` has come to a session, or not, whatever becomes of the others; for a mesh
 * that checks. `trouble` says what failed. */
sotto_status sotto_i_mesh_try(sotto_i_mesh *mesh, size_t place, sotto_trouble *trouble, sotto_error *err);
/* Did the last call on one of its links fail only because the run began anew? Then meet again. */
bool sotto_i_mesh_anew(const sotto_i_mesh *mesh);
/* Says to all that this side has all it needs, and waits until all say so too. `last`: says it when all
 * others have. Where one party is the last, nobody leaves while another may have to begin anew. */
sotto_status sotto_i_mesh_finish(sotto_i_mesh *mesh, bool last, sotto_error *err);
/* As sotto_wire_give_up, to all peers. */
void sotto_i_mesh_give_up(sotto_i_mesh *mesh, sotto_status status);

#endif
