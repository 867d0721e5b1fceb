/* Opening and freeing a wire: its options, its TLS context, its lobby, its thread. */
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "lobby.h"
#include "mesh_state.h"
#include "party/inside/party.h"
#include "tls.h"
#include "wire.h"

static sotto_status copy_options(sotto_wire *wire, const sotto_wire_options *from, sotto_error *err) {
  const char **const texts[6] = {&wire->options.folder, &wire->options.peer,  &wire->options.address,
                                 &wire->options.role,   &wire->options.terms, &wire->options.proxy};
  wire->options = *from;
  for (int i = 0; i < 6; i++) {
    const char *text = *texts[i] == NULL ? "" : *texts[i];
    *texts[i] = NULL;
    char *copy;
    sotto_status status = sotto_i_strdup(&copy, text, err);
    if (status != SOTTO_OK) {
      for (int k = i; k < 6; k++) *texts[k] = NULL;
      return status;
    }
    *texts[i] = copy;
  }
  return SOTTO_OK;
}

static void free_options(sotto_wire_options *o) {
  const char *const texts[6] = {o->folder, o->peer, o->address, o->role, o->terms, o->proxy};
  for (int i = 0; i < 6; i++) sotto_i_free((void *)(uintptr_t)texts[i]);
}

static void free_parts(sotto_wire *wire) {
  if (wire->lobby != NULL) sotto_i_lobby_leave(wire->lobby, wire);
  if (wire->own_lobby) sotto_i_lobby_free(wire->lobby);
  for (size_t i = 0; i < SOTTO_I_MOST_GUESTS; i++) sotto_i_conn_free(wire->arrived[i]);
  SSL_CTX_free(wire->context);
  sotto_i_trusted_free(wire->trusted);
  sotto_i_session_destroy(&wire->session);
  sotto_i_item_free(wire->incoming);
  free_options(&wire->options);
  sotto_i_free(wire);
}

/* A month's notice before a certificate ends. A peer's may have ended here: it may show a new one. */
static void warn_of_end(const sotto_wire *wire, const sotto_identity_info *info, bool own) {
  const char *advice = own ? "renew it" : "have its owner renew it";
  if (info->days < 0)
    sotto_i_log(wire->options.observer, SOTTO_LOG_WARNING,
                "the certificate of '%s' ended on %s; %s with `sotto party renew`", info->name, info->ends,
                advice);
  else if (info->days <= SOTTO_IDENTITY_NOTICE)
    sotto_i_log(wire->options.observer, SOTTO_LOG_WARNING,
                "the certificate of '%s' ends in %lld days, on %s; %s with `sotto party renew`", info->name,
                (long long)info->days, info->ends, advice);
}

/* Own certificate, the peer's, and TLS between the two. */
static sotto_status know_peer(sotto_wire *wire, sotto_error *err) {
  const sotto_wire_options *o = &wire->options;
  sotto_identity_info own, peer;
  sotto_status status;
  SOTTO_TRY(sotto_identity_check(&own, o->folder, err));
  SOTTO_TRY(sotto_identity_check_peer(&peer, o->folder, o->peer, err));
  SOTTO_TRY(sotto_i_trusted_open(&wire->trusted, o->folder, o->peer, err));
  SOTTO_TRY(sotto_i_tls_context(&wire->context, o->folder, wire->trusted, err));
  if (wire->place == 0) warn_of_end(wire, &own, true);
  warn_of_end(wire, &peer, false);
done:
  return status;
}

static sotto_status prepare(sotto_wire *wire, const sotto_wire_options *options, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(copy_options(wire, options, err));
  const sotto_wire_options *o = &wire->options;
  SOTTO_I_CHECK(sodium_init() >= 0);
  randombytes_buf(wire->self, sizeof wire->self);
  SOTTO_TRY(sotto_i_session_init(&wire->session, err));
  wire->session.reached = o->progress;
  if (strlen(o->terms) > SOTTO_I_MOST_TERMS) {
    status = sotto_i_fail(err, SOTTO_INVALID, "the options are longer than a greeting can be");
    goto done;
  }
  SOTTO_TRY(sotto_i_address_check(o->address, o->insecure_loopback, err));
  if (o->proxy[0] != '\0') SOTTO_TRY(sotto_i_address_check(o->proxy, o->insecure_loopback, err));
  if (!o->insecure_loopback) SOTTO_TRY(know_peer(wire, err));
  wire->own_lobby = o->listen && wire->lobby == NULL;
  if (wire->own_lobby) SOTTO_TRY(sotto_i_lobby_open(&wire->lobby, o, err));
  if (wire->lobby != NULL) sotto_i_lobby_enter(wire->lobby, wire);
  if (wire->own_lobby) SOTTO_TRY(sotto_i_lobby_start(wire->lobby, err));
done:
  return status;
}

sotto_status sotto_wire_open(sotto_wire **out, const sotto_wire_options *options, sotto_error *err) {
  return sotto_i_wire_open(out, options, NULL, NULL, 0, err);
}

sotto_status sotto_i_wire_open(sotto_wire **out, const sotto_wire_options *options, sotto_i_lobby *lobby,
                               sotto_i_mesh *mesh, size_t place, sotto_error *err) {
  sotto_wire *wire;
  *out = NULL;
  sotto_status status = sotto_i_new(&wire, 1, sizeof *wire, err);
  if (status != SOTTO_OK) return status;
  wire->session.wake = -1;
  wire->lobby = lobby;
  wire->mesh = mesh;
  wire->place = place;
  wire->may_leave = mesh != NULL && sotto_i_mesh_may_leave(mesh);
  status = prepare(wire, options, err);
  if (status == SOTTO_OK) {
    wire->running = pthread_create(&wire->thread, NULL, sotto_i_wire_main, wire) == 0;
    if (!wire->running)
      status = sotto_i_fail(err, SOTTO_NOMEM, "the system refused to start a thread for the wire");
  }
  if (status == SOTTO_OK)
    *out = wire;
  else
    free_parts(wire);
  return status;
}

void sotto_i_wire_end(sotto_wire *wire) {
  if (wire->own_lobby) sotto_i_lobby_stop(wire->lobby);
  if (!wire->running) return;
  atomic_store(&wire->quit, true);
  sotto_i_session_wake(&wire->session);
  pthread_join(wire->thread, NULL);
  wire->running = false;
}

void sotto_wire_free(sotto_wire *wire) {
  if (wire == NULL) return;
  sotto_i_wire_end(wire);
  free_parts(wire);
}
