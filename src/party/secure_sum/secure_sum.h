/* Secure aggregation, internal: layout of messages, keys and masks, Shamir shares. */
#ifndef SOTTO_SRC_PARTY_SECURE_SUM_SECURE_SUM_H
#define SOTTO_SRC_PARTY_SECURE_SUM_SECURE_SUM_H

#include "inside/secure_sum.h"

enum {
  SOTTO_I_SUM_KEY = 32,                   /* any key, seed, share or digest */
  SOTTO_I_SUM_KEYS = 2 * SOTTO_I_SUM_KEY, /* public keys: of seals, of masks */
  SOTTO_I_SUM_SIGNED = SOTTO_I_SUM_KEYS + SOTTO_SUM_SIGNATURE,
  SOTTO_I_SUM_BOX = 2 * SOTTO_I_SUM_KEY + 16, /* shares of the own mask and of the secret key; the tag */
};

/* States of clients, as the server sends them to the others. */
typedef enum sotto_i_sum_state {
  SOTTO_I_SUM_ABSENT = 0, /* its boxes never arrived: nobody has shares of it */
  SOTTO_I_SUM_LASTED = 1, /* its masked vector arrived */
  SOTTO_I_SUM_DROPPED = 2 /* boxes, but no vector */
} sotto_i_sum_state;

/* secure_sum_plan.c */
sotto_status sotto_i_sum_plan_check(const sotto_sum_plan *plan, sotto_error *err);
/* Largest number of clients, whichever they are, that may collude with a dishonest server which then still
 * learns only one sum, that over all honest survivors (docs/protocol.md, "What holds", 1, 3 and 4). -1: the
 * plan does not withstand even the server alone. */
int64_t sotto_i_sum_withstands(const sotto_sum_plan *plan);
/* The neighbours of all clients: clients x neighbours, each row ascending; owned by the caller. */
sotto_status sotto_i_sum_graph(uint32_t **out, const sotto_sum_plan *plan, sotto_error *err);
/* The place of `client` among `count` ascending ids, or `count`. */
uint32_t sotto_i_sum_place(const uint32_t *ids, uint32_t count, uint32_t client);
/* All clients in a circle, which determines the neighbours. */
typedef struct sotto_i_sum_circle {
  uint32_t *place, *at;
} sotto_i_sum_circle;
sotto_status sotto_i_sum_circle_new(sotto_i_sum_circle *out, const sotto_sum_plan *plan, sotto_error *err);
void sotto_i_sum_circle_free(sotto_i_sum_circle *circle);
void sotto_i_sum_neighbours(uint32_t *out, const sotto_i_sum_circle *circle, const sotto_sum_plan *plan,
                            uint32_t client);
bool sotto_i_sum_is_zero(const uint8_t *bytes, size_t size);
/* Largest magnitude of a value: the sum of all clients' stays below 2^62. */
uint64_t sotto_i_sum_most(const sotto_sum_plan *plan);

/* secure_sum_keys.c */
typedef struct sotto_i_sum_pair {
  uint8_t secret[SOTTO_I_SUM_KEY], public[SOTTO_I_SUM_KEY];
} sotto_i_sum_pair;
void sotto_i_sum_pair_new(sotto_i_sum_pair *out);
/* False when `secret` is not the key of `public`. */
bool sotto_i_sum_pair_from(sotto_i_sum_pair *out, const uint8_t secret[SOTTO_I_SUM_KEY],
                           const uint8_t public[SOTTO_I_SUM_KEY]);
/* The shared key of two clients for one use: a mask, or a seal from the first to the second. Errors: PROTOCOL
 * (an invalid public key). */
typedef struct sotto_i_sum_use {
  const char *name; /* 16 bytes */
  uint64_t round;
  uint32_t from, to;
} sotto_i_sum_use;
sotto_status sotto_i_sum_agree(uint8_t out[SOTTO_I_SUM_KEY], const sotto_i_sum_pair *own,
                               const uint8_t theirs[SOTTO_I_SUM_KEY], const sotto_i_sum_use *use,
                               sotto_error *err);
/* The two steps of it: the shared secret of one's secret and the other's public key, which serves all uses of
 * a pair, and the key of a use. */
sotto_status sotto_i_sum_meet(uint8_t out[SOTTO_I_SUM_KEY], const sotto_i_sum_pair *own,
                              const uint8_t theirs[SOTTO_I_SUM_KEY], sotto_error *err);
void sotto_i_sum_derive(uint8_t out[SOTTO_I_SUM_KEY], const uint8_t common[SOTTO_I_SUM_KEY],
                        const uint8_t own[SOTTO_I_SUM_KEY], const uint8_t theirs[SOTTO_I_SUM_KEY],
                        const sotto_i_sum_use *use);
