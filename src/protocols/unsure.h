/* Confidence of a perceptron about each node, and which end of an edge is counted in a release of counts. */
#ifndef SOTTO_SRC_PROTOCOLS_UNSURE_H
#define SOTTO_SRC_PROTOCOLS_UNSURE_H

#include "sotto/tensor.h"

/* A level is how often the chance to be wrong, 1 less the largest class probability, can be parted by three:
 * the less sure of a node, the higher. SOTTO_I_DEAF: no counts are released for the node. */
enum { SOTTO_I_DEAF = 0, SOTTO_I_MOST_LEVEL = 12 };

/* The share of nodes that are least sure listen, and all that are wrong with a chance above 1 / 27; those as
 * sure as the next one are left out with it; share 1: all listen. `scores` are logarithms of class
 * probabilities up to a constant of the row (nodes x classes); from public rows alone, so that levels depend
 * on no edge. Nodes listen whose chance to be wrong is above the bound, -1 for all. */
SOTTO_MUST_USE sotto_status sotto_i_unsure_bound(double *bound, const sotto_matrix *scores, double share,
                                                 sotto_error *err);
/* `levels`: fresh, a byte a node. */
SOTTO_MUST_USE sotto_status sotto_i_unsure_above(uint8_t **levels, const sotto_matrix *scores, double bound,
                                                 sotto_error *err);
/* These nodes' clusters are known for sure: those that listen do so at the least level. */
void sotto_i_sure_of(uint8_t *levels, const uint32_t *nodes, size_t count);
/* Fitting needs readers: where none of these nodes listens, all of them do, at the least level. Did any
 * before? */
bool sotto_i_some_listen(uint8_t *levels, const uint32_t *nodes, size_t count);

#endif
