/* An arbiter's decision about a client that a checked sum refused, from the files of both sides. */
#include <sodium.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "dispute_file.h"
#include "party/checked_sum/check_dispute.h"
#include "party/secure_sum/sum_signers.h"
#include "sotto/statement.h"

/* "%u" is the client. */
static const struct {
  sotto_dispute_verdict verdict;
  const char *text;
} findings[] = {
    [SOTTO_I_CHECK_NOT_CLIENTS] = {SOTTO_DISPUTE_NO_PROOF,
                                   "The record that the server shows was not signed by client %u: it proves "
                                   "nothing against client %u."},
    [SOTTO_I_CHECK_NOT_HELPERS] = {SOTTO_DISPUTE_NO_PROOF,
                                   "The record that the server shows proves nothing against client %u, "
                                   "because the helper did not sign its part."},
    [SOTTO_I_CHECK_NO_FAILURE] = {SOTTO_DISPUTE_NO_PROOF,
                                  "The record that the server shows proves nothing against client %u, "
                                  "because what client %u and the helper signed keeps the bound."},
    [SOTTO_I_CHECK_UNANSWERED] = {SOTTO_DISPUTE_OPEN,
                                  "Client %u sent a vector outside the bound, or the helper lied: the record "
                                  "of client %u for this round decides that, and it was not given."},
    [SOTTO_I_CHECK_OTHER_RECORD] = {SOTTO_DISPUTE_OPEN,
                                    "Client %u sent a vector outside the bound, or the helper lied: the "
                                    "record that client %u shows is of another client, round or attempt."},
    [SOTTO_I_CHECK_CHANGED] = {SOTTO_DISPUTE_OPEN,
                               "Client %u sent a vector outside the bound, or the helper lied: the record "
                               "that client %u shows was changed, since its seed is not the one it sealed."},
    [SOTTO_I_CHECK_KEPT_BOUND] = {SOTTO_DISPUTE_CLEARED,
                                  "Client %u sent a vector within the bound: the helper signed values that "
                                  "do not follow from what client %u sent."},
    [SOTTO_I_CHECK_BROKE_BOUND] = {SOTTO_DISPUTE_CONFIRMED,
                                   "Client %u sent a vector outside the bound, or none that it could prove "
                                   "to be inside."},
};

static sotto_status decide(sotto_dispute *out, const sotto_i_check_refusal *refusal,
                           const sotto_i_check_kept *kept, const char *keys, sotto_error *err) {
  const unsigned client = (unsigned)refusal->client + 1;
  uint8_t *signers = NULL;
  sotto_i_check_finding finding;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&signers, (size_t)refusal->clients + 1, SOTTO_SUM_PUBLIC, err));
  SOTTO_TRY(sotto_i_sum_signers_read(signers, refusal->clients + 1, keys, NULL, err));
  SOTTO_TRY(sotto_i_check_decide(&finding, refusal, kept, signers + (size_t)(client - 1) * SOTTO_SUM_PUBLIC,
                                 signers + (size_t)refusal->clients * SOTTO_SUM_PUBLIC, err));
  *out = (sotto_dispute){findings[finding].verdict, client, refusal->of.round, ""};
  (void)snprintf(out->text, sizeof out->text, findings[finding].text, client, client);
done:
  sotto_i_free(signers);
  return status;
}

sotto_status sotto_dispute_decide(sotto_dispute *out, const char *refused, const char *sent, const char *keys,
                                  sotto_error *err) {
  sotto_i_check_refusal refusal = {.points = NULL};
  sotto_i_check_kept kept = {.client = 0};
  sotto_status status;
  SOTTO_TRY(sotto_i_dispute_read_refused(&refusal, refused, err));
  if (sent != NULL) SOTTO_TRY(sotto_i_dispute_read_sent(&kept, sent, err));
  SOTTO_TRY(decide(out, &refusal, sent == NULL ? NULL : &kept, keys, err));
done:
  sodium_memzero(&kept, sizeof kept);
  sotto_i_dispute_free_refused(&refusal);
  return status;
}
