/* Secure aggregation over links: the steps of a secure sum as payloads. */
#ifndef SOTTO_SRC_PARTY_SECURE_SUM_SUM_LINKS_H
#define SOTTO_SRC_PARTY_SECURE_SUM_SUM_LINKS_H

#include "inside/secure_sum.h"
#include "sotto/party.h"

/* The server's side, with one link for each client in the plan's order. A client has dropped when its link is
 * NULL or fails for good, or when it breaks the protocol (its link is then closed). gone[i] has the failure
 * (OK status for survivors), and the sum goes on without it. A link that fails and may return ends the sum.
 * From its second message on a client has `limit` seconds for each; 0: no limit. A client may decline to sign
 * (`declined` of a member): *declined is then set, every client is told, no sum is computed, and the status
 * is OK. `declined` NULL: that is a breach of the protocol. Errors: of that link; those of
 * sotto_sum_server_next and finish, after which no client is asked to reveal anything more. */
SOTTO_MUST_USE sotto_status sotto_i_sum_serve(uint64_t *sums, uint32_t *summed, sotto_error *gone,
                                              sotto_link *const *links, const sotto_sum_plan *plan,
                                              double limit, bool *declined, sotto_error *err);

/* A client of the sum. All members are borrowed. */
typedef struct sotto_i_sum_member {
  const sotto_sum_plan *plan;
  uint32_t number;
  const uint8_t *secret; /* SOTTO_SUM_SECRET bytes: the signing key */
  const uint64_t *values;
  /* Called before the client signs a set of survivors in a round: stores it for good. Fails, and nothing is
   * signed, when another one was stored for that round. NULL: the round is never repeated. */
  sotto_status (*keep)(void *context, uint64_t round, const uint8_t set[SOTTO_SUM_DIGEST], sotto_error *err);
  void *context;
  /* NULL: where another set was stored the sum fails. Else this client, or another one, declines the sum
   * then: *declined is set, nothing is revealed, and the status is OK. All members and the server must agree
   * on this. */
  bool *declined;
} sotto_i_sum_member;
SOTTO_MUST_USE sotto_status sotto_i_sum_take_part(sotto_link *link, const sotto_i_sum_member *member,
                                                  sotto_error *err);

#endif
