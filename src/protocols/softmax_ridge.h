/* Softmax regression with ridges on few rows, by which pilots choose and directions of sums are found. */
#ifndef SOTTO_SRC_PROTOCOLS_SOFTMAX_RIDGE_H
#define SOTTO_SRC_PROTOCOLS_SOFTMAX_RIDGE_H

#include "inside/nn.h"

enum { SOTTO_I_FIFTHS = 5 };

typedef struct sotto_i_softmax_ridge {
  sotto_matrix x;        /* owned: rows x columns; the first column is 1, the others have variance 1 */
  const int32_t *labels; /* borrowed: of the rows, below `classes` */
  size_t classes, from;  /* weights from column `from` on have the second ridge */
  float pull, pull_from; /* ridges: added to the loss, a sum over rows, as half of it times the square */
  sotto_matrix weights;  /* owned, like the next members: classes x columns */
  sotto_matrix momentum, gradient;
  sotto_matrix chances; /* rows x classes */
  double *room;         /* a number a row */
  float *scratch;       /* of products; NULL: none is needed */
} sotto_i_softmax_ridge;

/* The caller has set labels, classes, from and ridges. x is zero, to be filled. Free it in any case. Errors:
 * NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_softmax_ridge_new(sotto_i_softmax_ridge *r, size_t rows, size_t columns,
                                                      sotto_error *err);
void sotto_i_softmax_ridge_free(sotto_i_softmax_ridge *r);
/* Fits the weights on all rows but those i with i % 5 = fifth (SOTTO_I_FIFTHS: on all), from where they are:
 * gradient descent with momentum, of at most 300 steps. */
void sotto_i_softmax_ridge_fit(sotto_i_softmax_ridge *r, size_t fifth);
/* losses[i] += sign * the log loss of row i, by weights that were fitted without its fifth. */
void sotto_i_softmax_ridge_losses(double *losses, sotto_i_softmax_ridge *r, double sign);

#endif
