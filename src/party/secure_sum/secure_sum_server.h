/* The server of a secure sum: internal structure. */
#ifndef SOTTO_SRC_PARTY_SECURE_SUM_SECURE_SUM_SERVER_H
#define SOTTO_SRC_PARTY_SECURE_SUM_SECURE_SUM_SERVER_H

#include "secure_sum.h"

enum { SOTTO_I_SUM_STEPS = 5 }; /* keys, boxes, masked, signature, reveal */

struct sotto_sum_server {
  sotto_sum_plan plan;
  uint32_t step;                 /* the current one */
  bool failed;                   /* below the threshold: no more messages are taken or given */
  uint32_t *graph;               /* clients x neighbours */
  uint8_t *reached;              /* steps that a client has taken */
  uint8_t *keys;                 /* clients x message */
  uint8_t *prints;               /* of them; zero: missing */
  sotto_i_sum_accepted accepted; /* the states that clients must sign */
  uint8_t *states;               /* of all, after the masked vectors; padded like the message */
  uint8_t *signatures;           /* clients x message */
  uint8_t *boxes;                /* clients x message */
  uint64_t *sums;                /* of the masked vectors that arrived */
  uint8_t *reveals;              /* clients x message */
};

#endif
