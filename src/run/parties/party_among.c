/* Meeting several parties: their roles, the mesh, and beginning anew. */
#include "party_among.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "party/wire/mesh.h"
#include "party_roles.h"

struct sotto_i_among_mesh {
  sotto_i_among among;
  sotto_i_mesh *mesh;
  char role[SOTTO_ROLE_SIZE], (*roles)[SOTTO_ROLE_SIZE]; /* which the mesh borrows */
  sotto_link **links;
  size_t count;
  bool server;
};

enum { longest_attempt = 10 };

double sotto_i_attempt_limit(const sotto_options *options) {
  return fmin(longest_attempt, options->grace / 2);
}

double sotto_i_check_limit(const sotto_options *options) {
  return fmin(longest_attempt, options->grace);
}

static sotto_i_mesh_options options_of(const sotto_options *o, const sotto_party *party,
                                       const uint8_t nodes[32], const char *role, const char *terms,
                                       const char (*roles)[SOTTO_ROLE_SIZE], const sotto_observer *observer) {
  sotto_i_mesh_options out = {.wire = {.folder = party->folder,
                                       .proxy = party->proxy,
                                       .insecure_loopback = party->insecure_loopback,
                                       .connect_limit = sotto_i_attempt_limit(o),
                                       .idle_limit = o->idle_limit,
                                       .grace = o->grace,
                                       .role = role,
                                       .terms = terms,
                                       .observer = observer},
                              .listen = party->listen,
                              .peers = party->peers,
                              .peer_count = party->peer_count,
                              .roles = roles,
                              .may_leave = party->role == SOTTO_ROLE_SERVER && o->least_clients > 0};
  memcpy(out.wire.nodes, nodes, 32);
  return out;
}

static sotto_status begin(sotto_i_among_mesh *g, const sotto_party *party, const sotto_options *options,
                          sotto_error *err) {
  sotto_status status;
  g->server = sotto_i_party_is_hub(party, options);
  g->count = sotto_i_party_peers(party, options);
  sotto_party_role_name(g->role, party);
  SOTTO_TRY(sotto_i_new(&g->roles, g->count, sizeof *g->roles, err));
  SOTTO_TRY(sotto_i_new(&g->links, g->count, sizeof(sotto_link *), err));
  (void)sotto_party_peer_roles(g->roles, g->count, party, options);
done:
  return status;
}

static void end(sotto_i_among_mesh *g) {
  sotto_i_mesh_free(g->mesh);
  sotto_i_free(g->roles);
  sotto_i_free(g->links);
}

static sotto_status converse(sotto_i_among_mesh *g, sotto_error *err) {
  const sotto_i_among_links links = {(const char(*)[SOTTO_ROLE_SIZE])g->roles, g->links, g->count};
  sotto_status status;
  SOTTO_TRY(sotto_i_mesh_meet(g->mesh, g->links, err));
  SOTTO_TRY(g->among.converse(g->among.context, &links, err));
  SOTTO_TRY(sotto_i_mesh_finish(g->mesh, g->server, err));
done:
  for (size_t i = 0; i < g->count; i++) {
    sotto_link_free(g->links[i]);
    g->links[i] = NULL;
  }
  return status;
}

sotto_status sotto_i_among_open(sotto_i_among_mesh **out, const sotto_i_among *among, sotto_error *err) {
  sotto_i_among_mesh *g = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&g, 1, sizeof *g, err));
  g->among = *among;
  SOTTO_TRY(begin(g, among->party, among->options, err));
  const sotto_i_mesh_options options =
      options_of(among->options, among->party, among->nodes, g->role, among->terms,
                 (const char(*)[SOTTO_ROLE_SIZE])g->roles, among->observer);
  SOTTO_TRY(sotto_i_mesh_open(&g->mesh, &options, err));
done:
  if (status != SOTTO_OK) sotto_i_among_free(g);
  *out = status == SOTTO_OK ? g : NULL;
  return status;
}

sotto_status sotto_i_among_hold(sotto_i_among_mesh *g, sotto_error *err) {
  for (;;) {
    sotto_error problem = {0};
    const sotto_status status = converse(g, &problem);
    if (status == SOTTO_OK) return status;
    if (!sotto_i_mesh_anew(g->mesh)) {
      if (err != NULL) *err = problem;
      sotto_i_mesh_give_up(g->mesh, status, g->among.goodbye);
      return status;
    }
    sotto_i_log(g->among.observer, SOTTO_LOG_WARNING, "a party began anew: going on from what all have");
  }
}

void sotto_i_among_free(sotto_i_among_mesh *g) {
  if (g == NULL) return;
  end(g);
  sotto_i_free(g);
}

sotto_status sotto_i_party_among(const sotto_i_among *among, sotto_error *err) {
  sotto_i_among_mesh *g;
  sotto_status status = sotto_i_among_open(&g, among, err);
  if (status != SOTTO_OK) return status;
  status = sotto_i_among_hold(g, err);
  sotto_i_among_free(g);
  return status;
}

sotto_status sotto_i_party_mesh_greet(const sotto_options *options, const sotto_party *party,
                                      const uint8_t nodes[32], const char *terms, bool check,
                                      const sotto_observer *observer, sotto_i_peer_line line, void *context,
                                      sotto_error *err) {
  sotto_i_among_mesh g = {.mesh = NULL};
  sotto_status status;
  SOTTO_TRY(begin(&g, party, options, err));
  sotto_i_mesh_options mesh =
      options_of(options, party, nodes, g.role, terms, (const char(*)[SOTTO_ROLE_SIZE])g.roles, observer);
  mesh.wire.check = check;
  mesh.declines = !check;
  mesh.wire.grace = sotto_i_check_limit(options);
  SOTTO_TRY(sotto_i_mesh_open(&g.mesh, &mesh, err));
  for (size_t i = 0; i < g.count; i++) {
    sotto_error problem = {0};
    sotto_trouble trouble;
    status = sotto_i_mesh_try(g.mesh, i, &trouble, &problem);
    if (status == SOTTO_INTERRUPTED) goto done;
    line(context, &party->peers[i], trouble, problem.text);
  }
  status = SOTTO_OK;
done:
  end(&g);
  return status;
}
