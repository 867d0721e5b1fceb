/* Predictions from scores that the training kept. */
#ifndef SOTTO_SRC_PROTOCOLS_ANSWERS_PREDICT_KEPT_H
#define SOTTO_SRC_PROTOCOLS_ANSWERS_PREDICT_KEPT_H

#include "run/method/method.h"

/* out (fresh): the kept scores of nodes[0..x->rows); nodes NULL: of all nodes. They hold for the features of
 * the job alone, so the rows of x must be these. Errors: UNSUPPORTED, NOMEM. */
sotto_status sotto_i_kept_rows(sotto_matrix *out, const sotto_matrix *scores, const sotto_i_job *job,
                               const sotto_matrix *x, const uint32_t *nodes, sotto_error *err);

#endif
