/* Checked sums over links. The helper talks to the leader alone, which carries what clients and helper say to
 * each other: the helper's public key of this sum, signed, and each client's seed, sealed to that key and
 * signed. So the leader cannot read a seed, make one up for a client, or bring one back from another sum. And
 * each client signs what it sent to the leader, with the values that follow from it: the helper judges no
 * others. */
#ifndef SOTTO_SRC_PARTY_CHECKED_SUM_CHECK_LINKS_H
#define SOTTO_SRC_PARTY_CHECKED_SUM_CHECK_LINKS_H

#include "checked_sum.h"
#include "sotto/party.h"
#include "inside/secure_sum.h"

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
/* A client's seed for the helper; whoever has the opening and the seed can make the box again, but for its
 * signature. Errors: PROTOCOL (a key that the helper did not sign for this plan). */
sotto_status sotto_i_check_seal(uint8_t box[SOTTO_I_CHECK_BOX], uint8_t opening[SOTTO_I_CHECK_KEY],
                                const sotto_i_check_plan *plan, uint32_t client,
                                const uint8_t seed[SOTTO_I_CHECK_KEY],
                                const uint8_t signed_key[SOTTO_I_CHECK_SIGNED_KEY],
                                const sotto_i_check_signers *signers, sotto_error *err);
/* False when the client did not sign it for this plan and key, or it does not open. */
bool sotto_i_check_open(uint8_t seed[SOTTO_I_CHECK_KEY], const sotto_i_check_plan *plan, uint32_t client,
                        const uint8_t box[SOTTO_I_CHECK_BOX],
                        const uint8_t signed_key[SOTTO_I_CHECK_SIGNED_KEY],
                        const uint8_t secret[SOTTO_I_CHECK_KEY], const sotto_i_check_signers *signers);
/* Did the helper sign this key of its own for the plan, and the client this box? Does the box hold this seed?
 */
bool sotto_i_check_key_signed(const uint8_t signed_key[SOTTO_I_CHECK_SIGNED_KEY],
                              const sotto_i_check_plan *plan, const uint8_t helper[SOTTO_SUM_PUBLIC]);
bool sotto_i_check_box_signed(const uint8_t box[SOTTO_I_CHECK_BOX], const sotto_i_check_plan *plan,
                              uint32_t client, const uint8_t *signed_key,
                              const uint8_t public_key[SOTTO_SUM_PUBLIC]);
bool sotto_i_check_is_sealed(const uint8_t box[SOTTO_I_CHECK_BOX], const uint8_t seed[SOTTO_I_CHECK_KEY],
                             const uint8_t opening[SOTTO_I_CHECK_KEY], const uint8_t *signed_key);

/* What a client sends. */
typedef struct sotto_i_check_sent {
  const uint64_t *shares, *proof;
  const uint8_t *box;
} sotto_i_check_sent;
/* What is signed about a client in a sum: by it, with the leader's values at the point, or by the helper,
 * with its own. */
typedef struct sotto_i_check_signed {
  const uint8_t *challenge, *coin, *box;
  const uint8_t *signature; /* SOTTO_I_CHECK_EVIDENCE bytes of a client, SOTTO_SUM_SIGNATURE of the helper */
  const uint64_t *points;
} sotto_i_check_signed;
/* check_signed.c. What a client signs of what it sent, under the challenge and the coin of `of`. Errors:
 * NOMEM. */
sotto_status sotto_i_check_sign(uint8_t evidence[SOTTO_I_CHECK_EVIDENCE], const sotto_i_check_plan *plan,
                                uint32_t client, const sotto_i_check_question *of,
                                const sotto_i_check_sent *sent, const sotto_i_check_signers *signers,
                                sotto_error *err);
/* Did the client with this key sign these values? */
bool sotto_i_check_is_signed(const sotto_i_check_plan *plan, uint32_t client,
                             const sotto_i_check_signed *what, const uint8_t key[SOTTO_SUM_PUBLIC]);
/* The helper's signature on its values of a client that it refuses, whatever `what` has in its place; is it
 * one of this key? */
