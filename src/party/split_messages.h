/* Messages between the two sides of split learning. */
#ifndef SOTTO_SRC_PARTY_SPLIT_MESSAGES_H
#define SOTTO_SRC_PARTY_SPLIT_MESSAGES_H

#include "inside/nn.h"
#include "sotto/graph.h"

/* Of a part with labels. */
static inline const char *sotto_i_split_embeddings(sotto_part part) {
  static const char *const names[4] = {NULL, "embeddings.train", "embeddings.validation", "embeddings.test"};
  return names[part];
}
#define SOTTO_I_SPLIT_GRADIENTS "gradients.train"
#define SOTTO_I_SPLIT_DECISION  "decision"
/* A decision is a sum of these: the model is the best one so far; this epoch is the last one. */
enum { SOTTO_I_SPLIT_BETTER = 1, SOTTO_I_SPLIT_STOP = 2 };

/* Rows of the largest batch of `count` rows. */
static inline size_t sotto_i_split_largest(size_t count) {
  return count < sotto_i_batch_rows() ? count : sotto_i_batch_rows();
}

#endif
