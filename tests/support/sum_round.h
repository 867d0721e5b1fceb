/* One secure sum from end to end in one place, with clients that drop where the test wants. */
#ifndef SOTTO_TESTS_SUPPORT_SUM_ROUND_H
#define SOTTO_TESTS_SUPPORT_SUM_ROUND_H

#include "inside/secure_sum.h"

enum { most_sum_clients = 64, sum_steps = 5, never_drops = 9 };

/* The keys by which clients sign: made once, the same for all plans of a test. */
typedef struct sum_signers {
  uint8_t public_keys[most_sum_clients][SOTTO_SUM_PUBLIC], secrets[most_sum_clients][SOTTO_SUM_SECRET];
} sum_signers;
const sum_signers *sum_signers_of_test(void);
/* A plan with these, under a token of its own. */
void sum_plan_new(sotto_sum_plan *out, uint32_t clients, uint32_t neighbours, uint32_t threshold,
                  size_t values);

typedef struct sum_round {
  sotto_sum_plan plan;
  const uint64_t *values;          /* clients x plan.values */
  uint8_t drops[most_sum_clients]; /* the step (0 to 4) that the client does not take; never_drops */
  uint64_t sums[4096];             /* of the server */
  uint32_t summed;
  /* sees every message that a client sends; may change it. NULL: nobody looks */
  void (*seen)(void *context, uint32_t client, int step, uint8_t *message, size_t size);
  void *context;
} sum_round;

/* A plan, and nobody drops. */
void sum_round_new(sum_round *r, uint32_t clients, uint32_t neighbours, uint32_t threshold, size_t values);
sotto_status sum_round_run(sum_round *r, sotto_error *err);

#endif