void sotto_i_check_sign_refusal(uint8_t signature[SOTTO_SUM_SIGNATURE], const sotto_i_check_plan *plan,
                                uint32_t client, const sotto_i_check_signed *what,
                                const sotto_i_check_signers *signers);
bool sotto_i_check_is_refused(const sotto_i_check_plan *plan, uint32_t client,
                              const sotto_i_check_signed *what, const uint8_t key[SOTTO_SUM_PUBLIC]);
/* At the leader, after sotto_i_check_ask: a client that did not sign what came from it (NULL: nothing came)
 * is ABSENT, and the question is no longer about it. */
void sotto_i_check_take_evidence(sotto_i_check_question *question, sotto_i_check_server *leader,
                                 uint32_t client, const uint8_t *evidence, const uint8_t *box,
                                 const sotto_i_check_signers *signers);

/* What the leader can show an arbiter of a client that is REFUSED (check_dispute.h). */
typedef struct sotto_i_check_refusal {
  sotto_i_check_plan plan; /* its token is not read */
  sotto_i_check_occasion of;
  uint32_t client, clients, place; /* from 0: in the run, of so many; in the plan */
  uint8_t key[SOTTO_I_CHECK_SIGNED_KEY], box[SOTTO_I_CHECK_BOX];
  uint8_t challenge[SOTTO_I_CHECK_KEY], coin[SOTTO_I_CHECK_KEY];
  uint8_t evidence[SOTTO_I_CHECK_EVIDENCE];
  uint8_t signature[SOTTO_SUM_SIGNATURE]; /* the helper's, on its values */
  uint64_t *points, *helper_points;       /* the leader's values, which the client signed; the helper's */
} sotto_i_check_refusal;

/* What a client keeps of its part in one sum. */
typedef struct sotto_i_check_kept {
  sotto_i_check_occasion of;
  uint32_t client; /* from 0: in the run */
  uint8_t seed[SOTTO_I_CHECK_KEY], opening[SOTTO_I_CHECK_KEY], box[SOTTO_I_CHECK_BOX];
} sotto_i_check_kept;

/* Where a side keeps what it can show an arbiter. The leader's `refused` is called with each client that is
 * REFUSED, the client's `sent` before its signature leaves. Members that are about the run, and no part of
 * the plan, are zeros there. A failure ends the sum. */
typedef struct sotto_i_check_records {
  sotto_status (*refused)(void *context, const sotto_i_check_refusal *refusal, sotto_error *err);
  sotto_status (*sent)(void *context, const sotto_i_check_kept *kept, sotto_error *err);
  void *context;
} sotto_i_check_records;

/* Whom the leader talks to. */
typedef struct sotto_i_check_sides {
  sotto_link *const *clients; /* one link a client, in the plan's order */
  sotto_link *helper;
  double limit;                         /* see below */
  const sotto_i_check_records *records; /* NULL: nothing is kept */
} sotto_i_check_sides;
/* The leader. A client whose link is NULL, or fails for good, is ABSENT: gone[i] has the failure (its status
 * is OK for all others), and the sum goes on without it; a link that fails and may come back ends it. From
 * the challenge on a client has `limit` seconds for each answer, or any time (0). Errors: of that link, of
 * the helper's, of records, and of sotto_i_check_finish; PROTOCOL (the helper did not sign what it refuses).
 */
SOTTO_MUST_USE sotto_status sotto_i_check_serve(int64_t *sums, uint8_t *verdicts, sotto_error *gone,
                                                const sotto_i_check_sides *sides,
                                                const sotto_i_check_plan *plan,
                                                const sotto_i_check_signers *signers, sotto_error *err);
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
/* A client. `records` NULL: nothing is kept. */
SOTTO_MUST_USE sotto_status sotto_i_check_take_part(sotto_link *link, const sotto_i_check_plan *plan,
                                                    uint32_t client, const int64_t *values,
                                                    const sotto_i_check_signers *signers,
                                                    const sotto_i_check_records *records, sotto_error *err);

#endif
