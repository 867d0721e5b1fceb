/* k-means: centres of rows. */
#ifndef SOTTO_SRC_NN_KMEANS_H
#define SOTTO_SRC_NN_KMEANS_H

#include "base/random.h"
#include "sotto/tensor.h"

/* Fills out (C x d): centres of the rows of x (n x d, at least one row) by Lloyd's algorithm from k-means++
 * (Arthur and Vassilvitskii 2007), by the stream (key, generate). Where x has fewer rows than C, rows are
 * repeated. O(n C d) each of at most 30 steps. Errors: NOMEM. */
sotto_status sotto_i_kmeans(sotto_matrix *out, const sotto_matrix *x, const sotto_key *key, sotto_error *err);
/* The row of centres that is nearest to `row`, of equals the first; its squared distance. */
size_t sotto_i_nearest_centre(double *distance, const sotto_matrix *centres, size_t count, const float *row);

#endif
