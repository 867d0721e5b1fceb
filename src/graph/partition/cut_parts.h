/* Parts of one level of a graph: grown from nothing, and made better by moves of single nodes. */
#ifndef SOTTO_SRC_GRAPH_PARTITION_CUT_PARTS_H
#define SOTTO_SRC_GRAPH_PARTITION_CUT_PARTS_H

#include "base/random.h"
#include "coarse.h"

/* A level and how many nodes of the graph each of its nodes stands for. Borrowed. */
typedef struct sotto_i_sized_level {
  const sotto_i_coarse *level;
  const uint64_t *size;
  uint32_t parts; /* 1 to nodes */
} sotto_i_sized_level;

/* Grows one part after another from a random node, by the node with most edges into it, until it has its
 * share of the sizes that are left; each part gets a node. Time: quadratic in the nodes. Errors: NOMEM. */
sotto_status sotto_i_cut_grow(uint32_t *part, const sotto_i_sized_level *at, sotto_i_random *random,
                              sotto_error *err);
/* Moves single nodes, in random orders, to where they have more edges, while no part gets more than `most` or
 * loses its last node; a part above `most` gives nodes away first. With sizes of 1 and most * parts >= nodes,
 * no part is above `most` afterwards. Errors: NOMEM. */
sotto_status sotto_i_cut_refine(uint32_t *part, const sotto_i_sized_level *at, uint64_t most,
                                sotto_i_random *random, sotto_error *err);
/* Weight of the edges between parts, counted once. */
uint64_t sotto_i_cut_weight(const uint32_t *part, const sotto_i_coarse *level);

#endif
