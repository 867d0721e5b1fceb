/* The inside of the server of a secure sum. */
#ifndef SOTTO_SRC_PARTY_SECURE_SUM_SECURE_SUM_SERVER_H
#define SOTTO_SRC_PARTY_SECURE_SUM_SECURE_SUM_SERVER_H

#include "secure_sum.h"

enum { SOTTO_I_SUM_STEPS = 5 }; /* keys, boxes, masked, signature, reveal */

struct sotto_sum_server {
  sotto_sum_plan plan;
  uint32_t step;                 /* the one that goes on */
  bool failed;                   /* below the threshold: nothing is taken or given any more */
  uint32_t *graph;               /* clients x neighbours */
  uint8_t *reached;              /* steps that a client has taken */
  uint8_t *keys;                 /* clients x message */
  uint8_t *prints;               /* of them; zero: they did not come */
  sotto_i_sum_accepted accepted; /* what clients have to sign */
  uint8_t *states;               /* of all, once masked vectors are in; padded as the message is */
  uint8_t *signatures;           /* clients x message */
  uint8_t *boxes;                /* clients x message */
  uint64_t *sums;                /* of the masked vectors that came */
  uint8_t *reveals;              /* clients x message */
};

#endif
