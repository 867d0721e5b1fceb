/* Inside secure aggregation: layout of messages, keys and masks, Shamir shares. */
#ifndef SOTTO_SRC_PARTY_SECURE_SUM_SECURE_SUM_H
#define SOTTO_SRC_PARTY_SECURE_SUM_SECURE_SUM_H

#include "sotto/secure_sum.h"

enum {
  SOTTO_I_SUM_KEY = 32,                       /* any key, seed, share or digest */
  SOTTO_I_SUM_KEYS = 2 * SOTTO_I_SUM_KEY,     /* public keys: of seals, of masks */
  SOTTO_I_SUM_BOX = 2 * SOTTO_I_SUM_KEY + 16, /* shares of the own mask and of the secret key; the tag */
};

/* How the server tells a client of a neighbour. */
typedef enum sotto_i_sum_state {
  SOTTO_I_SUM_ABSENT = 0, /* its boxes never came: nobody has shares of it */
  SOTTO_I_SUM_LASTED = 1, /* its masked vector came */
  SOTTO_I_SUM_DROPPED = 2 /* boxes, but no vector */
} sotto_i_sum_state;

/* secure_sum_plan.c */
sotto_status sotto_i_sum_plan_check(const sotto_sum_plan *plan, sotto_error *err);
/* The neighbours of all clients: clients x neighbours, each row ascending; owned by the caller. */
sotto_status sotto_i_sum_graph(uint32_t **out, const sotto_sum_plan *plan, sotto_error *err);
/* The place of `client` among `count` ascending ids, or `count`. */
uint32_t sotto_i_sum_place(const uint32_t *ids, uint32_t count, uint32_t client);
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
/* What a client says of its own mask before, so that shares can be checked when they are joined. */
void sotto_i_sum_commit(uint8_t out[SOTTO_I_SUM_KEY], const uint8_t mask[SOTTO_I_SUM_KEY], uint64_t round,
                        uint32_t client);
void sotto_i_sum_seal(uint8_t box[SOTTO_I_SUM_BOX], const uint8_t shares[2 * SOTTO_I_SUM_KEY],
                      const uint8_t key[SOTTO_I_SUM_KEY]);
bool sotto_i_sum_open(uint8_t shares[2 * SOTTO_I_SUM_KEY], const uint8_t box[SOTTO_I_SUM_BOX],
                      const uint8_t key[SOTTO_I_SUM_KEY]);

/* values += or -= PRG(key) for each of `count` masks, modulo 2^64, on all threads. */
typedef struct sotto_i_sum_mask {
  uint8_t key[SOTTO_I_SUM_KEY];
  bool subtract;
} sotto_i_sum_mask;
void sotto_i_sum_add_masks(uint64_t *values, size_t size, const sotto_i_sum_mask *masks, size_t count);

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
