/* Checked sums over links. The helper talks to the leader alone, which carries what clients and helper say to
 * each other: the helper's public key of this sum, signed, and each client's seed, sealed to that key and
 * signed. So the leader cannot read a seed, make one up for a client, or bring one back from another sum. And
 * each client signs what it sent to the leader, with the values that follow from it: the helper judges no
 * others. */
#ifndef SOTTO_SRC_PARTY_CHECKED_SUM_CHECK_LINKS_H
#define SOTTO_SRC_PARTY_CHECKED_SUM_CHECK_LINKS_H

#include "checked_sum.h"
#include "sotto/party.h"
#include "sotto/secure_sum.h"

enum {
  SOTTO_I_CHECK_SIGNED_KEY = SOTTO_I_CHECK_KEY + SOTTO_SUM_SIGNATURE, /* the helper's, of one sum */
  SOTTO_I_CHECK_BOX = SOTTO_I_CHECK_KEY + 48 + SOTTO_SUM_SIGNATURE,   /* a sealed seed and its signature */
  SOTTO_I_CHECK_EVIDENCE =
      2 * SOTTO_I_CHECK_KEY + SOTTO_SUM_SIGNATURE /* digests of shares and proof, signed */
};

/* By which keys clients and helper sign (sotto_sum_signer_new). All members are borrowed. */
typedef struct sotto_i_check_signers {
  const uint8_t *clients; /* clients x SOTTO_SUM_PUBLIC, in the plan's order */
  const uint8_t *helper;
  const uint8_t
      *secret; /* SOTTO_SUM_SECRET bytes: of the client or the helper that this is; NULL: the leader */
} sotto_i_check_signers;

/* check_seal.c. A fresh pair of keys for one sum, the public one signed. */
void sotto_i_check_key_new(uint8_t signed_key[SOTTO_I_CHECK_SIGNED_KEY], uint8_t secret[SOTTO_I_CHECK_KEY],
                           const sotto_i_check_plan *plan, const sotto_i_check_signers *signers);
/* A client's seed for the helper. Errors: PROTOCOL (a key that the helper did not sign for this plan). */
sotto_status sotto_i_check_seal(uint8_t box[SOTTO_I_CHECK_BOX], const sotto_i_check_plan *plan,
                                uint32_t client, const uint8_t seed[SOTTO_I_CHECK_KEY],
                                const uint8_t signed_key[SOTTO_I_CHECK_SIGNED_KEY],
                                const sotto_i_check_signers *signers, sotto_error *err);
/* False when the client did not sign it for this plan and key, or it does not open. */
bool sotto_i_check_open(uint8_t seed[SOTTO_I_CHECK_KEY], const sotto_i_check_plan *plan, uint32_t client,
                        const uint8_t box[SOTTO_I_CHECK_BOX],
                        const uint8_t signed_key[SOTTO_I_CHECK_SIGNED_KEY],
                        const uint8_t secret[SOTTO_I_CHECK_KEY], const sotto_i_check_signers *signers);

/* check_signed.c. What a client signs of its shares and its proof, under the challenge and the coin of `of`.
 * Errors: NOMEM. */
sotto_status sotto_i_check_sign(uint8_t evidence[SOTTO_I_CHECK_EVIDENCE], const sotto_i_check_plan *plan,
                                uint32_t client, const sotto_i_check_question *of, const uint64_t *shares,
                                const uint64_t *proof, const sotto_i_check_signers *signers,
                                sotto_error *err);
/* Did the client sign the values that the question has of it? */
bool sotto_i_check_is_signed(const sotto_i_check_plan *plan, uint32_t client,
                             const sotto_i_check_question *of, const uint8_t evidence[SOTTO_I_CHECK_EVIDENCE],
                             const sotto_i_check_signers *signers);
/* At the leader, after sotto_i_check_ask: a client that did not sign what came from it (NULL: nothing came)
 * is ABSENT, and the question is no longer about it. */
void sotto_i_check_take_evidence(sotto_i_check_question *question, sotto_i_check_server *leader,
                                 uint32_t client, const uint8_t *evidence,
                                 const sotto_i_check_signers *signers);

/* The leader, with one link a client in the plan's order, and one to the helper. A client whose link is NULL,
 * or fails for good, is ABSENT: gone[i] has the failure (its status is OK for all others), and the sum goes
 * on without it; a link that fails and may come back ends it. From the challenge on a client has `limit`
 * seconds for each answer, or any time (0). Errors: of that link, of the helper's, and of
 * sotto_i_check_finish. */
SOTTO_MUST_USE sotto_status sotto_i_check_serve(int64_t *sums, uint8_t *verdicts, sotto_error *gone,
                                                sotto_link *const *links, sotto_link *helper,
                                                const sotto_i_check_plan *plan,
                                                const sotto_i_check_signers *signers, double limit,
                                                sotto_error *err);
/* Before the helper gives its share of a sum away: what names the plan and who is in the sum is kept for
 * good. Fails, and nothing is given, when another one was kept for this sum before. */
typedef struct sotto_i_check_memory {
  sotto_status (*keep)(void *context, const uint8_t set[SOTTO_SUM_DIGEST], sotto_error *err);
  void *context;
} sotto_i_check_memory;
/* The helper; verdicts[clients]. `memory` NULL: no sum comes again. Errors: also PROTOCOL (the leader asks
 * about values that their client did not sign). */
SOTTO_MUST_USE sotto_status sotto_i_check_help(uint8_t *verdicts, sotto_link *link,
                                               const sotto_i_check_plan *plan,
                                               const sotto_i_check_signers *signers,
                                               const sotto_i_check_memory *memory, sotto_error *err);
/* A client. */
SOTTO_MUST_USE sotto_status sotto_i_check_take_part(sotto_link *link, const sotto_i_check_plan *plan,
                                                    uint32_t client, const int64_t *values,
                                                    const sotto_i_check_signers *signers, sotto_error *err);

#endif
