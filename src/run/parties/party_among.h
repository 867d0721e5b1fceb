/* One party among several: links to all that it talks to, and a conversation that begins anew when any of
 * them does. */
#ifndef SOTTO_SRC_RUN_PARTIES_PARTY_AMONG_H
#define SOTTO_SRC_RUN_PARTIES_PARTY_AMONG_H

#include "sotto/methods.h"

/* Of the server to all members by number, and then to the helper; of a member first to the server, and then
 * to the other holders by number. A conversation may free one whose peer left, and leave NULL. */
typedef struct sotto_i_among_links {
  const char (*roles)[SOTTO_ROLE_SIZE];
  sotto_link **links;
  size_t count;
} sotto_i_among_links;

/* All members are borrowed. */
typedef struct sotto_i_among {
  const sotto_options *options;
  const sotto_party *party;
  const uint8_t *nodes; /* 32 bytes: digest of the ids */
  const char *terms;
  const sotto_observer *observer;
  void *context;
  sotto_status (*converse)(void *context, const sotto_i_among_links *links, sotto_error *err);
  /* What the others hear when this party is interrupted; NULL: nothing, since it may go on. */
  const char *goodbye;
} sotto_i_among;

/* Seconds for one attempt to connect: at most 10, and two fit into the grace. */
double sotto_i_attempt_limit(const sotto_options *options);
/* Seconds that a check waits for a peer. */
double sotto_i_check_limit(const sotto_options *options);

/* Meets all, converses, and waits until all say that they have all they need. Errors: those of
 * sotto_wire_meet, and of the conversation, which the others hear of in general words. */
sotto_status sotto_i_party_among(const sotto_i_among *among, sotto_error *err);
/* The same in its steps, for a party that stays. After a failure of `hold` only `free` follows. */
typedef struct sotto_i_among_mesh sotto_i_among_mesh;
sotto_status sotto_i_among_open(sotto_i_among_mesh **out, const sotto_i_among *among, sotto_error *err);
sotto_status sotto_i_among_hold(sotto_i_among_mesh *mesh, sotto_error *err);
void sotto_i_among_free(sotto_i_among_mesh *mesh); /* NULL is allowed */

/* Greets every peer by these terms, and calls `line` for each. `check`: only asks whether it would come to
 * this run. Errors: INVALID, IO, NOMEM (nobody could be asked), INTERRUPTED. */
typedef void (*sotto_i_peer_line)(void *context, const sotto_peer *peer, sotto_trouble trouble,
                                  const char *text);
sotto_status sotto_i_party_mesh_greet(const sotto_options *options, const sotto_party *party,
                                      const uint8_t nodes[32], const char *terms, bool check,
                                      const sotto_observer *observer, sotto_i_peer_line line, void *context,
                                      sotto_error *err);

#endif
