/* Cache of the PLD accountant's answers in this process. A run asks the same question for its plan, for each
 * seed and for its statement, and an answer takes up to a second. */
#ifndef SOTTO_SRC_DP_ACCOUNT_ANSWERS_H
#define SOTTO_SRC_DP_ACCOUNT_ANSWERS_H

#include "sotto/dp.h"

/* A question: a list and two numbers, as their hash (BLAKE2b-256). */
typedef struct sotto_i_question {
  uint8_t hash[32];
} sotto_i_question;

/* `which` is the mechanism whose noise is wanted; SIZE_MAX: epsilon is wanted. */
sotto_i_question sotto_i_question_of(const sotto_mechanism *list, size_t count, size_t which, double epsilon,
                                     double delta);

/* False: not cached, or another thread uses the cache. It has the last 64 answers. */
bool sotto_i_answer_find(double *value, const sotto_i_question *question);
void sotto_i_answer_keep(double value, const sotto_i_question *question);

#endif
