/* Shared state of a mesh, which its wires read and change.
 *
 * Locking rule: `lock` guards the roles; the attempt is atomic; the list of wires does not change while one
 * of their threads runs. */
#ifndef SOTTO_SRC_PARTY_WIRE_MESH_STATE_H
#define SOTTO_SRC_PARTY_WIRE_MESH_STATE_H

#include <pthread.h>

#include "inside/party.h"
#include "sotto/party.h"

typedef struct sotto_i_lobby sotto_i_lobby; /* lobby.h */
enum { SOTTO_I_ROLE_SIZE = 16 };

typedef struct sotto_i_mesh sotto_i_mesh;

typedef struct sotto_i_mesh_options {
  /* of every wire; peer, address, listen and progress are not read */
  sotto_wire_options wire;
  const char *listen; /* HOST:PORT; NULL: this party connects to all */
  const sotto_peer *peers;
  size_t peer_count;
  const char (*roles)[SOTTO_I_ROLE_SIZE]; /* one for each peer, in any order: the required roles */
  bool may_leave; /* peers may leave: once all were there, a failing peer does not end the run, and is not
                     admitted again */
  bool declines;  /* each peer is told alone that this party takes no part: one that heard it does not end the
                     other wires */
} sotto_i_mesh_options;

enum { SOTTO_I_NOBODY = SIZE_MAX };

struct sotto_i_mesh {
  sotto_i_mesh_options options;
  sotto_i_lobby *lobby; /* NULL: no peer connects to this party */
  sotto_wire **wires;   /* one for each peer */
  _Atomic uint64_t attempt;
  pthread_mutex_t lock;
  size_t *holder;   /* by role: number of the peer that has it, or SOTTO_I_NOBODY */
  char reason[256]; /* of a failure, for all peers; empty: none */
};

bool sotto_i_mesh_may_leave(const sotto_i_mesh *mesh);
bool sotto_i_mesh_declines(const sotto_i_mesh *mesh);
uint64_t sotto_i_mesh_attempt(const sotto_i_mesh *mesh);
/* Raises the attempt to this number, unless a later one is known. */
void sotto_i_mesh_raise(sotto_i_mesh *mesh, uint64_t attempt);
/* Does the peer at `place` have an allowed role? With `claim` the role becomes taken. False with a
 * sentence. */
bool sotto_i_mesh_role(char *out, size_t size, sotto_i_mesh *mesh, size_t place, const char *role,
                       bool claim);
/* The role that the peer at `place` came with; empty before. */
void sotto_i_mesh_role_of(char out[SOTTO_I_ROLE_SIZE], sotto_i_mesh *mesh, size_t place);
/* The run is impossible: records the reason, which all peers may get. */
void sotto_i_mesh_tell(sotto_i_mesh *mesh, const char *why);
/* Records that a wire failed for good; the run fails with it. */
void sotto_i_mesh_fail(sotto_i_mesh *mesh, const sotto_error *failure);

#endif
