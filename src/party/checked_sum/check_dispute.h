/* Decides a dispute about a client that a checked sum refused. The leader shows the messages that the client
 * and the helper signed; the client shows the seed that it sealed for the helper. The helper's values follow
 * from the seed, so an arbiter with both finds out whether the vector was too long or a server sent wrong
 * values. Without the leader's shares the seed reveals nothing of the vector. docs/checked-sums.md has the
 * argument. */
#ifndef SOTTO_SRC_PARTY_CHECKED_SUM_CHECK_DISPUTE_H
#define SOTTO_SRC_PARTY_CHECKED_SUM_CHECK_DISPUTE_H

#include "check_links.h"

typedef enum sotto_i_check_finding {
  SOTTO_I_CHECK_NOT_CLIENTS,  /* the client did not sign the messages that the leader shows */
  SOTTO_I_CHECK_NOT_HELPERS,  /* the helper did not */
  SOTTO_I_CHECK_NO_FAILURE,   /* the signed values keep the bound */
  SOTTO_I_CHECK_UNANSWERED,   /* the client shows nothing */
  SOTTO_I_CHECK_OTHER_RECORD, /* the client's record is of another round or attempt */
  SOTTO_I_CHECK_CHANGED,      /* the client's record does not open its sealed seed */
  SOTTO_I_CHECK_KEPT_BOUND,   /* the helper signed values that do not follow from the seed */
  SOTTO_I_CHECK_BROKE_BOUND
} sotto_i_check_finding;

/* By the keys of the client and the helper. The plan's token follows from the occasion. `kept` NULL: the
 * client shows nothing. Errors: RANGE (the plan, a place or a number outside of it), CORRUPT (values that are
 * no numbers modulo the prime), NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_check_decide(sotto_i_check_finding *out,
                                                 const sotto_i_check_refusal *refusal,
                                                 const sotto_i_check_kept *kept,
                                                 const uint8_t client[SOTTO_SUM_PUBLIC],
                                                 const uint8_t helper[SOTTO_SUM_PUBLIC], sotto_error *err);

#endif
