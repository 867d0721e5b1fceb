/* A checked sum with all clients and both servers in this process; tests change messages between its steps.
 */
#ifndef SOTTO_TESTS_SUPPORT_CHECK_ROUND_H
#define SOTTO_TESTS_SUPPORT_CHECK_ROUND_H

#include "base/random.h"
#include "party/checked_sum/check_inside.h"

typedef struct check_round {
  sotto_i_check_occasion of;
  sotto_i_check_plan plan;
  sotto_i_check_shape shape;
  sotto_i_check_server *leader, *helper;
  uint64_t **vectors; /* of each client, modulo p; each may be anything */
  uint64_t **shares, **proofs;
  uint8_t (*seeds)[SOTTO_I_CHECK_KEY];
  uint8_t challenge[SOTTO_I_CHECK_KEY];
  uint8_t *arrived, *verdicts;
  int64_t *sums;
  sotto_i_check_question question;
  sotto_i_check_answer answer;
} check_round;

/* Random vectors within the bound, by default `least` 1. */
void check_round_new(check_round *out, uint32_t clients, size_t values, uint64_t bound,
                     sotto_i_random *random);
void check_round_free(check_round *round);
/* A random vector whose squares sum to this number, at most 2^50; to less where there are few values. */
void check_round_vector(uint64_t *out, size_t values, uint64_t squares, sotto_i_random *random);
void check_round_share(check_round *round);     /* shares and seeds of all, from their vectors */
void check_round_challenge(check_round *round); /* servers take them; the challenge */
void check_round_prove(check_round *round);     /* proofs of all */
void check_round_ask(check_round *round);       /* the leader takes them, and asks; the helper replies */
void check_round_finish(check_round *round);
void check_round_all(check_round *round); /* all of that */
/* Fails unless these verdicts came, as letters: a client accepted A, refused R, malformed M, absent -; and
 * the sum is that of the accepted. */
void check_round_came_to(const check_round *round, const char *verdicts);

#endif
