/* Mini-batches of vfgnn. An epoch's steps divide all nodes by public randomness. Each step has an equal
 * number of training nodes and its share of all others, and hops use edges within the step only. So batch
 * membership is independent of the edges, and each node is published once an epoch (docs/vfgnn.md). */
#ifndef SOTTO_SRC_METHODS_VFGNN_VFGNN_BATCH_H
#define SOTTO_SRC_METHODS_VFGNN_VFGNN_BATCH_H

#include "sotto/graph.h"
#include "sotto/split.h"

typedef struct sotto_i_vfgnn_batch {
  uint64_t number;    /* over all steps of the training */
  size_t step, steps; /* of an epoch */
  size_t nodes;       /* of the graph */
  uint32_t *rows;     /* the nodes of this step, ascending */
  size_t count;
  bool narrow;                 /* steps have training and validation nodes alone */
  uint32_t *trained;           /* the training nodes among them, ascending */
  uint32_t *at[4], *member[4]; /* by part: positions in `rows`, and in the list of that part */
  size_t members[4];
  uint8_t *part; /* part of each node; next: its position in that part's list, and its step */
  uint32_t *place, *turn, *order;
  sotto_key key;
} sotto_i_vfgnn_batch;

/* `size` training nodes a step, 0: all. narrow: test nodes and those without a part are in no step. Errors:
 * NOMEM. */
sotto_status sotto_i_vfgnn_batch_new(sotto_i_vfgnn_batch *out, const sotto_split *split, size_t nodes,
                                     uint64_t size, bool narrow, const sotto_key *key, sotto_error *err);
/* Sets up a step; all parties with the same arguments get the same nodes. */
void sotto_i_vfgnn_batch_go(sotto_i_vfgnn_batch *batch, uint64_t epoch, size_t step);
void sotto_i_vfgnn_batch_free(sotto_i_vfgnn_batch *batch);

/* Are all nodes in every step? */
static inline bool sotto_i_vfgnn_batch_whole(const sotto_i_vfgnn_batch *batch) {
  return batch->steps == 1 && !batch->narrow;
}
static inline bool sotto_i_vfgnn_batch_last(const sotto_i_vfgnn_batch *batch) {
  return batch->step + 1 == batch->steps;
}

#endif
