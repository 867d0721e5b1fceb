/* Greetings: whether the two parties have the same run, and the checkpoint from which they continue. */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "inside/party.h"
#include "mesh_state.h"
#include "wire.h"

/* A party that only comes to say that it takes no part, by its reason. */
static const struct {
  const char *terms, *why, *advice;
  sotto_trouble trouble;
} declined[] = {
    [SOTTO_DECLINE_TABLE] = {"table: refused\n", "its table was refused", "Mend the table there",
                             SOTTO_TROUBLE_TABLE},
    [SOTTO_DECLINE_LEDGER] = {"ledger: refused\n", "its ledger refuses the run",
                              "Lower epsilon for all, or raise the budget there", SOTTO_TROUBLE_DECLINED},
    [SOTTO_DECLINE_BOUND] = {"bound: refused\n", "the options and the public numbers do not fit a bound",
                             "Change the options for all", SOTTO_TROUBLE_DECLINED},
    [SOTTO_DECLINE_SPLIT] = {"split: refused\n",
                             "its table has no published split, which the option split asks for",
                             "Take split random for all", SOTTO_TROUBLE_DECLINED},
};

const char *sotto_i_declined_terms(sotto_decline why) {
  return declined[why].terms;
}

/* Says which reason the other party comes with; false: it comes to take part. */
static bool name_declined(char *out, size_t size, sotto_trouble *trouble, const sotto_i_hello *theirs) {
  for (int why = SOTTO_DECLINE_TABLE; why <= SOTTO_DECLINE_SPLIT; why++) {
    if (strcmp(theirs->terms, declined[why].terms) != 0) continue;
    *trouble = declined[why].trouble;
    (void)snprintf(out, size,
                   "%s takes no part, since %s: its own terminal says why. %s, and start all parties again",
                   theirs->role, declined[why].why, declined[why].advice);
    return true;
  }
  return false;
}

void sotto_i_greet_fill(sotto_i_hello *out, sotto_wire *wire) {
  const sotto_wire_options *o = &wire->options;
  *out = (sotto_i_hello){.protocol = SOTTO_I_PROTOCOL, .check = o->check, .busy = wire->conn != NULL};
  (void)snprintf(out->version, sizeof out->version, "%s", SOTTO_VERSION);
  (void)snprintf(out->role, sizeof out->role, "%s", o->role);
  out->terms = (char *)(uintptr_t)o->terms; /* borrowed */
  memcpy(out->nodes, o->nodes, sizeof out->nodes);
  memcpy(out->self, wire->self, sizeof out->self);
  memcpy(out->session, wire->session_id, sizeof out->session);
  out->attempt = wire->attempt;
  pthread_mutex_lock(&wire->session.lock);
  out->received = wire->session.received;
  out->progress = wire->session.reached;
  pthread_mutex_unlock(&wire->session.lock);
}

/* Copies the next line of a text, without its end; false when there is none. */
static bool next_line(const char **at, char line[1200]) {
  if (**at == '\0') return false;
  size_t length = strcspn(*at, "\n");
  (void)snprintf(line, 1200, "%.*s", (int)(length < 1199 ? length : 1199), *at);
  *at += length + ((*at)[length] == '\n');
  return true;
}

/* Splits "key: value" in place; returns the value, or NULL. */
static const char *split_value(char *line) {
  char *colon = strstr(line, ": ");
  if (colon == NULL) return NULL;
  *colon = '\0';
  return colon + 2;
}

/* Names the first key that differs. Lines ascend on both sides. */
static void name_difference(char *out, size_t size, const char *mine, const char *theirs) {
  char here[1200], there[1200];
  for (;;) {
    bool more_here = next_line(&mine, here), more_there = next_line(&theirs, there);
    if (more_here && more_there && strcmp(here, there) == 0) continue;
    const char *value_here = more_here ? split_value(here) : NULL;
    const char *value_there = more_there ? split_value(there) : NULL;
    bool same_key = value_here != NULL && value_there != NULL && strcmp(here, there) == 0;
    bool only_here = value_here != NULL && !same_key && (value_there == NULL || strcmp(here, there) < 0);
    if (same_key)
      (void)snprintf(out, size, "'%.100s' is %.100s here and %.100s there", here, value_here, value_there);
    else if (only_here)
      (void)snprintf(out, size, "'%.100s' is %.100s here and not known there", here, value_here);
    else
      (void)snprintf(out, size, "'%.100s' is not known here", value_there != NULL ? there : "an option");
    return;
  }
}

