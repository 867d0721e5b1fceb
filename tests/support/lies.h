/* A secure sum whose server lies: it carries messages between clients of the library and changes them on
 * their way, per client. It never gives up by itself, so that only clients stop it. */
#ifndef SOTTO_TESTS_SUPPORT_LIES_H
#define SOTTO_TESTS_SUPPORT_LIES_H

#include "party/secure_sum/secure_sum_client.h"
#include "sum_round.h"

enum { lies_values = 5, lies_most_given = most_sum_clients * 192 };

typedef struct lies {
  sotto_sum_plan plan;
  uint32_t *graph; /* clients x neighbours */
  sotto_sum_client *clients[most_sum_clients];
  uint8_t keys[most_sum_clients][SOTTO_I_SUM_SIGNED];
  uint8_t boxes[most_sum_clients][SOTTO_I_SUM_KEY + most_sum_clients * SOTTO_I_SUM_BOX];
  uint64_t masked[most_sum_clients][lies_values];
  uint8_t told[most_sum_clients][most_sum_clients]; /* the list that a client is told */
  uint8_t signatures[most_sum_clients][SOTTO_SUM_SIGNATURE];
  uint8_t sets[most_sum_clients][SOTTO_SUM_DIGEST];
  sotto_error errors[most_sum_clients]; /* of the step at which a client stopped */
  uint32_t revealed;                    /* clients that revealed shares */
  /* changes what a client is given at a step (1: keys, 2: boxes, 3: the list, 4: signatures); NULL: the truth
   */
  void (*lie)(struct lies *of, int step, uint32_t client, uint8_t *given);
  uint32_t victim;
  const struct lies *earlier; /* a sum that was before, to replay */
} lies;

void lies_new(lies *l, uint32_t clients, uint32_t neighbours, uint64_t round);
/* All steps of all clients; those that stopped are not asked again. */
void lies_run(lies *l);
void lies_free(lies *l);
/* The place of a neighbour among a client's; fails the test when it is none. */
uint32_t lies_place(const lies *l, uint32_t client, uint32_t neighbour);
/* Within `given` of step 1: where a client is listed, and the keys of the neighbour at a place. */
uint8_t *lies_listed(const lies *l, uint8_t *given, uint32_t client);
uint8_t *lies_keys(const lies *l, uint8_t *given, uint32_t place);
/* Fails the test unless the client stopped with these words. */
void lies_check_stopped(const lies *l, uint32_t client, const char *words);

#endif
