/* A party's wires to all of its peers. */
#include "mesh.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "inside/party.h"
#include "lobby.h"
#include "wire.h"

static sotto_status check_options(const sotto_i_mesh_options *o, sotto_error *err) {
  for (size_t i = 0; i < o->peer_count; i++) {
    if (o->peers[i].address == NULL && o->listen == NULL)
      return sotto_i_fail(err, SOTTO_INVALID,
                          "%s: has no address, and this party does not listen; give one of the two",
                          o->peers[i].name);
    for (size_t j = 0; j < i; j++)
      if (strcmp(o->peers[i].name, o->peers[j].name) == 0)
        return sotto_i_fail(err, SOTTO_INVALID, "'%s' is named twice; each party once", o->peers[i].name);
  }
  return SOTTO_OK;
}

/* The lobby starts once all wires exist, since their threads may read the list of them. */
static sotto_status open_wires(sotto_i_mesh *mesh, sotto_error *err) {
  const sotto_i_mesh_options *o = &mesh->options;
  sotto_status status = SOTTO_OK;
  sotto_wire_options wire = o->wire;
  wire.progress = (sotto_progress){0, 0};
  wire.address = o->listen;
  if (o->listen != NULL) SOTTO_TRY(sotto_i_lobby_open(&mesh->lobby, &wire, err));
  pthread_mutex_lock(&mesh->lock);
  for (size_t i = 0; status == SOTTO_OK && i < o->peer_count; i++) {
    wire.peer = o->peers[i].name;
    wire.listen = o->peers[i].address == NULL;
    wire.address = wire.listen ? o->listen : o->peers[i].address;
    status = sotto_i_wire_open(&mesh->wires[i], &wire, wire.listen ? mesh->lobby : NULL, mesh, i, err);
  }
  pthread_mutex_unlock(&mesh->lock);
  if (status == SOTTO_OK && mesh->lobby != NULL) status = sotto_i_lobby_start(mesh->lobby, err);
done:
  return status;
}

sotto_status sotto_i_mesh_open(sotto_i_mesh **out, const sotto_i_mesh_options *options, sotto_error *err) {
  sotto_i_mesh *mesh;
  *out = NULL;
  sotto_status status = check_options(options, err);
  if (status != SOTTO_OK) return status;
  status = sotto_i_new(&mesh, 1, sizeof *mesh, err);
  if (status != SOTTO_OK) return status;
  mesh->options = *options;
  pthread_mutex_init(&mesh->lock, NULL);
  SOTTO_TRY(sotto_i_new(&mesh->wires, options->peer_count, sizeof(sotto_wire *), err));
  SOTTO_TRY(sotto_i_new(&mesh->holder, options->peer_count, sizeof *mesh->holder, err));
  for (size_t i = 0; i < options->peer_count; i++) mesh->holder[i] = SOTTO_I_NOBODY;
  SOTTO_TRY(open_wires(mesh, err));
  *out = mesh;
done:
  if (status != SOTTO_OK) sotto_i_mesh_free(mesh);
  return status;
}

void sotto_i_mesh_free(sotto_i_mesh *mesh) {
  if (mesh == NULL) return;
  sotto_i_lobby_stop(mesh->lobby);
  for (size_t i = 0; mesh->wires != NULL && i < mesh->options.peer_count; i++)
    if (mesh->wires[i] != NULL) sotto_i_wire_end(mesh->wires[i]);
  for (size_t i = 0; mesh->wires != NULL && i < mesh->options.peer_count; i++)
    sotto_wire_free(mesh->wires[i]);
  sotto_i_lobby_free(mesh->lobby);
  sotto_i_free(mesh->wires);
  sotto_i_free(mesh->holder);
  pthread_mutex_destroy(&mesh->lock);
  sotto_i_free(mesh);
}

/* Waits until every wire whose peer has not left has a session, all of one attempt, and enters them. */
static sotto_status enter_all(sotto_i_mesh *mesh, sotto_error *err) {
  for (;;) {
    uint64_t attempt = sotto_i_mesh_attempt(mesh);
    bool whole = true;
    for (size_t i = 0; i < mesh->options.peer_count && whole; i++) {
      bool stands;
      sotto_error problem = {0};
      sotto_status status = sotto_i_wire_stand(mesh->wires[i], mesh, attempt, &stands, &problem);
      if (status != SOTTO_INTERRUPTED && sotto_i_wire_gone(mesh->wires[i])) continue;
      if (status != SOTTO_OK) {
        if (err != NULL) *err = problem;
        return status;
      }
      whole = stands;
    }
    if (!whole || attempt != sotto_i_mesh_attempt(mesh)) continue;
    return SOTTO_OK;
  }
}

