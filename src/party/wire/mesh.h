/* A party's wires to all of its peers, and what is common to them: one listening address, the roles, and the
 * attempt that the run is at. docs/protocol.md says why attempts converge.
 *
 * Locking rule: `lock` guards the roles; the attempt is atomic; the list of wires does not change while one
 * of their threads runs. */
#ifndef SOTTO_SRC_PARTY_WIRE_MESH_H
#define SOTTO_SRC_PARTY_WIRE_MESH_H

#include "sotto/party.h"

enum { SOTTO_I_ROLE_SIZE = 16 };

typedef struct sotto_i_mesh sotto_i_mesh;

typedef struct sotto_i_mesh_options {
  /* of every wire; peer, address, listen and progress are not read */
  sotto_wire_options wire;
  const char *listen; /* HOST:PORT; NULL: this party connects to all */
  const sotto_peer *peers;
  size_t peer_count;
  const char (*roles)[SOTTO_I_ROLE_SIZE]; /* one for each peer, in any order: what they must have */
  bool may_leave; /* peers may: once all were there, one that fails does not end the run, and is not let in
                     again */
} sotto_i_mesh_options;

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

/* The wires' side. */
bool sotto_i_mesh_may_leave(const sotto_i_mesh *mesh);
uint64_t sotto_i_mesh_attempt(const sotto_i_mesh *mesh);
/* Goes to this attempt, unless a later one is known. */
void sotto_i_mesh_raise(sotto_i_mesh *mesh, uint64_t attempt);
/* Has the peer at `place` a role that it may have? With `claim` it keeps it. False with a sentence. */
bool sotto_i_mesh_role(char *out, size_t size, sotto_i_mesh *mesh, size_t place, const char *role,
                       bool claim);
/* The run cannot be, and all may hear why. */
void sotto_i_mesh_tell(sotto_i_mesh *mesh, const char *why);
/* One wire failed for good, and so does the run. */
void sotto_i_mesh_fail(sotto_i_mesh *mesh, const sotto_error *failure);

#endif
