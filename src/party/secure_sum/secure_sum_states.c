/* Survivors of a secure sum: one rule for the server and each client. */
#include "base/error.h"
#include "base/memory.h"
#include "secure_sum.h"

/* The threshold is more than half of the k neighbours, so on either side of a client in the circle some
 * neighbours have lasted. docs/protocol.md shows that no group of clients is then isolated. */
sotto_status sotto_i_sum_states_check(const sotto_sum_plan *plan, const char *came, const uint8_t *states,
                                      sotto_error *err) {
  sotto_i_sum_circle circle = {NULL, NULL};
  uint32_t neighbours[SOTTO_SUM_MOST_NEIGHBOURS], all = 0;
  sotto_status status;
  for (uint32_t i = 0; i < plan->clients; i++) all += states[i] == SOTTO_I_SUM_LASTED;
  if (all < sotto_sum_quorum(plan))
    return sotto_i_fail(
        err, SOTTO_PROTOCOL,
        "the %s of %u of %u clients came, and %u are needed; the sum is given up, and what was "
        "sent shows nothing",
        came, (unsigned)all, (unsigned)plan->clients, (unsigned)sotto_sum_quorum(plan));
  SOTTO_TRY(sotto_i_sum_circle_new(&circle, plan, err));
  for (uint32_t i = 0; i < plan->clients; i++) {
    uint32_t count = 0;
    if (states[i] == SOTTO_I_SUM_ABSENT) continue;
    sotto_i_sum_neighbours(neighbours, &circle, plan, i);
    for (uint32_t j = 0; j < plan->neighbours; j++) count += states[neighbours[j]] == SOTTO_I_SUM_LASTED;
    if (count >= plan->threshold) continue;
    status =
        sotto_i_fail(err, SOTTO_PROTOCOL,
                     "the %s of %u of %u clients came: client %u has %u of its %u neighbours left and needs "
                     "%u; the sum is given up, and what was sent shows nothing",
                     came, (unsigned)all, (unsigned)plan->clients, (unsigned)i, (unsigned)count,
                     (unsigned)plan->neighbours, (unsigned)plan->threshold);
    goto done;
  }
done:
  sotto_i_sum_circle_free(&circle);
  return status;
}
