/* A run of a joined consortium: role, peers and addresses come from its file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "cli/consortium/setup.h"
#include "common/file.h"
#include "party.h"

/* Checks that the run file is the agreed one, byte for byte. */
static sotto_status check_file(const sotto_consortium *c, const char *path, sotto_error *err) {
  char *text;
  size_t size, there;
  const char *agreed = sotto_consortium_text(c, &size);
  sotto_status status = app_read_file(&text, &there, path, err);
  if (status != SOTTO_OK) return status;
  if (there != size || memcmp(text, agreed, size) != 0)
    status = sotto_i_fail(
        err, SOTTO_INVALID,
        "%s: is not the run file that the consortium agreed on; put that back, or have the organiser "
        "invite to this one",
        path);
  free(text);
  return status;
}

/* Adds one peer, and decides which of the two listens. True: the peer connects to this party. */
static bool add_peer(party_request *r, const sotto_member *me, const sotto_member *peer) {
  size_t i = r->party.peer_count++;
  bool here = consortium_listener(r->joined, me, peer) == me;
  (void)snprintf(r->names[i], sizeof r->names[i], "%s", peer->name);
  r->peers[i] = (sotto_peer){r->names[i], here ? NULL : peer->address};
  r->party.peers = r->peers;
  if (!here || r->party.listen != NULL) return here;
  const char *port = strrchr(me->address, ':');
  (void)snprintf(r->listen, sizeof r->listen, "%s%s", me->address[0] == '[' ? "[::]" : "0.0.0.0", port);
  r->party.listen = r->listen;
  return true;
}

static sotto_status fill_request(party_request *r, sotto_error *err) {
  static char roles[SOTTO_MOST_PEERS][SOTTO_ROLE_SIZE];
  sotto_options resolved = r->options;
  const sotto_member *me = sotto_consortium_own(r->joined, r->party.folder);
  sotto_status status;
  if (me == NULL)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "the consortium of %s has another key for this party; join it again, or name each --peer", r->file);
  if (r->role != NULL && strcmp(r->role, me->role) != 0)
    return sotto_i_fail(err, SOTTO_INVALID, "--role %s: this party joined as %s", r->role, me->role);
  r->role = me->role;
  if (!r->finished) SOTTO_TRY(check_file(r->joined, r->file, err));
  SOTTO_TRY(sotto_party_role_read(&r->party, r->role, err));
  sotto_options_resolve(&resolved);
  SOTTO_TRY(consortium_check_members(r->joined, &resolved, err));
  size_t count = sotto_party_peer_roles(roles, SOTTO_MOST_PEERS, &r->party, &resolved);
  bool comes = false;
  for (size_t i = 0; i < count && i < SOTTO_MOST_PEERS; i++)
    comes |= add_peer(r, me, consortium_with_role(r->joined, roles[i]));
  if (!comes) r->party.listen = NULL; /* left out here; other runs of the same service can use it */
done:
  return status;
}

sotto_status party_joined(party_request *r, const char *run, sotto_error *err) {
  char *path = NULL;
  sotto_status status;
  if (r->party.peer_count > 0 || r->party.insecure_loopback) return SOTTO_OK;
  SOTTO_TRY(consortium_joined_path(&path, r->party.folder, run, err));
  if (!sotto_i_is_file(path)) goto done;
  SOTTO_TRY(sotto_consortium_read(&r->joined, path, err));
  status = fill_request(r, err);
done:
  free(path);
  return status;
}
