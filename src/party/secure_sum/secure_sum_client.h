/* A client of a secure sum: internal structure. */
#ifndef SOTTO_SRC_PARTY_SECURE_SUM_SECURE_SUM_CLIENT_H
#define SOTTO_SRC_PARTY_SECURE_SUM_SECURE_SUM_CLIENT_H

#include "secure_sum.h"

typedef enum sotto_i_sum_step {
  SOTTO_I_SUM_STEP_KEYS,
  SOTTO_I_SUM_STEP_BOXES,
  SOTTO_I_SUM_STEP_MASK,
  SOTTO_I_SUM_STEP_SIGN,
  SOTTO_I_SUM_STEP_REVEAL,
  SOTTO_I_SUM_STEP_OVER
} sotto_i_sum_step;

/* What a client has of one neighbour. */
typedef struct sotto_i_sum_neighbour {
  uint32_t client;
  bool has_keys, has_box;
  uint8_t keys[SOTTO_I_SUM_KEYS];      /* of seals, of masks */
  uint8_t common[SOTTO_I_SUM_KEY];     /* shared secret of the sealing keys */
  uint8_t shares[2 * SOTTO_I_SUM_KEY]; /* of its own mask, of its secret key */
} sotto_i_sum_neighbour;

struct sotto_sum_client {
  sotto_sum_plan plan;
  uint32_t client;
  sotto_i_sum_step next;
  uint8_t signer[SOTTO_SUM_SECRET];
  sotto_i_sum_pair seals, masks;
  uint8_t own[SOTTO_I_SUM_KEY];      /* the key of its own mask */
  sotto_i_sum_neighbour *neighbours; /* plan.neighbours, ascending */
  sotto_i_sum_accepted accepted;     /* what it signs: the plan, then the list of keys, then the states */
  uint8_t *states;                   /* of all clients, once accepted */
};

/* Enters a step. Until the step succeeds the client takes no other one, so that nothing is sent twice.
 * Errors: INVALID. */
sotto_status sotto_i_sum_enter(sotto_sum_client *client, sotto_i_sum_step wanted, sotto_error *err);

#endif
