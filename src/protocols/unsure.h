/* A perceptron's confidence about each node, and which end of an edge is counted in a release of counts. */
#ifndef SOTTO_SRC_PROTOCOLS_UNSURE_H
#define SOTTO_SRC_PROTOCOLS_UNSURE_H

#include "sotto/tensor.h"

/* Level of confidence: floor of the base-3 logarithm of the error probability, which is 1 minus the largest
 * class probability; a higher level is less confident. SOTTO_I_DEAF: no counts are released for the node.
 * SOTTO_I_PILOT (pilots.h): the node counts every neighbour once in this release. SOTTO_I_SPENT: it did so in
 * another one; now it counts nobody, and is counted once. SOTTO_I_PILOT_TWICE: a pilot that counts every
 * neighbour twice in this release. SOTTO_I_UNCOUNTED: it did so in another one; it counts nobody, and nobody
 * counts it. SOTTO_I_KEPT_LEVELS: how many there are in files. */
enum {
  SOTTO_I_DEAF = 0,
  SOTTO_I_ALIKE = 2, /* of sotto_i_levels_alike, for all but the surest */
  SOTTO_I_MOST_LEVEL = 12,
  SOTTO_I_PILOT,
  SOTTO_I_SPENT,
  SOTTO_I_KEPT_LEVELS,
  SOTTO_I_PILOT_TWICE = SOTTO_I_KEPT_LEVELS,
  SOTTO_I_UNCOUNTED,
  SOTTO_I_LEVELS
};

/* The bound on the error probability above which nodes have counts: -1 for all. These are the `share` of
 * nodes with the least confidence, without those equal to the next one, and all with an error probability
 * above 1 / 27. `scores` are log-probabilities of classes up to a constant of the row (nodes x classes),
 * from public rows alone, so that levels depend on no edge. */
SOTTO_MUST_USE sotto_status sotto_i_unsure_bound(double *bound, const sotto_matrix *scores, double share,
                                                 sotto_error *err);
/* `levels`: fresh, a byte a node. */
SOTTO_MUST_USE sotto_status sotto_i_unsure_above(uint8_t **levels, const sotto_matrix *scores, double bound,
                                                 sotto_error *err);
/* The clusters of these nodes are certain: those with counts get the most confident level. */
void sotto_i_sure_of(uint8_t *levels, const uint32_t *nodes, size_t count);
/* Levels that say nothing of confidence: these nodes have the most confident one, and all others the same
 * next one. So an edge between the two kinds is counted twice at the others, and any other edge once at each
 * end. */
void sotto_i_levels_alike(uint8_t *levels, size_t nodes, const uint32_t *sure, size_t count);
/* Fitting needs training nodes with counts: if none of these nodes has counts, all of them get the most
 * confident level. Returns whether any had counts before. */
bool sotto_i_some_listen(uint8_t *levels, const uint32_t *nodes, size_t count);
/* How often a node of level `own` counts one of level `other`: with the arguments exchanged, 2 or 0 in
 * total. */
float sotto_i_counts_weight(uint8_t own, uint8_t other);

#endif
