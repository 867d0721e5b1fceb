/* The rows of a dataset that one rank has: their edges, and which rows of other ranks these lead to. */
#ifndef SOTTO_SRC_GRAPH_BLOCKS_BLOCK_H
#define SOTTO_SRC_GRAPH_BLOCKS_BLOCK_H

#include "base/reader.h"
#include "graph/io/native.h"
#include "ranks/ranks.h"

typedef struct sotto_i_block {
  sotto_ranks *ranks; /* borrowed */
  uint64_t nodes;     /* of the whole graph */
  uint64_t key;       /* of the permutation of nodes */
  uint32_t *owners;   /* one a node, from a partition; NULL: by the permutation */
  uint32_t *own;      /* nodes of this rank, ascending */
  size_t count;
  sotto_graph graph; /* of `count` nodes; a target below count is own[target], others are rows of the halo */
  /* The halo: nodes of other ranks that are next to own ones, by rank, then ascending. Those of rank r are
   * rows count + halo_first[r] to count + halo_first[r + 1] - 1. */
  uint64_t *halo_first; /* ranks + 1 */
  size_t halo;
  uint32_t *send; /* own rows that others need, by rank; rank r gets send_first[r] to send_first[r + 1] - 1 */
  uint64_t *send_first;
  sotto_i_reader file; /* of the dataset: features are read there */
  uint64_t features_at;
  size_t cols;
  sotto_i_map map;       /* of the file, where features are sparse: pages are read as they are asked for */
  sotto_entries entries; /* of all nodes, in the map; offsets NULL: features are dense */
} sotto_i_block;

/* The block of a dataset that sotto_dataset_open_ranks opened; NULL: of any other one. */
const sotto_i_block *sotto_i_block_of(const sotto_dataset *data);
void sotto_i_block_free(sotto_i_block *block);

/* Which rank has a node. */
uint32_t sotto_i_block_owner(const sotto_i_block *block, uint64_t node);
/* The first of own rows whose node is not below `node`: own rows of nodes [a, b) stand together. */
size_t sotto_i_block_from(const sotto_i_block *block, uint64_t node);
/* How many of the nodes first to end - 1 a rank has; and its rows of them, put to their places in `out`,
 * which begins with the row of node `first`. */
uint64_t sotto_i_block_rows(const sotto_i_block *block, uint32_t rank, uint64_t first, uint64_t end);
void sotto_i_block_put(float *out, const sotto_i_block *block, uint32_t rank, uint64_t first, uint64_t end,
                       const float *rows, size_t cols);
/* out: features of nodes first to first + count - 1, from the file, as dense rows. Errors: IO. */
sotto_status sotto_i_block_features(const sotto_i_block *block, float *out, size_t first, size_t count,
                                    sotto_error *err);

/* Bytes that a checksum takes at once, piece i at rank i modulo the number of ranks. */
enum { SOTTO_I_PIECE = 1 << 20, SOTTO_I_PIECE_DIGEST = 32 };

/* own.c: chooses the nodes of this rank. Errors: NOMEM, those of another rank. */
sotto_status sotto_i_block_choose(sotto_i_block *block, sotto_error *err);
/* metis.c: fills `owners` by METIS, at rank 0, which holds all edges meanwhile. Errors: UNSUPPORTED (the
 * library has no METIS; too many edges for it), NOMEM, those of another rank. */
sotto_status sotto_i_block_metis(sotto_i_block *block, uint64_t offsets_at, uint64_t targets_at,
                                 uint64_t entries, sotto_error *err);
/* edges.c: reads the edges of own rows, whose targets become rows, and agrees with the other ranks about the
 * halo. Errors: CORRUPT (the file's edges are no graph), IO, NOMEM, those of another rank. */
sotto_status sotto_i_block_read_edges(sotto_i_block *block, uint64_t offsets_at, uint64_t targets_at,
                                      uint64_t entries, sotto_error *err);
/* halo.c: `targets` are nodes; they become rows. Errors: NOMEM, those of another rank. */
sotto_status sotto_i_block_find_halo(sotto_i_block *block, uint32_t *targets, sotto_error *err);

/* Rows of integers that pass from their owners to where they are needed: `rows` has those of own nodes and
 * then those of the halo, `cols` wide. Once a call of sotto_i_halo_pass. */
typedef struct sotto_i_halo {
  const sotto_i_block *block;
  int32_t *rows, *packed;
  size_t cols;
  sotto_i_route *route;
} sotto_i_halo;
sotto_status sotto_i_halo_new(sotto_i_halo *out, const sotto_i_block *block, size_t cols, sotto_error *err);
sotto_status sotto_i_halo_pass(sotto_i_halo *halo, sotto_error *err);
void sotto_i_halo_free(sotto_i_halo *halo);

#endif
