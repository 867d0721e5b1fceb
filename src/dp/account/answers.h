/* Answers of the PLD accountant that this process had before: a run asks the same question for its price, for
 * each seed and for its statement, and an answer takes up to a second. */
#ifndef SOTTO_SRC_DP_ACCOUNT_ANSWERS_H
#define SOTTO_SRC_DP_ACCOUNT_ANSWERS_H

#include "sotto/dp.h"

/* A list and two numbers, by their hash (BLAKE2b-256). */
typedef struct sotto_i_question {
  uint8_t hash[32];
} sotto_i_question;

/* `which` is the mechanism whose noise is sought; SIZE_MAX: epsilon is. */
sotto_i_question sotto_i_question_of(const sotto_mechanism *list, size_t count, size_t which, double epsilon,
                                     double delta);

/* False: not known, or another thread is at the table. Of the last 64 answers. */
bool sotto_i_answer_find(double *value, const sotto_i_question *question);
void sotto_i_answer_keep(double value, const sotto_i_question *question);

#endif
