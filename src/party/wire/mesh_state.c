/* Shared state of a party's wires: the attempt, the roles, and the reason of a failure. */
#include "mesh_state.h"

#include <stdio.h>
#include <string.h>

#include "wire.h"

bool sotto_i_mesh_may_leave(const sotto_i_mesh *mesh) {
  return mesh->options.may_leave;
}

bool sotto_i_mesh_declines(const sotto_i_mesh *mesh) {
  return mesh->options.declines;
}

uint64_t sotto_i_mesh_attempt(const sotto_i_mesh *mesh) {
  return atomic_load(&mesh->attempt);
}

void sotto_i_mesh_raise(sotto_i_mesh *mesh, uint64_t attempt) {
  uint64_t now = atomic_load(&mesh->attempt);
  while (now < attempt && !atomic_compare_exchange_weak(&mesh->attempt, &now, attempt)) continue;
  pthread_mutex_lock(&mesh->lock);
  for (size_t i = 0; i < mesh->options.peer_count; i++)
    if (mesh->wires[i] != NULL) sotto_i_session_wake(&mesh->wires[i]->session);
  pthread_mutex_unlock(&mesh->lock);
}

static size_t role_number(const sotto_i_mesh *mesh, const char *role) {
  for (size_t i = 0; i < mesh->options.peer_count; i++)
    if (strcmp(mesh->options.roles[i], role) == 0) return i;
  return SOTTO_I_NOBODY;
}

/* Writes e.g. "server, holder1, holder2". */
static void list_roles(char *out, size_t size, const sotto_i_mesh *mesh) {
  size_t used = (size_t)snprintf(out, size, "%s", mesh->options.wire.role);
  for (size_t i = 0; i < mesh->options.peer_count && used < size; i++)
    used += (size_t)snprintf(out + used, size - used, ", %s", mesh->options.roles[i]);
}

bool sotto_i_mesh_role(char *out, size_t size, sotto_i_mesh *mesh, size_t place, const char *role,
                       bool claim) {
  const sotto_i_mesh_options *o = &mesh->options;
  size_t number = role_number(mesh, role);
  char all[200];
  bool good = true;
  list_roles(all, sizeof all, mesh);
  pthread_mutex_lock(&mesh->lock);
  size_t other = number == SOTTO_I_NOBODY ? SOTTO_I_NOBODY : mesh->holder[number];
  if (number == SOTTO_I_NOBODY && strcmp(role, o->wire.role) == 0) {
    (void)snprintf(out, size, "%s has the role '%s', and so has this side; needed are, once each: %s",
                   o->peers[place].name, role, all);
    good = false;
  } else if (number == SOTTO_I_NOBODY) {
    (void)snprintf(out, size, "%s has the role '%s', which does not fit the role '%s'; needed are: %s",
                   o->peers[place].name, role, o->wire.role, all);
    good = false;
  } else if (other != SOTTO_I_NOBODY && other != place) {
    (void)snprintf(out, size, "%s has the role '%s', and so has %s; needed are, once each: %s",
                   o->peers[place].name, role, o->peers[other].name, all);
    good = false;
  } else if (claim) {
    for (size_t i = 0; i < o->peer_count; i++)
      if (mesh->holder[i] == place) mesh->holder[i] = SOTTO_I_NOBODY;
    mesh->holder[number] = place;
  }
  pthread_mutex_unlock(&mesh->lock);
  return good;
}

void sotto_i_mesh_role_of(char out[SOTTO_I_ROLE_SIZE], sotto_i_mesh *mesh, size_t place) {
  out[0] = '\0';
  pthread_mutex_lock(&mesh->lock);
  for (size_t i = 0; i < mesh->options.peer_count; i++)
    if (mesh->holder[i] == place) (void)snprintf(out, SOTTO_I_ROLE_SIZE, "%s", mesh->options.roles[i]);
  pthread_mutex_unlock(&mesh->lock);
}

void sotto_i_mesh_tell(sotto_i_mesh *mesh, const char *why) {
  pthread_mutex_lock(&mesh->lock);
  if (mesh->reason[0] == '\0') (void)snprintf(mesh->reason, sizeof mesh->reason, "%.250s", why);
  pthread_mutex_unlock(&mesh->lock);
}

void sotto_i_mesh_fail(sotto_i_mesh *mesh, const sotto_error *failure) {
  pthread_mutex_lock(&mesh->lock);
  for (size_t i = 0; i < mesh->options.peer_count; i++)
    if (mesh->wires[i] != NULL)
      sotto_i_session_fail(&mesh->wires[i]->session, failure->status, failure->text);
  pthread_mutex_unlock(&mesh->lock);
}
