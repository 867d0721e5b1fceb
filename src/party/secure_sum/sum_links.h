/* Secure aggregation over links: the steps of a secure sum as payloads. */
#ifndef SOTTO_SRC_PARTY_SECURE_SUM_SUM_LINKS_H
#define SOTTO_SRC_PARTY_SECURE_SUM_SUM_LINKS_H

#include "sotto/party.h"
#include "sotto/secure_sum.h"

/* The server's side, with one link a client in the plan's order. A client whose link is NULL, or fails for
 * good, or that breaks the protocol (its link is closed then), has dropped: gone[i] has the failure (its
 * status is OK for who lasted), and the sum goes on without it. But a link that fails and may come back ends
 * the sum. From its second message on a client has `limit` seconds for each, or any time (0). Errors: of that
 * link; those of sotto_sum_server_next and finish, after which no client has been asked to reveal anything
 * more. */
SOTTO_MUST_USE sotto_status sotto_i_sum_serve(uint64_t *sums, uint32_t *summed, sotto_error *gone,
                                              sotto_link *const *links, const sotto_sum_plan *plan,
                                              double limit, sotto_error *err);

/* A client of the sum. All members are borrowed. */
typedef struct sotto_i_sum_member {
  const sotto_sum_plan *plan;
  uint32_t number;
  const uint8_t *secret; /* SOTTO_SUM_SECRET bytes: signs */
  const uint64_t *values;
  /* Before the client signs a set of survivors in a round: it is kept for good. Fails, and nothing is signed,
   * when another one was kept for that round. NULL: the round never comes again. */
  sotto_status (*keep)(void *context, uint64_t round, const uint8_t set[SOTTO_SUM_DIGEST], sotto_error *err);
  void *context;
} sotto_i_sum_member;
SOTTO_MUST_USE sotto_status sotto_i_sum_take_part(sotto_link *link, const sotto_i_sum_member *member,
                                                  sotto_error *err);

#endif