sotto_status sotto_i_mesh_meet(sotto_i_mesh *mesh, sotto_link **links, sotto_error *err) {
  sotto_status status;
  for (size_t i = 0; i < mesh->options.peer_count; i++) links[i] = NULL;
  SOTTO_TRY(enter_all(mesh, err));
  for (size_t i = 0; i < mesh->options.peer_count; i++) {
    pthread_mutex_lock(&mesh->lock);
    size_t place = mesh->holder[i];
    pthread_mutex_unlock(&mesh->lock);
    SOTTO_I_CHECK(place != SOTTO_I_NOBODY); /* all have greeted, each with its own role */
    if (sotto_i_wire_gone(mesh->wires[place])) continue;
    SOTTO_TRY(sotto_wire_link(mesh->wires[place], &links[i], err));
  }
done:
  for (size_t i = 0; status != SOTTO_OK && i < mesh->options.peer_count; i++) {
    sotto_link_free(links[i]);
    links[i] = NULL;
  }
  return status;
}

sotto_status sotto_i_mesh_try(sotto_i_mesh *mesh, size_t place, sotto_trouble *trouble, sotto_error *err) {
  sotto_progress common;
  sotto_status status = sotto_wire_meet(mesh->wires[place], &common, err);
  *trouble = status == SOTTO_OK ? SOTTO_TROUBLE_NONE : sotto_i_wire_trouble(mesh->wires[place]);
  if (status != SOTTO_OK && *trouble == SOTTO_TROUBLE_NONE) *trouble = SOTTO_TROUBLE_OTHER;
  return status;
}

bool sotto_i_mesh_anew(const sotto_i_mesh *mesh) {
  for (size_t i = 0; i < mesh->options.peer_count; i++)
    if (sotto_wire_anew(mesh->wires[i]) && !sotto_i_wire_gone(mesh->wires[i])) return true;
  return false;
}

/* Runs one half of the end with all peers that have not left, or leave now. */
static sotto_status finish_with_all(sotto_i_mesh *mesh, sotto_status (*half)(sotto_wire *, sotto_error *),
                                    sotto_error *err) {
  for (size_t i = 0; i < mesh->options.peer_count; i++) {
    sotto_error problem = {0};
    if (sotto_i_wire_gone(mesh->wires[i])) continue;
    sotto_status status = half(mesh->wires[i], &problem);
    if (status == SOTTO_OK || (status != SOTTO_INTERRUPTED && sotto_i_wire_gone(mesh->wires[i]))) continue;
    if (err != NULL) *err = problem;
    return status;
  }
  return SOTTO_OK;
}

static sotto_status send_finished(sotto_wire *wire, sotto_error *err) {
  sotto_status status = sotto_i_wire_say_finished(wire, err);
  if (status == SOTTO_OK) sotto_i_session_flush(&wire->session, wire->entered, wire->options.connect_limit);
  return status;
}

sotto_status sotto_i_mesh_finish(sotto_i_mesh *mesh, bool last, sotto_error *err) {
  sotto_status status =
      finish_with_all(mesh, last ? sotto_i_wire_hear_finished : sotto_i_wire_say_finished, err);
  if (last) return status == SOTTO_OK ? finish_with_all(mesh, send_finished, err) : status;
  return status == SOTTO_OK ? finish_with_all(mesh, sotto_i_wire_hear_finished, err) : status;
}

void sotto_i_mesh_give_up(sotto_i_mesh *mesh, sotto_status status, const char *goodbye) {
  if (status == SOTTO_INTERRUPTED && goodbye == NULL) return;
  if (status == SOTTO_INTERRUPTED) sotto_i_mesh_tell(mesh, goodbye);
  sotto_i_wires_give_up(mesh->wires, mesh->options.peer_count, mesh->reason, status, SOTTO_I_LONGEST_STOP);
}
