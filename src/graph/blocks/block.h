/* Blocks: the rows of a dataset that one rank holds, their edges, and their neighbours at other ranks (the
 * halo). */
#ifndef SOTTO_SRC_GRAPH_BLOCKS_BLOCK_H
#define SOTTO_SRC_GRAPH_BLOCKS_BLOCK_H

#include "base/reader.h"
#include "graph/io/native.h"
#include "ranks/ranks.h"

typedef struct sotto_i_block {
  sotto_ranks *ranks; /* borrowed */
  uint64_t nodes;     /* of the whole graph */
  uint64_t key;       /* of the node permutation */
  uint32_t *owners;   /* rank of each node, from a partition; NULL: by the permutation */
  uint32_t *own;      /* nodes of this rank, ascending */
  size_t count;
  sotto_graph graph; /* of `count` nodes: a target below count is own[target], others are rows of the halo */
  /* The halo: nodes of other ranks that are neighbours of own nodes, sorted by rank, then by node. Those
   * of rank r are rows count + halo_first[r] to count + halo_first[r + 1] - 1. */
  uint64_t *halo_first; /* ranks + 1 */
  size_t halo;
  uint32_t *send; /* own rows that other ranks need; rank r gets send_first[r] to send_first[r + 1] - 1 */
  uint64_t *send_first;
  sotto_i_reader file; /* the dataset's file, from which features are read */
  uint64_t features_at;
  size_t cols;
  sotto_i_native_section ids; /* names of nodes in the file; offset 0: it has none */
  sotto_i_map map;            /* the mapped file when features are sparse; pages are loaded on access */
  sotto_entries entries;      /* sparse features of all nodes, in the map; offsets NULL: features are dense */
} sotto_i_block;

/* The block of a dataset from sotto_dataset_open_ranks; NULL for other datasets. */
const sotto_i_block *sotto_i_block_of(const sotto_dataset *data);

/* The rank that holds a node. */
uint32_t sotto_i_block_owner(const sotto_i_block *block, uint64_t node);
/* Index of the first own node at or above `node`; own rows of nodes [a, b) are contiguous. */
size_t sotto_i_block_from(const sotto_i_block *block, uint64_t node);
/* sotto_i_block_rows: how many of the nodes first to end - 1 a rank holds. sotto_i_block_put: copies its
 * rows of them to their positions in `out`, which starts with the row of node `first`. */
uint64_t sotto_i_block_rows(const sotto_i_block *block, uint32_t rank, uint64_t first, uint64_t end);
void sotto_i_block_put(float *out, const sotto_i_block *block, uint32_t rank, uint64_t first, uint64_t end,
                       const float *rows, size_t cols);
/* Reads the features of nodes first to first + count - 1 from the file into `out`, as dense rows. Errors:
 * IO. */
sotto_status sotto_i_block_features(const sotto_i_block *block, float *out, size_t first, size_t count,
                                    sotto_error *err);

/* Reads the names of all nodes (fresh; none: the file has none). Free it with sotto_i_names_free. Errors:
 * CORRUPT, IO, NOMEM. */
sotto_status sotto_i_block_node_ids(sotto_names *out, const sotto_i_block *block, sotto_error *err);

/* A checksum covers pieces of this many bytes; rank i modulo the number of ranks hashes piece i. */
enum { SOTTO_I_PIECE = 1 << 20, SOTTO_I_PIECE_DIGEST = 32 };

/* own.c: lists the nodes of this rank. Errors: NOMEM, those of another rank. */
sotto_status sotto_i_block_choose(sotto_i_block *block, sotto_error *err);
/* metis.c: fills `owners` by METIS at rank 0, which holds all edges meanwhile. Errors: UNSUPPORTED (built
 * without METIS; too many edges), NOMEM, those of another rank. */
sotto_status sotto_i_block_metis(sotto_i_block *block, uint64_t offsets_at, uint64_t targets_at,
                                 uint64_t entries, sotto_error *err);
/* edges.c: reads the edges of own rows, converts targets to rows, and sets up the halo with the other
 * ranks. Errors: CORRUPT (the edges are no valid graph), IO, NOMEM, those of another rank. */
sotto_status sotto_i_block_read_edges(sotto_i_block *block, uint64_t offsets_at, uint64_t targets_at,
                                      uint64_t entries, sotto_error *err);
/* halo.c: converts `targets` from nodes to rows. Errors: NOMEM, those of another rank. */
sotto_status sotto_i_block_find_halo(sotto_i_block *block, uint32_t *targets, sotto_error *err);

/* Exchange of integer rows from their owners to the ranks that need them. `rows` holds own rows, then
 * those of the halo, `cols` wide. Each call of sotto_i_halo_pass exchanges them once. */
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
