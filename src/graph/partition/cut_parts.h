/* Partition of one level of a graph: greedy growth, and refinement by moves of single nodes. */
#ifndef SOTTO_SRC_GRAPH_PARTITION_CUT_PARTS_H
#define SOTTO_SRC_GRAPH_PARTITION_CUT_PARTS_H

#include "base/random.h"
#include "coarse.h"

/* A level, and the number of graph nodes in each of its nodes. Borrowed. */
typedef struct sotto_i_sized_level {
  const sotto_i_coarse *level;
  const uint64_t *size;
  uint32_t parts; /* 1 to nodes */
} sotto_i_sized_level;

/* Grows one part after another from a random node, by the node with most edges into it, until it has its
 * share of the remaining sizes; each part gets a node. Time: quadratic in the nodes. Errors: NOMEM. */
sotto_status sotto_i_cut_grow(uint32_t *part, const sotto_i_sized_level *at, sotto_i_random *random,
                              sotto_error *err);
/* Moves single nodes, in random order, to parts with more of their edges, while no part exceeds `most` or
 * loses its last node. Parts above `most` lose nodes first. With sizes of 1 and most * parts >= nodes, no
 * part exceeds `most` afterwards. Errors: NOMEM. */
sotto_status sotto_i_cut_refine(uint32_t *part, const sotto_i_sized_level *at, uint64_t most,
                                sotto_i_random *random, sotto_error *err);
/* Weight of the edges between parts, each counted once. */
uint64_t sotto_i_cut_weight(const uint32_t *part, const sotto_i_coarse *level);

#endif