/* A client with a question to the server of a finished run. */
static bool asks_server(const char *client, const char *server) {
  return strncmp(client, "client", 6) == 0 && strcmp(server, "server") == 0;
}

/* Do the two roles belong together? */
static bool roles_match(char *out, size_t size, const sotto_wire *wire, const sotto_i_hello *theirs) {
  static const char *const pairs[][2] = {
      {"data", "label"}, {"label", "data"}, {"hub", "leaf"}, {"leaf", "hub"}};
  const sotto_wire_options *o = &wire->options;
  if (wire->mesh != NULL)
    return sotto_i_mesh_role(out, size, wire->mesh, wire->place, theirs->role, !theirs->check);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (strcmp(o->role, pairs[i][0]) == 0 && strcmp(theirs->role, pairs[i][1]) == 0) return true;
  if (asks_server(o->role, theirs->role) || asks_server(theirs->role, o->role)) return true;
  (void)snprintf(
      out, size,
      "%s has the role '%s', and this side '%s'; 'data' goes with 'label' (sotto run), 'hub' with "
      "'leaf' (sotto align), a client that asks with 'server' (sotto run predict)",
      o->peer, theirs->role, o->role);
  return false;
}

/* Do both have the same nodes? In a run of several, a server need not have them. */
static bool nodes_match(const sotto_wire *wire, const sotto_i_hello *theirs) {
  static const uint8_t unknown[32];
  const uint8_t *mine = wire->options.nodes;
  if (wire->mesh != NULL && (memcmp(mine, unknown, 32) == 0 || memcmp(theirs->nodes, unknown, 32) == 0))
    return true;
  return memcmp(theirs->nodes, mine, 32) == 0;
}

bool sotto_i_greet_agree(char *out, size_t size, sotto_trouble *trouble, const sotto_wire *wire,
                         const sotto_i_hello *theirs) {
  const sotto_wire_options *o = &wire->options;
  char why[400];
  *trouble = SOTTO_TROUBLE_NONE;
  if (theirs->protocol != SOTTO_I_PROTOCOL) {
    *trouble = SOTTO_TROUBLE_VERSION;
    (void)snprintf(out, size,
                   "%s runs sotto %s, which speaks protocol %u, and this program is sotto %s, which speaks "
                   "protocol %d; both sides need a version with the same protocol",
                   o->peer, theirs->version, theirs->protocol, SOTTO_VERSION, SOTTO_I_PROTOCOL);
  } else if (name_declined(out, size, trouble, theirs)) {
    return false;
  } else if (!roles_match(out, size, wire, theirs)) {
    *trouble = SOTTO_TROUBLE_ROLES;
  } else if (strcmp(theirs->terms, o->terms) != 0) {
    *trouble = SOTTO_TROUBLE_TERMS;
    name_difference(why, sizeof why, o->terms, theirs->terms);
    const bool versions = strcmp(theirs->version, SOTTO_VERSION) != 0;
    (void)snprintf(out, size,
                   versions ? "%s holds another run file: %s (sotto %s here, %s there)"
                            : "%s holds another run file: %s",
                   o->peer, why, SOTTO_VERSION, theirs->version);
  } else if (!nodes_match(wire, theirs)) {
    *trouble = SOTTO_TROUBLE_NODES;
    (void)snprintf(out, size,
                   "%s has other nodes, or has them in another order; align both tables, and set ids",
                   o->peer);
  }
  return *trouble == SOTTO_TROUBLE_NONE;
}

static void add_side(crypto_generichash_state *hash, const sotto_i_hello *hello) {
  const uint64_t numbers[3] = {hello->progress.seed, hello->progress.stage, hello->attempt};
  crypto_generichash_update(hash, hello->self, sizeof hello->self);
  crypto_generichash_update(hash, (const uint8_t *)numbers, sizeof numbers);
}

void sotto_i_greet_session(uint8_t id[16], sotto_progress *common, const sotto_i_hello *mine,
                           const sotto_i_hello *theirs) {
  crypto_generichash_state hash;
  bool first = strcmp(mine->role, theirs->role) < 0;
  const sotto_progress a = mine->progress, b = theirs->progress;
  bool a_behind = a.seed < b.seed || (a.seed == b.seed && a.stage < b.stage);
  *common = a_behind ? a : b;
  crypto_generichash_init(&hash, NULL, 0, 16);
  add_side(&hash, first ? mine : theirs);
  add_side(&hash, first ? theirs : mine);
  crypto_generichash_final(&hash, id, 16);
}
