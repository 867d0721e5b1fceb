/* Items in descending order of their scores, equal scores together. */
#ifndef SOTTO_SRC_NN_RANKING_H
#define SOTTO_SRC_NN_RANKING_H

#include "sotto/alerts.h"

/* One distinct score: the items that have it, members of the class and others. */
typedef struct sotto_i_score_step {
  double score;
  uint64_t members, others;
} sotto_i_score_step;
typedef struct sotto_i_score_steps {
  sotto_i_score_step *steps; /* owned */
  size_t count;
  uint64_t members, others; /* of all steps */
} sotto_i_score_steps;
/* Errors: RANGE (a score that is NAN, naming its row), NOMEM; nothing is then owned. */
SOTTO_MUST_USE sotto_status sotto_i_score_steps_new(sotto_i_score_steps *out, const sotto_ranked *items,
                                                    sotto_error *err);
void sotto_i_score_steps_free(sotto_i_score_steps *steps);

#endif
