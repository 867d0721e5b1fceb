/* Secure aggregation over links: the steps of a secure sum as payloads. */
#ifndef SOTTO_SRC_PARTY_SECURE_SUM_SUM_LINKS_H
#define SOTTO_SRC_PARTY_SECURE_SUM_SUM_LINKS_H

#include "sotto/party.h"
#include "sotto/secure_sum.h"

/* The server's side, with one link a client in the plan's order. A client whose link is NULL, or fails, has
 * dropped: gone[i] is set, and the sum goes on without it. But a link over a network that fails ends the sum,
 * since its client may come back. Errors: of that link; those of sotto_sum_server_next and finish, after
 * which no client has been asked to reveal anything more. */
SOTTO_MUST_USE sotto_status sotto_i_sum_serve(uint64_t *sums, uint32_t *summed, bool *gone,
                                              sotto_link *const *links, const sotto_sum_plan *plan,
                                              sotto_error *err);
/* Client `number`'s side, with its values. */
sotto_status sotto_i_sum_take_part(sotto_link *link, const sotto_sum_plan *plan, uint32_t number,
                                   const uint64_t *values, sotto_error *err);

#endif
