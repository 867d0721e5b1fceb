/* Inside secure aggregation: layout of messages, keys and masks, Shamir shares. */
#ifndef SOTTO_SRC_PARTY_SECURE_SUM_SECURE_SUM_H
#define SOTTO_SRC_PARTY_SECURE_SUM_SECURE_SUM_H

#include "sotto/secure_sum.h"

enum {
  SOTTO_I_SUM_KEY = 32,                   /* any key, seed, share or digest */
  SOTTO_I_SUM_KEYS = 2 * SOTTO_I_SUM_KEY, /* public keys: of seals, of masks */
  SOTTO_I_SUM_SIGNED = SOTTO_I_SUM_KEYS + SOTTO_SUM_SIGNATURE,
  SOTTO_I_SUM_BOX = 2 * SOTTO_I_SUM_KEY + 16, /* shares of the own mask and of the secret key; the tag */
};

/* How the server tells clients of one another. */
typedef enum sotto_i_sum_state {
  SOTTO_I_SUM_ABSENT = 0, /* its boxes never came: nobody has shares of it */
  SOTTO_I_SUM_LASTED = 1, /* its masked vector came */
  SOTTO_I_SUM_DROPPED = 2 /* boxes, but no vector */
} sotto_i_sum_state;

/* secure_sum_plan.c */
sotto_status sotto_i_sum_plan_check(const sotto_sum_plan *plan, sotto_error *err);
/* How many clients, whichever they are, may collude with a dishonest server, so that it still learns one sum
 * alone, that over all honest survivors (docs/protocol.md, "What holds", 1, 3 and 4); -1: not even nobody. */
int64_t sotto_i_sum_withstands(const sotto_sum_plan *plan);
/* The neighbours of all clients: clients x neighbours, each row ascending; owned by the caller. */
sotto_status sotto_i_sum_graph(uint32_t **out, const sotto_sum_plan *plan, sotto_error *err);
/* The place of `client` among `count` ascending ids, or `count`. */
uint32_t sotto_i_sum_place(const uint32_t *ids, uint32_t count, uint32_t client);
/* All clients in a circle, from which neighbours follow. */
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
/* The key that two clients have in common for one use: a mask, or a seal from the first to the second.
 * Errors: PROTOCOL (a public key that is no point). */
typedef struct sotto_i_sum_use {
  const char *name; /* 16 bytes */
  uint64_t round;
  uint32_t from, to;
} sotto_i_sum_use;
sotto_status sotto_i_sum_agree(uint8_t out[SOTTO_I_SUM_KEY], const sotto_i_sum_pair *own,
                               const uint8_t theirs[SOTTO_I_SUM_KEY], const sotto_i_sum_use *use,
                               sotto_error *err);
/* Its two halves: what the secret of one and the public key of the other have in common, which serves all
 * uses of a pair, and the key of a use. */
sotto_status sotto_i_sum_meet(uint8_t out[SOTTO_I_SUM_KEY], const sotto_i_sum_pair *own,
                              const uint8_t theirs[SOTTO_I_SUM_KEY], sotto_error *err);
void sotto_i_sum_derive(uint8_t out[SOTTO_I_SUM_KEY], const uint8_t common[SOTTO_I_SUM_KEY],
                        const uint8_t own[SOTTO_I_SUM_KEY], const uint8_t theirs[SOTTO_I_SUM_KEY],
                        const sotto_i_sum_use *use);
/* What a client says of its own mask before, so that shares can be checked when they are joined. */
void sotto_i_sum_commit(uint8_t out[SOTTO_I_SUM_KEY], const uint8_t mask[SOTTO_I_SUM_KEY], uint64_t round,
                        uint32_t client);
void sotto_i_sum_seal(uint8_t box[SOTTO_I_SUM_BOX], const uint8_t shares[2 * SOTTO_I_SUM_KEY],
                      const uint8_t key[SOTTO_I_SUM_KEY]);
bool sotto_i_sum_open(uint8_t shares[2 * SOTTO_I_SUM_KEY], const uint8_t box[SOTTO_I_SUM_BOX],
                      const uint8_t key[SOTTO_I_SUM_KEY]);

/* Neighbours of a client, ascending, in out[neighbours]. O(clients). Errors: RANGE, NOMEM. */
sotto_status sotto_sum_neighbours(uint32_t *out, const sotto_sum_plan *plan, uint32_t client,
                                  sotto_error *err);

/* Is a public key of X25519 canonical, and of no low order, so that none but its owner and the other side
 * know what they agree on? */
bool sotto_i_sum_key_good(const uint8_t key[SOTTO_I_SUM_KEY]);

/* secure_sum_sign.c: what clients sign. Each signature is of a plan, by its digest, and of its client. */
void sotto_i_sum_plan_digest(uint8_t out[SOTTO_I_SUM_KEY], const sotto_sum_plan *plan);
/* The signed message of step 1 in out[SOTTO_I_SUM_SIGNED], of which the public keys stand there already. */
void sotto_i_sum_sign_keys(uint8_t *out, const uint8_t plan[SOTTO_I_SUM_KEY], uint32_t client,
                           const uint8_t secret[SOTTO_SUM_SECRET]);
bool sotto_i_sum_keys_signed(const uint8_t *message, const uint8_t plan[SOTTO_I_SUM_KEY], uint32_t client,
                             const uint8_t *signers);
/* A client's entry in the list of keys; that list in one. */
void sotto_i_sum_print(uint8_t out[SOTTO_I_SUM_KEY], const uint8_t keys[SOTTO_I_SUM_KEYS]);
void sotto_i_sum_list_digest(uint8_t out[SOTTO_I_SUM_KEY], const uint8_t *prints, uint32_t clients);
/* What all sign when they accept the states of all clients, beside the list of this sum's keys. */
typedef struct sotto_i_sum_accepted {
  uint8_t plan[SOTTO_I_SUM_KEY], list[SOTTO_I_SUM_KEY], states[SOTTO_I_SUM_KEY];
} sotto_i_sum_accepted;
void sotto_i_sum_states_digest(uint8_t out[SOTTO_I_SUM_KEY], const uint8_t *states, uint32_t clients);
void sotto_i_sum_sign_accepted(uint8_t out[SOTTO_SUM_SIGNATURE], const sotto_i_sum_accepted *what,
                               uint32_t client, const uint8_t secret[SOTTO_SUM_SECRET]);
bool sotto_i_sum_accepted_signed(const uint8_t signature[SOTTO_SUM_SIGNATURE],
                                 const sotto_i_sum_accepted *what, uint32_t client, const uint8_t *signers);
/* The survivors under a plan, whatever the keys of the sum. */
void sotto_i_sum_set_digest(uint8_t out[SOTTO_SUM_DIGEST], const uint8_t plan[SOTTO_I_SUM_KEY],
                            const uint8_t *states, uint32_t clients);

/* secure_sum_states.c: can a sum be had when so many `came` (a word of what: "masked vectors", "signatures"),
 * by these states, one byte a client: LASTED whose came, DROPPED whose shares alone are out? Errors: PROTOCOL
 * (fewer than the quorum came; a client whose shares are out has fewer neighbours whose came than the
 * threshold), NOMEM. */
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
