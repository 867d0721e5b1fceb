/* How readers and generators hand their data over. */
#ifndef SOTTO_SRC_GRAPH_DATASET_H
#define SOTTO_SRC_GRAPH_DATASET_H

#include "base/file.h"
#include "sotto/graph.h"

/* What a dataset is made of. Pointers are owned by whoever holds the struct, from sotto_i_new. */
typedef struct sotto_i_parts {
  char *name;
  uint64_t nodes;
  uint64_t *offsets; /* nodes + 1 */
  uint32_t *targets;
  float *features; /* nodes x width, NULL when width is 0 */
  size_t width;
  int32_t *labels;
  uint32_t classes;
  uint8_t *split;
  uint64_t graph_count;
  uint64_t *graph_first;
  int32_t *graph_labels;
  uint32_t graph_classes;
  sotto_i_map map; /* when set, the arrays above lie in it and only the map and the name are owned */
} sotto_i_parts;

/* Checks the parts (CSR promises, finite features, labels in range, graph borders), computes the digest, and
 * moves them into *out. On success *parts is zeroed; on failure it is untouched. Errors: CORRUPT, RANGE,
 * NUMERIC, NOMEM. */
sotto_status sotto_i_dataset_assemble(sotto_dataset *out, sotto_i_parts *parts, sotto_error *err);

/* Frees what the parts own and zeroes them. */
void sotto_i_parts_free(sotto_i_parts *parts);

#endif