/* A client's commitment to its own mask, which later verifies the joined shares. */
void sotto_i_sum_commit(uint8_t out[SOTTO_I_SUM_KEY], const uint8_t mask[SOTTO_I_SUM_KEY], uint64_t round,
                        uint32_t client);
void sotto_i_sum_seal(uint8_t box[SOTTO_I_SUM_BOX], const uint8_t shares[2 * SOTTO_I_SUM_KEY],
                      const uint8_t key[SOTTO_I_SUM_KEY]);
bool sotto_i_sum_open(uint8_t shares[2 * SOTTO_I_SUM_KEY], const uint8_t box[SOTTO_I_SUM_BOX],
                      const uint8_t key[SOTTO_I_SUM_KEY]);

/* Neighbours of a client, ascending, in out[neighbours]. O(clients). Errors: RANGE, NOMEM. */
sotto_status sotto_sum_neighbours(uint32_t *out, const sotto_sum_plan *plan, uint32_t client,
                                  sotto_error *err);

/* Is a public key of X25519 canonical, and not of low order? Otherwise others could know the shared
 * secret. */
bool sotto_i_sum_key_good(const uint8_t key[SOTTO_I_SUM_KEY]);

/* secure_sum_sign.c: signatures of clients. Each covers the plan, by its digest, and the client. */
void sotto_i_sum_plan_digest(uint8_t out[SOTTO_I_SUM_KEY], const sotto_sum_plan *plan);
/* Completes the signed message of step 1 in out[SOTTO_I_SUM_SIGNED], which has the public keys already. */
void sotto_i_sum_sign_keys(uint8_t *out, const uint8_t plan[SOTTO_I_SUM_KEY], uint32_t client,
                           const uint8_t secret[SOTTO_SUM_SECRET]);
bool sotto_i_sum_keys_signed(const uint8_t *message, const uint8_t plan[SOTTO_I_SUM_KEY], uint32_t client,
                             const uint8_t *signers);
/* A client's entry in the list of keys, and the digest of that list. */
void sotto_i_sum_print(uint8_t out[SOTTO_I_SUM_KEY], const uint8_t keys[SOTTO_I_SUM_KEYS]);
void sotto_i_sum_list_digest(uint8_t out[SOTTO_I_SUM_KEY], const uint8_t *prints, uint32_t clients);
/* The text that all sign when they accept the states of all clients, with the list of this sum's keys. */
typedef struct sotto_i_sum_accepted {
  uint8_t plan[SOTTO_I_SUM_KEY], list[SOTTO_I_SUM_KEY], states[SOTTO_I_SUM_KEY];
} sotto_i_sum_accepted;
void sotto_i_sum_states_digest(uint8_t out[SOTTO_I_SUM_KEY], const uint8_t *states, uint32_t clients);
void sotto_i_sum_sign_accepted(uint8_t out[SOTTO_SUM_SIGNATURE], const sotto_i_sum_accepted *what,
                               uint32_t client, const uint8_t secret[SOTTO_SUM_SECRET]);
bool sotto_i_sum_accepted_signed(const uint8_t signature[SOTTO_SUM_SIGNATURE],
                                 const sotto_i_sum_accepted *what, uint32_t client, const uint8_t *signers);
/* The survivors under a plan, independent of the keys of the sum. */
void sotto_i_sum_set_digest(uint8_t out[SOTTO_SUM_DIGEST], const uint8_t plan[SOTTO_I_SUM_KEY],
                            const uint8_t *states, uint32_t clients);

/* secure_sum_states.c: can the sum be computed with these states, one byte a client? LASTED: its message
 * arrived. DROPPED: only its shares were sent. `came` names the messages in errors ("masked vectors",
 * "signatures"). Errors: PROTOCOL (fewer messages than the quorum; a client whose shares were sent has fewer
 * such neighbours than the threshold), NOMEM. */
sotto_status sotto_i_sum_states_check(const sotto_sum_plan *plan, const char *came, const uint8_t *states,
                                      sotto_error *err);

/* secure_sum_shamir.c: secrets of 32 bytes over GF(2^8), share i at point i + 1. */
/* Shares for each of `count` places, in out[count][32]; any `threshold` of them give the secret. Errors:
 * NOMEM.
 */
sotto_status sotto_i_sum_split(uint8_t *out, uint32_t count, uint32_t threshold,
                               const uint8_t secret[SOTTO_I_SUM_KEY], sotto_error *err);
/* Joins the shares of places[threshold], which are distinct. Errors: NOMEM. */
sotto_status sotto_i_sum_join(uint8_t secret[SOTTO_I_SUM_KEY], const uint8_t *const *shares,
                              const uint32_t *places, uint32_t threshold, sotto_error *err);

#endif
